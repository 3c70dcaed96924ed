"""``attention-explorer bench``: what this machine makes of the app, in medians and in ratios taken in one run.

Milliseconds differ from machine to machine; the ratios are what the budgets are about. An edit is timed from the call
that the keyboard makes to the last pixel of the whole window.
"""

from __future__ import annotations

import gc
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from functools import partial
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from PySide6.QtCore import QCoreApplication, QEvent, QEventLoop
from PySide6.QtWidgets import QApplication

from explorer.concepts import declaration as d
from explorer.core import lesson
from explorer.core.attention import attend
from explorer.ui import bench_rivals as rivals
from explorer.ui import lifetime, render
from explorer.ui import theme as themes
from explorer.ui.bench_parts import PARTS
from explorer.ui.garbage import Collector
from explorer.ui.settings import Settings
from explorer.ui.window import MainWindow
from explorer.workbench.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

EDITS: Final = 60
#: How often `attend` is called; threads of two processors that others use too make single calls differ threefold.
ATTENDED: Final = 203
VISITS: Final = 500
START_PAIRS: Final = 20
#: How many seconds the next tab waits for what is still computed.
LONGEST_WAIT: Final = 20
MOSAICS: Final = {"8x16": (8, 16), "32x64": (32, 64)}
ATTENTIONS: Final = {"32x128x64": (32, 128, 64), "16x512x64": (16, 512, 64)}
MULTI_HEAD: Final = "multi-head"


def measure(parts: Sequence[str] = PARTS) -> dict[str, Any]:
    """Measure this machine.

    Parameters
    ----------
    parts : sequence of str
        Which of `PARTS`; keys of the others are null.

    Returns
    -------
    dict
        What ``resources/schema/bench-1.json`` describes. Times are medians in milliseconds, ratios are ours / theirs.
    """
    lifetime.application()
    result: dict[str, Any] = {"machine": _machine(), "edit_ms": None, "slider_fps": None, "first_show_ms": None}
    if "edit" in parts:
        result["edit_ms"], result["slider_fps"], result["first_show_ms"] = _edits()
    grids = "matplotlib" in parts
    result["matplotlib_ms"] = _rival_grids(rivals.MATPLOTLIB) if grids else None
    result["pyqtgraph_ms"] = _rival_grids(rivals.PYQTGRAPH) if grids else None
    start = None
    if "start" in parts and not getattr(sys, "frozen", False):  # a bundle has no interpreter for the other program
        theirs = [sys.executable, "-c", rivals.START]
        start = rivals.paired([*_own_command(), "--exit-after-first-paint"], theirs, START_PAIRS, _environment())
    result["start_ms"] = None if start is None else round(1000 * start["ours"], 1)
    result["start_ratio"] = None if start is None else round(start["ratio"], 3)
    memory = _memory() if "memory" in parts else {}
    result["rss_mb"] = memory.get("rss_mb")
    result["rss_after_visits_mb"] = memory.get("rss_after_visits_mb")
    result["java_ratio"] = _java() if "java" in parts else None
    result["torch_ratio"] = _torch() if "torch" in parts else None
    return result


def describe(result: dict[str, Any]) -> str:
    """Return the measurements as a table for people."""
    lines = [f"machine            {result['machine']}"]
    for name, value in (result["edit_ms"] or {}).items():
        lines.append(f"edit to pixels     {name:>6}  {value:8.2f} ms")
    for key, title in (("matplotlib_ms", "matplotlib"), ("pyqtgraph_ms", "pyqtgraph")):
        for name, value in (result[key] or {}).items():
            ours = (result["edit_ms"] or {}).get(name)
            against = f"  {value / ours:6.1f} × ours" if ours and value else ""
            lines.append(f"{title:<18} {name:>6}  {_number(value, 'ms')}{against}")
    lines.append(f"slider             {_number(result['slider_fps'], 'frames per second')}")
    rival = _number(result["start_ratio"], "× three imports and a plot")
    lines.append(f"start              {_number(result['start_ms'], 'ms')}  {rival}")
    later = _number(result["rss_after_visits_mb"], "MB")
    lines.append(f"memory             {_number(result['rss_mb'], 'MB')}  after {VISITS} visits {later}")
    lines.append(f"example 5          {_number(result['java_ratio'], '× Java')}")
    for name, value in (result["torch_ratio"] or {}).items():
        lines.append(f"attend {name:>11}  {_number(value, '× torch')}")
    return "\n".join(lines)


