"""The key of a plot: its title, and every curve by name with what the cursor reads of it. Painted, not a widget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRect, QRectF, Qt
from PySide6.QtGui import QColor, QPen

from explorer.ui.cell_size import text_width
from explorer.ui.lettering import Lettering, lettering

if TYPE_CHECKING:
    from PySide6.QtGui import QPainter

    from explorer.concepts.shown.plots import Plot
    from explorer.ui.theme import Theme

SWATCH = 20
#: How a curve is drawn that is not a plain line.
DASHES = {"dashed": Qt.PenStyle.DashLine, "dotted": Qt.PenStyle.DotLine}


class PlotKey:
    """Lays out and paints the key."""

    def __init__(self, theme: Theme) -> None:
        self.theme = theme
        self._placed: tuple[Plot | None, Theme, dict[int, list[QRect]]] = (None, theme, {})

    # --- layout ---

    def _entries(self, plot: Plot) -> list[tuple[str, str, str]]:
        """Return name, colour and style of everything in the key, in the order of `Plot.readings`."""
        bars = [(one.name, one.role, "bars") for one in plot.bars]
        return bars + [(one.name, one.role, one.style) for one in plot.series]

    def _swatch(self) -> int:
        return SWATCH * (2 if self.theme.present else 1)

    def _beside(self) -> int:
        """Return the gap between a swatch and its name: a dash may not be read as a minus."""
        return 10 if self.theme.present else 5

    def _value_width(self, plot: Plot) -> int:
        """Return the room for a value, the same for all and whatever the cursor reads, so that nothing dances."""
        px = self.theme.text_px(12)
        samples = {plot.y.told(plot.y.value(share)) for share in (0.0, 0.123456789, 0.987654321, 1.0)}
        samples.update(text for bars in plot.bars for text in bars.reads)
        return max(text_width(px, text, bold=True) for text in samples)

    def places(self, plot: Plot, width: int) -> list[QRect]:
        """Return where each entry stands below the title, in lines as they fit the width."""
        if self._placed[0] is not plot or self._placed[1] is not self.theme:
            self._placed = (plot, self.theme, {})
        known = self._placed[2]
        if width not in known:
            known[width] = self._place(plot, width)
        return [QRect(place) for place in known[width]]

    def _place(self, plot: Plot, width: int) -> list[QRect]:
        px, names = self.theme.px, lettering(self.theme.text_px(12))
        value, line = self._value_width(plot), names.height + px(2)
        places: list[QRect] = []
        x, y = 0, self._title_height(plot)
        for name, _, _ in self._entries(plot):
            wanted = px(self._swatch() + self._beside()) + text_width(names.px, name) + px(7) + value
            if x and x + wanted > width:
                x, y = 0, y + line
            places.append(QRect(x, y, wanted, line))
            x += wanted + px(14)
        return places

    def _title_height(self, plot: Plot) -> int:
        return self._title().height + self.theme.px(3) if plot.title or plot.note else 0

    def _title(self) -> Lettering:
        return lettering(self.theme.text_px(13), bold=True)

    def height(self, plot: Plot | None, width: int) -> int:
        """Return how much room the key takes above a plot of this width."""
        if plot is None:
            return 0
        places = self.places(plot, width)
        return (places[-1].bottom() + 1 if places else self._title_height(plot)) + self.theme.px(4)

    # --- painting ---

    def paint(self, painter: QPainter, plot: Plot, room: QRect, cursor: float | None) -> None:
        """Paint the key; with a cursor, the values that it reads."""
        theme, px, title = self.theme, self.theme.px, self._title()
        names, values = (lettering(theme.text_px(12), bold) for bold in (False, True))
        if plot.title:
            painter.setFont(title.font)
            painter.setPen(theme.color("text"))
            title.on_line(painter, room.left(), title.ascent, plot.title)
        x = room.left() + (text_width(title.px, plot.title, bold=True) + px(10) if plot.title else 0)
        beside = (
            ("" if plot.empty else plot.note) if cursor is None else f"{plot.x.label} {plot.x.told(cursor)}".strip()
        )
        if plot.title or plot.note:
            painter.setFont(names.font)
            painter.setPen(theme.color("muted" if cursor is None else "accent_text"))
            names.on_line(painter, x, title.ascent, _elided(names, beside, room.right() - x))
        readings = plot.readings(cursor) if cursor is not None else []
        for at, ((name, role, style), place) in enumerate(
            zip(self._entries(plot), self.places(plot, room.width()), strict=True)
        ):
            place.translate(room.topLeft())
            middle, base = place.center().y(), place.top() + (place.height() - names.height) // 2 + names.ascent
            self._paint_swatch(painter, QRectF(place.left(), middle - px(5), px(self._swatch()), px(10)), role, style)
            painter.setFont(names.font)
            painter.setPen(theme.color("text"))
            left = place.left() + px(self._swatch() + self._beside())
            names.on_line(painter, left, base, name)
            if readings and readings[at][1]:
                painter.setFont(values.font)
                painter.setPen(theme.color(role))
                values.on_line(painter, left + text_width(names.px, name) + px(7), base, readings[at][1])

    def _paint_swatch(self, painter: QPainter, box: QRectF, role: str, style: str) -> None:
        theme = self.theme
        color = QColor(theme.color(role))
        if style == "bars":
            fill = QColor(color)
            fill.setAlphaF(0.28)
            painter.setPen(QPen(color, max(theme.px(1), 1)))
            painter.setBrush(fill)
            painter.drawRect(box.adjusted(box.width() / 4, 0, -box.width() / 4, 0))
        elif style == "points":
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            radius = theme.px(7 if theme.present else 4)
            painter.drawEllipse(box.center(), radius, radius)
        else:
            painter.setPen(
                QPen(
                    color,
                    max(theme.scale * (3.2 if theme.present else 2), 1),
                    DASHES.get(style, Qt.PenStyle.SolidLine),
                )
            )
            painter.drawLine(QPointF(box.left(), box.center().y()), QPointF(box.right(), box.center().y()))


def _elided(letters: Lettering, text: str, width: int) -> str:
    return letters.metrics.elidedText(text, Qt.TextElideMode.ElideRight, max(width, 0))
