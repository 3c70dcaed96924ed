"""The ops that heads built by hand need beyond those of attention: a mask against oneself, and rotated positions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.core.expression import Expression, Number, Operation, Result, dot
from explorer.core.ops import attention
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

if TYPE_CHECKING:
    from collections.abc import Callable

#: Whom a query may look at: itself and what came before; everybody; everybody else.
RULES: Final = ("causal", "none", "no_self")

UNKNOWN_RULE = QT_TRANSLATE_NOOP("core", "mask {rule!r} is not known; it may be {choices}")


def look(rule: str) -> Op:
    """Set the scores that a rule forbids to −∞.

    Parameters
    ----------
    rule : {"causal", "none", "no_self"}
        Nothing later, nothing forbidden, or nothing but oneself forbidden.

    Raises
    ------
    InputError
        When there is no such rule.
    """
    if rule not in RULES:
        raise InputError(UNKNOWN_RULE, rule=rule, choices=Choices(RULES))
    if rule != "no_self":
        return attention.causal_mask(rule == "causal")

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        return attention.MINUS_INFINITY if index[-2] == index[-1] else cell(arrays, names, 0, *index)

    return Op(
        "no_self_mask",
        lambda scores: np.where(np.eye(*scores.shape[-2:], dtype=np.bool_), -np.inf, scores),
        terms,
        lambda names: f"np.where(np.eye(*{names[0]}.shape[-2:], dtype=bool), -np.inf, {names[0]})",
    )


_ROTATED_SOURCE = """\
def rotated(rows, base):
    pairs = rows.shape[1] // 2
    angles = np.arange(len(rows))[:, None] * base ** (-2.0 * np.arange(pairs) / rows.shape[1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = rows[:, 0:2 * pairs:2], rows[:, 1:2 * pairs:2]
    result = rows.copy()
    result[:, 0:2 * pairs:2] = first * cos - second * sin
    result[:, 1:2 * pairs:2] = first * sin + second * cos
    return result
"""


def rotated(rows: Array, base: float) -> Array:
    """Turn neighbouring pairs of numbers by an angle that grows with the row's position.

    Parameters
    ----------
    rows : ndarray of shape (n, d)
        Queries or keys; row i stands at position i. Of an odd number of columns the last stays as it is.
    base : float
        Pair m turns by ``i · base^(−2m/d)`` (Su et al., "RoFormer", 2021), pairs being columns (0, 1), (2, 3), ….

    Returns
    -------
    ndarray of shape (n, d)
    """
    pairs = rows.shape[1] // 2
    angles = np.arange(len(rows))[:, None] * base ** (-2.0 * np.arange(pairs) / rows.shape[1])
    cos, sin = np.cos(angles), np.sin(angles)
    first, second = rows[:, 0 : 2 * pairs : 2], rows[:, 1 : 2 * pairs : 2]
    result = rows.copy()
    result[:, 0 : 2 * pairs : 2] = first * cos - second * sin
    result[:, 1 : 2 * pairs : 2] = first * sin + second * cos
    return result


def project_rotated(base: float) -> Op:
    """Multiply the rows of x by a weight matrix, then rotate each by its position: see `rotated`.

    Parameters
    ----------
    base : float
        Greater than 0.
    """

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        width = arrays[1].shape[1]

        def projected(column: int) -> Expression:
            return dot(
                [(cell(arrays, names, 0, i, p), cell(arrays, names, 1, p, column)) for p in range(arrays[0].shape[1])]
            )

        if c >= width - width % 2:
            return projected(c)
        pair = c // 2
        angle = i * base ** (-2.0 * pair / width)
        turns: dict[str, Callable[[float], float]] = {"cos": math.cos, "sin": math.sin}
        cos, sin = (Number(turn(angle), f"{name} {angle:.4g}") for name, turn in turns.items())
        first, second = (Result(projected(2 * pair + at), shown=True) for at in (0, 1))
        if c % 2:
            return Operation("sum", (Operation("product", (first, sin)), Operation("product", (second, cos))))
        return Operation("difference", (Operation("product", (first, cos)), Operation("product", (second, sin))))

    return Op(
        "project_rotated",
        lambda x, w: rotated(x @ w, base),
        terms,
        lambda names: f"rotated({names[0]} @ {names[1]}, {base!r})",
        (_ROTATED_SOURCE,),
    )
