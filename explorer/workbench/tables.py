"""Tables in text: where they begin and end, what is a label and what is a number.

Reads what `explorer.workbench.data_export` writes (a first cell that names the array, labels along the first row and
column, an empty line between tables) and what other programs write: bare numbers, a row of names above them, a column
of names beside them.

How labels are told from numbers
--------------------------------
A cell that is no number makes its row (if it is the first) or column (if it is the first) labels. Numbers may be
labels as well, but only counted ones, 0, 1, 2 …, and only around a first cell that is empty or a known array's name.
What was meant as a number, such as NaN or 1e999, is never a label, nor is a lone word above numbers: whoever reads them
is told that they are no numbers, and nothing is left out in silence.
"""

from __future__ import annotations

import contextlib
import csv
import io
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, cell_name
from explorer.workbench import number_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

MOST_CHARACTERS: Final = 16 * 2**20
#: Twice what all inputs of the largest tab hold.
MOST_CELLS: Final = 150_000
MOST_TABLES: Final = 500
#: How often these may stand in a text before it is taken apart; what stands in quotes counts too.
_MOST_SIGNS: Final = {"\n": MOST_CELLS, "\r": MOST_CELLS, '"': 2 * MOST_CELLS} | dict.fromkeys("\t;,", 2 * MOST_CELLS)

NO_NUMBERS = QT_TRANSLATE_NOOP("workbench", "{name} holds no numbers; a table of numbers is expected")
TOO_LARGE = QT_TRANSLATE_NOOP("workbench", "{name} is too large; at most {most} cells are read")
RAGGED = QT_TRANSLATE_NOOP("workbench", "line {line} of {name} has {found} cells and others have {wanted}")
NO_TABLE = QT_TRANSLATE_NOOP("workbench", "line {line} of {name} cannot be read: {said}")
BAD_CELL = QT_TRANSLATE_NOOP("workbench", "{cell}: {reason}")
NOT_YES_OR_NO = QT_TRANSLATE_NOOP("workbench", "{cell} is {value}; a mask takes 1 (may look) or 0 (may not)")

_MINUS_INFINITE: Final = frozenset({"-infinity", "-inf", "−∞", "-∞", "−infinity", "−inf"})
#: What spreadsheets show in place of a number.
_FAULT: Final = re.compile(r"#(N/A|NUM!|DIV/0!|VALUE!|REF!|NAME\?|NULL!)", re.IGNORECASE)
_TRUTHS: Final = frozenset({"true", "false"})
#: What stands in quotes may hold any sign.
_QUOTED: Final = re.compile(r'"[^"]*"')
#: Numbers with decimal commas, parted by spaces.
_FRACTIONS: Final = re.compile(r"\s*[+\-−]?[0-9]+,[0-9]+(?:\s+[+\-−]?[0-9]+,[0-9]+)+\s*")
_HEAD: Final = re.compile(r"(?P<name>.*\S)\s*\[(?P<index>[0-9]{1,4})\]")


@dataclass(frozen=True, slots=True)
class Table:
    """A rectangle of cells, still text, with its name and labels where it has any.

    Attributes
    ----------
    name : str
        Without the number of the head.
    cells : list of list of str
        The rows, at least one, all of one length of at least one.
    rows, columns : tuple of str
        Labels, or empty.
    index : int, optional
        Which head it is, where the name says so.
    """

    name: str
    cells: list[list[str]]
    rows: tuple[str, ...] = ()
    columns: tuple[str, ...] = ()
    index: int | None = None

    def numbers(self, mask: bool) -> list[list[float]]:
        """Return the cells as numbers, −∞ among them, or as 0 and 1 for a mask.

        Raises
        ------
        InputError
            Naming the first cell that is none.
        """
        return [[self._number(cell, (i, j), mask) for j, cell in enumerate(row)] for i, row in enumerate(self.cells)]

    def _number(self, text: str, at: tuple[int, int], mask: bool) -> float:
        try:
            if mask:
                return float(number_text.parse_bool(text))
            return -math.inf if _is_minus_infinite(text) else number_text.parse(text)
        except InputError as error:
            where = at if self.index is None else (self.index, *at)
            raise InputError(BAD_CELL, cell=cell_name(self.name or "the table", where), reason=str(error)) from None


def by_name(tables: Iterable[Table]) -> list[tuple[str, list[Table]]]:
    """Group the heads of one array, which must follow each other as 0, 1, 2 … in one shape; the rest stand alone."""
    groups: list[tuple[str, list[Table]]] = []
    for table in tables:
        last = groups[-1] if groups else None
        if last is not None and table.index is not None and table.index == len(last[1]) and last[0] == table.name:
            before = last[1][-1]
            same = len(before.cells) == len(table.cells) and len(before.cells[0]) == len(table.cells[0])
            if before.index is not None and same:
                last[1].append(table)
                continue
        groups.append((table.name, [table]))
    return groups


def normalised(name: str) -> str:
    """Return a name without what people spell differently: ``W_Q``, ``Wq`` and ``wq`` are one."""
    return "".join(sign for sign in name.lower() if sign.isalnum())


