"""The convex hull: what its corners must be for any points."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.hull import convex_hull

POINTS = st.lists(st.tuples(st.integers(-4, 4), st.integers(-4, 4)), max_size=12)


def left_of(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


@given(POINTS)
def test_every_point_lies_inside_and_every_corner_turns_left(points):
    corners = [points[i] for i in convex_hull(points)]
    assert len(set(corners)) == len(corners)
    assert bool(corners) == bool(points)
    if len(corners) < 3:
        return
    sides = list(zip(corners, corners[1:] + corners[:1], strict=True))
    assert all(left_of(a, b, point) >= 0 for a, b in sides for point in points)
    assert all(left_of(a, b, c) > 0 for (a, b), c in zip(sides, corners[2:] + corners[:2], strict=True))


@given(POINTS, st.integers(-300, 300))
def test_the_corners_do_not_depend_on_the_scale(points, power):
    assert convex_hull(np.array(points, float).reshape(-1, 2) * 2.0**power) == convex_hull(points)


@pytest.mark.parametrize(
    ("points", "corners"),
    [
        ([], []),
        ([(1, 1), (1, 1)], [0]),
        ([(0, 0), (2, 2), (1, 1)], [0, 1]),
        ([(1, 0), (0, 1), (1, 1), (2, 0)], [1, 0, 3, 2]),
        ([(1e308, 0), (-1e308, 0), (0, 1e308)], [1, 0, 2]),
    ],
)
def test_it_knows_points_segments_and_large_numbers(points, corners):
    assert convex_hull(points) == corners
