"""A box for whole numbers whose arrows go through chosen values, such as the divisors of another number."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QSpinBox

if TYPE_CHECKING:
    from collections.abc import Sequence


class SteppingBox(QSpinBox):
    """A spin box; without chosen values it is an ordinary one. What may be typed is for the workbench to say."""

    def __init__(self) -> None:
        super().__init__()
        self._stops: tuple[int, ...] = ()

    def set_stops(self, stops: Sequence[int]) -> None:
        """Let the arrows go through these values, in ascending order."""
        self._stops = tuple(stops)

    def stepBy(self, steps: int) -> None:
        """Go so many of the chosen values up or down."""
        if not self._stops:
            super().stepBy(steps)
            return
        if steps > 0:
            at = bisect_right(self._stops, self.value()) + steps - 1
        else:
            at = bisect_left(self._stops, self.value()) + steps
        self.setValue(self._stops[min(max(at, 0), len(self._stops) - 1)])
