"""A ledger: a table of figures of different kinds. Pointing at one shows its arithmetic, a click or Enter keeps it.

It is a QTableView, so that the keyboard, the selection and the screen reader know its cells; it paints itself. What is
copied are all digits, with headings when the whole table is selected. In a small room rows scroll, and columns that do
not fit are left out from the right; a presentation shows all rows or none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QAbstractTableModel, QEvent, QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetrics,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractItemView, QFrame, QHeaderView, QTableView, QWidget

from explorer.ui.cell_size import text_width
from explorer.ui.guard import guarded
from explorer.workbench import number_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtCore import QObject

    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.ledger import Entry, Ledger
    from explorer.ui.matrix_panel import Unit
    from explorer.ui.theme import Theme

#: In the smallest room so many columns are shown.
LEAST_COLUMNS = 5
AnyIndex = QModelIndex | QPersistentModelIndex


class LedgerModel(QAbstractTableModel):
    """The entries of a ledger, with every digit to whoever edits or copies."""

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.ledger: Ledger | None = None

    def show(self, ledger: Ledger | None) -> None:
        """Hold another ledger."""
        before = self.ledger
        same = before is not None and ledger is not None and _shape(before) == _shape(ledger)
        if not same:
            self.beginResetModel()
        self.ledger = ledger
        if same:
            assert ledger is not None
            rows, columns = _shape(ledger)
            self.dataChanged.emit(self.index(0, 0), self.index(rows - 1, columns - 1))
        else:
            self.endResetModel()

    def entry(self, row: int, column: int) -> Entry | None:
        """Return an entry, None where there is none."""
        if self.ledger is None or not (0 <= row < len(self.ledger.rows) and 0 <= column < len(self.ledger.headings)):
            return None
        return self.ledger.rows[row][column]

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return the number of rows."""
        return 0 if parent.isValid() or self.ledger is None else len(self.ledger.rows)

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008 - Qt's own default
        """Return the number of columns."""
        return 0 if parent.isValid() or self.ledger is None else len(self.ledger.headings)

    @guarded
    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return an entry as it is read, or in full."""
        entry = self.entry(index.row(), index.column())
        if entry is None:
            return None
        if role == Qt.ItemDataRole.DisplayRole:
            return entry.text
        if role == Qt.ItemDataRole.EditRole:
            return entry.value
        if role == Qt.ItemDataRole.ToolTipRole:
            return entry.says or (None if entry.value is None else number_text.full(entry.value))
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{self.heading(index.column())}: {entry.text}"
        return None

    def heading(self, column: int) -> str:
        """Return a column's heading on one line."""
        if self.ledger is None:
            return ""
        heading = self.ledger.headings[column]
        return " ".join(filter(None, (heading.text, heading.below)))

    @guarded
    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a column's heading."""
        wanted = orientation == Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole
        return self.heading(section) if wanted and self.ledger is not None else None


def _shape(ledger: Ledger) -> tuple[int, int]:
    return len(ledger.rows), len(ledger.headings)


