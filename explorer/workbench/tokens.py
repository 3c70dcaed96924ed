"""The words and numbers of which the trace strip's lines are made. What they say is decided in `trace`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from explorer.concepts.declaration import Role

Index = tuple[int, ...]
Cell = tuple[str, Index]


class Token(NamedTuple):
    """A piece of a line.

    Attributes
    ----------
    text : str
        As it is written.
    kind : {"text", "operand", "result", "name", "note"}
        Signs and brackets, a number that was read, a number that comes out, the name of an array or a token, or words.
    cell : (array, index), optional
        The cell whose value it is: where a click leads.
    role : Role, optional
        The colour that it carries.
    full : str
        Every digit of a number.
    raised : bool
        Whether it stands in an exponent.
    """

    text: str
    kind: Literal["text", "operand", "result", "name", "note"] = "text"
    cell: Cell | None = None
    role: Role | None = None
    full: str = ""
    raised: bool = False


class Line(NamedTuple):
    """A line of the strip, and the stage that it explains."""

    tokens: tuple[Token, ...]
    stage: str


class Trace(NamedTuple):
    """How one cell came about.

    Attributes
    ----------
    title : tuple of Token
        What the cell is.
    lines : tuple of Line
        The arithmetic, in the order in which it was done.
    target : (array, index)
        The cell.
    operands : Mapping of str to frozenset of index
        Every cell that was read, those too that a long sum leaves out.
    exact : bool
        Whether the printed numbers give the printed results; a line for which they do not has ``≈``.
    """

    title: tuple[Token, ...]
    lines: tuple[Line, ...]
    target: Cell
    operands: Mapping[str, frozenset[Index]]
    exact: bool

    def plain(self) -> str:
        """Return the title and the lines as plain text, an exponent written as ``e^(…)``."""
        return "\n".join((plain(self.title), *(plain(line.tokens) for line in self.lines)))


def plain(tokens: Iterable[Token]) -> str:
    """Return tokens as plain text: raised ones stand in ``^(…)``."""
    written: list[str] = []
    raised = False
    for token in tokens:
        if token.raised != raised:
            written.append("^(" if token.raised else ")")
            raised = token.raised
        written.append(token.text)
    return "".join(written) + (")" if raised else "")
