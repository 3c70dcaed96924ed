"""Softmax and mix in one pass over blocks of keys, with the running quantities in the open.

Formula, for each block of keys with masked scores s and values v, starting from m = -inf, l = 0, o = 0:
m' = max(m, max s); r = exp(m - m'); e = exp(s - m'); l' = r · l + Σ e; o' = r · o + e v. After the last block the
output is o / l. Milakov and Gimelshein, "Online normalizer calculation for softmax" (2018), algorithm 3; Dao et al.,
"FlashAttention" (2022), algorithm 1.

This is the form to look at and to check against. The fast computation of whole rows is in
:mod:`explorer.core.rowblocks`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.checks import (
    QT_TRANSLATE_NOOP,
    InputError,
    as_floats,
    as_integer,
    check_bias,
    check_finite,
    check_result,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import ArrayLike

    from explorer.core.arrays import FloatArray

WRONG_BLOCKS = QT_TRANSLATE_NOOP(
    "core",
    "scores has shape {scores} and values has shape {values}: "
    "scores must be (…, n_q, n_k) and values (…, n_k, d_v), with the same leading axes",
)


@dataclass(frozen=True, eq=False)
class BlockStep:
    """Hold the state after one block of keys; every array is its own.

    Attributes
    ----------
    start, stop : int
        The block's range of keys.
    maximum_before : ndarray of shape (..., n_q)
        Running maximum m of each row before this block; -inf as long as nothing visible was met.
    maximum : ndarray of shape (..., n_q)
        Running maximum m' after it.
    rescale : ndarray of shape (..., n_q)
        r = exp(m - m'), by which everything gathered so far shrinks; exactly 1 where the maximum stayed.
    exponentials : ndarray of shape (..., n_q, stop - start)
        e = exp(s - m'), 0 where masked.
    total : ndarray of shape (..., n_q)
        Running sum l'.
    mix : ndarray of shape (..., n_q, d_v)
        Running mix o', not yet divided.
    output : ndarray of shape (..., n_q, d_v)
        o' / l': the attention over the keys seen so far; 0 where a row saw none.
    """

    start: int
    stop: int
    maximum_before: FloatArray
    maximum: FloatArray
    rescale: FloatArray
    exponentials: FloatArray
    total: FloatArray
    mix: FloatArray
    output: FloatArray


def block_steps(scores: ArrayLike, values: ArrayLike, block_size: int) -> Iterator[BlockStep]:
    """Go through the keys block by block and yield the state after each.

    Parameters
    ----------
    scores : array_like of shape (..., n_q, n_k)
        Scaled scores; -inf means masked.
    values : array_like of shape (..., n_k, d_v)
    block_size : int
        Keys per block, 1 or more; the last block may be shorter.

    Yields
    ------
    BlockStep
        None at all when there are no keys.

    Raises
    ------
    InputError
        For misshapen or non-finite input, and when a running mix would overflow.
    """
    table, rows, size = _checked(scores, values, block_size)
    return _steps(table, rows, size)


def attend_blockwise(scores: ArrayLike, values: ArrayLike, block_size: int) -> FloatArray:
    """Return softmax(scores) @ values, computed block by block: ndarray of shape (..., n_q, d_v).

    Takes and raises what :func:`block_steps` does. Rows that are masked everywhere are 0.
    """
    table, rows, size = _checked(scores, values, block_size)
    output = np.zeros((*table.shape[:-1], rows.shape[-1]), table.dtype)
    for step in _steps(table, rows, size):
        output = step.output
    return output


def _checked(scores: ArrayLike, values: ArrayLike, block_size: int) -> tuple[FloatArray, FloatArray, int]:
    size = as_integer("block_size", block_size, least=1)
    given, rows = as_floats("scores", scores), as_floats("values", values)
    fits = given.ndim >= 2 and given.ndim == rows.ndim
    if not fits or (*given.shape[:-2], given.shape[-1]) != rows.shape[:-1]:
        raise InputError(WRONG_BLOCKS, scores=given.shape, values=rows.shape)
    dtype = np.result_type(given, rows)
    table, _ = check_bias("scores", given, dtype)
    check_finite("values", rows)
    return table.copy(), rows.astype(dtype), size


def _steps(scores: FloatArray, values: FloatArray, block_size: int) -> Iterator[BlockStep]:
    maximum = np.full(scores.shape[:-1], -np.inf, scores.dtype)
    total = np.zeros_like(maximum)
    mix = np.zeros((*maximum.shape, values.shape[-1]), scores.dtype)
    for start in range(0, scores.shape[-1], block_size):
        stop = min(start + block_size, scores.shape[-1])
        block = scores[..., start:stop]
        before, maximum = maximum, np.maximum(maximum, block.max(axis=-1))
        # -inf - -inf would be NaN. Rows that still saw nothing keep their zeros whatever is subtracted.
        base = np.where(np.isneginf(maximum), scores.dtype.type(0), maximum)
        with np.errstate(over="ignore", under="ignore", invalid="ignore"):
            rescale = np.where(before == maximum, scores.dtype.type(1), np.exp(before - base))
            exponentials = np.exp(block - base[..., None])
            total = rescale * total + exponentials.sum(axis=-1)
            mix = rescale[..., None] * mix + exponentials @ values[..., start:stop, :]
        check_result("mix", mix)
        with np.errstate(under="ignore"):
            output = mix / np.where(total == 0, scores.dtype.type(1), total)[..., None]
        yield BlockStep(start, stop, before, maximum, rescale, exponentials, total, mix, output)
