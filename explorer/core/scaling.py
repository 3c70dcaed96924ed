"""Why scores are divided: what happens to q·k and to its softmax as heads grow.

What lives here: the measurement of Example 5 for any head sizes, numbers of draws and divisors. What does not: the
random numbers themselves (`explorer.core.javarandom`), the exact distribution that is sampled
(`explorer.core.dot_distribution`), and how any of it is drawn.

The measurement takes its gaussians from one stream, in chunks: the lesson's own sizes need thirteen million of them,
which would be 105 MB at once. Products are added one after the other, not pairwise as NumPy's sum would: only so do
the digits come out as a plain loop gives them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError, as_integer
from explorer.core.javarandom import JavaRandom

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

Floats: TypeAlias = NDArray[np.float64]

UNKNOWN_DIVISOR = QT_TRANSLATE_NOOP("core", "divisor {name!r} is not known; it may be {choices}")
NO_D_MODEL = QT_TRANSLATE_NOOP("core", "the divisor sqrt_d_model needs d_model, which was not given")

#: A softmax whose Jacobian's norm is below this passes practically no gradient on.
VANISHING: Final = 1e-3
_CHUNK_GAUSSIANS = 1 << 17

DIVISORS: Final[Mapping[str, Callable[[int, int], float]]] = MappingProxyType(
    {
        "none": lambda d_head, d_model: 1.0,  # noqa: ARG005
        "sqrt_d_head": lambda d_head, d_model: math.sqrt(d_head),  # noqa: ARG005
        "d_head": lambda d_head, d_model: float(d_head),  # noqa: ARG005
        "sqrt_d_model": lambda d_head, d_model: math.sqrt(d_model),  # noqa: ARG005
    }
)


class Cancelled(Exception):  # noqa: N818 - it says what happened; nothing went wrong
    """The caller asked for the measurement to stop."""


class StreamMark(NamedTuple):
    """Where the stream of random numbers stood.

    Attributes
    ----------
    gaussians : int
        How many this measurement had drawn.
    steps, state : int
        Those of :class:`JavaRandom`.
    last, second_last : float
        The last two gaussians; NaN before there are any.
    """

    gaussians: int
    steps: int
    state: int
    last: float
    second_last: float


@dataclass(frozen=True, slots=True, eq=False)
class Concentration:
    """How concentrated softmax is when the scores are divided by one number.

    Attributes
    ----------
    divisor : float
    largest : ndarray of shape (trials,)
        The largest attention weight of each trial.
    jacobian : ndarray of shape (trials,)
        The Frobenius norm of softmax's Jacobian, diag(w) - w wᵀ, at each trial's attention weights w: 0 for one-hot
        weights, which pass no gradient on.
    """

    divisor: float
    largest: Floats
    jacobian: Floats

    @property
    def sum_of_largest(self) -> float:
        """Return the sum over trials, added one after the other."""
        return float(_sum_in_order(self.largest))

    @property
    def mean_largest(self) -> float:
        """Return the mean largest attention weight."""
        return self.sum_of_largest / self.largest.size

    @property
    def jacobian_median(self) -> float:
        """Return the median norm of the Jacobian."""
        return float(np.median(self.jacobian))

    @property
    def vanishing_share(self) -> float:
        """Return the share of trials, 0 to 1, whose Jacobian's norm is below `VANISHING`."""
        return float((self.jacobian < VANISHING).mean())


@dataclass(frozen=True, slots=True, eq=False)
class HeadSizeResult:
    """What was measured for one head size.

    Attributes
    ----------
    d_head : int
    dots : ndarray of shape (pairs,)
        q·k of independent pairs.
    scores : ndarray of shape (trials, keys)
        q·k of independent pairs again, as rows for softmax.
    concentrations : dict of str to Concentration
        For each divisor asked for, by name.
    after_pairs, after_trials : StreamMark
    """

    d_head: int
    dots: Floats
    scores: Floats
    concentrations: Mapping[str, Concentration]
    after_pairs: StreamMark
    after_trials: StreamMark

    @property
    def sum_of_squares(self) -> float:
        """Return the sum of the squared dot products, added one after the other."""
        return float(_sum_in_order(self.dots * self.dots))

    @property
    def std(self) -> float:
        """Return the root of the mean square of q·k, whose mean is 0."""
        return math.sqrt(self.sum_of_squares / self.dots.size)

    @property
    def sqrt_d(self) -> float:
        """Return √d_head, what `std` should be."""
        return math.sqrt(self.d_head)


