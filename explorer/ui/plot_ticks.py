"""Where an axis is labelled: round numbers, as many as there is room for. No Qt."""

from __future__ import annotations

import math
from decimal import Decimal

#: The steps of round numbers within a power of ten.
ROUND = (1.0, 2.0, 2.5, 5.0)
SLACK = 1e-9


def ticks(low: float, high: float, most: int, *, logarithmic: bool = False) -> list[float]:
    """Return round numbers from `low` to `high`, in ascending order.

    Parameters
    ----------
    low, high : float
        The ends of the axis; both above 0 where it is logarithmic.
    most : int
        How many there may be; 2 or more.
    logarithmic : bool
        Whether to label powers of ten, with 2 and 5 times these where there is room for them.

    Returns
    -------
    list of float
        At most `most` numbers; the ends are among them only where they are round.
    """
    most = max(most, 2)
    return _powers(low, high, most) if logarithmic else _multiples(low, high, most)


def _multiples(low: float, high: float, most: int) -> list[float]:
    span = high - low
    power = math.floor(math.log10(span / most)) - 1
    while True:
        for step in ROUND:
            unit = step * 10.0**power
            first, last = math.ceil(low / unit - SLACK), math.floor(high / unit + SLACK)
            if last - first + 1 <= most:
                return [_exact(i, step, power) for i in range(first, last + 1)]
        power += 1


def _exact(count: int, step: float, power: int) -> float:
    # In decimals, so that 3 · 0.1 is 0.3 and not its neighbour.
    return float(count * Decimal(str(step)).scaleb(power)) + 0.0


def _powers(low: float, high: float, most: int) -> list[float]:
    first, last = math.ceil(math.log10(low) - SLACK), math.floor(math.log10(high) + SLACK)
    for within in ((1, 2, 5), (1, 3), (1,)):
        found = [float(f"{digit}e{power}") for power in range(first - 1, last + 1) for digit in within]
        found = [one for one in found if low * (1 - SLACK) <= one <= high * (1 + SLACK)]
        if len(found) <= most:
            return found if len(found) > 1 else _multiples(low, high, most)
    every = math.ceil((last - first + 1) / most)
    return [float(f"1e{power}") for power in range(first, last + 1) if (power - first) % every == 0]
