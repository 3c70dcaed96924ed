"""A list of which one is chosen, with the arrow that says so: the stylesheet can only show one from a picture file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QComboBox

from explorer.ui.guard import guarded

if TYPE_CHECKING:
    from PySide6.QtGui import QWheelEvent

    from explorer.ui.theme import Theme


class DropDown(QComboBox):
    """A combo box."""

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._theme = theme
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self._theme = theme
        self.updateGeometry()

    def sizeHint(self) -> QSize:
        """Return room for the longest entry and the arrow."""
        return super().sizeHint() + QSize(self._theme.px(14), 0)

    def minimumSizeHint(self) -> QSize:
        """Return room for the arrow and as much of an entry as Qt asks for."""
        return super().minimumSizeHint() + QSize(self._theme.px(14), 0)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the box, and an arrow at its end."""
        super().paintEvent(event)
        theme, px = self._theme, self._theme.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        color = theme.color("text" if self.isEnabled() else "border")
        painter.setPen(QPen(color, max(theme.scale * 1.5, 1)))
        x, y, wing = self.width() - px(14), self.height() / 2 + px(2), px(4)
        painter.drawPolyline(QPolygonF([QPointF(x - wing, y - wing), QPointF(x, y), QPointF(x + wing, y - wing)]))
        painter.end()

    @guarded
    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what scrolls: it never changes a value."""
        event.ignore()
