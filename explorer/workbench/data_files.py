"""Arrays in files of other programs: what they claim to hold, and reading it once somebody wants it.

CSV and TSV (or pasted text), NPY and NPZ. Headers are read first and are all that is read until an array is asked for,
so that a claim of 10^9 × 10^9 cells costs nothing. Nothing is ever unpickled. What a file is, its first bytes say, not
its name. Where the arrays go is decided in `explorer.workbench.data_import`.
"""

from __future__ import annotations

import io
import lzma
import math
import re
import struct
import tokenize
import warnings
import zipfile
import zlib
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np
from numpy.lib import format as npy

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, cell_name
from explorer.workbench import number_text, strictjson, tables

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator

    from explorer.core.ops.base import Array

MOST_CELLS: Final = 1_000_000
MOST_ARRAYS: Final = 2000
MOST_ARCHIVE: Final = 64 * 2**20
MOST_DIRECTORY: Final = 2**20
ACCEPTED: Final = "a table (CSV, TSV) or arrays (NPY, NPZ)"

NO_ARRAY = QT_TRANSLATE_NOOP("workbench", "{name} is no readable {kind} file: {said}; {accepted} is expected")
NOT_REAL = QT_TRANSLATE_NOOP("workbench", "{name} holds {dtype}; real numbers or truth values can be imported")
TOO_LARGE = QT_TRANSLATE_NOOP("workbench", "{name} is {shape}, that is {cells} cells; at most {most} are read")
CUT_OFF = QT_TRANSLATE_NOOP("workbench", "{name} is cut off: it claims {shape} and holds {found} of {wanted} bytes")
NO_ARRAYS = QT_TRANSLATE_NOOP("workbench", "{name} holds no arrays; {accepted} is expected")
MANY_ARRAYS = QT_TRANSLATE_NOOP("workbench", "{name} holds more than {most} arrays; keep those that belong to the tab")
NOT_FINITE = QT_TRANSLATE_NOOP("workbench", "{cell} is {value}; every number must be finite")

_NPY_MAGIC: Final = b"\x93NUMPY"
_ZIP_MAGIC: Final = (b"PK\x03\x04", b"PK\x05\x06")
_LONGEST_HEADER: Final = 10_000
_MOST_AXES: Final = 8


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """An array that a file offers.

    Attributes
    ----------
    name : str
        What the file calls it, empty where it does not.
    shape : tuple of int
        What it claims to have.
    labels : tuple of tuple of str
        What its rows and columns are called; empty where they are not.
    read : callable
        ``read(mask)`` returns the float64 array (bool when `mask`), or raises InputError with a sentence.
    problem : InputError, optional
        Why it cannot be read at all, where its header says so.
    """

    name: str
    shape: tuple[int, ...]
    labels: tuple[tuple[str, ...], ...]
    read: Callable[[bool], Array]
    problem: InputError | None = None


def open_file(path: str | os.PathLike[str], known: frozenset[str] = frozenset()) -> list[Source]:
    """Return what arrays a file offers; of NPY and NPZ, only headers are read.

    Parameters
    ----------
    path : path
        The file.
    known : frozenset of str
        Names that a table's first cell may have, see `tables.read`.

    Raises
    ------
    InputError
        When it is none of the formats, or claims more than can be held.
    """
    place = Path(path)
    with strictjson.open_regular(place, ACCEPTED) as (stream, size):
        magic = stream.read(len(_NPY_MAGIC))
        stream.seek(0)
        if magic == _NPY_MAGIC:
            header = _header(stream, place.name, size)
            return [Source(place.stem, header.shape, (), lambda mask: _read_npy(place, mask))]
        if magic.startswith(_ZIP_MAGIC):
            return _archive(stream, place, size)
    text = decoded(strictjson.read_bounded(place, ACCEPTED), place.name)
    found = tables.read(text, place.name, known)
    if len(found) == 1 and not found[0].name:
        found = [tables.Table(place.stem, found[0].cells, found[0].rows, found[0].columns)]
    return [_stacked(name, group) for name, group in tables.by_name(found)]


def from_text(text: str, name: str, known: frozenset[str] = frozenset()) -> list[Source]:
    """Return what arrays a pasted text of tables offers.

    Raises
    ------
    InputError
        When it holds no table of numbers; `name` is what the refusal calls it.
    """
    found = tables.read(text, name, known, decimal_commas=True)
    return [_stacked(name, group) for name, group in tables.by_name(found)]


