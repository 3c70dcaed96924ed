"""Bringing arrays from elsewhere into a tab: which goes where, what that changes, and what stands against it.

A `Plan` is the preview: it matches what a file or a paste offers with the tab's inputs by name, then by shape, follows
the sizes that result, and says in sentences what would happen. Nothing is read or changed until its `edit` is asked
for. What files hold is `explorer.workbench.data_files`' business.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from explorer.concepts import evaluation
from explorer.concepts.declaration import Edit
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.workbench import data_files, number_text
from explorer.workbench.changes import LONGEST_TOKEN
from explorer.workbench.data_files import shape_words
from explorer.workbench.tables import normalised

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    from explorer.concepts.declaration import Axis, Concept, Input
    from explorer.core.ops.base import Array
    from explorer.workbench.data_files import Source
    from explorer.workbench.state import TabState

#: What else the usual arrays are called elsewhere, normalised.
ALIASES: Final[Mapping[str, str]] = {
    "query": "q",
    "queries": "q",
    "key": "k",
    "keys": "k",
    "value": "v",
    "values": "v",
    "input": "x",
    "inputs": "x",
    "embeddings": "x",
    "score": "scores",
    "attentionscores": "scores",
    "wquery": "wq",
    "wkey": "wk",
    "wvalue": "wv",
    "woutput": "wo",
    "attentionmask": "allowed",
    "mask": "allowed",
}

GOES = QT_TRANSLATE_NOOP("workbench", "{source} ({shape}) goes into {name}")
GROWS = QT_TRANSLATE_NOOP("workbench", "{label} {old} → {new}: inputs that are not imported follow")
RENAMES = QT_TRANSLATE_NOOP("workbench", "tokens are called {names}")
COMPUTED = QT_TRANSLATE_NOOP("workbench", "{source} is computed in tab {tab} and cannot be imported; it takes {known}")
UNKNOWN = QT_TRANSLATE_NOOP("workbench", "{source} ({shape}) is no input of tab {tab}; it takes {known}")
AMBIGUOUS = QT_TRANSLATE_NOOP("workbench", "{source} ({shape}) could be {known}; choose one")
NO_ROOM = QT_TRANSLATE_NOOP("workbench", "{source} ({shape}) fits no input of tab {tab}; it takes {known}")
TWICE = QT_TRANSLATE_NOOP("workbench", "{source} would go into {name}, which {other} fills already")
WRONG_AXES = QT_TRANSLATE_NOOP("workbench", "{source} is {shape}; {name} must be {wanted}")
WRONG_LENGTH = QT_TRANSLATE_NOOP("workbench", "{source} is {shape}; {name} must be {wanted} with {size} = {length}")
OUT_OF_RANGE = QT_TRANSLATE_NOOP(
    "workbench", "{source} is {shape}; {name} must be {wanted} with {size} from {low} to {high}"
)
DISAGREES = QT_TRANSLATE_NOOP(
    "workbench", "{source} is {shape}; {name} must be {wanted} with {size} = {length}, as {other} has it"
)
NOTHING = QT_TRANSLATE_NOOP("workbench", "nothing here can be imported into tab {tab}: {reason}")


@dataclass(frozen=True, slots=True, eq=False)
class Match:
    """One offered array: the input that it goes into, or the sentence that says why it does not."""

    source: Source
    target: str | None
    problem: InputError | None = None
    candidates: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Plan:
    """What an import would do.

    Attributes
    ----------
    matches : tuple of Match
        One for each array that is offered, in its order.
    sizes : Mapping of str to int
        The sizes that the matched arrays have, whether or not they are new.
    tokens : tuple of str, optional
        Names of the tokens, where a matched array brings them.
    """

    concept: Concept
    state: TabState
    matches: tuple[Match, ...]
    sizes: Mapping[str, int] = field(default_factory=dict)
    tokens: tuple[str, ...] | None = None

    @property
    def lines(self) -> list[str]:
        """Return the preview: a sentence for each array, each size that changes, and new token names."""
        said = [
            str(match.problem)
            if match.problem is not None
            else GOES.format(source=_called(match.source), shape=shape_words(match.source.shape), name=match.target)
            for match in self.matches
        ]
        labels = {one.name: one.label for one in self.concept.sizes}
        for name, length in self.sizes.items():
            if length != self.state.sizes[name]:
                said.append(GROWS.format(label=labels[name], old=self.state.sizes[name], new=length))
        if self.tokens is not None and self.tokens != self.state.tokens:
            said.append(RENAMES.format(names=", ".join(self.tokens)))
        return said

    def edit(self) -> Edit:
        """Read the matched arrays.

        Returns
        -------
        Edit
            To be made in one undoable step.

        Raises
        ------
        InputError
            When nothing matched, or a cell is no number that its input takes.
        """
        arrays: dict[str, Array] = {}
        for match in self.matches:
            if match.target is None:
                continue
            declared = self.concept.input(match.target)
            array = match.source.read(declared.kind == "mask")
            arrays[match.target] = array.reshape(evaluation.lengths_of(declared.axes, self.sizes))
        if not arrays:
            reasons = [str(match.problem) for match in self.matches if match.problem is not None]
            raise InputError(NOTHING, tab=self.concept.number, reason="; ".join(reasons[:3]))
        return Edit(arrays, {}, dict(self.sizes), self.tokens)


def known_names(concept: Concept) -> frozenset[str]:
    """Return the names, normalised, that tell a table's corner from a label."""
    arrays = (*(one.name for one in concept.inputs), *(one.name for one in concept.stages))
    return frozenset({normalised(name) for name in arrays} | set(ALIASES) | set(ALIASES.values()))


