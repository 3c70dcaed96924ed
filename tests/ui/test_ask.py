"""Questions over the window; those for a file, which show the files of whoever is asked."""

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractItemView, QFileDialog, QFileSystemModel

from explorer.ui.window import MainWindow
from tests.ui.asking import dialog, trigger

FILE_DIALOGS = ["open", "save_as", "import", "export_csv"]


@pytest.mark.parametrize("name", FILE_DIALOGS)
def test_a_slip_of_the_mouse_in_a_file_dialog_moves_no_file(window: MainWindow, name: str) -> None:
    trigger(window, name)
    shown = dialog(window, QFileDialog)
    views = shown.findChildren(QAbstractItemView)
    assert {"listView", "treeView", "sidebar"} <= {view.objectName() for view in views}
    assert [view.objectName() for view in views if view.dragEnabled() or view.acceptDrops()] == []
    shown.reject()


@pytest.mark.parametrize("name", ["open", "import"])
def test_a_dialog_that_opens_a_file_changes_none(window: MainWindow, tmp_path: Path, name: str) -> None:
    (tmp_path / "kept.attn").write_text("kept")
    trigger(window, name)
    shown = dialog(window, QFileDialog)
    shown.setDirectory(str(tmp_path))
    model = shown.findChild(QFileSystemModel)
    assert model.isReadOnly()
    index = model.index(str(tmp_path / "kept.attn"))
    assert not model.flags(index) & (Qt.ItemFlag.ItemIsEditable | Qt.ItemFlag.ItemIsDropEnabled)
    shown.reject()
