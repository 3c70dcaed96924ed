"""Scaled dot-product attention over stacked heads, with every intermediate table at hand.

Formula: weights = softmax(mask(cap(q kᵀ · scale) + bias)), output = weights v, with scale = 1/√d_k unless given and
cap(s) = c · tanh(s / c) when a softcap c is given. Vaswani et al., "Attention Is All You Need" (2017), section 3.2.1;
grouped KV heads from Ainslie et al., "GQA" (2023); the cap from the Gemma 2 report (2024), section 2.

Attention weights and output are computed at once, the four tables before them only when somebody looks: the tables of
32 heads over 1024 tokens are 128 MiB each, and most callers want none of them. Large attentions never hold a whole
table of scores; their last bits may therefore differ from a softmax of the table that :attr:`Trace.masked` shows.

The projections around attention live in :mod:`explorer.core.heads`, the rules of visibility in
:mod:`explorer.core.masks`, the fast computation in :mod:`explorer.core.rowblocks`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from explorer.core.blas import one_thread
from explorer.core.checks import (
    QT_TRANSLATE_NOOP,
    InputError,
    Shape,
    as_flag,
    as_floats,
    as_mask,
    as_number,
    check_axes,
    check_bias,
    check_broadcast,
    check_result,
    freeze,
    kv_head_choices,
    refuse_overflow,
    row_norm_bound,
)
from explorer.core.masks import PAIR_AXES, positions_visible, resolve_offset, resolve_window
from explorer.core.rowblocks import Problem, cap_in_place, solve

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from explorer.core.arrays import BoolArray, FloatArray

Number = TypeVar("Number", bound=np.generic)

DIFFERENT_D_K = QT_TRANSLATE_NOOP(
    "core", "q has shape {q} and k has shape {k}: their last axes, both d_k, must be equal"
)
DIFFERENT_KEYS = QT_TRANSLATE_NOOP(
    "core", "k has shape {k} and v has shape {v}: their first two axes, n_head_kv and n_k, must be equal"
)
NO_SHARING = QT_TRANSLATE_NOOP(
    "core",
    "q has shape {q} and k has shape {k}: "
    "{n_head} query heads cannot share {n_head_kv} KV heads; n_head_kv may be {choices}",
)

#: From so many queries on keys are stored by columns: a matrix product with their transpose then takes half as long,
#: which a copy that turns them must first bring in.
WORTH_TURNING = 16


@dataclass(frozen=True, eq=False)
class Trace:
    """Hold one attention with all of its intermediates; every array is read-only.

    Attributes
    ----------
    q : ndarray of shape (n_head, n_q, d_k)
    k : ndarray of shape (n_head_kv, n_k, d_k)
    v : ndarray of shape (n_head_kv, n_k, d_v)
    weights : ndarray of shape (n_head, n_q, n_k)
        Attention weights. Rows sum to 1, or are 0 where a query may look nowhere; masked entries are exactly 0.
    output : ndarray of shape (n_head, n_q, d_v)
        weights @ v.
    causal : bool
    mask : ndarray of bool, or None
    bias : ndarray, or None
    scale : float
    softcap : float or None
    window : int or None
    q_offset : int
        The values in force, defaults resolved. `mask` and `bias` keep the shape in which they came.
    """

    q: FloatArray
    k: FloatArray
    v: FloatArray
    causal: bool
    mask: BoolArray | None
    bias: FloatArray | None
    scale: float
    softcap: float | None
    window: int | None
    q_offset: int
    weights: FloatArray
    output: FloatArray

    @property
    def n_head(self) -> int:
        """Return the number of query heads."""
        return int(self.q.shape[0])

    @property
    def n_head_kv(self) -> int:
        """Return the number of KV heads."""
        return int(self.k.shape[0])

    def kv_head(self, head: int) -> int:
        """Return the KV head that query head `head` reads."""
        return head // (self.n_head // self.n_head_kv)

    @cached_property
    def scores(self) -> FloatArray:
        """Return q · k of every pair, masked or not: ndarray of shape (n_head, n_q, n_k)."""
        q = _by_kv_head(self.q, self.n_head_kv)
        table = np.empty((*q.shape[:3], self.k.shape[1]), q.dtype)
        with one_thread(), np.errstate(over="ignore", under="ignore", invalid="ignore"):
            np.matmul(q, self.k[:, None].swapaxes(-1, -2), out=table)
        return _read_only(table.reshape(self.n_head, *table.shape[2:]))

    @cached_property
    def scaled(self) -> FloatArray:
        """Return scores · scale: ndarray of shape (n_head, n_q, n_k)."""
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            return _read_only(self.scores * self.q.dtype.type(self.scale))

    @cached_property
    def capped(self) -> FloatArray:
        """Return c · tanh(scaled / c) with softcap c, else `scaled`: ndarray of shape (n_head, n_q, n_k)."""
        if self.softcap is None:
            return self.scaled
        table = self.scaled.copy()
        with np.errstate(over="ignore", under="ignore"):
            cap_in_place(table, self.softcap)
        return _read_only(table)

    @cached_property
    def visible(self) -> BoolArray:
        """Return which query may look at which key: ndarray of bool of shape (n_head, n_q, n_k)."""
        shape = (self.n_head, self.q.shape[1], self.k.shape[1])
        rows = np.arange(shape[1], dtype=np.int64) + self.q_offset
        seen = positions_visible(rows, np.arange(shape[2], dtype=np.int64), causal=self.causal, window=self.window)
        if self.mask is not None:
            seen = seen & self.mask
        if self.bias is not None:
            seen = seen & ~np.isneginf(self.bias)
        return np.broadcast_to(seen, shape)

    @cached_property
    def masked(self) -> FloatArray:
        """Return capped + bias where visible, -inf elsewhere: ndarray of shape (n_head, n_q, n_k)."""
        table = self.capped.copy()
        if self.bias is not None:
            with np.errstate(over="ignore", under="ignore"):
                table += self.bias
        np.copyto(table, -np.inf, where=~self.visible)
        return _read_only(table)

    @property
    def looks_nowhere(self) -> BoolArray:
        """Return which queries see no key at all: ndarray of bool of shape (n_head, n_q)."""
        return np.logical_not(self.visible.any(axis=-1))


def attend(
    q: ArrayLike,
    k: ArrayLike,
    v: ArrayLike,
    *,
    causal: bool = False,
    mask: ArrayLike | None = None,
    bias: ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    window: int | None = None,
    q_offset: int | None = None,
) -> Trace:
    """Compute attention for stacked heads: softmax(mask(cap(q kᵀ · scale) + bias)) v.

    Parameters
    ----------
    q : array_like of shape (n_head, n_q, d_k)
        Queries. float32 and float64 are kept (mixed: float64), anything else becomes float64.
    k : array_like of shape (n_head_kv, n_k, d_k)
        Keys; query head h reads KV head h // (n_head // n_head_kv).
    v : array_like of shape (n_head_kv, n_k, d_v)
        Values.
    causal : bool
        Query i, standing at p = i + q_offset, sees key j only if j <= p.
    mask : array_like of bool, optional
        True = may look; broadcasts to (n_head, n_q, n_k).
    bias : array_like of float, optional
        Added to the capped scores; -inf means masked. Broadcasts to (n_head, n_q, n_k).
    scale : float, optional
        Factor of the scores; 1/√d_k unless given.
    softcap : float, optional
        Limit c of the scores: c · tanh(scaled / c), applied before the mask.
    window : int, optional
        Query sees key j only if p - j < window; without `causal`, if |p - j| < window.
    q_offset : int, optional
        Position of query 0 among the keys; n_k - n_q unless given, so that a decode step sees the whole cache.

    Returns
    -------
    Trace
        Attention weights and output, and on demand every table before them.

    Raises
    ------
    InputError
        A ValueError: misshapen, non-finite or non-numeric input, and finite input whose result would overflow.
    """
    given = [as_floats("q", q), as_floats("k", k), as_floats("v", v)]
    check_axes("q", given[0], ("n_head", "n_q", "d_k"), nonempty=("n_head", "d_k"))
    check_axes("k", given[1], ("n_head_kv", "n_k", "d_k"), nonempty=("n_head_kv", "d_k"))
    check_axes("v", given[2], ("n_head_kv", "n_k", "d_v"), nonempty=("n_head_kv",))
    _check_together(*given)
    (n_head, n_q, d_k), (_, n_k, d_v) = given[0].shape, given[2].shape
    dtype = np.result_type(*given)
    demand_causal = as_flag("causal", causal)
    factor = as_number("scale", d_k**-0.5 if scale is None else scale, dtype)
    cap = None if softcap is None else as_number("softcap", softcap, dtype, positive=True)
    width = resolve_window(window)
    offset = resolve_offset(n_q, n_k, q_offset)

    allowed = added = None
    largest_bias = 0.0
    if mask is not None:
        allowed = as_mask("mask", mask)
        check_broadcast("mask", allowed, (n_head, n_q, n_k), PAIR_AXES)
        allowed = freeze(allowed)
    if bias is not None:
        added, largest_bias = check_bias("bias", bias, dtype)
        check_broadcast("bias", added, (n_head, n_q, n_k), PAIR_AXES)
        added = freeze(added)

    by_width = n_q >= WORTH_TURNING
    shape_of_k = (len(given[1]), d_k, n_k) if by_width else given[1].shape
    shapes = (given[0].shape, shape_of_k, given[2].shape, (n_head, n_q, n_k), (n_head, n_q, d_v))
    memory, (*kept, weights, output) = _reserve(dtype, shapes)
    if by_width:
        kept[1] = kept[1].swapaxes(1, 2)
    trace = Trace(
        q=kept[0],
        k=kept[1],
        v=kept[2],
        causal=demand_causal,
        mask=allowed,
        bias=added,
        scale=factor,
        softcap=cap,
        window=width,
        q_offset=offset,
        weights=weights,
        output=output,
    )
    with one_thread() as alone:
        # Looking first would take as long as a fifth of the work, and nearly all input is good.
        reach = solve(_problem(trace, given), threads_welcome=alone)
        # Where a bound is not finite, a slower look tells whether that is an overflow or the input.
        q_reach, k_reach, v_reach = (
            bound if bound < math.inf else row_norm_bound(name, array)
            for bound, name, array in zip(reach, "qkv", kept, strict=True)
        )
        limit = float(np.finfo(dtype).max) / 1000
        if not q_reach * k_reach * max(abs(factor), 1.0) + largest_bias < limit:
            _refuse_overflow(trace)
            # A block of a product may overflow on its way to what the whole one finds.
            check_result("weights", weights)
        if not v_reach < limit:
            check_result("output", output)
    for array in (*kept, weights, output, memory):
        _read_only(array)
    return trace


def _reserve(dtype: np.dtype[Any], shapes: tuple[Shape, ...]) -> tuple[FloatArray, list[FloatArray]]:
    """Return one piece of memory and uninitialised arrays that lie one after the other in it.

    One large piece is kept by the allocator between calls, where several smaller ones are handed back to the system
    and faulted in again page by page: 1.4 of 4.5 ms for 32 heads over 128 tokens.
    """
    starts = [0]
    for shape in shapes:
        starts.append(starts[-1] + -(-math.prod(shape) // 16) * 16)
    memory = np.empty(starts[-1], dtype)
    ends = [start + math.prod(shape) for start, shape in zip(starts, shapes, strict=False)]
    return memory, [memory[a:b].reshape(shape) for a, b, shape in zip(starts, ends, shapes, strict=False)]


def _problem(trace: Trace, given: Sequence[FloatArray]) -> Problem:
    """Return `trace` and what was given as the fast path wants it: query heads grouped by their KV head."""
    n_head_kv = trace.n_head_kv
    pairs = trace.weights.shape
    hidden = None if trace.mask is None else _by_kv_head(np.broadcast_to(~trace.mask, pairs), n_head_kv)
    q, k, v = given
    return Problem(
        given=(_by_kv_head(q, n_head_kv), k, v),
        q=_by_kv_head(trace.q, n_head_kv),
        k=trace.k,
        v=trace.v,
        weights=_by_kv_head(trace.weights, n_head_kv),
        output=_by_kv_head(trace.output, n_head_kv),
        hidden=hidden,
        bias=None if trace.bias is None else _by_kv_head(np.broadcast_to(trace.bias, pairs), n_head_kv),
        causal=trace.causal,
        window=trace.window,
        q_offset=trace.q_offset,
        scale=trace.scale,
        softcap=trace.softcap,
    )


def _check_together(q: FloatArray, k: FloatArray, v: FloatArray) -> None:
    if q.shape[2] != k.shape[2]:
        raise InputError(DIFFERENT_D_K, q=q.shape, k=k.shape)
    if k.shape[:2] != v.shape[:2]:
        raise InputError(DIFFERENT_KEYS, k=k.shape, v=v.shape)
    if q.shape[0] % k.shape[0]:
        raise InputError(
            NO_SHARING,
            q=q.shape,
            k=k.shape,
            n_head=q.shape[0],
            n_head_kv=k.shape[0],
            choices=kv_head_choices(q.shape[0]),
        )


def _refuse_overflow(trace: Trace) -> None:
    """Compute the tables that only a bound could call safe, and refuse the first cell that is not finite."""
    check_result("scores", trace.scores)
    check_result("scaled", trace.scaled)
    refuse_overflow("masked", trace.masked, ~np.isfinite(trace.masked) & trace.visible)


def _read_only(array: FloatArray) -> FloatArray:
    array.flags.writeable = False
    return array


def _by_kv_head(array: NDArray[Number], n_head_kv: int) -> NDArray[Number]:
    """Split the head axis in two: (n_head, …) to (n_head_kv, query heads per KV head, …)."""
    return array.reshape(n_head_kv, array.shape[0] // n_head_kv, *array.shape[1:])
