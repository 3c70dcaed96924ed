"""Tab 9: every head reads all of x, owns columns of the projections, and adds its own contribution to the output."""

from pathlib import Path

import numpy as np
import pytest

from explorer.core.heads import multi_head, parameter_count
from tests.concepts.lesson_tab import LessonTab, close, printed


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("multi-head")


def test_the_heads_look_where_the_lesson_says(tab: LessonTab) -> None:
    last = tab["weights"][:, -1].round(3).tolist()
    assert last == [[0.322, 0.268, 0.056, 0.355], [0.137, 0.140, 0.217, 0.507]]


def test_every_number_is_that_of_the_command_line(tab: LessonTab, tmp_path: Path) -> None:
    told, arrays = printed(9).groups, tab.computed(tmp_path)
    steps, outputs = told["intermediates"], told["outputs"]
    for name in ("x", "Wq", "Wk", "Wv", "Wo", "q", "k", "v", "concat"):
        assert close(arrays[name], steps[name]), name
    assert close(arrays["output"], outputs["out"])
    for head in range(2):
        own = steps[f"head{head}"]
        assert close(arrays["scores"][head], own["raw_scores"])
        assert close(arrays["weights"][head], own["weights"])
        assert close(arrays["heads"][head], own["head_output"])
    assert outputs["parameters"] == 256


def test_the_parameters_are_counted_with_their_terms(tab: LessonTab) -> None:
    count, side = tab.model("parameters")
    assert (count.value, count.detail) == ("256", "8·(2·4 + 2·(4+4)) + 2·4·8")
    assert eval(count.detail.replace("·", "*")) == 256
    assert (side.value, side.detail) == ("8", "2·4; d_model 8")
    for name, value in (("n_head", 3), ("d_head", 5)):
        tab.workbench.set_size(tab.slug, name, value)
    count, side = tab.model("parameters")
    assert count.value == f"{parameter_count(8, 3, d_k=5):,}"
    assert eval(count.detail.replace("·", "*")) == parameter_count(8, 3, d_k=5)
    assert (side.value, side.detail) == ("15", "3·5; d_model 8")


def test_a_query_of_any_head_multiplies_every_number_of_its_token(tab: LessonTab) -> None:
    from explorer.concepts import evaluation
    from explorer.core.expression import cells

    situation, results = tab.workbench.state(tab.slug).situation, tab.workbench.results(tab.slug)
    for column in range(8):
        read = list(cells(evaluation.explain(tab.concept, situation, results, "q", (2, column))))
        assert [cell.index for cell in read if cell.array == "x"] == [(2, p) for p in range(8)]
        assert [cell.index for cell in read if cell.array == "Wq"] == [(p, column) for p in range(8)]


@pytest.mark.parametrize("off", [[0], [1], [0, 1]])
def test_a_head_that_is_off_takes_exactly_its_contribution_away(tab: LessonTab, off: list[int]) -> None:
    before, weights = tab["output"].copy(), tab["weights"].tobytes()
    tab.edit("heads_on", [(head,) for head in off], [False] * len(off))
    gone = sum(tab["contributions"][head] for head in off)
    assert np.allclose(tab["output"], before - gone, atol=1e-12)
    assert np.allclose(tab["lost"], gone, atol=1e-12)
    assert tab["weights"].tobytes() == weights
    stack = tab.model("stack")
    assert [not counts for counts in stack.counts] == [head in off for head in range(2)]
    tab.workbench.act(tab.slug, "all_on")
    assert tab["output"].tobytes() == before.tobytes()


def test_the_stack_adds_up_to_the_output_of_the_chosen_token(tab: LessonTab) -> None:
    for token in range(4):
        tab.set("token", token)
        stack = tab.model("stack")
        assert np.allclose(stack.values.sum(axis=0), tab["output"][token], atol=1e-12)
        assert stack.total.tolist() == tab["output"][token].tolist()
        assert stack.position == token


@pytest.mark.parametrize(("n_head", "d_head", "n"), [(1, 4, 4), (5, 3, 7), (32, 2, 64)])
def test_any_number_of_heads_is_multi_head_attention(tab: LessonTab, n_head: int, d_head: int, n: int) -> None:
    for name, value in (("n_head", n_head), ("d_head", d_head), ("n", n)):
        tab.workbench.set_size(tab.slug, name, value)
    arrays = [tab[name] for name in ("x", "Wq", "Wk", "Wv", "Wo")]
    whole = multi_head(*arrays, n_head=n_head)
    assert np.allclose(tab["weights"], whole.attention.weights, atol=1e-12)
    assert np.allclose(tab["output"], whole.output, atol=1e-10)
    assert np.allclose(tab["contributions"], whole.contributions, atol=1e-10)


def test_a_wider_head_gets_columns_of_its_own(tab: LessonTab) -> None:
    typed = np.arange(64.0).reshape(8, 8)
    tab.workbench.replace(tab.slug, "Wq", typed, label="type")
    tab.workbench.set_size(tab.slug, "d_head", 5)
    grown = tab["Wq"].reshape(8, 2, 5)
    assert grown[:, :, :4].tolist() == typed.reshape(8, 2, 4).tolist()
    tab.workbench.set_size(tab.slug, "d_head", 4)
    assert tab["Wq"].tolist() == typed.tolist()
    tab.workbench.set_size(tab.slug, "n_head", 1)
    assert tab["Wq"].tolist() == typed[:, :4].tolist()
    assert tab["Wo"].shape == (4, 8)


def test_the_trace_of_any_head_names_it_and_checks_out(tab: LessonTab) -> None:
    text = tab.trace("weights", 1, 3, 3)
    assert "head 1" in text
    assert "÷ √4" in text
    assert text.rstrip().endswith("0.507")
    assert "row 3 of blend · column 6 of Wo" in tab.trace("contributions", 1, 3, 6)


def test_the_tasks_are_undone_at_first_and_can_be_done(tab: LessonTab) -> None:
    assert not any(tab.task(at) for at in range(3))
    tab.edit("Wq", [(p, c) for p in range(8) for c in range(4)], [0.0])
    assert tab.task(0)
    assert not tab.task(1)
    tab.edit("heads_on", [(0,)], [False])
    assert tab.task(1)
    assert not tab.task(2)
    tab.workbench.set_size(tab.slug, "d_head", 5)
    assert tab.task(2)
