"""Painting what surrounds the tiles of a mosaic: their names, and what a tile as a whole says. It holds no state."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPen

from explorer.ui import bands
from explorer.ui.cell_size import text_width
from explorer.ui.lettering import lettering

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.ui.theme import Theme


class Caption(NamedTuple):
    """Where a tile's name, its band and its box stand, and how they are painted."""

    band: QRect
    color: QColor
    #: Says whether the head counts; None where heads are not switched.
    box: QRectF | None
    filled: bool
    room: QRect
    tone: QColor
    text: str


def lay_out(
    theme: Theme, tile: QRect, height: int, text: str, color: QColor, counts: bool | None, number: str = ""
) -> Caption:
    """Return the caption of a tile: its name, or its number where that has no room, with its band above the tile.

    `counts` adds a box that says whether the head counts.
    """
    line, letters = bands.thickness(theme), lettering(theme.text_px(12))
    room = QRect(tile.left(), tile.top() - height, tile.width(), height - line - 1)
    box = None
    if counts is not None:
        side = min(letters.ascent - 1, room.height() - 2)
        box = QRectF(room.left() + 0.5, room.center().y() - side / 2 + 0.5, side, side)
        room.setLeft(room.left() + side + theme.px(5))
    names = [text, number] if counts is not False else [f"{text} off", "off"]
    return Caption(
        band=QRect(tile.left(), tile.top() - line - 1, tile.width(), line),
        color=color,
        box=box,
        filled=bool(counts),
        room=room,
        tone=color if counts is not False else theme.color("muted"),
        text=next((name for name in names if text_width(letters.px, name) < room.width()), ""),
    )


def captions(painter: QPainter, theme: Theme, laid_out: Iterable[Caption]) -> None:
    """Paint captions."""
    letters = lettering(theme.text_px(12))
    painter.setFont(letters.font)
    for band, color, box, filled, room, tone, text in laid_out:
        painter.fillRect(band, color)
        if box is not None:
            painter.setPen(QPen(color, max(theme.px(1), 1)))
            painter.setBrush(color if filled else Qt.BrushStyle.NoBrush)
            painter.drawRect(box)
        painter.setPen(tone)
        letters.beside(painter, room, text)


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
