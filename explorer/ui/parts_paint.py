"""Painting what stands around the tables of a "parts" view: frames with their words, and signs. It holds no state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from explorer.ui.cell_size import text_width
from explorer.ui.lettering import lettering

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.concepts.shown.parts import Part, Parts
    from explorer.ui.parts_layout import PlacedPart, Plan
    from explorer.ui.theme import Theme


def frames(
    painter: QPainter, theme: Theme, plan: Plan, parts: Parts, reached: int | None, ahead: Callable[[int], bool]
) -> None:
    """Paint the frames of all parts on show with their words; the part that is reached stands out."""
    for placed in plan.parts:
        part = parts.parts[placed.part]
        if part.title:
            _frame(painter, theme, placed, current=placed.part == reached, dashed=ahead(placed.part))
        _words(painter, theme, placed, part, silent=ahead(placed.part))
    small = lettering(theme.text_px(12))
    painter.setFont(small.font)
    if plan.result_words is not None and not ahead(len(parts.parts)):
        painter.setPen(theme.color("muted"))
        small.beside(painter, plan.result_words, parts.result_says)
    painter.setPen(theme.color("accent_text"))
    for rect, count in plan.more:
        small.centered_in(painter, rect, f"… {count} more" if count else "… result")


def _frame(painter: QPainter, theme: Theme, placed: PlacedPart, *, current: bool, dashed: bool) -> None:
    style = Qt.PenStyle.DashLine if dashed else Qt.PenStyle.SolidLine
    painter.setPen(QPen(theme.color("accent" if current else "border"), theme.px(2) if current else 1, style))
    painter.setBrush(theme.color("card"))
    painter.drawRoundedRect(QRectF(placed.rect).adjusted(0.5, 0.5, -0.5, -0.5), theme.px(8), theme.px(8))


def _words(painter: QPainter, theme: Theme, placed: PlacedPart, part: Part, *, silent: bool) -> None:
    words, px = placed.words, theme.text_px(12)
    if part.title:
        bold = lettering(px, bold=True)
        painter.setFont(bold.font)
        painter.setPen(theme.color("text"))
        bold.beside(painter, words, part.title)
        words = words.adjusted(text_width(px, part.title, bold=True) + theme.px(8), 0, 0, 0)
    if part.says and not silent:
        letters, says = lettering(px), part.says
        painter.setFont(letters.font)
        painter.setPen(theme.color("muted"))
        if text_width(px, says) > words.width():
            says = letters.metrics.elidedText(says, Qt.TextElideMode.ElideRight, words.width())
        letters.beside(painter, words, says)


def signs(painter: QPainter, theme: Theme, plan: Plan, ahead: Callable[[int], bool]) -> None:
    """Paint the signs between tables and parts, as far as these are reached."""
    letters = lettering(theme.text_px(17), bold=True)
    painter.setFont(letters.font)
    painter.setPen(theme.color("muted"))
    for sign in plan.signs:
        if not ahead(sign.part):
            letters.centered_in(painter, sign.rect, sign.text)
