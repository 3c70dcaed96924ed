"""Blocks of numbers to and from spreadsheets, as text.

A spreadsheet copies a range as rows of cells parted by tabs; a file of comma-separated values comes along as well.
What the numbers in a cell may look like is `explorer.workbench.number_text`'s business.

How the parting sign is found
-----------------------------
Tabs part cells wherever there is one, else semicolons do. Text with neither is one column if every row reads as one
number, so that ``0,5`` on each row is a column of decimal commas; otherwise commas part cells, and where there are no
commas, spaces do.

A cell such as ``1,000`` does not tell whether its comma groups thousands; its neighbours may. Where they tell both
ways, nobody can know, and the block is refused.
"""

from __future__ import annotations

import csv
import re
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.workbench import number_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

MOST_CELLS = 250_000
MOST_CHARACTERS = 8_000_000
_TWO_DOTS = re.compile(r"[0-9]\.[0-9]{3}\.")

NOTHING = QT_TRANSLATE_NOOP("workbench", "there are no numbers to paste; copy a range of numbers first")
RAGGED = QT_TRANSLATE_NOOP(
    "workbench", "row {row} of what you paste is {found} wide and row 0 is {wanted} wide; all rows must be equally wide"
)
EMPTY_CELL = QT_TRANSLATE_NOOP(
    "workbench", "row {row}, column {column} of what you paste is empty; every cell needs a number"
)
BAD_CELL = QT_TRANSLATE_NOOP("workbench", "row {row}, column {column} of what you paste: {reason}")
TOO_MUCH = QT_TRANSLATE_NOOP("workbench", "what you paste is too large; at most {most} cells can be pasted at once")
UNCLEAR = QT_TRANSLATE_NOOP(
    "workbench",
    "row {row}, column {column} of what you paste: “{text}” may be {large} or {small}, as other cells have decimal"
    " commas and decimal dots; write all of them one way",
)
NOT_A_TABLE = QT_TRANSLATE_NOOP("workbench", "an array of shape {shape} cannot be copied as one table; choose one head")


def read_block(text: str, *, mask: bool = False) -> list[list[float]]:
    """Read a rectangular block of numbers.

    Parameters
    ----------
    text : str
        What the clipboard holds.
    mask : bool
        Whether the cells are yes or no (``1``, ``TRUE``, ``x`` …), which become 1.0 and 0.0.

    Returns
    -------
    list of list of float
        The rows, all of one length; at least one cell.

    Raises
    ------
    InputError
        When a row has another length than the first, a cell is empty or no number, or the block is too large. Rows
        and columns are counted from 0.
    """
    if len(text) > MOST_CHARACTERS:
        raise InputError(TOO_MUCH, most=MOST_CELLS)
    lines = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n").replace("\0", "").split("\n")
    while lines and not lines[-1].strip(" "):
        lines.pop()
    if not any(line.strip() for line in lines):
        raise InputError(NOTHING)
    read: Callable[[str], float] = (lambda cell: float(number_text.parse_bool(cell))) if mask else number_text.parse
    rows = _rows(lines, read)
    if not mask and _groups(text):
        read = partial(number_text.parse, decimal=_decimal_sign(rows))
    if sum(map(len, rows)) > MOST_CELLS:
        raise InputError(TOO_MUCH, most=MOST_CELLS)
    for at, row in enumerate(rows):
        if len(row) != len(rows[0]):
            raise InputError(RAGGED, row=at, found=len(row), wanted=len(rows[0]))
    return [[_cell(cell, at, column, read) for column, cell in enumerate(row)] for at, row in enumerate(rows)]


def _rows(lines: list[str], read: Callable[[str], float]) -> list[list[str]]:
    for sign in "\t;":
        if any(sign in line for line in lines):
            return _parted(lines, sign)
    if all(_reads(line, read) for line in lines):
        return [[line] for line in lines]
    if any("," in line for line in lines):
        return _parted(lines, ",")
    return [line.split() or [""] for line in lines]


def _groups(text: str) -> bool:
    """Say whether thousands may be grouped anywhere; what programs write, by far the most of all, never is."""
    return "," in text or _TWO_DOTS.search(text) is not None


def _decimal_sign(rows: list[list[str]]) -> str:
    """Return the decimal sign that cells tell which have but one reading; empty where they tell none or both."""
    told: set[str] = set()
    unclear: tuple[int, int] | None = None
    for at, row in enumerate(rows):
        for column, cell in enumerate(row):
            sign = number_text.decimal_sign(cell)
            if sign is None:
                unclear = unclear or (at, column)
            elif sign:
                told.add(sign)
    if len(told) == 2 and unclear is not None:
        at, column = unclear
        text = rows[at][column]
        small, large = sorted((number_text.parse(text, sign) for sign in told), key=abs)
        asked = {"text": number_text.quoted(text), "large": number_text.full(large), "small": number_text.full(small)}
        raise InputError(UNCLEAR, row=at, column=column, **asked)
    return told.pop() if len(told) == 1 else ""


def _parted(lines: list[str], sign: str) -> list[list[str]]:
    if not any('"' in line for line in lines):
        return [line.split(sign) for line in lines]
    try:
        return [row or [""] for row in csv.reader(lines, delimiter=sign)]
    except csv.Error:
        return [line.split(sign) for line in lines]


def _reads(text: str, read: Callable[[str], float]) -> bool:
    try:
        read(text)
    except InputError:
        return False
    return True


def _cell(text: str, row: int, column: int, read: Callable[[str], float]) -> float:
    if not text.strip():
        raise InputError(EMPTY_CELL, row=row, column=column)
    try:
        return read(text)
    except InputError as error:
        raise InputError(BAD_CELL, row=row, column=column, reason=str(error)) from None


def write_block(array: NDArray[Any]) -> str:
    """Write an array of at most two axes as rows of tab-parted numbers, with a dot and every digit.

    One axis is a row. Yes and no are written as 1 and 0, a masked score as ``-inf``.

    Raises
    ------
    InputError
        When the array has more than two axes.
    """
    array = np.asarray(array)
    if array.ndim > 2:
        raise InputError(NOT_A_TABLE, shape=array.shape)
    return "\n".join("\t".join(number_text.full(cell) for cell in row) for row in np.atleast_2d(array).tolist())
