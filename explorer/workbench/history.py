"""What was before: a line of changes that can be walked back and forth.

Plain Python: it keeps (label, tab, before, after) and knows nothing of what a state is, except that the caller can
say when two are the same and what keeping one beside the next takes. One history serves a whole document. It is as
long as both limits allow, a count of steps and a room for what they hold: edits of the lesson's small matrices reach
the first, those of 32 heads the second.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

State = TypeVar("State")

LIMIT = 500
#: Bytes. A step in the largest matrix that a tab has takes 131 kB of it, one in the lesson's a few hundred bytes.
ROOM = 32_000_000


class Entry(NamedTuple, Generic[State]):
    """One undoable step."""

    label: str
    tab: str
    before: State
    after: State


class _Step(NamedTuple, Generic[State]):
    """An entry with what it holds that the next one does not."""

    entry: Entry[State]
    weight: int


class History(Generic[State]):
    """The steps that can be undone and redone.

    Parameters
    ----------
    same : callable
        ``same(one, other)`` says whether two states hold the same; a gesture that ends where it began leaves nothing.
    limit : int
        How many steps are kept; the oldest are forgotten first.
    weigh : callable, optional
        ``weigh(before, after)`` returns how many bytes of one state the next does not share with it; where absent,
        states take no room.
    room : int
        How many bytes the steps may take together. The oldest are forgotten first, the newest never.
    """

    def __init__(
        self,
        same: Callable[[State, State], bool],
        limit: int = LIMIT,
        weigh: Callable[[State, State], int] | None = None,
        room: int = ROOM,
    ) -> None:
        self._same = same
        self._limit = limit
        self._weigh = weigh
        self._room = room
        self._done: list[_Step[State]] = []
        self._undone: list[_Step[State]] = []
        #: What the steps that can be undone hold.
        self._held = 0
        self._depth = 0
        self._label: str | None = None
        #: Whether the last entry belongs to the open gesture.
        self._merging = False
        #: What could be redone when the open gesture made its entry.
        self._parted: list[_Step[State]] = []
        self._gesture = 0

    @property
    def undo_label(self) -> str | None:
        """The label of the step that `undo` would take back."""
        return self._done[-1].entry.label if self._done else None

    @property
    def redo_label(self) -> str | None:
        """The label of the step that `redo` would do again."""
        return self._undone[-1].entry.label if self._undone else None

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
        return self._done[-1].entry if self._done else None

    def __len__(self) -> int:
        return len(self._done)

    def record(self, label: str, tab: str, before: State, after: State) -> None:
        """Add a change; inside a gesture it joins the gesture's earlier changes of that tab."""
        if self._merging and self._done[-1].entry.tab == tab:
            self._add(self._take().entry._replace(after=after))
            return
        if self._merging:
            self._settle()
        named = self._label if self.open and self._label is not None else label
        self._parted, self._undone = self._undone, []
        self._add(Entry(named, tab, before, after))
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
        self._undone.append(self._take())
        return self._undone[-1].entry

    def redo(self) -> Entry[State] | None:
        """Return the step undone last and move it back; its `after` is what now holds."""
        self.close()
        if not self._undone:
            return None
        self._put(self._undone.pop())
        return self._done[-1].entry

    def clear(self) -> None:
        """Forget everything."""
        self._done.clear()
        self._undone.clear()
        self._parted = []
        self._held = 0
        self._depth, self._label, self._merging = 0, None, False

    # --- inside ---

    def _add(self, entry: Entry[State]) -> None:
        """Add a step and forget the oldest that there is no room for any more."""
        self._put(_Step(entry, 0 if self._weigh is None else self._weigh(entry.before, entry.after)))
        gone = max(len(self._done) - self._limit, 0)
        self._held -= sum(step.weight for step in self._done[:gone])
        while self._held > self._room and gone < len(self._done) - 1:
            self._held -= self._done[gone].weight
            gone += 1
        del self._done[:gone]

    def _put(self, step: _Step[State]) -> None:
        self._done.append(step)
        self._held += step.weight

    def _take(self) -> _Step[State]:
        self._held -= self._done[-1].weight
        return self._done.pop()

    def _settle(self) -> None:
        self._merging = False
        entry = self._done[-1].entry
        if self._same(entry.before, entry.after):
            self._take()
            self._undone = self._parted
        self._parted = []
