"""Geometry of a plane on screen: its scale, its grid, and where labels stand. No painting, no state."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Box = tuple[float, float, float, float]
Point = tuple[float, float]

#: A tip this close to the edge, as a share of the way from the origin, is given a larger plane.
ROOM = 1.04
LADDER = (1.0, 2.0, 5.0, 10.0)


def nice(least: float) -> float:
    """Return the smallest of 1, 2, 5 times a power of ten that is at least this."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(step * power for step in LADDER if step * power >= least * (1 - 1e-12))


def snapped(value: float, step: float) -> float:
    """Return the nearest multiple of a step, without the noise of binary fractions."""
    return float(f"{round(value / step) * step:.12g}") + 0.0


class Scale(NamedTuple):
    """How a plane lies on screen: the pixel of its origin, the pixels of 1, and the rectangle it fills."""

    origin: QPointF
    unit: float
    area: QRectF

    @classmethod
    def of(cls, box: Box, area: QRectF) -> Scale:
        """Return the scale at which a box fills an area, the same in both directions, centred."""
        left, right, bottom, top = box
        unit = min(area.width() / (right - left), area.height() / (top - bottom))
        middle = area.center()
        origin = QPointF(middle.x() - (left + right) / 2 * unit, middle.y() + (bottom + top) / 2 * unit)
        return cls(origin, unit, area)

    @classmethod
    def fitting(cls, box: Box, tips: Iterable[Point], area: QRectF) -> Scale:
        """Return the scale of the box while every tip can be seen in it, else of a square around the origin."""
        points = list(tips)
        fixed = cls.of(box, area)
        left, right, bottom, top = fixed.visible()
        if all(left <= x * ROOM <= right and bottom <= y * ROOM <= top for x, y in points):
            return fixed
        side = nice(max(max(abs(x), abs(y)) for x, y in points) * ROOM or 1.0)
        return cls.of((-side, side, -side, side), area)

    def pixel(self, point: Point) -> QPointF:
        """Return where a point lies on screen."""
        return QPointF(self.origin.x() + point[0] * self.unit, self.origin.y() - point[1] * self.unit)

    def point(self, pixel: QPointF) -> Point:
        """Return the point under a pixel."""
        return (pixel.x() - self.origin.x()) / self.unit, (self.origin.y() - pixel.y()) / self.unit

    def visible(self) -> Box:
        """Return what of the plane is seen."""
        left, top = self.point(self.area.topLeft())
        right, bottom = self.point(self.area.bottomRight())
        return left, right, bottom, top

    def square(self, least: float) -> float:
        """Return the side of the grid's squares, whose pixels are at least so many."""
        return nice(least / self.unit)


class Wanted(NamedTuple):
    """A label that wants a place: the tip that it names, its size, and how far from the tip it may stand."""

    tip: QPointF
    size: QSizeF
    gap: float


def place_labels(
    labels: Sequence[Wanted], shafts: Sequence[QLineF], origin: QPointF, room: QRectF, taken: Sequence[QRectF] = ()
) -> list[QRectF | None]:
    """Find a place beside its tip for every label, in their order; None where there is none.

    Parameters
    ----------
    labels : sequence of Wanted
        Earlier ones choose first; empty ones want no place.
    shafts : sequence of QLineF
        Lines that labels should rather not cover.
    origin : QPointF
        Labels prefer to stand away from it.
    room : QRectF
        Labels stay inside.
    taken : sequence of QRectF
        Where something else is written.

    Returns
    -------
    list of QRectF or None
        Rectangles that overlap neither each other nor another label's tip.
    """
    lines = [(one.x1(), one.y1(), one.x2(), one.y2()) for one in shafts]
    tips = [(one.tip.x(), one.tip.y()) for one in labels]
    edges, filled = _edges(room), [_edges(one) for one in taken]
    placed: list[QRectF | None] = []
    for label, tip in zip(labels, tips, strict=True):
        # A tip at the very same place is named by both labels.
        others = [other for other in tips if other != tip]
        found = None if label.size.isEmpty() else _place(label, (origin.x(), origin.y()), edges, filled, others, lines)
        placed.append(None if found is None else QRectF(found[0], found[1], found[2] - found[0], found[3] - found[1]))
        if found is not None:
            filled.append(found)
    return placed


