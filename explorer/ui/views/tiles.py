"""Tiles: a row of figures, each with what it is and how it comes about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from explorer.concepts.declaration import Custom, Tile
    from explorer.ui.matrix_panel import Unit
    from explorer.ui.theme import Theme


class TilesView(QWidget):
    """Draws the tiles that a model returns; it hides when there are none.

    The option "stacked" says whether they stand one below the other, "stacked_in_show" the same for presentations.
    """

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.tiles: list[Tile] = []
        self._stack = bool(view.options.get("stacked", True))
        self._stack_in_show = bool(view.options.get("stacked_in_show", self._stack))
        self.setObjectName(view.name)
        self.setAccessibleName(view.name)

    def show_model(self, model: list[Tile] | None) -> None:
        """Show these tiles."""
        if model == self.tiles:
            return
        self.tiles = model or []
        self.setAccessibleDescription("; ".join(f"{tile.label}: {tile.value}, {tile.detail}" for tile in self.tiles))
        self.update()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.tiles

    @property
    def _stacked(self) -> bool:
        return self._stack_in_show if self.theme.present else self._stack

    def _sizes(self) -> list[QSize]:
        px = self.theme.px
        value, small = QFontMetrics(self.theme.font(17, bold=True)), QFontMetrics(self.theme.font(12))
        sizes = []
        for tile in self.tiles:
            width = max(
                small.horizontalAdvance(tile.label),
                value.horizontalAdvance(tile.value),
                small.horizontalAdvance(tile.detail),
            )
            height = small.height() + value.height() + (small.height() if tile.detail else 0)
            sizes.append(QSize(width + px(24), height + px(14)))
        return sizes

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size of all tiles, one below the other or side by side."""
        sizes, gap = self._sizes(), self.theme.px(8)
        if not sizes:
            return QSize(0, 0)
        widths, heights = [s.width() for s in sizes], [s.height() for s in sizes]
        if self._stacked:
            return QSize(max(widths), sum(heights) + gap * (len(sizes) - 1))
        return QSize(sum(widths) + gap * (len(sizes) - 1), max(heights))

    def arrange(self, unit: Unit) -> None:
        """Nothing to lay out: the tiles are painted."""

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tiles as cards."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, px = self.theme, self.theme.px
        gap, at = px(8), 0
        small, bold = theme.font(12), theme.font(17, bold=True)
        for tile, size in zip(self.tiles, self._sizes(), strict=True):
            rect = (
                QRect(0, at, self.width(), size.height())
                if self._stacked
                else QRect(at, 0, size.width(), self.height())
            )
            at += (size.height() if self._stacked else size.width()) + gap
            painter.setPen(QPen(theme.color("border"), 1))
            painter.setBrush(theme.color("card"))
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), px(8), px(8))
            x, y, width = rect.left() + px(12), rect.top() + px(7), rect.width() - px(24)
            for text, font, color in (
                (tile.label, small, "muted"),
                (tile.value, bold, {"plain": "text"}.get(tile.tone, tile.tone)),
                (tile.detail, small, "muted"),
            ):
                if text:
                    painter.setFont(font)
                    painter.setPen(theme.color(color))
                    height = QFontMetrics(font).height()
                    painter.drawText(QRect(x, y, width, height), int(Qt.AlignmentFlag.AlignVCenter), text)
                    y += height
        painter.end()


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return TilesView(view, host, theme)
