"""Numbers as text: what a person may type, and how a value is written.

One parser serves every cell, paste and control, so that ``0,5`` means the same everywhere. Written text that is read
back by programs has a dot and full precision (`full`); text that is looked at has few digits, a true minus sign and
never claims a zero that is not one (`shown`).

How separators are read
-----------------------
- One comma or one dot is the decimal sign: ``0,5`` is 0.5, and ``1,234`` is 1.234, not 1234. Numbers that come
  together are read alike: beside ``12,345,678`` or ``1,234.5``, which tell that commas group, ``1,234`` is 1234.
- Where both occur the last one is the decimal sign and the other groups thousands: ``1,234.5`` and ``1.234,5`` are
  both 1234.5.
- A sign that occurs more than once groups thousands, as do spaces and apostrophes: ``1 234,5``, ``1.234.567``.
- Groups have three digits each and the first has one to three and no leading 0, so ``1.2.3`` and ``1 2`` are refused.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError

MINUS = "−"
#: 2^-1074 written out has 751 significant digits, and nobody writes that.
LONGEST = 1100

NO_NUMBER = QT_TRANSLATE_NOOP("workbench", "nothing was typed; type a number such as 0.5, -2 or 1e-3")
NOT_A_NUMBER = QT_TRANSLATE_NOOP("workbench", "“{text}” is not a number; type one such as 0.5, -2 or 1e-3")
NOT_FINITE = QT_TRANSLATE_NOOP("workbench", "“{text}” is not a finite number; type one such as 0.5, -2 or 1e-3")
TOO_LARGE = QT_TRANSLATE_NOOP("workbench", "“{text}” is too large to be held; type a number below 1e308 in magnitude")
NOT_YES_OR_NO = QT_TRANSLATE_NOOP("workbench", "“{text}” is neither yes nor no; type 1 (may look) or 0 (may not)")

_SPACES = "\u00a0\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000\t"
_SIGNS = {"+": "+", "-": "-", MINUS: "-", "\u2013": "-", "\uff0d": "-"}
_NUMBER = re.compile(r"(?P<sign>[+-]?)\s*(?P<digits>[0-9.,'’ ]*[0-9][0-9.,'’ ]*?)(?:[eE](?P<power>[+-]?[0-9]+))?")
_MAY_GROUP = re.compile(r"[+\-−–\uff0d]?\s*[1-9][0-9]{0,2}[.,][0-9]{3}")
_YES = frozenset({"1", "true", "yes", "on", "x", "✓", "wahr", "vrai"})
_NO = frozenset({"0", "false", "no", "off", "", "✗", "-", "falsch", "faux"})
_WORDS_FOR_INFINITE = frozenset({"nan", "inf", "infinity", "∞", "#num!", "#div/0!", "#value!"})


def quoted(text: str, longest: int = 40) -> str:
    """Return text from outside, shortened and on one line, fit to be quoted in a sentence."""
    plain = " ".join(text[: 8 * longest].split())
    plain = "".join(sign if sign.isprintable() else "\ufffd" for sign in plain)
    return plain if len(plain) <= longest else plain[: longest - 1] + "…"


def decimal_sign(text: str) -> str | None:
    """Say what a number's own text tells of the decimal sign.

    Returns
    -------
    str or None
        ``","`` or ``"."``; empty where the text tells nothing, as it has neither or is no number; None where its only
        sign could as well group thousands: ``1,234``.
    """
    signs = [sign for sign in text if sign in ".,"]
    if not signs:
        return ""
    last, other = signs[-1], "," if signs[-1] == "." else "."
    if len(signs) == 1:
        return None if _MAY_GROUP.fullmatch(text.strip()) else last
    if len(set(signs)) == 1:
        return other
    return last if signs.count(last) == 1 else ""


def parse(text: str, decimal: str = "") -> float:
    """Read a number as a person types it.

    Parameters
    ----------
    text : str
        Such as ``0.5``, ``0,5``, ``.5``, ``5.``, ``1e-3``, ``−2`` with a true minus sign, or ``1 234,5``.
    decimal : str
        The decimal sign of the numbers that came along, ``","`` or ``"."``, for a text that tells nothing of its own.

    Returns
    -------
    float

    Raises
    ------
    InputError
        When it is no finite number; the sentence quotes what was typed and says what would be accepted.
    """
    plain = text.strip()
    if decimal and decimal not in plain and decimal_sign(plain) is None:
        plain = plain.replace("," if decimal == "." else ".", "")
    if not plain:
        raise InputError(NO_NUMBER)
    if len(plain) > LONGEST:
        raise InputError(NOT_A_NUMBER, text=quoted(plain))
    try:
        # What programs write is by far the most frequent text, in pastes above all.
        if plain.isascii() and "_" not in plain and " " not in plain:
            direct = float(plain)
            if math.isfinite(direct):
                return direct
    except ValueError:
        pass
    if plain.lstrip("+-−").lower() in _WORDS_FOR_INFINITE:
        raise InputError(NOT_FINITE, text=quoted(text))
    value = _read(plain)
    if value is None:
        raise InputError(NOT_A_NUMBER, text=quoted(text))
    if not math.isfinite(value):
        raise InputError(TOO_LARGE, text=quoted(text))
    return value


def _read(plain: str) -> float | None:
    plain = "".join(" " if sign in _SPACES else _SIGNS.get(sign, sign) for sign in plain)
    match = _NUMBER.fullmatch(plain)
    if match is None:
        return None
    digits = _plain_digits(match["digits"])
    if digits is None:
        return None
    return float(f"{match['sign']}{digits}e{match['power'] or 0}")


def _plain_digits(text: str) -> str | None:
    """Return digits with at most one dot, or None where the separators make no sense."""
    last = max(text.rfind("."), text.rfind(","))
    decimal = text[last] if last >= 0 else ""
    if decimal and (text.count(decimal) > 1):
        # Twice the same sign can only group: 1.234.567
        decimal = ""
    whole, fraction = (text[:last], text[last + 1 :]) if decimal else (text, "")
    if not re.fullmatch("[0-9]*", fraction):
        return None
    groups = re.split(r"[.,'’ ]", whole)
    if len(groups) > 1:
        if len(set(re.findall(r"[.,'’ ]", whole))) > 1:
            return None
        head, *others = groups
        if not re.fullmatch("[1-9][0-9]{0,2}", head) or not all(re.fullmatch("[0-9]{3}", one) for one in others):
            return None
    return f"{''.join(groups)}.{fraction}"


def parse_bool(text: str) -> bool:
    """Read yes or no, as a mask's cell takes it: 1, true, yes, x; 0, false, no or nothing.

    Raises
    ------
    InputError
        When it is neither.
    """
    plain = text.strip().lower()
    if plain in _YES:
        return True
    if plain in _NO:
        return False
    try:
        value = parse(plain)
    except InputError:
        value = math.nan
    if value in (0.0, 1.0):
        return bool(value)
    raise InputError(NOT_YES_OR_NO, text=quoted(text))


def added(value: float, amount: float) -> float:
    """Return the sum of two numbers as they are written: 0.1 more and then 0.1 less is the number that it was."""
    return float(Decimal(repr(float(value))) + Decimal(repr(float(amount))))


def full(value: float) -> str:
    """Write a number with every digit that it takes to read the same bits back, with a dot."""
    value = float(value)
    text = repr(value)
    if "e" in text:
        mantissa, power = text.split("e")
        return f"{mantissa}e{int(power)}"
    return text.removesuffix(".0")


def brief(value: float) -> str:
    """Write a number as `full` does, or with a power of ten where that says the same in less: ``1e9``."""
    text = full(value)
    short = f"{value:g}"
    if "e" not in short or float(short) != value:
        return text
    mantissa, power = short.split("e")
    return min(text, f"{mantissa}e{int(power)}", key=len)


def fixed(value: float, digits: int) -> str:
    """Write a number with so many decimals, a true minus sign and no minus before a zero."""
    text = f"{value:.{digits}f}"
    if text.startswith("-"):
        text = text[1:] if not text.strip("-0.") else MINUS + text[1:]
    return text


def power_of_ten(value: float, digits: int) -> str:
    """Write a number with so many decimals before a power of ten, such as ``1.2e9`` or ``−4.10e−5``."""
    mantissa, power = f"{value:.{digits}e}".split("e")
    return f"{mantissa}e{int(power)}".replace("-", MINUS)


def shown(value: float, digits: int = 2, *, tiny: bool = False) -> str:
    """Write a number to be looked at.

    Parameters
    ----------
    value : float
        The number; −∞ is a masked score.
    digits : int
        How many decimals. From 1e6 on a number is written like ``1.2e9``, because it would not fit a cell.
    tiny : bool
        Whether a number other than 0 that rounds to 0 is written as ``< 0.01`` or ``> −0.01`` instead of ``0.00``.
    """
    value = float(value)
    if not math.isfinite(value):
        return "?" if math.isnan(value) else "∞" if value > 0 else f"{MINUS}∞"
    if abs(value) >= 1e6:
        return power_of_ten(value, 1)
    text = fixed(value, digits)
    if tiny and value and not text.strip("0."):
        least = f"{10.0**-digits:.{digits}f}"
        return f"< {least}" if value > 0 else f"> {MINUS}{least}"
    return text
