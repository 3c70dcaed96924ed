"""Geometry of a plane on screen: its scale, its grid, and where labels stand. No painting, no state."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

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


@dataclass(frozen=True)
class Scale:
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
        side = nice(max(max(abs(x), abs(y)) for x, y in points) * ROOM)
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


@dataclass(frozen=True)
class Wanted:
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
    placed: list[QRectF | None] = []
    for label in labels:
        if label.size.isEmpty():
            placed.append(None)
            continue
        best: tuple[float, QRectF] | None = None
        others = [*taken, *(other for other in placed if other is not None)]
        # A tip at the very same place is named by both labels.
        tips = [one.tip for one in labels if one.tip != label.tip]
        for cost, rect in _candidates(label, origin):
            if not room.contains(rect) or any(rect.intersects(other) for other in others):
                continue
            clear = label.gap / 2
            if any(rect.adjusted(-clear, -clear, clear, clear).contains(tip) for tip in tips):
                continue
            whole = cost + 2.5 * sum(_crosses(shaft, rect) for shaft in shafts)
            if best is None or whole < best[0]:
                best = whole, rect
        placed.append(None if best is None else best[1])
    return placed


def _candidates(label: Wanted, origin: QPointF) -> Iterable[tuple[float, QRectF]]:
    """Return rectangles around a tip with what they cost: away from the origin and near are cheap."""
    away = label.tip - origin
    heading = math.atan2(-away.y(), away.x()) if not away.isNull() else math.pi / 2
    for ring in (1.0, 2.6):
        for turn in range(16):
            angle = heading + turn * math.pi / 8
            reach = label.gap * ring
            x, y = math.cos(angle), -math.sin(angle)
            width, height = label.size.width(), label.size.height()
            # The nearest point of the rectangle, not its middle, stands at this distance.
            middle = QPointF(
                label.tip.x() + x * reach + width / 2 * _pushed(x), label.tip.y() + y * reach + height / 2 * _pushed(y)
            )
            rect = QRectF(middle.x() - width / 2, middle.y() - height / 2, width, height)
            yield (1 - math.cos(angle - heading)) + 1.5 * (ring - 1), rect


def _pushed(part: float) -> float:
    return max(-1.0, min(1.0, 1.5 * part))


def _crosses(line: QLineF, rect: QRectF) -> bool:
    """Say whether a line runs through a rectangle."""
    if rect.contains(line.p1()) or rect.contains(line.p2()):
        return True
    corners = (rect.topLeft(), rect.topRight(), rect.bottomRight(), rect.bottomLeft())
    bounded = QLineF.IntersectionType.BoundedIntersection
    return any(
        line.intersects(QLineF(a, b))[0] == bounded for a, b in ((corners[0], corners[2]), (corners[1], corners[3]))
    )
