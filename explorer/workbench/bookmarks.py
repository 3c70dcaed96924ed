"""The ordered places of a lecture, and what two states of a tab differ by.

A bookmark holds a whole tab state and the view onto it, with a note. A list of them is immutable like the states, so
that a change of the list is one new value. `Snapshot` is what was on screen when a bookmark was gone to (B in A/B);
`differences` subtracts one from the other. Who shows the list, and what going to a bookmark does to the history, is
decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, cell_name
from explorer.workbench import number_text, strictjson

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from explorer.concepts.declaration import Values
    from explorer.core.ops.base import Array
    from explorer.workbench.state import TabState, ViewState

MOST: Final = 500
LONGEST_NOTE: Final = 2000

TOO_MANY = QT_TRANSLATE_NOOP("workbench", "there are {most} bookmarks already; remove one before adding another")
LONG_NOTE = QT_TRANSLATE_NOOP("workbench", "the note has {found} characters; at most {most} are kept")
NO_NOTE = QT_TRANSLATE_NOOP("workbench", "the note holds a character that no file can keep")
NO_BOOKMARK = QT_TRANSLATE_NOOP("workbench", "there is no bookmark {at}; {count} are there, counted from 0")


@dataclass(frozen=True, slots=True)
class Snapshot:
    """What stood on screen: a tab's state and the view onto it."""

    state: TabState
    view: ViewState

    @property
    def tab(self) -> str:
        """The slug of the tab."""
        return self.state.slug

    def same_as(self, other: Snapshot) -> bool:
        """Say whether both hold the same numbers and look at them in the same way."""
        return self.view == other.view and self.state.same_as(other.state)


@dataclass(frozen=True, slots=True)
class Bookmark:
    """A place to return to, with a note."""

    snapshot: Snapshot
    note: str = ""

    @property
    def tab(self) -> str:
        """The slug of the tab."""
        return self.snapshot.tab

    def same_as(self, other: Bookmark) -> bool:
        """Say whether both hold the same."""
        return self.note == other.note and self.snapshot.same_as(other.snapshot)


class Bookmarks(Sequence[Bookmark]):
    """An ordered list of bookmarks; every change returns another list.

    Parameters
    ----------
    marks : iterable of Bookmark
        In the order in which a lecture goes through them.
    """

    __slots__ = ("_marks",)

    def __init__(self, marks: Iterable[Bookmark] = ()) -> None:
        self._marks = tuple(marks)

    def __getitem__(self, at: int) -> Bookmark:  # type: ignore[override]
        return self._marks[at]

    def __len__(self) -> int:
        return len(self._marks)

    def __iter__(self) -> Iterator[Bookmark]:
        return iter(self._marks)

    def same_as(self, other: Bookmarks) -> bool:
        """Say whether both lists hold the same bookmarks in the same order."""
        return self is other or (
            len(self) == len(other) and all(one.same_as(two) for one, two in zip(self, other, strict=True))
        )

    def at(self, position: int) -> Bookmark:
        """Return the bookmark at a position; InputError where there is none."""
        return self._marks[self._position(position)]

    def added(self, bookmark: Bookmark, at: int | None = None) -> Bookmarks:
        """Return the list with one more, before position `at` or at the end.

        Raises
        ------
        InputError
            When the list is full or the note too long.
        """
        if len(self) >= MOST:
            raise InputError(TOO_MANY, most=MOST)
        where = len(self) if at is None else self._position(at, len(self))
        return Bookmarks((*self._marks[:where], _checked(bookmark), *self._marks[where:]))

    def removed(self, at: int) -> Bookmarks:
        """Return the list without the one at `at`."""
        where = self._position(at)
        return Bookmarks((*self._marks[:where], *self._marks[where + 1 :]))

    def moved(self, at: int, to: int) -> Bookmarks:
        """Return the list with the bookmark at `at` standing at position `to`."""
        marks = list(self._marks)
        mark = marks.pop(self._position(at))
        marks.insert(self._position(to), mark)
        return Bookmarks(marks)

    def noted(self, at: int, note: str) -> Bookmarks:
        """Return the list with another note on the bookmark at `at`."""
        return self._with(at, replace(self._marks[self._position(at)], note=note))

    def retaken(self, at: int, snapshot: Snapshot) -> Bookmarks:
        """Return the list with the bookmark at `at` leading to another snapshot, its note kept."""
        return self._with(at, replace(self._marks[self._position(at)], snapshot=snapshot))

    def after(self, at: int | None) -> int | None:
        """Return the position that follows `at`: the first when none was gone to yet, None after the last."""
        following = 0 if at is None else at + 1
        return following if following < len(self) else None

    def before(self, at: int | None) -> int | None:
        """Return the position that precedes `at`: the last when none was gone to yet, None before the first."""
        preceding = len(self) - 1 if at is None else min(at, len(self)) - 1
        return preceding if preceding >= 0 else None

    def _with(self, at: int, bookmark: Bookmark) -> Bookmarks:
        where = self._position(at)
        return Bookmarks((*self._marks[:where], _checked(bookmark), *self._marks[where + 1 :]))

    def _position(self, at: int, last: int | None = None) -> int:
        if not 0 <= at <= (len(self) - 1 if last is None else last):
            raise InputError(NO_BOOKMARK, at=at, count=len(self))
        return at


