"""Tiles: a row of figures, each with what it is and how it comes about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QEvent, QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.ui.cell_size import beside_digits, text_width
from explorer.ui.guard import guarded
from explorer.ui.lettering import lettering

if TYPE_CHECKING:
    from explorer.concepts.declaration import Custom, Tile
    from explorer.ui.matrix_panel import Unit
    from explorer.ui.theme import Theme

#: Widths go in such steps at 100 %, so that the layout stands still while the digits of a figure change.
WIDTH_STEP = 24
#: The size of a figure at 100 %.
VALUE = 17


#: The colour of a number by the tone of its tile, where the theme calls it otherwise.
_INK: Final = {"plain": "text", "accent": "accent_text"}


class TilesView(QWidget):
    """Draws the tiles that a model returns; it hides when there are none.

    The option "stacked" says whether they stand one below the other, "stacked_in_show" the same for presentations;
    "title" is what a screen reader calls them, "value" the size of the figures at 100 %; with "gives_way" figures
    become smaller and the last tiles disappear where there is little height. Tiles with a cell can be chosen: Tab and
    the arrow keys go from one to the next, a click or Enter pins the trace of its cell.
    """

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.tiles: list[Tile] = []
        #: The theme with letters that go with the digits of the stage.
        self._letters = theme
        self._measured: dict[tuple[int, float], list[QSize]] = {}
        self._host = host
        self._hovered = -1
        self._current = -1
        self._unreached: frozenset[str] = frozenset()
        self._value = int(view.options.get("value", VALUE))
        self._gives_way = bool(view.options.get("gives_way", False))
        self._stack = bool(view.options.get("stacked", True))
        self._stack_in_show = bool(view.options.get("stacked_in_show", self._stack))
        self.setObjectName(view.name)
        self.setAccessibleName(view.options.get("title", view.name))
        self.setMouseTracking(True)

    # --- what is shown ---

    def show_model(self, model: list[Tile] | None) -> None:
        """Show these tiles."""
        if model == self.tiles:
            return
        self.tiles = model or []
        self._measured.clear()
        chosen = self._choices()
        self._current = self._current if self._current in chosen else -1
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus if chosen else Qt.FocusPolicy.NoFocus)
        self._describe()
        self.update()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.tiles

    @property
    def shape_key(self) -> tuple[int, ...]:
        """What the layout depends on."""
        return tuple(size.width() * 10_000 + size.height() for size in self._sizes())

    def _choices(self) -> list[int]:
        shown = self._fitting(self.height())[1]
        return [i for i, tile in enumerate(self.tiles[:shown]) if tile.cell is not None and self._seen(tile)]

    def hide_arrays(self, names: frozenset[str]) -> None:
        """Hide the figures that were read from arrays which the steps have not come to; what they are stays."""
        if names != self._unreached:
            self._unreached = names
            self._describe()
            self.update()

    def _seen(self, tile: Tile) -> bool:
        return tile.cell is None or tile.cell[0] not in self._unreached

    def _describe(self) -> None:
        shown = [self.tiles[self._current]] if self._current >= 0 else self.tiles
        seen = [tile for tile in shown if self._seen(tile)]
        spoken = [", ".join(filter(None, (f"{tile.label}: {tile.value}", tile.detail))) for tile in seen]
        self.setAccessibleDescription("; ".join(spoken))

    # --- size ---

    @property
    def _stacked(self) -> bool:
        return self._stack_in_show if self.theme.present else self._stack

    def _sizes(self, size: int = 0) -> list[QSize]:
        """Return the size of each tile when figures are so large, as large as can be unless given."""
        key = size or self._value, self._letters.growth
        if key not in self._measured:
            self._measured[key] = self._measure_tiles(size)
        return self._measured[key]

    def _measure_tiles(self, size: int) -> list[QSize]:
        px = self.theme.px
        value, small = self._letters.text_px(size or self._value), self._letters.text_px(12)
        step = max(px(WIDTH_STEP), 1)
        sizes = []
        for tile in self.tiles:
            details = tile.detail.splitlines()
            width = px(24) + max(
                text_width(small, tile.label),
                text_width(value, tile.value, bold=True),
                *(text_width(small, line) for line in details),
            )
            height = lettering(small).height * (1 + len(details)) + lettering(value, bold=True).height
            sizes.append(QSize(-(-width // step) * step, height + px(14)))
        return sizes

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size of all tiles, one below the other or side by side."""
        self.arrange(unit)
        gap = self.theme.px(8)
        size, count = self._fitting(max_height)
        sizes = self._sizes(size)[:count]
        if not sizes:
            return QSize(0, 0)
        widths, heights = [s.width() for s in sizes], [s.height() for s in sizes]
        if self._stacked:
            return QSize(max(widths), sum(heights) + gap * (len(sizes) - 1))
        return QSize(sum(widths) + gap * (len(sizes) - 1), max(heights))

    def _fitting(self, room: int) -> tuple[int, int]:
        """Return how large figures are and how many tiles are shown in so much height, the first ones first."""
        if not self._stacked or not self._gives_way:
            return self._value, len(self.tiles)
        gap, heights = self.theme.px(8), []
        for size in (self._value, min(self._value, VALUE)):
            heights = [one.height() for one in self._sizes(size)]
            if sum(heights) + gap * (len(heights) - 1) <= room:
                return size, len(heights)
        ends = [sum(heights[: i + 1]) + gap * i for i in range(len(heights))]
        return min(self._value, VALUE), max(sum(end <= room for end in ends), min(len(heights), 1))

    def arrange(self, unit: Unit) -> None:
        """Take letters that go with the stage's digits, unless the figures are larger than these anyway."""
        self._letters = beside_digits(self.theme, unit) if self._value == VALUE else self.theme

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = self._letters = theme
        self._measured.clear()
        self.update()

    def tile_rects(self) -> list[QRect]:
        """Return where each tile stands."""
        at, gap, rects = 0, self.theme.px(8), []
        figures, count = self._fitting(self.height())
        for size in self._sizes(figures)[:count]:
            if self._stacked:
                rects.append(QRect(0, at, self.width(), size.height()))
            else:
                rects.append(QRect(at, 0, size.width(), self.height()))
            at += (size.height() if self._stacked else size.width()) + gap
        return rects

    # --- painting ---

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the tiles as cards."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for i, (tile, rect) in enumerate(zip(self.tiles, self.tile_rects(), strict=False)):
            self._paint_tile(painter, i, tile, rect)
        painter.end()

    def _paint_tile(self, painter: QPainter, i: int, tile: Tile, rect: QRect) -> None:
        theme, px = self.theme, self.theme.px
        focused = self.hasFocus() and i == self._current
        line = max(px(2), 2) if focused else 1
        border = "accent" if focused or (i == self._hovered and tile.cell is not None) else "border"
        painter.setPen(QPen(theme.color(border), line))
        painter.setBrush(theme.color("card"))
        inset = line / 2
        painter.drawRoundedRect(QRectF(rect).adjusted(inset, inset, -inset, -inset), px(8), px(8))
        figures = self._fitting(self.height())[0]
        x, y, width = rect.left() + px(12), rect.top() + px(7), rect.width() - px(24)
        small, large = (lettering(self._letters.text_px(px), bold) for px, bold in ((12, False), (figures, True)))
        lines = [
            (tile.label, small, "muted"),
            (tile.value, large, {"plain": "text", "accent": "accent_text"}.get(tile.tone, tile.tone)),
            *((line, small, "muted") for line in tile.detail.splitlines()),
        ]
        for text, letters, color in lines if self._seen(tile) else lines[:1]:
            if text:
                painter.setFont(letters.font)
                painter.setPen(theme.color(color))
                letters.beside(painter, QRect(x, y, width, letters.height), text)
                y += letters.height

    # --- choosing ---

    def _tile_at(self, point: QPoint) -> int:
        found = (i for i, rect in enumerate(self.tile_rects()) if rect.contains(point))
        i = next(found, -1)
        return i if i in self._choices() else -1

    def _hover(self, i: int) -> None:
        if i == self._hovered:
            return
        before, self._hovered = self._hovered, i
        shown = i if i >= 0 else before
        if 0 <= shown < len(self.tiles) and (cell := self.tiles[shown].cell) is not None:
            self._host.hover(cell[0], cell[1] if i >= 0 else None)
        self.setCursor(Qt.CursorShape.PointingHandCursor if i >= 0 else Qt.CursorShape.ArrowCursor)
        self.update()

    def _choose(self, i: int) -> None:
        cell = self.tiles[i].cell if 0 <= i < len(self.tiles) else None
        if cell is not None:
            self._host.pin(*cell)

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where the figure under the pointer comes from."""
        self._hover(self._tile_at(event.position().toPoint()))

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        """Forget the hovered tile."""
        self._hover(-1)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Pin the trace of the figure under the pointer."""
        i = self._tile_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and i >= 0:
            self._current = i
            self._choose(i)
            self.update()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from tile to tile with the arrow keys; Enter or Space pins."""
        step = {Qt.Key.Key_Left: -1, Qt.Key.Key_Up: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_Down: 1}.get(
            Qt.Key(event.key())
        )
        if step is not None:
            self._go(step)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Space) and self._current >= 0:
            self._choose(self._current)
        else:
            super().keyPressEvent(event)

    def _go(self, by: int) -> None:
        choices = self._choices()
        at = choices.index(self._current) + by if self._current in choices else 0
        self._current = choices[min(max(at, 0), len(choices) - 1)] if choices else -1
        self._describe()
        self.update()

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Stand on a tile."""
        super().focusInEvent(event)
        if self._current < 0:
            self._go(0)
        self.update()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Repaint without the focus ring."""
        super().focusOutEvent(event)
        self.update()


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return TilesView(view, host, theme)
