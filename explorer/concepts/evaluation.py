"""Running a concept's stages, and asking them how a cell came about.

The only place that walks a stage list. Pure: it takes values and returns values; whoever keeps results passes the
earlier ones back in, and stages whose inputs are the same objects are not computed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from explorer.core.ops.base import Array, Op

if TYPE_CHECKING:
    from explorer.concepts.declaration import Axis, Concept, Controls, Situation, Size, Sizes, Stage, Values
    from explorer.core.expression import Expression


#: The largest magnitude up to which every whole number is a float.
EXACT = 2**53


def factors_of(axis_size: str) -> tuple[str, ...]:
    """Return the factors of an axis' size, names and digits, in the order of its entries: the first counts groups."""
    return tuple(factor.strip() for factor in axis_size.split("*"))


def size_of(axis_size: str, sizes: Sizes) -> int:
    """Return the length that an axis' size names: a declared size, digits, a product of these, or a sum of products."""
    return sum(
        math.prod(int(factor) if factor.isdigit() else sizes[factor] for factor in factors_of(term))
        for term in axis_size.split("+")
    )


def lengths_of(axes: Iterable[Axis], sizes: Sizes) -> tuple[int, ...]:
    """Return the shape that axes have at these sizes."""
    return tuple(size_of(axis.size, sizes) for axis in axes)


