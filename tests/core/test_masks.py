"""Who may look at whom."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from explorer.core.checks import InputError
from explorer.core.masks import hidden_spans, key_range, positions_visible, visible_pairs

sizes = st.integers(0, 8)
rules = st.fixed_dictionaries({"causal": st.booleans(), "window": st.none() | st.integers(1, 10)})


@given(sizes, sizes, rules, st.none() | st.integers(-10, 10))
def test_causal_and_window_are_the_stated_inequalities(n_q: int, n_k: int, rule: dict, offset: int | None) -> None:
    seen = visible_pairs(1, n_q, n_k, q_offset=offset, **rule)
    assert seen.shape == (1, n_q, n_k)
    for i in range(n_q):
        p = i + (n_k - n_q if offset is None else offset)
        for j in range(n_k):
            expected = not rule["causal"] or j <= p
            if rule["window"] is not None:
                expected &= (p - j if rule["causal"] else abs(p - j)) < rule["window"]
            assert seen[0, i, j] == expected


def test_everything_given_combines_by_and() -> None:
    mask = np.array([[True, True, False]] * 3)
    bias = np.array([[0.0, -np.inf, 0.0]] * 3)
    assert_array_equal(visible_pairs(2, 3, 3, mask=mask, bias=bias), np.array([[[True, False, False]] * 3] * 2))
    assert_array_equal(
        visible_pairs(1, 3, 3, mask=mask, causal=True),
        [[[True, False, False], [True, True, False], [True, True, False]]],
    )


def test_one_decode_step_sees_the_whole_cache() -> None:
    assert visible_pairs(1, 1, 7, causal=True).all()
    assert visible_pairs(1, 1, 7, causal=True, window=3)[0, 0].tolist() == [False] * 4 + [True] * 3


@given(st.integers(-5, 12), st.integers(1, 6), st.integers(0, 12), rules)
def test_a_block_is_what_the_whole_mask_says(first: int, length: int, n_k: int, rule: dict) -> None:
    last = first + length - 1
    whole = positions_visible(np.arange(first, last + 1), np.arange(n_k), **rule)
    start, stop = key_range(first, last, n_k, **rule)
    outside = np.ones(n_k, bool)
    outside[start : max(start, stop)] = False
    assert not whole[:, outside].any()
    if start < stop:
        block = np.ones((length, stop - start), bool)
        for a, b, hidden in hidden_spans(first, last, start, stop, **rule):
            block[:, a - start : b - start] &= ~hidden
        assert_array_equal(block, whole[:, start:stop])


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        ({"window": 0}, "window is 0; it must be at least 1"),
        ({"mask": np.ones((2, 2), bool)}, "mask has shape (2, 2), which does not broadcast to"),
        ({"bias": [np.nan] * 3}, "bias[0] is nan"),
        ({"q_offset": 2**60}, "q_offset is 1152921504606846976; it must lie between"),
    ],
)
def test_bad_rules_are_refused(rule: dict, sentence: str) -> None:
    with pytest.raises(InputError) as caught:
        visible_pairs(1, 3, 3, **rule)
    assert str(caught.value).startswith(sentence)
