"""Read a small JSON file that nobody vouches for: bounded, and refused with one sentence.

Published configs are not always strict JSON: a literal ``Infinity`` is common and harmless where no size belongs, so it
is read, and refused only by whoever asks for a size. What is refused here is what cannot be read at all.
"""

from __future__ import annotations

import json
import math
import re
import stat
from typing import TYPE_CHECKING, Any

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

# The longest published configs list every unquantised matrix and stay below a tenth of this.
LARGEST_FILE = 2 * 2**20
DEEPEST_NEST = 100
LONGEST_NUMBER = 30

NO_FILE = QT_TRANSLATE_NOOP("models", "{path} does not exist; give a config.json, a .gguf file or a catalogue name")
NOT_A_FILE = QT_TRANSLATE_NOOP("models", "{path} is not an ordinary file; give a config.json or a .gguf file")
UNREADABLE = QT_TRANSLATE_NOOP("models", "{path} cannot be read: {reason}")
TOO_LARGE = QT_TRANSLATE_NOOP("models", "{path} has {size:,} bytes; a config.json has at most {limit:,}")
EMPTY = QT_TRANSLATE_NOOP("models", "{path} is empty; a config.json holds one JSON object")
NOT_TEXT = QT_TRANSLATE_NOOP("models", "{path} is not text in UTF-8 (byte {at}); a config.json is")
CONFLICT = QT_TRANSLATE_NOOP("models", "{path} holds a merge-conflict mark in line {line}; settle the merge first")
LFS_POINTER = QT_TRANSLATE_NOOP("models", "{path} is a Git LFS pointer, not the file itself; fetch the file first")
TOO_DEEP = QT_TRANSLATE_NOOP("models", "{path} nests more than {limit} levels deep; a config.json nests a handful")
NOT_JSON = QT_TRANSLATE_NOOP("models", "{path} is not JSON: {reason}, line {line}, column {column}")
NOT_AN_OBJECT = QT_TRANSLATE_NOOP("models", "{path} holds {found}; a config.json holds one JSON object")
TWICE = QT_TRANSLATE_NOOP("models", "{path} gives {key} twice, as {first} and as {second}; keep one")

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


class LongNumber(str):
    """A whole number with more digits than any size has, kept as it is written."""

    __slots__ = ()


def ordinary_file(path: Path) -> int:
    """Return the size of a file that can be read.

    Raises
    ------
    InputError
        If there is none, or it is a folder, a device or a pipe.
    """
    try:
        status = path.stat()
    except (OSError, ValueError) as error:
        if isinstance(error, FileNotFoundError | NotADirectoryError):
            raise InputError(NO_FILE, path=shown(path)) from None
        raise InputError(UNREADABLE, path=ascii(str(path)), reason=reason_of(error)) from None
    if not stat.S_ISREG(status.st_mode):
        raise InputError(NOT_A_FILE, path=shown(path))
    return status.st_size


def shown(text: object, longest: int = 4000) -> str:
    """Return a text that any terminal can print: what is no printable character is written as an escape."""
    said = str(text)
    if len(said) > longest:
        said = f"{said[: longest - 3]}..."
    if said.isprintable():
        return said
    return "".join(sign if sign.isprintable() else sign.encode("unicode_escape").decode() for sign in said)


def reason_of(error: Exception) -> str:
    """Return why the operating system refused, in its own words."""
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def read(path: Path) -> dict[str, Any]:
    """Return the JSON object in a file.

    Raises
    ------
    InputError
        If the file cannot be read, is too large, is not UTF-8 text, is not JSON or not an object, nests too deep,
        holds a merge-conflict mark, or gives a key twice with different values.
    """
    size = ordinary_file(path)
    if size > LARGEST_FILE:
        raise InputError(TOO_LARGE, path=shown(path), size=size, limit=LARGEST_FILE)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise InputError(UNREADABLE, path=shown(path), reason=reason_of(error)) from None
    return parse(data, shown(path))


def parse(data: bytes, name: str) -> dict[str, Any]:
    """Return the JSON object in some bytes; `name` is what a refusal calls them.

    Raises
    ------
    InputError
        As for `read`.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(NOT_TEXT, path=name, at=error.start) from None
    if not text.strip():
        raise InputError(EMPTY, path=name)
    if text.startswith("version https://git-lfs"):
        raise InputError(LFS_POINTER, path=name)
    conflict = re.search(r"^(?:<{7}|={7}|>{7})(?: |$)", text, re.MULTILINE)
    if conflict:
        raise InputError(CONFLICT, path=name, line=text.count("\n", 0, conflict.start()) + 1)
    _check_depth(text, name)
    try:
        value = json.loads(
            text,
            object_pairs_hook=lambda pairs: _object(pairs, name),
            parse_int=lambda digits: int(digits) if len(digits) <= LONGEST_NUMBER else LongNumber(digits),
            parse_constant=lambda word: {"NaN": math.nan, "Infinity": math.inf}.get(word, -math.inf),
        )
    except json.JSONDecodeError as error:
        reason = error.msg[:1].lower() + error.msg[1:]
        raise InputError(NOT_JSON, path=name, reason=reason, line=error.lineno, column=error.colno) from None
    if not isinstance(value, dict):
        raise InputError(NOT_AN_OBJECT, path=name, found=describe(value))
    return value


def describe(value: object) -> str:
    """Return what a JSON value is, in a few words."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return f"a list of {len(value)}"
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, LongNumber):
        return f"a number of {len(value)} digits"
    return shown(json.dumps(value, ensure_ascii=False), 40)


def _check_depth(text: str, name: str) -> None:
    """Refuse a nest that no parser that calls itself survives, before one is called."""
    depth = 0
    for token in _TOKEN.finditer(text):
        sign = token.group()
        if sign in "[{":
            depth += 1
            if depth > DEEPEST_NEST:
                raise InputError(TOO_DEEP, path=name, limit=DEEPEST_NEST)
        elif sign in "]}":
            depth -= 1


def _object(pairs: Iterable[tuple[str, Any]], name: str) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, value in pairs:
        if key in result and result[key] != value:
            raise InputError(TWICE, path=name, key=describe(key), first=describe(result[key]), second=describe(value))
        result[key] = value
    return result
