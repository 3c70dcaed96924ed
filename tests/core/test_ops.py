"""Every op computes, explains and prints the same numbers."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import expression
from explorer.core.expression import Cell, Number, Operation, Result
from explorer.core.ops import attention

SIZES = st.integers(0, 4)


def arrays_of(rng, *shape, scale=1.0):
    return rng.standard_normal(shape) * scale


@st.composite
def calls(draw):
    """Return an op, fitting arrays and the names they go by: one head, many, shared KV heads; 0, 1 or more tokens."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_q, n_k, d = draw(SIZES), draw(SIZES), draw(st.integers(1, 3))
    shared = draw(st.sampled_from([None, (1, 1), (4, 4), (4, 2), (6, 1), (6, 3)]))
    query, key = ((), ()) if shared is None else ((shared[0],), (shared[1],))
    q, k, v = arrays_of(rng, *query, n_q, d), arrays_of(rng, *key, n_k, d), arrays_of(rng, *key, n_k, d)
    scores = arrays_of(rng, *query, n_q, n_k, scale=draw(st.sampled_from([1.0, 30.0, 1e-3])))
    visible = draw(st.sampled_from([0.0, 0.5, 1.0]))
    allowed = rng.random((*query, n_q, n_k) if draw(st.booleans()) else (n_q, n_k)) < visible
    masked = np.where(allowed, scores, -np.inf)
    divisor = draw(st.sampled_from(sorted(attention.DIVISORS)))
    cap = draw(st.sampled_from([0.3, 1.0, 50.0]))
    return draw(
        st.sampled_from(
            [
                (attention.project(), (arrays_of(rng, n_q, n_k), arrays_of(rng, n_k, d)), ("x", "Wq")),
                (attention.scores(), (q, k), ("q", "k")),
                (attention.scale(divisor), (scores, q), ("scores", "q")),
                (attention.softcap(cap), (scores,), ("scaled",)),
                (attention.mask(), (scores, allowed), ("scaled", "mask")),
                (attention.causal_mask(True), (scores,), ("scaled",)),
                (attention.causal_mask(False), (scores,), ("scaled",)),
                (attention.softmax(), (masked,), ("masked",)),
                (attention.mix(), (attention.softmax().apply(masked), v), ("weights", "v")),
            ]
        )
    )


def magnitude(terms):
    """Return the sum of the magnitudes of everything that is added, by which rounding is to be judged."""
    if isinstance(terms, Operation) and terms.kind in ("sum", "difference"):
        return sum(magnitude(one) for one in terms.operands)
    value = expression.evaluate(terms)
    return abs(value) if math.isfinite(value) else 0.0


@settings(max_examples=300)
@given(calls())
def test_the_terms_of_a_cell_give_the_cell(call):
    op, arrays, names = call
    result = op.apply(*arrays)
    for index in np.ndindex(result.shape):
        terms = op.terms(arrays, names, index)
        value, drawn = expression.evaluate(terms), float(result[index])
        assert value == drawn or abs(value - drawn) <= 1e-14 * (1 + magnitude(terms) + abs(drawn)), (op.name, index)


@settings(max_examples=300)
@given(calls())
def test_the_terms_read_cells_that_exist_and_say_what_they_hold(call):
    op, arrays, names = call
    by_name = dict(zip(names, arrays, strict=True))
    for index in np.ndindex(op.apply(*arrays).shape):
        for cell in expression.cells(op.terms(arrays, names, index)):
            assert all(isinstance(i, int) and i >= 0 for i in cell.index)
            assert by_name[cell.array][cell.index] == cell.value


@settings(max_examples=300)
@given(calls())
def test_the_source_gives_the_same_bits(call):
    op, arrays, names = call
    scope = {"np": np, **dict(zip(names, (array.copy() for array in arrays), strict=True))}
    with np.errstate(all="ignore"):
        exec("\n".join(op.helpers), scope)
        found = eval(op.source(names), scope)
        wanted = op.apply(*arrays)
    assert found.shape == wanted.shape
    assert found.dtype == wanted.dtype
    assert found.tobytes() == wanted.tobytes()


@settings(max_examples=100)
@given(calls())
def test_an_op_leaves_its_inputs_alone_and_does_not_hand_them_back(call):
    op, arrays, _ = call
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    result = op.apply(*arrays)
    assert not any(np.shares_memory(result, array) for array in arrays)
    for array, kept in zip(arrays, before, strict=True):
        assert array.tobytes() == kept.tobytes()


def test_query_heads_read_the_kv_head_of_their_share():
    q, k = np.ones((6, 2, 1)), np.arange(3.0).reshape(3, 1, 1) * np.ones((3, 2, 1))
    assert attention.scores().apply(q, k)[:, 0, 0].tolist() == [0, 0, 1, 1, 2, 2]


def test_the_divisor_is_the_root_of_the_head_size_however_many_heads_there_are():
    scores, q = np.full((3, 2, 2), 8.0), np.zeros((3, 2, 16))
    assert (attention.scale().apply(scores, q) == 2.0).all()
    assert attention.scale().terms((scores, q), ("scores", "q"), (0, 0, 0)) == Operation(
        "quotient", (Cell("scores", (0, 0, 0), 8.0), Number(4.0, "√16"))
    )


def test_a_decode_step_sees_every_key_that_is_kept():
    assert np.isfinite(attention.causal_mask().apply(np.zeros((1, 5)))).all()
    assert np.isfinite(attention.causal_mask().apply(np.zeros((2, 5)))).tolist() == [[True] * 4 + [False], [True] * 5]


def test_a_row_that_may_look_nowhere_gets_nothing():
    masked = np.array([[-np.inf, -np.inf], [0.0, -np.inf]])
    weights = attention.softmax().apply(masked)
    assert weights.tolist() == [[0, 0], [1, 0]]
    assert attention.mix().apply(weights, np.ones((2, 3))).tolist() == [[0, 0, 0], [1, 1, 1]]
    assert attention.softmax().terms((masked,), ("masked",), (0, 1)) == Number(0.0, "0")
    assert attention.mix().terms((weights, np.ones((2, 3))), ("weights", "v"), (0, 1)) == Number(0.0, "0")


def test_softmax_shows_the_power_before_the_quotient():
    terms = attention.softmax().terms((np.array([[0.0, 1.0]]),), ("masked",), (0, 0))
    assert isinstance(terms, Operation)
    power = terms.operands[0]
    assert isinstance(power, Result)
    assert power.shown
    assert expression.evaluate(power) == math.exp(-1)


@pytest.mark.parametrize("limit", [0.0, -1.0, math.nan])
def test_a_softcap_that_caps_nothing_is_refused(limit):
    with pytest.raises(ValueError, match="greater than 0"):
        attention.softcap(limit)
