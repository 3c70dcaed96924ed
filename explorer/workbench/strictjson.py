"""Reading JSON that anybody may have written: bounded, strict, and always able to say where.

The text is parsed by Python's own parser, but only after its size, the depth of its nesting and the number of values
in it have been found to be harmless, because a few megabytes of brackets become a gigabyte of lists. NaN, infinities,
repeated keys and anything after the end are refused. `Node` then walks the values: each knows its place as a JSONPath
(RFC 9535), so that a refusal names it. What a document should hold is the business of whoever walks it.
"""

from __future__ import annotations

import json
import math
import os
import re
import stat
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final, NamedTuple, NoReturn

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError

if TYPE_CHECKING:
    from collections.abc import Iterator

#: 400,000 numbers of full precision: fifty bookmarks on a tab of the largest size.
MOST_BYTES: Final = 8 * 2**20
#: How often each of these may stand in a text. A list costs 64 bytes, a member of an object 250, a number 32.
MOST_MARKS: Final = {b",": 500_000, b"[": 150_000, b"{": 20_000, b":": 60_000, b'"': 200_000}
DEEPEST: Final = 16
#: 2^-1074 written out has 751 significant digits, and nobody writes that.
LONGEST_NUMBER: Final = 800
#: Longer ones are no sizes or seeds, of which −2^63 has the most characters; int() takes quadratic time.
LONGEST_WHOLE: Final = 20

NO_FILE = QT_TRANSLATE_NOOP("workbench", "{name} cannot be read: there is no such file")
NO_REGULAR = QT_TRANSLATE_NOOP("workbench", "{name} is not a file; {accepted} is expected")
UNREADABLE = QT_TRANSLATE_NOOP("workbench", "{name} cannot be read: {said}")
TOO_BIG = QT_TRANSLATE_NOOP("workbench", "{name} holds {found} bytes; at most {most} are read")
NOT_UTF8 = QT_TRANSLATE_NOOP("workbench", "{name}: byte {at} is not UTF-8 text; {accepted} is expected")
NOT_JSON = QT_TRANSLATE_NOOP(
    "workbench", "{name}: line {line}, column {column} is not JSON ({said}); {accepted} is expected"
)
EMPTY = QT_TRANSLATE_NOOP("workbench", "{name} is empty; {accepted} is expected")
TOO_DEEP = QT_TRANSLATE_NOOP("workbench", "{name} nests more than {most} brackets; {accepted} is expected")
TOO_MANY = QT_TRANSLATE_NOOP("workbench", "{name} holds {found} of the sign {mark}; at most {most} are read")
NO_NUMBER = QT_TRANSLATE_NOOP("workbench", "{name}: {word} is no number of JSON; every number must be finite")
LONG_NUMBER = QT_TRANSLATE_NOOP("workbench", "{name}: a number has {found} characters; at most {most} are read")
REPEATED = QT_TRANSLATE_NOOP("workbench", "{name}: {where} stands there twice; every key may stand once")
REFUSED = QT_TRANSLATE_NOOP("workbench", "{name}: {where} is {found}; it must be {accepted}")
MISSING = QT_TRANSLATE_NOOP("workbench", "{name}: {where} is missing; it must be there")
UNFIT = QT_TRANSLATE_NOOP("workbench", "{name}: {where}: {reason}")
UNKNOWN = QT_TRANSLATE_NOOP("workbench", "{name}: {where} is not known; known are {known}")


class FormatError(InputError):
    """Say in one sentence what a file holds that it must not, where, and what would be accepted."""


# ------------------------------------------------------------------------------------------------------- reading


