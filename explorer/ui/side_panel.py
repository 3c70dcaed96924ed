"""The panel beside a stage: idea, formula, a question to predict, something to try. Built from a lesson alone.

It knows no tab and computes no number. The window tells it what the tab holds (:meth:`SidePanel.set_results`) and
which cell was clicked (:meth:`SidePanel.offer_cell`), and may open and close it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QFrame, QLabel, QVBoxLayout, QWidget

from explorer.ui.cards import NoteCard, TaskCard
from explorer.ui.column_scroll import ColumnScroll
from explorer.ui.formula import FormulaWidget
from explorer.ui.question_card import QuestionCard
from explorer.ui.rich import Paragraph
from explorer.ui.style import dress
from explorer.workbench.prose import Span

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from PySide6.QtGui import QHideEvent, QShowEvent

    from explorer.ui.theme import Theme
    from explorer.workbench.lessons import Lesson
    from explorer.workbench.questions import Names

#: Its width at 100 %.
WIDTH = 250


class SidePanel(QWidget):
    """The lesson of one tab.

    Parameters
    ----------
    lesson : Lesson
        What it shows.
    theme : Theme
        How it looks.
    lesson_values : callable, optional
        Returns the tab's names at the lesson's values, for questions that read them.

    Signals
    -------
    cell_wanted(bool)
        Whether the next click on a cell of the picture is the reply to a question; it goes to :meth:`offer_cell`.
    cell_revealed(str, tuple)
        The array and index of a cell that a question asked for, once it is revealed.
    """

    cell_wanted = Signal(bool)
    cell_revealed = Signal(str, tuple)

    def __init__(
        self,
        lesson: Lesson,
        theme: Theme,
        lesson_values: Callable[[], Names] | None = None,
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("side_panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.setAccessibleName(self.tr("Lesson: {0}").format(lesson.title))
        self.lesson = lesson
        self.theme = theme
        self._names: Mapping[str, Any] | None = None
        self._title = QLabel(lesson.title)
        self._title.setObjectName("side_title")
        self._title.setTextFormat(Qt.TextFormat.PlainText)
        self._title.setWordWrap(True)
        self._cures = Paragraph("side_cures")
        self._idea = Paragraph("side_idea")
        self._formula: FormulaWidget | None = None
        self.questions: QuestionCard | None = None
        self.tasks: TaskCard | None = None
        self._notes = [NoteCard(card, theme) for card in lesson.cards]
        self._content = QWidget()
        self._content.setObjectName("side_content")
        self._column = QVBoxLayout(self._content)
        for widget in (self._title, self._cures, self._idea):
            self._column.addWidget(widget)
        if lesson.formula:
            self._add_formula(lesson)
        if lesson.questions:
            self.questions = QuestionCard(lesson.questions, theme, lesson_values)
            self.questions.cell_wanted.connect(self.cell_wanted)
            self.questions.cell_revealed.connect(self.cell_revealed)
            self._column.addWidget(self.questions)
        if lesson.tasks:
            self.tasks = TaskCard(lesson.tasks, theme)
            self._column.addWidget(self.tasks)
        for note in self._notes:
            self._column.addWidget(note)
        self._column.addStretch(1)
        self.area = ColumnScroll(self._content, steady=True)
        self.area.setObjectName("side_scroll")
        self.area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.addWidget(self.area)
        self.apply_theme(theme)

    def _add_formula(self, lesson: Lesson) -> None:
        assert lesson.formula is not None
        self._band = QFrame()
        self._band.setObjectName("formula_band")
        self._formula = FormulaWidget(self.theme)
        self._formula.setFormula(lesson.formula.tex, lesson.formula.says, lesson.name)
        self._band_column = QVBoxLayout(self._band)
        self._band_column.addWidget(self._formula)
        self._column.addWidget(self._band)

    # --- what the tab says ---

    def set_results(self, names: Mapping[str, Any]) -> None:
        """Take what the tab holds now: sizes, controls, inputs and results by name. Cheap while the panel is closed."""
        self._names = names
        if self.tasks and self.isVisible():
            self.tasks.set_results(names)

    def offer_cell(self, array: str, index: tuple[int, ...]) -> None:
        """Take a click on a cell; it is a reply only while a question wants one."""
        if self.questions:
            self.questions.offer_cell(array, index)

    @property
    def wants_cell(self) -> bool:
        """Whether the next click on a cell is a reply."""
        return self.questions is not None and self.questions.wants_cell

    def stop_asking(self) -> bool:
        """Take clicks no longer as replies; False where they were none."""
        asked = self.wants_cell
        if self.questions is not None and asked:
            self.questions.stop_asking()
        return asked

    def hideEvent(self, event: QHideEvent) -> None:
        """Take clicks no longer as replies to a question that nobody sees."""
        super().hideEvent(event)
        self.stop_asking()

    def showEvent(self, event: QShowEvent) -> None:
        """Catch up with what the tab did meanwhile."""
        super().showEvent(event)
        if self.tasks and self._names is not None:
            self.tasks.set_results(self._names)

    # --- looks ---

    def sizeHint(self) -> QSize:
        """Return the width that it has; a stack of panels asks for the hint alone."""
        return QSize(self.theme.px(WIDTH), super().sizeHint().height())

    def apply_theme(self, theme: Theme) -> None:
        """Take other colours, another scale."""
        self.theme = theme
        px = theme.px
        dress(self, theme, _stylesheet(theme))
        self.setFixedWidth(px(WIDTH))
        # The bar's room, which is free where there is no bar, is a part of the margin.
        bar = self.area.verticalScrollBar().sizeHint().width()
        self._column.setContentsMargins(px(14), px(12), max(px(14) - bar, 0), px(12))
        self._column.setSpacing(px(8))
        self._cures.show_spans((Span(self.lesson.misconception),), theme, self.tr("Cures:") + " ")
        self._idea.show_spans(self.lesson.idea.spans(), theme)
        if self._formula:
            self._band_column.setContentsMargins(0, px(7), 0, px(7))
            self._formula.apply_theme(theme)
        for card in (self.questions, self.tasks, *self._notes):
            if card:
                card.apply_theme(theme)


def _stylesheet(theme: Theme) -> str:
    c, px, size = theme.colors, theme.px, theme.text_px
    line = max(px(1), 1)
    return f"""
