"""Our own line icons, drawn in whatever colour the theme asks for."""

from __future__ import annotations

from functools import lru_cache
from itertools import product

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from explorer import resources

#: More than one theme at one scale has; those of the scales and themes before are drawn again when they come back.
KEPT = 64


@lru_cache(maxsize=KEPT)
def _renderer(name: str, color: str) -> QSvgRenderer:
    text = resources.text("icons", f"{name}.svg").replace("currentColor", color)
    return QSvgRenderer(QByteArray(text.encode()))


@lru_cache(maxsize=KEPT)
def icon(name: str, color: str, size: int, checked: str = "") -> QIcon:
    """Return the icon of that name in this colour, and in `checked` on a button that is on; sharp at two densities."""
    result = QIcon()
    states = [(color, QIcon.State.Off), (checked or color, QIcon.State.On)]
    for (ink, state), ratio in product(states, (1, 2)):
        pixmap = QPixmap(QSize(size, size) * ratio)
        pixmap.fill(Qt.GlobalColor.transparent)
        painter = QPainter(pixmap)
        _renderer(name, ink).render(painter, QRectF(0, 0, size * ratio, size * ratio))
        painter.end()
        pixmap.setDevicePixelRatio(ratio)
        result.addPixmap(pixmap, QIcon.Mode.Normal, state)
    return result
