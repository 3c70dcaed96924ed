"""A matrix with everything around it: name, shape, badge, legend, axis words, token names, the Σ margin, stamps.

The panel paints its surroundings itself and holds one `MatrixView`. It says how large it wants to be at a given cell
size, so that the stage can choose one size for all; what the numbers are is decided elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFont,
    QFontMetrics,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)
from PySide6.QtWidgets import QWidget

from explorer.concepts.declaration import Axis, Marks
from explorer.ui import bands
from explorer.ui.cell_size import CellSize, Unit, beside_digits, cell_size, holds_digits, text_width
from explorer.ui.guard import guarded
from explorer.ui.number_style import COLOURED, cell_text
from explorer.ui.pressed_view import PressedView
from explorer.ui.token_editor import TokenEditor

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.concepts.declaration import Situation
    from explorer.ui.matrix_view import Host, MatrixView
    from explorer.ui.theme import Ramp, Theme

__all__ = ["MatrixPanel", "Unit", "paint_ramp"]

SUM_CLOSE = 5e-10
#: What the narrowest cells hold: of numbers that are written short, and of others.
NARROW, ORDINARY = "00", "−0.00"
#: How much wider than their digits need it columns may be for the sake of names.
HARDLY_WIDER = 1.25
#: Tables with at most so many columns spare the names of tokens an ellipsis where they can.
NAMED_IN_FULL = 8
#: Tables of at most so many rows never scroll in themselves: two rows out of four say nothing.
SEEN_WHOLE = 8
#: The most room that words beside the rows take, at 100 %.
STAMP_WIDTH = 110


class MatrixPanel(QWidget):
    """One array with its surroundings."""

    def __init__(
        self, name: str, host: Host, theme: Theme, *, editable: bool, large: bool = False, sums: bool = False
    ) -> None:
        super().__init__()
        self.name = name
        self._host = host
        self.large = large
        self.sums = sums
        self._summed: tuple[Any, list[tuple[str, bool]]] = (None, [])
        self.theme = theme
        #: The same with letters as large as they are around the table at the unit in use.
        self._letters = theme
        self.title = name
        self.role = "plain"
        self.badge = ""
        self.legend = ""
        self.with_legend = True
        self.row_axis = Axis("")
        self.column_axis = Axis("")
        self.row_names: tuple[str, ...] = ()
        self.column_names: tuple[str, ...] = ()
        self.marks = Marks()
        self.reached: int | None = None
        self.text = ORDINARY
        self.square = False
        #: Whether its cells are rounded however small they are, as those of a mask beside it are.
        self.whole_pixels = False
        self.column_bands: bands.Bands | None = None
        self.row_bands: bands.Bands | None = None
        self.view = self._make_view(name, host, editable=editable)
        self.view.verticalScrollBar().valueChanged.connect(self.update)
        self.view.horizontalScrollBar().valueChanged.connect(self.update)
        self._cell = CellSize(40, 25, 13)
        self._frames: dict[Unit, tuple[CellSize, tuple[int, int, int, int], int]] = {}

    def dress(self) -> tuple[object, ...]:
        """Return all that stands around the table; as long as it is equal the frame need not be painted again."""
        around = (self.title, self.badge, self.legend, self.row_names, self.column_names, self.marks, self.reached)
        return (*around, self.text, self.column_bands, self.row_bands)

    def take(self, situation: Situation) -> None:
        """Show which heads own which rows and columns at this moment."""
        self.row_bands = bands.of(self.row_axis, situation.sizes)
        self.column_bands = bands.of(self.column_axis, situation.sizes)

    def fit_text(self, *, may_shrink: bool = True) -> None:
        """Make cells as wide as their longest number where numbers are written in a form of their own.

        Cells of short numbers are narrow or as wide as ordinary ones, nothing between, and do not shrink while a number
        is dragged: a drag through whole numbers would make the page dance.
        """
        forms = self.view.look.forms
        if not forms:
            return
        short, written = COLOURED.issuperset(forms), [text for row in self.view.written() for text in row]

        def width(text: str) -> int:
            return text_width(13, text)

        longest = max(written, key=width, default="")
        least = NARROW if short and width(longest) <= width(NARROW) else ORDINARY
        text = max(least, longest, key=width)
        if may_shrink or width(text) > width(self.text):
            self.text = text
            self.view.look.longest = text if short else ""

    def _make_view(self, name: str, host: Host, *, editable: bool) -> MatrixView:
        return PressedView(name, host, self.theme, editable=editable, parent=self)

    def extent(self) -> tuple[object, ...]:
        """Return all that decides how much room the panel wants."""
        widest = text_width(13, self.text)
        around = self.title, self.badge, self.legend, self.row_names, self.column_names, widest
        grouped = self.column_bands, self.row_bands
        sums = max((len(text) for text, _ in self.sum_texts()), default=0) if self.sums else 0
        return (self.view.values.shape, sums, *around, *grouped, bool(self.marks.kept), self.marks.note)

    # --- geometry ---

    def _fonts(self) -> tuple[QFont, QFont]:
        return self._letters.font(14 if self.large else 13, bold=True), self._letters.font(12)

    def _names_rows(self, cell: CellSize, labels: QFontMetrics) -> bool:
        """Say whether rows of this height have room for their names."""
        return bool(self.row_names) and not cell.in_room and cell.height >= labels.height() - self.theme.px(3)

    def _label_font(self, cell: CellSize | None = None) -> QFont:
        font = (cell or self._cell).font
        size = int(min(max(font * 0.86, self.theme.text_px(12)), self.theme.text_px(16)))
        return self.theme.font(size, exact=True)

    def _column_font(self) -> QFont:
        """Return the font of the columns' names: a little smaller where that spares one of them its ellipsis."""
        font = self._label_font()
        texts = [f"{name}{_position(self.column_axis, name, c)}" for c, name in enumerate(self.column_names)]
        for size in range(font.pixelSize(), self.theme.text_px(12) - 1, -1):
            if max(text_width(size, text) for text in texts) <= self._cell.width:
                return self.theme.font(size, exact=True)
        return font

    def _margins(self, cell: CellSize) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom around the table."""
        title_font, small_font = self._fonts()
        small = QFontMetrics(small_font)
        px = self.theme.px
        labels = QFontMetrics(self._label_font(cell))
        with_rows, pixels = self._names_rows(cell, labels), self._label_font(cell).pixelSize()
        with_columns = self._names_columns(cell)
        left = (
            # A pixel more than the gap: a text in exactly its width is cut where its width has a fraction.
            max((text_width(pixels, self._row_label(i)) for i in range(len(self.row_names))), default=0) + px(7) + 1
            if with_rows
            else 0
        )
        left = min(left, self.theme.text_px(130))
        shown = self.table_size(cell)
        left += bands.row_space(self.theme, self.row_bands, shown.height())
        top = QFontMetrics(title_font).height() + px(5)
        top += bands.column_space(self.theme, self.column_bands, shown.width())
        if self.column_axis.words:
            top += small.height()
        if with_columns:
            top += labels.height() + px(1)
        right = 0
        if self._shows_sums(cell):
            sums = QFontMetrics(self._sum_font(cell))
            right += max((sums.horizontalAdvance(text) for text, _ in self.sum_texts()), default=0) + px(12)
        if self.marks.kept:
            right += small.horizontalAdvance("kept") + px(8)
        right += self._stamp_width(cell)
        bottom = small.height() + px(2) if self.row_axis.words else 0
        below = self._legend_below(left + shown.width() + right, cell)
        if below and not self._legend_beside_words(left + shown.width()):
            bottom += small.height() + px(2)
        if self.marks.note:
            bottom += small.height() + px(2)
        return left, top, right, bottom

    def _legend_width(self) -> int:
        """Return the width of the colours with their ends, and the gap before them."""
        return self.theme.px(68) + QFontMetrics(self._fonts()[1]).horizontalAdvance(self.legend)

    def _legend_below(self, width: int, cell: CellSize) -> bool:
        """Say whether the legend has no room beside the name and stands below the table."""
        if cell.legend_beside or not self.legend or not self.with_legend:
            return False
        return self.header_width() + self._legend_width() > width

    def _legend_beside_words(self, width: int) -> bool:
        """Say whether a legend below has room on the line of the rows' words."""
        words = QFontMetrics(self._fonts()[1]).horizontalAdvance(f"{self.row_axis.words} ↓")
        return bool(self.row_axis.words) and words + self.theme.px(12) + self._legend_width() <= width

    def _stamp_width(self, cell: CellSize) -> int:
        """Return the room at the right for words beside the rows; none where the rows are lower than the words."""
        small = QFontMetrics(self._fonts()[1])
        if not self.marks.stamps or cell.height < small.height() - self.theme.px(3):
            return 0
        longest = max(small.horizontalAdvance(text) for text in self.marks.stamps)
        return min(longest, self.theme.px(STAMP_WIDTH) * (2 if self.theme.present else 1)) + self.theme.px(8)

    def _pitch(self, cell: CellSize) -> tuple[float, float]:
        """Return how far columns and rows are apart; in a room they may be closer than their cells are large."""
        if not cell.in_room:
            return cell.width, cell.height
        shown, (rows, columns) = self.table_size(cell), self.view.values.shape
        return shown.width() / max(columns, 1), shown.height() / max(rows, 1)

    def _names_columns(self, cell: CellSize) -> bool:
        return bool(self.column_names) and self._pitch(cell)[0] >= self.theme.px(22)

    def _shows_sums(self, cell: CellSize) -> bool:
        return self.sums and self._pitch(cell)[1] >= self.theme.text_px(12)

    def _sum_font(self, cell: CellSize) -> QFont:
        return self.theme.font(
            min(cell.font, self.theme.text_px(16)) if cell.height >= self.theme.text_px(12) else self.theme.text_px(12),
            exact=True,
        )

    def _row_label(self, row: int) -> str:
        return f"{self.row_names[row]}{_position(self.row_axis, self.row_names[row], row)}"

    def header_width(self) -> int:
        """Return the width of the line with name, shape and badge, which it must have; a legend may stand elsewhere."""
        title_font, small_font = self._fonts()
        small = QFontMetrics(small_font)
        px = self.theme.px
        width = (
            QFontMetrics(title_font).horizontalAdvance(self.title) + px(8) + small.horizontalAdvance(self._shape_text())
        )
        if self.badge:
            width += px(16)
        return width + px(2)

    def _shape_text(self) -> str:
        rows, columns = self.view.values.shape
        return f"{rows} × {columns}"

    def cell_at(self, unit: Unit) -> CellSize:
        """Return the cell size at this unit."""
        cell = self._full_cell(unit)
        return cell._replace(exact=0.0) if self.whole_pixels else cell

    def _full_cell(self, unit: Unit) -> CellSize:
        """Return the cell size where nothing is pressed."""
        self._letters = beside_digits(self.theme, unit)
        cell = cell_size(self.theme, unit, large=self.large, text=self.text, square=self.square)
        if any(self.view.look.forms) or self.column_axis.names != "tokens":
            font = self.theme.text_px(12) if any(self.view.look.forms) else self._label_font(cell).pixelSize()
            labels = max((text_width(font, name) for name in self.column_names), default=0)
            cell = cell._replace(width=max(cell.width, labels + self.theme.px(8) if labels else 0))
        elif self.large and holds_digits(cell) and len(self.column_names) <= NAMED_IN_FULL:
            # A few tokens are spared the ellipsis where their names are hardly wider than the digits, or the title is.
            font = self._label_font(cell).pixelSize()
            names = [f"{name}{_position(self.column_axis, name, c)}" for c, name in enumerate(self.column_names)]
            labels = max((text_width(font, name) for name in names), default=0) + self.theme.px(3)
            left, _, right, _ = self._margins(cell)
            header = self.header_width() + (self._legend_width() if cell.legend_beside and self.legend else 0)
            spare = (header - left - right) // max(len(self.column_names), 1)
            cell = cell._replace(width=max(cell.width, min(labels, max(spare, round(cell.width * HARDLY_WIDER)))))
        return cell

    def table_size(self, cell: CellSize) -> QSize:
        """Return how much of the table is shown at once at this size of a cell."""
        rows, columns = self.view.values.shape
        if cell.exact:
            width = round(columns * cell.exact) if self.square else columns * cell.width
            return QSize(width, max(round(rows * cell.exact), 1))
        return QSize(columns * cell.width, rows * cell.height)

    def longest(self) -> int:
        """Return the longer side of the table in cells."""
        return int(max(self.view.values.shape))

    def forget_sizes(self) -> None:
        """Forget what was measured, because what decides it may have changed."""
        self._frames.clear()

    def _frame(self, unit: Unit) -> tuple[CellSize, tuple[int, int, int, int], int]:
        """Return the cell at this unit, the margins around the table and the least width.

        A stage that looks for its unit measures every panel at many units and at each of them for several heights.
        """
        found = self._frames.get(unit)
        if found is None:
            cell = self.cell_at(unit)
            margins = self._margins(cell)
            words = QFontMetrics(self._fonts()[1])
            lines = [f"{axis.words} →" for axis in (self.row_axis, self.column_axis) if axis.words]
            lines += [self.marks.note] if self.marks.note else []
            longest = max((words.horizontalAdvance(line) for line in lines), default=-margins[0])
            header = self.header_width()
            if cell.legend_beside and self.legend and self.with_legend:
                header += self._legend_width()
            found = self._frames[unit] = cell, margins, max(margins[0] + longest, header)
        return found

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size wanted at this unit; tables taller than `max_height` scroll."""
        cell, (left, top, right, bottom), least = self._frame(unit)
        rows, shown = self.view.values.shape[0], self.table_size(cell)
        height = top + shown.height() + bottom
        scrolls = height > max_height and self.may_scroll(cell)
        width = left + shown.width() + right + (self._bar() if scrolls else 0)
        if scrolls:
            # Whole rows only: a row that is cut in half reads as a fault.
            rows_shown = max((max_height - top - bottom) // cell.height, min(rows, 2))
            height = top + rows_shown * cell.height + bottom
        return QSize(max(width, least), height)

    def may_scroll(self, cell: CellSize) -> bool:
        """Say whether a table of such cells may be lower than its rows are together."""
        return not self.large and not cell.in_room and self.view.values.shape[0] > SEEN_WHOLE

    def _bar(self) -> int:
        return self.view.verticalScrollBar().sizeHint().width()

    def arrange(self, unit: Unit) -> None:
        """Lay out the table inside the panel's present size."""
        self._cell = cell = self.cell_at(unit)
        self.view.set_cell_size(cell.width, cell.height, cell.font)
        left, top, _right, bottom = self._margins(cell)
        shown = self.table_size(cell)
        height = min(shown.height(), self.height() - top - bottom)
        scrolls = height < shown.height()
        vertical = Qt.ScrollBarPolicy.ScrollBarAlwaysOn if scrolls else Qt.ScrollBarPolicy.ScrollBarAlwaysOff
        self.view.setVerticalScrollBarPolicy(vertical)
        self.view.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.setGeometry(left, top, shown.width() + (self._bar() if scrolls else 0), max(height, 1))
        assert isinstance(self.view, PressedView)
        self.view.press(self.view.size() if self._presses(cell) else None)
        self.update()

    def _presses(self, cell: CellSize) -> bool:
        """Say whether the cells are pixels of a picture, of any number of pixels each."""
        return cell.exact > 0

    def anchor(self, unit: Unit, height: int) -> int:
        """Return how far below the panel's top the middle of its table stands; rows align these."""
        _, (_, top, _, bottom), _ = self._frame(unit)
        return top + (height - top - bottom) // 2

    def table_rect(self) -> QRect:
        """Return where the table stands in the panel."""
        return self.view.geometry()

    # --- painting ---

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint everything but the cells."""
        painter = QPainter(self)
        self.paint_frame(painter)
        painter.end()

    def paint_frame(self, painter: QPainter) -> None:
        """Paint name, labels, words, sums and stamps with the panel's corner at (0, 0)."""
        self._paint_header(painter)
        self._paint_columns(painter)
        self._paint_rows(painter)
        if self.reached is not None and self.reached < self.view.values.shape[0]:
            self._paint_blank(painter)

    def _paint_header(self, painter: QPainter) -> None:
        theme, px = self.theme, self.theme.px
        title_font, small_font = self._fonts()
        metrics, small = QFontMetrics(title_font), QFontMetrics(small_font)
        height = metrics.height()
        painter.setFont(title_font)
        painter.setPen(theme.color(self.role))
        below = not self.with_legend or not self.legend or self._legend_below(self.width(), self._cell)
        needed = self.header_width() + (0 if below else self._legend_width())
        x = min(self.table_rect().left(), max(self.width() - needed, 0))
        painter.drawText(x, metrics.ascent(), self.title)
        x += metrics.horizontalAdvance(self.title) + px(8)
        painter.setFont(small_font)
        painter.setPen(theme.color("muted"))
        painter.drawText(x, metrics.ascent(), self._shape_text())
        x += small.horizontalAdvance(self._shape_text()) + px(8)
        if not below:
            self._paint_legend(painter, x, metrics.ascent())
            x += self._legend_width()
        if self.badge:
            width = small.horizontalAdvance(self.badge) + px(14)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if x + width <= self.width():
                self._paint_badge(painter, QRectF(x + 0.5, 0.5, width, height - 1))
            else:
                self._paint_origin(painter, QRectF(x - px(3), (height - px(11)) / 2, px(11), px(11)))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self.setToolTip(f"{self.title}: {self.badge}" if self.badge else "")

    def _paint_legend(self, painter: QPainter, x: int, base: int) -> None:
        """Paint the colours with their ends, on the line of this base."""
        theme, px, look = self.theme, self.theme.px, self.view.look
        ramp = theme.weights if look.kind == "weight" and not look.differences else theme.signed
        small = QFontMetrics(self._fonts()[1])
        paint_ramp(painter, QRectF(x, base - small.capHeight() / 2 - px(4.5), px(54), px(9)), ramp)
        painter.setPen(theme.color("muted"))
        painter.drawText(x + px(60), base, self.legend)

    def _paint_badge(self, painter: QPainter, box: QRectF) -> None:
        theme = self.theme
        painter.setPen(QPen(theme.color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        painter.setPen(theme.color("muted"))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), self.badge)

    def _paint_origin(self, painter: QPainter, box: QRectF) -> None:
        """Draw what the badge says where it has no room: a die for random numbers, a pencil for typed ones."""
        theme = self.theme
        painter.setPen(QPen(theme.color("muted"), max(theme.px(1.2), 1)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        side = box.width()
        if self.badge.startswith("random"):
            painter.drawRoundedRect(box, side / 5, side / 5)
            painter.setBrush(theme.color("muted"))
            painter.setPen(Qt.PenStyle.NoPen)
            for dx, dy in ((0.28, 0.28), (0.5, 0.5), (0.72, 0.72)):
                painter.drawEllipse(QPointF(box.left() + side * dx, box.top() + side * dy), side / 11, side / 11)
        else:
            painter.drawPolyline(
                QPolygonF(
                    [
                        box.bottomLeft() + QPointF(0, 0),
                        box.bottomLeft() + QPointF(side * 0.3, -side * 0.08),
                        box.topRight(),
                    ]
                )
            )
            painter.drawLine(box.bottomLeft(), box.topRight() - QPointF(side * 0.25, 0))

    def _paint_columns(self, painter: QPainter) -> None:
        theme, px, table = self.theme, self.theme.px, self.table_rect()
        _, small_font = self._fonts()
        small, labels = QFontMetrics(small_font), QFontMetrics(self._label_font())
        shown = self.table_size(self._cell)
        if self.column_bands is not None:
            offset = self.view.horizontalOffset()
            bands.paint_columns(painter, theme, self.column_bands, table, self.view.content_width(), offset)
        if self.row_bands is not None:
            offset = self.view.verticalOffset()
            bands.paint_rows(painter, theme, self.row_bands, table, self.view.content_height(), offset)
        y = table.top() - bands.column_space(theme, self.column_bands, shown.width())
        with_labels = self._names_columns(self._cell)
        if with_labels:
            y -= labels.height() + px(1)
            font = self._column_font()
            names = QFontMetrics(font)
            painter.setFont(font)
            offset = self.view.horizontalOffset()
            lit = {c for _, c in self.view.look.lit | self.view.look.pinned}
            for c, name in enumerate(self.column_names):
                rect = QRect(table.left() + c * self._cell.width - offset, y, self._cell.width, labels.height())
                number = _position(self.column_axis, name, c)
                self._label(painter, rect, name, number, Qt.AlignmentFlag.AlignHCenter, c in lit, names)
            if self._shows_sums(self._cell):
                painter.setFont(self._label_font())
                painter.setPen(theme.color("muted"))
                painter.drawText(
                    QRect(table.right() + px(6), y, px(44), labels.height()), int(Qt.AlignmentFlag.AlignLeft), "Σ"
                )
        if self.column_axis.words:
            painter.setFont(small_font)
            painter.setPen(theme.color(word_role(self.column_axis.words)))
            painter.drawText(table.left(), y - small.descent() - px(1), f"{self.column_axis.words} →")

    def _label(
        self,
        painter: QPainter,
        rect: QRect,
        name: str,
        number: str,
        side: Qt.AlignmentFlag,
        lit: bool,
        metrics: QFontMetrics,
    ) -> None:
        theme = self.theme
        room = rect.width() - metrics.horizontalAdvance(number)
        # Between columns there is a little air that a name may take rather than lose its end.
        air = theme.px(3) if side == Qt.AlignmentFlag.AlignHCenter else 0
        fits = metrics.horizontalAdvance(name) <= room + air
        shown = name if fits else metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(room, 0))
        width = metrics.horizontalAdvance(shown) + metrics.horizontalAdvance(number)
        x = rect.left() + (rect.width() - width) // 2 if side == Qt.AlignmentFlag.AlignHCenter else rect.right() - width
        base = rect.top() + (rect.height() - metrics.height()) // 2 + metrics.ascent()
        painter.setPen(theme.color("text"))
        painter.drawText(x, base, shown)
        painter.setPen(theme.color("text" if lit else "muted"))
        painter.drawText(x + metrics.horizontalAdvance(shown), base, number)

    def _paint_rows(self, painter: QPainter) -> None:
        theme, px, table = self.theme, self.theme.px, self.table_rect()
        _, small_font = self._fonts()
        small, label_font = QFontMetrics(small_font), self._label_font()
        labels = QFontMetrics(label_font)
        rows, height = self.view.values.shape[0], self._cell.height
        offset = self.view.verticalOffset()
        first, last = offset // height, min((offset + table.height()) // height + 1, rows)
        lit = {r for r, _ in self.view.look.lit | self.view.look.pinned}
        painter.save()
        painter.setClipRect(QRect(0, table.top(), self.width(), table.height()))
        for r in range(first, last):
            y = table.top() + r * height - offset
            if self._names_rows(self._cell, labels):
                painter.setFont(label_font)
                rect = QRect(0, y, table.left() - px(7), height)
                number = _position(self.row_axis, self.row_names[r], r)
                self._label(painter, rect, self.row_names[r], number, Qt.AlignmentFlag.AlignRight, r in lit, labels)
            if r in self.marks.kept:
                painter.setFont(small_font)
                painter.setPen(theme.color("good"))
                painter.drawText(
                    QRect(table.right() + px(5), y, px(200), height), int(Qt.AlignmentFlag.AlignVCenter), "kept"
                )
            if r < len(self.marks.stamps) and (room := self._stamp_width(self._cell)):
                painter.setFont(small_font)
                painter.setPen(theme.color("muted"))
                text = small.elidedText(self.marks.stamps[r], Qt.TextElideMode.ElideRight, room - px(5))
                painter.drawText(
                    QRect(self.width() - room + px(2), y, room, height), int(Qt.AlignmentFlag.AlignVCenter), text
                )
            if (
                self._shows_sums(self._cell)
                and r not in self.marks.blank
                and (self.reached is None or r < self.reached)
            ):
                self._paint_sum(painter, QRect(table.right() + px(6), y, px(90), height), r)
        painter.restore()
        y = table.bottom() + small.ascent() + px(3)
        painter.setFont(small_font)
        x, words = table.left(), f"{self.row_axis.words} ↓" if self.row_axis.words else ""
        below = self._legend_below(self.width(), self._cell)
        if words:
            x = 0 if table.left() < px(60) else x
            painter.setPen(theme.color(word_role(self.row_axis.words)))
            painter.drawText(x, y, words)
            if below and self._legend_beside_words(self.width()):
                self._paint_legend(painter, x + small.horizontalAdvance(words) + px(12), y)
                below = False
            y += small.height()
        if below:
            self._paint_legend(painter, x, y)
            y += small.height() + px(2)
        if self.marks.note:
            painter.setPen(theme.color("muted"))
            painter.drawText(table.left(), y, self.marks.note)

    def sum_texts(self) -> list[tuple[str, bool]]:
        """Return what every row sums to as text, and whether that is what it should be."""
        values = self.view.values
        if self._summed[0] is not values:
            self._summed = (values, self._sum_texts(values))
        return self._summed[1]

    def _sum_texts(self, values: NDArray[Any]) -> list[tuple[str, bool]]:
        if values.dtype == bool or self.view.look.differences:
            return [("", True)] * len(values)
        closed = self.view.look.masked
        known = closed is not None and closed.shape == values.shape
        blind = np.atleast_1d(closed.all(axis=-1)) if known else np.zeros(len(values), bool)  # type: ignore[union-attr]
        totals = np.where(np.isfinite(values), values, 0.0).sum(axis=-1)
        texts = []
        for total, nowhere in zip(totals.tolist(), blind.tolist(), strict=True):
            right = abs(total - 1) < SUM_CLOSE
            texts.append(("none", False) if nowhere else ("1", True) if right else (cell_text(total, 3), False))
        return texts

    def _paint_sum(self, painter: QPainter, rect: QRect, row: int) -> None:
        text, right = self.sum_texts()[row]
        painter.setFont(self._sum_font(self._cell))
        painter.setPen(self.theme.color("muted" if right or self.role != "weight" else "warn"))
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), text)

    def _paint_blank(self, painter: QPainter) -> None:
        table = self.table_rect()
        top = table.top() + (self.reached or 0) * self._cell.height
        pen = QPen(self.theme.color("border"), 1, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(table.left(), top, table.width() - 2, table.bottom() - top - 1)

    # --- names of tokens ---

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Rename the token whose name was double-clicked."""
        named = self._named_at(event.position().toPoint())
        if named is not None:
            self._rename(*named)

    def _named_at(self, point: QPoint) -> tuple[int, QRect] | None:
        """Return which token's name stands at a point, and where it stands."""
        table, cell, labels = self.table_rect(), self._cell, QFontMetrics(self._label_font())
        if self.row_axis.names == "tokens" and point.x() < table.left() and table.top() <= point.y() <= table.bottom():
            row = (point.y() - table.top() + self.view.verticalOffset()) // cell.height
            top = table.top() + row * cell.height - self.view.verticalOffset()
            if row < len(self.row_names):
                return row, QRect(0, top, max(table.left(), self.theme.px(60)), cell.height)
        if self.column_axis.names == "tokens" and 0 < table.top() - point.y() <= labels.height():
            column = (point.x() - table.left()) // cell.width
            if 0 <= column < len(self.column_names):
                left, height = table.left() + column * cell.width, labels.height() + self.theme.px(4)
                return column, QRect(left, table.top() - height, max(cell.width, self.theme.px(60)), height)
        return None

    def _rename(self, token: int, where: QRect) -> None:
        names = self.row_names if self.row_axis.names == "tokens" else self.column_names
        editor = TokenEditor(token, names[token], where, self.theme, self)
        editor.renamed.connect(self._host.rename)
        editor.open()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = self._letters = theme
        self.view.look.theme = theme
        self.view.refresh()
        self.update()


def paint_ramp(painter: QPainter, bar: QRectF, ramp: Ramp) -> None:
    """Paint a colour map from its low to its high end."""
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for i in range(0, 256, 15):
        gradient.setColorAt(i / 255, ramp.brushes[i])
    painter.fillRect(bar, gradient)


def _position(axis: Axis, name: str, index: int) -> str:
    """Return what follows a name: a token's position; an entry that has a name of its own needs no number."""
    return f" {index}" if axis.names == "tokens" and name != str(index) else ""


def word_role(words: str) -> str:
    """Return the role that an axis' words speak of, for their colour."""
    start = words.split(":", 1)[0]
    return start if start in ("query", "key", "value", "output") else "muted"
