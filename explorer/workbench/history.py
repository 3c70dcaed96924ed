"""What was before: a line of changes that can be walked back and forth.

Plain Python: it keeps (label, tab, before, after) and knows nothing of what a state is, except that the caller can
say when two are the same. One history serves a whole document.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

State = TypeVar("State")

LIMIT = 500


class Entry(NamedTuple, Generic[State]):
    """One undoable step."""

    label: str
    tab: str
    before: State
    after: State


class History(Generic[State]):
    """The steps that can be undone and redone.

    Parameters
    ----------
    same : callable
        ``same(one, other)`` says whether two states hold the same; a gesture that ends where it began leaves nothing.
    limit : int
        How many steps are kept; the oldest are forgotten first.
    """

    def __init__(self, same: Callable[[State, State], bool], limit: int = LIMIT) -> None:
        self._same = same
        self._limit = limit
        self._done: list[Entry[State]] = []
        self._undone: list[Entry[State]] = []
        self._depth = 0
        self._label: str | None = None
        #: Whether the last entry belongs to the open gesture.
        self._merging = False
        #: What could be redone when the open gesture made its entry.
        self._parted: list[Entry[State]] = []
        self._gesture = 0

    @property
    def undo_label(self) -> str | None:
        """The label of the step that `undo` would take back."""
        return self._done[-1].label if self._done else None

    @property
    def redo_label(self) -> str | None:
        """The label of the step that `redo` would do again."""
        return self._undone[-1].label if self._undone else None

    @property
    def open(self) -> bool:
        """Whether a gesture is open."""
        return self._depth > 0

    @property
    def continues(self) -> bool:
        """Whether the next change of the same tab joins the last entry."""
        return self._merging

    @property
    def last(self) -> Entry[State] | None:
        """The step that `undo` would take back."""
        return self._done[-1] if self._done else None

    def __len__(self) -> int:
        return len(self._done)

    def record(self, label: str, tab: str, before: State, after: State) -> None:
        """Add a change; inside a gesture it joins the gesture's earlier changes of that tab."""
        if self._merging and self._done[-1].tab == tab:
            self._done[-1] = self._done[-1]._replace(after=after)
            return
        if self._merging:
            self._settle()
        named = self._label if self.open and self._label is not None else label
        self._parted, self._undone = self._undone, []
        self._done.append(Entry(named, tab, before, after))
        del self._done[: -self._limit]
        self._merging = self.open

    def begin(self, label: str | None = None) -> int:
        """Open a gesture, or enter the open one once more; returns a number that `end` takes."""
        if not self._depth:
            self._label = label
            self._gesture += 1
        elif self._label is None:
            self._label = label
        self._depth += 1
        return self._gesture

    def end(self, gesture: int | None = None) -> None:
        """Leave a gesture; the outermost end closes it. Without a begin, or of a closed gesture, it does nothing."""
        if not self._depth or (gesture is not None and gesture != self._gesture):
            return
        self._depth -= 1
        if not self._depth:
            self.close()

    def close(self) -> None:
        """Close the open gesture, however deep; what it changed stays, as one step."""
        self._depth = 0
        self._label = None
        if self._merging:
            self._settle()

    def undo(self) -> Entry[State] | None:
        """Return the last step and move it to those that can be redone; its `before` is what now holds."""
        self.close()
        if not self._done:
            return None
        self._undone.append(self._done.pop())
        return self._undone[-1]

    def redo(self) -> Entry[State] | None:
        """Return the step undone last and move it back; its `after` is what now holds."""
        self.close()
        if not self._undone:
            return None
        self._done.append(self._undone.pop())
        return self._done[-1]

    def clear(self) -> None:
        """Forget everything."""
        self._done.clear()
        self._undone.clear()
        self._parted = []
        self._depth, self._label, self._merging = 0, None, False

    def _settle(self) -> None:
        self._merging = False
        entry = self._done[-1]
        if self._same(entry.before, entry.after):
            self._done.pop()
            self._undone = self._parted
        self._parted = []
