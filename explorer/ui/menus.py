"""The menus of a window: every action, with its key. What an action does is the business of whoever it belongs to."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction, QActionGroup
from PySide6.QtWidgets import QApplication, QMenu

from explorer.ui import help_texts
from explorer.ui import theme as themes
from explorer.ui.matrix_view import MatrixView

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.ui.window import MainWindow


def fill_edit(window: MainWindow, menu: QMenu) -> None:
    """Add undo, redo, what can be done with cells, and the lesson's values."""
    add = window.add_action
    add(menu, "undo", "&Undo", window.undo, "Ctrl+Z")
    add(menu, "redo", "&Redo", window.redo, ["Ctrl+Y", "Ctrl+Shift+Z"])
    menu.addSeparator()
    _add_cell_actions(menu)
    menu.addSeparator()
    add(menu, "reset", "&Lesson values of this tab", window.reset_tab, "Ctrl+Backspace")


#: Keys that a matrix answers to itself; elsewhere they mean something else, so that they are no shortcuts.
CELL_ACTIONS: tuple[tuple[str, str, Callable[[MatrixView], object], bool], ...] = (
    ("&Edit the cell", "F2", MatrixView.edit_current, True),
    ("&Copy", "Ctrl+C", MatrixView.copy, False),
    ("&Paste", "Ctrl+V", MatrixView.paste, True),
    ("&Fill down", "Ctrl+D", MatrixView.fill_down, True),
    ("&Set to 0", "Del", MatrixView.clear_selected, True),
    ("&Where it comes from", "Shift+Enter", MatrixView.pin_current, False),
    ("&All that can be done with it", "Shift+F10", MatrixView.open_menu, False),
)


def _add_cell_actions(menu: QMenu) -> None:
    """Add what can be done with the cells of the matrix that has the focus."""
    made: list[tuple[QAction, bool]] = []

    def focused() -> MatrixView | None:
        focus = QApplication.focusWidget()
        return focus if isinstance(focus, MatrixView) else None

    def do(act: Callable[[MatrixView], object]) -> None:
        view = focused()
        if view is not None:
            act(view)

    for text, keys, act, changes in CELL_ACTIONS:
        action = menu.addAction(f"{text}\t{keys}", partial(do, act))
        made.append((action, changes))

    def enable() -> None:
        view = focused()
        for action, changes in made:
            action.setEnabled(view is not None and (view.editable or not changes))

    menu.aboutToShow.connect(enable)


def fill_view(window: MainWindow, menu: QMenu) -> None:
    """Add theme, size, what is shown, and the way to present."""
    add = window.add_action
    themed, group = menu.addMenu("&Theme"), QActionGroup(window)
    for name, title in themes.TITLES.items():
        action = add(themed, f"theme_{name}", title, partial(_set_theme, window, name), check=True)
        group.addAction(action)
        action.setChecked(name == window.theme.name)
    add(menu, "larger", "&Larger", lambda: window.zoom(1), ["Ctrl++", "Ctrl+="])
    add(menu, "smaller", "&Smaller", lambda: window.zoom(-1), "Ctrl+-")
    add(menu, "normal", "&Normal size", lambda: window.set_scale(100), "Ctrl+0")
    menu.addSeparator()
    add(menu, "panel", "&Side panel", window.toggle_panel, "F9", check=True)
    differences = "Signed &differences to before the last change"
    add(menu, "differences", differences, window.toggle_differences, "C", check=True)
    colours = "Colour attention weights up to the &row maximum"
    add(menu, "row_maximum", colours, window.toggle_row_maximum, "V", check=True)
    menu.addSeparator()
    add(menu, "present", "&Present", window.toggle_show, ["F5", "F11"], check=True)


def _set_theme(window: MainWindow, name: str, _checked: bool = False) -> None:
    window.set_theme_name(name)


def fill_steps(window: MainWindow, menu: QMenu) -> None:
    """Add the steps of the tab in front."""
    add, steps = window.add_action, window.topbar.steps
    add(menu, "step_first", "&First step", steps.go_first, "Shift+P")
    add(menu, "step_next", "&Next step", steps.go_next, "N")
    add(menu, "step_previous", "&Previous step", steps.go_previous, "P")
    add(menu, "step_play", "P&lay or pause\tSpace", steps.toggle_play)
    add(menu, "step_all", "Show &everything", steps.go_last, "E")
    add(menu, "step_rows", "&Row by row", steps.toggle_rows, "R", check=True)
    add(menu, "step_faster", "F&aster", lambda: steps.change_speed(1), ">")
    add(menu, "step_slower", "&Slower", lambda: steps.change_speed(-1), "<")
    steps.explain({name: window.action(name) for name in window.action_names if name.startswith("step_")})


def fill_go(window: MainWindow, menu: QMenu) -> None:
    """Add other tabs and other panes."""
    add = window.add_action
    add(menu, "tab_next", "&Next tab", lambda: window.tab_menu.move_tab(1), "Ctrl+PgDown")
    add(menu, "tab_previous", "&Previous tab", lambda: window.tab_menu.move_tab(-1), "Ctrl+PgUp")
    add(menu, "jump", "&Jump to tab…", window.tab_menu.ask_jump, "Ctrl+G")
    menu.addSeparator()
    add(menu, "pane_next", "Next &pane", window.next_pane, "F6")
    add(menu, "controls", "&Controls of the tab", window.go_to_controls, "F4")
    menu.addSeparator()
    for entry in window.workbench.index:
        add(menu, f"go_{entry.slug}", f"{entry.number}  {entry.title}", partial(_go_to, window, entry.slug))


def _go_to(window: MainWindow, slug: str, _checked: bool = False) -> None:
    window.workbench.show(slug)


def fill_help(window: MainWindow, menu: QMenu) -> None:
    """Add all keys, and what this is."""
    window.add_action(menu, "keys", "&Keys", lambda: help_texts.show_keys(window), "F1")
    window.add_action(menu, "about", "&About", lambda: help_texts.show_about(window))
