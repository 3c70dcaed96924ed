"""Tiles: figures that lead to the cell they were read from."""

from PySide6.QtCore import Qt
from pytestqt.qtbot import QtBot

from explorer.ui.views.tiles import TilesView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle


def tiles_of(window: MainWindow) -> TilesView:
    view = window.page.findChild(TilesView, "verdict")
    assert view is not None
    return view


def test_a_click_on_a_tile_pins_the_trace_of_its_figure(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("why-context")
    view = tiles_of(window)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.tile_rects()[0].center())
    settle(window)
    assert window.workbench.view("why-context").pinned == ("alone", (0, 0))
    assert "= 0.572" in window.page.strip.plain_text()


def test_the_keyboard_goes_from_tile_to_tile_and_pins(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("why-context")
    view = tiles_of(window)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.accessibleDescription() == "bank alone, 0 %: leans to river, 0.57 against 0.40"
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert window.workbench.view("why-context").pinned == ("cosines", (1, 1))


def test_pointing_at_a_tile_previews_its_trace(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("why-context")
    view = tiles_of(window)
    qtbot.mouseMove(view, view.tile_rects()[2].center())
    qtbot.waitUntil(lambda: "cosine · money bank · money" in window.page.strip.plain_text())
    qtbot.mouseMove(view, view.tile_rects()[2].topLeft())
    view.leaveEvent(None)
    qtbot.waitUntil(lambda: "cosine · river bank · river" in window.page.strip.plain_text())


def test_tiles_without_a_cell_take_no_focus(make_window: MakeWindow) -> None:
    window = make_window("full-attention")
    window.workbench.set_control("full-attention", "decode", True)
    settle(window)
    view = window.page.findChild(TilesView, "cost")
    assert view is not None
    assert view.tiles
    assert view.focusPolicy() == Qt.FocusPolicy.NoFocus


def test_nothing_written_is_wider_than_its_tile(make_window: MakeWindow) -> None:
    from PySide6.QtGui import QFontMetrics

    window = make_window("running-average")
    view = tiles_of(window)
    for causal in (True, False):
        window.workbench.set_control("running-average", "causal", causal)
        settle(window)
        for tile, rect in zip(view.tiles, view.tile_rects(), strict=True):
            assert QFontMetrics(view.theme.font(12)).horizontalAdvance(tile.label) <= rect.width()
            assert rect.right() <= view.width()


def test_a_figure_that_the_steps_have_not_come_to_is_a_question(make_window: MakeWindow) -> None:
    window = make_window("running-average")
    view = tiles_of(window)
    whole = view.grab().toImage()
    assert "exactly 0" in view.accessibleDescription()
    window.workbench.set_view("running-average", step=1)
    settle(window)
    assert "exactly 0" not in view.accessibleDescription()
    assert view.grab().toImage() != whole
    window.workbench.set_view("running-average", step=2)
    settle(window)
    assert view.grab().toImage() == whole
