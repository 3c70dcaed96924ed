"""What attention refuses, and that the sentence says what, where and what would be accepted."""

from __future__ import annotations

import pickle
import string

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.attention import attend
from explorer.core.checks import InputError

F32 = np.float32
Q, K, V = np.ones((4, 3, 2)), np.ones((2, 5, 2)), np.ones((2, 5, 6))


def refusal(*arrays, **rules) -> str:
    """Return the sentence of the refusal, after checking that it can be translated and sent to another process."""
    with pytest.raises(InputError) as caught:
        attend(*arrays, **rules)
    error = caught.value
    assert isinstance(error, ValueError)
    assert str(error) == error.template.format(**error.values)
    assert {field for _, field, _, _ in string.Formatter().parse(error.template) if field} <= set(error.values)
    assert "\n" not in str(error)
    copy = pickle.loads(pickle.dumps(error))
    assert (str(copy), copy.template, copy.values) == (str(error), error.template, error.values)
    return str(error)


@pytest.mark.parametrize(
    ("shapes", "sentence"),
    [
        (
            ((10, 3, 2), (4, 5, 2), (4, 5, 2)),
            (
                "q has shape (10, 3, 2) and k has shape (4, 5, 2): "
                "10 query heads cannot share 4 KV heads; n_head_kv may be 1, 2, 5 or 10"
            ),
        ),
        (
            ((1, 3, 2), (2, 5, 2), (2, 5, 2)),
            (
                "q has shape (1, 3, 2) and k has shape (2, 5, 2): "
                "1 query heads cannot share 2 KV heads; n_head_kv may be 1"
            ),
        ),
        (
            ((4, 3, 2), (2, 5, 3), (2, 5, 2)),
            "q has shape (4, 3, 2) and k has shape (2, 5, 3): their last axes, both d_k, must be equal",
        ),
        (
            ((4, 3, 2), (2, 5, 2), (2, 4, 2)),
            "k has shape (2, 5, 2) and v has shape (2, 4, 2): their first two axes, n_head_kv and n_k, must be equal",
        ),
        (
            ((4, 3, 2), (2, 5, 2), (1, 5, 2)),
            "k has shape (2, 5, 2) and v has shape (1, 5, 2): their first two axes, n_head_kv and n_k, must be equal",
        ),
        (((3, 2), (2, 5, 2), (2, 5, 2)), "q has shape (3, 2); it must have 3 axes: (n_head, n_q, d_k)"),
        (((4, 3, 2), (1, 2, 5, 2), (2, 5, 2)), "k has shape (1, 2, 5, 2); it must have 3 axes: (n_head_kv, n_k, d_k)"),
        (((4, 3, 2), (2, 5, 2), ()), "v has shape (); it must have 3 axes: (n_head_kv, n_k, d_v)"),
        (((0, 3, 2), (1, 5, 2), (1, 5, 2)), "q has shape (0, 3, 2); its axis n_head must hold at least 1"),
        (((2, 3, 2), (0, 5, 2), (0, 5, 2)), "k has shape (0, 5, 2); its axis n_head_kv must hold at least 1"),
        (((2, 3, 0), (1, 5, 0), (1, 5, 2)), "q has shape (2, 3, 0); its axis d_k must hold at least 1"),
    ],
)
def test_misshapen_arrays(shapes: tuple, sentence: str) -> None:
    assert refusal(*(np.ones(shape) for shape in shapes)) == sentence


