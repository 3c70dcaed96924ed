"""The strip that tells where a number comes from, at work on a page."""

from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

SEVEN = "full-attention"


def beside_the_links(window: MainWindow) -> QPoint:
    return QPoint(3, window.page.strip.height() - 3)


def test_a_click_beside_the_links_shows_all_digits_until_another_number_is_told_of(
    qtbot: QtBot, make_window: MakeWindow
) -> None:
    window = make_window(SEVEN)
    strip = window.page.strip
    short = [rect.width() for rect, _ in strip.links()]
    qtbot.mouseClick(strip, Qt.MouseButton.LeftButton, pos=beside_the_links(window))
    full = [rect.width() for rect, _ in strip.links()]
    assert sum(full) > sum(short)
    # What changes nothing that is told here leaves the digits alone.
    window.workbench.set_view(SEVEN, speed=2.0)
    settle(window)
    assert [rect.width() for rect, _ in strip.links()] == full
    window.page.pin("x", (0, 0))
    settle(window)
    window.page.pin("output", (3, 0))
    settle(window)
    assert not strip._full


def test_the_key_keeps_its_link_while_the_same_is_told(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    strip = window.page.strip
    strip.setFocus()
    qtbot.keyClick(strip, Qt.Key.Key_Right)
    qtbot.keyClick(strip, Qt.Key.Key_Right)
    said = strip.accessibleDescription()
    window.workbench.set_view(SEVEN, speed=2.0)
    settle(window)
    assert strip.accessibleDescription() == said
