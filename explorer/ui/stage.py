"""The stage: a layout of views drawn as large as the room allows, all from one unit.

Sizes are found by measuring the whole layout at a unit and searching for the largest that fits, so that every matrix
of a page keeps the same cell size and nothing is ever scaled as a picture. What does not fit at the smallest legible
size scrolls.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Protocol

import numpy as np
from PySide6.QtCore import QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QFrame, QScrollArea, QStyle, QWidget

from explorer.concepts import declaration as d
from explorer.ui.guard import guarded
from explorer.ui.matrix_panel import MatrixPanel, Unit, paint_ramp
from explorer.ui.theme import metrics_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from PySide6.QtGui import QPaintEvent, QResizeEvent, QShowEvent

    from explorer.ui.theme import Theme

#: Large tables that are pressed no further keep their digits.
DIGITS_AT_LEAST = 0.6
SQUEEZES = (
    1.0,
    0.85,
    0.7,
    0.6,
    0.55,
    0.5,
    0.46,
    0.42,
    0.37,
    0.32,
    0.28,
    0.24,
    0.2,
    0.17,
    0.12,
    0.08,
    0.05,
    0.035,
    0.024,
    0.017,
    0.012,
    0.009,
)
#: A font that is tried where nothing fits at the smallest.
WIDER = 1.125
#: How often the step between two of them is halved.
FINER = 4
#: Tables with at most so many rows and columns show their digits as long as anything else can be done.
DIGITS_UP_TO = 8
#: What is tried in turn before anything has to be scrolled.
LEAN = (1, 2, 3, 4)
#: A height at which no table scrolls.
UNBOUNDED = 1_000_000


def largest_that_fits(low: int, high: int, fits: Callable[[int], bool]) -> int:
    """Return the largest whole number from `low` to `high` that fits; `low` is taken to fit."""
    while low < high:
        middle = (low + high + 1) // 2
        if fits(middle):
            low = middle
        else:
            high = middle - 1
    return low


class Leaf(Protocol):
    """What a view must be able to do to stand on the stage; every leaf is a QWidget."""

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size wanted at this unit, at most `max_height` high where the view can scroll."""

    def arrange(self, unit: Unit) -> None:
        """Lay out the inside at the present size."""

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""


