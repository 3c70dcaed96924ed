"""A text that is chosen from a list: a button with its name, and below it a list that can be searched.

Where the text can be read from a file, the list offers to open one, and a path that is typed is offered as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QToolButton,
)

from explorer.ui import ask, plain_text
from explorer.ui.cards import fill_palette
from explorer.ui.drawers import Popup
from explorer.ui.guard import guarded

if TYPE_CHECKING:
    from explorer.concepts import declaration as d
    from explorer.ui.theme import Theme

LONGEST_NAME = 34
DETAIL = Qt.ItemDataRole.UserRole + 1
#: What an item of the list stands for that is a file, not a text.
IS_FILE = Qt.ItemDataRole.UserRole + 2


class _Item(QStyledItemDelegate):
    """Draws a suggestion: what it is called, and muted beside it the words about it."""

    def __init__(self, chooser: Chooser) -> None:
        super().__init__(chooser)
        self._chooser = chooser

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """Return the height of a line."""
        theme = self._chooser.theme
        return QSize(10, QFontMetrics(theme.font(13)).height() + theme.px(7))

    @guarded
    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint an item."""
        theme = self._chooser.theme
        px, rect = theme.px, QRect(option.rect)
        chosen = bool(option.state & QStyle.StateFlag.State_Selected)
        painter.save()
        if chosen:
            painter.fillRect(rect, theme.color("accent"))
        rect.adjust(px(8), 0, -px(8), 0)
        font, small = theme.font(13), theme.font(12)
        name = str(index.data())
        painter.setFont(font)
        painter.setPen(theme.color("on_accent" if chosen else "text"))
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter), name)
        rect.setLeft(rect.left() + QFontMetrics(font).horizontalAdvance(name) + px(14))
        painter.setFont(small)
        painter.setPen(theme.color("on_accent" if chosen else "muted"))
        detail = QFontMetrics(small).elidedText(
            str(index.data(DETAIL) or ""), Qt.TextElideMode.ElideMiddle, max(rect.width(), 0)
        )
        painter.drawText(rect, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), detail)
        painter.restore()


class Chooser(QToolButton):
    """The button and its list.

    Signals
    -------
    chosen(str)
        The text that was chosen.
    given(object)
        The path of a file that was opened.
    """

    chosen = Signal(str)
    given = Signal(object)

    def __init__(self, control: d.Text, theme: Theme) -> None:
        super().__init__()
        self.control = control
        self.theme = theme
        self._value = control.default
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.popup = Popup(self, f"choose_{control.name}", control.label)
        self.search = QLineEdit()
        self.search.setObjectName(f"search_{control.name}")
        self.search.setClearButtonEnabled(True)
        self.search.setAccessibleName(self.tr("Search: {0}").format(control.label))
        self.search.textChanged.connect(self._fill)
        self.search.returnPressed.connect(self._take_current)
        self.search.installEventFilter(self)
        self.list = QListWidget()
        self.list.setObjectName(f"list_{control.name}")
        self.list.setAccessibleName(control.label)
        self.list.setItemDelegate(_Item(self))
        self.list.setUniformItemSizes(True)
        self.list.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.list.itemClicked.connect(self._take)
        self.list.itemActivated.connect(self._take)
        self.popup.column.addWidget(self.search)
        self.popup.column.addWidget(self.list)
        self.open_file = QPushButton(self.tr("Open a file, {0}…").format(_endings(control)))
        self.open_file.setObjectName(f"open_{control.name}")
        if control.read is None:  # showing it before it has a parent would open a window of its own
            self.open_file.hide()
        self.open_file.clicked.connect(self._ask_for_file)
        self.popup.column.addWidget(self.open_file)
        self.clicked.connect(self.open)
        self.set_theme(theme)

    # --- what is shown ---

    def show_value(self, controls: d.Controls) -> None:
        """Show which text is chosen."""
        self._value = str(controls[self.control.name])
        name = self._value if self.control.shown is None else self.control.shown(controls)
        short = name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 1]}…"
        text = plain_text.caption(f"{short} ▾")
        if text != self.text():
            self.setText(text)
            self.setToolTip(plain_text.tip(name))
            self.setAccessibleName(f"{self.control.label}: {name}")
            self.updateGeometry()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        px = theme.px
        self.popup.column.setContentsMargins(px(8), px(8), px(8), px(8))
        self.popup.column.setSpacing(px(6))
        self.list.setFixedSize(px(430), px(264))
        fill_palette(self.search, theme)

    # --- the list ---

    def open(self) -> None:
        """Open the list with the focus in its search."""
        self.search.clear()
        self._fill("")
        self.search.setPlaceholderText(self.tr("Search {0} {1}").format(self.list.count(), self.control.many))
        self.popup.open_below()
        self.search.setFocus()

    def _fill(self, typed: str) -> None:
        self.list.clear()
        path = self._path(typed)
        if path is not None:
            item = QListWidgetItem(self.tr("Open {0}").format(path.name), self.list)
            item.setData(Qt.ItemDataRole.UserRole, str(path))
            item.setData(DETAIL, str(path.parent))
            item.setData(IS_FILE, True)
        assert self.control.suggest is not None
        for one in self.control.suggest(typed):
            item = QListWidgetItem(one.label, self.list)
            item.setData(Qt.ItemDataRole.UserRole, one.value)
            item.setData(DETAIL, one.detail)
            item.setToolTip(plain_text.tip(one.detail))
            if one.value == self._value and not typed:
                self.list.setCurrentItem(item)
        if self.list.currentRow() < 0:
            self.list.setCurrentRow(0)

    def _path(self, typed: str) -> Path | None:
        """Return the file that was typed, None where it is none that can be read."""
        text = typed.strip().strip("\"'")
        if not self.control.takes(text):
            return None
        try:
            path = Path(text).expanduser()
            return path if path.is_file() else None
        except (OSError, RuntimeError, ValueError):
            return None

    def _take_current(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            self._take(item)

    def _take(self, item: QListWidgetItem) -> None:
        value, is_file = item.data(Qt.ItemDataRole.UserRole), bool(item.data(IS_FILE))
        self.popup.hide()
        if is_file:
            self.given.emit(Path(value))
        else:
            self.chosen.emit(value)

    def _ask_for_file(self) -> None:
        self.popup.hide()
        patterns = " ".join(f"*{ending}" for ending in self.control.files)
        kinds = [f"{_endings(self.control)} ({patterns})"]
        ask.file_to_open(self.window(), self.open_file.text(), lambda path: self.given.emit(Path(path)), kinds=kinds)

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Walk the list with the arrow keys while the search has the focus."""
        walks = (Qt.Key.Key_Up, Qt.Key.Key_Down, Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress and event.key() in walks:
            self.list.keyPressEvent(event)
            return True
        return bool(super().eventFilter(watched, event))


def _endings(control: d.Text) -> str:
    """Return the kinds of file in words."""
    return " or ".join(control.files)
