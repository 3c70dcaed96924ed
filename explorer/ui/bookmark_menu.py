"""The Bookmarks menu: going through a lecture with one key, marking places, and flipping between A and B.

A is what is on the screen, B what was kept: by hand, or because a bookmark was gone to. What a bookmark holds and what
going to one does to the history is the document's business.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from PySide6.QtCore import QObject

from explorer.concepts import declaration as d
from explorer.ui import ask

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.ops.base import Array
    from explorer.ui.bookmark_list import BookmarkList
    from explorer.ui.theme import Theme
    from explorer.ui.window import MainWindow
    from explorer.workbench.bookmarks import Difference
    from explorer.workbench.document import Document, Kind


class BookmarkMenu(QObject):
    """The menu of a window, and what it leads to."""

    def __init__(self, window: MainWindow, document: Document) -> None:
        super().__init__(window)
        self.window = window
        self.document = document
        self.list: BookmarkList | None = None
        self._fill()
        self._stop = document.subscribe(self._changed)
        self._changed("bookmarks")
        self._changed("kept")

    def _fill(self) -> None:
        menu, add = self.window.menuBar().addMenu("&Bookmarks"), self.window.add_action
        add(menu, "bookmark_next", "&Next bookmark", self.go_on, ["F8", "Ctrl+Alt+Right"])
        add(menu, "bookmark_previous", "&Previous bookmark", self.go_back, ["F7", "Ctrl+Alt+Left"])
        add(menu, "bookmark_add", "&Add a bookmark…", self.ask_add, "Ctrl+B")
        add(menu, "bookmark_list", "&List…", self.show_list, "Ctrl+Shift+B")
        menu.addSeparator()
        add(menu, "keep", "&Keep what is on screen as B", self.keep, "Ctrl+K")
        add(menu, "flip", "&Flip A and B", self.flip, "F")
        add(menu, "compare", "&Differences of A to B", self.compare, "Shift+C", check=True)

    # --- bookmarks ---

    def go_on(self) -> None:
        """Go to the next bookmark."""
        self._attempt(lambda: self._arrived(self.document.go_on(), "there is no bookmark after this one"))

    def go_back(self) -> None:
        """Go to the previous bookmark."""
        self._attempt(lambda: self._arrived(self.document.go_back(), "there is no bookmark before this one"))

    def go_to(self, at: int) -> None:
        """Go to a bookmark."""

        def go() -> None:
            self.document.go_to(at)
            self._arrived(True, "")

        self._attempt(go)

    def _arrived(self, moved: bool, otherwise: str) -> None:
        marks, at = self.document.bookmarks, self.document.place
        if not marks:
            self.window.say("there are no bookmarks yet; Ctrl+B makes one of what is on screen")
        elif not moved or at is None:
            self.window.say(otherwise)
        else:
            note = marks[at].note
            self.window.say(f"bookmark {at} of 0 to {len(marks) - 1}{f': {note}' if note else ''}")

    def leaf(self, by: int) -> bool:
        """Go on or back in a show; False where there are no bookmarks to go through."""
        if not self.document.bookmarks:
            return False
        if by > 0:
            self.go_on()
        else:
            self.go_back()
        return True

    def ask_add(self) -> None:
        """Ask for a note and make a bookmark of what is on screen."""
        ask.text(self.window, "Add a bookmark", "Note (may stay empty):", self.add, value="")

    def add(self, note: str) -> None:
        """Make a bookmark of what is on screen, after all others."""

        def make() -> None:
            self.document.add_bookmark(note.strip())
            self.document.place = len(self.document.bookmarks) - 1
            self.window.say(f"bookmark {self.document.place} added")
            self._changed("bookmarks")

        self._attempt(make)

    def note(self, at: int, note: str) -> None:
        """Put another note on a bookmark."""

        def change() -> None:
            self.document.bookmarks = self.document.bookmarks.noted(at, note)

        self._attempt(change)

    def show_list(self) -> None:
        """Show all bookmarks."""
        if self.list is None:
            from explorer.ui.bookmark_list import BookmarkList

            self.list = BookmarkList(self.window, self.document, self)
        self.list.show()
        self.list.raise_()
        self.list.activateWindow()

    # --- A and B ---

    def keep(self) -> None:
        """Keep what is on screen as B."""
        self.document.keep()
        self.window.say("kept as B: F flips, Shift+C shows the differences")

    def flip(self) -> None:
        """Show B, keep A as B, and name the largest difference."""

        def flip() -> None:
            self.document.flip()
            self.window.say(self.largest_difference())

        self._attempt(flip)

    def compare(self) -> None:
        """Show in every matrix what A holds minus what B holds, or the values again."""
        on = self.window.action("compare").isChecked()
        try:
            said = self.largest_difference() if on else ""
        except ValueError as error:
            on, said = False, str(error)
        self.window.action("compare").setChecked(True)
        self.window.compare(on=on)
        self.window.say(said)

    def difference(self, name: str) -> Array | None:
        """Return what an array of the page holds minus what B holds; None where cells have no partners."""
        found = self.document.difference(name)
        return None if found is None else found.values

    def follow(self) -> None:
        """Name the largest difference anew after a change, while differences to B are shown."""
        if self.window.action("compare").isChecked():
            self.window.say(self.largest_difference())

    def largest_difference(self) -> str:
        """Name the cell on the page that differs most between A and B."""
        found = self.document.differences()
        shown = d.shown_arrays(self.window.page.concept.layout)
        differing = [one for name in shown if (one := found.get(name)) is not None and one.largest is not None]
        if differing:
            return f"A − B: {max(differing, key=_size).sentence()}"
        if any(found.get(name, "absent") is None for name in shown):
            return "A and B have other sizes: no cell has a partner"
        return "A and B hold the same numbers"

    def _changed(self, kind: Kind) -> None:
        if kind == "bookmarks":
            for name in ("bookmark_next", "bookmark_previous"):
                self.window.action(name).setEnabled(bool(self.document.bookmarks))
        for name in ("flip", "compare"):
            self.window.action(name).setEnabled(self.document.kept is not None)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        if self.list is not None:
            self.list.set_theme(theme)

    def end(self) -> None:
        """Listen no more."""
        self._stop()

    def _attempt(self, change: Callable[[], object]) -> None:
        try:
            change()
        except ValueError as error:
            self.window.say(str(error))
            ask.tell(self.window, "Bookmarks", str(error))


def _size(one: Difference) -> tuple[bool, float]:
    """Order differences by size; a cell that only became masked, or visible, comes after those that are numbers."""
    finite = one.values[np.isfinite(one.values)]
    largest = float(np.abs(finite).max(initial=0.0))
    return (largest > 0, largest)
