"""The list of bookmarks: a small window beside the page, to plan a lecture with and to jump from place to place.

Notes are edited in place, the order is changed by dragging or with Alt and the arrow keys, and what was deleted last
can be put back. The list is the document's; this shows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QPoint, QRect, QSize, Qt, QTimer
from PySide6.QtGui import QFontMetrics, QKeyEvent, QPainter
from PySide6.QtWidgets import (
    QAbstractItemView,
    QDialog,
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QPushButton,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from explorer.ui import plain_text
from explorer.ui.guard import guarded
from explorer.ui.style import dress
from explorer.workbench import fingerprint
from explorer.workbench import state as states
from explorer.workbench.bookmarks import LONGEST_NOTE

if TYPE_CHECKING:
    from explorer.ui.bookmark_menu import BookmarkMenu
    from explorer.ui.theme import Theme
    from explorer.ui.window import MainWindow
    from explorer.workbench.bookmarks import Bookmark
    from explorer.workbench.document import Document, Kind

WHERE: Final = Qt.ItemDataRole.UserRole
HERE: Final = Qt.ItemDataRole.UserRole + 1
EMPTY: Final = (
    "A bookmark keeps a tab with its numbers and step.\n\n"
    "Ctrl+B makes one of what is on screen, F8 and F7 go from one to the next; in a show, a clicker's keys do."
)

AnyIndex = QModelIndex | QPersistentModelIndex


class BookmarkList(QDialog):
    """All bookmarks of a document, in order."""

    def __init__(self, window: MainWindow, document: Document, menu: BookmarkMenu) -> None:
        super().__init__(window, Qt.WindowType.Tool)
        self._window, self._document, self._menu = window, document, menu
        self._removed: tuple[int, Bookmark] | None = None
        self._noting = False
        self.setObjectName("bookmarks")
        self.setWindowTitle("Bookmarks")
        self.rows = _Rows(self)
        self.rows.setItemDelegate(_Delegate(window.theme, self))
        dress(self, window.theme)
        self.rows.itemActivated.connect(lambda item: menu.go_to(self.rows.row(item)))
        self.rows.itemChanged.connect(self._note)
        self.rows.model().rowsMoved.connect(self._dragged)
        self.rows.currentRowChanged.connect(lambda _row: self._enable())
        self.empty = QLabel(EMPTY)
        self.empty.setWordWrap(True)
        self.empty.setAlignment(Qt.AlignmentFlag.AlignTop)
        self.empty.setProperty("role", "control")
        self.buttons = {
            name: self._button(name, text, tip, slot)
            for name, text, tip, slot in (
                ("add", "Add", "Make a bookmark of what is on screen", menu.ask_add),
                ("go", "Go", "Show this bookmark (Enter)", self.go),
                ("rename", "Note", "Change the note (F2)", self.rename),
                ("retake", "Retake", "Let this bookmark lead to what is on screen now", self.retake),
                ("up", "↑", "Move up (Alt+Up)", lambda: self.move_by(-1)),
                ("down", "↓", "Move down (Alt+Down)", lambda: self.move_by(1)),
                ("delete", "Delete", "Delete this bookmark (Del)", self.delete),
                ("put_back", "Put back", "Put back the bookmark that was deleted last", self.put_back),
            )
        }
        line = QHBoxLayout()
        for name in ("add", "go", "rename", "retake", "up", "down"):
            line.addWidget(self.buttons[name])
        line.addStretch(1)
        line.addWidget(self.buttons["put_back"])
        line.addWidget(self.buttons["delete"])
        column = QVBoxLayout(self)
        px = window.theme.px
        column.setContentsMargins(px(10), px(10), px(10), px(10))
        column.setSpacing(px(8))
        column.addWidget(self.rows, 1)
        column.addWidget(self.empty, 1)
        column.addLayout(line)
        self._stop = document.subscribe(self._changed)
        self.destroyed.connect(self._stop)
        self.resize(px(470), px(420))
        self.move(window.mapToGlobal(QPoint(max(window.width() - self.width() - px(24), 0), px(90))))
        self._fill()

    def _button(self, name: str, text: str, tip: str, slot: Any) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(f"bookmark_{name}")
        button.setToolTip(tip)
        button.setAccessibleName(tip)
        button.setAutoDefault(False)
        button.clicked.connect(lambda: slot())  # noqa: PLW0108 - the signal says whether it is checked
        return button

    # --- showing ---

    def _changed(self, kind: Kind) -> None:
        # Filled anew in the middle of an edit, the list would lose the entry and the editor that Qt is still busy with.
        if kind == "bookmarks" and not self._noting:
            self._fill()

    def _fill(self) -> None:
        """Show the document's list; the row that was current stays so."""
        row, rows = self.rows.currentRow(), self.rows
        rows.blockSignals(True)
        rows.clear()
        for at in range(len(self._document.bookmarks)):
            item = QListWidgetItem()
            self._describe(item, at)
            item.setFlags(item.flags() | Qt.ItemFlag.ItemIsEditable)
            rows.addItem(item)
        rows.setCurrentRow(min(max(row, 0), rows.count() - 1))
        rows.blockSignals(False)
        rows.setVisible(rows.count() > 0)
        self.empty.setVisible(rows.count() == 0)
        self._enable()

    def _describe(self, item: QListWidgetItem, at: int) -> None:
        """Let an entry say what the document holds there."""
        mark = self._document.bookmarks[at]
        item.setText(mark.note)
        item.setData(WHERE, self._where(mark))
        item.setData(HERE, at == self._document.place)
        item.setData(Qt.ItemDataRole.AccessibleTextRole, f"{at}: {mark.note or 'no note'}, {self._where(mark)}")
        item.setToolTip(plain_text.tip(mark.note))

    def _where(self, mark: Bookmark) -> str:
        """Say which tab, which step and which numbers a bookmark leads to."""
        concept = self._document.workbench.concept(mark.tab)
        state, view = mark.snapshot.state, mark.snapshot.view
        said = [f"{concept.number} {concept.title}"]
        if view.step >= 0 and concept.steps:
            row, step = states.row_and_step(concept, state.sizes, view)
            said.append(concept.steps[step].label + ("" if row is None else f", row {row}"))
        said.append(f"inputs {fingerprint.of_state(state)}")
        return " · ".join(said)

    def _enable(self) -> None:
        at, count = self.rows.currentRow(), self.rows.count()
        for name in ("go", "rename", "retake", "delete"):
            self.buttons[name].setEnabled(at >= 0)
        self.buttons["up"].setEnabled(at > 0)
        self.buttons["down"].setEnabled(0 <= at < count - 1)
        self.buttons["put_back"].setVisible(self._removed is not None)

    # --- changing ---

    def go(self) -> None:
        """Go to the current bookmark."""
        if self.rows.currentRow() >= 0:
            self._menu.go_to(self.rows.currentRow())

    def rename(self) -> None:
        """Edit the current bookmark's note."""
        if self.rows.currentItem() is not None:
            self.rows.editItem(self.rows.currentItem())

    def _note(self, item: QListWidgetItem) -> None:
        """Put an entry's text, which was edited, on its bookmark."""
        at = self.rows.row(item)
        note = item.text().strip()[:LONGEST_NOTE]
        if self._noting:
            return
        self._noting = True
        try:
            if note != self._document.bookmarks[at].note:
                self._menu.note(at, note)
            self._describe(item, at)
        finally:
            self._noting = False

    def retake(self) -> None:
        """Let the current bookmark lead to what is on screen."""
        at = self.rows.currentRow()
        if at >= 0:
            self._document.bookmarks = self._document.bookmarks.retaken(at, self._document.on_screen())
            self._window.say(f"bookmark {at} leads to what is on screen now")

    def move_by(self, by: int) -> None:
        """Move the current bookmark up or down."""
        at = self.rows.currentRow()
        if at >= 0 and 0 <= at + by < self.rows.count():
            self._move(at, at + by)

    def _dragged(self, _parent: QModelIndex, start: int, _end: int, _to: QModelIndex, row: int) -> None:
        # Qt is still in the middle of its move; the list may be filled anew when that is done.
        to = row if row < start else row - 1
        QTimer.singleShot(0, self, lambda: self._move(start, to))

    def _move(self, at: int, to: int) -> None:
        document = self._document
        standing = document.place
        self.rows.blockSignals(True)
        self.rows.setCurrentRow(to)
        self.rows.blockSignals(False)
        document.place = _after_move(standing, at, to)
        document.bookmarks = document.bookmarks.moved(at, to)

    def delete(self) -> None:
        """Delete the current bookmark; it can be put back."""
        at, document = self.rows.currentRow(), self._document
        if at < 0:
            return
        self._removed = (at, document.bookmarks[at])
        if document.place is not None and document.place >= at:
            document.place = document.place - 1 if document.place > at else None
        document.bookmarks = document.bookmarks.removed(at)

    def put_back(self) -> None:
        """Put back the bookmark that was deleted last."""
        if self._removed is None:
            return
        (at, mark), self._removed = self._removed, None
        document = self._document
        at = min(at, len(document.bookmarks))
        if document.place is not None and document.place >= at:
            document.place += 1
        document.bookmarks = document.bookmarks.added(mark, at)
        self.rows.setCurrentRow(at)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        dress(self, theme)
        self.rows.setItemDelegate(_Delegate(theme, self))


