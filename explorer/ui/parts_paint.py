"""Painting what stands around the tables of a "parts" view: frames with their words, and signs. It holds no state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPen

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.concepts.shown.parts import Part, Parts
    from explorer.ui.parts_layout import PlacedPart, Plan
    from explorer.ui.theme import Theme

MIDDLE = int(Qt.AlignmentFlag.AlignVCenter)
CENTER = int(Qt.AlignmentFlag.AlignCenter)


def frames(
    painter: QPainter, theme: Theme, plan: Plan, parts: Parts, reached: int | None, ahead: Callable[[int], bool]
) -> None:
    """Paint the frames of all parts on show with their words; the part that is reached stands out."""
    for placed in plan.parts:
        part = parts.parts[placed.part]
        if part.title:
            _frame(painter, theme, placed, current=placed.part == reached, dashed=ahead(placed.part))
        _words(painter, theme, placed, part, silent=ahead(placed.part))
    painter.setFont(theme.font(12))
    if plan.result_words is not None and not ahead(len(parts.parts)):
        painter.setPen(theme.color("muted"))
        painter.drawText(plan.result_words, MIDDLE, parts.result_says)
    painter.setPen(theme.color("accent_text"))
    for rect, count in plan.more:
        painter.drawText(rect, CENTER, f"… {count} more" if count else "… result")


def _frame(painter: QPainter, theme: Theme, placed: PlacedPart, *, current: bool, dashed: bool) -> None:
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    painter.setPen(QPen(theme.color("accent" if current else "border"), theme.px(2) if current else 1, style))
    painter.setBrush(theme.color("card"))
    painter.drawRoundedRect(QRectF(placed.rect).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(8), theme.px(8))


def _words(painter: QPainter, theme: Theme, placed: PlacedPart, part: Part, *, silent: bool) -> None:
    words, bold = placed.words, theme.font(12, bold=True)
    if part.title:
        painter.setFont(bold)
        painter.setPen(theme.color("text"))
        painter.drawText(words, MIDDLE, part.title)
        words = words.adjusted(QFontMetrics(bold).horizontalAdvance(part.title) + theme.px(8), 0, 0, 0)
    if part.says and not silent:
        font = theme.font(12)
        painter.setFont(font)
        painter.setPen(theme.color("muted"))
        elided = QFontMetrics(font).elidedText(part.says, Qt.TextElideMode.ElideRight, words.width())
        painter.drawText(words, MIDDLE, elided)


def signs(painter: QPainter, theme: Theme, plan: Plan, ahead: Callable[[int], bool]) -> None:
    """Paint the signs between tables and parts, as far as these are reached."""
    painter.setFont(theme.font(17, bold=True))
    painter.setPen(theme.color("muted"))
    for sign in plan.signs:
        if not ahead(sign.part):
            painter.drawText(sign.rect, CENTER, sign.text)
