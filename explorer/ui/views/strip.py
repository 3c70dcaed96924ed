"""A strip: things in a row, one narrow cell each, coloured by kind, with a legend that counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent
from PySide6.QtWidgets import QLabel, QToolButton, QWidget

from explorer.ui import plain_text
from explorer.ui.drawers import Popup
from explorer.ui.guard import guarded
from explorer.ui.style import dress

if TYPE_CHECKING:
    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.strip import Strip
    from explorer.ui.matrix_panel import Unit
    from explorer.ui.theme import Theme

#: Cells narrower than this, at 100 %, touch each other.
APART_FROM = 5
LEAST = 30
#: How much of the width title and facts may take.
WORDS = 0.4


class StripView(QWidget):
    """Draws a `Strip` in one line: its title, its facts, its cells, and their legend."""

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.strip: Strip | None = None
        self.notes = QToolButton(self)
        self.notes.setObjectName(f"{view.name}_notes")
        self.notes.setProperty("flat", True)
        self.notes.clicked.connect(self.open_notes)
        dress(self.notes, theme)
        self.popup = Popup(self.notes, f"popup_{view.name}_notes", self.tr("Notes"))
        self._text = QLabel()
        self._text.setWordWrap(True)
        self._text.setTextFormat(Qt.TextFormat.PlainText)
        self.popup.column.addWidget(self._text)
        self.setObjectName(view.name)
        self.setAccessibleName(view.options.get("title", view.name))

    def show_model(self, model: Strip | None) -> None:
        """Show this strip."""
        if model == self.strip:
            return
        self.strip = model
        if model is not None:
            legend = ", ".join(kind.label for kind in model.kinds)
            self.setAccessibleName(model.title)
            self.setAccessibleDescription("; ".join(filter(None, (*model.facts, legend, *model.notes))))
            self.setToolTip(plain_text.tip("; ".join(model.facts)))
            count = len(model.notes)
            self.notes.setText(self.tr("1 note ▾") if count == 1 else self.tr("{0} notes ▾").format(count))
            self._text.setText("\n\n".join(f"• {note}" for note in model.notes))
            self.notes.setVisible(bool(count))
            self._place_notes()
        self.update()

    def open_notes(self) -> None:
        """Show what a reader of the figures should know."""
        self._text.setFixedWidth(self.theme.px(420))
        self._text.setFont(self.theme.font(13))
        margin = self.theme.px(10)
        self.popup.column.setContentsMargins(margin, margin, margin, margin)
        self.popup.open_below()

    def _place_notes(self) -> None:
        self.notes.adjustSize()
        words = QFontMetrics(self.notes.font())
        # On the line on which the title stands.
        top = self._fonts()[0].ascent() - words.ascent() - (self.notes.height() - words.height()) // 2
        self.notes.move(self.width() - self.notes.width(), top)

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return self.strip is None

    # --- size ---

    def _fonts(self) -> tuple[QFontMetrics, QFontMetrics]:
        return QFontMetrics(self.theme.font(15, bold=True)), QFontMetrics(self.theme.font(12))

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the least size: a line of text."""
        return QSize(round(LEAST * unit.font), self._fonts()[0].height() + self.theme.px(2))

    def arrange(self, unit: Unit) -> None:
        """Put the notes' button to the right end."""
        self._place_notes()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        dress(self.notes, theme)
        self.update()

    # --- painting ---

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title, facts, cells and legend."""
        if self.strip is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        legend = self._legend(self.strip)
        room = self.width() - sum(width + self.theme.px(10) for *_, width in legend) - self.theme.px(74)
        room -= self.notes.width() + self.theme.px(10) if self.strip.notes else 0
        left = self._paint_words(painter, self.strip, max(room, round(self.width() * WORDS)))
        self._paint_cells(painter, self.strip, left, legend)
        painter.end()

    def _paint_words(self, painter: QPainter, strip: Strip, room: int) -> int:
        """Paint title and facts; return where they end."""
        theme, px = self.theme, self.theme.px
        title, small = self._fonts()
        base = title.ascent()
        name = title.elidedText(strip.title, Qt.TextElideMode.ElideRight, room)
        painter.setFont(theme.font(15, bold=True))
        painter.setPen(theme.color("text"))
        painter.drawText(QPointF(0, base), name)
        left = title.horizontalAdvance(name) + px(10)
        words = small.elidedText(" · ".join(strip.facts), Qt.TextElideMode.ElideRight, max(room - left, 0))
        painter.setFont(theme.font(12))
        painter.setPen(theme.color("muted"))
        painter.drawText(QPointF(left, base), words)
        return left + small.horizontalAdvance(words) + px(14)

    def _legend(self, strip: Strip) -> list[tuple[str, str, int]]:
        """Return label, colour and width of each entry of the legend."""
        small = self._fonts()[1]
        swatch = self.theme.px(15)
        return [(kind.label, kind.role, swatch + small.horizontalAdvance(kind.label)) for kind in strip.kinds]

    def _paint_cells(self, painter: QPainter, strip: Strip, left: int, legend: list[tuple[str, str, int]]) -> None:
        theme, px = self.theme, self.theme.px
        title, small = self._fonts()
        gap = px(10)
        beside = sum(width + gap for *_, width in legend)
        end = self.width() - (self.notes.width() + gap if strip.notes else 0)
        room = max(end - left - beside, px(60))
        height = small.ascent()
        top = title.ascent() - height + px(1)
        count = sum(times for _, times in strip.runs)
        width = min(room / max(count, 1), px(12))
        space = max(px(1), 1) if width >= px(APART_FROM) else 0
        painter.setPen(Qt.PenStyle.NoPen)
        at = 0
        for kind, times in strip.runs:
            painter.setBrush(theme.color(strip.kinds[kind].role))
            if space:
                for i in range(at, at + times):
                    painter.drawRoundedRect(QRectF(left + i * width, top, width - space, height), px(2), px(2))
            else:
                painter.drawRect(QRectF(left + at * width, top, times * width, height))
            at += times
        x = left + at * width + gap
        painter.setFont(theme.font(12))
        for label, role, wanted in legend:
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color(role))
            painter.drawRoundedRect(QRectF(x, top + (height - px(9)) / 2, px(9), px(9)), px(2), px(2))
            painter.setPen(theme.color("text"))
            shown = small.elidedText(label, Qt.TextElideMode.ElideRight, max(round(end - x - px(13)), 0))
            painter.drawText(QPointF(x + px(13), title.ascent()), shown)
            x += wanted + gap

    @guarded
    def changeEvent(self, event: QEvent) -> None:
        """Repaint in other fonts."""
        super().changeEvent(event)
        self.update()


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return StripView(view, host, theme)
