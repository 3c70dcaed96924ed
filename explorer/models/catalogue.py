"""The catalogue of published models: what they are called, their shapes as facts, and where each fact comes from.

The shapes lie in ``resources/catalogue/models.json`` under the usual names of a config's fields and go through the same
reader as a config.json, so a model costs the same from either. A list may state runs: ``{"runs": [[value, times], …],
"times": n}`` repeats the runs n times.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from explorer import resources
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.models import jsonfile
from explorer.models.config import from_values

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.cost_model import Architecture

NO_SUCH_MODEL = QT_TRANSLATE_NOOP(
    "models", "{name} is neither a file nor a model of the catalogue; {hint} (or a config.json, a .gguf, or custom)"
)
SEVERAL = QT_TRANSLATE_NOOP("models", "{name} may be several models of the catalogue: {choices}; name one of them")

# Words that say how a model was trained or packed, not what shape it has.
_NO_SHAPE: Final = frozenset(
    {"instruct", "chat", "it", "pt", "base", "hf", "gguf", "fp8", "bf16", "awq", "gptq", "nvfp4", "latest", "model"}
)


@dataclass(frozen=True, slots=True)
class Entry:
    """A published model.

    Parameters
    ----------
    name : str
        What it is called here.
    maker : str
        Who published it.
    also : tuple of str
        Other names: repositories, short names.
    source : str
        Where its figures come from.
    shape : mapping
        The facts of its shape.
    """

    name: str
    maker: str
    also: tuple[str, ...]
    source: str
    shape: Mapping[str, Any]

    @property
    def names(self) -> tuple[str, ...]:
        """Return every name, its own first."""
        return (self.name, *self.also)


@cache
def entries() -> tuple[Entry, ...]:
    """Return every model of the catalogue, in the order of the file."""
    listed = jsonfile.parse(resources.data("catalogue", "models.json"), "the catalogue")["models"]
    return tuple(
        Entry(item["name"], item["maker"], tuple(item["also"]), item["source"], _unrolled(item["shape"]))
        for item in listed
    )


def architecture(entry: Entry) -> Architecture:
    """Return the architecture of a model of the catalogue."""
    return _architecture(entry.name)


@cache
def _architecture(name: str) -> Architecture:
    entry = next(entry for entry in entries() if entry.name == name)
    # The catalogue states every fact that counts: what it leaves out is not there.
    return from_values({**entry.shape, "_name_or_path": entry.name}, entry.name, of_a_class=False)


def search(text: str) -> list[Entry]:
    """Return the models that match every word of a text, best first; all of them for an empty text.

    A word that is a whole word of a name counts more than the beginning of one, and that more than a part.
    """
    words = _words(text)
    ranked = []
    for position, entry in enumerate(entries()):
        tokens = {token for name in (*entry.names, entry.maker) for token in (*_words(name), _plain(name))}
        distances = [_distance(word, tokens) for word in words]
        if None not in distances:
            ranked.append((_plain(text) not in tokens, sum(distance or 0 for distance in distances), position, entry))
    return [entry for *_, entry in sorted(ranked, key=lambda row: row[:3])]


def _distance(word: str, tokens: set[str]) -> int | None:
    if word in tokens:
        return 0
    if any(token.startswith(word) for token in tokens):
        return 1
    return 2 if any(word in token for token in tokens) else None


def find(name: str) -> Entry:
    """Return the model of a name, in any common spelling: its repository, with hyphens or without, with ``-Instruct``.

    Raises
    ------
    InputError
        If no model or more than one has that name.
    """
    wanted = _plain(name)
    for spelling in (_plain, _shape_name):
        found = [entry for entry in entries() if spelling(name) in {spelling(other) for other in entry.names}]
        if len(found) == 1:
            return found[0]
        if found:
            raise InputError(SEVERAL, name=jsonfile.shown(name), choices=Choices(entry.name for entry in found))
    # The beginning of a name is not taken for the whole: "phi-1" is another model than "phi-1.5".
    begun = [entry for entry in entries() if wanted and any(_plain(x).startswith(wanted) for x in entry.names)]
    if 1 < len(begun) <= 12:
        raise InputError(SEVERAL, name=jsonfile.shown(name), choices=Choices(entry.name for entry in begun))
    hint = f"did you mean {begun[0].name}?" if len(begun) == 1 else _hint(name)
    raise InputError(NO_SUCH_MODEL, name=jsonfile.describe(name), hint=hint)


def _hint(name: str) -> str:
    spelled = {_plain(other): entry.name for entry in entries() for other in entry.names}
    near = difflib.get_close_matches(_plain(name)[:60], spelled, n=3, cutoff=0.6)
    meant = list(dict.fromkeys(spelled[match] for match in near))
    return f"did you mean {Choices(meant)}?" if meant else f"it has {len(entries())} models, such as Llama 3.1 8B"


def _plain(name: str) -> str:
    """Return a name without its maker's account, in lower case, without signs between letters and digits."""
    return re.sub(r"[^a-z0-9+]", "", name.lower().rsplit("/", 1)[-1])


def _shape_name(name: str) -> str:
    """Return a name without the words that do not change a model's shape, nor the date of its release."""
    words = re.split(r"[^a-z0-9.+]+", name.lower().rsplit("/", 1)[-1])
    return "".join(re.sub(r"[^a-z0-9+]", "", word) for word in words if word not in _NO_SHAPE and word != "meta")


def _words(text: str) -> list[str]:
    return [word for word in (_plain(part) for part in re.split(r"[\s/_-]+", text)) if word]


def _unrolled(value: Any) -> Any:  # noqa: ANN401 - any JSON value
    if isinstance(value, dict):
        if "runs" in value:
            return [_unrolled(entry) for entry, times in value["runs"] for _ in range(times)] * value.get("times", 1)
        return {key: _unrolled(member) for key, member in value.items()}
    return value
