"""Lessons: the file format, how replies are judged, and that every text that ships is confirmed by the core."""

import re
from itertools import pairwise

import numpy as np
import pytest

from explorer import resources
from explorer.workbench import lessons, proofreading, questions
from explorer.workbench.lessons import LessonError
from explorer.workbench.prose import Span, read, written
from explorer.workbench.questions import CellQuestion, ChoiceQuestion, NumberQuestion, RowsQuestion, typed_numbers

FILES = resources.names("lessons", "en")

LESSON = """\
# A title
cures: What one believes.

First *idea* with `code` and [q]{query}.

Second idea: {= 1 / 3 : 2}.

## Formula
\\frac{a}{b}
says: a over b

## Question: number
How much?
given: a = [1, 2]
given: b = sum(a)
answer: a[1] / b
tolerance: 0.01
right: Two of {= b}
  in all.
wrong: a[0] / b => That is the other one.

## Question: choice
Which?
option: {= 4 ** 2} bytes => Squared, not doubled.
option: {= 4 * 2} bytes
answer: 8
right: Doubled.
proof: 4 + 4 == 8

## Question: choice
Mark what is cached.
correct: keys
option: queries => A query is used once.
correct: values
right: Keys and values.

## Question: cell
Click it.
answer: weights[2, 1]
wrong: weights[1, 2] => Turned around.
wrong: weights[2, :] => The column.
wrong: scores[:, :] => Too early.
right: Found.

## Question: rows
Which rows?
of: 4
given: a = [0, 0, 1, 1]
answer: rows(a == 1)
wrong: rows(a == 0) => Just the others.
right: The last two.

## Task
Do it.
check: weights[2, 1] >= 0.9
hint: Slowly.

## Card: Names
One thing, many names.
"""


@pytest.fixture
def lesson():
    return lessons.parse(LESSON, "sample.md")


def test_a_file_becomes_a_lesson(lesson):
    assert (lesson.title, lesson.misconception) == ("A title", "What one believes.")
    assert lesson.idea.plain() == "First idea with code and q.\n\nSecond idea: 0.33."
    assert lesson.formula.tex == r"\frac{a}{b}"
    assert lesson.formula.says == "a over b"
    assert [question.kind for question in lesson.questions] == ["number", "choice", "choice", "cell", "rows"]
    assert lesson.questions[0].right.plain(lesson.questions[0].names()) == "Two of 3 in all."
    assert lesson.tasks[0].check.text == "weights[2, 1] >= 0.9"
    assert lesson.tasks[0].hint.plain() == "Slowly."
    assert lesson.cards[0].title == "Names"
    assert proofreading.faults(lesson) == []


def test_spans_keep_style_and_role(lesson):
    assert lesson.idea.spans()[:6] == (
        Span("First "),
        Span("idea", "emphasis"),
        Span(" with "),
        Span("code", "code"),
        Span(" and "),
        Span("q", "plain", "query"),
    )


def test_a_star_that_multiplies_is_no_emphasis():
    assert read("2 * 3 and 4*5 and *so*").spans() == (Span("2 * 3 and 4*5 and "), Span("so", "emphasis"))
    assert read(r"\*not\* so").plain() == "*not* so"


@pytest.mark.parametrize(
    ("value", "decimals", "text"),
    [
        (4.0, 3, "4"),
        (98304.0, 3, "98,304"),
        (-1234567.5, 1, "−1,234,567.5"),
        (-0.0001, 3, "0.000"),
        (-np.inf, 3, "−∞"),
        (np.array([[1, 2], [3, -np.inf]]), 3, "((1, 2), (3, −∞))"),
        (np.array([0.5, 1]), 2, "(0.50, 1)"),
        (True, 3, "yes"),
        ("after", 3, "after"),
    ],
)
def test_computed_values_are_written_for_reading(value, decimals, text):
    assert written(value, decimals) == text


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("0.5", (0.5,)),
        ("0,5", (0.5,)),
        (" −2 ", (-2.0,)),
        ("1e-3", (0.001,)),
        ("1/4", (0.25,)),
        ("exp(0) + 1", (2.0,)),
        ("98,304", (98.304, 98304.0)),
        ("1 234,5", (1234.5,)),
        ("45 %", (0.45,)),
        ("66,7%", (0.667,)),
        ("2 · 3 + 1 · 3", (9.0,)),
        ("12 ÷ 3 × 2", (8.0,)),
        ("√64 − √(9)", (5.0,)),
        ("2^-1", (0.5,)),
        ("≈ 0.45", (0.45,)),
        ("%", ()),
        ("%" * 5000, ()),
        ("5 %%", ()),
        ("", ()),
        ("abc", ()),
        ("1 < 2", ()),
        ("[1, 2]", ()),
        ("nan", ()),
        ("1e999", ()),
        ("__import__('os')", ()),
    ],
)
def test_replies_are_read_as_people_type_them(typed, found):
    assert typed_numbers(typed) == pytest.approx(found)


