"""Labels of a plot stand beside what they name, on the plot, and on nothing that is drawn where that can be had."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPointF, QRectF

from explorer.concepts.shown.plots import Line, Plot, Scale, Series
from explorer.ui.plot_labels import along, drawn, lead, place

INSIDE = QRectF(40, 20, 400, 200)
NOTHING = np.zeros((0, 2))
LINEAR = Scale("x", 0.0, 1.0), Scale("y", 0.0, 1.0)


def curve(*points: tuple[float, float], style: str = "line") -> Plot:
    x, y = np.array(points).T
    return Plot(*LINEAR, series=(Series("s", x, y, style=style),))  # type: ignore[arg-type]


def under(box: QRectF, points: np.ndarray) -> int:
    return sum(box.contains(QPointF(*one)) for one in points.tolist())


@pytest.mark.parametrize(
    "plot",
    [
        curve((0, 0), (1, 1)),
        curve((0, 0), (0.5, 0), (0.5001, 1), (1, 1)),
        curve((0, 0.3), (0.2, np.nan), (0.4, 0.5), (1, 0.1)),
        Plot(*LINEAR, lines=(Line(0.4), Line(0.7, vertical=False))),
    ],
    ids=["slope", "step", "gap", "straight lines"],
)
def test_no_label_slips_between_the_points_of_what_is_drawn(plot: Plot) -> None:
    points = drawn(plot, INSIDE)
    inner = INSIDE.adjusted(-1, -1, 1, 1)
    assert all(inner.contains(QPointF(*one)) for one in points.tolist())
    for one in plot.series:
        there = np.isfinite(one.y)
        for x, y in zip(one.x[there], one.y[there], strict=True):
            at = np.array([INSIDE.left() + x * INSIDE.width(), INSIDE.bottom() - y * INSIDE.height()])
            assert np.hypot(*(points - at).T).min() < 5
    ordered = points[: len(points) if plot.series else 0]
    assert (np.hypot(*np.diff(ordered, axis=0).T) < 8).all()


def test_points_are_known_where_they_stand_and_nothing_between_them() -> None:
    points = drawn(curve((0.25, 0.5), (0.75, 0.5), style="points"), INSIDE)
    assert points.tolist() == [[140, 120], [340, 120]]


def test_nothing_drawn_is_no_point() -> None:
    assert drawn(Plot(*LINEAR), INSIDE).shape == (0, 2)


def test_a_label_with_room_stands_right_above_its_point() -> None:
    at = QPointF(100, 120)
    assert place([at], 60, 16, 6, INSIDE, [], NOTHING) == (QRectF(106, 102, 60, 16), at, 0)


def test_a_label_goes_where_no_curve_is() -> None:
    plot = curve((0, 0), (1, 1))
    points = drawn(plot, INSIDE)
    found = place([QPointF(240, 120)], 60, 16, 6, INSIDE, [], points)
    assert found is not None
    assert (found.bad, under(found.box, points)) == (0, 0)
    assert abs(found.box.center().y() - 120) < 16, "beside its point, not lifted away"


def test_a_label_stands_on_others_where_there_is_nothing_else() -> None:
    found = place([QPointF(240, 120)], 60, 16, 6, INSIDE, [QRectF(INSIDE)], NOTHING)
    assert found is not None
    assert found.bad == np.inf


def test_a_label_goes_off_the_cursor_that_was_left() -> None:
    plot, at = Plot(*LINEAR), QPointF(240, 120)
    free = place([at], 60, 16, 6, INSIDE, [], drawn(plot, INSIDE))
    assert free is not None
    cursor = plot.x.value((free.box.center().x() - INSIDE.left()) / INSIDE.width())
    points = drawn(plot, INSIDE, cursor)
    assert under(free.box, points) > 0
    moved = place([at], 60, 16, 6, INSIDE, [], points)
    assert moved is not None
    assert under(moved.box, points) == 0


def test_a_label_that_is_wider_than_the_plot_has_no_place() -> None:
    assert place([QPointF(240, 120)], 401, 16, 6, INSIDE, [], NOTHING) is None


@given(
    st.floats(0, 1),
    st.floats(0, 1),
    st.floats(10, 390),
    st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=2, max_size=6),
    st.lists(st.tuples(st.floats(40, 400), st.floats(20, 200)), max_size=4),
)
def test_a_label_is_on_the_plot_off_what_is_taken_and_covers_least(
    x: float, y: float, width: float, points: list[tuple[float, float]], corners: list[tuple[float, float]]
) -> None:
    at = QPointF(INSIDE.left() + x * INSIDE.width(), INSIDE.bottom() - y * INSIDE.height())
    taken = [QRectF(*corner, 80, 16) for corner in corners]
    under_it = drawn(curve(*sorted(points)), INSIDE)
    found = place([at], width, 16, 6, INSIDE, taken, under_it)
    assert found is not None
    assert INSIDE.contains(found.box)
    if found.bad == np.inf:
        return
    assert not any(found.box.intersects(one) for one in taken)
    without = place([at], width, 16, 6, INSIDE, taken, NOTHING)
    assert without is not None
    assert under(found.box.adjusted(0.1, 0.1, -0.1, -0.1), under_it) <= under(without.box, under_it)


def test_a_label_of_a_line_stands_anywhere_along_it() -> None:
    anchors = [QPointF(240, y) for y in (30.0, 60.0, 90.0, 120.0)]
    taken = [QRectF(INSIDE.left(), INSIDE.top(), INSIDE.width(), 50)]
    found = place(anchors, 60, 16, 6, INSIDE, taken, NOTHING)
    assert found is not None
    assert (found.bad, found.at in anchors[1:]) == (0, True)


def test_a_label_above_or_below_its_dot_does_not_lie_on_it() -> None:
    at, radius = QPointF(240, 120), 8.0
    dot = QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)
    wide = INSIDE.width() * 0.9
    found = place([at], wide, 16, 6, INSIDE, [dot], NOTHING, radius=radius)
    assert found is not None
    assert found.bad == 0
    assert not found.box.intersects(dot)


def test_a_label_stands_nearest_to_its_own_point() -> None:
    at, other = QPointF(240, 120), QPointF(262, 108)
    found = place([at], 40, 16, 6, INSIDE, [], NOTHING, others=[at, other])
    assert found is not None
    box = found.box
    nearest = [
        QPointF(min(max(p.x(), box.left()), box.right()), min(max(p.y(), box.top()), box.bottom())) for p in (at, other)
    ]
    own, others = ((p - q).manhattanLength() for p, q in zip((at, other), nearest, strict=True))
    assert own <= others


def test_a_lead_is_drawn_only_to_what_stands_away() -> None:
    at = QPointF(240, 120)
    assert lead(at, QRectF(246, 102, 60, 16), 6) is None
    end = lead(at, QRectF(246, 50, 60, 16), 6)
    assert end is not None
    points = along(at, end)
    assert points[0].tolist() == [240, 120]
    assert points[-1].tolist() == [end.x(), end.y()]
