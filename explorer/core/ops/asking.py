"""Ops of one token that asks: its scores, and a temperature for them. Arrays have one entry per token.

Softmax and the mix that follow are those of `explorer.core.ops.attention`, which take one row as they take many.
"""

from __future__ import annotations

import math

import numpy as np

from explorer.core.expression import Expression, Number, Operation, dot
from explorer.core.ops.attention import MINUS_INFINITY
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

_LATER = Number(-math.inf, "−∞, because it comes after the one who asks")

_SCORES_SOURCE = """\
def scores_of(x, asks):
    later = np.arange(x.shape[0]) > asks
    return np.where(later, -np.inf, (x * x[int(asks)]).sum(axis=1))
"""


def scores_of() -> Op:
    """Score every row of x against the row that asks, whose index is the second input; −∞ for later rows.

    Returns
    -------
    Op
        From (n, d) and an index to (n,).
    """

    def apply(x: Array, asks: Array) -> Array:
        later = np.arange(x.shape[0]) > asks
        return np.asarray(np.where(later, -np.inf, (x * x[int(asks)]).sum(axis=1)))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        (j,), i = index, int(arrays[1])
        if j > i:
            return _LATER
        return dot([(cell(arrays, names, 0, i, c), cell(arrays, names, 0, j, c)) for c in range(arrays[0].shape[1])])

    return Op("scores_of", apply, terms, lambda names: f"scores_of({names[0]}, {names[1]})", (_SCORES_SOURCE,))


def temperature() -> Op:
    """Divide scores by a temperature, the second input, greater than 0: above 1 it evens out, below it sharpens."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        if arrays[0][index] == -np.inf:
            return MINUS_INFINITY
        amount = float(arrays[1])
        return Operation("quotient", (cell(arrays, names, 0, *index), Number(amount, f"{amount:g}")))

    return Op("temperature", lambda scores, amount: scores / amount, terms, lambda names: f"{names[0]} / {names[1]}")