class PlaceWidget(QWidget):
    """Panels that share one place; one is visible at a time."""

    def __init__(self, panels: list[MatrixPanel]) -> None:
        super().__init__()
        self.panels = panels
        for panel in panels:
            panel.setParent(self)
        self.show_only(panels[-1].name)

    def show_only(self, name: str) -> None:
        """Show the panel of that array and hide the others."""
        for panel in self.panels:
            panel.setVisible(panel.name == name)

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size of the largest panel, so that nothing jumps between steps."""
        sizes = [panel.measure(unit, max_height) for panel in self.panels]
        return QSize(max(size.width() for size in sizes), max(size.height() for size in sizes))

    def anchor(self, unit: Unit, height: int) -> int:
        """Return where the tables' middle stands, the same for all panels."""
        return max(panel.anchor(unit, panel.measure(unit, height).height()) for panel in self.panels)

    def arrange(self, unit: Unit) -> None:
        """Give every panel the whole place, with its table where the others' are."""
        axis = self.anchor(unit, self.height())
        for panel in self.panels:
            height = panel.measure(unit, self.height()).height()
            panel.setGeometry(0, axis - panel.anchor(unit, height), self.width(), height)
            panel.arrange(unit)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        for panel in self.panels:
            panel.set_theme(theme)


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
        return self._fits(unit, room, room.height())

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

    def fit(self, room: QSize) -> QSize:
        """Choose the largest font, then the tallest cells, whose layout fits the room; return the layout's size."""
        self._fitted = self._chosen(room)
        return self._fitted

    def _chosen(self, room: QSize) -> QSize:
        theme = self.theme
        smallest = theme.text_px(12)
        # Smaller digits are better than a table that has to be scrolled, as long as all of them can be read.
        # Beyond that, large tables are pressed into plain colours before anything has to be scrolled beside them.
        # A plot that is wider at a larger font may be lower: its key takes fewer lines.
        readable, pressed = SQUEEZES[:4], self.degrees()[4:]
        trials = (
            (Unit(least + theme.px(5), least, legend_beside=beside), squeezes, most)
            for least in (smallest, round(smallest * WIDER))
            for squeezes in (readable, pressed)
            if squeezes and self._fits(Unit(least + theme.px(5), least, squeezes[-1], False), room, room.height())
            for most in (UNBOUNDED, room.height())
            for beside in (True, False)
        )
        for unit, squeezes, most in trials:
            squeeze = self._mildest(squeezes, unit, room, most)
            if squeeze is None:
                continue
            self.unit = self._largest(unit._replace(squeeze=squeeze), room, most)
            return self.measure(self._tree, self.unit, room.height())
        if self.theme.scale > 1 and not self.theme.present:
            # Whoever has asked for larger letters rather scrolls than reads colours.
            return self._scrolling(room, 0)
        return self._leaner(room)

    def _scrolling(self, room: QSize, lean: int) -> QSize:
        """Choose the unit of a layout that is too high, and is only too wide when nothing can be done about it."""
        smallest = self.theme.text_px(12)
        narrow = QSize(room.width() - self.bar_extent(), UNBOUNDED)
        unit = Unit(smallest + self.theme.px(6), smallest, legend_beside=False, tight=True, lean=lean)
        self.unit = self._least_scrolling(unit, narrow, room.height())
        return self._grown(max(room.height(), self.theme.px(240)))

    def _leaner(self, room: QSize) -> QSize:
        """Choose a unit with fewer digits or thumbnails, so that nothing scrolls, or else only downwards."""
        smallest, most = self.theme.text_px(12), room.height()
        least = Unit(smallest + self.theme.px(5), smallest, legend_beside=False, tight=True)
        for lean in (0, *LEAN):
            if (unit := self._pressed_into(room, least._replace(lean=lean), SQUEEZES[:4])) is not None:
                self.unit = unit
                return self.measure(self._tree, unit, most)
        narrow = room.width() - self.bar_extent()
        for lean in (0, *LEAN):
            pressed = least._replace(lean=lean, squeeze=self.degrees()[-1])
            if self.measure(self._tree, pressed, most).width() > narrow:
                continue
            if (size := self._scrolling(room, lean)).width() <= narrow:
                return size
        for lean in (LEAN[0], LEAN[-1]):
            if (unit := self._pressed_into(room, least._replace(lean=lean), SQUEEZES[4:])) is not None:
                self.unit = unit
                return self.measure(self._tree, unit, most)
        return self._scrolling(room, 0)

    def _pressed_into(self, room: QSize, unit: Unit, squeezes: Sequence[float]) -> Unit | None:
        """Return the unit pressed no further than needed to fit the room, None where that is not enough."""
        # What does not even fit when it is pressed the most need not be tried in between.
        if not self._fits(unit._replace(squeeze=squeezes[-1]), room, room.height()):
            return None
        squeeze = self._mildest(squeezes, unit, room, room.height())
        return None if squeeze is None else self._largest(unit._replace(squeeze=squeeze), room, room.height())

    def _largest(self, unit: Unit, room: QSize, most: int) -> Unit:
        """Return the unit with the largest font, then the tallest cells, that fit; pressed tables come before these."""
        theme = self.theme
        largest = max(theme.text_px(26) if theme.present else theme.px(30), int(unit.font))
        if unit.squeeze < DIGITS_AT_LEAST:
            unit = self._relaxed(unit, room, most)
        font = largest_that_fits(int(unit.font), largest, partial(self._font_fits, unit, room, most))
        unit = unit._replace(font=font)
        tallest = round(font * 2.4)
        height = largest_that_fits(font + theme.px(5), tallest, partial(self._height_fits, unit, room, most))
        return self._relaxed(unit._replace(height=height), room, most)

    def _least_scrolling(self, unit: Unit, narrow: QSize, height: int) -> Unit:
        """Return the unit pressed as far as that saves scrolling, no further: what is pressed can hardly be read."""
        trials = [unit._replace(squeeze=squeeze) for squeeze in self.degrees()]
        sizes = [self.measure(self._tree, trial, height) for trial in trials]
        beside = [max(size.width() - narrow.width(), 0) for size in sizes]
        below = [max(size.height() - height, 0) for size in sizes]
        # To scroll sideways is worse than to scroll down; a few pixels are no reason to press everything further.
        slack = self.theme.px(12)
        least = min(below[at] for at in range(len(trials)) if beside[at] <= min(beside))
        return next(
            trial
            for trial, x, y in zip(trials, beside, below, strict=True)
            if x <= min(beside) and y <= least + (slack if least else 0)
        )

    def _relaxed(self, unit: Unit, room: QSize, most: int) -> Unit:
        """Return the unit with large tables as large as fits, between one degree of pressing and the next."""
        low, high = unit.squeeze, next((one for one in reversed(SQUEEZES) if one > unit.squeeze), unit.squeeze)
        for _ in range(FINER):
            middle = (low + high) / 2
            if self._fits(unit._replace(squeeze=middle), room, most):
                low = middle
            else:
                high = middle
        return unit._replace(squeeze=low)

    def bar_extent(self) -> int:
        """Return how wide a scroll bar is."""
        return self.style().pixelMetric(QStyle.PixelMetric.PM_ScrollBarExtent)

    def _grown(self, height: int) -> QSize:
        """Return the layout's size where it is higher than the room: what may scroll gets what the others need."""
        size = self.measure(self._tree, self.unit, height)
        while size.height() > height:
            height = size.height()
            size = self.measure(self._tree, self.unit, height)
        return size

    def _mildest(self, squeezes: Sequence[float], unit: Unit, room: QSize, most: int) -> float | None:
        """Return the first of these, which press ever more, with which the layout fits; None when none is enough.

        Each is tried in turn: words that need a second line under small tables make these higher, not lower.
        """
        return next((one for one in squeezes if self._fits(unit._replace(squeeze=one), room, most)), None)

    def degrees(self) -> tuple[float, ...]:
        """Return how far large tables may be pressed; small ones keep their digits and scroll instead."""
        most = max((panel.longest() for panel in self.panels() if panel.large), default=0)
        return SQUEEZES[:4] if most <= DIGITS_UP_TO else SQUEEZES

    def _font_fits(self, unit: Unit, room: QSize, most: int, font: int) -> bool:
        return self._fits(unit._replace(height=font * 1.5, font=font), room, most)

    def _height_fits(self, unit: Unit, room: QSize, most: int, height: int) -> bool:
        return self._fits(unit._replace(height=height), room, most)

    def _fits(self, unit: Unit, room: QSize, most: int) -> bool:
        """Say whether the layout fits the room when tables higher than `most` scroll."""
        size = self.measure(self._tree, unit, most)
        return size.width() <= room.width() and size.height() <= room.height()

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


