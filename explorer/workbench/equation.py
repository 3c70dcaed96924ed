"""One line of arithmetic with digits that a reader can check with a pencil.

An `Equation` writes an expression with so many digits that computing with what is printed gives what is printed. The
result has three decimals, so that a number reads the same as an operand of the next line, or more where three cannot
be had; its operands get three to six. Where six are not enough the line says ``≈``. Numbers that are short of
themselves, such as whole ones, are not padded.

Long sums are cut after six terms; the rest stands there as one number, so that the line can still be checked.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from explorer.core.expression import Cell, Expression, Number, Operation, Result, evaluate
from explorer.workbench import number_text
from explorer.workbench.number_text import MINUS
from explorer.workbench.tokens import Token

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from explorer.concepts.declaration import Role

FEWEST, MOST = 3, 6
#: Numbers with up to so many decimals of their own are written with exactly those.
SHORT = 2
#: A sum of more terms than `WHOLE` is cut after `KEPT`.
WHOLE, KEPT = 8, 6
#: So many decimals before a power of ten change no number.
MOST_DECIMALS = 17
#: Outside of these numbers are written with a power of ten.
SMALLEST, LARGEST, LARGEST_WHOLE = 1e-3, 1e7, 1e9
#: From here on not every whole number is a float.
LARGEST_COUNT = 2.0**53

_SIGNS = {"sum": " + ", "product": " × ", "difference": f" {MINUS} ", "quotient": " ÷ "}
_CALLS = {"tanh": "tanh(", "maximum": "max("}
#: How tightly an operation binds; an operand that binds less tightly gets brackets.
_BINDING = {"sum": 1, "difference": 1, "product": 2, "quotient": 2}

#: Words before an equation: called with a function that writes operands with the equation's digits.
Before = Callable[[Callable[[Expression], list[Token]]], list[Token]]


class Written(NamedTuple):
    """A number as it is printed: its text, the value of that text, and the unit of its last digit."""

    text: str
    value: float
    unit: float


@lru_cache(maxsize=4096)
def write(value: float, digits: int, unit: str = "") -> Written:
    """Write a number with so many decimals; with a power of ten where it is large or tiny.

    Where it counts something, in a `unit`, a whole number is written out in full instead, its thousands apart.
    """
    if not math.isfinite(value):
        return Written(number_text.shown(value), value, 0.0)
    if unit and value.is_integer() and abs(value) < LARGEST_COUNT:
        return Written(f"{value:,.0f}".replace("-", MINUS), value, 1.0)
    text = number_text.fixed(value, digits)
    fits = abs(value) < (LARGEST_WHOLE if value.is_integer() else LARGEST)
    if not value or (fits and abs(value) >= SMALLEST and text.strip(f"0.{MINUS}")):
        return Written(text, float(text.replace(MINUS, "-")), 10.0**-digits)
    decimals = max(digits - 1, 0)
    text = number_text.power_of_ten(value, decimals)
    if math.isinf(float(text.replace(MINUS, "-"))):
        # Rounded up beyond the largest number that there is.
        text = number_text.power_of_ten(value, decimals := MOST_DECIMALS)
    plain = text.replace(MINUS, "-")
    return Written(text, float(plain), float(f"1e{int(plain.split('e')[1]) - decimals}"))


def cut(expression: Expression, more: str) -> Expression:
    """Return an expression whose long sums and maxima end with one number for the rest, led by `more`."""
    if isinstance(expression, Result):
        return replace(expression, expression=cut(expression.expression, more))
    if not isinstance(expression, Operation):
        return expression
    operands = expression.operands
    if expression.kind in ("sum", "maximum") and len(operands) > WHOLE:
        rest = Result(Operation(expression.kind, operands[KEPT:]), label=more.format(count=len(operands) - KEPT))
        return Operation(expression.kind, (*(cut(one, more) for one in operands[:KEPT]), rest))
    return Operation(expression.kind, tuple(cut(one, more) for one in operands))


def leaves(expression: Expression) -> Iterator[Cell | Number | Result]:
    """Iterate over what is written as a number."""
    if isinstance(expression, Operation):
        for operand in expression.operands:
            yield from leaves(operand)
    else:
        yield expression


def operand(cell: Cell, roles: Mapping[str, Role]) -> Token:
    """Return a cell's value as a link, with the fewest digits."""
    text = write(cell.value, FEWEST).text
    return Token(text, "operand", (cell.array, cell.index), roles.get(cell.array), number_text.full(cell.value))


