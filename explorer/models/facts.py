"""The facts of a model's shape as one line of text, and back: what is kept of a file after it was read.

A session must open on a machine that has not got the file, and must not tell where the file lay. So not a path is kept
but what the file said: each kind of layer once, the order of the layers as runs, the parameters, and the sentences that
go with them. The line is JSON. It is read as strictly as any file from outside, because sessions come from anybody.
"""

from __future__ import annotations

import json
from dataclasses import asdict, fields
from functools import lru_cache
from itertools import groupby
from typing import TYPE_CHECKING, Any, Final, cast, get_args

from explorer.core import cost
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.core.cost_model import Architecture, Indexer, Layer, LayerKind, Parameters, State
from explorer.models import jsonfile
from explorer.models.fields import LARGEST_SIZE, MOST_LAYERS

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Characters that a line may have; a session's text holds no more.
LONGEST: Final = 4096
_LONGEST_WORDS: Final = 1000
_MOST_KINDS: Final = 400
_MOST_PARAMETERS: Final = 2**53
_NAME: Final = "the shape"
_KNOWN: Final = (
    "name", "kinds", "layers", "d_model", "parameters", "weight_bytes", "max_context", "generates", "unknown", "notes",
)  # fmt: skip

TOO_IRREGULAR = QT_TRANSLATE_NOOP(
    "models", "{name} has {kinds} kinds of layer, more than can be kept here; use the command line for it"
)
NOT_A_FACT = QT_TRANSLATE_NOOP("models", "{where} is {found}; it must be {wanted}")
NO_SUCH_FACT = QT_TRANSLATE_NOOP("models", "{where} has no {key}; it may have {known}")
NO_LAYERS = QT_TRANSLATE_NOOP("models", "a shape needs at least one layer")
TOO_MANY_LAYERS = QT_TRANSLATE_NOOP("models", "a shape may have {most:,} layers, not {found:,}")
NO_SUCH_KIND = QT_TRANSLATE_NOOP("models", "{where} names kind {at} of {count}; kinds count from 0")


# ------------------------------------------------------------------------------------------------------- writing


def to_text(architecture: Architecture) -> str:
    """Return the facts of an architecture as one line of at most `LONGEST` characters.

    What does not fit is left out in this order: the notes, then the order of the layers.

    Raises
    ------
    InputError
        If there are so many kinds of layer that not even they fit.
    """
    for notes, order in ((True, True), (False, True), (False, False)):
        text = json.dumps(
            _members(architecture, notes=notes, order=order), ensure_ascii=False, allow_nan=False, separators=(",", ":")
        )
        if len(text) <= LONGEST:
            return text
    raise InputError(TOO_IRREGULAR, name=jsonfile.shown(architecture.name, 80), kinds=len(architecture.groups))


def _members(architecture: Architecture, *, notes: bool, order: bool) -> dict[str, Any]:
    kinds = [layer for layer, _ in architecture.groups]
    if order:
        runs = [[kinds.index(layer), len(list(same))] for layer, same in groupby(architecture.layers)]
    else:
        runs = [[kinds.index(layer), count] for layer, count in architecture.groups]
    members: dict[str, Any] = {
        "name": jsonfile.shown(architecture.name, 120),
        "kinds": [_told(layer) for layer in kinds],
        "layers": runs,
        "d_model": architecture.d_model,
        "parameters": None if architecture.parameters is None else _told(architecture.parameters),
        "weight_bytes": architecture.weight_bytes,
        "max_context": architecture.max_context,
        "generates": architecture.generates,
        "unknown": [[figure, jsonfile.shown(why, _LONGEST_WORDS)] for figure, why in architecture.unknown],
        "notes": [jsonfile.shown(note, _LONGEST_WORDS) for note in architecture.notes] if notes else [],
    }
    return {key: value for key, value in members.items() if value not in (None, [], True) or key == "layers"}


def _told(thing: Layer | Parameters) -> dict[str, Any]:
    """Return the fields of a layer or of parameters that are not what they are by default."""
    told: dict[str, Any] = {}
    for one in fields(thing):
        value = getattr(thing, one.name)
        if value == one.default:
            continue
        if isinstance(value, Indexer):
            value = asdict(value)
        elif one.name == "states":
            value = [asdict(state) for state in value]
        told[one.name] = value
    return told


# ------------------------------------------------------------------------------------------------------- reading


@lru_cache(maxsize=64)
def from_text(text: str) -> Architecture:
    """Return the architecture whose facts a line holds.

    Raises
    ------
    InputError
        With one sentence, if it is no such line or holds what no model can have.
    """
    members = _Members(jsonfile.parse(text.encode("utf-8", "surrogatepass"), _NAME), _NAME, _KNOWN)
    kinds = [_layer(one, f"kind {at}") for at, one in enumerate(members.list("kinds", _MOST_KINDS))]
    layers = _layers(members.list("layers", MOST_LAYERS), kinds)
    parameters = members.values.get("parameters")
    return Architecture(
        name=members.words("name", "a model from a file"),
        layers=layers,
        d_model=members.size("d_model"),
        parameters=None if parameters is None else _parameters(parameters),
        weight_bytes=members.size("weight_bytes", most=_MOST_PARAMETERS),
        max_context=members.size("max_context"),
        generates=members.flag("generates", otherwise=True),
        unknown=tuple(_unknown(one) for one in members.list("unknown", 20)),
        notes=tuple(_words(one, "a note") for one in members.list("notes", 40)),
    )


