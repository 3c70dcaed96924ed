"""What happens between the choice of another tab and the moment that its page stands, and just after."""

import pytest
from pytestqt.qtbot import QtBot

from explorer.ui.page import Page
from explorer.ui.window import KEPT_PAGES
from tests.ui.conftest import MakeWindow


def test_news_of_the_steps_before_the_page_stands_are_taken(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window("full-attention")
    build, fronts = window.page_of, []

    def build_after_news(slug: str) -> object:
        window.topbar.steps.changed.emit()
        fronts.append(window.page.concept.slug)
        return build(slug)

    monkeypatch.setattr(window, "page_of", build_after_news)
    window.workbench.show("previous-token-head")
    assert fronts == ["full-attention"]
    assert window.page.concept.slug == "previous-token-head"
    assert "Previous-token head" in window.windowTitle()


def test_a_pill_of_the_tab_before_that_is_let_go_of_changes_nothing(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("multi-query")
    window.topbar.steps.go_first()
    last = window.topbar.steps.idle_pills()[-1]
    window.workbench.show("why-context")
    before = window.workbench.view("why-context")
    last.click()
    assert window.workbench.view("why-context") == before


def test_a_tab_is_seen_before_pages_that_are_out_of_sight_are_taken_down(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window()

    def built() -> list[str]:
        pages = [window.pages.widget(at) for at in range(window.pages.count())]
        return [page.concept.slug for page in pages if isinstance(page, Page)]

    slugs = [entry.slug for entry in window.workbench.index]
    for slug in slugs[:KEPT_PAGES]:
        window.workbench.show(slug)
    qtbot.waitUntil(lambda: len(built()) == KEPT_PAGES)
    longest_unseen, new = slugs[0], slugs[KEPT_PAGES]
    window.workbench.show(new)
    window.repaint()
    assert {longest_unseen, new} <= set(built())
    qtbot.waitUntil(lambda: longest_unseen not in built())
    assert set(built()) == set(slugs[1 : KEPT_PAGES + 1])