@contextmanager
def open_regular(path: str | os.PathLike[str], accepted: str) -> Iterator[tuple[BinaryIO, int]]:
    """Open a file for reading and give its stream and size, if it is a regular file.

    Raises
    ------
    FormatError
        When there is none, or it cannot be read, now or while the caller reads.
    """
    place = Path(path)
    name = place.name or str(place)
    try:
        # A pipe that nobody writes to would make an ordinary open wait for ever.
        descriptor = os.open(place, os.O_RDONLY | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0))
        with os.fdopen(descriptor, "rb") as stream:
            status = os.fstat(stream.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise FormatError(NO_REGULAR, name=name, accepted=accepted)
            yield stream, status.st_size
    except FileNotFoundError:
        raise FormatError(NO_FILE, name=name) from None
    except IsADirectoryError:
        raise FormatError(NO_REGULAR, name=name, accepted=accepted) from None
    except OSError as error:
        # Windows refuses to open a folder with the words of a missing permission.
        template, said = (NO_REGULAR, "") if place.is_dir() else (UNREADABLE, error.strerror or str(error))
        raise FormatError(template, name=name, accepted=accepted, said=said) from error
    except ValueError as error:
        if isinstance(error, InputError):
            raise
        raise FormatError(NO_FILE, name=repr(name)) from error  # a NUL in the name


def read_bounded(path: str | os.PathLike[str], accepted: str, most: int = MOST_BYTES) -> bytes:
    """Return the bytes of a file that is no larger than `most`.

    Raises
    ------
    FormatError
        When it is larger, is no regular file or cannot be read. Of a larger file, nothing is read.
    """
    name = Path(path).name
    with open_regular(path, accepted) as (stream, size):
        if size > most:
            raise FormatError(TOO_BIG, name=name, found=f"{size:,}", most=f"{most:,}")
        data = stream.read(size + 1)
    if len(data) > size:
        raise FormatError(UNREADABLE, name=name, said="it grows while it is read")
    return data


def loads(data: bytes, name: str, accepted: str) -> object:
    """Parse a JSON text.

    Parameters
    ----------
    data : bytes
        UTF-8, with or without a byte order mark.
    name : str
        What a refusal calls the file.
    accepted : str
        What a refusal says was expected, such as ``"an Attention Explorer session"``.

    Returns
    -------
    dict, list, str, int, float, bool or None
        As of :func:`json.loads`.

    Raises
    ------
    FormatError
    """
    _check_weight(data, name, accepted)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise FormatError(NOT_UTF8, name=name, at=error.start, accepted=accepted) from None
    if not text.strip():
        raise FormatError(EMPTY, name=name, accepted=accepted)
    try:
        value = _decoder(name).decode(text)
    except json.JSONDecodeError as error:
        said = error.msg[:1].lower() + error.msg[1:]
        raise FormatError(
            NOT_JSON, name=name, line=error.lineno, column=error.colno, said=said, accepted=accepted
        ) from None
    repeated = next(_repetitions(value, "$"), None)
    if repeated is not None:
        raise FormatError(REPEATED, name=name, where=repeated)
    return value


def _decoder(name: str) -> json.JSONDecoder:
    def no_number(word: str) -> NoReturn:
        raise FormatError(NO_NUMBER, name=name, word=word if len(word) <= 40 else f"{word[:37]}...")

    def number(word: str) -> float:
        if len(word) > LONGEST_NUMBER:
            raise FormatError(LONG_NUMBER, name=name, found=f"{len(word):,}", most=LONGEST_NUMBER)
        value = float(word)
        return value if math.isfinite(value) else no_number(word)

    def whole(word: str) -> int | float:
        return int(word) if len(word) <= LONGEST_WHOLE else number(word)

    def pairs(members: list[tuple[str, Any]]) -> dict[str, Any]:
        result = dict(members)
        return result if len(result) == len(members) else _Repeated(members)

    return json.JSONDecoder(parse_float=number, parse_int=whole, parse_constant=no_number, object_pairs_hook=pairs)


# Every opening quote matches, to the end of the text if need be: failing anew at each of them would be quadratic.
_BRACKETS: Final = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)|[\[\]{}]', re.DOTALL)


def _check_weight(data: bytes, name: str, accepted: str) -> None:
    if len(data) > MOST_BYTES:
        raise FormatError(TOO_BIG, name=name, found=f"{len(data):,}", most=f"{MOST_BYTES:,}")
    # Marks inside strings are counted too: a bound may be too low for a file full of commas in notes, never too high.
    for mark, most in MOST_MARKS.items():
        found = data.count(mark)
        if found > most:
            raise FormatError(TOO_MANY, name=name, found=f"{found:,}", mark=mark.decode(), most=f"{most:,}")
    depth = 0
    for match in _BRACKETS.finditer(data):
        mark = match[0]
        if mark in b"[{":
            depth += 1
            if depth > DEEPEST:
                raise FormatError(TOO_DEEP, name=name, most=DEEPEST, accepted=accepted)
        elif mark in b"]}":
            depth -= 1


class _Repeated(dict[str, Any]):
    """An object in which a key stood twice."""

    def __init__(self, members: list[tuple[str, Any]]) -> None:
        super().__init__(members)
        keys = [key for key, _ in members]
        self.key = next(key for key in keys if keys.count(key) > 1)
        self.members = members


def _repetitions(value: object, where: str) -> Iterator[str]:
    """Give the places of keys that stand twice."""
    if isinstance(value, _Repeated):
        yield step_into(where, value.key)
    members = value.members if isinstance(value, _Repeated) else value.items() if isinstance(value, dict) else ()
    for key, member in enumerate(value) if isinstance(value, list) else members:
        if isinstance(member, dict | list):
            yield from _repetitions(member, step_into(where, key))


