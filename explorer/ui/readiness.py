"""Getting ready for the tabs that are not in front: what they need is imported and read while nothing else happens.

A start imports what its own tab needs and no more. Plots bring pyqtgraph, which takes as long to import as a tab may
take to show; so once the first tab stands, the others' modules and lessons come one by one, in steps too short to be
felt. No page is built and nothing is computed here.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QObject, QTimer

from explorer.concepts import declaration as d
from explorer.concepts import evaluation
from explorer.workbench import lessons

if TYPE_CHECKING:
    from collections.abc import Generator

    from explorer.workbench.workbench import Workbench

#: How long after the first tab stands the first step comes, and how far apart steps are.
FIRST_MS: Final = 400
PAUSE_MS: Final = 30


class Readiness(QObject):
    """Imports and reads what a workbench's tabs need, a step at a time, from `start` on until there is nothing left.

    Attributes
    ----------
    over : bool
        Whether it has come to an end.
    """

    def __init__(self, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self.over = False
        self._steps = _steps(workbench)
        self._timer = QTimer(self)
        self._timer.setSingleShot(True)
        self._timer.timeout.connect(self._step)

    def start(self) -> None:
        """Begin in a moment."""
        self._timer.start(FIRST_MS)

    def finish(self) -> None:
        """Do all that is left at once."""
        self._timer.stop()
        for _ in self._steps:
            pass
        self.over = True

    def stop(self) -> None:
        """Do nothing more."""
        self._timer.stop()
        self._steps.close()
        self.over = True

    def _step(self) -> None:
        if next(self._steps, None) is None:
            self.over = True
        else:
            self._timer.start(PAUSE_MS)


def module_of(view: d.Custom) -> str:
    """Return the name of the module that draws a view."""
    return f"explorer.ui.views.{view.kind}"


def _steps(workbench: Workbench) -> Generator[str]:
    for entry in workbench.index:
        concept = workbench.concept(entry.slug)
        yield entry.slug
        evaluation.slow_stages(concept)  # what chooses an op may import much before it does
        yield f"ops of {entry.slug}"
        lessons.load(concept.number, concept.slug)
        yield f"lesson of {entry.slug}"
        for view in d.views(concept.layout):
            if isinstance(view, d.Custom):
                importlib.import_module(module_of(view))
                yield view.kind
