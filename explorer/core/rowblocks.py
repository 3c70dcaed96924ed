"""Attention weights and output, computed fast.

The work is cut into tasks: some rows of some heads. A task reads only the keys that its rows may see, computes in place
on scratch memory that fits the processor's second-level cache, and writes attention weights and output once. Queries,
keys and values are copied by the first task that needs them, and are still in the cache when it computes.

From a certain size on, tasks are shared with threads: NumPy lets go of the interpreter lock inside every operation that
is worth the while, and one BLAS thread each beats BLAS's own threading on matrices this small. A thread begins while
its starter works on: `threading.Thread` waits for it, which takes as long as a tenth of 32 heads over 128 tokens.

Which rows go together depends on shapes and positions, never on numbers. How many heads go together depends on the
number of threads too, but every matrix product is one head's, and everything else works on single rows. So the bits of
a row depend on its place, on what it sees and on the size of the whole, never on what stands in later tokens or in
other heads.

Nothing here checks anything; :func:`explorer.core.attention.attend` does.
"""

from __future__ import annotations

import _thread
import math
import os
import sys
from collections import deque
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.checks import lost_by_underflow
from explorer.core.masks import hidden_spans, key_range
from explorer.core.softmax import softmax_in_place, softmax_near_0

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.arrays import BoolArray, FloatArray

# Fewer rows a task waste calls, more rows waste work above the diagonal.
TASK_ROWS = 64
# Scores worked on at a time; larger tables fall out of the cache.
SCRATCH_BYTES = 512 * 1024
# Multiplications below which starting a thread costs more than it brings.
WORTH_A_THREAD = 8_000_000
MOST_THREADS = 8
# Pairs from which row sums are taken as a product with ones, which is four times faster on short rows, and from which
# it is worth while to find out whether maxima need not be subtracted.
MANY_PAIRS = 100_000
# A block is narrow that is no wider than so many times what some of its rows may not see.
NARROW = 4


@dataclass(frozen=True)
class Problem:
    """Hold what the tasks of one attention share.

    Attributes
    ----------
    given : tuple of ndarray
        Queries, keys and values as they came, in the shapes of `q`, `k` and `v`.
    q : ndarray of shape (n_head_kv, shared, n_q, d_k)
        `shared` is the number of query heads per KV head. Written, as are all that follow.
    k : ndarray of shape (n_head_kv, n_k, d_k)
    v : ndarray of shape (n_head_kv, n_k, d_v)
    weights : ndarray of shape (n_head_kv, shared, n_q, n_k)
    output : ndarray of shape (n_head_kv, shared, n_q, d_v)
    hidden : ndarray of bool, or None
        True = may not look; broadcast to the shape of `weights`.
    bias : ndarray, or None
        Broadcast to the shape of `weights`.
    """

    given: tuple[FloatArray, FloatArray, FloatArray]
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


class _Share:
    """Some KV heads with their queries, copied by the first task that needs them.

    Attributes
    ----------
    kv_heads : slice
    reach : list of float
        Bounds on the norms of queries, keys and values; empty before they are copied.
    """

    def __init__(self, kv_heads: slice) -> None:
        self.kv_heads = kv_heads
        self.reach: list[float] = []
        self._lock = _thread.allocate_lock()

    def make_ready(self, problem: Problem) -> None:
        """Copy what was given and bound its norms, unless that is done."""
        with self._lock:
            if self.reach:
                return
            at = self.kv_heads
            pairs = (
                (problem.q[at], problem.given[0][at]),
                (problem.k[at], problem.given[1][at]),
                (problem.v[at], problem.given[2][at]),
            )
            reach = []
            for own, given in pairs:
                own[...] = given
                flat = own.ravel(order="K")
                reach.append(math.sqrt(np.dot(flat, flat)) + lost_by_underflow(flat))
            self.reach = reach


