"""The matrix: a QTableView that paints itself. Qt keeps editing, selection, the keyboard and the screen reader's cells.

One class serves every table of numbers. It knows how to edit, copy, paste, fill and scrub; what an edit means is its
host's business, reached through the `Host` protocol. Titles, labels and margins belong to the panel around it.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from PySide6.QtCore import QItemSelectionModel, QModelIndex, QPoint, QRect, Qt
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QGuiApplication,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QWheelEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QApplication, QFrame, QHeaderView, QTableView, QWidget

from explorer.ui import matrix_paint, panes
from explorer.ui.guard import guarded
from explorer.ui.matrix_editor import NumberDelegate
from explorer.ui.matrix_model import MatrixModel
from explorer.ui.matrix_paint import Look
from explorer.workbench import clipboard, number_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.matrix_model import AnyIndex
    from explorer.ui.theme import Theme

Index = tuple[int, ...]
#: Tables of plain colours with more cells than this show no outline of what changed.
MOST_OUTLINES = 1024
#: Keys that change a cell, besides digits. Signs and the full stop do not count: a clicker sends some of them.
TYPING = frozenset({Qt.Key.Key_Delete, Qt.Key.Key_Backspace, Qt.Key.Key_F2})


class Host(Protocol):
    """What a matrix needs from the page that holds it. `index` is the array's own, with its head in front."""

    def write(self, name: str, cells: list[Index], values: list[Any], label: str | None = None) -> str | None:
        """Edit cells; return None, or the sentence that says why not."""

    def hover(self, name: str, index: Index | None) -> None:
        """Show where a cell comes from while the pointer is on it."""

    def pin(self, name: str, index: Index) -> None:
        """Keep showing where a cell comes from."""

    def menu(self, name: str, cells: list[Index], where: QPoint) -> None:
        """Open the context menu of these cells."""

    def refuse(self, widget: QWidget, rect: QRect, sentence: str) -> None:
        """Say beside a cell why something was refused."""

    def rename(self, token: int, text: str) -> None:
        """Give a token another name."""

    def begin(self, label: str) -> None:
        """Start a gesture: everything until `end` is one undo step."""

    def end(self) -> None:
        """End the gesture."""


