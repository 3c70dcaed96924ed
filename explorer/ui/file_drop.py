"""Files dropped on the window: those that a control of some tab can be read from go there.

The tab in front comes first. What no control takes is left to whoever else accepts drops.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QDropEvent

from explorer.concepts import declaration as d
from explorer.ui.guard import guarded

if TYPE_CHECKING:
    from PySide6.QtCore import QMimeData

    from explorer.ui.window import MainWindow


class FileDrop(QObject):
    """Watches a window for files that are dropped on it."""

    def __init__(self, window: MainWindow) -> None:
        super().__init__(window)
        self._window = window
        window.setAcceptDrops(True)
        window.installEventFilter(self)

    def taker(self, path: Path) -> tuple[str, str] | None:
        """Return the tab and the control that a file of that name goes to, None where there is none."""
        workbench = self._window.workbench
        concepts = sorted(workbench.concepts, key=lambda one: one.slug != workbench.current)
        for concept in concepts:
            for control in concept.controls:
                if isinstance(control, d.Text) and control.takes(path.name):
                    return concept.slug, control.name
        return None

    def _wanted(self, data: QMimeData) -> tuple[Path, tuple[str, str]] | None:
        paths = [Path(url.toLocalFile()) for url in data.urls() if url.isLocalFile()]
        found = self.taker(paths[0]) if len(paths) == 1 else None
        return (paths[0], found) if found is not None else None

    @guarded
    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Accept what a control can be read from, and let it read what is dropped."""
        if isinstance(event, QDropEvent) and event.type() in (
            QEvent.Type.DragEnter,
            QEvent.Type.DragMove,
            QEvent.Type.Drop,
        ):
            wanted = self._wanted(event.mimeData())
            if wanted is not None:
                event.acceptProposedAction()
                if event.type() == QEvent.Type.Drop:
                    self.take(*wanted)
                return True
        return bool(super().eventFilter(watched, event))

    def take(self, path: Path, where: tuple[str, str]) -> None:
        """Bring a tab to the front and let one of its controls read a file."""
        slug, control = where
        self._window.workbench.show(slug)
        self._window.page_of(slug).take_file(control, path)
