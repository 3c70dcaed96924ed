"""A head that may not look at itself, and positions that are turned into queries and keys."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core.checks import InputError
from explorer.core.ops import attention, hand_built
from tests.core.op_faces import assert_faces_agree


@settings(max_examples=60)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(1, 6),
    st.integers(1, 4),
    st.integers(1, 7),
    st.sampled_from([2.0, 100.0, 1e4]),
)
def test_the_ops_explain_and_print_themselves(seed, n, d_model, width, base):
    rng = np.random.default_rng(seed)
    for rule in hand_built.RULES:
        assert_faces_agree(hand_built.look(rule), [rng.standard_normal((n, n))], ["scaled"])
    arrays = [rng.standard_normal((n, d_model)), rng.standard_normal((d_model, width))]
    assert_faces_agree(hand_built.project_rotated(base), arrays, ["x", "Wq"], at_most=12)


def test_against_oneself_only_the_diagonal_is_closed():
    masked = hand_built.look("no_self").apply(np.zeros((3, 3)))
    assert np.isneginf(masked).tolist() == np.eye(3, dtype=bool).tolist()
    assert attention.softmax().apply(masked)[0].tolist() == [0, 0.5, 0.5]


def test_a_token_alone_that_may_not_look_at_itself_looks_nowhere():
    assert attention.softmax().apply(hand_built.look("no_self").apply(np.zeros((1, 1)))).tolist() == [[0.0]]


def test_the_two_other_rules_are_those_of_attention():
    scores = np.arange(9.0).reshape(3, 3)
    assert (hand_built.look("causal").apply(scores) == attention.causal_mask().apply(scores)).all()
    assert (hand_built.look("none").apply(scores) == scores).all()


def test_an_unknown_rule_is_refused_with_those_that_exist():
    with pytest.raises(InputError, match="causal, none"):
        hand_built.look("strict")


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 5), st.integers(0, 20))
def test_a_rotated_score_depends_on_the_distance_alone(seed, n, pairs, far):
    rng = np.random.default_rng(seed)
    query, key = rng.standard_normal((2, 2 * pairs))
    q = hand_built.rotated(np.tile(query, (n + far, 1)), 100.0)
    k = hand_built.rotated(np.tile(key, (n + far, 1)), 100.0)
    scores = q @ k.T
    for distance in range(-n + 1, n):
        diagonal = np.diagonal(scores, distance)
        assert diagonal == pytest.approx(np.full_like(diagonal, diagonal[0]), abs=1e-9)


@given(st.integers(0, 2**32 - 1), st.integers(1, 6), st.integers(1, 7))
def test_a_rotation_keeps_lengths_and_leaves_position_0_alone(seed, n, width):
    rows = np.random.default_rng(seed).standard_normal((n, width))
    turned = hand_built.rotated(rows, 100.0)
    assert np.linalg.norm(turned, axis=1) == pytest.approx(np.linalg.norm(rows, axis=1))
    assert (turned[0] == rows[0]).all()
