"""A window for tests that look at one, taken down in order afterwards."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pytestqt.qtbot import QtBot

from explorer.ui import theme as themes
from explorer.ui.lifetime import close_all
from explorer.ui.settings import Settings
from explorer.ui.window import MainWindow
from explorer.workbench.document import Document
from explorer.workbench.recovery import Recovery
from explorer.workbench.workbench import Workbench

MakeWindow = Callable[..., MainWindow]
OpenWindow = Callable[[], MainWindow]


@pytest.fixture
def make_window(qtbot: QtBot) -> Iterator[MakeWindow]:
    """Return a function that opens a window: `make_window(slug, theme="light", percent=100, size=(1280, 720))`."""
    opened: list[MainWindow] = []

    def make(
        slug: str | None = None,
        *,
        theme: str = "light",
        percent: int = 100,
        size: tuple[int, int] = (1280, 720),
        present: bool = False,
    ) -> MainWindow:
        workbench = Workbench()
        if slug is not None:
            workbench.show(slug)
        window = MainWindow(workbench, Settings(), themes.make(theme, percent))
        opened.append(window)
        if present:
            window.start_show(full_screen=False)
        window.resize(*size)
        window.show()
        qtbot.waitExposed(window)
        settle(window)
        return window

    yield make
    for window in opened:
        close_all(window)


@pytest.fixture
def open_window(qtbot: QtBot, tmp_path: Path) -> Iterator[OpenWindow]:
    """Return a function that opens a window whose document is kept in `tmp_path / "recovery"`."""
    opened: list[MainWindow] = []

    def make() -> MainWindow:
        workbench = Workbench()
        workbench.show("full-attention")
        document = Document(workbench, Recovery(tmp_path / "recovery"))
        window = MainWindow(workbench, Settings(), themes.make("light"), document)
        opened.append(window)
        window.resize(1280, 720)
        window.show()
        qtbot.waitExposed(window)
        settle(window)
        return window

    yield make
    for window in opened:
        window.document.leave()
        close_all(window)


@pytest.fixture
def window(open_window: OpenWindow) -> MainWindow:
    return open_window()


def settle(window: MainWindow) -> None:
    """Let everything that is due be laid out and drawn."""
    from explorer.ui import render

    render.picture(window)
