"""What becomes of sizes and arrays when a size changes. Cells that exist before and after keep their values.

A product of sizes, such as the columns of a projection (heads times head size), grows factor by factor: a wider head
gets columns of its own and does not take the first ones of its neighbour.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts import evaluation
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from explorer.concepts.declaration import Axis, Concept, Input, Sizes
    from explorer.core.ops.base import Array

NOT_AMONG = QT_TRANSLATE_NOOP("workbench", "{label} cannot be {value}; it may be {known}")


def sizes_with(concept: Concept, before: Sizes, wanted: Mapping[str, int]) -> dict[str, int]:
    """Return all sizes with some of them set, each within its own limits.

    A size that the others restrict moves, unless it is itself set, to the largest allowed value that is not above it.

    Raises
    ------
    InputError
        When a size is set to a value that the others do not allow.
    """
    sizes = {**before, **wanted}
    for size in concept.sizes:
        choices = evaluation.allowed(size, sizes)
        value = sizes[size.name]
        if value in choices:
            continue
        if size.name in wanted:
            raise InputError(NOT_AMONG, label=size.label or size.name, value=value, known=Choices(choices))
        sizes[size.name] = max((one for one in choices if one <= value), default=choices[0])
    return sizes


def factors(axes: Iterable[Axis]) -> set[str]:
    """Return the names of all sizes that a shape depends on."""
    return {factor for axis in axes for factor in evaluation.factors_of(axis.size)}


def grown(one: Input, old: Array, lesson: Array, before: Sizes, sizes: Sizes) -> Array:
    """Return an input at other sizes.

    Parameters
    ----------
    one : Input
        Its declaration.
    old : ndarray
        Its values before.
    lesson : ndarray
        The lesson's values at the new sizes.
    before, sizes : mapping
        All sizes, before and after.
    """
    if one.grow is not None:
        fresh = np.array(one.grow(sizes))
    elif one.kind == "mask":
        fresh = np.ones(evaluation.lengths_of(one.axes, sizes), dtype=bool)
    else:
        fresh = np.array(lesson)
    parts = [factor for axis in one.axes for factor in evaluation.factors_of(axis.size)]
    was = [evaluation.size_of(part, before) for part in parts]
    now = [evaluation.size_of(part, sizes) for part in parts]
    kept = tuple(slice(0, min(pair)) for pair in zip(was, now, strict=True))
    whole = fresh.reshape(now)
    whole[kept] = old.reshape(was)[kept]
    return whole.reshape(fresh.shape)
