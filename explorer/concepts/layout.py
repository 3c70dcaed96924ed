"""The views of a tab's layout: what stands where, and which arrays it shows. Sizes and styles are the ui's business.

Part of the vocabulary of `explorer.concepts.declaration`, which offers these names too.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.concepts.declaration import Situation, Values


class Row(NamedTuple):
    """Views from left to right."""

    views: tuple[View, ...]
    align: Literal["center", "top"] = "center"


class Column(NamedTuple):
    """Views from top to bottom."""

    views: tuple[View, ...]


class Arrow(NamedTuple):
    """The sign between two views, such as ``→`` or ``×``; as wide as `room` would be, so that columns of them align."""

    text: str = "→"
    room: str = ""


class Matrix(NamedTuple):
    """A matrix of numbers, editable when it is an input; arrays with a leading head axis show one head at a time.

    Attributes
    ----------
    array : str
        What it shows.
    sums : bool
        Whether it has the Σ margin.
    large : bool
        Whether it has the stage's main place.
    head : str
        The `Pick` control that chooses the head.
    span : float
        Where the colours of signed values end, below and above 0.
    small : bool
        Whether it is a thumbnail: colours, and digits only where there is plenty of room.
    room : tuple of int, optional
        How many rows and columns of ordinary size it takes at most; more are pressed into the same room.
    scrolls : bool
        Whether rows beyond the room scroll and keep their digits, as long as the columns fit it.
    like : str
        An array whose cells it takes the width of, so that shapes can be compared by eye.
    form : str or tuple of str
        How numbers are written: "" as ordinary cells, "whole" in full, "bytes" with KiB, MiB or GiB, "GiB" with
        that alone, "exact" so that only an exact 0 reads as 0; these are not coloured. "short" leaves out decimals
        that are 0, in coloured cells that are no wider than that takes. A tuple has one per column.
    tint : bool
        Whether numbers in a form that is not coloured are coloured all the same.
    """

    array: str
    sums: bool = False
    large: bool = False
    head: str = ""
    span: float = 2.0
    small: bool = False
    room: tuple[int, int] | None = None
    scrolls: bool = False
    like: str = ""
    form: str | tuple[str, ...] = ""
    tint: bool = False


class Place(NamedTuple):
    """Matrices that share one place; the step chooses which is shown. Without steps, the last."""

    arrays: tuple[str, ...]
    sums: bool = True
    head: str = ""
    span: float = 2.0


class Mosaic(NamedTuple):
    """Every head of a (n_head, n_q, n_k) array at once, one tile a head.

    `before` are arrays of the same shape that share its place, in the order of the steps. `switch` names a mask input
    of shape (n_head,) that a click on a tile's caption flips; tiles that are off step back.
    """

    array: str
    #: ``caption(situation, head) -> str`` under a tile.
    caption: Callable[[Situation, int], str] | None = None
    before: tuple[str, ...] = ()
    switch: str = ""
    #: How many times as wide as it is high the whole would best be.
    aspect: float = 1.9
    #: Its name on screen, where the array's would not do; whether the colours' legend stands beside it.
    title: str = ""
    legend: bool = True

    @property
    def arrays(self) -> tuple[str, ...]:
        """The arrays that share the place, in the order of the steps."""
        return (*self.before, self.array)


class Custom(NamedTuple):
    """Any other kind of view that the ui knows, by name, with what it needs.

    `kind` names a file in ui/views, such as "tiles" or "plane". `options` is plain data and pure functions;
    ``model(situation, results)`` returns what is drawn, None for nothing at the moment. `arrays` are those whose
    numbers it shows: it steps back with them where a presentation shows one step at a time.
    """

    kind: str
    name: str
    model: Callable[[Situation, Values], Any]
    options: Mapping[str, Any] = MappingProxyType({})
    arrays: tuple[str, ...] = ()


View = Row | Column | Arrow | Matrix | Place | Mosaic | Custom


class Tile(NamedTuple):
    """One figure of a "tiles" view: what it is, its value as text, and how the value comes about.

    `cell`, where given, is the array and index that it was read from: choosing the tile shows its trace. `detail` may
    have several lines.
    """

    label: str
    value: str
    detail: str = ""
    tone: Literal["plain", "good", "bad", "accent"] = "plain"
    cell: tuple[str, tuple[int, ...]] | None = None


class Marks(NamedTuple):
    """How rows of an array are drawn at this moment, beyond their values.

    `kept` rows are stamped as coming from the KV cache, `faded` rows are dimmed, `blank` rows are not drawn; `stamps`
    are words at the right of the rows, one for each or none; `note` is written under the array. `hatched` cells (row,
    column) of attention weights are those that a query may not look at, where no score of −∞ says so.
    """

    kept: frozenset[int] = frozenset()
    faded: frozenset[int] = frozenset()
    blank: frozenset[int] = frozenset()
    note: str = ""
    stamps: tuple[str, ...] = ()
    hatched: frozenset[tuple[int, int]] = frozenset()


def views(view: View) -> list[View]:
    """List a layout's views, leaves only, in reading order."""
    if isinstance(view, (Row, Column)):
        return [leaf for part in view.views for leaf in views(part)]
    return [view]


def shown_arrays(view: View) -> tuple[str, ...]:
    """Return the names of the arrays that a layout shows as matrices or mosaics, in reading order."""
    names: list[str] = []
    for leaf in views(view):
        if isinstance(leaf, Matrix):
            names.append(leaf.array)
        elif isinstance(leaf, (Place, Mosaic)):
            names.extend(leaf.arrays)
    return tuple(dict.fromkeys(names))
