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

from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from explorer import __version__
from explorer.concepts import all_concepts
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.workbench import atomic, bookmarks, session_tab, strictjson
from explorer.workbench.bookmarks import Bookmark, Bookmarks, Snapshot
from explorer.workbench.session_tab import json_object, members_of, text
from explorer.workbench.strictjson import FormatError, Node
from explorer.workbench.tab import Tab

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping, Sequence

    from explorer.concepts.declaration import Concept

SUFFIX: Final = ".attn"
FORMAT: Final = "attention-explorer session"
VERSION: Final = 1
ACCEPTED: Final = "an Attention Explorer session"

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
    bookmarks: Bookmarks = field(default_factory=Bookmarks)

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
        tabs = [f"    {text(slug)}: {self._tab(slug, snapshot)}" for slug, snapshot in session.tabs.items()]
        lines = [
            "{",
            f'  "format": {text(FORMAT)},',
            f'  "version": {VERSION},',
            f'  "app": {text(__version__)},',
            f'  "front": {text(session.front)},',
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
            self._tabs[slug] = known = (snapshot, json_object(members_of(snapshot), 4))
        return known[1]

    def _marks(self, marks: Bookmarks) -> str:
        if self._bookmarks[0] is not marks:
            written = [_bookmark_text(mark) for mark in marks]
            self._bookmarks = (marks, "[\n    " + ",\n    ".join(written) + "\n  ]" if written else "[]")
        return self._bookmarks[1]


def _bookmark_text(mark: Bookmark) -> str:
    return json_object({"tab": text(mark.tab), "note": text(mark.note), **members_of(mark.snapshot)}, 4)


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
        members["app"].text(session_tab.LONGEST_ORIGIN)
    given = {
        slug: session_tab.read(entry, _tab(entry, slug, known)) for slug, entry in members["tabs"].members().items()
    }
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
            raise FormatError(strictjson.UNFIT, name=name, where="$", reason=reason) from error
    raise FormatError(NO_SESSION, name=name, format=FORMAT)


def _tab(node: Node, slug: object, known: Mapping[str, Concept]) -> Concept:
    if not isinstance(slug, str) or slug not in known:
        tab, tabs = strictjson.shown(slug), ", ".join(known)
        raise FormatError(NO_TAB, name=node.name, where=node.where, tab=tab, known=tabs)
    return known[slug]


def _bookmark(node: Node, known: Mapping[str, Concept]) -> Bookmark:
    members = node.object(("tab", "note"), tuple(node.members()))
    snapshot = session_tab.read(node, _tab(members["tab"], members["tab"].value, known), "tab", "note")
    return Bookmark(snapshot, members["note"].text(bookmarks.LONGEST_NOTE))
