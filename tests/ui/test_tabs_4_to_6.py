"""Tabs 4, 5 and 6 as a person meets them: what stands on the screen, and what a click or a key does to it."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox, QLineEdit, QPushButton, QSlider, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from explorer.ui.curves import CurvesView
from explorer.ui.matrix_view import MatrixView
from explorer.ui.number_style import cell_text
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

QKV, SCALING, MASK = "queries-keys-values", "scaling", "causal-mask"


def view(window: MainWindow, name: str) -> MatrixView:
    return window.page.panels(name)[0].view


def control(window: MainWindow, kind: type[QWidget], name: str):
    found = window.page.bar.findChild(kind, name)
    assert found is not None, name
    return found


def press(qtbot: QtBot, window: MainWindow, name: str) -> None:
    qtbot.mouseClick(control(window, QPushButton, name), Qt.MouseButton.LeftButton)
    settle(window)


def click(qtbot: QtBot, table: MatrixView, row: int, column: int) -> None:
    place = table.visualRect(table.model().index(row, column)).center()
    qtbot.mouseClick(table.viewport(), Qt.MouseButton.LeftButton, pos=place)


# --- tab 4 ---


def test_dragging_the_slider_turns_every_query_and_is_one_step_back(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(QKV)
    slider = control(window, QSlider, "control_mix")
    scores, q = view(window, "scores").values.copy(), view(window, "q").values.copy()
    slider.setSliderDown(True)
    for place in (10, 40, 75):
        slider.setSliderPosition(place)
        slider.setValue(place)
    slider.setSliderDown(False)
    settle(window)
    assert window.workbench.state(QKV).controls["mix"] == 0.75
    assert (view(window, "q").values != q).all()
    assert np.abs(view(window, "scores").values - scores).max() < 1e-12
    assert view(window, "A").values.round(2).tolist() == [[1.24, -0.40], [1.24, 0.40]]
    assert view(window, "moved").written()[0][2] in {"0", "1e−16", "6e−17", "3e−17", "8e−17"}
    window.undo()
    assert not window.workbench.edited(QKV)


def test_a_seed_of_64_bits_is_typed_and_drawn(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(QKV)
    line = control(window, QLineEdit, "control_seed")
    line.setFocus()
    line.setText("−9223372036854775808")
    qtbot.keyClick(line, Qt.Key.Key_Return)
    press(qtbot, window, "action_draw")
    state = window.workbench.state(QKV)
    assert state.controls["seed"] == -(2**63)
    assert state.origins["Wq"] == "random seed -9223372036854775808"
    assert window.page.panels("x")[0].badge == "random seed -9223372036854775808"


def test_one_matrix_for_both_jobs_is_one_button(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(QKV)
    press(qtbot, window, "action_one_matrix")
    scores, weights = view(window, "scores").written(), view(window, "weights").written()
    assert scores == [list(row) for row in zip(*scores, strict=True)]
    assert weights != [list(row) for row in zip(*weights, strict=True)]


def test_the_pair_is_picked_from_the_bar(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(QKV)
    combo = control(window, QComboBox, "control_asks")
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_Down)
    assert window.workbench.state(QKV).controls["asks"] == 3


# --- tab 5 ---


def test_the_lessons_figures_stand_on_the_screen(make_window: MakeWindow) -> None:
    window = make_window(SCALING)
    assert [row[0] for row in view(window, "spread").written()] == ["2.004", "8.233", "31.67"]
    shares = view(window, "largest").written()
    assert [row[0] for row in shares] == ["0.576", "0.875", "0.965"]
    assert [row[1] for row in shares] == ["0.369", "0.359", "0.358"]
    assert [row[0] for row in view(window, "jacobian").written()] == ["0.369", "0.056", "3e−6"]
    assert [row[0] for row in view(window, "starved").written()] == ["0", "0.188", "0.694"]
    assert [row[0] for row in view(window, "head_sizes").written()] == ["4", "64", "1,024"]


def test_another_head_size_is_drawn_again_beside_the_gui(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SCALING)
    heads = view(window, "head_sizes")
    heads.setFocus()
    heads.setCurrentIndex(heads.model().index(0, 0))
    assert heads.type_text(0, 0, "121")
    assert np.isnan(view(window, "spread").values).all(), "an old spread is shown beside a new head size"
    settle(window)
    assert 10 <= view(window, "spread").values[0, 0] < 12
    assert view(window, "spread").values[0, 1] == 11


def test_a_broken_head_size_is_refused_where_it_is_typed(make_window: MakeWindow) -> None:
    window = make_window(SCALING)
    said: list[str] = []
    window.page.said.connect(said.append)
    assert not view(window, "head_sizes").type_text(0, 0, "4.5")
    assert said == ["head_sizes[0, 0] holds a whole number; 4.5 is none"]
    assert view(window, "head_sizes").values[0, 0] == 4


def test_head_sizes_go_by_one_from_the_keyboard(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SCALING)
    heads = view(window, "head_sizes")
    heads.setFocus()
    heads.setCurrentIndex(heads.model().index(0, 0))
    qtbot.keyClick(heads, Qt.Key.Key_Up, Qt.KeyboardModifier.AltModifier)
    assert heads.values[0, 0] == 5
    settle(window)


def plots(window: MainWindow) -> dict[str, CurvesView]:
    return {one.objectName(): one for one in window.page.findChildren(CurvesView)}


def test_the_histogram_shows_the_head_size_that_is_picked_and_divides(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SCALING)
    combo = control(window, QComboBox, "control_shown")
    assert [combo.itemText(i) for i in range(combo.count())] == ["4", "64", "1024"]
    combo.setFocus()
    qtbot.keyClick(combo, Qt.Key.Key_End)
    plot = plots(window)["scores_histogram"].plot
    assert plot is not None
    assert plot.title == "q·k at d_head = 1,024"
    assert (plot.x.low, plot.x.high) == (-128, 128)
    assert plot.note == "2,000 drawn, spread 31.67"
    qtbot.mouseClick(control(window, QToolButton, "control_divisor_sqrt_d_head"), Qt.MouseButton.LeftButton)
    plot = plots(window)["scores_histogram"].plot
    assert plot is not None
    assert (plot.x.low, plot.x.high) == (-4, 4)
    assert plot.note == "2,000 drawn, spread 0.99"


def test_the_growth_is_read_at_every_head_size(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SCALING)
    growth = plots(window)["spread_curve"]
    growth.setFocus(Qt.FocusReason.TabFocusReason)
    read = []
    qtbot.keyClick(growth, Qt.Key.Key_Home)
    for _ in range(3):
        read.append((growth.cursor_at, dict(growth.readings())["measured"]))
        qtbot.keyClick(growth, Qt.Key.Key_Right)
    assert read == [(4.0, "2.00"), (64.0, "8.23"), (1024.0, "31.67")]


# --- tab 6 ---


def test_clicking_the_mask_closes_and_opens_cells(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(MASK)
    click(qtbot, view(window, "allowed"), 3, 0)
    settle(window)
    assert view(window, "weights").values[3, 0] == 0
    assert view(window, "weights").look.masked[3, 0]
    assert view(window, "masked").written()[3][0] == "−∞"
    click(qtbot, view(window, "allowed"), 3, 0)
    settle(window)
    assert not window.workbench.edited(MASK)


def test_zeroing_after_softmax_shows_in_the_sum_margin(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(MASK)
    qtbot.mouseClick(control(window, QToolButton, "control_rule_after"), Qt.MouseButton.LeftButton)
    settle(window)
    panel = window.page.panels("weights")[0]
    assert panel.sums
    assert [cell_text(float(row.sum()), 3) for row in panel.view.values] == ["0.102", "0.557", "0.833", "1.000"]
    assert panel.view.look.masked.tolist() == np.triu(np.ones((4, 4), bool), 1).tolist()


def test_a_row_with_nothing_left_is_hatched_and_explained(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(MASK)
    for column in (0, 1):
        click(qtbot, view(window, "allowed"), 1, column)
    settle(window)
    panel = window.page.panels("weights")[0]
    assert panel.view.look.masked[1].all()
    assert panel.marks.note == "cat (1) may look nowhere: output 0"
    assert view(window, "output").written()[1] == ["0.00", "0.00"]
    window.page.hover("weights", (1, 0))
    assert "cat (1) may look nowhere" in window.page.strip.plain_text()


def test_changing_a_token_outlines_only_the_rows_that_may_see_it(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(MASK)
    combo = control(window, QComboBox, "control_changed")
    combo.setCurrentIndex(combo.findData(2))
    combo.activated.emit(combo.currentIndex())
    assert [row[0] for row in view(window, "moved").written()][:2] == ["0", "0"]
    qtbot.mouseClick(control(window, QPushButton, "action_change"), Qt.MouseButton.LeftButton)
    outlined = {row for row, _ in view(window, "output").look.changed}
    assert outlined == {2, 3}
    press(qtbot, window, "action_unmasked")
    qtbot.mouseClick(control(window, QPushButton, "action_change"), Qt.MouseButton.LeftButton)
    assert {row for row, _ in view(window, "output").look.changed} == {0, 1, 2, 3}


def test_every_row_says_what_it_predicts(make_window: MakeWindow) -> None:
    window = make_window(MASK)
    panel = window.page.panels("output")[0]
    assert panel.marks.stamps == ("→ cat 1", "→ sat 2", "→ down 3", "→ next 4")
    assert panel.width() >= panel.table_rect().right() + 40


@pytest.mark.parametrize("slug", [QKV, MASK])
def test_many_tokens_still_stand_side_by_side(make_window: MakeWindow, slug: str) -> None:
    window = make_window(slug)
    window.workbench.set_size(slug, "n", 32)
    settle(window)
    leaves = [leaf for leaf in window.page.stage.canvas.leaves.values() if leaf.isVisible()]
    for i, one in enumerate(leaves):
        for other in leaves[i + 1 :]:
            shared = one.geometry().intersected(other.geometry())
            assert shared.width() <= 1 or shared.height() <= 1


def test_rows_that_wait_can_be_more_than_those_that_were_coloured_up_to_their_maximum(make_window: MakeWindow) -> None:
    window = make_window("scaling")
    window.action("row_maximum").trigger()
    settle(window)
    window.page.set_size("n_sizes", 5)
    window.page.grab()  # the guard of the tests fails on what painting raises
    settle(window)
    assert window.page.panels("largest")[0].view.values.shape[0] == 5
