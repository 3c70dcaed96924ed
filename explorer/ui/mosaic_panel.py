"""The mosaic with everything around it: name, shape, legend, axis words, and the tiles' grid.

It behaves as a matrix' panel, so that steps, marks, hovering, pinning and differences reach all heads alike.
"""

from __future__ import annotations

import math
from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter

from explorer.concepts import evaluation
from explorer.ui import bands
from explorer.ui.cell_size import (
    FEWEST_PIXELS,
    LARGE_HEIGHT,
    CellSize,
    Unit,
    beside_digits,
    cell_size,
    holds_digits,
    text_width,
)
from explorer.ui.matrix_panel import MatrixPanel, word_role
from explorer.ui.mosaic_view import Grid, MosaicView
from explorer.ui.theme import metrics_of

if TYPE_CHECKING:
    from explorer.concepts.declaration import Axis, Mosaic, Situation
    from explorer.ui.matrix_view import Host
    from explorer.ui.theme import Theme

#: No tile is smaller than so many times the smallest text, so that its number has room.
SMALLEST_TILE = 1.5
#: Tiles that are pressed further hold no digits, however large the stage is.
DIGITS_FROM = 0.6
#: How much an empty place in the grid counts against the wanted proportions.
EMPTY = 1.0
#: How much wider a mosaic is in a presentation.
WIDER_IN_SHOW = 1.8