class MatrixView(QTableView):
    """One array, or one head of it, as a table of numbers.

    Parameters
    ----------
    name : str
        The array's name; also the object's name.
    host : Host
        Where edits, hovers and pins go.
    theme : Theme
        Colours, fonts and scale.
    editable : bool
        Whether cells take edits.
    """

    def __init__(self, name: str, host: Host, theme: Theme, *, editable: bool, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.name = name
        self.head: Index = ()
        self._host = host
        self.look = Look(theme)
        self._matrix = self._new_model(editable=editable)
        self._written: list[list[str]] | None = None
        self._places: NDArray[np.uint8] | None = None
        self._scrub: tuple[QPoint, Index, float] | None = None
        self._hovered: tuple[int, int] | None = None
        self.setObjectName(name)
        self.setModel(self._matrix)
        self.setItemDelegate(NumberDelegate(self))
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
            if editable
            else QAbstractItemView.EditTrigger.NoEditTriggers
        )
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            header.setMinimumSectionSize(1)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.viewport().setAutoFillBackground(False)
        # It covers all of its place: without this every edit would have Qt paint the panel and the stage beneath first.
        self.viewport().setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_MacShowFocusRect, False)

    def _new_model(self, *, editable: bool) -> MatrixModel:
        return MatrixModel(self.name, self._write if editable else None, self)

    # --- what is shown ---

    @property
    def values(self) -> NDArray[Any]:
        """The array on show, two-dimensional."""
        return self._matrix.values

    @property
    def editable(self) -> bool:
        """Whether cells take edits."""
        return self._matrix.editable

    def matrix_model(self) -> MatrixModel:
        """Return the model with its own type."""
        return self._matrix

    def set_values(self, values: NDArray[Any]) -> None:
        """Show an array; one-dimensional ones are shown as a row."""
        shown = np.atleast_2d(values)
        self._matrix.digits = self.look.digits
        reshaped = self._matrix.set_values(shown)
        self.refresh()
        if reshaped:
            self._resize_sections()

    def refresh(self) -> None:
        """Take a new look at the same array."""
        self._written = None
        self._places = None
        self.viewport().update()

    def written(self) -> list[list[str]]:
        """Return what stands in every cell."""
        if self._written is None:
            self._written = matrix_paint.texts(self.values, self.look)
        return self._written

    def places(self) -> NDArray[np.uint8]:
        """Return every cell's place on its colour map, 0 to 255."""
        if self._places is None:
            self._places = matrix_paint.levels(self.values, self.look)
        return self._places

    def flat(self, array: NDArray[Any]) -> NDArray[Any]:
        """Return an array, or one of the same shape about it, as the model holds it: with two axes."""
        return np.atleast_2d(array)

    def changed_cells(self, changed: NDArray[np.bool_]) -> frozenset[tuple[int, int]]:
        """Return the cells to outline because they changed; none where cells are too small for an outline."""
        if not self.look.with_text and changed.size > MOST_OUTLINES:
            return matrix_paint.NONE
        rows, columns = np.nonzero(self.flat(changed))
        return frozenset(zip(rows.tolist(), columns.tolist(), strict=True))

    @property
    def shows_change(self) -> bool:
        """Whether anything is outlined because it changed."""
        return bool(self.look.changed)

    def forget_changed(self) -> None:
        """Take the outlines away."""
        if self.look.changed:
            self.look.changed = matrix_paint.NONE
            self.viewport().update()

    def set_cell_size(self, width: int, height: int, font_px: int) -> None:
        """Give every cell this size in pixels."""
        look = self.look
        if (look.cell_width, look.cell_height, look.font_px) == (width, height, font_px):
            return
        look.cell_width, look.cell_height, look.font_px = width, height, font_px
        self._resize_sections()
        self.refresh()

    def set_terse(self, terse: bool) -> None:
        """Write numbers with a digit less, or as they are."""
        if self.look.terse != terse:
            self.look.terse = terse
            self.refresh()

    def _resize_sections(self) -> None:
        self.horizontalHeader().setDefaultSectionSize(max(self.look.cell_width, 1))
        self.verticalHeader().setDefaultSectionSize(max(self.look.cell_height, 1))

    def content_width(self) -> int:
        """Return the width of all columns in pixels."""
        return int(self.values.shape[1]) * self.look.cell_width

    def content_height(self) -> int:
        """Return the height of all rows in pixels."""
        return int(self.values.shape[0]) * self.look.cell_height

    def array_index(self, row: int, column: int) -> Index:
        """Return the index in the array of the cell at this row and column."""
        if self._matrix.values.shape[0] == 1 and not self.head and self.one_row:
            return (column,)
        return (*self.head, row, column)

    one_row = False
    whole = False
    #: Whether a question asks for a cell; then a click is a reply.
    asked = False

    def array_cell(self, index: Index) -> tuple[int, int] | None:
        """Return row and column of an index of the array, None when it is in another head."""
        if len(index) == 1:
            return 0, index[0]
        head, cell = index[:-2], index[-2:]
        return (cell[0], cell[1]) if head == self.head else None

    # --- painting ---

    def _painter(self, event: QPaintEvent) -> QPainter:
        """Return a painter on what is to be painted, which is blank."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), self.look.theme.color("stage"))
        return painter

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the visible cells; nothing of QTableView's own painting is used."""
        painter = self._painter(event)
        look = self.look
        rows, columns = self.values.shape
        dx, dy = self.horizontalOffset(), self.verticalOffset()
        rect = event.rect()
        first_row = max((rect.top() + dy) // look.cell_height, 0)
        last_row = min((rect.bottom() + dy) // look.cell_height + 1, rows)
        first_column = max((rect.left() + dx) // look.cell_width, 0)
        last_column = min((rect.right() + dx) // look.cell_width + 1, columns)
        painter.translate(-dx, -dy)
        matrix_paint.paint(
            painter,
            self.values,
            self.written() if look.with_text or self.values.dtype == bool else [],
            self.places(),
            look,
            range(first_row, last_row),
            range(first_column, last_column),
        )
        self._paint_cursor(painter)
        painter.end()

    def _paint_cursor(self, painter: QPainter) -> None:
        look, theme = self.look, self.look.theme
        focus = self.hasFocus()
        if focus:
            selected = self.selectedIndexes()
            if len(selected) > 1:
                wash = QColor(theme.color("accent"))
                wash.setAlphaF(0.35)
                for index in selected:
                    painter.fillRect(
                        index.column() * look.cell_width,
                        index.row() * look.cell_height,
                        look.cell_width - 1,
                        look.cell_height - 1,
                        wash,
                    )
            current = self.currentIndex()
            if current.isValid():
                line = max(theme.px(2), 2)
                painter.setPen(QPen(theme.color("accent"), line))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawRect(
                    current.column() * look.cell_width + line // 2,
                    current.row() * look.cell_height + line // 2,
                    look.cell_width - 1 - line,
                    look.cell_height - 1 - line,
                )
            if min(look.cell_width, look.cell_height) < theme.px(12):
                self._paint_ring(painter)
        if self.editable and self._hovered is not None and look.with_text and self.values.dtype != bool:
            grip = self._grip(*self._hovered)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("accent"))
            painter.drawPolygon([grip.bottomRight(), grip.bottomLeft(), grip.topRight()])

    def _paint_ring(self, painter: QPainter) -> None:
        """Put a ring around the whole: that of a cell of a few pixels is not seen unless one knows where it is."""
        whole = self.viewport().rect().translated(self.horizontalOffset(), self.verticalOffset())
        line = max(self.look.theme.px(2), 2)
        painter.setPen(QPen(self.look.theme.color("accent"), line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(whole.adjusted(line // 2, line // 2, -line, -line))

    def _grip(self, row: int, column: int) -> QRect:
        size = max(min(self.look.theme.px(9), self.look.cell_height // 3), 5)
        return QRect(
            (column + 1) * self.look.cell_width - 1 - size, (row + 1) * self.look.cell_height - 1 - size, size, size
        )

    # --- pointer ---

    def _cell_at(self, point: QPoint) -> tuple[int, int] | None:
        row, column = self.rowAt(point.y()), self.columnAt(point.x())
        return (row, column) if row >= 0 and column >= 0 else None

    def _on_grip(self, point: QPoint, cell: tuple[int, int] | None) -> bool:
        if cell is None or not self.editable or self.asked or self.values.dtype == bool or not self.look.with_text:
            return False
        where = point + QPoint(self.horizontalOffset(), self.verticalOffset())
        return self._grip(*cell).adjusted(-3, -3, 2, 2).contains(where)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Scrub, or show where the cell under the pointer comes from."""
        point = event.position().toPoint()
        if self._scrub is not None:
            self._scrub_to(point, event.modifiers())
            return
        cell = self._cell_at(point)
        if cell != self._hovered:
            self._hovered = cell
            self.viewport().update()
            self._host.hover(self.name, None if cell is None else self.array_index(*cell))
        shape = Qt.CursorShape.PointingHandCursor if self.asked else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.SizeHorCursor if self._on_grip(point, cell) else shape)
        super().mouseMoveEvent(event)

    @guarded
    def leaveEvent(self, event: Any) -> None:
        """Forget the hovered cell."""
        if self._hovered is not None:
            self._hovered = None
            self.viewport().update()
            self._host.hover(self.name, None)
        super().leaveEvent(event)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Start a scrub on the handle, flip a mask cell, or select."""
        point = event.position().toPoint()
        cell = self._cell_at(point)
        if event.button() == Qt.MouseButton.LeftButton and cell is not None:
            if self._on_grip(point, cell):
                index = self.array_index(*cell)
                self.setCurrentIndex(self._matrix.index(*cell))
                self._scrub = (point, index, float(self.values[cell]))
                self._host.begin(f"scrub {self.name}{list(index)}")
                return
            if self.values.dtype == bool and self.editable and not self.asked:
                self.setCurrentIndex(self._matrix.index(*cell))
                self._write([cell], [not self.values[cell]])
                return
        super().mousePressEvent(event)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a scrub; a plain click pins the trace of its cell."""
        if self._scrub is not None:
            self._scrub = None
            self._host.end()
            return
        super().mouseReleaseEvent(event)
        cell = self._cell_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and cell is not None and len(self.selectedIndexes()) <= 1:
            self._host.pin(self.name, self.array_index(*cell))

    def _scrub_to(self, point: QPoint, modifiers: Qt.KeyboardModifier) -> None:
        assert self._scrub is not None
        start, index, value = self._scrub
        fine, coarse = Qt.KeyboardModifier.ShiftModifier, Qt.KeyboardModifier.ControlModifier
        step = (1.0 if self.whole else 0.01) * (0.1 if modifiers & fine else 10 if modifiers & coarse else 1)
        moved = round((point.x() - start.x()) / max(self.look.theme.scale, 0.1))
        self._host.write(self.name, [index], [number_text.added(value, round(moved * step, 0 if self.whole else 6))])

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Scroll when there is something to scroll; the wheel never changes a value."""
        if self.verticalScrollBar().maximum() or self.horizontalScrollBar().maximum():
            super().wheelEvent(event)
        else:
            event.ignore()

    @guarded
    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Open the menu of the cells under the pointer, or of the selection from the keyboard."""
        if event.reason() == QContextMenuEvent.Reason.Mouse:
            cell = self._cell_at(event.pos())
            if cell is not None and cell not in self._selected():
                self.setCurrentIndex(self._matrix.index(*cell))
            self._host.menu(self.name, self.selected_indices(), event.globalPos())
        else:
            self.open_menu()

    def open_menu(self) -> None:
        """Open the menu of the selection, below the cell that the keyboard is on."""
        where = self.viewport().mapToGlobal(self.visualRect(self.currentIndex()).bottomLeft())
        self._host.menu(self.name, self.selected_indices(), where)

    # --- keyboard ---

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Edit as in a spreadsheet: Delete, Enter, Ctrl+C, V, D, Alt with arrows; all else is QTableView's."""
        key, modifiers = event.key(), event.modifiers()
        control = bool(modifiers & Qt.KeyboardModifier.ControlModifier)
        ranges = {Qt.Key.Key_C: self.copy, Qt.Key.Key_V: self.paste, Qt.Key.Key_D: self.fill_down}
        if control and key in ranges:
            ranges[Qt.Key(key)]()
        elif key in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace) and self.editable:
            self.clear_selected()
        elif modifiers & Qt.KeyboardModifier.AltModifier and key in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self._nudge(0.1 if key == Qt.Key.Key_Up else -0.1, modifiers)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            asks = self.values.dtype == bool or modifiers & Qt.KeyboardModifier.ShiftModifier
            if self.editable and not asks:
                self.edit_current()
            else:
                self.pin_current()
        elif key == Qt.Key.Key_Space and self.values.dtype == bool and self.editable:
            cells = self._selected()
            self._write(cells, [not self.values[cell] for cell in cells])
        elif key == Qt.Key.Key_Escape:
            self.clearSelection()
            event.ignore()
        elif control or key in (Qt.Key.Key_F5, Qt.Key.Key_Tab, Qt.Key.Key_Backtab):
            event.ignore() if control and key not in (
                Qt.Key.Key_A,
                Qt.Key.Key_Home,
                Qt.Key.Key_End,
            ) else super().keyPressEvent(event)
        elif self.editable and self.values.dtype != bool and event.text() and not _starts_number(event.text()):
            event.ignore()
        elif not self.editable and not self.asked and (key in TYPING or event.text().isdecimal()):
            self._refuse_typing()
        else:
            super().keyPressEvent(event)

    @guarded
    def currentChanged(self, current: QModelIndex, previous: QModelIndex) -> None:
        """Show the trace of the cell that the keyboard moved to."""
        super().currentChanged(current, previous)
        self.viewport().update()
        if current.isValid() and self.hasFocus():
            self._host.hover(self.name, self.array_index(current.row(), current.column()))

    @guarded
    def scrollTo(self, index: AnyIndex, hint: QTableView.ScrollHint = QTableView.ScrollHint.EnsureVisible) -> None:
        """Bring a cell into sight, on the stage too; a mouse that is held shall find what it points at."""
        self._scroll_inside(index, hint)
        if QApplication.mouseButtons() == Qt.MouseButton.NoButton:
            panes.reveal(self, self.visualRect(index))

    def _scroll_inside(self, index: AnyIndex, hint: QTableView.ScrollHint) -> None:
        super().scrollTo(index, hint)

    @guarded
    def focusInEvent(self, event: Any) -> None:
        """Give the keyboard a cell to stand on."""
        super().focusInEvent(event)
        current = self.currentIndex()
        if not current.isValid() and self.values.size:
            self.selectionModel().setCurrentIndex(self._matrix.index(0, 0), QItemSelectionModel.SelectionFlag.NoUpdate)
        elif current.isValid() and event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._host.hover(self.name, self.array_index(current.row(), current.column()))
        self.viewport().update()

    @guarded
    def focusOutEvent(self, event: Any) -> None:
        """Take the focus ring away, and the trace of the cell that the keyboard was on."""
        super().focusOutEvent(event)
        self.viewport().update()
        now = QApplication.focusWidget()
        if self._hovered is None and now is not None and not self.isAncestorOf(now):
            self._host.hover(self.name, None)

    def edit_current(self) -> None:
        """Open the editor of the cell that the keyboard is on, unless it is open already."""
        current = self.currentIndex()
        being_edited = self.state() == QTableView.State.EditingState
        if current.isValid() and self.editable and self.values.dtype != bool and not being_edited:
            self.edit(current)

    def pin_current(self) -> None:
        """Keep the trace of the cell that the keyboard is on."""
        current = self.currentIndex()
        if current.isValid():
            self._host.pin(self.name, self.array_index(current.row(), current.column()))

    def move_after_edit(self, rows: int, columns: int) -> None:
        """Move the cursor after an edit was finished with Enter or Tab."""
        current = self.currentIndex()
        size = self.values.shape
        row, column = current.row() + rows, current.column() + columns
        if not 0 <= column < size[1]:
            row, column = row + (1 if column > 0 else -1), column % size[1]
        if 0 <= row < size[0]:
            self.setCurrentIndex(self._matrix.index(row, column))

    def _nudge(self, amount: float, modifiers: Qt.KeyboardModifier) -> None:
        if not self.editable or self.values.dtype == bool:
            return
        if modifiers & Qt.KeyboardModifier.ShiftModifier:
            amount /= 10
        if self.whole:
            amount = math.copysign(1.0, amount)
        cells = self._selected()
        self._write(cells, [number_text.added(self.values[cell], amount) for cell in cells])

    # --- ranges ---

    def _selected(self) -> list[tuple[int, int]]:
        cells = sorted((index.row(), index.column()) for index in self.selectedIndexes())
        current = self.currentIndex()
        return cells or ([(current.row(), current.column())] if current.isValid() else [])

    def selected_indices(self) -> list[Index]:
        """Return the array indices of the selection, or of the current cell."""
        return [self.array_index(*cell) for cell in self._selected()]

    def copy(self) -> None:
        """Copy the selected range at full precision, as a spreadsheet takes it."""
        cells = self._selected()
        if not cells:
            return
        rows = range(min(r for r, _ in cells), max(r for r, _ in cells) + 1)
        columns = range(min(c for _, c in cells), max(c for _, c in cells) + 1)
        block = self.values[rows.start : rows.stop, columns.start : columns.stop].astype(float)
        QGuiApplication.clipboard().setText(clipboard.write_block(block))

    def paste(self) -> None:
        """Paste a range from a spreadsheet at the current cell; a single number fills the selection."""
        cells = self._selected()
        if not cells:
            return
        if not self.editable:
            self._refuse_typing()
            return
        try:
            block = clipboard.read_block(QGuiApplication.clipboard().text())
        except ValueError as error:
            self._refuse(cells[0], str(error))
            return
        if len(block) == len(block[0]) == 1 and len(cells) > 1:
            self._write(cells, [block[0][0]] * len(cells), f"paste into {self.name}")
            return
        top, left = cells[0]
        rows, columns = self.values.shape
        if top + len(block) > rows or left + len(block[0]) > columns:
            self._refuse(
                cells[0],
                f"the pasted range is {len(block)} × {len(block[0])} and does not fit at {self.name}[{top}, {left}]; "
                f"{rows - top} × {columns - left} cells are left there",
            )
            return
        targets = [(top + r, left + c) for r in range(len(block)) for c in range(len(block[0]))]
        self._write(targets, [value for row in block for value in row], f"paste into {self.name}")

    def fill_down(self) -> None:
        """Copy the topmost selected cell of every column into the selected cells below it."""
        cells = self._selected()
        if not self.editable or len(cells) < 2:
            return
        tops = {c: min(r for r, column in cells if column == c) for _, c in cells}
        self._write(cells, [self.values[tops[c], c] for _, c in cells], f"fill down in {self.name}")

    def clear_selected(self) -> None:
        """Set the selected cells to 0; in a mask, to "may look"."""
        cells = self._selected()
        if self.editable and cells:
            self._write(
                cells,
                [True if self.values.dtype == bool else 0.0] * len(cells),
                None if len(cells) == 1 else f"clear cells of {self.name}",
            )

    def type_text(self, row: int, column: int, text: str) -> bool:
        """Write what was typed into one cell; False and a sentence beside it when it is no number."""
        try:
            value = number_text.parse(text)
        except ValueError as error:
            self._refuse((row, column), str(error))
            return False
        return self._write([(row, column)], [value])

    def _write(self, cells: list[tuple[int, int]], values: list[Any], label: str | None = None) -> bool:
        sentence = self._host.write(self.name, [self.array_index(*cell) for cell in cells], values, label)
        if sentence is not None:
            self._refuse(cells[0], sentence)
        return sentence is None

    def _refuse_typing(self) -> None:
        for cell in self._selected()[:1]:
            self._refuse(cell, f"{self.name} is computed; change a number that it is made of")

    def _refuse(self, cell: tuple[int, int], sentence: str) -> None:
        self._host.refuse(self.viewport(), self.visualRect(self._matrix.index(*cell)), sentence)


def _starts_number(text: str) -> bool:
    return text[0].isdigit() or text[0] in "+-−.,–"
