"""What tests of one tab need: its document, what the lesson's text may read, and what the command line computes."""

from pathlib import Path
from typing import Any

import numpy as np

from explorer.concepts import concept
from explorer.concepts.declaration import Custom, views
from explorer.workbench import documents, lessons, predicates, session
from explorer.workbench.numbers import example
from explorer.workbench.workbench import Workbench


class LessonTab:
    """One tab of a fresh document."""

    def __init__(self, slug: str) -> None:
        self.slug = slug
        self.concept = concept(slug)
        self.workbench = Workbench()
        self.workbench.show(slug)

    def __getitem__(self, name: str) -> Any:
        return self.workbench.results(self.slug)[name]

    def edit(self, name: str, cells: list[tuple[int, ...]], values: list[float]) -> None:
        self.workbench.edit(self.slug, name, cells, values)

    def set(self, name: str, value: object) -> None:
        self.workbench.set_control(self.slug, name, value)

    def model(self, view: str) -> Any:
        """Return what a view of another kind than a matrix is given to draw."""
        found = next(one for one in views(self.concept.layout) if isinstance(one, Custom) and one.name == view)
        return found.model(self.workbench.state(self.slug).situation, self.workbench.results(self.slug))

    def trace(self, name: str, *index: int) -> str:
        return self.workbench.trace(self.slug, name, index).plain()

    def task(self, at: int) -> bool:
        """Say whether a task of the lesson's text counts as done."""
        state = self.workbench.state(self.slug)
        names = {**dict(state.sizes), **dict(state.controls), **dict(self.workbench.results(self.slug))}
        outcome = predicates.check(lessons.load(self.concept.number, self.slug).tasks[at].check, names)
        assert outcome.problem is None
        return outcome.done

    def computed(self, folder: Path) -> dict[str, Any]:
        """Return the arrays that `compute` finds in a session with this tab in front."""
        path = folder / "tab.attn"
        session.write(path, documents.session_of(self.workbench))
        return documents.compute(path)["arrays"]


def printed(number: int) -> Any:
    """Return what `numbers` computes for an example."""
    return example(number)


def close(found: Any, wanted: Any) -> bool:
    """Say whether numbers agree as far as the lesson's single precision goes."""
    return bool(np.allclose(np.asarray(found, float), np.asarray(wanted, float), rtol=2e-7, atol=1e-7))
