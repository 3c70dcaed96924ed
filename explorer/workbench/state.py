"""What a tab holds at one moment: its immutable state, and apart from it the view onto it.

`TabState` is what undo, snapshots and sessions keep; `ViewState` is where the user is looking, which is saved but is
neither undoable nor a modification. The functions here say what a view's step shows. How a state changes lives in
`explorer.workbench.changes`, what was before in `explorer.workbench.history`.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from explorer.concepts import evaluation
from explorer.concepts.declaration import (
    Axis,
    Concept,
    Controls,
    Input,
    Mosaic,
    Place,
    Situation,
    Sizes,
    Stage,
    Values,
    views,
)
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.workbench.number_text import quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.ops.base import Array

SLOWEST, FASTEST = 0.25, 4.0
MOST_DIGITS = 6

NO_VIEW = QT_TRANSLATE_NOOP("workbench", "{name} = {value} is nothing that a view can hold")


@dataclass(frozen=True, slots=True, eq=False)
class TabState:
    """Everything that the user may change in one tab.

    Attributes
    ----------
    slug : str
        The tab's name.
    inputs : Mapping of str to ndarray
        The editable arrays, read-only; arrays that an edit did not touch are shared between states.
    controls, sizes : Mapping
        The controls' values and the sizes.
    tokens : tuple of str
        The names of the tokens, empty where the tab has none.
    origins : Mapping of str to str
        Where each input's numbers come from: ``"lesson"``, ``"random"``, ``"random seed 42"`` or ``"typed"``.
    """

    slug: str
    inputs: Values
    controls: Controls
    sizes: Sizes
    tokens: tuple[str, ...]
    origins: Mapping[str, str]

    @property
    def situation(self) -> Situation:
        """The state as a concept's functions read it."""
        return Situation(self.inputs, self.controls, self.sizes, self.tokens)

    def same_as(self, other: TabState) -> bool:
        """Say whether both hold the same, bit for bit; where the numbers come from counts too."""
        return self is other or (self.slug == other.slug and not differing(self, other))


def differing(one: TabState, other: TabState) -> frozenset[str]:
    """Return the names of the inputs, controls and sizes in which two states of a tab differ.

    The token names count as ``"tokens"``; an input whose numbers are equal but come from elsewhere counts.
    """
    names = {
        name
        for name, array in one.inputs.items()
        if not same_array(array, other.inputs[name]) or one.origins[name] != other.origins[name]
    }
    names.update(name for name, value in one.controls.items() if value != other.controls[name])
    names.update(name for name, value in one.sizes.items() if value != other.sizes[name])
    if one.tokens != other.tokens:
        names.add("tokens")
    return frozenset(names)


def unshared(one: TabState, other: TabState) -> int:
    """Return how many bytes the arrays of one state take that another state of the tab does not share with it."""
    return sum(array.nbytes for name, array in one.inputs.items() if array is not other.inputs.get(name))


def same_array(one: Array, other: Array) -> bool:
    """Say whether two arrays are equal bit for bit: −0 is not 0."""
    return one is other or (one.shape == other.shape and one.dtype == other.dtype and one.tobytes() == other.tobytes())


def frozen(array: Array) -> Array:
    """Return the array itself when nobody can write to it, else a read-only copy in C order."""
    if not array.flags.writeable and array.flags.owndata and array.flags.c_contiguous:
        return array
    copy = array.copy(order="C")
    copy.flags.writeable = False
    return copy


def initial(concept: Concept) -> TabState:
    """Return the state in which a tab opens: the lesson's values."""
    sizes = evaluation.default_sizes(concept)
    return TabState(
        concept.slug,
        MappingProxyType({name: frozen(array) for name, array in evaluation.default_inputs(concept, sizes).items()}),
        MappingProxyType(evaluation.default_controls(concept)),
        MappingProxyType(sizes),
        evaluation.default_tokens(concept, sizes),
        MappingProxyType({one.name: one.origin for one in concept.inputs}),
    )


