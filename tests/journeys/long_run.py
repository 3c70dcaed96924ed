"""Random actions by the hundred thousand: `python -m tests.journeys.long_run --actions 100000 --seed 1`.

Outside the ordinary tests because it takes an hour. One window, every tab, one seed; an exception or a message of Qt
ends the run with what was done last, and the end says how the memory went; memory that grows is a failure. Without a
display it runs offscreen; on one, `QT_QPA_PLATFORM=xcb` runs it there.

What a random person leaves is some tab with tables of any size in a window of any size, which takes up to 40 MB more or
less than another. So every thousand actions the window is put back: every tab is reset, and the same one stands in
front in the same size. Memory is compared between these moments; what it was just before is printed too.

A run begins with a look at every tab in every scale and in shows of several sizes. What is kept for a size of letters
is bounded (some 15 MB for all of them), but chance meets the last of them after tens of thousands of actions, and it
looks like a leak until then.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import os
import statistics
import sys
import tempfile
import time
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.ui.window import MainWindow

REPORT_EVERY = 1_000
REMEMBERED = 30
#: Memory is compared between the middle one and the last of so many parts. Until then caches and the history fill, and
#: what C's allocator has in use (some 62 MB from the first thousand actions to the last) settles in ever more pages.
PARTS = 5
#: So many calls inside each other are far more than the app has. What goes round through Qt would use up the stack
#: before Python's own limit is reached, and the process would end without a word.
DEEPEST = 300
#: How much more the last part may take.
TOLERATED = 1.05


def resident() -> float:
    """Return the resident memory of this process in MB; 0 where the system does not say."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6
    except OSError:
        return 0.0


def growth(memory: Sequence[float]) -> str:
    """Return a sentence when memory grew from the middle part of a run to the last; empty where it did not or is short.

    Of both the median counts, because a single moment may hold the largest tables there are.
    """
    part = len(memory) // PARTS
    if not part or not all(memory):
        return ""
    early, late = (
        statistics.median(memory[PARTS // 2 * part : (PARTS // 2 + 1) * part]),
        statistics.median(memory[-part:]),
    )
    if late <= TOLERATED * early:
        return ""
    return f"memory grows: {early:.1f} MB in the third fifth of the run, {late:.1f} MB in the last"


def put_back(window: MainWindow) -> None:
    """Bring a window to where it can be compared with itself: every tab reset, the first in front, all looks ordinary.

    What was done can still be undone, and no cache is emptied.
    """
    from PySide6.QtCore import QCoreApplication, QEvent
    from PySide6.QtWidgets import QApplication

    from explorer.ui.garbage import collect_all

    if window.theme.present:
        window.leave_show()
    window.set_theme_name("light")
    window.set_scale(100)
    window.resize(1280, 720)
    slugs = [concept.slug for concept in window.workbench.concepts]
    for slug in (*slugs, slugs[0]):
        window.workbench.show(slug)
        window.reset_tab()
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    collect_all()


def look_round(window: MainWindow) -> None:
    """Show every tab in every scale, and in a show in every size: what is kept by size is kept from now on."""
    from PySide6.QtWidgets import QApplication

    from tests.journeys.actor import SCALES, SIZES

    slugs = [concept.slug for concept in window.workbench.concepts]
    for present, scale, size in (
        *((False, scale, SIZES[0]) for scale in SCALES),
        *((True, 100, size) for size in SIZES),
    ):
        if present and not window.theme.present:
            window.start_show(full_screen=False)
        window.set_scale(scale)
        window.resize(*size)
        for slug in slugs:
            window.workbench.show(slug)
            QApplication.processEvents()
    put_back(window)


def home_of_its_own(folder: str) -> None:
    """Keep the run away from the settings and the sessions of whoever starts it."""
    os.environ.update(
        HOME=folder,
        XDG_CONFIG_HOME=f"{folder}/config",
        XDG_DATA_HOME=f"{folder}/data",
        XDG_STATE_HOME=f"{folder}/state",
        XDG_CACHE_HOME=f"{folder}/cache",
    )
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")


def run(actions: int, seed: int) -> int:
    """Do that many actions, report on stdout, and return 0, or 1 for whatever went wrong."""
    from PySide6.QtCore import QtMsgType, qInstallMessageHandler
    from PySide6.QtWidgets import QApplication

    from explorer import app as application
    from explorer.ui.garbage import Collector
    from explorer.ui.lifetime import close_all
    from tests.journeys.actor import Actor

    troubles: list[str] = []

    def on_message(kind: QtMsgType, context: object, message: str) -> None:
        if kind != QtMsgType.QtDebugMsg and "plugin does not support" not in message:
            troubles.append(f"Qt says: {message}")

    def on_exception(kind: type[BaseException], error: BaseException, trace: object) -> None:
        troubles.append("".join(traceback.format_exception(error)))

    sys.excepthook = on_exception
    qInstallMessageHandler(on_message)
    app = application.application()
    window = application.make_window()
    window.resize(1280, 720)
    window.show()
    Collector(window)
    look_round(window)
    actor = Actor(window, seed)
    memory: list[float] = []
    started = time.monotonic()
    for done in range(1, actions + 1):
        actor.act()
        if troubles:
            print(*actor.done, *troubles, f"after {done} actions of seed {seed}", sep="\n")
            return 1
        del actor.done[:-REMEMBERED]
        if done % REPORT_EVERY == 0:
            found = resident()
            put_back(window)
            memory.append(resident())
            passed = time.monotonic() - started
            print(f"{done} actions, {passed:.0f} s, {found:.1f} MB, put back {memory[-1]:.1f} MB", flush=True)
    settled = memory[len(memory) // PARTS :]
    if settled and all(settled):
        print(
            f"put back, memory was between {min(settled):.1f} and {max(settled):.1f} MB; at the end {settled[-1]:.1f}"
        )
    close_all(window)
    del window, actor
    gc.collect()
    left = [type(widget).__name__ for widget in QApplication.allWidgets()]
    del app
    if left or troubles:
        print("left alive:", *left, *troubles, sep="\n")
        return 1
    if grown := growth(memory):
        print(grown)
        return 1
    print(f"{actions} actions of seed {seed}: no exception, no message of Qt, nothing left alive")
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and run in a home that is thrown away."""
    parser = argparse.ArgumentParser(prog="python -m tests.journeys.long_run", description=__doc__)
    parser.add_argument("--actions", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args(arguments)
    faulthandler.enable()
    sys.setrecursionlimit(DEEPEST)
    with tempfile.TemporaryDirectory() as folder:
        home_of_its_own(folder)
        return run(given.actions, given.seed)


if __name__ == "__main__":
    sys.exit(main())
