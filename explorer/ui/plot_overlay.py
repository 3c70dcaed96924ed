"""What lies above a graph: straight lines and named points with their labels, and the cursor with its dots.

Labels are placed so that they stay on the plot and do not lie on one another. The overlay gets no mouse; it knows where
things are from the view that it lies on.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.ui import plot_labels
from explorer.ui.cell_size import text_width
from explorer.ui.lettering import Lettering, lettering

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from explorer.concepts.shown.plots import Band, Line, Plot
    from explorer.ui.curves import CurvesView
    from explorer.ui.theme import Theme


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
        self._taken, self._labels = [], []
        if plot.empty:
            self._paint_reason(painter, plot, inside)
            painter.end()
            return
        for band in plot.bands:
            self._place_band_label(plot, inside, band)
        for line in plot.lines:
            self._paint_line(painter, plot, inside, line)
        room = inside.adjusted(-1, -1, 1, 1)
        named = [(one, QPointF(_x(plot, inside, one.x), _y(plot, inside, one.y))) for one in plot.crossings]
        named = [(one, at) for one, at in named if room.contains(at)]
        size = self.theme.px(5)
        # No label may lie on a dot.
        self._taken += [QRectF(at.x() - size, at.y() - size, 2 * size, 2 * size) for _, at in named]
        for one, at in named:
            self._place_label(inside, at, one.label, one.role, one.short)
        for label in self._labels:
            self._paint_lead(painter, label)
        for one, at in named:
            self._paint_dot(painter, at, self.theme.color(one.role), 5)
        for label in self._labels:
            self._write(painter, label)
        self._paint_cursor(painter, plot, inside)
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
        if line.vertical:
            x = inside.left() + share * inside.width()
            painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
            at = QPointF(x, inside.top() + self.theme.px(10))
        else:
            y = inside.bottom() - share * inside.height()
            painter.drawLine(QPointF(inside.left(), y), QPointF(inside.right(), y))
            at = QPointF(inside.right(), y)
        self._place_label(inside, at, line.label, line.role)

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

    def _paint_dot(self, painter: QPainter, at: QPointF, color: QColor, size: float) -> None:
        radius = max(self.theme.px(size * (1.7 if self.theme.present else 1)), 2)
        painter.setPen(QPen(self.theme.color("stage"), max(self.theme.scale * 1.5, 1)))
        painter.setBrush(color)
        painter.drawEllipse(at, radius, radius)

    def _place_label(self, inside: QRectF, at: QPointF, label: str, role: str, short: str = "") -> None:
        """Find a label's place beside a point: where it stays on the plot, lies on no other label and covers least."""
        best: tuple[float, _Label] | None = None
        for words in filter(None, (label, short)):
            text = self._fitting(words, int(inside.width()))
            size, gap = self._size_of(text), self.theme.px(7)
            found = plot_labels.place(at, *size, gap, inside, self._taken, self._drawn(inside))
            if found is not None and (best is None or found.bad < best[0]):
                best = found.bad, _Label(found.box, text, role, at)
            if best is not None and best[0] == 0:
                break
        if best is not None:
            self._keep(best[1])

    def _keep(self, label: _Label) -> None:
        self._labels.append(label)
        self._taken.append(label.box)

    def _paint_lead(self, painter: QPainter, label: _Label) -> None:
        """Draw a thin line from a point to its label where that had to stand away from it."""
        box, at, inset = label.box, label.at, self.theme.px(3)
        end = QPointF(
            min(max(at.x(), box.left() + inset), box.right() - inset),
            min(max(at.y(), box.top() + inset), box.bottom() - inset),
        )
        if math.hypot(end.x() - at.x(), end.y() - at.y()) > self.theme.px(7) + box.height() / 2:
            color = QColor(self.theme.color(label.role))
            color.setAlphaF(0.6)
            painter.setPen(QPen(color, max(self.theme.scale, 1)))
            painter.drawLine(at, end)

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

    def _paint_cursor(self, painter: QPainter, plot: Plot, inside: QRectF) -> None:
        at = self._view.cursor_at
        if at is None:
            return
        x = _x(plot, inside, at)
        painter.setPen(QPen(self.theme.color("accent"), max(self.theme.scale * 1.4, 1)))
        painter.drawLine(QPointF(x, inside.top()), QPointF(x, inside.bottom()))
        for one in plot.series:
            value = one.read(at, plot.x, plot.y)
            if value is None or not math.isfinite(value):
                continue
            share = plot.y.share(value)
            if 0 <= share <= 1:
                y = inside.bottom() - share * inside.height()
                self._paint_dot(painter, QPointF(x, y), self.theme.color(one.role), 4)


def _x(plot: Plot, inside: QRectF, value: float) -> float:
    return inside.left() + plot.x.share(value) * inside.width()


def _y(plot: Plot, inside: QRectF, value: float) -> float:
    return inside.bottom() - plot.y.share(value) * inside.height()