def _stacked(name: str, group: list[tables.Table]) -> Source:
    first = group[0]
    shape = (len(first.cells), len(first.cells[0]))
    labels = (first.rows, first.columns) if first.rows or first.columns else ()
    if len(group) > 1 or first.index is not None:
        return Source(name, (len(group), *shape), ((), *labels) if labels else (), lambda mask: _numbers(group, mask))
    return Source(name, shape, labels, lambda mask: _numbers(group, mask)[0])


def _numbers(group: list[tables.Table], mask: bool) -> Array:
    return np.array([table.numbers(mask) for table in group], dtype=bool if mask else np.float64)


def decoded(data: bytes, name: str) -> str:
    """Return the text of a table: UTF-8, or UTF-16 as spreadsheets write it, with its byte order mark."""
    try:
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            return data.decode("utf-16")
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise strictjson.FormatError(strictjson.NOT_UTF8, name=name, at=error.start, accepted=ACCEPTED) from None


# ----------------------------------------------------------------------------------------------------------- NPY


@dataclass(frozen=True, slots=True)
class _Header:
    shape: tuple[int, ...]
    fortran: bool
    dtype: np.dtype[Any]
    bytes: int


#: What NumPy raises at a header that is damaged, or text of another kind.
_BAD_HEADER: Final = (
    *(ValueError, TypeError, SyntaxError, LookupError, ArithmeticError),
    *(MemoryError, RecursionError, tokenize.TokenError),
)


