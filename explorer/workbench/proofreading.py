"""What is wrong with a lesson although every line of it can be read.

Questions that cannot be told apart, answers that the core does not confirm, tasks that are done before anybody has
begun: the faults that an author makes and a reader finds in front of a class. The tests run this over every lesson;
authors of new tabs may run it on their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import TYPE_CHECKING, Any

from explorer.workbench import predicates
from explorer.workbench.expression_errors import ExpressionError
from explorer.workbench.questions import (
    AnyQuestion,
    CellQuestion,
    ChoiceQuestion,
    NumberQuestion,
    RowsQuestion,
    number_of,
    rows_of,
)

if TYPE_CHECKING:
    from explorer.concepts.declaration import Situation, Values
    from explorer.workbench.lessons import Lesson, Task
    from explorer.workbench.prose import Prose

Names = Mapping[str, Any]


def names_of(situation: Situation, results: Values) -> dict[str, Any]:
    """Return what checks may read of a tab: its sizes, its controls, its inputs and everything computed."""
    return {**situation.sizes, **situation.controls, **results}


def faults(lesson: Lesson, live: Names | None = None) -> list[str]:
    """List what is wrong with a lesson, in sentences; an empty list means that nothing is.

    Parameters
    ----------
    lesson : Lesson
    live : mapping, optional
        The tab at the lesson's values, as :func:`names_of` gives it. Without it, questions that read the tab and all
        tasks are left out.
    """
    found = []
    for number, question in enumerate(lesson.questions, 1):
        if live is None and question.needs():
            continue
        try:
            found += [f"question {number}: {fault}" for fault in _question_faults(question, live)]
        except ExpressionError as error:
            found.append(f"question {number}: {error}")
    if live is not None:
        for number, task in enumerate(lesson.tasks, 1):
            found += [f"task {number}: {fault}" for fault in _task_faults(task, live)]
    return found


def _task_faults(task: Task, live: Names) -> Iterator[str]:
    if task.check is None:
        return
    outcome = predicates.check(task.check, live)
    if outcome.problem:
        yield outcome.note
    elif outcome.done:
        yield "it is done already at the lesson's values"


def _question_faults(question: AnyQuestion, live: Names | None) -> Iterator[str]:
    names = question.names(live)
    for predicate in question.proof:
        if not predicates.check(predicate, names).done:
            yield f"the core does not confirm {predicate.text}"
    for text in _texts(question):
        text.plain(names)
    if isinstance(question, NumberQuestion):
        yield from _number_faults(question, names)
    elif isinstance(question, ChoiceQuestion):
        yield from _choice_faults(question, names, live)
    elif isinstance(question, RowsQuestion):
        yield from _rows_faults(question, names)
    else:
        yield from _cell_faults(question)


def _texts(question: AnyQuestion) -> Iterator[Prose]:
    yield question.text
    yield question.right
    if isinstance(question, ChoiceQuestion):
        for option in question.options:
            yield option.label
            yield option.feedback
    else:
        for mistake in question.mistakes:
            yield mistake.feedback


def _number_faults(question: NumberQuestion, names: Names) -> Iterator[str]:
    answers = {"the answer": number_of(question.answer, names)}
    answers |= {mistake.answer.text: number_of(mistake.answer, names) for mistake in question.mistakes}
    if len(answers) <= len(question.mistakes):
        yield "two wrong answers are the same expression"
    for text, value in answers.items():
        if math.isnan(value):
            yield f"{text} is not one number"
    for (first, a), (second, b) in combinations(answers.items(), 2):
        # Twice the tolerance: no reply may be near both.
        if question.near((a + b) / 2, a) and question.near((a + b) / 2, b):
            yield f"{first} ({a:.6g}) and {second} ({b:.6g}) cannot be told apart"


def _choice_faults(question: ChoiceQuestion, names: Names, live: Names | None) -> Iterator[str]:
    right = question.solution(live)
    if not right:
        yield "none of the options equals the answer"
    if len(right) == len(question.options):
        yield "every option is right"
    if question.answer and len(right) > 1:
        yield "two options equal the answer"
    for number, option in enumerate(question.options):
        if number not in right and not option.feedback:
            yield f"{option.label.plain(names)} is wrong and names no mistake"
    labels = [option.label.plain(names) for option in question.options]
    if len(set(labels)) < len(labels):
        yield f"two options read alike: {', '.join(labels)}"


def _rows_faults(question: RowsQuestion, names: Names) -> Iterator[str]:
    answers = [rows_of(question.answer, names), *(rows_of(mistake.answer, names) for mistake in question.mistakes)]
    if len(set(answers)) < len(answers):
        yield "two answers are the same rows"
    if any(not 0 <= row < question.count for answer in answers for row in answer):
        yield f"an answer has a row that is not among 0 to {question.count - 1}"


def _cell_faults(question: CellQuestion) -> Iterator[str]:
    places = [question.answer, *(mistake.place for mistake in question.mistakes)]
    if len(set(places)) < len(places):
        yield "two answers are the same place"
    if None in question.answer.index:
        yield "the answer must be a single cell"
