"""How a value is written inside a cell that is a few characters wide. The value itself is never touched."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

MINUS = "−"
CHARACTERS = 5
#: Numbers below are written with one digit before the point, however they are rounded.
SMALL = 9.5


def cell_text(value: float, digits: int = 2, characters: int = CHARACTERS) -> str:
    """Write a value in at most so many characters where that can be done.

    Parameters
    ----------
    value : float
        Any float; −inf is written "−∞".
    digits : int
        Digits after the point for values below 10; larger ones give up digits to keep their width.
    characters : int
        The characters that there is room for, the sign among them.

    Returns
    -------
    str
        Never "−0.00": a value that rounds to zero from below is written without a sign.
    """
    # Most numbers are small: they keep all their digits, and need no more thought.
    if -SMALL < value < SMALL and digits + 2 + (value < 0) <= characters:
        text = f"{value:.{digits}f}"
        if not text.startswith("-"):
            return text
        return MINUS + text[1:] if text.strip("-0.") else text[1:]
    if math.isnan(value):
        return "?"
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    size = abs(value)
    room = characters - (value < 0)
    if size >= 10 ** (room - 1) - 0.5:
        text = _compact(size, min(room, CHARACTERS - 1))
    else:
        whole = len(str(int(size))) if size >= 1 else 1
        text = f"{size:.{max(min(digits, room - whole - 1), 0)}f}"
    if not text.strip("0."):
        return text
    return MINUS + text if value < 0 else text


def _compact(size: float, whole: int) -> str:
    """Write a large number without decimals, in full up to so many digits."""
    if size < 10**whole - 0.5:
        return f"{size:.0f}"
    if size < 99_999.5 and round(size / 1000):
        return f"{size / 1000:.0f}k"
    mantissa, exponent = f"{size:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def weight_text(value: float, digits: int = 3, characters: int = CHARACTERS) -> str:
    """Write an attention weight; one that would read as zero without being zero is written "<.001"."""
    text = cell_text(value, digits, characters)
    return text if value == 0 or text.strip("0.") else f"<{10.0**-digits:.{digits}f}".replace("<0.", "<.")


def signed_text(value: float, digits: int = 2, characters: int = CHARACTERS) -> str:
    """Write a difference with its sign; exactly zero is "0"."""
    if value == 0:
        return "0"
    # Either sign takes one of the characters.
    text = cell_text(-abs(value), digits, characters)
    return f"+{text[1:]}" if value > 0 and text.startswith(MINUS) else text


def whole_text(value: float) -> str:
    """Write a number in full, its thousands apart; a fraction keeps up to two decimals."""
    if not math.isfinite(value):
        return cell_text(value)
    text = f"{value + 0.0:,.0f}" if value == round(value) else f"{value:,.2f}"
    return text.replace("-", MINUS)


def bytes_text(value: float) -> str:
    """Write an amount of bytes in the largest binary unit that it fills, with two decimals where it is not whole."""
    if not math.isfinite(value):
        return cell_text(value)
    for unit, size in (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if abs(value) >= size:
            share = value / size
            digits = 0 if unit == "KiB" and share == round(share) else 2
            return f"{share:,.{digits}f} {unit}".replace("-", MINUS)
    return f"{whole_text(value)} B"


def exact_text(value: float) -> str:
    """Write a number with three decimals; "0" is exactly 0, and what would only read as 0 gets a power of ten."""
    if value == 0:
        return "0"
    text = cell_text(value, 3)
    if text.strip("0."):
        return text
    mantissa, exponent = f"{value:.0e}".split("e")
    return f"{mantissa}e{int(exponent)}".replace("-", MINUS)


def gib_text(value: float) -> str:
    """Write an amount of bytes in GiB, so that a column compares; below a hundredth as `bytes_text` does."""
    return bytes_text(value) if abs(value) < 2**30 / 100 else f"{value / 2**30:,.2f} GiB".replace("-", MINUS)


def short_text(value: float) -> str:
    """Write a number in as few characters as it is: 10, 0.5, −1; what `cell_text` rounds keeps its decimals."""
    text = cell_text(value)
    if not math.isfinite(value) or "." not in text or float(text.replace(MINUS, "-")) != value:
        return text
    return text.rstrip("0").rstrip(".")


#: How a matrix may write its numbers, where not as `cell_text` does.
FORMS: Final[Mapping[str, Callable[[float], str]]] = {
    "whole": whole_text,
    "bytes": bytes_text,
    "GiB": gib_text,
    "exact": exact_text,
    "short": short_text,
}

#: The forms whose cells keep their colours and may be narrower than those of ordinary numbers.
COLOURED: Final = frozenset({"short"})