def plan_file(
    concept: Concept, state: TabState, path: str | os.PathLike[str], chosen: Mapping[int, str | None] | None = None
) -> Plan:
    """Say what importing a file would do; see `plan`.

    Raises
    ------
    InputError
        When the file holds nothing that could be read.
    """
    return plan(concept, state, _own(concept, data_files.open_file(path, known_names(concept))), chosen)


def _own(concept: Concept, sources: list[Source]) -> list[Source]:
    """Of a whole session's arrays, return those of the tab, under their bare names; others are returned as they are."""
    prefix = f"{concept.slug}/"
    inputs = {f"{prefix}{one.name}" for one in concept.inputs}
    own = [replace(one, name=one.name.removeprefix(prefix)) for one in sources if one.name in inputs]
    return own or sources


def plan_text(concept: Concept, state: TabState, text: str, chosen: Mapping[int, str | None] | None = None) -> Plan:
    """Say what importing pasted text would do; see `plan`.

    Raises
    ------
    InputError
        When the text holds no table of numbers.
    """
    return plan(concept, state, data_files.from_text(text, "what you paste", known_names(concept)), chosen)


def plan(
    concept: Concept, state: TabState, sources: Sequence[Source], chosen: Mapping[int, str | None] | None = None
) -> Plan:
    """Match arrays with a tab's inputs.

    Parameters
    ----------
    concept, state
        The tab and what it holds.
    sources : sequence of Source
        What is offered.
    chosen : mapping, optional
        What the user decided: by position among the sources, the input that it goes into, or None for nowhere.

    Returns
    -------
    Plan
        Arrays go by the user's choice, then by name, then, if they have no name that the tab knows, into the one
        input whose shape they have or could have.
    """
    return _Planner(concept, state).plan(sources, chosen or {})


