"""Bookmarks and their list, and A against B, as a person meets them."""

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QInputDialog, QLineEdit
from pytestqt.qtbot import QtBot

from explorer.ui.bookmark_list import BookmarkList
from explorer.ui.window import MainWindow
from tests.ui.asking import SEVEN, cell, dialog, edit, trigger
from tests.ui.conftest import settle

# --- bookmarks ---


def marks(window: MainWindow) -> list[str]:
    return [mark.note for mark in window.document.bookmarks]


@pytest.fixture
def lecture(window: MainWindow) -> MainWindow:
    """A window with three bookmarks on two tabs."""
    edit(window, 1.0)
    window.bookmarks.add("one")
    edit(window, 2.0)
    window.workbench.set_view(SEVEN, step=2)
    window.bookmarks.add("two")
    window.workbench.show("causal-mask")
    window.bookmarks.add("three")
    window.workbench.show(SEVEN)
    window.document.place = None
    return window


def test_one_key_each_goes_through_the_bookmarks(qtbot: QtBot, lecture: MainWindow) -> None:
    body = lecture.centralWidget()
    qtbot.keyClick(body, Qt.Key.Key_F8)
    assert (cell(lecture), lecture.workbench.view(SEVEN).step) == (1.0, -1)
    assert lecture.status == "bookmark 0 of 0 to 2: one"
    qtbot.keyClick(body, Qt.Key.Key_F8)
    assert (cell(lecture), lecture.workbench.view(SEVEN).step) == (2.0, 2)
    qtbot.keyClick(body, Qt.Key.Key_F8)
    assert lecture.workbench.current == "causal-mask"
    qtbot.keyClick(body, Qt.Key.Key_F8)
    assert "no bookmark after this one" in lecture.status
    qtbot.keyClick(body, Qt.Key.Key_F7)
    assert lecture.workbench.current == SEVEN


def test_going_to_a_bookmark_can_be_undone_and_keeps_what_was_there_as_b(lecture: MainWindow) -> None:
    edit(lecture, 5.0)
    lecture.bookmarks.go_to(0)
    assert cell(lecture) == 1.0
    assert lecture.document.kept is not None
    assert lecture.document.kept.state.inputs["x"][0, 0] == 5.0
    lecture.undo()
    assert cell(lecture) == 5.0


def test_a_bookmark_is_added_with_a_note(window: MainWindow) -> None:
    assert not window.action("bookmark_next").isEnabled()
    trigger(window, "bookmark_add")
    box = dialog(window, QInputDialog)
    box.setTextValue("  look here ")
    box.accept()
    assert marks(window) == ["look here"]
    assert window.document.place == 0
    assert window.action("bookmark_next").isEnabled()


def opened_list(window: MainWindow) -> BookmarkList:
    trigger(window, "bookmark_list")
    assert window.bookmarks.list is not None
    return window.bookmarks.list


def test_the_list_shows_where_bookmarks_lead(lecture: MainWindow) -> None:
    shown = opened_list(lecture)
    rows = [shown.rows.item(row) for row in range(3)]
    assert [row.text() for row in rows] == ["one", "two", "three"]
    assert "7 Full attention · mask · inputs " in rows[1].data(Qt.ItemDataRole.AccessibleTextRole)
    assert "6 Causal mask" in rows[2].data(Qt.ItemDataRole.AccessibleTextRole)


def test_notes_order_and_places_are_changed_in_the_list(qtbot: QtBot, lecture: MainWindow) -> None:
    shown = opened_list(lecture)
    shown.rows.item(0).setText("first")
    assert marks(lecture) == ["first", "two", "three"]
    shown.rows.setCurrentRow(0)
    qtbot.keyClick(shown.rows, Qt.Key.Key_Down, Qt.KeyboardModifier.AltModifier)
    assert marks(lecture) == ["two", "first", "three"]
    assert shown.rows.currentRow() == 1
    shown.buttons["down"].click()
    assert marks(lecture) == ["two", "three", "first"]
    assert not shown.buttons["down"].isEnabled()
    qtbot.keyClick(shown.rows, Qt.Key.Key_Return)
    assert cell(lecture) == 1.0
    edit(lecture, 9.0)
    shown.buttons["retake"].click()
    assert lecture.document.bookmarks[2].snapshot.state.inputs["x"][0, 0] == 9.0


@pytest.mark.parametrize("end", [Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Tab])
def test_a_note_that_was_typed_is_kept_and_nothing_else_happens(
    qtbot: QtBot, qtlog: Any, lecture: MainWindow, end: Qt.Key
) -> None:
    shown = opened_list(lecture)
    shown.rows.setCurrentRow(1)
    place, entry = lecture.document.place, shown.rows.item(1)
    qtbot.keyClick(shown.rows, Qt.Key.Key_F2)
    editor = shown.rows.findChild(QLineEdit, "bookmark_note")
    qtbot.keyClicks(editor, " second ")
    qtbot.keyClick(editor, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)  # a line of text does not move
    qtbot.keyClick(editor, end)
    QApplication.processEvents()
    assert marks(lecture) == ["one", "second", "three"]
    assert lecture.document.place == place, "Enter ended the edit; it did not go there as well"
    # The entry that was edited, and whose editor Qt may still be busy with, was not replaced by another.
    assert shown.rows.item(1) is entry
    assert entry.text() == entry.toolTip() == "second"
    assert entry.data(Qt.ItemDataRole.AccessibleTextRole).startswith("1: second, ")
    shown.close()
    QApplication.processEvents()
    assert [one.message for one in qtlog.records if "editor" in one.message] == []


