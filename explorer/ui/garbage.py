"""Garbage is collected in the GUI thread alone.

Python looks for reference cycles in whichever thread happens to allocate once too often. Here two others do: the one
that keeps sessions and the one that computes slow stages. A page that was taken down leaves models of Qt in such
cycles, and an object of Qt that ends in a foreign thread while the GUI paints ends the process, once in thousands of
actions and without a word of Python. So Python's own collecting is off while a window runs, and a timer does the same
by the same counts.

It is off during the start too, where nothing but living objects would be looked at.

What a page leaves, C's allocator keeps in pieces between what lives on: after thousands of visits as much as 30 MB.
glibc gives it back to the system when it is asked to, within a millisecond.
"""

from __future__ import annotations

import ctypes
import gc
import sys
from functools import cache
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer

if TYPE_CHECKING:
    from collections.abc import Callable

#: Seldom enough to cost nothing, often enough that the garbage of a drag stays small.
EVERY_MS = 250


class Collector(QObject):
    """Collects what is due between two events of the GUI thread and nowhere else, for as long as it lives.

    Parameters
    ----------
    parent : QObject
        With which it ends; Python then collects by itself again, if it did before.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        if gc.isenabled():
            self.destroyed.connect(lambda: gc.enable())  # noqa: PLW0108 - the signal says what is destroyed
        gc.disable()
        gc.freeze()  # what a start has made stays until the end, and need not be looked through each time
        timer = QTimer(self)
        timer.timeout.connect(collect_due)
        timer.start(EVERY_MS)


def collect_due() -> None:
    """Collect the oldest generation that Python itself would, were it allowed to."""
    due = [0 < most < count for count, most in zip(gc.get_count(), gc.get_threshold(), strict=True)]
    if due[-1]:
        collect_all()
    elif any(due):
        gc.collect(max(age for age, is_due in enumerate(due) if is_due))


def collect_all() -> None:
    """Collect every generation, and let the system have the memory that this made free."""
    gc.collect(2)
    if (trim := _trim()) is not None:
        trim(0)


@cache
def _trim() -> Callable[[int], int] | None:
    """Return glibc's `malloc_trim`; None where that is not the C library."""
    if not sys.platform.startswith("linux"):
        return None
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim.argtypes, trim.restype = [ctypes.c_size_t], ctypes.c_int
    return trim
