"""The keys of a show. A clicker sends page keys, F5, Esc and the full stop; they drive the show, never a cell.

The page keys go through the bookmarks where there are any, else through the steps, as all other keys do.
Keys reach a cell only while its editor is open. Digits and Enter jump to a tab, as with slides.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit

if TYPE_CHECKING:
    from collections.abc import Callable

K = Qt.Key
NEXT = {K.Key_PageDown, K.Key_Right, K.Key_Down, K.Key_Space, K.Key_N}
PREVIOUS = {K.Key_PageUp, K.Key_Left, K.Key_Up, K.Key_P, K.Key_Backspace}
PAGES = {K.Key_PageDown: 1, K.Key_PageUp: -1}
BLANK = {K.Key_Period, K.Key_B}


class ShowKeys(QObject):
    """An event filter on the application while a show is on."""

    def __init__(
        self,
        parent: QObject,
        forward: Callable[[], None],
        back: Callable[[], None],
        blank: Callable[[], None],
        jump: Callable[[int], None],
        leave: Callable[[], None],
        leaf: Callable[[int], bool],
    ) -> None:
        super().__init__(parent)
        self._leaf = leaf
        self._do = {"next": forward, "previous": back, "blank": blank, "leave": leave}
        self._jump = jump
        self._digits = ""

    def start(self) -> None:
        """Take over the keys."""
        self._digits = ""
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]

    def stop(self) -> None:
        """Give the keys back."""
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Turn a key press into what it means in a show."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if (
            isinstance(QApplication.focusWidget(), QLineEdit)
            or QApplication.activeModalWidget()
            or QApplication.activePopupWidget()
        ):
            return False
        if event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier):
            return False
        return self._press(Qt.Key(event.key()), event.text())

    def _press(self, key: Qt.Key, text: str) -> bool:
        if text.isascii() and text.isdigit():
            self._digits = (self._digits + text)[-3:]
            return True
        if key in (K.Key_Return, K.Key_Enter) and self._digits:
            digits, self._digits = self._digits, ""
            self._jump(int(digits))
            return True
        self._digits = ""
        if key in PAGES and self._leaf(PAGES[key]):
            return True
        for keys, meaning in ((NEXT, "next"), (PREVIOUS, "previous"), (BLANK, "blank"), ({K.Key_Escape}, "leave")):
            if key in keys:
                self._do[meaning]()
                return True
        return False
