"""A matrix with everything around it: name, shape, badge, legend, axis words, token names, the Σ margin, stamps.

The panel paints its surroundings itself and holds one `MatrixView`. How much room all of that takes is
`explorer.ui.panel_geometry`'s business, and what the numbers are is decided elsewhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, QPointF, QRect, QRectF, Qt
from PySide6.QtGui import (
    QFontMetrics,
    QLinearGradient,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QPen,
    QPolygonF,
)

from explorer.ui import bands
from explorer.ui.cell_size import Unit, text_width
from explorer.ui.guard import guarded
from explorer.ui.number_style import COLOURED
from explorer.ui.panel_geometry import MIDDLE, NARROW, ORDINARY, PanelGeometry, position_text
from explorer.ui.token_editor import TokenEditor

if TYPE_CHECKING:
    from explorer.concepts.declaration import Situation
    from explorer.ui.theme import Ramp, Theme

__all__ = ["MatrixPanel", "Unit", "paint_ramp"]


class MatrixPanel(PanelGeometry):
    """One array with its surroundings."""

    def dress(self) -> tuple[object, ...]:
        """Return all that stands around the table; as long as it is equal the frame need not be painted again."""
        around = (self.title, self.badge, self.legend, self.row_names, self.column_names, self.marks, self.reached)
        return (*around, self.text, self.column_bands, self.row_bands)

    def take(self, situation: Situation) -> None:
        """Show which heads own which rows and columns at this moment."""
        self.row_bands = bands.of(self.row_axis, situation.sizes)
        self.column_bands = bands.of(self.column_axis, situation.sizes)

    def fit_text(self, *, may_shrink: bool = True) -> None:
        """Make cells as wide as their longest number where numbers are written in a form of their own.

        Cells of short numbers grow in few steps, and do not shrink while a number is dragged: a drag through whole
        numbers would make the page dance.
        """
        forms = self.view.look.forms
        if not forms:
            return
        short, written = COLOURED.issuperset(forms), [text for row in self.view.written() for text in row]

        def width(text: str) -> int:
            return text_width(13, text)

        longest = max(written, key=width, default="")
        steps = (NARROW, MIDDLE) if short else ()
        least = next((step for step in steps if width(longest) <= width(step)), ORDINARY)
        text = max(least, longest, key=width)
        if may_shrink or width(text) > width(self.text):
            self.text = text
            self.view.look.longest = text if short else ""

    def extent(self) -> tuple[object, ...]:
        """Return all that decides how much room the panel wants."""
        widest = text_width(13, self.text)
        around = self.title, self.badge, self.legend, self.row_names, self.column_names, widest
        grouped = self.column_bands, self.row_bands
        sums = max((len(text) for text, _ in self.sum_texts()), default=0) if self.sums else 0
        return (self.view.values.shape, sums, *around, *grouped, bool(self.marks.kept), self.marks.note)

    # --- painting ---

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint everything but the cells."""
        painter = QPainter(self)
        self.paint_frame(painter)
        painter.end()

    def paint_frame(self, painter: QPainter) -> None:
        """Paint name, labels, words, sums and stamps with the panel's corner at (0, 0)."""
        self._paint_header(painter)
        self._paint_columns(painter)
        self._paint_rows(painter)
        if self.reached is not None and self.reached < self.view.values.shape[0]:
            self._paint_blank(painter)

    def _paint_header(self, painter: QPainter) -> None:
        theme, px = self.theme, self.theme.px
        title_font, small_font = self._fonts()
        metrics, small = QFontMetrics(title_font), QFontMetrics(small_font)
        height = metrics.height()
        painter.setFont(title_font)
        painter.setPen(theme.color(self.role))
        below = not self.with_legend or not self.legend or self._legend_below(self.width(), self._cell)
        needed = self.header_width() + (0 if below else self._legend_width())
        x = min(self.table_rect().left(), max(self.width() - needed, 0))
        painter.drawText(x, metrics.ascent(), self.title)
        x += metrics.horizontalAdvance(self.title) + px(8)
        painter.setFont(small_font)
        painter.setPen(theme.color("muted"))
        painter.drawText(x, metrics.ascent(), self._shape_text())
        x += small.horizontalAdvance(self._shape_text()) + px(8)
        if not below:
            self._paint_legend(painter, x, metrics.ascent())
            x += self._legend_width()
        if self.badge:
            width = small.horizontalAdvance(self.badge) + px(14)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            if x + width <= self.width():
                self._paint_badge(painter, QRectF(x + 0.5, 0.5, width, height - 1))
            else:
                self._paint_origin(painter, QRectF(x - px(3), (height - px(11)) / 2, px(11), px(11)))
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
        self.setToolTip(f"{self.title}: {self.badge}" if self.badge else "")

    def _paint_legend(self, painter: QPainter, x: int, base: int) -> None:
        """Paint the colours with their ends, on the line of this base."""
        theme, px, look = self.theme, self.theme.px, self.view.look
        ramp = theme.weights if look.kind == "weight" and not look.differences else theme.signed
        small = QFontMetrics(self._fonts()[1])
        paint_ramp(painter, QRectF(x, base - small.capHeight() / 2 - px(4.5), px(54), px(9)), ramp)
        painter.setPen(theme.color("muted"))
        painter.drawText(x + px(60), base, self.legend)

    def _paint_badge(self, painter: QPainter, box: QRectF) -> None:
        theme = self.theme
        painter.setPen(QPen(theme.color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
        painter.setPen(theme.color("muted"))
        painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), self.badge)

    def _paint_origin(self, painter: QPainter, box: QRectF) -> None:
        """Draw what the badge says where it has no room: a die for random numbers, a pencil for typed ones."""
        theme = self.theme
        painter.setPen(QPen(theme.color("muted"), max(theme.px(1.2), 1)))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        side = box.width()
        if self.badge.startswith("random"):
            painter.drawRoundedRect(box, side / 5, side / 5)
            painter.setBrush(theme.color("muted"))
            painter.setPen(Qt.PenStyle.NoPen)
            for dx, dy in ((0.28, 0.28), (0.5, 0.5), (0.72, 0.72)):
                painter.drawEllipse(QPointF(box.left() + side * dx, box.top() + side * dy), side / 11, side / 11)
        else:
            painter.drawPolyline(
                QPolygonF(
                    [
                        box.bottomLeft() + QPointF(0, 0),
                        box.bottomLeft() + QPointF(side * 0.3, -side * 0.08),
                        box.topRight(),
                    ]
                )
            )
            painter.drawLine(box.bottomLeft(), box.topRight() - QPointF(side * 0.25, 0))

    def _paint_columns(self, painter: QPainter) -> None:
        theme, px, table = self.theme, self.theme.px, self.table_rect()
        _, small_font = self._fonts()
        small, labels = QFontMetrics(small_font), QFontMetrics(self._label_font())
        shown = self.table_size(self._cell)
        if self.column_bands is not None:
            offset = self.view.horizontalOffset()
            bands.paint_columns(painter, theme, self.column_bands, table, self.view.content_width(), offset)
        if self.row_bands is not None:
            offset = self.view.verticalOffset()
            bands.paint_rows(painter, theme, self.row_bands, table, self.view.content_height(), offset)
        y = table.top() - bands.column_space(theme, self.column_bands, shown.width())
        with_labels = self._names_columns(self._cell)
        if with_labels:
            y -= labels.height() + px(1)
            font = self._column_font()
            names = QFontMetrics(font)
            painter.setFont(font)
            offset = self.view.horizontalOffset()
            lit = {c for _, c in self.view.look.lit | self.view.look.pinned}
            for c, name in enumerate(self.column_names):
                rect = QRect(table.left() + c * self._cell.width - offset, y, self._cell.width, labels.height())
                number = position_text(self.column_axis, name, c)
                self._label(painter, rect, name, number, Qt.AlignmentFlag.AlignHCenter, c in lit, names)
            if self._shows_sums(self._cell):
                painter.setFont(self._label_font())
                painter.setPen(theme.color("muted"))
                painter.drawText(
                    QRect(table.right() + px(6), y, px(44), labels.height()), int(Qt.AlignmentFlag.AlignLeft), "Σ"
                )
        if self.column_axis.words:
            painter.setFont(small_font)
            painter.setPen(theme.color(word_role(self.column_axis.words)))
            painter.drawText(table.left(), y - small.descent() - px(1), f"{self.column_axis.words} →")

    def _label(
        self,
        painter: QPainter,
        rect: QRect,
        name: str,
        number: str,
        side: Qt.AlignmentFlag,
        lit: bool,
        metrics: QFontMetrics,
    ) -> None:
        theme = self.theme
        room = rect.width() - metrics.horizontalAdvance(number)
        # Between columns there is a little air that a name may take rather than lose its end.
        air = theme.px(3) if side == Qt.AlignmentFlag.AlignHCenter else 0
        fits = metrics.horizontalAdvance(name) <= room + air
        shown = name if fits else metrics.elidedText(name, Qt.TextElideMode.ElideRight, max(room, 0))
        width = metrics.horizontalAdvance(shown) + metrics.horizontalAdvance(number)
        x = rect.left() + (rect.width() - width) // 2 if side == Qt.AlignmentFlag.AlignHCenter else rect.right() - width
        base = rect.top() + (rect.height() - metrics.height()) // 2 + metrics.ascent()
        painter.setPen(theme.color("text"))
        painter.drawText(x, base, shown)
        painter.setPen(theme.color("text" if lit else "muted"))
        painter.drawText(x + metrics.horizontalAdvance(shown), base, number)

    def _paint_rows(self, painter: QPainter) -> None:
        theme, px, table = self.theme, self.theme.px, self.table_rect()
        _, small_font = self._fonts()
        small, label_font = QFontMetrics(small_font), self._label_font()
        labels = QFontMetrics(label_font)
        rows, height = self.view.values.shape[0], self._cell.height
        offset = self.view.verticalOffset()
        first, last = offset // height, min((offset + table.height()) // height + 1, rows)
        lit = {r for r, _ in self.view.look.lit | self.view.look.pinned}
        painter.save()
        painter.setClipRect(QRect(0, table.top(), self.width(), table.height()))
        for r in range(first, last):
            y = table.top() + r * height - offset
            if self._names_rows(self._cell, labels):
                painter.setFont(label_font)
                rect = QRect(0, y, table.left() - px(7), height)
                number = position_text(self.row_axis, self.row_names[r], r)
                self._label(painter, rect, self.row_names[r], number, Qt.AlignmentFlag.AlignRight, r in lit, labels)
            if r in self.marks.kept:
                painter.setFont(small_font)
                painter.setPen(theme.color("good"))
                painter.drawText(
                    QRect(table.right() + px(5), y, px(200), height), int(Qt.AlignmentFlag.AlignVCenter), "kept"
                )
            if r < len(self.marks.stamps) and (room := self._stamp_width(self._cell)):
                painter.setFont(small_font)
                painter.setPen(theme.color("muted"))
                text = small.elidedText(self.marks.stamps[r], Qt.TextElideMode.ElideRight, room - px(5))
                painter.drawText(
                    QRect(self.width() - room + px(2), y, room, height), int(Qt.AlignmentFlag.AlignVCenter), text
                )
            if (
                self._shows_sums(self._cell)
                and r not in self.marks.blank
                and (self.reached is None or r < self.reached)
            ):
                self._paint_sum(painter, QRect(table.right() + px(6), y, px(90), height), r)
        painter.restore()
        y = table.bottom() + small.ascent() + px(3)
        painter.setFont(small_font)
        x, words = table.left(), f"{self.row_axis.words} ↓" if self.row_axis.words else ""
        below = self._legend_below(self.width(), self._cell)
        if words:
            x = 0 if table.left() < px(60) else x
            painter.setPen(theme.color(word_role(self.row_axis.words)))
            painter.drawText(x, y, words)
            if below and self._legend_beside_words(self.width()):
                self._paint_legend(painter, x + small.horizontalAdvance(words) + px(12), y)
                below = False
            y += small.height()
        if below:
            self._paint_legend(painter, x, y)
            y += small.height() + px(2)
        if self.marks.note:
            painter.setPen(theme.color("muted"))
            painter.drawText(table.left(), y, self.marks.note)

    def _paint_sum(self, painter: QPainter, rect: QRect, row: int) -> None:
        text, right = self.sum_texts()[row]
        painter.setFont(self._sum_font(self._cell))
        painter.setPen(self.theme.color("muted" if right or self.role != "weight" else "warn"))
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), text)

    def _paint_blank(self, painter: QPainter) -> None:
        table = self.table_rect()
        top = table.top() + (self.reached or 0) * self._cell.height
        pen = QPen(self.theme.color("border"), 1, Qt.PenStyle.DashLine)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(table.left(), top, table.width() - 2, table.bottom() - top - 1)

    # --- names of tokens ---

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Rename the token whose name was double-clicked."""
        named = self._named_at(event.position().toPoint())
        if named is not None:
            self._rename(*named)

    def _named_at(self, point: QPoint) -> tuple[int, QRect] | None:
        """Return which token's name stands at a point, and where it stands."""
        table, cell, labels = self.table_rect(), self._cell, QFontMetrics(self._label_font())
        if self.row_axis.names == "tokens" and point.x() < table.left() and table.top() <= point.y() <= table.bottom():
            row = (point.y() - table.top() + self.view.verticalOffset()) // cell.height
            top = table.top() + row * cell.height - self.view.verticalOffset()
            if row < len(self.row_names):
                return row, QRect(0, top, max(table.left(), self.theme.px(60)), cell.height)
        if self.column_axis.names == "tokens" and 0 < table.top() - point.y() <= labels.height():
            column = (point.x() - table.left()) // cell.width
            if 0 <= column < len(self.column_names):
                left, height = table.left() + column * cell.width, labels.height() + self.theme.px(4)
                return column, QRect(left, table.top() - height, max(cell.width, self.theme.px(60)), height)
        return None

    def _rename(self, token: int, where: QRect) -> None:
        names = self.row_names if self.row_axis.names == "tokens" else self.column_names
        editor = TokenEditor(token, names[token], where, self.theme, self)
        editor.renamed.connect(self._host.rename)
        editor.open()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = self._letters = theme
        self.view.look.theme = theme
        self.view.refresh()
        self.update()


def paint_ramp(painter: QPainter, bar: QRectF, ramp: Ramp) -> None:
    """Paint a colour map from its low to its high end."""
    gradient = QLinearGradient(bar.topLeft(), bar.topRight())
    for i in range(0, 256, 15):
        gradient.setColorAt(i / 255, ramp.brushes[i])
    painter.fillRect(bar, gradient)


def word_role(words: str) -> str:
    """Return the role that an axis' words speak of, for their colour."""
    start = words.split(":", 1)[0]
    return start if start in ("query", "key", "value", "output") else "muted"
