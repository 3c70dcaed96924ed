"""Garbage is collected in the GUI thread alone.

Python looks for reference cycles in whichever thread happens to allocate once too often. Here two others do: the one
that keeps sessions and the one that computes slow stages. A page that was taken down leaves models of Qt in such
cycles, and an object of Qt that ends in a foreign thread while the GUI paints ends the process, once in thousands of
actions and without a word of Python. So Python's own collecting is off while a window runs, and a timer does the same
by the same counts.

It is off during the start too, where nothing but living objects would be looked at.
"""

from __future__ import annotations

import gc

from PySide6.QtCore import QObject, QTimer

#: Seldom enough to cost nothing, often enough that the garbage of a drag stays small.
EVERY_MS = 250


class Collector(QObject):
    """Collects what is due, every quarter of a second, for as long as it lives.

    Parameters
    ----------
    parent : QObject
        With which it ends, and with it the collecting; who made it calls `gc.enable` afterwards.
    """

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        gc.disable()
        gc.freeze()  # what a start has made stays until the end, and need not be looked through each time
        timer = QTimer(self)
        timer.timeout.connect(collect_due)
        timer.start(EVERY_MS)


def collect_due() -> None:
    """Collect the oldest generation that Python itself would now collect, if any."""
    due = [
        age for age, (count, most) in enumerate(zip(gc.get_count(), gc.get_threshold(), strict=True)) if count > most
    ]
    if due and due[0] == 0:
        gc.collect(due[-1])
