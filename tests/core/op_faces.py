"""The one check that every op passes: its three faces agree."""

from __future__ import annotations

import math

import numpy as np

from explorer.core import expression
from explorer.core.expression import Operation


def magnitude(terms):
    """Return the sum of the magnitudes of everything that is added, by which rounding is to be judged."""
    if isinstance(terms, Operation) and terms.kind in ("sum", "difference"):
        return sum(magnitude(one) for one in terms.operands)
    value = expression.evaluate(terms)
    return abs(value) if math.isfinite(value) else 0.0


def assert_faces_agree(op, arrays, names, *, at_most=None):
    """Assert that an op computes, explains and prints the same, and leaves its inputs alone.

    Parameters
    ----------
    op : Op
    arrays : sequence of ndarray
    names : sequence of str
    at_most : int, optional
        How many cells to explain; all unless given.
    """
    kept = [np.array(array) for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    with np.errstate(all="ignore"):
        result = np.asarray(op.apply(*arrays))
    assert all(one.tobytes() == array.tobytes() for one, array in zip(kept, arrays, strict=True))

    scope = {"np": np, **dict(zip(names, kept, strict=True))}
    with np.errstate(all="ignore"):
        exec("\n".join(op.helpers), scope)
        printed = np.asarray(eval(op.source(names), scope))
    assert printed.shape == result.shape
    assert printed.dtype == result.dtype
    assert printed.tobytes() == result.tobytes(), op.source(names)

    by_name = dict(zip(names, arrays, strict=True))
    indices = list(np.ndindex(result.shape))
    if at_most is not None and len(indices) > at_most:
        rng = np.random.default_rng(len(indices))
        indices = [indices[i] for i in rng.choice(len(indices), at_most, replace=False)]
    for index in indices:
        terms = op.terms(arrays, names, index)
        value, drawn = expression.evaluate(terms), float(result[index])
        slack = 1e-13 * (1 + magnitude(terms) + abs(drawn))
        assert value == drawn or abs(value - drawn) <= slack, (op.name, index, value, drawn)
        for cell in expression.cells(terms):
            assert by_name[cell.array][cell.index] == cell.value, (op.name, index, cell)