@dataclass(frozen=True)
class Equation:
    """An expression and what it gives.

    Attributes
    ----------
    expression : Expression
        Already cut.
    value : float
        The number that the screen shows for it.
    stage : str
        The stage that it explains.
    target : (array, index), optional
        The cell that holds the value; None for a sub-result.
    lead : tuple of Token
        What stands before it, such as ``q₂ · k₁ =``.
    before : callable, optional
        ``before(write)`` returns words before it, with its own numbers written alike.
    after : tuple of Token
        Words and links after it.
    unit : str
        What its numbers count, where they count something.
    """

    expression: Expression
    value: float
    stage: str
    target: tuple[str, tuple[int, ...]] | None = None
    lead: tuple[Token, ...] = ()
    before: Before | None = None
    after: tuple[Token, ...] = ()
    roles: Mapping[str, Role] = field(default_factory=dict)
    unit: str = ""

    @property
    def appended(self) -> bool:
        """Whether it is a sub-result, which may stand at the end of the line before; a count gets its own line."""
        return self.target is None and not self.unit

    @cached_property
    def digits(self) -> tuple[int, int] | None:
        """How many decimals operands and result need; None when six do not do."""
        for digits in range(SHORT + 1):
            if self._is_short(digits) and self.holds(digits, digits):
                return digits, digits
        pairs = [(digits, FEWEST) for digits in range(FEWEST, MOST + 1)]
        # A result halfway between two that have three decimals, such as 0.7425, is written out.
        pairs += [(digits, result) for result in range(FEWEST + 1, MOST + 1) for digits in range(SHORT, MOST + 1)]
        return next((pair for pair in pairs if self.holds(*pair)), None)

    def holds(self, operands: int, result: int) -> bool:
        """Say whether the operands as printed give the result as printed."""
        printed = write(self.value, result, self.unit)
        computed = evaluate(self.expression, lambda leaf: self._read(leaf, operands))
        if not math.isfinite(computed) or not math.isfinite(printed.value):
            return computed == printed.value
        # Half a unit would be a tie, which a reader may round either way.
        slack = 1e-9 * (abs(computed) + printed.unit)
        return abs(computed - printed.value) < 0.5 * printed.unit - min(slack, 0.01 * printed.unit)

    def tokens(self) -> list[Token]:
        """Return the line."""
        chosen = self.digits
        operands, result = chosen or (FEWEST, FEWEST)
        written = list(self.lead)
        if self.before is not None:
            written += self.before(lambda part: self._written(part, operands))
        body = self._written(self.expression, operands)
        if body:
            written += [*body, Token(" = " if chosen else " ≈ ")]
        role = self.roles.get(self.target[0]) if self.target else None
        text = write(self.value, result, self.unit).text
        written.append(Token(text, "result", self.target, role, number_text.full(self.value)))
        return [*written, *self.after]

    @cached_property
    def _values(self) -> dict[int, float]:
        """The value of every leaf by its identity: the rest of a long sum is added up once, not for every digit."""
        return {id(leaf): evaluate(leaf) for leaf in leaves(self.expression)}

    @cached_property
    def _numbers(self) -> tuple[float, ...]:
        """The numbers that are written with the equation's digits, the result first."""
        written = (self._values[id(leaf)] for leaf in leaves(self.expression) if not isinstance(leaf, Number))
        return self.value, *written

    def _read(self, leaf: Expression, digits: int) -> float | None:
        if isinstance(leaf, Number):
            try:
                # A number such as √2 stands for itself; one that is written in digits is what those digits say.
                plain = leaf.text.replace(",", "")
                return float(plain) if plain.isdecimal() else number_text.parse(leaf.text)
            except ValueError:
                return None
        return write(self._values[id(leaf)], digits, self.unit).value

    def _is_short(self, digits: int) -> bool:
        return all(
            not math.isfinite(value)
            or (abs(value) < LARGEST and value == round(value, digits))
            or (bool(self.unit) and value.is_integer() and abs(value) < LARGEST_COUNT)
            for value in self._numbers
        )

    def _written(self, expression: Expression, digits: int) -> list[Token]:
        return _tokens(expression, _Style(digits, self.unit), self.roles, leading=True)


