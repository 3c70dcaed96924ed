"""What may be mixed freely in queries and keys, and what no mixing moves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import lesson
from explorer.core.ops import attention, mixing
from tests.core.op_faces import assert_faces_agree

AMOUNTS = st.floats(0, 1)
WIDTHS = st.integers(1, 9)


def mixed(x, wq, wk, amount):
    """Return q, k, their scores and M as the ops make them when Wq is mixed by A and Wk by A⁻ᵀ."""
    at = np.asarray(amount)
    a, b = mixing.mixing().apply(at, wq), mixing.mixing(inverse=True).apply(at, wq)
    project = mixing.project_mixed(amount > 0)
    q, k = project.apply(x, wq, a), project.apply(x, wk, b)
    return q, k, attention.scores().apply(q, k), mixing.interaction(amount > 0).apply(wq, wk, a, b)


@given(AMOUNTS, WIDTHS)
def test_every_matrix_on_the_way_is_invertible_and_well_conditioned(amount, width):
    a, b = mixing.mixing_matrix(amount, width), mixing.mixing_matrix(amount, width, inverse=True)
    assert a.T @ b == pytest.approx(np.eye(width), abs=1e-15)
    assert np.linalg.cond(a) <= 4 + 1e-9


@given(WIDTHS)
def test_it_starts_at_the_identity_and_goes_on_in_small_steps(width):
    assert (mixing.mixing_matrix(0.0, width) == np.eye(width)).all()
    way = np.array([mixing.mixing_matrix(amount, width) for amount in np.linspace(0, 1, 201)])
    assert np.abs(np.diff(way, axis=0)).max() < 0.02


@given(AMOUNTS, st.integers(1, 6), st.integers(1, 6), WIDTHS, st.integers(0, 2**32 - 1))
def test_no_score_moves_whatever_is_mixed(amount, n, d_model, width, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d_model))
    wq, wk = (rng.standard_normal((d_model, width)) for _ in range(2))
    _, _, scores, m = mixed(x, wq, wk, amount)
    size = (np.abs(x @ wq) @ np.abs(x @ wk).T).max()
    assert np.abs(scores - (x @ wq) @ (x @ wk).T).max() <= 1e-12 * max(size, 1)
    assert np.abs(scores - x @ m @ x.T).max() <= 1e-12 * max(size, 1)


@pytest.mark.parametrize("width", range(1, 8))
def test_every_query_and_every_key_changes(width):
    arrays = lesson.full_attention_inputs(n=5, d_model=6, d_head=width)
    x, wq, wk = (arrays[name] for name in ("x", "Wq", "Wk"))
    for amount in (0.05, 0.5, 1.0):
        q, k, _, _ = mixed(x, wq, wk, amount)
        assert (q != x @ wq).all()
        assert (k != x @ wk).all()


def test_unmixed_projections_are_the_lesson_s_to_the_last_bit():
    arrays = lesson.full_attention_inputs()
    x, wq, wk = (arrays[name] for name in ("x", "Wq", "Wk"))
    q, _, scores, m = mixed(x, wq, wk, 0.0)
    assert q.tobytes() == (x @ wq).tobytes()
    assert scores.tobytes() == attention.scores().apply(x @ wq, x @ wk).tobytes()
    assert m.tobytes() == (wq @ wk.T).tobytes()


@given(AMOUNTS, st.integers(1, 3), st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_every_op_computes_explains_and_prints_the_same(amount, n, d_model, width, seed):
    rng = np.random.default_rng(seed)
    x = rng.standard_normal((n, d_model))
    wq, wk = (rng.standard_normal((d_model, width)) for _ in range(2))
    at = np.asarray(amount)
    for inverse in (False, True):
        assert_faces_agree(mixing.mixing(inverse=inverse), (at, wq), ("mix", "Wq"))
    a, b = mixing.mixing_matrix(amount, width), mixing.mixing_matrix(amount, width, inverse=True)
    for whole in (False, True):
        assert_faces_agree(mixing.project_mixed(whole), (x, wq, a), ("x", "Wq", "A"))
        assert_faces_agree(mixing.interaction(whole), (wq, wk, a, b), ("Wq", "Wk", "A", "B"))
    q, k, scores, _ = mixed(x, wq, wk, amount)
    assert_faces_agree(mixing.moved(), (q, k, scores, x, wq, wk), ("q", "k", "scores", "x", "Wq", "Wk"))
    weights = attention.softmax().apply(scores)
    assert_faces_agree(mixing.asymmetry(), (scores, weights), ("scores", "weights"))


def test_moved_tells_the_change_of_queries_keys_and_scores_apart():
    arrays = lesson.full_attention_inputs()
    x, wq, wk = (arrays[name] for name in ("x", "Wq", "Wk"))
    q, k, scores, _ = mixed(x, wq, wk, 1.0)
    far_q, far_k, far_scores = mixing.moved().apply(q, k, scores, x, wq, wk)
    assert far_q == np.abs(q - x @ wq).max() > 0.5
    assert far_k == np.abs(k - x @ wk).max() > 0.3
    assert far_scores < 1e-15


def test_with_one_matrix_for_both_jobs_scores_are_symmetric_and_attention_weights_are_not():
    arrays = lesson.full_attention_inputs()
    k = arrays["x"] @ arrays["Wk"]
    scores = attention.scores().apply(k, k)
    weights = attention.softmax().apply(scores)
    apart = mixing.asymmetry().apply(scores, weights)
    assert apart[0] == 0
    assert apart[1] > 0.1
