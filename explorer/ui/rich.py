"""Running text of lessons on the screen: spans as rich text, and options to choose whose text may wrap."""

from __future__ import annotations

import html
import re
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QAbstractTextDocumentLayout, QColor, QPainter, QPaintEvent, QPalette, QPen, QTextDocument
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QLabel, QRadioButton, QSizePolicy, QWidget

if TYPE_CHECKING:
    from collections.abc import Iterable

    from explorer.ui.theme import Theme
    from explorer.workbench.prose import Span

    _Button = QAbstractButton
else:
    # Qt allows one of its classes among the bases, and that is the radio button or the check box.
    _Button = object

#: Names of arrays that carry a role's colour wherever they stand in a text.
ROLES: Final = {
    "q": "query",
    "Wq": "query",
    "k": "key",
    "Wk": "key",
    "v": "value",
    "Wv": "value",
    "output": "output",
}
LINE_HEIGHT: Final = 128
# A name and its index, or a few numbers in parentheses, belong together on one line.
_TIGHT: Final = "&nbsp;"
_TUPLE: Final = re.compile(r"\([\d.,− ]{1,18}\)")


def rich(spans: Iterable[Span], theme: Theme, before: str = "") -> str:
    """Return spans as rich text, one paragraph or more; `before` is rich text that the first one begins with."""
    inside = before + "".join(_span(span, theme) for span in spans)
    gap = theme.px(6)
    parts = inside.split("\n\n")
    return "".join(
        f'<p style="margin:0 0 {gap if i + 1 < len(parts) else 0}px 0; line-height:{LINE_HEIGHT}%">{part}</p>'
        for i, part in enumerate(parts)
    )


def _span(span: Span, theme: Theme) -> str:
    text = _TUPLE.sub(lambda match: match[0].replace(" ", _TIGHT), html.escape(span.text))
    role = span.role
    if span.style == "code":
        role = role or ROLES.get(re.split(r"[\[ ]", span.text)[0], "plain")
        text = text.replace(" ", _TIGHT)
    if role:
        return f'<span style="color:{theme.colors.role[role]}; font-weight:600">{text}</span>'
    # Of the app's letters the boldest are those of 600; Qt would smear them for more.
    return f'<span style="font-weight:600">{text}</span>' if span.style == "emphasis" else text


def marked(text: str, color: str) -> str:
    """Return a short mark such as ✓ in a colour, for :func:`rich`."""
    return f'<span style="color:{color}; font-weight:600">{html.escape(text)}</span> '


class Paragraph(QLabel):
    """A label of running text that wraps; a screen reader says it without its styles."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setWordWrap(True)
        self.setTextFormat(Qt.TextFormat.RichText)
        self.setAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop)
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)

    def show_spans(self, spans: Iterable[Span], theme: Theme, before: str = "") -> None:
        """Show spans, led by rich text where `before` is given; nothing hides the label."""
        spans = tuple(spans)
        self.setText(rich(spans, theme, before))
        self.setAccessibleName(_plain(before) + "".join(span.text for span in spans))
        self.setVisible(bool(spans or before))


def _plain(text: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", text))


class _Option(_Button):
    """What both kinds of options share: text that wraps beside a mark that we paint."""

    def set_up(self, spans: Iterable[Span], theme: Theme) -> None:
        """Take the text, and the look of a theme."""
        spans = tuple(spans)
        self._theme = theme
        self._mark = ""
        self._document = QTextDocument(self)
        self._document.setDocumentMargin(0)
        self._document.setHtml(rich(spans, theme))
        # Not the button's own text, which would not wrap.
        self.setAccessibleName("".join(span.text for span in spans))
        policy = QSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Minimum)
        policy.setHeightForWidth(True)
        self.setSizePolicy(policy)
        self.setCursor(Qt.CursorShape.PointingHandCursor)

    def set_mark(self, mark: str) -> None:
        """Show the option as ``"right"``, ``"wrong"`` or, with nothing, undecided."""
        self._mark = mark
        self.update()

    @property
    def mark(self) -> str:
        """Return how the option is marked."""
        return self._mark

    def _side(self) -> int:
        return self._theme.px(14)

    def _text_left(self) -> int:
        return self._side() + self._theme.px(11)

    def _lay_out(self, width: int) -> None:
        self._document.setDefaultFont(self._theme.font(13))
        self._document.setTextWidth(max(width - self._text_left() - self._theme.px(4), 20))

    def hasHeightForWidth(self) -> bool:
        """Say that the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the wrapped text."""
        self._lay_out(width)
        return max(round(self._document.size().height()) + self._theme.px(8), self._theme.px(24))

    def sizeHint(self) -> QSize:
        """Return a size that layouts widen."""
        width = self._theme.px(190)
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        """Return the smallest size: one line."""
        return QSize(self._theme.px(80), self._theme.px(24))

    def hitButton(self, pos: QPoint) -> bool:
        """Take a click anywhere, not on the mark alone."""
        return self.rect().contains(pos)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw the mark, the text and, with the keyboard's focus, a frame."""
        theme = self._theme
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        self._paint_mark(painter)
        self._lay_out(self.width())
        painter.translate(self._text_left(), theme.px(4))
        context = QAbstractTextDocumentLayout.PaintContext()
        context.palette.setColor(QPalette.ColorRole.Text, theme.color("text"))
        self._document.documentLayout().draw(painter, context)
        painter.resetTransform()
        if self.hasFocus():
            painter.setPen(QPen(theme.color("accent"), max(theme.px(1.5), 1)))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(1, 1, -1, -1), theme.px(5), theme.px(5))
        painter.end()

    def _paint_mark(self, painter: QPainter) -> None:
        theme, side = self._theme, self._side()
        tone = {"right": "good", "wrong": "bad"}.get(self._mark, "accent" if self.isChecked() else "muted")
        color = theme.color(tone)
        box = QRect(theme.px(4), theme.px(6), side, side)
        filled = self.isChecked() or self._mark == "right"
        painter.setPen(QPen(color, max(theme.px(1.5), 1)))
        painter.setBrush(color if filled else Qt.BrushStyle.NoBrush)
        radius = side / 2 if self.autoExclusive() else theme.px(4)
        painter.drawRoundedRect(box, radius, radius)
        if filled:
            self._paint_sign(painter, QRectF(box), QColor(theme.colors.card))

    def _paint_sign(self, painter: QPainter, box: QRectF, color: QColor) -> None:
        """Draw ✓, or × on a wrong one: by shape as well as by colour."""
        painter.setPen(QPen(color, max(self._theme.px(2), 1), Qt.PenStyle.SolidLine, Qt.PenCapStyle.RoundCap))
        x, y, side = box.x(), box.y(), box.width()
        if self._mark == "wrong":
            lines = [((0.3, 0.3), (0.7, 0.7)), ((0.7, 0.3), (0.3, 0.7))]
        else:
            lines = [((0.25, 0.52), (0.43, 0.7)), ((0.43, 0.7), (0.75, 0.32))]
        for (x0, y0), (x1, y1) in lines:
            painter.drawLine(
                QPoint(round(x + x0 * side), round(y + y0 * side)), QPoint(round(x + x1 * side), round(y + y1 * side))
            )


class OptionRadio(_Option, QRadioButton):
    """An option of which one is chosen."""


class OptionCheck(_Option, QCheckBox):
    """An option of which several may be marked."""
