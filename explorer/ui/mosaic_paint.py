"""Painting the tiles of a mosaic. Called by the view and by picture export; holds a picture and no state."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetrics, QImage, QPainter, QPen

from explorer.ui import bands, matrix_paint
from explorer.ui.matrix_paint import texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.matrix_paint import Look
    from explorer.ui.theme import Ramp, Theme

__all__ = ["Picture", "caption", "levels", "outline", "texts", "veil"]


def levels(values: NDArray[Any], look: Look) -> NDArray[np.intp]:
    """Return every cell's place on its colour map, as `matrix_paint.levels` does, quicker for plain weights."""
    if look.kind != "weight" or look.differences or not isinstance(look.top, float) or look.top <= 0:
        return matrix_paint.levels(values, look)
    # Attention weights are 0 to 1 and finite: no clipping of what is above, no search for infinities.
    share = values * (255.0 / look.top)
    share += 0.5
    np.clip(share, 0, 255, out=share)
    return share.astype(np.intp)


def _packed(ramp: Ramp) -> NDArray[np.uint32]:
    colors = ramp.colors.astype(np.uint32)
    return (0xFF000000 | (colors[:, 0] << 16) | (colors[:, 1] << 8) | colors[:, 2]).astype(np.uint32)


class Picture:
    """All cells of a mosaic as one picture, made when it is first needed and kept until `forget`."""

    def __init__(self) -> None:
        self._pixels: NDArray[np.uint32] | None = None
        self._image: QImage | None = None
        self._ramps: dict[int, NDArray[np.uint32]] = {}

    def forget(self) -> None:
        """Draw anew the next time."""
        self._pixels = self._image = None

    def paint(
        self,
        painter: QPainter,
        values: NDArray[Any],
        written: list[list[str]],
        places: NDArray[np.intp],
        look: Look,
        part: slice,
        closed: NDArray[np.bool_] | None,
    ) -> None:
        """Paint the rows `part` of stacked tables, with the first of them at (0, 0).

        `look` is that of the tile; `closed` says of all stacked cells which a mask closes, where that is known.
        """
        rows, columns = part.stop - part.start, values.shape[1]
        if look.with_text:
            own = values[part]
            matrix_paint.paint(painter, own, written, places[part], look, range(rows), range(columns))
            return
        if self._image is None:
            self._make(values, places, look, closed)
        assert self._image is not None
        width, height = look.cell_width, look.cell_height
        target = QRect(0, 0, columns * width, rows * height)
        painter.drawImage(target, self._image, QRect(0, part.start, columns, rows))
        masked = matrix_paint.masked_cells(values[part], look)
        if height >= matrix_paint.HATCH_FROM and masked.any():
            hatch = QBrush(look.theme.color("hatch"), Qt.BrushStyle.BDiagPattern)
            for r, first, last in matrix_paint.runs(masked):
                painter.fillRect(first * width, r * height, (last - first) * width, height, hatch)
        self._cover(painter, look, rows, target)
        if look.dim:
            self._dim(painter, look, rows, columns)
        matrix_paint.paint_outlines(painter, look, range(rows), range(columns))

    def _make(
        self, values: NDArray[Any], places: NDArray[np.intp], look: Look, closed: NDArray[np.bool_] | None
    ) -> None:
        ramp = matrix_paint.ramp_of(look)
        packed = self._ramps.get(id(ramp))
        if packed is None:
            packed = self._ramps[id(ramp)] = _packed(ramp)
        pixels = packed[places]
        hidden = np.isneginf(values) if closed is None else np.isneginf(values) | closed
        if hidden.any():
            tone = look.theme.color("hatch" if look.cell_height < matrix_paint.HATCH_FROM else "cell")
            pixels[hidden] = tone.rgba()
        self._pixels = np.ascontiguousarray(pixels)
        rows, columns = pixels.shape
        # The picture reads the array's own memory, which is kept beside it.
        self._image = QImage(self._pixels.data, columns, rows, columns * 4, QImage.Format.Format_RGB32)

    @staticmethod
    def _cover(painter: QPainter, look: Look, rows: int, target: QRect) -> None:
        ground = look.theme.color("stage")
        if look.reached is not None and look.reached < rows:
            top = look.reached * look.cell_height
            painter.fillRect(QRect(0, top, target.width(), target.height() - top), ground)
        for row in look.blank:
            if row < rows:
                painter.fillRect(QRect(0, row * look.cell_height, target.width(), look.cell_height), ground)

    @staticmethod
    def _dim(painter: QPainter, look: Look, rows: int, columns: int) -> None:
        if look.lit:
            matrix_paint.dim(painter, look, range(rows), range(columns))
            return
        tone = QColor(look.theme.color("stage"))
        tone.setAlphaF(0.55)
        painter.fillRect(0, 0, columns * look.cell_width, rows * look.cell_height, tone)


def caption(
    painter: QPainter, theme: Theme, tile: QRect, height: int, text: str, color: QColor, counts: bool | None
) -> None:
    """Paint a tile's name and its band above it; `counts` adds a box that says whether the head counts."""
    line, font = bands.thickness(theme), theme.font(12)
    metrics = QFontMetrics(font)
    painter.fillRect(tile.left(), tile.top() - line - 1, tile.width(), line, color)
    box = QRect(tile.left(), tile.top() - height, tile.width(), height - line - 1)
    painter.setFont(font)
    left = box.left()
    if counts is not None:
        side = min(metrics.ascent() - 1, box.height() - 2)
        frame = QRectF(left + 0.5, box.center().y() - side / 2 + 0.5, side, side)
        painter.setPen(QPen(color, max(theme.px(1), 1)))
        painter.setBrush(color if counts else Qt.BrushStyle.NoBrush)
        painter.drawRect(frame)
        left += side + theme.px(5)
    painter.setPen(color if counts is not False else theme.color("muted"))
    room = box.right() - left
    names = [text, text.rsplit(" ", maxsplit=1)[-1]] if counts is not False else [f"{text} off", "off"]
    shown = next((name for name in names if metrics.horizontalAdvance(name) <= room), "")
    painter.drawText(QRect(left, box.top(), room + 1, box.height()), int(Qt.AlignmentFlag.AlignVCenter), shown)


def veil(painter: QPainter, theme: Theme, size: QSize) -> None:
    """Make a tile step back."""
    tone = QColor(theme.color("stage"))
    tone.setAlphaF(0.72)
    painter.fillRect(0, 0, size.width(), size.height(), tone)


def outline(painter: QPainter, theme: Theme, tile: QRect) -> None:
    """Outline a tile in which something changed."""
    line = max(theme.px(2), 1)
    painter.setPen(QPen(theme.color("changed"), line))
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.drawRect(tile.adjusted(0, 0, -1, -1))
