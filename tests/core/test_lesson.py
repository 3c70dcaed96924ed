"""What the examples start from: the lesson's digits at the lesson's sizes, and sensible matrices at all others."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import lesson
from explorer.core.attention import attend
from explorer.core.checks import InputError
from explorer.core.javarandom import JavaRandom

GOLDENS = Path(__file__).parents[1] / "goldens"
sizes = st.integers(1, 7)


def golden(example: int) -> dict:
    return json.loads((GOLDENS / f"example{example:02d}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("example", [4, 7, 8])
def test_the_single_head_is_drawn_as_in_the_lesson(example: int) -> None:
    arrays = lesson.full_attention_inputs()
    assert list(arrays) == ["x", "Wq", "Wk", "Wv"]
    for name, array in arrays.items():
        assert array.dtype == np.float64
        assert array.tolist() == np.array(golden(example)["intermediates"][name], np.float32).tolist()


def test_the_two_heads_are_drawn_as_in_the_lesson() -> None:
    arrays = lesson.multi_head_inputs()
    assert list(arrays) == ["x", "Wq", "Wk", "Wv", "Wo"]
    for name, array in arrays.items():
        assert array.tolist() == np.array(golden(9)["intermediates"][name], np.float32).tolist()


def test_typed_numbers_are_the_lesson_s() -> None:
    embeddings = golden(1)["inputs"]["embeddings"]
    assert {word: vector.tolist() for word, vector in lesson.EMBEDDINGS.items()} == embeddings
    assert lesson.VECTORS.tolist() == golden(2)["inputs"]["x"] == golden(13)["inputs"]["content"]
    assert lesson.causal_mask_scores().tolist() == golden(6)["intermediates"]["raw_scores"]


def test_the_previous_token_head_is_the_lesson_s() -> None:
    for name, array in lesson.previous_token_inputs().items():
        assert array.tolist() == golden(13)["intermediates"][name]


@pytest.mark.parametrize("array", [lesson.VECTORS, *lesson.EMBEDDINGS.values()])
def test_constants_cannot_be_changed(array: np.ndarray) -> None:
    with pytest.raises(ValueError, match="read-only"):
        array[0] = 5.0


@given(seed=st.integers(-(2**63), 2**63 - 1), n=sizes, d_model=sizes, d_head=sizes)
def test_any_single_head_comes_from_one_stream_in_the_lesson_s_order(
    seed: int, n: int, d_model: int, d_head: int
) -> None:
    arrays = lesson.full_attention_inputs(seed, n, d_model, d_head)
    assert [array.shape for array in arrays.values()] == [(n, d_model)] + 3 * [(d_model, d_head)]
    drawn = np.concatenate([array.ravel() for array in arrays.values()])
    expected = (JavaRandom(seed).gaussians(drawn.size) * 0.5).astype(np.float32)
    assert drawn.tolist() == expected.tolist()


@given(seed=st.integers(0, 99), n_head_kv=st.integers(1, 3), sharing=st.integers(1, 3), d_head=sizes)
def test_heads_may_share_and_have_any_width(seed: int, n_head_kv: int, sharing: int, d_head: int) -> None:
    n_head = n_head_kv * sharing
    arrays = lesson.multi_head_inputs(seed, 3, 5, n_head=n_head, n_head_kv=n_head_kv, d_head=d_head)
    shapes = {name: array.shape for name, array in arrays.items()}
    assert shapes["Wq"] == (5, n_head * d_head)
    assert shapes["Wk"] == shapes["Wv"] == (5, n_head_kv * d_head)
    assert shapes["Wo"] == (n_head * d_head, 5)


def test_heads_that_cannot_share_are_refused_by_name() -> None:
    with pytest.raises(InputError, match="8 query heads cannot share 3 KV heads; n_head_kv may be 1, 2, 4 or 8"):
        lesson.multi_head_inputs(n_head=8, n_head_kv=3)


@pytest.mark.parametrize("slots", [1, 2, 3, 4, 7, 12])
def test_the_head_looks_at_the_token_before_for_any_number_of_slots(slots: int) -> None:
    arrays = lesson.previous_token_inputs(slots, sharpness=200.0)
    q, k, v = (arrays["x"] @ arrays[name] for name in ("Wq", "Wk", "Wv"))
    weights = attend(q[None], k[None], v[None], causal=True).weights[0]
    before = np.maximum(np.arange(slots) - 1, 0)
    assert (weights.argmax(axis=1) == before).all()
    assert weights.max(axis=1) == pytest.approx(1.0)
    np.testing.assert_array_equal(v, lesson.VECTORS[np.arange(slots) % 4])


def test_sharpness_is_the_query_s_only_number() -> None:
    for sharpness in (-3.0, 0.0, 0.25):
        arrays = lesson.previous_token_inputs(5, sharpness)
        assert (arrays["x"] @ arrays["Wq"]).sum() == 5 * sharpness


def test_content_of_any_width_is_carried_by_the_values() -> None:
    content = np.arange(9.0).reshape(3, 3)
    arrays = lesson.previous_token_inputs(3, content=content)
    np.testing.assert_array_equal(arrays["x"] @ arrays["Wv"], content)
    assert arrays["x"].shape == (3, 6)


def test_content_without_a_row_per_slot_is_refused() -> None:
    with pytest.raises(InputError, match="content has 3 rows; it must have one for each of the 4 slots"):
        lesson.previous_token_inputs(4, content=np.zeros((3, 2)))


@given(rows=sizes, columns=sizes, more=st.tuples(sizes, sizes), seed=st.integers(0, 50))
def test_growing_in_steps_or_at_once_gives_the_same_cells(
    rows: int, columns: int, more: tuple[int, int], seed: int
) -> None:
    start = np.full((2, 3), 9.0)
    step = lesson.resized(start, rows, columns, seed)
    wider = (max(rows, more[0], 2), max(columns, more[1], 3))
    if rows >= 2 and columns >= 3:
        np.testing.assert_array_equal(lesson.resized(step, *wider, seed), lesson.resized(start, *wider, seed))
    whole = lesson.resized(start, *wider, seed)
    np.testing.assert_array_equal(whole[:2, :3], start)
    np.testing.assert_array_equal(step, whole[:rows, :columns])
    fresh = whole[start.shape[0] :].ravel()
    assert len(set(fresh.tolist())) == fresh.size


def test_no_two_tokens_share_a_name() -> None:
    assert lesson.token_names(4) == ("the", "cat", "sat", "down")
    assert lesson.token_names(0) == ()
    names = lesson.token_names(64)
    assert len(set(names)) == len(names) == 64


def test_every_example_has_tokens() -> None:
    for example in range(1, 14):
        assert all(lesson.example_tokens(example))
