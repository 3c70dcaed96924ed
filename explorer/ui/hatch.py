"""The hatch of what is masked, as coarse on every surface: Qt's own is drawn in the surface's pixels, however small."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QLineF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen, QTransform

if TYPE_CHECKING:
    from explorer.ui.theme import Theme

#: How far the lines are apart, in a painter's own pixels; as far as Qt's.
SPACING = 8


def brush(painter: QPainter, theme: Theme) -> QBrush:
    """Return the brush of masked cells on the surface that a painter paints on."""
    scale = painter.deviceTransform().m11()
    color = theme.color("hatch")
    return QBrush(color, Qt.BrushStyle.BDiagPattern) if scale <= 1 else _coarse(color.rgb(), round(scale, 2))


@lru_cache(maxsize=16)
def _coarse(rgb: int, scale: float) -> QBrush:
    """Return lines as far apart and as thick as Qt's on a surface with more pixels."""
    side = round(SPACING * scale)
    tile = QImage(QSize(side, side), QImage.Format.Format_ARGB32_Premultiplied)
    tile.fill(Qt.GlobalColor.transparent)
    painter = QPainter(tile)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(QPen(QColor(rgb), scale))
    # The middle one runs from corner to corner; its neighbours lend it what leaves the tile there.
    for shift in (-side, 0, side):
        painter.drawLine(QLineF(shift - side, 2 * side, shift + 2 * side, -side))
    painter.end()
    hatch = QBrush(tile)
    hatch.setTransform(QTransform.fromScale(SPACING / side, SPACING / side))
    return hatch