def divisor_value(name: str, d_head: int, d_model: int | None = None) -> float:
    """Return the number that scores are divided by.

    Parameters
    ----------
    name : {"none", "sqrt_d_head", "d_head", "sqrt_d_model"}
    d_head : int
    d_model : int, optional
        Needed for ``"sqrt_d_model"`` only.

    Returns
    -------
    float

    Raises
    ------
    InputError
        If there is no divisor of that name, or d_model is needed and missing.
    """
    if name not in DIVISORS:
        raise InputError(UNKNOWN_DIVISOR, name=name, choices=Choices(DIVISORS))
    if name == "sqrt_d_model" and d_model is None:
        raise InputError(NO_D_MODEL)
    return DIVISORS[name](d_head, d_model or 0)


def softmax_jacobian_norm(weights: Floats, axis: int = -1) -> Floats:
    """Return the Frobenius norm of softmax's Jacobian at given attention weights.

    Parameters
    ----------
    weights : ndarray of shape (..., n_k)
        Rows that sum to 1.
    axis : int
        Along which they do.

    Returns
    -------
    ndarray of shape (...)
        √(Σᵢⱼ (wᵢ (δᵢⱼ - wⱼ))²), the diagonal and twice what is below it, where an entry's square is the product of two
        weights' squares. Nothing is subtracted but from 1: the shorter Σw² - 2Σw³ + (Σw²)² loses all its digits where
        it matters, next to one-hot weights.
    """
    with np.errstate(under="ignore"):
        by_key = np.moveaxis(weights, axis, 0)
        squares, diagonal = by_key * by_key, by_key * (1.0 - by_key)
        diagonal *= diagonal
        below, before = np.zeros(squares.shape[1:]), np.zeros(squares.shape[1:])
        for square in squares:
            below += square * before
            before += square
        return np.asarray(np.sqrt(_over_first(diagonal) + 2.0 * below), np.float64)


def softmax_powers(scores: Floats, divisors: Floats) -> tuple[Floats, Floats]:
    """Return the powers of e that softmax divides by their sum, and that sum, for several divisors of the scores.

    Parameters
    ----------
    scores : ndarray of shape (..., trials, n_k)
    divisors : ndarray of shape (..., n)

    Returns
    -------
    powers : ndarray of shape (n_k, ..., n, trials)
        Keys come first: rows are short and many, and NumPy adds up short rows several times slower than long columns.
        The largest of each row is 1.
    total : ndarray of shape (..., n, trials)
        Their sum, one key after the other.
    """
    by_key = np.ascontiguousarray(np.moveaxis(scores, -1, 0))
    powers = by_key[..., None, :] / divisors[..., None]
    powers -= powers.max(axis=0)
    with np.errstate(under="ignore"):
        np.exp(powers, out=powers)
    return powers, _over_first(powers)


def shares(powers: Floats, total: Floats) -> Floats:
    """Return powers divided by their sum, in their place: a tiny share may fall among the subnormal numbers."""
    with np.errstate(under="ignore"):
        return np.asarray(np.divide(powers, total, out=powers))


def _over_first(terms: Floats) -> Floats:
    """Return the sum over the first axis, rounded after every addition as a plain loop would."""
    total: Floats = terms[0].copy()
    for term in terms[1:]:
        total += term
    return total


def concentration(scores: Floats, divisor: float) -> Concentration:
    """Return how concentrated the softmax of each row is after dividing by `divisor`.

    Parameters
    ----------
    scores : ndarray of shape (trials, keys)
    divisor : float

    Returns
    -------
    Concentration
    """
    powers, total = softmax_powers(scores, np.array([divisor]))
    return Concentration(divisor, 1.0 / total[0], softmax_jacobian_norm(shares(powers, total), axis=0)[0])


