"""From what a user names to an architecture: a file, a model of the catalogue, or sizes typed by hand."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

from explorer.core import cost
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, as_integer
from explorer.core.cost_model import Architecture, Layer, Parameters
from explorer.models import catalogue, gguf
from explorer.models.config import read_config
from explorer.models.fields import LARGEST_SIZE, MOST_LAYERS
from explorer.models.gguf_model import read_gguf
from explorer.models.jsonfile import NO_FILE, UNREADABLE, ordinary_file, reason_of, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

CUSTOM: Final = "custom"

INCOMPLETE = QT_TRANSLATE_NOOP("models", "custom needs {missing}; a KV cache is n_layer, n_head_kv and head_dim")
TOO_LARGE = QT_TRANSLATE_NOOP("models", "{name} is {value:,}; it may be at most {most:,}")
FEWER_ACTIVE = QT_TRANSLATE_NOOP("models", "params_active is {active:,}; it cannot be more than params, {total:,}")
MORE_WINDOWS = QT_TRANSLATE_NOOP("models", "window_layers is {found}; the model has {n_layer} layers")
WINDOW_LAYERS_ALONE = QT_TRANSLATE_NOOP("models", "window_layers needs window, the tokens that such a layer sees")
ROPE_ALONE = QT_TRANSLATE_NOOP("models", "rope needs latent, the width of the compressed keys and values (MLA)")
NO_CONFIG_IN_FOLDER = QT_TRANSLATE_NOOP("models", "{path} is a folder without a config.json")


def load(shape: str) -> Architecture:
    """Return the architecture of a config.json, a .gguf, a folder with a config.json, or a name of the catalogue.

    Raises
    ------
    InputError
        With one sentence, if it is none of these or cannot be used.
    """
    path = Path(shape)
    try:
        exists, is_folder = path.exists(), path.is_dir()
    except (OSError, ValueError):
        exists = is_folder = False
    if is_folder:
        inside = path / "config.json"
        if inside.is_file():
            return read_config(inside)
        try:
            return catalogue.architecture(catalogue.find(shape))
        except InputError:
            raise InputError(NO_CONFIG_IN_FOLDER, path=shown(path)) from None
    if exists:
        return read_file(path)
    if shape.lower().endswith((".json", ".gguf")):
        raise InputError(NO_FILE, path=shown(path))
    return catalogue.architecture(catalogue.find(shape))


def read_file(path: Path) -> Architecture:
    """Return the architecture in a file, told apart by its first bytes rather than by its name.

    Raises
    ------
    InputError
        With one sentence, if it cannot be used.
    """
    ordinary_file(path)
    try:
        with path.open("rb") as file:
            begin = file.read(len(gguf.MAGIC))
    except OSError as error:
        raise InputError(UNREADABLE, path=shown(path), reason=reason_of(error)) from None
    if begin == gguf.MAGIC or path.suffix.lower() == ".gguf":
        return read_gguf(path)
    return read_config(path)


@dataclass(frozen=True, slots=True)
class CustomSizes:
    """Sizes typed by hand; those that are None were not given.

    Parameters
    ----------
    n_layer, n_head_kv, head_dim : int, optional
        Layers, KV heads, and the size of a head; all three are needed, unless `latent` takes the place of the last two.
    n_head, d_model, params, params_active : int, optional
        Query heads, width of the model, parameters, and those that one token uses.
    head_dim_v : int, optional
        The size of a value head, where it differs.
    window, window_layers : int, optional
        The tokens that a window layer sees, and how many layers are such (all, unless given).
    latent, rope : int, optional
        Widths of MLA's compressed vector and of its rotated key.
    """

    n_layer: int | None = None
    n_head_kv: int | None = None
    head_dim: int | None = None
    n_head: int | None = None
    d_model: int | None = None
    params: int | None = None
    params_active: int | None = None
    head_dim_v: int | None = None
    window: int | None = None
    window_layers: int | None = None
    latent: int | None = None
    rope: int | None = None

    @classmethod
    def check(cls, values: Mapping[str, object]) -> CustomSizes:
        """Return the sizes among `values`, each a whole number of at least 1 (0 for `window_layers` and `rope`).

        Raises
        ------
        InputError
            If one is not.
        """
        sizes: dict[str, int] = {}
        for name in cls.__slots__:
            value = values.get(name)
            if value is None:
                continue
            if isinstance(value, float) and value.is_integer():
                value = int(value)
            size = as_integer(name, value, 0 if name in ("window_layers", "rope") else 1)  # type: ignore[arg-type]
            most = MOST_LAYERS if name in ("n_layer", "window_layers") else LARGEST_SIZE
            if size > most:
                raise InputError(TOO_LARGE, name=name, value=size, most=most)
            sizes[name] = size
        return cls(**sizes)

    def given(self) -> list[str]:
        """Return the names of the sizes that were given."""
        return [name for name in self.__slots__ if getattr(self, name) is not None]


def custom(sizes: CustomSizes) -> Architecture:
    """Return the architecture of sizes typed by hand.

    Raises
    ------
    InputError
        If a size that the KV cache depends on is missing, or the sizes contradict each other.
    """
    latent = sizes.latent is not None
    needed = ("n_layer",) if latent else ("n_layer", "n_head_kv", "head_dim")
    missing = [name for name in needed if getattr(sizes, name) is None]
    if missing:
        raise InputError(INCOMPLETE, missing=" and ".join(missing))
    if sizes.rope is not None and not latent:
        raise InputError(ROPE_ALONE)
    if sizes.window_layers is not None and sizes.window is None:
        raise InputError(WINDOW_LAYERS_ALONE)
    unknown: list[tuple[str, str]] = []
    n_layer = sizes.n_layer or 0
    n_head = sizes.n_head or sizes.n_head_kv or 1
    if sizes.n_head is None:
        unknown.append(("n_head", "The number of query heads was not given."))
        unknown.append(("attention_flops", "FLOPs of attention depend on the query heads, which were not given."))
    elif sizes.n_head_kv is not None:
        cost.check_sharing(sizes.n_head, sizes.n_head_kv)
    if latent and sizes.head_dim is None:
        unknown.append(("attention_flops", "FLOPs of attention depend on the un-absorbed head size, not given."))
    parameters = _parameters(sizes)
    if parameters is None:
        unknown.append(("params", "The number of parameters was not given."))
        unknown.append(("weight_flops", "FLOPs of the matrices depend on the parameters, which were not given."))
    return Architecture(
        name=CUSTOM,
        layers=_layers(sizes, n_layer, n_head),
        d_model=sizes.d_model,
        parameters=parameters,
        unknown=tuple(dict(reversed(unknown)).items()),
    )


def _parameters(sizes: CustomSizes) -> Parameters | None:
    if sizes.params is None:
        return None
    active = sizes.params if sizes.params_active is None else sizes.params_active
    if active > sizes.params:
        raise InputError(FEWER_ACTIVE, active=active, total=sizes.params)
    return Parameters(unsorted=sizes.params, unsorted_active=active)


def _layers(sizes: CustomSizes, n_layer: int, n_head: int) -> tuple[Layer, ...]:
    d_k = sizes.head_dim or 0
    d_v = sizes.head_dim_v or d_k
    if sizes.latent is not None:
        layer = Layer("latent", n_head, n_head, d_k, d_v, latent=sizes.latent, rope=sizes.rope or 0)
        return (layer,) * n_layer
    full = Layer("full", n_head, sizes.n_head_kv or n_head, d_k, d_v)
    if sizes.window is None:
        return (full,) * n_layer
    windowed = Layer("window", n_head, sizes.n_head_kv or n_head, d_k, d_v, window=sizes.window)
    n_windowed = n_layer if sizes.window_layers is None else sizes.window_layers
    if n_windowed > n_layer:
        raise InputError(MORE_WINDOWS, found=n_windowed, n_layer=n_layer)
    return (full,) * (n_layer - n_windowed) + (windowed,) * n_windowed
