"""Tab 1: one row serves every phrase, and a share of the neighbour tells the phrases apart."""

from pathlib import Path

import numpy as np
import pytest

from explorer.core import lesson
from tests.concepts.lesson_tab import LessonTab, close, printed


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("why-context")


def test_both_phrases_read_the_same_row_for_bank_whatever_is_typed_into_it(tab: LessonTab) -> None:
    for values in ([0.3, 0.3, 0.9], [5.0, -1.0, 0.25]):
        tab.edit("embeddings", [(2, 0), (2, 1), (2, 2)], values)
        assert tab["river_bank"][1].tolist() == tab["money_bank"][1].tolist() == values
    assert tab["river_bank"][0].tolist() == [0.9, 0.0, 0.3]
    assert tab["money_bank"][0].tolist() == [0.0, 0.9, 0.1]


def test_the_links_lead_from_one_row_of_the_table_to_both_phrases(tab: LessonTab) -> None:
    strong = [link for name in ("river", "money") for link in tab.model(f"{name}_bank_links") if link.strong]
    assert {link.source for link in strong} == {("embeddings", 2)}
    assert {link.target for link in strong} == {("river_bank", 1), ("money_bank", 1)}


def test_half_and_half_gives_the_lessons_numbers(tab: LessonTab, tmp_path: Path) -> None:
    assert tab["mixed"] == pytest.approx(np.array([[0.6, 0.15, 0.6], [0.15, 0.6, 0.5]]))
    assert tab["cosines"].round(2).tolist() == [[0.88, 0.25], [0.38, 0.82]]
    told, arrays = printed(1).groups, tab.computed(tmp_path)
    assert close(arrays["mixed"], [told["outputs"]["with_A"], told["outputs"]["with_B"]])
    assert close(arrays["cosines"], [[told["outputs"][f"cosine_{a}_{b}"] for b in "AB"] for a in "AB"])
    assert close(arrays["embeddings"], [told["inputs"]["embeddings"][word] for word in ("river", "money", "bank")])


def test_without_any_context_bank_already_leans_to_river_and_the_tab_says_so(tab: LessonTab) -> None:
    alone = tab.model("verdict")[0]
    assert (alone.value, alone.detail) == ("leans to river", "0.57 against 0.40")
    tab.set("share", 0)
    assert tab["cosines"].tolist() == [tab["alone"][0].tolist()] * 2
    assert tab["cosines"][0].round(2).tolist() == [0.57, 0.40]
    tiles = tab.model("verdict")
    assert [(tile.value, tile.tone) for tile in tiles[1:]] == [("leans to river", "good"), ("leans to river", "bad")]


def test_at_100_percent_nothing_of_bank_is_left_and_the_tab_says_so(tab: LessonTab) -> None:
    tab.set("share", 100)
    assert tab["mixed"].tolist() == tab["embeddings"][:2].tolist()
    assert [tile.detail for tile in tab.model("verdict")[1:]] == ["nothing of bank is left"] * 2


def test_half_and_half_each_phrase_leans_to_its_own_neighbour(tab: LessonTab) -> None:
    assert [(tile.value, tile.detail) for tile in tab.model("verdict")[1:]] == [
        ("leans to river", "0.88 against 0.25"),
        ("leans to money", "0.82 against 0.38"),
    ]


def test_every_tile_names_the_cell_that_it_quotes(tab: LessonTab) -> None:
    for share in (0, 50, 83, 100):
        tab.set("share", share)
        for tile in tab.model("verdict"):
            array, index = tile.cell
            value = float(tab[array][index])
            assert value == tab[array][index[0]].max()
            assert "left" in tile.detail or f"{value:.2f}" in tile.detail


def test_the_cosine_comes_with_its_arithmetic(tab: LessonTab) -> None:
    told = tab.trace("cosines", 0, 0)
    for piece in ("a·b = 0.60 × 0.90 + 0.15 × 0.00 + 0.60 × 0.30 = 0.72", "= 0.7425", "= 0.881"):
        assert piece in told
    assert "0.5 × 0.3 + 0.5 × 0.9 = 0.6" in tab.trace("mixed", 0, 0)


@pytest.mark.parametrize(("pair", "hidden"), [("nature-finance", 2), ("nature-place", 1), ("finance-place", 0)])
def test_the_plane_shows_two_properties_and_names_the_third(tab: LessonTab, pair: str, hidden: int) -> None:
    tab.set("seen", pair)
    plane = tab.model("plane")
    shown = [i for i in range(3) if i != hidden]
    assert (plane.across, plane.up) == tuple(lesson.PROPERTIES[i] for i in shown)
    assert lesson.PROPERTIES[hidden] in plane.note
    for vector in plane.vectors:
        assert vector.tip == tuple(float(tab[vector.array][cell]) for cell in vector.cells)
        assert vector.draggable == (vector.array == "embeddings")
        assert [cell[1] for cell in vector.cells] == shown
    assert [vector.label for vector in plane.vectors] == ["river", "money", "bank", "river bank", "money bank"]


def test_the_mixed_vectors_move_along_the_way_to_the_neighbour(tab: LessonTab) -> None:
    for share in (0, 25, 50, 100):
        tab.set("share", share)
        plane = tab.model("plane")
        for vector, path in zip(plane.vectors[3:], plane.paths, strict=True):
            between = np.array(path.start) + share / 100 * (np.array(path.end) - np.array(path.start))
            assert vector.tip == pytest.approx(tuple(between))


def test_a_vector_without_direction_has_cosine_0_and_the_tab_goes_on(tab: LessonTab) -> None:
    tab.edit("embeddings", [(0, 0), (0, 1), (0, 2)], [0, 0, 0])
    assert tab["cosines"][:, 0].tolist() == [0, 0]
    assert "0" in tab.trace("cosines", 0, 0)
    assert tab.model("verdict")[0].value == "leans to money"


def test_a_share_outside_0_to_100_is_refused(tab: LessonTab) -> None:
    with pytest.raises(ValueError, match="from 0 to 100"):
        tab.set("share", 101)
    assert tab.workbench.state(tab.slug).controls["share"] == 50


def test_the_tasks_are_done_when_they_are_done(tab: LessonTab) -> None:
    assert not tab.task(0)
    tab.set("share", 16)
    assert tab.task(0)
    tab.set("share", 0)
    assert not tab.task(0)
    assert not tab.task(1)
    tab.edit("embeddings", [(2, 1)], [0.5])
    assert tab.task(1)
    assert "neither" in tab.model("verdict")[0].value
    tab.set("share", 1)
    assert not tab.task(1)
