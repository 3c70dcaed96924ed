"""Ops of what is free in queries and keys: their matrices may be mixed by any invertible A without moving a score.

With Wq·A and Wk·A⁻ᵀ every query and every key changes, and q·k = x·Wq·A·A⁻¹·Wkᵀ·xᵀ does not: only M = Wq·Wkᵀ counts.

A is a rotation times a stretch, for then A⁻ᵀ is the same rotation times the inverse stretch and needs no inversion:
numbers that are turned in pairs and stretched stay well conditioned on the whole way, for any width.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from explorer.core.expression import Expression, Number, Operation, Result, dot, total
from explorer.core.ops import attention
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

if TYPE_CHECKING:
    from collections.abc import Sequence

#: The angle by which each pair of numbers is turned when it is mixed whole, in degrees.
ANGLE: Final = 60.0
#: By how much the first of a pair is stretched when it is mixed whole; the second is pressed as much.
STRETCH: Final = 1.0

_MIXING_SOURCE = f"""\
def mixing(amount, width, inverse):
    matrix = np.eye(width)
    angle = np.radians({ANGLE!r} * amount)
    for first in range(0, width - 1, 2):
        turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        matrix[first : first + 2, first : first + 2] = turn
    stretch = np.where(np.arange(width) % 2 == 0, 1 + {STRETCH!r} * amount, 1 / (1 + {STRETCH!r} * amount))
    return matrix / stretch if inverse else matrix * stretch
