"""Tables pressed into a given size: cells are pixels of a picture, and may take less than one each.

What a cell is worth, where it stands and how the picture is drawn is the same for a whole matrix and for a mosaic's
tile. Cells with digits are `explorer.ui.matrix_paint`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPen, QRegion

from explorer.ui import hatch, matrix_paint

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from explorer.ui.matrix_paint import Look
    from explorer.ui.theme import Ramp


#: How many patterns of masked cells are remembered.
MOST_PATTERNS = 64
#: Cells of fewer pixels are smoothed.
SMOOTH_BELOW = 2


class Tile(NamedTuple):
    """A table of so many rows and columns in a rectangle of this size, its corner at (0, 0)."""

    rows: int
    columns: int
    width: int
    height: int

    @property
    def rect(self) -> QRect:
        """The rectangle."""
        return QRect(0, 0, self.width, self.height)

    def place(self, row: int, column: int) -> QRect:
        """Return where a cell stands; one that takes less than a pixel gets a whole one."""
        width, height = self.width, self.height
        left, top = width * column // self.columns, height * row // self.rows
        right, bottom = width * (column + 1) // self.columns, height * (row + 1) // self.rows
        return QRect(left, top, max(right - left, 1), max(bottom - top, 1))

    def cell_at(self, point: QPoint) -> tuple[int, int] | None:
        """Return row and column at a point, of several that share a pixel the last; None outside."""
        if not self.rows or not self.columns or not self.rect.contains(point):
            return None
        row = ((point.y() + 1) * self.rows - 1) // self.height
        column = ((point.x() + 1) * self.columns - 1) // self.width
        return row, column


def hatched(tile: Tile) -> bool:
    """Say whether the cells of a table are large enough for masked ones to be hatched."""
    return tile.height >= matrix_paint.HATCH_FROM * tile.rows


def levels(values: NDArray[Any], look: Look) -> NDArray[np.uint8]:
    """Return every cell's place on its colour map, as `matrix_paint.levels` does, quicker for plain weights."""
    if look.kind != "weight" or look.differences or not isinstance(look.top, float) or look.top <= 0:
        return matrix_paint.levels(values, look)
    # Attention weights are finite.
    share = values * (255.0 / look.top)
    share += 0.5
    np.clip(share, 0, 255, out=share)
    return share.astype(np.uint8)


def _packed(ramp: Ramp) -> NDArray[np.uint32]:
    colors = ramp.colors.astype(np.uint32)
    return (0xFF000000 | (colors[:, 0] << 16) | (colors[:, 1] << 8) | colors[:, 2]).astype(np.uint32)


def _blocks(cells: Iterable[tuple[int, int]]) -> list[tuple[int, int, int, int]]:
    """Return cells that lie side by side as blocks: first row, first column, last row, last column."""
    runs: list[tuple[int, int, int]] = []
    for row, column in sorted(cells):
        if runs and runs[-1][0] == row and runs[-1][2] == column - 1:
            runs[-1] = (row, runs[-1][1], column)
        else:
            runs.append((row, column, column))
    # Of runs that are as wide, the one above comes just before the one below it.
    blocks: list[tuple[int, int, int, int]] = []
    for row, first, last in sorted(runs, key=lambda run: (run[1], run[2], run[0])):
        if blocks and (blocks[-1][1], blocks[-1][2], blocks[-1][3]) == (first, row - 1, last):
            blocks[-1] = (blocks[-1][0], first, row, last)
        else:
            blocks.append((row, first, row, last))
    return blocks


