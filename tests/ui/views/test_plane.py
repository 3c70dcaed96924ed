"""A plane of vectors: numbers follow a drag and the plane follows numbers, with the mouse and with the keyboard."""

from collections.abc import Callable

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.ui import plane_paint
from explorer.ui.number_style import cell_text
from explorer.ui.plane_layout import snapped
from explorer.ui.plane_paint import short, written
from explorer.ui.views.plane import PlaneView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

THREE = "weighted-average"
LEFT = Qt.MouseButton.LeftButton
Open = Callable[..., tuple[MainWindow, PlaneView]]


@pytest.fixture
def open_plane(make_window: MakeWindow) -> Open:
    def open_tab(slug: str = THREE, **how: object) -> tuple[MainWindow, PlaneView]:
        window = make_window(slug, **how)
        view = window.page.findChild(PlaneView, "plane")
        assert isinstance(view, PlaneView)
        return window, view

    return open_tab


def tip(view: PlaneView, label: str) -> QPoint:
    assert view.plane is not None
    vector = next(one for one in view.plane.vectors if one.label == label)
    return view.scale_now().pixel(vector.tip).toPoint()


def at(view: PlaneView, point: tuple[float, float]) -> QPoint:
    return view.scale_now().pixel(point).toPoint()


def drag(qtbot: QtBot, view: PlaneView, start: QPoint, *stops: QPoint, release: bool = True) -> None:
    qtbot.mousePress(view, LEFT, pos=start)
    for stop in stops:
        qtbot.mouseMove(view, stop)
    if release:
        qtbot.mouseRelease(view, LEFT, pos=stops[-1])


def x_of(window: MainWindow, slug: str = THREE) -> np.ndarray:
    return window.workbench.state(slug).inputs["x"]


# --- drags ---


