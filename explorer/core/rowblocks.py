"""Attention weights and output, computed fast.

The work is cut into tasks: some rows of some heads. A task reads only the keys that its rows may see, computes in place
on scratch memory that fits the processor's second-level cache, and writes attention weights and output once. From a
certain size on, tasks are shared with threads: NumPy lets go of the interpreter lock inside every operation that is
worth the while, and one BLAS thread each beats BLAS's own threading on matrices this small.

Which rows go together depends on shapes and positions, never on numbers. How many heads go together depends on the
number of threads too, but every matrix product is one head's, and everything else works on single rows. So equal rows
give equal bits, whatever stands in later tokens or in other heads.

Nothing here checks anything; :func:`explorer.core.attention.attend` does.
"""

from __future__ import annotations

import os
import threading
from collections import deque
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.masks import hidden_spans, key_range
from explorer.core.softmax import softmax_in_place

if TYPE_CHECKING:
    from explorer.core.arrays import BoolArray, FloatArray

# Fewer rows a task waste calls, more rows waste work above the diagonal.
TASK_ROWS = 64
# Scores worked on at a time; larger tables fall out of the cache.
SCRATCH_BYTES = 512 * 1024
# Multiplications below which starting a thread costs more than it brings.
WORTH_A_THREAD = 8_000_000
MOST_THREADS = 8
# Pairs from which row sums are taken as a product with ones, which is four times faster on short rows, and from which
# it is worth while to find rows whose maximum need not be subtracted.
MANY_PAIRS = 100_000
# The exponentials of scores this near 0, and sums of very many of them, are ordinary numbers even in float32.
NEAR_0 = 60.0


@dataclass(frozen=True)
class Problem:
    """Hold what the tasks of one attention share.

    Attributes
    ----------
    q : ndarray of shape (n_head_kv, shared, n_q, d_k)
        `shared` is the number of query heads per KV head.
    k : ndarray of shape (n_head_kv, n_k, d_k)
    v : ndarray of shape (n_head_kv, n_k, d_v)
    weights : ndarray of shape (n_head_kv, shared, n_q, n_k)
        Written, every cell.
    output : ndarray of shape (n_head_kv, shared, n_q, d_v)
        Written, every cell.
    hidden : ndarray of bool, or None
        True = may not look; broadcast to the shape of `weights`.
    bias : ndarray, or None
        Broadcast to the shape of `weights`.
    squares : (ndarray of shape (n_head_kv, shared, n_q), ndarray of shape (n_head_kv, n_k)), or None
        The squares of the norms of queries and keys, where the caller has them.
    """

    q: FloatArray
    k: FloatArray
    v: FloatArray
    weights: FloatArray
    output: FloatArray
    hidden: BoolArray | None
    bias: FloatArray | None
    causal: bool
    window: int | None
    q_offset: int
    scale: float
    softcap: float | None
    squares: tuple[FloatArray, FloatArray] | None


@dataclass(frozen=True)
class _Task:
    """Some rows of some heads, the keys that they may see, what each row may not, and whether one may see nothing."""

    kv_heads: slice
    heads: slice
    rows: slice
    keys: slice
    unseen: tuple[tuple[slice, FloatArray], ...]
    may_be_blind: bool

    def at(self, columns: slice | None = None) -> tuple[slice, ...]:
        cells = (self.kv_heads, self.heads, self.rows)
        return cells if columns is None else (*cells, columns)