class _Members:
    """The members of one object, each asked for as what it must be."""

    def __init__(self, value: object, where: str, known: tuple[str, ...]) -> None:
        if not isinstance(value, dict):
            raise InputError(NOT_A_FACT, where=where, found=jsonfile.describe(value), wanted="an object")
        self.values: Mapping[str, Any] = value
        self.where = where
        for key in value:
            if key not in known:
                raise InputError(NO_SUCH_FACT, where=where, key=jsonfile.describe(key), known=Choices(known))

    def _refuse(self, key: str, value: object, wanted: str) -> InputError:
        where = f"{key} of {self.where}"
        return InputError(NOT_A_FACT, where=where, found=jsonfile.describe(value), wanted=wanted)

    def size(self, key: str, *, least: int = 1, most: int = LARGEST_SIZE) -> int | None:
        value = self.values.get(key)
        if value is None:
            return None
        if type(value) is not int or not least <= value <= most:
            raise self._refuse(key, value, f"a whole number from {least} to {most}")
        return value

    def count(self, key: str, *, most: int = LARGEST_SIZE) -> int:
        return self.size(key, least=0, most=most) or 0

    def flag(self, key: str, *, otherwise: bool = False) -> bool:
        value = self.values.get(key, otherwise)
        if not isinstance(value, bool):
            raise self._refuse(key, value, "true or false")
        return value

    def words(self, key: str, otherwise: str) -> str:
        return _words(self.values.get(key, otherwise), f"{key} of {self.where}")

    def list(self, key: str, most: int) -> list[Any]:
        value = self.values.get(key, [])
        if not isinstance(value, list) or len(value) > most:
            raise self._refuse(key, value, f"a list of at most {most}")
        return value


def _words(value: object, where: str) -> str:
    if not isinstance(value, str) or len(value) > _LONGEST_WORDS:
        wanted = f"words, at most {_LONGEST_WORDS} characters"
        raise InputError(NOT_A_FACT, where=where, found=jsonfile.describe(value), wanted=wanted)
    return jsonfile.shown(value)


def _unknown(value: object) -> tuple[str, str]:
    if not isinstance(value, list) or len(value) != 2:
        raise InputError(
            NOT_A_FACT, where="an entry of unknown", found=jsonfile.describe(value), wanted="a figure and its sentence"
        )
    return _words(value[0], "a figure of unknown"), _words(value[1], "a sentence of unknown")


def _layer(value: object, where: str) -> Layer:
    members = _Members(value, where, tuple(one.name for one in fields(Layer)))
    kind = members.values.get("kind")
    if kind not in get_args(LayerKind):
        raise InputError(
            NOT_A_FACT,
            where=f"kind of {where}",
            found=jsonfile.describe(kind),
            wanted=str(Choices(get_args(LayerKind))),
        )
    indexer = members.values.get("indexer")
    layer = Layer(
        kind=cast("LayerKind", kind),
        n_head=members.count("n_head"),
        n_head_kv=members.count("n_head_kv"),
        d_k=members.count("d_k"),
        d_v=members.count("d_v"),
        window=members.size("window"),
        chunked=members.flag("chunked"),
        latent=members.count("latent"),
        rope=members.count("rope"),
        indexer=None if indexer is None else _indexer(indexer, f"the indexer of {where}"),
        states=tuple(_state(one, f"a state of {where}") for one in members.list("states", 20)),
    )
    if layer.attends:
        cost.check_sharing(layer.n_head, layer.n_head_kv)
    return layer


def _indexer(value: object, where: str) -> Indexer:
    members = _Members(value, where, tuple(one.name for one in fields(Indexer)))
    return Indexer(*(members.count(one.name) for one in fields(Indexer)))


def _state(value: object, where: str) -> State:
    members = _Members(value, where, tuple(one.name for one in fields(State)))
    return State(
        label=members.words("label", "state"),
        width=members.count("width"),
        columns=members.count("columns"),
        bytes_per_element=members.count("bytes_per_element", most=16),
        every=members.count("every"),
    )


def _layers(runs: list[Any], kinds: list[Layer]) -> tuple[Layer, ...]:
    layers: list[Layer] = []
    for place, run in enumerate(runs):
        where = f"run {place} of layers"
        if not isinstance(run, list) or len(run) != 2 or any(type(one) is not int or one < 0 for one in run):
            wanted = "a kind and how many layers of it"
            raise InputError(NOT_A_FACT, where=where, found=jsonfile.describe(run), wanted=wanted)
        kind, times = run
        if kind >= len(kinds):
            raise InputError(NO_SUCH_KIND, where=where, at=kind, count=len(kinds))
        if len(layers) + times > MOST_LAYERS:
            raise InputError(TOO_MANY_LAYERS, most=MOST_LAYERS, found=len(layers) + times)
        layers += [kinds[kind]] * times
    if not layers:
        raise InputError(NO_LAYERS)
    return tuple(layers)


def _parameters(value: object) -> Parameters:
    members = _Members(value, "parameters", tuple(one.name for one in fields(Parameters)))
    counts = {
        one.name: members.count(one.name, most=_MOST_PARAMETERS) for one in fields(Parameters) if one.name != "tied"
    }
    return Parameters(**counts, tied=members.flag("tied"))
