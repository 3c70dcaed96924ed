"""What a "stack" view draws: parts of a sum, stacked for every entry of the result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from explorer.core.ops.base import Array


@dataclass(frozen=True, slots=True, eq=False)
class Stack:
    """Bars of signed parts, one bar for each column.

    Attributes
    ----------
    array : str
        The array that holds the parts.
    position : int
        Which entry of its middle axis is shown: part p of column c is ``array[p, position, c]``.
    values : ndarray of shape (parts, columns)
        The parts.
    names : tuple of str
        What the parts are called.
    counts : ndarray of shape (parts,)
        True for each part that is in the sum; the others are drawn as what it loses.
    total : ndarray of shape (columns,)
        The sum.
    total_name : str
        The array and place of the sum.
    title : str
        What the whole shows.
    """

    array: str
    position: int
    values: Array
    names: tuple[str, ...]
    counts: Array
    total: Array
    total_name: str
    title: str
