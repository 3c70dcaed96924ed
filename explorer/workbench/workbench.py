"""What the user has open: every tab's state and results, one history, and who wants to know of changes.

Every change goes the same way: `Changes` makes the next state, the stages that it touches are computed and looked at,
and only then it replaces the old one, enters the history and is announced. What is refused leaves no trace. No Qt,
no files: sessions and recovery write down what `Workbench.document` returns.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np

from explorer.concepts import Entry, index, load
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, cell_name
from explorer.workbench import number_text
from explorer.workbench.history import History
from explorer.workbench.phrases import Phrase
from explorer.workbench.state import TabState, ViewState, differing, looking, unshared
from explorer.workbench.tab import Tab
from explorer.workbench.trace import Trace, trace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

    from explorer.concepts.declaration import Concept, Edit
    from explorer.concepts.evaluation import Results, Waiting
    from explorer.core.ops.base import Array
    from explorer.workbench.changes import Cells

NO_CELL = QT_TRANSLATE_NOOP("workbench", "there is no cell {cell} to pin")
NO_TAB = QT_TRANSLATE_NOOP("workbench", "there is no tab called {name}; the tabs are {known}")

EDIT_CELL = QT_TRANSLATE_NOOP("workbench", "edit {cell}")
EDIT_CELLS = QT_TRANSLATE_NOOP("workbench", "edit {count} cells of {name}")
FILL = QT_TRANSLATE_NOOP("workbench", "fill {name} with {how}")
FILL_CELLS = QT_TRANSLATE_NOOP("workbench", "fill {count} cells of {name} with {how}")
SET_CONTROL = QT_TRANSLATE_NOOP("workbench", "change {label}")
SET_SIZE = QT_TRANSLATE_NOOP("workbench", "set {label} to {value}")
RENAME_TOKEN = QT_TRANSLATE_NOOP("workbench", "rename token {at}")
RESTORE_CELL = QT_TRANSLATE_NOOP("workbench", "lesson value of {cell}")
RESTORE_CELLS = QT_TRANSLATE_NOOP("workbench", "lesson values of {count} cells of {name}")
RESTORE_INPUT = QT_TRANSLATE_NOOP("workbench", "lesson values of {name}")
RESTORE_TAB = QT_TRANSLATE_NOOP("workbench", "lesson values of the whole tab")

#: Numbers that differ by less than this share of their array's largest differ by rounding alone.
ROUNDING = 1e-13

#: The seed of the first random fill that names none; each further one takes the next.
FIRST_SEED = 42


class Event(NamedTuple):
    """Something that happened.

    `kind` is "state" (what a tab holds changed: `names` are the inputs, controls and sizes, or "tokens"), "results"
    (slow stages arrived: `names` are they), "view" (`names` are its fields), "current" (another tab is in front),
    "history" (undo, redo or modified changed) or "replaced" (the whole document did).
    """

    kind: Literal["state", "results", "view", "current", "history", "replaced"]
    slug: str
    names: frozenset[str] = frozenset()


class Workbench:
    """A document of tabs that the user edits.

    Parameters
    ----------
    concepts : sequence of Concept, optional
        The tabs; all that exist where absent. They are opened when they are first asked for.
    """

    def __init__(self, concepts: Sequence[Concept] | None = None) -> None:
        made = () if concepts is None else concepts
        self.index = index() if concepts is None else tuple(Entry(one.number, one.slug, one.title) for one in made)
        self._by_slug = {one.slug: one for one in made}
        self._tabs: dict[str, Tab] = {}
        self._current = self.index[0].slug if self.index else ""
        self._history: History[TabState] = History(TabState.same_as, weigh=unshared)
        self._saved: dict[str, TabState] = {}
        self._listeners: dict[object, Callable[[Event], None]] = {}
        self._next_seed = FIRST_SEED

    # --- what there is ---

    @property
    def current(self) -> str:
        """The slug of the tab in front."""
        return self._current

    def show(self, slug: str) -> None:
        """Bring a tab to the front."""
        self.concept(slug)
        if slug != self._current:
            self._current = slug
            self._emit(Event("current", slug))

    @property
    def concepts(self) -> tuple[Concept, ...]:
        """Every tab's declaration; whoever needs only names and titles reads `index`, which imports no tab."""
        return tuple(self.concept(one.slug) for one in self.index)

    def concept(self, slug: str) -> Concept:
        """Return a tab's declaration; InputError when there is no such tab."""
        if slug not in self._by_slug:
            self._require(slug)
            self._by_slug[slug] = load(slug)
        return self._by_slug[slug]

    def _require(self, slug: str) -> None:
        known = [one.slug for one in self.index]
        if slug not in known:
            raise InputError(NO_TAB, name=number_text.quoted(str(slug)), known=", ".join(known))

    def state(self, slug: str) -> TabState:
        """Return what a tab holds."""
        return self._tab(slug).state

    def view(self, slug: str) -> ViewState:
        """Return where the user is looking in a tab."""
        return self._tab(slug).view

    def set_view(self, slug: str, **changes: object) -> None:
        """Change fields of a tab's `ViewState`; neither undoable nor a modification."""
        tab = self._tab(slug)
        view = looking(tab.view, changes)
        if view.pinned is not None and not tab.exists(view.pinned):
            raise InputError(NO_CELL, cell=cell_name(*view.pinned))
        names = frozenset(name for name in changes if getattr(view, name) != getattr(tab.view, name))
        if names:
            tab.view = view
            self._emit(Event("view", slug, names))

    def results(self, slug: str) -> Results:
        """Return every array of a tab, up to date; slow stages are absent until they are delivered."""
        return self._tab(slug).results()

    def trace(self, slug: str, name: str, index: tuple[int, ...], translate: Callable[[str], str] = str) -> Trace:
        """Return how a cell of a tab came about; see `explorer.workbench.trace.trace`."""
        tab = self._tab(slug)
        state, results = tab.state, tab.results()
        lesson = tab.changes.lesson(state.sizes)
        return trace(
            tab.concept,
            state.situation,
            results,
            name,
            index,
            origins=state.origins,
            lesson=lesson,
            translate=translate,
        )

    # --- slow stages, computed elsewhere ---

    def pending(self, slug: str) -> list[Waiting]:
        """Return the slow stages that wait to be computed.

        ``one.compute()`` may run in any thread; its array goes back with ``deliver(slug, one.stage, one.key, array)``.
        """
        return list(self.results(slug).waiting.values())

    def deliver(self, slug: str, stage: str, key: tuple[Any, ...], array: Array) -> bool:
        """Take a slow stage's array; what was computed from something else than what now holds is dropped.

        Returns
        -------
        bool
            Whether it was taken.

        Raises
        ------
        InputError
            When it, or a stage that reads it, is not finite.
        """
        tab = self._tab(slug)
        results = tab.results()
        waiting = results.waiting.get(stage)
        if waiting is None or waiting.key != key:
            return False
        delivered = tab.take(waiting, array)
        self._emit(Event("results", slug, frozenset(name for name in delivered if name not in results)))
        return True

    # --- changes ---

    def edit(self, slug: str, name: str, cells: Cells, values: ArrayLike, *, label: str | None = None) -> None:
        """Set cells of an input: as many values as cells, or one for all.

        Raises
        ------
        InputError
            Here and in every change below: when it would leave the tab in a state that it must not be in. The
            sentence names the cell or control and says what would be accepted; nothing has changed.
        """
        self._change(
            slug,
            lambda tab: tab.changes.with_cells(tab.state, name, cells, values),
            lambda _: label or _edit_label(name, cells),
        )

    def replace(self, slug: str, name: str, array: ArrayLike, *, label: str, origin: str = "typed") -> None:
        """Set a whole input."""
        self._change(slug, lambda tab: tab.changes.with_array(tab.state, name, array, origin), lambda _: label)

    def fill(self, slug: str, name: str, how: str, *, seed: int | None = None, cells: Cells | None = None) -> None:
        """Fill an input, or cells of it, with "zeros", "identity", "random" or "small integers".

        Without a seed each random fill takes the next one, so that the same actions give the same numbers.
        """
        drawn = how in ("random", "small integers")
        chosen = self._next_seed if seed is None else seed
        if cells is None:
            label = Phrase(FILL, name=name, how=how)
        else:
            label = Phrase(FILL_CELLS, name=name, how=how, count=len(cells))
        self._change(slug, lambda tab: tab.changes.filled(tab.state, name, how, chosen, cells), lambda _: label)
        if drawn and seed is None:
            self._next_seed += 1

    def set_control(self, slug: str, name: str, value: object) -> None:
        """Set a control."""
        self._change(
            slug,
            lambda tab: tab.changes.with_control(tab.state, name, value),
            lambda tab: Phrase(SET_CONTROL, label=tab.changes.control(name).label),
        )

    def set_size(self, slug: str, size: str, value: int) -> None:
        """Set a size; every input that has it and the token names follow, kept cells keep their values."""
        self._change(
            slug,
            lambda tab: tab.changes.with_size(tab.state, size, value),
            lambda tab: Phrase(SET_SIZE, label=tab.changes.size(size).label or size, value=value),
        )

    def rename_token(self, slug: str, i: int, text: str) -> None:
        """Name a token; no number depends on it."""
        self._change(slug, lambda tab: tab.changes.with_token(tab.state, i, text), lambda _: Phrase(RENAME_TOKEN, at=i))

    def act(self, slug: str, action_name: str) -> None:
        """Do what one of a tab's actions says, as one undoable step."""
        self._change(
            slug,
            lambda tab: tab.changes.acted(tab.state, action_name),
            lambda tab: next(one.label for one in tab.concept.actions if one.name == action_name),
        )

    def apply(self, slug: str, edit: Edit, *, label: str) -> None:
        """Change inputs, controls, sizes and token names at once, as one undoable step."""
        self._change(slug, lambda tab: tab.changes.with_edit(tab.state, edit), lambda _: label)

    def put(self, state: TabState, *, label: str) -> None:
        """Put a whole state that its tab has held, such as a bookmark's, in place of what it holds."""
        self._change(state.slug, lambda _: state, lambda _: label, react=False)

    def restore(self, slug: str, name: str | None = None, cells: Cells | None = None) -> None:
        """Return to the lesson's values: of cells of an input, of an input, or of the tab, sizes and controls too."""
        if name is None:
            label = Phrase(RESTORE_TAB)
        elif cells is None:
            label = Phrase(RESTORE_INPUT, name=name)
        elif len(cells) == 1:
            label = Phrase(RESTORE_CELL, cell=cell_name(name, cells[0]))
        else:
            label = Phrase(RESTORE_CELLS, name=name, count=len(cells))
        self._change(slug, lambda tab: tab.changes.restored(tab.state, name, cells), lambda _: label)

    # --- gestures and history ---

    def begin(self, label: str | None = None) -> None:
        """Open a gesture: what changes until its `end` is one step of the history. Gestures nest."""
        self._history.begin(label)

    def end(self) -> None:
        """Close the gesture; without one nothing happens."""
        self._ended(None)

    @contextmanager
    def gesture(self, label: str | None = None) -> Iterator[None]:
        """Make what happens inside one step of the history."""
        mine = self._history.begin(label)
        try:
            yield
        finally:
            self._ended(mine)

    def undo(self) -> str | None:
        """Take the last step back and bring its tab to the front; returns its slug, None when there is none."""
        return self._walk(back=True)

    def redo(self) -> str | None:
        """Do the step undone last again and bring its tab to the front; returns its slug, None when there is none."""
        return self._walk(back=False)

    @property
    def undo_label(self) -> str | None:
        """What `undo` would take back, such as ``edit Wq[2, 0]``."""
        return self._history.undo_label

    @property
    def redo_label(self) -> str | None:
        """What `redo` would do again."""
        return self._history.redo_label

    # --- what changed ---

    def edited(self, slug: str) -> bool:
        """Say whether a tab differs from the lesson's values; one that was never opened does not."""
        self._require(slug)
        return slug in self._tabs and not self._tabs[slug].state.same_as(self._tabs[slug].changes.initial)

    @property
    def modified(self) -> bool:
        """Whether the document differs from what `mark_saved` last saw, or from the lesson's values."""
        return any(
            not tab.state.same_as(self._saved.get(slug, tab.changes.initial)) for slug, tab in self._tabs.items()
        )

    def mark_saved(self) -> None:
        """Remember what now holds as saved."""
        self._saved = self.document()
        self._emit(Event("history", self._current))

    def difference(self, slug: str, name: str) -> Array | None:
        """Return an array's values minus those before the last step, undo or redo.

        None where there was no step, or where the array had another shape or was not computed. A score that became
        masked differs by −∞ and one that became visible by +∞.
        """
        pair = self._now_and_before(slug, name)
        if pair is None:
            return None
        now, before = (results[name].astype(np.float64, copy=False) for results in pair)
        with np.errstate(invalid="ignore"):
            return np.where(now == before, 0.0, now - before)

    def changed(self, slug: str, name: str) -> Array | None:
        """Return which cells of an array changed in the last step, undo or redo; None as for `difference`.

        A computed number that differs by what rounding makes of the array's largest number has not changed.
        """
        pair = self._now_and_before(slug, name)
        if pair is None:
            return None
        now, before = (results[name] for results in pair)
        if now is before:
            return np.zeros(now.shape, np.bool_)
        if now.dtype.kind != "f" or name in self.state(slug).inputs or not now.size:
            return np.asarray(now != before)
        with np.errstate(invalid="ignore"):
            apart = np.asarray(now - before)  # −∞ − −∞ is no number, and none is more than the rounding
        return np.asarray(np.abs(apart, out=apart) > ROUNDING * max(_largest(results, name) for results in pair))

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call the listener with every `Event` from now on; calling what is returned ends that."""
        # A key of its own for each subscription: the same listener may be here twice.
        key = object()
        self._listeners[key] = listener

        def unsubscribe() -> None:
            self._listeners.pop(key, None)

        return unsubscribe

    # --- the whole document ---

    def document(self) -> dict[str, TabState]:
        """Return the state of every tab that was opened; the others hold the lesson's values."""
        return {slug: tab.state for slug, tab in self._tabs.items()}

    def replace_document(
        self,
        states: Mapping[str, TabState],
        views: Mapping[str, ViewState] | None = None,
        current: str | None = None,
    ) -> None:
        """Put another document in place of this one, as opening a session does: checked whole, nothing to undo.

        Raises
        ------
        InputError
            When a state does not fit its tab; nothing has changed.
        """
        tabs: dict[str, Tab] = {}
        for slug in dict.fromkeys((*states, *(views or ()))):
            tab = Tab(self.concept(slug))
            if slug in states:
                state = tab.changes.checked(states[slug])
                tab.move(state, tab.checked(state), keep_before=True)
            tab.view = tab.unpinned_if_gone(tab.view if views is None else views.get(slug, tab.view))
            tabs[slug] = tab
        front = self._current if current is None else self.concept(current).slug
        self._tabs, self._current = tabs, front
        self._history.clear()
        self._saved = self.document()
        self._emit(Event("replaced", front))

    # --- inside ---

    def _tab(self, slug: str) -> Tab:
        if slug not in self._tabs:
            self._tabs[slug] = Tab(self.concept(slug))
        return self._tabs[slug]

    def _change(
        self, slug: str, change: Callable[[Tab], TabState], label: Callable[[Tab], str], *, react: bool = True
    ) -> None:
        tab = self._tab(slug)
        before = tab.state
        after = change(tab)
        if react:
            after = tab.changes.reacted(before, after)
        names = differing(before, after)
        if not names:
            return
        results = tab.checked(after)
        last = self._history.last
        joins = self._history.continues and last is not None and last.tab == slug
        tab.move(after, results, keep_before=joins)
        self._history.record(label(tab), slug, before, after)
        self._announce(tab, names)

    def _ended(self, gesture: int | None) -> None:
        was_open = self._history.open
        self._history.end(gesture)
        if was_open and not self._history.open:
            self._emit(Event("history", self._current))

    def _walk(self, *, back: bool) -> str | None:
        entry = self._history.undo() if back else self._history.redo()
        if entry is None:
            return None
        tab = self._tab(entry.tab)
        state = entry.before if back else entry.after
        names = differing(tab.state, state)
        tab.move(state, None, keep_before=False)
        # Told first, shown second: a view that comes forward must know already that it is stale.
        self._announce(tab, names)
        self.show(entry.tab)
        return entry.tab

    def _announce(self, tab: Tab, names: frozenset[str]) -> None:
        slug = tab.concept.slug
        view = tab.unpinned_if_gone(tab.view)
        gone, tab.view = view is not tab.view, view
        self._emit(Event("state", slug, names))
        if gone:
            self._emit(Event("view", slug, frozenset({"pinned"})))
        self._emit(Event("history", slug))

    def _now_and_before(self, slug: str, name: str) -> tuple[Results, Results] | None:
        """Return the results that have an array, of one shape, now and before."""
        tab = self._tab(slug)
        now, before = tab.results(), tab.results_before()
        if before is None or name not in now or name not in before or now[name].shape != before[name].shape:
            return None
        return now, before

    def _emit(self, event: Event) -> None:
        for listener in tuple(self._listeners.values()):
            listener(event)


def _largest(results: Results, name: str) -> float:
    """Return the largest magnitude of an array with cells, −∞ left out."""
    low, high = results.reach(name)
    if low == -np.inf:
        array = results[name]
        low = float(array.min(where=array > low, initial=0.0))
    return max(-low, high)


def _edit_label(name: str, cells: Cells) -> Phrase:
    if len(cells) == 1:
        return Phrase(EDIT_CELL, cell=cell_name(name, cells[0]))
    return Phrase(EDIT_CELLS, count=len(cells), name=name)