def _checked(bookmark: Bookmark) -> Bookmark:
    if len(bookmark.note) > LONGEST_NOTE:
        raise InputError(LONG_NOTE, found=len(bookmark.note), most=LONGEST_NOTE)
    if not strictjson.can_be_kept(bookmark.note):
        raise InputError(NO_NOTE)
    return bookmark


# ------------------------------------------------------------------------------------------------------- A and B


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """What an array changed by, cell for cell.

    Attributes
    ----------
    name : str
        The array's.
    values : ndarray
        Now minus kept, in the shape of both; ±∞ where a cell is masked in one of them, 0 where in both.
    largest : tuple of int, optional
        The cell with the largest magnitude, the first of equals; None where nothing differs or there is no cell.
    now, kept : float
        What that cell holds in A, on the screen, and in B, kept aside.
    """

    name: str
    values: Array
    largest: tuple[int, ...] | None
    now: float = 0.0
    kept: float = 0.0

    def sentence(self, digits: int = 3) -> str:
        """Name the largest cell: ``weights[2, 1]: +0.123, from 0.260 to 0.383``."""
        if self.largest is None:
            return f"{self.name}: no difference"
        value = float(self.values[self.largest])
        change = number_text.shown(value, digits, tiny=True)
        plus = "+" if value > 0 and change[0].isdigit() else ""
        old, new = (number_text.shown(one, digits) for one in (self.kept, self.now))
        return f"{cell_name(self.name, self.largest)}: {plus}{change}, from {old} to {new}"


def difference(name: str, now: Array, kept: Array) -> Difference | None:
    """Subtract what an array held from what it holds; None where the shapes differ, so that no cell has a partner."""
    if now.shape != kept.shape or now.dtype.kind not in "biuf" or kept.dtype.kind not in "biuf":
        return None
    new, old = now.astype(np.float64), kept.astype(np.float64)
    values = np.zeros(new.shape)
    # Masked minus masked is no change; ∞ minus ∞ would be NaN.
    np.subtract(new, old, out=values, where=new != old)
    values.flags.writeable = False
    if not values.any():
        return Difference(name, values, None)
    at = tuple(int(i) for i in np.unravel_index(int(np.abs(values).argmax()), values.shape))
    return Difference(name, values, at, float(new[at]), float(old[at]))


def differences(now: Values, kept: Values) -> dict[str, Difference | None]:
    """Subtract two tabs' results array by array, in the order of `now`; what only one has is left out."""
    return {name: difference(name, now[name], kept[name]) for name in now if name in kept}
