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
        self.setObjectName("bubble")
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.PlainText)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self.hide)
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
        x = min(max(where.x(), theme.px(8)), parent.width() - self.width() - theme.px(8))
        y = min(where.y() + theme.px(6), parent.height() - self.height() - theme.px(8))
        self.move(x, max(y, 0))
        self.show()
        self.raise_()
        self._timer.start(SHOWN_MS)
