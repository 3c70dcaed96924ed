"""What tests do with a window's document: edit it, answer its questions, choose files in its dialogs."""

from pathlib import Path
from typing import TypeVar

from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QMessageBox

from explorer.ui.window import MainWindow
from explorer.workbench import documents, session
from explorer.workbench.workbench import Workbench

SEVEN = "full-attention"
Kind = TypeVar("Kind", bound=QDialog)


def edit(window: MainWindow, value: float = 0.625) -> None:
    window.workbench.edit(SEVEN, "x", [(0, 0)], value)


def cell(window: MainWindow) -> float:
    return float(window.workbench.state(SEVEN).inputs["x"][0, 0])


def dialog(window: MainWindow, kind: type[Kind]) -> Kind:
    found = [one for one in window.findChildren(kind) if one.isVisible()]
    assert len(found) == 1, f"{len(found)} open {kind.__name__}"
    return found[0]


def answer(window: MainWindow, button: QMessageBox.StandardButton) -> None:
    box = dialog(window, QMessageBox)
    assert box.objectName() == "save_first"
    box.button(button).click()
    QApplication.processEvents()


def told(window: MainWindow) -> str:
    """Return what a message says, and close it."""
    box = dialog(window, QMessageBox)
    assert box.objectName() == "told"
    text = box.text()
    box.close()
    QApplication.processEvents()
    return text


def choose(window: MainWindow, path: Path) -> None:
    """Choose a file in the dialog that is open."""
    chooser = dialog(window, QFileDialog)
    chooser.fileSelected.emit(str(path))
    chooser.close()
    QApplication.processEvents()


def nothing_asked(window: MainWindow) -> bool:
    return not [one for one in window.findChildren(QDialog) if one.isVisible()]


def trigger(window: MainWindow, name: str) -> None:
    assert window.action(name).isEnabled(), name
    window.action(name).trigger()
    QApplication.processEvents()


def a_session(path: Path, value: float = 7.0) -> Path:
    workbench = Workbench()
    workbench.show(SEVEN)
    workbench.edit(SEVEN, "x", [(0, 0)], value)
    session.write(path, documents.session_of(workbench))
    return path


BUTTON = QMessageBox.StandardButton