class Picture:
    """All cells of a mosaic as one picture, made when it is first needed and kept until `forget`."""

    def __init__(self) -> None:
        self._pixels: NDArray[np.uint32] | None = None
        self._image: QImage | None = None
        self._ramps: dict[int, NDArray[np.uint32]] = {}
        self._hatched: dict[tuple[Tile, bytes], list[QRect]] = {}

    def forget(self) -> None:
        """Draw anew the next time."""
        self._pixels = self._image = None

    def make(
        self, values: NDArray[Any], places: NDArray[np.uint8], look: Look, closed: NDArray[np.bool_] | None
    ) -> None:
        """Make the picture unless it is there; `closed` says which cells a mask closes, where that is known."""
        if self._image is None:
            self._make(values, places, look, closed)

    def paint(self, painter: QPainter, look: Look, tile: Tile, values: NDArray[Any], first: int = 0) -> None:
        """Paint the rows of the picture from `first` on as one table, with its corner at (0, 0).

        `values` and `look` are those of the table.
        """
        assert self._image is not None
        rows, columns = tile.rows, tile.columns
        target = tile.rect
        # Around a pixel a cell is smoothed: some would be twice as large as others, which looks like a pattern.
        fine = target.width() < SMOOTH_BELOW * columns or target.height() < SMOOTH_BELOW * rows
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, fine)
        painter.drawImage(target, self._image, QRect(0, first, columns, rows))
        if hatched(tile):
            self._hatch(painter, tile, look, values)
        self._cover(painter, tile, look)
        if look.dim:
            self._dim(painter, tile, look)
        self._outline(painter, tile, look)

    def _hatch(self, painter: QPainter, tile: Tile, look: Look, values: NDArray[Any]) -> None:
        masked = matrix_paint.masked_cells(values, look)
        # The same cells are masked in most heads, and most often.
        key = tile, masked.tobytes()
        rects = self._hatched.get(key)
        if rects is None:
            runs = matrix_paint.runs(masked)
            rects = [tile.place(r, first).united(tile.place(r, last - 1)) for r, first, last in runs]
            if len(self._hatched) >= MOST_PATTERNS:
                self._hatched.clear()
            self._hatched[key] = rects
        if rects:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(hatch.brush(painter, look.theme))
            painter.drawRects(rects)

    def _make(
        self, values: NDArray[Any], places: NDArray[np.uint8], look: Look, closed: NDArray[np.bool_] | None
    ) -> None:
        ramp = matrix_paint.ramp_of(look)
        packed = self._ramps.get(id(ramp))
        if packed is None:
            packed = self._ramps[id(ramp)] = _packed(ramp)
        pixels = packed.take(places, mode="clip")  # which looks for no index that is out of range
        hidden = values == -np.inf if closed is None else (values == -np.inf) | closed
        if hidden.any():
            tone = look.theme.color("hatch" if look.cell_height < matrix_paint.HATCH_FROM else "cell")
            pixels[hidden] = tone.rgba()
        self._pixels = np.ascontiguousarray(pixels)
        rows, columns = pixels.shape
        # The picture reads the array's own memory, which is kept beside it.
        self._image = QImage(self._pixels.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)

    @staticmethod
    def _cover(painter: QPainter, tile: Tile, look: Look) -> None:
        """Hide the rows that are not drawn yet, and those that are not drawn at this moment."""
        rows, columns, ground = tile.rows, tile.columns, look.theme.color("stage")
        hidden = set(look.blank) if look.reached is None else {*look.blank, *range(look.reached, rows)}
        for row in hidden:
            if row < rows:
                painter.fillRect(tile.place(row, 0).united(tile.place(row, columns - 1)), ground)

    @staticmethod
    def _dim(painter: QPainter, tile: Tile, look: Look) -> None:
        tone = QColor(look.theme.color("stage"))
        tone.setAlphaF(0.55)
        veiled = QRegion(tile.rect)
        for cell in look.lit:
            veiled -= QRegion(tile.place(*cell))
        painter.setClipRegion(veiled)
        painter.fillRect(tile.rect, tone)
        painter.setClipping(False)

    @staticmethod
    def _outline(painter: QPainter, tile: Tile, look: Look) -> None:
        """Frame cells from outside: they are too small for an outline of their own.

        Cells side by side have one frame; frames of each would cover what they frame.
        """
        line = max(look.theme.px(2), 1)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        for cells, color in ((look.changed, "changed"), (look.lit, "outline"), (look.pinned, "outline")):
            if not cells:
                continue
            frames = []
            for top, left, bottom, right in _blocks(cells):
                rect = tile.place(top, left).united(tile.place(bottom, right))
                grow = line if min(rect.width(), rect.height()) < 4 * line else 0
                frames.append(rect.adjusted(-grow, -grow, grow - 1, grow - 1))
            painter.setPen(QPen(look.theme.color(color), line))
            painter.drawRects(frames)
