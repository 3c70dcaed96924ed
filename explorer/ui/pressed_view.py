"""A matrix that can be pressed into a given size, where its cells are plain colours and may take less than a pixel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen

from explorer.ui import pressed
from explorer.ui.guard import guarded
from explorer.ui.matrix_view import MatrixView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from explorer.ui.matrix_model import AnyIndex
    from explorer.ui.matrix_view import Host
    from explorer.ui.theme import Theme


class PressedView(MatrixView):
    """A matrix of any size in a rectangle of any size."""

    _pressed: QSize | None = None

    def __init__(self, name: str, host: Host, theme: Theme, *, editable: bool, parent: QWidget | None = None) -> None:
        super().__init__(name, host, theme, editable=editable, parent=parent)
        self._picture = pressed.Picture()

    def press(self, size: QSize | None) -> None:
        """Press all cells into this size; None lets them have their own."""
        changed, self._pressed = size != self._pressed, size
        if size is not None:
            rows, columns = self.values.shape
            width, height = size.width() // max(columns, 1), size.height() // max(rows, 1)
            self.set_cell_size(max(width, 1), max(height, 1), self.look.font_px)
        if changed:
            self.refresh()

    @property
    def tile(self) -> pressed.Tile:
        """The whole table in the size that it is pressed into."""
        rows, columns = self.values.shape
        size = self._pressed or QSize(1, 1)
        return pressed.Tile(int(rows), int(columns), size.width(), size.height())

    def refresh(self) -> None:
        """Take a new look at the same array."""
        super().refresh()
        if hasattr(self, "_picture"):
            self._picture.forget()

    def content_width(self) -> int:
        """Return the width of all columns in pixels."""
        return super().content_width() if self._pressed is None else self._pressed.width()

    def content_height(self) -> int:
        """Return the height of all rows in pixels."""
        return super().content_height() if self._pressed is None else self._pressed.height()

    def visualRect(self, index: AnyIndex) -> QRect:
        """Return where a cell stands."""
        if self._pressed is None or not index.isValid():
            return super().visualRect(index)
        return self.tile.place(index.row(), index.column())

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the model's index at a point."""
        if self._pressed is None:
            return super().indexAt(point)
        cell = self.tile.cell_at(point)
        return QModelIndex() if cell is None else self.matrix_model().index(*cell)

    def _cell_at(self, point: QPoint) -> tuple[int, int] | None:
        return super()._cell_at(point) if self._pressed is None else self.tile.cell_at(point)

    def _scroll_inside(self, index: AnyIndex, hint: MatrixView.ScrollHint) -> None:
        if self._pressed is None:  # all of a pressed table is in view
            super()._scroll_inside(index, hint)

    def horizontalOffset(self) -> int:
        """Return how far the table is scrolled."""
        return super().horizontalOffset() if self._pressed is None else 0

    def verticalOffset(self) -> int:
        """Return how far the table is scrolled."""
        return super().verticalOffset() if self._pressed is None else 0

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the table."""
        if self._pressed is None or not self.values.size or self.values.dtype == bool:
            super().paintEvent(event)
            return
        painter = self._painter(event)
        self._picture.make(self.values, self.places(), self.look, self.look.masked)
        self._picture.paint(painter, self.look, self.tile, self.values)
        self._paint_cursor(painter)
        painter.end()

    def _paint_cursor(self, painter: QPainter) -> None:
        if self._pressed is None:
            super()._paint_cursor(painter)
            return
        current = self.currentIndex()
        if not self.hasFocus() or not current.isValid():
            return
        line = max(self.look.theme.px(2), 2)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(self.look.theme.color("accent"), line))
        for index in self.selectedIndexes()[:MOST_MARKED] or [current]:
            painter.drawRect(self.visualRect(index).adjusted(-1, -1, 0, 0))
        self._paint_ring(painter)


#: A selection of more cells is marked by its first ones: each frame is larger than a cell.
MOST_MARKED = 256
