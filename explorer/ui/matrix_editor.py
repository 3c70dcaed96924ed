"""The editor that opens inside a cell: a line of text at full precision. Refused text leaves the old value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QLineEdit, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from explorer.workbench import number_text

if TYPE_CHECKING:
    from explorer.ui.matrix_model import AnyIndex
    from explorer.ui.matrix_view import MatrixView


class NumberDelegate(QStyledItemDelegate):
    """Edits a cell as text; Qt's own delegate would round a float to two decimals."""

    def __init__(self, view: MatrixView) -> None:
        super().__init__(view)
        self._view = view
        self._move: tuple[int, int] | None = None

    def createEditor(self, parent: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> QWidget:
        """Open a line that is wide enough for a full-precision number."""
        editor = QLineEdit(parent)
        editor.setObjectName(f"editor of {self._view.name}")
        editor.setAccessibleName(f"{self._view.name} row {index.row()} column {index.column()}")
        editor.setFrame(False)
        theme = self._view.look.theme
        editor.setFont(theme.font(max(self._view.look.font_px, theme.text_px(12)), exact=True))
        colors = theme.colors
        editor.setStyleSheet(
            f"QLineEdit {{ background: {colors.panel}; color: {colors.text}; padding: 0 2px;"
            f" border: {max(theme.px(2), 2)}px solid {colors.accent};"
            f" selection-background-color: {colors.accent}; selection-color: {colors.on_accent}; }}"
        )
        editor.installEventFilter(self)
        return editor

    def updateEditorGeometry(self, editor: QWidget, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Cover the cell, and as much to its sides as the number needs and the matrix has."""
        cell = self._view.visualRect(self._view.model().index(index.row(), index.column()))
        wanted = max(cell.width(), editor.fontMetrics().horizontalAdvance("−0.12345678") + self._view.look.theme.px(12))
        width = min(wanted, max(self._view.viewport().width(), cell.width()))
        left = min(cell.left(), self._view.viewport().width() - width)
        editor.setGeometry(max(left, 0), cell.top(), width, max(cell.height() - 1, editor.minimumSizeHint().height()))

    def setEditorData(self, editor: QWidget, index: AnyIndex) -> None:
        """Show the value with all its digits, selected."""
        assert isinstance(editor, QLineEdit)
        if not editor.property("filled"):
            editor.setText(number_text.full(float(index.data(Qt.ItemDataRole.EditRole))))
            editor.setProperty("filled", editor.text())
            editor.selectAll()

    def setModelData(self, editor: QWidget, model: object, index: AnyIndex) -> None:
        """Write what was typed; text that did not change is no edit."""
        assert isinstance(editor, QLineEdit)
        if editor.text() != editor.property("filled") and not self._view.type_text(
            index.row(), index.column(), editor.text()
        ):
            self._move = None

    def eventFilter(self, editor: QObject, event: QEvent) -> bool:
        """Finish with Enter, Tab or the arrows, and move on as a spreadsheet does; Esc gives up."""
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent) and isinstance(editor, QLineEdit):
            back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            move = {
                Qt.Key.Key_Return: (-1 if back else 1, 0),
                Qt.Key.Key_Enter: (-1 if back else 1, 0),
                Qt.Key.Key_Up: (-1, 0),
                Qt.Key.Key_Down: (1, 0),
                Qt.Key.Key_Tab: (0, 1),
                Qt.Key.Key_Backtab: (0, -1),
            }.get(Qt.Key(event.key()))
            if move is not None:
                self._move = move
                self.commitData.emit(editor)
                self.closeEditor.emit(editor)
                if self._move is not None:
                    QTimer.singleShot(0, self._view, lambda: self._view.move_after_edit(*move))
                return True
        return super().eventFilter(editor, event)
