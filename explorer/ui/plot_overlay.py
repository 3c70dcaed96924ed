"""What lies above a graph: straight lines, points, what is named with its label, and the cursor with its dots.

Where labels stand is found by `explorer.ui.plot_labels`. The overlay gets no mouse; it knows where things are from the
view that it lies on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.ui import plot_labels
from explorer.ui.cell_size import text_width
from explorer.ui.lettering import Lettering, lettering

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from explorer.concepts.shown.plots import Band, Crossing, Line, Plot, Series
    from explorer.ui.curves import CurvesView
    from explorer.ui.theme import Theme


#: Sizes of dots: of points and crossings, and of what the cursor reads.
DOT, READ = 5, 4


class _Label(NamedTuple):
    """A label that has found its place, and the point that it names."""

    box: QRectF
    text: str
    role: str
    at: QPointF


class Overlay(QWidget):
    """Paints above a `CurvesView`."""

    def __init__(self, theme: Theme, view: CurvesView) -> None:
        super().__init__(view)
        self.theme = theme
        self._view = view
        self._taken: list[QRectF] = []
        self._labels: list[_Label] = []
        self._leads: list[NDArray[np.float64]] = []
        self._under: tuple[tuple[Any, ...], list[NDArray[np.float64]], NDArray[np.float64]] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)

    def labels(self) -> list[QRectF]:
        """Return where labels were painted last."""
        return [label.box for label in self._labels]

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint lines, points, their labels, and the cursor."""
        plot = self._view.plot
        if plot is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        inside = self._view.inside()
        self._taken, self._labels, self._leads = [], [], []
        if plot.empty:
            self._paint_reason(painter, plot, inside)
            painter.end()
            return
        room = inside.adjusted(-1, -1, 1, 1)
        named = [(one, QPointF(_x(plot, inside, one.x), _y(plot, inside, one.y))) for one in plot.crossings]
        named = [(one, at) for one, at in named if math.isfinite(at.x() + at.y()) and room.contains(at)]
        read = self._read(plot, inside, self._view.left_cursor)
        # No label may lie on a dot.
        self._taken = [self._around(at, DOT) for _, at in named] + [self._around(at, READ) for at, _ in read]
        for band in plot.bands:
            self._place_band_label(plot, inside, band)
        for one, at in named:
            self._place_label(inside, [at], one, radius=self._radius(DOT), others=[other for _, other in named])
        for line in plot.lines:
            self._paint_line(painter, plot, inside, line)
        for label in self._labels:
            self._paint_lead(painter, label)
        for series in plot.series:
            if series.style == "points":
                self._paint_points(painter, plot, room, series)
        for one, at in named:
            self._paint_dot(painter, at, self.theme.color(one.role), DOT)
        for label in self._labels:
            self._write(painter, label)
        self._paint_cursor(painter, plot, inside, read)
        if self._view.hasFocus():
            painter.setPen(QPen(self.theme.color("accent"), max(self.theme.px(2), 2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(inside.adjusted(1, 1, -1, -1), self.theme.px(3), self.theme.px(3))
        painter.end()

    def _paint_reason(self, painter: QPainter, plot: Plot, inside: QRectF) -> None:
        """Say in the middle of an empty plot why it is empty."""
        painter.setFont(self.theme.font(14))
        painter.setPen(self.theme.color("muted"))
        box = inside.adjusted(self.theme.px(16), 0, -self.theme.px(16), 0)
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap), plot.note)

    # --- lines and points ---

    def _paint_line(self, painter: QPainter, plot: Plot, inside: QRectF, line: Line) -> None:
        share = (plot.x if line.vertical else plot.y).share(line.at)
        if not 0 <= share <= 1:
            return
        color = self.theme.color(line.role)
        style = Qt.PenStyle.DashLine if line.dashed else Qt.PenStyle.SolidLine
        painter.setPen(QPen(color, max(self.theme.scale * 1.2, 1), style))
        inset, step = self.theme.px(10), self._letters().height
        if line.vertical:
            x = inside.left() + share * inside.width()
            painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
            heights = range(round(inside.top()) + inset, max(round(inside.bottom()) - step, 0), step)
            anchors = [QPointF(x, y) for y in (heights or [round(inside.top()) + inset])]
        else:
            y = inside.bottom() - share * inside.height()
            painter.drawLine(QPointF(inside.left(), y), QPointF(inside.right(), y))
            anchors = [QPointF(x, y) for x in range(round(inside.right()), round(inside.left()), -2 * step)]
        self._place_label(inside, anchors, line)

    def _place_band_label(self, plot: Plot, inside: QRectF, band: Band) -> None:
        left, right = (
            inside.left() + min(max(plot.x.share(at), 0.0), 1.0) * inside.width() for at in (band.low, band.high)
        )
        if not band.label or right <= left:
            return
        width, height = self._size_of(band.label)
        middle = min(max((left + right) / 2, inside.left() + width / 2), inside.right() - width / 2)
        box = QRectF(middle - width / 2, inside.bottom() - height - self.theme.px(3), width, height)
        self._keep(_Label(box, band.label, band.role, box.center()))

    def _paint_points(self, painter: QPainter, plot: Plot, room: QRectF, series: Series) -> None:
        inside = self._view.inside()
        for x, y in zip(plot.x.shares(series.x).tolist(), plot.y.shares(series.y).tolist(), strict=True):
            at = QPointF(inside.left() + x * inside.width(), inside.bottom() - y * inside.height())
            # To Qt what is not a number lies in every rectangle.
            if math.isfinite(x) and math.isfinite(y) and room.contains(at):
                self._paint_dot(painter, at, self.theme.color(series.role), DOT)

    def _radius(self, size: float) -> int:
        return max(self.theme.px(size * (1.7 if self.theme.present else 1)), 2)

    def _around(self, at: QPointF, size: float) -> QRectF:
        radius = self._radius(size)
        return QRectF(at.x() - radius, at.y() - radius, 2 * radius, 2 * radius)

    def _paint_dot(self, painter: QPainter, at: QPointF, color: QColor, size: float) -> None:
        radius = self._radius(size)
        painter.setPen(QPen(self.theme.color("stage"), max(self.theme.scale * 1.5, 1)))
        painter.setBrush(color)
        painter.drawEllipse(at, radius, radius)

    # --- labels ---

    def _place_label(
        self,
        inside: QRectF,
        anchors: Sequence[QPointF],
        named: Crossing | Line,
        radius: float = 0.0,
        others: Sequence[QPointF] = (),
    ) -> None:
        """Find a label's place: on the plot, off other labels and dots, and where it covers least.

        Where that is bad for the whole label, it is the short one if that has a better place.
        """
        best: tuple[float, _Label] | None = None
        for words in filter(None, (named.label, named.short)):
            text = self._fitting(words, int(inside.width()))
            found = plot_labels.place(
                anchors,
                *self._size_of(text),
                self.theme.px(7),
                inside,
                self._taken,
                np.concatenate([self._drawn(inside), *self._leads]),
                radius=radius,
                others=others,
            )
            if found is not None and (best is None or found.bad < best[0]):
                best = found.bad, _Label(found.box, text, named.role, found.at)
            if best is not None and best[0] == 0:
                break
        if best is not None:
            self._keep(best[1])

    def _keep(self, label: _Label) -> None:
        self._labels.append(label)
        self._taken.append(label.box)
        end = plot_labels.lead(label.at, label.box, self.theme.px(7))
        if end is not None:
            self._leads.append(plot_labels.along(label.at, end))

    def _paint_lead(self, painter: QPainter, label: _Label) -> None:
        """Draw a thin line from a point to its label where that had to stand away from it."""
        end = plot_labels.lead(label.at, label.box, self.theme.px(7))
        if end is not None:
            color = QColor(self.theme.color(label.role))
            color.setAlphaF(0.6)
            painter.setPen(QPen(color, max(self.theme.scale, 1)))
            painter.drawLine(label.at, end)

    def _drawn(self, inside: QRectF) -> NDArray[np.float64]:
        """Return where curves and lines lie; found anew where they or the size are not those of the last time."""
        plot = self._view.plot
        assert plot is not None
        # What the pointer reads moves with it: labels that gave way would dance.
        cursor = self._view.left_cursor
        frame = inside, plot.x, plot.y, plot.lines, cursor
        arrays = [array for one in plot.series for array in (one.x, one.y)]
        known = self._under
        if known is None or known[0] != frame or [id(one) for one in known[1]] != [id(one) for one in arrays]:
            known = self._under = frame, arrays, plot_labels.drawn(plot, inside, cursor)
        return known[2]

    def _write(self, painter: QPainter, label: _Label) -> None:
        ground = QColor(self.theme.color("stage"))
        ground.setAlphaF(0.8)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(ground)
        painter.drawRoundedRect(label.box, self.theme.px(3), self.theme.px(3))
        letters = self._letters()
        painter.setFont(letters.font)
        painter.setPen(self.theme.color(label.role))
        letters.centered_in(painter, label.box.toRect(), label.text)

    def _letters(self) -> Lettering:
        return lettering(self.theme.text_px(12))

    def _fitting(self, label: str, room: int) -> str:
        """Return a label, or as much of it as there is room for."""
        if self._size_of(label)[0] <= room:
            return label
        inset = self.theme.px(6)
        return self._letters().metrics.elidedText(label, Qt.TextElideMode.ElideRight, room - inset)

    def _size_of(self, label: str) -> tuple[int, int]:
        letters = self._letters()
        return text_width(letters.px, label) + self.theme.px(6), letters.height

    # --- cursor ---

    def _read(self, plot: Plot, inside: QRectF, cursor: float | None) -> list[tuple[QPointF, str]]:
        """Return where the cursor reads the curves, and their colours."""
        found: list[tuple[QPointF, str]] = []
        if cursor is None:
            return found
        for one in plot.series:
            value = one.read(cursor, plot.x, plot.y)
            if value is not None and math.isfinite(value) and 0 <= plot.y.share(value) <= 1:
                found.append((QPointF(_x(plot, inside, cursor), _y(plot, inside, value)), one.role))
        return found

    def _paint_cursor(self, painter: QPainter, plot: Plot, inside: QRectF, read: list[tuple[QPointF, str]]) -> None:
        """Paint the cursor with its dots; `read` are those of where it was left."""
        at = self._view.cursor_at
        if at is None:
            return
        x = _x(plot, inside, at)
        painter.setPen(QPen(self.theme.color("accent"), max(self.theme.scale * 1.4, 1)))
        painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
        for place, role in read if at == self._view.left_cursor else self._read(plot, inside, at):
            self._paint_dot(painter, place, self.theme.color(role), READ)


def _x(plot: Plot, inside: QRectF, value: float) -> float:
    return inside.left() + plot.x.share(value) * inside.width()


def _y(plot: Plot, inside: QRectF, value: float) -> float:
    return inside.bottom() - plot.y.share(value) * inside.height()
