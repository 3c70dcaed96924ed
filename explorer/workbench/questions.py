"""Questions to predict: what is asked, what the core answers, and which mistake a wrong reply comes from.

No answer is written down: it is an expression over what the question gives (and, where it says so, over the arrays of
its tab at the lesson's values), so a question cannot disagree with the core. A wrong answer that is foreseen is an
expression too: the result of a real mistake, which the feedback names. How questions are written in a file is
:mod:`explorer.workbench.lessons`; how they look is the ui's business.
"""

from __future__ import annotations

import math
import re
from collections import ChainMap
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple

import numpy as np

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.workbench import number_text
from explorer.workbench.expression_errors import ExpressionError
from explorer.workbench.predicates import Expression, evaluate

if TYPE_CHECKING:
    from explorer.workbench.prose import Prose, Span

Names = Mapping[str, Any]
Kind = Literal["number", "choice", "cell", "rows"]

NOT_A_NUMBER = QT_TRANSLATE_NOOP("workbench", "Type a number such as 0.25, 0,25 or 1/4.")
TOO_HIGH = QT_TRANSLATE_NOOP("workbench", "Not yet: that is too high.")
TOO_LOW = QT_TRANSLATE_NOOP("workbench", "Not yet: that is too low.")
WRONG_SIGN = QT_TRANSLATE_NOOP("workbench", "Not yet: the size is right, the sign is not.")
PER_CENT = QT_TRANSLATE_NOOP("workbench", "That is per cent; shares here run from 0 to 1.")
NOT_THIS_CELL = QT_TRANSLATE_NOOP("workbench", "Not this cell. Rows are queries (who looks), columns are keys.")
NOT_THIS_ARRAY = QT_TRANSLATE_NOOP("workbench", "Not in this table: look for another one.")
NOT_THESE_ROWS = QT_TRANSLATE_NOOP("workbench", "Not these rows yet.")
CHOOSE = QT_TRANSLATE_NOOP("workbench", "Choose an answer first.")
MORE_TO_MARK = QT_TRANSLATE_NOOP("workbench", "So far right, but something is still missing.")


class Verdict(NamedTuple):
    """What a reply is worth. `message` names a general remark of this module; without one, `feedback` is the text."""

    right: bool
    feedback: tuple[Span, ...] = ()
    message: str = ""

    @property
    def text(self) -> str:
        """Return the feedback without styles."""
        return self.message or "".join(span.text for span in self.feedback)


class Given(NamedTuple):
    """A value that a question states: a name, and the expression behind it."""

    name: str
    expression: Expression


class Mistake(NamedTuple):
    """A wrong answer that is foreseen, and the text that names the mistake."""

    answer: Expression
    feedback: Prose


class Option(NamedTuple):
    """One answer to choose, what to say to whoever chooses it wrongly, and whether the file calls it correct."""

    label: Prose
    feedback: Prose
    correct: bool

    @property
    def value(self) -> Expression | None:
        """Return the expression behind the first number of the label, None where there is none."""
        computed = self.label.computed()
        return computed[0] if computed else None


@dataclass(frozen=True, slots=True)
class Place:
    """A cell, a row, a column or a whole array: an index of None stands for every index."""

    array: str
    index: tuple[int | None, ...]

    def holds(self, array: str, index: tuple[int, ...]) -> bool:
        """Say whether a cell lies in it; a view may show one head of an array, then the last axes decide."""
        if array != self.array or len(index) > len(self.index):
            return False
        mine = self.index[len(self.index) - len(index) :]
        return all(one is None or one == other for one, other in zip(mine, index, strict=True))


class PlaceMistake(NamedTuple):
    """A place where one may click by mistake, and the text that names the mistake."""

    place: Place
    feedback: Prose


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What every question has.

    Attributes
    ----------
    text : Prose
        What is asked.
    given : tuple of Given
        What it states, in order; later ones may use earlier ones.
    right : Prose
        Said when the answer is found or revealed: why it is so.
    proof : tuple of Expression
        Predicates that must hold; they tie answers that are words to the core.
    """

    text: Prose
    given: tuple[Given, ...] = ()
    right: Prose
    proof: tuple[Expression, ...] = ()

    def names(self, live: Names | None = None) -> Names:
        """Return what the question's expressions may read: what it gives, before what the tab holds.

        Raises
        ------
        ExpressionError
            When a given value cannot be computed.
        """
        stated: dict[str, Any] = {}
        known: Names = ChainMap(stated, dict(live or {}))
        for one in self.given:
            stated[one.name] = one.expression.value(known)
        return known

    def expressions(self) -> Iterator[Expression]:
        """Iterate over every expression of the question except those of `given`."""
        yield from self.text.computed()
        yield from self.right.computed()
        yield from self.proof

    def needs(self) -> frozenset[str]:
        """Return the names that must come from the tab at the lesson's values."""
        stated: set[str] = set()
        missing: set[str] = set()
        for one in self.given:
            missing |= one.expression.names - stated
            stated.add(one.name)
        for expression in self.expressions():
            missing |= expression.names - stated
        return frozenset(missing)

    def praise(self, live: Names | None) -> Verdict:
        """Return the verdict of a right answer."""
        return Verdict(True, self.right.spans(self.names(live)))


