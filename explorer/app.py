"""Putting the app together: the application object, the window, and the order of a start.

The front tab is complete at the first paint; nothing else is built before it. Whoever drives the window from outside
calls `make_window`; the command line calls `run_window`.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from PySide6.QtCore import QTimer

from explorer.ui import guard
from explorer.ui import theme as themes
from explorer.ui.garbage import Collector
from explorer.ui.lifetime import application, close_all
from explorer.ui.settings import Settings
from explorer.ui.window import MainWindow
from explorer.workbench.document import Document
from explorer.workbench.recovery import Recovery
from explorer.workbench.workbench import Workbench


def make_window(session: str | None = None, *, tab: str | None = None) -> MainWindow:
    """Make the main window without showing it.

    Parameters
    ----------
    session : str, optional
        Path of a session to open.
    tab : str, optional
        The tab to bring to the front, by slug or number; without one and without a session, the one remembered.

    Returns
    -------
    MainWindow
        The window; a QApplication is made when there is none.

    Raises
    ------
    ValueError
        When the session cannot be read or there is no such tab; the sentence says why.
    """
    from explorer.concepts import concept

    application()
    settings = Settings()
    workbench = Workbench()
    document = Document(workbench, Recovery())
    if session is not None:
        document.open(Path(session).absolute())
    wanted = concept(tab).slug if tab is not None else settings.tab if session is None else ""
    if wanted in {one.slug for one in workbench.index}:
        workbench.show(wanted)
    return MainWindow(workbench, settings, themes.make(settings.theme, settings.percent), document)


def run_window(
    *,
    session: str | None = None,
    tab: str | None = None,
    present: bool = False,
    reset_settings: bool = False,
    exit_after_first_paint: bool = False,
) -> int:
    """Open the window and run until it is closed.

    Parameters
    ----------
    session, tab : str, optional
        A session to open, and the tab to bring to the front, by slug or number.
    present : bool
        Start in presentation.
    reset_settings : bool
        Forget remembered settings first.
    exit_after_first_paint : bool
        End as soon as the front tab has been painted once.

    Returns
    -------
    int
        The exit status.
    """
    app = application()
    if reset_settings:
        Settings().reset()
    window = make_window(session, tab=tab)
    window.restore_place()
    if present:
        window.start_show(full_screen=True)
    window.show()
    guard.say_faults(window.say)
    QTimer.singleShot(0, window, partial(Collector, window))
    if exit_after_first_paint:
        QTimer.singleShot(0, window, lambda: (window.repaint(), window.close(), app.exit()))
    status = app.exec()
    close_all(window)
    return int(status)
