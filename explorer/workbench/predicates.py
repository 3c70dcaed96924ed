"""The small language of `check:` lines and computed answers: expressions over a tab's named arrays.

``weights[2, 1] >= 0.9`` or ``close(scores, transpose(scores))`` is read by Python's own parser, but only a closed list
of forms is accepted and nothing is ever handed to Python to run: this module walks the tree. Lessons may come from
anybody, so the length of the text, the depth of the tree, the size of every result and the work of a whole
expression are bounded, numbers are floats (``10 ** 10 ** 10`` is refused, not computed for hours), and attributes
exist only on what ``attend`` returns. The functions are those of :mod:`explorer.workbench.vocabulary`.

A task's check must survive whatever the user does to the tab: :func:`check` answers "not yet" with a note where a
cell has gone or an array is not computed, and never raises.
"""

from __future__ import annotations

import ast
import inspect
import math
import warnings
from dataclasses import dataclass, field
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from explorer.core.checks import Choices, InputError
from explorer.workbench import vocabulary
from explorer.workbench.expression_errors import (
    DIVISION,
    MANY_TRUTHS,
    NO_ARRAY,
    NO_CELL,
    NO_FUNCTION,
    NO_INDEX,
    NO_NAME,
    NO_PART,
    NO_TRUTH,
    NO_VALUE,
    NOT_ALLOWED,
    NOT_READ,
    RAGGED,
    REFUSED,
    STRANGE,
    TOO_LONG,
    TOO_MUCH,
    WRONG_CALL,
    ExpressionError,
    MissingError,
)
from explorer.workbench.values import (
    MOST_CELLS,
    PARTS,
    Attended,
    EmptyError,
    Numbers,
    Value,
    broadcast,
    numbers,
    plain,
    shape_text,
)
from explorer.workbench.vocabulary import FUNCTIONS

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

LONGEST_TEXT: Final = 1000
MOST_NODES: Final = 500
DEEPEST: Final = 30
#: Elementary operations of one evaluation: about a tenth of a second.
MOST_WORK: Final = 20_000_000


@dataclass(frozen=True, slots=True)
class Expression:
    """An expression that was read and found to be made of allowed forms only.

    Attributes
    ----------
    text : str
        As it was written.
    names : frozenset of str
        The arrays, controls and sizes that it reads.
    """

    text: str
    names: frozenset[str]
    tree: ast.expr = field(repr=False, compare=False)

    def value(self, names: Mapping[str, Any]) -> Value:
        """Compute the expression.

        Parameters
        ----------
        names : mapping
            What the names stand for: arrays, numbers, truth values, words.

        Returns
        -------
        float, bool, str or ndarray
            Whole arrays are shared with `names`, not copied, and must not be written to.

        Raises
        ------
        ExpressionError
            When a name is missing, a cell does not exist, shapes do not fit or no finite value results.
        """
        with np.errstate(all="ignore"):
            return _Run(self.text, names).value(self.tree)


class Outcome(NamedTuple):
    """Whether a check holds, and where it cannot be decided, why."""

    done: bool
    problem: ExpressionError | None = None

    @property
    def note(self) -> str:
        """Return why the check cannot be decided at the moment, else nothing."""
        return str(self.problem) if self.problem else ""


def evaluate(text: str, names: Mapping[str, Any]) -> Value:
    """Read and compute an expression.

    Raises
    ------
    ExpressionError
        With one sentence and the position of what is wrong.
    """
    return parse(text).value(names)


def check(predicate: Expression, names: Mapping[str, Any]) -> Outcome:
    """Say whether a predicate holds; what cannot be decided now does not hold. Never raises."""
    try:
        return Outcome(_truth(predicate.value(names), 1))
    except ExpressionError as error:
        return Outcome(False, error)