#side_panel {{ background: {c.panel}; border: none; border-left: {line}px solid {c.border}; }}
#side_scroll, #side_content {{ background: transparent; border: none; }}
QLabel {{ color: {c.text}; font-size: {size(13)}px; background: transparent; }}
#side_title {{ font-size: {size(18)}px; font-weight: 600; }}
#side_cures, #card_place, #task_mark, #hint_text, #task_note, #note_text {{
  color: {c.muted}; font-size: {size(12)}px; }}
#formula_band {{ background: transparent; border: none;
  border-top: {line}px solid {c.border}; border-bottom: {line}px solid {c.border}; }}
QFrame[card="true"] {{ background: {c.card}; border: {line}px solid {c.border}; border-radius: {px(8)}px; }}
#card_title {{ font-size: {size(13)}px; font-weight: 600; }}
#task_mark[tone="good"] {{ color: {c.good}; font-weight: 600; }}
QFrame[card="true"] QLineEdit {{ background: {c.panel}; font-size: {size(13)}px; }}
QFrame[card="true"] QPushButton {{ background: {c.panel}; padding: {px(3)}px {px(9)}px; }}
QPushButton#check, QPushButton#next_question {{
  background: {c.accent}; color: {c.on_accent}; border-color: {c.accent}; }}
QPushButton#check:focus, QPushButton#next_question:focus, QPushButton#point:checked {{
  border-color: {c.text}; }}
QPushButton#point:checked {{ background: {c.accent}; color: {c.on_accent}; }}
QPushButton[row="true"] {{ min-width: {px(14)}px; padding: {px(2)}px {px(4)}px; }}
QPushButton[row="true"]:checked {{ background: {c.accent}; color: {c.on_accent}; border-color: {c.accent}; }}
QPushButton#note_title {{ background: transparent; border-color: transparent; padding: 0; text-align: left;
  font-weight: 600; min-height: {px(18)}px; }}
QPushButton#note_title:hover, QPushButton#note_title:focus {{ border-color: {c.accent}; }}
#card_head QToolButton {{ color: {c.muted}; font-size: {size(12)}px; background: transparent;
  border: {line}px solid transparent; border-radius: {px(4)}px; padding: {px(1)}px 0; min-height: {px(16)}px; }}
#card_head QToolButton:hover, #card_head QToolButton:focus {{ border-color: {c.accent}; color: {c.text}; }}
#card_head QToolButton:checked {{ color: {c.text}; border-color: {c.border}; }}
"""
