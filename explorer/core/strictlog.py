"""Java's StrictMath.log, bit for bit, for single floats and whole arrays.

What lives here: one natural logarithm. What does not: any other function, and any use of it.

Java promises that ``StrictMath.log`` returns the same bits on every machine, because it prescribes the algorithm of
fdlibm 5.3 (``__ieee754_log``, Sun Microsystems, 1993). NumPy's ``log`` is as accurate, but rounds differently: about
three of a hundred normally distributed draws of ``java.util.Random`` would differ in their last bits. So the
algorithm is carried here: write x = 2**k * (1 + f) with sqrt(1/2) <= 1 + f < sqrt(2), and approximate log(1 + f) by a
polynomial in (f / (2 + f))**2. The coefficients and the order of every rounding are fdlibm's; nothing below may be
regrouped.

Why single floats have a path of their own: a NumPy call costs more than the whole logarithm of one float, and drawing
single gaussians would be fifteen times slower. A test holds the two paths together, bit for bit.
"""

from __future__ import annotations

import math
import struct
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

_Number = TypeVar("_Number", float, NDArray[np.float64])

_LN2_HIGH = 6.93147180369123816490e-01
_LN2_LOW = 1.90821492927058770002e-10
_LG1 = 6.666666666666735130e-01
_LG2 = 3.999999999940941908e-01
_LG3 = 2.857142874366239149e-01
_LG4 = 2.222219843214978396e-01
_LG5 = 1.818357216161805012e-01
_LG6 = 1.531383769920937332e-01
_LG7 = 1.479819860511658591e-01

WORK_ROWS = 5
_MANTISSA_BITS = 52
_EXPONENT_BIAS = 1023
_SMALLEST_NORMAL = 2.0**-1022
_SUBNORMAL_LIFT = 54
# Added to the bits of x, this carries into the exponent exactly when the fraction is at or above fdlibm's stand-in
# for sqrt(2).
_CARRY_ABOVE_SQRT2 = 0x95F64 << 32
# The upper 20 bits of the fraction decide which formula applies: fdlibm uses the third one inside this band (1 + f
# near 1.4).
_BAND_FIRST, _BAND_LAST = 0x6147A, 0x6B851
_UPPER_FRACTION = 0xFFFFF


def _near_one(k: _Number, f: _Number) -> _Number:
    """Return the logarithm where abs(f) is at most about 2**-20."""
    rest = f * f * (0.5 - 0.33333333333333333 * f)
    return k * _LN2_HIGH - ((rest - k * _LN2_LOW) - f)


def _in_band(k: _Number, f: _Number, s: _Number, r: _Number) -> _Number:
    """Return the logarithm inside the band, where f*f/2 is taken out first."""
    half_square = 0.5 * f * f
    return k * _LN2_HIGH - ((half_square - (s * (half_square + r) + k * _LN2_LOW)) - f)


def strict_log(x: float) -> float:
    """Return the natural logarithm of one float, with the bits of Java's StrictMath.log.

    Parameters
    ----------
    x : float
        Any float: below zero gives NaN, zero gives -inf, and inf and NaN give themselves, as in Java.

    Returns
    -------
    float
    """
    if not x > 0.0:
        return -math.inf if x == 0.0 else math.nan
    if x == math.inf:
        return x
    lift = 0
    if x < _SMALLEST_NORMAL:
        lift = _SUBNORMAL_LIFT
        x *= 2.0**lift
    bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
    k = ((bits + _CARRY_ABOVE_SQRT2) >> _MANTISSA_BITS) - _EXPONENT_BIAS
    f = math.ldexp(x, -k) - 1.0
    exponent = float(k - lift)
    upper = (bits >> 32) & _UPPER_FRACTION
    if (upper + 2) & _UPPER_FRACTION < 3:
        return _near_one(exponent, f)
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    r = z * (_LG1 + w * (_LG3 + w * (_LG5 + w * _LG7))) + w * (_LG2 + w * (_LG4 + w * _LG6))
    if _BAND_FIRST <= upper <= _BAND_LAST:
        return _in_band(exponent, f, s, r)
    return exponent * _LN2_HIGH - ((s * (f - r) - exponent * _LN2_LOW) - f)


def strict_log_normal(x: NDArray[np.float64], work: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    """Write the natural logarithms of normal floats above zero to ``out``, with the bits of Java's StrictMath.log.

    Parameters
    ----------
    x : ndarray of shape (n,)
        float64, contiguous, each at least 2**-1022 and finite. This is not checked: it is the inner loop of the
        gaussians.
    work : ndarray of shape (WORK_ROWS, n)
        Overwritten. Memory that is used again and again stays in the cache; fresh temporaries were measured three
        times slower.
    out : ndarray of shape (n,)
        Must not overlap ``x`` or ``work``.
    """
    bits = x.view(np.int64)
    spare, f, k, s, w = work
    whole = spare.view(np.int64)
    np.add(bits, _CARRY_ABOVE_SQRT2, out=whole)
    whole >>= _MANTISSA_BITS
    whole -= _EXPONENT_BIAS
    fraction_bits = f.view(np.int64)
    np.left_shift(whole, _MANTISSA_BITS, out=fraction_bits)
    np.subtract(bits, fraction_bits, out=fraction_bits)
    f -= 1.0
    np.copyto(k, whole)

    np.add(f, 2.0, out=s)
    np.divide(f, s, out=s)
    z = spare
    np.multiply(s, s, out=z)
    np.multiply(z, z, out=w)
    r = out
    np.multiply(w, _LG7, out=r)
    for coefficient, factor in ((_LG5, w), (_LG3, w), (_LG1, z)):
        r += coefficient
        r *= factor
    even = spare
    np.multiply(w, _LG6, out=even)
    for coefficient in (_LG4, _LG2):
        even += coefficient
        even *= w
    r += even

    # Few elements need another formula (four in a hundred lie in the band): mending them costs less than computing
    # all branches.
    upper = spare.view(np.int64)
    np.right_shift(bits, 32, out=upper)
    upper &= _UPPER_FRACTION
    upper -= _BAND_FIRST
    band = np.flatnonzero(upper.view(np.uint64) <= _BAND_LAST - _BAND_FIRST)
    in_band = _in_band(k[band], f[band], s[band], r[band])
    upper += _BAND_FIRST + 2
    upper &= _UPPER_FRACTION
    near = np.flatnonzero(upper < 3)
    near_one = _near_one(k[near], f[near])

    np.subtract(f, r, out=out)
    out *= s
    np.multiply(k, _LN2_LOW, out=spare)
    out -= spare
    out -= f
    k *= _LN2_HIGH
    np.subtract(k, out, out=out)
    out[band] = in_band
    out[near] = near_one
