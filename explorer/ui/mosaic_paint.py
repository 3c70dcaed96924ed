"""Painting what surrounds the tiles of a mosaic: their names, and what a tile as a whole says. It holds no state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from explorer.ui import bands
from explorer.ui.cell_size import text_width
from explorer.ui.lettering import lettering

if TYPE_CHECKING:
    from explorer.ui.theme import Theme


def caption(
    painter: QPainter,
    theme: Theme,
    tile: QRect,
    height: int,
    text: str,
    color: QColor,
    counts: bool | None,
    number: str = "",
) -> None:
    """Paint a tile's name, or its number, and its band above it.

    `counts` adds a box that says whether the head counts.
    """
    line, letters = bands.thickness(theme), lettering(theme.text_px(12))
    painter.fillRect(tile.left(), tile.top() - line - 1, tile.width(), line, color)
    box = QRect(tile.left(), tile.top() - height, tile.width(), height - line - 1)
    painter.setFont(letters.font)
    left = box.left()
    if counts is not None:
        side = min(letters.ascent - 1, box.height() - 2)
        frame = QRectF(left + 0.5, box.center().y() - side / 2 + 0.5, side, side)
        painter.setPen(QPen(color, max(theme.px(1), 1)))
        painter.setBrush(color if counts else Qt.BrushStyle.NoBrush)
        painter.drawRect(frame)
        left += side + theme.px(5)
    painter.setPen(color if counts is not False else theme.color("muted"))
    room = box.right() - left
    names = [text, number] if counts is not False else [f"{text} off", "off"]
    shown = next((name for name in names if text_width(letters.px, name) <= room), "")
    letters.beside(painter, QRect(left, box.top(), room + 1, box.height()), shown)


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
