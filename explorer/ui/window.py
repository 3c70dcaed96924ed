"""The main window: menus, rail, pages, side panels, status line. It owns the look and no number.

Pages are built when their tab is first shown and keep their state after that. What is in front, what is open and how
it looks is decided here; what a tab holds is the workbench's.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import (
    QAction,
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QKeyEvent,
    QKeySequence,
    QResizeEvent,
    QShowEvent,
)
from PySide6.QtWidgets import (
    QApplication,
    QHBoxLayout,
    QLabel,
    QMainWindow,
    QMenu,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from explorer.ui import menus, panes, plain_text, window_place
from explorer.ui import theme as themes
from explorer.ui.bookmark_menu import BookmarkMenu
from explorer.ui.document_menu import DocumentMenu
from explorer.ui.export_menu import ExportMenu
from explorer.ui.file_drop import FileDrop
from explorer.ui.garbage import collect_all
from explorer.ui.guard import guarded
from explorer.ui.page import Page
from explorer.ui.presentation import Show
from explorer.ui.rail import Rail
from explorer.ui.readiness import Readiness
from explorer.ui.side_panel import SidePanel
from explorer.ui.style import dress
from explorer.ui.tab_menu import TabMenu
from explorer.ui.topbar import TopBar
from explorer.workbench import fingerprint, lessons
from explorer.workbench.document import Document

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.ui.settings import Settings
    from explorer.ui.theme import Theme
    from explorer.workbench.workbench import Event, Workbench

TITLE = "Attention Explorer"
#: How many pages stay built: more would be quicker to come back to, but a page takes five to ten MB.
KEPT_PAGES = 3
#: Widths at 100 % below which the rail shows numbers alone and the side panel stays closed unless it is asked for.
NARROW_RAIL, NARROW_PANEL = 1090, 900


class MainWindow(QMainWindow):
    """The window.

    Parameters
    ----------
    workbench : Workbench
        What is open.
    settings : Settings
        What is remembered.
    theme : Theme
        How it looks.
    document : Document, optional
        The document that the workbench belongs to; one without a file and without recovery where absent.
    """

    painted = Signal()
    title = TITLE

    def __init__(
        self, workbench: Workbench, settings: Settings, theme: Theme, document: Document | None = None
    ) -> None:
        super().__init__()
        self.workbench = workbench
        self.document = Document(workbench) if document is None else document
        self.settings = settings
        self.theme = theme
        self._pages: dict[str, Page] = {}
        self._side: dict[str, SidePanel] = {}
        self._asked_panel: bool | None = None
        self._actions: dict[str, QAction] = {}
        #: What the buttons of the steps were last brought up to date for.
        self._steps_shown: tuple[object, ...] | None = None
        self._shown = False
        self.setObjectName("window")
        self.setWindowTitle(TITLE)
        themes.apply(QApplication.instance(), theme)  # type: ignore[arg-type]
        self.rail = Rail(workbench.index, workbench.edited, theme)
        self.topbar = TopBar(workbench, theme)
        self.pages = QStackedWidget()
        self.panels = QStackedWidget()
        self.panels.setObjectName("side")
        self._status = QLabel()
        self._status.setTextFormat(Qt.TextFormat.PlainText)
        self._status.setProperty("role", "status")
        self._print = QLabel()
        self._print.setProperty("role", "status")
        self._print.setObjectName("fingerprint")
        self._print.setToolTip("The same four characters on two screens mean the same numbers in this tab")
        self._lay_out()
        self._make_actions()
        self.presentation = Show(self)
        self._dress()
        self.topbar.steps.changed.connect(self._update_actions)
        self.rail.chosen.connect(workbench.show)
        self._unsubscribe = workbench.subscribe(self._on_event)
        self.file_drop = FileDrop(self)
        self.readiness = Readiness(workbench, self)
        self._print_timer = QTimer(self)
        self._print_timer.setSingleShot(True)
        self._print_timer.timeout.connect(self._show_fingerprint)
        self._spare_timer = QTimer(self)
        self._spare_timer.setSingleShot(True)
        self._spare_timer.timeout.connect(self._forget_pages)
        self._show_tab(workbench.current)
        self._show_fingerprint()
        # A window that goes without having been closed keeps what it held for the next start.
        self.destroyed.connect(self.document.leave)

    # --- building ---

    def _lay_out(self) -> None:
        body = QWidget()
        whole = QVBoxLayout(body)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.topbar)
        self._column = whole
        row = QHBoxLayout()
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self.rail)
        row.addWidget(self.pages, 1)
        row.addWidget(self.panels)
        whole.addLayout(row, 1)
        self._statusline = QWidget()
        self._statusline.setObjectName("statusline")
        self._statusline.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        line = QHBoxLayout(self._statusline)
        line.setContentsMargins(self.theme.px(12), self.theme.px(2), self.theme.px(12), self.theme.px(2))
        line.addWidget(self._status, 1)
        line.addWidget(self._print)
        whole.addWidget(self._statusline)
        self.setCentralWidget(body)
        body.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self._body = body
        self.let_go()

    def let_go(self) -> None:
        """Take the focus from whatever has it."""
        self._body.setFocus()

    def add_action(
        self,
        menu: QMenu,
        name: str,
        text: str,
        slot: Callable[..., Any],
        keys: str | QKeySequence.StandardKey | list[str] = "",
        *,
        check: bool = False,
    ) -> QAction:
        """Put an action into a menu; it can be asked for by its name."""
        action = QAction(text, self)
        action.setObjectName(name)
        action.setCheckable(check)
        if isinstance(keys, list):
            action.setShortcuts([QKeySequence(key) for key in keys])
        elif keys:
            action.setShortcut(QKeySequence(keys))
        action.triggered.connect(slot)
        menu.addAction(action)
        self.addAction(action)
        self._actions[name] = action
        return action

    def _make_actions(self) -> None:
        bar = self.menuBar()
        self.file_menu = bar.addMenu("&File")
        self.files = DocumentMenu(self, self.document)
        self._column.insertWidget(1, self.files.bar)
        self.exports = ExportMenu(self, self.document)
        self.file_menu.addSeparator()
        self.add_action(self.file_menu, "quit", "&Quit", self.close, "Ctrl+Q")
        menus.fill_edit(self, bar.addMenu("&Edit"))
        menus.fill_view(self, bar.addMenu("&View"))
        menus.fill_steps(self, bar.addMenu("&Steps"))
        self.tab_menu = TabMenu(self, bar.addMenu("&Tab"))
        menus.fill_go(self, bar.addMenu("&Go"))
        self.bookmarks = BookmarkMenu(self, self.document)
        menus.fill_help(self, bar.addMenu("&Help"))
        add, actions = self.topbar.add, self._actions
        add(actions["undo"], icon_name="undo")
        add(actions["redo"], icon_name="redo")
        add(actions["reset"], text="Reset tab")
        add(actions["differences"], right=True, icon_name="difference")
        add(actions["panel"], right=True, icon_name="panel")
        add(actions["present"], right=True, icon_name="present")
        add(actions["controls"], right=True, icon_name="controls", in_show=True)

    @property
    def action_names(self) -> tuple[str, ...]:
        """The names of all actions of the menus."""
        return tuple(self._actions)

    def action(self, name: str) -> QAction:
        """Return an action by its name."""
        return self._actions[name]

    # --- tabs ---

    @property
    def page(self) -> Page:
        """The page in front; between the choice of another tab and its page that is still the one before."""
        page = self._pages.get(self.workbench.current, self.pages.currentWidget())
        assert isinstance(page, Page)
        return page

    def page_of(self, slug: str) -> Page:
        """Return a tab's page, building it when it is first asked for."""
        if slug not in self._pages:
            concept = self.workbench.concept(slug)
            # Made inside the window: what is moved into it afterwards is styled a second time.
            page = self._pages[slug] = Page(concept, self.workbench, self.theme, self.pages)
            if slug not in self._side:
                self._side[slug] = SidePanel(lessons.load(concept.number, concept.slug), self.theme, parent=self.panels)
                self.panels.addWidget(self._side[slug])
            page.said.connect(self._note)
            page.refreshed.connect(partial(self._refresh_panel, slug))
            side = self._side[slug]
            page.cell_clicked.connect(side.offer_cell)
            side.cell_wanted.connect(page.ask_for_cell)
            side.cell_revealed.connect(page.point_at)
            page.ask_for_cell(side.wants_cell)
            if self._actions["differences"].isChecked():
                page.show_differences(True)
            self.pages.addWidget(page)
            # Models hold their numbers from the first moment, also in a window that nobody has shown.
            page.refresh()
        return self._pages[slug]

    def _forget_pages(self) -> None:
        """Take down the pages that were longest out of sight: what they show is kept by the workbench, not by them."""
        shown = self.pages.currentWidget()
        idle = [slug for slug, page in self._pages.items() if page is not shown and page.slow is None]
        gone = idle[: max(len(self._pages) - KEPT_PAGES, 0)]
        for slug in gone:
            page = self._pages.pop(slug)
            self.pages.removeWidget(page)
            page.leave()
            page.deleteLater()
        if gone:
            # A page and its parts know each other: without this they would wait for a collection that seldom comes.
            QTimer.singleShot(0, self, collect_all)

    def _show_tab(self, slug: str) -> None:
        page = self.page_of(slug)
        self.pages.setCurrentWidget(page)
        self.panels.setCurrentWidget(self._side[slug])
        self.rail.show_current(slug)
        self.topbar.show_concept(page.concept)
        self.tab_menu.fill(page)
        self._fit_panes()
        self._update_actions()
        self.files.changed()
        self._pages[slug] = self._pages.pop(slug)
        if len(self._pages) > KEPT_PAGES:
            self._spare_timer.start(0)  # when there is nothing else to do: first the tab is seen

    # --- events ---

    def _on_event(self, event: Event) -> None:
        if event.kind in ("current", "replaced"):
            self.compare(on=False)
            self._show_tab(self.workbench.current)
        # A change of state is followed by one of history: what both would bring up to date waits for the second.
        if event.kind in ("history", "replaced", "current"):
            self._update_actions()
            self.rail.mark_edited()
            if event.kind == "history":
                self._print_timer.start(200)
            else:
                self._show_fingerprint()  # at once: that of another tab says something wrong
        if event.kind == "view" and event.slug == self.workbench.current:
            self._update_step_actions()
        if event.kind == "state" and event.slug == self.workbench.current:
            self.bookmarks.follow()

    def _update_actions(self) -> None:
        for name, label in (("undo", self.workbench.undo_label), ("redo", self.workbench.redo_label)):
            action = self._actions[name]
            action.setEnabled(label is not None)
            action.setText(f"&{name.capitalize()} {label}" if label else f"&{name.capitalize()}")
        slug = self.workbench.current
        self._actions["reset"].setEnabled(self.workbench.edited(slug))
        self._actions["row_maximum"].setChecked(self.workbench.view(slug).zero_to_row_maximum)
        self.tab_menu.check()
        self.files.changed()
        self._update_step_actions()

    def _update_step_actions(self) -> None:
        slug = self.workbench.current
        concept, view = self.workbench.concept(slug), self.workbench.view(slug)
        shown = slug, view, dict(self.workbench.state(slug).sizes)
        if shown == self._steps_shown:
            return  # Most edits change numbers and nothing else.
        self._steps_shown = shown
        self.topbar.steps.refresh()
        for name, action in self._actions.items():
            if name.startswith("step_"):
                action.setEnabled(bool(concept.steps))
        rows = self._actions["step_rows"]
        rows.setEnabled(concept.row_steps)
        rows.setChecked(view.by_row)

    def _refresh_panel(self, slug: str) -> None:
        state = self.workbench.state(slug)
        names = {**dict(state.sizes), **dict(state.controls), **dict(self.workbench.results(slug))}
        self._side[slug].set_results(names)
        self.painted.emit()

    def _show_fingerprint(self) -> None:
        self._print.setText(f"inputs {fingerprint.of_state(self.workbench.state(self.workbench.current))}")

    @property
    def status(self) -> str:
        """What the status line says."""
        return self._status.text()

    def say(self, sentence: str) -> None:
        """Say something in the status line; in a show, which has none, over the page."""
        self._note(sentence)
        if self.theme.present and self.workbench.current in self._pages:
            self.page.tell(sentence)

    def _note(self, sentence: str) -> None:
        self._status.setText(sentence)
        self._status.setToolTip(plain_text.tip(sentence))

    # --- editing ---

    def undo(self) -> None:
        """Take the last step back."""
        self.workbench.undo()

    def redo(self) -> None:
        """Do the last undone step again."""
        self.workbench.redo()

    def reset_tab(self) -> None:
        """Bring back the lesson's values of the tab in front."""
        self.page.attempt(lambda: self.workbench.restore(self.workbench.current))

    # --- looking ---

    def set_theme_name(self, name: str) -> None:
        """Take the theme of that name."""
        self.settings.theme = name
        self._actions[f"theme_{name}"].setChecked(True)
        self.take_theme(themes.make(name, self.theme.percent, self.theme.present))

    def zoom(self, by: int) -> None:
        """Go one scale up or down."""
        sizes = themes.SCALES
        nearest = min(range(len(sizes)), key=lambda i: abs(sizes[i] - self.theme.percent))
        self.set_scale(sizes[min(max(nearest + by, 0), len(sizes) - 1)])

    def set_scale(self, percent: int) -> None:
        """Scale everything, plots too."""
        self.settings.percent = percent
        self.take_theme(themes.make(self.theme.name, percent, self.theme.present))
        self.say(f"{percent} %")

    def take_theme(self, theme: Theme) -> None:
        """Take another theme, scale or presentation."""
        self.theme = theme = theme.on_screen(self.width(), self.height())
        themes.apply(QApplication.instance(), theme)  # type: ignore[arg-type]
        self._dress()
        self.rail.set_theme(theme)
        self.topbar.set_theme(theme)
        for page in self._pages.values():
            page.set_theme(theme)
        for panel in self._side.values():
            panel.apply_theme(theme)
        self.files.bar.set_theme(theme)
        self.bookmarks.set_theme(theme)
        self._statusline.layout().setContentsMargins(  # type: ignore[union-attr]
            theme.px(12), theme.px(2), theme.px(12), theme.px(2)
        )
        self._fit_panes()
        self.topbar.fit()

    def _dress(self) -> None:
        for widget in (self.menuBar(), self.topbar, self._statusline, self.files.bar):
            dress(widget, self.theme)

    def _fit_panes(self) -> None:
        effective = self.width() / self.theme.scale
        self.rail.set_narrow(effective < NARROW_RAIL)
        wanted = self.settings.panel if self._asked_panel is None else self._asked_panel
        opened = wanted and not self.theme.present and (effective >= NARROW_PANEL or bool(self._asked_panel))
        self.panels.setVisible(opened)
        if "panel" in self._actions:
            self._actions["panel"].setChecked(opened)
            self._actions["panel"].setEnabled(not self.theme.present)
        self.rail.setVisible(not self.theme.present)
        self._statusline.setVisible(not self.theme.present and self.height() / self.theme.scale >= 420)
        self.menuBar().setVisible(not self.theme.present)

    def toggle_panel(self) -> None:
        """Open or close the side panel."""
        self._asked_panel = not self.panels.isVisible()
        self.settings.panel = self._asked_panel
        self._fit_panes()

    def toggle_differences(self) -> None:
        """Show signed differences to before the last change, or the values again."""
        on = self._actions["differences"].isChecked()
        self._actions["compare"].setChecked(False)
        for page in self._pages.values():
            page.show_differences(on)

    def compare(self, *, on: bool) -> None:
        """Show in every matrix of the page in front what A holds minus what B holds, or the values again."""
        if on or self._actions["compare"].isChecked():
            self._actions["compare"].setChecked(on)
            self._actions["differences"].setChecked(False)
            for page in self._pages.values():
                page.show_differences(on and page is self.page, self.bookmarks.difference if on else None)

    def toggle_row_maximum(self) -> None:
        """Colour attention weights up to the largest of their row, or up to 1 again."""
        slug = self.workbench.current
        self.workbench.set_view(slug, zero_to_row_maximum=not self.workbench.view(slug).zero_to_row_maximum)
        self.page.restyle()

    def next_pane(self) -> None:
        """Move the focus to the next pane: tabs, controls, stage, trace, side panel."""
        if self.theme.present and not self.presentation.hands:
            self.presentation.lay_hands()
            return
        page = self.page
        focus = QApplication.focusWidget()
        if self.theme.present and focus is page.strip:
            page.show_controls(on=True)
        panes.enter_next((self.rail, page.bar, page.stage, page.strip, self.panels))

    def go_to_controls(self) -> None:
        """Move the focus to the controls of the tab; in a show, where they come when asked for, or back from there."""
        if self.theme.present:
            self.presentation.toggle_hands()
        elif not panes.enter(self.page.bar):
            self.say("this tab has no controls")

    # --- presenting ---

    def toggle_show(self) -> None:
        """Start or leave the presentation."""
        if self.theme.present:
            self.leave_show()
        else:
            self.start_show(full_screen=True)

    def start_show(self, *, full_screen: bool) -> None:
        """Show the tab alone, in large digits."""
        self._actions["present"].setChecked(True)
        self.presentation.start(full_screen=full_screen)

    def leave_show(self) -> None:
        """Return to the ordinary window."""
        self.presentation.leave()
        self._actions["present"].setChecked(self.theme.present)

    # --- Qt ---

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Play with Space where nothing else wants it; Esc lets go of the pinned cell."""
        if event.key() == Qt.Key.Key_Space:
            self.topbar.steps.toggle_play()
        elif event.key() == Qt.Key.Key_Escape:
            if not self._side[self.workbench.current].stop_asking():
                self.workbench.set_view(self.workbench.current, pinned=None)
        else:
            super().keyPressEvent(event)

    @guarded
    def focusNextPrevChild(self, forward: bool) -> bool:
        """Bring into sight what the Tab key leads to, in whatever area it scrolls."""
        moved = super().focusNextPrevChild(forward)
        focus = QApplication.focusWidget()
        if moved and focus is not None:
            panes.reveal(focus)
        return moved

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Give the panes their room."""
        super().resizeEvent(event)
        if self.theme.on_screen(self.width(), self.height()) != self.theme:
            self.take_theme(self.theme)
        self._fit_panes()

    def restore_place(self) -> None:
        """Put the window where it was."""
        window_place.restore(self, self.settings.geometry)

    @guarded
    def showEvent(self, event: QShowEvent) -> None:
        """Look, once there is something to see, for what a dead process has left."""
        super().showEvent(event)
        if not self._shown:
            self._shown = True
            QTimer.singleShot(0, self, self.files.offer_recovery)
            self.readiness.start()

    @guarded
    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Take files, one at a time."""
        if self.files.dropped(event.mimeData()) is not None:
            event.acceptProposedAction()

    @guarded
    def dropEvent(self, event: QDropEvent) -> None:
        """Do with a file what its kind asks for."""
        path = self.files.dropped(event.mimeData())
        if path is not None:
            event.acceptProposedAction()
            self.activateWindow()
            # The program that the file comes from waits for the drop to end; questions come after it.
            QTimer.singleShot(0, self, lambda: self.files.take(path))

    def take_down(self) -> None:
        """Close without a question; what is not saved is offered at the next start."""
        self.files.give_up()
        self.close()

    @guarded
    def closeEvent(self, event: QCloseEvent) -> None:
        """Ask about what is not saved; then remember the place and stop everything that runs."""
        if not self.files.may_close():
            event.ignore()
            return
        self.readiness.stop()
        self.topbar.steps.stop()
        self.presentation.stop()
        self.settings.geometry = self.saveGeometry()
        self.settings.tab = self.workbench.current
        self._unsubscribe()
        self.bookmarks.end()
        self.files.end()
        super().closeEvent(event)
