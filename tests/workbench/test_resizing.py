"""Sizes that multiply and sizes that restrict each other: what grows, what is kept, what is refused, what follows."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.concepts import concept, evaluation
from explorer.workbench import documents, session
from explorer.workbench.data_files import Source
from explorer.workbench.data_import import plan
from explorer.workbench.workbench import Workbench

NINE, TEN = concept("multi-head"), concept("grouped-query")
HEADS = st.integers(1, 8)


@pytest.mark.parametrize(
    ("size", "length"), [("n", 5), ("7", 7), ("n_head*d_head", 12), ("n_head * d_head", 12), ("2*d_head", 8)]
)
def test_a_size_may_be_a_name_digits_or_a_product(size: str, length: int) -> None:
    assert evaluation.size_of(size, {"n": 5, "n_head": 3, "d_head": 4}) == length


@pytest.mark.parametrize(
    ("known", "length", "found"),
    [
        ({"n_head": 4}, 12, ("d_head", 3)),
        ({"d_head": 4}, 12, ("n_head", 3)),
        ({}, 12, ("d_head", 6)),  # n_head stays 2
        ({"n_head": 4}, 10, None),
        ({"n_head": 4, "d_head": 3}, 12, None),
    ],
)
def test_the_length_of_a_product_settles_the_factor_that_is_open(
    known: dict[str, int], length: int, found: tuple[str, int] | None
) -> None:
    assert evaluation.solved("n_head*d_head", length, known, {"n_head": 2, "d_head": 4}) == found


@given(HEADS, st.integers(1, 6), HEADS, st.integers(1, 6))
def test_every_head_keeps_its_own_columns(heads: int, width: int, heads_after: int, width_after: int) -> None:
    workbench = Workbench([NINE])
    slug = NINE.slug
    workbench.set_size(slug, "n_head", heads)
    workbench.set_size(slug, "d_head", width)
    typed = np.arange(8.0 * heads * width).reshape(8, heads * width)
    workbench.replace(slug, "Wq", typed, label="type")
    workbench.set_size(slug, "n_head", heads_after)
    workbench.set_size(slug, "d_head", width_after)
    kept = np.s_[:, : min(heads, heads_after), : min(width, width_after)]
    now = workbench.state(slug).inputs["Wq"].reshape(8, heads_after, width_after)
    assert now[kept].tolist() == typed.reshape(8, heads, width)[kept].tolist()
    assert workbench.state(slug).inputs["Wo"].shape == (heads_after * width_after, 8)
    while workbench.undo():
        pass
    assert not workbench.edited(slug)


@given(st.lists(st.tuples(st.sampled_from(["n_head", "n_head_kv"]), st.integers(1, 32)), max_size=12))
def test_the_kv_heads_always_divide_the_query_heads(changes: list[tuple[str, int]]) -> None:
    workbench = Workbench([TEN])
    for name, value in changes:
        before = workbench.state(TEN.slug)
        try:
            workbench.set_size(TEN.slug, name, value)
        except ValueError:
            assert name == "n_head_kv"
            assert before.sizes["n_head"] % value
            assert workbench.state(TEN.slug) is before
        sizes = workbench.state(TEN.slug).sizes
        assert sizes["n_head"] % sizes["n_head_kv"] == 0
        assert workbench.state(TEN.slug).inputs["Wk"].shape == (8, sizes["n_head_kv"] * sizes["d_head"])


def test_a_session_with_kv_heads_that_do_not_divide_is_refused_with_its_place(tmp_path: Path) -> None:
    path = tmp_path / "heads.attn"
    documents.write_new(path, tab="10")
    text = path.read_text(encoding="utf-8")
    assert '"n_head_kv": 2' in text
    path.write_text(text.replace('"n_head_kv": 2', '"n_head_kv": 3'), encoding="utf-8")
    with pytest.raises(ValueError, match=r"n_head_kv is 3; it must be 1, 2, 4 or 8"):
        session.read(path)


def test_a_session_brings_back_heads_of_any_number(tmp_path: Path) -> None:
    path = tmp_path / "heads.attn"
    documents.write_new(path, tab="10", values={"n_head": 12, "n_head_kv": 3, "d_head": 5})
    state = session.read(path).tabs[TEN.slug].state
    assert (state.inputs["Wq"].shape, state.inputs["Wk"].shape) == ((8, 60), (8, 15))


@pytest.mark.parametrize(
    ("values", "sizes"),
    [
        ({"Wq": np.zeros((8, 12)).tolist(), "n_head": 3}, {"n_head": 3, "d_head": 4, "d_model": 8}),
        ({"Wq": np.zeros((5, 12)).tolist(), "d_head": 6}, {"n_head": 2, "d_head": 6, "d_model": 5}),
        ({"Wq": np.zeros((8, 6)).tolist()}, {"n_head": 2, "d_head": 3, "d_model": 8}),
        ({"Wo": np.zeros((10, 7)).tolist(), "Wq": np.zeros((7, 10)).tolist()}, {"n_head": 2, "d_head": 5}),
    ],
)
def test_sizes_follow_the_arrays_that_are_given(values: dict[str, object], sizes: dict[str, int]) -> None:
    state = documents.with_values(NINE, values)
    assert sizes.items() <= dict(state.sizes).items()
    assert state.inputs["Wk"].shape == (state.sizes["d_model"], state.sizes["n_head"] * state.sizes["d_head"])


def test_columns_that_heads_cannot_share_are_refused() -> None:
    with pytest.raises(ValueError, match="Wq"):
        documents.with_values(NINE, {"Wq": np.zeros((8, 10)).tolist(), "n_head": 4})
    with pytest.raises(ValueError, match="it may be 1, 2, 3, 4, 6 or 12"):
        documents.with_values(TEN, {"n_head": 12, "n_head_kv": 5})


def test_an_import_settles_the_head_size_and_refuses_what_disagrees() -> None:
    workbench = Workbench([NINE])
    sources = [
        Source("Wq", (8, 16), (), lambda _: np.ones((8, 16))),
        Source("Wk", (8, 16), (), lambda _: np.ones((8, 16))),
        Source("Wo", (15, 8), (), lambda _: np.ones((15, 8))),
    ]
    found = plan(NINE, workbench.state(NINE.slug), sources)
    assert found.sizes["d_head"] == 8
    assert [match.target for match in found.matches] == ["Wq", "Wk", None]
    assert "n_head*d_head" in str(found.matches[2].problem)
    assert found.edit().inputs["Wq"].shape == (8, 16)
