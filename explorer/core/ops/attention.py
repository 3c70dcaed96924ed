"""The ops of one attention pass: project, score, scale, cap, mask, softmax, mix.

Arrays are (n, d) for one head or (n_head, n, d) for many; with fewer KV heads than query heads, query head h reads
KV head ``h // (n_head // n_head_kv)``. Whole passes at speed are `explorer.core.attention.attend`; these ops are its
stages, one array at a time, for pages that show every stage.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.expression import Cell, Expression, Number, Operation, Result, dot, total
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell
from explorer.core.softmax import softmax_rows

if TYPE_CHECKING:
    from collections.abc import Callable

MINUS_INFINITY = Number(-math.inf, "−∞")


def kv_head(index: Index, arrays: Arrays, query: int, shared: int) -> Index:
    """Return the leading index of the KV head that the query head of `index` reads."""
    if arrays[shared].ndim < 3:
        return ()
    return (index[0] // (arrays[query].shape[0] // arrays[shared].shape[0]),)


def _repeat(shared: Array, n_head: int) -> Array:
    if shared.ndim < 3 or shared.shape[0] == n_head:
        return shared
    return np.repeat(shared, n_head // shared.shape[0], axis=0)


def project() -> Op:
    """Multiply the rows of x by a weight matrix: ``x @ W``, (n, d_in) by (d_in, d_out)."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        return dot([(cell(arrays, names, 0, i, p), cell(arrays, names, 1, p, c)) for p in range(arrays[0].shape[1])])

    return Op("project", lambda x, w: x @ w, terms, lambda names: f"{names[0]} @ {names[1]}")


_REPEAT_SOURCE = """\
def per_query_head(shared, n_head):
    if shared.ndim < 3 or shared.shape[0] == n_head:
        return shared
    return np.repeat(shared, n_head // shared.shape[0], axis=0)
"""


def scores() -> Op:
    """Score every query against every key: ``q @ k.T`` per head, giving (…, n_q, n_k)."""

    def apply(q: Array, k: Array) -> Array:
        return q @ np.swapaxes(_repeat(k, q.shape[0]), -1, -2)

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        *head, i, j = index
        shared = kv_head(index, arrays, 0, 1)
        return dot(
            [
                (cell(arrays, names, 0, *head, i, d), cell(arrays, names, 1, *shared, j, d))
                for d in range(arrays[0].shape[-1])
            ]
        )

    def source(names: Names) -> str:
        q, k = names
        return f"{q} @ np.swapaxes(per_query_head({k}, {q}.shape[0]), -1, -2)"

    return Op("scores", apply, terms, source, (_REPEAT_SOURCE,))


DIVISORS: dict[str, Callable[[int], tuple[float, str]]] = {
    "sqrt_d_head": lambda d: (math.sqrt(d), f"√{d}"),
    "d_head": lambda d: (float(d), f"{d}"),
    "none": lambda d: (1.0, "1"),
}


def scale(divisor: str = "sqrt_d_head") -> Op:
    """Divide the scores by √d_k, read off the width of the second input (q or k).

    Parameters
    ----------
    divisor : {"sqrt_d_head", "d_head", "none"}
        √d_k is attention as it is defined (Vaswani et al. 2017, section 3.2.1); the others exist to be compared.
    """
    amount = DIVISORS[divisor]
    text: Callable[[str], str] = {
        "sqrt_d_head": lambda q: f" / np.sqrt({q}.shape[-1])",
        "d_head": lambda q: f" / {q}.shape[-1]",
        "none": lambda q: " / 1.0",
    }[divisor]

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        value, written = amount(arrays[1].shape[-1])
        return Operation("quotient", (cell(arrays, names, 0, *index), Number(value, written)))

    return Op(
        "scale",
        lambda scores_, q: scores_ / amount(q.shape[-1])[0],
        terms,
        lambda names: f"{names[0]}{text(names[1])}",
    )


