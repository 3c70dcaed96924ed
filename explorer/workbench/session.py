"""The session file: every tab's numbers, controls and view, and the bookmarks, as JSON that a person can read.

What the format holds is written down in ``resources/schema/session-1.json``. Decisions that the schema cannot say:

- Numbers have as many digits as it takes to read the same bits back; a row of a matrix is a line; −∞ is
  ``"-Infinity"``.
- ``version`` counts changes of the format. Older versions go through `MIGRATIONS`, one version at a time, before
  anything is looked at; newer ones are refused, because what they mean is not known here.
- A tab that this version does not know is refused as well, with its name. Kept unseen, it would hide a misspelt name
  and could not be saved again in good faith; dropped, somebody's work would be gone. A tab that the file does not
  mention opens on the lesson's values: an older version of the app did not have it.
- A control that a tab's entry does not mention keeps its opening value, for the same reason; an input must be there.
- Keys that nobody knows and keys that stand twice are refused: they are slips of a hand, or damage.

Nothing here opens a window's document or knows where recovery files lie.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from explorer import __version__
from explorer.concepts import all_concepts, evaluation
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError, first_true
from explorer.workbench import atomic, bookmarks, strictjson
from explorer.workbench.bookmarks import Bookmark, Bookmarks, Snapshot
from explorer.workbench.changes import LONGEST_TOKEN, Changes
from explorer.workbench.state import TabState, ViewState, frozen, looking
from explorer.workbench.strictjson import FormatError, Node
from explorer.workbench.tab import Tab

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from explorer.concepts.declaration import Concept, Input
    from explorer.core.ops.base import Array

SUFFIX: Final = ".attn"
FORMAT: Final = "attention-explorer session"
VERSION: Final = 1
ACCEPTED: Final = "an Attention Explorer session"
MINUS_INFINITY: Final = "-Infinity"
LONGEST_ORIGIN: Final = 200

#: ``MIGRATIONS[version](document)`` returns the same document as version + 1 writes it; it may change it in place.
MIGRATIONS: Final[dict[int, Callable[[dict[str, Any]], dict[str, Any]]]] = {}

NO_SESSION = QT_TRANSLATE_NOOP(
    "workbench", '{name} is JSON, but no Attention Explorer session: it does not say "format": "{format}"'
)
NEWER = QT_TRANSLATE_NOOP(
    "workbench",
    "{name} was written by a newer Attention Explorer (format {found}); this one reads formats up to {most}, so open "
    "it with a newer one",
)
TOO_OLD = QT_TRANSLATE_NOOP("workbench", "{name} has format {found}; formats {least} to {most} are read")
NO_TAB = QT_TRANSLATE_NOOP(
    "workbench",
    "{name}: {where}: this Attention Explorer has no tab {tab}, a newer one may have it; the tabs are {known}",
)
MOVED = QT_TRANSLATE_NOOP("workbench", "{name} cannot be {value} beside the other controls")
UNFIT = QT_TRANSLATE_NOOP("workbench", "{name}: {where}: {reason}")
TOO_LARGE = QT_TRANSLATE_NOOP(
    "workbench",
    "the session has {found} bytes and at most {most} can be opened again; remove some of its {count} bookmarks",
)


@dataclass(frozen=True, slots=True, eq=False)
class Session:
    """Everything that a document holds at one moment.

    Attributes
    ----------
    front : str
        The slug of the tab in front.
    tabs : Mapping of str to Snapshot
        Every tab's state and view, by slug.
    bookmarks : Bookmarks
        In order.
    """

    front: str
    tabs: Mapping[str, Snapshot]
    bookmarks: Bookmarks = dataclasses.field(default_factory=Bookmarks)

    def same_as(self, other: Session) -> bool:
        """Say whether both hold the same, bit for bit, views included."""
        return (
            self.front == other.front
            and self.tabs.keys() == other.tabs.keys()
            and all(one.same_as(other.tabs[slug]) for slug, one in self.tabs.items())
            and self.bookmarks.same_as(other.bookmarks)
        )


def fresh(concepts: Sequence[Concept] | None = None) -> Session:
    """Return a session with the lesson's values in every tab, the first in front."""
    tabs = all_concepts() if concepts is None else concepts
    return Session(tabs[0].slug, MappingProxyType({one.slug: _opened(one) for one in tabs}))


def _opened(concept: Concept) -> Snapshot:
    tab = Tab(concept)
    return Snapshot(tab.state, tab.view)


# ------------------------------------------------------------------------------------------------------- writing


