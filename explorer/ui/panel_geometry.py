"""How much room a matrix takes with everything around it: cells, names, words, the Σ margin, stamps.

A panel says how large it wants to be at a unit, so that the stage can choose one unit for all. What it looks like is
`explorer.ui.matrix_panel`'s business, and what the numbers are is decided elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtWidgets import QWidget

from explorer.concepts.declaration import Axis, Marks
from explorer.ui import bands
from explorer.ui.cell_size import CellSize, Unit, beside_digits, cell_size, holds_digits, text_width
from explorer.ui.number_style import cell_text
from explorer.ui.pressed_view import PressedView
from explorer.ui.theme import font_of, metrics_of

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from PySide6.QtGui import QFont, QFontMetrics

    from explorer.ui.matrix_view import Host, MatrixView
    from explorer.ui.theme import Theme

SUM_CLOSE = 5e-10
#: What the narrowest cells hold: of numbers that are written short, in two steps, and of others.
NARROW, MIDDLE, ORDINARY = "00", "00.0", "−0.00"
#: How much wider than their digits need it columns may be for the sake of names.
HARDLY_WIDER = 1.25
#: Tables with at most so many columns spare the names of tokens an ellipsis where they can.
NAMED_IN_FULL = 8
#: Tables of at most so many rows never scroll in themselves: two rows out of four say nothing.
SEEN_WHOLE = 8
#: The most room that words beside the rows take, at 100 %.
STAMP_WIDTH = 110


class PanelGeometry(QWidget):
    """A matrix' view with what stands around it, measured and laid out, not yet painted."""

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
        # PySide never lets go of the name of a slot of Qt's own, so it is one of ours that repaints.
        self.view.verticalScrollBar().valueChanged.connect(self._scrolled)
        self.view.horizontalScrollBar().valueChanged.connect(self._scrolled)
        self._cell = CellSize(40, 25, 13)
        self._frames: dict[Unit, tuple[CellSize, tuple[int, int, int, int], int]] = {}

    def _scrolled(self) -> None:
        """Move the names of rows and columns along."""
        self.update()

    def _make_view(self, name: str, host: Host, *, editable: bool) -> MatrixView:
        return PressedView(name, host, self.theme, editable=editable, parent=self)

    def _pixels(self) -> tuple[int, int]:
        """Return the size of the name's letters, which are bold, and that of the words around the table."""
        return self._letters.text_px(14 if self.large else 13), self._letters.text_px(12)

    def _fonts(self) -> tuple[QFont, QFont]:
        title, small = self._pixels()
        return font_of(title, bold=True), font_of(small)

    def _names_rows(self, cell: CellSize, labels: QFontMetrics) -> bool:
        """Say whether rows of this height have room for their names."""
        return bool(self.row_names) and not cell.in_room and cell.height >= labels.height() - self.theme.px(3)

    def _label_pixels(self, cell: CellSize) -> int:
        return int(min(max(cell.font * 0.86, self.theme.text_px(12)), self.theme.text_px(16)))

    def _label_font(self) -> QFont:
        return font_of(self._label_pixels(self._cell))

    def _column_font(self) -> QFont:
        """Return the font of the columns' names: a little smaller where that spares one of them its ellipsis."""
        font = self._label_font()
        texts = [f"{name}{position_text(self.column_axis, name, c)}" for c, name in enumerate(self.column_names)]
        for size in range(font.pixelSize(), self.theme.text_px(12) - 1, -1):
            if max(text_width(size, text) for text in texts) <= self._cell.width:
                return self.theme.font(size, exact=True)
        return font

    def _margins(self, cell: CellSize) -> tuple[int, int, int, int]:
        """Return left, top, right and bottom around the table."""
        title, words = self._pixels()
        line, px = metrics_of(words).height(), self.theme.px
        pixels = self._label_pixels(cell)
        labels = metrics_of(pixels)
        with_rows = self._names_rows(cell, labels)
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
        top = metrics_of(title, bold=True).height() + px(5)
        top += bands.column_space(self.theme, self.column_bands, shown.width())
        if self.column_axis.words:
            top += line
        if with_columns:
            top += labels.height() + px(1)
        right = 0
        if self._shows_sums(cell):
            sums = self._sum_pixels(cell)
            right += max((text_width(sums, text) for text, _ in self.sum_texts()), default=0) + px(12)
        if self.marks.kept:
            right += text_width(words, "kept") + px(8)
        right += self._stamp_width(cell)
        bottom = line + px(2) if self.row_axis.words else 0
        below = self._legend_below(left + shown.width() + right, cell)
        if below and not self._legend_beside_words(left + shown.width()):
            bottom += line + px(2)
        if self.marks.note:
            bottom += line + px(2)
        return left, top, right, bottom

    def _legend_width(self) -> int:
        """Return the width of the colours with their ends, and the gap before them."""
        return self.theme.px(68) + text_width(self._pixels()[1], self.legend)

    def _legend_below(self, width: int, cell: CellSize) -> bool:
        """Say whether the legend has no room beside the name and stands below the table."""
        if cell.legend_beside or not self.legend or not self.with_legend:
            return False
        return self.header_width() + self._legend_width() > width

    def _legend_beside_words(self, width: int) -> bool:
        """Say whether a legend below has room on the line of the rows' words."""
        words = text_width(self._pixels()[1], f"{self.row_axis.words} ↓")
        return bool(self.row_axis.words) and words + self.theme.px(12) + self._legend_width() <= width

    def _stamp_width(self, cell: CellSize) -> int:
        """Return the room at the right for words beside the rows; none where the rows are lower than the words."""
        small = self._pixels()[1]
        if not self.marks.stamps or cell.height < metrics_of(small).height() - self.theme.px(3):
            return 0
        longest = max(text_width(small, text) for text in self.marks.stamps)
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

    def _sum_pixels(self, cell: CellSize) -> int:
        smallest = self.theme.text_px(12)
        return int(min(cell.font, self.theme.text_px(16))) if cell.height >= smallest else smallest

    def _sum_font(self, cell: CellSize) -> QFont:
        return font_of(self._sum_pixels(cell))

    def _row_label(self, row: int) -> str:
        return f"{self.row_names[row]}{position_text(self.row_axis, self.row_names[row], row)}"

    def header_width(self) -> int:
        """Return the width of the line with name, shape and badge, which it must have; a legend may stand elsewhere."""
        (title, small), px = self._pixels(), self.theme.px
        width = text_width(title, self.title, bold=True) + px(8) + text_width(small, self._shape_text())
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
        cell = cell_size(self.theme, unit, large=self.large, text=self.text_at(unit), square=self.square)
        if any(self.view.look.forms) or self.column_axis.names != "tokens":
            font = self.theme.text_px(12) if any(self.view.look.forms) else self._label_pixels(cell)
            labels = max((text_width(font, name) for name in self.column_names), default=0)
            cell = cell._replace(width=max(cell.width, labels + self.theme.px(8) if labels else 0))
        elif self.large and not unit.lean and holds_digits(cell) and len(self.column_names) <= NAMED_IN_FULL:
            # A few tokens are spared the ellipsis where their names are hardly wider than the digits, or the title is.
            font = self._label_pixels(cell)
            names = [f"{name}{position_text(self.column_axis, name, c)}" for c, name in enumerate(self.column_names)]
            labels = max((text_width(font, name) for name in names), default=0) + self.theme.px(3)
            left, _, right, _ = self._margins(cell)
            header = self.header_width() + (self._legend_width() if cell.legend_beside and self.legend else 0)
            spare = (header - left - right) // max(len(self.column_names), 1)
            cell = cell._replace(width=max(cell.width, min(labels, max(spare, round(cell.width * HARDLY_WIDER)))))
        return cell

    def text_at(self, unit: Unit) -> str:
        """Return the text for which every column has room."""
        return self.text[:-1] if unit.lean and not any(self.view.look.forms) else self.text

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
        unit = unit if self.large else unit.unpressed()
        found = self._frames.get(unit)
        if found is None:
            cell = self.cell_at(unit)
            margins = self._margins(cell)
            small = self._pixels()[1]
            lines = [f"{axis.words} →" for axis in (self.row_axis, self.column_axis) if axis.words]
            lines += [self.marks.note] if self.marks.note else []
            longest = max((text_width(small, line) for line in lines), default=-margins[0])
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
        self.view.set_terse(unit.lean > 0)
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


def position_text(axis: Axis, name: str, index: int) -> str:
    """Return what follows a name: a token's position; an entry that has a name of its own needs no number."""
    return f" {index}" if axis.names == "tokens" and name != str(index) else ""
