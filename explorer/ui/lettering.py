"""Short texts that are painted again and again, each laid out once.

An edit paints some two hundred short texts, most of them as in the frame before or, like ``0.25``, as in another cell.
Qt lays a text out anew whenever it is drawn, which takes five times as long as drawing what is laid out. A picture that
is written as text, as an SVG is, gets the text itself.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Final

from PySide6.QtCore import QPointF, QRect, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QStaticText, QTransform

from explorer.ui.theme import font_of, kept_by_size, metrics_of

#: How many texts are kept; a number that is dragged has ever new ones.
KEPT: Final = 4096
CENTER: Final = int(Qt.AlignmentFlag.AlignCenter)
MIDDLE: Final = int(Qt.AlignmentFlag.AlignVCenter)


@kept_by_size
@lru_cache(maxsize=KEPT)
def _laid_out(text: str, px: int, bold: bool) -> tuple[QStaticText, float]:
    """Return a text as it is drawn, and its width."""
    font = font_of(px, bold)
    laid_out = QStaticText(text)
    laid_out.setTextFormat(Qt.TextFormat.PlainText)
    laid_out.prepare(QTransform(), font)
    return laid_out, QFontMetricsF(font).horizontalAdvance(text)


class Lettering:
    """Draws texts in the app's font at one size, with the painter's pen.

    The painter must have `font`: setting it for every text would take longer than drawing it.

    Attributes
    ----------
    px, bold : int, bool
        The size in pixels, and whether the letters are bold.
    font : QFont
    metrics : QFontMetrics
    ascent, height : int
        Of a line, in whole pixels.
    """

    def __init__(self, px: int, bold: bool) -> None:
        self.px, self.bold, self.font, self.metrics = px, bold, font_of(px, bold), metrics_of(px, bold)
        self.ascent, self.height = self.metrics.ascent(), self.metrics.height()
        exact = QFontMetricsF(self.font)
        self._above, self._tall = exact.ascent(), exact.ascent() + exact.descent()

    def on_line(self, painter: QPainter, x: int, base: int, text: str) -> None:
        """Draw a text from `x` on, standing on the line at `base`."""
        if type(painter) is QPainter:
            painter.drawStaticText(QPointF(x, base - self._above), _laid_out(text, self.px, self.bold)[0])
        else:
            painter.drawText(x, base, text)

    def centered(self, painter: QPainter, x: int, y: int, width: int, height: int, text: str) -> None:
        """Draw a text in the middle of a rectangle; of one that is larger, what fits."""
        laid_out, needed = _laid_out(text, self.px, self.bold)
        above = height - self._tall
        if needed <= width and above >= 0 and type(painter) is QPainter:
            painter.drawStaticText(QPointF(x + (width - needed) / 2, y + above / 2), laid_out)
        else:
            painter.drawText(x, y, width, height, CENTER, text)

    def centered_in(self, painter: QPainter, room: QRect, text: str) -> None:
        """Draw a text in the middle of a rectangle, as `centered` does."""
        self.centered(painter, room.left(), room.top(), room.width(), room.height(), text)

    def beside(self, painter: QPainter, room: QRect, text: str) -> None:
        """Draw a text at the left of a rectangle, half way down; of one that is larger, what fits."""
        laid_out, needed = _laid_out(text, self.px, self.bold)
        above = room.height() - self._tall
        if needed <= room.width() and above >= 0 and type(painter) is QPainter:
            painter.drawStaticText(QPointF(room.left(), room.top() + above / 2), laid_out)
        else:
            painter.drawText(room, MIDDLE, text)


@kept_by_size
@cache
def lettering(px: int, bold: bool = False) -> Lettering:
    """Return the lettering of the app's font at exactly this pixel size."""
    return Lettering(px, bold)
