"""Export in the File menu: the tab as a picture, as numbers or as a script, the session as arrays."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.ui.window import MainWindow
    from explorer.workbench.document import Document


class ExportMenu(QObject):
    """The Export submenu of a window."""

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self.window = window
        self.document = document
        menu, add = window.file_menu.addMenu("&Export"), window.add_action
        menu.setObjectName("export")
        add(menu, "export_picture", "&Picture of this tab…", self.show_picture, "Ctrl+Shift+E")
        menu.addSeparator()
        add(menu, "export_csv", "Numbers of this tab (&CSV)…", lambda: self._ask("CSV", "csv", self.csv))
        add(menu, "export_py", "This tab as a NumPy &script…", lambda: self._ask("Python", "py", self.script))
        add(menu, "export_npz", "The whole session as &arrays (NPZ)…", lambda: self._ask("NumPy", "npz", self.npz))

    def show_picture(self) -> None:
        """Show what a picture of the tab in front would look like."""
        from explorer.ui.picture_dialog import PictureDialog

        PictureDialog(self.window)

    def csv(self) -> bytes:
        """Return every array of the tab in front as a CSV file."""
        from explorer.workbench import data_export

        concept = self.window.page.concept
        state = self.window.workbench.state(concept.slug)
        arrays = data_export.all_labelled(concept, state, data_export.results_of(concept, state))
        return data_export.csv_file(arrays)

    def script(self) -> bytes:
        """Return the tab in front as a NumPy script."""
        from explorer.workbench import script_export

        concept = self.window.page.concept
        return script_export.numpy_script(concept, self.window.workbench.state(concept.slug)).encode()

    def npz(self) -> bytes:
        """Return every array of every tab as an NPZ file."""
        from explorer.workbench import documents

        return documents.session_npz(self.document.session())

    def _ask(self, title: str, suffix: str, data: Callable[[], bytes]) -> None:
        from explorer.ui.matrix_export import ask_and_write

        concept = self.window.page.concept
        stem = f"{concept.number:02d}-{concept.slug}" if suffix != "npz" else self.document.name.rpartition(".")[0]
        name = f"{stem or 'attention'}.{suffix}"
        ask_and_write(self.window, "Export", data, title=title, suffix=suffix, name=name)
