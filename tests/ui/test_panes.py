"""What the keyboard leads to is seen, in whatever area it has to be scrolled to."""

import pytest
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWidget
from pytestqt.qtbot import QtBot

from explorer.ui import panes
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

TAB, DOWN = Qt.Key.Key_Tab, Qt.Key.Key_Down


def seen(widget: QWidget) -> bool:
    """Say whether the part of a widget that the keyboard is on can be seen; of a larger one, a part of it."""
    if isinstance(widget, QAbstractItemView):
        cell = widget.visualRect(widget.currentIndex())
        return widget.viewport().visibleRegion().boundingRect().contains(cell)
    # Nothing is taken for hidden because a child covers it.
    whole, view = widget, widget.rect()
    place = QRect(whole.mapToGlobal(QPoint(0, 0)), view.size())
    above = widget.parentWidget()
    while above is not None:
        place = place.intersected(QRect(above.mapToGlobal(QPoint(0, 0)), above.size()))
        above = above.parentWidget()
    return place.height() >= min(view.height(), 40) and place.width() >= min(view.width(), 40)


def large(make_window: MakeWindow, slug: str, scale: int) -> MainWindow:
    window = make_window(slug)
    window.resize(1280, 720)
    window.set_scale(scale)
    settle(window)
    return window


@pytest.mark.parametrize("scale", [150, 300])
@pytest.mark.parametrize("slug", ["scaling", "multi-head", "grouped-query", "previous-token-head"])
def test_whatever_tab_leads_to_is_seen(qtbot: QtBot, make_window: MakeWindow, slug: str, scale: int) -> None:
    window = large(make_window, slug, scale)
    panes.enter(window.page.bar)
    for _ in range(40):
        focus = QApplication.focusWidget()
        assert focus is not None
        assert seen(focus), focus.objectName()
        qtbot.keyClick(focus, TAB)


def test_the_controls_are_seen_when_they_are_gone_to(make_window: MakeWindow) -> None:
    window = large(make_window, "scaling", 300)
    bar = window.page.scroller.verticalScrollBar()
    bar.setValue(bar.maximum())
    window.go_to_controls()
    focus = QApplication.focusWidget()
    assert focus is not None
    assert window.page.bar.isAncestorOf(focus)
    assert seen(focus)


@pytest.mark.parametrize("slug", ["multi-head", "grouped-query", "matrix-form", "full-attention"])
def test_the_stage_follows_the_arrow_keys_in_every_table(qtbot: QtBot, make_window: MakeWindow, slug: str) -> None:
    window = large(make_window, slug, 200)
    views = [panel.view for panel in window.page.stage.canvas.panels() if panel.view.isVisible()]
    assert views
    for view in views:
        view.setFocus(Qt.FocusReason.TabFocusReason)
        for key in (DOWN, Qt.Key.Key_Right) * view.model().rowCount():
            place = view.currentIndex()
            qtbot.keyClick(view, key)
            # At a table's edge the arrow keys are the stage's.
            assert view.currentIndex() == place or seen(view), view.name


def test_a_link_of_the_trace_leads_to_a_cell_that_is_seen(make_window: MakeWindow) -> None:
    window = large(make_window, "scaling", 300)
    stage, outer = window.page.stage.verticalScrollBar(), window.page.scroller.verticalScrollBar()
    name = "head_sizes"
    view = window.page.panels(name)[0].view
    stage.setValue(0)
    outer.setValue(0)
    at = view.array_index(view.model().rowCount() - 1, 0)
    window.page.follow(name, at)
    cell = view.array_cell(at)
    assert cell is not None
    assert view.viewport().visibleRegion().boundingRect().contains(view.visualRect(view.model().index(*cell)))


def test_a_click_scrolls_nothing_away_from_under_the_mouse(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = large(make_window, "multi-head", 150)
    stage = window.page.stage
    bar = stage.verticalScrollBar()
    assert bar.maximum() > 0
    bar.setValue(bar.maximum() // 2)
    view = next(
        panel.view
        for panel in stage.canvas.panels()
        if panel.view.isVisible() and not panel.view.viewport().visibleRegion().isEmpty()
    )
    before = bar.value()
    point = view.viewport().visibleRegion().boundingRect().center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=point)
    assert bar.value() == before


def test_what_is_hidden_scrolls_nothing(make_window: MakeWindow) -> None:
    window = large(make_window, "scaling", 300)
    outer = window.page.scroller.verticalScrollBar()
    outer.setValue(outer.maximum())
    window.page.bar.hide()
    panes.reveal(window.page.bar)
    assert outer.value() == outer.maximum()
