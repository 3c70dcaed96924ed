"""Ops of why scores are divided: scores are drawn, and what softmax makes of them is measured.

What is drawn comes from one stream of random numbers, as `explorer.core.scaling` takes it: for each head size first the
scores whose spread is measured, then rows of scores for softmax. Only the drawing and the Jacobians leave the GUI
thread, when they are many; everything else is read off their results.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final

import numpy as np

from explorer.core import scaling
from explorer.core.expression import Cell, Expression, Number, Operation, Result, dot, total
from explorer.core.javarandom import JavaRandom
from explorer.core.ops import attention, spread_source
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell
from explorer.core.softmax import softmax_rows

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

#: The divisors that are compared, in the order of the columns.
DIVISORS: Final = ("none", "sqrt_d_head", "d_head", "sqrt_d_model")
#: A histogram goes from −REACH to +REACH times √d_head, in so many bars.
REACH: Final = 4.0
BARS: Final = 48
#: Where one bar ends and the next begins; the last one holds its right end.
_CUTS: Final = np.append(np.linspace(-REACH, REACH, BARS + 1)[:-1], np.nextafter(REACH, np.inf))
#: So many attention weights are computed at once: what fits the processor's cache.
AT_ONCE: Final = 1 << 16
#: So many gaussians and weights are done with in about 3 ms, and then nobody needs to wait for another thread.
QUICK_GAUSSIANS: Final = 1 << 18
QUICK_WEIGHTS: Final = 1 << 17
_SKIP: Final = 1 << 16
#: Sums of more terms than `TOLD` are explained by the first `HEAD` of them and the rest as one number.
TOLD, HEAD = 64, 3
_SOFTMAX: Final = attention.softmax().helpers[0]


def _whole(array: Array) -> int:
    return int(array)


def _sizes(head_sizes: Array) -> list[int]:
    return [int(d) for d in head_sizes.ravel()]


def _count(pairs: Array, trials: Array, keys: Array) -> int:
    return _whole(pairs) + _whole(trials) * _whole(keys)


def _stream(seed: int, total: int) -> Callable[[int], Array]:
    """Return what draws the next numbers of a seed's stream; `total` of them will be asked for."""
    if total > QUICK_GAUSSIANS:
        return JavaRandom(seed).gaussians
    drawn, at = _first_gaussians(seed, (total - 1).bit_length()), 0

    def draw(count: int) -> Array:
        nonlocal at
        at += count
        return drawn[at - count : at]

    return draw


@lru_cache(maxsize=4)
def _first_gaussians(seed: int, bits: int) -> Array:
    """Return the first 2**bits numbers of a seed; kept, because most edits leave the seed as it is."""
    drawn = JavaRandom(seed).gaussians(1 << bits)
    drawn.flags.writeable = False
    return drawn