# ------------------------------------------------------------------------------------------------------- walking


def step_into(where: str, key: str | int) -> str:
    """Return the JSONPath of a member: ``$.tabs['full-attention'].inputs.x[2]``."""
    if isinstance(key, int):
        return f"{where}[{key}]"
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", key) and len(key) <= 60:
        return f"{where}.{key}"
    return f"{where}[{shown(key)}]"


def shown(value: object) -> str:
    """Return a short text for a value in a sentence: one line, at most about 40 characters."""
    if isinstance(value, dict):
        return "an object" if value else "an empty object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= 40 else f"{text[:37]}..."


def can_be_kept(text: str) -> bool:
    """Say whether a file can hold a text and give it back: no NUL, and no half of a pair of surrogates."""
    return "\0" not in text and not any("\ud800" <= character <= "\udfff" for character in text)


class Node(NamedTuple):
    """A value of a document, with its place in it.

    Attributes
    ----------
    value : object
        As of `loads`.
    name : str
        What a refusal calls the document.
    where : str
        The place, as a JSONPath.
    """

    value: Any
    name: str
    where: str = "$"

    def refuse(self, accepted: str, found: str | None = None) -> NoReturn:
        """Raise the sentence "<where> is <found>; it must be <accepted>"."""
        was = found or shown(self.value)
        raise FormatError(REFUSED, name=self.name, where=self.where, found=was, accepted=accepted)

    def unfit(self, error: ValueError) -> NoReturn:
        """Raise what somebody else says of the value, with its place."""
        raise FormatError(UNFIT, name=self.name, where=self.where, reason=str(error)) from error

    def members(self) -> dict[str, Node]:
        """Return the members of an object, whatever they are called."""
        if not isinstance(self.value, dict):
            self.refuse("an object in braces")
        return {key: Node(value, self.name, step_into(self.where, key)) for key, value in self.value.items()}

    def object(self, needed: tuple[str, ...], also: tuple[str, ...] = ()) -> dict[str, Node]:
        """Return the members of an object that must have those `needed`, may have `also`, and no others."""
        members = self.members()
        for key, member in members.items():
            if key not in needed and key not in also:
                known = ", ".join((*needed, *also)) or "none"
                raise FormatError(UNKNOWN, name=self.name, where=member.where, known=known)
        for key in needed:
            if key not in members:
                raise FormatError(MISSING, name=self.name, where=step_into(self.where, key))
        return members

    def items(self, most: int) -> list[Node]:
        """Return the items of a list that has at most `most`."""
        if not isinstance(self.value, list):
            self.refuse("a list in brackets")
        if len(self.value) > most:
            self.refuse(f"a list of at most {most}")
        return [Node(value, self.name, step_into(self.where, index)) for index, value in enumerate(self.value)]

    def text(self, most: int) -> str:
        """Return a text of at most `most` characters that UTF-8 can write."""
        value = self.value
        if not isinstance(value, str):
            self.refuse("a text in quotes")
        if len(value) > most:
            self.refuse(f"a text of at most {most} characters", f"a text of {len(value)}")
        if not can_be_kept(value):
            self.refuse("a text without NUL and unpaired surrogates")
        return value

    def one_of(self, choices: tuple[str, ...]) -> str:
        """Return a text that is one of those."""
        if not isinstance(self.value, str) or self.value not in choices:
            self.refuse(str(Choices(repr(choice) for choice in choices)))
        return self.value

    def whole(self, low: int, high: int) -> int:
        """Return a whole number between two bounds."""
        if type(self.value) is not int or not low <= self.value <= high:
            self.refuse(f"a whole number from {low} to {high}")
        return self.value

    def number(self, low: float = -math.inf, high: float = math.inf) -> float:
        """Return a number between two bounds as a float."""
        if type(self.value) not in (int, float) or not low <= self.value <= high:
            self.refuse(number_between(low, high))
        return float(self.value)

    def truth(self) -> bool:
        """Return a truth value."""
        if not isinstance(self.value, bool):
            self.refuse("true or false")
        return self.value


def number_between(low: float, high: float) -> str:
    """Say which numbers are accepted: ``a number from -1 to 1``."""
    if math.isinf(low) and math.isinf(high):
        return "a finite number"
    if math.isinf(low) or math.isinf(high):
        return f"a number of at most {high:g}" if math.isinf(low) else f"a number of at least {low:g}"
    return f"a number from {low:g} to {high:g}"
