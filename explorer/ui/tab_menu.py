"""The Tab menu: what can be done in the tab in front, and the ways to another one by its number.

Its entries come from the concept's declaration and are made anew for every tab, with the tab's own keys.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from explorer.concepts import declaration as d
from explorer.ui import ask

if TYPE_CHECKING:
    from PySide6.QtWidgets import QMenu

    from explorer.ui.page import Page
    from explorer.ui.window import MainWindow


class TabMenu(QObject):
    """The menu of a window, and what it leads to."""

    def __init__(self, window: MainWindow, menu: QMenu) -> None:
        super().__init__(window)
        self.window = window
        self.workbench = window.workbench
        self.menu = menu
        self._actions: list[QAction] = []

    def fill(self, page: Page) -> None:
        """Show what can be done in the tab of this page."""
        for action in self._actions:
            self.window.removeAction(action)
            action.deleteLater()
        self._actions = []
        self.menu.clear()
        concept, slug = page.concept, page.concept.slug
        for control in concept.controls:
            if isinstance(control, d.Toggle):
                action = QAction(control.label, self.window)
                action.setCheckable(True)
                action.setChecked(bool(self.workbench.state(slug).controls[control.name]))
                action.triggered.connect(lambda on, name=control.name: page.set_control(name, bool(on)))
                self._add(action, control.key, f"toggle_{control.name}")
            elif isinstance(control, d.Choice) and control.key:
                action = QAction(f"Next {control.label}", self.window)
                action.triggered.connect(lambda _=False, one=control: self._next_option(one))
                self._add(action, control.key, f"next_{control.name}")
        for one in concept.actions:
            action = QAction(one.label, self.window)
            action.triggered.connect(lambda _=False, name=one.name: page.act(name))
            self._add(action, one.key, f"act_{one.name}")
        if concept.tokens:
            action = QAction("Rename a token…", self.window)
            action.triggered.connect(self.ask_rename)
            self._add(action, "T", "rename")
        self.menu.addSeparator()
        self.menu.addAction(self.window.action("reset"))

    def check(self) -> None:
        """Tick what is on."""
        controls = self.workbench.state(self.workbench.current).controls
        for action in self._actions:
            # A drag that ends because its page is hidden is told while the actions are still those of that page.
            name = action.objectName().removeprefix("toggle_")
            if name != action.objectName() and name in controls:
                action.setChecked(bool(controls[name]))

    def move_tab(self, by: int) -> None:
        """Go to the tab so many after this one, round and round."""
        slugs = [entry.slug for entry in self.workbench.index]
        self.workbench.show(slugs[(slugs.index(self.workbench.current) + by) % len(slugs)])

    def ask_jump(self) -> None:
        """Ask for a tab's number and go there."""
        label = f"Number of the tab, {self._tab_numbers()}:"
        # A box that takes no other number than these would take 9 for 99.
        ask.whole(
            self.window, "Jump to tab", label, self.jump_to, value=self.window.page.concept.number, low=0, high=999
        )

    def jump_to(self, number: int) -> None:
        """Go to the tab of that number."""
        for entry in self.workbench.index:
            if entry.number == number:
                self.workbench.show(entry.slug)
                return
        sentence = f"there is no tab {number}; there are {self._tab_numbers()}"
        self.window.say(sentence)
        self.window.page.tell(sentence)

    def _tab_numbers(self) -> str:
        numbers = [entry.number for entry in self.workbench.index]
        return f"{min(numbers)} to {max(numbers)}"

    def ask_rename(self) -> None:
        """Ask which token to rename, and to what."""
        slug = self.workbench.current
        tokens = self.workbench.state(slug).tokens
        page = self.window.page

        def rename(at: int) -> None:
            ask.text(
                self.window,
                "Rename a token",
                f"New name of token {at}:",
                lambda name: page.rename(at, name),
                value=tokens[at],
            )

        items = [f"{i}: {name}" for i, name in enumerate(tokens)]
        ask.one_of(self.window, "Rename a token", "Token:", rename, items=items)

    def _next_option(self, choice: d.Choice) -> None:
        value = self.workbench.state(self.workbench.current).controls[choice.name]
        self.window.page.set_control(choice.name, choice.after(value))

    def _add(self, action: QAction, key: str, name: str) -> None:
        action.setObjectName(name)
        if key:
            action.setShortcut(QKeySequence(key))
        self.menu.addAction(action)
        self.window.addAction(action)
        self._actions.append(action)
