"""Attention in one pass over blocks of keys: the same result, with every running quantity in the open."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from explorer.core.attention import attend
from explorer.core.blockwise import attend_blockwise, block_steps
from explorer.core.checks import InputError
from explorer.core.softmax import softmax_rows

LIMIT = {np.float32: 2e-5, np.float64: 1e-13}


@st.composite
def tables(draw, dtype) -> tuple[np.ndarray, np.ndarray]:
    heads, n_q, n_k, d_v = (draw(st.integers(low, 9)) for low in (1, 0, 0, 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    scores = rng.standard_normal((heads, n_q, n_k)) * draw(st.sampled_from([0.1, 3.0, 1e4]))
    scores[rng.random(scores.shape) < draw(st.sampled_from([0.0, 0.5, 0.95]))] = -np.inf
    return scores.astype(dtype), rng.standard_normal((heads, n_k, d_v)).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data())
def test_any_block_size_gives_the_whole_result(dtype: type, data: st.DataObject) -> None:
    scores, values = data.draw(tables(dtype))
    size = data.draw(st.integers(1, 12))
    whole = softmax_rows(scores) @ values
    found = attend_blockwise(scores, values, size)
    assert found.dtype == dtype
    assert_allclose(found, whole, rtol=LIMIT[dtype], atol=LIMIT[dtype])


@given(data=st.data())
def test_each_step_is_the_attention_over_the_keys_so_far(data: st.DataObject) -> None:
    scores, values = data.draw(tables(np.float64))
    size = data.draw(st.integers(1, 12))
    stops = []
    for step in block_steps(scores, values, size):
        seen = scores[..., : step.stop]
        peak = seen.max(axis=-1)
        assert_array_equal(step.maximum, peak)
        base = np.where(np.isneginf(peak), 0, peak)[..., None]
        assert_allclose(step.total, np.exp(seen - base).sum(axis=-1), rtol=1e-13)
        assert_allclose(step.mix, np.exp(seen - base) @ values[:, : step.stop], rtol=1e-12, atol=1e-12)
        assert_allclose(step.output, softmax_rows(seen) @ values[:, : step.stop], rtol=1e-13, atol=1e-13)
        grew = step.maximum > step.maximum_before
        assert (step.rescale[~grew] == 1).all()
        assert_allclose(step.rescale[grew], np.exp(step.maximum_before[grew] - step.maximum[grew]))
        stops.append((step.start, step.stop))
    assert stops == [(start, min(start + size, scores.shape[-1])) for start in range(0, scores.shape[-1], size)]


def test_a_larger_maximum_shrinks_what_was_gathered() -> None:
    first, second = block_steps([[0.0, 2.0]], [[1.0], [5.0]], 1)
    assert (first.maximum[0], first.rescale[0], first.total[0], first.output[0, 0]) == (0.0, 0.0, 1.0, 1.0)
    assert second.rescale[0] == np.exp(-2.0)
    assert second.total[0] == np.exp(-2.0) + 1
    assert second.mix[0, 0] == np.exp(-2.0) * 1.0 + 5.0


def test_it_agrees_with_attention_of_one_head() -> None:
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal((1, 40, 8)) for _ in range(3))
    trace = attend(q, k, v, causal=True, window=7)
    for size in (1, 7, 16, 40, 100):
        assert_allclose(attend_blockwise(trace.masked, v, size), trace.output, rtol=1e-13, atol=1e-13)


def test_steps_do_not_share_memory_with_the_input_or_each_other() -> None:
    scores, values = np.zeros((2, 4)), np.ones((4, 1))
    steps = block_steps(scores, values, 2)
    scores[...] = values[...] = 9
    first, second = steps
    second.mix[...] = -1
    assert first.mix.tolist() == [[2.0], [2.0]]


@pytest.mark.parametrize(
    ("scores", "values", "size", "sentence"),
    [
        (np.ones((2, 3)), np.ones((4, 1)), 1, "scores has shape (2, 3) and values has shape (4, 1): scores must be"),
        (np.ones((1, 2, 3)), np.ones((3, 1)), 1, "scores has shape (1, 2, 3) and values has shape (3, 1)"),
        (np.ones(3), np.ones(3), 1, "scores has shape (3,) and values has shape (3,)"),
        (np.ones((2, 3)), np.ones((3, 1)), 0, "block_size is 0; it must be at least 1"),
        (np.ones((2, 3)), np.ones((3, 1)), 1.5, "block_size must be an integer, not 1.5"),
        ([[np.nan, 0]], np.ones((2, 1)), 1, "scores[0, 0] is nan"),
        ([[np.inf, 0]], np.ones((2, 1)), 1, "scores[0, 0] is inf"),
        ([[0, 0]], [[1.0], [-np.inf]], 1, "values[1, 0] is -inf; every number must be finite"),
        ([[0, 0]], [[1.7e308], [1.7e308]], 1, "mix[0, 0] would overflow float64"),
    ],
)
def test_bad_input_is_refused(scores: object, values: object, size: int, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        attend_blockwise(scores, values, size)
    assert str(caught.value).startswith(sentence)
