"""Typing numbers as a person does, in every editable matrix of every tab, and reading them back everywhere."""

import json
from pathlib import Path

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QLineEdit
from pytestqt.qtbot import QtBot

from explorer.concepts import all_concepts, declaration
from explorer.ui.matrix_menu import build_menu
from explorer.ui.matrix_view import MatrixView
from explorer.ui.number_style import cell_text
from explorer.ui.window import MainWindow
from explorer.workbench import documents, session
from tests.ui.conftest import MakeWindow, settle

CASES = [
    pytest.param(concept, one, id=f"{concept.number:02d}-{one.name}")
    for concept in all_concepts()
    for one in concept.inputs
    if one.kind == "number" and one.name in declaration.shown_arrays(concept.layout)
]
SEVEN = "full-attention"


def view_of(window: MainWindow, name: str) -> MatrixView:
    view = window.page.findChild(MatrixView, name)
    assert view is not None
    return view


def stand_on(qtbot: QtBot, view: MatrixView, row: int, column: int) -> None:
    view.setFocus()
    view.setCurrentIndex(view.model().index(row, column))
    qtbot.waitUntil(view.hasFocus)


def type_into(qtbot: QtBot, view: MatrixView, text: str, key: Qt.Key = Qt.Key.Key_Return) -> None:
    qtbot.keyClicks(view.viewport(), text[:1])
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit), "a digit opens the editor"
    qtbot.keyClicks(editor, text[1:])
    qtbot.keyClick(editor, key)


@pytest.mark.parametrize(("concept", "one"), CASES)
def test_a_typed_number_is_on_screen_in_the_trace_and_in_compute(
    qtbot: QtBot, make_window: MakeWindow, tmp_path: Path, concept: declaration.Concept, one: declaration.Input
) -> None:
    window = make_window(concept.slug)
    view = view_of(window, one.name)
    before = window.workbench.state(concept.slug)
    stand_on(qtbot, view, 0, 0)
    low, high = one.limits
    typed = "7" if one.whole else "0.625" if low <= 0.625 <= high else f"{(low + high) / 2:g}"

    type_into(qtbot, view, typed)
    settle(window)

    index = view.array_index(0, 0)
    assert float(view.model().index(0, 0).data(Qt.ItemDataRole.EditRole)) == float(typed)
    if view.look.with_text and not view.look.forms:
        assert view.written()[0][0] == cell_text(float(typed), view.look.digits)
    window.page.follow(one.name, index)
    assert typed in window.page.strip.plain_text()

    path = tmp_path / "typed.attn"
    session.write(path, documents.session_of(window.workbench))
    arrays = json.loads(json.dumps(documents.compute(path)))["arrays"]
    for name in declaration.shown_arrays(concept.layout):
        shown = window.page.panels(name)
        if not shown:
            continue
        computed = np.array(arrays[name], dtype=object)
        drawn = window.workbench.results(concept.slug)[name]
        computed = np.array([float("-inf") if v == "-Infinity" else v for v in computed.ravel()]).reshape(drawn.shape)
        assert np.array_equal(np.asarray(computed, float), np.asarray(drawn, float)), name

    while window.workbench.undo():
        pass
    assert window.workbench.state(concept.slug).same_as(before)


def test_open_and_commit_keeps_every_digit(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "x")
    stand_on(qtbot, view, 0, 0)
    qtbot.keyClick(view.viewport(), Qt.Key.Key_F2)
    editor = QApplication.focusWidget()
    assert isinstance(editor, QLineEdit)
    assert float(editor.text()) == float(view.values[0, 0])
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert not window.workbench.edited(SEVEN)
    assert window.workbench.undo_label is None


def test_rubbish_leaves_the_old_value_and_says_why_beside_the_cell(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "Wq")
    old = float(view.values[1, 0])
    stand_on(qtbot, view, 1, 0)
    type_into(qtbot, view, "1.2.3")
    assert float(view.values[1, 0]) == old
    bubble = window.page.bubble
    assert bubble.isVisible()
    assert "1.2.3" in bubble.text()
    cell = view.mapTo(window.page, view.visualRect(view.model().index(1, 0)).bottomLeft())
    assert (bubble.pos() - cell).manhattanLength() < 400


