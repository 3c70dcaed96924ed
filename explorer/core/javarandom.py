"""The random numbers of java.util.Random, bit for bit, one at a time or millions at once.

What lives here: the generator. What does not: what is drawn with it (`explorer.core.lesson`), and the logarithm that
its gaussians need (`explorer.core.strictlog`).

The algorithm is the one that the Java SE documentation prescribes: a linear congruential generator of 48 bits,
state' = (0x5DEECE66D * state + 0xB) mod 2**48, whose upper bits are the draws, and Marsaglia's polar method for
gaussians.

Why the vectorised path looks as it does:

- k steps of the generator are again one multiplication and one addition, so the states of thousands of attempts are
  computed at once from the same start. Every attempt of the polar method takes exactly four steps, whether it is
  accepted or not; so the attempts lie at fixed places of the stream and rejection is only a mask.
- States are kept times 2**16 in 64 bits: the wrap of unsigned arithmetic is then the modulus, and no masking is
  needed.
- Work is done in place, in blocks that stay in the processor's cache: with fresh temporaries the same arithmetic took
  up to three times as long, depending on what the allocator gave back to the system.
"""

from __future__ import annotations

import functools
import math
from typing import SupportsIndex, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, as_integer, written
from explorer.core.strictlog import WORK_ROWS, strict_log, strict_log_normal

SEED_TOO_WIDE = QT_TRANSLATE_NOOP("core", "seed is {seed}; it must fit into 64 bits, from -2**63 to 2**64 - 1")
BOUND_OUT_OF_RANGE = QT_TRANSLATE_NOOP("core", "bound is {bound}; it must lie between 1 and 2**31 - 1")

_Floats: TypeAlias = NDArray[np.float64]

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_STATE_BITS = 48
_STATE_MASK = (1 << _STATE_BITS) - 1
_LIFT = 64 - _STATE_BITS
_WORD_MASK = (1 << 64) - 1
_TOP_BIT = 1 << 63
_STEPS_PER_ATTEMPT = 4
# Attempts done at once, a power of two. Thirteen million gaussians take 0.21 s with 4096, 0.15 s with 8192, 0.12 s
# with 16384 and 0.11 s with 32768; 16384 still fits the second-level cache of a laptop (1.4 MB with the jumps).
_BLOCK = 1 << 14
_WORK_ROWS = 4 + WORK_ROWS
_ATTEMPTS_PER_PAIR = 4.0 / math.pi


def _jump(steps: int) -> tuple[int, int]:
    """Return (a, c): ``steps`` steps take a lifted state s to a * s + c modulo 2**64."""
    a, c = 1, 0
    a_square, c_square = _MULTIPLIER, _INCREMENT << _LIFT
    while steps:
        if steps & 1:
            a, c = a * a_square & _WORD_MASK, (a_square * c + c_square) & _WORD_MASK
        a_square, c_square = a_square * a_square & _WORD_MASK, (a_square * c_square + c_square) & _WORD_MASK
        steps >>= 1
    return a, c


# From the first state of an attempt to the two words of each of its two coordinates; in the lower words the top bit
# of the state is flipped back (see `_polar_pairs`).
_WORD_JUMPS = tuple(
    tuple((np.uint64(a), np.uint64(c ^ flip)) for (a, c), flip in ((_jump(step), 0), (_jump(step + 1), _TOP_BIT)))
    for step in (0, 2)
)


@functools.cache
def _block_jumps() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """Return the jumps to the first state of each attempt of a block, as two arrays of shape (_BLOCK,)."""
    a = np.ones(_BLOCK, np.uint64)
    c = np.zeros(_BLOCK, np.uint64)
    done = 1
    while done < _BLOCK:
        a_done, c_done = (np.uint64(part) for part in _jump(_STEPS_PER_ATTEMPT * done))
        a[done : 2 * done] = a[:done] * a_done
        c[done : 2 * done] = c[:done] * a_done + c_done
        done *= 2
    a.flags.writeable = False
    c.flags.writeable = False
    return a, c


