"""The convex hull of points in the plane.

What lives here: the smallest convex shape that holds some points, which no blend of them with positive shares leaves.
What does not: drawing it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import ArrayLike


def convex_hull(points: ArrayLike) -> list[int]:
    """Return the corners of the convex hull, counterclockwise from the leftmost (of several, the lowest).

    Parameters
    ----------
    points : array_like of shape (n, 2)
        Finite numbers.

    Returns
    -------
    list of int
        Indices into `points`. Points inside, on an edge between two corners, or equal to an earlier corner are left
        out: a segment has two corners, and points that are all equal have one.

    Notes
    -----
    Andrew's monotone chain (Andrew 1979, "Another efficient algorithm for convex hulls in two dimensions").
    """
    array = np.asarray(points, np.float64).reshape(-1, 2)
    # Products of numbers below 1 cannot overflow, and a power of two leaves every digit as it is.
    _, power = np.frexp(np.abs(array).max(initial=0.0))
    where = [(float(x), float(y)) for x, y in np.ldexp(array, -power)]
    first: dict[tuple[float, float], int] = {}
    for i, point in enumerate(where):
        first.setdefault(point, i)
    ordered = [first[point] for point in sorted(first)]
    if len(ordered) < 3:
        return ordered

    def chain(indices: list[int]) -> list[int]:
        corners: list[int] = []
        for i in indices:
            while len(corners) > 1 and _turn(where[corners[-2]], where[corners[-1]], where[i]) <= 0:
                corners.pop()
            corners.append(i)
        return corners

    return chain(ordered)[:-1] + chain(ordered[::-1])[:-1]


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    """Return twice the signed area of the triangle: positive where a, b, c turn to the left."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
