"""The context menu of a matrix: everything that can be done with its cells, with its key."""

from __future__ import annotations

import contextlib
from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtWidgets import QMenu

from explorer.concepts.declaration import Input
from explorer.ui import ask
from explorer.ui.matrix_view import MatrixView
from explorer.ui.style import dress
from explorer.workbench import number_text

if TYPE_CHECKING:
    from PySide6.QtCore import QPoint

    from explorer.ui.page import Page

Index = tuple[int, ...]


def build_menu(page: Page, name: str, cells: list[Index]) -> QMenu:
    """Return the menu for these cells of an array."""
    menu = QMenu(page)
    dress(menu, page.theme)
    concept, workbench = page.concept, page.workbench
    slug = concept.slug
    view = _view_of(page, name)
    array = concept.array(name)
    menu.addAction("Copy\tCtrl+C", view.copy)
    if isinstance(array, Input):
        menu.addAction("Paste\tCtrl+V", view.paste)
        if array.kind == "number":
            if len(cells) == 1:
                menu.addAction("Edit\tF2", partial(_edit, view, cells[0]))
            menu.addAction("Set to 0\tDel", view.clear_selected)
            menu.addAction("Fill down\tCtrl+D", view.fill_down)
            fill = menu.addMenu(f"Fill {name} with")
            fill.addAction("zeros", lambda: page.attempt(lambda: workbench.fill(slug, name, "zeros")))
            fill.addAction("the identity", lambda: page.attempt(lambda: workbench.fill(slug, name, "identity")))
            fill.addAction("random numbers of a seed…", partial(_fill_seeded, page, name, "random"))
            fill.addAction("small integers, easy on paper…", partial(_fill_seeded, page, name, "small integers"))
        menu.addSeparator()
        which = f"{name}{list(cells[0])}" if len(cells) == 1 else f"{len(cells)} cells"
        menu.addAction(f"Lesson values: {which}", lambda: page.attempt(lambda: workbench.restore(slug, name, cells)))
        menu.addAction(f"Lesson values: all of {name}", lambda: page.attempt(lambda: workbench.restore(slug, name)))
        menu.addAction("Lesson values: whole tab", lambda: page.attempt(lambda: workbench.restore(slug)))
    menu.addSeparator()
    # What a start does not need is imported when it is: this is the way to every format of files.
    from explorer.ui.matrix_export import add_exports

    add_exports(menu, page, name)
    if cells:
        menu.addSeparator()
        menu.addAction("Show where it comes from\tShift+Enter", lambda: page.pin(name, cells[0]))
    return menu


def _view_of(page: Page, name: str) -> MatrixView:
    """Return the table that shows an array; those of other kinds of views stand in no panel."""
    panels = page.panels(name)
    view = panels[0].view if panels else page.findChild(MatrixView, name)
    assert isinstance(view, MatrixView)
    return view


def _edit(view: MatrixView, index: Index) -> None:
    cell = view.array_cell(index)
    if cell is not None:
        view.setCurrentIndex(view.model().index(*cell))
        view.edit_current()


def open_menu(page: Page, name: str, cells: list[Index], where: QPoint) -> None:
    """Open the menu and delete it when it closes."""
    menu = build_menu(page, name, cells)
    menu.aboutToHide.connect(menu.deleteLater)
    menu.popup(where)


def _fill_seeded(page: Page, name: str, how: str) -> None:
    def fill(typed: str) -> None:
        seed: Any = typed.strip().replace(number_text.MINUS, "-")
        with contextlib.suppress(ValueError):  # what is no whole number is refused with a sentence
            seed = int(seed)
        page.attempt(lambda: page.workbench.fill(page.concept.slug, name, how, seed=seed))

    # A line of text, because a seed may have 64 bits and Qt's box of numbers has 32.
    ask.text(page, f"Fill {name}", "Seed (the same seed gives the same numbers):", fill, value="1")
