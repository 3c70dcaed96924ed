"""A show: the tab alone in large digits, the black screen, and whose the keys are.

A clicker sends page keys, F5, Esc and the full stop; they drive the show, never a cell. The page keys go through the
bookmarks where there are any, else through the steps, as all other keys do. Digits and Enter jump to a tab, as with
slides. Keys reach a cell while its editor is open.

Tab or F4 lays hands on the tab: its controls take the trace's place, and until Esc all keys but the clicker's belong
to what has the focus, be it a slider, a matrix or a plane.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from explorer.ui import panes
from explorer.ui import theme as themes
from explorer.ui.controls import ControlBar

if TYPE_CHECKING:
    from explorer.ui.window import MainWindow

K = Qt.Key
NEXT = {K.Key_PageDown, K.Key_Right, K.Key_Down, K.Key_Space, K.Key_N}
PREVIOUS = {K.Key_PageUp, K.Key_Left, K.Key_Up, K.Key_P, K.Key_Backspace}
PAGES = {K.Key_PageDown: 1, K.Key_PageUp: -1}
BLANK = {K.Key_Period, K.Key_B}
TABS = {K.Key_Tab, K.Key_Backtab}


class Show(QObject):
    """The presentation of a window; while it is on, an event filter on the application."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        self._on = False
        self._hands = False
        self._digits = ""
        self._black = QWidget(window)
        self._black.setObjectName("blank")
        self._black.setStyleSheet("background: black;")
        self._black.hide()
        QApplication.instance().focusChanged.connect(self._focus_changed)  # type: ignore[union-attr]

    @property
    def hands(self) -> bool:
        """Whether the keys belong to the tab rather than to the show."""
        return self._hands

    # --- beginning and end ---

    def start(self, *, full_screen: bool) -> None:
        """Show the tab alone, in large digits."""
        window = self._window
        if full_screen:
            window.setWindowState(window.windowState() | Qt.WindowState.WindowFullScreen)
        self._digits, self._on = "", True
        # A control that goes would hand the focus on to a table, which would show where its first cell comes from.
        window.let_go()
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]
        window.take_theme(themes.make(window.theme.name, window.theme.percent, True))

    def leave(self) -> None:
        """Return to the ordinary window; from the black screen, to the show."""
        if self._black.isVisible():
            self.toggle_black()
            return
        self.drop_hands()
        self.stop()
        window = self._window
        window.setWindowState(window.windowState() & ~Qt.WindowState.WindowFullScreen)
        window.take_theme(themes.make(window.theme.name, window.theme.percent, False))

    def stop(self) -> None:
        """Give the keys back."""
        if self._on:
            self._on = False
            QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]

    def toggle_black(self) -> None:
        """Make the screen black, or let it be seen again."""
        self._black.setGeometry(self._window.rect())
        self._black.setVisible(not self._black.isVisible())
        self._black.raise_()

    # --- hands on the tab ---

    def lay_hands(self) -> None:
        """Give the keys to the tab, beginning with its controls, or with its first table where it has none."""
        page = self._window.page
        self._forget_digits()
        self._hands = True
        page.show_controls(on=True)
        if not any(panes.enter(pane) for pane in (page.bar, page.stage)):
            self.drop_hands()

    def drop_hands(self) -> None:
        """Give the keys back to the show."""
        if not self._hands:
            return
        self._hands = False
        self._window.page.show_controls(on=False)
        self._window.let_go()

    def toggle_hands(self) -> None:
        """Lay hands on the tab, or give the keys back to the show."""
        if self._hands:
            self.drop_hands()
        else:
            self.lay_hands()

    def _focus_changed(self, _old: QWidget | None, now: QWidget | None) -> None:
        """Let the trace have its place as soon as the focus has left the controls."""
        if self._hands and now is not None and self._window.isAncestorOf(now):
            self._window.page.show_controls(on=_among_controls(now))

    # --- keys ---

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Turn a key press into what it means in a show."""
        if event.type() != QEvent.Type.KeyPress or not isinstance(event, QKeyEvent):
            return False
        if QApplication.activeModalWidget() or QApplication.activePopupWidget():
            return False
        key, focus = Qt.Key(event.key()), QApplication.focusWidget()
        if isinstance(focus, QLineEdit):
            if self._hands and key == K.Key_Escape and _among_controls(focus):
                self.drop_hands()
                return True
            return False
        if event.modifiers() & ~(Qt.KeyboardModifier.KeypadModifier | Qt.KeyboardModifier.ShiftModifier):
            return False
        if self._hands:
            return self._press_with_hands(key)
        if key in TABS and not self._black.isVisible():
            self.lay_hands()
            return True
        return self._press(key, event.text())

    def _press_with_hands(self, key: Qt.Key) -> bool:
        if key == K.Key_Escape:
            self.drop_hands()
            return True
        return (key in PAGES or key in BLANK) and self._drive(key)

    def _press(self, key: Qt.Key, text: str) -> bool:
        if text.isascii() and text.isdigit():
            self._digits = (self._digits + text)[-3:]
            self._window.say(f"to tab {self._digits}: Enter")
            return True
        if key in (K.Key_Return, K.Key_Enter) and self._digits:
            digits = self._digits
            self._forget_digits()
            self._window.tab_menu.jump_to(int(digits))
            return True
        self._forget_digits()
        return self._drive(key)

    def _forget_digits(self) -> None:
        if self._digits:
            self._digits = ""
            self._window.say("")

    def _drive(self, key: Qt.Key) -> bool:
        window = self._window
        steps = window.topbar.steps
        if key in PAGES and window.bookmarks.leaf(PAGES[key]):
            return True
        for keys, meant in (
            (NEXT, steps.go_next),
            (PREVIOUS, steps.go_previous),
            (BLANK, self.toggle_black),
            ({K.Key_Escape}, window.leave_show),
        ):
            if key in keys:
                meant()
                return True
        return False


def _among_controls(widget: QWidget) -> bool:
    """Say whether a widget is one of the controls, or in a list or a drawer that one of them has opened."""
    at: QWidget | None = widget
    while at is not None and not isinstance(at, ControlBar):
        at = at.parentWidget()
    return at is not None
