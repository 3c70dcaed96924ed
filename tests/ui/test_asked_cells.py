"""Questions that are answered in the picture: the page takes the click, and shows the cell that was asked for."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QPushButton
from pytestqt.qtbot import QtBot

from explorer.ui.matrix_view import MatrixView
from explorer.ui.question_card import QuestionCard
from explorer.ui.window import MainWindow
from explorer.workbench.questions import CellQuestion
from tests.ui.conftest import MakeWindow, settle

SEVEN = "full-attention"


def asking(window: MainWindow) -> QuestionCard:
    """Open the question that asks for a cell, and ask it."""
    card = window.panels.currentWidget().questions  # type: ignore[union-attr]
    card.go(next(i for i, one in enumerate(card.questions) if isinstance(one, CellQuestion)))
    card.findChild(QPushButton, "point").click()
    settle(window)
    return card


def click(qtbot: QtBot, view: MatrixView, row: int, column: int) -> None:
    where = view.visualRect(view.model().index(row, column)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=where)


def weights(window: MainWindow) -> MatrixView:
    return window.page.panels("weights")[0].view


def test_a_click_replies_and_pins_only_the_right_cell(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    card, before = asking(window), window.workbench.view(SEVEN).pinned
    assert "Esc" in window.page.bubble.text()
    click(qtbot, weights(window), 1, 3)
    assert card.wants_cell
    assert window.workbench.view(SEVEN).pinned == before
    click(qtbot, weights(window), 3, 1)
    assert not card.wants_cell
    assert window.workbench.view(SEVEN).pinned == ("weights", (3, 1))


def test_the_keyboard_replies_too(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    card, view = asking(window), weights(window)
    view.setFocus()
    view.setCurrentIndex(view.model().index(3, 1))
    qtbot.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert not card.wants_cell


@pytest.mark.parametrize("way", ["escape", "panel closed", "other tab"])
def test_asking_can_be_given_up(qtbot: QtBot, make_window: MakeWindow, way: str) -> None:
    window = make_window(SEVEN)
    card = asking(window)
    if way == "escape":
        qtbot.keyClick(window, Qt.Key.Key_Escape)
    elif way == "panel closed":
        window.toggle_panel()
    else:
        window.workbench.show("cost")
        window.workbench.show(SEVEN)
    assert not card.wants_cell
    click(qtbot, weights(window), 0, 0)
    assert window.workbench.view(SEVEN).pinned == ("weights", (0, 0))


@pytest.mark.parametrize("by_row", [False, True])
def test_a_revealed_cell_is_shown_at_whatever_step_the_tab_is(make_window: MakeWindow, by_row: bool) -> None:
    window = make_window(SEVEN)
    window.workbench.set_view(SEVEN, by_row=by_row, step=0)
    asking(window).reveal()
    settle(window)
    assert window.workbench.view(SEVEN).pinned == ("weights", (3, 1))
    assert weights(window).isVisible()
    assert (3, 1) in weights(window).look.pinned
    reached = weights(window).look.reached
    assert reached is None or reached > 3


def test_a_cell_that_is_gone_is_not_shown(make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    window.workbench.set_size(SEVEN, "n", 2)
    asking(window).reveal()
    assert window.workbench.view(SEVEN).pinned != ("weights", (3, 1))
