"""Small questions to the user: a number, a text, one of a few. They open over the window and never block it.

Qt's ready-made functions for these run an event loop of their own, in which a closing window or a test hangs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtWidgets import QInputDialog, QWidget


def _dialog(parent: QWidget, title: str, label: str) -> QInputDialog:
    from PySide6.QtWidgets import QInputDialog

    dialog = QInputDialog(parent)
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