class _Table(QTableView):
    """The rows, painted in one go."""

    def __init__(self, panel: LedgerView, host: Any) -> None:
        super().__init__(panel)
        self._panel = panel
        self._host = host
        self._hovered: tuple[int, int] | None = None
        self.entries = LedgerModel(self)
        self.setModel(self.entries)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setShowGrid(False)
        self.setMouseTracking(True)
        self.setTabKeyNavigation(False)
        self.setCornerButtonEnabled(False)
        self.setEditTriggers(QAbstractItemView.EditTrigger.NoEditTriggers)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerItem)
        for header in (self.horizontalHeader(), self.verticalHeader()):
            header.hide()
            header.setMinimumSectionSize(1)
            header.setSectionResizeMode(QHeaderView.ResizeMode.Fixed)
        self.viewport().setAutoFillBackground(False)

    def arrange(self, widths: list[int], row_height: int) -> None:
        """Set the sizes of columns and rows."""
        for column, width in enumerate(widths):
            self.setColumnHidden(column, not width)
            self.setColumnWidth(column, width)
        for row in range(self.entries.rowCount()):
            self.setRowHeight(row, row_height)

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint all rows."""
        ledger = self.entries.ledger
        if ledger is None:
            return
        theme, px = self._panel.theme, self._panel.theme.px
        painter = QPainter(self.viewport())
        font, bold = theme.font(13), theme.font(13, bold=True)
        selected = {(index.row(), index.column()) for index in self.selectedIndexes()} if self.hasFocus() else set()
        for row, entries in enumerate(ledger.rows):
            whole = QRect(0, self.rowViewportPosition(row), self.viewport().width(), self.rowHeight(row))
            if row == ledger.strong:
                painter.fillRect(whole, theme.color("card"))
            painter.setPen(QPen(theme.color("grid"), 1))
            painter.drawLine(whole.left(), whole.top(), whole.right(), whole.top())
            painter.setFont(bold if row == ledger.strong else font)
            for column, entry in enumerate(entries):
                if self.isColumnHidden(column):
                    continue
                rect = self.cell_rect(row, column)
                if (row, column) == self._hovered and entry.cell is not None:
                    painter.fillRect(rect, theme.color("border"))
                heading = ledger.headings[column]
                painter.setPen(theme.color(heading.role if entry.value is not None else "muted"))
                align = Qt.AlignmentFlag.AlignRight if heading.align == "right" else Qt.AlignmentFlag.AlignLeft
                inner = rect.adjusted(px(4), 0, -px(8), 0)
                painter.drawText(inner, int(align | Qt.AlignmentFlag.AlignVCenter), entry.text)
                outline = "outline" if entry.cell in self._panel.lit else "accent" if (row, column) in selected else ""
                if outline and entry.cell is not None:
                    painter.setPen(QPen(theme.color(outline), max(px(2), 2)))
                    painter.drawRect(rect.adjusted(1, 1, -1, -1))
        painter.end()

    def cell_rect(self, row: int, column: int) -> QRect:
        """Return where an entry stands in the viewport."""
        return self.visualRect(self.entries.index(row, column))

    # --- choosing ---

    def _hover(self, cell: tuple[int, int] | None) -> None:
        if cell == self._hovered:
            return
        before = self.entries.entry(*self._hovered) if self._hovered else None
        self._hovered = cell
        entry = self.entries.entry(*cell) if cell else None
        found = entry.cell if entry else None
        if found is not None:
            self._host.hover(found[0], found[1])
        elif before is not None and before.cell is not None:
            self._host.hover(before.cell[0], None)
        self.viewport().setCursor(Qt.CursorShape.ArrowCursor if found is None else Qt.CursorShape.PointingHandCursor)
        self.viewport().update()

    def _choose(self, index: AnyIndex) -> None:
        entry = self.entries.entry(index.row(), index.column())
        if entry is not None and entry.cell is not None:
            self._host.pin(*entry.cell)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where the figure under the pointer comes from."""
        super().mouseMoveEvent(event)
        index = self.indexAt(event.position().toPoint())
        self._hover((index.row(), index.column()) if index.isValid() else None)

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        """Forget the hovered figure."""
        super().leaveEvent(event)
        self._hover(None)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Keep the trace of the figure that was clicked; a drag selects instead."""
        super().mouseReleaseEvent(event)
        index = self.indexAt(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and len(self.selectedIndexes()) <= 1:
            self._choose(index)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Keep the trace of the current figure with Enter or Space; copy."""
        if event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(self.copied())
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space):
            self._choose(self.currentIndex())
        else:
            super().keyPressEvent(event)

    def copied(self) -> str:
        """Return the selected figures, all where none or all are selected, as tab-parted rows with every digit."""
        chosen = sorted((index.row(), index.column()) for index in self.selectedIndexes())
        rows, columns = self.entries.rowCount(), self.entries.columnCount()
        whole = len(chosen) in (0, rows * columns)
        if whole:
            chosen = [(row, column) for row in range(rows) for column in range(columns)]
        top, left = min(row for row, _ in chosen), min(column for _, column in chosen)
        bottom, right = max(row for row, _ in chosen), max(column for _, column in chosen)
        lines = [[self.entries.heading(column) for column in range(columns)]] if whole else []
        there = set(chosen)
        for row in range(top, bottom + 1):
            entries = [self.entries.entry(row, column) for column in range(left, right + 1)]
            lines.append(
                [
                    number_text.full(entry.value)
                    if entry and entry.value is not None and (row, left + at) in there
                    else ""
                    for at, entry in enumerate(entries)
                ]
            )
        return "\n".join("\t".join(line) for line in lines)

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Stand on a figure."""
        stands_nowhere = not self.currentIndex().isValid()
        super().focusInEvent(event)
        if stands_nowhere and self.entries.rowCount():
            self.setCurrentIndex(self.entries.index(0, 1 if self.entries.columnCount() > 1 else 0))
        self.viewport().update()


class LedgerView(QWidget):
    """Draws a `Ledger`: two lines of headings, and below them the rows."""

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.lit: frozenset[tuple[str, tuple[int, ...]]] = frozenset()
        self.table = _Table(self, host)
        self.table.setObjectName(view.name)
        self.table.setAccessibleName(view.options.get("title", view.name))
        self.setObjectName(f"{view.name}_frame")
        self.setFocusProxy(self.table)

    @property
    def ledger(self) -> Ledger | None:
        """What is shown."""
        return self.table.entries.ledger

    def show_model(self, model: Ledger | None) -> None:
        """Show this ledger."""
        if model == self.ledger:
            return
        self.table.entries.show(model)
        self._lay_out()
        self.table.viewport().update()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return self.ledger is None

    def light(self, operands: Mapping[str, Any]) -> None:
        """Let the entries stand out whose cells are among these."""
        lit = frozenset((name, tuple(index)) for name, indices in operands.items() for index in indices)
        if lit != self.lit:
            self.lit = lit
            self.table.viewport().update()

    # --- size ---

    def _row_height(self) -> int:
        return QFontMetrics(self.theme.font(13)).height() + self.theme.px(3)

    def _head_height(self) -> int:
        return 2 * QFontMetrics(self.theme.font(12)).height() + self.theme.px(3)

    def _widths(self) -> list[int]:
        """Return the least width of each column."""
        ledger, px = self.ledger, self.theme.px
        if ledger is None:
            return []
        small, bold = self.theme.text_px(12), self.theme.text_px(13)
        widths = []
        for column, heading in enumerate(ledger.headings):
            texts = [text_width(bold, row[column].text, bold=True) for row in ledger.rows]
            heads = [text_width(small, text) for text in (heading.text, heading.below)]
            widths.append(max(*texts, *heads) + px(14))
        return widths

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the least size: a few columns, and as many whole rows as the height allows."""
        rows = 0 if self.ledger is None else max(len(self.ledger.rows), self.ledger.room)
        row, head = self._row_height(), self._head_height()
        if self.theme.present and head + rows * row > max_height:
            # A presentation has no place for half a table.
            return QSize(0, 0)
        shown = min(rows, max((max_height - head) // row, 1))
        return QSize(sum(self._widths()[:LEAST_COLUMNS]), head + shown * row)

    def arrange(self, unit: Unit) -> None:
        """Lay out the columns in the present width."""
        self._lay_out()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew."""
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        head, least = self._head_height(), self._widths()
        self.table.setGeometry(0, head, self.width(), max(self.height() - head, 1))
        if not least:
            return
        rows = self.table.entries.rowCount() * self._row_height()
        bar = self.table.verticalScrollBar().sizeHint().width() if rows > self.height() - head else 0
        room = self.width() - bar
        shown = max(count for count in range(1, len(least) + 1) if count == 1 or sum(least[:count]) <= room)
        spare = max(room - sum(least[:shown]), 0)
        widths = [width + spare // shown for width in least[:shown]]
        widths[-1] += room - sum(widths) if spare else 0
        self.table.arrange([*widths, *[0] * (len(least) - shown)], self._row_height())
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self._lay_out()
        self.update()
        self.table.viewport().update()

    # --- painting ---

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the headings."""
        ledger = self.ledger
        if ledger is None:
            return
        theme, px = self.theme, self.theme.px
        painter = QPainter(self)
        painter.setFont(theme.font(12))
        line = QFontMetrics(theme.font(12)).height()
        for column, heading in enumerate(ledger.headings):
            if self.table.isColumnHidden(column):
                continue
            rect = self._heading_rect(column, column)
            align = Qt.AlignmentFlag.AlignRight if heading.align == "right" else Qt.AlignmentFlag.AlignLeft
            painter.setPen(theme.color("muted"))
            painter.drawText(rect.translated(0, line), int(align), heading.below)
        for first, last in self._groups(ledger):
            heading, rect = ledger.headings[first], self._heading_rect(first, last)
            align = Qt.AlignmentFlag.AlignRight if heading.align == "right" else Qt.AlignmentFlag.AlignLeft
            one_role = len({heading.role for heading in ledger.headings[first : last + 1]}) == 1
            painter.setPen(theme.color(heading.role if one_role and heading.role != "text" else "muted"))
            painter.drawText(rect, int(align if first == last else Qt.AlignmentFlag.AlignHCenter), heading.text)
            if first < last:
                y = rect.bottom()
                painter.drawLine(rect.left() + px(8), y, rect.right(), y)
        painter.end()

    def _heading_rect(self, first: int, last: int) -> QRect:
        left = self.table.columnViewportPosition(first) + self.theme.px(4)
        right = self.table.columnViewportPosition(last) + self.table.columnWidth(last) - self.theme.px(8)
        return QRect(QPoint(left, 0), QSize(right - left, QFontMetrics(self.theme.font(12)).height()))

    def _groups(self, ledger: Ledger) -> list[tuple[int, int]]:
        """Return the first and last of neighbouring columns whose heading is the same."""
        groups: list[tuple[int, int]] = []
        for column, heading in enumerate(ledger.headings):
            if self.table.isColumnHidden(column):
                break
            if groups and ledger.headings[groups[-1][1]].text == heading.text:
                groups[-1] = (groups[-1][0], column)
            else:
                groups.append((column, column))
        return groups


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return LedgerView(view, host, theme)