@dataclass(frozen=True, slots=True)
class ViewState:
    """Where the user is looking.

    Attributes
    ----------
    step : int
        -1 shows everything; otherwise a position from 0 to ``position_count(…) - 1``. A position past the end, as
        after a change of sizes, counts as the last.
    by_row : bool
        Whether the positions go through the steps once per row of queries.
    speed : float
        How fast the steps play, 0.25 to 4.
    pinned : tuple of str and index, optional
        The cell whose arithmetic stays in the trace.
    zero_to_row_maximum : bool
        Whether attention weights are coloured from 0 to the row's maximum instead of from 0 to 1.
    digits : int
        How many decimals cells show.
    """

    step: int = -1
    by_row: bool = False
    speed: float = 1.0
    pinned: tuple[str, tuple[int, ...]] | None = None
    zero_to_row_maximum: bool = False
    digits: int = 2


def looking(view: ViewState, changes: Mapping[str, object]) -> ViewState:
    """Return a view with some of its fields changed.

    Raises
    ------
    InputError
        When there is no such field or it cannot hold the value.
    """
    held: dict[str, Any] = {}
    for name, value in changes.items():
        match name, value:
            case (("step" | "speed" | "digits"), bool()):  # True is an int in Python, and no number to anybody
                raise InputError(NO_VIEW, name=name, value=quoted(str(value)))
            case "step", int():
                held[name] = max(-1, value)
            case "speed", int() | float() if SLOWEST <= value <= FASTEST:
                held[name] = float(value)
            case "digits", int() if 0 <= value <= MOST_DIGITS:
                held[name] = int(value)
            case (("by_row" | "zero_to_row_maximum"), bool()):
                held[name] = value
            case "pinned", None:
                held[name] = None
            case "pinned", (str() as array, (tuple() | list()) as index):
                held[name] = (array, tuple(int(i) for i in index))
            case _:
                raise InputError(NO_VIEW, name=name, value=quoted(str(value)))
    return replace(view, **held)


def row_axis(array: Input | Stage) -> Axis:
    """Return the axis of an array's declaration whose entries are its rows: the last but one, or its only one."""
    return array.axes[max(0, len(array.axes) - 2)]


def _row_count(stage: Stage, sizes: Sizes) -> int:
    return evaluation.size_of(row_axis(stage).size, sizes) if stage.axes else 1


def _stepped(concept: Concept) -> list[Stage]:
    named = {name for step in concept.steps for name in step.shows}
    return [stage for stage in concept.stages if stage.name in named]


def rows_to_step(concept: Concept, sizes: Sizes) -> int:
    """Return how many rows the row-by-row steps go through."""
    return max((_row_count(stage, sizes) for stage in _stepped(concept)), default=0)


def stops(concept: Concept, sizes: Sizes) -> list[tuple[int, int]]:
    """Return the step and its part of every position where whole steps are shown."""
    parts = [max(sizes[step.times], 1) if step.times else 1 for step in concept.steps]
    return [(at, part) for at, count in enumerate(parts) for part in range(count)]


def position_count(concept: Concept, sizes: Sizes, by_row: bool) -> int:
    """Return how many positions the steps have: one for each part of each, or row by row one for each step and row."""
    return len(concept.steps) * rows_to_step(concept, sizes) if by_row else len(stops(concept, sizes))


def position_of(concept: Concept, sizes: Sizes, view: ViewState, step: int) -> int:
    """Return the position at which a step begins; row by row, in the row that the view has reached."""
    if view.by_row:
        return max(view.step, 0) // max(len(concept.steps), 1) * len(concept.steps) + step
    return next(at for at, stop in enumerate(stops(concept, sizes)) if stop[0] == step)


