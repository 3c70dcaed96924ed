"""Two parties that ask each other: both directions are read, pointed at, and walked through with the keyboard."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from pytestqt.qtbot import QtBot

from explorer.ui.views.exchange import ExchangeView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

SLUG = "queries-keys-values"


def card(window: MainWindow) -> ExchangeView:
    view = window.page.findChild(ExchangeView, "pair")
    assert view is not None
    return view


def test_both_directions_of_the_lessons_pair_are_written(make_window: MakeWindow) -> None:
    view = card(make_window(SLUG))
    assert view.written() == [["0.407", "0.311"], ["−0.417", "0.187"]]
    assert view.accessibleDescription() == (
        "sat 2 asks cat 1: scores 0.407, attention weights 0.311; cat 1 asks sat 2: scores −0.417, attention weights"
        " 0.187; scores: not symmetric; attention weights: not symmetric"
    )


def test_mixing_changes_nothing_on_the_card(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = card(window)
    before, q = view.written(), window.page.panels("q")[0].view.written()
    for amount in (0.3, 0.7, 1.0):
        window.workbench.set_control(SLUG, "mix", amount)
        assert view.written() == before
        assert window.page.panels("q")[0].view.written() != q
        assert window.page.panels("scores")[0].view.look.changed == frozenset(), "rounding is outlined as a change"
        assert window.page.panels("q")[0].view.look.changed


def test_a_click_keeps_the_trace_of_a_direction(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = card(window)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.rect_of((1, 0)).center())
    settle(window)
    assert window.workbench.view(SLUG).pinned == ("scores", (1, 2))
    assert "= −0.417" in window.page.strip.plain_text()


def test_pointing_previews_and_leaving_goes_back(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = card(window)
    qtbot.mouseMove(view, view.rect_of((1, 1)).center())
    qtbot.waitUntil(lambda: "attention weight of cat (1)" in window.page.strip.plain_text())
    view.leaveEvent(None)
    assert "= 0.407" in window.page.strip.plain_text()


def test_the_arrow_keys_go_through_all_numbers_and_enter_pins(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = card(window)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.accessibleDescription() == "sat 2 asks cat 1: scores 0.407"
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Right, Qt.Key.Key_Right, Qt.Key.Key_Down):
        qtbot.keyClick(view, key)
    assert view.accessibleDescription() == "cat 1 asks sat 2: attention weights 0.187"
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert window.workbench.view(SLUG).pinned == ("weights", (1, 2))


def test_a_cell_that_is_pointed_at_lights_up_on_the_card(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = card(window)
    window.page.hover("scores", (1, 2))
    assert view._lit == {(1, 0)}
    window.page.hover("scores", (0, 0))
    assert view._lit == frozenset()


def test_a_token_that_asks_itself_has_one_direction(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    window.workbench.set_control(SLUG, "asked", 2)
    settle(window)
    view = card(window)
    assert len(view.written()) == 1
    assert view.height() < 90


@pytest.mark.parametrize(("percent", "present"), [(100, False), (150, False), (100, True)])
def test_every_text_has_its_room(make_window: MakeWindow, percent: int, present: bool) -> None:
    window = make_window(SLUG, percent=percent, present=present)
    for scores in (1.0, 1e3, -3e7):
        window.workbench.edit(SLUG, "x", [(2, 0), (1, 0)], [scores, scores])
        settle(window)
        view = card(window)
        numbers = QFontMetrics(view._fonts()[2])
        for row, texts in enumerate(view.written()):
            for column, text in enumerate(texts):
                rect = view.rect_of((row, column))
                lead = QFontMetrics(view._fonts()[0]).horizontalAdvance(view._reading((row, column)).lead)
                assert lead + numbers.horizontalAdvance(text) < rect.width() + 1
                assert view.rect().contains(rect.adjusted(0, 0, 0, -1))


def test_long_names_of_tokens_keep_their_room(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    window.workbench.rename_token(SLUG, 2, "Donaudampfschiffahrtsgesellschaft")
    settle(window)
    view = card(window)
    assert view.measure(window.page.stage.canvas.unit, 400).width() <= view.width() + 1
    assert view.rect_of((0, 0)).left() > QFontMetrics(view._fonts()[1]).horizontalAdvance(
        "Donaudampfschiffahrtsgesellschaft"
    )


def test_nothing_is_hit_beside_the_numbers(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = card(window)
    before = window.workbench.view(SLUG).pinned
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=QPoint(3, 3))
    assert window.workbench.view(SLUG).pinned == before
