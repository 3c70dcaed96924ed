"""Our own line icons, drawn in whatever colour the theme asks for."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from explorer import resources


@cache
def _renderer(name: str, color: str) -> QSvgRenderer:
    text = resources.text("icons", f"{name}.svg").replace("currentColor", color)
    return QSvgRenderer(QByteArray(text.encode()))


@cache
def icon(name: str, color: str, size: int) -> QIcon:
    """Return the icon of that name in this colour, `size` pixels wide, sharp at one and at two pixels a point."""
    result = QIcon()
    for ratio in (1, 2):
        pixmap = QPixmap(QSize(size, size) * ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        _renderer(name, color).render(painter, QRectF(0, 0, size * ratio, size * ratio))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        result.addPixmap(pixmap)
    return result