def solved(axis_size: str, length: int, known: Sizes, otherwise: Sizes) -> tuple[str, int] | None:
    """Return the size that an axis of this length settles, with its value.

    Parameters
    ----------
    axis_size : str
        The axis' size.
    length : int
        How long the axis is.
    known : mapping
        Sizes that are settled.
    otherwise : mapping
        What the others are unless something settles them: of several factors that are open, the last gives way.

    Returns
    -------
    (name, value) or None
        None when no factor is open, or no whole number makes the product.
    """
    open_factors = [factor for factor in factors_of(axis_size) if not factor.isdigit() and factor not in known]
    if not open_factors:
        return None
    name = open_factors[-1]
    rest = size_of(axis_size, {**otherwise, **known, name: 1})
    return (name, length // rest) if length % rest == 0 else None


def allowed(size: Size, sizes: Sizes) -> Sequence[int]:
    """Return the values that a size may have beside the others, in ascending order."""
    everything = range(size.low, size.high + 1)
    return everything if size.among is None else [one for one in size.among(sizes) if one in everything]


def default_sizes(concept: Concept) -> dict[str, int]:
    """Return the sizes that a tab opens with."""
    return {size.name: size.default for size in concept.sizes}


def default_controls(concept: Concept) -> dict[str, Any]:
    """Return the controls' values that a tab opens with."""
    return {control.name: control.default for control in concept.controls}


def default_inputs(concept: Concept, sizes: Sizes) -> dict[str, Array]:
    """Return the lesson's values of every input at these sizes."""
    return {one.name: one.default(sizes) for one in concept.inputs}


def default_tokens(concept: Concept, sizes: Sizes) -> tuple[str, ...]:
    """Return as many token names as there are tokens; beyond the declared ones they are called t4, t5 and so on."""
    if not concept.tokens:
        return ()
    count = sizes.get("n", len(concept.tokens))
    return tuple(concept.tokens[i] if i < len(concept.tokens) else f"t{i}" for i in range(count))


def names_along(axis: Axis, situation: Situation) -> tuple[str, ...]:
    """Return the names that an axis' entries have at the moment; empty where they have none but their indices."""
    if axis.names == "tokens":
        return situation.tokens
    return axis.names(situation) if callable(axis.names) else axis.names


def op_of(stage: Stage, controls: Controls) -> Op | None:
    """Return the op of a stage under these controls; None where they leave it nothing to compute."""
    return stage.op if isinstance(stage.op, Op) else stage.op(controls)


def slow_stages(concept: Concept) -> frozenset[str]:
    """Return the stages of a tab, as it opens, that are to be computed outside of the GUI thread."""
    ops = {stage.name: op_of(stage, default_controls(concept)) for stage in concept.stages}
    return frozenset(name for name, op in ops.items() if op is not None and op.slow)


def given(name: str, situation: Situation) -> Any:  # noqa: ANN401 - whatever a control may hold
    """Return the control or size of that name; None where there is neither."""
    return situation.controls.get(name, situation.sizes.get(name))


def given_array(name: str, situation: Situation) -> Array:
    """Return the control or size of that name as stages read it, a 0-d array."""
    value = given(name, situation)
    # Whole numbers that a float cannot hold, such as seeds of 64 bits, stay whole.
    whole = isinstance(value, int) and abs(value) > EXACT
    return np.asarray(float(value) if isinstance(value, (bool, int, float)) and not whole else value)


@dataclass(frozen=True, slots=True, eq=False)
class Waiting:
    """A slow stage that was not run: its op, the read-only arrays it reads, and the key that says so.

    `compute` touches nothing else and may run in another thread.
    """

    stage: str
    key: tuple[Any, ...]
    op: Op
    read: tuple[Array, ...]

    def compute(
        self, progress: Callable[[float], None] | None = None, cancelled: Callable[[], bool] | None = None
    ) -> Array:
        """Run the op.

        Parameters
        ----------
        progress : callable, optional
            Called now and then with the share of the work that is done, 0 to 1.
        cancelled : callable, optional
            Asked now and then; when it returns True the op stops with an exception.
        """
        asked = {"progress": progress, "cancelled": cancelled}
        return self.op.apply(*self.read, **{name: call for name, call in asked.items() if call is not None})


class Reach(NamedTuple):
    """The smallest and the largest number of an array; NaN where it holds one."""

    low: float
    high: float


class Results(Mapping[str, Array]):
    """Every array of a tab at one moment, inputs and stages, with what each stage was computed from."""

    def __init__(
        self,
        arrays: dict[str, Array],
        sources: dict[str, tuple[Any, ...]],
        waiting: Mapping[str, Waiting] | None = None,
        reaches: Mapping[str, Reach] | None = None,
    ) -> None:
        self._arrays = arrays
        self._sources = sources
        self._reaches = dict(reaches or {})
        #: The slow stages whose inputs are here and which were not run.
        self.waiting: Mapping[str, Waiting] = waiting or {}

    def __getitem__(self, name: str) -> Array:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def same(self, name: str, other: Results | None) -> bool:
        """Say whether the array of that name is the very same object in both."""
        return other is not None and self._arrays.get(name) is other._arrays.get(name)

    def reach(self, name: str) -> Reach:
        """Return the smallest and the largest number of an array that has cells; found once for each array."""
        known = self._reaches.get(name)
        if known is None:
            array = self._arrays[name]
            known = self._reaches[name] = Reach(float(array.min()), float(array.max()))
        return known

    def having(self, waiting: Waiting, array: Array) -> Results:
        """Return these results with a slow stage's array added, to be the `earlier` of an `evaluate`."""
        arrays = {**self._arrays, waiting.stage: _read_only(np.asarray(array))}
        reaches = {name: reach for name, reach in self._reaches.items() if name != waiting.stage}
        return Results(arrays, {**self._sources, waiting.stage: waiting.key}, reaches=reaches)


def evaluate(concept: Concept, situation: Situation, earlier: Results | None = None, *, slow: bool = True) -> Results:
    """Compute every stage of a tab.

    Parameters
    ----------
    concept : Concept
        The tab.
    situation : Situation
        Its inputs, controls, sizes and token names.
    earlier : Results, optional
        Results of an earlier situation; stages that read the same objects under an equal op are taken from it.
    slow : bool
        Whether ops declared slow are run; without, their stages (and what reads them) are absent unless `earlier`
        has them or these inputs are quickly done with, and ``Results.waiting`` lists those that could be run.

    Returns
    -------
    Results
        All arrays, read-only.

    Raises
    ------
    ValueError
        From an op, when its inputs do not fit it.
    """
    arrays: dict[str, Array] = dict(situation.inputs)
    sources: dict[str, tuple[Any, ...]] = {}
    waiting: dict[str, Waiting] = {}
    reaches: dict[str, Reach] = {}
    for stage in concept.stages:
        if any(name not in arrays and given(name, situation) is None for name in stage.inputs):
            continue
        op = op_of(stage, situation.controls)
        if op is None:
            continue
        read = tuple(arrays[name] if name in arrays else given_array(name, situation) for name in stage.inputs)
        key = (_OpKey(stage, op, situation.controls), *_identities(stage, read, arrays, situation))
        if earlier is not None and earlier._sources.get(stage.name) == key and stage.name in earlier._arrays:
            result = earlier._arrays[stage.name]
            if stage.name in earlier._reaches:
                reaches[stage.name] = earlier._reaches[stage.name]
        elif op.slow and not slow and not op.quick(*read):
            waiting[stage.name] = Waiting(stage.name, key, op, read)
            continue
        else:
            result = _read_only(np.asarray(op.apply(*read)))
        arrays[stage.name] = result
        sources[stage.name] = key
    return Results(arrays, sources, waiting, reaches)


def explain(concept: Concept, situation: Situation, results: Values, name: str, index: tuple[int, ...]) -> Expression:
    """Return the expression behind one cell of a computed array.

    Raises
    ------
    KeyError
        When no stage has that name, or the controls leave it nothing to compute.
    """
    stage = concept.stage(name)
    read = [results[one] if one in results else given_array(one, situation) for one in stage.inputs]
    op = op_of(stage, situation.controls)
    if op is None:
        raise KeyError(name)
    return op.terms(read, stage.inputs, index)


class _OpKey:
    """The op of a stage: the same when it is the same object, or was chosen by the same controls."""

    __slots__ = ("controls", "op")

    def __init__(self, stage: Stage, op: Op, controls: Controls) -> None:
        self.op = op
        self.controls = None if isinstance(stage.op, Op) else controls

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, _OpKey):
            return False
        return self.op is other.op or self.controls == other.controls

    __hash__ = object.__hash__


class _Same:
    """An array compared by identity, kept alive so that its identity cannot be reused."""

    __slots__ = ("array",)

    def __init__(self, array: Array) -> None:
        self.array = array

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.array is other.array

    __hash__ = object.__hash__


def _identities(stage: Stage, read: tuple[Array, ...], arrays: Values, situation: Situation) -> tuple[Any, ...]:
    return tuple(
        _Same(array) if name in arrays else given(name, situation)
        for name, array in zip(stage.inputs, read, strict=True)
    )


def _read_only(array: Array) -> Array:
    # A view could still be written to through what it views.
    owned = array if array.flags.owndata else array.copy()
    owned.flags.writeable = False
    return owned
