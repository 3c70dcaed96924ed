"""The ops of several heads and of caches: they compute, explain and print the same numbers, and agree with the core."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import cache_types, expression
from explorer.core.heads import multi_head
from explorer.core.ops import attention, cache, heads

SHARED = st.sampled_from([(1, 1), (2, 1), (4, 2), (6, 3), (6, 1), (5, 5), (8, 4)])
SIZE = st.integers(1, 4)
HOW = ("fresh", "kept", "averaged")


@st.composite
def calls(draw):
    """Return an op, fitting arrays and the names they go by."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    (n_head, n_head_kv), n, d, d_model = draw(SHARED), draw(SIZE), draw(SIZE), draw(SIZE)
    of_heads, by_head = rng.standard_normal((n, n_head * d)), rng.standard_normal((n_head, n, d))
    counts, wo = rng.random(n_head) < 0.6, rng.standard_normal((n_head * d, d_model))
    w, fresh = rng.standard_normal((d_model, n_head * d)), rng.standard_normal((d_model, n_head_kv * d))
    parts = heads.contribute().apply(by_head, wo)
    how, heads_, shared = draw(st.sampled_from(HOW)), np.asarray(float(n_head)), np.asarray(float(n_head_kv))
    models = np.array([[draw(st.integers(1, 99)), n_head, n_head_kv, draw(st.integers(1, 300)), 7, 1000]] * 2, float)
    kind = draw(st.sampled_from(sorted(cache_types.CACHE_TYPES)))
    return draw(
        st.sampled_from(
            [
                (heads.split(), (of_heads, heads_), ("q", "n_head")),
                (heads.split(n_head), (of_heads,), ("q",)),
                (heads.concat(), (by_head, counts), ("heads", "heads_on")),
                (heads.side_by_side(), (by_head,), ("heads",)),
                (heads.contribute(), (by_head, wo), ("heads", "Wo")),
                (heads.lost(), (parts, counts), ("contributions", "heads_on")),
                (heads.share_kv(how), (w, fresh, heads_, shared), ("Wk", "Wk_fresh", "n_head", "n_head_kv")),
                (heads.share_kv(how, one=True), (w, fresh, heads_), ("Wk", "Wk_fresh", "n_head")),
                (heads.spread(), (by_head, of_heads), ("scores_mha", "scores_gqa")),
                (cache.model_costs(kind), (models,), ("models",)),
                (cache.variant_costs(kind), (models[0, [0, 1, 2, 3, 5]],), ("shape",)),
            ]
        )
    )


@settings(max_examples=300)
@given(calls())
def test_the_terms_of_a_cell_give_the_cell_and_read_cells_that_hold_what_they_say(call):
    op, arrays, names = call
    result, by_name = op.apply(*arrays), dict(zip(names, arrays, strict=True))
    for index in np.ndindex(result.shape):
        terms = op.terms(arrays, names, index)
        assert expression.evaluate(terms) == pytest.approx(float(result[index]), rel=1e-12, abs=1e-12), (op.name, index)
        for cell in expression.cells(terms):
            assert by_name[cell.array][cell.index] == cell.value


@settings(max_examples=300)
@given(calls())
def test_the_source_gives_the_same_bits(call):
    op, arrays, names = call
    scope = {"np": np, **dict(zip(names, (array.copy() for array in arrays), strict=True))}
    exec("\n".join(op.helpers), scope)
    found, wanted = np.asarray(eval(op.source(names), scope)), op.apply(*arrays)
    assert (found.shape, found.dtype, found.tobytes()) == (wanted.shape, wanted.dtype, wanted.tobytes()), op.name


@settings(max_examples=100)
@given(calls())
def test_an_op_leaves_its_inputs_alone_and_does_not_hand_them_back(call):
    op, arrays, _ = call
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    result = op.apply(*arrays)
    assert not any(np.shares_memory(result, array) for array in arrays)
    assert all(array.tobytes() == kept.tobytes() for array, kept in zip(arrays, before, strict=True))