def solve(problem: Problem, *, threads_welcome: bool) -> None:
    """Fill `problem.weights` and `problem.output`, in several threads if welcome and worth it."""
    work = problem.weights.size * (problem.q.shape[-1] + problem.v.shape[-1])
    if problem.causal:
        work //= 2
    workers = max(1, min(_cores(), MOST_THREADS, work // WORTH_A_THREAD)) if threads_welcome else 1
    tasks = deque(_cut(problem, workers))
    near_0 = _rows_near_0(problem)
    failures: list[BaseException] = []

    def run() -> None:
        try:
            _work_off(problem, tasks, near_0)
        except BaseException as failure:  # noqa: BLE001 - raised again in the caller's thread, below
            failures.append(failure)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(min(workers, len(tasks)) - 1)]
    for thread in threads:
        thread.start()
    run()
    for thread in threads:
        thread.join()
    if failures:
        raise failures[0]


def _rows_near_0(problem: Problem) -> BoolArray | None:
    """Return which rows can have no score far from 0: ndarray of bool of shape (n_head_kv, shared, n_q).

    By Cauchy and Schwarz, from the norm of a query and of the keys that it may see: no key decides over a row that does
    not see it. None where a mask, a bias or a window makes that a longer search, or nobody has the norms.
    """
    known = problem.hidden is None and problem.bias is None and problem.window is None
    if problem.squares is None or not known:
        return None
    q, k = problem.squares
    if problem.causal:
        last = np.clip(np.arange(q.shape[-1]) + problem.q_offset, 0, k.shape[-1] - 1)
        largest = np.maximum.accumulate(k, axis=-1)[:, last]
    else:
        largest = k.max(axis=-1, keepdims=True)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        return np.asarray(q * largest[:, None] * problem.scale**2 < NEAR_0**2)


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Windows and macOS
        return os.cpu_count() or 1


def _cut(problem: Problem, workers: int) -> list[_Task]:
    """Return the tasks, the longest first: the last rows of a causal attention see the most keys."""
    n_head_kv, shared, n_q, _ = problem.q.shape
    n_k = problem.k.shape[1]
    dtype = problem.q.dtype
    rules: dict[str, Any] = {"causal": problem.causal, "window": problem.window}
    tasks = []
    for row in range(0, n_q, TASK_ROWS):
        rows = slice(row, min(row + TASK_ROWS, n_q))
        first, last = row + problem.q_offset, rows.stop - 1 + problem.q_offset
        start, stop = key_range(first, last, n_k, **rules)
        stop = max(start, stop)
        ends = [key_range(position, position, n_k, **rules) for position in (first, last)]
        may_be_blind = problem.hidden is not None or problem.bias is not None or any(a >= b for a, b in ends)
        unseen = _unseen(first - start, last - start, stop - start, dtype, **rules)
        table_bytes = (rows.stop - row) * max(stop - start, 1) * dtype.itemsize
        at_once = max(1, min(SCRATCH_BYTES // table_bytes, -(-n_head_kv * shared // workers)))
        tasks += [
            _Task(kv_heads, heads, rows, slice(start, stop), unseen, may_be_blind)
            for kv_heads, heads in _head_slices(n_head_kv, shared, at_once)
        ]
    return tasks[::-1]


@lru_cache(maxsize=64)
def _unseen(
    first: int, last: int, stop: int, dtype: np.dtype[Any], *, causal: bool, window: int | None
) -> tuple[tuple[slice, FloatArray], ...]:
    """Return what is added to a block's scores so that no row sees what it may not; positions count from its first key.

    Kept, because the same shapes come again and again.
    """
    spans = hidden_spans(first, last, 0, stop, causal=causal, window=window)
    return tuple((slice(a, b), np.where(hidden, dtype.type(-np.inf), dtype.type(0))) for a, b, hidden in spans)


def _head_slices(n_head_kv: int, shared: int, at_once: int) -> list[tuple[slice, slice]]:
    """Return slices of KV heads and of their query heads, at most about `at_once` query heads together."""
    if shared <= at_once:
        step = at_once // shared
        return [(slice(kv, kv + step), slice(0, shared)) for kv in range(0, n_head_kv, step)]
    return [
        (slice(kv, kv + 1), slice(head, head + at_once))
        for kv in range(n_head_kv)
        for head in range(0, shared, at_once)
    ]


def _work_off(problem: Problem, tasks: deque[_Task], near_0: BoolArray | None) -> None:
    """Take tasks until none is left; other threads may take from the same deque."""
    scratch = np.empty(0, problem.q.dtype)
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        while True:
            try:
                task = tasks.popleft()
            except IndexError:
                return
            size = problem.weights[task.at(task.keys)].size
            if scratch.size < size:
                scratch = np.empty(size, problem.q.dtype)
            _run(problem, task, scratch, None if near_0 is None else near_0[task.at()])


def _run(problem: Problem, task: _Task, scratch: FloatArray, near_0: BoolArray | None) -> None:
    weights = problem.weights[task.at()]
    if task.keys.start > 0:
        weights[..., : task.keys.start] = 0
    if task.keys.stop < weights.shape[-1]:
        weights[..., task.keys.stop :] = 0
    weights = weights[..., task.keys]
    output = problem.output[task.at()]
    if weights.shape[-1] == 0:
        output[...] = 0
        return
    scores = scratch[: weights.size].reshape(weights.shape)
    keys = problem.k[task.kv_heads, None, task.keys]
    np.matmul(problem.q[task.at()], keys.swapaxes(-1, -2), out=scores)
    np.multiply(scores, problem.q.dtype.type(problem.scale), out=scores)
    if problem.softcap is not None:
        cap_in_place(scores, problem.softcap)
    if problem.bias is not None:
        scores += problem.bias[task.at(task.keys)]
    for part, minus_infinity in task.unseen:
        scores[..., part] += minus_infinity
    if problem.hidden is not None:
        np.copyto(scores, -np.inf, where=problem.hidden[task.at(task.keys)])
    softmax_in_place(
        scores,
        out=weights,
        by_product=problem.weights.size >= MANY_PAIRS,
        near_0=near_0,
        may_be_blind=task.may_be_blind,
    )
    np.matmul(weights, problem.v[task.kv_heads, None, task.keys], out=output)


def cap_in_place(table: FloatArray, softcap: float) -> None:
    """Replace s by c · tanh(s / c) with c = `softcap`."""
    cap = table.dtype.type(softcap)
    np.divide(table, cap, out=table)
    np.tanh(table, out=table)
    np.multiply(table, cap, out=table)
