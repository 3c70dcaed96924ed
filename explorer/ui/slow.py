"""Slow stages outside of the GUI thread: one thread for the whole app, progress, cancelling, and nothing stale.

The workbench says which stages wait and takes what comes back; the page says when to look. Here is only what lies
between: the run, its number, and the way home. A run reads nothing but the read-only arrays that it was given. Results
of a run that was overtaken by an edit are dropped twice: here by the number of the run, and by the workbench, which
compares what it was computed from.

What a user has cancelled is not begun again by itself, until something that it depends on changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QCoreApplication, QEvent, QObject, QThreadPool, QTimer, Signal
from PySide6.QtWidgets import QHBoxLayout, QProgressBar, QPushButton, QWidget
from shiboken6 import isValid

if TYPE_CHECKING:
    from explorer.concepts.evaluation import Waiting
    from explorer.ui.theme import Theme
    from explorer.workbench.workbench import Workbench

POOL = "slow_stages"
#: How long a run may take before anything is shown of it: what is done at once should not flash.
PATIENCE_MS = 300
#: The least progress that is worth telling.
STEP = 0.01


def pool() -> QThreadPool:
    """Return the app's one thread for slow work; it ends with the app."""
    app = QCoreApplication.instance()
    assert app is not None
    found = app.findChild(QThreadPool, POOL)
    if found is None:
        found = QThreadPool(app)
        found.setObjectName(POOL)
        found.setMaxThreadCount(1)
    return found


class _Messages(QObject):
    """What a run sends from its thread; it belongs to the run, so that it outlives whoever listens."""

    progressed = Signal(int, float)
    ended = Signal(int, object)


class _Run:
    """One stage being computed. `number` tells it from earlier runs; `cancelled` is read from the other thread."""

    def __init__(self, number: int, waiting: Waiting, messages: _Messages) -> None:
        self.number = number
        self.waiting = waiting
        self.cancelled = False
        self._messages = messages
        self._told = 0.0

    def __call__(self) -> None:
        """Compute; runs in the pool's thread."""
        outcome: Any = None
        if not self.cancelled:
            try:
                outcome = self.waiting.compute(progress=self._progress, cancelled=lambda: self.cancelled)
            except Exception as error:  # noqa: BLE001 - whatever an op raises is told; a thread has nobody to raise it to
                # With its traceback it would hold this frame, which holds it, and all that was drawn so far.
                outcome = error.with_traceback(None)
        if not self.cancelled:
            self._messages.ended.emit(self.number, outcome)

    def _progress(self, share: float) -> None:
        if share - self._told >= STEP and not self.cancelled:
            self._told = share
            self._messages.progressed.emit(self.number, share)


