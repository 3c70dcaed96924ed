"""Which model tab 12 counts, and how: from the controls' values to an `Asked` of core.

The control `model` holds one of four things: ``lesson`` for the lesson's shape; nothing for the sizes typed beside it;
a name of the catalogue; or the facts of a file as `explorer.models.facts` writes them, never the file's path. The sizes
follow the model, and typing a size leaves it. A size that differs from layer to layer, or is not known, is 0.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

from explorer.concepts.declaration import Controls, Suggestion
from explorer.concepts.shown import quantities
from explorer.core import cache_types, lesson
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, kv_head_choices
from explorer.core.cost_model import Architecture, CacheOptions
from explorer.core.ops.figures import Asked

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

LESSON: Final = "lesson"
TYPED: Final = ""
SHAPE: Final = lesson.EIGHT_B_MODEL
#: The typed sizes with their words, the lesson's value, and the largest that is accepted.
SIZES: Final = {
    "n_layer": ("layers", SHAPE.n_layer, 2000),
    "n_head": ("query heads", SHAPE.n_head, 65_536),
    "n_head_kv": ("KV heads", SHAPE.n_head_kv, 65_536),
    "head_dim": ("head size", SHAPE.d_head, 65_536),
    "d_model": ("model width", SHAPE.d_model, 1_000_000),
    "params": ("parameters", SHAPE.params or 0, 10**14),
    "window": ("window, tokens", 0, 10_000_000),
    "window_layers": ("layers with it", 0, 2000),
}
#: Sizes that a typed shape may leave at 0: not known, or none.
_MAY_BE_NOTHING: Final = ("d_model", "params", "window", "window_layers")
#: What `asked` depends on.
COUNTED: Final = (
    "model", *SIZES, "cache_k", "cache_v", "batch", "rounding", "unified", "expand_latent", "weights", "pairs", "head",
)  # fmt: skip
SAME_AS_K: Final = "as K"
MIXED: Final = "varies"

NOT_A_SIZE = QT_TRANSLATE_NOOP("concepts", "{label} of a typed shape must be at least 1; it is 0")
NOT_A_MODEL = QT_TRANSLATE_NOOP("concepts", "the shape cannot be used: {reason}")


@lru_cache(maxsize=64)
def _architecture(model: str, sizes: tuple[int, ...]) -> Architecture:
    if model.startswith("{"):
        from explorer.models import facts  # noqa: PLC0415 - as below

        return facts.from_text(model)
    if model not in (LESSON, TYPED):
        # The app starts without the models' room: most starts show another tab.
        from explorer.models import catalogue  # noqa: PLC0415

        return catalogue.architecture(catalogue.find(model))
    return _typed(dict(zip(SIZES, sizes, strict=True)))


def _typed(sizes: dict[str, int]) -> Architecture:
    for name, (label, _, _) in SIZES.items():
        if not sizes[name] and name not in _MAY_BE_NOTHING:
            raise InputError(NOT_A_SIZE, label=label)
    given: dict[str, object] = {name: size for name, size in sizes.items() if size}
    if not sizes["window"]:
        given.pop("window_layers", None)
    from explorer.models import shapes  # noqa: PLC0415 - as above

    return shapes.custom(shapes.CustomSizes.check(given))


def architecture(controls: Controls) -> Architecture:
    """Return the model that the controls choose or describe.

    Raises
    ------
    InputError
        If sizes contradict each other, or the model is none.
    """
    return _architecture(str(controls["model"]), tuple(int(controls[name]) for name in SIZES))


@lru_cache(maxsize=64)
def _asked(values: tuple[Any, ...]) -> Asked:
    one = dict(zip(COUNTED, values, strict=True))
    options = CacheOptions.choose(
        one["cache_k"],
        None if one["cache_v"] == SAME_AS_K else one["cache_v"],
        batch=int(one["batch"]),
        rounding=one["rounding"],
        unified=bool(one["unified"]) and one["rounding"] == "llama.cpp",
        expand_latent=bool(one["expand_latent"]),
    )
    return Asked(architecture(one), options, cache_types.cache_type(one["weights"]), one["pairs"], one["head"])


def asked(controls: Controls) -> Asked:
    """Return what the controls ask; the same object for the same values.

    Raises
    ------
    InputError
        As for `architecture`.
    """
    # Every stage and every view of one state asks for it.
    if _last and _last[0][0] is controls:
        return _last[0][1]
    found = _asked(tuple(controls[name] for name in COUNTED))
    _last[:] = [(controls, found)]
    return found


_last: list[tuple[Controls, Asked]] = []


def title(controls: Controls) -> str:
    """Return what the model is called on screen."""
    model = controls["model"]
    if model == LESSON:
        return "The lesson’s 8 B shape"
    return "Typed shape" if model == TYPED else architecture(controls).name


def common(values: Sequence[int]) -> int:
    """Return the value that all entries share, 0 where they differ or there are none."""
    return values[0] if values and all(value == values[0] for value in values) else 0


def sizes_of(one: Architecture) -> dict[str, int]:
    """Return the sizes of a model under the names of the controls, 0 where there is no single value."""
    attending = [layer for layer in one.layers if layer.attends]
    windows = [layer.window for layer in attending if layer.window]
    known = one.why_unknown
    parameters = None if known("params") else one.parameters
    found = {
        "n_layer": one.n_layer,
        "n_head": 0 if known("n_head") else common([layer.n_head for layer in attending]),
        "n_head_kv": common([layer.n_head_kv for layer in attending]),
        "head_dim": common([layer.d_k for layer in attending]),
        "d_model": one.d_model or 0,
        "params": parameters.total if parameters else 0,
        "window": common(windows),
        "window_layers": len(windows) if common(windows) else 0,
    }
    return {name: size if size <= SIZES[name][2] else 0 for name, size in found.items()}


def kv_heads(controls: Controls) -> Sequence[int]:
    """Return the numbers of KV heads that can share the query heads."""
    return kv_head_choices(max(int(controls["n_head"]), 1))


def follow(before: Controls, after: Controls) -> Controls:
    """Return the controls that change because others did: sizes follow a model, and a typed size leaves it."""
    if after["model"] != before["model"]:
        if after["model"] == LESSON:
            return {name: size for name, (_, size, _) in SIZES.items()}
        return {} if after["model"] == TYPED else sizes_of(architecture(after))
    changed = [name for name in SIZES if after[name] != before[name]]
    if not changed:
        return {}
    moved: dict[str, int] = {}
    if before["model"] not in (LESSON, TYPED):
        moved = _in_place_of_nothing(after)
    n_head, n_head_kv = after["n_head"], after["n_head_kv"]
    if changed == ["n_head"] and n_head and n_head_kv:
        moved["n_head_kv"] = max(n for n in kv_head_choices(n_head) if n <= n_head_kv)
    if "window" in changed and after["window"] and not after["window_layers"]:
        moved["window_layers"] = after["n_layer"]
    if "n_layer" in changed and after["window_layers"] > after["n_layer"]:
        moved["window_layers"] = after["n_layer"]
    return {**moved, "model": TYPED}


def _in_place_of_nothing(controls: Controls) -> dict[str, int]:
    """Return sizes to go on typing from where a model has no single one: those of its most frequent layer."""
    attending = [(count, layer) for layer, count in architecture(controls).groups if layer.attends]
    if not attending:
        return {name: SIZES[name][1] for name in ("n_head", "n_head_kv", "head_dim") if not controls[name]}
    _, layer = max(attending, key=lambda pair: pair[0])
    usual = {"n_head": layer.n_head, "n_head_kv": layer.n_head_kv, "head_dim": layer.d_k}
    return {name: size for name, size in usual.items() if not controls[name]}


# ------------------------------------------------------------------------------------------------------- the model


def check_model(text: str) -> str | None:
    """Return why a text is no model, None where it is one."""
    if text in (LESSON, TYPED):
        return None
    try:
        _architecture(text, tuple(size for _, size, _ in SIZES.values()))
    except InputError as error:
        return NOT_A_MODEL.format(reason=error) if text.startswith("{") else str(error)
    return None


def suggest(typed: str) -> list[Suggestion]:
    """Return the models that match every typed word, best first."""
    from explorer.models import catalogue  # noqa: PLC0415 - as above

    found = [Suggestion(entry.name, entry.name, f"{entry.maker} · {entry.source}") for entry in catalogue.search(typed)]
    own = Suggestion(LESSON, "The lesson’s 8 B shape", "the lesson’s examples 10 to 12")
    words = typed.lower().split()
    return [own, *found] if all(word in own.label.lower() for word in words) else found


def read_model(path: Path) -> str:
    """Return the facts of a config.json or a .gguf as one line of text.

    Raises
    ------
    InputError
        With one sentence, if the file cannot be used.
    """
    from explorer.models import facts, shapes  # noqa: PLC0415 - as above

    return facts.to_text(shapes.read_file(path))


def summary(controls: Controls) -> str:
    """Return the sizes that matter most in a few signs."""
    names = ("n_layer", "n_head", "n_head_kv", "head_dim")
    return " · ".join(str(controls[name] or MIXED) for name in names)


def per_kv_head(one: Architecture) -> int | None:
    """Return the query heads per KV head, None where layers differ, share a latent or do not attend."""
    attending = [layer for layer in one.layers if layer.attends]
    if not attending or any(layer.kind == "latent" for layer in attending) or one.why_unknown("n_head"):
        return None
    return common([layer.n_head // layer.n_head_kv for layer in attending]) or None


def cache_summary(controls: Controls) -> str:
    """Return how the cache is kept in a few signs."""
    of_v = controls["cache_v"]
    kind = controls["cache_k"] if of_v in (SAME_AS_K, controls["cache_k"]) else f"{controls['cache_k']}/{of_v}"
    batch = f" · ×{int(controls['batch']):,}" if controls["batch"] != 1 else ""
    rounding = f" · {controls['rounding']}" if controls["rounding"] != "none" else ""
    return f"{kind}{batch}{rounding}"


def counting_summary(controls: Controls) -> str:
    """Return what is counted in a few signs."""
    head = " · last head" if controls["head"] == "last" else ""
    return f"{controls['pairs']}{head} · {controls['weights']} weights"


def machine_summary(controls: Controls) -> str:
    """Return the machine in a few signs."""
    return f"{int(controls['memory']):,} GiB · {float(controls['bandwidth']):,.0f} GB/s"


def parameter_words(one: Architecture) -> str:
    """Return how many parameters a model has, and how many of them a token uses."""
    parameters = None if one.why_unknown("params") else one.parameters
    if parameters is None:
        return "parameters not known"
    whole = quantities.short_parameters(parameters.total)
    if parameters.active == parameters.total:
        return f"{whole} parameters"
    return f"{whole} parameters, {quantities.short_parameters(parameters.active)} a token"
