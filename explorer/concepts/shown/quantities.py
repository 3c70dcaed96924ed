"""Large counts as a reader takes them in: bytes, FLOPs, parameters, tokens, in a unit that leaves few digits.

GiB and its like are powers of 2, GB and its like powers of 10; which one a text uses is in its unit, never mixed.
"""

from __future__ import annotations

import math
from typing import Final

_BINARY: Final = (("TiB", 2**40), ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
_DECIMAL: Final = (("E", 10**18), ("P", 10**15), ("T", 10**12), ("G", 10**9), ("M", 10**6), ("k", 10**3))
_WORDS: Final = (("trillion", 10**12), ("billion", 10**9), ("million", 10**6))


def _digits(value: float) -> str:
    """Write a number of at most four digits before its point with three to four digits in all."""
    size = abs(value)
    decimals = 0 if size >= 999.5 or value == round(value) else 1 if size >= 99.95 else 2
    return f"{value:,.{decimals}f}"


def number_of_bytes(value: float) -> str:
    """Write bytes in the largest binary unit that they fill: ``1.00 GiB``, ``128 KiB``."""
    for unit, size in _BINARY:
        if abs(value) >= size:
            return f"{_digits(value / size)} {unit}"
    return f"{_digits(value)} B"


def decimal_bytes(value: float) -> str:
    """Write bytes in powers of ten, as the makers of memories and links do: ``16 GB``."""
    return _scaled(value, "B")


def flops(value: float) -> str:
    """Write FLOPs in the largest unit that they fill: ``17.6 TFLOP``."""
    return _scaled(value, "FLOP")


def _scaled(value: float, unit: str) -> str:
    for prefix, size in _DECIMAL:
        if abs(value) >= size * 0.9995:
            return f"{_digits(value / size)} {prefix}{unit}"
    return f"{_digits(value)} {unit}"


def tera(value: float, unit: str = "FLOP") -> str:
    """Write FLOPs as a lesson's table does: in T, in G below a tenth of that, with one decimal."""
    for prefix, size in (("T", 10**12), ("G", 10**9), ("M", 10**6)):
        if abs(value) >= size / 10:
            return f"{value / size:,.1f} {prefix}{unit}"
    return f"{_digits(value)} {unit}"


def giga(value: float, unit: str = "FLOP") -> str:
    """Write the FLOPs of one step as a lesson's table does: in G up to a thousand times that, with one decimal."""
    return f"{value / 10**9:,.1f} G{unit}" if 10**8 <= abs(value) < 10**13 else tera(value, unit)


def parameters(value: float) -> str:
    """Write a number of parameters in words: ``8 billion``, ``494 million``."""
    for word, size in _WORDS:
        if abs(value) >= size * 0.9995:
            return f"{_digits(value / size)} {word}"
    return f"{value:,.0f}"


def short_parameters(value: float) -> str:
    """Write a number of parameters as models are named: ``8.03 B``, ``494 M``."""
    for word, size in (("T", 10**12), ("B", 10**9), ("M", 10**6)):
        if abs(value) >= size * 0.9995:
            return f"{_digits(value / size)} {word}"
    return f"{value:,.0f}"


def tokens(value: float) -> str:
    """Write a number of tokens, whole and with its thousands apart."""
    return f"{round(value):,}"


def short_count(value: float) -> str:
    """Write a round number for an axis: ``1``, ``10 k``, ``1 M``."""
    for prefix, size in (("M", 10**6), ("k", 10**3)):
        if abs(value) >= size:
            return f"{value / size:g} {prefix}"
    return f"{value:g}"


def in_words(value: float, unit: str) -> str:
    """Write a count in a larger unit, for the note behind its full digits; nothing where that would say no more."""
    if not math.isfinite(value) or (abs(value) < 10_000 and unit != "FLOP/B"):
        return ""
    return {"B": number_of_bytes, "FLOP": flops, "parameters": parameters}.get(unit, lambda _: "")(value)
