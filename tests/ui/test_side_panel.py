"""The panel beside a stage: what it shows of a lesson, how a question is answered, when a task is done."""

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QAbstractButton, QApplication, QHBoxLayout, QLabel, QLineEdit, QToolButton, QWidget
from pytestqt.qtbot import QtBot

from explorer import resources
from explorer.ui import theme as themes
from explorer.ui.rich import OptionCheck, OptionRadio, Paragraph, rich
from explorer.ui.side_panel import SidePanel
from explorer.ui.style import stylesheet
from explorer.workbench import lessons
from explorer.workbench.prose import Span
from explorer.workbench.questions import TOO_LOW

FILES = resources.names("lessons", "en")
#: What a 1280 × 720 window leaves for the panel, below menu and bar and above the status line.
HEIGHT = 640

LESSON = """\
# A title
cures: What one believes.

An idea with [q]{query} and `Wk`.

## Formula
\\frac{a}{b}
says: a over b

## Question: number
What is one half of {= 3}?
answer: 3 / 2
right: Just a half.
wrong: 3 * 2 => You doubled it.

## Question: choice
Which is even?
option: {= 3} => Three is odd.
option: {= 4}
answer: 4
right: Four is.

## Question: choice
Which are even?
correct: two
option: three => Three is odd.
correct: four
right: Two and four are.

## Question: cell
Click it.
answer: weights[2, 1]
wrong: weights[1, 2] => Turned around.
right: Found.

## Question: rows
Which rows?
of: 4
answer: [2, 3]
wrong: [0, 1] => The others.
right: The last two.

## Task
Make it large.
check: weights[2, 1] >= 0.9
hint: Slowly.

## Task
Anything.

## Card: Names
One thing, many names.
"""


class Fixture:
    """A panel on screen, and how a person finds things in it."""

    def __init__(self, qtbot: QtBot, theme="light", percent=100, text=LESSON, file="sample.md", height=HEIGHT):
        self.qtbot = qtbot
        self.theme = themes.make(theme, percent)
        themes.apply(QApplication.instance(), self.theme)
        self.window = window = QWidget()
        window.setStyleSheet(stylesheet(self.theme))
        self.panel = SidePanel(lessons.parse(text, file), self.theme)
        line = QHBoxLayout(window)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(self.panel)
        qtbot.addWidget(window)
        window.resize(self.panel.width(), round(height * percent / 100))
        window.show()
        qtbot.waitExposed(window)
        self.settle()

    def settle(self):
        """Let layouts and scroll bars come to rest; each round answers what the one before has posted."""
        for _ in range(4):
            QApplication.processEvents()

    def find(self, kind, name):
        found = [one for one in self.panel.findChildren(kind, name) if one.isVisible()]
        assert len(found) <= 1, name
        return found[0] if found else None

    def text(self, name):
        label = self.find(Paragraph, name)
        return label.accessibleName() if label else ""

    def click(self, name):
        button = self.find(QAbstractButton, name)
        self.panel.area.ensureWidgetVisible(button)
        self.qtbot.mouseClick(button, Qt.MouseButton.LeftButton)

    def type(self, text):
        self.qtbot.keyClicks(self.find(QLineEdit, "answer"), text)

    def next(self, times=1):
        for _ in range(times):
            self.click("next_question_arrow")


@pytest.fixture
def shown(qtbot):
    return Fixture(qtbot)


def test_a_lesson_is_shown_from_its_title_to_its_notes(shown):
    assert shown.find(QLabel, "side_title").text() == "A title"
    assert shown.text("side_cures") == "Cures: What one believes."
    assert shown.text("side_idea") == "An idea with q and Wk."
    assert shown.find(QWidget, "formula").accessibleName() == "a over b"
    assert shown.text("question_text") == "What is one half of 3?"
    assert shown.text("task_text") == "Make it large."
    assert shown.text("note_text") == ""
    shown.click("note_title")
    assert shown.text("note_text") == "One thing, many names."


def test_words_of_a_role_have_its_colour(shown):
    role = shown.theme.colors.role
    html = rich((Span("q", "plain", "query"), Span(" and "), Span("Wk[2, 0]", "code"), Span("2 < 3")), shown.theme)
    assert f"color:{role['query']}" in html
    assert f"color:{role['key']}" in html
    assert "2 &lt; 3" in html


