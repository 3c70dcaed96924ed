"""Ops of averages over tokens: equal attention weights, sums in the tokens' order, and what a later token changes.

Sums here are sequential: the first token's term first, then the second's, each added to what is there. A matrix
product may add up in another order when its shape changes, so that an earlier row's last bit could move when a token
is appended. In this order it cannot, which is what makes "exactly 0" a promise.
"""

from __future__ import annotations

import numpy as np

from explorer.core.expression import Expression, Number, Operation, dot, total
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

_EQUAL_SOURCE = """\
def equal_weights(n, causal):
    counts = np.arange(1, n + 1) if causal else np.full(n, n)
    visible = np.tri(n, dtype=bool) if causal else np.ones((n, n), dtype=bool)
    return np.where(visible, 1 / counts[:, None], 0.0)
"""
_IN_ORDER_SOURCE = """\
def mix_in_order(weights, x):
    result = np.zeros((weights.shape[0], x.shape[1]))
    for j in range(x.shape[0]):
        result += weights[:, j, None] * x[j]
    return result
"""
_ARRIVAL_SOURCE = """\
def mix_on_arrival(x):
    rows = [mix_in_order(np.full((1, i + 1), 1 / (i + 1)), x[: i + 1])[0] for i in range(x.shape[0])]
    return np.array(rows).reshape(x.shape)
"""


def _equal(n: int, *, causal: bool) -> Array:
    counts = np.arange(1, n + 1) if causal else np.full(n, n)
    visible = np.tri(n, dtype=bool) if causal else np.ones((n, n), dtype=bool)
    return np.asarray(np.where(visible, 1 / counts[:, None], 0.0))


def _in_order(weights: Array, x: Array) -> Array:
    result = np.zeros((weights.shape[0], x.shape[1]))
    for j in range(x.shape[0]):
        result += weights[:, j, None] * x[j]
    return result


def equal_weights(causal: bool = True) -> Op:
    """Give every token that may be looked at the same attention weight: 1 / (i + 1) in row i, 0 for later tokens.

    Parameters
    ----------
    causal : bool
        Whether later tokens may not be looked at; without, every weight is 1 / n.
    """

    def terms(arrays: Arrays, _names: Names, index: Index) -> Expression:
        i, j = index
        if causal and j > i:
            return Number(0.0, "0, because it comes later")
        count = i + 1 if causal else len(arrays[0])
        return Operation("quotient", (Number(1.0, "1"), Number(float(count), f"{count}")))

    return Op(
        "equal_weights",
        lambda x: _equal(len(x), causal=causal),
        terms,
        lambda names: f"equal_weights(len({names[0]}), {causal})",
        (_EQUAL_SOURCE,),
    )


def mix_in_order() -> Op:
    """Blend rows by attention weights, adding one token after the other: (n_q, n) and (n, d) to (n_q, d)."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        visible = [j for j in range(arrays[1].shape[0]) if arrays[0][i, j] != 0]
        return dot([(cell(arrays, names, 0, i, j), cell(arrays, names, 1, j, c)) for j in visible])

    return Op(
        "mix_in_order", _in_order, terms, lambda names: f"mix_in_order({names[0]}, {names[1]})", (_IN_ORDER_SOURCE,)
    )


def mix_on_arrival() -> Op:
    """Compute every token's average as it was when that token was the newest, from the tokens that there were then."""

    def apply(x: Array) -> Array:
        rows = [_in_order(np.full((1, i + 1), 1 / (i + 1)), x[: i + 1])[0] for i in range(len(x))]
        return np.array(rows).reshape(x.shape)

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        part = Number(1 / (i + 1), f"1/{i + 1}" if i else "1")
        return dot([(part, cell(arrays, names, 0, j, c)) for j in range(i + 1)])

    return Op(
        "mix_on_arrival",
        apply,
        terms,
        lambda names: f"mix_on_arrival({names[0]})",
        (_IN_ORDER_SOURCE, _ARRIVAL_SOURCE),
    )


def average_up_to() -> Op:
    """Average the rows of the first input up to the one whose index is the second: (n, d) to (d,)."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        (c,) = index
        count = int(arrays[1]) + 1
        added = total([cell(arrays, names, 0, j, c) for j in range(count)])
        return Operation("quotient", (added, Number(float(count), f"{count}")))

    def apply(x: Array, last: Array) -> Array:
        count = int(last) + 1
        return np.asarray(np.cumsum(x[:count], axis=0)[-1] / count)

    def source(names: Names) -> str:
        x, last = names
        return f"np.cumsum({x}[: int({last}) + 1], axis=0)[-1] / (int({last}) + 1)"

    return Op("average_up_to", apply, terms, source)


def change() -> Op:
    """Subtract the second input from the first, cell by cell."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        return Operation("difference", (cell(arrays, names, 0, *index), cell(arrays, names, 1, *index)))

    return Op("change", lambda now, before: now - before, terms, lambda names: f"{names[0]} - {names[1]}")
