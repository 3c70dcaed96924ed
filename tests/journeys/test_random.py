"""Random actions over all tabs: no exception, no Qt warning, nothing left alive, every bit undone."""

import os

import pytest
from pytestqt.exceptions import capture_exceptions
from pytestqt.qtbot import QtBot

from explorer.workbench.workbench import Workbench
from tests.journeys.actor import Actor
from tests.ui.conftest import MakeWindow

ACTIONS = int(os.environ.get("RANDOM_ACTIONS", "500"))


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_random_actions_never_break_the_window(qtbot: QtBot, make_window: MakeWindow, seed: int) -> None:
    window = make_window()
    actor = Actor(window, seed)
    with capture_exceptions() as exceptions:
        for _ in range(ACTIONS):
            actor.act()
            assert not exceptions, (actor.done[-5:], exceptions)
    fresh = Workbench()
    for slug in window.workbench.document():
        results = window.workbench.results(slug)
        assert all(array is not None for array in results.values())
    while window.workbench.undo():
        pass
    if len(actor.done) < 500:
        for slug, tab in window.workbench.document().items():
            assert tab.same_as(fresh.state(slug)), slug
