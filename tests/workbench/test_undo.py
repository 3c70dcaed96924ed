"""Whatever is done can be undone and done again, bit for bit, and what is refused leaves no trace."""

from __future__ import annotations

from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.concepts import all_concepts, evaluation
from explorer.workbench.history import ROOM
from explorer.workbench.state import ViewState
from explorer.workbench.workbench import Workbench
from tests.workbench.random_actions import Actor, document, held
from tests.workbench.small import GROUPED, SINGLE

SEEDS = st.integers(0, 2**32 - 1)
CONCEPTS = {"small": (SINGLE, GROUPED), **{one.slug: (one,) for one in all_concepts()}}

each_concept = pytest.mark.parametrize("concepts", CONCEPTS.values(), ids=CONCEPTS.keys())


@each_concept
@settings(max_examples=25)
@given(seed=SEEDS, count=st.integers(1, 40))
def test_undoing_everything_is_the_start_and_redoing_everything_the_end(concepts, seed, count):
    bench = Workbench(concepts)
    actor = Actor(bench, np.random.default_rng(seed))
    start = document(bench)
    for _ in range(count):
        actor.act()
    end = document(bench)
    steps = 0
    while bench.undo() is not None:
        steps += 1
    assert document(bench) == start
    assert not bench.modified
    assert steps <= count
    for _ in range(steps):
        assert bench.redo() is not None
    assert bench.redo() is None
    assert document(bench) == end


@each_concept
@settings(max_examples=25)
@given(seed=SEEDS, count=st.integers(1, 30))
def test_every_step_back_is_the_state_before_that_step(concepts, seed, count):
    bench = Workbench(concepts)
    rng = np.random.default_rng(seed)
    actor = Actor(bench, rng)
    states = [document(bench)]
    for _ in range(count):
        kind = rng.integers(6)
        if kind == 0 and len(states) > 1:
            bench.undo()
            states.pop()
        elif kind == 1:
            with bench.gesture("several at once"):
                for _ in range(rng.integers(4)):
                    same_tab_actions(actor, concepts[0], rng)
        else:
            actor.act()
        now = document(bench)
        if now != states[-1]:
            states.append(now)
    assert document(bench) == states.pop()
    while states:
        assert bench.undo() is not None
        assert document(bench) == states.pop()
    assert bench.undo() is None


def same_tab_actions(actor, concept, rng):
    """Do something to one tab, refused or not."""
    with suppress(ValueError):
        (actor.edit, actor.fill, actor.size, actor.restore)[rng.integers(4)](concept, actor.bench.state(concept.slug))


@each_concept
@settings(max_examples=25)
@given(seed=SEEDS, count=st.integers(1, 30))
def test_a_refusal_changes_nothing_and_an_acceptance_leaves_a_sound_tab(concepts, seed, count):
    bench = Workbench(concepts)
    actor = Actor(bench, np.random.default_rng(seed))
    for _ in range(count):
        before, label = document(bench), bench.undo_label
        if not actor.act():
            assert document(bench) == before
            assert bench.undo_label == label
        for concept in concepts:
            assert_sound(bench, concept)
    assert all(sentence and "\n" not in sentence for sentence in actor.sentences)


def assert_sound(bench, concept):
    """Assert that a tab's state fits its declaration and that its results are those of the state, computed afresh."""
    state, results = bench.state(concept.slug), bench.results(concept.slug)
    for one in concept.inputs:
        array = state.inputs[one.name]
        assert array.shape == tuple(evaluation.size_of(axis.size, state.sizes) for axis in one.axes)
        assert array.dtype == (bool if one.kind == "mask" else np.float64)
        assert not array.flags.writeable
    fresh = evaluation.evaluate(concept, state.situation, slow=False)
    assert set(results) == set(fresh)
    for name, array in results.items():
        assert array.tobytes() == fresh[name].tobytes(), name
    for stage in concept.stages:
        if stage.name in results and results[stage.name].dtype.kind == "f":
            found = results[stage.name]
            assert (np.isfinite(found) | (np.isneginf(found) & (stage.role == "score"))).all(), stage.name


@settings(max_examples=25)
@given(seed=SEEDS, count=st.integers(1, 20))
def test_a_document_put_back_is_the_document(seed, count):
    bench = Workbench((SINGLE, GROUPED))
    actor = Actor(bench, np.random.default_rng(seed))
    for _ in range(count):
        actor.act()
    other = Workbench((SINGLE, GROUPED))
    other.replace_document(bench.document(), {"single": ViewState(step=2, pinned=("x", (7, 0)))}, "grouped")
    assert document(other) == document(bench)
    assert other.current == "grouped"
    assert other.view("single").step == 2
    assert not other.modified
    assert other.undo() is None


def test_a_document_that_does_not_fit_is_refused_whole():
    bench = Workbench((SINGLE, GROUPED))
    bench.edit("single", "x", [(0, 0)], [2.0])
    wrong = bench.state("single").inputs["x"][:, :2]
    state = bench.state("grouped")
    bad = type(state)("single", {"x": wrong}, {}, {}, SINGLE.tokens, {})
    before = document(bench)
    with pytest.raises(ValueError, match="shape"):
        bench.replace_document({"grouped": state, "single": bad})
    assert document(bench) == before
    assert bench.undo_label == "edit x[0, 0]"


def test_states_hold_no_array_that_somebody_can_write_to():
    bench = Workbench((SINGLE,))
    array = np.ones((4, 4))
    bench.replace("single", "x", array, label="paste into x")
    before = held(bench.state("single"))
    array[:] = 7
    assert held(bench.state("single")) == before


def test_steps_in_large_matrices_are_kept_as_far_as_there_is_room_for_them():
    bench, slug, count = Workbench(), "multi-head", 80
    for name, value in (("d_model", 32), ("n_head", 32), ("d_head", 16)):
        bench.set_size(slug, name, value)
    for i in range(count):
        bench.set_size(slug, "d_model", 31 - i % 2)
    each = sum(array.nbytes for array in bench.state(slug).inputs.values())
    steps = 0
    while bench.undo() is not None:
        steps += 1
        assert bench.state(slug).sizes["d_model"] == 31 - (count - steps - 1) % 2
    assert ROOM // each - 3 <= steps <= ROOM // each + 3 < count