class Stage(QScrollArea):
    """The scroll area around the canvas; it fits the layout to its own size."""

    fitted = Signal()
    #: Queued to itself: Qt delivers it before the next paint.
    _resized = Signal()

    def __init__(self, layout: d.View, make: Callable[[d.View], QWidget], theme: Theme) -> None:
        super().__init__()
        self._due = True
        self._fitted_to = QSize()
        #: Called before the layout is fitted, to choose which views are shown in the room that there is.
        self.choose: Callable[[], None] = _everything
        self.canvas = StageCanvas(layout, make, theme)
        self.setWidget(self.canvas)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setObjectName("stage")
        self._resized.connect(self._refit_if_due, Qt.ConnectionType.QueuedConnection)
        self.set_theme(theme)

    def sizeHint(self) -> QSize:
        """Ask for no more than the least: the stage takes what the page has left."""
        return self.minimumSize()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the layout to the new room, once for all resizes that come together and before anything is painted."""
        super().resizeEvent(event)
        if not self._due:
            self._due = True
            self._resized.emit()

    def _refit_if_due(self) -> None:
        if self._due and self.isVisible():
            self._due = False
            # Scroll bars that came with a smaller room and went with what was fitted to it leave the room as it was.
            if self.whole_room() != self._fitted_to:
                self.refit()

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        """Fit what changed while nobody saw it."""
        super().showEvent(event)
        if self._due:
            self.refit()

    def room(self) -> QSize:
        """Return the room that a layout has: what is seen at once, without the margins and the legend."""
        return self.whole_room() - QSize(0, self.canvas.legend_height())

    def whole_room(self) -> QSize:
        """Return the room that a layout and its legend have together."""
        margin = 2 * self.canvas.theme.px(10)
        return self.maximumViewportSize() - QSize(margin, margin)

    def refit(self) -> None:
        """Choose the unit again and lay out; needed after a shape, a theme or the room has changed.

        While the stage is hidden this waits until it is shown: a start would otherwise fit it several times over.
        """
        self.canvas.forget_sizes()
        self._due = not self.isVisible()
        if self._due:
            return
        self._fitted_to = self.whole_room()
        self.choose()
        self.canvas.forget_sizes()
        margin, room = self.canvas.theme.px(10), self.room()
        if room.width() < 10 or room.height() < 10:
            return
        size = self.canvas.fit(room)
        high = size.height() > room.height()
        if high:
            room -= QSize(self.canvas.bar_extent(), 0)
        if size.width() > room.width():
            # One bar takes room from what the other is for: only what is too high needs both.
            room -= QSize(0, self.canvas.bar_extent())
            if size.height() > room.height() and not high:
                room -= QSize(self.canvas.bar_extent(), 0)
        whole = QSize(max(size.width(), room.width()), max(size.height(), room.height())) + QSize(
            2 * margin, 2 * margin
        )
        self.canvas.resize(whole + QSize(0, self.canvas.legend_height()))
        self.canvas.place(whole)
        self.fitted.emit()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Window, theme.color("stage"))
        self.viewport().setPalette(palette)
        self.viewport().setAutoFillBackground(True)
        self.canvas.setAutoFillBackground(False)
        self.canvas.set_theme(theme)
        self.refit()


def _everything() -> None:
    """Leave every view where it is."""