def _after_move(place: int | None, at: int, to: int) -> int | None:
    """Return where a position ends up when the entry at `at` is moved to `to`."""
    if place is None or not min(at, to) <= place <= max(at, to):
        return place
    if place == at:
        return to
    return place - 1 if at < to else place + 1


class _Rows(QListWidget):
    """The rows, with the keys that a list of places wants."""

    def __init__(self, owner: BookmarkList) -> None:
        super().__init__(owner)
        self._owner = owner
        self.setObjectName("bookmark_rows")
        self.setAccessibleName("Bookmarks")
        self.setDragDropMode(QAbstractItemView.DragDropMode.InternalMove)
        self.setDefaultDropAction(Qt.DropAction.MoveAction)
        self.setEditTriggers(QAbstractItemView.EditTrigger.EditKeyPressed)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setUniformItemSizes(True)

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Delete, go, move with Alt; all else is the list's. What the editor of a note lets through is for nobody."""
        moves = {Qt.Key.Key_Up: -1, Qt.Key.Key_Down: 1}
        key = Qt.Key(event.key())
        if self.state() == QAbstractItemView.State.EditingState:
            event.accept()
        elif event.modifiers() & Qt.KeyboardModifier.AltModifier and key in moves:
            self._owner.move_by(moves[key])
        elif key == Qt.Key.Key_Delete:
            self._owner.delete()
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._owner.go()
        else:
            super().keyPressEvent(event)