def _polar_pairs(state: int, work: _Floats) -> tuple[_Floats, _Floats, NDArray[np.intp]]:
    """Try the polar method from ``state`` on, once per column of ``work``.

    Parameters
    ----------
    state : int
        The 48-bit state before the first attempt.
    work : ndarray of shape (_WORK_ROWS, attempts)
        Overwritten; at most ``_BLOCK`` columns. The first two results are views of it.

    Returns
    -------
    points : ndarray of shape (2, accepted)
        The accepted points inside the unit circle.
    factor : ndarray of shape (accepted,)
        What each point is multiplied by to give its two gaussians.
    accepted : ndarray of shape (accepted,)
        Which attempts were accepted, ascending.
    """
    attempts = work.shape[1]
    jumps_a, jumps_c = _block_jumps()
    first, upper, lower = work[:3].view(np.uint64)
    # A flipped top bit makes the coordinate 2 * nextDouble - 1 come out as a signed integer times 2**-52. The flip
    # survives every jump, because odd * 2**63 = 2**63 modulo 2**64; so the first state of an attempt is flipped once,
    # here.
    start = ((_MULTIPLIER * state + _INCREMENT) & _STATE_MASK) << _LIFT
    np.multiply(jumps_a[:attempts], np.uint64(start ^ _TOP_BIT), out=first)
    first += jumps_c[:attempts]

    coordinates = work[3:5]
    squares = work[5:7]
    for axis, coordinate in enumerate(coordinates):
        # nextDouble joins the upper 26 bits of one state with the upper 27 of the next.
        for word, (multiplier, increment) in zip((upper, lower), _WORD_JUMPS[axis], strict=True):
            np.multiply(first, multiplier, out=word)
            np.add(word, increment, out=word)
        joined = upper.view(np.int64)
        joined &= -1 << 38
        joined >>= 11
        lower >>= np.uint64(37)
        joined |= lower.view(np.int64)
        np.copyto(coordinate, joined)
        np.multiply(coordinate, 2.0**-52, out=coordinate)
        np.multiply(coordinate, coordinate, out=squares[axis])
    all_radii = squares[0]
    all_radii += squares[1]
    accepted = np.flatnonzero((all_radii < 1.0) & (all_radii != 0.0))

    rows = work[:, : accepted.size]
    points, radius, factor, log_work = rows[:2], rows[2], rows[3], rows[4:]
    # mode="clip" is what lets take write into `out` without a buffer; every index is in range.
    for coordinate, point in zip(coordinates, points, strict=True):
        coordinate.take(accepted, out=point, mode="clip")
    all_radii.take(accepted, out=radius, mode="clip")
    strict_log_normal(radius, log_work, factor)
    factor *= -2.0
    factor /= radius
    np.sqrt(factor, out=factor)
    return points, factor, accepted


