"""The Help menu: every key with what it does, and what this is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QGridLayout, QLabel, QMenu, QMessageBox, QVBoxLayout, QWidget

import explorer
from explorer.ui.column_scroll import ColumnScroll
from explorer.ui.style import dress
from explorer.ui.topbar import keys_of, words_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QAction

    from explorer.ui.theme import Theme
    from explorer.ui.window import MainWindow

#: Keys that belong to no action of a menu, under the heading of where they are.
OTHERS: dict[str, tuple[tuple[str, str], ...]] = {
    "In a matrix": (
        ("arrows", "Move between cells"),
        ("digits, F2 or Enter", "Edit a cell"),
        ("Enter, Tab", "Finish and go down, right"),
        ("Esc", "Give up an edit"),
        ("Alt+Up, Alt+Down", "Nudge by 0.1, with Shift by 0.01"),
        ("drag a cell's corner", "Scrub its value"),
    ),
    "Elsewhere on the stage": (
        ("drag a tip, or Tab and arrows", "Move a vector of a plane; Shift finer, Ctrl by a square"),
        ("Left, Right, Enter in the trace", "From number to number, and to where one comes from"),
        ("Up, Down on wires", "Fewer or more query heads for each KV head"),
    ),
    "In a show": (
        ("PgDn, PgUp", "Next and previous bookmark, or step where there are none"),
        ("full stop", "A black screen, and back"),
        ("digits, Enter", "Jump to a tab"),
        ("Tab or F4", "The controls, then the cells; Esc gives the keys back to the show"),
    ),
}


def key_list(window: MainWindow) -> dict[str, list[tuple[str, str]]]:
    """Return every key with what it does, under the name of its menu or of where it works."""
    found: dict[str, list[tuple[str, str]]] = {}
    for top in window.menuBar().actions():
        menu = top.menu()
        if isinstance(menu, QMenu):
            lines = [(keys_of(action), words_of(action)) for action in _actions(menu)]
            heading = f"Tab {window.page.concept.number}" if menu is window.tab_menu.menu else words_of(top)
            found[heading] = [(keys, words) for keys, words in lines if keys]
    return {heading: lines for heading, lines in (*found.items(), *((k, list(v)) for k, v in OTHERS.items())) if lines}


def _actions(menu: QMenu) -> Iterator[QAction]:
    """Iterate over what a menu and the menus in it hold."""
    for action in menu.actions():
        inner = action.menu()
        if isinstance(inner, QMenu):
            yield from _actions(inner)
        else:
            yield action


def show_keys(window: MainWindow) -> None:
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
    grid.setColumnStretch(1, 1)
    for heading, lines in key_list(window).items():
        head = _line(heading, theme, muted=True)
        head.setContentsMargins(0, theme.px(8), 0, 0)
        grid.addWidget(head, grid.rowCount(), 0, 1, 2)
        for keys, text in lines:
            row = grid.rowCount()
            grid.addWidget(_line(keys, theme, bold=True), row, 0, Qt.AlignmentFlag.AlignTop)
            grid.addWidget(_line(text, theme), row, 1)
    scroll = ColumnScroll(inner)
    scroll.setAccessibleName("Keys")
    QVBoxLayout(dialog).addWidget(scroll)
    dialog.resize(min(theme.px(680), window.width()), min(theme.px(620), window.height()))
    dialog.open()


def _line(text: str, theme: Theme, *, bold: bool = False, muted: bool = False) -> QLabel:
    label = QLabel(text)
    label.setTextFormat(Qt.TextFormat.PlainText)
    label.setWordWrap(True)
    label.setFont(theme.font(13, bold=bold))
    if muted:
        label.setProperty("role", "control")
    if bold:
        label.setMinimumWidth(theme.px(190))
    return label


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
