"""Projections, heads side by side, and what each of them adds to the output."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from explorer.core.attention import attend
from explorer.core.checks import InputError, kv_head_choices
from explorer.core.heads import HeadsTrace, multi_head, parameter_count

GOLDENS = Path(__file__).parents[1] / "goldens"
DTYPES = [np.float32, np.float64]


@st.composite
def layers(draw, dtype=None) -> tuple[dict, dict]:
    """Draw the arrays and the head counts of one layer."""
    dtype = dtype or draw(st.sampled_from(DTYPES))
    n_head_kv, shared = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    n_head = n_head_kv * shared
    n, d_model, d_k, d_v, d_out = (draw(st.integers(low, 5)) for low in (0, 1, 1, 1, 1))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    shapes = {
        "x": (n, d_model),
        "wq": (d_model, n_head * d_k),
        "wk": (d_model, n_head_kv * d_k),
        "wv": (d_model, n_head_kv * d_v),
        "wo": (n_head * d_v, d_out),
    }
    arrays = {name: rng.standard_normal(shape).astype(dtype) for name, shape in shapes.items()}
    if draw(st.booleans()):
        del arrays["wo"]
    return arrays, {"n_head": n_head, "n_head_kv": n_head_kv, "causal": draw(st.booleans())}


@given(layers())
def test_the_parts_are_cut_and_joined_as_stated(layer: tuple[dict, dict]) -> None:
    arrays, heads = layer
    trace = multi_head(**arrays, **heads)
    x, n_head, n_head_kv = arrays["x"], heads["n_head"], heads["n_head_kv"]
    n, d_k, d_v = len(x), trace.q.shape[2], trace.v.shape[2]
    limit = 1e-4 if x.dtype == np.float32 else 1e-12
    for h in range(n_head):
        assert_allclose(trace.q[h], x @ arrays["wq"][:, h * d_k : (h + 1) * d_k], rtol=limit, atol=limit)
        assert_array_equal(trace.concat[:, h * d_v : (h + 1) * d_v], trace.attention.output[h])
    for g in range(n_head_kv):
        assert_allclose(trace.k[g], x @ arrays["wk"][:, g * d_k : (g + 1) * d_k], rtol=limit, atol=limit)
        assert_allclose(trace.v[g], x @ arrays["wv"][:, g * d_v : (g + 1) * d_v], rtol=limit, atol=limit)
    assert trace.concat.shape == (n, n_head * d_v)
    again = attend(trace.q, trace.k, trace.v, causal=heads["causal"])
    assert_array_equal(trace.attention.output, again.output)
    expected = trace.concat @ arrays["wo"] if "wo" in arrays else trace.concat
    assert_array_equal(trace.output, expected)
    assert trace.output.dtype == x.dtype


@given(layers())
def test_contributions_of_the_heads_add_up_to_the_output(layer: tuple[dict, dict]) -> None:
    trace = multi_head(**layer[0], **layer[1])
    assert trace.contributions.shape == (layer[1]["n_head"], *trace.output.shape)
    limit = 1e-4 if trace.output.dtype == np.float32 else 1e-12
    assert_allclose(trace.contributions.sum(axis=0), trace.output, rtol=limit, atol=limit)
    if "wo" in layer[0]:
        d_v = trace.v.shape[2]
        for h, part in enumerate(trace.contributions):
            wo_h = layer[0]["wo"][h * d_v : (h + 1) * d_v]
            assert_allclose(part, trace.attention.output[h] @ wo_h, rtol=limit, atol=limit)


@given(layers())
def test_as_many_kv_heads_as_query_heads_is_plain_multi_head_bit_for_bit(layer: tuple[dict, dict]) -> None:
    arrays, heads = layer
    shared = heads["n_head"] // heads["n_head_kv"]
    wide = dict(arrays)
    for name in ("wk", "wv"):
        d_model, columns = arrays[name].shape
        blocks = arrays[name].reshape(d_model, heads["n_head_kv"], columns // heads["n_head_kv"])
        wide[name] = np.repeat(blocks, shared, axis=1).reshape(d_model, -1)
    named = multi_head(**wide, **{**heads, "n_head_kv": heads["n_head"]})
    unnamed = multi_head(**wide, n_head=heads["n_head"], causal=heads["causal"])
    assert named.output.tobytes() == unnamed.output.tobytes()
    assert named.attention.weights.tobytes() == unnamed.attention.weights.tobytes()
    limit = 2e-5 if arrays["x"].dtype == np.float32 else 1e-13
    grouped = multi_head(**arrays, **heads)
    assert_allclose(grouped.attention.weights, named.attention.weights, rtol=0, atol=limit)


@given(layers(), st.data())
def test_a_later_token_changes_no_bit_of_an_earlier_row(layer: tuple[dict, dict], data: st.DataObject) -> None:
    arrays, heads = layer
    position = data.draw(st.integers(0, len(arrays["x"])))
    other = arrays["x"].copy()
    other[position:] = other[position:] * -3 + 1
    heads = {**heads, "causal": True}
    before, after = multi_head(**arrays, **heads), multi_head(**{**arrays, "x": other}, **heads)
    assert_array_equal(before.output[:position], after.output[:position])
    assert before.attention.weights[:, :position].tobytes() == after.attention.weights[:, :position].tobytes()


@pytest.mark.parametrize("n", [0, 1])
def test_no_token_and_one_token(n: int) -> None:
    trace = multi_head(np.ones((n, 4)), np.eye(4), np.eye(4), np.eye(4), np.eye(4), n_head=2)
    assert trace.output.tolist() == [[1.0] * 4] * n
    assert trace.contributions.shape == (2, n, 4)


def test_attention_is_causal_unless_told_otherwise() -> None:
    args = (np.ones((2, 2)), np.eye(2), np.eye(2), np.eye(2))
    assert multi_head(*args, n_head=1).attention.weights.tolist() == [[[1.0, 0.0], [0.5, 0.5]]]
    assert multi_head(*args, n_head=1, causal=False).attention.weights.tolist() == [[[0.5, 0.5], [0.5, 0.5]]]


def test_mask_window_scale_and_cap_reach_attention() -> None:
    mask = np.array([[True, True], [True, False]])
    trace = multi_head(
        np.ones((2, 2)), np.eye(2), np.eye(2), np.eye(2), n_head=1, mask=mask, window=1, scale=2.0, softcap=3.0
    ).attention
    assert (trace.scale, trace.softcap, trace.window) == (2.0, 3.0, 1)
    assert trace.visible.tolist() == [[[True, False], [False, False]]]


def test_what_the_caller_writes_later_does_not_reach_it() -> None:
    arrays = {name: np.eye(2) for name in ("x", "wq", "wk", "wv", "wo")}
    trace = multi_head(**arrays, n_head=2)
    expected = trace.output.copy()
    for array in arrays.values():
        array[...] = 5
    assert_array_equal(trace.contributions.sum(axis=0), expected)
    for name in ("q", "k", "v", "concat", "output", "contributions", "wo"):
        assert not getattr(trace, name).flags.writeable


@pytest.mark.parametrize("dtype", DTYPES)
def test_two_heads_give_the_lesson_s_numbers(dtype: type) -> None:
    golden = json.loads((GOLDENS / "example09.json").read_text(encoding="utf-8"))
    drawn, expected = golden["intermediates"], golden["outputs"]
    arrays = [np.array(drawn[name], np.float32).astype(dtype) for name in ("x", "Wq", "Wk", "Wv", "Wo")]
    n_head = golden["inputs"]["n_head"]
    trace = multi_head(*arrays, n_head=n_head)
    limit = {"rtol": 0, "atol": 2e-6}
    for h in range(n_head):
        head = drawn[f"head{h}"]
        assert_allclose(trace.attention.scores[h], head["raw_scores"], **limit)
        assert_allclose(trace.attention.scaled[h], head["scaled_scores"], **limit)
        assert_allclose(trace.attention.masked[h], np.array(head["masked_scores"], dtype), **limit)
        assert_allclose(trace.attention.weights[h], head["weights"], **limit)
        assert_allclose(trace.attention.output[h], head["head_output"], **limit)
    assert_allclose(trace.concat, expected["concat"], **limit)
    assert_allclose(trace.output, expected["out"], **limit)
    assert parameter_count(arrays[0].shape[1], n_head) == expected["parameters"]


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        (
            {"n_head": 10, "n_head_kv": 4},
            "10 query heads cannot share 4 KV heads; n_head_kv may be 1, 2, 5 or 10",
        ),
        ({"n_head": 0}, "n_head is 0; it must be at least 1"),
        ({"n_head": 10**18 + 3, "n_head_kv": 7}, "n_head is 1000000000000000003; it may be at most 1099511627776"),
        pytest.param(
            {"n_head_kv": 10**5000}, "4 query heads cannot share a number too long to be written out", id="5001 digits"
        ),
        ({"n_head": 2.0}, "n_head must be an integer, not 2.0"),
        ({"n_head": 4, "n_head_kv": 8}, "4 query heads cannot share 8 KV heads; n_head_kv may be 1, 2 or 4"),
        (
            {"wq": np.ones((5, 8))},
            "x has shape (3, 6) and wq has shape (5, 8): wq must have 6 rows, one for each column of x",
        ),
        ({"wv": np.ones((7, 4))}, "x has shape (3, 6) and wv has shape (7, 4): wv must have 6 rows"),
        (
            {"wq": np.ones((6, 9))},
            "wq has shape (6, 9): its 9 columns cannot be cut into 4 heads of equal width",
        ),
        ({"wk": np.ones((6, 5))}, "wk has shape (6, 5): its 5 columns cannot be cut into 2 heads of equal width"),
        (
            {"wk": np.ones((6, 8))},
            (
                "wq has shape (6, 8) and wk has shape (6, 8): 4 query heads are 2 wide and 2 KV heads 4; "
                "q and k must be equally wide, so wk must have 4 columns"
            ),
        ),
        (
            {"wo": np.ones((9, 6))},
            "wv has shape (6, 6) and wo has shape (9, 6): wo must have 12 rows, 3 for each of the 4 query heads",
        ),
        ({"x": np.ones(6)}, "x has shape (6,); it must have 2 axes: (n, d_model)"),
        ({"wo": np.ones((12, 6, 1))}, "wo has shape (12, 6, 1); it must have 2 axes: (n_head * d_v, d_out)"),
        ({"wq": np.ones((6, 0))}, "wq has shape (6, 0); its axis n_head * d_k must hold at least 1"),
        ({"wk": np.full((6, 4), np.nan)}, "wk[0, 0] is nan; every number must be finite"),
        ({"wo": np.full((12, 6), -np.inf)}, "wo[0, 0] is -inf; every number must be finite"),
        ({"x": np.full((3, 6), 1e300), "wq": np.full((6, 8), 1e300)}, "q[0, 0] would overflow float64"),
        ({"wo": np.full((12, 6), 1.7e308)}, "output[0, 0] would overflow float64"),
        ({"x": "tokens"}, "x must be a rectangular array of real numbers, not 'tokens'"),
        ({"mask": np.ones((4, 2, 2), bool)}, "mask has shape (4, 2, 2), which does not broadcast to"),
    ],
)
def test_bad_input_is_refused_with_both_shapes_and_the_rule(changes: dict, sentence: str) -> None:
    layer = {
        "x": np.ones((3, 6)),
        "wq": np.ones((6, 8)),
        "wk": np.ones((6, 4)),
        "wv": np.ones((6, 6)),
        "wo": np.ones((12, 6)),
        "n_head": 4,
        "n_head_kv": 2,
    }
    with pytest.raises(InputError) as caught:
        multi_head(**{**layer, **changes})
    assert str(caught.value).startswith(sentence)
    assert str(caught.value) == caught.value.template.format(**caught.value.values)


class TestParameterCount:
    def test_equal_heads_cost_four_squares(self) -> None:
        assert parameter_count(8, 2) == 4 * 8 * 8

    def test_the_layer_of_an_8b_model(self) -> None:
        assert parameter_count(4096, 32, 8) == 2 * 4096 * 4096 + 2 * 4096 * 1024
        assert parameter_count(4096, 32, 8, d_k=128) == parameter_count(4096, 32, 8)

    @given(layers(np.float64))
    def test_it_counts_the_cells_of_the_matrices(self, layer: tuple[dict, dict]) -> None:
        trace: HeadsTrace = multi_head(**layer[0], **layer[1])
        d_model, n_head = layer[0]["x"].shape[1], layer[1]["n_head"]
        d_k, d_v = trace.q.shape[2], trace.v.shape[2]
        cells = sum(layer[0][name].size for name in ("wq", "wk", "wv")) + n_head * d_v * d_model
        assert parameter_count(d_model, n_head, layer[1]["n_head_kv"], d_k=d_k, d_v=d_v) == cells

    def test_what_does_not_divide_is_refused(self) -> None:
        with pytest.raises(InputError, match=r"d_model is 10; without d_k it must be a multiple of n_head = 4"):
            parameter_count(10, 4)
        with pytest.raises(InputError, match="10 query heads cannot share 4 KV heads"):
            parameter_count(10, 10, 4)


def test_kv_heads_may_be_the_divisors() -> None:
    assert list(kv_head_choices(10)) == [1, 2, 5, 10]
    assert str(kv_head_choices(10)) == "1, 2, 5 or 10"
