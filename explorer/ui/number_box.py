"""Boxes for numbers that read what is typed as cells do: `0,5` and `0.5` are the same in every language of a system.

Qt's own read by the system's language, in which one of the two is 5, and keep keys from being typed that would lead out
of the range, so that 99 becomes 9. Here all may be typed; what cannot be taken is told.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QValidator
from PySide6.QtWidgets import QDoubleSpinBox, QSpinBox

from explorer.workbench import number_text

if TYPE_CHECKING:
    from collections.abc import Sequence

State = QValidator.State


class NumberBox(QDoubleSpinBox):
    """A box for a number with a fixed count of decimals.

    Signals
    -------
    refused(object)
        What was typed and cannot be taken: a number out of range, or a text that is none.
    """

    refused = Signal(object)

    def show_value(self, value: float) -> None:
        """Show a number; a box that shows it already is left alone, as Qt would paint it anew."""
        shown = self.textFromValue(value) + self.suffix()
        if self.text() != shown or self.value() != round(value, self.decimals()):
            self.setValue(value)

    def validate(self, text: str, at: int) -> tuple[State, str, int]:
        """Let everything be typed; only numbers in the range are taken."""
        value = _read(text, self.suffix())
        good = isinstance(value, float) and self.minimum() <= value <= self.maximum()
        return (State.Acceptable if good else State.Intermediate, text, at)

    def valueFromText(self, text: str) -> float:
        """Return the number that a text says, the present one where it says none."""
        value = _read(text, self.suffix())
        return value if isinstance(value, float) else self.value()

    def textFromValue(self, value: float) -> str:
        """Write a number with a dot."""
        return f"{value:.{self.decimals()}f}"

    def fixup(self, text: str) -> str:
        """Tell what cannot be taken, and go back to what there was; an emptied box only goes back."""
        value = _read(text, self.suffix())
        if value != "":
            self.refused.emit(value)
        return self.textFromValue(self.value()) + self.suffix()


class SteppingBox(QSpinBox):
    """A box for whole numbers whose arrows may go through chosen values, such as the divisors of another number.

    Signals
    -------
    refused(object)
        What was typed and cannot be taken: a number out of range or not whole, or a text that is none.
    """

    refused = Signal(object)

    def __init__(self) -> None:
        super().__init__()
        self._stops: tuple[int, ...] = ()

    def show_value(self, value: int) -> None:
        """Show a number; a box that shows it already is left alone, as Qt would paint it anew."""
        if self.text() != self.textFromValue(value) + self.suffix() or self.value() != value:
            self.setValue(value)

    def set_stops(self, stops: Sequence[int]) -> None:
        """Let the arrows go through these values, in ascending order."""
        self._stops = tuple(stops)

    def stepBy(self, steps: int) -> None:
        """Go so many of the chosen values up or down; without any, so many numbers."""
        if not self._stops:
            super().stepBy(steps)
            return
        if steps > 0:
            at = bisect_right(self._stops, self.value()) + steps - 1
        else:
            at = bisect_left(self._stops, self.value()) + steps
        self.setValue(self._stops[min(max(at, 0), len(self._stops) - 1)])

    def validate(self, text: str, at: int) -> tuple[State, str, int]:
        """Let everything be typed; only whole numbers in the range are taken."""
        value = _read(text, self.suffix())
        good = isinstance(value, float) and value.is_integer() and self.minimum() <= value <= self.maximum()
        return (State.Acceptable if good else State.Intermediate, text, at)

    def valueFromText(self, text: str) -> int:
        """Return the number that a text says, the present one where it says none."""
        value = _read(text, self.suffix())
        return int(value) if isinstance(value, float) else self.value()

    def textFromValue(self, value: int) -> str:
        """Write a number in plain digits."""
        return str(value)

    def fixup(self, text: str) -> str:
        """Tell what cannot be taken, and go back to what there was; an emptied box only goes back."""
        value = _read(text, self.suffix())
        if value != "":
            self.refused.emit(int(value) if isinstance(value, float) and value.is_integer() else value)
        return self.textFromValue(self.value()) + self.suffix()


def _read(text: str, suffix: str) -> float | str:
    """Return the number in a box, or its text where that is none."""
    bare = text.strip().removesuffix(suffix.strip()).strip()
    try:
        return number_text.parse(bare)
    except ValueError:
        return bare