@pytest.mark.parametrize(
    ("rule", "sentence"),
    [
        (
            {"mask": np.ones((3, 4), bool)},
            "mask has shape (3, 4), which does not broadcast to (n_head, n_q, n_k) = (4, 3, 5)",
        ),
        ({"mask": np.ones((2, 3, 5), bool)}, "mask has shape (2, 3, 5), which does not broadcast to"),
        ({"mask": np.ones((1, 4, 3, 5), bool)}, "mask has shape (1, 4, 3, 5), which does not broadcast to"),
        ({"bias": np.ones((9, 4, 3, 5))}, "bias has shape (9, 4, 3, 5), which does not broadcast to"),
        ({"bias": np.ones(4)}, "bias has shape (4,), which does not broadcast to (n_head, n_q, n_k) = (4, 3, 5)"),
        ({"mask": np.ones((3, 5))}, "mask must be boolean (True = may look), not ndarray of float64; numbers to add"),
        ({"mask": [0, 1, 2, 0, 1]}, "mask must be boolean (True = may look), not [0, 1, 2, 0, 1]"),
        ({"mask": "yes"}, "mask must be boolean (True = may look), not 'yes'"),
        ({"mask": [[True], [True, False]]}, "mask must be boolean"),
        ({"mask": np.ma.masked_array(np.ones((3, 5), bool))}, "mask must be boolean"),
        ({"bias": [0, np.nan, 0, 0, 0]}, "bias[1] is nan; a bias must be finite, or -inf for masked"),
        ({"bias": np.full((3, 5), np.inf)}, "bias[0, 0] is inf; a bias must be finite, or -inf for masked"),
        ({"bias": "low"}, "bias must be a rectangular array of real numbers, not 'low'"),
        ({"bias": np.ones((3, 5), bool)}, "bias must hold numbers to add to the scores, not ndarray of bool; booleans"),
        ({"bias": True}, "bias must hold numbers to add to the scores, not True; booleans (True = may look) go into"),
        ({"causal": "False"}, "causal must be True or False, not 'False'"),
        ({"causal": None}, "causal must be True or False, not None"),
        ({"q_offset": 10**5000}, "q_offset is a number too long to be written out; it must lie between"),
        ({"scale": np.nan}, "scale must be a finite number, not nan"),
        ({"scale": "big"}, "scale must be a finite number, not 'big'"),
        ({"scale": True}, "scale must be a finite number, not True"),
        ({"scale": [1.0, 2.0]}, "scale must be a finite number, not [1.0, 2.0]"),
        ({"scale": 1j}, "scale must be a finite number, not 1j"),
        ({"softcap": 0}, "softcap is 0; it must be greater than 0 and fit float64"),
        ({"softcap": -2.0}, "softcap is -2.0; it must be greater than 0 and fit float64"),
        ({"softcap": np.inf}, "softcap is inf; it must be greater than 0 and fit float64"),
        ({"window": 0}, "window is 0; it must be at least 1"),
        ({"window": 2.0}, "window must be an integer, not 2.0"),
        ({"window": True}, "window must be an integer, not True"),
        ({"q_offset": 0.5}, "q_offset must be an integer, not 0.5"),
        ({"q_offset": 10**30}, "q_offset is 1000000000000000000000000000000; it must lie between"),
        ({"q_offset": "3"}, "q_offset must be an integer, not '3'"),
    ],
)
def test_rules_that_cannot_be_meant(rule: dict, sentence: str) -> None:
    assert refusal(Q, K, V, **rule).startswith(sentence)


@pytest.mark.parametrize("position", [0, 1, 2])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@given(value=st.sampled_from([np.nan, np.inf, -np.inf]), data=st.data())
def test_a_cell_that_is_not_finite_is_named(position: int, dtype: type, value: float, data: st.DataObject) -> None:
    arrays = [array.astype(dtype) for array in (Q, K, V)]
    index = tuple(data.draw(st.integers(0, size - 1)) for size in arrays[position].shape)
    arrays[position][index] = value
    cell = f"{'qkv'[position]}[{', '.join(map(str, index))}]"
    assert refusal(*arrays) == f"{cell} is {value}; every number must be finite"


