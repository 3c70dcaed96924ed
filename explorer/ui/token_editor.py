"""The line in which a token is renamed where its name stands: Enter or a click elsewhere keeps it, Esc gives it up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from explorer.ui.guard import guarded

if TYPE_CHECKING:
    from PySide6.QtGui import QKeyEvent

    from explorer.ui.theme import Theme


class TokenEditor(QLineEdit):
    """An editor over a name.

    Signals
    -------
    renamed(int, str)
        The token and what was typed.
    """

    renamed = Signal(int, str)

    def __init__(self, token: int, name: str, where: QRect, theme: Theme, parent: QWidget) -> None:
        super().__init__(name, parent)
        self._token = token
        self._over = False
        self.setObjectName(f"name of token {token}")
        self.setAccessibleName(f"name of token {token}")
        self.setFrame(False)
        self.setFont(theme.font(13))
        colors = theme.colors
        self.setStyleSheet(
            f"QLineEdit {{ background: {colors.panel}; color: {colors.text}; padding: 0 {theme.px(3)}px;"
            f" border: {max(theme.px(2), 2)}px solid {colors.accent};"
            f" selection-background-color: {colors.accent}; selection-color: {colors.on_accent}; }}"
        )
        height = max(where.height(), self.sizeHint().height())
        width = min(max(where.width(), theme.text_px(90)), parent.width())
        left = max(min(where.left(), parent.width() - width), 0)
        top = max(min(where.center().y() - height // 2, parent.height() - height), 0)
        self.setGeometry(left, top, width, height)
        self.selectAll()
        self.editingFinished.connect(lambda: self._end(keep=True))

    def open(self) -> None:
        """Begin."""
        self.show()
        self.setFocus()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Give up with Esc."""
        if event.key() == Qt.Key.Key_Escape:
            self._end(keep=False)
        else:
            super().keyPressEvent(event)

    def _end(self, *, keep: bool) -> None:
        if self._over:
            return
        self._over = True
        text = self.text()
        self.hide()
        self.deleteLater()
        if keep:
            self.renamed.emit(self._token, text)