def draws() -> Op:
    """Draw raw scores q·k: inputs are the head sizes (n, 1), pairs, trials, keys and the seed.

    The result is (n, pairs + trials · keys).
    """

    def apply(
        head_sizes: Array,
        pairs: Array,
        trials: Array,
        keys: Array,
        seed: Array,
        *,
        progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Array:
        sizes, count = _sizes(head_sizes), _count(pairs, trials, keys)
        draw = _stream(_whole(seed), 2 * sum(sizes) * count)
        return scaling.draw_scores(sizes, count, draw, progress=progress, cancelled=cancelled)

    def terms(arrays: Arrays, _names: Names, index: Index) -> Expression:
        row, at = index
        sizes = _sizes(arrays[0])
        a_row = _count(*arrays[1:4])
        stream = JavaRandom(_whole(arrays[4]))
        before = 2 * (sum(sizes[:row]) * a_row + sizes[row] * at)
        while before > 0:
            before -= stream.gaussians(min(before, _SKIP)).size
        drawn = stream.gaussians(2 * sizes[row]).tolist()
        return dot([(_drawn(q), _drawn(k)) for q, k in zip(drawn[::2], drawn[1::2], strict=True)])

    def source(names: Names) -> str:
        return f"draw_scores({', '.join(names)})"

    def quick(head_sizes: Array, pairs: Array, trials: Array, keys: Array, _seed: Array) -> bool:
        return 2 * sum(_sizes(head_sizes)) * _count(pairs, trials, keys) <= QUICK_GAUSSIANS

    return Op("draws", apply, terms, source, (spread_source.DRAWS,), slow=True, quick=quick)


def _long_sum(count: int, term: Callable[[int], Expression], rest: Callable[[int], float]) -> Expression:
    """Add up terms; of very many only the first ones are told apart, as nobody would read them.

    Parameters
    ----------
    count : int
        How many terms there are.
    term : callable
        ``term(at)`` returns one of them.
    rest : callable
        ``rest(first)`` returns the sum of those from `first` on.
    """
    if count <= TOLD:
        return total([term(at) for at in range(count)])
    others = Result(Number(rest(HEAD), ""), label=f"… {count - HEAD:,} more")
    return Operation("sum", (*(term(at) for at in range(HEAD)), others))


def _drawn(value: float) -> Result:
    return Result(Number(value, f"{value:.3g}"))


def spread() -> Op:
    """Measure the spread of the first `pairs` scores: inputs are the draws, the head sizes and pairs.

    The result is (n, 2): the root of the mean square, and √d_head, which it should be.
    """

    def apply(drawn: Array, head_sizes: Array, pairs: Array) -> Array:
        count = _whole(pairs)
        squares = np.add.accumulate(drawn[:, :count] ** 2, axis=-1)[:, -1]
        return np.stack([np.sqrt(squares / count), np.sqrt(head_sizes[:, 0])], axis=-1)

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        row, column = index
        if column == 1:
            return Operation("root", (cell(arrays, names, 1, row, 0),))
        count = _whole(arrays[2])

        def square(at: int) -> Expression:
            score = cell(arrays, names, 0, row, at)
            return Operation("product", (score, score))

        squares = _long_sum(count, square, lambda first: float((arrays[0][row, first:count] ** 2).sum()))
        return Operation("root", (Operation("quotient", (squares, Number(count, f"{count}"))),))

    def source(names: Names) -> str:
        drawn, head_sizes, pairs = names
        squares = f"np.add.accumulate({drawn}[:, :int({pairs})] ** 2, axis=-1)[:, -1]"
        return f"np.stack([np.sqrt({squares} / int({pairs})), np.sqrt({head_sizes}[:, 0])], axis=-1)"

    return Op("spread", apply, terms, source)


def counts() -> Op:
    """Count the first `pairs` scores in bars from −4·√d to 4·√d: inputs are the draws, the head sizes and pairs."""

    def apply(drawn: Array, head_sizes: Array, pairs: Array) -> Array:
        rows = np.sort(drawn[:, : _whole(pairs)] / np.sqrt(head_sizes), axis=-1)
        below = np.array([row.searchsorted(_CUTS) for row in rows])
        return np.asarray(below[:, 1:] - below[:, :-1], np.float64)

    def terms(arrays: Arrays, _names: Names, index: Index) -> Expression:
        row, bar = index
        count = float(apply(arrays[0][row : row + 1], arrays[1][row : row + 1], arrays[2])[0, bar])
        return Number(count, f"{count:.0f}")

    def source(names: Names) -> str:
        drawn, head_sizes, pairs = names
        rows = f"{drawn}[:, :int({pairs})] / np.sqrt({head_sizes})"
        histogram = f"np.histogram(row, {BARS}, ({-REACH!r}, {REACH!r}))[0]"
        return f"np.array([{histogram} for row in {rows}], np.float64)"

    return Op("counts", apply, terms, source)


# --- what softmax makes of them ---


def _rows_for_softmax(drawn: Array, pairs: Array, keys: Array) -> Array:
    """Return the scores of the trials, (n, trials, keys)."""
    return drawn[:, _whole(pairs) :].reshape(drawn.shape[0], -1, _whole(keys))


def _divisors(head_sizes: Array, d_model: Array) -> Array:
    """Return what scores are divided by, (n, divisors)."""
    return np.array(
        [[scaling.divisor_value(name, d, _whole(d_model)) for name in DIVISORS] for d in _sizes(head_sizes)]
    )


def _trials(drawn: Array, pairs: Array, keys: Array) -> int:
    return int(drawn.shape[1] - _whole(pairs)) // _whole(keys)


def _powers(
    drawn: Array, head_sizes: Array, pairs: Array, keys: Array, d_model: Array
) -> Iterator[tuple[slice, Array, Array]]:
    """Iterate over what softmax divides, and by what, as `scaling.softmax_powers` has it, some trials at a time.

    Each time which trials, the powers (keys, n, divisors, trials), and their sums (n, divisors, trials).
    """
    rows, by = _rows_for_softmax(drawn, pairs, keys), _divisors(head_sizes, d_model)
    trials = rows.shape[1]
    at_once = max(AT_ONCE // (by.size * rows.shape[2]), 1)
    for first in range(0, trials, at_once):
        part = slice(first, min(first + at_once, trials))
        yield part, *scaling.softmax_powers(rows[:, part], by)


def _weight(arrays: Arrays, names: Names, index: Index, key: int) -> Expression:
    """Return one attention weight of a trial; inputs begin with draws, head sizes, pairs, keys and d_model."""
    row, column, trial = index
    keys = _whole(arrays[3])
    first = _whole(arrays[2]) + trial * keys
    divisor = float(_divisors(arrays[1], arrays[4])[row, column])
    by = Number(divisor, f"{divisor:.6g}")
    scores = [cell(arrays, names, 0, row, first + j) for j in range(keys)]
    top = max(scores, key=lambda one: one.value / divisor)

    def power(one: Cell) -> Expression:
        return Operation("exp", (Operation("quotient", (Operation("difference", (one, top)), by)),))

    return Operation("quotient", (power(scores[key]), total([Result(power(one)) for one in scores])))


def _largest_key(arrays: Arrays, index: Index) -> int:
    row, _, trial = index
    keys = _whole(arrays[3])
    first = _whole(arrays[2]) + trial * keys
    return int(np.argmax(arrays[0][row, first : first + keys]))


def largest() -> Op:
    """Average the largest attention weight of each trial: inputs are draws, head sizes, pairs, keys and d_model.

    The result is (n, divisors).
    """

    def apply(drawn: Array, head_sizes: Array, pairs: Array, keys: Array, d_model: Array) -> Array:
        tops = np.empty((head_sizes.size, len(DIVISORS), _trials(drawn, pairs, keys)))
        for part, _, sums in _powers(drawn, head_sizes, pairs, keys, d_model):
            tops[:, :, part] = 1.0 / sums  # the power of the largest score is 1
        return np.asarray(np.add.accumulate(tops, axis=-1)[..., -1] / tops.shape[-1])

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        row, column = index
        rows = _rows_for_softmax(arrays[0][row : row + 1], arrays[2], arrays[3])[0]
        by = _divisors(arrays[1], arrays[4])[row, column]

        def top(trial: int) -> Expression:
            at = (row, column, trial)
            return Result(_weight(arrays, names, at, _largest_key(arrays, at)))

        tops = _long_sum(len(rows), top, lambda first: float(softmax_rows(rows[first:] / by).max(axis=-1).sum()))
        return Operation("quotient", (tops, Number(len(rows), f"{len(rows)}")))

    def source(names: Names) -> str:
        return f"largest_weights({', '.join(names)})"

    return Op("largest", apply, terms, source, (spread_source.POWERS, spread_source.LARGEST))


def norms() -> Op:
    """Take the size of softmax's Jacobian, ‖∂w/∂s‖, at each trial: inputs are draws, head sizes, pairs, keys, d_model.

    The result is (n, divisors, trials): the Frobenius norm of diag(w) − w wᵀ.
    """

    def apply(
        drawn: Array,
        head_sizes: Array,
        pairs: Array,
        keys: Array,
        d_model: Array,
        *,
        progress: Callable[[float], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> Array:
        trials = _trials(drawn, pairs, keys)
        found = np.empty((head_sizes.size, len(DIVISORS), trials))
        for part, powers, sums in _powers(drawn, head_sizes, pairs, keys, d_model):
            if cancelled is not None and cancelled():
                raise scaling.Cancelled
            found[:, :, part] = scaling.softmax_jacobian_norm(scaling.shares(powers, sums), axis=0)
            if progress is not None:
                progress(part.stop / trials)
        return found

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        keys = range(_whole(arrays[3]))
        weights = [Result(_weight(arrays, names, index, key)) for key in keys]
        squares = []
        for i in keys:
            for j in keys:
                rest = Operation("difference", (Number(1.0 if i == j else 0.0, "1" if i == j else "0"), weights[j]))
                entry = Operation("product", (weights[i], rest))
                squares.append(Operation("product", (entry, entry)))
        return Operation("root", (total(squares),))

    def source(names: Names) -> str:
        return f"jacobian_norms({', '.join(names)})"

    def quick(drawn: Array, head_sizes: Array, pairs: Array, _keys: Array, _d_model: Array) -> bool:
        weights = head_sizes.size * len(DIVISORS) * (drawn.shape[1] - _whole(pairs))
        return bool(weights <= QUICK_WEIGHTS)

    sources = (spread_source.POWERS, spread_source.NORMS)
    return Op("norms", apply, terms, source, sources, slow=True, quick=quick)


def median() -> Op:
    """Take the median over the last axis."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        values = arrays[0][index]
        order = np.argsort(values, kind="stable").tolist()
        middle = len(order) // 2
        if len(order) % 2:
            return cell(arrays, names, 0, *index, order[middle])
        two = [cell(arrays, names, 0, *index, order[at]) for at in (middle - 1, middle)]
        return Operation("quotient", (total(two), Number(2.0, "2")))

    def apply(values: Array) -> Array:
        # Sorting everything is faster than np.median, which searches for NaN and for the middle alone.
        ordered, middle = np.sort(values, axis=-1), values.shape[-1] // 2
        if values.shape[-1] % 2:
            return np.asarray(ordered[..., middle])
        return np.asarray((ordered[..., middle - 1] + ordered[..., middle]) / 2)

    return Op("median", apply, terms, lambda names: f"np.median({names[0]}, axis=-1)")


def share_below(limit: float) -> Op:
    """Return which share of the last axis lies below a limit, 0 to 1."""

    def terms(arrays: Arrays, _names: Names, index: Index) -> Expression:
        values = arrays[0][index]
        below = int((values < limit).sum())
        return Operation("quotient", (Number(below, f"{below}"), Number(values.size, f"{values.size}")))

    return Op(
        "share_below",
        lambda values: np.asarray((values < limit).mean(axis=-1)),
        terms,
        lambda names: f"({names[0]} < {limit!r}).mean(axis=-1)",
    )
