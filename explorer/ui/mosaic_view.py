"""The mosaic: every head's table at once, as one QTableView that places its cells in tiles.

The model stacks the heads below each other, so that editing roles, copying and the screen reader see an ordinary table;
where a cell stands is decided here. Tiles are pixels of one picture as long as their cells are too small for digits.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QItemSelection, QItemSelectionModel, QModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import QAbstractItemView, QWidget

from explorer.ui import matrix_paint, mosaic_paint, pressed
from explorer.ui.guard import guarded
from explorer.ui.matrix_model import MatrixModel
from explorer.ui.matrix_paint import NONE
from explorer.ui.matrix_view import Index, MatrixView

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QKeyEvent, QMouseEvent, QPaintEvent, QWheelEvent

    from explorer.ui.matrix_model import AnyIndex
    from explorer.ui.matrix_view import Host
    from explorer.ui.theme import Theme


class MosaicModel(MatrixModel):
    """Tables of many heads below each other; `tile_rows` rows are one head's."""

    tile_rows = 1

    def split(self, row: int) -> tuple[int, int]:
        """Return head and row within the head."""
        return divmod(row, max(self.tile_rows, 1))

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return what `MatrixModel` does; a screen reader hears the head first."""
        if role != Qt.ItemDataRole.AccessibleTextRole or not index.isValid():
            return super().data(index, role)
        head, row = self.split(index.row())
        spoken = "masked" if self.values[index.row(), index.column()] == -np.inf else super().data(index)
        place = f"{self.name} head {head} row {self._named(self.row_names, row)}"
        return f"{place} column {self._named(self.column_names, index.column())}: {spoken}"

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return head and name of a row, or the name of a column."""
        if orientation == Qt.Orientation.Horizontal or role != Qt.ItemDataRole.DisplayRole:
            return super().headerData(section, orientation, role)
        head, row = self.split(section)
        return f"head {head} {self._named(self.row_names, row)}"

    @staticmethod
    def _named(names: tuple[str, ...], at: int) -> str:
        return f"{at} {names[at]}" if at < len(names) else str(at)


class Grid(NamedTuple):
    """Where tiles stand: `columns` side by side, `gap` between them, `caption` pixels above each."""

    columns: int = 1
    gap: int = 8
    caption: int = 20