class SlowStages(QObject):
    """The slow stages of one tab.

    Parameters
    ----------
    slug : str
        The tab.
    workbench : Workbench
        Says what waits, takes what is done.
    parent : QObject
        With which it ends; a run that is under way is stopped then.

    Signals
    -------
    changed()
        Something began, went on or ended.
    failed(str)
        A stage could not be computed; the sentence says why.
    """

    changed = Signal()
    failed = Signal(str)

    def __init__(self, slug: str, workbench: Workbench, parent: QObject) -> None:
        super().__init__(parent)
        self._slug = slug
        self._workbench = workbench
        self._number = 0
        self._run: _Run | None = None
        self._running: list[_Run] = []
        self._given_up: list[tuple[Any, ...]] = []
        self._messages = _Messages()
        self._messages.progressed.connect(self._on_progress)
        self._messages.ended.connect(self._on_end)
        self.share = 0.0
        running = self._running
        self.destroyed.connect(lambda: _stop(running))

    # --- what goes on ---

    @property
    def busy(self) -> bool:
        """Whether a stage is being computed."""
        return self._run is not None

    @property
    def stopped(self) -> bool:
        """Whether a stage waits that the user has cancelled, or that failed."""
        return not self.busy and bool(self._given_up)

    # --- what to do ---

    def refresh(self) -> None:
        """Begin what waits, stop what nobody waits for any more."""
        pending = self._workbench.pending(self._slug)
        keys = [one.key for one in pending]
        given_up = [key for key in self._given_up if key in keys]
        was = self.busy, self.stopped
        self._given_up = given_up
        if self._run is not None and self._run.waiting.key not in keys:
            self._stop()
        if self._run is None:
            wanted = next((one for one in pending if one.key not in given_up), None)
            if wanted is not None:
                self._begin(wanted)
        if (self.busy, self.stopped) != was:
            self.changed.emit()

    def cancel(self) -> None:
        """Stop, and do not begin again until something changes or `again` is called."""
        if self._run is not None:
            self._given_up.append(self._run.waiting.key)
            self._stop()
            self.changed.emit()

    def again(self) -> None:
        """Begin again what was cancelled."""
        self._given_up.clear()
        self.refresh()
        self.changed.emit()

    def wait(self) -> None:
        """Return when nothing is being computed and nothing is waiting to be."""
        self.refresh()
        while self._run is not None:
            pool().waitForDone()
            QCoreApplication.sendPostedEvents(self, QEvent.Type.MetaCall)

    # --- runs ---

    def _begin(self, waiting: Waiting) -> None:
        self._number += 1
        self._run = _Run(self._number, waiting, self._messages)
        self._running[:] = [self._run]
        self.share = 0.0
        pool().start(self._run)

    def _stop(self) -> None:
        if self._run is not None:
            self._run.cancelled = True
            self._run = None
            self.share = 0.0

    def _on_progress(self, number: int, share: float) -> None:
        if self._run is not None and number == self._run.number:
            self.share = share
            self.changed.emit()

    def _on_end(self, number: int, outcome: object) -> None:
        if self._run is None or number != self._run.number:
            return
        waiting, self._run = self._run.waiting, None
        self._running.clear()
        if not isinstance(outcome, Exception):
            try:
                self._workbench.deliver(self._slug, waiting.stage, waiting.key, outcome)  # type: ignore[arg-type]
            except ValueError as refusal:
                outcome = refusal
        if isinstance(outcome, Exception):
            self._given_up.append(waiting.key)
            self.failed.emit(f"{waiting.stage} cannot be computed: {str(outcome) or type(outcome).__name__}")
        self.changed.emit()
        self.refresh()


def _stop(running: list[_Run]) -> None:
    """Stop what is under way and wait until it has left the thread."""
    for run in running:
        run.cancelled = True
    app = QCoreApplication.instance()
    if running and app is not None and isValid(app):
        pool().waitForDone()


class SlowBar(QWidget):
    """Progress and a button to cancel, which begins again once it has been pressed."""

    def __init__(self, slow: SlowStages, theme: Theme) -> None:
        super().__init__()
        self._slow = slow
        self._late = QTimer(self)
        self._late.setSingleShot(True)
        self._late.timeout.connect(self._show)
        self.setObjectName("slow")
        self.progress = QProgressBar()
        self.progress.setRange(0, 100)
        self.progress.setTextVisible(False)
        self.progress.setAccessibleName(self.tr("progress of the computation"))
        self.button = QPushButton()
        self.button.setObjectName("slow_button")
        self.button.clicked.connect(self._pressed)
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.addWidget(self.progress)
        row.addWidget(self.button)
        slow.changed.connect(self._update)
        self.set_theme(theme)
        self._say()
        self.hide()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.progress.setFixedSize(theme.px(64), theme.px(10))
        row = self.layout()
        assert row is not None
        row.setSpacing(theme.px(6))

    def _pressed(self) -> None:
        if self._slow.busy:
            self._slow.cancel()
        else:
            self._slow.again()

    def _update(self) -> None:
        if self._slow.stopped:
            self._show()
        elif not self._slow.busy:
            self._late.stop()
            self.hide()
        elif self.isHidden() and not self._late.isActive():
            self._late.start(PATIENCE_MS)
        self._say()

    def _show(self) -> None:
        self._late.stop()
        self.setVisible(self._slow.busy or self._slow.stopped)

    def _say(self) -> None:
        self.progress.setValue(round(self._slow.share * 100))
        stopped = self._slow.stopped
        self.button.setText(self.tr("Again") if stopped else self.tr("Cancel"))
        self.button.setAccessibleName(self.tr("Compute again") if stopped else self.tr("Cancel the computation"))