class Writer:
    """Turns sessions into text; what did not change since the last one is not written out anew.

    A recovery file is written after every change, and a change touches one tab of thirteen.
    """

    def __init__(self) -> None:
        self._tabs: dict[str, tuple[Snapshot, str]] = {}
        self._bookmarks: tuple[Bookmarks, str] = (Bookmarks(), "[]")

    def dumps(self, session: Session) -> bytes:
        """Return the text of a session file.

        Raises
        ------
        InputError
            When it would be too large to be opened again.
        """
        tabs = [f"    {_text(slug)}: {self._tab(slug, snapshot)}" for slug, snapshot in session.tabs.items()]
        lines = [
            "{",
            f'  "format": {_text(FORMAT)},',
            f'  "version": {VERSION},',
            f'  "app": {_text(__version__)},',
            f'  "front": {_text(session.front)},',
            '  "tabs": {',
            ",\n".join(tabs),
            "  },",
            f'  "bookmarks": {self._marks(session.bookmarks)}',
            "}\n",
        ]
        data = "\n".join(lines).encode("utf-8")
        if len(data) > strictjson.MOST_BYTES:
            found, most = f"{len(data):,}", f"{strictjson.MOST_BYTES:,}"
            raise InputError(TOO_LARGE, found=found, most=most, count=len(session.bookmarks))
        return data

    def _tab(self, slug: str, snapshot: Snapshot) -> str:
        known = self._tabs.get(slug)
        if known is None or known[0].state is not snapshot.state or known[0].view != snapshot.view:
            self._tabs[slug] = known = (snapshot, _object(_members(snapshot), 4))
        return known[1]

    def _marks(self, marks: Bookmarks) -> str:
        if self._bookmarks[0] is not marks:
            heads = [{"tab": _text(mark.tab), "note": _text(mark.note)} for mark in marks]
            written = [_object({**head, **_members(mark.snapshot)}, 4) for head, mark in zip(heads, marks, strict=True)]
            text = "[\n    " + ",\n    ".join(written) + "\n  ]" if written else "[]"
            self._bookmarks = (marks, text)
        return self._bookmarks[1]


def dumps(session: Session) -> bytes:
    """Return the text of a session file; see `Writer.dumps`."""
    return Writer().dumps(session)


def write(path: str | os.PathLike[str], session: Session) -> None:
    """Write a session to a file, whole or not at all.

    Raises
    ------
    SaveError
        When it cannot be written; an existing file is unchanged.
    InputError
        When it would be too large to be opened again.
    """
    atomic.write(path, dumps(session))


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _object(members: Mapping[str, str], indent: int) -> str:
    inner = " " * (indent + 2)
    return "{\n" + ",\n".join(f"{inner}{_text(key)}: {text}" for key, text in members.items()) + f"\n{' ' * indent}}}"


def _line(members: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{_text(key)}: {_text(value)}" for key, value in members.items()) + "}"


def _members(snapshot: Snapshot) -> dict[str, str]:
    state = snapshot.state
    arrays = {name: _array_text(array, 8) for name, array in state.inputs.items()}
    return {
        "sizes": _line(state.sizes),
        "tokens": _text(list(state.tokens)),
        "controls": _line(state.controls),
        "inputs": _object(arrays, 6) if arrays else "{}",
        "origins": _line(state.origins),
        "view": _line(_view_members(snapshot.view)),
    }


def _view_members(view: ViewState) -> dict[str, Any]:
    members = {one.name: getattr(view, one.name) for one in dataclasses.fields(view)}
    if view.pinned is not None:
        members["pinned"] = [view.pinned[0], *view.pinned[1]]
    return members


def _array_text(array: Array, indent: int) -> str:
    if array.ndim <= 1:
        return _row_text(array)
    inner = " " * (indent + 2)
    rows = [f"{inner}{_array_text(row, indent + 2)}" for row in array]
    return "[\n" + ",\n".join(rows) + f"\n{' ' * indent}]" if rows else "[]"


def _row_text(row: Array) -> str:
    values = row.tolist()
    if row.dtype.kind == "f" and not np.isfinite(row).all():
        values = np.where(np.isneginf(row), MINUS_INFINITY, row.astype(object)).tolist()
    return _text(values)


# ------------------------------------------------------------------------------------------------------- reading


def read(path: str | os.PathLike[str], concepts: Sequence[Concept] | None = None) -> Session:
    """Read a session file; the tabs are all that exist unless others are given.

    Raises
    ------
    FormatError
        With one sentence: what is wrong, where, and what would be accepted.
    """
    return loads(strictjson.read_bounded(path, ACCEPTED), Path(path).name, concepts)


