"""The gate that every test passes through: what must fail does, and nothing else."""

from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

TESTS = """
import os
from pathlib import Path

import pytest
from PySide6.QtCore import QRunnable, QSettings, QThread, QThreadPool, QTimer
from PySide6.QtWidgets import QWidget

kept = []


class Sleep(QRunnable):
    def run(self):
        QThread.msleep(3000)


def test_window_left(qapp):
    kept.append(QWidget())


def test_timer_left(qapp):
    timer = QTimer()
    timer.start(10_000)
    kept.append(timer)


def test_timer_left_on_the_application(qapp):
    QTimer(qapp).start(10_000)


def test_thread_left(qapp):
    thread = QThread()
    thread.start()
    kept.append(thread)


def test_task_left(qapp):
    QThreadPool.globalInstance().start(Sleep())


def test_failed_and_left(qapp):
    kept.append(QWidget())
    assert False


def test_tidy(qtbot):
    widget = QWidget()
    qtbot.addWidget(widget)
    widget.show()
    QTimer(widget).start(10_000)


def test_tidy_by_itself(qapp):
    widget = QWidget()
    widget.show()
    widget.close()
    widget.deleteLater()
    thread = QThread()
    thread.start()
    thread.quit()
    thread.wait()


@pytest.mark.parametrize("run", [1, 2])
def test_home(qapp, tmp_path, run):
    settings = QSettings("attention-explorer", "attention-explorer")
    assert Path(settings.fileName()).is_relative_to(tmp_path)
    assert settings.value("theme") is None
    settings.setValue("theme", "dark")
    settings.sync()
    assert Path.home().is_relative_to(tmp_path)
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1"


def test_end(qapp):
    kept[2].quit()
    kept[2].wait()
"""


@pytest.fixture
def outcomes(pytester: pytest.Pytester) -> pytest.RunResult:
    pytester.makeconftest(Path(__file__).with_name("conftest.py").read_text(encoding="utf-8"))
    pytester.makepyfile(TESTS)
    return pytester.runpytest_subprocess("-p", "no:cacheprovider")


def test_what_a_test_leaves_behind_fails_it(outcomes):
    outcomes.assert_outcomes(passed=10, failed=1, errors=5)
    for name, left in {
        "test_window_left": "QWidget ''",
        "test_timer_left": "QTimer ''",
        "test_timer_left_on_the_application": "QTimer '' of QApplication",
        "test_thread_left": "QThread ''",
        "test_task_left": "a pool with 1 tasks",
    }.items():
        outcomes.stdout.fnmatch_lines([f"*ERROR at teardown of {name} *", f"left behind: {left}"])
