"""Wires: dragging a KV head or a wire, or a key, chooses how many there are; one drag is one undo step."""

import pytest
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from explorer.concepts.shown.wires import Wires
from explorer.ui.views.wires import WiresView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

TEN = "grouped-query"


def view_of(window: MainWindow) -> WiresView:
    view = window.page.findChild(WiresView, "wires")
    assert view is not None
    return view


def kv_heads(window: MainWindow) -> int:
    return int(window.workbench.state(TEN).sizes["n_head_kv"])


def spot(view: WiresView, kind: str, at: int) -> QPoint:
    above, below = view._rows()
    x = view.x_below(at) if kind == "below" else view.x_above(at)
    return QPoint(round(x), round(below if kind == "below" else above))


def drag(qtbot: QtBot, view: WiresView, start: QPoint, x: float, steps: int = 6) -> None:
    left = Qt.MouseButton.LeftButton
    qtbot.mousePress(view, left, pos=start)
    for i in range(1, steps + 1):
        qtbot.mouseMove(view, QPoint(round(start.x() + (x - start.x()) * i / steps), start.y()))
    qtbot.mouseRelease(view, left, pos=QPoint(round(x), start.y()))


@pytest.mark.parametrize("wanted", [1, 4, 8])
@pytest.mark.parametrize(("kind", "at"), [("below", 0), ("below", 1), ("above", 7), ("above", 0)])
def test_dragging_a_head_to_where_it_would_stand_chooses_that_number(
    qtbot: QtBot, make_window: MakeWindow, wanted: int, kind: str, at: int
) -> None:
    window = make_window(TEN)
    view = view_of(window)
    held = ("wire", at) if kind == "above" else ("below", at) if at == 0 else ("right", 0)
    drag(qtbot, view, spot(view, kind, at), view.place_of(held, wanted))
    assert kv_heads(window) == wanted
    assert window.workbench.undo_label == "change KV heads"
    window.undo()
    assert kv_heads(window) == 2
    assert window.workbench.undo_label is None


def test_a_wire_can_be_taken_hold_of_between_the_rows(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(TEN)
    view = view_of(window)
    middle = view._wire(7).pointAtPercent(0.5).toPoint()
    drag(qtbot, view, middle, view.place_of(("wire", 7), 8))
    assert kv_heads(window) == 8


def test_dragging_there_and_back_is_no_step(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(TEN)
    view = view_of(window)
    start, left = spot(view, "below", 0), Qt.MouseButton.LeftButton
    qtbot.mousePress(view, left, pos=start)
    for x in (start.x(), round(view.place_of(("below", 0), 4)), start.x()):
        qtbot.mouseMove(view, QPoint(x, start.y()))
    qtbot.mouseRelease(view, left, pos=start)
    assert kv_heads(window) == 2


def test_the_keys_go_through_the_divisors(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(TEN)
    window.workbench.set_size(TEN, "n_head", 12)
    settle(window)
    view = view_of(window)
    view.setFocus()
    seen = []
    for key in (Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_Up, Qt.Key.Key_End, Qt.Key.Key_Up):
        qtbot.keyClick(view, key)
        seen.append(kv_heads(window))
    assert seen == [3, 4, 6, 12, 12]
    for key in (Qt.Key.Key_Down, Qt.Key.Key_Home, Qt.Key.Key_Down):
        qtbot.keyClick(view, key)
    assert kv_heads(window) == 1


def test_it_says_what_is_joined_to_what(make_window: MakeWindow) -> None:
    window = make_window(TEN)
    view = view_of(window)
    assert view.accessibleName().startswith("8 query heads read 2 KV heads: 4 each")
    assert "query head 5 reads KV head 1" in view.accessibleDescription()


@pytest.mark.parametrize(
    ("above", "below", "said"),
    [
        (8, 8, "8 query heads, 8 KV heads: one each"),
        (4, 1, "4 query heads read 1 KV head: 4 each"),
        (1, 1, "1 query head, 1 KV head: one each"),
    ],
)
def test_its_sentence_counts(above: int, below: int, said: str) -> None:
    assert Wires(above, below, (1, above), "n_head_kv").sentence() == said


@pytest.mark.parametrize("n_head", [1, 5, 32])
def test_any_number_of_heads_is_drawn(make_window: MakeWindow, n_head: int) -> None:
    window = make_window(TEN)
    window.workbench.set_size(TEN, "n_head", n_head)
    settle(window)
    view = view_of(window)
    places = [view.x_above(head) for head in range(n_head)]
    assert places == sorted(places)
    assert 0 < places[0] <= places[-1] < view.width()
    assert not view.grab().isNull()
