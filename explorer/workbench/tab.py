"""One tab that was opened: what it holds, what was computed from it, and what both were before the last step.

Results are kept as long as they are those of the state, and computed again only when somebody asks. A next state is
computed before it is taken, so that one which would overflow is refused while the old state still stands.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts import evaluation
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, cell_name, first_true
from explorer.workbench import number_text
from explorer.workbench.changes import Changes
from explorer.workbench.state import TabState, ViewState

if TYPE_CHECKING:
    from explorer.concepts.declaration import Concept
    from explorer.concepts.evaluation import Results, Waiting
    from explorer.core.ops.base import Array

NOT_COMPUTABLE = QT_TRANSLATE_NOOP("workbench", "these values cannot be computed with: {reason}")
CELL_OVERFLOWS = QT_TRANSLATE_NOOP(
    "workbench", "{cause} = {value} would make {cell} overflow; keep it smaller in magnitude"
)
OVERFLOWS = QT_TRANSLATE_NOOP("workbench", "this would make {cell} overflow; use numbers of smaller magnitude")


class Tab:
    """An open tab.

    Parameters
    ----------
    concept : Concept
        Its declaration. It opens with the lesson's values.
    """

    def __init__(self, concept: Concept) -> None:
        self.concept = concept
        self.changes = Changes(concept)
        self.state: TabState = self.changes.initial
        self.view = ViewState(pinned=concept.pinned)
        self._results: Results | None = None
        self._computed: TabState | None = None
        self._before: TabState | None = None
        self._results_before: Results | None = None

    def results(self) -> Results:
        """Return the results of the state, computing only what changed since they were last asked for."""
        if self._results is None or self._computed is not self.state:
            self._results = _compute(self.concept, self.state, self._results)
            self._computed = self.state
        return self._results

    def results_before(self) -> Results | None:
        """Return the results before the last step, None when there was no step."""
        if self._before is not None and self._results_before is None:
            self._results_before = _compute(self.concept, self._before, self.results())
        return self._results_before

    def checked(self, after: TabState) -> Results:
        """Return what a next state gives.

        Raises
        ------
        ValueError
            When the tab's own rule or an op refuses it, or a stage would overflow.
        """
        if self.concept.validate is not None:
            self.concept.validate(after.situation)
        try:
            results = _compute(self.concept, after, self._results)
        except ValueError:
            raise
        except Exception as error:
            # An op may fail in ways that its author did not think of; the user gets a sentence all the same.
            raise InputError(NOT_COMPUTABLE, reason=number_text.quoted(str(error), 200)) from error
        _refuse_overflow(self.concept, self.state, after, self._results, results)
        return results

    def move(self, state: TabState, results: Results | None, *, keep_before: bool) -> None:
        """Hold another state, with its results where they are known; what was before stays inside a gesture."""
        if not keep_before:
            self._before = self.state
            self._results_before = self._results if self._computed is self.state else None
        self.state = state
        if results is not None:
            self._results, self._computed = results, state

    def take(self, waiting: Waiting, array: Array) -> Results:
        """Add a slow stage's array, computed elsewhere, and what can be computed from it."""
        results = self.results()
        delivered = _compute(self.concept, self.state, results.having(waiting, array))
        _refuse_overflow(self.concept, self.state, self.state, results, delivered)
        self._results = delivered
        return delivered

    def exists(self, pinned: tuple[str, tuple[int, ...]]) -> bool:
        """Say whether there is such a cell at the present sizes."""
        name, index = pinned
        axes = {one.name: one.axes for one in self.concept.inputs}
        axes.update({one.name: one.axes for one in self.concept.stages})
        shape = evaluation.lengths_of(axes.get(name, ()), self.state.sizes)
        fits = name in axes and len(index) == len(shape)
        return fits and all(0 <= i < length for i, length in zip(index, shape, strict=True))

    def unpinned_if_gone(self, view: ViewState) -> ViewState:
        """Return the view without its pin when the pinned cell no longer exists."""
        return view if view.pinned is None or self.exists(view.pinned) else replace(view, pinned=None)


def _compute(concept: Concept, state: TabState, earlier: Results | None) -> Results:
    # What overflows is found in the results, with the cell's name, and is not to warn on the way there.
    with np.errstate(all="ignore"):
        return evaluation.evaluate(concept, state.situation, earlier, slow=False)


def _refuse_overflow(
    concept: Concept, before: TabState, after: TabState, earlier: Results | None, results: Results
) -> None:
    for stage in concept.stages:
        array = results.get(stage.name)
        if array is None or array.dtype.kind != "f" or not array.size or results.same(stage.name, earlier):
            continue
        # Only scores may be −∞: a masked key. NaN fails every comparison.
        low, high = results.reach(stage.name)
        if high < math.inf and (stage.role == "score" or low > -math.inf):
            continue
        bad = ~(np.isfinite(array) | (np.isneginf(array) & (stage.role == "score")))
        cell = cell_name(stage.name, first_true(bad))
        cause = _largest_change(before, after)
        if cause is None:
            raise InputError(OVERFLOWS, cell=cell)
        raise InputError(CELL_OVERFLOWS, cause=cause[0], value=cause[1], cell=cell)


def _largest_change(before: TabState, after: TabState) -> tuple[str, str] | None:
    """Return the changed input cell of the largest magnitude, and its value."""
    found: tuple[float, str, str] | None = None
    for name, now in after.inputs.items():
        was = before.inputs[name]
        if was is now or was.shape != now.shape or now.dtype.kind != "f" or not now.size:
            continue
        magnitude = np.where((was != now) & np.isfinite(now), np.abs(now), -1.0)
        at = first_true(magnitude == magnitude.max())
        size = float(magnitude[at])
        if size >= 0 and (found is None or size > found[0]):
            found = (size, cell_name(name, at), number_text.brief(float(now[at])))
    return None if found is None else found[1:]
