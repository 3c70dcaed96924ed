"""A tab's page: controls, stage and trace, built from its concept. Knows no concept by name and computes no number.

The page is the host of its matrices: edits go to the workbench, what changed comes back as events, and only the views
whose arrays are other objects than before are drawn again, once per frame.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QElapsedTimer, QPoint, QRect, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QVBoxLayout, QWidget

from explorer.concepts import declaration as d
from explorer.concepts import evaluation
from explorer.ui import panes
from explorer.ui.array_show import ArrayShow
from explorer.ui.arrow_sign import ArrowSign
from explorer.ui.bubble import Bubble
from explorer.ui.column_scroll import ColumnScroll
from explorer.ui.controls import ControlBar
from explorer.ui.guard import guarded
from explorer.ui.lights import Lights
from explorer.ui.matrix_menu import open_menu
from explorer.ui.matrix_panel import MatrixPanel
from explorer.ui.panels import make_panels
from explorer.ui.place_widget import PlaceWidget
from explorer.ui.readiness import module_of
from explorer.ui.room_panel import RoomPanel
from explorer.ui.show_focus import Subject, views_in_show
from explorer.ui.slow import SlowBar, SlowStages
from explorer.ui.stage import Stage
from explorer.ui.style import undress
from explorer.ui.trace_strip import TraceStrip
from explorer.workbench import state as states
from explorer.workbench.trace import trace

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from explorer.concepts.evaluation import Results
    from explorer.ui.theme import Theme
    from explorer.workbench.workbench import Event, Workbench

FRAME_MS = 16
CHANGED_MS = 2000

Index = tuple[int, ...]

NO_MARKS = d.Marks()


class Page(QWidget):
    """One tab on screen.

    Signals
    -------
    said(str)
        A sentence for the status line.
    cell_clicked(str, tuple)
        A cell was clicked, for questions that ask for one.
    """

    said = Signal(str)
    cell_clicked = Signal(str, tuple)
    refreshed = Signal()

    def __init__(self, concept: d.Concept, workbench: Workbench, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.concept = concept
        self.workbench = workbench
        self.theme = theme
        self.setObjectName(f"page_{concept.slug}")
        self._results: Results | None = None
        self._stale = True
        self._view_stale = True
        self._hovered: tuple[str, Index] | None = None
        self._restyled = False
        self._controls_asked = False
        self._asks_for_cell = False
        #: What a presentation is about: its arrays, the array of the cell that is told of, and those not come to.
        self._about: Subject | None = None
        self._focused_for: tuple[object, ...] | None = None
        #: What the stage was last fitted for: all that decides how much room the views want.
        self._fitted_for: list[Any] | None = None
        self._panels: dict[str, list[MatrixPanel]] = {}
        self._customs: list[tuple[d.Custom, QWidget]] = []
        self._empty: tuple[bool, ...] | None = None
        self._heads: dict[str, str] = {}
        self._arrays = ArrayShow(concept, workbench, self._panels, self._heads)
        self._lights = Lights(concept, self._panels, self._customs)
        self.bar = ControlBar(concept, theme)
        self.stage = Stage(concept.layout, self._make, theme)
        self.stage.choose = self._choose_views
        self.stage.fitted.connect(self._note_fitted)
        self._compare()
        self.strip = TraceStrip(theme)
        self.bubble = Bubble(self)
        self._slow_names = evaluation.slow_stages(concept)
        self.slow = SlowStages(concept.slug, workbench, self) if self._slow_names else None
        self._slow_bar = None if self.slow is None else self.bar.add(SlowBar(self.slow, theme))
        self.scroller = self._scrolled()
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.scroller)
        self._show_bar()
        self._size_stage()
        self._frame = self._timer(self.refresh)
        self._last = QElapsedTimer()
        self._last.start()
        self._fade = self._timer(self._forget_changed)
        self._connect()
        self._unsubscribe = workbench.subscribe(self._on_event)
        self.destroyed.connect(self._unsubscribe)

    def _scrolled(self) -> ColumnScroll:
        """Return controls, stage and trace below each other, in an area that scrolls where they are too high."""
        body = QWidget()
        column = QVBoxLayout(body)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.bar)
        column.addWidget(self.stage, 1)
        column.addWidget(self.strip)
        scroller = ColumnScroll(body)
        scroller.setObjectName("pagescroll")
        scroller.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroller.narrowest.connect(self.bar.take_room)
        return scroller

    def _timer(self, slot: Any) -> QTimer:
        timer = QTimer(self)
        timer.setSingleShot(True)
        timer.timeout.connect(slot)
        return timer

    def _connect(self) -> None:
        slug, workbench = self.concept.slug, self.workbench
        self.bar.size_set.connect(lambda name, value: self.attempt(lambda: workbench.set_size(slug, name, value)))
        self.bar.control_set.connect(lambda name, value: self.attempt(lambda: workbench.set_control(slug, name, value)))
        self.bar.acted.connect(self.act)
        self.bar.file_given.connect(self.take_file)
        # Not to the workbench itself: Qt keeps a trace of a page for ever that is tied to what is no QObject.
        self.bar.begun.connect(self.begin)
        self.bar.ended.connect(self.end)
        self.strip.followed.connect(self.follow)
        if self.slow is not None:
            self.slow.failed.connect(self.said)
            self.slow.failed.connect(self.tell)

    # --- building ---

    def _make(self, view: d.View) -> QWidget:
        if isinstance(view, d.Arrow):
            return ArrowSign(view.text, self.theme, view.room)
        if isinstance(view, (d.Matrix, d.Place, d.Mosaic)):
            shown = make_panels(view, self.concept, self, self.theme)
            for panel in shown.panels if isinstance(shown, PlaceWidget) else [shown]:
                assert isinstance(panel, MatrixPanel)
                self._heads[panel.name] = "" if isinstance(view, d.Mosaic) else view.head
                self._panels.setdefault(panel.name, []).append(panel)
            return shown
        assert isinstance(view, d.Custom)
        widget: QWidget = importlib.import_module(module_of(view)).make(view, self, self.theme)
        self._customs.append((view, widget))
        return widget

    def _compare(self) -> None:
        """Let the matrices that are declared to be like others know those."""
        for view in d.views(self.concept.layout):
            if isinstance(view, d.Matrix) and view.like:
                compared = self._panels[view.array][0]
                assert isinstance(compared, RoomPanel)
                compared.like = self._panels[view.like][0]

    def panels(self, name: str) -> list[MatrixPanel]:
        """Return the panels that show an array."""
        return self._panels.get(name, [])

    def room_width(self) -> int:
        """Return how wide a view may be on the stage without scrolling; 0 as long as that is not known."""
        stage: Stage | None = getattr(self, "stage", None)  # views are made before the stage that holds them
        return 0 if stage is None else stage.maximumViewportSize().width() - 2 * self.theme.px(10)

    # --- events ---

    def _on_event(self, event: Event) -> None:
        if event.slug not in (self.concept.slug, None, ""):
            return
        if event.kind in ("state", "results", "replaced"):
            self._stale = True
        if event.kind in ("state", "results", "view", "replaced"):
            self._view_stale = True
            self.schedule()

    def schedule(self) -> None:
        """Draw what is stale: at once, but during a drag at most once a frame, and always the last value.

        Models follow at once so that whoever reads a cell after an edit reads the new number; Qt itself gathers the
        repaints of one event.
        """
        if self.workbench.current != self.concept.slug:
            return
        left = FRAME_MS - int(self._last.elapsed())
        if left <= 0 or QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton:
            self.refresh()
        elif not self._frame.isActive():
            self._frame.start(left)

    @guarded
    def showEvent(self, event: Any) -> None:
        """Catch up with what happened while the page was hidden."""
        super().showEvent(event)
        self.refresh()

    # --- refreshing ---

    def refresh(self) -> None:
        """Draw what is stale."""
        self._frame.stop()
        self._last.restart()
        slug = self.concept.slug
        state, view = self.workbench.state(slug), self.workbench.view(slug)
        if self._stale:
            results = self.workbench.results(slug)
            self._show_results(results, state)
            self.bar.show_state(state.situation)
            self._stale = False
        if self._view_stale:
            self._show_view(state, view)
            self._view_stale = False
        if self._shapes() != self._fitted_for:
            self.stage.refit()
        if self.slow is not None:
            self.slow.refresh()
        self.refreshed.emit()

    def _note_fitted(self) -> None:
        self._fitted_for = self._shapes()

    def _shapes(self) -> list[Any]:
        return self._extents() + [widget.isHidden() for _, widget in self._customs]

    def _extents(self) -> list[Any]:
        """Return all that decides how much room the views want."""
        shapes: list[Any] = [panel.extent() for panels in self._panels.values() for panel in panels]
        return shapes + [
            (getattr(widget, "empty", False), getattr(widget, "shape_key", None)) for _, widget in self._customs
        ]

    def _show_results(self, results: Results, state: states.TabState) -> None:
        earlier, self._results = self._results, results
        marks = self.concept.marks(state.situation) if self.concept.marks else {}
        for name, panels in self._panels.items():
            if name not in results:
                for panel in panels:
                    self._arrays.show_waiting(panel, state, marks.get(name, NO_MARKS))
                continue
            same = results.same(name, earlier) and not self._restyled
            for panel in panels:
                self._arrays.show(
                    panel, results, state, marks.get(name, NO_MARKS), same=same, shown_before=earlier is not None
                )
        self._restyled = False
        if any(panel.view.shows_change for panels in self._panels.values() for panel in panels):
            self._fade.start(CHANGED_MS)
        for custom, widget in self._customs:
            model = custom.model(state.situation, results)
            widget.show_model(model)  # type: ignore[attr-defined]
        empty = tuple(bool(getattr(widget, "empty", False)) for _, widget in self._customs)
        if empty != self._empty:
            self._empty = empty
            self.stage.canvas.focus(self.stage.canvas.shown)

    def _show_view(self, state: states.TabState, view: states.ViewState) -> None:
        visible = states.reached(self.concept, state.sizes, view)
        shown = states.shown_array(self.concept, state.sizes, view)
        for name, panels in self._panels.items():
            for panel in panels:
                rows = visible.get(name)
                if panel.reached != rows or panel.view.look.reached != rows:
                    panel.reached = panel.view.look.reached = rows
                    panel.view.viewport().update()
                    panel.update()
        for widget in self.stage.canvas.leaves.values():
            if isinstance(widget, PlaceWidget):
                names = tuple(panel.name for panel in widget.panels)
                widget.show_only(str(states.shown_array(self.concept, state.sizes, view, names)))
        for custom, widget in self._customs:
            if hasattr(widget, "hide_arrays"):
                widget.hide_arrays(frozenset(name for name, rows in visible.items() if rows is not None))
            if custom.arrays and hasattr(widget, "show_reached"):
                widget.show_reached(all(visible.get(name) is None for name in custom.arrays))
            if custom.arrays and hasattr(widget, "show_part"):
                widget.show_part(self._part_of(custom, state, view))
        self._focus(view)
        if self._hovered is None:
            self._show_trace(self._reached_pin(view.pinned, shown), pinned=True)
        else:
            self._show_trace(self._hovered, pinned=False)

    def _part_of(self, custom: d.Custom, state: states.TabState, view: states.ViewState) -> int | None:
        """Return which part of its step a view of arrays has come to; None where it is not at such a step."""
        current = states.row_and_step(self.concept, state.sizes, view)[1]
        if current < 0 or set(custom.arrays).isdisjoint(self.concept.steps[current].shows):
            return None
        return states.part_reached(self.concept, state.sizes, view)

    def _focus(self, view: states.ViewState) -> None:
        """In a presentation without room for everything, show what the step is about and what fits beside it."""
        sizes = self.workbench.state(self.concept.slug).sizes
        subject: Subject | None = None
        if self.theme.present and self.concept.steps:
            about, hidden = self._subject(view, sizes)
            told = view.pinned[0] if view.pinned is not None else ""
            subject = Subject(about, told, view.pinned not in (None, self.concept.pinned), hidden)
        if subject != self._about:
            self._about = subject
            self.stage.refit()

    def _choose_views(self) -> None:
        """Show the views for which the stage has room now; called before it fits them."""
        canvas, room = self.stage.canvas, self.stage.whole_room()
        key: tuple[object, ...] | None = None
        if self._about is not None and self.theme.present:
            key = (*self._about, room.width(), room.height(), self.theme, *map(repr, self._extents()))
        if key == self._focused_for:
            return
        self._focused_for = key
        if self._about is None or key is None:
            canvas.focus(None)
        else:
            canvas.focus(views_in_show(canvas, self.concept, self._about, room))

    def _subject(self, view: states.ViewState, sizes: d.Sizes) -> tuple[frozenset[str], frozenset[str]]:
        """Return the arrays that a presentation is about at this moment, and those that it has not come to."""
        find = states.shown_step if view.step < 0 else lambda *given: states.row_and_step(*given)[1]
        step = self.concept.steps[find(self.concept, sizes, view)]
        reached = states.reached(self.concept, sizes, view)
        return frozenset(step.shows), frozenset(name for name, rows in reached.items() if rows == 0)

    def _reached_pin(self, pinned: tuple[str, Index] | None, shown: str | None) -> tuple[str, Index] | None:
        """Return the pinned cell, or, while the steps have not come to it, the same cell of the table on show."""
        if pinned is None or self._is_reached(*pinned):
            return pinned
        if (
            shown is None
            or not self._is_reached(shown, pinned[1])
            or pinned[0] not in states.shared_place(self.concept)
        ):
            return None
        return shown, pinned[1]

    def _forget_changed(self) -> None:
        for panels in self._panels.values():
            for panel in panels:
                panel.view.forget_changed()

    def leave(self) -> None:
        """Stop listening; the page is about to be taken down."""
        self._unsubscribe()
        self._frame.stop()
        self._fade.stop()
        undress(self)

    def settle(self) -> None:
        """Wait for slow stages, forget what is only shown for a moment, and draw; pictures are taken after that."""
        if self.slow is not None:
            self.slow.wait()
        self._fade.stop()
        self._forget_changed()
        self.refresh()

    # --- trace ---

    def _show_trace(self, target: tuple[str, Index] | None, *, pinned: bool) -> None:
        if target is None or self._results is None or not self._exists(target):
            self._lights.put_out()
            if self.theme.present:
                self.strip.set_lines(2)
            self.strip.show_trace(None, pinned=False)
            return
        name, index = target
        state = self.workbench.state(self.concept.slug)
        found = trace(self.concept, state.situation, self._results, name, index, origins=state.origins)
        computed = any(stage.name == name for stage in self.concept.stages)
        if pinned and self.theme.present:
            # What is told in few lines leaves more of the screen to the stage.
            self.strip.set_lines(min(max(len(found.lines), 2), 3))
        self._lights.show(dict(found.operands), target, state, self._results, dim=not pinned and computed)
        self.strip.show_trace(found, pinned=pinned)

    def _exists(self, target: tuple[str, Index]) -> bool:
        assert self._results is not None
        array = self._results.get(target[0])
        return (
            array is not None
            and len(target[1]) == array.ndim
            and all(0 <= i < n for i, n in zip(target[1], array.shape, strict=True))
        )

    # --- host of the matrices ---

    def write(self, name: str, cells: list[Index], values: list[Any], label: str | None = None) -> str | None:
        """Edit cells; return None, or the sentence that says why not."""
        try:
            self.workbench.edit(self.concept.slug, name, cells, values, label=label)
        except ValueError as error:
            return str(error)
        self.bubble.hide()
        return None

    def hover(self, name: str, index: Index | None) -> None:
        """Show where a cell comes from while the pointer is on it."""
        self._hovered = None if index is None or not self._is_reached(name, index) else (name, index)
        if not self._stale:
            state, view = self.workbench.state(self.concept.slug), self.workbench.view(self.concept.slug)
            pinned = self._reached_pin(view.pinned, states.shown_array(self.concept, state.sizes, view))
            self._show_trace(self._hovered or pinned, pinned=self._hovered is None)

    def _is_reached(self, name: str, index: Index) -> bool:
        row = index[-2] if len(index) > 1 else 0
        for panel in self.panels(name):
            shown = panel.view.array_cell(index) is not None
            if shown and panel.reached is not None and row >= panel.reached:
                return False
        return True

    def pin(self, name: str, index: Index) -> None:
        """Keep showing where a cell comes from; a second click lets go."""
        asked = self._asks_for_cell
        self.cell_clicked.emit(name, index)
        if asked:
            if not self._asks_for_cell:  # that was the right one: where it comes from is worth a look
                self.point_at(name, index)
            return
        if not self._is_reached(name, index):
            return
        same = self.workbench.view(self.concept.slug).pinned == (name, index)
        self.workbench.set_view(self.concept.slug, pinned=None if same else (name, index))

    def ask_for_cell(self, on: bool) -> None:
        """Take the next clicks as replies to a question, not as pins; or no longer."""
        self._asks_for_cell = on
        for panels in self._panels.values():
            for panel in panels:
                panel.view.asked = on
        hint = self.tr("Click the cell, or go to it with Tab and the arrows and press Shift+Enter. Esc gives up.")
        self.tell(hint if on else "")

    def point_at(self, name: str, index: Index) -> None:
        """Pin a cell and go to a step at which it is seen; after a change of sizes it may be gone."""
        slug = self.concept.slug
        sizes, view = self.workbench.state(slug).sizes, self.workbench.view(slug)
        row = index[-2] if len(index) > 1 else 0
        step = states.position_showing(self.concept, sizes, view, name, row)
        changes = {} if step is None else {"step": step}
        if self._results is not None and self._exists((name, index)):
            self.workbench.set_view(slug, pinned=(name, index), **changes)

    def follow(self, name: str, index: Index) -> None:
        """Go from an operand to the cell it was read from."""
        self._hovered = None
        self.workbench.set_view(self.concept.slug, pinned=(name, index))
        for panel in self.panels(name):
            cell = panel.view.array_cell(index)
            if cell is not None:
                place = panel.view.model().index(*cell)
                panel.view.scrollTo(place)
                panes.reveal(panel.view, panel.view.visualRect(place))

    def menu(self, name: str, cells: list[Index], where: QPoint) -> None:
        """Open the context menu of these cells."""
        open_menu(self, name, cells, where)

    def refuse(self, widget: QWidget, rect: QRect, sentence: str) -> None:
        """Say beside a cell why something was refused."""
        corner = widget.mapTo(self, rect.bottomLeft())
        self.bubble.say(sentence, corner, self.theme)
        self.said.emit(sentence)

    def tell(self, sentence: str) -> None:
        """Say something in the middle of the page's foot; nothing where there is nothing to say."""
        if sentence:
            self.bubble.say(sentence, QPoint(self.width() // 3, self.height()), self.theme, tone="accent")
        else:
            self.bubble.hide()

    def rename(self, token: int, text: str) -> None:
        """Give a token another name."""
        tokens = self.workbench.state(self.concept.slug).tokens
        if token < len(tokens) and text != tokens[token]:
            self.attempt(lambda: self.workbench.rename_token(self.concept.slug, token, text))

    def begin(self, label: str) -> None:
        """Start a gesture."""
        self.workbench.begin(label)

    def end(self) -> None:
        """End the gesture."""
        self.workbench.end()
        if self._frame.isActive():
            self.refresh()
        shapes = self._shapes()
        for panel in (panel for panels in self._panels.values() for panel in panels):
            panel.fit_text()
        if self._shapes() != shapes:
            self.stage.refit()

    def act(self, name: str) -> None:
        """Do one of the concept's actions."""
        self.attempt(lambda: self.workbench.act(self.concept.slug, name))

    def set_size(self, name: str, value: int) -> None:
        """Set a size, as views that are dragged do."""
        self.attempt(lambda: self.workbench.set_size(self.concept.slug, name, value))

    def set_control(self, name: str, value: Any) -> None:
        """Set a control, as views that are dragged do."""
        self.attempt(lambda: self.workbench.set_control(self.concept.slug, name, value))

    def attempt(self, change: Any) -> None:
        """Do a change; a refusal is said in a sentence and nothing is changed."""
        try:
            change()
        except ValueError as error:
            if not self.bar.refuse(str(error)):
                corner = QPoint(self.bar.x() + self.theme.px(14), self.bar.geometry().bottom())
                self.bubble.say(str(error), corner, self.theme)
            self.said.emit(str(error))
            state = self.workbench.state(self.concept.slug)
            self.bar.show_state(state.situation)

    def take_file(self, control: str, path: Path) -> None:
        """Read a control from a file that was opened or dropped; only what the file says is kept."""
        declared = self.concept.control(control)
        assert isinstance(declared, d.Text)
        read = declared.read
        self.bubble.hide()
        if read is not None:
            self.attempt(lambda: self.workbench.set_control(self.concept.slug, control, read(path)))

    # --- view ---

    def show_differences(self, on: bool, to: Callable[[str], Any] | None = None) -> None:
        """Show signed differences in place of the values: to the state before the last change, or as `to` has them."""
        if on or self._arrays.differences:
            self._arrays.differences, self._arrays.compared = on, to
            self._stale = self._restyled = True
            self.refresh()

    def show_controls(self, *, on: bool) -> None:
        """Show the controls in a show, in the trace's place, so that the stage stands still; or the trace again."""
        if on != self._controls_asked:
            self._controls_asked = on
            self._show_bar()

    def _show_bar(self) -> None:
        """Put the controls above the stage; in a show they are there only when asked for, below it."""
        body = self.scroller.widget()
        column = None if body is None else body.layout()
        assert isinstance(column, QVBoxLayout)
        instead = self.theme.present and self._controls_asked and not self.bar.empty
        if (column.indexOf(self.bar) > column.indexOf(self.stage)) != self.theme.present:
            column.removeWidget(self.bar)
            column.insertWidget(1 if self.theme.present else 0, self.bar)
        self.bar.say_after(self.tr("Esc: back to the show") if instead else "")
        self.bar.setMinimumHeight(self.strip.sizeHint().height() if instead else 0)
        self.bar.setVisible(instead or (not self.theme.present and not self.bar.empty))
        self.strip.setVisible(not instead)

    def _size_stage(self) -> None:
        self.stage.setMinimumHeight(self.theme.px(150 if self.theme.present else 190))
        if not self.theme.present:
            self.strip.set_lines(3 if self.height() / self.theme.scale > 440 else 2)

    @guarded
    def resizeEvent(self, event: Any) -> None:
        """Share the height between stage and trace."""
        super().resizeEvent(event)
        self._size_stage()
        self.bubble.stay_inside()

    def restyle(self) -> None:
        """Draw everything again, as after a change of how weights are coloured."""
        self._stale = self._view_stale = self._restyled = True
        self.refresh()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self.bubble.hide()
        self.bar.set_theme(theme)
        if self._slow_bar is not None:
            self._slow_bar.set_theme(theme)
        self.strip.set_theme(theme)
        self._show_bar()
        self._size_stage()
        self.stage.set_theme(theme)
        self._view_stale = True
        self.schedule()
