"""Tab 6: the mask comes before softmax; what the shortcuts let through; which rows a changed token moves."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import lesson
from tests.concepts.lesson_tab import LessonTab, close, printed


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("causal-mask")


def marks(tab: LessonTab, name: str):
    assert tab.concept.marks is not None
    return tab.concept.marks(tab.workbench.state(tab.slug).situation)[name]


def test_the_tab_opens_on_the_lessons_numbers(tab: LessonTab, tmp_path: Path) -> None:
    told, arrays = printed(6).groups, tab.computed(tmp_path)
    assert arrays["scores"] == np.asarray(told["intermediates"]["raw_scores"]).tolist()
    masked = [[-np.inf if cell == "-Infinity" else cell for cell in row] for row in arrays["masked"]]
    assert np.array_equal(masked, told["intermediates"]["masked_scores"])
    assert close(arrays["weights"], told["outputs"]["weights"])
    assert tab["weights"].round(3).tolist()[2] == [0.331, 0.547, 0.122, 0.0]


def test_zeroed_after_softmax_the_rows_sum_to_less(tab: LessonTab) -> None:
    assert tab["weights"].sum(axis=1) == pytest.approx(1)
    tab.set("rule", "after")
    assert tab["weights"].sum(axis=1).round(3).tolist() == [0.102, 0.557, 0.833, 1.0]
    assert tab["weights"][np.triu_indices(4, 1)].tolist() == [0.0] * 6
    assert marks(tab, "weights").hatched == {(i, j) for i in range(4) for j in range(i + 1, 4)}
    assert "zeroed after softmax" in marks(tab, "masked").note


def test_a_score_of_zero_hides_nothing(tab: LessonTab) -> None:
    tab.set("rule", "zero")
    assert tab["weights"][0].round(3).tolist() == [0.475, 0.175, 0.175, 0.175]
    assert "e⁰ is 1" in marks(tab, "masked").note


def test_the_trace_tells_each_rule_apart(tab: LessonTab) -> None:
    assert "comes later" in tab.trace("masked", 1, 3)
    tab.set("rule", "after")
    assert "0 × 0.276 = 0" in tab.trace("weights", 1, 3)
    assert "may look" not in tab.trace("masked", 1, 3)
    tab.set("rule", "zero")
    assert "= 0.059" in tab.trace("weights", 1, 2)


def test_only_the_right_mask_keeps_earlier_rows_from_moving(tab: LessonTab) -> None:
    assert tab["moved"][:3, 0].tolist() == [0, 0, 0]
    assert tab["moved"][3, 0] > 0
    assert (tab["moved"][:, 1] > 0).all()
    for rule in ("after", "zero"):
        tab.set("rule", rule)
        assert (tab["moved"][:3, 0] > 0).all(), rule


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 8), st.integers(1, 4), st.integers(0, 2**32 - 1), st.data())
def test_what_moves_is_what_moves_when_the_token_is_changed(n: int, d_v: int, seed: int, data: st.DataObject) -> None:
    tab = LessonTab("causal-mask")
    tab.workbench.set_size(tab.slug, "n", n)
    tab.workbench.set_size(tab.slug, "d_v", d_v)
    rng = np.random.default_rng(seed)
    tab.workbench.replace(tab.slug, "scores", rng.standard_normal((n, n)) * 2, label="scores")
    tab.workbench.replace(tab.slug, "v", rng.standard_normal((n, d_v)), label="v")
    at = data.draw(st.integers(0, n - 1))
    tab.set("changed", at)
    told, before = tab["moved"].copy(), tab["output"]
    tab.workbench.act(tab.slug, "change")
    assert np.array_equal(np.abs(tab["output"] - before).max(axis=-1), told[:, 0])
    assert told[:at, 0].tolist() == [0.0] * at
    assert (told[at:, 0] > 0).all()
    assert (told[:, 1] > 0).all()
    assert {int(row) for row, _ in np.argwhere(tab.workbench.changed(tab.slug, "output"))} <= set(range(at, n))


def test_no_token_chosen_moves_nothing_and_cannot_be_changed(tab: LessonTab) -> None:
    tab.set("changed", -1)
    assert not tab["moved"].any()
    assert marks(tab, "moved").note == "nothing changes"
    with pytest.raises(ValueError, match="no token is chosen"):
        tab.workbench.act(tab.slug, "change")


def test_cells_are_masked_by_hand_and_the_tasks_notice(tab: LessonTab) -> None:
    assert not tab.task(0)
    tab.edit("allowed", [(3, 0), (3, 2), (3, 3)], [0.0] * 3)
    assert tab["weights"][3].tolist() == [0, 1, 0, 0]
    assert tab.task(0)
    tab.set("rule", "after")
    assert not tab.task(1)
    tab.edit("scores", [(1, 2), (1, 3)], [9.0, 9.0])
    assert tab.task(1)


@pytest.mark.parametrize(("rule", "said"), [("before", "may look nowhere"), ("after", "has nothing left")])
def test_a_row_with_nothing_left_is_zero_and_explained(tab: LessonTab, rule: str, said: str) -> None:
    tab.set("rule", rule)
    tab.edit("allowed", [(1, 0), (1, 1)], [0.0, 0.0])
    assert tab["weights"][1].tolist() == [0] * 4
    assert tab["output"][1].tolist() == [0, 0]
    assert marks(tab, "weights").note.startswith(f"cat (1) {said}")
    if rule == "before":
        assert "cat (1) may look nowhere" in tab.trace("weights", 1, 0)
        assert "cat (1) may look nowhere" in tab.trace("output", 1, 0)


def test_every_row_is_a_prediction_of_the_next_token(tab: LessonTab) -> None:
    assert marks(tab, "output").stamps == ("→ cat 1", "→ sat 2", "→ down 3", "→ next 4")
    assert marks(tab, "output").note == "4 rows are 4 predictions"
    tab.workbench.set_size(tab.slug, "n", 1)
    assert marks(tab, "output").note == "1 row is 1 prediction"


def test_a_mask_that_grows_stays_causal_and_buttons_open_and_close_it(tab: LessonTab) -> None:
    tab.edit("allowed", [(0, 3)], [1.0])
    tab.workbench.set_size(tab.slug, "n", 6)
    wanted = np.tri(6, dtype=bool)
    wanted[0, 3] = True
    assert np.array_equal(tab["allowed"], wanted)
    tab.workbench.act(tab.slug, "unmasked")
    assert tab["allowed"].all()
    assert np.isfinite(tab["masked"]).all()
    tab.workbench.act(tab.slug, "causal")
    assert np.array_equal(tab["allowed"], np.tri(6, dtype=bool))


def test_values_beyond_the_lessons_repeat_its_vectors(tab: LessonTab) -> None:
    assert np.array_equal(tab["v"], lesson.VECTORS)
    tab.workbench.set_size(tab.slug, "n", 6)
    tab.workbench.set_size(tab.slug, "d_v", 3)
    assert np.array_equal(tab["v"][4:, :2], lesson.VECTORS[:2])
    assert np.array_equal(tab["v"][:4, 2], lesson.VECTORS[:, 0])
