"""The box of a size that others restrict: its arrows go through what is allowed, and what is typed is judged."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolButton
from pytestqt.qtbot import QtBot

from explorer.ui.stepping import SteppingBox
from tests.ui.conftest import MakeWindow, settle

TEN = "grouped-query"


@pytest.mark.parametrize(
    ("start", "steps", "end"), [(2, 1, 4), (2, -1, 1), (8, 1, 8), (1, -1, 1), (3, 1, 4), (3, -1, 2), (1, 3, 8)]
)
def test_the_arrows_go_through_the_stops(qtbot: QtBot, start: int, steps: int, end: int) -> None:
    box = SteppingBox()
    qtbot.addWidget(box)
    box.setRange(1, 32)
    box.set_stops([1, 2, 4, 8])
    box.setValue(start)
    box.stepBy(steps)
    assert box.value() == end


def test_without_stops_it_is_an_ordinary_box(qtbot: QtBot) -> None:
    box = SteppingBox()
    qtbot.addWidget(box)
    box.setRange(1, 32)
    box.stepBy(3)
    assert box.value() == 4


def test_the_buttons_of_the_kv_heads_go_through_the_divisors(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(TEN)
    window.workbench.set_size(TEN, "n_head", 12)
    settle(window)
    less, more = (
        next(b for b in window.page.bar.findChildren(QToolButton) if b.accessibleName() == f"KV heads: one {which}")
        for which in ("less", "more")
    )
    seen = []
    for button in (more, more, more, more, more, less):
        qtbot.mouseClick(button, Qt.MouseButton.LeftButton)
        seen.append(window.workbench.state(TEN).sizes["n_head_kv"])
    assert seen == [3, 4, 6, 12, 12, 6]


def test_a_typed_number_that_does_not_divide_is_refused_beside_the_bar(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(TEN)
    box = window.page.bar.findChild(SteppingBox, "size_n_head_kv")
    assert box is not None
    box.setValue(3)
    assert "KV heads cannot be 3; it may be 1, 2, 4 or 8" in window.page.bubble.text()
    assert box.value() == window.workbench.state(TEN).sizes["n_head_kv"] == 2
