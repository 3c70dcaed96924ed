"""Formulas as `explorer.core.cost_explain` writes them, read into expressions: whole numbers, signs, brackets."""

from __future__ import annotations

import re
from typing import Final

from explorer.core.expression import Expression, Number, Operation, total

_SIGN: Final = re.compile(r"\s*(?:(?P<number>[0-9][0-9,]*)|(?P<sign>[×/+−()]))")


def read_formula(formula: str) -> Expression:
    """Return the expression that a formula of `cost_explain` writes: whole numbers, ``× / + −`` and brackets.

    Raises
    ------
    ValueError
        If it is no such formula.
    """
    return _Reader(formula).expression()


class _Reader:
    """Reads a formula from left to right; products bind more tightly than sums."""

    def __init__(self, formula: str) -> None:
        self._signs: list[str] = []
        at = 0
        while at < len(formula.rstrip()):
            found = _SIGN.match(formula, at)
            if found is None:
                raise ValueError(f"{formula!r} is no formula: {formula[at:]!r} cannot be read")
            self._signs.append(found["number"] or found["sign"])
            at = found.end()
        self._formula = formula

    def expression(self) -> Expression:
        found = self._sum()
        if self._signs:
            raise ValueError(f"{self._formula!r} is no formula: {self._signs[0]!r} is left over")
        return found

    def _next(self, *wanted: str) -> str:
        return self._signs.pop(0) if self._signs and self._signs[0] in wanted else ""

    def _sum(self) -> Expression:
        parts = [self._product()]
        while sign := self._next("+", "−"):
            following = self._product()
            if sign == "+":
                parts.append(following)
            else:
                parts = [Operation("difference", (total(parts), following))]
        return total(parts)

    def _product(self) -> Expression:
        factors = [self._factor()]
        while sign := self._next("×", "/"):
            following = self._factor()
            if sign == "×":
                factors.append(following)
            else:
                above = factors[0] if len(factors) == 1 else Operation("product", tuple(factors))
                factors = [Operation("quotient", (above, following))]
        return factors[0] if len(factors) == 1 else Operation("product", tuple(factors))

    def _factor(self) -> Expression:
        if self._next("("):
            inner = self._sum()
            if not self._next(")"):
                raise ValueError(f"{self._formula!r} is no formula: a bracket is not closed")
            return inner
        if not self._signs or not self._signs[0][0].isdigit():
            raise ValueError(f"{self._formula!r} is no formula: a number is missing")
        return whole(int(self._signs.pop(0).replace(",", "")))


def whole(value: int) -> Number:
    """Return a whole number as it is written in a formula."""
    return Number(float(value), f"{value:,}")


def product(*factors: Expression) -> Expression:
    """Return the product of several expressions."""
    return Operation("product", factors)