def test_a_number_is_judged_by_its_mistake(lesson):
    question = lesson.questions[0]
    assert question.solution() == pytest.approx(2 / 3)
    assert question.judge("0.67").right
    assert question.judge("2/3").text == "Two of 3 in all."
    assert question.judge("0,333").text == "That is the other one."
    assert question.judge("66.7").message == questions.PER_CENT
    assert question.judge("-0.667").message == questions.WRONG_SIGN
    assert question.judge("0.9").message == questions.TOO_HIGH
    assert question.judge("0.1").message == questions.TOO_LOW
    assert question.judge("many").message == questions.NOT_A_NUMBER


def test_a_relative_tolerance_grows_with_the_answer():
    text = LESSON.replace("tolerance: 0.01", "tolerance: 2 %").replace("answer: a[1] / b", "answer: a[1] * 500")
    question = lessons.parse(text, "sample.md").questions[0]
    assert question.judge("1019").right
    assert question.judge("1,000").right
    assert not question.judge("1021").right


def test_a_choice_with_an_answer_is_decided_by_the_number(lesson):
    question = lesson.questions[1]
    assert question.solution() == {1}
    assert not question.several
    assert question.judge({1}).right
    assert question.judge({0}).text == "Squared, not doubled."
    assert question.judge(set()).message == questions.CHOOSE


def test_several_options_may_be_right(lesson):
    question = lesson.questions[2]
    assert question.several
    assert question.judge({0, 2}).right
    assert question.judge({0}).message == questions.MORE_TO_MARK
    assert question.judge({0, 1, 2}).text == "A query is used once."


def test_a_cell_is_judged_by_where_it_is(lesson):
    question = lesson.questions[3]
    assert question.judge(("weights", (2, 1))).right
    assert question.judge(("weights", (1, 2))).text == "Turned around."
    assert question.judge(("weights", (2, 0))).text == "The column."
    assert question.judge(("scores", (2, 1))).text == "Too early."
    assert question.judge(("weights", (0, 0))).message == questions.NOT_THIS_CELL
    assert question.judge(("v", (2, 1))).message == questions.NOT_THIS_ARRAY


def test_rows_are_judged_as_a_set(lesson):
    question = lesson.questions[4]
    assert question.solution() == {2, 3}
    assert question.judge({3, 2}).right
    assert question.judge({0, 1}).text == "Just the others."
    assert question.judge({3}).message == questions.MORE_TO_MARK
    assert question.judge({0}).message == questions.NOT_THESE_ROWS


@pytest.mark.parametrize(
    ("old", "new", "line", "says"),
    [
        ("# A title", "A title", 1, "begins with its title"),
        ("cures: What one believes.", "cure: What one believes.", None, "“cure:” has no place here"),
        ("cures: What one believes.\n", "", 1, "lacks its “cures:” line"),
        ("## Card: Names", "## Names", None, "there is no section “Names”"),
        ("## Question: rows", "## Question: row", None, "Question: rows"),
        ("answer: a[1] / b", "answer: a[1] /", None, "character"),
        ("answer: a[1] / b", "answer: a.T", None, "only what attend() returns has parts"),
        ("answer: a[1] / b\n", "", "## Question: number", "lacks its “answer:” line"),
        ("tolerance: 0.01", "tolerance: small", None, "a tolerance is"),
        ("tolerance: 0.01", "tolerance: 0", None, "a tolerance is"),
        ("tolerance: 0.01", "answer: 3", None, "twice"),
        ("given: b = sum(a)", "given: b sum(a)", None, "a given value is written"),
        ("wrong: a[0] / b => That is the other one.", "wrong: a[0] / b", None, "needs “ => ”"),
        ("answer: weights[2, 1]", "answer: weights", None, "a place is written"),
        ("of: 4\n", "of: four\n", None, "“of:” is a whole number"),
        ("[q]{query}", "[q]{question}", None, "there is no role 'question'"),
        ("{= 1 / 3 : 2}", "{= 1 / 3", None, "needs a closing brace"),
        ("{= 1 / 3 : 2}", "{= weights[0]}", None, "there is no 'weights'"),
        ("hint: Slowly.", "hint: {= n}", None, "there is no 'n'"),
        ("hint: Slowly.", "hints: Slowly.", None, "“hints:” has no place here"),
        ("hint: Slowly.", "wrong: 1 => no", None, "this section takes check or hint"),
        ("check: weights[2, 1] >= 0.9", "check: open('x')", None, "there is no function 'open'"),
        ("correct: keys\n", "answer: 3\ncorrect: keys\n", None, "not both"),
        ("How much?\n", "", "## Question: number", "says nothing"),
    ],
)
def test_a_bad_line_is_named_with_file_and_line(old, new, line, says):
    if not isinstance(line, int):
        line = LESSON[: LESSON.index(line or old)].count("\n") + 1
    assert old in LESSON
    with pytest.raises(LessonError) as caught:
        lessons.parse(LESSON.replace(old, new, 1), "sample.md")
    assert str(caught.value).startswith(f"sample.md, line {line}: ")
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("wrong: a[0] / b", "wrong: 0.66", "cannot be told apart"),
        ("proof: 4 + 4 == 8", "proof: 4 + 4 == 9", "does not confirm"),
        ("{= 4 ** 2} bytes", "{= 4 + 4} bytes", "two options"),
        ("answer: 8", "answer: 9", "none of the options"),
        ("wrong: rows(a == 0)", "wrong: rows(a > 0)", "the same rows"),
        ("answer: rows(a == 1)", "answer: [7]", "not among 0 to 3"),
        ("wrong: weights[1, 2]", "wrong: weights[2, 1]", "the same place"),
        ("answer: weights[2, 1]", "answer: weights[2, :]", "a single cell"),
        (" => Squared, not doubled.", "", "names no mistake"),
        ("Two of {= b}", "Two of {= c[9]}", "there is no 'c'"),
        ("answer: a[1] / b", "answer: a", "is not one number"),
    ],
)
def test_proofreading_finds_what_a_class_would(old, new, says):
    assert old in LESSON
    found = proofreading.faults(lessons.parse(LESSON.replace(old, new, 1), "sample.md"), {})
    assert any(says in fault for fault in found), found