def measure(
    head_sizes: Sequence[int],
    pairs: int,
    trials: int,
    keys: int = 8,
    seed: int = 5,
    *,
    divisors: Sequence[str] = ("none", "sqrt_d_head"),
    d_model: int | None = None,
    random: JavaRandom | None = None,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[HeadSizeResult, ...]:
    """Measure the spread of q·k and the concentration of softmax for several head sizes.

    Queries and keys are standard normal numbers. For each head size first `pairs` dot products are drawn, then `trials`
    rows of `keys` dot products; products take two successive gaussians each.

    Parameters
    ----------
    head_sizes : sequence of int
        Each 1 or more.
    pairs, trials, keys : int
        1 or more.
    seed : int
        Any seed of :class:`JavaRandom`.
    divisors : sequence of str
        Names of :func:`divisor_value`.
    d_model : int, optional
        For the divisor ``"sqrt_d_model"``.
    random : JavaRandom, optional
        Drawn from in place of a new generator of `seed`.
    progress : callable, optional
        Called after each chunk with the share that is done, 0 to 1.
    cancelled : callable, optional
        Asked before each chunk; the measurement stops when it returns True.

    Returns
    -------
    tuple of HeadSizeResult
        In the order of `head_sizes`.

    Raises
    ------
    Cancelled
        When `cancelled` returned True.
    InputError
        For sizes below 1 and unknown divisors.
    """
    sizes = [as_integer("head_sizes", d, least=1) for d in head_sizes]
    pairs, trials, keys = (
        as_integer(name, value, least=1) for name, value in (("pairs", pairs), ("trials", trials), ("keys", keys))
    )
    amounts = {d: {name: divisor_value(name, d, d_model) for name in divisors} for d in sizes}
    random = JavaRandom(seed) if random is None else random
    stream = _Stream(
        random.gaussians,
        total=2 * sum(sizes) * (pairs + trials * keys),
        progress=progress,
        cancelled=cancelled,
    )
    results = []
    for d in sizes:
        dots = stream.dots(pairs, d)
        after_pairs = stream.mark(random)
        scores = stream.dots(trials * keys, d).reshape(trials, keys)
        results.append(
            HeadSizeResult(
                d_head=d,
                dots=dots,
                scores=scores,
                concentrations=MappingProxyType({name: concentration(scores, by) for name, by in amounts[d].items()}),
                after_pairs=after_pairs,
                after_trials=stream.mark(random),
            )
        )
    return tuple(results)


def draw_scores(
    head_sizes: Sequence[int],
    count: int,
    draw: Callable[[int], Floats],
    *,
    progress: Callable[[float], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> Floats:
    """Draw scores q·k of standard normal queries and keys for several head sizes.

    Parameters
    ----------
    head_sizes : sequence of int
        Each 1 or more.
    count : int
        How many scores of each.
    draw : callable
        ``draw(n)`` returns the next n numbers of the stream; products take two successive ones each.
    progress, cancelled : callable, optional
        As for :func:`measure`, which draws the same scores and measures them.

    Returns
    -------
    ndarray of shape (len(head_sizes), count)

    Raises
    ------
    Cancelled
        When `cancelled` returned True.
    """
    stream = _Stream(draw, total=2 * sum(head_sizes) * count, progress=progress, cancelled=cancelled)
    return np.array([stream.dots(count, d) for d in head_sizes])


class _Stream:
    """Dot products out of one stream of gaussians, with progress and cancelling at every chunk."""

    def __init__(
        self,
        draw: Callable[[int], Floats],
        *,
        total: int,
        progress: Callable[[float], None] | None,
        cancelled: Callable[[], bool] | None,
    ) -> None:
        self._draw = draw
        self._total = total
        self._progress = progress
        self._cancelled = cancelled
        self._drawn = 0
        self._last = (math.nan, math.nan)

    def dots(self, count: int, d: int) -> Floats:
        """Return the next `count` dot products of vectors of `d` numbers."""
        result = np.zeros(count)
        rows_at_once = max(1, _CHUNK_GAUSSIANS // (2 * d))
        for first in range(0, count, rows_at_once):
            rows = min(rows_at_once, count - first)
            for products in self._products(rows, d):
                products[:, 0] += result[first : first + rows]
                result[first : first + rows] = _sum_in_order(products)
        return result

    def _products(self, rows: int, d: int) -> Iterator[Floats]:
        """Yield the products of `rows` dot products, (rows, d); those of one very long row in parts."""
        width = min(d, _CHUNK_GAUSSIANS // 2)
        for done in range(0, d, width):
            if self._cancelled is not None and self._cancelled():
                raise Cancelled
            gaussians = self._draw(2 * rows * min(width, d - done))
            self._drawn += gaussians.size
            self._last = (float(gaussians[-2]), float(gaussians[-1]))
            yield (gaussians[0::2] * gaussians[1::2]).reshape(rows, -1)
            if self._progress is not None:
                self._progress(self._drawn / self._total)

    def mark(self, random: JavaRandom) -> StreamMark:
        """Return where the stream stands, and the generator that it draws from."""
        second_last, last = self._last
        return StreamMark(self._drawn, random.steps, random.state, last, second_last)


def _sum_in_order(terms: Floats) -> Floats:
    """Return the sum over the last axis, rounded after every addition as a plain loop would."""
    if terms.ndim > 1 and terms.shape[-1] < len(terms):
        return _over_first(np.moveaxis(terms, -1, 0))  # a few long columns, where NumPy is several times faster
    return np.asarray(np.add.accumulate(terms, axis=-1)[..., -1], np.float64)
