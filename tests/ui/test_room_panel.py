"""Tables that keep to a room: pressed together where there are many cells, whole and exact to whoever points at one."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLineEdit
from pytestqt.qtbot import QtBot

from explorer.ui.bands import Bands
from explorer.ui.matrix_view import MatrixView
from explorer.ui.pressed import Tile
from explorer.ui.pressed_view import PressedView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

NINE, TEN = "multi-head", "grouped-query"
COUNT, PIXELS = st.integers(1, 200), st.integers(1, 300)


def view_of(window: MainWindow, name: str) -> PressedView:
    view = window.page.findChild(MatrixView, name)
    assert isinstance(view, PressedView)
    return view


@given(COUNT, COUNT, PIXELS, PIXELS, st.data())
def test_a_cell_stands_where_a_point_in_it_finds_it(
    rows: int, columns: int, width: int, height: int, data: st.DataObject
) -> None:
    tile = Tile(rows, columns, width, height)
    row, column = data.draw(st.integers(0, rows - 1)), data.draw(st.integers(0, columns - 1))
    place = tile.place(row, column)
    assert tile.rect.contains(place)
    found = tile.cell_at(place.center())
    assert found is not None
    assert tile.place(*found).intersects(place)
    if width >= columns and height >= rows:
        assert found == (row, column)
    x, y = data.draw(st.integers(0, width - 1)), data.draw(st.integers(0, height - 1))
    found = tile.cell_at(QPoint(x, y))
    assert found is not None
    assert tile.place(*found).contains(QPoint(x, y))
    assert tile.cell_at(QPoint(width, y)) is None
    assert tile.cell_at(QPoint(x, -1)) is None


@pytest.mark.parametrize(("n_head", "d_head"), [(2, 4), (32, 16)])
def test_all_columns_of_all_heads_are_seen_at_once(make_window: MakeWindow, n_head: int, d_head: int) -> None:
    window = make_window(NINE)
    for name, value in (("n_head", n_head), ("d_head", d_head), ("n", 64)):
        window.workbench.set_size(NINE, name, value)
    settle(window)
    for name in ("Wq", "q", "concat", "Wo"):
        view = view_of(window, name)
        rows, columns = view.values.shape
        last = view.visualRect(view.model().index(rows - 1, columns - 1))
        assert view.viewport().rect().contains(last), name
    bands = window.page.panels("Wq")[0].column_bands
    assert (bands.count, bands.word, bands.shared) == (n_head, "head", n_head)
    assert window.page.panels("Wo")[0].row_bands.count == n_head


def test_a_number_can_be_typed_into_a_pressed_table(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(NINE)
    window.workbench.set_size(NINE, "n_head", 16)
    settle(window)
    view = view_of(window, "Wq")
    assert not view.look.with_text
    at = view.visualRect(view.model().index(3, 40)).center()
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=at)
    found = view.currentIndex()
    qtbot.keyClicks(view.viewport(), "0")
    editor = view.viewport().findChild(QLineEdit)
    assert editor is not None
    assert editor.width() >= 60
    qtbot.keyClicks(editor, ".625")
    qtbot.keyClick(editor, Qt.Key.Key_Return)
    index = (found.row(), found.column())
    assert float(window.workbench.state(NINE).inputs["Wq"][index]) == 0.625
    assert window.workbench.undo_label == f"edit Wq[{index[0]}, {index[1]}]"


def test_fewer_kv_heads_are_a_narrower_table_at_the_same_scale(make_window: MakeWindow) -> None:
    window = make_window(TEN)
    widths = {}
    for n_head_kv in (1, 2, 8):
        window.workbench.set_size(TEN, "n_head_kv", n_head_kv)
        settle(window)
        widths[n_head_kv] = view_of(window, "Wk").width() / view_of(window, "Wq").width()
    for n_head_kv, share in widths.items():
        assert share == pytest.approx(n_head_kv / 8, abs=0.02)


def test_tables_get_their_digits_back_where_there_is_room(make_window: MakeWindow) -> None:
    window = make_window(NINE)
    window.workbench.set_size(NINE, "n", 7)
    settle(window)
    assert not view_of(window, "x").look.with_text
    window.workbench.set_size(NINE, "n", 5)
    settle(window)
    assert view_of(window, "x").look.with_text


def test_bands_name_heads_as_far_as_there_is_room_and_share_colours(make_window: MakeWindow) -> None:
    from PySide6.QtGui import QFontMetrics

    theme = make_window(NINE).theme
    bands, metrics = Bands(8, "query head", 2), QFontMetrics(theme.font(12))
    assert [bands.color(theme, head) for head in range(8)] == [theme.head(0)] * 4 + [theme.head(1)] * 4
    assert bands.names(metrics, 200)[3] == "query head 3"
    assert bands.names(metrics, 14)[3] == "3"
    assert bands.names(metrics, 4) == []
