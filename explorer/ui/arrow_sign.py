"""The sign between two views, such as an arrow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from explorer.ui.cell_size import text_width
from explorer.ui.theme import metrics_of

if TYPE_CHECKING:
    from explorer.ui.cell_size import Unit
    from explorer.ui.theme import Theme


class ArrowSign(QWidget):
    """The sign between two matrices."""

    def __init__(self, text: str, theme: Theme, room: str = "") -> None:
        super().__init__()
        self.text = text
        self.room = room or text
        self.theme = theme

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size that the sign wants."""
        font = self.theme.text_px(15)
        width = self.theme.text_px(22) if self.room == "→" else text_width(font, self.room) + self.theme.px(8)
        return QSize(width, metrics_of(font).height())

    def arrange(self, unit: Unit) -> None:
        """Nothing to lay out."""

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self.update()

    def paintEvent(self, event: Any) -> None:
        """Draw the sign; the arrow is drawn, so that no font is needed for it."""
        painter = QPainter(self)
        color = QColor(self.theme.color("muted"))
        if self.text != "→":
            painter.setFont(self.theme.font(15))
            painter.setPen(color)
            painter.drawText(self.rect(), int(Qt.AlignmentFlag.AlignCenter), self.text)
            painter.end()
            return
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        # As large as the words around it: twice as large in a show.
        middle, px = self.height() / 2, self.theme.px if not self.theme.present else self.theme.text_px
        left, right, wing = px(4), self.width() - px(4), px(4)
        painter.setPen(QPen(color, max(px(10) * 0.14, 1)))
        painter.drawLine(QPointF(left, middle), QPointF(right, middle))
        painter.drawPolyline(
            QPolygonF(
                [QPointF(right - wing, middle - wing), QPointF(right, middle), QPointF(right - wing, middle + wing)]
            )
        )
        painter.end()
