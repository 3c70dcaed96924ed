"""Parting a lesson file into sections, texts and ``key: value`` lines, with the place of each for errors.

What the keys mean is decided in :mod:`explorer.workbench.lessons`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.workbench import prose

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from explorer.workbench.prose import Prose

AT = QT_TRANSLATE_NOOP("workbench", "{file}, line {line}: {reason}")
NO_TITLE = QT_TRANSLATE_NOOP("workbench", "a lesson begins with its title, such as “# Full attention”")
NO_KEY = QT_TRANSLATE_NOOP("workbench", "“{key}:” has no place here; this section takes {known}")
MISSING_KEY = QT_TRANSLATE_NOOP("workbench", "this section lacks its “{key}:” line")
TWICE = QT_TRANSLATE_NOOP("workbench", "“{key}:” stands here twice; one is enough")
NO_TEXT = QT_TRANSLATE_NOOP("workbench", "this section says nothing; it needs a sentence")
NO_FEEDBACK = QT_TRANSLATE_NOOP("workbench", "a wrong answer needs “ => ” and the text that names the mistake")

_T = TypeVar("_T")


class LessonError(InputError):
    """Say which line of which lesson cannot be read, why, and what would be."""


_KEYS: Final = (
    "cures",
    "says",
    "given",
    "answer",
    "tolerance",
    "right",
    "wrong",
    "option",
    "correct",
    "of",
    "proof",
    "check",
    "hint",
)
_KEY_LINE: Final = re.compile(r"([a-z]+):(?:\s+(.*))?")
_HEADING: Final = re.compile(r"(#{1,2})\s+(.+)")


@dataclass(slots=True)
class Entry:
    """A ``key: value`` line with its continuations, and where it stands."""

    key: str
    value: str
    line: int
    file: str

    def error(self, template: str, **values: object) -> LessonError:
        """Return the error that names this place."""
        return LessonError(AT, file=self.file, line=self.line, reason=template.format(**values))

    def read(self, reader: Callable[[str], _T], text: str | None = None) -> _T:
        """Let `reader` read the value, or a part of it; its refusal gets file and line."""
        try:
            return reader(self.value if text is None else text.strip())
        except InputError as error:
            raise LessonError(AT, file=self.file, line=self.line, reason=error) from None

    def halves(self) -> tuple[str, str]:
        """Part ``answer => feedback``."""
        answer, arrow, feedback = self.value.partition(" => ")
        if not arrow or not answer.strip() or not feedback.strip():
            raise self.error(NO_FEEDBACK)
        return answer, feedback


class Section:
    """A heading with the text and the entries below it."""

    def __init__(self, title: str, level: int, line: int, file: str) -> None:
        self.title = title
        self.level = level
        self.line = line
        self.file = file
        self.lines: list[tuple[int, str]] = []
        self.entries: list[Entry] = []
        # An empty line ends the entries: what follows is text again.
        self.closed = False

    def error(self, template: str, **values: object) -> LessonError:
        """Return the error that names this place."""
        return LessonError(AT, file=self.file, line=self.line, reason=template.format(**values))

    def add(self, text: str, number: int) -> None:
        """Take the next line of the file."""
        key = _KEY_LINE.fullmatch(text)
        follows = bool(self.entries) and not self.closed
        if key and key[1] in _KEYS:
            self.entries.append(Entry(key[1], (key[2] or "").strip(), number, self.file))
            self.closed = False
        elif key or (follows and text.strip() and not text.startswith("  ")):
            name = key[1] if key else text.strip()[:20]
            raise Entry("", "", number, self.file).error(NO_KEY, key=name, known=Choices(_KEYS))
        elif follows and text.strip():
            self.entries[-1].value += f" {text.strip()}"
        else:
            self.closed = True
            self.lines.append((number, text))

    def only(self, *keys: str) -> None:
        """Refuse entries of other keys."""
        for entry in self.entries:
            if entry.key not in keys:
                raise entry.error(NO_KEY, key=entry.key, known=Choices(keys) if keys else "text alone")

    def every(self, key: str) -> list[Entry]:
        """Return the entries of that key, in order."""
        return [entry for entry in self.entries if entry.key == key]

    def maybe(self, key: str) -> Entry | None:
        """Return the one entry of that key, None when there is none."""
        found = self.every(key)
        if len(found) > 1:
            raise found[1].error(TWICE, key=key)
        return found[0] if found else None

    def one(self, key: str) -> Entry:
        """Return the one entry of that key; it must be there."""
        found = self.maybe(key)
        if found is None or not found.value:
            raise self.error(MISSING_KEY, key=key)
        return found

    @property
    def text(self) -> str:
        """Return the text; it must not be empty."""
        text = "\n".join(line for _, line in self.lines).strip()
        if not text:
            raise self.error(NO_TEXT)
        return text

    def prose(self, reader: Callable[[str], Prose] = prose.read) -> Prose:
        """Return the text, read; an error names the paragraph that it is in."""
        paragraph: list[str] = []
        for number, line in reversed(self.lines):
            if line.strip():
                paragraph.insert(0, line)
            if not line.strip() or number == self.lines[0][0]:
                Entry("", "\n".join(paragraph), number + (not line.strip()), self.file).read(reader)
                paragraph = []
        return reader(self.text)


def sections_of(text: str, file: str) -> Iterator[Section]:
    """Iterate over the sections of a lesson file.

    Raises
    ------
    LessonError
        When text stands before the first heading.
    """
    section: Section | None = None
    for number, line in enumerate(text.splitlines(), 1):
        heading = _HEADING.fullmatch(line.rstrip())
        if heading:
            if section:
                yield section
            section = Section(heading[2].strip(), len(heading[1]), number, file)
        elif section:
            section.add(line.rstrip(), number)
        elif line.strip():
            raise LessonError(AT, file=file, line=number, reason=NO_TITLE)
    if section:
        yield section
