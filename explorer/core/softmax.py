"""Softmax over rows.

The one softmax that every part of the product shares. Scores, masks and shapes of attention are decided in
:mod:`explorer.core.attention`; nothing here knows what a head is.

A score of -inf means "masked". A row that is masked everywhere gets zeros, not NaN: the usual definition divides 0 by
0 there, and a reader is better served by "looks nowhere" than by an error value.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from explorer.core.arrays import BoolArray, FloatArray

# A product with ones adds one number after the other: beyond this many it would lose digits that pairwise summation
# keeps. Longer rows are added in parts of `PART`, where they can be cut into such.
SHORT_ROW, PART = 256, 64
# Sums of exponentials between these are of ordinary numbers even in float32: what falls among the subnormal ones is
# less than 10**-34 of them.
LEAST_SUM, LARGEST_SUM = 1e-3, 1e30


def softmax_in_place(
    scores: FloatArray,
    out: FloatArray | None = None,
    *,
    by_product: bool = False,
    near_0: BoolArray | None = None,
    may_be_blind: bool = True,
) -> FloatArray:
    """Compute the softmax of every row without further memory of that size.

    Parameters
    ----------
    scores : ndarray of shape (..., n_k), float32 or float64
        -inf marks a masked entry. Must hold neither NaN nor +inf; this function does not look. Overwritten.
    out : ndarray of shape (..., n_k), optional
        Where the weights go; `scores` itself unless given.
    by_product : bool
        Sum rows as a matrix product with ones where that loses no digits: several times faster on large tables, where
        the last bits may then depend on the place of a row among the others.
    near_0 : ndarray of bool of shape (..., 1), optional
        Rows from which nothing is subtracted.
    may_be_blind : bool
        False promises that no row is masked everywhere, and saves the search for such rows.

    Returns
    -------
    ndarray of shape (..., n_k)
        `out` or `scores`, now holding weights. Masked entries are exactly 0, a row masked everywhere is 0.

    Notes
    -----
    The row maximum is subtracted first (softmax is unchanged by a constant), so that the largest exponential is 1.
    The difference of two huge scores may overflow to -inf; exp then gives the 0 that it should.
    """
    # A tiny share may fall among the subnormal numbers, whatever the caller thinks of underflow.
    with np.errstate(over="ignore", under="ignore"):
        peak = scores.max(axis=-1, keepdims=True, initial=-np.inf)
        # -inf minus -inf would be NaN: a row without any visible score keeps its -inf, and exp makes it 0.
        if may_be_blind:
            np.copyto(peak, 0, where=np.isneginf(peak))
        if near_0 is not None:
            peak[near_0] = 0
        np.subtract(scores, peak, out=scores)
        np.exp(scores, out=scores)
        total = _sums(scores) if by_product else scores.sum(axis=-1, keepdims=True)
        if may_be_blind:
            np.copyto(total, 1, where=total == 0)
        return np.divide(scores, total, out=scores if out is None else out)


def softmax_near_0(scores: FloatArray, out: FloatArray) -> BoolArray | None:
    """Compute the softmax of rows whose scores are near 0, a third faster: their maximum is neither sought nor taken.

    Parameters
    ----------
    scores : ndarray of shape (..., n_k), float32 or float64
        As for `softmax_in_place`. Overwritten.
    out : ndarray of shape (..., n_k)
        Where the weights go.

    Returns
    -------
    ndarray of bool of shape (..., 1), or None
        None if that is done. Otherwise `out` is as it was, and this is which rows are near 0: for them
        `softmax_in_place`, told so, gives the very bits that they would have had here.

    Notes
    -----
    Overflow and underflow are part of it; whoever calls has told NumPy to take no notice of them.
    """
    np.exp(scores, scores)
    total = _sums(scores)
    if np.minimum.reduce(total, axis=None) >= LEAST_SUM and np.maximum.reduce(total, axis=None) <= LARGEST_SUM:
        np.divide(scores, total, out)
        return None
    return np.asarray((total >= LEAST_SUM) & (total <= LARGEST_SUM))


def _sums(table: FloatArray) -> FloatArray:
    """Return the sum of every row of a table that lies in one piece: ndarray of shape (..., 1)."""
    width = table.shape[-1]
    if width <= SHORT_ROW:
        return np.asarray(np.matmul(table, _ones(width, table.dtype)))
    if width % PART:
        return np.asarray(table.sum(axis=-1, keepdims=True))
    parts = table.reshape(*table.shape[:-1], width // PART, PART)
    return np.asarray(np.matmul(parts, _ones(PART, table.dtype)).sum(axis=-2))


@lru_cache(maxsize=64)
def _ones(count: int, dtype: np.dtype[Any]) -> FloatArray:
    return np.ones((count, 1), dtype)


def softmax_rows(scores: FloatArray) -> FloatArray:
    """Return the softmax of every row: exp(s_j) / sum over j of exp(s_j).

    Parameters
    ----------
    scores : ndarray of shape (..., n_k), float32 or float64
        -inf marks a masked entry. Must hold neither NaN nor +inf; this function does not look.

    Returns
    -------
    ndarray of shape (..., n_k)
        Weights in the dtype of `scores`. Masked entries are exactly 0, a row masked everywhere is 0.
    """
    return softmax_in_place(np.array(scores))
