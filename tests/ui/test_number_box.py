"""Boxes for numbers: arrows go through what is allowed, and what is typed is read as in a cell, and judged."""

import pytest
from PySide6.QtCore import QEvent, QLocale, QObject, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractSpinBox, QApplication, QLineEdit, QToolButton
from pytestqt.qtbot import QtBot

from explorer.ui.number_box import NumberBox, SteppingBox
from explorer.ui.window import MainWindow
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


def typed(window: MainWindow, box: QAbstractSpinBox, text: str) -> None:
    """Type into a box and press Enter; the window's sentences begin anew."""
    window.say("")
    box.setFocus()
    box.selectAll()
    line = box.findChild(QLineEdit)
    assert isinstance(line, QLineEdit)
    line.setText(text)
    QTest.keyClick(box, Qt.Key.Key_Return)


@pytest.mark.parametrize("language", [QLocale.Language.C, QLocale.Language.German, QLocale.Language.Arabic])
@pytest.mark.parametrize(("text", "value"), [("0,5", 0.5), ("0.5", 0.5), (",5", 0.5), ("1e1", 10.0), (" 2 ", 2.0)])
def test_a_number_is_read_as_in_a_cell_in_every_language(
    make_window: MakeWindow, language: QLocale.Language, text: str, value: float
) -> None:
    before = QLocale()
    QLocale.setDefault(QLocale(language))
    try:
        window = make_window("weighted-average")
        box = window.page.bar.findChild(NumberBox)
        assert isinstance(box, NumberBox)
        assert box.text() == "1.00"
        typed(window, box, text)
        assert window.workbench.state("weighted-average").controls["temperature"] == value
        assert box.text() == f"{value:.2f}"
    finally:
        QLocale.setDefault(before)


@pytest.mark.parametrize("text", ["99", "0", "2.5", "−3", "x"])
def test_a_size_that_cannot_be_is_told_and_changes_nothing(make_window: MakeWindow, text: str) -> None:
    window = make_window("full-attention")
    box = window.page.bar.findChild(SteppingBox, "size_n")
    assert isinstance(box, SteppingBox)
    typed(window, box, text)
    assert window.workbench.state("full-attention").sizes["n"] == 4
    assert box.text() == "4"
    assert "1 to 64" in window.status
    assert window.page.bubble.isVisible()


@pytest.mark.parametrize("text", ["1000", "-1", "x", "1,2,3"])
def test_a_number_that_cannot_be_is_told_and_changes_nothing(make_window: MakeWindow, text: str) -> None:
    window = make_window("weighted-average")
    box = window.page.bar.findChild(NumberBox)
    assert isinstance(box, NumberBox)
    typed(window, box, text)
    assert window.workbench.state("weighted-average").controls["temperature"] == 1.0
    assert "temperature" in window.page.bubble.text()


def test_an_emptied_box_goes_back_without_a_word(make_window: MakeWindow) -> None:
    window = make_window("full-attention")
    box = window.page.bar.findChild(SteppingBox, "size_n")
    assert isinstance(box, SteppingBox)
    typed(window, box, "")
    assert box.text() == "4"
    assert not window.status


class Painted(QObject):
    """Counts how often boxes are painted."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Count a paint."""
        self.count += event.type() == QEvent.Type.Paint
        return False


def test_an_edit_of_a_table_paints_no_box(make_window: MakeWindow) -> None:
    window = make_window("previous-token-head")
    painted = Painted()
    boxes = window.page.bar.findChildren(QAbstractSpinBox)
    assert any(box.isVisible() for box in boxes)
    for box in boxes:
        box.installEventFilter(painted)
    window.workbench.edit("previous-token-head", "x", [(0, 0)], [0.25])
    QApplication.processEvents()
    assert not painted.count


@pytest.mark.parametrize("make", [SteppingBox, NumberBox])
def test_what_is_typed_and_not_yet_taken_gives_way_to_the_number_that_is_shown(
    qtbot: QtBot, make: type[SteppingBox] | type[NumberBox]
) -> None:
    box = make()
    qtbot.addWidget(box)
    box.setRange(0, 9)
    box.setSuffix(" px")
    box.setKeyboardTracking(False)
    box.show_value(4)
    shown = box.text()
    box.lineEdit().setText("7")
    box.show_value(4)
    assert (box.value(), box.text()) == (4, shown)
    box.show_value(5)
    assert box.value() == 5
