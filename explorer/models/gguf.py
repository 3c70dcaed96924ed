"""Read what a GGUF file says about a model, without its weights: a bounded walk over the mapped file.

Only the header is touched: keys, values, and the shapes of the tensors. Long lists (a vocabulary, its scores) are
walked past, never kept, and their pages are given back, so a file of 40 GB costs what its header costs. Every count is
checked against the bytes that are left before anything is read, so that a count of 2^60 is refused rather than tried.

The format is ggml's (version 2 and 3, either byte order); the types' block sizes are facts of it.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, Final

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.models.jsonfile import UNREADABLE, ordinary_file, reason_of, shown

if TYPE_CHECKING:
    from pathlib import Path

MAGIC: Final = b"GGUF"

MOST_KEPT_NUMBERS = 200_000
LONGEST_STRING = 16 * 2**20
MOST_STRINGS = 4_000_000
MOST_KEYS = 10_000
MOST_TENSORS = 100_000
_LONGEST_KEPT_LIST = 20_000
_KEPT_OF_A_STRING = 256
_STRINGS_AT_A_TIME = 65_536
_GIVE_BACK_BYTES = 4 * 2**20

NOT_GGUF = QT_TRANSLATE_NOOP("models", "{path} is not a GGUF file: it begins with {found}, not with GGUF")
TOO_SHORT = QT_TRANSLATE_NOOP("models", "{path} is cut off: it ends inside {what}; copy or download it again")
VERSION = QT_TRANSLATE_NOOP("models", "{path} is GGUF version {found}; versions 2 and 3 are read")
NO_WEIGHTS = QT_TRANSLATE_NOOP(
    "models", "{path} is cut off: its tensors reach byte {needed:,}, it has {size:,}; copy or download it again"
)
TOO_MANY = QT_TRANSLATE_NOOP("models", "{path} claims {claimed:,} {what}; its size leaves room for at most {room:,}")
BEYOND = QT_TRANSLATE_NOOP("models", "{path} claims {claimed:,} {what}; at most {limit:,} are read")
LONG_STRING = QT_TRANSLATE_NOOP(
    "models", "{path} claims a string of {claimed:,} bytes in {what}; {limit:,} bytes are left or allowed"
)
BAD_TYPE = QT_TRANSLATE_NOOP("models", "{path} gives {what} the type {found}, which GGUF does not have")
TWICE = QT_TRANSLATE_NOOP("models", "{path} gives the key {key} twice, with different values")

_SCALARS: Final = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
_STRING: Final = 8
_ARRAY: Final = 9

# ggml's tensor types: numbers per block and bytes per block.
_TENSOR_TYPES: Final[dict[int, tuple[int, int]]] = {
    0: (1, 4), 1: (1, 2), 2: (32, 18), 3: (32, 20), 6: (32, 22), 7: (32, 24), 8: (32, 34),
    10: (256, 84), 11: (256, 110), 12: (256, 144), 13: (256, 176), 14: (256, 210), 15: (256, 292), 16: (256, 66),
    17: (256, 74), 18: (256, 98), 19: (256, 50), 20: (32, 18), 21: (256, 110), 22: (256, 82), 23: (256, 136),
    24: (1, 1), 25: (1, 2), 26: (1, 4), 27: (1, 8), 28: (1, 8), 29: (256, 56), 30: (1, 2), 34: (256, 54),
    35: (256, 66), 39: (32, 17),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Skipped:
    """A list that was walked past: how many entries it has."""

    length: int


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor's name, its shape (the innermost axis first) and its type."""

    name: str
    shape: tuple[int, ...]
    kind: int

    @property
    def n_elements(self) -> int:
        """Return how many numbers it holds."""
        return prod(self.shape)

    @property
    def n_bytes(self) -> int | None:
        """Return its bytes, None for a type that is not known."""
        block = _TENSOR_TYPES.get(self.kind)
        return None if block is None else -(-self.n_elements // block[0]) * block[1]


@dataclass(frozen=True, slots=True)
class Header:
    """What a GGUF file says before its weights begin.

    Parameters
    ----------
    name : str
        What a refusal calls the file.
    version : int
        The version of the format.
    values : dict
        Numbers, words and short lists by key; a long list is `Skipped`.
    tensors : list of Tensor
        The tensors in the file, without their numbers.
    """

    name: str
    version: int
    values: dict[str, Any] = field(default_factory=dict)
    tensors: list[Tensor] = field(default_factory=list)


def read_header(path: Path) -> Header:
    """Return the header of a GGUF file.

    Raises
    ------
    InputError
        With one sentence, if the file cannot be read, is no GGUF file, is cut off, or claims what it has no room for.
    """
    name = shown(path.name)
    size = ordinary_file(path)
    try:
        with path.open("rb") as file:
            begin = file.read(4)
            if begin != MAGIC:
                raise InputError(NOT_GGUF, path=name, found=ascii(begin)[1:])
            with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
                return _Walk(mapped, size, name).header()
    except OSError as error:
        raise InputError(UNREADABLE, path=name, reason=reason_of(error)) from None


class _Walk:
    """A position in the mapped file that only moves forward, and never beyond its end."""

    def __init__(self, mapped: mmap.mmap, size: int, name: str) -> None:
        self.mapped = mapped
        self.size = min(size, len(mapped))
        self.name = name
        self.at = 4
        self.order = "<"
        self.strings = 0
        self.kept_numbers = 0
        self.given_back = 0

    def header(self) -> Header:
        version = self._number("I", "the version")
        if version & 0xFFFF == 0 and version:
            self.order = ">"
            version = int.from_bytes(version.to_bytes(4, "little"), "big")
        if version not in (2, 3):
            raise InputError(VERSION, path=self.name, found=version)
        n_tensor = self._number("Q", "the number of tensors")
        n_key = self._number("Q", "the number of keys")
        # The shortest key takes a length, a type and a byte; the shortest tensor three numbers and an axis count.
        self._check_count(n_tensor, "tensors", 24, MOST_TENSORS)
        self._check_count(n_key, "keys", 13, MOST_KEYS)
        values: dict[str, Any] = {}
        for _ in range(n_key):
            key = self._string("a key")
            value = self._value(self._number("I", _short(key)), key)
            if key in values and values[key] != value:
                raise InputError(TWICE, path=self.name, key=_short(key))
            values[key] = value
            self._give_back(self.at)
        tensors, reach = [], 0
        for _ in range(n_tensor):
            tensor, offset = self._tensor()
            tensors.append(tensor)
            self._give_back(self.at)
            reach = max(reach, offset + (tensor.n_bytes or 0))
        alignment = values.get("general.alignment")
        step = alignment if isinstance(alignment, int) and 0 < alignment <= 2**20 else 32
        needed = -(-self.at // step) * step + reach
        if tensors and needed > self.size:
            raise InputError(NO_WEIGHTS, path=self.name, needed=needed, size=self.size)
        return Header(self.name, version, values, tensors)

    def _check_count(self, claimed: int, what: str, least_bytes: int, limit: int) -> None:
        room = max(self.size - self.at, 0) // least_bytes
        if claimed > room:
            raise InputError(TOO_MANY, path=self.name, claimed=claimed, what=what, room=room)
        if claimed > limit:
            raise InputError(BEYOND, path=self.name, claimed=claimed, what=what, limit=limit)

    def _number(self, code: str, what: str) -> Any:  # noqa: ANN401 - a number of any kind
        shape = self.order + code
        end = self.at + struct.calcsize(shape)
        if end > self.size:
            raise InputError(TOO_SHORT, path=self.name, what=what)
        (number,) = struct.unpack_from(shape, self.mapped, self.at)
        self.at = end
        return number

    def _string(self, what: str) -> str:
        length = self._number("Q", _short(what))
        self._check_string(length, what)
        kept = self.mapped[self.at : self.at + min(length, _KEPT_OF_A_STRING)]
        self.at += length
        return kept.decode("utf-8", "backslashreplace")

    def _check_string(self, length: int, what: str) -> None:
        left = self.size - self.at
        if length > left or length > LONGEST_STRING:
            raise InputError(
                LONG_STRING, path=self.name, claimed=length, what=_short(what), limit=min(left, LONGEST_STRING)
            )

    def _value(self, kind: int, key: str) -> object:
        if kind == _STRING:
            return self._string(key)
        if kind == _ARRAY:
            return self._list(key)
        code = _SCALARS.get(kind)
        if code is None:
            raise InputError(BAD_TYPE, path=self.name, what=_short(key), found=kind)
        return self._number(code, _short(key))

    def _list(self, key: str) -> object:
        kind, length = self._number("I", _short(key)), self._number("Q", _short(key))
        what = f"entries in {_short(key)}"
        if kind == _STRING:
            self._check_count(length, what, 8, MOST_STRINGS - self.strings)
            self.strings += length
            return self._strings(length, key)
        code = _SCALARS.get(kind)
        if code is None:
            raise InputError(BAD_TYPE, path=self.name, what=what, found=kind)
        width = struct.calcsize(self.order + code)
        self._check_count(length, what, width, self.size)
        begin = self.at
        self.at += length * width
        if length > _LONGEST_KEPT_LIST or self.kept_numbers + length > MOST_KEPT_NUMBERS:
            return Skipped(length)
        self.kept_numbers += length
        return list(struct.unpack_from(f"{self.order}{length}{code}", self.mapped, begin))

    def _strings(self, length: int, key: str) -> object:
        """Walk past a list of strings; without a call per entry, because vocabularies are long."""
        at, size, mapped = self.at, self.size, self.mapped
        read = struct.Struct(self.order + "Q").unpack_from
        for begin in range(0, length, _STRINGS_AT_A_TIME):
            for _ in range(min(_STRINGS_AT_A_TIME, length - begin)):
                if at + 8 > size:
                    raise InputError(TOO_SHORT, path=self.name, what=_short(key))
                (width,) = read(mapped, at)
                at += 8 + width
                if at > size or width > LONGEST_STRING:
                    self.at = at - width
                    self._check_string(width, key)
            self._give_back(at)
        self.at = at
        return Skipped(length)

    def _give_back(self, end: int) -> None:
        """Tell the system, every few megabytes and where it can be told, that what was read is not needed again."""
        advice = getattr(mmap, "MADV_DONTNEED", None)
        if advice is not None and end - self.given_back >= _GIVE_BACK_BYTES:
            self.mapped.madvise(advice, self.given_back, end - self.given_back)
            self.given_back = end // mmap.PAGESIZE * mmap.PAGESIZE

    def _tensor(self) -> tuple[Tensor, int]:
        name = self._string("a tensor's name")
        what = f"the shape of {_short(name)}"
        n_axis = self._number("I", what)
        if n_axis > 8:
            raise InputError(BEYOND, path=self.name, claimed=n_axis, what=f"axes in {_short(name)}", limit=8)
        shape = tuple(self._number("Q", what) for _ in range(n_axis))
        kind, offset = self._number("I", what), self._number("Q", what)
        return Tensor(name, shape, kind), offset


def _short(text: str) -> str:
    if not text:
        return "something without a name"
    return shown(text, 60)
