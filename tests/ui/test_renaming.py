"""Renaming a token where its name stands: what is typed is kept, Esc gives it up, and no name spoils the page."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.ui.token_editor import TokenEditor
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults

SEVEN = "full-attention"
#: Wide, without spaces, joined, from right to left, like markup, high.
ODD = ["W" * 40, "漢" * 40, "👩‍👩‍👧‍👦" * 3, "مرحبا بالعالم", "<b>x</b> & y", "e\u0301\u0323\u0302" * 9]


def editor_of(qtbot: QtBot, window: MainWindow, token: int) -> TokenEditor:
    """Double-click a token's name beside x."""
    panel = window.page.panels("x")[0]
    table, height = panel.table_rect(), panel.view.look.cell_height
    where = QPoint(table.left() - 12, table.top() + token * height + height // 2)
    qtbot.mouseDClick(panel, Qt.MouseButton.LeftButton, pos=where)
    qtbot.mouseRelease(panel, Qt.MouseButton.LeftButton, pos=where)  # which is no part of Qt's double click
    editor = panel.findChild(TokenEditor)
    assert isinstance(editor, TokenEditor)
    return editor


def names(window: MainWindow) -> tuple[str, ...]:
    return window.workbench.state(SEVEN).tokens


def test_enter_keeps_the_name_as_one_undo_step(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    editor = editor_of(qtbot, window, 1)
    qtbot.keyClicks(editor, "dog")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert names(window)[1] == "dog"
    window.undo()
    assert names(window)[1] == "cat"


def test_escape_gives_it_up_and_only_it(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    pinned = window.workbench.view(SEVEN).pinned
    editor = editor_of(qtbot, window, 1)
    qtbot.keyClicks(editor, "dog")
    qtbot.keyClick(editor, Qt.Key.Key_Escape)
    QApplication.processEvents()
    assert names(window)[1] == "cat"
    assert window.workbench.view(SEVEN).pinned == pinned
    assert window.workbench.undo_label is None


def test_a_token_that_went_meanwhile_is_not_renamed(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    editor = editor_of(qtbot, window, 3)
    window.workbench.set_size(SEVEN, "n", 2)
    editor.setText("gone")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert names(window) == ("the", "cat")


@pytest.mark.parametrize("name", ODD)
@pytest.mark.parametrize("present", [False, True])
def test_no_name_spoils_the_page(make_window: MakeWindow, name: str, present: bool) -> None:
    window = make_window(SEVEN, present=present)
    for token in range(4):
        window.page.rename(token, name)
    settle(window)
    assert names(window) == (name,) * 4
    assert faults(window) == []


@pytest.mark.parametrize("name", ["", "   ", "x" * 41, "\u0000"])
def test_what_is_no_name_is_refused_in_a_sentence(make_window: MakeWindow, name: str) -> None:
    window = make_window(SEVEN)
    window.page.rename(1, name)
    assert names(window)[1] == "cat"
    assert window.page.bubble.isVisible()
