"""Painting a plane of vectors. Called by its view; it holds no state and decides nothing about scale or edits."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen, QPolygonF

from explorer.core.hull import convex_hull
from explorer.ui.number_style import cell_text
from explorer.ui.plane_layout import Scale, Wanted, leader, place_labels

if TYPE_CHECKING:
    from explorer.concepts.shown.plane import Plane, Point, Vector
    from explorer.ui.theme import Theme

    #: A text and where it stands; a vector, its label and where that stands.
    Tick = tuple[QRectF, str]
    Label = tuple[Vector, str, QRectF | None]

WRAPPED = int(Qt.AlignmentFlag.AlignLeft | Qt.TextFlag.TextWordWrap)
#: The least side of the grid's squares in pixels at 100 %.
SQUARE = 34
#: How far labels stand from their tips where there is room.
GAP = 9


@dataclass(frozen=True)
class PlaneLook:
    """All that decides how a plane is drawn, beyond what is in it.

    `font` is the pixel size of labels; `hovered` and `focused` are vectors, -1 for none; `lit` vectors stand out,
    `hidden` ones are not drawn.
    """

    theme: Theme
    font: int
    hovered: int = -1
    focused: int = -1
    lit: frozenset[int] = field(default_factory=frozenset)
    hidden: frozenset[int] = field(default_factory=frozenset)

    def line(self, width: float) -> float:
        """Return the width of a line; a projector is seen from afar."""
        return max(width * self.theme.scale * (1.6 if self.theme.present else 1), 1.0)

    def soft(self, role: str, alpha: float) -> QColor:
        """Return a role's colour, translucent."""
        color = QColor(self.theme.color(role))
        color.setAlphaF(alpha)
        return color

    @property
    def label_font(self) -> QFont:
        """The font of labels."""
        return self.theme.font(self.font, bold=True, exact=True)


def short(value: float) -> str:
    """Write a number without zeros at its end."""
    text = cell_text(value, 2)
    return text.rstrip("0").rstrip(".") if "." in text and "e" not in text else text


def written(point: Point) -> str:
    """Write a point."""
    return f"({', '.join(short(part) for part in point)})"


def square_of(scale: Scale, theme: Theme) -> float:
    """Return the side of the grid's squares, in the plane's own numbers."""
    return scale.square(max(theme.px(SQUARE), theme.text_px(12) * 2.2))


def paint_plane(painter: QPainter, plane: Plane, scale: Scale, look: PlaneLook) -> None:
    """Paint grid, hull, paths, vectors and labels, in this order."""
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    labels = label_places(plane, scale, look)
    _paint_ground(painter, plane, scale, look, axis_ticks(plane, scale, look, labels))
    painter.save()
    painter.setClipRect(scale.area)
    _paint_hull(painter, plane, scale, look)
    for path in plane.paths:
        painter.setPen(QPen(look.soft(path.role, 0.55), look.line(1.2), Qt.PenStyle.DashLine))
        painter.drawLine(scale.pixel(path.start), scale.pixel(path.end))
    _paint_leaders(painter, scale, look, labels)
    for i, vector in enumerate(plane.vectors):
        if i not in look.hidden:
            _paint_vector(painter, scale, look, i, vector)
    _paint_labels(painter, look, labels)
    painter.restore()


def paint_foot(painter: QPainter, plane: Plane, scale: Scale, look: PlaneLook, stated: str) -> None:
    """Write what is stated of the scale under the plane, and the plane's note where it is not part of that."""
    theme, width = look.theme, scale.area.width()
    metrics = QFontMetricsF(theme.font(12))
    painter.setFont(theme.font(12))
    painter.setPen(theme.color("muted"))
    y = scale.area.bottom() + theme.px(3)
    painter.drawText(QPointF(0, y + metrics.ascent()), stated)
    if plane.note and not theme.present:
        painter.setPen(theme.color("text"))
        painter.drawText(QRectF(0, y + metrics.height(), width, 10_000), WRAPPED, plane.note)


def paint_focus(painter: QPainter, scale: Scale, look: PlaneLook) -> None:
    """Paint the ring of a plane that has the focus as a whole."""
    painter.setPen(QPen(look.theme.color("accent"), look.line(2)))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(scale.area.adjusted(1, 1, -1, -1))


# --- ground ---