@lru_cache(maxsize=1024)
def parse(text: str) -> Expression:
    """Read an expression without computing it.

    Raises
    ------
    ExpressionError
        When it is no expression, or uses what is not allowed.
    """
    if len(text) > LONGEST_TEXT:
        raise ExpressionError(TOO_LONG, at=LONGEST_TEXT + 1, most=LONGEST_TEXT, what="characters")
    line = " ".join(text.split())
    try:
        with warnings.catch_warnings():
            # The tokenizer warns of forms such as `1or 2`; they are read or refused below like any other.
            warnings.simplefilter("ignore")
            tree = ast.parse(line, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        at = getattr(error, "offset", None) or 1
        raise ExpressionError(NOT_READ, at=min(at, len(line) + 1), text=_short(line)) from None
    names: set[str] = set()
    _examine(tree, line, names)
    return Expression(line, frozenset(names), tree)


# ------------------------------------------------------------------------------------------------------- reading

_ARITHMETIC: Final[Mapping[type[ast.operator], Callable[..., Any]]] = {
    ast.Add: np.add,
    ast.Sub: np.subtract,
    ast.Mult: np.multiply,
    ast.Div: np.true_divide,
    ast.FloorDiv: np.floor_divide,
    ast.Mod: np.remainder,
    ast.Pow: np.power,
}
_COMPARISONS: Final[Mapping[type[ast.cmpop], Callable[..., Any]]] = {
    ast.Eq: np.equal,
    ast.NotEq: np.not_equal,
    ast.Lt: np.less,
    ast.LtE: np.less_equal,
    ast.Gt: np.greater,
    ast.GtE: np.greater_equal,
}
_OPERATORS: Final = (*_ARITHMETIC, ast.MatMult, *_COMPARISONS, ast.And, ast.Or, ast.Not, ast.UAdd, ast.USub, ast.Load)
_CONSTANTS: Final = {"pi": math.pi, "inf": math.inf}


def _place(node: ast.AST, line: str) -> int:
    """Return where a node starts, in characters from 1; the parser counts bytes."""
    offset = getattr(node, "col_offset", 0)
    return len(line.encode()[:offset].decode(errors="ignore")) + 1


def _examine(tree: ast.expr, line: str, names: set[str]) -> None:
    """Walk the tree without recursion, refusing whatever is not on the list, and collect the names it reads."""
    waiting: list[tuple[ast.AST, int]] = [(tree, 1)]
    seen = 0
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, _OPERATORS):
            continue
        seen += 1
        at = _place(node, line)
        if seen > MOST_NODES or depth > DEEPEST:
            what, most = ("parts", MOST_NODES) if seen > MOST_NODES else ("levels", DEEPEST)
            raise ExpressionError(TOO_LONG, at=at, most=most, what=what)
        children = list(ast.iter_child_nodes(node))
        if isinstance(node, ast.Call):
            children = _examine_call(node, at)
        elif isinstance(node, ast.Name):
            if node.id not in _CONSTANTS:
                names.add(node.id)
        elif isinstance(node, ast.Attribute):
            if node.attr not in PARTS:
                raise ExpressionError(NO_PART, at=at, known=Choices(PARTS))
        elif isinstance(node, ast.Constant):
            if not isinstance(node.value, bool | int | float | str):
                raise ExpressionError(NOT_ALLOWED, at=at, what=_what(node, line))
        elif not isinstance(node, _FORMS):
            raise ExpressionError(NOT_ALLOWED, at=at, what=_what(node, line))
        waiting.extend((child, depth + 1) for child in children)


_FORMS: Final = (
    ast.Compare,
    ast.BoolOp,
    ast.UnaryOp,
    ast.BinOp,
    ast.Subscript,
    ast.Slice,
    ast.Tuple,
    ast.List,
)


def _what(node: ast.AST, line: str) -> str:
    return _short(ast.get_source_segment(line, node) or type(node).__name__)


def _short(text: str, most: int = 40) -> str:
    return text if len(text) <= most else f"{text[: most - 3]}..."


def _examine_call(node: ast.Call, at: int) -> list[ast.AST]:
    if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS:
        raise ExpressionError(NO_FUNCTION, at=at, name=_short(ast.unparse(node.func)), known=Choices(sorted(FUNCTIONS)))
    if any(keyword.arg is None for keyword in node.keywords):
        raise ExpressionError(NOT_ALLOWED, at=at, what="**")
    return [*node.args, *(keyword.value for keyword in node.keywords)]


