"""The arithmetic behind one cell, as a small tree of operands and operations.

Every op can say how it made a cell: `terms` returns such a tree. Its leaves are cells of other arrays, so a
value on the screen can be followed upstream, or plain numbers such as the root of the head size. How a tree is
written on the screen, with how many digits, is not decided here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import reduce
from operator import sub
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

Kind = Literal["sum", "product", "difference", "quotient", "exp", "tanh", "root", "maximum", "magnitude"]


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell of a named array, with the value it held."""

    array: str
    index: tuple[int, ...]
    value: float


@dataclass(frozen=True, slots=True)
class Number:
    """A number that no cell holds, with the way it is written, such as ``√2`` or ``−∞``."""

    value: float
    text: str


@dataclass(frozen=True, slots=True)
class Result:
    """A sub-result that is written as its value; with `shown` it first gets a line of its own, led by `label`."""

    expression: Expression
    shown: bool = False
    label: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    """One operation on its operands, in the order in which they are written."""

    kind: Kind
    operands: tuple[Expression, ...]


Expression = Cell | Number | Result | Operation


def total(operands: Sequence[Expression]) -> Expression:
    """Add the operands; a single one stands for itself and none is 0."""
    if len(operands) == 1:
        return operands[0]
    return Operation("sum", tuple(operands)) if operands else Number(0.0, "0")


def dot(pairs: Sequence[tuple[Expression, Expression]]) -> Expression:
    """Return the sum of the products of the pairs."""
    return total([Operation("product", pair) for pair in pairs])


def evaluate(expression: Expression, read: Callable[[Expression], float | None] | None = None) -> float:
    """Compute the value of an expression.

    Parameters
    ----------
    expression : Expression
        The tree to evaluate.
    read : callable, optional
        Asked first for every leaf and every `Result`; what it returns is used in place of the full-precision
        value unless it is None. The trace uses it to compute from the digits that it prints.

    Returns
    -------
    float
        The value; sums, differences and products are taken left to right, as they are read.
    """
    if read is not None and not isinstance(expression, Operation):
        replaced = read(expression)
        if replaced is not None:
            return replaced
    if isinstance(expression, (Cell, Number)):
        return expression.value
    if isinstance(expression, Result):
        return evaluate(expression.expression, read)
    values = [evaluate(operand, read) for operand in expression.operands]
    return _OPERATIONS[expression.kind](values)


def cells(expression: Expression) -> Iterator[Cell]:
    """Iterate over the cells that an expression reads, in the order in which they are written."""
    if isinstance(expression, Cell):
        yield expression
    elif isinstance(expression, Result):
        yield from cells(expression.expression)
    elif isinstance(expression, Operation):
        for operand in expression.operands:
            yield from cells(operand)


def _sum(values: list[float]) -> float:
    result = 0.0
    for value in values:
        result += value
    return result


def _quotient(values: list[float]) -> float:
    above, below = values
    return above / below if below else math.copysign(math.inf, above) if above else 0.0


def _exp(values: list[float]) -> float:
    try:
        return math.exp(values[0])
    except OverflowError:
        return math.inf


_OPERATIONS: dict[str, Callable[[list[float]], float]] = {
    "sum": _sum,
    "product": math.prod,
    "difference": lambda values: reduce(sub, values),
    "quotient": _quotient,
    "exp": _exp,
    "tanh": lambda values: math.tanh(values[0]),
    "root": lambda values: math.sqrt(values[0]),
    "maximum": max,
    "magnitude": lambda values: abs(values[0]),
}