def test_a_number_is_typed_judged_and_corrected(shown):
    shown.type("6")
    shown.click("check")
    assert shown.text("feedback") == "✗ You doubled it."
    shown.find(QLineEdit, "answer").clear()
    shown.type("1,5")
    shown.qtbot.keyClick(shown.find(QLineEdit, "answer"), Qt.Key.Key_Return)
    assert shown.text("feedback") == "✓ Just a half."
    assert shown.find(QAbstractButton, "check") is None
    assert shown.find(QLineEdit, "answer").isReadOnly()
    shown.click("next_question")
    assert shown.text("question_text") == "Which is even?"
    assert shown.text("feedback") == ""


def test_a_remark_without_a_known_mistake_is_shown_too(shown):
    shown.type("1")
    shown.click("check")
    assert shown.text("feedback") == f"✗ {TOO_LOW}"


def test_reveal_shows_the_answer_and_the_reason(shown):
    shown.click("reveal")
    assert shown.text("feedback") == "1.500. Just a half."
    assert shown.find(QLineEdit, "answer") is None
    assert shown.find(QAbstractButton, "reveal") is None


def test_one_option_is_chosen(shown):
    shown.next()
    three, four = (shown.find(OptionRadio, f"option_{i}") for i in (0, 1))
    shown.click("option_0")
    shown.click("check")
    assert shown.text("feedback") == "✗ Three is odd."
    assert (three.mark, four.mark) == ("wrong", "")
    shown.click("option_1")
    assert shown.text("feedback") == ""
    shown.click("check")
    assert shown.text("feedback") == "✓ Four is."
    assert (three.mark, four.mark) == ("", "right")
    assert not three.isEnabled()


def test_an_option_takes_a_click_on_its_words(shown):
    shown.next()
    option = shown.find(OptionRadio, "option_1")
    shown.qtbot.mouseClick(option, Qt.MouseButton.LeftButton, pos=option.rect().center())
    assert option.isChecked()


def test_several_options_are_marked(shown):
    shown.next(2)
    shown.click("option_0")
    shown.click("check")
    assert "something is still missing" in shown.text("feedback")
    assert shown.find(OptionCheck, "option_0").mark == ""
    shown.click("option_2")
    shown.click("check")
    assert shown.text("feedback") == "✓ Two and four are."


def test_a_cell_is_asked_for_and_taken_from_the_picture(shown):
    wanted, panel = [], shown.panel
    panel.cell_wanted.connect(wanted.append)
    shown.next(3)
    panel.offer_cell("weights", (2, 1))
    assert shown.text("feedback") == "", "a click that was not asked for is no answer"
    shown.click("point")
    assert panel.wants_cell
    panel.offer_cell("weights", (1, 2))
    assert shown.text("feedback") == "✗ Turned around."
    assert panel.wants_cell
    panel.offer_cell("weights", (2, 1))
    assert shown.text("feedback") == "✓ Found."
    assert not panel.wants_cell
    assert wanted == [True, False]


def test_leaving_a_question_stops_asking_for_a_cell(shown):
    shown.next(3)
    shown.click("point")
    shown.next()
    assert not shown.panel.wants_cell


def test_a_revealed_cell_is_told_to_the_owner(shown):
    revealed = []
    shown.panel.cell_revealed.connect(lambda array, index: revealed.append((array, index)))
    shown.next(3)
    shown.click("reveal")
    assert revealed == [("weights", (2, 1))]
    assert shown.text("feedback") == "weights[2, 1]. Found."


def test_rows_are_marked(shown):
    shown.next(4)
    shown.click("row_0")
    shown.click("row_1")
    shown.click("check")
    assert shown.text("feedback") == "✗ The others."
    for row in range(4):
        shown.click(f"row_{row}")
    shown.click("check")
    assert shown.text("feedback") == "✓ The last two."
    assert shown.find(QAbstractButton, "next_question") is None, "it was the last one"


def test_replies_are_kept_while_one_leafs_through(shown):
    shown.type("6")
    shown.click("check")
    shown.next()
    shown.click("option_1")
    shown.click("check")
    shown.next(4)
    assert shown.find(QLineEdit, "answer").text() == "6"
    assert shown.text("feedback") == "✗ You doubled it."
    shown.next()
    assert shown.find(OptionRadio, "option_1").isChecked()
    assert shown.text("feedback") == "✓ Four is."


