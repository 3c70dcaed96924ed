"""The beginning and the end of a Qt process: one application object, and windows taken down in order."""

from __future__ import annotations

import os
import sys

import shiboken6
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

import explorer
from explorer.ui.settings import NAME


DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")


def application() -> QApplication:
    """Return the application object, made at the first call."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in DISPLAYS):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # without a screen Qt would end the process
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    app = QApplication(sys.argv[:1])
    app.setApplicationName(NAME)
    app.setApplicationDisplayName("Attention Explorer")
    app.setApplicationVersion(explorer.__version__)
    app.setDesktopFileName(NAME)
    return app


def close_all(window: QWidget) -> None:
    """Take a window down in order; widgets alive at the interpreter's end can crash it."""
    window.close()
    window.deleteLater()
    QApplication.sendPostedEvents()
    QApplication.processEvents()
    if shiboken6.isValid(window):
        shiboken6.delete(window)
