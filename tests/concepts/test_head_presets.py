"""Every preset shows the pattern that it is known for, and brings all that belongs to it in one step."""

import json
from pathlib import Path

import numpy as np
import pytest

from explorer.concepts.heads.hand_built_heads import LESSON, feature_names, position_columns
from explorer.concepts.heads.head_presets import HeadPreset, presets
from explorer.concepts.previous_token_head import ROPE_BASE, load
from explorer.core.ops import hand_built
from tests.concepts.lesson_tab import LessonTab

KNOWN = json.loads((Path(__file__).parents[1] / "goldens" / "preset_heads.json").read_text(encoding="utf-8"))
ALL = list(presets())
#: Heads whose positions lie in x under names of their own.
WITHOUT_POSITIONS = {"similar", "similar-other", "recall", "previous-rope"}


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("previous-token-head")


def test_there_are_33_heads_of_which_two_have_a_layer_before_them() -> None:
    assert len(KNOWN) == 33
    assert set(ALL) - set(KNOWN) == {"induction-copy", "induction-rest-copy"}
    assert set(KNOWN) <= set(ALL)


@pytest.mark.parametrize("key", sorted(KNOWN))
def test_a_preset_shows_its_pattern(tab: LessonTab, key: str) -> None:
    tab.set("preset", key)
    wanted = KNOWN[key]
    assert np.abs(tab["weights"] - np.array(wanted["attention"])).max() <= wanted["tolerance"]
    if wanted["output"] is not None:
        largest = 1 + np.abs(presets()[key].arrays["x"]).max()
        assert np.abs(tab["output"] - np.array(wanted["output"])).max() <= wanted["tolerance"] * largest


@pytest.mark.parametrize("key", ALL)
def test_a_preset_brings_sizes_mask_names_and_matrices_in_one_step(tab: LessonTab, key: str) -> None:
    one, before = presets()[key], tab.workbench.state(tab.slug)
    tab.set("preset", key)
    state = tab.workbench.state(tab.slug)
    assert dict(state.sizes) == one.sizes
    assert state.tokens == one.tokens
    assert state.controls["mask"] == one.mask
    assert state.controls["rope"] is (one.rope_base is not None)
    assert state.controls["sharpness"] == np.abs(one.arrays["Wq"]).max()
    assert feature_names(state.situation) == one.features
    for name, array in one.arrays.items():
        assert np.array_equal(state.inputs[name], array)
        same = np.array_equal(array, tab.concept.input(name).default(state.sizes))
        assert state.origins[name] == ("lesson" if same else f"preset: {one.title}")
    tab.workbench.undo()
    assert tab.workbench.state(tab.slug).same_as(before)
    assert tab.workbench.undo_label is None


@pytest.mark.parametrize("key", ALL)
def test_a_preset_is_described_in_a_line(key: str) -> None:
    one = presets()[key]
    assert 0 < len(one.title) <= 27
    assert 0 < len(one.says) <= 45
    assert one.mask in hand_built.RULES
    assert one.rope_base in (None, ROPE_BASE)
    assert len(one.features) == one.sizes["d_model"]
    assert not any(array.flags.writeable for array in one.arrays.values())


def test_titles_are_each_used_once() -> None:
    assert len({one.title for one in presets().values()}) == len(presets())


def test_presets_follow_one_another_in_any_order_and_the_lesson_comes_back(tab: LessonTab) -> None:
    before = tab.workbench.state(tab.slug)
    for key in [*ALL, *reversed(ALL)]:
        tab.set("preset", key)
        assert np.isfinite(tab["output"]).all()
    tab.set("preset", LESSON)
    assert tab.workbench.state(tab.slug).same_as(before)


def test_an_edited_preset_is_still_what_it_started_from(tab: LessonTab) -> None:
    tab.set("preset", "first")
    tab.edit("Wq", [(16, 0)], [2.0])
    state = tab.workbench.state(tab.slug)
    assert state.controls["preset"] == "first"
    assert state.controls["sharpness"] == 2.0
    assert feature_names(state.situation)[0] == "tok=<s>"
    assert state.origins["Wq"] == "typed"
    assert state.origins["x"] == "preset: first token"
    assert "part of the preset “first token”" in tab.trace("x", 3, 3)


@pytest.mark.parametrize("key", ALL)
def test_positions_can_be_taken_out_of_every_head_that_has_them_in_x(tab: LessonTab, key: str) -> None:
    tab.set("preset", key)
    situation = tab.workbench.state(tab.slug).situation
    columns = position_columns(situation)
    if key in WITHOUT_POSITIONS:
        assert columns == []
        with pytest.raises(ValueError, match=f"the x of “{presets()[key].title}” says nothing about positions"):
            tab.workbench.act(tab.slug, "remove")
        return
    assert columns
    tab.workbench.act(tab.slug, "remove")
    assert (tab["x"][:, columns] == 0).all()


def test_the_second_layer_reads_what_the_first_has_added() -> None:
    first, second = presets()["induction-copy"], presets()["induction"]
    assert np.array_equal(first.arrays["x"][:, :13], second.arrays["x"][:, :13])
    noted = second.arrays["x"][:, 13:]
    assert (first.arrays["x"][:, 13:] == 0).all()
    tokens = first.arrays["x"][:, :4]
    assert noted[1:] == pytest.approx(tokens[:-1], abs=1e-6), "each token holds the one before it"


def test_a_preset_that_does_not_exist_is_refused_with_those_that_do(tab: LessonTab) -> None:
    with pytest.raises(ValueError, match="no preset called “nothing”; known are lesson, previous, two-back"):
        tab.set("preset", "nothing")


def test_presets_are_found_by_any_words_of_theirs(tab: LessonTab) -> None:
    suggest = tab.concept.control("preset").suggest  # type: ignore[union-attr]
    assert suggest is not None
    assert [one.value for one in suggest("")] == [LESSON, *ALL]
    assert [one.value for one in suggest("sink")] == ["first"]
    assert [one.value for one in suggest("waves back")] == ["previous-waves", "three-back-waves"]
    assert suggest("no such thing") == []
    assert [one.value for one in suggest("xiao 2023")] == ["first"]


def test_what_a_preset_brings_is_of_its_own_sizes() -> None:
    one: HeadPreset = presets()["recall"]
    assert one.sizes == {"n": 8, "d_model": 33, "d_head": 17, "d_v": 16}
    assert load("recall").sizes == one.sizes
