"""What a "parts" view draws: one computation laid out part by part, in tables cut out of the tab's arrays.

Every cell that is drawn is a cell of an array, so that it can be followed like any other; nothing is computed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.concepts.declaration import Values
    from explorer.core.ops.base import Array, Index


@dataclass(frozen=True, slots=True, eq=False)
class Cut:
    """A table cut out of an array.

    Attributes
    ----------
    array : str
        The array.
    values : ndarray of shape (rows, columns)
        Its cells as they are drawn.
    head : tuple of int
        The leading index, where the array has more than two axes.
    rows, columns : tuple of int
        Which of the array's rows and columns it holds.
    transposed : bool
        Whether its rows are drawn as columns.
    title : str
        What stands over it.
    above, before : Cut, optional
        Tables that meet it: one over its columns, one beside its rows, as a product's factors meet the product.
    pointed : frozenset of int
        Rows that are pointed out.
    hatched : ndarray of bool, optional
        Cells that nothing may be read from, where no −∞ says so.
    """

    array: str
    values: Array
    head: Index
    rows: tuple[int, ...]
    columns: tuple[int, ...]
    transposed: bool = False
    title: str = ""
    above: Cut | None = None
    before: Cut | None = None
    pointed: frozenset[int] = frozenset()
    hatched: Array | None = None

    def index(self, row: int, column: int) -> Index:
        """Return the array's index of the cell that is drawn at this row and column."""
        i, j = (column, row) if self.transposed else (row, column)
        return (*self.head, self.rows[i], self.columns[j])

    def cell(self, index: Index) -> tuple[int, int] | None:
        """Return where a cell of the array is drawn; None where it is not in this table."""
        *head, i, j = index
        if tuple(head) != self.head or i not in self.rows or j not in self.columns:
            return None
        row, column = self.rows.index(i), self.columns.index(j)
        return (column, row) if self.transposed else (row, column)


def cut(
    results: Values,
    array: str,
    *,
    rows: Sequence[int] | None = None,
    columns: Sequence[int] | None = None,
    head: Index = (),
    transposed: bool = False,
    title: str = "",
    above: Cut | None = None,
    before: Cut | None = None,
    pointed: frozenset[int] = frozenset(),
    hatched: Array | None = None,
) -> Cut:
    """Cut a table out of an array of results: all rows and columns unless they are given."""
    whole = results[array][head] if head else results[array]
    down = tuple(range(whole.shape[0])) if rows is None else tuple(rows)
    across = tuple(range(whole.shape[1])) if columns is None else tuple(columns)
    values = whole[np.ix_(down, across)]
    closed = None if hatched is None else hatched[np.ix_(down, across)]
    if transposed:
        values, closed = values.T, None if closed is None else closed.T
    return Cut(array, values, head, down, across, transposed, title, above, before, pointed, closed)


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """One part: tables from left to right, with signs between them; `says` is a sentence about it."""

    title: str
    items: tuple[Cut | str, ...]
    says: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """A whole computation.

    Attributes
    ----------
    parts : tuple of Part
        Its parts in the order in which they are taken.
    joint : str
        The sign between two parts.
    result : tuple of Cut or str
        What comes after the last part, with the sign that leads to it.
    result_says : str
        A few words about it.
    by_rows : bool
        Whether its parts are the rows of a single picture.
    """

    parts: tuple[Part, ...]
    joint: str = ""
    result: tuple[Cut | str, ...] = ()
    result_says: str = ""
    by_rows: bool = False

    @property
    def count(self) -> int:
        """How many parts it is taken in."""
        if not self.by_rows:
            return len(self.parts)
        tables = (item for part in self.parts for item in part.items if isinstance(item, Cut))
        return max((len(table.values) for table in tables), default=0)
