"""Where the labels of a plot stand: beside what they name, on the plot, and clear of curves and of one another.

Only places are found here; `explorer.ui.plot_overlay` writes.
"""

from __future__ import annotations

import math
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
LIFTS: Final = 6
#: A lift is as bad as so many points of curves beneath the label: what stands far off is hard to tell whose it is.
WORTH: Final = 4.0
#: And so bad is a label that stands nearer to another point than to its own, or whose lead runs through another label.
MISTAKEN: Final = 8.0


class Place(NamedTuple):
    """Where a label stands, what it stands beside, and how bad that is: 0 beside it and clear of everything."""

    box: QRectF
    at: QPointF
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
        # A line through letters is worse than a curve that touches a corner: its points count twice.
        shares = np.linspace(0.0, 1.0, 2 * (up if vertical else across))
        level = np.full(shares.shape, share)
        parts.append(np.column_stack((level, shares) if vertical else (shares, level)))
    found = np.concatenate(parts) if parts else np.zeros((0, 2))
    corner, size = (inside.left(), inside.bottom()), (inside.width(), -inside.height())
    return np.asarray(found * size + corner, np.float64)


def place(
    anchors: Sequence[QPointF],
    width: float,
    height: float,
    gap: float,
    inside: QRectF,
    taken: Sequence[QRectF],
    points: NDArray[np.float64],
    *,
    radius: float = 0.0,
    others: Sequence[QPointF] = (),
) -> Place | None:
    """Return the best place for a label.

    Parameters
    ----------
    anchors : sequence of QPointF
        What it names: a point, or several along a line, any of which will do.
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
    radius : float
        Of the dot at the point, if there is one.
    others : sequence of QPointF
        Points that it might be taken to name.

    Returns
    -------
    Place or None
        On what is taken where there is nothing else; None where the plot is too small for it.
    """
    best: Place | None = None
    first: Place | None = None
    least = np.inf
    for lift, at, box in _boxes(anchors, width, height, gap, radius, inside):
        if WORTH * lift >= least:
            break  # whatever follows stands farther away
        if not inside.contains(box):
            continue
        first = first or Place(box, at, np.inf)
        if any(box.intersects(other) for other in taken):
            continue
        bad = WORTH * lift + _covered(box, points)
        if bad < least:
            bad += MISTAKEN * _mistaken(at, box, gap, taken, others)
        if bad < least:
            best, least = Place(box, at, bad), bad
    return first if best is None else best


def lead(at: QPointF, box: QRectF, gap: float) -> QPointF | None:
    """Return where a line from a point to its label ends; None where the label stands beside the point."""
    inset = gap / 2
    end = QPointF(
        min(max(at.x(), box.left() + inset), box.right() - inset),
        min(max(at.y(), box.top() + inset), box.bottom() - inset),
    )
    return end if math.hypot(end.x() - at.x(), end.y() - at.y()) > gap + box.height() / 2 else None


def along(at: QPointF, end: QPointF) -> NDArray[np.float64]:
    """Return points from one point to another, about `APART` pixels apart: ndarray of shape (n, 2)."""
    count = int(math.hypot(end.x() - at.x(), end.y() - at.y()) / APART) + 2
    return np.linspace((at.x(), at.y()), (end.x(), end.y()), count)


def _mistaken(at: QPointF, box: QRectF, gap: float, taken: Sequence[QRectF], others: Sequence[QPointF]) -> int:
    """Return how many points and labels could be taken for a label's own, or its lead for theirs."""
    own = _distance(at, box)
    count = sum(_distance(other, box) < own for other in others if other != at)
    end = lead(at, box, gap)
    if end is not None:
        way = [QPointF(*one) for one in along(at, end).tolist()]
        count += sum(any(other.contains(one) for one in way) for other in taken if not other.contains(at))
    return count


def _distance(at: QPointF, box: QRectF) -> float:
    across = max(box.left() - at.x(), at.x() - box.right(), 0.0)
    return math.hypot(across, max(box.top() - at.y(), at.y() - box.bottom(), 0.0))


def _boxes(
    anchors: Sequence[QPointF], width: float, height: float, gap: float, radius: float, inside: QRectF
) -> Iterator[tuple[int, QPointF, QRectF]]:
    """Iterate over the places beside a point, the nearest first, each with how far it is lifted from what it names."""
    for lift in range(LIFTS if len(anchors) == 1 else 1):
        for at in anchors:
            right, left = at.x() + gap, at.x() - gap - width
            # A long label in the middle fits on neither side: it then lies above or below, within the plot.
            within = [min(max(x, inside.left()), inside.right() - width) for x in (at.x() - width / 2, right, left)]
            # A line through the point stays clear of the letters, and so does the dot of what lies above or below it.
            for x, rise in ((right, gap / 3), (left, gap / 3), *((x, max(gap / 3, radius + 2)) for x in within)):
                for y in (at.y() - rise - (lift + 1) * height, at.y() + rise + lift * height):
                    yield lift, at, QRectF(x, y, width, height)


def _covered(box: QRectF, points: NDArray[np.float64]) -> int:
    """Return how many points lie under a box."""
    x, y = points[:, 0], points[:, 1]
    return int(((x > box.left()) & (x < box.right()) & (y > box.top()) & (y < box.bottom())).sum())
