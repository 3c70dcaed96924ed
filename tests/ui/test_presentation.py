"""Keys in a show: the clicker's stay the show's, and every control of the tab can be had without a mouse."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from explorer.concepts import all_concepts, declaration
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults

CONCEPTS = all_concepts()
by_tab = pytest.mark.parametrize("concept", CONCEPTS, ids=[f"{one.number:02d}-{one.slug}" for one in CONCEPTS])
K = Qt.Key


def press(qtbot: QtBot, window: MainWindow, key: Qt.Key) -> None:
    """Press a key where the focus is."""
    qtbot.keyClick(QApplication.focusWidget() or window, key)


def focus() -> QWidget:
    found = QApplication.focusWidget()
    assert found is not None
    return found


def stops(window: MainWindow) -> list[QWidget]:
    """Return the controls that Tab goes to: of options side by side the chosen one, from which arrows lead on."""
    bar = window.page.bar
    return [
        one
        for one in bar.findChildren(QWidget)
        if one.focusPolicy() & Qt.FocusPolicy.TabFocus
        and one.window() is window
        and one.isVisible()
        and not one.objectName().startswith("qt_")
        and not (one.property("segment") and isinstance(one, QToolButton) and not one.isChecked())
    ]


@by_tab
def test_tab_brings_the_controls_and_goes_through_all_of_them(
    qtbot: QtBot, make_window: MakeWindow, concept: declaration.Concept
) -> None:
    window = make_window(concept.slug, present=True)
    stage, bar = window.page.stage.geometry(), window.page.bar
    assert not bar.isVisible()
    press(qtbot, window, K.Key_Tab)
    settle(window)
    assert bar.isVisible()
    assert not window.page.strip.isVisible()
    assert window.page.stage.height() >= stage.height() - 12, "the stage stands as good as still"
    assert faults(window) == []
    wanted, seen = stops(window), []
    while bar.isAncestorOf(focus()) and focus() not in seen:
        seen.append(focus())
        assert window.rect().contains(focus().rect().translated(focus().mapTo(window, focus().rect().topLeft())))
        press(qtbot, window, K.Key_Tab)
    assert set(wanted) == set(seen)
    assert not bar.isVisible(), "the trace has its place again"
    assert window.page.strip.isVisible()


def test_escape_gives_the_keys_back_first_and_leaves_the_show_second(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("weighted-average", present=True)
    press(qtbot, window, K.Key_Tab)
    press(qtbot, window, K.Key_Escape)
    assert window.theme.present
    assert not window.page.bar.isVisible()
    press(qtbot, window, K.Key_Escape)
    assert not window.theme.present
    assert window.page.bar.isVisible()


@pytest.mark.parametrize(
    ("key", "low", "high"), [(K.Key_Right, 1, 2000), (K.Key_Left, -2000, -1), (K.Key_End, 1, 2000)]
)
def test_a_slider_is_moved_by_its_own_keys(
    qtbot: QtBot, make_window: MakeWindow, key: Qt.Key, low: int, high: int
) -> None:
    window = make_window("weighted-average", present=True)
    press(qtbot, window, K.Key_F4)
    slider = window.page.bar.findChild(QSlider)
    assert isinstance(slider, QSlider)
    slider.setFocus()
    before, step = slider.value(), window.workbench.view("weighted-average").step
    press(qtbot, window, key)
    assert low <= slider.value() - before <= high
    assert window.workbench.view("weighted-average").step == step


def test_the_arrows_go_through_options_side_by_side(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("causal-mask", present=True)
    press(qtbot, window, K.Key_F4)
    first = window.page.bar.findChild(QToolButton, "control_rule_before")
    assert isinstance(first, QToolButton)
    first.setFocus()
    press(qtbot, window, K.Key_Right)
    assert window.workbench.state("causal-mask").controls["rule"] == "after"


def test_the_clicker_drives_the_show_whatever_has_the_focus(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("weighted-average", present=True)
    press(qtbot, window, K.Key_F4)
    slider = window.page.bar.findChild(QSlider)
    assert isinstance(slider, QSlider)
    slider.setFocus()
    before = slider.value()
    press(qtbot, window, K.Key_PageDown)
    assert slider.value() == before
    assert window.workbench.view("weighted-average").step == 0


def test_with_hands_on_the_arrows_go_from_cell_to_cell_and_a_digit_edits(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("weighted-average", present=True)
    view = window.page.panels("x")[0].view
    press(qtbot, window, K.Key_Tab)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    press(qtbot, window, K.Key_Down)
    assert view.currentIndex().row() == 1
    press(qtbot, window, K.Key_7)
    press(qtbot, window, K.Key_Return)
    assert window.workbench.state("weighted-average").inputs["x"][1, 0] == 7


def test_a_show_begins_without_a_cell_in_its_trace_that_nobody_asked_for(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("full-attention")
    press(qtbot, window, K.Key_F4)
    assert window.page.bar.isAncestorOf(focus())
    window.start_show(full_screen=False)
    settle(window)
    assert not any(panel.view.look.dim for panel in window.page.panels("v"))


def test_a_show_says_what_it_cannot_do(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("full-attention", present=True)
    for key in (K.Key_9, K.Key_9, K.Key_Return):
        press(qtbot, window, key)
    assert window.page.bubble.isVisible()
    assert "99" in window.page.bubble.text()
    for key in (K.Key_1, K.Key_2, K.Key_Return):
        press(qtbot, window, key)
    assert window.workbench.current == "cost"


def test_what_a_show_said_goes_with_it(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("full-attention", present=True)
    press(qtbot, window, K.Key_1)
    assert window.page.bubble.isVisible()
    press(qtbot, window, K.Key_Escape)
    assert not window.page.bubble.isVisible()
    assert not window.status


def test_a_sentence_over_the_page_stays_inside_it(make_window: MakeWindow) -> None:
    window = make_window("full-attention")
    window.page.tell("a sentence")
    window.resize(900, 500)
    settle(window)
    assert window.page.rect().contains(window.page.bubble.geometry())
