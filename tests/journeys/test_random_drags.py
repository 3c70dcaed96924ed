"""Vectors dragged anywhere, in between everything else that a person may do to the first three tabs."""

import random

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from explorer import app as application
from explorer.concepts import concept
from explorer.ui import theme as themes
from explorer.ui.settings import Settings
from explorer.ui.views.plane import PlaneView
from explorer.ui.window import MainWindow
from explorer.workbench.workbench import Workbench
from tests.journeys.actor import Actor
from tests.ui.conftest import settle

TABS = [concept(slug) for slug in ("why-context", "running-average", "weighted-average")]
LEFT, NONE = Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier


def drag_something(window: MainWindow, chance: random.Random) -> None:
    view = next((one for one in window.page.findChildren(PlaneView) if one.isVisible() and one.plane), None)
    if view is None:
        return
    start = view.scale_now().pixel(chance.choice(view.plane.vectors).tip).toPoint()
    QTest.mousePress(view, LEFT, NONE, start)
    for _ in range(3):
        anywhere = QPoint(chance.randrange(-50, view.width() + 50), chance.randrange(-50, view.height() + 50))
        QTest.mouseMove(view, anywhere)
    if chance.random() < 0.7:
        QTest.mouseRelease(view, LEFT, NONE, start)
    QApplication.processEvents()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [12, 13])
def test_drags_and_anything_else_in_between_leave_a_window_that_undo_brings_back(qtbot: QtBot, seed: int) -> None:
    workbench = Workbench(TABS)
    window = MainWindow(workbench, Settings(), themes.make("light"))
    try:
        window.resize(1280, 720)
        window.show()
        qtbot.waitExposed(window)
        settle(window)
        actor, chance = Actor(window, seed), random.Random(seed)
        with capture_exceptions() as exceptions:
            for _ in range(200):
                actor.act()
                if chance.random() < 0.4:
                    drag_something(window, chance)
                assert not exceptions, (actor.done[-5:], exceptions)
        # The last drag may not have ended; undo waits for nobody, but the next test would find the mouse held.
        QTest.mouseRelease(window, LEFT)
        while workbench.undo():
            pass
        fresh = Workbench(TABS)
        for slug, tab in workbench.document().items():
            assert tab.same_as(fresh.state(slug)), slug
    finally:
        application.close_all(window)
