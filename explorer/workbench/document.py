"""The open document: a workbench, its bookmarks, the file that it belongs to, and its recovery file.

What a document window needs of a document, without a window: open, save, new, modified, bookmarks, A/B, import. Every
method either does all that it says or raises InputError with a sentence and leaves everything as it was.
"""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Literal

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.workbench import documents, recovery, session
from explorer.workbench.bookmarks import Bookmark, Bookmarks, Difference, Snapshot, difference, differences
from explorer.workbench.data_export import results_of
from explorer.workbench.phrases import Phrase
from explorer.workbench.session import Session
from explorer.workbench.state import ViewState

if TYPE_CHECKING:
    import os
    from collections.abc import Callable

    from explorer.concepts.declaration import Values
    from explorer.workbench.data_import import Plan
    from explorer.workbench.recovery import Recoverable, Recovery
    from explorer.workbench.workbench import Event, Workbench

Kind = Literal["file", "bookmarks", "kept"]

NO_FILE = QT_TRANSLATE_NOOP("workbench", "this document has no file yet; choose one to save it to")
GO_TO = QT_TRANSLATE_NOOP("workbench", "go to bookmark {at}")
FLIP = QT_TRANSLATE_NOOP("workbench", "flip A and B")
IMPORT = QT_TRANSLATE_NOOP("workbench", "import {names}")
NOTHING_KEPT = QT_TRANSLATE_NOOP("workbench", "nothing is kept as B yet; keep what you see, or go to a bookmark")
OTHER_TAB = QT_TRANSLATE_NOOP("workbench", "B is of the tab {tab}; bring that tab to the front to compare")


