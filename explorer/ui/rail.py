"""The rail: all tabs, numbered, with a dot on those that were edited, and their names where there is room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QFrame,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from explorer.ui.guard import guarded

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from explorer.concepts import Entry
    from explorer.ui.theme import Theme

#: The names' size, and all that stands beside number and name: margins, the dot in the left one, the gaps.
FONT, AROUND = 13, 16 + 6 + 8 + 6


class _RailDelegate(QStyledItemDelegate):
    """Paints one tab's line."""

    def __init__(self, rail: Rail) -> None:
        super().__init__(rail)
        self._rail = rail

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a line: as tall as lets all tabs be seen, within reason."""
        return QSize(self._rail.viewport().width(), self._rail.line_height())

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint number, name and dot."""
        theme, px = self._rail.theme, self._rail.theme.px
        rect: QRect = option.rect.adjusted(px(8), 1, -px(8), -1)
        state: QStyle.StateFlag = option.state
        selected = bool(state & QStyle.StateFlag.State_Selected)
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if selected or state & QStyle.StateFlag.State_MouseOver:
            color = QColor(theme.color("accent" if selected else "card"))
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color)
            painter.drawRoundedRect(rect, px(6), px(6))
        if state & QStyle.StateFlag.State_HasFocus and self._rail.hasFocus():
            painter.setPen(theme.color("outline"))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(QRectF(rect).adjusted(0.5, 0.5, -0.5, -0.5), px(6), px(6))
        entry = self._rail.entries[index.row()]
        font = theme.font(FONT, bold=selected)
        metrics = QFontMetrics(font)
        painter.setFont(font)
        painter.setPen(theme.color("on_accent" if selected else "muted"))
        number = QRect(rect.left() + px(6), rect.top(), metrics.horizontalAdvance("00"), rect.height())
        painter.drawText(number, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), str(entry.number))
        if not self._rail.narrow:
            painter.setPen(theme.color("on_accent" if selected else "text"))
            name = QRect(number.right() + px(8), rect.top(), rect.right() - number.right() - px(12), rect.height())
            painter.drawText(
                name,
                int(Qt.AlignmentFlag.AlignVCenter),
                metrics.elidedText(entry.title, Qt.TextElideMode.ElideRight, name.width()),
            )
        if self._rail.edited(entry.slug):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(theme.color("changed"))
            size = px(6)
            painter.drawEllipse(option.rect.left() + px(1), rect.center().y() - size // 2, size, size)
        painter.restore()


class Rail(QListWidget):
    """The list of tabs.

    Signals
    -------
    chosen(str)
        The user chose the tab of that slug.
    """

    chosen = Signal(str)

    def __init__(self, entries: Sequence[Entry], edited: Callable[[str], bool], theme: Theme) -> None:
        super().__init__()
        self.entries = tuple(entries)
        self.edited = edited
        self.theme = theme
        self.narrow = False
        self._marked: list[str] = []
        self.setObjectName("rail")
        self.setAccessibleName("Tabs")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setMouseTracking(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setItemDelegate(_RailDelegate(self))
        for entry in self.entries:
            item = QListWidgetItem(f"{entry.number} {entry.title}")
            item.setToolTip(f"{entry.number} {entry.title}")
            self.addItem(item)
        self.currentRowChanged.connect(self._choose)
        self.set_theme(theme)

    def _choose(self, row: int) -> None:
        if 0 <= row < len(self.entries):
            self.chosen.emit(self.entries[row].slug)

    def show_current(self, slug: str) -> None:
        """Mark the tab in front."""
        row = next((i for i, entry in enumerate(self.entries) if entry.slug == slug), -1)
        if row != self.currentRow():
            self.setCurrentRow(row)

    def mark_edited(self) -> None:
        """Draw the dots anew where a tab has begun or ceased to differ from the lesson."""
        marked = [entry.slug for entry in self.entries if self.edited(entry.slug)]
        if marked != self._marked:
            self._marked = marked
            self.viewport().update()

    def name_room(self) -> int:
        """Return the width that a tab's name has."""
        number = QFontMetrics(self.theme.font(FONT, bold=True)).horizontalAdvance("00")
        return self.width() - number - self.theme.px(AROUND)

    def line_height(self) -> int:
        """Return the height of a line."""
        roomy, tight = self.theme.px(36), QFontMetrics(self.theme.font(FONT)).height() + self.theme.px(6)
        room = self.viewport().height() - self.theme.px(12)
        return int(min(max(room // max(len(self.entries), 1), tight), roomy))

    def set_narrow(self, narrow: bool) -> None:
        """Show numbers alone, or names too."""
        self.narrow = narrow
        metrics = QFontMetrics(self.theme.font(FONT, bold=True))
        widest = max((metrics.horizontalAdvance(entry.title) for entry in self.entries), default=0)
        number = metrics.horizontalAdvance("00")
        px = self.theme.px
        self.setFixedWidth(number + px(40) if narrow else min(widest, px(160)) + number + px(AROUND))
        self.scheduleDelayedItemsLayout()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        palette = QPalette(self.palette())
        palette.setColor(QPalette.ColorRole.Base, QColor(theme.colors.window))
        self.setPalette(palette)
        self.setViewportMargins(0, theme.px(6), 0, theme.px(6))
        self.set_narrow(self.narrow)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Share the height anew."""
        super().resizeEvent(event)
        self.scheduleDelayedItemsLayout()

    @guarded
    def doItemsLayout(self) -> None:
        """Keep the tab in front in sight where there is no room for all."""
        super().doItemsLayout()
        self.scrollTo(self.currentIndex())
