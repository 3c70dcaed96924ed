"""A column that scrolls settles in any size, also where its content is lower in a narrower place."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PySide6.QtCore import QSize
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from explorer.ui.column_scroll import ColumnScroll
from explorer.ui.page import Page
from explorer.ui.segments import Segments
from explorer.ui.side_panel import SidePanel
from tests.ui.conftest import MakeWindow, settle


class Odd(QWidget):
    """A content whose height for a width is whatever it is told; it counts how often it is given a size."""

    def __init__(self) -> None:
        super().__init__()
        self.heights: dict[int, int] = {}
        self.resized = 0

    def hasHeightForWidth(self) -> bool:
        return True

    def heightForWidth(self, width: int) -> int:
        return self.heights.get(width, 100)

    def resizeEvent(self, event: QResizeEvent) -> None:
        self.resized += 1


@pytest.mark.parametrize("steady", [False, True])
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(heights=st.dictionaries(st.integers(160, 200), st.integers(50, 400)), high=st.integers(60, 300))
def test_it_settles_whatever_the_content_answers(
    qtbot: QtBot, steady: bool, heights: dict[int, int], high: int
) -> None:
    content = Odd()
    area = ColumnScroll(content, steady=steady)
    qtbot.addWidget(area)
    content.heights = heights
    area.resize(200, high)
    area.show()
    content.resized = 0
    bar = area.verticalScrollBar()
    for width in (199, 198, 200):
        area.resize(width, high)
        QApplication.processEvents()
        room = bar.sizeHint().width()
        wide = width - (room if steady else 0)
        assert bar.isVisible() == (content.heightForWidth(wide) > high)
        narrow = width - (room if steady or bar.isVisible() else 0)
        assert content.size() == QSize(narrow, max(content.heightForWidth(narrow), high))
        assert area.viewport().width() == narrow
        assert bar.maximum() == content.height() - high if bar.isVisible() else bar.maximum() == 0
    assert content.resized <= 3


def test_a_steady_column_is_as_wide_with_a_bar_as_without(qtbot: QtBot) -> None:
    content = Odd()
    area = ColumnScroll(content, steady=True)
    qtbot.addWidget(area)
    area.resize(200, 300)
    area.show()
    QApplication.processEvents()
    assert not area.verticalScrollBar().isVisible()
    width = content.width()
    area.resize(200, 80)
    QApplication.processEvents()
    assert area.verticalScrollBar().isVisible()
    assert content.width() == width < 200


def test_a_content_without_height_for_width_has_its_least_height(qtbot: QtBot) -> None:
    content = QWidget()
    content.setMinimumSize(50, 120)
    area = ColumnScroll(content)
    qtbot.addWidget(area)
    area.resize(200, 100)
    area.show()
    QApplication.processEvents()
    assert area.verticalScrollBar().maximum() == 20


def edges(page: Page) -> list[int]:
    """Return the widths at which controls that are a little narrower would be lower."""
    body, bar = page.scroller.widget(), page.scroller.verticalScrollBar().sizeHint().width()
    assert body is not None
    return [width for width in range(500, 1700) if body.heightForWidth(width - bar) < body.heightForWidth(width)]


@pytest.mark.parametrize("scale", [150, 200])
@pytest.mark.parametrize("slug", ["why-context", "matrix-form", "scaling", "multi-head"])
def test_a_page_settles_where_its_controls_are_lower_beside_a_bar(
    make_window: MakeWindow, slug: str, scale: int
) -> None:
    window = make_window(slug)
    window.set_scale(scale)
    window.resize(1900, 900)
    settle(window)
    page = window.page
    around = window.width() - page.scroller.width(), window.height() - page.scroller.height()
    body, bar = page.scroller.widget(), page.scroller.verticalScrollBar()
    assert body is not None
    for width in edges(page)[::7][:6]:
        needed = body.heightForWidth(width)
        for high in range(needed - 6, needed + 2):
            window.resize(width + around[0], high + around[1])
            settle(window)
            room = page.scroller.size()
            assert bar.isVisible() == (body.heightForWidth(room.width()) > room.height())
            assert body.height() == max(body.heightForWidth(body.width()), room.height())


def test_a_page_settles_while_its_window_is_made_wider(make_window: MakeWindow) -> None:
    """Qt's own resizable area went round here, at 990, until the stack was used up and the process ended."""
    window = make_window("why-context")
    window.set_scale(200)
    for width in range(900, 1100):
        window.resize(width, 900)
        QApplication.processEvents()
    body = window.page.scroller.widget()
    assert body is not None
    assert body.width() <= window.page.scroller.width()


def test_options_keep_their_form_when_the_bar_comes(make_window: MakeWindow) -> None:
    """A form that is chosen by the room beside the bar would decide whether there is one."""
    window = make_window("cost")
    box = window.page.bar.findChild(Segments, "control_view")
    assert box is not None
    for width in range(640, 1000, 6):
        forms = set()
        for high in (900, 330):
            window.resize(width, high)
            settle(window)
            forms.add(box.list.isHidden())
        assert len(forms) == 1


def test_a_lesson_scrolls_no_further_than_its_last_card(make_window: MakeWindow) -> None:
    for slug in ("queries-keys-values", "why-context", "multi-head"):
        window = make_window(slug)
        window.resize(1000, 600)
        settle(window)
        panel = next(panel for panel in window.findChildren(SidePanel) if panel.isVisible())
        content = panel.area.widget()
        assert content is not None
        assert content.height() == max(content.heightForWidth(content.width()), panel.area.height())