class Document:
    """A document.

    Parameters
    ----------
    workbench : Workbench
        The tabs. The document puts sessions into it and listens to it.
    recovery : Recovery, optional
        Where changes are kept in case the process dies; without, they are not.

    Attributes
    ----------
    path : Path or None
        The file that it was opened from or saved to last.
    place : int or None
        The position of the bookmark that was gone to last.
    kept : Snapshot or None
        B: what was on the screen before the last bookmark, or was kept by hand.
    """

    def __init__(self, workbench: Workbench, recovery: Recovery | None = None) -> None:
        self.workbench = workbench
        self.path: Path | None = None
        self.place: int | None = None
        self.kept: Snapshot | None = None
        self._recovery = recovery
        #: What B shows, computed when it is first compared with.
        self._computed: tuple[Snapshot, Values] | None = None
        self._bookmarks = Bookmarks()
        self._saved_bookmarks = self._bookmarks
        #: A recovered document differs from every file until it is saved.
        self._unsaved = False
        self._listeners: dict[object, Callable[[Kind], None]] = {}
        self._stop = workbench.subscribe(self._changed)

    # --- what it is ---

    @property
    def modified(self) -> bool:
        """Whether it holds what its file does not; steps, pins and other views do not count."""
        return self._unsaved or self.workbench.modified or not self._bookmarks.same_as(self._saved_bookmarks)

    @property
    def name(self) -> str:
        """The name of its file, empty where it has none."""
        return "" if self.path is None else self.path.name

    @property
    def recovers(self) -> bool:
        """Whether changes are kept for the case that the process dies."""
        return self._recovery is not None

    @property
    def problem(self) -> str:
        """Why changes could not be kept for that case; empty while they are."""
        return "" if self._recovery is None else self._recovery.problem

    def session(self) -> Session:
        """Return everything that it holds."""
        held = documents.session_of(self.workbench)
        return Session(held.front, held.tabs, self._bookmarks)

    def subscribe(self, listener: Callable[[Kind], None]) -> Callable[[], None]:
        """Call the listener when "file", "bookmarks" or "kept" changed; calling what is returned ends that."""
        key = object()
        self._listeners[key] = listener
        return lambda: self._listeners.pop(key, None) and None

    # --- files ---

    def new(self) -> None:
        """Begin again with the lesson's values."""
        self._put(session.fresh(self.workbench.concepts), None, "the lesson's values", unsaved=False)

    def open(self, path: str | os.PathLike[str]) -> None:
        """Put a session file in place of what is here.

        Raises
        ------
        InputError
            When it cannot be read or computed with; nothing has changed.
        """
        read = session.read(path, self.workbench.concepts)
        self._put(read, Path(path), Path(path).name, unsaved=False)

    def save(self, path: str | os.PathLike[str] | None = None) -> None:
        """Write to a file, its own unless another is named.

        Raises
        ------
        InputError
            When it was not written: the file is as it was, and the document is as modified as before.
        """
        target = self.path if path is None else Path(path)
        if target is None:
            raise InputError(NO_FILE)
        session.write(target, self.session())
        self.path, self._saved_bookmarks, self._unsaved = target, self._bookmarks, False
        self.workbench.mark_saved()
        self._keep()
        self._emit("file")

    def recover(self, what: Recoverable) -> None:
        """Put what a dead process left in place of what is here; it counts as modified until it is saved.

        Raises
        ------
        InputError
            When it cannot be read; nothing has changed, and it is still there.
        """
        self._put(what.read(), what.document, what.path.name, unsaved=True)
        # The old file goes only when this process has one of its own.
        if self._recovery is not None and self._recovery.flush():
            what.discard()
        else:
            what.release()

    def close(self) -> None:
        """End in order; whoever asks for it has dealt with what is not saved."""
        self._stop()
        if self._recovery is not None:
            self._recovery.close()

    def leave(self) -> None:
        """End without anybody having been asked: what is not saved is offered at the next start."""
        self._stop()
        if self._recovery is not None:
            self._recovery.leave()

    def left_behind(self) -> list[Recoverable]:
        """Return what documents of processes that are dead have left, the newest first; each is held until let go."""
        return [] if self._recovery is None else recovery.find(self._recovery.folder)

    def _put(self, what: Session, path: Path | None, name: str, *, unsaved: bool) -> None:
        before = self.path, self._bookmarks, self._saved_bookmarks, self._unsaved
        # Whoever listens to the workbench sees a whole document.
        self.path, self._bookmarks, self._saved_bookmarks = path, what.bookmarks, what.bookmarks
        self._unsaved = unsaved
        try:
            documents.put_into(self.workbench, what, name)
        except InputError:
            self.path, self._bookmarks, self._saved_bookmarks, self._unsaved = before
            raise
        self.place, self.kept = None, None
        for kind in ("file", "bookmarks", "kept"):
            self._emit(kind)

    # --- bookmarks ---

    @property
    def bookmarks(self) -> Bookmarks:
        """The bookmarks in order; set another list to change them."""
        return self._bookmarks

    @bookmarks.setter
    def bookmarks(self, marks: Bookmarks) -> None:
        self._bookmarks = marks
        if self.place is not None and self.place >= len(marks):
            self.place = None
        self._keep()
        self._emit("bookmarks")

    def on_screen(self) -> Snapshot:
        """Return what is on the screen: the state and view of the tab in front."""
        slug = self.workbench.current
        return Snapshot(self.workbench.state(slug), self.workbench.view(slug))

    def add_bookmark(self, note: str = "", at: int | None = None) -> None:
        """Put a bookmark on what is on the screen, before position `at` or at the end."""
        self.bookmarks = self._bookmarks.added(Bookmark(self.on_screen(), note), at)

    def go_to(self, at: int) -> None:
        """Show a bookmark: its tab comes to the front and holds its state, undoably; what was on the screen becomes B.

        Raises
        ------
        InputError
            When there is none at that position.
        """
        snapshot = self._bookmarks.at(at).snapshot
        before = self.on_screen()
        self._show(snapshot, Phrase(GO_TO, at=at))
        self.place = at
        self.keep(before)
        self._emit("bookmarks")

    def go_on(self) -> bool:
        """Go to the next bookmark; False when there is none."""
        return self._go(self._bookmarks.after(self.place))

    def go_back(self) -> bool:
        """Go to the previous bookmark; False when there is none."""
        return self._go(self._bookmarks.before(self.place))

    def _go(self, at: int | None) -> bool:
        if at is not None:
            self.go_to(at)
        return at is not None

    # --- A and B ---

    def keep(self, snapshot: Snapshot | None = None) -> None:
        """Keep a snapshot as B, what is on the screen unless another is given."""
        self.kept = self.on_screen() if snapshot is None else snapshot
        self._emit("kept")

    def flip(self) -> None:
        """Show B and keep what was on the screen as B, undoably.

        Raises
        ------
        InputError
            When nothing is kept.
        """
        if self.kept is None:
            raise InputError(NOTHING_KEPT)
        before = self.on_screen()
        self._show(self.kept, Phrase(FLIP))
        self.keep(before)

    def differences(self) -> dict[str, Difference | None]:
        """Return what the tab in front shows minus what B shows, array by array; None where shapes differ.

        Raises
        ------
        InputError
            When nothing is kept, or B is of another tab.
        """
        slug, kept = self._compared()
        return differences(self.workbench.results(slug), kept)

    def difference(self, name: str) -> Difference | None:
        """Return that of one array; None where the shapes differ or it is not computed in both.

        Raises
        ------
        InputError
            As for `differences`.
        """
        slug, kept = self._compared()
        now = self.workbench.results(slug)
        return difference(name, now[name], kept[name]) if name in now and name in kept else None

    def _compared(self) -> tuple[str, Values]:
        """Return the tab in front and what B shows of it."""
        if self.kept is None:
            raise InputError(NOTHING_KEPT)
        concept = self.workbench.concept(self.kept.tab)
        if self.kept.tab != self.workbench.current:
            raise InputError(OTHER_TAB, tab=concept.title)
        if self._computed is None or self._computed[0] is not self.kept:
            self._computed = (self.kept, results_of(concept, self.kept.state, slow=False))
        return concept.slug, self._computed[1]

    def _show(self, snapshot: Snapshot, label: Phrase) -> None:
        slug = snapshot.tab
        self.workbench.put(snapshot.state, label=label)
        self.workbench.show(slug)
        self.workbench.set_view(slug, **{one.name: getattr(snapshot.view, one.name) for one in fields(ViewState)})

    # --- import ---

    def bring_in(self, plan: Plan) -> None:
        """Do what an import's preview says, as one undoable step.

        Raises
        ------
        InputError
            When a number in it is none, or the tab could not compute it; nothing has changed.
        """
        edit = plan.edit()
        self.workbench.apply(plan.concept.slug, edit, label=Phrase(IMPORT, names=", ".join(edit.inputs)))

    # --- inside ---

    def _changed(self, event: Event) -> None:
        if event.kind in ("state", "view", "current", "replaced"):
            self._keep()

    def _keep(self) -> None:
        if self._recovery is None:
            return
        if not self.modified:
            self._recovery.forget()
            return
        opened = {slug: Snapshot(state, self.workbench.view(slug)) for slug, state in self.workbench.document().items()}
        # Tabs that were never opened hold the lesson's values, which is what a session says by not mentioning them.
        self._recovery.keep(Session(self.workbench.current, MappingProxyType(opened), self._bookmarks), self.path)

    def _emit(self, kind: Kind) -> None:
        for listener in tuple(self._listeners.values()):
            listener(kind)
