"""A sentence beside the place it is about; it goes away by itself or with the next edit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, QTimer
from PySide6.QtWidgets import QLabel, QWidget

if TYPE_CHECKING:
    from explorer.ui.theme import Theme

SHOWN_MS = 8000


class Bubble(QLabel):
    """A small card over the page."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self._page = parent
        self._margin = 0
        self.setObjectName("bubble")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._end)
        self.hide()

    def _end(self) -> None:
        # A slot of ours: PySide never lets go of the name of a slot of Qt's own.
        self.hide()

    def say(self, sentence: str, where: QPoint, theme: Theme, *, tone: str = "bad") -> None:
        """Show a sentence with its corner below `where`, inside the parent."""
        self.setStyleSheet(
            f"QLabel {{ background: {theme.colors.card}; color: {theme.colors.text};"
            f" border: {max(theme.px(1), 1)}px solid {getattr(theme.colors, tone)};"
            f" border-radius: {theme.px(6)}px; padding: {theme.px(7)}px {theme.px(10)}px; }}"
        )
        self.setFont(theme.font(13))
        self.setText(sentence)
        self.setAccessibleName(sentence)
        parent = self._page
        width = min(theme.px(360), parent.width() - theme.px(16))
        self.setFixedWidth(width)
        self.setFixedHeight(max(self.heightForWidth(width), self.sizeHint().height()))
        self._margin = theme.px(8)
        self.move(where.x(), where.y() + theme.px(6))
        self.stay_inside()
        self.show()
        self.raise_()
        self._timer.start(SHOWN_MS)

    def stay_inside(self) -> None:
        """Keep to the page, which may have become smaller."""
        page, margin = self._page, self._margin
        x = min(max(self.x(), margin), page.width() - self.width() - margin)
        y = min(self.y(), page.height() - self.height() - margin)
        self.move(x, max(y, 0))
