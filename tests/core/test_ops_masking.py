"""Masking right and wrong: what each rule lets through, and what a changed token moves."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import lesson
from explorer.core.attention import attend
from explorer.core.ops import attention, masking
from tests.core.op_faces import assert_faces_agree

SCORES = lesson.causal_mask_scores()
CAUSAL = np.tri(4, dtype=bool)


def weights(rule, scores=SCORES, allowed=CAUSAL):
    return masking.weigh(rule).apply(masking.mask_scores(rule).apply(scores, allowed), allowed)


def test_the_lesson_s_rows_sum_to_one_only_when_the_mask_comes_first():
    assert weights("before").sum(axis=1) == pytest.approx(1, abs=1e-15)
    assert weights("after").sum(axis=1).round(3).tolist() == [0.102, 0.557, 0.833, 1.0]


def test_zeroed_rows_are_what_softmax_made_of_the_whole_row():
    whole = attention.softmax().apply(SCORES)
    assert (weights("after")[CAUSAL] == whole[CAUSAL]).all()
    assert (weights("after")[~CAUSAL] == 0).all()


def test_a_score_of_zero_hides_nothing():
    leaks = weights("zero")
    assert leaks[0].round(3).tolist() == [0.475, 0.175, 0.175, 0.175]
    assert leaks.sum(axis=1) == pytest.approx(1, abs=1e-15)
    assert (leaks[~CAUSAL] > 0).all()


def test_the_right_rule_is_what_attention_does():
    q = np.eye(4)[None]
    trace = attend(q, SCORES.T[None], np.eye(4)[None], causal=True, scale=1.0)
    assert weights("before") == pytest.approx(trace.weights[0], abs=1e-15)


def test_an_unknown_rule_is_refused_naming_those_there_are():
    for make in (masking.mask_scores, masking.weigh):
        with pytest.raises(ValueError, match="'never' is not known; it may be before, after or zero"):
            make("never")


@st.composite
def tables(draw):
    """Return scores, a mask, values and the place of a token (−1 for none), of 1 to 5 tokens."""
    n, d = draw(st.integers(1, 5)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    allowed = rng.random((n, n)) < draw(st.sampled_from([0.0, 0.5, 1.0]))
    return rng.standard_normal((n, n)) * 3, allowed, rng.standard_normal((n, d)), draw(st.integers(-1, n - 1))


@given(tables(), st.sampled_from(masking.RULES))
def test_every_rule_computes_explains_and_prints_the_same(table, rule):
    scores, allowed, v, token = table
    masked = masking.mask_scores(rule).apply(scores, allowed)
    assert_faces_agree(masking.mask_scores(rule), (scores, allowed), ("scores", "allowed"))
    assert_faces_agree(masking.weigh(rule), (masked, allowed), ("masked", "allowed"))
    at = np.asarray(float(token))
    assert_faces_agree(masking.change_scores(), (scores, at), ("scores", "changed"))
    assert_faces_agree(masking.change_values(), (v, at), ("v", "changed"))
    four = (v, v + 1.5, v, np.where(v > 0, v, -v))
    assert_faces_agree(masking.movement(), four, ("output", "other_output", "open_output", "other_open_output"))


@given(tables())
def test_a_changed_token_changes_its_row_and_its_column_and_nothing_else(table):
    scores, _, v, token = table
    at = np.asarray(float(token))
    changed = masking.change_scores().apply(scores, at) != scores
    assert all(token in pair for pair in np.argwhere(changed))
    assert changed.sum() == (2 * len(scores) - 1 if token >= 0 else 0)
    assert (masking.change_values().apply(v, at) != v).any(axis=1).tolist() == [i == token for i in range(len(v))]


def moved_rows(rule, token, scores, v):
    """Return how far each row moves when a token changes: under a rule with the causal mask, and without a mask."""
    allowed = np.tri(len(scores), dtype=bool)
    at = np.asarray(float(token))
    others = masking.change_scores().apply(scores, at), masking.change_values().apply(v, at)
    outputs = []
    for mask in (allowed, np.ones_like(allowed)):
        for these, values in ((scores, v), others):
            shares = masking.weigh(rule).apply(masking.mask_scores(rule).apply(these, mask), mask)
            outputs.append(attention.mix().apply(shares, values))
    return masking.movement().apply(*outputs)


@given(tables())
def test_with_the_right_mask_rows_before_a_changed_token_do_not_move_at_all(table):
    scores, _, v, token = table
    moved = moved_rows("before", token, scores, v)
    assert (moved[: max(token, 0), 0] == 0).all()
    if token >= 0:
        assert (moved[token:, 0] > 0).all()
        assert (moved[:, 1] > 0).all()
    else:
        assert (moved == 0).all()


@pytest.mark.parametrize("rule", ["after", "zero"])
def test_with_the_wrong_masks_earlier_rows_move(rule):
    moved = moved_rows(rule, 3, SCORES, lesson.VECTORS)
    assert (moved[:3, 0] > 0).all()
    assert math.isfinite(moved.max())
