"""The rail: every name whole at ordinary scales, numbers alone where the window is narrow."""

import pytest
from PySide6.QtGui import QFontMetrics

from explorer.ui.rail import FONT
from tests.ui.conftest import MakeWindow, settle


@pytest.mark.parametrize("percent", [80, 100])
def test_every_name_is_whole_also_of_the_tab_in_front(make_window: MakeWindow, percent: int) -> None:
    window = make_window(percent=percent)
    bold = QFontMetrics(window.theme.font(FONT, bold=True))
    for concept in window.workbench.concepts:
        assert bold.horizontalAdvance(concept.title) <= window.rail.name_room(), concept.title


def test_a_narrow_window_keeps_the_numbers(make_window: MakeWindow) -> None:
    window = make_window(size=(700, 600))
    assert window.rail.narrow
    assert window.rail.width() < 80


@pytest.mark.parametrize("slug", ["why-context", "multi-head", "previous-token-head"])
def test_the_tab_in_front_is_seen_where_there_is_no_room_for_all(make_window: MakeWindow, slug: str) -> None:
    window = make_window(slug)
    for percent, size in ((300, (1280, 720)), (150, (900, 420)), (100, (1280, 720))):
        window.set_scale(percent)
        window.resize(*size)
        settle(window)
        rail = window.rail
        assert rail.viewport().rect().contains(rail.visualRect(rail.currentIndex()))