@dataclass(frozen=True, slots=True, kw_only=True)
class NumberQuestion(Question):
    """A number is typed. `tolerance` is absolute, or a part of the answer when `relative`."""

    answer: Expression
    tolerance: float = 0.005
    relative: bool = False
    mistakes: tuple[Mistake, ...] = ()

    kind = "number"

    def expressions(self) -> Iterator[Expression]:
        """Iterate over every expression of the question except those of `given`."""
        yield from super(NumberQuestion, self).expressions()
        yield self.answer
        for mistake in self.mistakes:
            yield mistake.answer
            yield from mistake.feedback.computed()

    def solution(self, live: Names | None = None) -> float:
        """Return the answer.

        Raises
        ------
        ExpressionError
        """
        return number_of(self.answer, self.names(live))

    def near(self, a: float, b: float) -> bool:
        """Say whether two numbers count as the same answer."""
        allowed = self.tolerance * abs(b) if self.relative else self.tolerance
        return abs(a - b) <= allowed * (1 + 1e-9)

    def judge(self, reply: str, live: Names | None = None) -> Verdict:
        """Return the verdict on what was typed."""
        values = typed_numbers(reply)
        if not values:
            return Verdict(False, message=NOT_A_NUMBER)
        names = self.names(live)
        answer = number_of(self.answer, names)
        if any(self.near(value, answer) for value in values):
            return self.praise(live)
        for mistake in self.mistakes:
            wrong = number_of(mistake.answer, names)
            if any(self.near(value, wrong) for value in values):
                return Verdict(False, mistake.feedback.spans(names))
        return Verdict(False, message=self._remark(values[0], answer))

    def _remark(self, value: float, answer: float) -> str:
        if 0 < answer <= 1 and self.near(value / 100, answer):
            return PER_CENT
        if self.near(-value, answer):
            return WRONG_SIGN
        return TOO_HIGH if value > answer else TOO_LOW


@dataclass(frozen=True, slots=True, kw_only=True)
class ChoiceQuestion(Question):
    """One option is chosen, or several are marked where `several`.

    With an `answer`, the option whose number equals it is the right one; without, options say themselves.
    """

    options: tuple[Option, ...]
    answer: Expression | None = None

    kind = "choice"

    @property
    def several(self) -> bool:
        """Say whether more than one option is to be marked."""
        return sum(option.correct for option in self.options) > 1

    def expressions(self) -> Iterator[Expression]:
        """Iterate over every expression of the question except those of `given`."""
        yield from super(ChoiceQuestion, self).expressions()
        if self.answer:
            yield self.answer
        for option in self.options:
            yield from option.label.computed()
            yield from option.feedback.computed()

    def solution(self, live: Names | None = None) -> frozenset[int]:
        """Return the indices of the right options.

        Raises
        ------
        ExpressionError
        """
        if self.answer is None:
            return frozenset(i for i, option in enumerate(self.options) if option.correct)
        names = self.names(live)
        answer = number_of(self.answer, names)
        values = [number_of(option.value, names) if option.value else math.nan for option in self.options]
        return frozenset(i for i, value in enumerate(values) if math.isclose(value, answer, rel_tol=1e-9))

    def judge(self, reply: Collection[int], live: Names | None = None) -> Verdict:
        """Return the verdict on the options that were marked."""
        marked, right = frozenset(reply), self.solution(live)
        if not marked:
            return Verdict(False, message=CHOOSE)
        if marked == right:
            return self.praise(live)
        wrong = sorted(marked - right)
        if not wrong:
            return Verdict(False, message=MORE_TO_MARK)
        return Verdict(False, self.options[wrong[0]].feedback.spans(self.names(live)))