def test_enter_goes_down_tab_goes_right_escape_gives_up(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "x")
    stand_on(qtbot, view, 0, 0)
    type_into(qtbot, view, "1")
    qtbot.waitUntil(lambda: (view.currentIndex().row(), view.currentIndex().column()) == (1, 0))
    type_into(qtbot, view, "2", Qt.Key.Key_Tab)
    qtbot.waitUntil(lambda: (view.currentIndex().row(), view.currentIndex().column()) == (1, 1))
    type_into(qtbot, view, "3", Qt.Key.Key_Escape)
    assert float(view.values[0, 0]) == 1.0
    assert float(view.values[1, 0]) == 2.0
    assert float(view.values[1, 1]) != 3.0


@pytest.mark.parametrize("key", [Qt.Key.Key_5, Qt.Key.Key_Delete, Qt.Key.Key_F2], ids=["5", "delete", "F2"])
@pytest.mark.parametrize("name", ["q", "scores", "output"])
def test_a_computed_cell_says_that_it_is_computed(
    qtbot: QtBot, make_window: MakeWindow, name: str, key: Qt.Key
) -> None:
    window = make_window(SEVEN)
    view = view_of(window, name)
    stand_on(qtbot, view, 1, 0)
    qtbot.keyClick(view.viewport(), key)
    assert window.page.bubble.isVisible()
    assert window.page.bubble.text() == f"{name} is computed; change a number that it is made of"
    assert not window.workbench.edited(SEVEN)


def test_delete_is_zero_and_arrows_move(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "Wv")
    stand_on(qtbot, view, 0, 0)
    qtbot.keyClick(view.viewport(), Qt.Key.Key_Down)
    qtbot.keyClick(view.viewport(), Qt.Key.Key_Right)
    qtbot.keyClick(view.viewport(), Qt.Key.Key_Delete)
    assert float(view.values[1, 1]) == 0.0


