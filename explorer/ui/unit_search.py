"""The search for the unit at which a layout fits its room: as large as it can be, everything that can be read readable.

What a layout measures at a unit is asked for through one function; nothing here knows a widget.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QSize

from explorer.ui.matrix_panel import Unit

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from explorer.ui.theme import Theme

#: Large tables that are pressed no further keep their digits.
DIGITS_AT_LEAST = 0.6
SQUEEZES = (
    1.0,
    0.85,
    0.7,
    0.6,
    0.55,
    0.5,
    0.46,
    0.42,
    0.37,
    0.32,
    0.28,
    0.24,
    0.2,
    0.17,
    0.12,
    0.08,
    0.05,
    0.035,
    0.024,
    0.017,
    0.012,
    0.009,
)
#: A font that is tried where nothing fits at the smallest.
WIDER = 1.125
#: How often the step between two of them is halved.
FINER = 4
#: Tables with at most so many rows and columns show their digits as long as anything else can be done.
DIGITS_UP_TO = 8
#: What is tried in turn before anything has to be scrolled.
LEAN = (1, 2, 3, 4)
#: A height at which no table scrolls.
UNBOUNDED = 1_000_000


def largest_that_fits(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """Return the largest whole number from `low` to `high` that fits; `low` is taken to fit."""
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


@dataclass(frozen=True)
class UnitSearch:
    """A search, and what it needs to know.

    Parameters
    ----------
    measure
        Returns the size of the whole layout at a unit when tables are at most so many pixels high.
    theme
        The sizes of letters.
    degrees
        How far large tables may be pressed, ever more.
    bar
        How wide a scroll bar is.
    """

    measure: Callable[[Unit, int], QSize]
    theme: Theme
    degrees: tuple[float, ...]
    bar: int

    def chosen(self, room: QSize) -> tuple[Unit, QSize]:
        """Return the unit with the largest font, then the tallest cells, that fits the room, and the layout's size."""
        theme = self.theme
        smallest = theme.text_px(12)
        # Smaller digits are better than a table that has to be scrolled, as long as all of them can be read.
        # Beyond that, large tables are pressed into plain colours before anything has to be scrolled beside them.
        # A plot that is wider at a larger font may be lower: its key takes fewer lines.
        readable, pressed = SQUEEZES[:4], self.degrees[4:]
        trials = (
            (Unit(least + theme.px(5), least, legend_beside=beside), squeezes, most)
            for least in (smallest, round(smallest * WIDER))
            for squeezes in (readable, pressed)
            if squeezes and self.fits(Unit(least + theme.px(5), least, squeezes[-1], False), room, room.height())
            for most in (UNBOUNDED, room.height())
            for beside in (True, False)
        )
        for unit, squeezes, most in trials:
            squeeze = self._mildest(squeezes, unit, room, most)
            if squeeze is None:
                continue
            found = self._largest(unit._replace(squeeze=squeeze), room, most)
            return found, self.measure(found, room.height())
        if self.theme.scale > 1 and not self.theme.present:
            # Whoever has asked for larger letters rather scrolls than reads colours.
            return self._scrolling(room, 0)
        return self._leaner(room)

    def fits(self, unit: Unit, room: QSize, most: int) -> bool:
        """Say whether the layout fits the room when tables higher than `most` scroll."""
        size = self.measure(unit, most)
        return size.width() <= room.width() and size.height() <= room.height()

    def _scrolling(self, room: QSize, lean: int) -> tuple[Unit, QSize]:
        """Return the unit and the size of a layout that is too high, and too wide only where it has to be."""
        smallest = self.theme.text_px(12)
        narrow = QSize(room.width() - self.bar, UNBOUNDED)
        unit = Unit(smallest + self.theme.px(6), smallest, legend_beside=False, tight=True, lean=lean)
        unit = self._least_scrolling(unit, narrow, room.height())
        return unit, self._grown(unit, max(room.height(), self.theme.px(240)))

    def _leaner(self, room: QSize) -> tuple[Unit, QSize]:
        """Return a unit with fewer digits or thumbnails, and the size: nothing scrolls, or else only downwards."""
        smallest, most = self.theme.text_px(12), room.height()
        least = Unit(smallest + self.theme.px(5), smallest, legend_beside=False, tight=True)
        for lean in (0, *LEAN):
            if (unit := self._pressed_into(room, least._replace(lean=lean), SQUEEZES[:4])) is not None:
                return unit, self.measure(unit, most)
        narrow = room.width() - self.bar
        for lean in (0, *LEAN):
            pressed = least._replace(lean=lean, squeeze=self.degrees[-1])
            if self.measure(pressed, most).width() > narrow:
                continue
            if (found := self._scrolling(room, lean))[1].width() <= narrow:
                return found
        for lean in (LEAN[0], LEAN[-1]):
            if (unit := self._pressed_into(room, least._replace(lean=lean), SQUEEZES[4:])) is not None:
                return unit, self.measure(unit, most)
        return self._scrolling(room, 0)

    def _pressed_into(self, room: QSize, unit: Unit, squeezes: Sequence[float]) -> Unit | None:
        """Return the unit pressed no further than needed to fit the room, None where that is not enough."""
        # What does not even fit when it is pressed the most need not be tried in between.
        if not self.fits(unit._replace(squeeze=squeezes[-1]), room, room.height()):
            return None
        squeeze = self._mildest(squeezes, unit, room, room.height())
        return None if squeeze is None else self._largest(unit._replace(squeeze=squeeze), room, room.height())

    def _largest(self, unit: Unit, room: QSize, most: int) -> Unit:
        """Return the unit with the largest font, then the tallest cells, that fit; pressed tables come before these."""
        theme = self.theme
        largest = max(theme.text_px(26) if theme.present else theme.px(30), int(unit.font))
        if unit.squeeze < DIGITS_AT_LEAST:
            unit = self._relaxed(unit, room, most)
        font = largest_that_fits(int(unit.font), largest, partial(self._font_fits, unit, room, most))
        unit = unit._replace(font=font)
        tallest = round(font * 2.4)
        height = largest_that_fits(font + theme.px(5), tallest, partial(self._height_fits, unit, room, most))
        return self._relaxed(unit._replace(height=height), room, most)

    def _least_scrolling(self, unit: Unit, narrow: QSize, height: int) -> Unit:
        """Return the unit pressed as far as that saves scrolling, no further: what is pressed can hardly be read."""
        trials = [unit._replace(squeeze=squeeze) for squeeze in self.degrees]
        sizes = [self.measure(trial, height) for trial in trials]
        beside = [max(size.width() - narrow.width(), 0) for size in sizes]
        below = [max(size.height() - height, 0) for size in sizes]
        # To scroll sideways is worse than to scroll down; a few pixels are no reason to press everything further.
        slack = self.theme.px(12)
        least = min(below[at] for at in range(len(trials)) if beside[at] <= min(beside))
        return next(
            trial
            for trial, x, y in zip(trials, beside, below, strict=True)
            if x <= min(beside) and y <= least + (slack if least else 0)
        )

    def _relaxed(self, unit: Unit, room: QSize, most: int) -> Unit:
        """Return the unit with large tables as large as fits, between one degree of pressing and the next."""
        low, high = unit.squeeze, next((one for one in reversed(SQUEEZES) if one > unit.squeeze), unit.squeeze)
        for _ in range(FINER):
            middle = (low + high) / 2
            if self.fits(unit._replace(squeeze=middle), room, most):
                low = middle
            else:
                high = middle
        return unit._replace(squeeze=low)

    def _grown(self, unit: Unit, height: int) -> QSize:
        """Return the layout's size where it is higher than the room: what may scroll gets what the others need."""
        size = self.measure(unit, height)
        while size.height() > height:
            height = size.height()
            size = self.measure(unit, height)
        return size

    def _mildest(self, squeezes: Sequence[float], unit: Unit, room: QSize, most: int) -> float | None:
        """Return the first of these, which press ever more, with which the layout fits; None when none is enough.

        Each is tried in turn: words that need a second line under small tables make these higher, not lower.
        """
        return next((one for one in squeezes if self.fits(unit._replace(squeeze=one), room, most)), None)

    def _font_fits(self, unit: Unit, room: QSize, most: int, font: int) -> bool:
        return self.fits(unit._replace(height=font * 1.5, font=font), room, most)

    def _height_fits(self, unit: Unit, room: QSize, most: int, height: int) -> bool:
        return self.fits(unit._replace(height=height), room, most)