def softcap(limit: float) -> Op:
    """Cap scaled scores softly: ``limit · tanh(scaled / limit)``, limit > 0, before the mask (Gemma 2)."""
    if not limit > 0:
        raise ValueError(f"softcap must be greater than 0, not {limit}")
    number = Number(limit, f"{limit:g}")

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        inside = Operation("quotient", (cell(arrays, names, 0, *index), number))
        return Operation("product", (number, Operation("tanh", (inside,))))

    return Op(
        "softcap",
        lambda scaled: limit * np.tanh(scaled / limit),
        terms,
        lambda names: f"{limit!r} * np.tanh({names[0]} / {limit!r})",
    )


def mask() -> Op:
    """Set scores that may not be looked at to −∞; the second input is True where a query may look."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        if np.broadcast_to(arrays[1], arrays[0].shape)[index]:
            return cell(arrays, names, 0, *index)
        return MINUS_INFINITY

    return Op(
        "mask",
        lambda scores_, allowed: np.where(allowed, scores_, -np.inf),
        terms,
        lambda names: f"np.where({names[1]}, {names[0]}, -np.inf)",
    )


def causal_mask(causal: bool = True) -> Op:
    """Set the scores of later keys to −∞: query i may look at keys j ≤ i + n_k − n_q; without `causal`, at all."""

    def visible(scores_: Array) -> Array:
        n_q, n_k = scores_.shape[-2:]
        return np.tri(n_q, n_k, n_k - n_q, dtype=bool) if causal else np.ones((n_q, n_k), dtype=bool)

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        return cell(arrays, names, 0, *index) if visible(arrays[0])[index[-2:]] else MINUS_INFINITY

    def source(names: Names) -> str:
        n_q, n_k = (f"{names[0]}.shape[{axis}]" for axis in (-2, -1))
        return (
            f"np.where(np.tri({n_q}, {n_k}, {n_k} - {n_q}, dtype=bool), {names[0]}, -np.inf)"
            if causal
            else f"{names[0]} + 0.0"
        )

    def apply(scores_: Array) -> Array:
        return np.where(visible(scores_), scores_, -np.inf) if causal else scores_ + 0.0

    return Op("causal_mask", apply, terms, source)


_SOFTMAX_SOURCE = """\
def softmax(scores):
    largest = scores.max(axis=-1, keepdims=True, initial=-np.inf)
    largest[largest == -np.inf] = 0  # a row that may look nowhere
    weights = np.exp(scores - largest)
    sums = weights.sum(axis=-1, keepdims=True)
    sums[sums == 0] = 1
    return weights / sums
"""


def softmax() -> Op:
    """Turn each row of scores into attention weights that sum to 1; a row of −∞ alone gives zeros.

    One row alone, of shape (n_k,), is taken as it is.
    """

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        *row_of, j = index
        row = arrays[0][tuple(row_of)]
        visible = [p for p in range(row.shape[0]) if row[p] != -np.inf]
        if j not in visible:
            return Number(0.0, "0")
        largest = max(visible, key=lambda p: float(row[p]))
        top = cell(arrays, names, 0, *row_of, largest)

        def power(p: int, shown: bool = False) -> Expression:
            difference = Operation("difference", (cell(arrays, names, 0, *row_of, p), top))
            return Result(Operation("exp", (difference,)), shown)

        return Operation("quotient", (power(j, shown=True), total([power(p) for p in visible])))

    return Op("softmax", softmax_rows, terms, lambda names: f"softmax({names[0]})", (_SOFTMAX_SOURCE,))


def mix() -> Op:
    """Blend the values with the attention weights: ``weights @ v`` per head, giving (…, n_q, d_v).

    One row of weights alone, of shape (n_k,), gives (d_v,).
    """

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        *row_of, c = index
        shared = kv_head(index, arrays, 0, 1)
        weights = arrays[0][tuple(row_of)]
        pairs: list[tuple[Expression, Expression]] = [
            (cell(arrays, names, 0, *row_of, j), Cell(names[1], (*shared, j, c), float(arrays[1][(*shared, j, c)])))
            for j in range(weights.shape[0])
            if weights[j] != 0
        ]
        return dot(pairs)

    def source(names: Names) -> str:
        weights, v = names
        return f"{weights} @ per_query_head({v}, {weights}.shape[0])"

    return Op("mix", lambda weights, v: weights @ _repeat(v, weights.shape[0]), terms, source, (_REPEAT_SOURCE,))
