"""The layout of a stage: it measures its parts at a unit, places them, and paints the legend of signed values.

Which unit it takes is searched for in `unit_search`.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QWidget

from explorer.concepts import declaration as d
from explorer.ui.guard import guarded
from explorer.ui.matrix_panel import MatrixPanel, Unit, paint_ramp
from explorer.ui.place_widget import PlaceWidget
from explorer.ui.theme import metrics_of
from explorer.ui.unit_search import DIGITS_AT_LEAST, DIGITS_UP_TO, SQUEEZES, UnitSearch

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from PySide6.QtGui import QPaintEvent

    from explorer.ui.theme import Theme


class Leaf(Protocol):
    """What a view must be able to do to stand on the stage; every leaf is a QWidget."""

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size wanted at this unit, at most `max_height` high where the view can scroll."""

    def arrange(self, unit: Unit) -> None:
        """Lay out the inside at the present size."""

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""


class StageCanvas(QWidget):
    """The layout itself, inside the scroll area."""

    def __init__(self, layout: d.View, make: Callable[[d.View], QWidget], theme: Theme) -> None:
        super().__init__()
        self.setObjectName("canvas")
        self._tree = layout
        self.theme = theme
        self.leaves: dict[int, QWidget] = {}
        for view in d.views(layout):
            widget = make(view)
            widget.setParent(self)
            self.leaves[id(view)] = widget
        self.unit = Unit(25)
        #: The ids of the leaves that are shown; None where all are.
        self.shown: frozenset[int] | None = None
        self._fitted = QSize(0, 0)
        self._sizes: dict[tuple[int, Unit, int], QSize] = {}
        self._anchors: dict[tuple[int, Unit, int], int] = {}
        self._parts: dict[int, list[d.View]] = {}

    def focus(self, shown: frozenset[int] | None) -> None:
        """Show only the leaves of these ids, and the signs between them; None shows all. What is empty stays hidden."""
        self.shown = shown
        self._parts.clear()
        for view in d.views(self._tree):
            widget = self.leaf(view)
            if isinstance(view, d.Custom):
                widget.setVisible((shown is None or id(view) in shown) and not getattr(widget, "empty", False))
            elif not isinstance(view, d.Arrow):
                widget.setVisible(shown is None or id(view) in shown)
        self._show_signs(self._tree)

    def _show_signs(self, view: d.View) -> None:
        """Show the signs that stand between two views which can be seen."""
        if not isinstance(view, (d.Row, d.Column)):
            return
        for part in view.views:
            self._show_signs(part)
        for at, part in enumerate(view.views):
            if isinstance(part, d.Arrow):
                beside = (*view.views[max(at - 1, 0) : at], *view.views[at + 1 : at + 2])
                self.leaf(part).setVisible(all(self._seen(one) for one in beside))

    def _seen(self, view: d.View) -> bool:
        return any(not self.leaf(leaf).isHidden() for leaf in d.views(view))

    def crowded(self, room: QSize) -> bool:
        """Say whether the whole layout is too wide or too high for the room at the smallest legible size."""
        theme = self.theme
        smallest = theme.text_px(12)
        return not self.fits(Unit(smallest + theme.px(5), smallest, 0.85, False), room)

    def fits(self, unit: Unit, room: QSize) -> bool:
        """Say whether what is visible now fits a room at this unit."""
        self.forget_sizes()
        room = room - QSize(0, self.legend_height())
        return self._search().fits(unit, room, room.height())

    def leaf(self, view: d.View) -> QWidget:
        """Return the widget of a leaf of the layout."""
        return self.leaves[id(view)]

    def panels(self) -> Iterator[MatrixPanel]:
        """Iterate over the matrix panels, those in shared places too."""
        for widget in self.leaves.values():
            if isinstance(widget, MatrixPanel):
                yield widget
            elif isinstance(widget, PlaceWidget):
                yield from widget.panels

    # --- the legend of signed values ---

    def spans(self) -> list[float]:
        """Return where the colours of the signed matrices end, each once; attention weights have their own legend."""
        shown = [panel for panel in self.panels() if not panel.isHidden() and panel.view.look.kind == "signed"]
        return sorted({float(np.max(panel.view.look.top)) for panel in shown})

    def legend_height(self) -> int:
        """Return how much of the stage's foot the legend takes."""
        return metrics_of(self.theme.text_px(12)).height() if self.spans() else 0

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the legend in the lower left corner."""
        super().paintEvent(event)
        theme, px = self.theme, self.theme.px
        metrics = metrics_of(theme.text_px(12))
        x, base = px(12), self.height() - px(6) - metrics.descent()
        if event.rect().bottom() < base - metrics.height():
            return  # A view above it has changed.
        painter = QPainter(self)
        painter.setFont(theme.font(12))
        for span in self.spans():
            low, high = f"−{span:g}", f"{span:g}"
            painter.setPen(theme.color("muted"))
            painter.drawText(x, base, low)
            x += metrics.horizontalAdvance(low) + px(5)
            paint_ramp(painter, QRectF(x, base - px(8), px(48), px(8)), theme.signed)
            x += px(53)
            painter.drawText(x, base, high)
            x += metrics.horizontalAdvance(high) + px(16)
        painter.end()

    # --- measuring ---

    def _gap(self, view: d.View, unit: Unit) -> int:
        """Return the room between a layout's parts: less where tables have to be pressed."""
        share = 1.0 if unit.squeeze >= DIGITS_AT_LEAST and not unit.tight else 0.6
        return self.theme.px((11 if isinstance(view, d.Row) else 15) * share)

    def measure(self, view: d.View, unit: Unit, max_height: int) -> QSize:
        """Return the size of a part of the layout at this unit."""
        key = (id(view), unit, max_height)
        size = self._sizes.get(key)
        if size is None:
            size = self._sizes[key] = self._measured(view, unit, max_height)
        return size

    def forget_sizes(self) -> None:
        """Forget what was measured: a shape, a name, a theme or what is visible may have changed."""
        self._sizes.clear()
        self._anchors.clear()
        self._parts.clear()
        for panel in self.panels():
            panel.forget_sizes()

    def _measured(self, view: d.View, unit: Unit, max_height: int) -> QSize:
        if isinstance(view, d.Row):
            parts = self._present(view)
            sizes = [self.measure(part, unit, max_height) for part in parts]
            gaps = self._gap(view, unit) * max(len(sizes) - 1, 0)
            return QSize(sum(s.width() for s in sizes) + gaps, sum(self._above_and_below(view, unit, parts, sizes)))
        if isinstance(view, d.Column):
            heights = self._column_heights(view, unit, max_height)
            parts = self._present(view)
            widths = [self.measure(part, unit, height).width() for part, height in zip(parts, heights, strict=True)]
            return QSize(max(widths, default=0), sum(heights) + self._gap(view, unit) * max(len(parts) - 1, 0))
        widget: Leaf = self.leaf(view)  # type: ignore[assignment]
        return widget.measure(unit, max_height)

    def _above_and_below(self, view: d.Row, unit: Unit, parts: list[d.View], sizes: list[QSize]) -> tuple[int, int]:
        """Return how much of a row lies above and below the line on which its tables are centred."""
        if view.align == "top" or not parts:
            return 0, max((size.height() for size in sizes), default=0)
        anchors = [self._anchor_at(part, unit, size.height()) for part, size in zip(parts, sizes, strict=True)]
        return max(anchors), max(size.height() - anchor for size, anchor in zip(sizes, anchors, strict=True))

    def anchor(self, view: d.View, height: int) -> int:
        """Return where, below its top, a part of the layout wants to be centred when it is this high."""
        return self._anchor_at(view, self.unit, height)

    def _anchor_at(self, view: d.View, unit: Unit, height: int) -> int:
        key = (id(view), unit, height)
        anchor = self._anchors.get(key)
        if anchor is None:
            anchor = self._anchors[key] = self._anchored(view, unit, height)
        return anchor

    def _anchored(self, view: d.View, unit: Unit, height: int) -> int:
        if isinstance(view, d.Row) and view.align == "center":
            parts = self._present(view)
            sizes = [self.measure(part, unit, height) for part in parts]
            above, below = self._above_and_below(view, unit, parts, sizes)
            return above + (height - above - below) // 2
        if isinstance(view, d.Column):
            return self._column_anchor(view, unit, height)
        if isinstance(view, d.Row):
            return height // 2
        find = getattr(self.leaf(view), "anchor", None)
        return int(find(unit, height)) if find is not None else height // 2

    def _column_anchor(self, view: d.Column, unit: Unit, height: int) -> int:
        """Return the middle of a column's main table, so that its rows meet those beside it."""
        parts = self._present(view)
        main = [part for part in parts if isinstance(part, d.Place) or (isinstance(part, d.Matrix) and part.large)]
        if len(main) != 1:
            return height // 2
        above = 0
        for part, part_height in zip(parts, self._column_heights(view, unit, height), strict=True):
            if part is main[0]:
                return above + self._anchor_at(part, unit, part_height)
            above += part_height + self._gap(view, unit)
        return height // 2

    def _present(self, view: d.Row | d.Column) -> list[d.View]:
        parts = self._parts.get(id(view))
        if parts is None:
            parts = self._parts[id(view)] = [part for part in view.views if self._seen(part)]
        return parts

    def _column_heights(self, view: d.Column, unit: Unit, max_height: int) -> list[int]:
        parts = self._present(view)
        room = max_height - self._gap(view, unit) * max(len(parts) - 1, 0)
        heights = [self.measure(part, unit, room).height() for part in parts]
        if sum(heights) <= room:
            return heights
        # What cannot be lower keeps its height. The others share what is left, the short ones first (water-filling).
        least = [self.measure(part, unit, 1).height() for part in parts]
        shared = self._shared(parts, heights, least, unit, room)
        may_go = [i for i in range(len(parts)) if shared[i] and not least[i]]
        if sum(shared) > room and may_go:
            # What would rather be nothing than a half leaves its share to what cannot be lower.
            heights = [0 if i in may_go else height for i, height in enumerate(heights)]
            shared = self._shared(parts, heights, least, unit, room)
        return shared

    def _shared(self, parts: list[d.View], heights: list[int], least: list[int], unit: Unit, room: int) -> list[int]:
        """Return what height each part gets of a room that is too low for all of theirs."""
        soft = [i for i in range(len(parts)) if heights[i] > least[i]]
        left = room - sum(heights[i] for i in range(len(parts)) if i not in soft)
        measured = list(heights)
        for position, i in enumerate(sorted(soft, key=lambda i: heights[i])):
            share = max(left // (len(soft) - position), 1)
            measured[i] = self.measure(part := parts[i], unit, min(heights[i], share)).height()
            if measured[i] > share > least[i]:
                # A row whose tables are centred on one line may stand a little over.
                measured[i] = self.measure(part, unit, max(2 * share - measured[i], 1)).height()
            left -= measured[i]
        return measured

    # --- fitting ---

    def _search(self) -> UnitSearch:
        return UnitSearch(partial(self.measure, self._tree), self.theme, self.degrees(), self.bar_extent())

    def fit(self, room: QSize) -> QSize:
        """Choose the unit that fits the room best; return the layout's size."""
        self.unit, self._fitted = self._search().chosen(room)
        return self._fitted

    def bar_extent(self) -> int:
        """Return how wide a scroll bar is."""
        return self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)

    def degrees(self) -> tuple[float, ...]:
        """Return how far large tables may be pressed; small ones keep their digits and scroll instead."""
        most = max((panel.longest() for panel in self.panels() if panel.large), default=0)
        return SQUEEZES[:4] if most <= DIGITS_UP_TO else SQUEEZES

    # --- placing ---

    def place(self, room: QSize) -> None:
        """Lay everything out in a canvas of this size."""
        size = self._fitted
        if self._stretches(self._tree):
            margin = 2 * self.theme.px(10)
            size = size.expandedTo(room - QSize(margin, margin))
        left, top = max((room.width() - size.width()) // 2, 0), max((room.height() - size.height()) // 2, 0)
        self._place(self._tree, QRect(left, top, size.width(), size.height()))

    def _stretches(self, view: d.View) -> bool:
        """Say whether a part of the layout takes what room is left over, as plots do."""
        leaves = [self.leaf(leaf) for leaf in d.views(view)]
        return any(getattr(leaf, "stretches", False) and not leaf.isHidden() for leaf in leaves)

    def _shares(self, parts: list[d.View], left: int) -> list[int]:
        """Return what each part gets of the pixels that are left over."""
        takers = [self._stretches(part) for part in parts]
        each = max(left, 0) // max(sum(takers), 1)
        return [each if takes else 0 for takes in takers]

    def _place(self, view: d.View, rect: QRect) -> None:
        if isinstance(view, d.Row):
            x = rect.left()
            axis = self.anchor(view, rect.height())
            parts = self._present(view)
            sizes = [self.measure(part, self.unit, rect.height()) for part in parts]
            used = sum(size.width() for size in sizes) + self._gap(view, self.unit) * max(len(parts) - 1, 0)
            for part, size, more in zip(parts, sizes, self._shares(parts, rect.width() - used), strict=True):
                y = rect.top() if view.align == "top" else rect.top() + axis - self.anchor(part, size.height())
                place = QRect(x, y, size.width() + more, size.height())
                if self._stretches(part):
                    place = QRect(x, rect.top(), size.width() + more, rect.height())
                self._place(part, place)
                x += place.width() + self._gap(view, self.unit)
        elif isinstance(view, d.Column):
            y = rect.top()
            parts, heights = self._present(view), self._column_heights(view, self.unit, rect.height())
            sizes = [self.measure(part, self.unit, height) for part, height in zip(parts, heights, strict=True)]
            used = sum(size.height() for size in sizes) + self._gap(view, self.unit) * max(len(parts) - 1, 0)
            for part, size, more in zip(parts, sizes, self._shares(parts, rect.height() - used), strict=True):
                wide = isinstance(part, d.Custom) or self._stretches(part)
                width = max(size.width(), rect.width()) if wide else size.width()
                self._place(part, QRect(rect.left(), y, width, size.height() + more))
                y += size.height() + more + self._gap(view, self.unit)
        else:
            widget = self.leaf(view)
            widget.setGeometry(rect)
            widget.arrange(self.unit)  # type: ignore[attr-defined]

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        for widget in self.leaves.values():
            widget.set_theme(theme)  # type: ignore[attr-defined]
