"""What an "exchange" view draws: two parties, each asking the other, with what comes of it in both directions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.concepts.declaration import Role


@dataclass(frozen=True, slots=True)
class Reading:
    """A number of the page: its value, how it is named beside it, and the cell that holds it."""

    value: float
    array: str
    index: tuple[int, ...]
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Direction:
    """One party asking the other, with one reading per column."""

    asks: str
    asked: str
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True)
class Heading:
    """What stands above a column of readings: a name, and what holds for all pairs, good or not."""

    name: str
    verdict: str
    good: bool
    role: Role = "plain"


@dataclass(frozen=True, slots=True)
class Exchange:
    """Both directions.

    Attributes
    ----------
    headings : tuple of Heading
        One per column of readings.
    directions : tuple of Direction
        Two of them; one where a party asks itself.
    """

    headings: tuple[Heading, ...]
    directions: tuple[Direction, ...]
