"""The stage: a layout of views drawn as large as the room allows, all from one unit.

Sizes are found by measuring the whole layout at a unit and searching for the largest that fits, so that every matrix
of a page keeps the same cell size and nothing is ever scaled as a picture. What does not fit at the smallest legible
size scrolls.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

from PySide6.QtCore import QRect, QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QScrollArea, QWidget

from explorer.concepts import declaration as d
from explorer.ui.matrix_panel import MatrixPanel, Unit
from explorer.ui.theme import Theme


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

    def arrange(self, unit: Unit) -> None:
        """Give every panel the whole place."""
        for panel in self.panels:
            size = panel.measure(unit, self.height())
            panel.setGeometry(0, (self.height() - size.height()) // 2, self.width(), size.height())
            panel.arrange(unit)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        for panel in self.panels:
            panel.set_theme(theme)


class StageCanvas(QWidget):
    """The layout itself, inside the scroll area."""

    def __init__(self, layout: d.View, make: Callable[[d.View], QWidget], theme: Theme) -> None:
        super().__init__()
        self._tree = layout
        self.theme = theme
        self.leaves: dict[int, QWidget] = {}
        for view in d.views(layout):
            widget = make(view)
            widget.setParent(self)
            self.leaves[id(view)] = widget
        self.unit = Unit(25)

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

    # --- measuring ---

    def _gap(self, view: d.View) -> int:
        return self.theme.px(12 if isinstance(view, d.Row) else 16)

    def measure(self, view: d.View, unit: Unit, max_height: int) -> QSize:
        """Return the size of a part of the layout at this unit."""
        if isinstance(view, d.Row):
            sizes = [self.measure(part, unit, max_height) for part in self._present(view)]
            gaps = self._gap(view) * max(len(sizes) - 1, 0)
            return QSize(sum(s.width() for s in sizes) + gaps, max((s.height() for s in sizes), default=0))
        if isinstance(view, d.Column):
            heights = self._column_heights(view, unit, max_height)
            parts = self._present(view)
            widths = [self.measure(part, unit, height).width() for part, height in zip(parts, heights, strict=True)]
            return QSize(max(widths, default=0), sum(heights) + self._gap(view) * max(len(parts) - 1, 0))
        widget: Leaf = self.leaf(view)  # type: ignore[assignment]
        return widget.measure(unit, max_height)

    def _present(self, view: d.Row | d.Column) -> list[d.View]:
        return [part for part in view.views if any(not self.leaf(leaf).isHidden() for leaf in d.views(part))]

    def _column_heights(self, view: d.Column, unit: Unit, max_height: int) -> list[int]:
        parts = self._present(view)
        room = max_height - self._gap(view) * max(len(parts) - 1, 0)
        heights = [self.measure(part, unit, room).height() for part in parts]
        if sum(heights) <= room:
            return heights
        # Water-filling: the short ones keep their height, the tall ones share what is left.
        share, left, open_parts = 0, room, sorted(range(len(parts)), key=lambda i: heights[i])
        for position, i in enumerate(open_parts):
            share = left // (len(open_parts) - position)
            if heights[i] > share:
                break
            left -= heights[i]
        capped = [min(height, max(share, 1)) for height in heights]
        return [self.measure(part, unit, height).height() for part, height in zip(parts, capped, strict=True)]

    def fit(self, room: QSize) -> QSize:
        """Choose the largest unit whose layout fits the room; return the layout's size."""
        theme = self.theme
        smallest = theme.text_px(12) + theme.px(6)
        largest = max(theme.px(120 if theme.present else 64), smallest)
        for squeeze in (1.0, 0.8, 0.62, 0.48, 0.36, 0.27, 0.2, 0.14, 0.1, 0.07):
            unit = Unit(smallest, squeeze)
            if self._fits(unit, room):
                low, high = smallest, largest
                while low < high:
                    middle = (low + high + 1) // 2
                    if self._fits(Unit(middle, squeeze), room):
                        low = middle
                    else:
                        high = middle - 1
                self.unit = Unit(low, squeeze)
                return self.measure(self._tree, self.unit, room.height())
        self.unit = Unit(smallest, 0.36)
        return self.measure(self._tree, self.unit, max(room.height(), theme.px(240)))

    def _fits(self, unit: Unit, room: QSize) -> bool:
        size = self.measure(self._tree, unit, room.height())
        return size.width() <= room.width() and size.height() <= room.height()

    # --- placing ---

    def place(self, room: QSize) -> None:
        """Lay everything out in a canvas of this size."""
        size = self.measure(self._tree, self.unit, room.height())
        left, top = max((room.width() - size.width()) // 2, 0), max((room.height() - size.height()) // 2, 0)
        self._place(self._tree, QRect(left, top, size.width(), size.height()))

    def _place(self, view: d.View, rect: QRect) -> None:
        if isinstance(view, d.Row):
            x = rect.left()
            for part in self._present(view):
                size = self.measure(part, self.unit, rect.height())
                y = rect.top() if view.align == "top" else rect.top() + (rect.height() - size.height()) // 2
                self._place(part, QRect(x, y, size.width(), size.height()))
                x += size.width() + self._gap(view)
        elif isinstance(view, d.Column):
            y = rect.top()
            for part, height in zip(self._present(view), self._column_heights(view, self.unit, rect.height()), strict=True):
                size = self.measure(part, self.unit, height)
                self._place(part, QRect(rect.left(), y, max(size.width(), rect.width()) if isinstance(part, d.Custom) else size.width(), size.height()))
                y += size.height() + self._gap(view)
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

    def __init__(self, layout: d.View, make: Callable[[d.View], QWidget], theme: Theme) -> None:
        super().__init__()
        self.canvas = StageCanvas(layout, make, theme)
        self.setWidget(self.canvas)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setObjectName("stage")
        self.set_theme(theme)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802
        """Fit the layout to the new room."""
        super().resizeEvent(event)
        self.refit()

    def refit(self) -> None:
        """Choose the unit again and lay out; needed after a shape, a theme or the room has changed."""
        margin = self.canvas.theme.px(14)
        room = self.maximumViewportSize() - QSize(2 * margin, 2 * margin)
        if room.width() < 10 or room.height() < 10:
            return
        size = self.canvas.fit(room)
        whole = QSize(max(size.width(), room.width()), max(size.height(), room.height())) + QSize(2 * margin, 2 * margin)
        self.canvas.resize(whole)
        self.canvas.place(whole)
        self.fitted.emit()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        palette = self.palette()
        palette.setColor(self.viewport().backgroundRole(), theme.color("stage"))
        self.viewport().setPalette(palette)
        self.viewport().setAutoFillBackground(True)
        self.canvas.set_theme(theme)
        self.refit()
