"""What a "links" view draws: lines from rows of one table to rows of the next. Plain data, part of the vocabulary."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from explorer.concepts.declaration import Role


class Link(NamedTuple):
    """One line.

    Attributes
    ----------
    source, target : (str, int)
        The array and the row that it leads from, and those that it leads to. Both are shown beside the view.
    role : Role
        Its colour.
    strong : bool
        Whether it is what the view is about; the others are thin.
    """

    source: tuple[str, int]
    target: tuple[str, int]
    role: Role = "plain"
    strong: bool = False