#: A label that stands not so many times as far from another tip as from its own could be that one's.
CLEARLY_FARTHER = 1.5


def leader(place: QRectF, tip: QPointF, others: Sequence[QPointF], far: float = math.inf) -> QLineF | None:
    """Return the line that joins a label to its tip, None where it is clear that they belong together.

    A label that is close to one of the `others`, or `far` from its tip, could be read as another's.
    """
    end = _nearest(place, tip)
    near = CLEARLY_FARTHER * QLineF(tip, end).length()
    if near > CLEARLY_FARTHER * far or any(
        other != tip and QLineF(other, _nearest(place, other)).length() < near for other in others
    ):
        return QLineF(tip, end)
    return None


def _nearest(rect: QRectF, point: QPointF) -> QPointF:
    """Return the point of a rectangle that is nearest to another."""
    return QPointF(min(max(point.x(), rect.left()), rect.right()), min(max(point.y(), rect.top()), rect.bottom()))


#: Left, top, right, bottom. Plain numbers: thousands of these are compared in a frame.
Edges = tuple[float, float, float, float]

#: What a line that runs under a label costs, beside a turn away from the tip's own direction.
CROSSED = 2.5


def _edges(rect: QRectF) -> Edges:
    return rect.left(), rect.top(), rect.right(), rect.bottom()


def _place(
    label: Wanted, origin: Point, room: Edges, filled: Sequence[Edges], tips: Sequence[Point], lines: Sequence[Edges]
) -> Edges | None:
    """Return the cheapest rectangle that is free, None where none is."""
    best, cheapest = None, math.inf
    clear = label.gap / 2
    for cost, (left, top, right, bottom) in _candidates(label, origin):
        if cost >= cheapest:
            break
        if left < room[0] or top < room[1] or right > room[2] or bottom > room[3]:
            continue
        if any(left < one[2] and one[0] < right and top < one[3] and one[1] < bottom for one in filled):
            continue
        if any(left - clear < x < right + clear and top - clear < y < bottom + clear for x, y in tips):
            continue
        whole = cost
        for line in lines:
            if _crosses(line, (left, top, right, bottom)):
                whole += CROSSED
        if whole < cheapest:
            best, cheapest = (left, top, right, bottom), whole
    return best


def _turns() -> list[tuple[float, float, float]]:
    """Return the places around a tip: what each costs, its turn and its ring; the cheap ones first."""
    return sorted(
        (1 - math.cos(turn * math.pi / 8) + 1.5 * (ring - 1), turn * math.pi / 8, ring)
        for ring in (1.0, 2.6)
        for turn in range(16)
    )


TURNS = _turns()


def _candidates(label: Wanted, origin: Point) -> Iterable[tuple[float, Edges]]:
    """Return rectangles around a tip with what they cost: away from the origin and near are cheap, and come first."""
    x, y, gap = label.tip.x(), label.tip.y(), label.gap
    width, height = label.size.width(), label.size.height()
    away = (x - origin[0], origin[1] - y)
    heading = math.atan2(away[1], away[0]) if any(away) else math.pi / 2
    for cost, turn, ring in TURNS:
        across, up = math.cos(heading + turn), -math.sin(heading + turn)
        # The nearest point of the rectangle, not its middle, stands at this distance.
        left = x + across * gap * ring + (_pushed(across) - 1) * width / 2
        top = y + up * gap * ring + (_pushed(up) - 1) * height / 2
        yield cost, (left, top, left + width, top + height)


def _pushed(part: float) -> float:
    return max(-1.0, min(1.0, 1.5 * part))


def _crosses(line: Edges, rect: Edges) -> bool:
    """Say whether a line runs through a rectangle (Liang and Barsky 1984)."""
    x, y, dx, dy = line[0], line[1], line[2] - line[0], line[3] - line[1]
    first, last = 0.0, 1.0
    for toward, room in ((-dx, x - rect[0]), (dx, rect[2] - x), (-dy, y - rect[1]), (dy, rect[3] - y)):
        if toward == 0:
            if room < 0:
                return False
        elif toward < 0:
            first = max(first, room / toward)
        else:
            last = min(last, room / toward)
    return first <= last