class _Style(NamedTuple):
    """How operands are written: with so many decimals, in a unit where they count something."""

    digits: int
    unit: str


def _tokens(
    expression: Expression, style: _Style, roles: Mapping[str, Role], *, leading: bool = False, raised: bool = False
) -> list[Token]:
    """Write an expression; `leading` says that no sign stands before it, so that a minus needs no brackets."""
    if not isinstance(expression, Operation):
        return _leaf(expression, style, roles, leading=leading, raised=raised)
    kind, operands = expression.kind, expression.operands

    def inner(at: int, *, first: bool) -> list[Token]:
        return _tokens(operands[at], style, roles, leading=first, raised=raised)

    def text(sign: str) -> Token:
        return Token(sign, raised=raised)

    if kind == "exp":
        return [text("e"), *_tokens(operands[0], style, roles, leading=True, raised=True)]
    if kind == "root":
        return [text("√("), *inner(0, first=True), text(")")]
    if kind == "magnitude":
        return [text("|"), *inner(0, first=True), text("|")]
    if kind in _CALLS:
        written = [text(_CALLS[kind])]
        for at in range(len(operands)):
            written += [*([text(", ")] if at else []), *inner(at, first=True)]
        return [*written, text(")")]
    written = []
    for at, operand in enumerate(operands):
        brackets = _needs_brackets(kind, operand, first=at == 0)
        part = inner(at, first=brackets or (leading and at == 0))
        written += [*([text(_SIGNS[kind])] if at else []), *([text("("), *part, text(")")] if brackets else part)]
    return written


def _needs_brackets(kind: str, operand: Expression, *, first: bool) -> bool:
    if not isinstance(operand, Operation):
        return False
    binding = _BINDING.get(operand.kind, 3)
    # a − (b + c) and a ÷ (b × c), but a + b − c and a × b ÷ c
    return binding < _BINDING[kind] or (not first and binding == _BINDING[kind] and kind in ("difference", "quotient"))


def _leaf(
    leaf: Cell | Number | Result, style: _Style, roles: Mapping[str, Role], *, leading: bool, raised: bool
) -> list[Token]:
    if isinstance(leaf, Number):
        token = Token(leaf.text, full=number_text.full(leaf.value), raised=raised)
    else:
        value = evaluate(leaf)
        printed, full = write(value, style.digits, style.unit).text, number_text.full(value)
        if isinstance(leaf, Result):
            token = Token(printed, "result", full=full, raised=raised)
        else:
            cell = (leaf.array, leaf.index) if leaf.array in roles else None
            token = Token(printed, "operand", cell, roles.get(leaf.array), full, raised)
    if isinstance(leaf, Result) and leaf.label and not leaf.shown:
        return [Token(f"{leaf.label} (", raised=raised), token, Token(")", raised=raised)]
    if token.text.startswith(MINUS) and not leading:
        return [Token("(", raised=raised), token, Token(")", raised=raised)]
    return [token]
