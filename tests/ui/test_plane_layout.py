"""The geometry of a plane on screen: a scale that stands still while it can, and labels that cover nothing."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF

from explorer.ui.plane_layout import Scale, Wanted, leader, nice, place_labels

AREA = QRectF(0, 0, 400, 300)
BOX = (-1.0, 3.0, -1.0, 2.0)
COORDINATE = st.floats(-1e6, 1e6, allow_subnormal=False)


@pytest.mark.parametrize(("least", "step"), [(0.3, 0.5), (1.0, 1.0), (1.1, 2.0), (2.5, 5.0), (7, 10), (0.021, 0.05)])
def test_squares_are_1_2_or_5_times_a_power_of_ten(least: float, step: float) -> None:
    assert nice(least) == pytest.approx(step)


def test_both_directions_have_one_scale() -> None:
    scale = Scale.of(BOX, AREA)
    assert scale.pixel((1, 0)).x() - scale.origin.x() == pytest.approx(scale.origin.y() - scale.pixel((0, 1)).y())
    assert scale.unit == pytest.approx(100)


@given(st.tuples(COORDINATE, COORDINATE))
def test_a_pixel_is_the_pixel_of_its_point(point: tuple[float, float]) -> None:
    scale = Scale.fitting(BOX, [point], AREA)
    assert scale.point(scale.pixel(point)) == pytest.approx(point, rel=1e-6, abs=1e-6 / scale.unit)


@given(st.lists(st.tuples(COORDINATE, COORDINATE), max_size=5))
def test_every_tip_is_seen(points: list[tuple[float, float]]) -> None:
    scale = Scale.fitting(BOX, points, AREA)
    assert all(AREA.contains(scale.pixel(point)) for point in points)


@given(st.lists(st.tuples(st.floats(-0.9, 2.8), st.floats(-0.9, 1.9)), max_size=5))
def test_the_scale_stands_still_while_everything_is_inside(points: list[tuple[float, float]]) -> None:
    assert Scale.fitting(BOX, points, AREA) == Scale.of(BOX, AREA)


def overlapping(rects: list[QRectF]) -> bool:
    return any(a.intersects(b) for i, a in enumerate(rects) for b in rects[i + 1 :])


@given(st.lists(st.tuples(st.integers(20, 380), st.integers(20, 280)), max_size=12))
def test_labels_overlap_neither_each_other_nor_another_tip_nor_what_is_written_there(at: list[tuple[int, int]]) -> None:
    taken = [QRectF(0, 0, 60, 14)]
    labels = [Wanted(QPointF(x, y), QSizeF(50, 14), 8.0) for x, y in at]
    origin = QPointF(100, 200)
    shafts = [QLineF(origin, label.tip) for label in labels]
    places = place_labels(labels, shafts, origin, AREA, taken)
    placed = [place for place in places if place is not None]
    assert not overlapping([*placed, *taken])
    assert all(AREA.contains(place) for place in placed)
    for label, place in zip(labels, places, strict=True):
        others = [one.tip for one in labels if one.tip != label.tip]
        assert place is None or not any(place.contains(tip) for tip in others)


def test_a_lone_label_stands_beyond_its_tip_and_an_empty_one_nowhere() -> None:
    origin, tip = QPointF(200, 150), QPointF(300, 150)
    (place,) = place_labels([Wanted(tip, QSizeF(40, 14), 8)], [QLineF(origin, tip)], origin, AREA)
    assert place is not None
    assert place.left() >= tip.x()
    assert place_labels([Wanted(tip, QSizeF(0, 14), 8)], [], origin, AREA) == [None]


def test_a_label_close_to_another_tip_is_joined_to_its_own() -> None:
    place, tip = QRectF(100, 40, 50, 14), QPointF(90, 30)
    assert leader(place, tip, [tip]) is None
    assert leader(place, tip, [tip, QPointF(125, 90)]) is None
    line = leader(place, tip, [tip, QPointF(125, 60)])
    assert line == QLineF(tip, QPointF(100, 40))
    assert leader(place, tip, [tip, QPointF(90, 30)]) is None, "one tip has two names"
    assert leader(place, tip, [tip], far=10) == QLineF(tip, QPointF(100, 40))
