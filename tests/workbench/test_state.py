"""What a tab holds at first, and what a step of its view shows."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.concepts import all_concepts
from explorer.workbench.state import (
    ViewState,
    differing,
    initial,
    looking,
    position_count,
    reached,
    row_and_step,
    shown_array,
    shown_step,
    unshared,
)
from explorer.workbench.workbench import Workbench
from tests.workbench.small import GROUPED, SINGLE

SIZES = initial(SINGLE).sizes
STEPPED = ("scores", "scaled", "capped", "masked", "weights", "output")


def visible(view, sizes=SIZES):
    """Return the rows visible of the stages that steps name, in order."""
    rows = reached(SINGLE, sizes, view)
    return [rows[name] for name in STEPPED]


@pytest.mark.parametrize("concept", [SINGLE, GROUPED, *all_concepts()], ids=lambda one: one.slug)
def test_a_tab_opens_with_its_declared_values_which_nobody_can_write_to(concept):
    state = initial(concept)
    assert set(state.inputs) == {one.name for one in concept.inputs} == set(state.origins)
    for one in concept.inputs:
        assert np.array_equal(state.inputs[one.name], one.default(state.sizes))
        assert not state.inputs[one.name].flags.writeable
        assert state.origins[one.name] == one.origin
    assert state.same_as(initial(concept))
    with pytest.raises(TypeError):
        state.inputs["x"] = np.zeros((1, 1))


def test_states_differ_in_what_differs():
    one = initial(SINGLE)
    assert differing(one, initial(SINGLE)) == frozenset()
    zero = type(one)(
        one.slug, {**one.inputs, "x": one.inputs["x"] * -0.0}, one.controls, one.sizes, one.tokens, one.origins
    )
    other = type(one)(
        one.slug, {**one.inputs, "x": one.inputs["x"] * 0.0}, one.controls, one.sizes, one.tokens, one.origins
    )
    assert differing(zero, other) == {"x"}, "−0 is not 0"
    renamed = type(one)(
        one.slug, one.inputs, {**one.controls, "seed": 9}, one.sizes, ("a", *one.tokens[1:]), one.origins
    )
    assert differing(one, renamed) == {"seed", "tokens"}


def test_without_a_step_everything_is_shown():
    assert set(reached(SINGLE, SIZES, ViewState()).values()) == {None}
    assert shown_step(SINGLE, SIZES, ViewState()) == 3
    assert shown_array(SINGLE, SIZES, ViewState()) == "weights"
    assert row_and_step(SINGLE, SIZES, ViewState()) == (None, 4)


def test_whole_steps_appear_one_after_the_other():
    assert position_count(SINGLE, SIZES, by_row=False) == 5
    assert visible(ViewState(step=0)) == [None, 0, 0, 0, 0, 0]
    assert visible(ViewState(step=1)) == [None, None, None, 0, 0, 0]
    assert visible(ViewState(step=3)) == [None, None, None, None, None, 0]
    assert visible(ViewState(step=4)) == [None] * 6
    assert [shown_step(SINGLE, SIZES, ViewState(step=p)) for p in range(5)] == [0, 1, 2, 3, 3]
    assert [shown_array(SINGLE, SIZES, ViewState(step=p)) for p in range(5)] == [
        "scores",
        "scaled",
        "masked",
        "weights",
        "weights",
    ]


def test_row_by_row_a_row_is_finished_before_the_next_begins():
    assert position_count(SINGLE, SIZES, by_row=True) == 20
    assert visible(ViewState(step=0, by_row=True)) == [1, 0, 0, 0, 0, 0]
    assert visible(ViewState(step=4, by_row=True)) == [1] * 6
    assert visible(ViewState(step=5, by_row=True)) == [2, 1, 1, 1, 1, 1]
    assert visible(ViewState(step=16, by_row=True)) == [None, None, None, 3, 3, 3]
    assert visible(ViewState(step=19, by_row=True)) == [None] * 6
    assert row_and_step(SINGLE, SIZES, ViewState(step=12, by_row=True)) == (2, 2)
    assert [shown_step(SINGLE, SIZES, ViewState(step=p, by_row=True)) for p in range(4, 10)] == [3, 0, 1, 2, 3, 3]


def test_stages_that_no_step_names_are_always_visible():
    rows = reached(SINGLE, SIZES, ViewState(step=0, by_row=True))
    assert {name for name, seen in rows.items() if seen is None} == {"q", "k", "v", "sums", "outer"}


def test_a_position_past_the_end_counts_as_the_last():
    assert visible(ViewState(step=99)) == visible(ViewState(step=4))
    assert visible(ViewState(step=99, by_row=True)) == visible(ViewState(step=19, by_row=True))


def test_the_number_of_rows_follows_the_sizes():
    assert position_count(SINGLE, {**SIZES, "n": 7}, by_row=True) == 35


def test_a_tab_without_steps_shows_the_last_array_of_its_place():
    sizes = initial(GROUPED).sizes
    assert position_count(GROUPED, sizes, by_row=True) == 0
    assert set(reached(GROUPED, sizes, ViewState(step=3)).values()) == {None}
    assert shown_step(GROUPED, sizes, ViewState()) == -1
    assert shown_array(GROUPED, sizes, ViewState()) == "weights"


@given(st.integers(-1, 40), st.booleans(), st.integers(1, 8))
def test_a_later_position_never_shows_less(step, by_row, n):
    sizes = {**SIZES, "n": n}
    now, later = (visible(ViewState(step=max(step, 0) + more, by_row=by_row), sizes) for more in (0, 1))
    for before, after in zip(now, later, strict=True):
        assert after is None or (before is not None and before <= after)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("step", "two"),
        ("speed", 0.1),
        ("speed", 5),
        ("digits", 7),
        ("step", True),
        ("speed", True),
        ("digits", False),
        ("by_row", 1),
        ("pinned", "weights"),
        ("zoom", 2),
    ],
)
def test_a_view_refuses_what_it_cannot_hold(name, value):
    with pytest.raises(ValueError, match=name):
        looking(ViewState(), {name: value})


def test_a_view_holds_what_it_is_given():
    changed = looking(
        ViewState(), {"step": -5, "speed": 2, "digits": 4, "by_row": True, "pinned": ("x", [np.int64(1), 2])}
    )
    assert changed == ViewState(-1, True, 2.0, ("x", (1, 2)), False, 4)


def test_what_a_state_holds_that_the_next_does_not_is_what_an_edit_replaced():
    bench = Workbench((SINGLE,))
    before = bench.state(SINGLE.slug)
    name = next(name for name, array in before.inputs.items() if array.ndim == 2 and array.dtype.kind == "f")
    bench.edit(SINGLE.slug, name, [(0, 0)], [0.125])
    after = bench.state(SINGLE.slug)
    assert unshared(before, after) == before.inputs[name].nbytes
    assert unshared(after, after) == 0