def position_showing(concept: Concept, sizes: Sizes, view: ViewState, array: str, row: int) -> int | None:
    """Return the nearest position at which a row of an array is seen, None where the view need not move for it."""
    here = [at for at, step in enumerate(concept.steps) if array in step.shows]
    shared = next((one for one in _places(concept) if array in one), ())
    visible = reached(concept, sizes, view).get(array)
    if not here or (
        (visible is None or row < visible) and (not shared or shown_array(concept, sizes, view, shared) == array)
    ):
        return None
    return row * len(concept.steps) + here[0] if view.by_row else position_of(concept, sizes, view, here[0])


def part_reached(concept: Concept, sizes: Sizes, view: ViewState) -> int | None:
    """Return which part of its step the view has reached; None where everything is shown, or whole rows are."""
    there = stops(concept, sizes)
    if view.step < 0 or view.by_row or not there:
        return None
    step, part = there[min(view.step, len(there) - 1)]
    return part if concept.steps[step].times else None


def row_and_step(concept: Concept, sizes: Sizes, view: ViewState) -> tuple[int | None, int]:
    """Return the row and the step that the view has reached, as the last pill that is lit.

    The row is None where whole steps are shown; the step is -1 where a tab has none, and the last where everything
    is shown.
    """
    count = position_count(concept, sizes, view.by_row)
    if view.step < 0 or not count:
        return None, len(concept.steps) - 1
    position = min(view.step, count - 1)
    if not view.by_row:
        return None, stops(concept, sizes)[position][0]
    return divmod(position, len(concept.steps))


def reached(concept: Concept, sizes: Sizes, view: ViewState) -> dict[str, int | None]:
    """Return for every stage how many of its rows are visible, from the first on; None where all are.

    Only stages that a step names are ever hidden. Whole steps show stages entirely or not at all; row by row, rows
    before the current one are complete, the current one is as far as its step, later ones are blank.
    """
    visible: dict[str, int | None] = {stage.name: None for stage in concept.stages}
    if view.step < 0 or not concept.steps:
        return visible
    row, current = row_and_step(concept, sizes, view)
    first = {name: at for at, step in reversed(list(enumerate(concept.steps))) for name in step.shows}
    for stage in _stepped(concept):
        there = first[stage.name] <= current
        if row is None:
            visible[stage.name] = None if there else 0
        else:
            rows = row + there
            visible[stage.name] = rows if rows < _row_count(stage, sizes) else None
    return visible


def shared_place(concept: Concept) -> tuple[str, ...]:
    """Return the arrays that share the first such place in the tab's layout, empty where none do."""
    return next(iter(_places(concept)), ())


def _places(concept: Concept) -> list[tuple[str, ...]]:
    """Return the arrays of every place that several share."""
    places = (leaf.arrays for leaf in views(concept.layout) if isinstance(leaf, Place | Mosaic))
    return [arrays for arrays in places if len(arrays) > 1]


def shown_step(concept: Concept, sizes: Sizes, view: ViewState, shared: tuple[str, ...] | None = None) -> int:
    """Return the index of the step whose array a shared place shows; -1 where a tab has no steps.

    That is the latest step reached that names one of the place's arrays: while the output appears, the attention
    weights stay. Before the first such step it is that first one, still blank. `row_and_step` tells the step itself.
    The place is the tab's first unless its arrays are given.
    """
    current = row_and_step(concept, sizes, view)[1]
    arrays = set(shared_place(concept) if shared is None else shared)
    here = [at for at, step in enumerate(concept.steps) if arrays.intersection(step.shows)]
    if not here:
        return current
    return max((at for at in here if at <= current), default=here[0])


def shown_array(concept: Concept, sizes: Sizes, view: ViewState, shared: tuple[str, ...] | None = None) -> str | None:
    """Return the array that a shared place shows, None where a layout has no shared place."""
    arrays = shared_place(concept) if shared is None else shared
    if not arrays:
        return None
    at = shown_step(concept, sizes, view, arrays)
    named = [name for name in arrays if at >= 0 and name in concept.steps[at].shows]
    return named[-1] if named else arrays[-1]
