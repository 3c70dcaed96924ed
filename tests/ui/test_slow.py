"""Slow stages: outside of the GUI thread, to be stopped, never stale, gone when the window is."""

from __future__ import annotations

import threading

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtWidgets import QWidget

from explorer.concepts import concept
from explorer.concepts.declaration import Axis, Concept, Input, Matrix, Row, Stage
from explorer.core.expression import Number
from explorer.core.ops.base import Op, cell
from explorer.ui import theme as themes
from explorer.ui.page import Page
from explorer.ui.slow import SlowStages, pool
from explorer.workbench.workbench import Workbench

ONE = (Axis("1"),)
PATIENCE_S = 30


class Gate:
    """A slow op that goes on chunk by chunk, each time it is let through; it remembers what became of it."""

    def __init__(self, fails=False):
        self.fails = fails
        self.begun = threading.Semaphore(0)
        self.through = threading.Semaphore(0)
        self.threads = set()
        self.runs = 0
        self.stopped = 0

    def apply(self, x, *, progress=None, cancelled=None):
        self.runs += 1
        self.threads.add(threading.current_thread())
        assert not x.flags.writeable
        for chunk in range(2):
            self.begun.release()
            assert self.through.acquire(timeout=PATIENCE_S)
            if cancelled is not None and cancelled():
                self.stopped += 1
                raise InterruptedError
            if progress is not None:
                progress((chunk + 1) / 2)
        if self.fails:
            raise ArithmeticError("it went wrong")
        return x * 2

    def op(self):
        def terms(arrays, names, index):
            return Number(float(arrays[0][index] * 2), "2x")

        return Op("gate", self.apply, terms, lambda names: f"{names[0]} * 2", slow=True)


def quick():
    return Op(
        "plus", lambda y: y + 1, lambda arrays, names, index: cell(arrays, names, 0, *index), lambda n: f"{n[0]} + 1"
    )


def concept_of(*gates):
    names = [f"y{i}" for i in range(len(gates))]
    stages = []
    for name, gate in zip(names, gates, strict=True):
        stages.append(Stage(name, gate.op(), ("x",), ONE, "output"))
    stages.append(Stage("z", quick(), (names[0],), ONE, "output"))
    return Concept(
        1,
        "slow-tab",
        "Slow",
        inputs=(Input("x", ONE, "input", lambda _: np.array([1.0])),),
        stages=tuple(stages),
        layout=Row((Matrix("x"), Matrix("z"))),
    )


@pytest.fixture
def gate():
    return Gate()


@pytest.fixture
def bench(gate):
    return Workbench([concept_of(gate)])


@pytest.fixture
def slow(qapp, bench, gate):
    stages = SlowStages("slow-tab", bench, qapp)
    yield stages
    stages.cancel()
    gate.through.release(10)
    stages.setParent(None)
    stages.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def z(bench):
    return bench.results("slow-tab").get("z")


def test_a_slow_stage_runs_in_another_thread_and_what_reads_it_follows(slow, bench, gate):
    assert z(bench) is None
    slow.refresh()
    assert slow.busy
    gate.through.release(2)
    slow.wait()
    assert not slow.busy
    assert z(bench).tolist() == [3.0]
    assert gate.threads.isdisjoint({threading.main_thread()})


def test_nothing_is_computed_twice(slow, bench, gate):
    for _ in range(3):
        slow.refresh()
    gate.through.release(2)
    slow.wait()
    for _ in range(3):
        slow.refresh()
    assert gate.runs == 1


def test_the_gui_goes_on_meanwhile_and_hears_of_progress(qtbot, slow, bench, gate):
    slow.refresh()
    with qtbot.waitSignal(slow.changed):
        gate.through.release()
    assert slow.busy
    assert slow.share == 0.5
    with qtbot.waitSignal(slow.changed):
        gate.through.release()
    slow.wait()
    assert z(bench).tolist() == [3.0]


def test_an_edit_overtakes_a_run_and_its_result_is_dropped(slow, bench, gate):
    slow.refresh()
    assert gate.begun.acquire(timeout=PATIENCE_S)
    bench.edit("slow-tab", "x", [(0,)], [5.0])
    slow.refresh()
    assert z(bench) is None
    gate.through.release(10)
    slow.wait()
    assert z(bench).tolist() == [11.0]
    assert (gate.runs, gate.stopped) == (2, 1)


def test_an_edit_that_it_does_not_depend_on_lets_a_run_go_on(qapp, gate):
    concept = concept_of(gate)
    other = Input("other", ONE, "input", lambda _: np.array([1.0]))
    bench = Workbench([concept._replace(inputs=(*concept.inputs, other))])
    slow = SlowStages("slow-tab", bench, qapp)
    slow.refresh()
    bench.edit("slow-tab", "other", [(0,)], [5.0])
    slow.refresh()
    gate.through.release(2)
    slow.wait()
    assert (gate.runs, gate.stopped) == (1, 0)
    assert z(bench).tolist() == [3.0]
    slow.setParent(None)


def test_what_is_cancelled_stays_so_until_somebody_asks(slow, bench, gate):
    slow.refresh()
    assert gate.begun.acquire(timeout=PATIENCE_S)
    slow.cancel()
    assert slow.stopped
    gate.through.release(10)
    pool().waitForDone()
    slow.wait()
    assert gate.stopped == 1
    assert z(bench) is None
    slow.again()
    slow.wait()
    assert z(bench).tolist() == [3.0]
    assert not slow.stopped


