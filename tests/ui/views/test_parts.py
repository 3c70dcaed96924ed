"""A computation in parts: what is drawn where, how it is followed, and what waits for its step."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest

from explorer.ui.parts_layout import Measure
from explorer.ui.views.parts import PartsView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults

SLUG = "matrix-form"
PICTURES = [(product, drawn) for product in ("scores", "output") for drawn in ("dots", "outer", "blocks")]


def view_of(window: MainWindow) -> PartsView:
    view = window.page.findChild(PartsView, "picture")
    assert view is not None
    return view


def set_picture(window: MainWindow, product: str, drawn: str) -> PartsView:
    window.workbench.set_control(SLUG, "product", product)
    window.workbench.set_control(SLUG, "drawn", drawn)
    settle(window)
    return view_of(window)


def middle(view: PartsView, title: str, row: int, column: int) -> QPoint:
    """Return the middle of a cell of the first table with that title."""
    assert view.plan is not None
    rect = next(one.rect for one in view.plan.tables if one.cut.title == title)
    cell = view.plan.cell
    return rect.topLeft() + QPoint(column * cell.width + cell.width // 2, row * cell.height + cell.height // 2)


def test_the_digits_on_show_are_the_arrays(make_window: MakeWindow) -> None:
    written = dict(view_of(make_window(SLUG)).written())
    assert written["output"] == [["1.44", "0.91"], ["1.30", "0.46"], ["0.83", "0.11"], ["0.49", "0.00"]]
    assert written["ℓ"] == [["1.00"], ["1.57"], ["2.61"], ["3.71"]]
    assert written["r"] == [["1.00"]] * 4
    assert written["V, keys 2–3"] == [["0.05", "−0.07"], ["−0.68", "−0.49"]]


@pytest.mark.parametrize(("product", "drawn"), PICTURES)
@pytest.mark.parametrize(("size", "percent"), [((1280, 720), 100), ((1920, 1080), 100), ((1280, 720), 150)])
def test_tables_neither_overlap_nor_leave_the_view(
    make_window: MakeWindow, product: str, drawn: str, size: tuple[int, int], percent: int
) -> None:
    window = make_window(SLUG, size=size, percent=percent)
    for n, block in ((4, 2), (7, 3), (64, 16)):
        window.workbench.set_size(SLUG, "n", n)
        window.workbench.set_size(SLUG, "block", block)
        view = set_picture(window, product, drawn)
        assert view.plan is not None
        rects = [one.rect for one in view.plan.tables]
        assert all(view.rect().contains(rect) for rect in rects), (n, block)
        for i, rect in enumerate(rects):
            assert not any(rect.intersects(other) for other in rects[i + 1 :]), (n, block)
        assert faults(window) == []


def test_tables_that_meet_share_rows_and_columns(make_window: MakeWindow) -> None:
    view = set_picture(make_window(SLUG), "output", "outer")
    assert view.plan is not None
    places = {id(one.cut): one.rect for one in view.plan.tables}
    met = [one.cut for one in view.plan.tables if one.cut.above is not None]
    assert len(met) == 4
    for cut in met:
        own, above, before = (places[id(one)] for one in (cut, cut.above, cut.before))
        assert (above.left(), above.right()) == (own.left(), own.right())
        assert above.bottom() < own.top()
        assert (before.top(), before.bottom()) == (own.top(), own.bottom())
        assert before.right() < own.left()


def test_hovering_a_cell_tells_where_it_comes_from_and_a_click_keeps_it(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    window.workbench.set_size(SLUG, "block", 1)
    settle(window)
    view = view_of(window)
    view._wanted = 1
    view._replan()
    assert view.plan is not None
    point = middle(view, "r", 2, 0)
    QTest.mouseMove(view, point)
    assert (
        "rescale r · sat (2) · block 1"
        in window.page.strip.accessibleDescription() + window.page.strip.accessibleName()
    )
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=point)
    assert window.workbench.view(SLUG).pinned == ("rescale", (2, 1))
    lit = {name for name, cells in view._lit.items() if cells}
    assert {"rescale", "running_max"} <= lit
    QTest.mouseMove(view, QPoint(1, 1))


def test_cells_light_up_that_another_table_was_read_from(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = set_picture(window, "scores", "dots")
    before = view.grab().toImage()
    window.page.hover("scores", (3, 0))
    assert view._lit["kT"] == {(0, 0), (1, 0)}
    assert view._lit["q"] == {(3, 0), (3, 1)}
    assert view.grab().toImage() != before


def test_parts_appear_one_after_the_other_with_the_steps_keys(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view, steps = view_of(window), window.topbar.steps
    steps._go_to_step(5)
    settle(window)
    titles = [title for title, _ in view.written()]
    assert "V, keys 0–1" in titles
    assert "V, keys 2–3" not in titles
    assert "output" not in titles, "the result waits for the last block"
    steps.go_next()
    settle(window)
    assert "V, keys 2–3" in [title for title, _ in view.written()]
    assert "output" in [title for title, _ in view.written()]
    steps.go_previous()
    settle(window)
    assert "V, keys 2–3" not in [title for title, _ in view.written()]
    steps.go_last()
    settle(window)
    assert "output" in [title for title, _ in view.written()]


def test_a_picture_in_rows_grows_by_rows_while_its_factors_stay(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = set_picture(window, "scores", "dots")
    window.workbench.set_view(SLUG, step=6)
    settle(window)
    written = dict(view.written())
    assert len(written["Q Kᵀ"]) == 2
    assert len(written["Q"]) == 4
    assert len(written["Kᵀ"]) == 2


def test_what_is_blank_cannot_be_pointed_at(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    window.workbench.set_view(SLUG, step=5)
    settle(window)
    view = view_of(window)
    assert view.plan is not None
    last = view.plan.tables[-1]
    assert view._place_at(last.rect.center()) is None
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=last.rect.center())
    assert window.workbench.view(SLUG).pinned == ("weights", (2, 1))


def test_the_keyboard_reaches_every_table_and_pins(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    view = set_picture(window, "output", "blocks")
    view.setFocus(Qt.FocusReason.TabFocusReason)
    view._cursor = (0, 0, 0)
    seen = set()
    for _ in range(60):
        seen.add(view._cursor[0])
        QTest.keyClick(view, Qt.Key.Key_Right)
    assert view.plan is not None
    rows = [i for i, one in enumerate(view.plan.tables) if one.cut.array != "v"]
    assert set(rows) <= seen
    QTest.keyClick(view, Qt.Key.Key_Down)
    QTest.keyClick(view, Qt.Key.Key_Return)
    pinned = window.workbench.view(SLUG).pinned
    assert pinned is not None
    assert pinned[0] == "block_output"
    assert pinned[1][0] == 1
    assert "block_output[1, 1] is" in view.accessibleDescription()


def test_parts_without_room_are_counted_and_reached(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    window.workbench.set_size(SLUG, "block", 1)
    settle(window)
    view = view_of(window)
    assert view.plan is not None
    last = view.plan.last
    assert view.plan.first == 0
    assert [count for _, count in view.plan.more] == [3 - last]
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.plan.more[0][0].center())
    assert view.plan.last > last
    steps = window.topbar.steps
    steps._go_to_step(5)
    for part in range(4):
        settle(window)
        assert view.plan.first <= part <= view.plan.last
        steps.go_next()


def test_the_result_is_a_piece_that_may_lack_room_like_any_other(make_window: MakeWindow) -> None:
    window = make_window(SLUG, present=True, size=(1000, 720))
    for step in (5, 6):
        window.workbench.set_view(SLUG, step=step)
        settle(window)
        view = view_of(window)
        assert view.plan is not None
        assert all(view.rect().contains(one.rect) for one in view.plan.tables)
    more = view.plan.more[-1]
    assert more[1] == 0
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=more[0].center())
    assert view.plan.tables[-1].cut.array == "block_output"
    assert view.rect().contains(view.plan.tables[-1].rect)


def test_all_parts_are_shown_at_once_where_there_is_room_for_them(make_window: MakeWindow) -> None:
    view = view_of(make_window(SLUG, size=(1920, 1080)))
    assert view.plan is not None
    assert view.parts is not None
    assert (view.plan.first, view.plan.last) == (0, 2), "two blocks and the result"
    assert view.plan.more == ()
    measure = Measure(view.parts, view.theme, view._unit)
    assert measure.window(10, 1) == (1, 1), "the wanted one is shown however little room there is"


@pytest.mark.parametrize("step", range(6))
def test_every_step_of_a_show_is_seen_whole(make_window: MakeWindow, step: int) -> None:
    window = make_window(SLUG, present=True)
    window.workbench.set_view(SLUG, step=step)
    settle(window)
    assert faults(window) == []
    stage = window.page.stage
    assert stage.horizontalScrollBar().maximum() == stage.verticalScrollBar().maximum() == 0


def test_rows_of_a_pixel_or_two_are_seen_rather_than_framed(make_window: MakeWindow) -> None:
    window = make_window("matrix-form")
    window.workbench.set_size("matrix-form", "n", 64)
    settle(window)
    view = window.page.findChild(PartsView, "picture")
    assert view.plan is not None
    assert any(placed.cut.pointed for placed in view.plan.tables)
    assert not any(view._look(placed).changed for placed in view.plan.tables)