"""


def _stretch(amount: float, column: int) -> float:
    whole = 1 + STRETCH * amount
    return whole if column % 2 == 0 else 1 / whole


def mixing_matrix(amount: float, width: int, *, inverse: bool = False) -> Array:
    """Return A, or A⁻ᵀ.

    Parameters
    ----------
    amount : float
        0 (the identity) to 1; every matrix on the way is invertible.
    width : int
        1 or more.
    inverse : bool
        Whether to return the inverse of Aᵀ.

    Returns
    -------
    ndarray of shape (width, width)
        Pairs of coordinates are turned by ``ANGLE`` · amount; then even columns are stretched by 1 + amount and odd
        ones pressed as much. The last of an odd number of coordinates is stretched and not turned.
    """
    matrix = np.eye(width)
    angle = np.radians(ANGLE * amount)
    for first in range(0, width - 1, 2):
        turn = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        matrix[first : first + 2, first : first + 2] = turn
    stretch = np.where(np.arange(width) % 2 == 0, 1 + STRETCH * amount, 1 / (1 + STRETCH * amount))
    return matrix / stretch if inverse else matrix * stretch


def mixing(*, inverse: bool = False) -> Op:
    """Make A, or A⁻ᵀ, of the amount (0-d) and a matrix whose width it takes."""

    def terms(arrays: Arrays, _names: Names, index: Index) -> Expression:
        row, column = index
        amount, width = float(arrays[0]), arrays[1].shape[1]
        factor = _stretch(amount, column)
        stretch = _number(1 / factor if inverse else factor)
        paired = row // 2 == column // 2 and row // 2 * 2 + 1 < width
        if not paired:
            return stretch if row == column else Number(0.0, "0")
        angle = math.radians(ANGLE * amount)
        turn = math.cos(angle) if row == column else math.copysign(math.sin(angle), row - column)
        return Operation("product", (Result(_number(turn)), Result(stretch)))

    return Op(
        "mixing_inverse" if inverse else "mixing",
        lambda amount, matrix: mixing_matrix(float(amount), matrix.shape[1], inverse=inverse),
        terms,
        lambda names: f"mixing(float({names[0]}), {names[1]}.shape[1], {inverse})",
        (_MIXING_SOURCE,),
    )


def _number(value: float) -> Number:
    return Number(value, f"{value:.4g}")


def project_mixed(mixed: bool) -> Op:
    """Project the rows of x by W · A: inputs x (n, d_in), W (d_in, d) and A (d, d).

    Without `mixed`, A is the identity and left out, so that the lesson's numbers come out to the last bit.
    """
    plain = attention.project()
    if not mixed:
        return Op(
            plain.name,
            lambda x, w, a: plain.apply(x, w),
            lambda arrays, names, index: plain.terms(arrays[:2], names[:2], index),
            lambda names: plain.source(names[:2]),
        )

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        return dot([(cell(arrays, names, 0, i, p), _mixed(arrays, names, (1, 2), p, c)) for p in _inner(arrays[0])])

    return Op("project_mixed", lambda x, w, a: x @ (w @ a), terms, lambda n: f"{n[0]} @ ({n[1]} @ {n[2]})")


def interaction(mixed: bool) -> Op:
    """Multiply out what scores are made of, M = (Wq·A)(Wk·A⁻ᵀ)ᵀ: inputs Wq, Wk (d_in, d), A and A⁻ᵀ (d, d).

    Without `mixed`, A is the identity and left out: M = Wq·Wkᵀ. The result is (d_in, d_in); score i j is x_i M x_jᵀ.
    """

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        a, b = index
        if not mixed:
            return dot([(cell(arrays, names, 0, a, c), cell(arrays, names, 1, b, c)) for c in _inner(arrays[0])])
        return dot(
            [
                (_mixed(arrays, names, (0, 2), a, c), _mixed(arrays, names, (1, 3), b, c))
                for c in range(arrays[0].shape[1])
            ]
        )

    if not mixed:
        return Op("interaction", lambda wq, wk, a, b: wq @ wk.T, terms, lambda n: f"{n[0]} @ {n[1]}.T")
    return Op(
        "interaction_mixed",
        lambda wq, wk, a, b: (wq @ a) @ (wk @ b).T,
        terms,
        lambda n: f"({n[0]} @ {n[2]}) @ ({n[1]} @ {n[3]}).T",
    )


def _inner(array: Array) -> range:
    return range(array.shape[1])


def _mixed(arrays: Arrays, names: Names, which: tuple[int, int], row: int, column: int) -> Expression:
    """Return one number of W · A as a sub-result."""
    w, a = which
    return Result(
        dot([(cell(arrays, names, w, row, e), cell(arrays, names, a, e, column)) for e in range(arrays[w].shape[1])])
    )


def moved() -> Op:
    """Measure how far mixing moved each array from the unmixed one: inputs q, k, scores, x, Wq, Wk.

    The result is (3,): the largest change of a number of q, of k, and of the scores.
    """

    def unmixed(arrays: Sequence[Array]) -> tuple[Array, Array, Array]:
        x, wq, wk = arrays[3:]
        q, k = x @ wq, x @ wk
        return q, k, q @ k.T

    def apply(*arrays: Array) -> Array:
        pairs = zip(arrays[:3], unmixed(arrays), strict=True)
        return np.array([np.abs(now - was).max(initial=0.0) for now, was in pairs])

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        (which,) = index
        changes = []
        for i, j in np.ndindex(arrays[which].shape):
            if which < 2:
                was = _row_by_column(arrays, names, 4 + which, i, j)
            else:
                was = dot(
                    [
                        (_row_by_column(arrays, names, 4, i, c), _row_by_column(arrays, names, 5, j, c))
                        for c in _inner(arrays[4])
                    ]
                )
            difference = Operation("difference", (cell(arrays, names, which, i, j), Result(was)))
            changes.append(Operation("magnitude", (difference,)))
        if not changes:
            return Number(0.0, "0")
        return changes[0] if len(changes) == 1 else Operation("maximum", tuple(changes))

    def source(names: Names) -> str:
        q, k, scores, x, wq, wk = names
        pairs = ((q, f"{x} @ {wq}"), (k, f"{x} @ {wk}"), (scores, f"({x} @ {wq}) @ ({x} @ {wk}).T"))
        return f"np.array([{', '.join(f'np.abs({now} - {was}).max(initial=0.0)' for now, was in pairs)}])"

    return Op("moved", apply, terms, source)


def _row_by_column(arrays: Arrays, names: Names, matrix: int, row: int, column: int) -> Expression:
    """Return x[row] · W[:, column] as a sub-result; x is input number 3."""
    return Result(
        dot(
            [
                (cell(arrays, names, 3, row, p), cell(arrays, names, matrix, p, column))
                for p in range(arrays[3].shape[1])
            ]
        )
    )


def asymmetry() -> Op:
    """Measure how far tables are from symmetric: the largest |t − tᵀ| of each input, (n, n)."""

    def apply(*tables: Array) -> Array:
        return np.array([np.abs(table - table.T).max(initial=0.0) for table in tables])

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        (which,) = index
        n = arrays[which].shape[0]
        gaps = [
            Operation(
                "magnitude",
                (Operation("difference", (cell(arrays, names, which, i, j), cell(arrays, names, which, j, i))),),
            )
            for i in range(n)
            for j in range(i)
        ]
        return Operation("maximum", tuple(gaps)) if len(gaps) > 1 else total(gaps)

    def source(names: Names) -> str:
        return f"np.array([{', '.join(f'np.abs({name} - {name}.T).max(initial=0.0)' for name in names)}])"

    return Op("asymmetry", apply, terms, source)
