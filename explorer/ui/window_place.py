"""Where a window stands when the app starts: where it was, on a screen that exists, no larger than that."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

if TYPE_CHECKING:
    from PySide6.QtCore import QByteArray, QRect
    from PySide6.QtWidgets import QWidget

#: Platforms whose screens nobody sees; their size says nothing.
NO_DISPLAY = ("offscreen", "minimal")
#: A window that nobody has placed yet.
FIRST_SIZE = (1280, 720)


def restore(window: QWidget, saved: QByteArray) -> None:
    """Put a window where it was when `saved` was taken of it, on a screen that exists and no larger than that."""
    known = not saved.isEmpty() and window.restoreGeometry(saved)
    if not known:
        window.resize(*FIRST_SIZE)
    # Whoever ended the app in the middle of a show did not ask for a window without a frame.
    window.setWindowState(window.windowState() & ~Qt.WindowState.WindowFullScreen)
    screens = [screen.availableGeometry() for screen in QGuiApplication.screens()]
    frame = window.geometry()
    home = next((screen for screen in screens if _shared(frame, screen)), None)
    if home is None and screens:
        home = screens[0]
        window.move(home.topLeft())
    seen = known or QGuiApplication.platformName() not in NO_DISPLAY
    if seen and home is not None and (frame.width() > home.width() or frame.height() > home.height()):
        window.resize(min(frame.width(), home.width()), min(frame.height(), home.height()))
        if not known:
            window.setWindowState(window.windowState() | Qt.WindowState.WindowMaximized)


def _shared(frame: QRect, screen: QRect) -> bool:
    """Say whether enough of the window lies on the screen to be taken hold of."""
    common = frame.intersected(screen)
    return common.width() >= 100 and common.height() >= 60
