"""Editing a document: what is accepted, what it is called, who hears of it, and what is computed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from explorer.concepts.declaration import Axis, Concept, Edit, Input, Matrix, Stage
from explorer.core.javarandom import JavaRandom
from explorer.core.ops import attention
from explorer.core.ops.base import Op
from explorer.workbench.workbench import FIRST_SEED, Event, Workbench
from tests.workbench.random_actions import held
from tests.workbench.small import GROUPED, SINGLE


@pytest.fixture
def bench():
    return Workbench((SINGLE, GROUPED))


@pytest.fixture
def events(bench):
    heard = []
    bench.subscribe(heard.append)
    return heard


def state_events(events):
    return [event for event in events if event.kind == "state"]


# --- tabs ---


def test_the_first_tab_is_in_front_and_another_can_be_shown(bench, events):
    assert bench.current == "single"
    bench.show("grouped")
    bench.show("grouped")
    assert bench.current == "grouped"
    assert events == [Event("current", "grouped")]


def test_an_unknown_tab_is_refused_with_those_that_exist(bench):
    for call in (bench.show, bench.state, bench.results, bench.edited, bench.view):
        with pytest.raises(ValueError, match="no tab called nonsense; the tabs are single, grouped"):
            call("nonsense")


def test_a_workbench_without_concepts_has_no_tab_in_front():
    assert Workbench(()).current == ""


def test_all_tabs_are_there_where_none_are_named():
    assert [one.number for one in Workbench().concepts] == sorted(one.number for one in Workbench().concepts)


# --- edits ---


def test_an_edit_changes_cells_and_everything_downstream(bench):
    before = bench.results("single")
    bench.edit("single", "Wq", [(2, 0), (3, 1)], [0.25, -1.0])
    assert bench.state("single").inputs["Wq"][2, 0] == 0.25
    assert bench.state("single").inputs["Wq"][3, 1] == -1.0
    after = bench.results("single")
    assert {name for name in after if after[name] is not before[name]} == {
        "Wq", "q", "scores", "scaled", "capped", "masked", "weights", "output",
    }  # fmt: skip


def test_one_value_fills_all_cells(bench):
    bench.edit("single", "x", [(0, 0), (1, 1)], 5.0)
    assert bench.state("single").inputs["x"][1, 1] == bench.state("single").inputs["x"][0, 0] == 5.0


def test_a_mask_takes_yes_and_no(bench):
    bench.edit("grouped", "mask", [(0, 2)], [True])
    bench.edit("grouped", "mask", [(2, 0)], [0.0])
    assert bench.state("grouped").inputs["mask"].tolist() == [
        [True, False, True],
        [True, True, False],
        [False, True, True],
    ]
    assert bench.results("grouped")["weights"][0, 2, 0] == 0


@pytest.mark.parametrize(
    ("name", "cells", "values", "sentence"),
    [
        ("x", [(3, 0)], [1e300], r"x\[3, 0\] cannot be 1e300; a number from -1e9 to 1e9 is accepted"),
        ("x", [(0, 0), (3, 0)], [1, np.nan], r"x\[3, 0\] cannot be nan"),
        ("x", [(3, 0)], [np.inf], r"x\[3, 0\] cannot be inf"),
        ("Wk", [(3, 0)], [-np.inf], r"Wk\[3, 0\] cannot be -inf"),
        ("x", [(4, 0)], [1], r"no cell x\[4, 0\]; the shape of x is \(4, 4\)"),
        ("x", [(-1, 0)], [1], r"no cell x\[-1, 0\]"),
        ("x", [(1,)], [1], r"no cell x\[1\]"),
        ("x", [(0, 0), (0, 1)], [1, 2, 3], "3 values cannot fill 2 cells of x"),
        ("x", [(0, 0)], ["a"], "x holds numbers; 'a' is none"),
        ("x", [(0, 0)], [1j], "x holds numbers"),
        ("q", [(0, 0)], [1], "no array q to edit; it has x, Wq, Wk, Wv"),
    ],
)
def test_an_edit_that_cannot_be_is_refused_with_a_sentence_and_leaves_no_trace(
    bench, events, name, cells, values, sentence
):
    before, results = held(bench.state("single")), bench.results("single")
    with pytest.raises(ValueError, match=sentence):
        bench.edit("single", name, cells, values)
    assert held(bench.state("single")) == before
    assert bench.results("single") is results
    assert bench.undo_label is None
    assert events == []


def test_a_mask_refuses_what_is_neither_yes_nor_no(bench):
    with pytest.raises(ValueError, match=r"mask\[0, 1\] is yes or no \(1 or 0\); 2 is neither"):
        bench.edit("grouped", "mask", [(0, 0), (0, 1)], [1, 2])


def test_an_overflow_is_refused_naming_the_cell_and_the_cell_that_would_overflow(bench):
    bench.fill("single", "x", "zeros")
    bench.edit("single", "Wk", [(0, 0), (0, 1)], [1.0, 1e300])
    before = held(bench.state("single"))
    with pytest.raises(
        ValueError, match=r"^x\[2, 0\] = 1e9 would make k\[2, 1\] overflow; keep it smaller in magnitude$"
    ):
        bench.edit("single", "x", [(1, 1), (2, 0)], [3.0, 1e9])
    assert held(bench.state("single")) == before
    bench.fill("single", "Wq", "zeros")
    bench.edit("single", "x", [(1, 0)], [1e8])
    with pytest.raises(ValueError, match=r"^Wq\[0, 1\] = 1e9 would make scores\[1, 1\] overflow"):
        bench.edit("single", "Wq", [(0, 1)], [1e9])


def test_an_unchanged_value_is_no_step(bench, events):
    x = bench.state("single").inputs["x"]
    bench.edit("single", "x", [(1, 1)], [x[1, 1]])
    bench.edit("single", "x", [], [])
    bench.replace("single", "x", x.copy(), label="paste into x")
    bench.set_control("single", "causal", True)
    bench.set_size("single", "n", 4)
    bench.rename_token("single", 0, " the ")
    bench.restore("single")
    assert bench.undo_label is None
    assert events == []


def test_the_same_values_keep_where_they_come_from(bench):
    bench.fill("single", "x", "random", seed=9)
    bench.edit("single", "x", [(1, 1)], [bench.state("single").inputs["x"][1, 1]])
    assert bench.state("single").origins["x"] == "random seed 9"
    assert bench.undo_label == "fill x with random"


def test_an_op_that_fails_is_a_sentence():
    def fail(x):
        raise ZeroDivisionError("division by zero")

    def op(controls):
        return Op("fail", fail if controls_of["fail"] else lambda x: x + 0.0, lambda *_: None, lambda _: "")

    controls_of = {"fail": False}
    concept = Concept(
        1,
        "one",
        "One",
        inputs=(Input("x", (Axis("2"),), "input", lambda _: np.zeros(2)),),
        stages=(Stage("y", op, ("x",), (Axis("2"),), "plain"),),
        layout=Matrix("x"),
    )
    bench = Workbench((concept,))
    controls_of["fail"] = True
    with pytest.raises(ValueError, match="these values cannot be computed with: division by zero"):
        bench.edit("one", "x", [(0,)], [1.0])
    assert bench.state("one").inputs["x"].tolist() == [0, 0]


def test_a_tabs_own_rule_is_kept(bench):
    bench.set_size("single", "d_head", 3)
    with pytest.raises(ValueError, match="a d_head of 3 needs a divisor"):
        bench.set_control("single", "divisor", "none")
    assert bench.state("single").controls["divisor"] == "sqrt_d_head"
    with pytest.raises(ValueError, match="4 query heads cannot share 3 KV heads"):
        bench.set_size("grouped", "n_head_kv", 3)


def test_a_bias_may_mask_with_minus_infinity_where_its_limits_say_so():
    bias = Input("bias", (Axis("2"), Axis("2")), "score", lambda _: np.zeros((2, 2)), limits=(-np.inf, 1e9))
    concept = Concept(
        1,
        "one",
        "One",
        inputs=(bias,),
        stages=(Stage("weights", attention.softmax(), ("bias",), (Axis("2"), Axis("2")), "weight"),),
        layout=Matrix("bias"),
    )
    bench = Workbench((concept,))
    bench.edit("one", "bias", [(0, 0), (0, 1)], [-np.inf, -np.inf])
    assert bench.results("one")["weights"].tolist() == [[0, 0], [0.5, 0.5]]
    with pytest.raises(ValueError, match=r"bias\[1, 0\] cannot be inf"):
        bench.edit("one", "bias", [(1, 0)], [np.inf])
    assert bench.difference("one", "bias").tolist() == [[-np.inf, -np.inf], [0, 0]]


# --- fills ---


def test_a_random_fill_draws_as_the_lesson_does(bench):
    bench.fill("single", "x", "random", seed=42)
    drawn = (JavaRandom(42).gaussians(16) * 0.5).astype(np.float32).astype(np.float64).reshape(4, 4)
    assert bench.state("single").inputs["x"].tobytes() == drawn.tobytes()
    assert bench.state("single").origins["x"] == "random seed 42"
    assert bench.undo_label == "fill x with random"


def test_the_lessons_own_seed_gives_the_lessons_values_back(bench):
    bench.edit("single", "x", [(0, 0)], [1.0])
    assert bench.state("single").origins["x"] == "typed"
    bench.fill("single", "x", "random", seed=1)
    assert bench.state("single").origins["x"] == "random"
    assert not bench.edited("single")


def test_random_fills_without_a_seed_differ_and_can_be_repeated(bench):
    bench.fill("single", "x", "random")
    first = bench.state("single").inputs["x"]
    bench.fill("single", "x", "random")
    assert not np.array_equal(first, bench.state("single").inputs["x"])
    assert bench.state("single").origins["x"] == f"random seed {FIRST_SEED + 1}"


def test_small_integers_are_easy_on_paper(bench):
    bench.fill("single", "x", "small integers", seed=7)
    values = bench.state("single").inputs["x"]
    assert set(values.ravel()) <= {-3, -2, -1, 0, 1, 2, 3}
    assert len(set(values.ravel())) > 3


def test_zeros_and_identity_fill_each_head(bench):
    bench.fill("grouped", "q", "identity")
    assert (bench.state("grouped").inputs["q"] == np.eye(3, 2)).all()
    bench.fill("grouped", "q", "zeros", cells=[(0, 0, 0)])
    assert bench.state("grouped").inputs["q"][0].tolist() == [[0, 0], [0, 1], [0, 0]]
    bench.fill("grouped", "mask", "identity")
    assert bench.state("grouped").inputs["mask"].tolist() == np.eye(3, dtype=bool).tolist()
    assert bench.state("grouped").origins["mask"] == "typed"


def test_a_fill_of_cells_leaves_the_others_alone(bench):
    before = bench.state("single").inputs["x"]
    bench.fill("single", "x", "random", seed=5, cells=[(0, 1), (2, 2)])
    after = bench.state("single").inputs["x"]
    assert np.argwhere(before != after).tolist() == [[0, 1], [2, 2]]
    assert after[0, 1] == np.float32(JavaRandom(5).gaussians(2)[0] * 0.5)
    assert bench.undo_label == "fill 2 cells of x with random"


def test_fills_that_make_no_sense_are_refused(bench):
    with pytest.raises(ValueError, match="no fill called ones"):
        bench.fill("single", "x", "ones")
    with pytest.raises(ValueError, match="mask is a mask of yes and no"):
        bench.fill("grouped", "mask", "small integers")


# --- controls ---


@pytest.mark.parametrize(
    ("name", "value", "sentence"),
    [
        ("causal", 1, "causal mask is on or off; 1 is neither"),
        ("divisor", "half", "divide by cannot be 'half'; the options are sqrt_d_head, d_head, none"),
        ("cap", 0.5, "soft cap cannot be 0.5; a number from 1 to 50 is accepted"),
        ("cap", np.nan, "soft cap cannot be nan"),
        ("cap", True, "soft cap cannot be true"),
        ("cap", "3", "soft cap cannot be '3'"),
        ("least", 5, "least cannot be 5; a number from 0 to 4 is accepted"),
        ("seed", 1.5, "seed cannot be 1.5; a whole number from 0 to 1000 is accepted"),
        ("seed", 1001, "seed cannot be 1001"),
        ("seed", 2**63, "seed cannot be 9223372036854775808; a whole number from 0"),
        pytest.param("seed", 10**5000, "seed cannot be a number too long to be written out", id="seed-5001-digits"),
        ("token", 4, "token cannot be 4; a whole number from 0 to 3 is accepted"),
        ("token", -1, "token cannot be -1"),
        ("model", "none", "there is no such model"),
        ("model", 3, "model takes a line of text"),
        ("model", "a\nb", "model takes a line of text"),
        ("model", "x" * 5000, "at most 4096 characters"),
        ("nonsense", 1, "no control nonsense; it has causal, divisor"),
    ],
)
def test_a_control_refuses_what_it_cannot_be(bench, name, value, sentence):
    with pytest.raises(ValueError, match=sentence):
        bench.set_control("single", name, value)
    assert bench.undo_label is None


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("causal", False),
        ("divisor", "d_head"),
        ("cap", 2),
        ("least", 4),
        ("seed", 7.0),
        ("token", 0),
        ("other", 2),
        ("model", "x"),
    ],
)
def test_a_control_is_set_undone_and_named(bench, name, value):
    before = bench.state("single").controls[name]
    bench.set_control("single", name, value)
    assert bench.state("single").controls[name] == value
    assert bench.undo_label == f"change {SINGLE.control(name).label}"
    bench.undo()
    assert bench.state("single").controls[name] == before


def test_numbers_keep_the_kind_that_was_declared(bench):
    bench.set_control("single", "least", 3.0)
    bench.set_control("single", "cap", 3)
    assert type(bench.state("single").controls["least"]) is int
    assert type(bench.state("single").controls["cap"]) is float


def test_controls_whose_range_shrinks_move_with_it_in_the_same_step(bench):
    bench.set_size("single", "n", 2)
    assert bench.state("single").controls["token"] == 1
    assert bench.state("single").controls["other"] == -1
    bench.set_control("single", "cap", 1.5)
    assert bench.state("single").controls["least"] == 1
    bench.undo()
    assert bench.state("single").controls["least"] == 2
    bench.undo()
    assert bench.state("single").controls["token"] == 3


# --- sizes and tokens ---


def test_growing_keeps_typed_cells_and_shrinking_too(bench, events):
    bench.edit("single", "x", [(1, 3)], [9.0])
    events.clear()
    bench.set_size("single", "n", 6)
    state = bench.state("single")
    assert state.inputs["x"].shape == (6, 4)
    assert state.inputs["x"][1, 3] == 9.0
    assert state.tokens == ("the", "cat", "sat", "down", "t4", "t5")
    assert bench.results("single")["weights"].shape == (6, 6)
    assert state_events(events) == [Event("state", "single", frozenset({"n", "x", "tokens"}))]
    assert bench.undo_label == "set tokens to 6"
    bench.set_size("single", "n", 2)
    assert bench.state("single").inputs["x"][1, 3] == 9.0
    bench.undo()
    bench.undo()
    assert bench.state("single").inputs["x"].shape == (4, 4)


def test_new_cells_come_from_grow_or_continue_the_lesson_and_masks_let_look(bench):
    bench.set_size("single", "d_head", 3)
    state = bench.state("single")
    assert state.inputs["Wv"][:, 2].tolist() == [0, 0, 0, 0]
    lesson = SINGLE.input("Wq").default(state.sizes)
    assert np.array_equal(state.inputs["Wq"][:, 2], lesson[:, 2])
    bench.set_size("grouped", "n", 4)
    assert bench.state("grouped").inputs["mask"][3].all()
    assert bench.state("grouped").inputs["mask"][:, 3].all()
    assert not bench.state("grouped").inputs["mask"][0, 1]


@pytest.mark.parametrize("value", [0, 9, 2.5, "3", None])
def test_a_size_refuses_what_it_cannot_be(bench, value):
    with pytest.raises(ValueError, match=r"tokens cannot be .*; a whole number from 1 to 8 is accepted"):
        bench.set_size("single", "n", value)


def test_a_token_is_named(bench):
    results = bench.results("single")
    bench.rename_token("single", 1, "  black \n cat ")
    assert bench.state("single").tokens == ("the", "black cat", "sat", "down")
    assert bench.undo_label == "rename token 1"
    assert all(bench.results("single")[name] is results[name] for name in results)


@pytest.mark.parametrize(
    ("at", "text", "sentence"),
    [
        (4, "x", "the tokens are 0 to 3"),
        (-1, "x", "no token -1"),
        (0, " ", "needs a name"),
        (0, "x" * 41, "at most 40"),
    ],
)
def test_a_name_that_cannot_be_is_refused(bench, at, text, sentence):
    with pytest.raises(ValueError, match=sentence):
        bench.rename_token("single", at, text)


def test_a_tab_without_tokens_has_none_to_name(bench):
    with pytest.raises(ValueError, match="no tokens to name"):
        bench.rename_token("grouped", 0, "x")


# --- actions and restoring ---


def test_an_action_is_one_step(bench):
    x = bench.state("single").inputs["x"]
    bench.act("single", "flip")
    state = bench.state("single")
    assert np.array_equal(state.inputs["x"], x[::-1])
    assert state.tokens == ("down", "sat", "cat", "the")
    assert state.controls["causal"] is False
    assert bench.undo_label == "Flip x"
    bench.undo()
    assert not bench.edited("single")
    bench.act("single", "append")
    assert bench.state("single").sizes["n"] == 5
    with pytest.raises(ValueError, match="no action dance; it has append, flip"):
        bench.act("single", "dance")


def test_an_action_stops_at_the_limits_of_its_tab(bench):
    for _ in range(4):
        bench.act("single", "append")
    with pytest.raises(ValueError, match="tokens cannot be 9"):
        bench.act("single", "append")


def test_many_changes_at_once_are_one_step(bench):
    x = np.full((5, 4), 0.25)
    bench.apply("single", Edit({"x": x}, {"causal": False}, {"n": 5}), label="import x")
    state = bench.state("single")
    assert np.array_equal(state.inputs["x"], x)
    assert (state.controls["causal"], state.sizes["n"], bench.undo_label) == (False, 5, "import x")
    bench.undo()
    assert not bench.edited("single")
    with pytest.raises(ValueError, match="x"):
        bench.apply("single", Edit({"x": x}), label="import x")
    assert bench.undo_label is None


def test_a_whole_state_is_put_back_as_one_step(bench):
    kept = bench.state("single")
    bench.edit("single", "x", [(0, 0)], 7.0)
    bench.set_size("single", "n", 5)
    bench.put(kept, label="go to bookmark 0")
    assert bench.state("single") is kept
    assert bench.undo_label == "go to bookmark 0"
    bench.undo()
    assert (bench.state("single").sizes["n"], bench.state("single").inputs["x"][0, 0]) == (5, 7.0)


def test_lesson_values_return_to_a_cell_an_input_and_the_tab(bench):
    bench.fill("single", "x", "zeros")
    bench.restore("single", "x", [(1, 1)])
    lesson = SINGLE.input("x").default(bench.state("single").sizes)
    assert bench.undo_label == "lesson value of x[1, 1]"
    assert np.count_nonzero(bench.state("single").inputs["x"]) == 1
    assert bench.state("single").inputs["x"][1, 1] == lesson[1, 1]
    bench.restore("single", "x")
    assert bench.undo_label == "lesson values of x"
    assert bench.state("single").origins["x"] == "random"
    bench.set_size("single", "n", 5)
    bench.set_control("single", "causal", False)
    bench.rename_token("single", 0, "a")
    bench.restore("single")
    assert bench.undo_label == "lesson values of the whole tab"
    assert not bench.edited("single")
    bench.undo()
    assert bench.state("single").tokens[0] == "a"


def test_a_matrix_restored_after_growing_holds_the_lessons_values_of_that_size(bench):
    bench.set_size("single", "n", 6)
    bench.fill("single", "x", "zeros")
    bench.restore("single", "x")
    assert np.array_equal(bench.state("single").inputs["x"], SINGLE.input("x").default(bench.state("single").sizes))


# --- gestures, undo, modified ---


def test_a_scrub_is_one_step_and_the_page_hears_of_every_value(bench, events):
    start = bench.state("single").inputs["x"][0, 0]
    with bench.gesture():
        for value in (0.1, 0.2, 0.3):
            bench.edit("single", "x", [(0, 0)], [value])
    assert len(state_events(events)) == 3
    assert bench.undo_label == "edit x[0, 0]"
    assert bench.difference("single", "x")[0, 0] == pytest.approx(0.3 - start, abs=1e-15)
    bench.undo()
    assert bench.state("single").inputs["x"][0, 0] == start
    assert bench.undo_label is None


def test_undo_in_the_middle_of_a_gesture_takes_back_what_it_did(bench):
    bench.edit("single", "x", [(0, 0)], [5.0])
    with bench.gesture("scrub"):
        bench.edit("single", "x", [(0, 0)], [6.0])
        assert bench.undo() == "single"
        assert bench.state("single").inputs["x"][0, 0] == 5.0
        bench.edit("single", "x", [(0, 0)], [7.0])
        bench.edit("single", "x", [(0, 0)], [8.0])
    bench.end()
    bench.undo()
    assert bench.state("single").inputs["x"][0, 0] == 7.0


def test_a_refusal_inside_a_gesture_leaves_what_was_done_before_it(bench):
    gesture = bench.gesture("two")
    with pytest.raises(ValueError, match="cannot be nan"), gesture:  # noqa: PT012 - one change stays, one is refused
        bench.edit("single", "x", [(0, 0)], [6.0])
        bench.edit("single", "x", [(0, 0)], [np.nan])
    assert bench.undo_label == "two"
    bench.edit("single", "x", [(0, 0)], [7.0])
    bench.undo()
    assert bench.state("single").inputs["x"][0, 0] == 6.0


def test_undo_brings_the_tab_forward(bench, events):
    bench.edit("single", "x", [(0, 0)], [5.0])
    bench.show("grouped")
    events.clear()
    assert bench.undo() == "single"
    assert bench.current == "single"
    assert [event.kind for event in events] == ["state", "history", "current"]
    assert bench.redo() == "single"
    assert (bench.undo_label, bench.redo_label) == ("edit x[0, 0]", None)
    assert bench.undo() == "single"
    assert bench.undo() is None


def test_a_paste_is_named_by_whoever_pastes(bench):
    bench.edit("single", "Wq", [(0, 0), (0, 1)], [1, 2], label="paste into Wq")
    assert bench.undo_label == "paste into Wq"
    bench.edit("single", "Wq", [(0, 0), (0, 1)], [3, 4])
    assert bench.undo_label == "edit 2 cells of Wq"


def test_a_document_is_modified_until_it_is_saved_or_undone(bench):
    bench.results("grouped")
    assert not bench.modified
    bench.edit("single", "x", [(0, 0)], [5.0])
    assert bench.modified
    assert bench.edited("single")
    assert not bench.edited("grouped")
    bench.undo()
    assert not bench.modified
    bench.redo()
    bench.mark_saved()
    assert not bench.modified
    bench.undo()
    assert bench.modified
    assert not bench.edited("single")


def test_looking_around_is_no_modification(bench, events):
    bench.set_view("single", step=2, by_row=True, pinned=("x", (1, 1)))
    assert bench.view("single").step == 2
    assert not bench.modified
    assert bench.undo() is None
    assert events == [Event("view", "single", frozenset({"step", "by_row", "pinned"}))]
    bench.set_view("single", step=2)
    assert len(events) == 1
    with pytest.raises(ValueError, match=r"no cell x\[9, 9\] to pin"):
        bench.set_view("single", pinned=("x", (9, 9)))


def test_a_tab_opens_with_its_declared_pin_and_loses_it_with_the_cell(bench, events):
    assert bench.view("single").pinned == ("weights", (2, 1))
    bench.set_size("single", "n", 2)
    assert bench.view("single").pinned is None
    assert Event("view", "single", frozenset({"pinned"})) in events


# --- what changed ---


def test_the_difference_is_against_the_state_before_the_last_step(bench):
    assert bench.difference("single", "x") is None
    bench.edit("single", "x", [(3, 0)], [1.0])
    first = bench.results("single")["weights"]
    bench.edit("single", "x", [(3, 1)], [1.0])
    now = bench.results("single")["weights"]
    assert np.array_equal(bench.difference("single", "weights"), now - first)
    changed = bench.changed("single", "weights")
    assert not changed[:3].any(), "earlier rows do not see token 3"
    assert changed[3].any()
    bench.undo()
    assert np.array_equal(bench.difference("single", "weights"), first - now)
    assert np.argwhere(bench.changed("single", "x")).tolist() == [[3, 1]]


def test_there_is_no_difference_where_the_shape_changed(bench):
    bench.set_size("single", "n", 5)
    assert bench.difference("single", "weights") is None
    assert bench.changed("single", "weights") is None
    assert not bench.changed("single", "Wq").any()


def test_a_score_that_becomes_masked_differs_by_infinity_and_never_by_nan(bench):
    bench.edit("grouped", "mask", [(2, 0), (0, 1)], [False, True])
    difference = bench.difference("grouped", "masked")
    assert (difference[:, 2, 0] == -np.inf).all()
    assert (difference[:, 0, 1] == np.inf).all()
    assert not np.isnan(difference).any()
    assert bench.difference("grouped", "mask")[2, 0] == -1
    assert bench.changed("grouped", "masked")[:, 0].tolist() == [[False, True, False]] * 4


# --- computing only what is asked for ---


def counting(concept):
    """Return the concept with its ops counted, and the counts."""
    counts = {stage.name: 0 for stage in concept.stages}

    def counted(name, op):
        def apply(*arrays):
            counts[name] += 1
            return op.apply(*arrays)

        return replace(op, apply=apply)

    def wrapped(stage):
        if isinstance(stage.op, Op):
            return stage._replace(op=counted(stage.name, stage.op))
        return stage._replace(op=lambda controls: counted(stage.name, stage.op(controls)))

    return concept._replace(stages=tuple(wrapped(stage) for stage in concept.stages)), counts


def test_nothing_is_computed_before_it_is_asked_for_and_nothing_twice():
    concept, counts = counting(SINGLE)
    other, other_counts = counting(GROUPED)
    bench = Workbench((concept, other))
    bench.state("single")
    assert not any(counts.values())
    bench.edit("single", "x", [(0, 0)], [1.0])
    for _ in range(3):
        bench.results("single")
    assert counts == {name: 0 if name in ("sums", "outer") else 1 for name in counts}
    bench.edit("single", "Wv", [(0, 0)], [1.0])
    assert (counts["v"], counts["output"], counts["scores"]) == (2, 2, 1)
    assert not any(other_counts.values())


def test_undo_computes_nothing_until_the_tab_is_looked_at():
    concept, counts = counting(SINGLE)
    bench = Workbench((concept,))
    bench.results("single")
    bench.edit("single", "x", [(0, 0)], [1.0])
    bench.undo()
    assert counts["weights"] == 2
    assert not bench.edited("single")
    bench.results("single")
    assert counts["weights"] == 3


# --- slow stages ---


def test_a_slow_stage_is_computed_elsewhere_and_delivered(bench, events):
    assert "sums" not in bench.results("single")
    (waiting,) = bench.pending("single")
    assert waiting.stage == "sums"
    assert bench.deliver("single", waiting.stage, waiting.key, waiting.compute())
    assert bench.pending("single") == []
    assert bench.results("single")["sums"].shape == (4, 1)
    assert bench.results("single")["outer"].shape == (4, 4)
    assert events == [Event("results", "single", frozenset({"sums", "outer"}))]
    assert not bench.deliver("single", waiting.stage, waiting.key, waiting.compute())


def test_a_slow_result_that_came_too_late_is_dropped(bench):
    (waiting,) = bench.pending("single")
    bench.edit("single", "x", [(0, 0)], [1.0])
    assert not bench.deliver("single", waiting.stage, waiting.key, waiting.compute())
    assert "sums" not in bench.results("single")
    (fresh,) = bench.pending("single")
    assert bench.deliver("single", fresh.stage, fresh.key, fresh.compute())
    bench.edit("single", "Wv", [(0, 0)], [1.0])
    assert "sums" in bench.results("single"), "what it was computed from has not changed"


def test_a_slow_result_that_is_not_finite_is_refused(bench):
    (waiting,) = bench.pending("single")
    with pytest.raises(ValueError, match=r"sums\[2, 0\] overflow"):
        bench.deliver("single", waiting.stage, waiting.key, np.array([[1], [1], [np.nan], [1]]))
    assert "sums" not in bench.results("single")


# --- listeners ---


def test_an_edit_is_heard_after_it_is_done(bench):
    heard = []
    stop = bench.subscribe(
        lambda event: heard.append((event.kind, bench.state("single").inputs["x"][0, 0], bench.undo_label))
    )
    bench.edit("single", "x", [(0, 0)], [5.0])
    assert heard == [("state", 5.0, "edit x[0, 0]"), ("history", 5.0, "edit x[0, 0]")]
    stop()
    stop()
    bench.edit("single", "x", [(0, 0)], [6.0])
    assert len(heard) == 2


def test_a_listener_may_leave_while_it_is_called(bench):
    heard = []
    stop = bench.subscribe(lambda _: stop())
    bench.subscribe(heard.append)
    bench.edit("single", "x", [(0, 0)], [5.0])
    assert [event.kind for event in heard] == ["state", "history"]


def test_the_page_hears_of_a_replaced_document_once(bench, events):
    bench.replace_document({}, None, "grouped")
    assert events == [Event("replaced", "grouped")]
