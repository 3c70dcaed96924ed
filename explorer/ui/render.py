"""Pictures of whole tabs without a display: the real window, shown where nobody sees it, and grabbed."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QCoreApplication, QEvent
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from explorer.concepts import all_concepts, concept
from explorer.ui import lifetime
from explorer.ui import theme as themes
from explorer.ui.settings import Settings
from explorer.ui.window import MainWindow
from explorer.workbench import atomic
from explorer.workbench.workbench import Workbench


def render(
    *,
    tab: str | int | None = "all",
    size: tuple[int, int] = (1280, 720),
    theme: str = "light",
    scale: int = 100,
    present: bool = False,
    session: str | None = None,
    out: str | Path = ".",
) -> list[Path]:
    """Draw tabs into PNG files called ``NN-slug.png``.

    Parameters
    ----------
    tab : str or int
        A tab's slug or number, or "all".
    size : tuple of int
        Width and height in pixels.
    theme : {"light", "dark", "contrast"}
        The theme.
    scale : int
        Percent, 80 to 300.
    present : bool
        As in presentation.
    session : str, optional
        A session to open first.
    out : str or Path
        The folder, made where it is missing.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    ValueError
        When a name, a size or a session is wrong.
    """
    chosen = all_concepts() if tab in (None, "all") else (concept(str(tab)),)
    look = themes.make(theme, scale, present)
    folder = Path(out)
    atomic.make_folder(folder)
    app = lifetime.application()
    workbench = Workbench()
    if session is not None:
        from explorer.workbench import documents

        documents.open_into(workbench, session)
        chosen = (workbench.concept(workbench.current),) if tab is None else chosen
    window = MainWindow(workbench, Settings(), look)
    try:
        if present:
            window.start_show(full_screen=False)
        window.resize(*size)
        window.show()
        written = []
        for one in chosen:
            workbench.show(one.slug)
            path = folder / f"{one.number:02d}-{one.slug}.png"
            if not picture(window).save(str(path)):
                raise ValueError(f"{path} could not be written; is the folder writable and the disk not full?")
            written.append(path)
        return written
    finally:
        lifetime.close_all(window)
        _dress_as_before(app)


def _dress_as_before(app: QApplication) -> None:
    """Give the application the dress of a window that its caller has open; a picture's own stays with the picture."""
    for other in app.topLevelWidgets():
        if isinstance(other, MainWindow):
            themes.apply(app, other.theme)


def picture(window: MainWindow) -> QImage:
    """Return the window as it looks once everything that is due has been computed, laid out and drawn."""
    window.page.settle()
    for _ in range(3):
        QApplication.processEvents()
        QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
        window.page.refresh()
    window.page.settle()
    return window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