def loads(data: bytes, name: str = "the session", concepts: Sequence[Concept] | None = None) -> Session:
    """Read the text of a session file; `name` is what a refusal calls it.

    Raises
    ------
    FormatError
    """
    known = {one.slug: one for one in (all_concepts() if concepts is None else concepts)}
    root = Node(_migrated(strictjson.loads(data, name, ACCEPTED), name), name)
    members = root.object(("format", "version", "front", "tabs"), ("app", "bookmarks"))
    if "app" in members:
        members["app"].text(LONGEST_ORIGIN)
    given = {slug: _snapshot(entry, _tab(entry, slug, known)) for slug, entry in members["tabs"].members().items()}
    tabs = {slug: given.get(slug) or _opened(concept) for slug, concept in known.items()}
    front = _tab(members["front"], members["front"].value, known).slug
    marks = members["bookmarks"].items(bookmarks.MOST) if "bookmarks" in members else []
    return Session(front, MappingProxyType(tabs), Bookmarks(_bookmark(mark, known) for mark in marks))


def _migrated(document: object, name: str) -> dict[str, Any]:
    while isinstance(document, dict) and document.get("format") == FORMAT:
        version = document.get("version")
        if type(version) is not int:
            Node(version, name, "$.version").refuse("a whole number")
        if version == VERSION:
            return document
        if version > VERSION:
            raise FormatError(NEWER, name=name, found=version, most=VERSION)
        if version not in MIGRATIONS:
            raise FormatError(TOO_OLD, name=name, found=version, least=min((*MIGRATIONS, VERSION)), most=VERSION)
        try:
            document = MIGRATIONS[version](document)
        except (LookupError, TypeError, AttributeError, ValueError) as error:
            reason = f"this does not hold what format {version} must hold"
            raise FormatError(UNFIT, name=name, where="$", reason=reason) from error
    raise FormatError(NO_SESSION, name=name, format=FORMAT)


def _tab(node: Node, slug: object, known: Mapping[str, Concept]) -> Concept:
    if not isinstance(slug, str) or slug not in known:
        tab, tabs = strictjson.shown(slug), ", ".join(known)
        raise FormatError(NO_TAB, name=node.name, where=node.where, tab=tab, known=tabs)
    return known[slug]


def _bookmark(node: Node, known: Mapping[str, Concept]) -> Bookmark:
    members = node.object(("tab", "note"), tuple(node.members()))
    snapshot = _snapshot(node, _tab(members["tab"], members["tab"].value, known), "tab", "note")
    return Bookmark(snapshot, members["note"].text(bookmarks.LONGEST_NOTE))


def _snapshot(node: Node, concept: Concept, *more: str) -> Snapshot:
    members = node.object((*more, "sizes", "inputs"), ("tokens", "controls", "origins", "view"))
    tab = Tab(concept)
    sizes = _sizes(members["sizes"], concept)
    base = dataclasses.replace(tab.state, sizes=MappingProxyType(sizes))
    declared = {one.name: one for one in concept.inputs}
    given = members["inputs"].object(tuple(declared))
    inputs = {name: _array(given[name], one, sizes) for name, one in declared.items()}
    tokens = _tokens(members.get("tokens"), concept, sizes)
    controls = _controls(members["controls"], tab.changes, base) if "controls" in members else base.controls
    origins = dict.fromkeys(declared, "typed")
    if "origins" in members:
        given = members["origins"].object((), tuple(declared))
        origins.update({name: origin.text(LONGEST_ORIGIN) for name, origin in given.items()})
    state = TabState(
        concept.slug,
        MappingProxyType(inputs),
        MappingProxyType(dict(controls)),
        MappingProxyType(sizes),
        tokens,
        MappingProxyType(origins),
    )
    if concept.validate is not None:
        try:
            concept.validate(state.situation)
        except ValueError as error:
            raise _unfit(node, error) from error
    tab.state = state
    view = _view(members["view"], tab) if "view" in members else tab.unpinned_if_gone(tab.view)
    return Snapshot(state, view)


def _unfit(node: Node, error: ValueError) -> FormatError:
    return FormatError(UNFIT, name=node.name, where=node.where, reason=str(error))


def _sizes(node: Node, concept: Concept) -> dict[str, int]:
    members = node.object(tuple(one.name for one in concept.sizes))
    sizes = {one.name: members[one.name].whole(one.low, one.high) for one in concept.sizes}
    for one in concept.sizes:
        choices = evaluation.allowed(one, sizes)
        if sizes[one.name] not in choices:
            members[one.name].refuse(str(Choices(choices)))
    return sizes


def _tokens(node: Node | None, concept: Concept, sizes: Mapping[str, int]) -> tuple[str, ...]:
    defaults = evaluation.default_tokens(concept, sizes)
    if node is None:
        return defaults
    items = node.items(max(len(defaults), 1))
    if len(items) != len(defaults):
        node.refuse(f"a list of {len(defaults)}")
    return tuple(_token(item) for item in items)