def _number(value: float | None, unit: str) -> str:
    return "not measured" if value is None else f"{value:8.2f} {unit}"


def _machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} processors, Python {platform.python_version()}"


def _window(workbench: Workbench) -> MainWindow:
    window = MainWindow(workbench, Settings(), themes.make("light"))
    window.resize(1280, 720)
    window.show()
    render.picture(window)
    return window


def _settled(workbench: Workbench) -> None:
    """Wait until nothing is computed elsewhere, so that one tab's slow stages do not slow the next one's edits."""
    end = time.perf_counter() + LONGEST_WAIT
    while workbench.pending(workbench.current) and time.perf_counter() < end:
        QApplication.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 50)
    QApplication.processEvents()


def _until_painted(act: Callable[[], None]) -> float:
    begin = time.perf_counter()
    act()
    QApplication.sendPostedEvents()
    QApplication.processEvents()
    return 1000 * (time.perf_counter() - begin)


def _edits() -> tuple[dict[str, float], float | None, dict[str, float]]:
    workbench = Workbench()
    window = _window(workbench)
    window.readiness.finish()  # whoever opens another tab has looked at the first one for a moment
    gc.disable()
    try:
        times: dict[str, float] = {}
        first: dict[str, float] = {}
        slider: list[float] = []
        for concept in workbench.concepts:
            first[f"{concept.number:02d}"] = round(_until_painted(partial(workbench.show, concept.slug)), 2)
            render.picture(window)
            times[f"{concept.number:02d}"] = _edit_time(window, concept)
            slider += _slider_times(window, concept)
            _settled(workbench)
            gc.collect()  # between two events, as the app does
        if MULTI_HEAD in {concept.slug for concept in workbench.concepts}:
            workbench.show(MULTI_HEAD)
            for name, (heads, tokens) in MOSAICS.items():
                workbench.set_size(MULTI_HEAD, "n_head", heads)
                workbench.set_size(MULTI_HEAD, "n", tokens)
                render.picture(window)
                times[name] = _edit_time(window, workbench.concept(MULTI_HEAD))
        return times, round(1000 / statistics.median(slider), 1) if slider else None, first
    finally:
        gc.enable()
        lifetime.close_all(window)


def _edit_time(window: MainWindow, concept: d.Concept) -> float:
    """Return the median time of an edit of the first matrix, or of a control where a tab has none."""
    workbench, slug = window.workbench, concept.slug
    numbers = [one for one in concept.inputs if one.kind == "number" and workbench.state(slug).inputs[one.name].size]
    if not numbers:
        times = _slider_times(window, concept)
        return round(statistics.median(times), 2) if times else 0.0
    one = numbers[0]
    shape = workbench.state(slug).inputs[one.name].shape
    times = []
    for i in range(EDITS):
        index = tuple(int(part) for part in np.unravel_index(i % int(np.prod(shape)), shape))
        value = min(max(float(i % 7) if one.whole else 0.05 + 0.01 * i, one.limits[0]), one.limits[1])
        times.append(_until_painted(partial(workbench.edit, slug, one.name, [index], [value])))
    while workbench.undo_label is not None:
        workbench.undo()
    return round(statistics.median(times[5:]), 2)


