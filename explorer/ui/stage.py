"""The stage: a layout of views drawn as large as the room allows, all from one unit.

Sizes are found by measuring the whole layout at a unit and searching for the largest that fits, so that every matrix
of a page keeps the same cell size and nothing is ever scaled as a picture. What does not fit at the smallest legible
size scrolls. The layout is in `stage_canvas`; here are the area that it scrolls in and the moments when it is fitted.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from explorer.ui.guard import guarded
from explorer.ui.stage_canvas import StageCanvas

if TYPE_CHECKING:
    from collections.abc import Callable

    from PySide6.QtGui import QResizeEvent, QShowEvent

    from explorer.concepts import declaration as d
    from explorer.ui.theme import Theme


class Stage(QScrollArea):
    """The scroll area around the canvas; it fits the layout to its own size."""

    fitted = Signal()
    #: Queued to itself: Qt delivers it before the next paint.
    _resized = Signal()

    def __init__(self, layout: d.View, make: Callable[[d.View], QWidget], theme: Theme) -> None:
        super().__init__()
        self._due = True
        self._fitted_to = QSize()
        #: Called before the layout is fitted, to choose which views are shown in the room that there is.
        self.choose: Callable[[], None] = _everything
        self.canvas = StageCanvas(layout, make, theme)
        self.setWidget(self.canvas)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setObjectName("stage")
        self._resized.connect(self._refit_if_due, Qt.ConnectionType.QueuedConnection)
        self.set_theme(theme)

    def sizeHint(self) -> QSize:
        """Ask for no more than the least: the stage takes what the page has left."""
        return self.minimumSize()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the layout to the new room, once for all resizes that come together and before anything is painted."""
        super().resizeEvent(event)
        if not self._due:
            self._due = True
            self._resized.emit()

    def _refit_if_due(self) -> None:
        if self._due and self.isVisible():
            self._due = False
            # Scroll bars that came with a smaller room and went with what was fitted to it leave the room as it was.
            if self.whole_room() != self._fitted_to:
                self.refit()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        """Fit what changed while nobody saw it."""
        super().showEvent(event)
        if self._due:
            self.refit()

    def room(self) -> QSize:
        """Return the room that a layout has: what is seen at once, without the margins and the legend."""
        return self.whole_room() - QSize(0, self.canvas.legend_height())

    def whole_room(self) -> QSize:
        """Return the room that a layout and its legend have together."""
        margin = 2 * self.canvas.theme.px(10)
        return self.maximumViewportSize() - QSize(margin, margin)

    def refit(self) -> None:
        """Choose the unit again and lay out; needed after a shape, a theme or the room has changed.

        While the stage is hidden this waits until it is shown: a start would otherwise fit it several times over.
        """
        self.canvas.forget_sizes()
        self._due = not self.isVisible()
        if self._due:
            return
        self._fitted_to = self.whole_room()
        self.choose()
        self.canvas.forget_sizes()
        margin, room = self.canvas.theme.px(10), self.room()
        if room.width() < 10 or room.height() < 10:
            return
        size = self.canvas.fit(room)
        high = size.height() > room.height()
        if high:
            room -= QSize(self.canvas.bar_extent(), 0)
        if size.width() > room.width():
            # One bar takes room from what the other is for: only what is too high needs both.
            room -= QSize(0, self.canvas.bar_extent())
            if size.height() > room.height() and not high:
                room -= QSize(self.canvas.bar_extent(), 0)
        whole = QSize(max(size.width(), room.width()), max(size.height(), room.height())) + QSize(
            2 * margin, 2 * margin
        )
        self.canvas.resize(whole + QSize(0, self.canvas.legend_height()))
        self.canvas.place(whole)
        self.fitted.emit()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, theme.color("stage"))
        self.viewport().setPalette(palette)
        self.viewport().setAutoFillBackground(True)
        self.canvas.setAutoFillBackground(False)
        self.canvas.set_theme(theme)
        self.refit()


def _everything() -> None:
    """Leave every view where it is."""
