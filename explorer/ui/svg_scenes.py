"""Plots in an SVG: Qt's generator knows no clipping, but the scene behind a plot does.

While it is painted into an SVG, the items that cut off their children say where they do. Afterwards the scene is as it
was.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import shiboken6
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QGraphicsItem, QGraphicsView, QWidget

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtGui import QPainter

    from explorer.ui.svg import SvgPainter

FIRST, LAST = -1e12, 1e12


class _Mark(QGraphicsItem):
    """Leaves a mark in the drawing, before or after everything else in its parent."""

    def __init__(self, parent: QGraphicsItem, words: str, order: float) -> None:
        super().__init__(parent)
        self._words = words
        self.setZValue(order)

    def boundingRect(self) -> QRectF:
        """Return a spot that is inside of the parent."""
        middle = self.parentItem().boundingRect().center()
        return QRectF(middle.x() - 1, middle.y() - 1, 2, 2)

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Write the mark."""
        painter.save()
        painter.setPen("black")
        painter.drawText(0, 0, self._words)
        painter.restore()


@contextmanager
def cut_off(widget: QWidget, corner: QRectF, painter: SvgPainter) -> Iterator[None]:
    """Let the plots in a widget, painted with its corner at that of `corner`, say what they cut off."""
    marks: list[_Mark] = []
    for view in [one for one in (widget, *widget.findChildren(QWidget)) if isinstance(one, QGraphicsView)]:
        if view.scene() is None:
            continue
        for item in view.scene().items():
            if item.flags() & QGraphicsItem.GraphicsItemFlag.ItemClipsChildrenToShape and item.isVisible():
                shape = view.mapFromScene(item.mapToScene(item.shape())).boundingRect()
                where = view.viewport().mapTo(widget, shape.topLeft())
                begin, end = painter.clip_marks(QRectF(corner.topLeft() + where, shape.size()))
                marks += [_Mark(item, begin, FIRST), _Mark(item, end, LAST)]
    try:
        yield
    finally:
        for mark in marks:
            mark.scene().removeItem(mark)
            shiboken6.delete(mark)
