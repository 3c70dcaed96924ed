"""Tab 3: dot products become shares; length counts as well as angle, and no blend leaves the hull."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.hull import convex_hull
from tests.concepts.lesson_tab import LessonTab, close, printed


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("weighted-average")


def test_the_last_of_the_four_asks_and_gets_the_lessons_numbers(tab: LessonTab, tmp_path: Path) -> None:
    assert tab["scores"].tolist() == [2, 0, 2, 4]
    assert tab["weights"].round(3).tolist() == [0.105, 0.014, 0.105, 0.776]
    assert tab["output"].round(2).tolist() == [1.76, 0.12]
    assert tab["uniform"].tolist() == [1, 0.5]
    told, arrays = printed(3).groups, tab.computed(tmp_path)
    assert close(arrays["x"], told["inputs"]["x"])
    assert close(arrays["scores"], told["outputs"]["scores"])
    assert close(arrays["weights"], told["outputs"]["weights"])
    assert close(arrays["output"], told["outputs"]["mixed"])
    assert tab.workbench.state(tab.slug).controls["asks"] == told["inputs"]["i"]


def test_lengthened_to_3_0_the_first_vector_beats_the_asker_itself(tab: LessonTab) -> None:
    tab.edit("x", [(0, 0)], [3.0])
    assert tab["weights"].round(3).tolist() == [0.865, 0.002, 0.016, 0.117]
    assert np.array_equal(tab["scores"], [6, 0, 2, 4])


def test_the_trace_tells_score_and_share(tab: LessonTab) -> None:
    assert "x₃ · x₁ = 2 × 0 + 0 × 1 = 0" in tab.trace("scores", 1)
    assert "= 0.776" in tab.trace("weights", 3)
    assert "(1 + 0 + 1 + 2) ÷ 4 = 1" in tab.trace("uniform", 0)


@pytest.mark.parametrize("asks", range(4))
def test_whoever_asks_sees_itself_and_what_comes_before(tab: LessonTab, asks: int) -> None:
    tab.set("asks", asks)
    x = tab["x"]
    assert np.isneginf(tab["scores"]).tolist() == [j > asks for j in range(4)]
    assert tab["weights"][asks + 1 :].tolist() == [0.0] * (3 - asks)
    assert tab["weights"].sum() == pytest.approx(1)
    scores = x[: asks + 1] @ x[asks]
    shares = np.exp(scores) / np.exp(scores).sum()
    assert tab["output"] == pytest.approx(shares @ x[: asks + 1])
    assert tab["uniform"] == pytest.approx(x[: asks + 1].mean(axis=0))
    if asks < 3:
        assert "comes after the one who asks" in tab.trace("scores", 3)
        tab.trace("weights", 3)


def test_temperature_evens_out_or_sharpens(tab: LessonTab) -> None:
    tab.set("temperature", 2.0)
    assert tab["scaled"].tolist() == [1, 0, 1, 2]
    assert tab["weights"].max() < 0.776
    tab.set("temperature", 0.5)
    assert tab["scaled"].tolist() == [4, 0, 4, 8]
    assert tab["weights"].max() > 0.776
    tab.set("temperature", 100.0)
    assert tab["output"] == pytest.approx(tab["uniform"], abs=0.02)


@given(
    st.lists(st.tuples(st.floats(-9, 9), st.floats(-9, 9)), min_size=4, max_size=4),
    st.integers(0, 3),
    st.floats(0.1, 100),
)
def test_the_output_never_leaves_the_hull_that_is_shaded(
    rows: list[tuple[float, float]], asks: int, heat: float
) -> None:
    tab = LessonTab("weighted-average")
    tab.edit("x", [(i, c) for i in range(4) for c in range(2)], [value for row in rows for value in row])
    tab.set("asks", asks)
    tab.set("temperature", heat)
    points = tab.model("plane").hull
    assert list(points) == [tuple(row) for row in tab["x"][: asks + 1].tolist()]
    corners = np.array([points[i] for i in convex_hull(points)])
    for name in ("output", "uniform"):
        for angle in np.linspace(0, 2 * np.pi, 16):
            away = np.array([np.cos(angle), np.sin(angle)])
            assert tab[name] @ away <= (corners @ away).max() + 1e-9


def test_the_plane_says_who_asks_and_what_each_gets(tab: LessonTab) -> None:
    plane = tab.model("plane")
    assert [vector.role for vector in plane.vectors] == ["input"] * 3 + ["query", "plain", "output"]
    assert [vector.says for vector in plane.vectors[:4]] == [
        "attention weight 0.105",
        "attention weight 0.014",
        "attention weight 0.105",
        "asks",
    ]
    assert [vector.pick for vector in plane.vectors[:4]] == [("asks", j) for j in range(4)]
    for vector in plane.vectors:
        assert vector.tip == tuple(float(tab[vector.array][cell]) for cell in vector.cells)
        assert vector.draggable == (vector.array == "x")
    tab.set("asks", 1)
    marks = tab.concept.marks(tab.workbench.state(tab.slug).situation)["x"]
    assert (marks.faded, marks.stamps) == ({2, 3}, ("", "asks", "", ""))


def test_a_token_that_is_gone_does_not_ask(tab: LessonTab) -> None:
    tab.workbench.set_size(tab.slug, "n", 2)
    assert tab.workbench.state(tab.slug).controls["asks"] == 1
    assert tab["weights"].shape == (2,)


def test_the_tasks_are_done_when_they_are_done(tab: LessonTab) -> None:
    assert not tab.task(0)
    tab.edit("x", [(3, 0)], [0.1])
    assert not tab.task(0), "the asker was touched"
    tab.workbench.undo()
    tab.edit("x", [(0, 0)], [3.0])
    assert tab.task(0)
    tab.workbench.restore(tab.slug)
    assert not tab.task(1)
    tab.set("temperature", 60.0)
    assert tab.task(1)
    tab.set("temperature", 1.0)
    tab.edit("x", [(3, 0)], [0.0])
    assert tab.task(1)
    tab.set("asks", 0)
    assert not tab.task(1), "the last token must ask"
