"""How an array comes onto its panel: values or differences, names, what a mask closed, what has changed.

The page decides when; here is how. Nothing is computed that is not in the tab's results.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication

from explorer.concepts import declaration as d
from explorer.concepts import evaluation

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.concepts.evaluation import Results
    from explorer.ui.matrix_panel import MatrixPanel
    from explorer.workbench import state as states
    from explorer.workbench.workbench import Workbench

Index = tuple[int, ...]


class ArrayShow:
    """Shows the arrays of one tab.

    Parameters
    ----------
    concept : Concept
        The tab.
    workbench : Workbench
        Where its results are.
    panels : dict
        The panels of every array that is drawn as a table.
    heads : dict
        The control that chooses the head that a panel shows, by the array's name.

    Attributes
    ----------
    differences : bool
        Whether signed differences are shown in place of the values.
    compared : callable, optional
        ``compared(name)`` returns an array's differences; without, they are to before the last change.
    """

    def __init__(
        self, concept: d.Concept, workbench: Workbench, panels: dict[str, list[MatrixPanel]], heads: dict[str, str]
    ) -> None:
        self._concept = concept
        self._workbench = workbench
        self._panels = panels
        self._heads = heads
        self.differences = False
        self.compared: Callable[[str], Any] | None = None

    def show(
        self,
        panel: MatrixPanel,
        results: Results,
        state: states.TabState,
        marks: d.Marks,
        *,
        same: bool,
        shown_before: bool,
    ) -> None:
        """Show one array; what is the `same` object in the same dress is not drawn again.

        Nothing has changed in an array that was not shown before.
        """
        name, view, look = panel.name, panel.view, panel.view.look
        panel.take(state.situation)
        before = (panel.dress(), look.changed, view.head)
        sums = panel.sum_texts() if panel.sums else []
        view.head = head = self._head(name, state)
        self._label(panel, name, state)
        panel.marks, look.faded, look.blank = marks, marks.faded, marks.blank
        # Nobody sees an outline in a table that is hidden behind another of its place.
        seen = shown_before and not panel.isHidden()
        changed = self._workbench.changed(self._concept.slug, name) if seen else None
        if changed is None or not changed.any():
            view.forget_changed()
        else:
            look.changed = view.changed_cells(changed[head] if head else changed)
        look.masked = _hatched(marks, results[name].shape) if marks.hatched else self._masked(name, results, head)
        after = (panel.dress(), look.changed, view.head)
        if not same or before[2] != after[2] or self.differences or look.differences:
            self._set_values(panel, name, results[name][head] if head else results[name])
            if panel.sums and panel.sum_texts() != sums:
                panel.update()
        if before != after:
            view.viewport().update()
        if before[0] != after[0] or before[2] != after[2] or look.differences:
            panel.update()

    def show_waiting(self, panel: MatrixPanel, state: states.TabState, marks: d.Marks) -> None:
        """Show the frame of an array that is still being computed, without a number."""
        shape = evaluation.lengths_of(self._concept.array(panel.name).axes, state.sizes)
        values = np.atleast_2d(np.full(shape[-2:], np.nan))
        panel.take(state.situation)
        self._label(panel, panel.name, state)
        panel.marks = marks._replace(blank=frozenset(range(len(values))))
        look = panel.view.look
        look.blank = panel.marks.blank
        if look.kind == "weight":
            look.top = 1.0  # the largest of each row was that of as many rows as there were
        panel.view.forget_changed()
        panel.view.set_values(values)
        panel.update()

    def _masked(self, name: str, results: Results, head: Index) -> Any:
        """Return where attention weights are 0 because a mask closed the score that they were made from."""
        array = self._concept.array(name)
        if not isinstance(array, d.Stage) or array.role != "weight":
            return None
        for source in array.inputs:
            scores = results.get(source)
            if scores is not None and scores.shape == results[name].shape and scores.dtype != bool:
                closed = np.isneginf(scores)
                return self._panels[name][0].view.flat(closed[head] if head else closed)
        return None

    def _set_values(self, panel: MatrixPanel, name: str, values: Any) -> None:
        look = panel.view.look
        look.differences = False
        if self.differences:
            difference = self._difference(name)
            if difference is not None:
                look.differences = True
                values = difference[panel.view.head] if panel.view.head else difference
        if look.kind == "weight" and look.differences:
            look.top, panel.legend = 1.0, "−1 … 1"
        elif look.kind == "weight":
            row_top = self._workbench.view(self._concept.slug).zero_to_row_maximum
            rows = panel.view.flat(values)
            look.top = rows.max(axis=-1, keepdims=True, initial=0.0) if row_top else 1.0
            panel.legend = "0 … row max" if row_top else "0 … 1"
        panel.view.set_values(values)
        panel.fit_text(may_shrink=QGuiApplication.mouseButtons() == Qt.MouseButton.NoButton)

    def _head(self, name: str, state: states.TabState) -> Index:
        control = self._heads.get(name, "")
        return (int(state.controls[control]),) if control else ()

    def _label(self, panel: MatrixPanel, name: str, state: states.TabState) -> None:
        situation = state.situation
        panel.row_names = evaluation.names_along(panel.row_axis, situation)
        panel.column_names = evaluation.names_along(panel.column_axis, situation)
        panel.view.matrix_model().row_names = panel.row_names
        panel.view.matrix_model().column_names = panel.column_names
        origin = state.origins.get(name, "")
        known = {"random": "random, no meaning", "typed": "typed by you", "lesson": ""}
        # A preset brings every matrix, and its name stands where it was chosen.
        panel.badge = "" if origin.startswith("preset") else known.get(origin, origin)

    def _difference(self, name: str) -> Any:
        return self._workbench.difference(self._concept.slug, name) if self.compared is None else self.compared(name)


def _hatched(marks: d.Marks, shape: Index) -> Any:
    masked = np.zeros(shape[-2:], dtype=bool)
    for cell in marks.hatched:
        masked[cell] = True
    return masked
