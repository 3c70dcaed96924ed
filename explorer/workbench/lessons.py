r"""The text of a tab: its idea, formula, questions and tasks, read from one Markdown file.

A file is ``NN-slug.md`` in ``resources/lessons/<language>/``. It begins with the title and the misconception that the
tab cures; sections follow::

    # Full attention
    cures: What somebody believes who needs this tab.

    One to four sentences, with *emphasis*, `code`, [a word]{query} of a role and {= numbers : 2} that are computed.

    ## Formula
    \mathrm{softmax}\left(\frac{QK^T}{\sqrt{d}}\right)V
    says: how a screen reader says it

    ## Question: number
    What is asked.
    given: q = [[1, 0, 1, 2]]
    answer: an expression
    tolerance: 0.005
    right: why it is so
    wrong: an expression => the mistake behind it

    ## Task
    What to try.
    check: weights[2, 1] >= 0.9
    hint: where to begin

The other kinds of questions are ``choice`` (``option: label => feedback``, and ``correct: label`` or an ``answer:``
that one of the options' computed numbers must equal), ``cell`` (``answer: weights[2, 1]``, ``wrong: weights[1, :] =>
feedback``) and ``rows`` (``of: 8``, ``answer:`` an expression for the list of rows). ``proof:`` lines state predicates
that must hold. A line that begins with two spaces continues the one above. Expressions are those of
:mod:`explorer.workbench.predicates`; how questions are judged is :mod:`explorer.workbench.questions`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from explorer import resources
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.workbench import predicates, prose
from explorer.workbench.prose import Prose
from explorer.workbench.questions import (
    AnyQuestion,
    CellQuestion,
    ChoiceQuestion,
    Given,
    Mistake,
    NumberQuestion,
    Option,
    Place,
    PlaceMistake,
    RowsQuestion,
)
from explorer.workbench.sections import AT, NO_TITLE, Entry, LessonError, Section, sections_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from explorer.workbench.predicates import Expression

LANGUAGE: Final = "en"
MOST_ROWS: Final = 16

NO_SECTION = QT_TRANSLATE_NOOP("workbench", "there is no section “{name}”; a lesson may hold {known}")
NO_GIVEN = QT_TRANSLATE_NOOP("workbench", "a given value is written as a name, “ = ” and an expression")
NO_PLACE = QT_TRANSLATE_NOOP("workbench", "a place is written as weights[2, 1], or weights[2, :] for a whole row")
NO_TOLERANCE = QT_TRANSLATE_NOOP("workbench", "a tolerance is a positive number, or a percentage such as 2 %")
NO_COUNT = QT_TRANSLATE_NOOP("workbench", "“of:” is a whole number from 2 to {most}")
TOO_FEW = QT_TRANSLATE_NOOP("workbench", "a choice needs two options or more, at least one of them correct")
BOTH_WAYS = QT_TRANSLATE_NOOP("workbench", "a choice has either “correct:” options or an “answer:”, not both")
NO_LESSON = QT_TRANSLATE_NOOP("workbench", "there is no lesson {file}; there are {known}")


class Formula(NamedTuple):
    """A formula in TeX, and the same in words for a screen reader."""

    tex: str
    says: str


class Task(NamedTuple):
    """Something to try. `check` says when it is done; without one, the user decides."""

    text: Prose
    check: Expression | None = None
    hint: Prose | None = None


class Card(NamedTuple):
    """A titled note, such as the names that other tools use."""

    title: str
    text: Prose


class Lesson(NamedTuple):
    """The texts of one tab.

    Attributes
    ----------
    name : str
        The name of its file without the suffix, which its formula's picture shares.
    title : str
        As in the rail.
    misconception : str
        What the tab cures, in one line, as somebody would say it who holds it.
    idea : Prose
        A few sentences.
    formula : Formula or None
    questions, tasks, cards
        In the order of the file.
    """

    name: str
    title: str
    misconception: str
    idea: Prose
    formula: Formula | None = None
    questions: tuple[AnyQuestion, ...] = ()
    tasks: tuple[Task, ...] = ()
    cards: tuple[Card, ...] = ()


def file_name(number: int, slug: str) -> str:
    """Return the name of a tab's lesson file."""
    return f"{number:02d}-{slug}.md"


@lru_cache(maxsize=128)
def load(number: int, slug: str, language: str = LANGUAGE) -> Lesson:
    """Read the lesson of a tab; where it is not translated yet, the English one.

    Raises
    ------
    LessonError
        When there is none, or a line of it cannot be read.
    """
    name = file_name(number, slug)
    for one in dict.fromkeys((language, LANGUAGE)):
        known = resources.names("lessons", one)
        if name in known:
            return parse(resources.text("lessons", one, name), name)
    raise LessonError(NO_LESSON, file=name, known=Choices(sorted(resources.names("lessons", LANGUAGE))))


def parse(text: str, file: str) -> Lesson:
    """Read the text of a lesson file; `file` is its name in errors.

    Raises
    ------
    LessonError
    """
    sections = sections_of(text, file)
    head = next(sections, None)
    if head is None or head.level != 1:
        raise LessonError(AT, file=file, line=1, reason=NO_TITLE)
    head.only("cures")
    formula: Formula | None = None
    questions: list[AnyQuestion] = []
    tasks: list[Task] = []
    cards: list[Card] = []
    for section in sections:
        name, _, rest = (part.strip() for part in section.title.partition(":"))
        if name == "Formula":
            formula = _formula(section)
        elif name == "Question" and rest in _KINDS:
            questions.append(_KINDS[rest](section))
        elif name == "Task":
            tasks.append(_task(section))
        elif name == "Card" and rest:
            section.only()
            cards.append(Card(rest, section.prose(prose.read_alone)))
        else:
            known = Choices(["Formula", *(f"Question: {kind}" for kind in _KINDS), "Task", "Card: its title"])
            raise section.error(NO_SECTION, name=section.title, known=known)
    return Lesson(
        name=file.removesuffix(".md"),
        title=head.title,
        misconception=head.one("cures").value,
        idea=head.prose(prose.read_alone),
        formula=formula,
        questions=tuple(questions),
        tasks=tuple(tasks),
        cards=tuple(cards),
    )