def _slider_times(window: MainWindow, concept: d.Concept) -> list[float]:
    workbench, slug = window.workbench, concept.slug
    times = []
    for control in concept.controls:
        if isinstance(control, d.Slider):
            state = workbench.state(slug)
            low, high = control.bounds(state.sizes, state.controls) if control.bounds else (control.low, control.high)
            with workbench.gesture("bench"):
                for i in range(30):
                    value = min(low + round((high - low) * i / 29 / control.step) * control.step, high)
                    set_it = partial(workbench.set_control, slug, control.name, value)
                    times.append(_until_painted(set_it))
            workbench.undo()
    return times


def _rival_grids(program: str) -> dict[str, float] | None:
    found = {name: rivals.median_of(program, heads, tokens, 12) for name, (heads, tokens) in MOSAICS.items()}
    known = {name: round(value, 1) for name, value in found.items() if value is not None}
    return known if len(known) == len(found) else None


def _own_command() -> list[str]:
    return [sys.executable] if getattr(sys, "frozen", False) else [sys.executable, "-m", "explorer"]


def _environment() -> dict[str, str]:
    # Installed programs have their modules compiled; a variable that forbids it would time the compiler.
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, "OPENBLAS_NUM_THREADS": "1"}


def _memory() -> dict[str, float]:
    """Measure memory in a process of its own: this one has done other things."""
    if os.environ.get(CHILD):
        return _memory_here()
    command = [*_own_command(), "bench", "--only", "memory", "--json"]
    run = subprocess.run(command, capture_output=True, text=True, check=False, env={**_environment(), CHILD: "1"})
    return dict(json.loads(run.stdout)) if run.returncode == 0 else {}


CHILD: Final = "ATTENTION_EXPLORER_BENCH_CHILD"


def _memory_here() -> dict[str, float]:
    workbench = Workbench()
    window = MainWindow(workbench, Settings(), themes.make("light"))
    window.resize(1280, 720)
    window.show()
    Collector(window)
    slugs = [entry.slug for entry in workbench.index]

    def visit(slug: str) -> None:
        workbench.show(slug)
        window.page.settle()
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)

    try:
        for slug in slugs:
            visit(slug)
        after_all = _resident_mb()
        for i in range(VISITS):
            visit(slugs[i % len(slugs)])
        return {"rss_mb": after_all, "rss_after_visits_mb": _resident_mb()}
    finally:
        lifetime.close_all(window)


def _resident_mb() -> float:
    """Return the resident memory of this process in MB (10^6 bytes); the peak where only that is told."""
    try:
        with open("/proc/self/statm", encoding="ascii") as file:  # noqa: PTH123 - a file of the kernel
            pages = int(file.read().split()[1])
        return round(pages * os.sysconf("SC_PAGE_SIZE") / 1e6, 1)
    except OSError:
        import resource

        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return round(peak / 1e6 if sys.platform == "darwin" else peak / 1e3, 1)


def _java() -> float | None:
    sizes = lesson.SCALING
    arguments = [sizes.seed, sizes.pairs, sizes.trials, sizes.keys, *sizes.head_sizes]
    if getattr(sys, "frozen", False):
        return None
    program = (
        "from explorer.core import lesson, scaling; s = lesson.SCALING;"
        "scaling.measure(s.head_sizes, s.pairs, s.trials, s.keys, s.seed)"
    )
    ratio = rivals.java_ratio(arguments, [sys.executable, "-c", program], 5, _environment())
    return None if ratio is None else round(ratio, 3)


def _torch() -> dict[str, float] | None:
    found = {}
    random = np.random.default_rng(1)
    for name, (heads, tokens, width) in ATTENTIONS.items():
        theirs = rivals.median_of(rivals.TORCH, heads, tokens, width, ATTENDED)
        if theirs is None:
            return None
        q, k, v = (random.standard_normal((heads, tokens, width), dtype=np.float32) for _ in range(3))
        times = []
        for _ in range(ATTENDED):
            begin = time.perf_counter()
            attend(q, k, v, causal=True)
            times.append(1000 * (time.perf_counter() - begin))
        found[name] = round(statistics.median(times[3:]) / theirs, 3)
    return found