def solve(problem: Problem, *, threads_welcome: bool) -> tuple[float, float, float]:
    """Fill all that `problem` writes, in several threads if welcome and worth it.

    Returns
    -------
    tuple of float
        Bounds on the norms of queries, keys and values, accurate to the root of how many are copied together; not
        finite where the input is not, or where a square overflows.
    """
    work = problem.weights.size * (problem.q.shape[-1] + problem.v.shape[-1])
    if problem.causal:
        work //= 2
    # A thread that is started while the interpreter ends never runs.
    welcome = threads_welcome and not sys.is_finalizing()
    workers = max(1, min(_cores(), MOST_THREADS, work // WORTH_A_THREAD)) if welcome else 1
    cut, kv_slices = _cut(
        problem.weights.shape,
        problem.q.dtype,
        min(workers, problem.weights.shape[0] * problem.weights.shape[1]),
        (TASK_ROWS, SCRATCH_BYTES),
        causal=problem.causal,
        window=problem.window,
        q_offset=problem.q_offset,
        narrowed=problem.hidden is not None or problem.bias is not None,
    )
    tasks, shares = deque(cut), [_Share(kv_heads) for kv_heads in kv_slices]
    failures: list[BaseException] = []

    def run() -> None:
        try:
            _work_off(problem, tasks, shares)
        except BaseException as failure:  # noqa: BLE001 - raised again in the caller's thread, below
            failures.append(failure)

    running = [_started(run) for _ in range(min(workers, len(tasks)) - 1)]
    run()
    for lock in running:
        lock.acquire()
    if failures:
        raise failures[0]
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        for share in shares:
            share.make_ready(problem)  # those of which no task had need
    q, k, v = (sum(bounds) for bounds in zip(*(share.reach for share in shares), strict=True))
    return q, k, v


def _started(run: Callable[[], None]) -> _thread.LockType:
    """Start a thread and return a lock that it lets go of at its end; open where no thread can be had."""
    lock = _thread.allocate_lock()

    def run_and_tell() -> None:
        try:
            run()
        finally:
            lock.release()

    lock.acquire()
    try:
        _thread.start_new_thread(run_and_tell, ())
    except RuntimeError:
        lock.release()
    return lock


def _cores() -> int:
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # Windows and macOS
        return os.cpu_count() or 1


@lru_cache(maxsize=8)
def _cut(
    pairs: tuple[int, ...],
    dtype: np.dtype[Any],
    workers: int,
    at_most: tuple[int, int],
    *,
    causal: bool,
    window: int | None,
    q_offset: int,
    narrowed: bool,
) -> tuple[tuple[_Task, ...], tuple[slice, ...]]:
    """Return the tasks, and the KV heads that are made ready together; kept, as the same shapes come again and again.

    The longest tasks come first: the last rows of a causal attention see the most keys.

    Parameters
    ----------
    pairs : (n_head_kv, shared, n_q, n_k)
    at_most : (rows, bytes)
        Of a task's table.
    narrowed : bool
        Whether a mask or a bias may hide every key of a row.
    """
    n_head_kv, shared, n_q, n_k = pairs
    rules: dict[str, Any] = {"causal": causal, "window": window}
    tasks: list[_Task] = []
    for row in range(0, n_q, at_most[0]):
        rows = slice(row, min(row + at_most[0], n_q))
        first, last = row + q_offset, rows.stop - 1 + q_offset
        start, stop = key_range(first, last, n_k, **rules)
        stop = max(start, stop)
        ends = [key_range(position, position, n_k, **rules) for position in (first, last)]
        may_be_blind = narrowed or any(a >= b for a, b in ends)
        unseen = _unseen(first - start, last - start, stop - start, dtype, **rules)
        table_bytes = (rows.stop - row) * max(stop - start, 1) * dtype.itemsize
        at_once = max(1, min(at_most[1] // table_bytes, -(-n_head_kv * shared // workers)))
        tasks += [
            _Task(kv_heads, heads, rows, slice(start, stop), unseen, may_be_blind)
            for kv_heads, heads in _head_slices(n_head_kv, shared, at_once)
        ]
    tasks.reverse()
    step = tasks[0].kv_heads.stop - tasks[0].kv_heads.start if tasks else n_head_kv
    return tuple(tasks), tuple(slice(kv, kv + step) for kv in range(0, n_head_kv, step))


def _unseen(
    first: int, last: int, stop: int, dtype: np.dtype[Any], *, causal: bool, window: int | None
) -> tuple[tuple[slice, FloatArray], ...]:
    """Return what is added to a block's scores so that no row sees what it may not; positions count from its first key.

    Of a narrow block to all of its keys: whole rows are added three times faster than their ends.
    """
    found = []
    for a, b, hidden in hidden_spans(first, last, 0, stop, causal=causal, window=window):
        ends = (0, stop) if stop <= NARROW * (b - a) else (a, b)
        added = np.zeros((last - first + 1, ends[1] - ends[0]), dtype)
        added[:, a - ends[0] : b - ends[0]][hidden] = -np.inf
        found.append((slice(*ends), added))
    return tuple(found)


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


def _work_off(problem: Problem, tasks: deque[_Task], shares: list[_Share]) -> None:
    """Take tasks until none is left; other threads may take from the same deque."""
    scratch, step = np.empty(0, problem.q.dtype), shares[0].kv_heads.stop
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        while True:
            try:
                task = tasks.popleft()
            except IndexError:
                return
            for share in shares[task.kv_heads.start // step : -(-task.kv_heads.stop // step)]:
                share.make_ready(problem)
            size = problem.weights[task.at(task.keys)].size
            if scratch.size < size:
                scratch = np.empty(size, problem.q.dtype)
            _run(problem, task, scratch[:size])


def _run(problem: Problem, task: _Task, scratch: FloatArray) -> None:
    """Work one task off.

    Whatever needs Python alone comes first: where two threads are in Python one of them sleeps, and takes as long to
    wake up as a whole operation.
    """
    cells, seen = task.at(), task.keys
    every = problem.weights[cells]
    weights, output = every[..., seen], problem.output[cells]
    if weights.size == 0:
        every[...] = 0
        output[...] = 0
        return
    scores = scratch.reshape(weights.shape)
    keys, values = (array[task.kv_heads, None, seen] for array in (problem.k, problem.v))
    scoring: list[tuple[Callable[..., object], tuple[Any, ...]]] = [
        (np.matmul, (problem.q[cells], keys.swapaxes(-1, -2), scores)),
        (np.multiply, (scores, problem.q.dtype.type(problem.scale), scores)),
    ]
    if problem.softcap is not None:
        scoring.append((cap_in_place, (scores, problem.softcap)))
    # Before the bias: what that makes infinite where nobody may look, minus infinity would make no number.
    for columns, minus_infinity in task.unseen:
        part = scores[..., columns]
        scoring.append((np.add, (part, minus_infinity, part)))
    if problem.bias is not None:
        scoring.append((np.add, (scores, problem.bias[task.at(seen)], scores)))
    if problem.hidden is not None:
        scoring.append((partial(np.copyto, where=problem.hidden[task.at(seen)]), (scores, -np.inf)))
    many = problem.weights.size >= MANY_PAIRS
    near_0, done = None, False
    if many:
        _do(scoring)
        near_0 = softmax_near_0(scores, out=weights)
        done = near_0 is None
    if not done:
        _do(scoring)
        softmax_in_place(scores, weights, by_product=many, near_0=near_0, may_be_blind=task.may_be_blind)
    np.matmul(weights, values, output)
    if seen.start > 0:
        every[..., : seen.start] = 0
    if seen.stop < every.shape[-1]:
        every[..., seen.stop :] = 0


def _do(calls: list[tuple[Callable[..., object], tuple[Any, ...]]]) -> None:
    for call, arguments in calls:
        call(*arguments)


def cap_in_place(table: FloatArray, softcap: float) -> None:
    """Replace s by c · tanh(s / c) with c = `softcap`."""
    cap = table.dtype.type(softcap)
    np.divide(table, cap, out=table)
    np.tanh(table, out=table)
    np.multiply(table, cap, out=table)
