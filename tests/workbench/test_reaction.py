"""What a tab changes by itself because the user changed something: one step of the history, and never a surprise."""

from __future__ import annotations

import numpy as np
import pytest

from explorer.concepts import evaluation
from explorer.concepts.declaration import Axis, Choice, Concept, Edit, Input, Matrix, Size, Slider, Stage
from explorer.core.ops import attention
from explorer.workbench import documents
from explorer.workbench.trace import trace
from explorer.workbench.workbench import Workbench

FEATURES = {"own": ("one", "two", "three"), "other": ("red", "green")}


def react(before, after):
    """A start brings its matrix and sizes; the largest entry of W is a control, and that control scales W."""
    w = after.inputs["W"]
    if after.controls["start"] != before.controls["start"]:
        features = FEATURES[after.controls["start"]]
        return Edit(
            sizes={"d": len(features)},
            inputs={"x": np.ones((2, len(features))), "W": np.full((len(features), 1), 5.0)},
            controls={"top": 5.0},
            tokens=("a", "b"),
            origins={"W": "built"},
        )
    if after.controls["top"] != before.controls["top"] and w is before.inputs["W"]:
        if after.controls["top"] > 90:
            raise ValueError("that is too much")
        return Edit(inputs={"W": w / np.abs(w).max() * after.controls["top"]})
    return Edit(controls={"top": float(min(np.abs(w).max(), 100.0))})


def names(situation):
    return FEATURES[situation.controls["start"]]


D = Axis("d", "", names)
REACTING = Concept(
    number=103,
    slug="reacting",
    title="Reacting",
    tokens=("the", "cat"),
    sizes=(Size("n", "tokens", 1, 4, 2), Size("d", "", 1, 4, 3)),
    inputs=(
        Input("x", (Axis("n", "", "tokens"), D), "input", lambda sizes: np.ones((sizes["n"], sizes["d"]))),
        Input("W", (D, Axis("1")), "query", lambda sizes: np.full((sizes["d"], 1), 2.0)),
    ),
    controls=(
        Choice("start", "start from", (("own", "own"), ("other", "other")), "own"),
        Slider("top", "largest", 0, 100, 0.5, 2.0),
    ),
    stages=(Stage("q", attention.project(), ("x", "W"), (Axis("n"), Axis("1")), "query"),),
    layout=Matrix("x"),
    react=react,
)


@pytest.fixture
def bench():
    return Workbench([REACTING])


def test_what_a_control_brings_along_is_one_step_of_the_history(bench):
    before = bench.state("reacting")
    bench.set_control("reacting", "start", "other")
    state = bench.state("reacting")
    assert state.inputs["W"].tolist() == [[5.0], [5.0]]
    assert state.controls["top"] == 5.0
    assert state.tokens == ("a", "b")
    assert state.origins["W"] == "built"
    assert bench.results("reacting")["q"].tolist() == [[10.0], [10.0]]
    bench.undo()
    assert bench.state("reacting").same_as(before)
    assert bench.undo_label is None
    bench.redo()
    assert bench.state("reacting").same_as(state)


def test_a_control_that_stands_for_a_matrix_follows_it_and_is_followed(bench):
    bench.edit("reacting", "W", [(1, 0)], [-8.0])
    assert bench.state("reacting").controls["top"] == 8.0
    bench.set_control("reacting", "top", 4.0)
    assert bench.state("reacting").inputs["W"].tolist() == [[1.0], [-4.0], [1.0]]
    bench.fill("reacting", "W", "zeros")
    assert bench.state("reacting").controls["top"] == 0.0


def test_a_reaction_that_refuses_leaves_everything_as_it_was(bench):
    before = bench.state("reacting")
    with pytest.raises(ValueError, match="too much"):
        bench.set_control("reacting", "top", 95.0)
    assert bench.state("reacting") is before
    assert bench.undo_label is None


def test_going_back_to_a_whole_state_does_not_react(bench):
    bench.set_control("reacting", "start", "other")
    bench.edit("reacting", "W", [(0, 0)], [1.5])
    kept = bench.state("reacting")
    bench.restore("reacting")
    bench.put(kept, label="go to bookmark 0")
    assert bench.state("reacting").same_as(kept)
    bench.undo()
    assert bench.state("reacting").controls["start"] == "own"


def test_undo_and_sessions_do_not_react(bench):
    bench.edit("reacting", "W", [(0, 0)], [3.0])
    held = bench.state("reacting")
    bench.edit("reacting", "W", [(0, 0)], [4.0])
    session = documents.session_of(bench)
    bench.undo()
    assert bench.state("reacting").same_as(held)
    documents.put_into(bench, session, "a session")
    assert bench.state("reacting").inputs["W"].tolist() == [[4.0], [2.0], [2.0]]
    assert bench.state("reacting").controls["top"] == 4.0


def test_what_is_set_beside_a_control_from_outside_stays_what_it_was_set_to():
    state = documents.with_values(REACTING, {"start": "other", "W": [[1.0], [7.0]]})
    assert state.inputs["W"].tolist() == [[1.0], [7.0]]
    assert state.controls["top"] == 7.0
    assert state.tokens == ("a", "b")


def test_names_of_the_moment_are_told_and_exported(bench):
    bench.set_control("reacting", "start", "other")
    state = bench.state("reacting")
    axis = REACTING.input("x").axes[1]
    assert evaluation.names_along(axis, state.situation) == ("red", "green")
    told = trace(REACTING, state.situation, bench.results("reacting"), "x", (1, 1))
    assert "".join(token.text for token in told.title) == "x[1, 1] · b (1) · green"


def test_a_tab_that_does_not_react_is_left_alone():
    calm = REACTING._replace(react=None)
    bench = Workbench([calm])
    bench.set_control("reacting", "top", 50.0)
    assert bench.state("reacting").inputs["W"].tolist() == [[2.0], [2.0], [2.0]]
