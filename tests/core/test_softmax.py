"""The softmax that everything shares."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.testing import assert_allclose, assert_array_equal

from explorer.core.blockwise import attend_blockwise
from explorer.core.scaling import softmax_jacobian_norm
from explorer.core.softmax import SHORT_ROW, softmax_in_place, softmax_near_0, softmax_rows

LIMIT = {np.float32: 2e-6, np.float64: 1e-14}
HUGE = {np.float32: 1e4, np.float64: 1e308}


def rows(dtype: type) -> st.SearchStrategy:
    width = np.dtype(dtype).itemsize * 8
    numbers = st.floats(-HUGE[dtype], HUGE[dtype], width=width) | st.just(-np.inf) | st.floats(-5, 5, width=width)
    return hnp.arrays(dtype, hnp.array_shapes(min_dims=1, max_dims=3, min_side=0, max_side=9), elements=numbers)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data())
def test_rows_are_weights_or_nothing(dtype: type, data: st.DataObject) -> None:
    scores = data.draw(rows(dtype))
    with np.errstate(all="raise"):
        weights = softmax_rows(scores)
    assert weights.dtype == dtype
    assert weights.shape == scores.shape
    assert (weights[np.isneginf(scores)] == 0).all()
    nowhere = np.isneginf(scores).all(axis=-1)
    sums = weights.sum(axis=-1, dtype=np.float64)
    assert (sums[nowhere] == 0).all()
    assert (np.abs(sums[~nowhere] - 1) <= LIMIT[dtype]).all()


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=9))
def test_every_weight_is_the_one_of_the_definition(scores: list[float]) -> None:
    exponentials = [math.exp(score - max(scores)) for score in scores]
    expected = [e / math.fsum(exponentials) for e in exponentials]
    assert_allclose(softmax_rows(np.array(scores)), expected, rtol=1e-14, atol=1e-300)


def test_the_input_is_left_alone_and_in_place_is_in_place() -> None:
    scores = np.array([[1.0, 2.0]])
    softmax_rows(scores)
    assert scores.tolist() == [[1.0, 2.0]]
    assert softmax_in_place(scores) is scores
    assert scores.sum() == 1


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("width", [1, 2, 100, SHORT_ROW, SHORT_ROW + 1, 50_000])
def test_both_ways_to_sum_a_row_are_exact_enough(dtype: type, width: int) -> None:
    scores = np.random.default_rng(width).standard_normal((3, width)).astype(dtype)
    for by_product in (False, True):
        weights = softmax_in_place(scores.copy(), by_product=by_product)
        assert (np.abs(weights.sum(axis=-1, dtype=np.float64) - 1) <= LIMIT[dtype]).all()


def test_one_visible_score_gets_everything() -> None:
    assert_array_equal(softmax_rows(np.array([-np.inf, -1e308, -np.inf])), [0, 1, 0])
    assert_array_equal(softmax_rows(np.array([1e308, -1e308])), [1, 0])


@pytest.mark.parametrize(("dtype", "low"), [(np.float32, -87), (np.float64, -708)])
def test_a_share_among_the_subnormal_numbers_is_no_error(dtype: type, low: float) -> None:
    scores = np.array([[low, 0, 0]], dtype)
    with np.errstate(all="raise"):
        weights = softmax_rows(scores)
        in_blocks = attend_blockwise(scores, np.array([[1], [0], [0]], dtype), 2)
        softmax_jacobian_norm(weights.astype(np.float64))
    assert 0 < weights[0, 0] < np.finfo(dtype).tiny
    assert_allclose(in_blocks[0, 0], weights[0, 0], atol=np.finfo(dtype).smallest_subnormal)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(data=st.data())
def test_rows_near_0_get_the_same_bits_whatever_the_other_rows_are(dtype: type, data: st.DataObject) -> None:
    width = np.dtype(dtype).itemsize * 8
    near = st.floats(-5, 5, width=width) | st.just(-np.inf)
    far = st.sampled_from([-1000.0, -30.0, 30.0, 1000.0])
    calm = data.draw(hnp.arrays(dtype, (3, 7), elements=near))
    calm[:, 0] = 1.0
    wild = np.concatenate([calm, data.draw(hnp.arrays(dtype, (2, 7), elements=far))])
    alone, out = np.empty_like(calm), np.empty_like(wild)
    with np.errstate(over="ignore", under="ignore"):
        assert softmax_near_0(calm.copy(), alone) is None
        near_0 = softmax_near_0(wild.copy(), out)
    if near_0 is not None:
        assert near_0[:3].all()
        softmax_in_place(wild.copy(), out, by_product=True, near_0=near_0)
    assert_allclose(out, softmax_rows(wild), rtol=1e-5, atol=1e-30)
    assert_allclose(alone, softmax_rows(calm), rtol=1e-5, atol=1e-30)
    assert (np.abs(out.sum(axis=-1, dtype=np.float64) - 1) <= LIMIT[dtype]).all()


@pytest.mark.parametrize("score", [-1000.0, -200.0, -25.0, 75.0, 1000.0, -np.inf])
def test_a_row_far_from_0_is_told(score: float) -> None:
    table = np.array([[0.5, -0.5], [score, score]], np.float32)
    out = np.full_like(table, 7)
    with np.errstate(over="ignore", under="ignore"):
        near_0 = softmax_near_0(table.copy(), out)
    assert near_0 is not None
    assert near_0.tolist() == [[True], [False]]
    assert (out == 7).all()
