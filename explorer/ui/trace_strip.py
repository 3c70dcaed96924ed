"""The strip under the stage: how one number came about, with every operand a link to the cell it was read from."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFont, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from explorer.ui.cell_size import text_width
from explorer.ui.guard import guarded
from explorer.ui.lettering import Lettering, lettering
from explorer.workbench.trace import Token, Trace

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.ui.theme import Theme


#: The sizes of letters that are tried, at first without breaking a line: in a show, and everywhere.
IN_SHOW, ORDINARY = (26, 23, 20, 17.5), (15, 14, 13, 12)


class TraceStrip(QWidget):
    """Draws a trace and follows its links.

    Signals
    -------
    followed(str, tuple)
        An operand was clicked: the array and the index it was read from.
    """

    followed = Signal(str, tuple)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.theme = theme
        self._trace: Trace | None = None
        self._pinned = False
        self._placed: list[tuple[QRect, Token, Lettering, int]] = []
        self._links: list[tuple[QRect, Token]] = []
        self._current = -1
        self._full = False
        self._lines = 3
        self._needed = 0
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setObjectName("trace")
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        """Return the height of a title and the lines."""
        return QSize(400, max(self._base_height(), self._needed))

    def _base_height(self) -> int:
        return self.theme.px(18) + QFontMetrics(self._small()).height() + self._lines * self._line_height()

    def set_lines(self, lines: int) -> None:
        """Leave room for so many lines; longer traces are set smaller."""
        if lines != self._lines:
            self._lines = lines
            self.updateGeometry()

    def _line_height(self) -> int:
        return QFontMetrics(self.theme.font(15)).height() + self.theme.px(6)

    def _small(self) -> QFont:
        return self.theme.font(13)

    def show_trace(self, trace: Trace | None, pinned: bool) -> None:
        """Show where a number comes from; None shows what to do. What is on show already is left as it is."""
        if trace is not None and (trace, pinned) == (self._trace, self._pinned):
            return
        self._full = False
        self._trace = trace
        self._pinned = pinned
        self._current = -1
        self._lay_out()
        self.setAccessibleName("Trace")
        self.setAccessibleDescription(self.plain_text())
        self.update()

    @property
    def trace(self) -> Trace | None:
        """The trace on show."""
        return self._trace

    def plain_text(self) -> str:
        """Return the strip as plain text, a line a line."""
        if self._trace is None:
            return HINT
        return self._trace.plain()

    # --- layout ---

    def _lay_out(self) -> None:
        self._placed, self._links = [], []
        if self._trace is None:
            return
        px = self.theme.px
        x0, y, width = px(18), px(8), self.width() - px(36)
        small = lettering(self.theme.text_px(13))
        title = list(self._trace.title)
        if self._pinned:
            title.append(Token(" · pinned", "note"))
        note = Token(" · every underlined number leads to the cells it comes from", "note")
        if sum(text_width(small.px, token.text) for token in [*title, note]) < width * 0.9:
            title.append(note)
        y += self._place_line(_groups(title), x0, y, width, small.px, small.height + px(3))
        titled = len(self._placed)
        base = self._base_height()
        lines = [_groups(line.tokens) for line in self._trace.lines]
        # In a show short traces fill the room: they are what a lecturer points at.
        whole = (*(IN_SHOW if self.theme.present else ()), *ORDINARY[:2])
        for size, breaks in (*((size, False) for size in whole), *((size, True) for size in ORDINARY)):
            del self._placed[titled:], self._links[:]
            letters, at = lettering(self.theme.text_px(size)), y
            height = letters.height + px(6)
            if size > ORDINARY[-1] and y + height * len(lines) > base:
                continue  # there are more lines than room for letters of this size, however short they are
            for groups in lines:
                used = self._place_line(groups, x0, at, width, letters.px, height)
                at += used
                if (at > base and size > ORDINARY[-1]) or (used > height and not breaks):
                    at = max(at, base + 1)
                    break
            if at <= base:
                break
        # Decided by the base height alone: the height that follows from it must not change what it follows from.
        needed = at + px(6) if at > base else 0
        if needed != self._needed:
            self._needed = needed
            self.updateGeometry()

    def _place_line(self, groups: list[list[Token]], x0: int, y: int, width: int, px: int, height: int) -> int:
        """Place a line's tokens, wrapping only between groups where these fit a line; return the height used."""
        indent, above, below = self.theme.px(18), self.theme.px(2), self.theme.px(3)
        x, used, ascent = x0, height, lettering(px).ascent
        waiting = groups[::-1]
        while waiting:
            group = waiting.pop()
            styled = [(token, *self._measured(token, px)) for token in group]
            advance = sum(width_of for *_, width_of in styled)
            if advance > width - indent and len(group) > 1:
                waiting += [[token] for token in reversed(group)]
                continue
            if x > x0 and x + advance > x0 + width:
                x, y, used = x0 + indent, y + height, used + height
            for token, letters, width_of in styled:
                lift = ascent // 3 if token.raised else 0
                base = y + ascent - lift
                room = max(x0 + width - x, indent)
                rect = QRect(x, base - letters.ascent, min(width_of, room), letters.height)
                self._placed.append((rect, token, letters, base))
                if token.cell is not None:
                    self._links.append((rect.adjusted(0, -above, 0, below), token))
                x += rect.width()
        return used

    def _shown(self, token: Token) -> str:
        return token.full if self._full and token.full else token.text

    def _measured(self, token: Token, px: int) -> tuple[Lettering, int]:
        """Return how a token is drawn on a line of this size, and how wide it is."""
        if token.raised:
            px, bold = max(int(px * 0.82), self.theme.text_px(12)), False
        else:
            bold = token.kind in ("operand", "result", "name")
        return lettering(px, bold), text_width(px, self._shown(token), bold=bold)

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Break the lines anew."""
        super().resizeEvent(event)
        self._lay_out()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self.updateGeometry()
        self._lay_out()
        self.update()

    # --- painting ---

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the tokens; links are underlined in the colour of their role."""
        painter = QPainter(self)
        theme = self.theme
        painter.fillRect(self.rect(), theme.color("panel"))
        painter.fillRect(0, 0, self.width(), 1, theme.color("border"))
        if self._trace is None:
            painter.setFont(self._small())
            painter.setPen(theme.color("muted"))
            painter.drawText(
                self.rect().adjusted(theme.px(18), theme.px(8), -theme.px(18), 0),
                int(Qt.TextFlag.TextWordWrap),
                HINT,
            )
            self._paint_focus(painter)
            painter.end()
            return
        end, below, line = self.width() - theme.px(18) - 1, theme.px(3), max(theme.px(1), 1)
        last, last_color = None, None
        for rect, token, letters, base in self._placed:
            if letters is not last:
                painter.setFont(letters.font)
                last = letters
            color = theme.color("muted" if token.kind in ("text", "note") else token.role or "text")
            if color is not last_color:
                painter.setPen(color)
                last_color = color
            text = self._shown(token)
            # Only what alone is longer than a line is cut; Qt would elide a text that fits by a fraction of a pixel.
            if rect.right() >= end:
                text = letters.metrics.elidedText(text, Qt.TextElideMode.ElideRight, rect.width() + 1)
            letters.on_line(painter, rect.left(), base, text)
            if token.cell is not None:
                painter.fillRect(rect.left(), base + below - line // 2, rect.width(), line, color)
        self._paint_focus(painter)
        painter.end()

    def _paint_focus(self, painter: QPainter) -> None:
        """Put a ring around the link that the keyboard is on, or around all as long as it is on none."""
        if not self.hasFocus():
            return
        line = max(self.theme.px(2), 2)
        on_link = 0 <= self._current < len(self._links)
        inset = line // 2
        whole = self.rect().adjusted(inset, inset + 1, -line, -line)
        painter.setPen(QPen(self.theme.color("accent"), line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(self._links[self._current][0].adjusted(-2, 0, 2, 1) if on_link else whole)

    # --- links ---

    def links(self) -> list[tuple[QRect, tuple[str, tuple[int, ...]]]]:
        """Return the rectangles of the links with the cells that they lead to."""
        return [(rect, token.cell) for rect, token in self._links if token.cell is not None]

    def placed_texts(self) -> list[tuple[QRect, str]]:
        """Return the rectangle of every piece of text with the text."""
        return [(rect, token.text) for rect, token, _, _ in self._placed]

    def _link_at(self, point: QPoint) -> int:
        return next((i for i, (rect, _) in enumerate(self._links) if rect.contains(point)), -1)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show that a number is a link, and its full digits."""
        at = self._link_at(event.position().toPoint())
        self.setCursor(Qt.CursorShape.PointingHandCursor if at >= 0 else Qt.CursorShape.ArrowCursor)
        self.setToolTip(self._links[at][1].full if at >= 0 else "")

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Follow a link; a click beside the links shows all digits, and again fewer."""
        at = self._link_at(event.position().toPoint())
        if at >= 0:
            self._follow(at)
        elif self._trace is not None:
            self._full = not self._full
            self._lay_out()
            self.update()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Walk the links with left and right; Enter follows one."""
        if event.key() in (Qt.Key.Key_Left, Qt.Key.Key_Right) and self._links:
            self._current = (self._current + (1 if event.key() == Qt.Key.Key_Right else -1)) % len(self._links)
            token = self._links[self._current][1]
            self.setAccessibleDescription(f"{token.text}, from {token.cell}")
            self.update()
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._current >= 0:
            self._follow(self._current)
        else:
            super().keyPressEvent(event)

    def _follow(self, at: int) -> None:
        cell = self._links[at][1].cell
        if cell is not None:
            self.followed.emit(cell[0], cell[1])


OPERATORS = ("+", "−", "×", "÷", "=", "≈", "…")


def _groups(tokens: Sequence[Token]) -> list[list[Token]]:
    """Split a line where it may be broken: before an operator that stands between operands, and between words."""
    groups: list[list[Token]] = []
    for token in (word for whole in tokens for word in _words(whole)):
        breaks = token.kind in ("text", "note") and not token.raised and token.text.strip().startswith(OPERATORS)
        if not groups or breaks or token.kind == "note":
            groups.append([])
        groups[-1].append(token)
    return groups


def _words(token: Token) -> list[Token]:
    """Split words into single ones, each with the space before it, so that a long sentence finds room."""
    if token.kind != "note" or token.cell is not None:
        return [token]
    return [token._replace(text=text) for text in re.findall(r"\s*\S+(?:\s+$)?|^\s+$", token.text)] or [token]


HINT = (
    "Point at any number to see where it comes from. Click to keep it here; every underlined number then leads"
    " further up."
)
