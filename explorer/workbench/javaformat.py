"""Numbers written as Java writes them.

What lives here: the few formats that the lesson's programs print with. What does not: how the app itself shows numbers.

Two habits of Java differ from Python's. Its formatter rounds halves away from zero, and it rounds the shortest decimal
that stands for the number rather than the number itself: ``%.1f`` of 0.15 is 0.2, although the nearest float64 lies
below 0.15. And ``Float.toString`` writes as many digits as tell a float32 from its neighbours, always with a digit
behind the point, and in powers of ten outside 10⁻³ to 10⁷.
"""

from __future__ import annotations

import decimal
import math
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

# Wide enough for every float64 written out in full, so that quantize never gives up.
_CONTEXT = decimal.Context(prec=1200, rounding=decimal.ROUND_HALF_UP)


def float_text(value: float) -> str:
    """Write a float32 as ``Float.toString`` does.

    Parameters
    ----------
    value : float
        Rounded to float32 first.

    Returns
    -------
    str
    """
    return _shortest(np.float32(value))


def double_text(value: float) -> str:
    """Write a float64 as ``Double.toString`` does.

    Parameters
    ----------
    value : float

    Returns
    -------
    str
    """
    return _shortest(np.float64(value))


def array_text(values: Iterable[float], element: Callable[[float], str] = float_text) -> str:
    """Write an array as ``Arrays.toString`` does: ``[0.5, 1.0]``.

    Parameters
    ----------
    values : iterable of float
    element : callable
        How one number is written.

    Returns
    -------
    str
    """
    return f"[{', '.join(element(value) for value in values)}]"


def fixed(value: float, digits: int, width: int = 0) -> str:
    """Write a number as Java's ``%width.digitsf`` does.

    Parameters
    ----------
    value : float
        A float32 is widened first, as Java does.
    digits : int
        Digits behind the point, 0 or more.
    width : int
        Filled up with spaces on the left.

    Returns
    -------
    str
    """
    number = float(value)
    if math.isfinite(number):
        text = f"{decimal.Decimal(repr(number)).quantize(decimal.Decimal(1).scaleb(-digits), context=_CONTEXT):f}"
    else:
        text = _not_finite(number)
    return text.rjust(width)


def grouped(value: int) -> str:
    """Write a whole number as Java's ``%,d`` does: 4,194,304.

    Parameters
    ----------
    value : int

    Returns
    -------
    str
    """
    return f"{value:,d}"


def _not_finite(value: float) -> str:
    if math.isnan(value):
        return "NaN"
    return "Infinity" if value > 0 else "-Infinity"


def _shortest(value: np.float32 | np.float64) -> str:
    number = float(value)
    if not math.isfinite(number):
        return _not_finite(number)
    sign = "-" if math.copysign(1.0, number) < 0 else ""
    if number == 0.0:
        return f"{sign}0.0"
    digits, exponent = _digits(value if number > 0.0 else -value)
    if -3 <= exponent < 7:
        digits = "0" * -exponent + digits
        point = max(exponent, 0) + 1
        digits = digits.ljust(point, "0")
        return f"{sign}{digits[:point]}.{digits[point:] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{exponent}"


def _digits(value: np.float32 | np.float64) -> tuple[str, int]:
    """Return the fewest significant digits that stand for `value` > 0, and the exponent of the first one."""
    mantissa, exponent = np.format_float_scientific(value, unique=True, trim="-").split("e")
    if "." not in mantissa:
        # Where one digit would do, Java writes the nearest number of two: 4.9E-324, not 5E-324.
        mantissa, exponent = np.format_float_scientific(value, unique=False, precision=1, trim="k").split("e")
    digits = mantissa.replace(".", "").rstrip("0")
    return digits, int(exponent)