class JavaRandom:
    """Draw what java.util.Random draws, bit for bit.

    Single draws and arrays of gaussians may be mixed in any order: they advance one stream, and the second gaussian
    of a pair that is still to be handed out is handed out first, as in Java.

    Parameters
    ----------
    seed : int
        A Java ``long``, -2**63 to 2**63 - 1; 2**63 to 2**64 - 1 are read as the unsigned spelling of the negative
        ones. As in Java only the lowest 48 bits matter. Beyond 64 bits a seed is refused rather than cut: Java could
        not hold it.

    Raises
    ------
    InputError
        If the seed is not a whole number or needs more than 64 bits.

    Notes
    -----
    Source: the Java SE documentation of ``java.util.Random``, which prescribes the algorithm of every method.
    """

    def __init__(self, seed: SupportsIndex) -> None:
        self.set_seed(seed)

    def set_seed(self, seed: SupportsIndex) -> None:
        """Start again from ``seed``, as a new generator would.

        Parameters
        ----------
        seed : int
            As for the constructor.

        Raises
        ------
        InputError
            If the seed is not a whole number or needs more than 64 bits.
        """
        number = as_integer("seed", seed)
        if not -(1 << 63) <= number < 1 << 64:
            raise InputError(SEED_TOO_WIDE, seed=written(number))
        self._state = (number ^ _MULTIPLIER) & _STATE_MASK
        self._steps = 0
        self._kept: float | None = None

    @property
    def state(self) -> int:
        """The 48-bit state of the generator."""
        return self._state

    @property
    def steps(self) -> int:
        """How many steps the generator took since it was seeded; an attempt at a pair of gaussians takes four."""
        return self._steps

    def _next(self, bits: int) -> int:
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _STATE_MASK
        self._steps += 1
        return self._state >> (_STATE_BITS - bits)

    def next_int(self, bound: SupportsIndex | None = None) -> int:
        """Return the next 32-bit integer, or one from 0 to ``bound`` - 1.

        Parameters
        ----------
        bound : int, optional
            1 to 2**31 - 1. Without it all 2**32 integers from -2**31 on are possible.

        Returns
        -------
        int

        Raises
        ------
        InputError
            If the bound is not a whole number from 1 to 2**31 - 1.
        """
        if bound is None:
            return (self._next(32) ^ (1 << 31)) - (1 << 31)
        limit = as_integer("bound", bound)
        if not 1 <= limit < 1 << 31:
            raise InputError(BOUND_OUT_OF_RANGE, bound=written(limit))
        if limit & (limit - 1) == 0:
            return (limit * self._next(31)) >> 31
        while True:
            # Draws from the last, incomplete run of `limit` numbers would favour small ones: Java detects them by
            # overflow.
            drawn = self._next(31)
            value = drawn % limit
            if drawn - value + limit - 1 < 1 << 31:
                return value

    def next_long(self) -> int:
        """Return the next 64-bit integer, -2**63 to 2**63 - 1.

        Returns
        -------
        int
        """
        upper = self.next_int()
        return (((upper << 32) + self.next_int() + _TOP_BIT) & _WORD_MASK) - _TOP_BIT

    def next_double(self) -> float:
        """Return the next float64 from 0 (included) to 1 (excluded).

        Returns
        -------
        float
        """
        upper = self._next(26)
        return ((upper << 27) + self._next(27)) * 2.0**-53

    def next_float(self) -> float:
        """Return the next float32 from 0 (included) to 1 (excluded), held exactly in a Python float.

        Returns
        -------
        float
        """
        return self._next(24) * 2.0**-24

    def next_boolean(self) -> bool:
        """Return the next bit.

        Returns
        -------
        bool
        """
        return self._next(1) != 0

    def next_gaussian(self) -> float:
        """Return the next draw of the standard normal distribution.

        Returns
        -------
        float
        """
        if self._kept is not None:
            kept, self._kept = self._kept, None
            return kept
        while True:
            first = 2.0 * self.next_double() - 1.0
            second = 2.0 * self.next_double() - 1.0
            radius = first * first + second * second
            if 0.0 < radius < 1.0:
                factor = math.sqrt(-2.0 * strict_log(radius) / radius)
                self._kept = second * factor
                return first * factor

    def gaussians(self, n: SupportsIndex) -> _Floats:
        """Return the next ``n`` draws of the standard normal distribution.

        Parameters
        ----------
        n : int
            How many, 0 or more. The same numbers come whether they are asked for at once or in parts.

        Returns
        -------
        ndarray of shape (n,)
            float64.

        Raises
        ------
        InputError
            If ``n`` is negative or not a whole number.
        """
        count = as_integer("n", n, least=0)
        result = np.empty(count)
        work: _Floats | None = None
        filled = 0
        if count and self._kept is not None:
            result[0], self._kept = self._kept, None
            filled = 1
        while filled < count:
            pairs = (count - filled + 1) // 2
            # A little more than the expected number of attempts, so that the last block is seldom followed by
            # another.
            attempts = min(_BLOCK, int(pairs * _ATTEMPTS_PER_PAIR + 2.0 * math.sqrt(pairs)) + 2)
            if work is None or work.shape[1] < attempts:
                work = np.empty((_WORK_ROWS, attempts))
            points, factor, accepted = _polar_pairs(self._state, work[:, :attempts])
            if accepted.size >= pairs:
                # Attempts after the last pair that is wanted were not made, not even rejected ones.
                attempts = int(accepted[pairs - 1]) + 1
                points, factor = points[:, :pairs], factor[:pairs]
            self._advance(_STEPS_PER_ATTEMPT * attempts)
            end = filled + 2 * factor.size
            np.multiply(points[0], factor, out=result[filled:end:2])
            if end > count:
                self._kept = float(points[1, -1] * factor[-1])
                np.multiply(points[1, :-1], factor[:-1], out=result[filled + 1 : count : 2])
            else:
                np.multiply(points[1], factor, out=result[filled + 1 : end : 2])
            filled = end
        return result

    def _advance(self, steps: int) -> None:
        a, c = _jump(steps)
        self._state = (self._state * a + (c >> _LIFT)) & _STATE_MASK
        self._steps += steps
