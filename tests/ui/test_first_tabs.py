"""The figures of the first three tabs as they stand on screen, beside what the command line prints."""

import pytest

from explorer.ui.window import MainWindow
from explorer.workbench.numbers import example
from tests.ui.conftest import MakeWindow, settle


def shown(window: MainWindow, name: str) -> list[list[str]]:
    """Return the digits of a table as they are drawn."""
    (panel,) = window.page.panels(name)
    assert panel.isVisible()
    assert panel.view.look.with_text
    return panel.view.written()


def test_tab_1_shows_the_printed_cosines_and_mixed_vectors(make_window: MakeWindow) -> None:
    window = make_window("why-context")
    lines = example(1).printed_lines
    assert shown(window, "mixed") == [["0.60", "0.15", "0.60"], ["0.15", "0.60", "0.50"]]
    assert lines[2].endswith("[0.6, 0.15, 0.6]")
    (river, money) = shown(window, "cosines")
    assert (river, money) == (["0.88", "0.25"], ["0.38", "0.82"])
    for row, line in zip((river, money), lines[4:], strict=True):
        assert [part.split(" = ")[1] for part in line.split(", c")] == row
    assert shown(window, "river_bank")[1] == shown(window, "money_bank")[1] == shown(window, "embeddings")[2]


def test_tab_1_at_0_percent_leans_to_river_in_both_phrases(make_window: MakeWindow) -> None:
    window = make_window("why-context")
    window.workbench.set_control("why-context", "share", 0)
    settle(window)
    assert shown(window, "cosines") == [["0.57", "0.40"]] * 2


def test_tab_2_shows_the_printed_averages_and_that_nothing_changed(make_window: MakeWindow) -> None:
    window = make_window("running-average")
    assert shown(window, "output") == [["1.00", "0.00"], ["0.50", "0.50"], ["0.67", "0.67"], ["1.00", "0.50"]]
    assert example(2).printed_lines[2].endswith("[0.6666667, 0.6666667]")
    assert [row[0] for row in shown(window, "weights")] == ["1.000", "0.500", "0.333", "0.250"]
    assert shown(window, "change") == [["0", "0"]] * 4
    window.page.act("append")
    settle(window)
    assert shown(window, "output")[:4] == [["1.00", "0.00"], ["0.50", "0.50"], ["0.67", "0.67"], ["1.00", "0.50"]]
    assert shown(window, "change") == [["0", "0"]] * 5


def test_tab_2_hatches_what_comes_later(make_window: MakeWindow) -> None:
    window = make_window("running-average")
    look = window.page.panels("weights")[0].view.look
    assert look.masked is not None
    assert look.masked.tolist() == [[j > i for j in range(4)] for i in range(4)]
    window.workbench.set_control("running-average", "causal", False)
    settle(window)
    assert look.masked is None or not look.masked.any()


def test_tab_3_shows_the_printed_shares_and_both_averages(make_window: MakeWindow) -> None:
    window = make_window("weighted-average")
    assert shown(window, "scores") == [["2.00", "0.00", "2.00", "4.00"]]
    (weights,) = shown(window, "weights")
    assert weights == example(3).printed_lines[1].removeprefix("weights = ").split()
    assert shown(window, "output") == [["1.76", "0.12"]]
    assert shown(window, "uniform") == [["1.00", "0.50"]]


def test_tab_3_lengthened_to_3_0_token_0_beats_the_asker(make_window: MakeWindow) -> None:
    window = make_window("weighted-average")
    window.workbench.edit("weighted-average", "x", [(0, 0)], [3.0])
    settle(window)
    (weights,) = shown(window, "weights")
    assert (weights[0], weights[3]) == ("0.865", "0.117")


@pytest.mark.parametrize("slug", ["running-average", "weighted-average"])
@pytest.mark.parametrize("n", [1, 2, 8, 16, 64])
def test_any_number_of_tokens_stays_in_the_window(make_window: MakeWindow, slug: str, n: int) -> None:
    from tests.ui.layout import faults

    window = make_window(slug)
    window.workbench.set_size(slug, "n", n)
    settle(window)
    assert faults(window) == []
    stage = window.page.stage
    assert stage.verticalScrollBar().maximum() == stage.horizontalScrollBar().maximum() == 0


@pytest.mark.parametrize("slug", ["why-context", "running-average", "weighted-average"])
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_every_step_of_a_show_is_seen_whole(make_window: MakeWindow, slug: str, size: tuple[int, int]) -> None:
    from tests.ui.layout import faults

    window = make_window(slug, present=True, size=size)
    for step in range(len(window.page.concept.steps)):
        window.workbench.set_view(slug, step=step)
        settle(window)
        stage = window.page.stage
        assert stage.verticalScrollBar().maximum() == stage.horizontalScrollBar().maximum() == 0, step
        assert faults(window) == [], step