@pytest.mark.parametrize(
    "text",
    ["1\t2\n3\t4\n", "1,5\t2,5\r\n−3\t4e-1\r\n", "1.0\t2.0\n3.0\t4.0"],
    ids=["LibreOffice", "decimal comma and U+2212", "no trailing newline"],
)
def test_a_range_from_a_spreadsheet_is_one_step(qtbot: QtBot, make_window: MakeWindow, text: str) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "Wk")
    stand_on(qtbot, view, 1, 0)
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(view.viewport(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    wanted = [
        [float(cell.replace(",", ".").replace("−", "-")) for cell in line.split("\t")]
        for line in text.split("\n")
        if line.strip()
    ]
    assert view.values[1:3].tolist() == wanted
    assert window.workbench.undo_label == "paste into Wk"
    window.undo()
    assert not window.workbench.edited(SEVEN)


@pytest.mark.parametrize(
    "text",
    ["1\t2\n3\n", "", "a\tb", "1\t2\t3\t4\t5\t6", "nan\t1", "\t\n\t", "1\n2\n3\n4\n5\n6\n7", "☃", "1\t\n2\t3"],
)
def test_a_range_that_does_not_fit_is_refused_with_a_sentence(qtbot: QtBot, make_window: MakeWindow, text: str) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "Wk")
    stand_on(qtbot, view, 0, 0)
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(view.viewport(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert not window.workbench.edited(SEVEN)
    assert window.page.bubble.isVisible()
    assert len(window.page.bubble.text()) > 15


def test_what_is_copied_can_be_pasted_back_bit_for_bit(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "x")
    stand_on(qtbot, view, 0, 0)
    view.selectAll()
    qtbot.keyClick(view.viewport(), Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    before = view.values.copy()
    qtbot.keyClick(view.viewport(), Qt.Key.Key_Delete)
    assert not view.values.any()
    stand_on(qtbot, view, 0, 0)
    qtbot.keyClick(view.viewport(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
    assert view.values.tobytes() == before.tobytes()


def test_dragging_the_corner_of_a_cell_scrubs_in_one_step(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "x")
    old = float(view.values[1, 1])
    port = view.viewport()
    corner = view.visualRect(view.model().index(1, 1)).bottomRight() - QPoint(3, 3)
    qtbot.mouseMove(port, corner - QPoint(2, 2))
    qtbot.mouseMove(port, corner)
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=corner)
    for dx in range(1, 31):
        qtbot.mouseMove(port, corner + QPoint(dx, 0))
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=corner + QPoint(30, 0))
    assert float(view.values[1, 1]) == pytest.approx(old + 0.30, abs=1e-6)
    assert window.workbench.undo_label == "scrub x[1, 1]"
    window.undo()
    assert float(view.values[1, 1]) == old
    assert window.workbench.undo_label is None


@pytest.mark.parametrize("value", [0.123456789012345, -3e-14, 12345.6789])
def test_a_number_that_goes_up_and_down_again_is_the_same_number(
    qtbot: QtBot, make_window: MakeWindow, value: float
) -> None:
    window = make_window(SEVEN)
    view, port = view_of(window, "x"), view_of(window, "x").viewport()
    window.workbench.edit(SEVEN, "x", [(1, 1)], [value])
    settle(window)
    stand_on(qtbot, view, 1, 1)

    def held() -> float:
        return float(window.workbench.state(SEVEN).inputs["x"][1, 1])

    alt = Qt.KeyboardModifier.AltModifier
    finely = alt | Qt.KeyboardModifier.ShiftModifier
    for there, back, modifiers in (
        (Qt.Key.Key_Up, Qt.Key.Key_Down, alt),
        (Qt.Key.Key_Down, Qt.Key.Key_Up, finely),
    ):
        qtbot.keyClick(port, there, modifiers)
        assert held() != value
        settle(window)
        qtbot.keyClick(port, back, modifiers)
        assert held() == value
        settle(window)
    start = view.visualRect(view.model().index(1, 1)).bottomRight() - QPoint(3, 3)
    qtbot.mousePress(port, Qt.MouseButton.LeftButton, pos=start)
    qtbot.mouseMove(port, start + QPoint(25, 0))
    there = held()
    qtbot.mouseMove(port, start)
    qtbot.mouseRelease(port, Qt.MouseButton.LeftButton, pos=start)
    assert there == pytest.approx(value + 0.25)
    assert held() == value


def test_asking_to_edit_a_cell_that_is_being_edited_keeps_what_is_typed(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = view_of(window, "x")
    stand_on(qtbot, view, 1, 1)
    qtbot.keyClicks(view.viewport(), "7")
    editor = QApplication.focusWidget()
    menu = build_menu(window.page, "x", [(1, 1)])
    next(action for action in menu.actions() if action.text().startswith("Edit")).trigger()
    assert isinstance(editor, QLineEdit)
    assert editor.text() == "7"
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    assert window.workbench.state(SEVEN).inputs["x"][1, 1] == 7


def test_the_wheel_never_changes_a_value(qtbot: QtBot, make_window: MakeWindow) -> None:
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QWheelEvent
    from PySide6.QtWidgets import QAbstractSpinBox, QComboBox, QSlider, QWidget

    for concept in all_concepts():
        window = make_window(concept.slug)
        targets = [
            w
            for w in window.page.findChildren(QWidget)
            if isinstance(w, (QAbstractSpinBox, QComboBox, QSlider, MatrixView))
        ]
        for widget in targets:
            target = widget.viewport() if isinstance(widget, MatrixView) else widget
            if not target.isVisible():
                continue
            widget.setFocus()
            event = QWheelEvent(
                QPointF(4, 4),
                QPointF(target.mapToGlobal(QPoint(4, 4))),
                QPoint(0, 0),
                QPoint(0, 120),
                Qt.MouseButton.NoButton,
                Qt.KeyboardModifier.NoModifier,
                Qt.ScrollPhase.NoScrollPhase,
                False,
            )
            QApplication.sendEvent(target, event)
        assert not window.workbench.edited(concept.slug)