def _paint_ground(painter: QPainter, plane: Plane, scale: Scale, look: PlaneLook, ticks: list[Tick]) -> None:
    theme, area = look.theme, scale.area
    painter.setPen(QPen(theme.color("border"), 1))
    painter.setBrush(theme.color("cell"))
    painter.drawRect(area)
    painter.save()
    painter.setClipRect(area.adjusted(1, 1, -1, -1))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
    square = square_of(scale, theme)
    left, right, bottom, top = scale.visible()
    # The axes come last, so that no line of the grid crosses them.
    for axis in (False, True):
        painter.setPen(QPen(theme.color("muted") if axis else look.soft("muted", 0.24), 1))
        for k in _multiples(left, right, square):
            if (not k) == axis:
                x = scale.pixel((k * square, 0)).x()
                painter.drawLine(QPointF(x, area.top()), QPointF(x, area.bottom()))
        for k in _multiples(bottom, top, square):
            if (not k) == axis:
                y = scale.pixel((0, k * square)).y()
                painter.drawLine(QPointF(area.left(), y), QPointF(area.right(), y))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setFont(theme.font(12))
    painter.setPen(theme.color("muted"))
    for place, text in ticks:
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), text)
    painter.restore()
    painter.setFont(theme.font(12, bold=True))
    painter.setPen(theme.color("muted"))
    for place, text in _axis_words(plane, scale, theme):
        painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), text)