@pytest.mark.parametrize(
    "value",
    [
        [[[1], [2, 3]]],
        "text",
        [[["1.5", "2"]] * 3] * 4,
        None,
        np.ones((4, 3, 2), complex),
        np.ones((4, 3, 2), bool),
        np.full((4, 3, 2), "1.5", object),
        [[[10**5000, 1]] * 3] * 4,
        np.zeros((4, 3, 2), "datetime64[s]"),
        np.ma.masked_array(np.ones((4, 3, 2))),
        {"a": 1},
        [[[10**400, 1]] * 3] * 4,
        object(),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_holds_no_numbers(value: object) -> None:
    assert refusal(value, K, V).startswith("q must be a rectangular array of real numbers, not ")


def test_missing_numbers_count_as_not_finite() -> None:
    assert refusal([[[None, 1.0]] * 3] * 4, K, V) == "q[0, 0, 0] is nan; every number must be finite"


def test_long_values_are_cut_in_the_sentence() -> None:
    assert len(refusal(Q, K, V, scale="x" * 10_000)) < 120


class TestOverflow:
    def test_of_scores_names_the_cell(self) -> None:
        q, k = np.ones((1, 2, 1)), np.ones((1, 2, 1))
        q[0, 1, 0] = k[0, 1, 0] = 1e200
        assert refusal(q, k, np.ones((1, 2, 1))).startswith("scores[0, 1, 1] would overflow float64: ")

    def test_between_terms_that_cancel_is_refused_too(self) -> None:
        q, k = np.array([[[1e200, 1e200]]]), np.array([[[1e200, -1e200]]])
        assert refusal(q, k, np.ones((1, 1, 1))).startswith("scores[0, 0, 0] would overflow")

    def test_of_a_hidden_score_is_refused_because_it_is_shown(self) -> None:
        q, k = np.full((1, 2, 1), 1e200), np.ones((1, 2, 1))
        k[0, 1, 0] = 1e200
        assert refusal(q, k, np.ones((1, 2, 1)), causal=True).startswith("scores[0, 0, 1] would overflow")

    def test_of_the_scale(self) -> None:
        ones = np.full((1, 1, 1), 1e10)
        assert refusal(ones, ones, ones, scale=1e300).startswith("scaled[0, 0, 0] would overflow float64")
        assert refusal(*(ones.astype(F32),) * 3, scale=1e39) == "scale must be a finite number, not 1e+39"

    def test_of_the_bias(self) -> None:
        big = np.full((1, 1, 1), 1e154)
        assert refusal(big, big, big, scale=1.0, bias=1.79e308).startswith("masked[0, 0, 0] would overflow float64")
        assert refusal(big, -big, big, scale=1.0, bias=-1.79e308).startswith("masked[0, 0, 0] would overflow float64")
        assert attend(big, big, big, scale=1.0, bias=-1.79e308).weights.tolist() == [[[1.0]]]

    def test_of_a_bias_that_only_float64_can_hold(self) -> None:
        ones = np.ones((1, 1, 1), F32)
        assert refusal(ones, ones, ones, bias=-1e300) == "bias is -1e+300, which is too large for float32"

    def test_of_float32_is_not_that_of_float64(self) -> None:
        big = np.full((1, 1, 1), 1e20)
        assert attend(big, big, big).weights.tolist() == [[[1.0]]]
        assert refusal(*(big.astype(F32),) * 3).startswith("scores[0, 0, 0] would overflow float32")

    def test_of_the_output(self) -> None:
        largest = np.finfo(np.float64).max
        with np.errstate(all="raise"):
            trace = attend(np.zeros((1, 3, 1)), np.zeros((1, 3, 1)), np.full((1, 3, 1), largest / 2))
        assert np.allclose(trace.output, largest / 2)

    def test_a_softcap_too_small_for_its_dtype(self) -> None:
        ones = np.ones((1, 1, 1), F32)
        assert refusal(ones, ones, ones, softcap=1e-60) == "softcap is 1e-60; it must be greater than 0 and fit float32"


@given(
    st.lists(st.sampled_from([0.0, 1.0, -1.0, 1e-320, 1e154, -1e154, 1e200, 1.7e308, -1.7e308]), min_size=8, max_size=8)
)
def test_extreme_finite_numbers_are_computed_or_refused_but_never_nan(numbers: list[float]) -> None:
    q, k, v = np.array(numbers[:4]).reshape(1, 2, 2), np.array(numbers[2:6]).reshape(1, 2, 2), np.array(numbers[4:])
    refused = ""
    try:
        trace = attend(q, k, v.reshape(1, 2, 2), causal=True)
    except InputError as error:
        refused = str(error)
    if refused:
        assert "would overflow" in refused
        return
    for table in (trace.scores, trace.scaled, trace.weights, trace.output):
        assert np.isfinite(table).all()
    assert np.allclose(trace.weights.sum(axis=-1), 1)