class MosaicView(MatrixView):
    """Every head of an array with three axes."""

    heads = 0
    grid_of_tiles = Grid()
    _tile = QSize(1, 1)

    def __init__(self, name: str, host: Host, theme: Theme, *, parent: QWidget | None = None) -> None:
        super().__init__(name, host, theme, editable=False, parent=parent)
        self.switch = ""
        self.counts: NDArray[np.bool_] | None = None
        self.captions: list[str] = []
        self.colors: list[QColor] = []
        #: Heads in which something changed, for tiles whose cells are too small for an outline.
        self.changed_heads: frozenset[int] = frozenset()
        self._dirty = True
        self._picture = pressed.Picture()
        self._laid_out: tuple[tuple[Any, ...], list[mosaic_paint.Caption]] = (), []
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)

    def _new_model(self, *, editable: bool) -> MatrixModel:
        self._tiles = MosaicModel(self.name, parent=self)
        return self._tiles

    # --- what is shown ---

    def flat(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array as the model holds it."""
        return array.reshape(-1, array.shape[-1]) if array.ndim == 3 else np.atleast_2d(array)

    def set_values(self, values: NDArray[Any]) -> None:
        """Show an array of shape (n_head, n_q, n_k)."""
        if values.ndim == 3:
            self.heads = values.shape[0]
            self._tiles.tile_rows = values.shape[1]
        super().set_values(self.flat(values))

    @property
    def tile_shape(self) -> tuple[int, int]:
        """Rows and columns of one head."""
        return self._tiles.tile_rows, int(self.values.shape[1])

    def refresh(self) -> None:
        """Take a new look at the same array; the work is done when it is painted."""
        self._dirty = True
        self.viewport().update()

    def written(self) -> list[list[str]]:
        """Return what stands in every cell."""
        self._prepare()
        return super().written()

    def places(self) -> NDArray[np.uint8]:
        """Return every cell's place on its colour map, 0 to 255."""
        self._prepare()
        return super().places()

    def _prepare(self) -> None:
        if not self._dirty:
            return
        self._dirty = False
        self._written = matrix_paint.texts(self.values, self.look) if self.look.with_text else []
        self._places = pressed.levels(self.values, self.look)
        self._picture.forget()

    def changed_cells(self, changed: NDArray[np.bool_]) -> frozenset[tuple[int, int]]:
        """Return the cells that get an outline; where they are too small their heads are remembered instead."""
        self.changed_heads = frozenset()
        if self.look.with_text:
            return super().changed_cells(changed)
        if changed.ndim == 3:
            self.changed_heads = frozenset(np.flatnonzero(changed.any(axis=(1, 2))).tolist())
        return NONE

    def forget_changed(self) -> None:
        """Take the outlines away."""
        if self.changed_heads:
            self.changed_heads = frozenset()
            self.viewport().update()
        super().forget_changed()

    @property
    def shows_change(self) -> bool:
        """Whether anything is outlined because it changed."""
        return bool(self.changed_heads) or super().shows_change

    def array_index(self, row: int, column: int) -> Index:
        """Return head, row and column in the array of a cell of the model."""
        return (*divmod(row, self.tile_shape[0]), column)

    def array_cell(self, index: Index) -> tuple[int, int] | None:
        """Return row and column in the model of an index of the array."""
        if len(index) != 3:
            return None
        head, row, column = index
        return head * self.tile_shape[0] + row, column

    # --- where cells stand ---

    def set_grid(self, grid: Grid) -> None:
        """Place the tiles."""
        if grid != self.grid_of_tiles:
            self.grid_of_tiles = grid
            self.viewport().update()

    def set_tile(self, size: QSize) -> None:
        """Give every tile this size; where cells hold digits it is a multiple of theirs."""
        if size != self._tile:
            self._tile = size
            self.viewport().update()

    def tile_size(self) -> tuple[int, int]:
        """Return width and height of a tile in pixels, without its caption."""
        return self._tile.width(), self._tile.height()

    @property
    def tile(self) -> pressed.Tile:
        """One head's table with its corner at (0, 0)."""
        return pressed.Tile(*self.tile_shape, *self.tile_size())

    def tile_rect(self, head: int) -> QRect:
        """Return where a head's cells stand."""
        row, column = divmod(head, self.grid_of_tiles.columns)
        width, height = self.tile_size()
        grid = self.grid_of_tiles
        left = column * (width + grid.gap)
        return QRect(left, grid.caption + row * (height + grid.caption + grid.gap), width, height)

    def content_width(self) -> int:
        """Return the width of all tiles."""
        columns = min(self.grid_of_tiles.columns, max(self.heads, 1))
        return columns * (self.tile_size()[0] + self.grid_of_tiles.gap) - self.grid_of_tiles.gap

    def content_height(self) -> int:
        """Return the height of all tiles with their captions."""
        grid = self.grid_of_tiles
        return self.tile_rows_of_grid() * (self.tile_size()[1] + grid.caption + grid.gap) - grid.gap

    def tile_rows_of_grid(self) -> int:
        """Return how many rows of tiles there are."""
        return -(-self.heads // self.grid_of_tiles.columns)

    def caption_at(self, point: QPoint) -> int | None:
        """Return the head whose caption is at a point."""
        for head in range(self.heads):
            tile = self.tile_rect(head)
            caption = QRect(tile.left(), tile.top() - self.grid_of_tiles.caption, tile.width(), 0)
            caption.setBottom(tile.top() - 1)
            if caption.contains(point):
                return head
        return None

    def _cell_at(self, point: QPoint) -> tuple[int, int] | None:
        width, height = self.tile_size()
        grid = self.grid_of_tiles
        if point.x() < 0 or point.y() < 0 or not width or not height:
            return None
        column, x = divmod(point.x(), width + grid.gap)
        row, y = divmod(point.y(), height + grid.caption + grid.gap)
        head, cell = row * grid.columns + column, self.tile.cell_at(QPoint(x, y - grid.caption))
        if cell is None or column >= grid.columns or head >= self.heads:
            return None
        return head * self.tile_shape[0] + cell[0], cell[1]

    def indexAt(self, point: QPoint) -> QModelIndex:
        """Return the model's index at a point."""
        cell = self._cell_at(point)
        return QModelIndex() if cell is None else self._matrix.index(*cell)

    def visualRect(self, index: AnyIndex) -> QRect:
        """Return where a cell stands."""
        if not index.isValid():
            return QRect()
        head, row = divmod(index.row(), self.tile_shape[0])
        return self.tile.place(row, index.column()).translated(self.tile_rect(head).topLeft())

    def _scroll_inside(self, index: AnyIndex, hint: MatrixView.ScrollHint) -> None:
        """Stay: all tiles are in view."""

    def horizontalOffset(self) -> int:
        """Return 0: nothing scrolls."""
        return 0

    def verticalOffset(self) -> int:
        """Return 0: nothing scrolls."""
        return 0

    def _resize_sections(self) -> None:
        # The header's sections place nothing here; small ones keep their scroll bars quiet.
        self.horizontalHeader().setDefaultSectionSize(1)
        self.verticalHeader().setDefaultSectionSize(1)

    # --- painting ---

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tiles that have to be."""
        self._prepare()
        painter = self._painter(event)
        (rows, columns), closed = self.tile_shape, self.look.masked
        if closed is not None and closed.shape != self.values.shape:
            closed = None
        look, picture, shape, texts = self.look, self._picture, self.tile, self._written or []
        if not look.with_text:
            picture.make(self.values, self.places(), look, closed)
            if not pressed.hatched(shape):
                closed = None  # the picture has it
        # Most tiles have no cell that stands out.
        plain = replace(look, lit=NONE, pinned=NONE, changed=NONE, masked=None)
        above = self.grid_of_tiles.caption
        tiles = [(head, self.tile_rect(head)) for head in range(self.heads)]
        tiles = [(head, tile) for head, tile in tiles if tile.adjusted(0, -above, 0, 0).intersects(event.rect())]
        captions = self.laid_out()
        mosaic_paint.captions(painter, look.theme, [captions[head] for head, _ in tiles])
        for head, tile in tiles:
            part = slice(head * rows, (head + 1) * rows)
            marks = [self._within(cells, part) for cells in (look.lit, look.pinned, look.changed)]
            own = plain
            if any(marks) or closed is not None:
                masked = None if closed is None else closed[part]
                own = replace(look, lit=marks[0], pinned=marks[1], changed=marks[2], masked=masked)
            painter.save()
            painter.translate(tile.topLeft())
            values = self.values[part]
            if look.with_text:
                places = self.places()[part]
                matrix_paint.paint(painter, values, texts[part], places, own, range(rows), range(columns))
            else:
                picture.paint(painter, own, shape, values, part.start)
            if self.counts is not None and not self.counts[head]:
                mosaic_paint.veil(painter, look.theme, tile.size())
            painter.restore()
            if head in self.changed_heads:
                mosaic_paint.outline(painter, look.theme, tile)
        self._paint_cursor(painter)
        painter.end()

    @staticmethod
    def _within(cells: frozenset[tuple[int, int]], part: slice) -> frozenset[tuple[int, int]]:
        if not cells:
            return NONE
        return frozenset((r - part.start, c) for r, c in cells if part.start <= r < part.stop)

    def laid_out(self) -> list[mosaic_paint.Caption]:
        """Return the captions of all heads; laid out anew where one of them or a place is another one."""
        theme, counts = self.look.theme, None if self.counts is None else self.counts.tolist()
        muted, grid = theme.color("muted"), self.grid_of_tiles
        frame = theme, grid, self.tile_size(), self.heads, self.captions, self.colors, counts, self.switch
        if self._laid_out[0] != frame:
            captions = [
                mosaic_paint.lay_out(
                    theme,
                    self.tile_rect(head),
                    grid.caption,
                    self.captions[head] if head < len(self.captions) else str(head),
                    self.colors[head] if head < len(self.colors) else muted,
                    counts[head] if counts is not None and self.switch else None,
                    str(head),
                )
                for head in range(self.heads)
            ]
            self._laid_out = (*frame[:4], [*self.captions], [*self.colors], *frame[6:]), captions
        return self._laid_out[1]

    def _paint_cursor(self, painter: QPainter) -> None:
        current = self.currentIndex()
        if not self.hasFocus() or not current.isValid():
            return
        theme = self.look.theme
        painter.setBrush(Qt.BrushStyle.NoBrush)
        selected = self.selectedIndexes()
        if len(selected) > 1:
            head = selected[0].row() // self.tile_shape[0]
            painter.setPen(QPen(theme.color("accent"), max(theme.px(3), 2)))
            painter.drawRect(self.tile_rect(head))
        rect = self.visualRect(current)
        line = max(theme.px(2), 2)
        painter.setPen(QPen(theme.color("accent"), line))
        # A cell of a pixel or two is marked by a frame around it.
        grow = max(line * 2 - min(rect.width(), rect.height()) // 2, 0)
        painter.drawRect(rect.adjusted(-grow, -grow, grow - 1, grow - 1))

    # --- pointer and keyboard ---

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Switch a head by its caption, or select a cell."""
        head = self.caption_at(event.position().toPoint())
        if head is not None and event.button() == Qt.MouseButton.LeftButton:
            if self.switch:
                self.toggle(head)
            return
        super().mousePressEvent(event)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where the cell under the pointer comes from, or that a name is a switch."""
        super().mouseMoveEvent(event)
        head = self.caption_at(event.position().toPoint()) if self.switch else None
        if head is None or self.counts is None:
            self.setToolTip("")
            return
        self.viewport().setCursor(Qt.CursorShape.PointingHandCursor)
        self.setToolTip(f"Switch {self.captions[head]} {'off' if self.counts[head] else 'on'} (or Space on its table)")

    def toggle(self, head: int) -> None:
        """Switch a head off, or on again."""
        if self.switch and self.counts is not None and head < len(self.counts):
            sentence = self._host.write(self.switch, [(head,)], [not self.counts[head]])
            if sentence is not None:
                self._host.refuse(self.viewport(), self.tile_rect(head), sentence)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Switch the head of the current cell with Space; all else is the matrix'."""
        if event.key() == Qt.Key.Key_Space and self.switch and self.currentIndex().isValid():
            self.toggle(self.currentIndex().row() // self.tile_shape[0])
            return
        super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to the stage."""
        event.ignore()

    def selectAll(self) -> None:
        """Select the table of the head that the cursor stands in, as copying wants it."""
        current = self.currentIndex()
        rows, columns = self.tile_shape
        first = current.row() // rows * rows if current.isValid() else 0
        if not self.values.size:
            return
        corners = self._matrix.index(first, 0), self._matrix.index(first + rows - 1, columns - 1)
        self.selectionModel().select(QItemSelection(*corners), QItemSelectionModel.SelectionFlag.ClearAndSelect)

    def moveCursor(self, action: QAbstractItemView.CursorAction, modifiers: Qt.KeyboardModifier) -> QModelIndex:
        """Move within a tile, from its edge into the neighbouring one; Page keys go from head to head."""
        current = self.currentIndex()
        rows, columns = self.tile_shape
        if not current.isValid() or not self.values.size:
            return self._matrix.index(0, 0)
        head, row = divmod(current.row(), rows)
        place = _Place(head, row, current.column())
        moved = _moved(place, action, bool(modifiers & Qt.KeyboardModifier.ControlModifier), self)
        if not 0 <= moved.head < self.heads:
            return current
        return self._matrix.index(moved.head * rows + moved.row, min(moved.column, columns - 1))


class _Place(NamedTuple):
    head: int
    row: int
    column: int


def _moved(place: _Place, action: QAbstractItemView.CursorAction, far: bool, view: MosaicView) -> _Place:
    move = QAbstractItemView.CursorAction
    rows, columns = view.tile_shape
    grid = view.grid_of_tiles.columns
    head, row, column = place.head, place.row, place.column
    if action in (move.MoveUp, move.MoveDown):
        step = -1 if action == move.MoveUp else 1
        inside = 0 <= row + step < rows
        return _Place(head if inside else head + step * grid, (row + step) % rows, column)
    if action in (move.MoveLeft, move.MovePrevious, move.MoveRight, move.MoveNext):
        step = -1 if action in (move.MoveLeft, move.MovePrevious) else 1
        if 0 <= column + step < columns:
            return _Place(head, row, column + step)
        edge = head // grid != (head + step) // grid
        return place if edge else _Place(head + step, row, (column + step) % columns)
    if action in (move.MovePageUp, move.MovePageDown):
        return _Place(head + (-1 if action == move.MovePageUp else 1), row, column)
    if action == move.MoveHome:
        return _Place(0, 0, 0) if far else _Place(head, row, 0)
    return _Place(view.heads - 1, rows - 1, columns - 1) if far else _Place(head, row, columns - 1)