def test_another_theme_keeps_what_was_typed(shown):
    shown.type("6")
    shown.panel.apply_theme(themes.make("dark", 150))
    assert shown.find(QLineEdit, "answer").text() == "6"
    assert shown.panel.width() == 375


def test_a_task_ticks_itself_off_and_on(shown):
    mark = shown.find(QLabel, "task_mark")
    assert mark.text() == "○ not yet"
    shown.panel.set_results({"weights": np.full((3, 3), 0.95)})
    assert mark.text() == "✓ done"
    assert shown.panel.tasks.done
    shown.panel.set_results({"weights": np.full((3, 3), 0.5)})
    assert mark.text() == "○ not yet"


def test_a_task_whose_cell_is_gone_says_so(shown):
    shown.panel.set_results({"weights": np.full((2, 2), 0.95)})
    assert shown.find(QLabel, "task_mark").text() == "○ not yet"
    assert shown.text("task_note").strip() == "weights is 2 × 2, so it has no [2, 1]"
    shown.panel.set_results({"weights": np.full((3, 3), 0.95)})
    assert shown.text("task_note") == ""


def test_a_task_says_nothing_of_an_array_that_is_still_being_computed(shown):
    shown.panel.set_results({"weights": np.full((3, 3), 0.95)})
    shown.panel.set_results({"scores": np.zeros((3, 3))})
    assert shown.find(QLabel, "task_mark").text() == "○ not yet"
    assert shown.text("task_note") == ""


def test_a_closed_panel_catches_up_when_it_opens(shown):
    shown.panel.hide()
    shown.panel.set_results({"weights": np.full((3, 3), 0.95)})
    assert not shown.panel.tasks.done
    shown.panel.show()
    assert shown.panel.tasks.done


def test_a_hint_is_shown_when_it_is_asked_for(shown):
    assert shown.text("hint_text") == ""
    shown.click("hint")
    assert shown.text("hint_text") == "Slowly."
    shown.click("next_task_arrow")
    assert shown.text("hint_text") == ""
    assert shown.find(QAbstractButton, "hint") is None, "this task has none"
    assert shown.find(QLabel, "task_mark") is None, "this task is not checked"


def test_questions_may_read_the_lessons_values(qtbot):
    text = LESSON.replace("answer: 3 / 2", "answer: weights[0, 0]")
    panel = SidePanel(
        lessons.parse(text, "sample.md"), themes.make("light"), lambda: {"weights": np.full((1, 1), 0.25)}
    )
    qtbot.addWidget(panel)
    panel.questions.reveal()
    assert panel.questions.findChild(Paragraph, "feedback").accessibleName().startswith("0.250.")


def test_values_that_are_missing_are_named_instead_of_raising(qtbot):
    panel = SidePanel(
        lessons.parse(LESSON.replace("answer: 3 / 2", "answer: nothing"), "sample.md"), themes.make("light")
    )
    qtbot.addWidget(panel)
    panel.questions.check()
    panel.questions.reveal()
    assert "there is no 'nothing'" in panel.questions.findChild(Paragraph, "feedback").accessibleName()


@pytest.mark.parametrize(
    ("old", "new"),
    [("answer: 4\n", "answer: nothing\n"), ("{= 4}", "{= nothing}"), ("answer: [2, 3]", "answer: nothing")],
)
def test_a_question_that_cannot_be_computed_breaks_nothing(qtbot, old, new):
    shown = Fixture(qtbot, text=LESSON.replace(old, new))
    for _ in shown.panel.questions.questions:
        shown.panel.questions.check()
        shown.panel.questions.reveal()
        shown.next()
    assert shown.panel.questions.index == 0


def test_texts_of_a_lesson_are_never_taken_for_markup(qtbot):
    shown = Fixture(qtbot, text=LESSON.replace("A title", "<b>x</b>").replace("An idea", "<img src='file:///x'>"))
    assert shown.find(QLabel, "side_title").textFormat() == Qt.TextFormat.PlainText
    assert "&lt;img" in shown.find(Paragraph, "side_idea").text()


