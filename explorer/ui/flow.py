"""A layout that flows: items from left to right, wrapping into further lines, or one below the other."""

from __future__ import annotations

from functools import partial

import shiboken6
from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QLayout, QLayoutItem


def _delete(items: list[QLayoutItem]) -> None:
    """Delete what a layout held: Qt leaves that to the layout, and one written in Python has no destructor."""
    for item in items:
        if shiboken6.isValid(item):
            shiboken6.delete(item)
    items.clear()


class FlowLayout(QLayout):
    """Items from left to right, wrapping into further lines; Qt has none of its own."""

    def __init__(self, gap: int, lines: int, *, stacked: bool = False) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self._stacked = stacked
        self.gap = gap
        self.line_gap = lines
        self.destroyed.connect(partial(_delete, self._items))

    def addItem(self, item: QLayoutItem) -> None:
        """Append an item."""
        self._items.append(item)

    def count(self) -> int:
        """Return the number of items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """Return an item, None beyond the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """Remove and return an item."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        """Say that the height depends on the width."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Return the height of the lines at this width."""
        return self._arrange(QRect(0, 0, width, 0), move=False)

    def sizeHint(self) -> QSize:
        """Return the size of everything on one line."""
        hints = [item.sizeHint() for item in self._items if not item.isEmpty()]
        if self._stacked:
            width = max((h.width() for h in hints), default=0)
            margins = self.contentsMargins()
            return QSize(width + margins.left() + margins.right(), self._arrange(QRect(0, 0, width, 0), move=False))
        return QSize(sum(h.width() + self.gap for h in hints), max((h.height() for h in hints), default=0))

    def minimumSize(self) -> QSize:
        """Return the height of the tallest item; items wrap, and one that is too wide may have another form."""
        hints = [item.minimumSize() for item in self._items]
        widest = max((h.width() for h in hints), default=0) if self._stacked else 0
        return QSize(widest, max((h.height() for h in hints), default=0))

    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._arrange(rect, move=True)

    def _arrange(self, rect: QRect, *, move: bool) -> int:
        margins = self.contentsMargins()
        left, y = rect.left() + margins.left(), rect.top() + margins.top()
        right = rect.right() - margins.right()
        x, line = left, 0
        row: list[tuple[QLayoutItem, int, QSize]] = []
        for item in self._items:
            if item.isEmpty():
                continue
            hint = item.sizeHint()
            if row and (self._stacked or x + hint.width() > right):
                self._center(row, y, line, move)
                x, y, line, row = left, y + line + self.line_gap, 0, []
            row.append((item, x, hint))
            x += hint.width() + self.gap
            line = max(line, hint.height())
        self._center(row, y, line, move)
        return y + line + margins.bottom() - rect.top()

    @staticmethod
    def _center(row: list[tuple[QLayoutItem, int, QSize]], y: int, line: int, move: bool) -> None:
        if move:
            for item, x, hint in row:
                item.setGeometry(QRect(QPoint(x, y + (line - hint.height()) // 2), hint))
