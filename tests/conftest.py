"""What every test gets without asking: no screen, one BLAS thread, a home of its own, and nothing left behind.

The environment is set before NumPy or Qt can be imported by anything, because both read it once.
"""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[name] = "1"
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile(
    "ci",
    deadline=None,
    derandomize=True,
    max_examples=60,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("long", parent=settings.get_profile("ci"), derandomize=False, max_examples=10_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

LAST_REPORT = pytest.StashKey[pytest.TestReport]()
POOL_PATIENCE_MS = 2_000


def pytest_collection_finish() -> None:
    """Set aside what the imports made: the leak gate looks through all objects, and these are not its business.

    From here on the gate alone collects, as `explorer.ui.garbage` does in the app and for the same reason: no other
    thread is to end an object of Qt.
    """
    gc.collect()
    gc.freeze()
    gc.disable()


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[None]:
    """Keep the outcome, so that the leak gate stays silent about a test that has failed anyway."""
    report = yield
    if report.when == "call":
        item.stash[LAST_REPORT] = report
    return report


@pytest.fixture(autouse=True)
def own_home(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Give the test an empty home, so that it neither reads nor writes what belongs to whoever runs it."""
    home = tmp_path / "home"
    places = {
        "HOME": home,
        "USERPROFILE": home,
        "APPDATA": home / "AppData" / "Roaming",
        "LOCALAPPDATA": home / "AppData" / "Local",
        "XDG_CONFIG_HOME": home / ".config",
        "XDG_DATA_HOME": home / ".local" / "share",
        "XDG_STATE_HOME": home / ".local" / "state",
        "XDG_CACHE_HOME": home / ".cache",
    }
    home.mkdir()
    for variable, place in places.items():
        monkeypatch.setenv(variable, str(place))
    if _uses_qt(request):
        from PySide6.QtCore import QSettings

        for form in (QSettings.Format.NativeFormat, QSettings.Format.IniFormat):
            for scope in (QSettings.Scope.UserScope, QSettings.Scope.SystemScope):
                QSettings.setPath(form, scope, str(home / ".config"))
    return home


@pytest.fixture(autouse=True)
def nothing_left_behind(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test with Qt that leaves a window, a running timer, a thread, a task or a mouse button behind."""
    if not _uses_qt(request):
        yield
        gc.collect(1)
        return
    request.getfixturevalue("qapp")
    before = {id(thing): thing for thing in _alive()}
    yield
    after = [thing for thing in _alive() if id(thing) not in before]
    report = request.node.stash.get(LAST_REPORT, None)
    if report is not None and report.passed:
        leaks = [_described(thing) for thing in after] + _busy_pools() + _pressed()
        if leaks:
            pytest.fail("left behind: " + "; ".join(leaks), pytrace=False)


def _uses_qt(request: pytest.FixtureRequest) -> bool:
    return not {"qapp", "qtbot", "qtmodeltester"}.isdisjoint(request.fixturenames)


def _alive() -> list[object]:
    """Return the top-level widgets, running timers and running threads that exist now."""
    from PySide6.QtCore import QCoreApplication, QEvent, QThread, QTimer
    from PySide6.QtWidgets import QApplication
    from shiboken6 import isValid

    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    gc.collect()
    found: list[object] = [widget for widget in QApplication.topLevelWidgets() if isValid(widget)]
    owners = [QApplication.instance(), *found]
    timers = {timer for owner in owners for timer in owner.findChildren(QTimer)}
    wrapped = [thing for thing in gc.get_objects() if issubclass(type(thing), QTimer | QThread) and isValid(thing)]
    timers.update(thing for thing in wrapped if isinstance(thing, QTimer))
    main = QThread.currentThread()
    threads = [thing for thing in wrapped if isinstance(thing, QThread) and thing != main and thing.isRunning()]
    return [*found, *(timer for timer in timers if timer.isActive()), *threads]


def _busy_pools() -> list[str]:
    from PySide6.QtCore import QThreadPool
    from shiboken6 import isValid

    pools = {QThreadPool.globalInstance()}
    pools.update(thing for thing in gc.get_objects() if issubclass(type(thing), QThreadPool) and isValid(thing))
    return [f"a pool with {pool.activeThreadCount()} tasks" for pool in pools if not pool.waitForDone(POOL_PATIENCE_MS)]


def _pressed() -> list[str]:
    """Let go of the mouse: under a button that is held everything later is drawn as during a drag."""
    from PySide6.QtCore import Qt
    from PySide6.QtGui import QGuiApplication
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QWidget

    held = QGuiApplication.mouseButtons()
    for button in Qt.MouseButton:
        if button & held:
            QTest.mouseRelease(QWidget(), button)
    return [f"a mouse that is held: {held}"] if held != Qt.MouseButton.NoButton else []


def _described(thing: object) -> str:
    parent = getattr(thing, "parent", lambda: None)()
    owner = f" of {type(parent).__name__}" if parent is not None else ""
    return f"{type(thing).__name__} {thing.objectName()!r}{owner}"
