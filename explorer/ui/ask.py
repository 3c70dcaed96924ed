"""Small questions to the user: a number, a text, one of a few, a file. They open over the window and never block it.

Qt's ready-made functions for these run an event loop of their own, in which a closing window or a test hangs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

from explorer.ui.style import dress

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QFileDialog, QInputDialog, QWidget


def _dress(dialog: QWidget, parent: QWidget) -> None:
    theme = getattr(parent.window(), "theme", None)
    if theme is not None:
        dress(dialog, theme)


def _dialog(parent: QWidget, title: str, label: str) -> QInputDialog:
    from PySide6.QtWidgets import QInputDialog

    dialog = QInputDialog(parent)
    _dress(dialog, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setWindowTitle(title)
    dialog.setLabelText(label)
    return dialog


def whole(
    parent: QWidget, title: str, label: str, then: Callable[[int], object], *, value: int, low: int, high: int
) -> None:
    """Ask for a whole number and hand it on."""
    dialog = _dialog(parent, title, label)
    dialog.setIntRange(low, high)
    dialog.setIntValue(value)
    dialog.intValueSelected.connect(then)
    dialog.open()


def text(parent: QWidget, title: str, label: str, then: Callable[[str], object], *, value: str) -> None:
    """Ask for a line of text and hand it on."""
    dialog = _dialog(parent, title, label)
    dialog.setTextValue(value)
    dialog.textValueSelected.connect(then)
    dialog.open()


def one_of(parent: QWidget, title: str, label: str, then: Callable[[int], object], *, items: Sequence[str]) -> None:
    """Ask for one of a few and hand on which."""
    dialog = _dialog(parent, title, label)
    choices = list(items)
    dialog.setComboBoxItems(choices)
    dialog.textValueSelected.connect(lambda chosen: then(choices.index(chosen)))
    dialog.open()


def file_to_open(
    parent: QWidget, title: str, then: Callable[[str], object], *, kinds: Sequence[str], folder: str = ""
) -> None:
    """Ask for a file that exists and hand its path on."""
    from PySide6.QtWidgets import QFileDialog

    dialog = _file_dialog(parent, title, kinds, folder)
    dialog.setOption(QFileDialog.Option.ReadOnly)
    dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
    dialog.fileSelected.connect(then)
    dialog.open()


def file_to_save(
    parent: QWidget,
    title: str,
    then: Callable[[str], object],
    *,
    kinds: Sequence[str],
    suffix: str,
    name: str = "",
    folder: str = "",
) -> None:
    """Ask for a file to write to, with that ending where none is typed, and hand its path on."""
    from PySide6.QtWidgets import QFileDialog

    dialog = _file_dialog(parent, title, kinds, folder)
    dialog.setAcceptMode(QFileDialog.AcceptMode.AcceptSave)
    dialog.setDefaultSuffix(suffix)
    if name:
        dialog.selectFile(name)
    dialog.fileSelected.connect(then)
    dialog.open()


def _file_dialog(parent: QWidget, title: str, kinds: Sequence[str], folder: str) -> QFileDialog:
    from PySide6.QtWidgets import QAbstractItemView, QFileDialog

    dialog = QFileDialog(parent, title, folder)
    _dress(dialog, parent)
    dialog.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    dialog.setNameFilters(list(kinds))
    # In the dialog that Qt draws where the system has none, a slip of the mouse moves whole folders, unasked.
    for view in dialog.findChildren(QAbstractItemView):
        view.setDragDropMode(QAbstractItemView.DragDropMode.NoDragDrop)
    return dialog


def tell(parent: QWidget, title: str, sentence: str) -> None:
    """Say something that must not be overlooked."""
    from PySide6.QtWidgets import QMessageBox

    box = QMessageBox(parent)
    _dress(box, parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setObjectName("told")
    box.setWindowTitle(title)
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(sentence)
    box.open()


def save_first(parent: QWidget, name: str, save: Callable[[], object], give_up: Callable[[], object]) -> None:
    """Ask what is to become of changes that are not saved; Cancel, or Esc, does nothing."""
    from PySide6.QtWidgets import QMessageBox

    box = QMessageBox(parent)
    _dress(box, parent)
    box.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
    box.setObjectName("save_first")
    box.setWindowTitle("Save changes?")
    box.setTextFormat(Qt.TextFormat.PlainText)
    box.setText(f"{name} has changes that are not saved." if name else "There are changes that are not saved.")
    box.setInformativeText("Save them before they are gone?")
    buttons = QMessageBox.StandardButton
    box.setStandardButtons(buttons.Save | buttons.Discard | buttons.Cancel)
    box.setDefaultButton(buttons.Save)
    answers = {buttons.Save: save, buttons.Discard: give_up}

    def answered(code: int) -> None:
        answer = answers.get(buttons(code))
        if answer is not None:
            answer()

    box.finished.connect(answered)
    box.open()
