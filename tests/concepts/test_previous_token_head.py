"""Tab 13: a head built by hand, its verdict, and what it is without positions, with more slots, with duller matches."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.concepts.declaration import Edit, Situation, Slider
from explorer.concepts.previous_token_head import share_text, verdict
from explorer.core import lesson
from explorer.core.previous_token import sharpness_needed, worst_share
from explorer.workbench import documents
from tests.concepts.lesson_tab import LessonTab, close, printed


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("previous-token-head")


def situation(tab: LessonTab) -> Situation:
    return tab.workbench.state(tab.slug).situation


def slots(tab: LessonTab, count: int) -> None:
    tab.workbench.set_size(tab.slug, "n", count)


def shown_verdict(tab: LessonTab) -> tuple[str, str]:
    tile = tab.model("verdict")[0]
    return tile.value, tile.detail


def test_the_tab_opens_on_the_lessons_numbers(tab: LessonTab, tmp_path: Path) -> None:
    told, arrays = printed(13).groups, tab.computed(tmp_path)
    between, out = told["intermediates"], told["outputs"]
    for name in ("x", "Wq", "Wk", "Wv", "q", "k", "v"):
        assert np.array_equal(arrays[name], np.asarray(between[name], float)), name
    assert close(arrays["scores"], between["raw_scores"])
    assert close(arrays["scaled"], between["scaled_scores"])
    assert close(arrays["weights"], out["weights"])
    assert close(arrays["output"], out["outputs"])
    assert close(tab["weights"], between["weights_before_float_cast"])


@pytest.mark.parametrize("count", [1, 2, 3, 4, 7, 16, 64])
def test_any_number_of_slots_is_the_lessons_head_of_that_size(tab: LessonTab, count: int) -> None:
    slots(tab, count)
    wanted = lesson.previous_token_inputs(count)
    for name, array in wanted.items():
        assert np.array_equal(tab[name], array), name
        assert tab.workbench.state(tab.slug).origins[name] == "lesson"
    assert tab.workbench.undo_label == "set slots to " + str(count) if count != 4 else tab.workbench.undo_label is None


def test_the_lessons_head_passes_and_names_its_worst_row(tab: LessonTab) -> None:
    tile = tab.model("verdict")[0]
    assert tile.label == "all rows on i − 1, ≥ 0.90?"
    assert shown_verdict(tab) == ("yes", "worst: down 3 → sat 2  0.980")
    assert (tile.tone, tile.cell) == ("good", ("weights", (3, 2)))


def test_the_threshold_is_the_users(tab: LessonTab) -> None:
    tab.set("threshold", 98)
    assert shown_verdict(tab)[0] == "yes"
    tab.set("threshold", 99)
    assert shown_verdict(tab)[0] == "no"


def test_16_slots_blunt_it_and_29_point_2_sharpens_it_again(tab: LessonTab) -> None:
    slots(tab, 16)
    assert [tile.value for tile in tab.model("verdict")] == ["no", "29.2"]
    assert shown_verdict(tab)[1].endswith("15 → t14 14  0.448")
    tab.set("threshold", 99)
    tab.set("sharpness", 29.2)
    assert shown_verdict(tab)[0] == "no", "29.2 is rounded down"
    tab.set("sharpness", 29.3)
    assert shown_verdict(tab)[0] == "yes"


def test_the_sharpness_for_99_percent_at_4_and_64_slots(tab: LessonTab) -> None:
    tile = tab.model("verdict")[1]
    assert (tile.label, tile.value, tile.detail) == ("needed for 99 %", "11.4", "64 slots: 69.9")
    slots(tab, 64)
    assert tab.model("verdict")[1].value == "69.9"
    for count in (4, 64):
        slots(tab, count)
        assert f"{sharpness_needed(count):.1f}" == f"{np.sqrt(count) * np.log(99 * (count - 1)):.1f}"
        tab.set("sharpness", float(np.ceil(sharpness_needed(count) * 10) / 10))
        found = verdict(tab["weights"], 0.99)
        assert found is not None
        assert found.holds


@settings(max_examples=30, deadline=None)
@given(st.integers(2, 24), st.floats(0.1, 100))
def test_the_curve_passes_through_the_worst_row_that_is_measured(count: int, sharpness: float) -> None:
    tab = LessonTab("previous-token-head")
    slots(tab, count)
    tab.set("sharpness", sharpness)
    plot = tab.model("slots")
    (series,), (point,) = plot.series, plot.crossings
    assert (point.x, point.y) == (count, verdict(tab["weights"], 0.9).share)  # type: ignore[union-attr]
    assert series.read(count, plot.x, plot.y) == pytest.approx(point.y, rel=1e-9)
    assert series.y[count - 2] == worst_share(count, tab.workbench.state(tab.slug).controls["sharpness"])
    assert [line.at for line in plot.lines] == [0.9]


def test_without_positions_every_row_is_uniform(tab: LessonTab) -> None:
    tab.workbench.act(tab.slug, "remove")
    assert tab["weights"] == pytest.approx(np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, None], abs=1e-15)
    assert shown_verdict(tab) == ("no", "worst: down 3 → sat 2  0.250")
    assert np.array_equal(tab["x"][:, 4:], lesson.VECTORS), "contents stay"
    tab.workbench.undo()
    assert not tab.workbench.edited(tab.slug)


def test_shuffled_tokens_change_places_and_the_slots_decide_who_is_before_whom(tab: LessonTab) -> None:
    weights, contents = tab["weights"], tab["x"][:, 4:]
    before = situation(tab).tokens
    tab.workbench.act(tab.slug, "shuffle")
    tokens = situation(tab).tokens
    order = [before.index(token) for token in tokens]
    assert sorted(order) == [0, 1, 2, 3]
    assert order != [0, 1, 2, 3]
    assert np.array_equal(tab["x"][:, 4:], contents[order])
    assert np.array_equal(tab["weights"], weights), "slots stay, so every row looks where it looked"
    assert tab["output"][3] == pytest.approx(tab["x"][2, 4:], abs=0.05)


def test_shuffling_again_and_again_is_the_same_on_every_machine_and_leaves_no_token_behind(tab: LessonTab) -> None:
    seen = []
    for _ in range(6):
        tab.workbench.act(tab.slug, "shuffle")
        seen.append(situation(tab).tokens)
    other = LessonTab("previous-token-head")
    for tokens in seen:
        other.workbench.act(other.slug, "shuffle")
        assert situation(other).tokens == tokens
    assert all(sorted(tokens) == sorted(seen[0]) for tokens in seen)
    assert all(one != following for one, following in itertools.pairwise(seen))


def test_without_positions_and_mask_a_shuffle_leaves_every_output_as_it_was(tab: LessonTab) -> None:
    tab.workbench.act(tab.slug, "remove")
    tab.set("mask", "none")
    weights, output = tab["weights"], tab["output"]
    tab.workbench.act(tab.slug, "shuffle")
    assert np.array_equal(tab["weights"], weights)
    assert tab["output"] == pytest.approx(output, abs=1e-15)


def test_a_token_alone_has_none_before_it(tab: LessonTab) -> None:
    slots(tab, 1)
    assert shown_verdict(tab) == ("–", "one token has none before it")
    assert tab.model("slots").crossings == ()
    with pytest.raises(ValueError, match="one token alone"):
        tab.workbench.act(tab.slug, "shuffle")
    tab.set("mask", "no_self")
    assert tab["weights"].tolist() == [[0.0]]


def test_the_sharpness_slider_scales_wq_and_follows_it(tab: LessonTab) -> None:
    tab.set("sharpness", 20.0)
    assert np.array_equal(tab["Wq"], 2 * lesson.previous_token_inputs()["Wq"])
    tab.edit("Wq", [(5, 3)], [-40.0])
    assert situation(tab).controls["sharpness"] == 40.0
    tab.set("sharpness", 4.0)
    assert tab["Wq"][5, 3] == -4.0
    assert tab["Wq"][0, 0] == 2.0


def test_the_lessons_matrix_comes_back_bit_for_bit_after_any_way_of_the_slider(tab: LessonTab) -> None:
    for value in (0.1, 73.3, 12.7, 99.9, 10.0):
        tab.set("sharpness", value)
        assert situation(tab).controls["sharpness"] == value
    assert not tab.workbench.edited(tab.slug)


def test_an_empty_wq_is_sharpened_to_the_lessons_and_a_presets_is_refused(tab: LessonTab) -> None:
    tab.workbench.fill(tab.slug, "Wq", "zeros")
    assert situation(tab).controls["sharpness"] == 0.0
    tab.set("sharpness", 10.0)
    assert np.array_equal(tab["Wq"], lesson.previous_token_inputs()["Wq"])
    tab.set("preset", "first")
    tab.workbench.fill(tab.slug, "Wq", "zeros")
    with pytest.raises(ValueError, match="nothing to sharpen"):
        tab.set("sharpness", 10.0)


def test_the_slider_reaches_as_far_as_the_matrix(tab: LessonTab) -> None:
    control = tab.concept.control("sharpness")
    assert isinstance(control, Slider)
    assert control.bounds is not None
    tab.set("preset", "brackets")
    controls = situation(tab).controls
    assert controls["sharpness"] == pytest.approx(432.666, abs=0.001)
    assert control.bounds(situation(tab).sizes, controls) == (0.1, 500.0)
    tab.edit("Wq", [(0, 0)], [1e8])
    assert situation(tab).controls["sharpness"] == 10_000.0


def test_typed_cells_keep_their_places_when_slots_come_and_go(tab: LessonTab) -> None:
    tab.edit("x", [(1, 4)], [7.0])
    tab.edit("Wq", [(5, 2)], [3.0])
    tab.edit("Wv", [(4, 1)], [0.5])
    tab.edit("Wk", [(1, 2)], [0.25])
    slots(tab, 6)
    state = tab.workbench.state(tab.slug)
    assert dict(state.sizes) == {"n": 6, "d_model": 8, "d_head": 6, "d_v": 2}
    assert tab["x"][1, 6] == 7.0
    assert tab["Wq"][7, 2] == 3.0
    assert tab["Wv"][6, 1] == 0.5
    assert tab["Wk"][1, 2] == 0.25
    assert np.array_equal(tab["x"][:, :6], np.eye(6))
    assert tab["Wq"][5, 4] == 10.0
    slots(tab, 4)
    assert (tab["x"][1, 4], tab["Wq"][5, 2], tab["Wv"][4, 1], tab["Wk"][1, 2]) == (7.0, 3.0, 0.5, 0.25)
    assert tab.workbench.state(tab.slug).sizes["d_model"] == 6


def test_slots_that_come_are_as_sharp_as_those_that_are_there(tab: LessonTab) -> None:
    tab.set("sharpness", 30.0)
    slots(tab, 5)
    assert tab["Wq"][4, 3] == 30.0
    assert situation(tab).controls["sharpness"] == 30.0


def test_a_presets_further_token_asks_for_nobody(tab: LessonTab) -> None:
    tab.set("preset", "same-token")
    slots(tab, 9)
    assert (tab["x"][8] == 0).all()
    assert tab["weights"][8] == pytest.approx(np.full(9, 1 / 9))
    assert dict(tab.workbench.state(tab.slug).sizes)["d_model"] == 13


def test_rotated_queries_still_explain_themselves(tab: LessonTab) -> None:
    tab.set("preset", "previous-rope")
    told = tab.trace("q", 3, 0)
    assert "cos 3" in told
    assert "sin 3" in told


@pytest.mark.parametrize(
    ("share", "wanted", "text"),
    [
        (0.98004, 0.9, "0.980"),
        (0.89996, 0.9, "0.89996"),
        (0.9, 0.9, "0.900"),
        (0.0, 0.9, "0.000"),
        (1e-9, 0.9, "< 0.001"),
        (1.0, 0.99, "1.000"),
        (0.9899999, 0.99, "0.9899999"),
    ],
)
def test_a_share_is_written_on_its_side_of_what_is_wanted(share: float, wanted: float, text: str) -> None:
    assert share_text(share, wanted) == text


def test_the_tasks_are_done_by_what_their_hints_say(tab: LessonTab) -> None:
    assert [tab.task(0), tab.task(1)] == [False, False]
    cells = [(2, 0), (2, 1), (3, 1), (3, 2)]
    tab.edit("Wq", cells, [10.0, 0.0, 10.0, 0.0])
    assert tab.task(0)
    tab.workbench.restore(tab.slug)
    tab.set("sharpness", 12.0)
    assert tab.task(1)


def test_a_text_that_is_brought_along_stays_what_it_is(tab: LessonTab) -> None:
    x = np.arange(36.0).reshape(6, 6)
    tab.workbench.apply(tab.slug, Edit(sizes={"n": 6}, inputs={"x": x}), label="import x")
    assert np.array_equal(tab["x"], x)
    assert dict(tab.workbench.state(tab.slug).sizes) == {"n": 6, "d_model": 6, "d_head": 4, "d_v": 2}
    assert np.array_equal(tab["Wv"], lesson.previous_token_inputs()["Wv"])


def test_values_from_outside_beside_a_size_or_a_preset(tab: LessonTab) -> None:
    grown = documents.with_values(tab.concept, {"n": 16})
    assert grown.sizes["d_head"] == 16
    assert np.array_equal(grown.inputs["Wv"], lesson.previous_token_inputs(16)["Wv"])
    named = documents.with_values(tab.concept, {"tokens": ["a", "b", "c", "d", "e"]})
    assert (named.tokens, named.sizes["d_head"]) == (("a", "b", "c", "d", "e"), 5)
    x = np.arange(36.0).reshape(6, 6)
    given = documents.with_values(tab.concept, {"x": x.tolist(), "Wq": np.eye(6, 4).tolist()})
    assert np.array_equal(given.inputs["x"], x)
    assert np.array_equal(given.inputs["Wv"], lesson.previous_token_inputs()["Wv"])
    assert given.controls["sharpness"] == 1.0
    sharp = documents.with_values(tab.concept, {"preset": "first", "sharpness": 3.0})
    assert (sharp.controls["preset"], sharp.controls["sharpness"]) == ("first", 3.0)
    assert np.abs(sharp.inputs["Wq"]).max() == 3.0
    longer = documents.with_values(tab.concept, {"preset": "first", "n": 9})
    assert longer.inputs["x"].shape == (9, 17)
