"""The mosaic of all heads: an ordinary table to Qt, tiles to the eye; hovered, pinned, switched and walked through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QColor, QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester
from PySide6.QtWidgets import QTableView
from pytestqt.qtbot import QtBot

from explorer.ui import pressed
from explorer.ui.matrix_view import MatrixView
from explorer.ui.mosaic_panel import tiles_beside
from explorer.ui.mosaic_view import MosaicView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

NINE, TEN = "multi-head", "grouped-query"


def mosaic_of(window: MainWindow, name: str = "weights") -> MosaicView:
    view = window.page.findChild(QTableView, name)
    assert isinstance(view, MosaicView)
    return view


def cell(view: MatrixView, *index: int) -> QPoint:
    return view.visualRect(view.model().index(*view.array_cell(index))).center()


def hover(qtbot: QtBot, view: MatrixView, point: QPoint) -> None:
    qtbot.mouseMove(view.viewport(), point + QPoint(1, 0))
    qtbot.mouseMove(view.viewport(), point)


def color_at(window: MainWindow, view: MosaicView, point: QPoint) -> QColor:
    image = window.grab().toImage()
    return image.pixelColor(view.viewport().mapTo(window, point))


@pytest.mark.parametrize(("n_head", "n"), [(2, 4), (3, 5), (8, 16), (32, 64)])
def test_every_head_is_there_with_its_full_numbers(make_window: MakeWindow, n_head: int, n: int) -> None:
    window = make_window(NINE)
    for name, value in (("n_head", n_head), ("n", n)):
        window.workbench.set_size(NINE, name, value)
    settle(window)
    view, weights = mosaic_of(window), window.workbench.results(NINE)["weights"]
    model = view.model()
    assert (model.rowCount(), model.columnCount()) == (n_head * n, n)
    for index in [(0, 0, 0), (n_head - 1, n - 1, n - 1), (n_head // 2, n // 2, 0)]:
        row, column = view.array_cell(index)
        assert model.index(row, column).data(Qt.ItemDataRole.EditRole) == float(weights[index])
        assert view.array_index(row, column) == index
        rect = view.visualRect(model.index(row, column))
        assert view.visualRect(view.indexAt(rect.center())) == rect  # some cells share a pixel
    tiles = [view.tile_rect(head) for head in range(n_head)]
    assert not any(one.intersects(other) for i, one in enumerate(tiles) for other in tiles[:i])
    assert all(view.viewport().rect().contains(tile) for tile in tiles)


def test_the_model_is_sound(make_window: MakeWindow) -> None:
    window = make_window(NINE)
    view = mosaic_of(window)
    tester = QAbstractItemModelTester(view.model(), QAbstractItemModelTester.FailureReportingMode.Fatal)
    window.workbench.set_size(NINE, "n_head", 5)
    window.workbench.set_size(NINE, "n", 7)
    settle(window)
    assert tester.model() is view.model()


def test_a_screen_reader_hears_head_query_key_and_weight(make_window: MakeWindow) -> None:
    model = mosaic_of(make_window(NINE)).model()
    spoken = Qt.ItemDataRole.AccessibleTextRole
    assert model.index(7, 3).data(spoken) == "weights head 1 row 3 down column 3 down: 0.507"
    assert model.headerData(5, Qt.Orientation.Vertical) == "head 1 1 cat"


def test_hovering_a_cell_of_any_head_lights_the_columns_that_are_its_own(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(NINE)
    view = mosaic_of(window)
    for head in range(2):
        hover(qtbot, view, cell(view, head, 2, 1))
        own = range(head * 4, head * 4 + 4)
        assert window.page.panels("q")[0].view.look.lit == {(2, c) for c in own}
        assert window.page.panels("k")[0].view.look.lit == {(1, c) for c in own}
        assert f"head {head}" in window.page.strip.plain_text()


def test_a_click_pins_a_cell_of_any_head(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(NINE)
    view = mosaic_of(window)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=cell(view, 0, 3, 2))
    assert window.workbench.view(NINE).pinned == ("weights", (0, 3, 2))
    assert view.look.pinned == {(3, 2)}
    assert window.page.strip.plain_text().rstrip().endswith("0.056")


def test_the_name_of_a_head_switches_it_and_so_does_space(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(NINE)
    view = mosaic_of(window)
    name = view.tile_rect(1).topLeft() + QPoint(12, -10)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=name)
    settle(window)
    assert window.workbench.state(NINE).inputs["heads_on"].tolist() == [True, False]
    assert view.counts.tolist() == [True, False]
    assert window.workbench.undo_label == "edit heads_on[1]"
    view.setFocus()
    view.setCurrentIndex(view.model().index(4, 0))
    qtbot.keyClick(view, Qt.Key.Key_Space)
    assert window.workbench.state(NINE).inputs["heads_on"].all()


def test_names_are_no_switches_where_there_is_none(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(TEN)
    view = mosaic_of(window)
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=view.tile_rect(1).topLeft() + QPoint(8, -10))
    assert not window.workbench.edited(TEN)


def test_the_keys_walk_through_a_tile_and_into_the_next(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(TEN)
    view = mosaic_of(window)
    beside = view.grid_of_tiles.columns
    view.setFocus()
    view.setCurrentIndex(view.model().index(0, 0))

    def after(*keys: Qt.Key) -> tuple[int, ...]:
        for key in keys:
            qtbot.keyClick(view, key)
        return view.array_index(view.currentIndex().row(), view.currentIndex().column())

    key = Qt.Key
    assert after(key.Key_Right) == (0, 0, 1)
    assert after(key.Key_End, key.Key_Right) == (1, 0, 0)
    assert after(key.Key_Left) == (0, 0, 3)
    assert after(*[key.Key_Down] * 3) == (0, 3, 3)
    assert after(key.Key_Down) == (beside, 0, 3)
    assert after(key.Key_Up) == (0, 3, 3)
    assert after(key.Key_PageDown) == (1, 3, 3)
    assert after(key.Key_PageUp, key.Key_PageUp) == (0, 3, 3)
    qtbot.keyClick(view, key.Key_End, Qt.KeyboardModifier.ControlModifier)
    assert after() == (7, 3, 3)
    assert after(key.Key_Down, key.Key_Right) == (7, 3, 3)
    qtbot.keyClick(view, key.Key_Return)
    assert window.workbench.view(TEN).pinned == ("weights", (7, 3, 3))


def test_select_all_and_copy_take_the_head_that_the_cursor_stands_in(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(NINE)
    view = mosaic_of(window)
    view.setFocus()
    view.setCurrentIndex(view.model().index(5, 1))
    qtbot.keyClick(view, Qt.Key.Key_A, Qt.KeyboardModifier.ControlModifier)
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    rows = [[float(text) for text in line.split("\t")] for line in QGuiApplication.clipboard().text().splitlines()]
    assert rows == window.workbench.results(NINE)["weights"][1].tolist()


def test_small_tiles_are_painted_in_the_colours_of_their_numbers(make_window: MakeWindow) -> None:
    window = make_window(NINE, theme="dark")
    window.workbench.set_control(NINE, "causal", False)
    for name, value in (("n_head", 8), ("n", 6)):
        window.workbench.set_size(NINE, name, value)
    window.workbench.set_view(NINE, pinned=None)
    window.workbench.edit(NINE, "x", [(5, c) for c in range(8)], [9.0, -9, 9, -9, 9, -9, 9, -9])
    settle(window)
    view, weights = mosaic_of(window), window.workbench.results(NINE)["weights"]
    assert not view.look.with_text
    ramp = window.theme.weights
    for index in [(0, 5, 0), (3, 5, 5), (7, 5, 2), (5, 1, 5)]:
        wanted = ramp.brushes[min(int(weights[index] * 255 + 0.5), 255)]
        assert color_at(window, view, cell(view, *index)).rgb() == wanted.rgb(), index


def test_masked_cells_of_small_tiles_have_no_colour_of_the_map(make_window: MakeWindow) -> None:
    window = make_window(NINE, theme="dark")
    window.workbench.set_size(NINE, "n_head", 32)
    window.workbench.set_size(NINE, "n", 64)
    window.workbench.set_view(NINE, pinned=None)
    settle(window)
    view = mosaic_of(window)
    assert color_at(window, view, cell(view, 9, 10, 50)).rgb() == window.theme.color("hatch").rgb()


def test_heads_in_which_something_changed_are_outlined_for_a_while(make_window: MakeWindow) -> None:
    window = make_window(NINE)
    for name, value in (("n_head", 8), ("n", 32)):
        window.workbench.set_size(NINE, name, value)
    settle(window)
    window.workbench.edit(NINE, "Wq", [(0, 4)], [3.0])  # a column of head 1
    window.page.refresh()
    assert mosaic_of(window).changed_heads == {1}
    settle(window)
    assert mosaic_of(window).changed_heads == frozenset()


def test_the_steps_choose_what_the_tiles_show(make_window: MakeWindow) -> None:
    window = make_window(NINE)
    labels = [step.label for step in window.page.concept.steps]
    for label, name in (("scores", "scores"), ("÷ √d", "scaled"), ("mask", "masked"), ("· Wo", "weights")):
        window.workbench.set_view(NINE, step=labels.index(label))
        settle(window)
        shown = [one.name for one in window.page.findChildren(MosaicView) if one.isVisible()]
        assert shown == [name]
    window.workbench.set_view(NINE, by_row=True, step=labels.index("softmax"))
    settle(window)
    assert mosaic_of(window).look.reached == 1


def test_differences_are_shown_for_all_heads(make_window: MakeWindow) -> None:
    window = make_window(NINE)
    before = window.workbench.results(NINE)["weights"].copy()
    window.workbench.edit(NINE, "x", [(3, 0)], [2.0])
    window.page.show_differences(True)
    wanted = (window.workbench.results(NINE)["weights"] - before).reshape(-1, 4)
    assert np.array_equal(mosaic_of(window).values, wanted)


@pytest.mark.parametrize(
    ("heads", "aspect", "beside"), [(1, 1.9, 1), (2, 1.9, 2), (8, 1.9, 4), (32, 1.9, 8), (8, 0.5, 2), (7, 1.9, 4)]
)
def test_tiles_stand_in_a_grid_of_the_wanted_proportions(heads: int, aspect: float, beside: int) -> None:
    assert tiles_beside(heads, aspect) == beside


def test_cells_side_by_side_have_one_frame() -> None:
    row, block = {(0, 1), (0, 2), (0, 3)}, {(r, c) for r in (2, 3, 4) for c in (0, 1)}
    assert sorted(pressed._blocks(row | block | {(3, 3)})) == [(0, 1, 0, 3), (2, 0, 4, 1), (3, 3, 3, 3)]
    assert pressed._blocks(()) == []


@given(st.sets(st.tuples(st.integers(0, 6), st.integers(0, 6))))
def test_frames_hold_every_cell_once_and_no_other(cells: set[tuple[int, int]]) -> None:
    held = [
        (r, c)
        for top, left, bottom, right in pressed._blocks(cells)
        for r in range(top, bottom + 1)
        for c in range(left, right + 1)
    ]
    assert sorted(held) == sorted(cells)