def test_everything_can_be_reached_with_the_keyboard_in_reading_order(shown):
    order = ["previous_question", "next_question_arrow", "answer", "check", "reveal"]
    shown.find(QToolButton, "previous_question").setFocus()
    names = [shown.panel.focusWidget().objectName()]
    for _ in range(8):
        shown.qtbot.keyClick(shown.panel.focusWidget(), Qt.Key.Key_Tab)
        names.append(shown.panel.focusWidget().objectName())
    assert names[:5] == order
    assert names[5:] == ["hint", "previous_task", "next_task_arrow", "note_title"]


def test_options_stand_between_the_arrows_and_the_buttons(shown):
    shown.next()
    shown.find(QToolButton, "next_question_arrow").setFocus()
    shown.qtbot.keyClick(shown.panel.focusWidget(), Qt.Key.Key_Tab)
    assert shown.panel.focusWidget().objectName() == "option_0"
    shown.qtbot.keyClick(shown.panel.focusWidget(), Qt.Key.Key_Space)
    assert shown.find(OptionRadio, "option_0").isChecked()
    shown.qtbot.keyClick(shown.panel.focusWidget(), Qt.Key.Key_Tab)
    assert shown.panel.focusWidget().objectName() == "check"


def test_whatever_takes_the_focus_has_a_name(shown):
    for _ in range(5):
        for widget in shown.panel.findChildren(QWidget):
            if widget.isVisible() and widget.focusPolicy() & Qt.FocusPolicy.TabFocus:
                named = widget.accessibleName() or (widget.text() if isinstance(widget, QAbstractButton) else "")
                assert named, widget.objectName()
        shown.next()


# ------------------------------------------------------------------------------------------ the lessons that ship


def faults(fixture):
    """Return what is cut off or sticks out, by geometry."""
    content, area = fixture.panel.area.widget(), fixture.panel.area.viewport()
    found = []
    if content.width() > area.width():
        found.append(f"the content is {content.width()} px wide, the panel {area.width()}")
    for widget in content.findChildren(QWidget):
        if not widget.isVisible():
            continue
        place = widget.mapTo(content, widget.rect().bottomRight())
        if place.x() >= content.width() or place.y() >= content.height():
            found.append(f"{widget.objectName()} sticks out")
        if isinstance(widget, QLabel | OptionRadio | OptionCheck) and widget.hasHeightForWidth():
            needed = widget.heightForWidth(widget.width())
            if needed > widget.height() + 1:
                found.append(f"{widget.accessibleName()[:30]!r} needs {needed} px, has {widget.height()}")
        elif isinstance(widget, QLabel | QAbstractButton):
            needed = widget.fontMetrics().horizontalAdvance(widget.text().replace("&", ""))
            if needed > widget.width() + 1:
                found.append(f"{widget.text()!r} needs {needed} px, has {widget.width()}")
    return found


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize(("theme", "percent"), [("light", 80), ("dark", 100), ("contrast", 150), ("light", 300)])
def test_no_text_is_cut_off(qtbot, file, theme, percent):
    shown = Fixture(qtbot, theme, percent, resources.text("lessons", "en", file), file)
    assert faults(shown) == []
    for number in range(len(shown.panel.questions.questions)):
        shown.panel.questions.go(number)
        shown.panel.questions.reveal()
        shown.settle()
        assert faults(shown) == [], f"question {number}"


@pytest.mark.parametrize("file", FILES)
def test_a_small_laptop_shows_it_whole(qtbot, file):
    shown = Fixture(qtbot, text=resources.text("lessons", "en", file), file=file)
    assert shown.panel.area.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize("file", FILES)
def test_every_kind_of_right_answer_is_accepted_on_screen(qtbot, file):
    shown = Fixture(qtbot, text=resources.text("lessons", "en", file), file=file)
    card = shown.panel.questions
    for number, question in enumerate(card.questions):
        card.go(number)
        solution = question.solution()
        if question.kind == "number":
            shown.type(repr(solution))
            card.check()
        elif question.kind == "cell":
            shown.click("point")
            shown.panel.offer_cell(solution.array, solution.index)
        else:
            for index in solution:
                shown.click(f"{'option' if question.kind == 'choice' else 'row'}_{index}")
            card.check()
        assert shown.text("feedback").startswith("✓"), question.text.plain(question.names())
