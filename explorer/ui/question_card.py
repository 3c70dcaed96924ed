"""The card that asks: predict, reply, be told which mistake it was, reveal, go on.

What is right is decided by :mod:`explorer.workbench.questions`; the card shows one question at a time, takes the reply
that its kind needs, and remembers replies while the tab is open.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, Signal
from PySide6.QtGui import QAccessible, QAccessibleAnnouncementEvent
from PySide6.QtWidgets import QAbstractButton, QFrame, QHBoxLayout, QLineEdit, QPushButton, QVBoxLayout, QWidget

from explorer.core.checks import InputError
from explorer.ui.cards import CardHead, fill_palette, set_card_space
from explorer.ui.flow import FlowLayout
from explorer.ui.rich import OptionCheck, OptionRadio, Paragraph, marked
from explorer.workbench.prose import Span, written
from explorer.workbench.questions import (
    AnyQuestion,
    CellQuestion,
    ChoiceQuestion,
    Names,
    NumberQuestion,
    RowsQuestion,
    Verdict,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from explorer.ui.theme import Theme


@dataclass(slots=True)
class _Progress:
    """How far somebody has come with one question."""

    typed: str = ""
    marked: set[int] = field(default_factory=set)
    verdict: Verdict | None = None
    revealed: bool = False

    @property
    def over(self) -> bool:
        return self.revealed or (self.verdict is not None and self.verdict.right)


class QuestionCard(QFrame):
    """One question of several, with its reply.

    Signals
    -------
    cell_wanted(bool)
        Whether the next click on a cell of the picture is a reply.
    cell_revealed(str, tuple)
        The array and index of the cell that was asked for.
    """

    cell_wanted = Signal(bool)
    cell_revealed = Signal(str, tuple)

    def __init__(
        self, questions: Sequence[AnyQuestion], theme: Theme, lesson_values: Callable[[], Names] | None = None
    ) -> None:
        super().__init__()
        self.setObjectName("question_card")
        self.setProperty("card", True)
        self.questions = tuple(questions)
        self.theme = theme
        self._lesson_values = lesson_values
        self._progress = [_Progress() for _ in self.questions]
        self._at = 0
        self._wanting = False
        self._choices: list[QAbstractButton] = []
        self.head = CardHead(self.tr("Predict"), "question", len(self.questions))
        self.head.moved.connect(self.go)
        self._text = Paragraph("question_text")
        self._body = QWidget()
        self._entry = QLineEdit()
        self._entry.setObjectName("answer")
        self._entry.setPlaceholderText("0.0")
        self._entry.setAccessibleName(self.tr("Your answer, a number"))
        self._entry.returnPressed.connect(self.check)
        self._point = QPushButton(self.tr("Answer by click"))
        self._point.setObjectName("point")
        self._point.setCheckable(True)
        self._point.toggled.connect(self._want)
        self._check = QPushButton(self.tr("Check"))
        self._check.setObjectName("check")
        self._check.clicked.connect(self.check)
        self._reveal = QPushButton(self.tr("Reveal"))
        self._reveal.setObjectName("reveal")
        self._reveal.clicked.connect(self.reveal)
        self._next = QPushButton(self.tr("Next question"))
        self._next.setObjectName("next_question")
        self._next.clicked.connect(lambda: self.go(self._at + 1))
        self._feedback = Paragraph("feedback")
        self._row = QHBoxLayout()
        for widget in (self._entry, self._point):
            self._row.addWidget(widget, 1)
        for widget in (self._check, self._reveal, self._next):
            self._row.addWidget(widget)
        self._row.addStretch(0)
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.head)
        for part in (self._text, self._body):
            self._column.addWidget(part)
        self._column.addLayout(self._row)
        self._column.addWidget(self._feedback)
        self.apply_theme(theme)

    # --- what is open ---

    @property
    def question(self) -> AnyQuestion:
        """The question that is open."""
        return self.questions[self._at]

    @property
    def index(self) -> int:
        """Its number, from 0."""
        return self._at

    @property
    def wants_cell(self) -> bool:
        """Whether the next click on a cell is a reply."""
        return self._wanting

    def go(self, index: int) -> None:
        """Open another question."""
        self._point.setChecked(False)
        self._progress[self._at].typed = self._entry.text()
        self._at = index % len(self.questions)
        self._build()

    def apply_theme(self, theme: Theme) -> None:
        """Take other colours, another scale; nothing that was replied is lost."""
        self.theme = theme
        self._progress[self._at].typed = self._entry.text()
        fill_palette(self._entry, theme)
        set_card_space(self._column, theme)
        self._row.setSpacing(theme.px(6))
        self.head.apply_theme(theme)
        self._build()

    def _names(self) -> Names:
        return self._lesson_values() if self._lesson_values and self.question.needs() else {}

    # --- building ---

    def _build(self) -> None:
        question = self.question
        self.head.show_index(self._at)
        self.setAccessibleName(self.tr("Predict, question {0} of {1}").format(self._at + 1, len(self.questions)))
        labels: list[tuple[Span, ...]] = []
        try:
            names = question.names(self._names())
            text = question.text.spans(names)
            if isinstance(question, ChoiceQuestion):
                labels = [option.label.spans(names) for option in question.options]
        except InputError as error:
            text = (Span(str(error)),)
        self._text.show_spans(text, self.theme)
        self._build_choices(labels)
        self._entry.setText(self._progress[self._at].typed)
        self._entry.setVisible(isinstance(question, NumberQuestion))
        self._show_progress()

    def _build_choices(self, labels: list[tuple[Span, ...]]) -> None:
        old = self._body
        self._body = QWidget()
        self._choices = []
        if isinstance(self.question, ChoiceQuestion):
            self._build_options(self.question, labels)
        elif isinstance(self.question, RowsQuestion):
            self._build_rows(self.question)
        for number, choice in enumerate(self._choices):
            choice.setChecked(number in self._progress[self._at].marked)
            choice.toggled.connect(lambda _on: self._marked())
        # `replaceWidget` would hand the layout's old item to nobody.
        at = self._column.indexOf(old)
        self._column.removeWidget(old)
        self._column.insertWidget(at, self._body)
        old.hide()
        old.deleteLater()
        self._body.setVisible(bool(self._choices))
        order = (self.head.on, *self._choices, self._entry, self._point, self._check, self._reveal, self._next)
        for first, second in pairwise(order):
            QWidget.setTabOrder(first, second)

    def _build_options(self, question: ChoiceQuestion, labels: list[tuple[Span, ...]]) -> None:
        layout = QVBoxLayout(self._body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        for number, label in enumerate(labels):
            button = (OptionCheck if question.several else OptionRadio)()
            button.set_up(label, self.theme)
            button.setObjectName(f"option_{number}")
            layout.addWidget(button)
            self._choices.append(button)

    def _build_rows(self, question: RowsQuestion) -> None:
        layout = FlowLayout(self.theme.px(4), self.theme.px(4))
        layout.setContentsMargins(0, 0, 0, 0)
        self._body.setLayout(layout)
        for row in range(question.count):
            button = QPushButton(str(row))
            button.setCheckable(True)
            button.setProperty("row", True)
            button.setObjectName(f"row_{row}")
            button.setAccessibleName(self.tr("Row {0}").format(row))
            layout.addWidget(button)
            self._choices.append(button)

    def _show_progress(self) -> None:
        """Show verdict and buttons as they stand."""
        progress, question = self._progress[self._at], self.question
        over, last = progress.over, self._at + 1 == len(self.questions)
        cell = isinstance(question, CellQuestion)
        self._check.setVisible(not over and not cell)
        self._point.setVisible(not over and cell)
        self._reveal.setVisible(not over)
        self._next.setVisible(over and not last)
        self._entry.setVisible(isinstance(question, NumberQuestion) and not progress.revealed)
        self._entry.setReadOnly(over)
        self._show_marks()
        if progress.revealed:
            self._show_answer()
        elif progress.verdict:
            self._show_verdict(progress.verdict)
        else:
            self._feedback.show_spans((), self.theme)

    def _show_marks(self) -> None:
        progress = self._progress[self._at]
        if not self._choices:
            return
        right = self._right() if progress.over or progress.verdict is not None else frozenset()
        for number, choice in enumerate(self._choices):
            choice.setEnabled(not progress.over)
            if progress.over and not isinstance(choice, OptionRadio | OptionCheck):
                choice.setChecked(number in right)
            elif isinstance(choice, OptionRadio | OptionCheck):
                wrong = progress.verdict is not None and choice.isChecked() and number not in right
                choice.set_mark("right" if progress.over and number in right else "wrong" if wrong else "")

    def _right(self) -> frozenset[int]:
        """Return the right options or rows; none when they cannot be computed, which the feedback then says."""
        question: Any = self.question
        try:
            return frozenset(question.solution(self._names()))
        except InputError:
            return frozenset()

    # --- replying ---

    def _marked(self) -> None:
        progress = self._progress[self._at]
        if progress.over:
            return
        progress.marked = {number for number, choice in enumerate(self._choices) if choice.isChecked()}
        if progress.verdict is not None:
            progress.verdict = None
            self._show_progress()

    def check(self) -> None:
        """Judge what was typed or marked."""
        progress, question = self._progress[self._at], self.question
        if progress.over or isinstance(question, CellQuestion):
            return
        progress.typed = self._entry.text()
        reply: Any = progress.typed if isinstance(question, NumberQuestion) else frozenset(progress.marked)
        self._judge(reply)

    def offer_cell(self, array: str, index: tuple[int, ...]) -> None:
        """Take a click on a cell of the picture; ignored unless one is wanted."""
        if self._wanting and isinstance(self.question, CellQuestion):
            self._judge((array, tuple(index)))
            if self._progress[self._at].over:
                self._point.setChecked(False)

    def stop_asking(self) -> None:
        """Take clicks on cells no longer as replies."""
        self._point.setChecked(False)

    def _judge(self, reply: Any) -> None:
        question: Any = self.question
        try:
            verdict = question.judge(reply, self._names())
        except InputError as error:
            verdict = Verdict(False, message=str(error))
        self._progress[self._at].verdict = verdict
        self._show_progress()
        self._announce()
        if verdict.right and self._next.isVisible():
            self._next.setFocus()

    def _want(self, on: bool) -> None:
        if on != self._wanting:
            self._wanting = on
            self._point.setText(self.tr("Click a cell …") if on else self.tr("Answer by click"))
            self.cell_wanted.emit(on)

    def reveal(self) -> None:
        """Show the answer, and why it is so."""
        self._point.setChecked(False)
        self._progress[self._at].revealed = True
        self._show_progress()
        self._announce()
        question = self.question
        if isinstance(question, CellQuestion):
            self.cell_revealed.emit(question.answer.array, question.answer.index)

    # --- feedback ---

    def _announce(self) -> None:
        """Have a screen reader say the feedback: the focus stays on the button."""
        QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, self._feedback.accessibleName()))

    def _show_verdict(self, verdict: Verdict) -> None:
        colors = self.theme.colors
        mark = marked("✓" if verdict.right else "✗", colors.good if verdict.right else colors.bad)
        spans = verdict.feedback
        if verdict.message:
            spans = (Span(QCoreApplication.translate("workbench", verdict.message)),)
        self._feedback.show_spans(spans, self.theme, mark)

    def _show_answer(self) -> None:
        question = self.question
        try:
            names = self._names()
            answer, right = self._answer(names), question.right.spans(question.names(names))
        except InputError as error:
            answer, right = "", (Span(str(error)),)
        lead = marked(f"{answer}.", self.theme.colors.accent_text) if answer else ""
        self._feedback.show_spans(right, self.theme, lead)

    def _answer(self, names: Names) -> str:
        """Return the answer in short; options show theirs by their marks."""
        question = self.question
        if isinstance(question, NumberQuestion):
            value = question.solution(names)
            return written(value, 0 if abs(value) >= 1000 else 3)
        if isinstance(question, CellQuestion):
            return f"{question.answer.array}[{', '.join(map(str, question.answer.index))}]"
        if isinstance(question, RowsQuestion):
            return ", ".join(map(str, sorted(question.solution(names))))
        return ""