def test_dragging_x0_to_3_0_writes_the_cells_and_it_beats_the_asker(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    drag(qtbot, view, tip(view, "the 0"), at(view, (2.0, 0.4)), at(view, (3.0, 0.0)))
    settle(window)
    assert x_of(window)[0].tolist() == [3.0, 0.0]
    shown = window.page.panels("weights")[0].view.written()[0]
    assert (shown[0], shown[3]) == ("0.865", "0.117")
    assert window.page.panels("x")[0].view.written()[0] == ["3.00", "0.00"]


def test_a_drag_is_one_undo_step_however_far_it_goes(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    drag(qtbot, view, tip(view, "sat 2"), *(at(view, (1 + k / 10, 1 - k / 20)) for k in range(1, 12)))
    assert x_of(window)[2].tolist() != [1, 1]
    assert window.workbench.undo_label == "move sat 2"
    window.undo()
    assert not window.workbench.edited(THREE)
    assert window.workbench.undo_label is None


def test_what_is_computed_follows_while_the_button_is_held(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    drag(qtbot, view, tip(view, "the 0"), at(view, (3.0, 0.0)), release=False)
    settle(window)
    assert view.plane is not None
    output = next(one for one in view.plane.vectors if one.label == "output")
    assert output.tip == pytest.approx(tuple(window.workbench.results(THREE)["output"]))
    assert output.tip[0] > 2.5
    qtbot.mouseRelease(view, LEFT, pos=at(view, (3.0, 0.0)))


def test_the_plane_follows_what_is_typed(open_plane: Open) -> None:
    window, view = open_plane()
    window.workbench.edit(THREE, "x", [(1, 0), (1, 1)], [-1.25, 0.5])
    settle(window)
    assert view.plane is not None
    assert view.plane.vectors[1].tip == (-1.25, 0.5)
    window.undo()
    settle(window)
    assert view.plane.vectors[1].tip == (0.0, 1.0)


def test_the_scale_stands_still_while_a_tip_is_dragged_and_the_tip_stays_in_sight(
    qtbot: QtBot, open_plane: Open
) -> None:
    window, view = open_plane()
    before = view.scale_now()
    outside = QPoint(view.width() + 300, view.height() // 2)
    drag(qtbot, view, tip(view, "sat 2"), outside, release=False)
    settle(window)
    assert view.scale_now() == before
    assert before.area.contains(before.pixel(tuple(x_of(window)[2])))
    qtbot.mouseRelease(view, LEFT, pos=outside)
    settle(window)
    assert view.scale_now().area.contains(view.scale_now().pixel(tuple(x_of(window)[2])))


def test_with_shift_a_drag_goes_in_finer_steps(qtbot: QtBot, open_plane: Open) -> None:
    _window, view = open_plane()
    assert view.step(fine=True) * 10 == pytest.approx(view.step(fine=False))
    assert snapped(0.30000000000000004, 0.1) == 0.3
    assert str(snapped(-0.001, 0.1)) == "0.0"


def test_escape_takes_a_drag_back(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    drag(qtbot, view, tip(view, "sat 2"), at(view, (2, 2)), release=False)
    assert window.workbench.edited(THREE)
    qtbot.keyClick(view, Qt.Key.Key_Escape)
    assert not window.workbench.edited(THREE)
    qtbot.mouseRelease(view, LEFT, pos=at(view, (2, 2)))
    assert window.workbench.undo_label is None


def test_computed_vectors_cannot_be_dragged_but_pinned(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    where = tip(view, "uniform")
    drag(qtbot, view, where, where + QPoint(40, 40))
    assert not window.workbench.edited(THREE)
    qtbot.mouseClick(view, LEFT, pos=where)
    assert window.workbench.view(THREE).pinned == ("uniform", (0,))


def test_a_drag_that_the_tab_refuses_changes_nothing_and_says_so(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    window.workbench.edit(THREE, "x", [(0, 0)], [9e8])
    settle(window)
    said: list[str] = []
    window.page.said.connect(said.append)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    for _ in range(12):
        qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert said
    assert "1" in said[-1]
    assert abs(x_of(window)).max() <= 1e9


def test_the_wheel_changes_nothing(qtbot: QtBot, open_plane: Open) -> None:
    from PySide6.QtGui import QWheelEvent

    window, view = open_plane()
    where = QPointF(tip(view, "sat 2"))
    wheel = QWheelEvent(
        where, view.mapToGlobal(where), QPoint(0, 120), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(view, wheel)
    assert not window.workbench.edited(THREE)


# --- the keyboard ---


def test_tab_goes_through_the_vectors_and_then_leaves(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    seen = []
    for _ in range(4):
        seen.append(view.accessibleDescription().split(" (")[0])
        qtbot.keyClick(view, Qt.Key.Key_Tab)
    assert seen == ["the 0", "cat 1", "sat 2", "down 3"]
    assert not view.hasFocus()
    assert QApplication.focusWidget() is not None
    assert window.isAncestorOf(QApplication.focusWidget())


def test_arrow_keys_move_the_vector_in_focus_each_press_one_undo_step(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    step, square = view.step(fine=False), view.step(fine=False) * 10
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert x_of(window)[0] == pytest.approx([1 + step, 0])
    qtbot.keyClick(view, Qt.Key.Key_Up, Qt.KeyboardModifier.ShiftModifier)
    assert x_of(window)[0] == pytest.approx([1 + step, step / 10])
    qtbot.keyClick(view, Qt.Key.Key_Left, Qt.KeyboardModifier.ControlModifier)
    assert x_of(window)[0] == pytest.approx([1 + step - square, step / 10])
    for _ in range(3):
        window.undo()
    assert not window.workbench.edited(THREE)


def test_the_keyboard_can_do_what_the_lecture_drags(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    presses = round(2 / (view.step(fine=False) * 10))
    for _ in range(presses):
        qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ControlModifier)
    assert x_of(window)[0].tolist() == [3.0, 0.0]


def test_a_held_arrow_key_is_one_undo_step(qtbot: QtBot, open_plane: Open) -> None:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QKeyEvent

    window, view = open_plane()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    kinds = [(QEvent.Type.KeyPress, False), *[(QEvent.Type.KeyPress, True)] * 5, (QEvent.Type.KeyRelease, False)]
    for kind, repeated in kinds:
        event = QKeyEvent(kind, Qt.Key.Key_Up, Qt.KeyboardModifier.NoModifier, "", repeated)
        QApplication.sendEvent(view, event)
    assert x_of(window)[0, 1] == pytest.approx(6 * view.step(fine=False))
    window.undo()
    assert not window.workbench.edited(THREE)


def test_leaving_ends_what_was_begun(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyPress(view, Qt.Key.Key_Up)
    window.page.panels("x")[0].view.setFocus()
    window.workbench.edit(THREE, "x", [(3, 0)], [5.0])
    window.undo()
    assert x_of(window)[3, 0] == 2
    assert window.workbench.edited(THREE), "the key's step is one of its own"


def test_enter_and_a_double_click_let_a_token_ask(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(view, Qt.Key.Key_Tab)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert window.workbench.state(THREE).controls["asks"] == 1
    settle(window)
    qtbot.mouseDClick(view, LEFT, pos=tip(view, "sat 2"))
    qtbot.mouseRelease(view, LEFT, pos=tip(view, "sat 2"))
    assert window.workbench.state(THREE).controls["asks"] == 2


def test_it_says_what_it_shows_to_who_cannot_see_it(open_plane: Open) -> None:
    _window, view = open_plane()
    assert view.accessibleName() == "x, output and uniform average in a plane"
    spoken = view.accessibleDescription()
    assert "the 0 (1, 0), attention weight 0.105" in spoken
    assert "down 3 (2, 0), asks" in spoken
    assert "output (1.76, 0.12)" in spoken


# --- what is drawn ---


def test_the_scale_is_stated_and_true(open_plane: Open) -> None:
    _window, view = open_plane()
    square = view.step(fine=False) * 10
    assert view.foot_text().startswith(f"one square is {short(square)}")
    assert view.scale_now().unit * square >= view.theme.px(34)


def test_pointing_at_a_vector_lights_its_cells_and_its_row_tells_where_it_comes_from(
    qtbot: QtBot, open_plane: Open
) -> None:
    window, view = open_plane()
    qtbot.mouseMove(view, tip(view, "output"))
    qtbot.waitUntil(lambda: "output[0]" in window.page.strip.plain_text())
    assert window.page.panels("weights")[0].view.look.lit
    qtbot.mouseMove(view, QPoint(4, 4))
    qtbot.waitUntil(lambda: "attention weight" in window.page.strip.plain_text())


def test_vectors_light_up_with_the_operands_of_a_number(open_plane: Open) -> None:
    window, view = open_plane()
    before = view.grab().toImage()
    window.page.hover("scores", (1,))
    assert view.grab().toImage() != before
    window.page.hover("scores", None)
    assert view.grab().toImage() == before


@pytest.mark.parametrize("slug", ["why-context", "running-average", "weighted-average"])
@pytest.mark.parametrize("size", [(1280, 720), (1366, 768), (1920, 1080)])
def test_every_vector_has_a_label_and_labels_overlap_nothing(
    open_plane: Open, slug: str, size: tuple[int, int]
) -> None:
    _window, view = open_plane(slug, size=size)
    placed = view.label_places()
    assert [vector.label for vector, _, place in placed if place is None] == []
    rects = [place for _, _, place in placed if place is not None]
    assert not any(a.intersects(b) for i, a in enumerate(rects) for b in rects[i + 1 :])
    assert all(view.scale_now().area.contains(rect) for rect in rects)
    assert view.theme.text_px(12) <= view._font


@pytest.mark.parametrize("slug", ["why-context", "running-average", "weighted-average"])
@pytest.mark.parametrize("present", [False, True])
def test_no_number_of_an_axis_is_half_covered(make_window: MakeWindow, slug: str, present: bool) -> None:
    window = make_window(slug, present=present, size=(1366, 768))
    view = window.page.findChild(PlaneView)
    assert isinstance(view, PlaneView)
    assert view.plane is not None
    scale, look, labels = view.scale_now(), view._look(), view.label_places()
    numbers = plane_paint.axis_ticks(view.plane, scale, look, labels)
    words = [place for place, _ in plane_paint._axis_words(view.plane, scale, view.theme)]
    named = [place for _, text, place in labels if place is not None and text]
    assert numbers
    assert [text for place, text in numbers if any(place.intersects(other) for other in words + named)] == []


def test_the_vector_in_focus_says_its_numbers(open_plane: Open) -> None:
    _window, view = open_plane()
    view.setFocus(Qt.FocusReason.TabFocusReason)
    texts = [text for _, text, _ in view.label_places()]
    assert texts[0] == "the 0  (1, 0)"
    assert texts[1] == "cat 1"


@pytest.mark.parametrize("value", [1e9, 1e-9, -3.25, 0.0])
def test_any_vector_can_be_drawn(open_plane: Open, value: float) -> None:
    window, view = open_plane()
    window.workbench.edit(
        THREE, "x", [(i, c) for i in range(4) for c in range(2)], [value] * 8 if value < 1 else [value, 0.0] + [0.0] * 6
    )
    settle(window)
    assert not view.grab().isNull()
    assert all(view.scale_now().area.contains(view.scale_now().pixel(one.tip)) for one in view.plane.vectors)


@pytest.mark.parametrize(("value", "text"), [(1.0, "1"), (0.5, "0.5"), (-0.0, "0"), (100.0, "100"), (1.76, "1.76")])
def test_numbers_are_written_without_zeros_at_their_end(value: float, text: str) -> None:
    assert short(value) == text
    assert written((value, 0.0)) == f"({text}, 0)"
    assert cell_text(value, 2).startswith(text)


def test_undoing_in_the_middle_of_a_drag_ends_it(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane()
    window.page.act("append")
    settle(window)
    where = next(one for one in view.plane.vectors if one.label.endswith(" 4")).tip
    drag(qtbot, view, at(view, where), at(view, (1.5, 0.5)), release=False)
    window.undo()
    window.undo()
    settle(window)
    assert len(view.plane.vectors) == 6
    qtbot.mouseMove(view, at(view, (0.5, 0.5)))
    qtbot.mouseRelease(view, LEFT, pos=at(view, (0.5, 0.5)))
    assert not window.workbench.edited(THREE)


def test_another_tab_in_the_middle_of_a_drag_ends_it(qtbot: QtBot, open_plane: Open) -> None:
    window, view = open_plane("running-average")
    drag(qtbot, view, at(view, (2, 0)), at(view, (1.5, 0.5)), release=False)
    window.workbench.show("why-context")
    settle(window)
    window.workbench.edit("why-context", "embeddings", [(0, 0)], [0.5])
    window.workbench.undo()
    assert window.workbench.edited("running-average"), "what was dragged is a step of its own"
    window.workbench.undo()
    assert not window.workbench.edited("running-average")
    qtbot.mouseRelease(window, LEFT)


def test_what_the_steps_have_not_come_to_is_not_drawn_named_or_spoken(open_plane: Open) -> None:
    window, view = open_plane()
    for step, seen in ((0, False), (2, False), (3, True), (-1, True)):
        window.workbench.set_view(THREE, step=step)
        settle(window)
        labels = {text for _, text, place in view.label_places() if place is not None}
        assert ("output" in labels) == ("uniform" in labels) == seen, step
        assert ("output (1.76" in view.accessibleDescription()) == seen
        assert {"the 0", "down 3"} <= labels