@lru_cache(maxsize=4096)
def tiles_beside(heads: int, aspect: float, tile: float = 1.0) -> int:
    """Return how many tiles stand side by side, so that the whole is about `aspect` times as wide as it is high.

    Each takes `tile` times as much in width as in height, with its caption and the gaps.
    """

    def cost(columns: int) -> float:
        rows = -(-heads // columns)
        return abs(math.log(columns / rows * tile / aspect)) + EMPTY * (columns * rows - heads) / heads

    return min(range(1, heads + 1), key=cost, default=1)


class MosaicPanel(MatrixPanel):
    """Every head of an array, with its surroundings."""

    view: MosaicView

    def __init__(self, declared: Mosaic, name: str, head_axis: Axis, host: Host, theme: Theme) -> None:
        super().__init__(name, host, theme, editable=False, large=True)
        self.declared = declared
        self.head_axis = head_axis
        self.square = True
        self.with_legend = declared.legend
        self.view.switch = declared.switch
        self._measured: dict[Unit, tuple[QSize, int]] = {}

    def _make_view(self, name: str, host: Host, *, editable: bool) -> MosaicView:
        return MosaicView(name, host, self.theme, parent=self)

    def take(self, situation: Situation) -> None:
        """Show which heads there are, what they are called, and which count."""
        view, caption = self.view, self.declared.caption
        axis = self.head_axis
        groups = bands.of(axis, situation.sizes)
        heads = evaluation.size_of(axis.size, situation.sizes)
        if groups is None:
            groups = bands.Bands(heads, "head", heads)
        names = [caption(situation, h) if caption else f"{groups.word} {h}" for h in range(heads)]
        colors = [groups.color(self.theme, h) for h in range(heads)]
        counts = situation.inputs[view.switch] if view.switch else None
        if (names, colors) != (view.captions, view.colors) or counts is not view.counts:
            view.captions, view.colors, view.counts = names, colors, counts
            view.viewport().update()

    # --- geometry ---

    def longest(self) -> int:
        """Return the longer side of all tiles in cells."""
        rows, columns = self.view.tile_shape
        beside = tiles_beside(self.view.heads, self.declared.aspect)
        return max(columns * beside, rows * -(-self.view.heads // beside))

    def _full_cell(self, unit: Unit) -> CellSize:
        """Return the cell size; cells without digits may be a pixel or less, and `_tile` says what they make."""
        self._letters = beside_digits(self.theme, unit)
        height = unit.height * LARGE_HEIGHT * unit.squeeze
        smallest = self.theme.text_px(12)
        if height < smallest + 3 or unit.squeeze < DIGITS_FROM:
            # Digits that do not all fit the room are left out altogether, and colours may fill it.
            side = min(max(int(height), 1), FEWEST_PIXELS - 1)
            return CellSize(side, side, smallest, legend_beside=False, exact=height)
        cell = cell_size(self.theme, unit, large=True, text=self.text_at(unit), square=True)
        # Tiles are many: their legend never makes the whole wider.
        return cell._replace(legend_beside=False)

    def _tile(self, unit: Unit, cell: CellSize) -> QSize:
        """Return the size of one head's table: whole pixels a cell with digits, any number of them without."""
        rows, columns = self.view.tile_shape
        if holds_digits(cell):
            return QSize(columns * cell.width, rows * cell.height)
        side, smallest_text = unit.height * LARGE_HEIGHT * unit.squeeze, self.theme.text_px(12)
        least = round(SMALLEST_TILE * smallest_text)
        return QSize(*(max(round(count * side), least) for count in (columns, rows)))

    def _labelled(self, cell: CellSize) -> bool:
        """Say whether rows are high enough for their names; `exact` is what they take without digits."""
        return bool(self.row_names) and (cell.exact or cell.height) >= self.theme.text_px(12) + self.theme.px(2)

    def _grid(self, cell: CellSize, tile: QSize) -> Grid:
        px = self.theme.px
        caption = metrics_of(self.theme.text_px(12)).height() + bands.thickness(self.theme) + 1
        gap = px(10) if self._labelled(cell) else px(6) if cell.height > 2 else px(4)
        proportions = (tile.width() + gap) / (tile.height() + caption + gap)
        # A show has no panes beside the stage: it is wider.
        aspect = self.declared.aspect * (WIDER_IN_SHOW if self.theme.present else 1.0)
        return Grid(tiles_beside(self.view.heads, aspect, proportions), gap, caption)

    def _tiles_size(self, unit: Unit) -> QSize:
        cell = self._full_cell(unit)
        tile = self._tile(unit, cell)
        grid = self._grid(cell, tile)
        across, down = min(grid.columns, max(self.view.heads, 1)), -(-self.view.heads // grid.columns)
        return QSize(
            across * (tile.width() + grid.gap) - grid.gap,
            down * (tile.height() + grid.caption + grid.gap) - grid.gap,
        )

    def _margins(self, cell: CellSize) -> tuple[int, int, int, int]:
        (title, small), px = self._pixels(), self.theme.px
        left = 0
        if self._labelled(cell):
            pixels = self._label_pixels(cell)
            widest = max((text_width(pixels, self._row_label(i)) for i in range(len(self.row_names))), default=0)
            left = min(widest + px(8), self.theme.text_px(130))
        top = metrics_of(title, bold=True).height() + px(3)
        return left, top, 0, metrics_of(small).height() + px(2)

    def _words(self, width: int) -> list[tuple[str, ...]]:
        """Return the axes' words, on one line or on two, as the room is."""
        words = (f"{self.row_axis.words} ↓    ", f"{self.column_axis.words} →")
        small = self._pixels()[1]
        if text_width(small, "".join(words)) <= width:
            return [words]
        if self.theme.present and max(text_width(small, one) for one in words) > width:
            # Small tiles in a show: the large words would make the whole wider than its tiles.
            query, key = (axis.words.partition(":")[0] for axis in (self.row_axis, self.column_axis))
            return [(f"{query} ↓  ", f"{key} →")]
        return [(one,) for one in words]

    def arrange(self, unit: Unit) -> None:
        """Lay out the tiles inside the panel's present size."""
        self._cell = cell = self.cell_at(unit)
        self.view.set_cell_size(cell.width, cell.height, cell.font)
        self.view.set_terse(unit.lean > 0)
        whole = self._full_cell(unit)
        tile = self._tile(unit, whole)
        self.view.set_grid(self._grid(whole, tile))
        left, top, _right, _bottom = self._margins(cell)
        for policy in (self.view.setVerticalScrollBarPolicy, self.view.setHorizontalScrollBarPolicy):
            policy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.view.set_tile(tile)
        size = self._tiles_size(unit)
        self.view.setGeometry(left, top, max(size.width(), 1), max(size.height(), 1))
        self.update()

    def forget_sizes(self) -> None:
        """Forget what was measured, because what decides it may have changed."""
        super().forget_sizes()
        self._measured.clear()

    def anchor(self, unit: Unit, height: int) -> int:
        """Return how far below the panel's top the middle of the tiles stands; rows align these."""
        return self._measure(unit)[1]

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size wanted at this unit, whatever the height: tiles do not scroll."""
        return self._measure(unit)[0]

    def _measure(self, unit: Unit) -> tuple[QSize, int]:
        """Return the size and the anchor at this unit; a stage asks for many units, and for each many times."""
        found = self._measured.get(unit)
        if found is None:
            cell = self.cell_at(unit)
            left, top, right, bottom = self._margins(cell)
            size, small = self._tiles_size(unit), self._pixels()[1]
            lines = self._words(size.width())
            longest = max(text_width(small, "".join(line).rstrip()) for line in lines)
            width = max(left + size.width() + right, longest)
            more = (len(lines) - 1 + self._legend_below(width, cell)) * metrics_of(small).height()
            whole = QSize(max(width, self.header_width()), top + size.height() + bottom + more)
            found = self._measured[unit] = whole, top + size.height() // 2
        return found

    def _shape_text(self) -> str:
        rows, columns = self.view.tile_shape
        return f"{self.view.heads} × {rows} × {columns}"

    # --- painting ---

    def paint_frame(self, painter: QPainter) -> None:
        """Paint name, legend, words and the queries' names with the panel's corner at (0, 0)."""
        self._paint_header(painter)
        table, small_font = self.table_rect(), self._fonts()[1]
        metrics = QFontMetrics(small_font)
        painter.setFont(small_font)
        y = table.bottom() + metrics.ascent() + self.theme.px(2)
        for line in self._words(table.width()):
            x = table.left() if table.left() + metrics.horizontalAdvance("".join(line)) <= self.width() else 0
            for words in line:
                painter.setPen(self.theme.color(word_role(words)))
                painter.drawText(x, y, words)
                x += metrics.horizontalAdvance(words)
            y += metrics.height()
        if self._legend_below(self.width(), self._cell):
            self._paint_legend(painter, table.left(), y)
        if self._labelled(self._cell):
            self._paint_names(painter, table)

    def _paint_names(self, painter: QPainter, table: QRect) -> None:
        font, view = self._label_font(), self.view
        labels = QFontMetrics(font)
        painter.setFont(font)
        rows = view.tile_shape[0]
        lit = {row for row, _ in view.look.lit | view.look.pinned}
        for first in range(0, view.heads, view.grid_of_tiles.columns):
            top = table.top() + view.tile_rect(first).top()
            within = range(first * rows, (first + view.grid_of_tiles.columns) * rows)
            here = {row % rows for row in lit if row in within}
            for r in range(min(rows, len(self.row_names))):
                place = view.tile.place(r, 0)
                rect = QRect(0, top + place.top(), table.left() - self.theme.px(7), place.height())
                number = self._row_label(r).removeprefix(self.row_names[r])
                self._label(painter, rect, self.row_names[r], number, Qt.AlignmentFlag.AlignRight, r in here, labels)
