"""Tab 11: all, some and one KV head for the same queries; what averaging does to random heads; the lesson's table."""

import math
from pathlib import Path

import numpy as np
import pytest

from explorer.core.heads import multi_head
from explorer.ui.number_style import bytes_text, gib_text, whole_text
from tests.concepts.lesson_tab import LessonTab, printed

SUFFIXES = ("_mha", "_gqa", "_mqa")


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("multi-query")


def test_the_table_is_the_lessons(tab: LessonTab, tmp_path: Path) -> None:
    told = printed(11).groups["outputs"]
    table = np.asarray(tab.computed(tmp_path)["variants"])
    assert table[:, 0].tolist() == told["kv_heads"] == [32, 8, 1]
    assert table[:, 1].tolist() == told["group"] == [1, 4, 32]
    assert table[:, 2].tolist() == told["bytes_per_token"]
    assert table[:, 3].tolist() == told["bytes_at_context"]
    written = [[whole_text(a), whole_text(b), bytes_text(c), gib_text(d)] for a, b, c, d in tab["variants"].tolist()]
    assert written == [
        ["32", "1", "512 KiB", "16.00 GiB"],
        ["8", "4", "128 KiB", "4.00 GiB"],
        ["1", "32", "16 KiB", "0.50 GiB"],
    ]
    assert "2 × 32 × 8 × 128 × 2 = 131,072" in tab.trace("variants", 1, 2)


@pytest.mark.parametrize("how", ["fresh", "kept", "averaged"])
@pytest.mark.parametrize("n_head_kv", [1, 2, 4, 8])
def test_the_three_are_attentions_of_the_same_queries(tab: LessonTab, how: str, n_head_kv: int) -> None:
    tab.workbench.set_size(tab.slug, "n_head_kv", n_head_kv)
    tab.set("kv", how)
    parameters = [("Wk", "Wv"), ("Wk_gqa", "Wv_gqa"), ("Wk_mqa", "Wv_mqa")]
    for suffix, (wk, wv), shared in zip(SUFFIXES, parameters, (8, n_head_kv, 1), strict=True):
        whole = multi_head(tab["x"], tab["Wq"], tab[wk], tab[wv], n_head=8, n_head_kv=shared)
        assert np.allclose(tab[f"weights{suffix}"], whole.attention.weights, atol=1e-12)
        assert np.allclose(tab[f"output{suffix}"], whole.output, atol=1e-12)


def test_with_as_many_kv_heads_as_query_heads_gqa_is_mha_and_with_one_it_is_mqa(tab: LessonTab) -> None:
    for how in ("kept", "averaged"):
        tab.set("kv", how)
        tab.workbench.set_size(tab.slug, "n_head_kv", 8)
        assert np.array_equal(tab["weights_gqa"], tab["weights_mha"])
        tab.workbench.set_size(tab.slug, "n_head_kv", 1)
        assert np.allclose(tab["weights_gqa"], tab["weights_mqa"], atol=1e-12)


def test_query_heads_keep_looking_at_different_places(tab: LessonTab) -> None:
    for how in ("fresh", "kept", "averaged"):
        tab.set("kv", how)
        for suffix in SUFFIXES:
            assert len({table.tobytes() for table in tab[f"weights{suffix}"]}) == 8


def test_averaging_shrinks_the_scores_by_the_root_and_the_tab_says_so(tab: LessonTab) -> None:
    for name, value in (("n", 64), ("d_model", 32), ("d_head", 16)):
        tab.workbench.set_size(tab.slug, name, value)
    tab.set("kv", "averaged")
    mha, gqa, mqa = tab["spread"].tolist()
    assert mha / gqa == pytest.approx(math.sqrt(4), rel=0.15)
    assert mha / mqa == pytest.approx(math.sqrt(8), rel=0.15)
    (tile,) = tab.model("spread")
    assert tile.value == f"{mha:.2f}   {gqa:.2f}   {mqa:.2f}"
    assert "÷ √4 = 2.00" in tile.detail
    assert "÷ √8 = 2.83" in tile.detail
    assert "average trained parameters and train on" in tile.detail.replace("\n", " ")
    tab.set("kv", "fresh")
    mha, gqa, mqa = tab["spread"].tolist()
    assert mha == pytest.approx(gqa, rel=0.2)
    assert mha == pytest.approx(mqa, rel=0.2)


def test_the_table_follows_any_typed_shape_and_refuses_what_no_model_has(tab: LessonTab) -> None:
    tab.edit("shape", [(0,), (1,), (2,), (3,), (4,)], [40, 40, 10, 128, 4096])
    assert [gib_text(value) for value in tab["variants"][:, 3]] == ["3.12 GiB", "0.78 GiB", "0.08 GiB"]
    with pytest.raises(ValueError, match="40 query heads cannot share 7 KV heads"):
        tab.edit("shape", [(2,)], [7])


def test_the_task_is_done_where_keys_make_no_difference(tab: LessonTab) -> None:
    assert not tab.task(0)
    tab.workbench.fill(tab.slug, "Wq", "zeros")
    assert tab.task(0)
