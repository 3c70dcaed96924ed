"""The beginning and the end of a Qt process: one application object, and windows taken down in order."""

from __future__ import annotations

import atexit
import os
import sys
from pathlib import Path

import shiboken6
from PySide6.QtCore import (
    QByteArray,
    QDir,
    QMessageLogContext,
    Qt,
    QtMsgType,
    qFormatLogMessage,
    qInstallMessageHandler,
)
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication, QWidget

import explorer
from explorer import resources
from explorer.ui.settings import NAME

DISPLAYS = ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM")
ICON_SIZES = (16, 32, 48, 128)
#: How the offscreen platform says that it has no window manager; nothing that is drawn depends on it.
HARMLESS = "This plugin does not support "


def application() -> QApplication:
    """Return the application object, made at the first call."""
    existing = QApplication.instance()
    if isinstance(existing, QApplication):
        return existing
    if sys.platform.startswith("linux") and not any(os.environ.get(name) for name in DISPLAYS):
        os.environ["QT_QPA_PLATFORM"] = "offscreen"  # without a screen Qt would end the process
    _have_a_home()
    QGuiApplication.setHighDpiScaleFactorRoundingPolicy(Qt.HighDpiScaleFactorRoundingPolicy.PassThrough)
    app = QApplication(sys.argv[:1])
    if app.platformName() == "offscreen":
        _drop_harmless_messages()
    app.setApplicationName(NAME)
    app.setApplicationDisplayName("Attention Explorer")
    app.setApplicationVersion(explorer.__version__)
    app.setDesktopFileName(NAME)
    app.setWindowIcon(_icon())
    return app


def _icon() -> QIcon:
    """Draw the application's icon; a QIcon of the file itself would first look for a plugin, which takes 10 ms."""
    drawing = QSvgRenderer(QByteArray(resources.data("icons", f"{NAME}.svg")))
    icon = QIcon()
    for size in ICON_SIZES:
        pixmap = QPixmap(size, size)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        drawing.render(painter)
        painter.end()
        icon.addPixmap(pixmap)
    return icon


def _drop_harmless_messages() -> None:
    """Keep from the user what the offscreen platform says about itself, and pass everything else on."""

    def handle(kind: QtMsgType, context: QMessageLogContext, message: str) -> None:
        if kind == QtMsgType.QtWarningMsg and message.startswith(HARMLESS):
            return
        if previous is not None:
            previous(kind, context, message)
        elif sys.stderr is not None:
            print(qFormatLogMessage(kind, context, message), file=sys.stderr, flush=True)

    previous = qInstallMessageHandler(handle)
    atexit.register(qInstallMessageHandler, None)  # Qt may speak after Python has gone


def _have_a_home() -> None:
    """Let a user without a home, as in a container, have what Qt takes for one: libraries fail to import without."""
    try:
        Path.home()
    except RuntimeError:
        os.environ["HOME"] = QDir.homePath()


def close_all(window: QWidget) -> None:
    """Take a window down in order and without a question; widgets alive at the interpreter's end can crash it."""
    getattr(window, "take_down", window.close)()
    window.deleteLater()
    QApplication.sendPostedEvents()
    QApplication.processEvents()
    if shiboken6.isValid(window):
        shiboken6.delete(window)
