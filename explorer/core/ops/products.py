"""The ops of a matrix product taken apart: its transpose, its outer products, and the loop that it replaces."""

from __future__ import annotations

import math

import numpy as np

from explorer.core.expression import Expression, Number, Operation, Result, dot, total
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell


def transpose() -> Op:
    """Swap rows and columns: (n, d) to (d, n)."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        row, column = index
        return cell(arrays, names, 0, column, row)

    return Op("transpose", lambda matrix: np.ascontiguousarray(matrix.T), terms, lambda names: f"{names[0]}.T.copy()")


def outer_products() -> Op:
    """Multiply each column of the first matrix by the same row of the second: (n, c) and (c, m) to (c, n, m).

    The matrix product is their sum over the first axis.
    """

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        t, i, j = index
        return Operation("product", (cell(arrays, names, 0, i, t), cell(arrays, names, 1, t, j)))

    return Op(
        "outer_products",
        lambda left, right: np.ascontiguousarray(left.T)[:, :, None] * right[:, None, :],
        terms,
        lambda names: f"{names[0]}.T.copy()[:, :, None] * {names[1]}[:, None, :]",
    )


_LOOP_SOURCE = """\
def attend_in_a_loop(q, k, v, causal):
    import math
    output = np.zeros((len(q), v.shape[1]))
    q, k, v = q.tolist(), k.tolist(), v.tolist()
    for i, query in enumerate(q):
        scores = []
        for key in k[:i + 1] if causal else k:
            score = 0.0
            for one, other in zip(query, key):
                score += one * other
            scores.append(score / math.sqrt(len(query)))
        largest = max(scores)
        powers = [math.exp(score - largest) for score in scores]
        total = 0.0
        for power in powers:
            total += power
        for c in range(output.shape[1]):
            mixed = 0.0
            for power, value in zip(powers, v):
                mixed += power / total * value[c]
            output[i, c] = mixed
    return output
"""


def in_a_loop(q: Array, k: Array, v: Array, causal: bool) -> Array:
    """Return the attention of one head as float64, number by number; see `loop`."""
    output = np.zeros((len(q), v.shape[1]))
    queries, keys, values = q.tolist(), k.tolist(), v.tolist()
    for i, query in enumerate(queries):
        scores = []
        for key in keys[: i + 1] if causal else keys:
            score = 0.0
            for one, other in zip(query, key, strict=True):
                score += one * other
            scores.append(score / math.sqrt(len(query)))
        largest = max(scores)
        powers = [math.exp(score - largest) for score in scores]
        whole = 0.0
        for power in powers:
            whole += power
        for c in range(output.shape[1]):
            mixed = 0.0
            for power, value in zip(powers, values, strict=False):
                mixed += power / whole * value[c]
            output[i, c] = mixed
    return output


def loop(causal: bool = True) -> Op:
    """Attend one query after the other, one key after the other, one number after the other; no matrix anywhere.

    Inputs are q (n, d_k), k (n, d_k) and v (n, d_v). Sums run from the first entry to the last.

    Parameters
    ----------
    causal : bool
        Whether query i goes through the keys 0 to i alone.
    """

    def visible(arrays: Arrays, i: int) -> range:
        return range(i + 1 if causal else arrays[1].shape[0])

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        keys = visible(arrays, i)
        width = arrays[0].shape[1]
        root = Number(math.sqrt(width), f"√{width}")

        def score(j: int) -> Expression:
            product = dot([(cell(arrays, names, 0, i, p), cell(arrays, names, 1, j, p)) for p in range(width)])
            return Result(Operation("quotient", (Result(product), root)))

        scaled = arrays[0][i] @ arrays[1][: len(keys)].T
        largest = score(int(np.argmax(scaled)))
        powers = [Result(Operation("exp", (Operation("difference", (score(j), largest)),))) for j in keys]
        products = [Operation("product", (powers[j], cell(arrays, names, 2, j, c))) for j in keys]
        return Operation("quotient", (Result(total(products), shown=True), Result(total(powers), shown=True)))

    return Op(
        "loop",
        lambda q, k, v: in_a_loop(q, k, v, causal),
        terms,
        lambda names: f"attend_in_a_loop({names[0]}, {names[1]}, {names[2]}, {causal})",
        (_LOOP_SOURCE,),
    )
