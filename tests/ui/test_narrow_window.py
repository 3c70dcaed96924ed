"""Narrow windows: what has no room is left out, once, and what is left can be read."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QApplication, QToolButton
from pytestqt.qtbot import QtBot

from explorer.ui.topbar import TopBar
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults


def shown(window: MainWindow) -> list[QToolButton]:
    return [one for one in window.topbar.findChildren(QToolButton) if one.isVisible()]


@pytest.mark.parametrize("slug", ["running-average", "full-attention", "multi-query"])
@pytest.mark.parametrize("percent", [100, 200, 300])
@pytest.mark.parametrize("size", [(640, 480), (1024, 768)])
def test_what_is_left_has_its_room(make_window: MakeWindow, slug: str, percent: int, size: tuple[int, int]) -> None:
    window = make_window(slug, percent=percent, size=size)
    assert [one.objectName() for one in shown(window) if one.width() < one.sizeHint().width()] == []
    assert sum(one.property("pill") is True and one.isChecked() for one in shown(window)) == 1
    assert [fault for fault in faults(window) if "step_" in fault] == []


def test_a_narrow_bar_comes_to_rest(make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    make_window("full-attention", percent=200, size=(640, 480))
    fitted = []
    whole = TopBar.fit
    monkeypatch.setattr(TopBar, "fit", lambda self: (fitted.append(self), whole(self)))
    for _ in range(20):
        QApplication.processEvents()
    assert fitted == []


def test_the_one_pill_that_has_room_is_that_of_the_step(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("full-attention", percent=200, size=(640, 480))
    for step in range(3):
        qtbot.keyClick(window, Qt.Key.Key_N)
        settle(window)
        assert [one.objectName() for one in shown(window) if one.property("pill")] == [f"step_{step}"]


@pytest.mark.parametrize("slug", ["running-average", "grouped-query", "cost", "scaling"])
@pytest.mark.parametrize("percent", [200, 300])
def test_a_trace_keeps_to_its_strip_however_narrow(make_window: MakeWindow, slug: str, percent: int) -> None:
    window = make_window(slug, percent=percent, size=(640, 480))
    assert [fault for fault in faults(window) if "trace" in fault] == []


@pytest.mark.parametrize("percent", [80, 100, 125, 150])
@pytest.mark.parametrize("present", [False, True])
def test_the_names_of_the_lessons_tokens_are_written_in_full(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch, percent: int, present: bool
) -> None:
    window = make_window(percent=percent, present=present, size=(1366, 768))
    drawn: set[str] = set()
    whole = QPainter.drawText
    monkeypatch.setattr(
        QPainter,
        "drawText",
        lambda self, *what: (drawn.update(one for one in what if isinstance(one, str)), whole(self, *what)),
    )
    for slug in ("why-context", "running-average", "weighted-average", "grouped-query", "multi-query"):
        window.workbench.show(slug)
        settle(window)
    assert sorted(text for text in drawn if text in {"do…", "mon…", "ba…", "riv…", "d…"}) == []
