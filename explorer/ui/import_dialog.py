"""The preview of an import: which array goes where, what that changes, and what stands against it.

What fits where is decided in `explorer.workbench.data_import`; every choice made here asks it again. Nothing is read
whole before it is wanted, and nothing is changed before Import is pressed: then it is one undoable step.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialog,
    QDialogButtonBox,
    QHeaderView,
    QLabel,
    QTableWidget,
    QTableWidgetItem,
    QVBoxLayout,
    QWidget,
)

from explorer.ui import plain_text
from explorer.ui.drop_down import DropDown
from explorer.ui.number_style import cell_text
from explorer.ui.style import dress
from explorer.workbench import data_import
from explorer.workbench.data_files import shape_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from explorer.ui.window import MainWindow
    from explorer.workbench.data_files import Source
    from explorer.workbench.data_import import Match, Plan
    from explorer.workbench.document import Document

HEADS: Final = ("array", "shape", "begins with", "goes into", "remark")
NOWHERE: Final = "nowhere"
#: Arrays of more cells are not read just to show how they begin; nor are more arrays than this.
MOST_SHOWN_CELLS: Final = 100_000
MOST_SHOWN: Final = 30
FIRST: Final = 4


class ImportDialog(QDialog):
    """The dialog over a window.

    Parameters
    ----------
    window : MainWindow
        Its tab in front takes the arrays.
    document : Document
        Does the import.
    plan : callable
        ``plan(chosen)`` says what an import would do after these choices; it may raise ValueError with a sentence.
    name : str
        What is imported.
    """

    def __init__(
        self, window: MainWindow, document: Document, plan: Callable[[Mapping[int, str | None]], Plan], name: str
    ) -> None:
        self._ask, self._document = plan, document
        self._chosen: dict[int, str | None] = {}
        self._plan = plan({})
        super().__init__(window)
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setObjectName("import")
        concept, theme = self._plan.concept, window.theme
        self._theme = theme
        dress(self, theme)
        self._choosers: list[DropDown] = []
        self.setWindowTitle(f"Import into tab {concept.number}, {concept.title}")
        head = QLabel(name)
        head.setTextFormat(Qt.TextFormat.PlainText)
        head.setFont(theme.font(13, bold=True))
        self.table = self._make_table()
        self.changes = QLabel()
        self.changes.setObjectName("changes")
        self.changes.setTextFormat(Qt.TextFormat.PlainText)
        self.changes.setWordWrap(True)
        self.refusal = QLabel()
        self.refusal.setObjectName("refusal")
        self.refusal.setTextFormat(Qt.TextFormat.PlainText)
        self.refusal.setWordWrap(True)
        self.refusal.setStyleSheet(f"color: {theme.colors.bad};")
        self.refusal.hide()
        self.buttons = QDialogButtonBox(QDialogButtonBox.StandardButton.Cancel)
        self.button = self.buttons.addButton("Import", QDialogButtonBox.ButtonRole.AcceptRole)
        self.button.setProperty("primary", True)
        self.button.setDefault(True)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        column = QVBoxLayout(self)
        column.setContentsMargins(theme.px(16), theme.px(14), theme.px(16), theme.px(14))
        column.setSpacing(theme.px(10))
        for widget in (head, self.table, self.changes, self.refusal, self.buttons):
            column.addWidget(widget)
        self._show()
        self.resize(min(theme.px(820), window.width()), min(theme.px(420), window.height()))
        self.open()

    @classmethod
    def from_file(cls, window: MainWindow, document: Document, path: Path) -> ImportDialog:
        """Open the dialog for a file; ValueError with a sentence when it holds nothing that can be read."""
        concept = window.page.concept
        state = window.workbench.state(concept.slug)
        return cls(window, document, lambda chosen: data_import.plan_file(concept, state, path, chosen), path.name)

    @classmethod
    def from_text(cls, window: MainWindow, document: Document, text: str) -> ImportDialog:
        """Open the dialog for pasted text; ValueError with a sentence when it holds no table of numbers."""
        concept = window.page.concept
        state = window.workbench.state(concept.slug)
        return cls(
            window, document, lambda chosen: data_import.plan_text(concept, state, text, chosen), "the clipboard"
        )

    def _make_table(self) -> QTableWidget:
        matches = self._plan.matches
        table = QTableWidget(len(matches), len(HEADS))
        table.setObjectName("import_table")
        table.setHorizontalHeaderLabels(list(HEADS))
        table.verticalHeader().hide()
        table.verticalHeader().setMinimumSectionSize(self._theme.px(34))
        table.setShowGrid(False)
        table.setSelectionMode(QTableWidget.SelectionMode.NoSelection)
        table.setEditTriggers(QTableWidget.EditTrigger.NoEditTriggers)
        table.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        table.setWordWrap(True)
        header = table.horizontalHeader()
        header.setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(len(HEADS) - 1, QHeaderView.ResizeMode.Stretch)
        header.setDefaultAlignment(Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter)
        header.setHighlightSections(False)
        for row, match in enumerate(matches):
            source = match.source
            begins = _beginning(source) if row < MOST_SHOWN else ""
            words = (source.name or "the table", shape_words(source.shape) if source.problem is None else "", begins)
            for column, text in enumerate(words):
                table.setItem(row, column, QTableWidgetItem(text))
            chooser = self._chooser(row)
            self._choosers.append(chooser)
            # A frame around it keeps its height where the row is higher.
            frame = QWidget()
            line = QVBoxLayout(frame)
            line.setContentsMargins(0, self._theme.px(3), 0, self._theme.px(3))
            line.addWidget(chooser, 0, Qt.AlignmentFlag.AlignVCenter)
            table.setCellWidget(row, 3, frame)
        return table

    def _chooser(self, row: int) -> DropDown:
        chooser = DropDown(self._theme)
        chooser.setObjectName(f"target_{row}")
        chooser.setAccessibleName(f"where {self._plan.matches[row].source.name or 'the table'} goes")
        chooser.addItem(NOWHERE, None)
        for one in self._plan.concept.inputs:
            sizes = " × ".join(axis.size for axis in one.axes)
            chooser.addItem(f"{one.name}  {sizes}".rstrip(), one.name)
        chooser.activated.connect(partial(self._choose, row))
        chooser.setEnabled(self._plan.matches[row].source.problem is None)
        return chooser

    def _choose(self, row: int, at: int) -> None:
        self._chosen[row] = self._choosers[row].itemData(at)
        self._plan = self._ask(self._chosen)
        self.refusal.hide()
        self._show()

    def _show(self) -> None:
        """Show what the plan says."""
        plan = self._plan
        for row, match in enumerate(plan.matches):
            chooser = self._choosers[row]
            chosen = self._chosen.get(row, match.target)
            chooser.setCurrentIndex(max(chooser.findData(chosen), 0) if chosen is not None else 0)
            item = QTableWidgetItem(_said(match))
            item.setForeground(self._theme.color("muted"))
            item.setToolTip(plain_text.tip(item.text()))
            self.table.setItem(row, 4, item)
        self.table.resizeRowsToContents()
        self.changes.setText("\n".join(plan.lines[len(plan.matches) :]))
        self.changes.setVisible(bool(self.changes.text()))
        self.button.setEnabled(any(match.target is not None for match in plan.matches))

    def accept(self) -> None:
        """Do the import; what it refuses is said here, and nothing has changed."""
        try:
            self._document.bring_in(self._plan)
        except (ValueError, OSError) as error:
            self.refusal.setText(str(error))
            self.refusal.show()
            return
        super().accept()


def _said(match: Match) -> str:
    return "" if match.problem is None else str(match.problem)


def _beginning(source: Source) -> str:
    """Return the first numbers of an array, as far as they are cheap to know."""
    cells = 1
    for length in source.shape:
        cells *= length
    if source.problem is not None or not 0 < cells <= MOST_SHOWN_CELLS:
        return ""
    try:
        numbers = source.read(False).ravel()[:FIRST]
    except (ValueError, OSError):
        return ""
    return "  ".join(cell_text(float(one), 2) for one in numbers) + ("  …" if cells > FIRST else "")