class _Delegate(QStyledItemDelegate):
    """Paints a bookmark in two lines: its position and note, and under them where it leads."""

    def __init__(self, theme: Theme, parent: QWidget) -> None:
        super().__init__(parent)
        self._theme = theme

    def _heights(self) -> tuple[int, int]:
        return tuple(QFontMetrics(self._theme.font(size)).height() for size in (14, 12))  # type: ignore[return-value]

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:
        """Return room for both lines."""
        return QSize(self._theme.px(200), sum(self._heights()) + self._theme.px(14))

    @guarded
    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint the two lines; the bookmark that was gone to last has a bar at its side."""
        theme, px, rect = self._theme, self._theme.px, option.rect
        selected = bool(option.state & option.state.State_Selected)
        ink = theme.color("on_accent" if selected else "text")
        faint = theme.color("on_accent" if selected else "muted")
        painter.save()
        if selected:
            painter.fillRect(rect, theme.color("accent"))
        elif index.data(HERE):
            painter.fillRect(QRect(rect.left(), rect.top(), px(4), rect.height()), theme.color("accent"))
        first, _ = self._heights()
        number = str(index.row())
        left, top = rect.left() + px(40), rect.top() + px(7)
        painter.setFont(theme.font(14, bold=True))
        painter.setPen(faint)
        right = int(Qt.AlignmentFlag.AlignRight)
        painter.drawText(QRect(rect.left(), top, px(30), first), right, number)
        note = index.data(Qt.ItemDataRole.DisplayRole) or ""
        painter.setFont(theme.font(14, bold=bool(note)))
        painter.setPen(ink if note else faint)
        room = rect.right() - left - px(8)
        shown = QFontMetrics(painter.font()).elidedText(note or "no note", Qt.TextElideMode.ElideRight, room)
        painter.drawText(left, top + QFontMetrics(painter.font()).ascent(), shown)
        painter.setFont(theme.font(12))
        painter.setPen(faint)
        metrics = QFontMetrics(painter.font())
        where = metrics.elidedText(index.data(WHERE) or "", Qt.TextElideMode.ElideRight, room)
        painter.drawText(left, top + first + metrics.ascent(), where)
        painter.restore()

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        """Edit the note in its own line."""
        editor = QLineEdit(parent)
        editor.setObjectName("bookmark_note")
        editor.setAccessibleName("note")
        editor.setMaxLength(LONGEST_NOTE)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Leave the position beside the editor in view."""
        editor.setGeometry(option.rect.adjusted(self._theme.px(34), 0, 0, 0))
