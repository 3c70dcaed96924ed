"""Tab 4: two directions of a score, one matrix for two jobs, and mixing that no score feels."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.javarandom import JavaRandom
from explorer.workbench.number_text import shown
from tests.concepts.lesson_tab import LessonTab, close, printed

SHAPES = {"n": (1, 6), "d_model": (1, 6), "d_head": (1, 7)}


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("queries-keys-values")


def directions(tab: LessonTab) -> list[list[str]]:
    """Return the numbers of the picked pair as the view writes them: score and attention weight, both ways."""
    return [[shown(one.value, 3, tiny=True) for one in way.readings] for way in tab.model("pair").directions]


def test_the_tab_opens_on_the_lessons_numbers(tab: LessonTab, tmp_path: Path) -> None:
    told, arrays = printed(4).groups, tab.computed(tmp_path)
    for name in ("x", "Wq", "Wk", "Wv"):
        assert close(arrays[name], told["intermediates"][name])
    for name in ("q", "k", "v"):
        assert close(arrays[name], told["outputs"][name])
    assert close(arrays["scores"], told["intermediates"]["raw_scores"])
    assert close(tab["scores"][2, 1], told["outputs"]["score_2_asks_1"])
    assert close(tab["scores"][1, 2], told["outputs"]["score_1_asks_2"])


def test_both_directions_of_the_lessons_pair_are_shown(tab: LessonTab) -> None:
    model = tab.model("pair")
    assert [(way.asks, way.asked) for way in model.directions] == [("sat 2", "cat 1"), ("cat 1", "sat 2")]
    assert [way[0] for way in directions(tab)] == ["0.407", "−0.417"]
    assert [heading.verdict for heading in model.headings] == ["not symmetric", "not symmetric"]
    assert [one.index for way in model.directions for one in way.readings] == [(2, 1), (2, 1), (1, 2), (1, 2)]


def test_any_pair_may_be_picked_and_a_token_asks_itself_once(tab: LessonTab) -> None:
    tab.set("asks", 0)
    tab.set("asked", 3)
    assert [way[0] for way in directions(tab)] == [shown(tab["scores"][0, 3], 3), shown(tab["scores"][3, 0], 3)]
    tab.set("asked", 0)
    assert len(directions(tab)) == 1


def test_with_one_matrix_scores_are_symmetric_and_attention_weights_are_not(tab: LessonTab) -> None:
    tab.workbench.act(tab.slug, "one_matrix")
    assert np.array_equal(tab["Wq"], tab["Wk"])
    assert np.abs(tab["scores"] - tab["scores"].T).max() < 1e-15
    assert np.abs(tab["weights"] - tab["weights"].T).max() > 0.05
    model = tab.model("pair")
    assert [(heading.verdict, heading.good) for heading in model.headings] == [
        ("symmetric", True),
        ("not symmetric", False),
    ]
    first, second = directions(tab)
    assert first[0] == second[0]
    assert first[1] != second[1]
    assert tab.task(0)
    assert tab.workbench.undo() == tab.slug
    assert not tab.workbench.edited(tab.slug)


def test_m_is_all_that_scores_are_made_of(tab: LessonTab) -> None:
    assert tab["M"] == pytest.approx(tab["Wq"] @ tab["Wk"].T, abs=1e-15)
    assert tab["scores"] == pytest.approx(tab["x"] @ tab["M"] @ tab["x"].T, abs=1e-14)


@settings(max_examples=40, deadline=None)
@given(st.floats(0.01, 1), st.integers(-(2**63), 2**63 - 1), *(st.integers(*ends) for ends in SHAPES.values()))
def test_mixing_changes_every_query_and_key_and_no_score(
    amount: float, seed: int, n: int, d_model: int, d_head: int
) -> None:
    tab = LessonTab("queries-keys-values")
    for size, value in zip(SHAPES, (n, d_model, d_head), strict=True):
        tab.workbench.set_size(tab.slug, size, value)
    tab.set("seed", seed)
    tab.workbench.act(tab.slug, "draw")
    before = {name: tab[name] for name in ("q", "k", "v", "scores", "weights", "M")}
    tab.set("mix", amount)
    assert (tab["q"] != before["q"]).all()
    assert (tab["k"] != before["k"]).all()
    assert np.array_equal(tab["v"], before["v"])
    for name in ("scores", "weights", "M"):
        assert np.abs(tab[name] - before[name]).max() <= 1e-12, name
        assert not tab.workbench.changed(tab.slug, name).any(), name
    assert tab["moved"][0] > 1e-6 < tab["moved"][1]
    assert tab["moved"][2] <= 1e-12


def test_the_scores_that_are_read_stay_the_same_while_the_slider_moves(tab: LessonTab) -> None:
    wanted = directions(tab)
    for amount in np.linspace(0, 1, 21):
        tab.set("mix", float(amount))
        assert directions(tab) == wanted
    tab.set("mix", 0.0)
    assert not tab.workbench.edited(tab.slug)


def test_the_trace_of_a_mixed_query_reads_x_wq_and_a(tab: LessonTab) -> None:
    tab.set("mix", 0.5)
    found = tab.workbench.trace(tab.slug, "q", (2, 1))
    assert set(found.operands) == {"x", "Wq", "A"}
    assert found.operands["A"] == {(0, 1), (1, 1)}
    assert "sat" in found.plain()


@settings(max_examples=20, deadline=None)
@given(st.integers(-(2**63), 2**63 - 1))
def test_matrices_are_drawn_from_any_seed_as_the_lesson_draws_its_own(seed: int) -> None:
    tab = LessonTab("queries-keys-values")
    tab.set("seed", seed)
    tab.workbench.act(tab.slug, "draw")
    stream = JavaRandom(seed)
    for name, shape in (("x", (4, 4)), ("Wq", (4, 2)), ("Wk", (4, 2)), ("Wv", (4, 2))):
        wanted = (stream.gaussians(shape[0] * shape[1]) * 0.5).astype(np.float32).reshape(shape)
        assert np.array_equal(tab[name], wanted.astype(float)), name
        origin = tab.workbench.state(tab.slug).origins[name]
        assert origin == ("random" if (seed ^ 1) % 2**48 == 0 else f"random seed {seed}")


def test_the_lessons_own_seed_brings_the_lesson_back(tab: LessonTab) -> None:
    before = tab.workbench.state(tab.slug)
    tab.edit("Wq", [(0, 0)], [3.0])
    tab.workbench.act(tab.slug, "draw")
    assert tab.workbench.state(tab.slug).same_as(before)


def test_a_seed_of_more_than_64_bits_is_refused(tab: LessonTab) -> None:
    with pytest.raises(ValueError, match=r"seed cannot be .* to 9223372036854775807 is accepted"):
        tab.set("seed", 2**63)


def test_one_token_is_symmetric_with_itself(tab: LessonTab) -> None:
    tab.workbench.set_size(tab.slug, "n", 1)
    assert [heading.verdict for heading in tab.model("pair").headings] == ["symmetric", "symmetric"]
    assert tab["asymmetry"].tolist() == [0, 0]