def _header(stream: BinaryIO, name: str, size: int) -> _Header:
    """Read what an NPY stream of `size` bytes claims, and refuse it when that is too much or not there."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of headers that Python 2 wrote
            # No more than this is read, whatever length the header claims to have.
            beginning = io.BytesIO(stream.read(_LONGEST_HEADER))
            version = npy.read_magic(beginning)
            # Version 3 differs from 2 in how it spells names of fields, which no matrix has.
            read = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            if version[0] not in (1, 2, 3):
                raise ValueError(f"version {version[0]} is not known")
            shape, fortran, dtype = read(beginning, max_header_size=_LONGEST_HEADER)
            stream.seek(beginning.tell())
            if len(shape) > _MOST_AXES or any(type(length) is not int or length < 0 for length in shape):
                raise ValueError(f"{shape_words(shape)} is no shape of a matrix")
    except _BAD_HEADER as error:
        said = number_text.quoted(str(error).split(";")[0], 80)
        raise InputError(NO_ARRAY, name=name, kind="NPY", said=said, accepted=ACCEPTED) from None
    if dtype.kind not in "biuf" or dtype.hasobject:
        raise InputError(NOT_REAL, name=name, dtype=number_text.quoted(str(dtype)))
    cells = math.prod(shape)
    if cells > MOST_CELLS:
        raise InputError(TOO_LARGE, name=name, shape=shape_words(shape), cells=f"{cells:,}", most=f"{MOST_CELLS:,}")
    wanted, held = cells * dtype.itemsize, size - stream.tell()
    if held < wanted:
        raise InputError(CUT_OFF, name=name, shape=shape_words(shape), found=f"{max(held, 0):,}", wanted=f"{wanted:,}")
    return _Header(shape, fortran, dtype, wanted)


def _body(stream: BinaryIO, header: _Header, name: str, mask: bool) -> Array:
    data = stream.read(header.bytes)
    if len(data) < header.bytes:
        shape = shape_words(header.shape)
        raise InputError(CUT_OFF, name=name, shape=shape, found=f"{len(data):,}", wanted=f"{header.bytes:,}")
    flat = np.frombuffer(data, header.dtype)
    array = flat.reshape(header.shape, order="F" if header.fortran else "C")
    return as_cells(array, name, mask)


def as_cells(array: Array, name: str, mask: bool) -> Array:
    """Return an array as float64, or as bool where a mask is wanted; −∞ stays, for scores.

    Raises
    ------
    InputError
        Naming the first cell that is NaN or +∞, or neither 0 nor 1 in a mask.
    """
    with np.errstate(over="ignore", invalid="ignore"):
        numbers = np.array(array, dtype=np.float64, order="C")
    wrong = (numbers != 0) & (numbers != 1) if mask else np.isnan(numbers) | (numbers == np.inf)
    if wrong.any():
        at = tuple(int(i) for i in np.unravel_index(int(wrong.argmax()), wrong.shape))
        cell, value = cell_name(name, at), number_text.full(float(numbers[at]))
        raise InputError(tables.NOT_YES_OR_NO if mask else NOT_FINITE, cell=cell, value=value)
    return numbers.astype(bool) if mask else numbers


def shape_words(shape: tuple[int, ...]) -> str:
    """Write a shape as it stands beside a matrix: ``4 × 2``; of absurdly many axes, the first few."""
    words = " × ".join(map(str, shape[:_MOST_AXES])) or "one number"
    return f"{words} × …" if len(shape) > _MOST_AXES else words


def _read_npy(path: Path, mask: bool) -> Array:
    with strictjson.open_regular(path, ACCEPTED) as (stream, size):
        return _body(stream, _header(stream, path.name, size), path.stem, mask)


# ----------------------------------------------------------------------------------------------------------- NPZ

#: What a damaged or hostile archive makes the standard library raise.
_BROKEN: Final = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error),
    *(NotImplementedError, RuntimeError, EOFError, ValueError, LookupError, OverflowError),
)


def _archive(stream: BinaryIO, path: Path, size: int) -> list[Source]:
    with _opened(stream, path.name, size) as archive:
        members = [one for one in archive.infolist() if not one.is_dir()]
        if len(members) > MOST_ARRAYS:
            raise InputError(MANY_ARRAYS, name=path.name, most=MOST_ARRAYS)
        if not members:
            raise InputError(NO_ARRAYS, name=path.name, accepted=ACCEPTED)
        return [_member(archive, one, path) for one in members]


def _member(archive: zipfile.ZipFile, info: zipfile.ZipInfo, path: Path) -> Source:
    name = info.filename.removesuffix(".npy")
    try:
        with archive.open(info) as stream:
            header = _header(stream, _quoted_name(path, info), info.file_size)  # type: ignore[arg-type]
    except InputError as error:
        # One array that cannot be imported does not keep the others from it.
        return _unreadable(name, error)
    except _BROKEN as error:
        return _unreadable(name, _broken(path.name, error))
    return Source(name, header.shape, (), lambda mask: _read_member(path, info.filename, mask))


def _unreadable(name: str, problem: InputError) -> Source:
    def read(_mask: bool) -> Array:
        raise problem

    return Source(name, (), (), read, problem)


def _read_member(path: Path, member: str, mask: bool) -> Array:
    with strictjson.open_regular(path, ACCEPTED) as (file, size), _opened(file, path.name, size) as archive:
        info = archive.getinfo(member)
        with archive.open(info) as stream:
            name = _quoted_name(path, info)
            header = _header(stream, name, info.file_size)  # type: ignore[arg-type]
            return _body(stream, header, info.filename.removesuffix(".npy"), mask)  # type: ignore[arg-type]


def _quoted_name(path: Path, info: zipfile.ZipInfo) -> str:
    return f"{path.name}: {number_text.quoted(info.filename.removesuffix('.npy'))}"


def _broken(name: str, error: BaseException) -> InputError:
    said = number_text.quoted(str(error) or type(error).__name__, 80)
    return InputError(NO_ARRAY, name=name, kind="NPZ", said=said, accepted=ACCEPTED)


@contextmanager
def _opened(stream: BinaryIO, name: str, size: int) -> Iterator[zipfile.ZipFile]:
    """Open an archive whose table of contents is small, and turn what zipfile raises into sentences."""
    try:
        _check_directory(stream, name, size)
        with zipfile.ZipFile(stream) as archive:
            yield archive
    except InputError:
        raise
    except _BROKEN as error:
        raise _broken(name, error) from None


def _check_directory(stream: BinaryIO, name: str, size: int) -> None:
    """Refuse an archive whose table of contents would take much memory: zipfile reads it whole."""
    if size > MOST_ARCHIVE:
        raise strictjson.FormatError(strictjson.TOO_BIG, name=name, found=f"{size:,}", most=f"{MOST_ARCHIVE:,}")
    stream.seek(max(0, size - 2**16 - 1024))
    tail = stream.read()
    stream.seek(0)
    beyond = b"PK\x06\x07" in tail  # the mark of archives beyond 4 GiB or 65,535 members
    for match in re.finditer(rb"PK\x05\x06", tail):
        record = tail[match.start() : match.start() + 22]
        beyond |= int.from_bytes(record[12:16], "little") > MOST_DIRECTORY
    if beyond:
        raise InputError(MANY_ARRAYS, name=name, most=MOST_ARRAYS)
