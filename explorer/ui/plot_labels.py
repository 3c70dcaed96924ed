"""Where the labels of a plot stand: beside what they name, on the plot, and clear of curves and of one another.

Only places are found here; `explorer.ui.plot_overlay` writes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from explorer.concepts.shown.plots import Plot

#: What is drawn is known by points this far apart, in pixels.
APART: Final = 3.0
#: A label may be lifted away from its point by so many times its height.
LIFTS: Final = 4
#: A lift is as bad as so many points of curves beneath the label: what stands far off is hard to tell whose it is.
WORTH: Final = 4.0


class Place(NamedTuple):
    """Where a label stands, and how bad that is: 0 beside what it names and clear of everything."""

    box: QRectF
    bad: float


def drawn(plot: Plot, inside: QRectF, cursor: float | None = None) -> NDArray[np.float64]:
    """Return points on everything that is drawn as a line, about `APART` pixels from one another.

    Parameters
    ----------
    plot : Plot
    inside : QRectF
        Where it is drawn, in pixels.
    cursor : float, optional
        Where it was left, if it was.

    Returns
    -------
    ndarray of shape (n, 2)
        Pixels; what lies outside of the plot is among them.
    """
    across, up = (max(int(length / APART), 1) + 1 for length in (inside.width(), inside.height()))
    parts = []
    for one in plot.series:
        x, y = plot.x.shares(one.x), plot.y.shares(one.y)
        there = np.isfinite(x) & np.isfinite(y)
        if one.style == "points" or there.sum() < 2:
            parts.append(np.column_stack((x[there], y[there])))
            continue
        x, y = x[there], y[there]
        if np.diff(x).max() * inside.width() < 2 * APART and np.abs(np.diff(y)).max() * inside.height() < 2 * APART:
            parts.append(np.column_stack((x, y)))  # near enough to one another as they are
            continue
        between = np.linspace(x[0], x[-1], across)
        heights = np.interp(between, x, y)
        # Where a curve is steep, points that are even across are far apart.
        steps = np.abs(np.diff(heights)) * inside.height() / APART
        if len(steps) and steps.max() > 1:
            length = np.concatenate(([0.0], np.cumsum(np.maximum(steps, 1.0))))
            even = np.linspace(0.0, length[-1], min(int(length[-1]) + 1, across + 4 * up))
            between, heights = np.interp(even, length, between), np.interp(even, length, heights)
        parts.append(np.column_stack((between, heights)))
    lines = [(line.at, line.vertical) for line in plot.lines] + ([] if cursor is None else [(cursor, True)])
    for at, vertical in lines:
        share = (plot.x if vertical else plot.y).share(at)
        along = np.linspace(0.0, 1.0, up if vertical else across)
        level = np.full(along.shape, share)
        parts.append(np.column_stack((level, along) if vertical else (along, level)))
    shares = np.concatenate(parts) if parts else np.zeros((0, 2))
    corner, size = (inside.left(), inside.bottom()), (inside.width(), -inside.height())
    return np.asarray(shares * size + corner, np.float64)


def place(
    at: QPointF,
    width: float,
    height: float,
    gap: float,
    inside: QRectF,
    taken: Sequence[QRectF],
    points: NDArray[np.float64],
) -> Place | None:
    """Return the best place for a label.

    Parameters
    ----------
    at : QPointF
        What it names.
    width, height : float
        Of the label.
    gap : float
        Between it and what it names.
    inside : QRectF
        The plot, which it does not leave.
    taken : sequence of QRectF
        Where it may not lie.
    points : ndarray of shape (n, 2)
        What it had better not lie on, as `drawn` returns it.

    Returns
    -------
    Place or None
        On what is taken where there is nothing else; None where the plot is too small for it.
    """
    best: Place | None = None
    first: Place | None = None
    least = np.inf
    for lift, box in _boxes(at, width, height, gap, inside):
        if WORTH * lift >= least:
            break  # whatever follows stands farther away
        if not inside.contains(box):
            continue
        first = first or Place(box, np.inf)
        if any(box.intersects(other) for other in taken):
            continue
        bad = WORTH * lift + _covered(box, points)
        if bad < least:
            best, least = Place(box, bad), bad
    return first if best is None else best


def _boxes(at: QPointF, width: float, height: float, gap: float, inside: QRectF) -> Iterator[tuple[int, QRectF]]:
    """Iterate over the places beside a point, the nearest first, each with how far it is lifted."""
    rise = gap / 3  # a line through the point stays clear of the letters
    right, left = at.x() + gap, at.x() - gap - width
    # A long label beside a point in the middle fits on neither side: it then lies above or below, within the plot.
    within = [min(max(x, inside.left()), inside.right() - width) for x in (at.x() - width / 2, right, left)]
    for lift in range(LIFTS):
        for x in (right, left, *within):
            for y in (at.y() - rise - (lift + 1) * height, at.y() + rise + lift * height):
                yield lift, QRectF(x, y, width, height)


def _covered(box: QRectF, points: NDArray[np.float64]) -> int:
    """Return how many points lie under a box."""
    x, y = points[:, 0], points[:, 1]
    return int(((x > box.left()) & (x < box.right()) & (y > box.top()) & (y < box.bottom())).sum())
