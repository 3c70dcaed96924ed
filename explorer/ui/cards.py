"""What the cards of the side panel share: a head that leafs through, and the card that lets one try."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import Signal
from PySide6.QtGui import QColor, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QToolButton, QVBoxLayout, QWidget

from explorer.ui.rich import Paragraph, marked
from explorer.workbench import predicates
from explorer.workbench.predicates import Outcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from explorer.ui.theme import Theme
    from explorer.workbench.lessons import Card, Task


def fill_palette(widget: QWidget, theme: Theme) -> None:
    """Give a field the theme's colours, so that its placeholder is readable too."""
    palette = widget.palette()
    palette.setColor(QPalette.ColorRole.PlaceholderText, QColor(theme.colors.muted))
    widget.setPalette(palette)


def set_card_space(column: QVBoxLayout, theme: Theme) -> None:
    """Set the space within a card."""
    column.setContentsMargins(theme.px(12), theme.px(9), theme.px(12), theme.px(11))
    column.setSpacing(theme.px(6))


class CardHead(QWidget):
    """A card's title with ◂ 1/3 ▸; the arrows are absent where there is nothing to leaf through."""

    moved = Signal(int)

    def __init__(self, title: str, what: str, count: int, extra: Sequence[QWidget] = ()) -> None:
        super().__init__()
        self.setObjectName("card_head")
        self.total = count
        self._index = 0
        self.title = QLabel(title)
        self.title.setObjectName("card_title")
        self.place = QLabel()
        self.place.setObjectName("card_place")
        self.back = self._arrow("◂", f"previous_{what}", f"Previous {what}", -1)
        self.on = self._arrow("▸", f"next_{what}_arrow", f"Next {what}", 1)
        self._line = QHBoxLayout(self)
        self._line.setContentsMargins(0, 0, 0, 0)
        self._line.addWidget(self.title)
        for widget in extra:
            self._line.addWidget(widget)
        self._line.addStretch(1)
        for widget in (self.back, self.place, self.on):
            self._line.addWidget(widget)
            widget.setVisible(count > 1)

    def _arrow(self, text: str, name: str, says: str, step: int) -> QToolButton:
        button = QToolButton()
        button.setText(text)
        button.setObjectName(name)
        button.setProperty("flat", True)
        button.setAccessibleName(says)
        button.setToolTip(says)
        button.clicked.connect(lambda: self.moved.emit((self._index + step) % self.total))
        return button

    def show_index(self, index: int) -> None:
        """Say which one is open."""
        self._index = index
        self.place.setText(f"{index + 1}/{self.total}")
        self.place.setAccessibleName(f"{index + 1} of {self.total}")

    def apply_theme(self, theme: Theme) -> None:
        """Take another scale."""
        self._line.setSpacing(theme.px(4))


class TaskCard(QFrame):
    """Something to try, with a mark that follows the tab."""

    def __init__(self, tasks: Sequence[Task], theme: Theme) -> None:
        super().__init__()
        self.setObjectName("task_card")
        self.setProperty("card", True)
        self.tasks = tuple(tasks)
        self.theme = theme
        self._at = 0
        self._names: Mapping[str, Any] | None = None
        self._shown: Outcome | None = None
        self.mark = QLabel()
        self.mark.setObjectName("task_mark")
        self._hint = QToolButton()
        self._hint.setText("?")
        self._hint.setAccessibleName(self.tr("Hint"))
        self._hint.setToolTip(self.tr("Hint"))
        self._hint.setObjectName("hint")
        self._hint.setProperty("flat", True)
        self._hint.setCheckable(True)
        self._hint.toggled.connect(self._show_hint)
        self.head = CardHead(self.tr("Try"), "task", len(self.tasks), (self.mark, self._hint))
        self.head.moved.connect(self.go)
        self._text = Paragraph("task_text")
        self._hint_text = Paragraph("hint_text")
        self._note = Paragraph("task_note")
        self._column = QVBoxLayout(self)
        for part in (self.head, self._text, self._note, self._hint_text):
            self._column.addWidget(part)
        self.apply_theme(theme)

    @property
    def task(self) -> Task:
        """The task that is open."""
        return self.tasks[self._at]

    @property
    def done(self) -> bool:
        """Whether its check holds at the moment."""
        return self._shown is not None and self._shown.done

    def go(self, index: int) -> None:
        """Open another task."""
        self._at = index % len(self.tasks)
        self._hint.setChecked(False)
        self._build()

    def apply_theme(self, theme: Theme) -> None:
        """Take other colours, another scale."""
        self.theme = theme
        set_card_space(self._column, theme)
        self.head.apply_theme(theme)
        self._build()

    def set_results(self, names: Mapping[str, Any]) -> None:
        """Check the open task against what the tab holds now."""
        self._names = names
        self._refresh()

    def _build(self) -> None:
        task = self.task
        self.head.show_index(self._at)
        self.setAccessibleName(self.tr("Try, task {0} of {1}").format(self._at + 1, len(self.tasks)))
        self._text.show_spans(task.text.spans(), self.theme)
        self._hint.setVisible(task.hint is not None)
        self.mark.setVisible(task.check is not None)
        self._show_hint(self._hint.isChecked())
        self._shown = None
        self._refresh()

    def _show_hint(self, on: bool) -> None:
        hint = self.task.hint
        self._hint_text.show_spans(hint.spans() if on and hint else (), self.theme)

    def _refresh(self) -> None:
        check = self.task.check
        if check is None:
            return
        # What is still being computed, or is not computed under these controls, is nothing that a reader did wrong.
        names = self._names or {}
        outcome = predicates.check(check, names) if check.names <= names.keys() else Outcome(False)
        if outcome == self._shown:
            return
        self._shown = outcome
        text = self.tr("✓ done") if outcome.done else self.tr("○ not yet")
        self.mark.setText(text)
        self.mark.setAccessibleName(text[2:])
        self.mark.setProperty("tone", "good" if outcome.done else "muted")
        self.mark.style().unpolish(self.mark)
        self.mark.style().polish(self.mark)
        # The sentence begins with a position that helps the lesson's author, not its reader.
        note = outcome.note.partition(": ")[2]
        self._note.show_spans((), self.theme, marked(note, self.theme.colors.muted) if note else "")


class NoteCard(QFrame):
    """A titled note that opens when it is asked for."""

    def __init__(self, card: Card, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("note_card")
        self.setProperty("card", True)
        self.setAccessibleName(card.title)
        self.card = card
        self.opener = QPushButton()
        self.opener.setObjectName("note_title")
        self.opener.setCheckable(True)
        self.opener.setAccessibleName(card.title)
        self.opener.toggled.connect(self._open)
        self._text = Paragraph("note_text")
        self._column = QVBoxLayout(self)
        self._column.addWidget(self.opener)
        self._column.addWidget(self._text)
        self.apply_theme(theme)

    def apply_theme(self, theme: Theme) -> None:
        """Take other colours, another scale."""
        self.theme = theme
        set_card_space(self._column, theme)
        self._open(self.opener.isChecked())

    def _open(self, on: bool) -> None:
        self.opener.setText(f"{'▾' if on else '▸'}  {self.card.title}")
        self._text.show_spans(self.card.text.spans() if on else (), self.theme)
