"""What a "plane" view draws: vectors from the origin of a plane, and what they come from.

Part of the vocabulary in which tabs are declared; plain data. The view keeps the scale, places the labels and turns a
drag into an edit of the cells that a vector names.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple

if TYPE_CHECKING:
    from explorer.concepts.declaration import Role

Point = tuple[float, float]
Index = tuple[int, ...]


class Vector(NamedTuple):
    """One vector.

    Attributes
    ----------
    label : str
        Written at its tip.
    tip : (float, float)
        Where it ends.
    role : Role
        Which colour it carries.
    array, cells
        The array that it is drawn from, and the indices of the cells that hold its two numbers.
    draggable : bool
        Whether those cells are an input, so that moving the vector writes them.
    form : {"arrow", "dot"}
        How it is drawn.
    says : str
        What more there is to say of it, in its tip and to a screen reader.
    pick : (str, object), optional
        The control that Enter or a double click sets, and to what.
    """

    label: str
    tip: Point
    role: Role = "input"
    array: str = ""
    cells: tuple[Index, Index] | None = None
    draggable: bool = False
    form: Literal["arrow", "dot"] = "arrow"
    says: str = ""
    pick: tuple[str, Any] | None = None


class Path(NamedTuple):
    """A dashed line, on which something moves."""

    start: Point
    end: Point
    role: Role = "plain"


class Plane(NamedTuple):
    """A plane with vectors.

    Attributes
    ----------
    vectors : tuple of Vector
        The last lie on top, and their labels choose their places first.
    box : (left, right, bottom, top)
        What is shown at least. The scale is this one as long as everything lies inside.
    across, up : str
        What its two axes mean.
    hull : tuple of Point
        Points whose convex hull is shaded; `hull_role` is its colour.
    paths : tuple of Path
        Dashed lines.
    note : str
        A sentence under it.
    """

    vectors: tuple[Vector, ...]
    box: tuple[float, float, float, float]
    across: str = ""
    up: str = ""
    hull: tuple[Point, ...] = ()
    hull_role: Role = "value"
    paths: tuple[Path, ...] = ()
    note: str = ""
