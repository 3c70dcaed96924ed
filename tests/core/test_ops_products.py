"""A product three ways, and how far the ways lie apart."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import lesson
from explorer.core.attention import attend
from explorer.core.ops import agreement, attention, products
from tests.core.op_faces import assert_faces_agree


@st.composite
def single_heads(draw):
    """Return x, Wq, Wk and Wv of any small shape, tame and wild."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, d_model, d = (draw(st.integers(1, 5)) for _ in range(3))
    size = draw(st.sampled_from([0.01, 1.0, 6.0]))
    return [rng.standard_normal(shape) * size for shape in ((n, d_model), *[(d_model, d)] * 3)]


def outputs(x, wq, wk, wv, causal):
    q, k, v = (attention.project().apply(x, w) for w in (wq, wk, wv))
    whole = attend(q[None], k[None], v[None], causal=causal).output[0]
    return whole, products.loop(causal).apply(q, k, v), whole + 1e-9


@settings(max_examples=60)
@given(single_heads(), st.booleans())
def test_transpose_outer_products_loop_and_differences_explain_themselves(head, causal):
    x, wq, wk, wv = head
    q, k, v = (x @ w for w in (wq, wk, wv))
    assert_faces_agree(products.transpose(), [k], ["k"])
    assert_faces_agree(products.outer_products(), [q, k.T.copy()], ["q", "kT"], at_most=12)
    assert_faces_agree(products.loop(causal), [q, k, v], ["q", "k", "v"], at_most=6)
    assert_faces_agree(
        agreement.largest_differences(causal),
        [*outputs(x, wq, wk, wv, causal), *head],
        ["output", "loop_output", "block_output", "x", "Wq", "Wk", "Wv"],
    )


@settings(max_examples=60)
@given(single_heads())
def test_outer_products_add_up_to_the_matrix_product(head):
    x, w = head[:2]
    assert products.outer_products().apply(x, w).sum(axis=0) == pytest.approx(x @ w, rel=1e-12, abs=1e-12)


@settings(max_examples=60)
@given(single_heads(), st.booleans())
def test_the_loop_agrees_with_attention_computed_at_once(head, causal):
    whole, looped, _ = outputs(*head, causal)
    assert looped == pytest.approx(whole, rel=1e-10, abs=1e-10)


def test_the_loop_survives_scores_that_overflow_a_naive_exponential():
    q, k, v = np.full((2, 1), 1000.0), np.array([[1.0], [2.0]]), np.array([[1.0], [3.0]])
    assert products.loop(False).apply(q, k, v).tolist() == [[3.0], [3.0]]


def test_both_precisions_of_the_lesson_lie_closer_than_a_millionth():
    arrays = list(lesson.full_attention_inputs().values())
    single, looped = agreement.in_single_precision(*arrays, causal=True)
    assert single.dtype == np.float32
    assert looped.dtype == np.float64
    apart = agreement.largest_differences().apply(*outputs(*arrays, True), *arrays)
    assert apart[0] < 1e-15
    assert apart[1] == np.abs(single - looped).max()
    assert 1e-9 < apart[1] < 1e-6
    assert apart[2] == pytest.approx(1e-9, rel=1e-6)