def read(text: str, name: str, known: frozenset[str] = frozenset(), *, decimal_commas: bool = False) -> list[Table]:
    """Find the tables in a text.

    Parameters
    ----------
    text : str
        Cells parted by tabs, semicolons, commas or spaces, whichever comes first in this list.
    name : str
        What a refusal calls it.
    known : frozenset of str
        Normalised names of arrays: around such a first cell, counted numbers are labels.
    decimal_commas : bool
        Whether commas in ``0,5`` alone on its line, or in ``0,5 1,5``, are decimal, as in a paste; in a file they part
        cells.

    Raises
    ------
    InputError
        When there is no table of numbers, or it is too large or ragged.
    """
    if len(text) > MOST_CHARACTERS or any(text.count(sign) > most for sign, most in _MOST_SIGNS.items()):
        raise InputError(TOO_LARGE, name=name, most=f"{MOST_CELLS:,}")
    blocks: list[list[tuple[int, list[str]]]] = [[]]
    cells = 0
    for line, row in _rows(text.removeprefix("\ufeff").replace("\0", ""), name, decimal_commas):
        cells += len(row)
        if cells > MOST_CELLS or len(blocks) > MOST_TABLES:
            raise InputError(TOO_LARGE, name=name, most=f"{MOST_CELLS:,}")
        if any(cell.strip() for cell in row):
            blocks[-1].append((line, row))
        elif blocks[-1]:
            blocks.append([])
    found = [table for block in blocks if block for table in [_table(block, name, known)] if table is not None]
    if not found:
        raise InputError(NO_NUMBERS, name=name)
    return found


def _rows(text: str, name: str, decimal_commas: bool) -> Iterable[tuple[int, list[str]]]:
    plain = _QUOTED.sub("", text)
    sign = next((one for one in "\t;," if one in plain), None)
    if sign is None:
        return ((at, line.split(None, MOST_CELLS)) for at, line in enumerate(text.splitlines(), 1))
    if sign == "," and decimal_commas and all(_is_number(line) for line in text.splitlines() if line.strip()):
        return ((at, [line]) for at, line in enumerate(text.splitlines(), 1))
    if sign == "," and decimal_commas and all(_FRACTIONS.fullmatch(line) for line in text.splitlines() if line.strip()):
        return ((at, line.split()) for at, line in enumerate(text.splitlines(), 1))
    return _csv_rows(text, name, sign)


def _csv_rows(text: str, name: str, sign: str) -> Iterable[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign)
    try:
        for row in reader:
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(NO_TABLE, line=reader.line_num, name=name, said=number_text.quoted(str(error))) from None


def _table(block: list[tuple[int, list[str]]], name: str, known: frozenset[str]) -> Table | None:
    """Part a block into labels and cells; None for a line or column of words without a number."""
    rows = _squared(block, name)
    corner = rows[0][0].strip()
    named = _HEAD.fullmatch(corner)
    title = named["name"] if named else corner
    top, left = _labelled(rows, not corner or normalised(title) in known)
    cells = [row[left:] for row in rows[top:]]
    if not any(_is_number(cell) for row in cells for cell in row):
        return None
    has_name = bool(top and left and corner)
    return Table(
        title if has_name else "",
        cells,
        tuple(row[0] for row in rows[top:]) if left else (),
        tuple(rows[0][left:]) if top else (),
        int(named["index"]) if has_name and named else None,
    )


def _squared(block: list[tuple[int, list[str]]], name: str) -> list[list[str]]:
    rows = [row for _, row in block]
    # Spreadsheets end rows with empty cells when another row was longer once.
    width = max(next((at + 1 for at in reversed(range(len(row))) if row[at].strip()), 1) for row in rows)
    for line, row in block:
        if len(row) < width:
            raise InputError(RAGGED, line=line, name=name, found=len(row), wanted=width)
    return [row[:width] for row in rows]


def _labelled(rows: list[list[str]], named: bool) -> tuple[bool, bool]:
    """Say whether the first row and the first column are labels; `named` says that the first cell may be a name."""
    if _is_number(rows[0][0]):
        return False, False
    above, beside = rows[0][1:], [row[0] for row in rows[1:]]
    numbers_above, numbers_beside = all(map(_is_number, above)), all(map(_is_number, beside))
    if named and above and (numbers_above or not numbers_beside or _counts(beside)):
        return True, True
    if numbers_above and above and not named and any(map(_is_number, beside)):
        return False, False
    # A word in the corner stands above a column of numbers, or beside a row of them.
    left = not numbers_beside or bool(numbers_above and above)
    return not (left and numbers_above), left


def _counts(labels: Sequence[str]) -> bool:
    return all(label.strip() == str(at) for at, label in enumerate(labels))


def _is_number(text: str) -> bool:
    """Say whether a cell holds a number, or what was meant as one: NaN, 1e999, 50 %, a spreadsheet's #DIV/0!."""
    plain = text.strip()
    if plain.lower() in _TRUTHS or _is_minus_infinite(text) or _FAULT.fullmatch(plain):
        return True
    for read in (number_text.parse, float):
        with contextlib.suppress(ValueError):
            read(plain.removesuffix("%"))
            return True
    return False


def _is_minus_infinite(text: str) -> bool:
    return text.strip().lower() in _MINUS_INFINITE
