"""Tab 2: everything up to a token counts alike, and no later token rewrites an average."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import lesson
from tests.concepts.lesson_tab import LessonTab, close, printed

CELL = st.one_of(st.floats(-1e6, 1e6, allow_subnormal=False), st.sampled_from([0.0, -0.0, 0.1, 1 / 3]))


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("running-average")


def test_the_averages_are_the_lessons(tab: LessonTab, tmp_path: Path) -> None:
    assert tab["output"].round(3).tolist() == [[1, 0], [0.5, 0.5], [0.667, 0.667], [1, 0.5]]
    told, arrays = printed(2).groups, tab.computed(tmp_path)
    assert close(arrays["x"], told["inputs"]["x"])
    assert close(arrays["output"], told["outputs"]["averages"])


def test_the_triangle_holds_one_over_the_count(tab: LessonTab) -> None:
    for n in (1, 4, 9):
        tab.workbench.set_size(tab.slug, "n", n)
        wanted = [[1 / (i + 1) if j <= i else 0.0 for j in range(n)] for i in range(n)]
        assert tab["weights"].tolist() == wanted
        marks = tab.concept.marks(tab.workbench.state(tab.slug).situation)["weights"]
        assert marks.hatched == {(i, j) for i in range(n) for j in range(i + 1, n)}


def test_a_token_may_not_look_ahead_and_the_trace_says_why(tab: LessonTab) -> None:
    assert "1 ÷ 3 = 0.333" in tab.trace("weights", 2, 0)
    assert "it comes later" in tab.trace("weights", 0, 2)
    assert "0.25 × 0.00 + 0.25 × 1.00 + 0.25 × 1.00 + 0.25 × 0.00 = 0.50" in tab.trace("output", 3, 1)


@given(st.lists(st.tuples(CELL, CELL), min_size=2, max_size=9))
def test_appending_a_token_changes_no_bit_of_an_earlier_output(rows: list[tuple[float, float]]) -> None:
    tab = LessonTab("running-average")
    tab.workbench.set_size(tab.slug, "n", len(rows) - 1)
    for i, row in enumerate(rows[:-1]):
        tab.edit("x", [(i, 0), (i, 1)], list(row))
    before = tab["output"].tobytes()
    tab.workbench.act(tab.slug, "append")
    assert tab["output"][:-1].tobytes() == before
    tab.edit("x", [(len(rows) - 1, 0), (len(rows) - 1, 1)], list(rows[-1]))
    assert tab["output"][:-1].tobytes() == before
    assert tab["change"].tolist() == [[0.0, 0.0]] * len(rows)
    assert tab.model("verdict")[0].value == "exactly 0, in every bit"


def test_appending_is_one_step_keeps_what_was_typed_and_goes_on_in_the_lessons_manner(tab: LessonTab) -> None:
    tab.edit("x", [(0, 0)], [7.0])
    tab.workbench.act(tab.slug, "append")
    assert tab["x"].tolist() == [[7, 0], *lesson.VECTORS[1:].tolist(), lesson.VECTORS[0].tolist()]
    tab.workbench.undo()
    assert tab["x"].shape == (4, 2)
    assert tab["x"][0, 0] == 7


def test_an_output_is_compared_with_what_it_was_when_its_token_was_the_newest(tab: LessonTab) -> None:
    for i in range(4):
        fresh = LessonTab("running-average")
        fresh.workbench.set_size(fresh.slug, "n", i + 1)
        assert tab["arrival"][i].tolist() == fresh["output"][i].tolist()
    assert tab["change"].tolist() == (tab["output"] - tab["arrival"]).tolist()


def test_without_the_mask_later_tokens_rewrite_earlier_outputs_and_the_tab_counts_them(tab: LessonTab) -> None:
    tab.set("causal", False)
    assert tab["output"].tolist() == [[1, 0.5]] * 4
    tile = tab.model("verdict")[0]
    assert (tile.value, tile.tone) == ("up to 0.5", "bad")
    assert "3 of 3" in tile.label
    assert float(abs(tab["change"][tile.cell[1]])) == 0.5
    assert tab["change"][3].tolist() == [0, 0]


def test_a_single_token_has_nothing_to_rewrite(tab: LessonTab) -> None:
    tab.workbench.set_size(tab.slug, "n", 1)
    assert tab["output"].tolist() == tab["x"].tolist()
    assert "no earlier output" in tab.model("verdict")[0].label


def test_the_plane_shows_the_vectors_and_their_averages(tab: LessonTab) -> None:
    plane = tab.model("plane")
    assert [vector.label for vector in plane.vectors] == [
        *("the 0", "cat 1", "sat 2", "down 3"),
        *("output 0", "output 1", "output 2", "output 3"),
    ]
    for vector in plane.vectors:
        assert vector.tip == tuple(float(tab[vector.array][cell]) for cell in vector.cells)
        assert vector.draggable == (vector.array == "x")


def test_outputs_at_one_place_share_a_label(tab: LessonTab) -> None:
    tab.set("causal", False)
    labels = [vector.label for vector in tab.model("plane").vectors if vector.array == "output"]
    assert labels == ["outputs 0, 1, 2, 3", "", "", ""]


def test_the_task_is_done_when_it_is_done(tab: LessonTab) -> None:
    assert not tab.task(0)
    tab.edit("x", [(3, 0), (3, 1)], [-2, -2])
    assert np.abs(tab["output"][3]).max() == 0
    assert not tab.task(0), "without a token appended"
    tab.workbench.restore(tab.slug)
    tab.workbench.act(tab.slug, "append")
    assert not tab.task(0)
    tab.edit("x", [(4, 0), (4, 1)], [-4, -2])
    assert tab.task(0)