def test_proofreading_finds_a_task_that_is_done_from_the_start(lesson):
    weights = np.zeros((3, 3))
    assert proofreading.faults(lesson, {"weights": weights}) == []
    weights[2, 1] = 1
    assert proofreading.faults(lesson, {"weights": weights}) == ["task 1: it is done already at the lesson's values"]
    assert "has no [2, 1]" in proofreading.faults(lesson, {"weights": weights[:2]})[0]


def test_an_absent_lesson_is_refused_with_those_that_exist():
    with pytest.raises(LessonError, match=r"there is no lesson 99-nothing\.md; there are .*07-full-attention\.md"):
        lessons.load(99, "nothing")


def test_a_language_without_the_lesson_gets_the_english_one():
    assert lessons.load(7, "full-attention", "xx") == lessons.load(7, "full-attention")


# ------------------------------------------------------------------------------------------------- what ships


@pytest.fixture(scope="module", params=FILES)
def shipped(request):
    return lessons.parse(resources.text("lessons", "en", request.param), request.param)


def test_the_core_confirms_every_question(shipped):
    assert proofreading.faults(shipped) == []


def test_every_tab_asks_and_lets_one_try(shipped):
    assert len(shipped.questions) >= 2
    assert any(task.check for task in shipped.tasks)
    assert shipped.formula


def test_questions_stand_on_their_own(shipped):
    """The tab may be edited while a question is open, so its numbers are given with it."""
    assert all(not question.needs() for question in shipped.questions)


def test_every_mistake_is_named(shipped):
    for question in shipped.questions:
        if isinstance(question, NumberQuestion | CellQuestion | RowsQuestion):
            assert question.mistakes
        assert question.right
        if isinstance(question, ChoiceQuestion):
            right = question.solution()
            assert all(option.feedback for i, option in enumerate(question.options) if i not in right)


def test_the_right_option_is_not_always_in_the_same_place():
    places = [
        min(question.solution())
        for name in FILES
        for question in lessons.parse(resources.text("lessons", "en", name), name).questions
        if isinstance(question, ChoiceQuestion)
    ]
    assert max(places.count(place) for place in set(places)) <= 0.6 * len(places)


def test_texts_are_short_enough_for_the_panel(shipped):
    assert len(shipped.idea.plain().split()) <= 60
    assert len(shipped.misconception) <= 70
    for question in shipped.questions:
        assert len(question.text.plain(question.names()).split()) <= 60
    for task in shipped.tasks:
        assert len(task.text.plain().split()) <= 40


def test_texts_keep_the_house_words(shipped):
    texts = [shipped.idea.plain(), shipped.misconception, *(task.text.plain() for task in shipped.tasks)]
    for question in shipped.questions:
        names = question.names()
        texts += [question.text.plain(names), question.right.plain(names)]
        if isinstance(question, ChoiceQuestion):
            texts += [text.plain(names) for option in question.options for text in (option.label, option.feedback)]
        else:
            texts += [mistake.feedback.plain(names) for mistake in question.mistakes]
    whole = "\n".join(texts)
    loose = re.search(r"(?<!attention )(?<!`)\bweights\b(?! of the matri)", whole)
    assert loose is None, whole[max(0, loose.start() - 40) : loose.end() + 20]
    assert not re.search(r"\bgroups?\b", whole)
    assert not re.search(r"key/value heads?", whole)


def test_files_are_numbered_without_gaps():
    numbers = [int(name[:2]) for name in FILES]
    assert all(re.fullmatch(r"\d\d-[a-z-]+\.md", name) for name in FILES)
    assert all(b - a == 1 for a, b in pairwise(numbers))