def _multiples(low: float, high: float, square: float) -> range:
    return range(int(low // square), int(high // square) + 1)


def axis_ticks(plane: Plane, scale: Scale, look: PlaneLook, labels: list[Label]) -> list[Tick]:
    """Return the numbers along both axes that stand clear of the axes' words and of the vectors' labels."""
    taken = [place for place, _ in _axis_words(plane, scale, look.theme)]
    taken += [place for _, text, place in labels if place is not None and text]
    return [
        (place, text)
        for place, text in _ticks(scale, look.theme)
        if not any(place.intersects(other) for other in taken)
    ]


def _ticks(scale: Scale, theme: Theme) -> list[Tick]:
    """Return the numbers along both axes, as many as there is room for."""
    metrics, px, area = QFontMetricsF(theme.font(12)), theme.px, scale.area
    square, height = square_of(scale, theme), QFontMetricsF(theme.font(12)).height()
    left, right, bottom, top = scale.visible()
    inside = area.adjusted(px(2), px(2), -px(2), -px(2))
    found: list[Tick] = []
    widest = max(metrics.horizontalAdvance(short(k * square)) for k in _multiples(left, right, square))
    for low, high, upright in ((left, right, True), (bottom, top, False)):
        every = max(1, -int(-((widest if upright else height) + px(8)) // (square * scale.unit)))
        for k in _multiples(low, high, square):
            if not k or k % every:
                continue
            text, at = short(k * square), scale.pixel((k * square, k * square))
            width = metrics.horizontalAdvance(text) + px(2)
            if upright:
                y = min(max(scale.origin.y(), inside.top()), inside.bottom() - height)
                box = QRectF(at.x() - width / 2, y + px(1), width, height)
            else:
                x = min(max(scale.origin.x(), inside.left() + width + px(3)), inside.right())
                box = QRectF(x - width - px(3), at.y() - height / 2, width, height)
            if inside.contains(box):
                found.append((box, text))
    return found


def _axis_words(plane: Plane, scale: Scale, theme: Theme) -> list[Tick]:
    """Return what the axes mean, at the far end of each."""
    metrics, px = QFontMetricsF(theme.font(12, bold=True)), theme.px
    area, height = scale.area.adjusted(px(5), px(3), -px(5), -px(3)), metrics.height()
    found = []
    if plane.across:
        text = f"{plane.across} →"
        width = metrics.horizontalAdvance(text) + px(2)
        below = scale.origin.y() + height + px(2)
        found.append(
            (QRectF(area.right() - width, min(max(below, area.top()), area.bottom() - height), width, height), text)
        )
    if plane.up:
        text = f"↑ {plane.up}"
        width = metrics.horizontalAdvance(text) + px(2)
        x = min(max(scale.origin.x() - width - px(4), area.left()), area.right() - width)
        found.append((QRectF(x, area.top(), width, height), text))
    return found


# --- what is in it ---


def _paint_hull(painter: QPainter, plane: Plane, scale: Scale, look: PlaneLook) -> None:
    corners = [scale.pixel(plane.hull[i]) for i in convex_hull(plane.hull)]
    if len(corners) > 1:
        # Not dotted: stroking dots along slanting edges takes longer than all the rest.
        painter.setPen(QPen(look.soft(plane.hull_role, 0.6), look.line(1.2)))
        painter.setBrush(look.soft(plane.hull_role, 0.14))
        painter.drawPolygon(QPolygonF(corners))


def _paint_vector(painter: QPainter, scale: Scale, look: PlaneLook, i: int, vector: Vector) -> None:
    color, tip, head = look.theme.color(vector.role), scale.pixel(vector.tip), look.line(9)
    thick = look.line(3.2 if i == look.hovered or i in look.lit else 2.2)
    if vector.form == "dot":
        painter.setPen(QPen(color, thick * 0.75))
        painter.setBrush(look.theme.color("cell"))
        painter.drawEllipse(tip, head / 2, head / 2)
    else:
        _paint_arrow(painter, QLineF(scale.origin, tip), color, thick, head)
    if vector.draggable:
        _paint_handle(painter, look, tip, i, color)


def _paint_arrow(painter: QPainter, shaft: QLineF, color: QColor, thick: float, head: float) -> None:
    painter.setPen(QPen(color, thick, Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
    if shaft.length() <= head:
        painter.drawLine(shaft)
        painter.setBrush(color)
        painter.drawEllipse(shaft.p2(), head / 4, head / 4)
        return
    along = QLineF(shaft)
    along.setLength(shaft.length() - head * 0.7)
    painter.drawLine(along)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(color)
    unit = shaft.unitVector()
    back = QPointF(unit.dx(), unit.dy()) * head
    aside = QPointF(-back.y(), back.x()) * 0.42
    tip = shaft.p2()
    painter.drawPolygon(QPolygonF([tip, tip - back + aside, tip - back - aside]))


def _paint_handle(painter: QPainter, look: PlaneLook, tip: QPointF, i: int, color: QColor) -> None:
    hot = i == look.hovered
    radius = look.line(6.5 if hot else 4.5)
    painter.setPen(QPen(color, look.line(1.6)))
    painter.setBrush(color if hot else look.theme.color("cell"))
    painter.drawEllipse(tip, radius, radius)
    if i == look.focused:
        painter.setPen(QPen(look.theme.color("accent"), look.line(2)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawEllipse(tip, radius + look.line(4), radius + look.line(4))


# --- labels ---


def label_places(plane: Plane, scale: Scale, look: PlaneLook) -> list[Label]:
    """Return every vector with its label and where that stands, None where there is no room for it.

    The vector under the pointer or in focus also says its numbers.
    """
    theme, px = look.theme, look.theme.px
    metrics = QFontMetricsF(look.label_font)
    texts = ["" if i in look.hidden else vector.label for i, vector in enumerate(plane.vectors)]
    for i in {look.hovered, look.focused} - look.hidden - {-1}:
        texts[i] = f"{texts[i]}  {written(plane.vectors[i].tip)}".strip()
    tips = [scale.pixel(vector.tip) for vector in plane.vectors]
    wanted = [
        Wanted(tip, QSizeF(metrics.horizontalAdvance(text) + px(6) if text else 0, metrics.height()), look.line(GAP))
        for tip, text in zip(tips, texts, strict=True)
    ]
    shafts = [
        QLineF(scale.origin, tip) for tip, vector in zip(tips, plane.vectors, strict=True) if vector.form == "arrow"
    ]
    room = scale.area.adjusted(px(2), px(2), -px(2), -px(2))
    taken = [place for place, _ in _axis_words(plane, scale, theme)]
    # Those that lie on top choose first.
    places = place_labels(wanted[::-1], shafts, scale.origin, room, taken)[::-1]
    return list(zip(plane.vectors, texts, places, strict=True))


def _paint_labels(painter: QPainter, look: PlaneLook, labels: list[Label]) -> None:
    painter.setFont(look.label_font)
    ground = look.soft("cell", 0.82)
    for vector, text, place in labels:
        if place is not None and text:
            painter.fillRect(place, ground)
            painter.setPen(look.theme.color(vector.role))
            painter.drawText(place, int(Qt.AlignmentFlag.AlignCenter), text)


def _paint_leaders(painter: QPainter, scale: Scale, look: PlaneLook, labels: list[Label]) -> None:
    """Join labels to their tips where they stand close to another's."""
    tips = [scale.pixel(vector.tip) for i, (vector, _, _) in enumerate(labels) if i not in look.hidden]
    for vector, text, place in labels:
        line = leader(place, scale.pixel(vector.tip), tips, look.line(2 * GAP)) if place is not None and text else None
        if line is not None:
            painter.setPen(QPen(look.theme.color(vector.role), look.line(1)))
            painter.drawLine(line)