# ----------------------------------------------------------------------------------------------------- computing


class _Run:
    """One evaluation: its names and the work that it has left."""

    def __init__(self, text: str, names: Mapping[str, Any]) -> None:
        self.text = text
        self.names = names
        self.left = MOST_WORK

    def value(self, node: ast.expr) -> Value:
        handler = _HANDLERS[type(node)]
        try:
            return handler(self, node)
        except ExpressionError:
            raise
        except EmptyError as error:
            raise MissingError(REFUSED, at=self.at(node), reason=error) from None
        except (InputError, MemoryError) as error:
            raise ExpressionError(REFUSED, at=self.at(node), reason=error) from None

    def at(self, node: ast.AST) -> int:
        return _place(node, self.text)

    def spend(self, work: int, node: ast.AST) -> None:
        self.left -= work
        if self.left < 0:
            raise ExpressionError(TOO_MUCH, at=self.at(node))

    def finite(self, result: Numbers | np.generic, node: ast.AST) -> Value:
        """Return a result; -inf, which means masked, is let through, NaN and +inf are refused."""
        if result.dtype.kind in "iu":
            result = result.astype(np.float64)
        if result.dtype.kind == "f" and result.size:
            highest = result.max()
            if np.isnan(highest) or highest == np.inf:
                raise ExpressionError(NO_VALUE, at=self.at(node))
        return plain(result)

    def constant(self, node: ast.Constant) -> Value:
        if isinstance(node.value, bool | str):
            return node.value
        try:
            return self.finite(np.float64(node.value), node)  # type: ignore[arg-type]
        except OverflowError:
            raise ExpressionError(NO_VALUE, at=self.at(node)) from None

    def name(self, node: ast.Name) -> Value:
        if node.id in self.names:
            return self.given(node)
        if node.id in _CONSTANTS:
            return _CONSTANTS[node.id]
        known = Choices(sorted(self.names)[:20])
        raise MissingError(NO_NAME, at=self.at(node), name=node.id, known=known or "none")

    def given(self, node: ast.Name) -> Value:
        value = self.names[node.id]
        if isinstance(value, bool | str | Attended):
            return value
        array = np.asarray(value)
        if array.dtype.kind not in "biuf":
            raise ExpressionError(STRANGE, at=self.at(node), name=node.id)
        return plain(array if array.dtype.kind == "b" else array.astype(np.float64, copy=False))

    def sequence(self, node: ast.List | ast.Tuple) -> Value:
        items = [numbers(self.value(element)) for element in node.elts]
        self.spend(sum(item.size for item in items), node)
        if len({item.shape for item in items}) > 1:
            raise ExpressionError(RAGGED, at=self.at(node))
        return np.stack(items) if items else np.empty(0)

    def unary(self, node: ast.UnaryOp) -> Value:
        operand = self.value(node.operand)
        if isinstance(node.op, ast.Not):
            return not _truth(operand, self.at(node))
        array = numbers(operand)
        self.spend(array.size, node)
        return plain(np.negative(array) if isinstance(node.op, ast.USub) else array)

    def binary(self, node: ast.BinOp) -> Value:
        left, right = numbers(self.value(node.left)), numbers(self.value(node.right))
        if isinstance(node.op, ast.MatMult):
            self.spend(vocabulary.dot_work(left, right), node)
            return self.finite(np.asarray(vocabulary.dot(left, right)), node)
        self.room(broadcast(left, right), node)
        if isinstance(node.op, ast.Div | ast.FloorDiv | ast.Mod) and not right.all():
            raise ExpressionError(DIVISION, at=self.at(node.right))
        return self.finite(np.asarray(_ARITHMETIC[type(node.op)](left, right)), node)

    def room(self, shape: tuple[int, ...], node: ast.AST) -> None:
        cells = math.prod(shape)
        if cells > MOST_CELLS:
            raise ExpressionError(TOO_MUCH, at=self.at(node))
        self.spend(cells, node)

    def truth(self, node: ast.BoolOp) -> Value:
        every = isinstance(node.op, ast.And)
        for operand in node.values:
            if _truth(self.value(operand), self.at(operand)) is not every:
                return not every
        return every

    def compare(self, node: ast.Compare) -> Value:
        values = [self.value(operand) for operand in (node.left, *node.comparators)]
        result: Any = None
        for left, op, right in zip(values, node.ops, values[1:], strict=False):
            if isinstance(left, str) and isinstance(right, str) and isinstance(op, ast.Eq | ast.NotEq):
                here: Any = np.asarray((left == right) is isinstance(op, ast.Eq))
            else:
                a, b = numbers(left), numbers(right)
                self.room(broadcast(a, b), node)
                here = _COMPARISONS[type(op)](a, b)
            if result is not None:
                self.room(broadcast(result, here), node)
            result = here if result is None else np.logical_and(result, here)
        return plain(result)

    def subscript(self, node: ast.Subscript) -> Value:
        array = self.value(node.value)
        if not isinstance(array, np.ndarray):
            raise ExpressionError(NO_ARRAY, at=self.at(node))
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        index = tuple(self.index(part) for part in parts)
        try:
            return plain(array[index])
        except IndexError:
            shape, written = shape_text(array.shape), ast.unparse(node.slice).strip("()")
            name = _what(node.value, self.text)
            raise MissingError(NO_CELL, at=self.at(node), name=name, shape=shape, index=written) from None

    def index(self, node: ast.expr) -> int | slice:
        if not isinstance(node, ast.Slice):
            return self.whole(node)
        lower, upper, step = (
            None if part is None else self.whole(part) for part in (node.lower, node.upper, node.step)
        )
        if step == 0:
            raise ExpressionError(NO_INDEX, at=self.at(node))
        return slice(lower, upper, step)

    def whole(self, node: ast.expr) -> int:
        value = self.value(node)
        if not isinstance(value, float) or not value.is_integer() or abs(value) > 2**31:
            raise ExpressionError(NO_INDEX, at=self.at(node))
        return int(value)

    def attribute(self, node: ast.Attribute) -> Value:
        value = self.value(node.value)
        if not isinstance(value, Attended):
            raise ExpressionError(NO_PART, at=self.at(node), known=Choices(PARTS))
        return value.part(node.attr)

    def call(self, node: ast.Call) -> Value:
        name = node.func.id  # type: ignore[attr-defined]
        arguments = [self.value(argument) for argument in node.args]
        named = {keyword.arg: self.value(keyword.value) for keyword in node.keywords if keyword.arg}
        function = FUNCTIONS[name]
        try:
            _signature(name).bind(*arguments, **named)
        except TypeError:
            parameters = ", ".join(_signature(name).parameters)
            raise ExpressionError(WRONG_CALL, at=self.at(node), name=name, parameters=parameters) from None
        self.spend(function.work(*arguments, **named), node)
        result = function.call(*arguments, **named)
        return result if isinstance(result, Attended | str) else self.finite(np.asarray(result), node)


@cache
def _signature(name: str) -> inspect.Signature:
    return inspect.signature(FUNCTIONS[name].call)


_HANDLERS: Final[Mapping[type[ast.AST], Callable[[_Run, Any], Value]]] = {
    ast.Constant: _Run.constant,
    ast.Name: _Run.name,
    ast.List: _Run.sequence,
    ast.Tuple: _Run.sequence,
    ast.UnaryOp: _Run.unary,
    ast.BinOp: _Run.binary,
    ast.BoolOp: _Run.truth,
    ast.Compare: _Run.compare,
    ast.Subscript: _Run.subscript,
    ast.Attribute: _Run.attribute,
    ast.Call: _Run.call,
}


def _truth(value: Value, at: int) -> bool:
    if isinstance(value, bool | float):
        return bool(value)
    if isinstance(value, np.ndarray):
        if value.size == 1:
            return bool(value.item())
        raise ExpressionError(MANY_TRUTHS, at=at, shape=shape_text(value.shape))
    raise ExpressionError(NO_TRUTH, at=at)
