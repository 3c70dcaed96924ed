"""The Help menu: every key with what it does, and what this is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QMessageBox, QScrollArea, QVBoxLayout, QWidget

import explorer
from explorer.ui.style import dress

if TYPE_CHECKING:
    from collections.abc import Iterable

    from PySide6.QtGui import QAction

    from explorer.ui.window import MainWindow

#: Keys that belong to no action of a menu.
OTHERS = (
    ("Space", "Play or pause the steps"),
    ("arrows", "Move between cells"),
    ("digits, F2 or Enter", "Edit a cell"),
    ("Enter / Tab", "Finish and go down / right"),
    ("Esc", "Give up an edit"),
    ("Shift+Enter", "Keep a cell's arithmetic on show"),
    ("Delete", "Set cells to 0"),
    ("Ctrl+C, Ctrl+V", "Copy and paste ranges, also with a spreadsheet"),
    ("Ctrl+D", "Fill down"),
    ("Alt+Up, Alt+Down", "Nudge by 0.1, with Shift by 0.01"),
    ("drag the corner of a cell", "Scrub its value"),
    ("drag a tip, or Tab and arrows", "Move a vector of a plane; Shift finer, Ctrl by a square"),
    ("PgDn, PgUp in a show", "Next and previous bookmark, or step where there are none"),
    ("full stop in a show", "A black screen, and back"),
    ("digits and Enter in a show", "Jump to a tab"),
    ("Tab in a show", "The controls, then the cells; Esc gives the keys back to the show"),
)


def key_list(actions: Iterable[QAction]) -> list[tuple[str, str]]:
    """Return every key with what it does, those of the actions first."""
    keys = [
        (" or ".join(key.toString() for key in action.shortcuts()), action.text().replace("&", "").split("\t")[0])
        for action in actions
        if action.shortcuts()
    ]
    return [*keys, *OTHERS]


def show_keys(window: MainWindow, actions: Iterable[QAction]) -> None:
    """Show all keys."""
    theme = window.theme
    dialog = QDialog(window)
    dialog.setObjectName("keys")
    dialog.setWindowTitle("Keys")
    dress(dialog, theme)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    inner = QWidget()
    grid = QGridLayout(inner)
    grid.setHorizontalSpacing(theme.px(24))
    for row, (keys, text) in enumerate(key_list(actions)):
        key = QLabel(keys)
        key.setFont(theme.font(13, bold=True))
        grid.addWidget(key, row, 0)
        grid.addWidget(QLabel(text), row, 1)
    scroll = QScrollArea()
    scroll.setWidget(inner)
    scroll.setWidgetResizable(True)
    QVBoxLayout(dialog).addWidget(scroll)
    dialog.resize(min(theme.px(620), window.width()), min(theme.px(620), window.height()))
    dialog.open()


def show_about(window: MainWindow) -> None:
    """Say what this is."""
    box = QMessageBox(window)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setWindowTitle("About")
    dress(box, window.theme)
    box.setText(
        f"{window.title} {explorer.__version__}\n\nSelf-attention, computed live from the numbers that you type.\n"
        "Every number on screen can be traced back to those cells.\n\nMIT License."
        " Uses Qt, PySide6 (LGPL), NumPy, pyqtgraph, ziamath and the Inter typeface."
    )
    box.open()