def _token(node: Node) -> str:
    text = node.text(LONGEST_TOKEN)
    if not text or text != " ".join(text.split()):
        node.refuse("a name without line breaks and needless spaces")
    return text


def _controls(node: Node, changes: Changes, state: TabState) -> Mapping[str, Any]:
    given = node.object((), tuple(state.controls))
    for member in given.values():
        if not isinstance(member.value, str | bool | int | float):
            member.refuse("a number, a text, true or false")
    state, refused = _set_controls(changes, state, {name: member.value for name, member in given.items()})
    if refused is not None:
        raise _unfit(given[refused[0]], refused[1]) from refused[1]
    return state.controls


def with_controls(changes: Changes, state: TabState, values: Mapping[str, Any]) -> TabState:
    """Set several controls; one whose range depends on another that comes later is tried again after it.

    Raises
    ------
    InputError
        When one of them is refused whatever the others are.
    """
    state, refused = _set_controls(changes, state, values)
    if refused is not None:
        raise refused[1]
    return state


def _set_controls(
    changes: Changes, state: TabState, values: Mapping[str, Any]
) -> tuple[TabState, tuple[str, InputError] | None]:
    waiting = [name for name in state.controls if name in values]
    while waiting:
        refused: dict[str, InputError] = {}
        for name in waiting:
            try:
                state = changes.with_control(state, name, values[name])
            except InputError as error:
                refused[name] = error
        if len(refused) == len(waiting):
            return state, (waiting[0], refused[waiting[0]])
        waiting = list(refused)
    for name, value in values.items():
        # Setting another one may have moved it into a narrower range.
        if state.controls[name] != value:
            return state, (name, InputError(MOVED, name=name, value=strictjson.shown(value)))
    return state, None


def _array(node: Node, declared: Input, sizes: Mapping[str, int]) -> Array:
    shape = evaluation.lengths_of(declared.axes, sizes)
    words = tuple(axis.size if not axis.size.isdigit() else "" for axis in declared.axes)
    cells = _cells(node, declared, shape, words)
    array = np.array(cells, dtype=bool if declared.kind == "mask" else np.float64).reshape(shape)
    if declared.kind == "number" and array.size:
        low, high = declared.limits
        outside = ~((array >= low) & (array <= high) & (array < np.inf))
        if outside.any():
            at, place = first_true(outside), node
            for index in at:
                place = Node(place.value[index], node.name, strictjson.step_into(place.where, index))
            place.refuse(strictjson.number_between(low, high))
    return frozen(array)


def _cells(node: Node, declared: Input, shape: tuple[int, ...], words: tuple[str, ...]) -> list[Any]:
    """Return the cells of an array in C order, each of them a number (or a truth value, in a mask)."""
    mask = declared.kind == "mask"
    if not shape:
        return [node.truth() if mask else _number(node, declared)]
    what = "rows" if len(shape) > 1 else "truth values" if mask else "numbers"
    accepted = f"a list of {shape[0]} {what}{f' ({words[0]})' if words[0] else ''}"
    if not isinstance(node.value, list) or len(node.value) != shape[0]:
        node.refuse(accepted)
    if len(shape) == 1:
        if set(map(type, node.value)) <= ({bool} if mask else {float, int}):
            return [float(value) for value in node.value] if not mask else node.value
        return [one.truth() if mask else _number(one, declared) for one in node.items(shape[0])]
    return [cell for one in node.items(shape[0]) for cell in _cells(one, declared, shape[1:], words[1:])]


def may_be_minus_infinity(declared: Input) -> bool:
    """Say whether cells of an input may hold −∞, which masks a score."""
    return declared.role == "score" and declared.limits[0] == -np.inf


def _number(node: Node, declared: Input) -> float:
    if node.value == MINUS_INFINITY and may_be_minus_infinity(declared):
        return -np.inf
    return node.number()


def _view(node: Node, tab: Tab) -> ViewState:
    view = tab.view
    fields = tuple(one.name for one in dataclasses.fields(ViewState))
    for name, member in node.object((), fields).items():
        if name == "pinned":
            view = dataclasses.replace(view, pinned=_pinned(member, tab))
            continue
        if not isinstance(member.value, str | bool | int | float):
            member.refuse("a number, true or false")
        try:
            view = looking(view, {name: member.value})
        except InputError as error:
            raise _unfit(member, error) from error
        if getattr(view, name) != member.value:
            member.refuse("a number that the view can hold")
    return view


def _pinned(node: Node, tab: Tab) -> tuple[str, tuple[int, ...]] | None:
    if node.value is None:
        return None
    name, *index = node.items(9) or [node]
    pinned = name.text(200), tuple(one.whole(0, 1_000_000) for one in index)
    if not tab.exists(pinned):
        node.refuse("null, or the name of an array and the indices of one of its cells")
    return pinned
