"""Files that a control of some tab can be read from: where one goes that is opened or dropped on the window.

The tab in front comes first. What a file is apart from that, a session or arrays, is `explorer.ui.document_menu`'s.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.concepts import declaration as d

if TYPE_CHECKING:
    from pathlib import Path

    from explorer.ui.window import MainWindow


class FileDrop:
    """Finds the control that a file goes to, and lets it read the file."""

    def __init__(self, window: MainWindow) -> None:
        self._window = window

    def taker(self, path: Path) -> tuple[str, str] | None:
        """Return the tab and the control that a file of that name goes to, None where there is none."""
        workbench = self._window.workbench
        concepts = sorted(workbench.concepts, key=lambda one: one.slug != workbench.current)
        for concept in concepts:
            for control in concept.controls:
                if isinstance(control, d.Text) and control.takes(path.name):
                    return concept.slug, control.name
        return None

    def take(self, path: Path, where: tuple[str, str]) -> None:
        """Bring a tab to the front and let one of its controls read a file."""
        slug, control = where
        self._window.workbench.show(slug)
        self._window.page_of(slug).take_file(control, path)