# ------------------------------------------------------------------------------------------------------- sections


def _formula(section: Section) -> Formula:
    section.only("says")
    return Formula(" ".join(section.text.split()), section.one("says").value)


def _task(section: Section) -> Task:
    section.only("check", "hint")
    check, hint = section.maybe("check"), section.maybe("hint")
    return Task(
        section.prose(prose.read_alone),
        check.read(predicates.parse) if check else None,
        hint.read(prose.read_alone) if hint else None,
    )


# ------------------------------------------------------------------------------------------------------ questions

_COMMON: Final = ("given", "right", "proof")
_GIVEN: Final = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\s*=(?!=)\s*(.+)")
_PLACE: Final = re.compile(r"([A-Za-z_][A-Za-z_0-9]*)\[\s*([\d:,\s]+?)\s*\]")


def _given(section: Section) -> Iterator[Given]:
    for entry in section.every("given"):
        match = _GIVEN.fullmatch(entry.value)
        if not match:
            raise entry.error(NO_GIVEN)
        yield Given(match[1], entry.read(predicates.parse, match[2]))


def _mistakes(section: Section) -> Iterator[Mistake]:
    for entry in section.every("wrong"):
        answer, feedback = entry.halves()
        yield Mistake(entry.read(predicates.parse, answer), entry.read(prose.read, feedback))


def _expressions(entries: Iterable[Entry]) -> tuple[Expression, ...]:
    return tuple(entry.read(predicates.parse) for entry in entries)


def _number(section: Section) -> NumberQuestion:
    section.only(*_COMMON, "answer", "tolerance", "wrong")
    tolerance, relative = 0.005, False
    entry = section.maybe("tolerance")
    if entry:
        number, per_cent, rest = entry.value.partition("%")
        try:
            tolerance, relative = float(number) / (100 if per_cent else 1), bool(per_cent)
        except ValueError:
            tolerance = -1
        if not 0 < tolerance < float("inf") or rest.strip():
            raise entry.error(NO_TOLERANCE)
    return NumberQuestion(
        text=section.prose(),
        given=tuple(_given(section)),
        right=section.one("right").read(prose.read),
        proof=_expressions(section.every("proof")),
        answer=section.one("answer").read(predicates.parse),
        tolerance=tolerance,
        relative=relative,
        mistakes=tuple(_mistakes(section)),
    )


def _choice(section: Section) -> ChoiceQuestion:
    section.only(*_COMMON, "answer", "option", "correct")
    given = tuple(_given(section))
    answer = section.maybe("answer")
    if answer and section.every("correct"):
        raise answer.error(BOTH_WAYS)
    options = []
    for entry in section.entries:
        if entry.key == "option":
            label, _, feedback = entry.value.partition(" => ")
            options.append(Option(entry.read(prose.read, label), entry.read(prose.read, feedback), False))
        elif entry.key == "correct":
            options.append(Option(entry.read(prose.read), Prose(()), True))
    question = ChoiceQuestion(
        text=section.prose(),
        given=given,
        right=section.one("right").read(prose.read),
        proof=_expressions(section.every("proof")),
        options=tuple(options),
        answer=answer.read(predicates.parse) if answer else None,
    )
    if len(options) < 2 or (not answer and not any(option.correct for option in options)):
        raise section.error(TOO_FEW)
    return question


def _place(text: str) -> Place:
    match = _PLACE.fullmatch(text.strip())
    parts = [part.strip() for part in match[2].split(",")] if match else []
    if not match or not all(part == ":" or part.isdigit() for part in parts):
        raise InputError(NO_PLACE)
    return Place(match[1], tuple(None if part == ":" else int(part) for part in parts))


def _cell(section: Section) -> CellQuestion:
    section.only(*_COMMON, "answer", "wrong")
    mistakes = []
    for entry in section.every("wrong"):
        place, feedback = entry.halves()
        mistakes.append(PlaceMistake(entry.read(_place, place), entry.read(prose.read, feedback)))
    return CellQuestion(
        text=section.prose(),
        given=tuple(_given(section)),
        right=section.one("right").read(prose.read),
        proof=_expressions(section.every("proof")),
        answer=section.one("answer").read(_place),
        mistakes=tuple(mistakes),
    )


def _rows(section: Section) -> RowsQuestion:
    section.only(*_COMMON, "of", "answer", "wrong")
    count = section.one("of")
    if not count.value.isdigit() or not 2 <= int(count.value) <= MOST_ROWS:
        raise count.error(NO_COUNT, most=MOST_ROWS)
    return RowsQuestion(
        text=section.prose(),
        given=tuple(_given(section)),
        right=section.one("right").read(prose.read),
        proof=_expressions(section.every("proof")),
        count=int(count.value),
        answer=section.one("answer").read(predicates.parse),
        mistakes=tuple(_mistakes(section)),
    )


_KINDS: Final[dict[str, Callable[[Section], AnyQuestion]]] = {
    "number": _number,
    "choice": _choice,
    "cell": _cell,
    "rows": _rows,
}
