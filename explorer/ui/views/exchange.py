"""An exchange: two parties that ask each other, and what comes of it in both directions, one below the other.

Every number is a link: hovering lights up where it comes from, a click keeps that on show. Tab enters the view, the
arrow keys go from number to number, Enter is the click.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from explorer.workbench.number_text import shown

if TYPE_CHECKING:
    from collections.abc import Mapping

    from PySide6.QtGui import QFont

    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.exchange import Direction, Exchange, Reading
    from explorer.ui.matrix_panel import Unit
    from explorer.ui.theme import Theme

DIGITS = 3
_KEYS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}

Place = tuple[int, int]


class ExchangeView(QWidget):
    """Draws an `Exchange` as a card."""

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.exchange: Exchange | None = None
        self._host = host
        self._hovered: Place | None = None
        self._focused: Place = (0, 0)
        self._lit: frozenset[Place] = frozenset()
        self._known: tuple[int, int, int, list[int]] | None = None
        self.setObjectName(view.name)
        self.setAccessibleName(view.options.get("title", view.name))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)

    # --- what is shown ---

    def show_model(self, model: Exchange | None) -> None:
        """Show this exchange."""
        if model == self.exchange:
            return
        self.exchange = model
        self._known = None
        self._focused = (0, 0) if self._focused not in self._places() else self._focused
        self._hovered = None
        self._describe()
        self.update()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return self.exchange is None

    @property
    def shape_key(self) -> object:
        """What its size depends on."""
        return None if self.exchange is None else (self._widths(), len(self.exchange.directions))

    def light(self, operands: Mapping[str, Any]) -> None:
        """Let the numbers stand out whose cells are among these."""
        lit = frozenset(
            place for place in self._places() if self._reading(place).index in operands.get(self._array(place), ())
        )
        if lit != self._lit:
            self._lit = lit
            self.update()

    def written(self) -> list[list[str]]:
        """Return the numbers as they are drawn, a list for each direction."""
        if self.exchange is None:
            return []
        return [[_written(reading) for reading in one.readings] for one in self.exchange.directions]

    def _places(self) -> list[Place]:
        if self.exchange is None:
            return []
        return [(row, at) for row, one in enumerate(self.exchange.directions) for at in range(len(one.readings))]

    def _reading(self, place: Place) -> Reading:
        assert self.exchange is not None
        return self.exchange.directions[place[0]].readings[place[1]]

    def _array(self, place: Place) -> str:
        return self._reading(place).array

    def _describe(self) -> None:
        if self.exchange is None:
            return
        parts = []
        for one in self.exchange.directions:
            numbers = ", ".join(
                f"{heading.name} {_written(reading)}"
                for heading, reading in zip(self.exchange.headings, one.readings, strict=True)
            )
            parts.append(
                self.tr("{asks} asks {asked}: {numbers}").format(asks=one.asks, asked=one.asked, numbers=numbers)
            )
        parts += [f"{heading.name}: {heading.verdict}" for heading in self.exchange.headings]
        self.setAccessibleDescription("; ".join(parts))

    # --- size and place ---

    def _fonts(self) -> tuple[QFont, QFont, QFont]:
        """Return the fonts of headings, of names, and of numbers."""
        return self.theme.font(12), self.theme.font(13), self.theme.font(17, bold=True)

    def _widths(self) -> tuple[int, int, int, list[int]]:
        """Return the widths of the one who asks, the arrow, the one asked, and of each column."""
        if self._known is None:
            self._known = self._measured()
        return self._known

    def _measured(self) -> tuple[int, int, int, list[int]]:
        assert self.exchange is not None
        small, names, numbers = (QFontMetrics(font) for font in self._fonts())
        px = self.theme.px
        asks = max(names.horizontalAdvance(one.asks) for one in self.exchange.directions)
        asked = max(names.horizontalAdvance(one.asked) for one in self.exchange.directions)
        arrow = small.horizontalAdvance(self.tr("asks")) + px(26)
        columns = []
        for at, heading in enumerate(self.exchange.headings):
            widest = max(
                small.horizontalAdvance(one.readings[at].lead)
                + max(numbers.horizontalAdvance(text) for text in ("−0.000", _written(one.readings[at])))
                + px(10)
                for one in self.exchange.directions
            )
            columns.append(max(widest, small.horizontalAdvance(f"{heading.name}: {heading.verdict}")))
        return asks, arrow, asked, columns

    def _line_height(self) -> int:
        return QFontMetrics(self._fonts()[2]).height() + self.theme.px(2)

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size of the card; it does not depend on the unit."""
        if self.exchange is None:
            return QSize(0, 0)
        px = self.theme.px
        asks, arrow, asked, columns = self._widths()
        small = QFontMetrics(self._fonts()[0]).height()
        width = asks + arrow + asked + sum(columns) + px(18) * len(columns) + px(28)
        return QSize(width, small + self._line_height() * len(self.exchange.directions) + px(16))

    def arrange(self, unit: Unit) -> None:
        """Nothing to lay out: the card is painted."""

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self._known = None
        self.update()

    def rect_of(self, place: Place) -> QRect:
        """Return where a number stands."""
        px = self.theme.px
        asks, arrow, asked, columns = self._widths()
        small = QFontMetrics(self._fonts()[0]).height()
        row, at = place
        left = px(14) + asks + arrow + asked + px(18) * (at + 1) + sum(columns[:at])
        return QRect(left, px(8) + small + row * self._line_height(), columns[at], self._line_height())

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the card."""
        if self.exchange is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, px = self.theme, self.theme.px
        painter.setPen(QPen(theme.color("border"), 1))
        painter.setBrush(theme.color("card"))
        painter.drawRoundedRect(QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
        small_font, _, number_font = self._fonts()
        small = QFontMetrics(small_font)
        for row, one in enumerate(self.exchange.directions):
            self._paint_parties(painter, one, self.rect_of((row, 0)))
        for at, heading in enumerate(self.exchange.headings):
            top = self.rect_of((0, at))
            painter.setFont(small_font)
            painter.setPen(theme.color("muted"))
            name = f"{heading.name}: "
            painter.drawText(top.left(), top.top() - small.descent(), name)
            painter.setPen(theme.color("good" if heading.good else "text"))
            painter.drawText(top.left() + small.horizontalAdvance(name), top.top() - small.descent(), heading.verdict)
            for row in range(len(self.exchange.directions)):
                self._paint_number(painter, (row, at), heading.role, number_font)
        painter.end()

    def _paint_parties(self, painter: QPainter, one: Direction, line: QRect) -> None:
        theme, px = self.theme, self.theme.px
        small_font, name_font, _ = self._fonts()
        small, names = QFontMetrics(small_font), QFontMetrics(name_font)
        asks, arrow, _asked, _ = self._widths()
        x, middle = px(14), line.center().y()
        base = middle + names.ascent() // 2 - px(1)
        painter.setFont(name_font)
        painter.setPen(theme.color("query"))
        painter.drawText(x + asks - names.horizontalAdvance(one.asks), base, one.asks)
        painter.setPen(theme.color("key"))
        painter.drawText(x + asks + arrow, base, one.asked)
        left, right = x + asks + px(5), x + asks + arrow - px(6)
        word = self.tr("asks")
        width = small.horizontalAdvance(word)
        painter.setFont(small_font)
        painter.setPen(theme.color("muted"))
        painter.drawText(left + px(2), base, word)
        wing = px(4)
        painter.setPen(QPen(theme.color("muted"), max(theme.scale * 1.4, 1)))
        painter.drawLine(QPointF(left + width + px(5), middle), QPointF(right, middle))
        painter.drawPolyline(
            QPolygonF(
                [QPointF(right - wing, middle - wing), QPointF(right, middle), QPointF(right - wing, middle + wing)]
            )
        )

    def _paint_number(self, painter: QPainter, place: Place, role: str, font: QFont) -> None:
        theme, px = self.theme, self.theme.px
        reading, rect = self._reading(place), self.rect_of(place)
        small_font = self._fonts()[0]
        numbers = QFontMetrics(font)
        base = rect.center().y() + numbers.ascent() // 2 - px(1)
        x = rect.left()
        if reading.lead:
            painter.setFont(small_font)
            painter.setPen(theme.color("muted"))
            painter.drawText(x, base, reading.lead)
            x += QFontMetrics(small_font).horizontalAdvance(reading.lead) + px(5)
        painter.setFont(font)
        text = _written(reading)
        box = QRect(x - px(3), rect.top(), numbers.horizontalAdvance(text) + px(6), rect.height() - px(1))
        if place == self._hovered or place in self._lit:
            painter.setPen(QPen(theme.color("outline"), max(px(1), 1)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(box).adjusted(0.5, 0.5, -0.5, -0.5), px(4), px(4))
        if self.hasFocus() and place == self._focused:
            painter.setPen(QPen(theme.color("accent"), max(px(2), 2)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(box).adjusted(1, 1, -1, -1), px(4), px(4))
        painter.setPen(theme.color(role))
        painter.drawText(x, base, text)

    # --- pointer and keyboard ---

    def _at(self, point: Any) -> Place | None:
        return next((place for place in self._places() if self.rect_of(place).contains(point)), None)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where the number under the pointer comes from."""
        self._hover(self._at(event.position().toPoint()))

    def leaveEvent(self, event: Any) -> None:
        """Forget the hovered number."""
        self._hover(None)
        super().leaveEvent(event)

    def _hover(self, place: Place | None) -> None:
        if place == self._hovered:
            return
        left = self._hovered
        self._hovered = place
        self.setCursor(Qt.CursorShape.ArrowCursor if place is None else Qt.CursorShape.PointingHandCursor)
        self.update()
        if place is not None:
            self._host.hover(self._array(place), self._reading(place).index)
        elif left is not None:
            self._host.hover(self._array(left), None)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep showing where a number comes from."""
        place = self._at(event.position().toPoint())
        if place is not None and event.button() == Qt.MouseButton.LeftButton:
            self._focused = place
            self._host.pin(self._array(place), self._reading(place).index)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from number to number; Enter keeps one on show."""
        step = _KEYS.get(Qt.Key(event.key()))
        if step is not None and self.exchange is not None:
            wanted = (self._focused[0] + step[0], self._focused[1] + step[1])
            if wanted in self._places():
                self._focused = wanted
                self._tell_focus()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.exchange is not None:
            self._host.pin(self._array(self._focused), self._reading(self._focused).index)
        else:
            super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the number in focus comes from."""
        super().focusInEvent(event)
        self._tell_focus()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Repaint without the focus ring."""
        super().focusOutEvent(event)
        if self.exchange is not None:
            self._host.hover(self._array(self._focused), None)
        self.update()

    def _tell_focus(self) -> None:
        if self.exchange is None:
            return
        one = self.exchange.directions[self._focused[0]]
        words = self.tr("{asks} asks {asked}: {what} {number}")
        self.setAccessibleDescription(
            words.format(
                asks=one.asks,
                asked=one.asked,
                what=self.exchange.headings[self._focused[1]].name,
                number=_written(self._reading(self._focused)),
            )
        )
        self._host.hover(self._array(self._focused), self._reading(self._focused).index)
        self.update()


def _written(reading: Reading) -> str:
    return shown(reading.value, DIGITS, tiny=True)


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return ExchangeView(view, host, theme)