def test_a_row_that_is_dragged_takes_its_bookmark_along(lecture: MainWindow) -> None:
    shown = opened_list(lecture)
    model = shown.rows.model()
    assert model.moveRow(shown.rows.rootIndex(), 0, shown.rows.rootIndex(), 3)
    QApplication.processEvents()
    assert marks(lecture) == ["two", "three", "one"]
    assert [shown.rows.item(row).text() for row in range(3)] == ["two", "three", "one"]


def test_a_deleted_bookmark_can_be_put_back(qtbot: QtBot, lecture: MainWindow) -> None:
    shown = opened_list(lecture)
    before = lecture.document.bookmarks
    lecture.bookmarks.go_to(2)
    shown.rows.setCurrentRow(1)
    qtbot.keyClick(shown.rows, Qt.Key.Key_Delete)
    assert marks(lecture) == ["one", "three"]
    assert lecture.document.place == 1, "it still stands on the third"
    shown.buttons["put_back"].click()
    assert lecture.document.bookmarks.same_as(before)
    assert lecture.document.place == 2
    for _ in range(3):
        shown.delete()
    assert marks(lecture) == []
    assert shown.empty.isVisible()
    assert not shown.buttons["go"].isEnabled()


@pytest.mark.parametrize(("at", "to"), [(0, 2), (2, 0), (1, 2), (1, 1)])
@pytest.mark.parametrize("place", [None, 0, 1, 2])
def test_moving_rows_keeps_the_place_on_its_bookmark(lecture: MainWindow, at: int, to: int, place: int | None) -> None:
    shown = opened_list(lecture)
    standing = None if place is None else lecture.document.bookmarks[place]
    lecture.document.place = place
    shown._move(at, to)
    now = lecture.document.place
    assert (None if now is None else lecture.document.bookmarks[now].note) == (
        None if standing is None else standing.note
    )


def test_page_keys_of_a_show_go_through_bookmarks_and_without_any_through_steps(
    qtbot: QtBot, window: MainWindow
) -> None:
    window.start_show(full_screen=False)
    body = window.centralWidget()
    qtbot.keyClick(body, Qt.Key.Key_PageDown)
    assert window.workbench.view(SEVEN).step == 0
    edit(window, 3.0)
    window.bookmarks.add("a")
    edit(window, 4.0)
    window.document.place = None
    qtbot.keyClick(body, Qt.Key.Key_PageDown)
    assert cell(window) == 3.0
    step = window.workbench.view(SEVEN).step
    qtbot.keyClick(body, Qt.Key.Key_Right)
    assert window.workbench.view(SEVEN).step == step + 1, "arrows still go through the steps"
    qtbot.keyClick(body, Qt.Key.Key_PageUp)
    assert "before this one" in window.status
    window.leave_show()


# --- A and B ---


def test_flipping_shows_b_and_names_the_largest_difference(qtbot: QtBot, window: MainWindow) -> None:
    assert not window.action("flip").isEnabled()
    edit(window, 1.0)
    trigger(window, "keep")
    edit(window, 4.0)
    qtbot.keyClick(window.centralWidget(), Qt.Key.Key_F)
    assert cell(window) == 1.0
    assert window.status == "A − B: x[0, 0]: −3.000, from 4.000 to 1.000"
    qtbot.keyClick(window.centralWidget(), Qt.Key.Key_F)
    assert cell(window) == 4.0
    window.undo()
    assert cell(window) == 1.0


def test_differences_to_b_stand_in_the_cells_and_follow_edits(window: MainWindow) -> None:
    edit(window, 1.0)
    window.document.keep()
    edit(window, 4.0)
    trigger(window, "compare")
    x = window.page.panels("x")[0].view
    assert (x.values[0, 0], x.written()[0][0], x.look.differences) == (3.0, "+3.00", True)
    edit(window, 0.5)
    settle(window)
    assert window.page.panels("x")[0].view.values[0, 0] == -0.5
    assert window.status == "A − B: x[0, 0]: −0.500, from 1.000 to 0.500"
    trigger(window, "compare")
    assert window.page.panels("x")[0].view.values[0, 0] == 0.5


def test_differences_to_b_and_to_the_last_change_exclude_each_other(window: MainWindow) -> None:
    edit(window, 1.0)
    window.document.keep()
    edit(window, 4.0)
    edit(window, 4.5)
    trigger(window, "compare")
    trigger(window, "differences")
    assert not window.action("compare").isChecked()
    assert window.page.panels("x")[0].view.values[0, 0] == 0.5
    trigger(window, "compare")
    assert not window.action("differences").isChecked()
    assert window.page.panels("x")[0].view.values[0, 0] == 3.5


def test_b_of_another_tab_is_not_compared(window: MainWindow) -> None:
    window.document.keep()
    edit(window, 4.0)
    trigger(window, "compare")
    window.workbench.show("causal-mask")
    assert not window.action("compare").isChecked()
    trigger(window, "compare")
    assert "B is of the tab Full attention" in window.status
    assert not window.action("compare").isChecked()
    window.workbench.show(SEVEN)
    assert window.page.panels("x")[0].view.values[0, 0] == 4.0


def test_a_and_b_of_other_sizes_say_so(window: MainWindow) -> None:
    window.document.keep()
    window.workbench.set_size(SEVEN, "n", 5)
    window.workbench.set_size(SEVEN, "d_model", 5)
    window.workbench.set_size(SEVEN, "d_head", 3)
    window.bookmarks.flip()
    assert "other sizes" in window.status