class _Planner:
    def __init__(self, concept: Concept, state: TabState) -> None:
        self.concept = concept
        self.state = state
        self.declared = {one.name: one for one in concept.inputs}
        self.sizes: dict[str, int] = {}
        self._because: dict[str, str] = {}
        self._filled: dict[str, str] = {}
        self._known = ", ".join(self.declared) or "nothing"

    def plan(self, sources: Sequence[Source], chosen: Mapping[int, str | None]) -> Plan:
        matches: dict[int, Match] = {}
        for at, source in enumerate(sources):
            if at in chosen:
                target = chosen[at]
                matches[at] = Match(source, None) if target is None else self._into(source, self.declared[target])
        for at, source in enumerate(sources):
            named = self._named(source.name)
            if at not in matches and named is not None:
                matches[at] = self._into(source, named)
        for at, source in enumerate(sources):
            if at not in matches:
                matches[at] = self._by_shape(source)
        ordered = tuple(matches[at] for at in range(len(sources)))
        return Plan(self.concept, self.state, ordered, self.sizes, self._tokens(ordered))

    def _named(self, name: str) -> Input | None:
        if name in self.declared:
            return self.declared[name]
        wanted = normalised(name)
        spellings = {normalised(one): declared for one, declared in self.declared.items()}
        return spellings.get(wanted) or spellings.get(ALIASES.get(wanted, wanted))

    def _into(self, source: Source, declared: Input) -> Match:
        """Match a source with an input, unless its shape or an earlier match forbids it."""
        if declared.name in self._filled:
            other = self._filled[declared.name]
            return Match(source, None, InputError(TWICE, source=_called(source), name=declared.name, other=other))
        problem = self._problem(source, declared)
        if problem is not None:
            return Match(source, None, problem)
        for axis, length in zip(declared.axes, _fitted(source.shape, len(declared.axes)) or (), strict=True):
            for name, value in self._settled(axis, length, self.sizes).items():
                self.sizes[name] = value
                self._because.setdefault(name, _called(source))
        self._filled[declared.name] = _called(source)
        return Match(source, declared.name)

    def _problem(self, source: Source, declared: Input) -> InputError | None:
        """Say why a source cannot go into an input."""
        if source.problem is not None:
            return source.problem
        fitted = _fitted(source.shape, len(declared.axes))
        wanted = " × ".join(axis.size for axis in declared.axes) or "one number"
        said = {"source": _called(source), "shape": shape_words(source.shape), "name": declared.name, "wanted": wanted}
        if fitted is None:
            return InputError(WRONG_AXES, **said)
        limits = {one.name: (one.low, one.high) for one in self.concept.sizes}
        lengths = dict(self.sizes)
        for axis, length in zip(declared.axes, fitted, strict=True):
            settled = self._settled(axis, length, lengths)
            for name, value in settled.items():
                low, high = limits[name]
                if not low <= value <= high:
                    return InputError(OUT_OF_RANGE, **said, size=name, low=low, high=high)
            lengths.update(settled)
            if evaluation.size_of(axis.size, {**self.state.sizes, **lengths}) == length:
                continue
            name = evaluation.factors_of(axis.size)[-1]
            if name.isdigit():
                return InputError(WRONG_AXES, **said)
            found = {**self.state.sizes, **lengths}[name]
            if name in self._because:
                return InputError(DISAGREES, **said, size=name, length=found, other=self._because[name])
            return InputError(WRONG_LENGTH, **said, size=name, length=found)
        return None

    def _settled(self, axis: Axis, length: int, lengths: Mapping[str, int]) -> dict[str, int]:
        """Return every size that an axis of this length settles, those of its factors that stay as they are too."""
        found = evaluation.solved(axis.size, length, lengths, self.state.sizes)
        if found is None:
            return {}
        others = [one for one in evaluation.factors_of(axis.size) if not one.isdigit() and one not in lengths]
        return {**{name: self.state.sizes[name] for name in others}, found[0]: found[1]}

    def _by_shape(self, source: Source) -> Match:
        said = {"source": _called(source), "shape": shape_words(source.shape)}
        tab = {"tab": self.concept.number, "known": self._known}
        if source.problem is not None:
            return Match(source, None, source.problem)
        computed = {normalised(one.name) for one in self.concept.stages}
        wanted = normalised(source.name)
        if wanted and (wanted in computed or ALIASES.get(wanted) in computed):
            return Match(source, None, InputError(COMPUTED, source=_called(source), **tab))
        if wanted and (wanted in ALIASES or wanted in ALIASES.values()):
            return Match(source, None, InputError(UNKNOWN, **said, **tab))
        free = [one for one in self.concept.inputs if one.name not in self._filled]
        fitting = [one for one in free if self._problem(source, one) is None]
        least = min((self._changes(source, one) for one in fitting), default=0)
        candidates = [one for one in fitting if self._changes(source, one) == least]
        if len(candidates) == 1:
            return self._into(source, candidates[0])
        names = tuple(one.name for one in candidates)
        if not names:
            return Match(source, None, InputError(NO_ROOM, **said, **tab))
        known = ", ".join(names[:-1]) + f" or {names[-1]}"
        return Match(source, None, InputError(AMBIGUOUS, **said, known=known), names)

    def _changes(self, source: Source, declared: Input) -> int:
        """Count the sizes that an array would change: the input that it fits as it is comes first."""
        lengths = _fitted(source.shape, len(declared.axes)) or ()
        pairs = zip(declared.axes, lengths, strict=True)
        return sum(evaluation.size_of(axis.size, self.state.sizes) != length for axis, length in pairs)

    def _tokens(self, matches: Sequence[Match]) -> tuple[str, ...] | None:
        """Return the first labels of a matched array's rows or columns that name tokens and are more than counted."""
        for match in matches:
            if match.target is None or not match.source.labels:
                continue
            axes = self.declared[match.target].axes
            for axis, labels in zip(axes, match.source.labels[-len(axes) :] if axes else (), strict=False):
                if axis.names != "tokens" or len(labels) != self.sizes.get(axis.size):
                    continue
                names = tuple(" ".join(label.split())[:LONGEST_TOKEN].strip() for label in labels)
                if all(names) and names != tuple(map(str, range(len(names)))):
                    return names
        return None


def _called(source: Source) -> str:
    return number_text.quoted(source.name) or "the table"


def _fitted(shape: tuple[int, ...], axes: int) -> tuple[int, ...] | None:
    """Return the shape with as many axes as wanted: axes of length 1 in front are left out; None where others are."""
    extra = len(shape) - axes
    if extra < 0 or any(length != 1 for length in shape[:extra]):
        return None
    return shape[extra:]
