"""Ops of masking done right and done wrong, and of what a changed token moves.

The right mask is −∞ before softmax (`explorer.core.ops.attention.mask`). The other two exist to be compared with it:
zeroing attention weights after softmax, whose sum has then been spent in part, and a score of 0, which hides nothing
because e⁰ is 1.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

import numpy as np

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.core.expression import Expression, Number, Operation, Result
from explorer.core.ops import attention
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell
from explorer.core.softmax import softmax_rows

if TYPE_CHECKING:
    from collections.abc import Callable

Rule = Literal["before", "after", "zero"]
RULES: Final[tuple[Rule, ...]] = ("before", "after", "zero")

UNKNOWN_RULE = QT_TRANSLATE_NOOP("core", "mask rule {rule!r} is not known; it may be {choices}")

#: By how much the scores and values of a token that is changed go up.
CHANGE: Final = 1.0


def _checked(rule: str) -> str:
    if rule not in RULES:
        raise InputError(UNKNOWN_RULE, rule=rule, choices=Choices(RULES))
    return rule


def mask_scores(rule: str) -> Op:
    """Prepare scores for softmax by a rule; the second input is True where a query may look.

    Parameters
    ----------
    rule : {"before", "after", "zero"}
        What closed cells become: −∞, what they were (they are zeroed after softmax), or 0.

    Raises
    ------
    InputError
        When there is no such rule.
    """
    if _checked(rule) == "before":
        return attention.mask()
    if rule == "after":
        return Op(
            "not_masked_yet",
            lambda scores, allowed: scores + 0.0,
            lambda arrays, names, index: Operation("sum", (cell(arrays, names, 0, *index), Number(0.0, "0"))),
            lambda names: f"{names[0]} + 0.0",
        )
    return Op(
        "zero_scores",
        lambda scores, allowed: np.where(allowed, scores, 0.0),
        lambda arrays, names, index: cell(arrays, names, 0, *index) if arrays[1][index] else Number(0.0, "0"),
        lambda names: f"np.where({names[1]}, {names[0]}, 0.0)",
    )


def weigh(rule: str) -> Op:
    """Turn prepared scores into attention weights; with "after", closed cells are set to 0 once softmax is done.

    Parameters
    ----------
    rule : {"before", "after", "zero"}
        As for `mask_scores`. The second input is True where a query may look.

    Raises
    ------
    InputError
        When there is no such rule.
    """
    softmax = attention.softmax()
    if _checked(rule) != "after":
        return Op(
            softmax.name,
            lambda masked, allowed: softmax_rows(masked),
            lambda arrays, names, index: softmax.terms(arrays[:1], names[:1], index),
            lambda names: softmax.source(names[:1]),
            softmax.helpers,
        )

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        share = softmax.terms(arrays[:1], names[:1], index)
        if arrays[1][index]:
            return share
        return Operation("product", (Number(0.0, "0"), Result(share, shown=True)))

    return Op(
        "softmax_then_zero",
        lambda masked, allowed: np.where(allowed, softmax_rows(masked), 0.0),
        terms,
        lambda names: f"np.where({names[1]}, {softmax.source(names[:1])}, 0.0)",
        softmax.helpers,
    )


def _raised(touched: Callable[[int, Index], bool], source: Callable[[Names], str], name: str) -> Op:
    """Return an op that adds `CHANGE` to the cells that a token touches; the second input is the token, −1 for none."""

    def apply(array: Array, token: Array) -> Array:
        at = int(token)
        added = [CHANGE if touched(at, index) else 0.0 for index in np.ndindex(array.shape)]
        return np.asarray(array + np.reshape(added, array.shape))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        changed = touched(int(arrays[1]), index)
        return Operation("sum", (cell(arrays, names, 0, *index), Number(CHANGE, "1") if changed else Number(0.0, "0")))

    return Op(name, apply, terms, source)


def change_scores() -> Op:
    """Raise every score of one token by 1, those it gives and those it gets: (n, n) scores and its position."""

    def source(names: Names) -> str:
        rows, columns = (f"(np.arange({names[0]}.shape[{axis}]) == {names[1]})" for axis in (0, 1))
        return f"{names[0]} + np.where({rows}[:, None] | {columns}, {CHANGE!r}, 0.0)"

    return _raised(lambda at, index: at in index, source, "change_scores")


def change_values() -> Op:
    """Raise every number of one token's value by 1: (n, d_v) values and its position."""

    def source(names: Names) -> str:
        return f"{names[0]} + np.where((np.arange({names[0]}.shape[0]) == {names[1]})[:, None], {CHANGE!r}, 0.0)"

    return _raised(lambda at, index: at == index[0], source, "change_values")


def movement() -> Op:
    """Measure how far each row moves: the largest change of its numbers, one column for each pair of inputs.

    Inputs are pairs of (n, d) arrays, before and after; the result is (n, pairs).
    """

    def apply(*arrays: Array) -> Array:
        pairs = zip(arrays[::2], arrays[1::2], strict=True)
        return np.stack([np.abs(after - before).max(axis=-1, initial=0.0) for before, after in pairs], axis=-1)

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, pair = index
        changes = [
            Operation(
                "magnitude",
                (
                    Operation(
                        "difference",
                        (cell(arrays, names, 2 * pair + 1, i, c), cell(arrays, names, 2 * pair, i, c)),
                    ),
                ),
            )
            for c in range(arrays[2 * pair].shape[1])
        ]
        return changes[0] if len(changes) == 1 else Operation("maximum", tuple(changes))

    def source(names: Names) -> str:
        columns = [
            f"np.abs({after} - {before}).max(axis=-1, initial=0.0)"
            for before, after in zip(names[::2], names[1::2], strict=True)
        ]
        return f"np.stack([{', '.join(columns)}], axis=-1)"

    return Op("movement", apply, terms, source)