@dataclass(frozen=True, slots=True, kw_only=True)
class CellQuestion(Question):
    """One cell of the picture is clicked."""

    answer: Place
    mistakes: tuple[PlaceMistake, ...] = ()

    kind = "cell"

    def expressions(self) -> Iterator[Expression]:
        """Iterate over every expression of the question except those of `given`."""
        yield from super(CellQuestion, self).expressions()
        for mistake in self.mistakes:
            yield from mistake.feedback.computed()

    def solution(self, live: Names | None = None) -> Place:  # noqa: ARG002 - the kinds answer alike
        """Return the cell to click."""
        return self.answer

    def judge(self, reply: tuple[str, tuple[int, ...]], live: Names | None = None) -> Verdict:
        """Return the verdict on the cell that was clicked: the name of its array, and its index."""
        array, index = reply
        if self.answer.holds(array, index):
            return self.praise(live)
        for mistake in self.mistakes:
            if mistake.place.holds(array, index):
                return Verdict(False, mistake.feedback.spans(self.names(live)))
        return Verdict(False, message=NOT_THIS_CELL if array == self.answer.array else NOT_THIS_ARRAY)


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsQuestion(Question):
    """A set of rows, of `count`, is marked."""

    count: int
    answer: Expression
    mistakes: tuple[Mistake, ...] = ()

    kind = "rows"

    def expressions(self) -> Iterator[Expression]:
        """Iterate over every expression of the question except those of `given`."""
        yield from super(RowsQuestion, self).expressions()
        yield self.answer
        for mistake in self.mistakes:
            yield mistake.answer
            yield from mistake.feedback.computed()

    def solution(self, live: Names | None = None) -> frozenset[int]:
        """Return the rows to mark.

        Raises
        ------
        ExpressionError
        """
        return rows_of(self.answer, self.names(live))

    def judge(self, reply: Collection[int], live: Names | None = None) -> Verdict:
        """Return the verdict on the rows that were marked."""
        names, marked = self.names(live), frozenset(reply)
        right = rows_of(self.answer, names)
        if marked == right:
            return self.praise(live)
        for mistake in self.mistakes:
            if marked == rows_of(mistake.answer, names):
                return Verdict(False, mistake.feedback.spans(names))
        return Verdict(False, message=MORE_TO_MARK if marked and marked < right else NOT_THESE_ROWS)


AnyQuestion = NumberQuestion | ChoiceQuestion | CellQuestion | RowsQuestion


def number_of(expression: Expression, names: Names) -> float:
    """Return the one number that an expression gives, NaN when it gives none or several.

    Raises
    ------
    ExpressionError
    """
    value = expression.value(names)
    if not isinstance(value, float | np.ndarray):
        return math.nan
    array = np.asarray(value, dtype=np.float64)
    return float(array.item()) if array.size == 1 else math.nan


def rows_of(expression: Expression, names: Names) -> frozenset[int]:
    """Return the list of rows that an expression gives.

    Raises
    ------
    ExpressionError
    """
    value = expression.value(names)
    if not isinstance(value, float | np.ndarray):
        return frozenset()
    return frozenset(int(one) for one in np.atleast_1d(np.asarray(value, dtype=np.float64)).ravel())


# The signs of arithmetic as the lessons print them.
_SIGNS: Final = {number_text.MINUS: "-", "·": "*", "×": "*", "÷": "/", "^": "**", "√(": "sqrt(", "≈": "", "~": ""}
_ROOT: Final = re.compile(r"√\s*([0-9]+(?:\.[0-9]+)?)")
_THOUSANDS: Final = re.compile(r"[+-]?[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?")


def typed_numbers(text: str) -> tuple[float, ...]:
    """Return what somebody may have meant who typed this; nothing when it is no number.

    Reads what every cell of the app reads, shares in per cent, and arithmetic such as ``1/3``, ``√2 · 3`` or
    ``exp(-2)``. ``98,304`` is two numbers here: a reader who copies thousands from a text and one who writes a decimal
    comma are both right.
    """
    whole = text.strip()
    tidy = whole.removesuffix("%").rstrip()
    unit = 1 if tidy == whole else 100
    for sign, code in _SIGNS.items():
        tidy = tidy.replace(sign, code)
    tidy = _ROOT.sub(r"sqrt(\1)", tidy)
    found = []
    try:
        found.append(number_text.parse(tidy))
    except InputError:
        try:
            value = evaluate(tidy, {})
        except ExpressionError:
            return ()
        found = [value] if isinstance(value, float) and math.isfinite(value) else []
    if _THOUSANDS.fullmatch(tidy):
        found.append(float(tidy.replace(",", "")))
    return tuple(dict.fromkeys(value / unit for value in found))
