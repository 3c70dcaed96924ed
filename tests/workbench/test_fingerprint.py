"""Four characters for the numbers of a tab."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from explorer.workbench import fingerprint
from explorer.workbench.state import initial
from tests.workbench import zoo


def test_it_has_four_characters_that_nobody_confuses():
    mark = fingerprint.of_state(initial(zoo.HEADS))
    assert len(mark) == 4
    assert set(mark) <= set(fingerprint.ALPHABET)
    assert not set(fingerprint.ALPHABET) & set("0O1IL2Z5S8B")
    assert len(set(fingerprint.ALPHABET)) == len(fingerprint.ALPHABET)


def test_it_is_the_same_on_every_machine():
    # A changed value here means that two releases disagree about equal numbers.
    assert fingerprint.of_state(initial(zoo.PLAIN)) == "PPM4"


@given(zoo.states(), st.data())
def test_any_changed_number_changes_it(state, data):
    name = data.draw(st.sampled_from([one for one, array in state.inputs.items() if array.dtype.kind == "f"]))
    changed = np.array(state.inputs[name])
    cell = tuple(data.draw(st.integers(0, length - 1)) for length in changed.shape)
    changed[cell] = 0.25 if changed[cell] != 0.25 else 0.5
    other = replace(state, inputs={**state.inputs, name: changed})
    # Chance agrees once in 390,625: too rare for any of these examples, which are always the same.
    assert fingerprint.of_state(other) != fingerprint.of_state(state)


@given(zoo.states())
def test_names_and_origins_do_not_matter(state):
    other = replace(
        state, tokens=tuple(f"{name}!" for name in state.tokens), origins=dict.fromkeys(state.origins, "typed")
    )
    assert fingerprint.of_state(other) == fingerprint.of_state(state)


def test_controls_sizes_and_masks_matter():
    state = initial(zoo.HEADS)
    marks = {
        fingerprint.of_state(one)
        for one in (
            state,
            replace(state, controls={**state.controls, "masked": False}),
            replace(state, controls={**state.controls, "sharpness": 2.0}),
            replace(state, inputs={**state.inputs, "look": ~state.inputs["look"]}),
            initial(zoo.PLAIN),
        )
    }
    assert len(marks) == 5


def test_minus_zero_counts_as_zero_and_one_as_one_point_zero():
    state = initial(zoo.PLAIN)
    zeros = replace(state, inputs={"x": np.zeros((2, 3))})
    assert fingerprint.of_state(replace(state, inputs={"x": -np.zeros((2, 3))})) == fingerprint.of_state(zeros)
    heads = initial(zoo.HEADS)
    same = replace(heads, controls={**heads.controls, "sharpness": 1})
    assert fingerprint.of_state(same) == fingerprint.of_state(heads)
