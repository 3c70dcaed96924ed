"""What a "strip" view shows: things in a row, such as the layers of a model, coloured by kind and counted.

Plain data; sizes and colours are the ui's business.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of thing: what it is called, its colour, and more about it."""

    label: str
    role: str = "text"
    says: str = ""


@dataclass(frozen=True, slots=True)
class Strip:
    """Things in a row.

    Attributes
    ----------
    title : str
        What the whole is.
    facts : tuple of str
        A few words each, beside the title.
    kinds : tuple of Kind
        The kinds, in the order of the legend.
    runs : tuple of (int, int)
        Which kind, and how many of it follow one another.
    notes : tuple of str
        Sentences for whoever asks.
    """

    title: str
    facts: tuple[str, ...] = ()
    kinds: tuple[Kind, ...] = ()
    runs: tuple[tuple[int, int], ...] = ()
    notes: tuple[str, ...] = ()
