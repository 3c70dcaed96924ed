"""Stacked bars: a sum's signed parts on top of each other, one bar for each column, the sum marked across them.

Parts that do not count are hollow: what the sum loses. To the keyboard and the screen reader it is a table of parts.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QModelIndex, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen, QWheelEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from explorer.ui.guard import guarded
from explorer.ui.matrix_paint import NONE
from explorer.ui.matrix_view import Index, MatrixView
from explorer.ui.number_style import MINUS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.stack import Stack
    from explorer.ui.cell_size import Unit
    from explorer.ui.matrix_model import AnyIndex
    from explorer.ui.matrix_view import Host
    from explorer.ui.theme import Theme

#: A bar's width and the chart's height, in the height of an ordinary cell.
BAR, HEIGHT = 0.85, 5.0
NARROWEST = 3
ROUND = (1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)


def scale_for(extent: float) -> float:
    """Return where the scale ends for numbers up to `extent`: a round number a little above it."""
    if not extent > 0 or not math.isfinite(extent):
        return 1.0
    power = 10.0 ** math.floor(math.log10(extent))
    return next((step * power for step in ROUND if extent <= step * power), 10 * power)


class Bars:
    """Where every part of a stack stands, in values: `low` and `high` of shape (parts, columns)."""

    def __init__(self, stack: Stack) -> None:
        values, counts = stack.values, np.asarray(stack.counts, bool)
        # What counts stands at the axis; what is lost stands beyond it.
        order = np.concatenate([np.flatnonzero(counts), np.flatnonzero(~counts)])
        ordered = values[order]
        above, below = np.maximum(ordered, 0.0), np.minimum(ordered, 0.0)
        tops, bottoms = above.cumsum(axis=0), below.cumsum(axis=0)
        self.low, self.high = np.empty(values.shape), np.empty(values.shape)
        self.low[order] = np.where(ordered > 0, tops - above, bottoms)
        self.high[order] = np.where(ordered > 0, tops, bottoms - below)
        extent = max(float(tops.max(initial=0.0)), -float(bottoms.min(initial=0.0)))
        self.top = scale_for(max(extent, float(np.abs(stack.total).max(initial=0.0))))


class StackView(MatrixView):
    """The bars themselves."""

    def __init__(self, name: str, host: Host, theme: Theme, parent: QWidget) -> None:
        self.stack: Stack | None = None
        self.bars: Bars | None = None
        self.reached = True
        super().__init__(name, host, theme, editable=False, parent=parent)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)

    def show_stack(self, stack: Stack) -> None:
        """Show other bars."""
        self.stack, self.bars = stack, Bars(stack)
        model = self.matrix_model()
        model.row_names = tuple(
            name if counts else f"{name}, off" for name, counts in zip(stack.names, stack.counts, strict=True)
        )
        self.set_values(stack.values)
        self.setAccessibleName(stack.title)

    def refresh(self) -> None:
        """Draw again."""
        self.viewport().update()

    def array_index(self, row: int, column: int) -> Index:
        """Return the index in the array of a part."""
        return row, self.stack.position if self.stack is not None else 0, column

    def array_cell(self, index: Index) -> tuple[int, int] | None:
        """Return part and column of an index of the array, None where it belongs to another position."""
        if self.stack is None or index[1] != self.stack.position:
            return None
        return index[0], index[2]

    # --- where parts stand ---

    def _bar(self, column: int) -> tuple[int, int]:
        columns = max(int(self.values.shape[1]), 1)
        width = self.viewport().width()
        left, right = width * column // columns, width * (column + 1) // columns
        return left, right - (1 if right - left > NARROWEST else 0)

    def y_of(self, value: float) -> float:
        """Return where a value stands in the chart."""
        top = self.bars.top if self.bars is not None else 1.0
        height = self.viewport().height()
        return (1 - value / top) * (height - 1) / 2

    def _edges(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Return the upper and lower pixel of every part."""
        bars, height = self.bars, self.viewport().height()
        assert bars is not None
        low, high = ((1 - edge / bars.top) * ((height - 1) / 2) for edge in (bars.low, bars.high))
        above = np.rint(high).astype(np.intp)
        return above, np.maximum(np.rint(low).astype(np.intp), above + 1)

    def visualRect(self, index: AnyIndex) -> QRect:
        """Return where a part stands."""
        if self.bars is None or not index.isValid():
            return QRect()
        left, right = self._bar(index.column())
        above, below = (int(edge[index.row(), index.column()]) for edge in self._edges())
        return QRect(left, above, right - left, below - above)

    def _cell_at(self, point: QPoint) -> tuple[int, int] | None:
        columns = int(self.values.shape[1])
        if self.bars is None or not columns or not self.viewport().rect().contains(point):
            return None
        column = min(point.x() * columns // max(self.viewport().width(), 1), columns - 1)
        above, below = (edge[:, column] for edge in self._edges())
        here = np.flatnonzero((above <= point.y()) & (point.y() < below) & (self.values[:, column] != 0))
        return (int(here[0]), column) if here.size else None

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the part at a point."""
        cell = self._cell_at(point)
        return QModelIndex() if cell is None else self.matrix_model().index(*cell)

    def _scroll_inside(self, index: AnyIndex, hint: MatrixView.ScrollHint) -> None:
        """Stay: all bars are in view."""

    def horizontalOffset(self) -> int:
        """Return 0: nothing scrolls."""
        return 0

    def verticalOffset(self) -> int:
        """Return 0: nothing scrolls."""
        return 0

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the stage."""
        event.ignore()

    def _resize_sections(self) -> None:
        self.horizontalHeader().setDefaultSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(1)

    # --- painting ---

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint axis, bars and sums."""
        painter = self._painter(event)
        theme, stack = self.look.theme, self.stack
        if stack is None or self.bars is None:
            painter.end()
            return
        width = self.viewport().width()
        painter.setPen(QPen(theme.color("border"), 1))
        for value in (-self.bars.top, 0.0, self.bars.top):
            y = round(self.y_of(value))
            painter.drawLine(0, y, width, y)
        if self.reached:
            self._paint_bars(painter, stack)
        self._paint_cursor(painter)
        painter.end()

    def _paint_bars(self, painter: QPainter, stack: Stack) -> None:
        theme, values = self.look.theme, self.values.tolist()
        above, below = (edge.tolist() for edge in self._edges())
        bars = [self._bar(column) for column in range(int(self.values.shape[1]))]
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for part, counts in enumerate(stack.counts.tolist()):
            color = theme.head(part)
            painter.setPen(QPen(color, 1, Qt.PenStyle.DashLine))
            for column, (left, right) in enumerate(bars):
                if not values[part][column]:
                    continue
                top, height = above[part][column], below[part][column] - above[part][column]
                if counts:
                    painter.fillRect(left, top, right - left, height - (height > NARROWEST), color)
                else:
                    painter.drawRect(left, top, right - left - 1, height - 1)
        thick = max(theme.px(3), 2)
        for total, (left, right) in zip(stack.total.tolist(), bars, strict=True):
            painter.fillRect(QRectF(left, self.y_of(total) - thick / 2, right - left, thick), theme.color("text"))
        painter.setPen(QPen(theme.color("outline"), max(theme.px(2), 1)))
        for part, column in self.look.lit:
            left, right = bars[column]
            painter.drawRect(left, above[part][column], right - left - 1, below[part][column] - above[part][column] - 1)

    def _paint_cursor(self, painter: QPainter) -> None:
        current = self.currentIndex()
        if self.hasFocus() and current.isValid():
            line = max(self.look.theme.px(2), 2)
            painter.setPen(QPen(self.look.theme.color("accent"), line))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(self.visualRect(current).adjusted(-1, -1, 0, 0))


class StackPanel(QWidget):
    """The bars with their title, scale and column numbers."""

    def __init__(self, view: Custom, host: Host, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.view = StackView(view.arrays[0] if view.arrays else view.name, host, theme, self)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    @property
    def shape_key(self) -> tuple[int, ...]:
        """What the size depends on."""
        return tuple(self.view.values.shape)

    def show_model(self, model: Stack) -> None:
        """Show other bars."""
        self.view.show_stack(model)
        self.update()

    def show_reached(self, reached: bool) -> None:
        """Draw the bars, or leave the chart empty while the steps have not come to them."""
        if reached != self.view.reached:
            self.view.reached = reached
            self.view.viewport().update()

    def light(self, cells: Mapping[str, frozenset[Index]]) -> None:
        """Outline the parts among these cells."""
        found = (self.view.array_cell(index) for index in cells.get(self.view.name, NONE))
        lit = frozenset(cell for cell in found if cell is not None)
        if lit != self.view.look.lit:
            self.view.look.lit = lit
            self.view.viewport().update()

    def _labels(self) -> list[str]:
        top = self.view.bars.top if self.view.bars is not None else 1.0
        return [f"{top:g}", "0", f"{MINUS}{top:g}"]

    def _margins(self) -> tuple[int, int, int]:
        """Return left, top and bottom around the bars."""
        small = QFontMetrics(self.theme.font(12))
        left = max(small.horizontalAdvance(f"{MINUS}{text}") for text in ("50", *self._labels()[:1])) + self.theme.px(4)
        return left, small.height() + self.theme.px(6), small.height()

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size wanted at this unit."""
        columns = max(int(self.view.values.shape[1]), 1)
        bar = max(round(unit.height * BAR), NARROWEST)
        left, top, bottom = self._margins()
        widest = round(unit.height * BAR * 8)
        wanted = min(columns * bar, widest) if columns * NARROWEST <= widest else columns * NARROWEST
        title = QFontMetrics(self.theme.font(12)).horizontalAdvance(self._title())
        return QSize(max(left + max(wanted, bar * 4), title), top + round(unit.height * HEIGHT) + bottom)

    def arrange(self, unit: Unit) -> None:
        """Lay out the bars inside the panel's present size."""
        left, top, bottom = self._margins()
        self.view.setGeometry(left, top, max(self.width() - left, 1), max(self.height() - top - bottom, 1))
        self.update()

    def anchor(self, unit: Unit, height: int) -> int:
        """Return where the axis stands, for what is centred beside it."""
        _, top, bottom = self._margins()
        return top + (height - top - bottom) // 2

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = self.view.look.theme = theme
        self.view.refresh()
        self.update()

    def _title(self) -> str:
        return self.view.stack.title if self.view.stack is not None else ""

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title, scale and column numbers."""
        painter = QPainter(self)
        theme, font = self.theme, self.theme.font(12)
        small, bars = QFontMetrics(font), self.view.geometry()
        painter.setFont(font)
        painter.setPen(theme.color("output"))
        painter.drawText(0, small.ascent(), self._title())
        painter.setPen(theme.color("muted"))
        for text, share in zip(self._labels(), (0.0, 0.5, 1.0), strict=True):
            y = bars.top() + round((bars.height() - 1) * share)
            box = QRect(0, y - small.height() // 2, bars.left() - theme.px(4), small.height())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter), text)
        columns = int(self.view.values.shape[1])
        widest = small.horizontalAdvance(str(columns - 1)) + 2
        step = max(math.ceil(widest * columns / max(bars.width(), 1)), 1)
        for column in range(0, columns, step):
            left = bars.left() + bars.width() * column // columns
            right = bars.left() + bars.width() * (column + 1) // columns
            box = QRect((left + right) // 2 - widest, bars.bottom() + 1, 2 * widest, small.height())
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), str(column))
        painter.end()


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return StackPanel(view, host, theme)
