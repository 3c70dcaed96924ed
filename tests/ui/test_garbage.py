"""Reference cycles with objects of Qt in them are taken apart in the GUI thread, whichever thread allocates."""

import gc
import threading
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QObject
from pytestqt.qtbot import QtBot

from explorer.ui.garbage import Collector


@pytest.fixture
def collector(qapp: object) -> Iterator[QObject]:
    enabled = gc.isenabled()
    parent = QObject()
    Collector(parent)
    yield parent
    parent.deleteLater()
    if enabled:
        gc.enable()


def in_a_cycle(ended_in: list[int]) -> None:
    thing = QObject()
    thing.itself = thing  # type: ignore[attr-defined]
    thing.destroyed.connect(lambda: ended_in.append(threading.get_ident()))


def allocate() -> None:
    """Leave enough behind that Python would collect several times over."""
    kept = [[i] for i in range(50_000)]
    assert kept


def test_a_thread_that_allocates_ends_no_object_of_qt(qtbot: QtBot, collector: QObject) -> None:
    ended_in: list[int] = []
    in_a_cycle(ended_in)
    thread = threading.Thread(target=allocate)
    thread.start()
    thread.join()
    assert not ended_in
    kept = [[i] for i in range(2_000)]
    qtbot.waitUntil(lambda: bool(ended_in))
    assert ended_in == [threading.get_ident()]
    assert kept


def test_little_garbage_waits(qtbot: QtBot, collector: QObject) -> None:
    gc.collect()
    before = gc.get_stats()
    qtbot.wait(600)
    assert gc.get_stats() == before