@given(SHARED, SIZE, SIZE, SIZE, st.integers(0, 2**32 - 1))
def test_the_stages_one_by_one_are_the_whole_of_multi_head_attention(sharing, n, d, d_model, seed):
    (n_head, n_head_kv), rng = sharing, np.random.default_rng(seed)
    x, wq = rng.standard_normal((n, d_model)), rng.standard_normal((d_model, n_head * d))
    wk, wv = (rng.standard_normal((d_model, n_head_kv * d)) for _ in range(2))
    wo = rng.standard_normal((n_head * d, d_model))
    whole = multi_head(x, wq, wk, wv, wo, n_head=n_head, n_head_kv=n_head_kv)
    q, k, v = (heads.split(count).apply(x @ w) for w, count in ((wq, n_head), (wk, n_head_kv), (wv, n_head_kv)))
    scaled = attention.scale().apply(attention.scores().apply(q, k), q)
    weights = attention.softmax().apply(attention.causal_mask().apply(scaled))
    by_head = attention.mix().apply(weights, v)
    everything = np.ones(n_head, dtype=bool)
    assert np.allclose(weights, whole.attention.weights, atol=1e-12)
    assert np.allclose(heads.concat().apply(by_head, everything), whole.concat, atol=1e-12)
    assert np.allclose(heads.side_by_side().apply(by_head), whole.concat, atol=1e-12)
    parts = heads.contribute().apply(by_head, wo)
    assert np.allclose(parts, whole.contributions, atol=1e-12)
    assert np.allclose(parts.sum(axis=0), whole.output, atol=1e-10)


@given(st.integers(1, 5), SIZE, SIZE, SIZE, st.data())
def test_what_is_lost_is_what_the_output_had_more(n_head, n, d, d_model, data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32 - 1)))
    by_head, wo = rng.standard_normal((n_head, n, d)), rng.standard_normal((n_head * d, d_model))
    counts = np.array(data.draw(st.lists(st.booleans(), min_size=n_head, max_size=n_head)))
    whole, without = (heads.concat().apply(by_head, on) @ wo for on in (np.ones(n_head, dtype=bool), counts))
    lost = heads.lost().apply(heads.contribute().apply(by_head, wo), counts)
    assert np.allclose(whole - lost, without, atol=1e-10)
    if counts.all():
        assert not lost.any()


def test_the_reshape_that_hands_a_head_one_token_is_not_taken():
    projected = np.array([[0.0, 1, 2, 3], [10, 11, 12, 13]])
    assert heads.split(2).apply(projected)[0].tolist() == [[0, 1], [10, 11]]


def test_averaging_takes_the_mean_of_the_heads_that_will_share_and_keeping_takes_the_first():
    w = np.arange(16.0).reshape(2, 8)  # four heads of two columns
    counts = np.asarray(4.0), np.asarray(2.0)
    averaged = heads.share_kv("averaged").apply(w, w, *counts)
    assert averaged.tolist() == [[1, 2, 5, 6], [9, 10, 13, 14]]
    assert heads.share_kv("kept").apply(w, w, *counts).tolist() == [[0, 1, 4, 5], [8, 9, 12, 13]]
    assert heads.share_kv("averaged", one=True).apply(w, w, counts[0]).tolist() == [[3, 4], [11, 12]]
    assert heads.share_kv("fresh").apply(w, -w[:, :4], *counts).tolist() == (-w[:, :4]).tolist()


@pytest.mark.parametrize("averaged", [2, 4, 16])
def test_averaging_independent_random_heads_shrinks_their_scores_by_the_root_of_how_many(averaged):
    rng = np.random.default_rng(11)
    d_model, d, n, n_head = 64, 64, 32, 16
    x, wq = rng.standard_normal((n, d_model)), rng.standard_normal((d_model, n_head * d))
    wk = rng.standard_normal((d_model, n_head * d))
    few = np.asarray(float(n_head // averaged))
    fewer = heads.share_kv("averaged").apply(wk, wk, np.asarray(float(n_head)), few)
    q = heads.split(n_head).apply(x @ wq)
    wide, narrow = (attention.scores().apply(q, heads.split(w.shape[1] // d).apply(x @ w)) for w in (wk, fewer))
    before, after = heads.spread().apply(wide, narrow)
    assert before / after == pytest.approx(math.sqrt(averaged), rel=0.05)


def test_the_lessons_models_take_what_the_lesson_says():
    models = np.array([[4, 8, 2, 32, 256, 4096], [32, 32, 8, 128, 4096, 8192], [32, 32, 32, 128, 4096, 8192]], float)
    assert cache.model_costs().apply(models).tolist() == [
        [1024, 4_194_304, 65_536, 16_384],
        [131_072, 2**30, 16_777_216, 4_194_304],
        [524_288, 4 * 2**30, 16_777_216, 16_777_216],
    ]
    shape = np.array([32, 32, 8, 128, 32_768], float)
    assert cache.variant_costs().apply(shape).tolist() == [
        [32, 1, 512 * 1024, 16 * 2**30],
        [8, 4, 128 * 1024, 4 * 2**30],
        [1, 32, 16 * 1024, 2**29],
    ]


def test_a_quantised_cache_fills_up_its_last_block():
    odd = np.array([[1, 1, 1, 33, 1, 10]], float)
    terms = cache.model_costs("q8_0").terms((odd,), ("models",), (0, 0))
    assert cache.model_costs("q8_0").apply(odd)[0, 0] == expression.evaluate(terms) == 2 * 2 * 34
