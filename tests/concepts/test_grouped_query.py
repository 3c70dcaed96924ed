"""Tab 10: fewer KV heads are fewer bytes and fewer parameters, never fewer attention patterns."""

from pathlib import Path

import numpy as np
import pytest

from explorer.core import cost
from explorer.core.heads import multi_head
from explorer.core.ops import cache
from explorer.ui.number_style import bytes_text, whole_text
from tests.concepts.lesson_tab import LessonTab, printed


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("grouped-query")


def test_eight_query_heads_read_two_kv_heads_as_in_the_lesson(tab: LessonTab) -> None:
    wires = tab.model("wires")
    told = printed(10).groups
    assert [wires.read_by(head) for head in range(8)] == told["outputs"]["kv_head_of_query_head"]
    assert wires.sentence() == "8 query heads read 2 KV heads: 4 each"
    assert wires.choices == (1, 2, 4, 8)


def test_bytes_and_parameters_are_those_of_the_command_line(tab: LessonTab, tmp_path: Path) -> None:
    told = printed(10).groups["outputs"]
    costs = np.asarray(tab.computed(tmp_path)["costs"])
    tiny, own, full = costs.tolist()
    assert tiny[:2] == [1024, told["tiny_bytes"]]
    assert [full[0], own[0]] == told["bytes_per_token"] == [524_288, 131_072]
    assert [full[1], own[1]] == told["bytes_at_context"]
    assert own[2:] == [told["Wq"], told["Wk"]] == [told["Wo"], told["Wv"]]


def test_the_figures_are_written_as_they_are_said(tab: LessonTab) -> None:
    written = [
        [bytes_text(value) if c == 1 else whole_text(value) for c, value in enumerate(row)]
        for row in tab["costs"].tolist()
    ]
    assert written == [
        ["1,024", "4.00 MiB", "65,536", "16,384"],
        ["131,072", "1.00 GiB", "16,777,216", "4,194,304"],
        ["524,288", "4.00 GiB", "16,777,216", "16,777,216"],
    ]


def test_the_terms_of_a_figure_are_shown(tab: LessonTab) -> None:
    assert "2 × 32 × 8 × 128 × 2 = 131,072" in tab.trace("costs", 1, 0)
    assert "4,096 × 8 × 128 = 4,194,304" in tab.trace("costs", 1, 3)
    tab.set("cache_type", "q8_0")
    assert "17/16" in tab.trace("costs", 1, 0)


@pytest.mark.parametrize("n_head_kv", [1, 2, 4, 8])
def test_every_query_head_keeps_a_table_of_its_own(tab: LessonTab, n_head_kv: int) -> None:
    tab.workbench.set_size(tab.slug, "n_head_kv", n_head_kv)
    weights = tab["weights"]
    assert weights.shape == (8, 4, 4)
    assert len({table.tobytes() for table in weights}) == 8
    whole = multi_head(*(tab[name] for name in ("x", "Wq", "Wk", "Wv")), n_head=8, n_head_kv=n_head_kv)
    assert np.allclose(weights, whole.attention.weights, atol=1e-12)
    assert np.allclose(tab["output"], whole.output, atol=1e-12)
    assert tab["Wk"].shape == (8, 2 * n_head_kv)
    assert tab["Wq"].shape == (8, 16)


def test_a_number_that_does_not_divide_is_refused_with_those_that_do(tab: LessonTab) -> None:
    with pytest.raises(ValueError, match="KV heads cannot be 3; it may be 1, 2, 4 or 8"):
        tab.workbench.set_size(tab.slug, "n_head_kv", 3)
    assert tab.workbench.state(tab.slug).sizes["n_head_kv"] == 2


@pytest.mark.parametrize(("n_head", "kept"), [(6, 2), (7, 1), (1, 1), (32, 2), (5, 1)])
def test_other_query_heads_leave_a_number_of_kv_heads_that_divides(tab: LessonTab, n_head: int, kept: int) -> None:
    tab.workbench.set_size(tab.slug, "n_head", n_head)
    assert tab.workbench.state(tab.slug).sizes["n_head_kv"] == kept
    tab.workbench.undo()
    assert not tab.workbench.edited(tab.slug)


def test_shared_heads_are_heard_of_in_the_trace(tab: LessonTab) -> None:
    assert "query head 6 reads KV head 1" in tab.trace("weights", 6, 3, 0)


def test_any_shape_can_be_typed_and_one_that_cannot_be_is_refused(tab: LessonTab) -> None:
    values = [48, 32, 4, 128, 5120, 40_000]
    tab.edit("models", [(2, column) for column in range(6)], values)
    per_token = cost.kv_bytes_per_token(n_layer=48, n_head_kv=4, d_k=128)
    assert tab["costs"][2].tolist() == [per_token, per_token * 40_000, 5120 * 32 * 128, 5120 * 4 * 128]
    with pytest.raises(ValueError, match=r"models\[2, 2\]: 32 query heads cannot share 5 KV heads"):
        tab.edit("models", [(2, 2)], [5])
    with pytest.raises(ValueError, match=r"models\[1, 0\] holds a whole number"):
        tab.edit("models", [(1, 0)], [1.5])
    with pytest.raises(ValueError, match="make the shape smaller"):
        tab.edit("models", [(0, c) for c in (0, 1, 2, 3)], [1e6, 1e6, 1e6, 1e6])


@pytest.mark.parametrize(
    "kind",
    [
        key
        for key, _ in next(
            control for control in LessonTab("grouped-query").concept.controls if control.name == "cache_type"
        ).options
    ],
)
def test_every_cache_type_counts_as_the_core_does(tab: LessonTab, kind: str) -> None:
    tab.set("cache_type", kind)
    for row, values in zip(tab["costs"].tolist(), tab["models"].tolist(), strict=True):
        shape = dict(zip(cache.MODEL, map(int, values), strict=True))
        wanted = cost.kv_bytes_per_token(
            n_layer=shape["n_layer"], n_head_kv=shape["n_head_kv"], d_k=shape["d_head"], cache_type_k=kind
        )
        assert row[:2] == [wanted, wanted * shape["context"]]


def test_a_decode_step_needs_one_query_and_all_keys(tab: LessonTab) -> None:
    tab.set("decode", True)
    marks = tab.concept.marks(tab.workbench.state(tab.slug).situation)
    assert marks["q"].faded == {0, 1, 2}
    assert marks["q"].note == "only q[3]"
    assert marks["k"].note == marks["v"].note == "0 to 2 cached"
    assert marks["weights"].blank == {0, 1, 2}
    tab.workbench.set_size(tab.slug, "n", 1)
    assert tab.concept.marks(tab.workbench.state(tab.slug).situation)["k"].note == "nothing cached yet"


def test_the_task_is_done_with_one_kv_head(tab: LessonTab) -> None:
    assert not tab.task(0)
    tab.workbench.set_size(tab.slug, "n_head_kv", 1)
    assert tab.task(0)
