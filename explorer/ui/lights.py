"""Which cells of a page light up: the operands of the cell that is told of, wherever they stand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.concepts import declaration as d
from explorer.concepts import evaluation
from explorer.core.expression import Cell

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from explorer.concepts.evaluation import Results
    from explorer.ui.matrix_panel import MatrixPanel
    from explorer.workbench.state import TabState

Index = tuple[int, ...]


class Lights:
    """Lights cells of one tab's tables and drawn views.

    Parameters
    ----------
    concept : Concept
        The tab.
    panels : dict
        The panels of every array that is drawn as a table.
    customs : list
        The drawn views; those that can light have a method ``light``.
    """

    def __init__(
        self,
        concept: d.Concept,
        panels: dict[str, list[MatrixPanel]],
        customs: list[tuple[d.Custom, QWidget]],
    ) -> None:
        self._concept = concept
        self._panels = panels
        self._customs = customs
        self._slow = evaluation.slow_stages(concept)

    def put_out(self) -> None:
        """Light nothing."""
        self._light({}, None, dim=False)

    def show(
        self,
        operands: dict[str, Any],
        target: tuple[str, Index],
        state: TabState,
        results: Results,
        *,
        dim: bool,
    ) -> None:
        """Light a cell and its operands; the others step back if `dim`."""
        self._light(self._seen(operands, state, results), target, dim=dim)

    def _seen(self, operands: dict[str, Any], state: TabState, results: Results) -> dict[str, set[Index]]:
        """Return operands on the page: one that stands nowhere is followed to the cell that it was read from."""
        seen: dict[str, set[Index]] = {}
        waiting = [(name, index) for name, indices in operands.items() for index in indices]
        while waiting:
            name, index = waiting.pop()
            drawn = name in self._panels or any(
                widget.draws(name) for _, widget in self._customs if hasattr(widget, "draws")
            )
            if not drawn and name not in state.inputs and name not in self._slow:
                found = evaluation.explain(self._concept, state.situation, results, name, index)
                if isinstance(found, Cell):
                    waiting.append((found.array, found.index))
                    continue
            seen.setdefault(name, set()).add(index)
        return seen

    def _light(self, operands: dict[str, Any], target: tuple[str, Index] | None, *, dim: bool) -> None:
        for name, panels in self._panels.items():
            for panel in panels:
                view = panel.view
                lit = frozenset(
                    cell for index in operands.get(name, ()) if (cell := view.array_cell(index)) is not None
                )
                own = view.array_cell(target[1]) if target is not None and target[0] == name else None
                pinned = frozenset((own,)) if own is not None else frozenset()
                look = view.look
                if (look.lit, look.pinned, look.dim) != (lit, pinned, dim):
                    look.lit, look.pinned, look.dim = (lit | pinned if dim else lit), pinned, dim
                    view.viewport().update()
                    panel.update()
        cells = {name: frozenset(found) for name, found in operands.items()}
        if target is not None:
            cells[target[0]] = cells.get(target[0], frozenset()) | {target[1]}
        for _, widget in self._customs:
            light = getattr(widget, "light", None)
            if light is not None:
                light(cells)
