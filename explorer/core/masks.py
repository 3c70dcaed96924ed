"""Which query may look at which key.

Position i of the queries stands at p = i + q_offset among the keys. Causal, window, boolean mask and bias narrow the
view one after the other; a pair is visible when all of them allow it. The offset defaults to n_k - n_q, so that the
last query stands at the last key: one decode step sees the whole cache.

The functions on positions take any rows and columns, because the attention of long sequences asks for the mask of one
block at a time and never holds the whole.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.checks import (
    QT_TRANSLATE_NOOP,
    InputError,
    as_flag,
    as_integer,
    as_mask,
    check_bias,
    check_broadcast,
    written,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from explorer.core.arrays import BoolArray

PAIR_AXES = ("n_head", "n_q", "n_k")
# Positions are int64: far beyond any sequence, far below where adding to them could wrap around.
FARTHEST = 2**53
TOO_FAR = QT_TRANSLATE_NOOP("core", "q_offset is {value}; it must lie between {low} and {high}")


def resolve_offset(n_q: int, n_k: int, q_offset: int | None) -> int:
    """Return the position of query 0 among the keys: `q_offset`, or n_k - n_q.

    Raises
    ------
    InputError
        When `q_offset` is no integer, or beyond 2**53.
    """
    if q_offset is None:
        return n_k - n_q
    offset = as_integer("q_offset", q_offset)
    if abs(offset) > FARTHEST:
        raise InputError(TOO_FAR, value=written(offset), low=-FARTHEST, high=FARTHEST)
    return offset


def resolve_window(window: int | None) -> int | None:
    """Return `window` as an int of 1 or more, or None. A window past every position is cut to 2**54.

    Raises
    ------
    InputError
    """
    return None if window is None else min(as_integer("window", window, least=1), 2 * FARTHEST)


def positions_visible(
    positions: NDArray[np.int64], keys: NDArray[np.int64], *, causal: bool, window: int | None
) -> BoolArray:
    """Return which of `keys` each of `positions` may look at, by causality and window alone.

    Parameters
    ----------
    positions : ndarray of shape (n_q,)
        p = i + q_offset.
    keys : ndarray of shape (n_k,)
        j.
    causal : bool
        Demand j <= p.
    window : int or None
        Demand p - j < window; without `causal`, |p - j| < window.

    Returns
    -------
    ndarray of bool of shape (n_q, n_k)
    """
    distance = positions[:, None] - keys[None, :]
    seen = distance >= 0 if causal else np.ones(distance.shape, np.bool_)
    if window is not None:
        seen &= (distance if causal else np.abs(distance)) < window
    return seen


def key_range(first: int, last: int, n_k: int, *, causal: bool, window: int | None) -> tuple[int, int]:
    """Return start and stop of the keys that any position from `first` to `last` may see; start >= stop if none."""
    start = 0 if window is None else max(0, first - window + 1)
    stop = n_k
    if causal:
        stop = min(n_k, last + 1)
    elif window is not None:
        stop = min(n_k, last + window)
    return start, stop


def hidden_spans(
    first: int, last: int, start: int, stop: int, *, causal: bool, window: int | None
) -> list[tuple[int, int, BoolArray]]:
    """Return the parts of a block that are not visible to all of its rows.

    Parameters
    ----------
    first, last : int
        Positions of the block's first and last row.
    start, stop : int
        Its range of keys, as from :func:`key_range`.

    Returns
    -------
    list of (start, stop, hidden)
        Ranges of keys, each with an ndarray of bool of shape (last - first + 1, stop - start); they may overlap.
    """
    spans = []
    if window is not None:
        spans.append((start, min(stop, last - window + 1)))
    if causal:
        spans.append((max(start, first + 1), stop))
    elif window is not None:
        spans.append((max(start, first + window), stop))
    rows = np.arange(first, last + 1, dtype=np.int64)
    return [
        (a, b, ~positions_visible(rows, np.arange(a, b, dtype=np.int64), causal=causal, window=window))
        for a, b in spans
        if a < b
    ]


def visible_pairs(
    n_head: int,
    n_q: int,
    n_k: int,
    *,
    causal: bool = False,
    window: int | None = None,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    q_offset: int | None = None,
) -> BoolArray:
    """Return which pairs of query and key are visible: all that were given, combined by AND.

    Parameters
    ----------
    n_head, n_q, n_k : int
        Sizes, 0 allowed.
    causal : bool
        Demand j <= p, where p = i + q_offset.
    window : int, optional
        Demand p - j < window (a token sees itself with 1); without `causal`, |p - j| < window.
    mask : array_like of bool, optional
        True = may look; broadcasts to (n_head, n_q, n_k).
    bias : array_like of float, optional
        -inf = masked, other values allow; broadcasts to (n_head, n_q, n_k).
    q_offset : int, optional
        Position of query 0 among the keys; n_k - n_q unless given.

    Returns
    -------
    ndarray of bool of shape (n_head, n_q, n_k)

    Raises
    ------
    InputError
        When a size is negative, a shape does not broadcast, or a value is refused.
    """
    sizes = (as_integer("n_head", n_head, 0), as_integer("n_q", n_q, 0), as_integer("n_k", n_k, 0))
    offset = resolve_offset(sizes[1], sizes[2], q_offset)
    seen: NDArray[Any] = positions_visible(
        np.arange(sizes[1], dtype=np.int64) + offset,
        np.arange(sizes[2], dtype=np.int64),
        causal=as_flag("causal", causal),
        window=resolve_window(window),
    )
    if mask is not None:
        allowed = as_mask("mask", mask)
        check_broadcast("mask", allowed, sizes, PAIR_AXES)
        seen = seen & allowed
    if bias is not None:
        added, _ = check_bias("bias", bias, np.dtype(np.float64))
        check_broadcast("bias", added, sizes, PAIR_AXES)
        seen = seen & ~np.isneginf(added)
    return np.array(np.broadcast_to(seen, sizes))
