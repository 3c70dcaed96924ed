"""An edit leaves nothing behind that only the search for garbage could find: its arrays would outlive many edits."""

import gc
import weakref
from types import SimpleNamespace

import numpy as np
import pytest
from PySide6.QtWidgets import QApplication

from explorer.concepts import all_concepts
from explorer.concepts.declaration import Concept
from explorer.concepts.evaluation import Results
from explorer.ui import slow
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow

#: Those of now, and those before the last step.
HELD = 2


def edit(window: MainWindow, concept: Concept, times: int) -> None:
    """Write into the first table of numbers, another cell each time, and have all of it drawn."""
    one = next(one for one in concept.inputs if one.kind == "number" and one.axes)
    shape = window.workbench.state(concept.slug).inputs[one.name].shape
    for i in range(times):
        index = tuple(int(part) for part in np.unravel_index(i % int(np.prod(shape)), shape))
        window.workbench.edit(concept.slug, one.name, [index], [min(max(1.0 + i, one.limits[0]), one.limits[1])])
        QApplication.processEvents()


@pytest.mark.parametrize(
    "concept",
    [one for one in all_concepts() if any(a.kind == "number" and a.axes for a in one.inputs)],
    ids=lambda one: one.slug,
)
def test_results_end_when_others_have_come_in_their_place(make_window: MakeWindow, concept: Concept) -> None:
    window = make_window(concept.slug)
    window.page.settle()
    gc.collect()
    before = {id(one) for one in gc.get_objects() if isinstance(one, Results)}
    edit(window, concept, 8)
    window.page.settle()
    after = [one for one in gc.get_objects() if isinstance(one, Results) and id(one) not in before]
    assert len(after) <= HELD


class Drawn:
    """What a computation has come to when it ends."""


def test_a_computation_that_fails_leaves_nothing_of_what_it_had_come_to(qapp: QApplication) -> None:
    held: list[weakref.ref[Drawn]] = []

    def compute(**_: object) -> None:
        drawn = Drawn()
        held.append(weakref.ref(drawn))
        raise ValueError("too large")

    said: list[object] = []
    messages = slow._Messages()
    messages.ended.connect(lambda _, outcome: said.append(str(outcome)))
    slow._Run(1, SimpleNamespace(compute=compute), messages)()
    assert said == ["too large"]
    assert held[0]() is None
