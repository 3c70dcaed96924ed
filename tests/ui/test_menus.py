"""Menus and buttons: every action is listed with its key, a button says the same, and what is written stays plain."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QApplication, QDialog, QInputDialog, QLabel, QMenu, QSpinBox, QToolButton
from pytestqt.qtbot import QtBot

from explorer.concepts import all_concepts, declaration
from explorer.ui import plain_text, topbar
from explorer.ui.matrix_view import MatrixView
from tests.ui.conftest import MakeWindow, settle

CONCEPTS = all_concepts()
by_tab = pytest.mark.parametrize("concept", CONCEPTS, ids=[f"{one.number:02d}-{one.slug}" for one in CONCEPTS])
SEVEN = "full-attention"


@pytest.mark.parametrize(
    ("button", "action"),
    [
        ("step_first", "step_first"),
        ("step_previous", "step_previous"),
        ("step_play", "step_play"),
        ("step_next", "step_next"),
        ("step_last", "step_all"),
        ("rows", "step_rows"),
        ("button_undo", "undo"),
    ],
)
def test_a_button_says_the_keys_that_its_action_has(make_window: MakeWindow, button: str, action: str) -> None:
    window = make_window(SEVEN)
    shown = window.topbar.findChild(QToolButton, button)
    assert isinstance(shown, QToolButton)
    one = window.action(action)
    keys = [key.toString() for key in one.shortcuts()] or [one.text().partition("\t")[2]]
    assert all(key in shown.toolTip() for key in keys), shown.toolTip()


@by_tab
def test_no_key_means_two_things(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(concept.slug)
    keys = [key.toString() for action in window.findChildren(QAction) for key in action.shortcuts()]
    assert sorted(keys) == sorted(set(keys))


@by_tab
def test_every_key_stands_in_a_menu(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(concept.slug)
    listed = {action for menu in window.menuBar().findChildren(QMenu) for action in menu.actions()}
    assert [one.text() for one in window.findChildren(QAction) if one.shortcuts() and one not in listed] == []


@by_tab
def test_help_tells_every_key_of_the_tab_in_front(
    qtbot: QtBot, make_window: MakeWindow, concept: declaration.Concept
) -> None:
    window = make_window(concept.slug)
    window.action("keys").trigger()
    dialog = window.findChild(QDialog, "keys")
    assert isinstance(dialog, QDialog)
    said = {label.text() for label in dialog.findChildren(QLabel)}
    wanted = {topbar.keys_of(one) for one in window.findChildren(QAction)} - {""}
    assert wanted <= said
    dialog.close()


def test_a_number_that_is_no_tab_leads_nowhere_and_is_told(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    window.action("jump").trigger()
    box = window.findChild(QInputDialog)
    assert isinstance(box, QInputDialog)
    qtbot.keyClicks(box.findChild(QSpinBox), "99")
    qtbot.keyClick(box.findChild(QSpinBox), Qt.Key.Key_Return)
    assert window.workbench.current == SEVEN
    assert "99" in window.status
    assert f"1 to {all_concepts()[-1].number}" in window.page.bubble.text()


def test_the_speed_can_be_had_by_key(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    window.action("step_faster").trigger()
    assert window.workbench.view(SEVEN).speed == 2
    for _ in range(9):
        window.action("step_slower").trigger()
    assert window.workbench.view(SEVEN).speed == 0.25


def test_steps_cannot_be_taken_where_there_are_none(make_window: MakeWindow) -> None:
    window = make_window("cost")
    assert not window.action("step_next").isEnabled()
    assert not window.action("step_rows").isEnabled()


def test_what_can_be_done_with_a_cell_stands_in_the_edit_menu(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = window.page.panels("Wq")[0].view
    view.setFocus()
    view.setCurrentIndex(view.model().index(1, 1))
    edit = next(menu for menu in window.menuBar().findChildren(QMenu) if menu.title() == "&Edit")
    edit.aboutToShow.emit()
    zero = next(action for action in edit.actions() if "Del" in action.text())
    assert zero.isEnabled()
    zero.trigger()
    assert window.workbench.state(SEVEN).inputs["Wq"][1, 1] == 0
    window.page.panels("weights")[0].view.setFocus()
    edit.aboutToShow.emit()
    assert not zero.isEnabled()


def test_shift_enter_keeps_the_trace_of_a_typed_cell(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = window.page.panels("Wq")[0].view
    view.setFocus()
    view.setCurrentIndex(view.model().index(1, 1))
    qtbot.keyClick(view, Qt.Key.Key_Return, Qt.KeyboardModifier.ShiftModifier)
    assert window.workbench.view(SEVEN).pinned == ("Wq", (1, 1))


def test_the_trace_lets_go_of_a_cell_that_the_keyboard_has_left(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    view = window.page.panels("q")[0].view
    view.setFocus(Qt.FocusReason.TabFocusReason)
    assert view.look.dim
    window.page.strip.setFocus(Qt.FocusReason.TabFocusReason)
    assert not view.look.dim


@by_tab
def test_the_focus_is_seen_wherever_tab_leads(
    qtbot: QtBot, make_window: MakeWindow, concept: declaration.Concept
) -> None:
    window = make_window(concept.slug)
    window.workbench.set_view(concept.slug, pinned=None)
    unseen, seen = [], set()
    window.let_go()
    for _ in range(80):
        qtbot.keyClick(QApplication.focusWidget() or window, Qt.Key.Key_Tab)
        stop = QApplication.focusWidget()
        assert stop is not None
        if stop in seen and stop.objectName() != "plane":
            break
        seen.add(stop)
        with_focus = stop.grab().toImage()
        stop.clearFocus()
        if stop.grab().toImage() == with_focus:
            unseen.append(stop.objectName())
        stop.setFocus(Qt.FocusReason.TabFocusReason)
    assert len(seen) > 12
    assert unseen == []


def test_a_sentence_about_markup_is_no_markup(make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    window.say("<b>x</b> & y")
    status = next(label for label in window.findChildren(QLabel) if label.text() == "<b>x</b> & y")
    assert status.textFormat() == Qt.TextFormat.PlainText
    assert plain_text.tip("<b>x</b> & y") == "<p>&lt;b&gt;x&lt;/b&gt; &amp; y</p>"
    assert plain_text.tip("a & b") == "a & b"


@by_tab
def test_matrices_have_names_of_their_own(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(concept.slug)
    settle(window)
    names = [view.accessibleName() for view in window.page.findChildren(MatrixView) if view.isVisible()]
    assert sorted(names) == sorted(set(names))


@pytest.mark.parametrize("slug", ["grouped-query", "multi-query"])
def test_a_table_of_tiny_cells_shows_as_a_whole_that_it_has_the_focus(make_window: MakeWindow, slug: str) -> None:
    window = make_window(slug)
    view = window.page.panels("Wq")[0].view
    without = view.grab().toImage()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    focused = view.grab().toImage()
    edge = 1, focused.height() * 3 // 4
    assert focused.pixelColor(*edge) != without.pixelColor(*edge)
