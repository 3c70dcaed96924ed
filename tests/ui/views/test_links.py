"""Links end at the rows that they name."""

import pytest
from PySide6.QtCore import QPoint

from explorer.ui.views.links import LinksView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow


def row_height(window: MainWindow, view: LinksView, end: tuple[str, int]) -> float:
    table = window.page.panels(end[0])[0].view
    middle = table.visualRect(table.model().index(end[1], 0)).center()
    return view.mapFromGlobal(table.viewport().mapToGlobal(QPoint(0, middle.y()))).y()


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
@pytest.mark.parametrize("word", ["river", "money"])
def test_both_phrases_are_linked_with_the_same_row_of_the_table(
    make_window: MakeWindow, word: str, size: tuple[int, int]
) -> None:
    window = make_window("why-context", size=size)
    view = window.page.findChild(LinksView, f"{word}_bank_links")
    assert view is not None
    ends = [view._height_of(end) for link in view.links for end in (link.source, link.target)]
    wanted = [row_height(window, view, end) for link in view.links for end in (link.source, link.target)]
    assert ends == wanted
    assert all(0 <= end <= view.height() for end in ends if end is not None)
    assert view.links[1].strong
    assert "embeddings row 2" in view.accessibleDescription()
    colors = {view.grab().toImage().pixelColor(view.width() // 2, y).name() for y in range(view.height())}
    assert len(colors) > 1, "something is drawn in the gap"


def test_links_stand_beside_their_tables_in_a_show(make_window: MakeWindow) -> None:
    window = make_window("why-context", present=True)
    view = window.page.findChild(LinksView, "river_bank_links")
    assert view is not None
    ends = {name for link in view.links for name, _ in (link.source, link.target)}
    for step in (0, 1, 2):
        window.workbench.set_view("why-context", step=step)
        window.page.refresh()
        assert view.isVisible() == all(window.page.panels(name)[0].isVisible() for name in ends), step