def test_what_is_cancelled_begins_again_when_something_changes(slow, bench, gate):
    slow.refresh()
    slow.cancel()
    bench.edit("slow-tab", "x", [(0,)], [2.0])
    gate.through.release(10)
    slow.wait()
    assert z(bench).tolist() == [5.0]


def test_a_failure_is_said_once_and_not_tried_again(qtbot):
    gate = Gate(fails=True)
    bench = Workbench([concept_of(gate)])
    slow = SlowStages("slow-tab", bench, QCoreApplication.instance())
    said = []
    slow.failed.connect(said.append)
    gate.through.release(10)
    slow.wait()
    slow.wait()
    assert said == ["y0 cannot be computed: it went wrong"]
    assert gate.runs == 1
    assert slow.stopped
    slow.setParent(None)


def test_a_result_that_is_not_finite_is_a_failure(qapp):
    class Overflowing(Gate):
        def apply(self, x, **asked):
            return np.array([np.inf])

    bench = Workbench([concept_of(Overflowing())])
    slow = SlowStages("slow-tab", bench, qapp)
    said = []
    slow.failed.connect(said.append)
    slow.wait()
    assert len(said) == 1
    assert "overflow" in said[0]
    slow.setParent(None)


def test_several_slow_stages_come_one_after_the_other_in_one_thread(qapp):
    gates = [Gate(), Gate(), Gate()]
    bench = Workbench([concept_of(*gates)])
    slow = SlowStages("slow-tab", bench, qapp)
    for gate in gates:
        gate.through.release(2)
    slow.wait()
    assert {name for name in bench.results("slow-tab") if name.startswith("y")} == {"y0", "y1", "y2"}
    assert pool().maxThreadCount() == 1
    assert [gate.runs for gate in gates] == [1, 1, 1]
    slow.setParent(None)


def test_the_end_of_its_owner_stops_a_run(qapp, gate, bench):
    owner = QWidget()
    slow = SlowStages("slow-tab", bench, owner)
    slow.refresh()
    assert gate.begun.acquire(timeout=PATIENCE_S)
    gate.through.release(10)
    owner.deleteLater()
    QCoreApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete)
    assert pool().activeThreadCount() == 0
    QCoreApplication.sendPostedEvents(None, QEvent.Type.MetaCall)
    assert z(bench) is None


# --- on a page ---


@pytest.fixture
def page(qtbot, bench, gate):
    made = Page(bench.concepts[0], bench, themes.make("light"))
    qtbot.addWidget(made)
    made.resize(800, 500)
    made.show()
    qtbot.waitExposed(made)
    yield made
    gate.through.release(10)


def test_a_page_shows_no_number_before_there_is_one(page, gate):
    view = page.panels("z")[0].view
    assert view.values.shape == (1, 1)
    assert np.isnan(view.values).all()
    assert view.look.blank == {0}
    gate.through.release(2)
    page.settle()
    assert view.values.tolist() == [[3.0]]
    assert view.look.blank == frozenset()


def test_a_page_that_waits_for_an_edit_forgets_the_old_number(page, bench, gate):
    gate.through.release(2)
    page.settle()
    bench.edit("slow-tab", "x", [(0,)], [4.0])
    view = page.panels("z")[0].view
    assert np.isnan(view.values).all()
    gate.through.release(2)
    page.settle()
    assert view.values.tolist() == [[9.0]]


def test_the_bar_shows_what_takes_long_and_its_button_stops_it(qtbot, page, gate):
    bar = page.findChild(QWidget, "slow")
    qtbot.waitUntil(bar.isVisible)
    assert bar.button.text() == "Cancel"
    gate.through.release()
    qtbot.waitUntil(lambda: bar.progress.value() == 50)
    height = page.bar.height()
    qtbot.mouseClick(bar.button, Qt.MouseButton.LeftButton)
    assert page.slow.stopped
    assert bar.isVisible()
    assert bar.button.text() == "Again"
    gate.through.release(10)
    qtbot.mouseClick(bar.button, Qt.MouseButton.LeftButton)
    page.settle()
    assert bar.isHidden()
    assert page.bar.height() == height


def test_what_is_done_at_once_shows_no_bar(page, gate):
    gate.through.release(2)
    page.settle()
    bar = page.findChild(QWidget, "slow")
    assert bar.isHidden()
    assert not bar._late.isActive()


def test_a_tab_without_slow_stages_has_no_bar(qtbot):
    bench = Workbench()
    page = Page(bench.concept("full-attention"), bench, themes.make("light"))
    qtbot.addWidget(page)
    assert page.slow is None
    assert page.findChild(QWidget, "slow") is None


def test_few_scores_are_drawn_at_once_and_many_wait():
    workbench = Workbench()
    assert [one.stage for one in workbench.pending("scaling")] == ["draws"]
    assert "jacobian" not in workbench.results("scaling")
    workbench.replace("scaling", "head_sizes", [[1.0], [4.0], [9.0]], label="small heads")
    assert not workbench.pending("scaling")
    assert workbench.results("scaling")["jacobian"].shape == (3, 4)


def test_what_is_computed_at_once_has_the_bits_of_what_waits():
    stage = concept("scaling").stage("draws")
    few = (np.array([[2.0], [3.0]]), *(np.asarray(number) for number in (200.0, 50.0, 8.0, 5)))
    assert stage.op.quick(*few)
    workbench = Workbench()
    workbench.replace("scaling", "head_sizes", [[2.0], [3.0], [1024.0]], label="one large head")
    (waiting,) = workbench.pending("scaling")
    alone = stage.op.apply(few[0], *waiting.read[1:])
    assert np.array_equal(waiting.compute()[:2], alone)
