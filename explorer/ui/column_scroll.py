"""A column that is as wide as its place and scrolls where it is too high.

Qt's own resizable scroll area is not used for these. It takes the room of its bar from a content whose height depends
on its width, asks again, and goes on for as long as the answers differ. Controls in lines can be lower in a narrower
place (another one begins the line, beside others as high), so the bar came, the lines fitted, the bar went, and the
stack of the process was used up. Here the question is asked once, for the width without a bar, and the answer stands.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QScrollArea

from explorer.ui.guard import guarded

if TYPE_CHECKING:
    from PySide6.QtGui import QResizeEvent
    from PySide6.QtWidgets import QWidget


class ColumnScroll(QScrollArea):
    """A scroll area whose content has the width of the area and at least its height.

    Parameters
    ----------
    content
        A widget with a layout.
    steady
        Whether the bar's room stays free where there is no bar, so that the content's width is always the same.

    Signals
    -------
    narrowest(int)
        Before a height is asked for: the width of the content where there is a bar. What chooses between two forms by
        the room that it has takes this one, or the bar would decide about its own reason.
    """

    narrowest = Signal(int)

    def __init__(self, content: QWidget, *, steady: bool = False) -> None:
        super().__init__()
        self._steady = steady
        self._fitting = False
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setWidget(content)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the content to the new room."""
        self._fit()
        super().resizeEvent(event)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Fit the content when something in it takes another room than before."""
        if event.type() == QEvent.Type.LayoutRequest and watched is self.widget():
            self._fit()
        return super().eventFilter(watched, event)

    def _fit(self) -> None:
        content = self.widget()
        if content is None or self._fitting:
            return
        self._fitting = True
        try:
            bar = self.verticalScrollBar().sizeHint().width()
            self.narrowest.emit(self.width() - bar)
            scrolls = _height(content, self.width() - (bar if self._steady else 0)) > self.height()
            policy = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
            self.setVerticalScrollBarPolicy(policy)
            if self._steady:
                self.setViewportMargins(0, 0, 0 if scrolls else bar, 0)
            width = self.width() - (bar if self._steady or scrolls else 0)
            content.resize(QSize(width, max(_height(content, width), self.height())))
        finally:
            self._fitting = False


def _height(content: QWidget, width: int) -> int:
    return content.heightForWidth(width) if content.hasHeightForWidth() else content.minimumSizeHint().height()
