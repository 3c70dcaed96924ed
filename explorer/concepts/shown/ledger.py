"""What a "ledger" view shows: a table of figures of different kinds, each of which can open its arithmetic.

Unlike a matrix, whose cells are all of one array, every entry of a ledger names the cell that it was read from. Plain
data; sizes and colours are the ui's business.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Index = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Entry:
    """One figure.

    Attributes
    ----------
    text : str
        As it is read.
    value : float, optional
        In full, for copies; None where it is not known.
    cell : (array, index), optional
        Where it was read from: choosing it shows its trace.
    says : str
        More about it, such as why it is not known.
    """

    text: str
    value: float | None = None
    cell: tuple[str, Index] | None = None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Heading:
    """A column: what it is called, a second line below that, and the colour of its figures."""

    text: str
    below: str = ""
    role: str = "text"
    align: Literal["left", "right"] = "right"


@dataclass(frozen=True, slots=True)
class Ledger:
    """A table of figures.

    Attributes
    ----------
    headings : tuple of Heading
    rows : tuple of tuple of Entry
        As many entries a row as there are headings.
    strong : int
        Which row stands out, -1 for none.
    room : int
        The least number of rows that there is room for, so that nothing moves when one comes or goes.
    """

    headings: tuple[Heading, ...]
    rows: tuple[tuple[Entry, ...], ...]
    strong: int = -1
    room: int = 0
