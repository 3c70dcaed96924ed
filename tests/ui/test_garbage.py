"""Garbage is collected in the GUI thread, between two events, whichever thread makes it."""

import ctypes
import gc
import sys
import threading
import weakref
from collections.abc import Iterator

import pytest
import shiboken6
from PySide6.QtCore import QObject, QTimer
from pytestqt.qtbot import QtBot

from explorer.ui.garbage import Collector, collect_all, collect_due
from tests.journeys.long_run import resident


class Knot:
    """Garbage that only a collection finds."""

    def __init__(self, when_collected):
        self.itself = self
        weakref.finalize(self, when_collected)


@pytest.fixture
def collecting(qtbot: QtBot, monkeypatch: pytest.MonkeyPatch) -> Iterator[QObject]:
    """Collect as a window does, until the test is over."""
    gc.enable()
    owner = QObject()
    with monkeypatch.context() as patch:
        patch.setattr(gc, "freeze", lambda: None)  # what is frozen the leak gate does not see
        Collector(owner)
    yield owner
    if shiboken6.isValid(owner):
        shiboken6.delete(owner)
    gc.disable()


def test_garbage_is_collected_in_the_gui_thread_whoever_makes_objects(qtbot: QtBot, collecting: QObject) -> None:
    where: list[threading.Thread] = []
    made: list[list[object]] = []

    def make_too_many() -> None:
        made.extend([] for _ in range(2 * gc.get_threshold()[0]))

    gc.collect()
    Knot(lambda: where.append(threading.current_thread()))
    other = threading.Thread(target=make_too_many)
    other.start()
    other.join()
    make_too_many()
    assert where == []  # nor in the middle of what the GUI thread does
    qtbot.waitUntil(lambda: bool(where))
    assert where == [threading.main_thread()]


def test_python_collects_by_itself_again_when_the_owner_is_gone(collecting: QObject) -> None:
    assert [timer.isActive() for timer in collecting.findChildren(QTimer)] == [True]
    assert not gc.isenabled()
    shiboken6.delete(collecting)
    assert gc.isenabled()


def test_older_generations_are_collected_when_they_are_due(
    monkeypatch: pytest.MonkeyPatch, collecting: QObject
) -> None:
    asked: list[int] = []
    for counts in ((0, 0, 0), (700, 10, 10), (701, 10, 10), (701, 11, 10), (5, 11, 10), (701, 11, 11)):
        with monkeypatch.context() as patch:
            patch.setattr(gc, "get_count", lambda counts=counts: counts)
            patch.setattr(gc, "get_threshold", lambda: (700, 10, 10))
            patch.setattr(gc, "collect", asked.append)
            collect_due()
    assert asked == [0, 1, 1, 2]


def test_a_threshold_of_zero_means_never(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gc, "get_count", lambda: (9999, 0, 0))
    monkeypatch.setattr(gc, "get_threshold", lambda: (0, 10, 10))
    monkeypatch.setattr(gc, "collect", lambda generation: pytest.fail(f"collected {generation}"))
    collect_due()


@pytest.mark.skipif(
    not sys.platform.startswith("linux") or not hasattr(ctypes.CDLL(None), "malloc_trim"), reason="glibc can be asked"
)
def test_the_system_gets_back_what_lies_free_between_what_lives() -> None:
    collect_all()
    pieces = [bytes(2_000) for _ in range(40_000)]
    living = pieces[::100]
    full = resident()
    del pieces
    collect_all()
    assert full - resident() > 40
    assert len(living) == 400
