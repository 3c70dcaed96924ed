"""A model described by its layers: what each kind keeps and counts, an engine's rounding, variants."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import cost, cost_figures
from explorer.core.checks import InputError
from explorer.core.cost_model import Architecture, CacheOptions, Indexer, Layer, Parameters, State
from explorer.core.cost_variants import variants, with_kv_heads

PLAIN = CacheOptions()
FULL = Layer("full", 32, 8, 128, 128)
WINDOW = Layer("window", 32, 8, 128, 128, window=1024)
LATENT = Layer("latent", 128, 128, 192, 128, latent=512, rope=64)


def model(*layers: Layer, **more) -> Architecture:
    return Architecture("a model", layers, **more)


# ------------------------------------------------------------------------------------------------------------ bytes


def test_a_window_layer_keeps_at_most_its_window():
    assert WINDOW.kv_bytes(500, PLAIN) == FULL.kv_bytes(500, PLAIN)
    assert WINDOW.kv_bytes(5000, PLAIN) == WINDOW.kv_bytes(1024, PLAIN) == 1024 * 8 * 256 * 2


def test_a_latent_layer_keeps_one_vector_and_no_values():
    assert LATENT.bytes_per_cell(PLAIN) == 576 * 2
    assert LATENT.bytes_per_cell(CacheOptions.choose("q8_0", "f32")) == 576 // 32 * 34
    expanded = CacheOptions(expand_latent=True)
    assert LATENT.bytes_per_cell(expanded) == 128 * (192 + 128) * 2


def test_a_layer_that_shares_or_only_mixes_keeps_no_keys():
    shared = Layer("shared", 8, 2, 256, 256, window=512)
    assert shared.kv_bytes(4096, PLAIN) == 0
    assert shared.prefill_flops(100) > 0
    assert Layer("constant").kv_bytes(4096, PLAIN) == 0


def test_an_encoder_keeps_nothing_and_sees_every_pair():
    encoder = model(*[FULL] * 4, generates=False)
    assert cost_figures.kv_bytes(encoder, 512, PLAIN) == 0
    assert cost_figures.prefill_attention_flops(encoder, 10) == 4 * FULL.flops_per_pair * 100
    assert cost_figures.decode_attention_flops(encoder, 10) is None


def test_states_are_constant_or_grow_as_they_say():
    constant = State("recurrent state", 1000)
    assert constant.n_bytes(1, PLAIN) == constant.n_bytes(10**6, PLAIN) == 4000
    index = State("index keys", 128, 1, 0, every=4)
    assert [index.n_bytes(n, PLAIN) for n in (3, 4, 8192)] == [0, 256, 2048 * 256]
    assert constant.n_bytes(1, CacheOptions(batch=3)) == 12_000


def test_llama_cpp_keeps_states_in_32_bits_and_one_convolution_column_less():
    convolution = State("convolution state", 10_240, 4, 2)
    assert convolution.n_bytes(1, PLAIN) == 10_240 * 4 * 2
    assert convolution.n_bytes(1, CacheOptions(rounding="llama.cpp")) == 10_240 * 3 * 4


@pytest.mark.parametrize(
    ("context", "window", "cells"),
    [(1, None, 256), (256, None, 256), (257, None, 512), (8192, 512, 1024), (300, 512, 512), (131_072, 128, 768)],
)
def test_llama_cpp_rounds_cells_up_to_256_and_leaves_room_for_a_micro_batch(context, window, cells):
    assert CacheOptions(rounding="llama.cpp").cells(context, window) == cells


def test_sequences_of_llama_cpp_have_caches_of_their_own_unless_unified():
    apart = CacheOptions(rounding="llama.cpp", batch=3)
    assert apart.cells(341, 512) == 3 * 512
    together = CacheOptions(rounding="llama.cpp", batch=2, unified=True)
    assert together.cells(8192, 512) == 2 * 512 + 512


@pytest.mark.parametrize(
    ("context", "window", "cells"), [(1, None, 16), (1000, None, 1008), (1000, 128, 144), (100, 128, 112)]
)
def test_vllm_rounds_up_to_blocks_of_16(context, window, cells):
    assert CacheOptions(rounding="vllm", batch=2).cells(context, window) == 2 * cells


@given(context=st.integers(1, 10**7), window=st.none() | st.integers(1, 10**6), batch=st.integers(1, 8))
def test_an_engine_never_allocates_less_than_is_needed(context, window, batch):
    needed = CacheOptions(batch=batch).cells(context, window)
    for rounding in ("llama.cpp", "vllm"):
        assert CacheOptions(rounding=rounding, batch=batch).cells(context, window) >= needed


def test_options_that_do_not_exist_are_refused():
    with pytest.raises(InputError, match=r"rounding 'triton' is not known; it may be none, llama\.cpp or vllm"):
        CacheOptions.choose(rounding="triton")
    with pytest.raises(InputError, match=r"only with rounding llama\.cpp"):
        CacheOptions.choose(unified=True)
    with pytest.raises(InputError, match="batch is 0"):
        CacheOptions.choose(batch=0)


# ------------------------------------------------------------------------------------------------------------ FLOPs


@given(n=st.integers(0, 200), window=st.integers(1, 60))
def test_a_chunked_layer_sees_its_own_chunk_alone(n, window):
    layer = Layer("window", 1, 1, 1, 1, window=window, chunked=True)
    counted = sum(1 for i in range(n) for j in range(i + 1) if i // window == j // window)
    assert layer.prefill_pairs(n) == counted
    assert layer.prefill_pairs(n, square=True) == n * n


def test_a_sparse_layer_looks_at_the_chosen_keys_but_scores_all():
    layer = Layer("latent", 2, 2, 3, 3, latent=4, rope=1, indexer=Indexer(n_head=5, d_head=7, top_k=10))
    assert layer.decode_flops(1000) == 2 * 6 * 2 * 10 + 2 * 5 * 8 * 1000
    assert layer.decode_flops(1000, square=True) == 2 * 6 * 2 * 1000 + 2 * 5 * 8 * 1000
    assert layer.prefill_flops(8) == (2 * 6 * 2 + 2 * 5 * 8) * 36


def test_square_counts_every_pair_of_a_window_layer():
    assert WINDOW.prefill_flops(4096, square=True) == WINDOW.flops_per_pair * 4096**2
    assert WINDOW.decode_flops(4096, square=True) == WINDOW.flops_per_pair * 1024


# ------------------------------------------------------------------------------------------------------- parameters


def test_a_tied_head_is_multiplied_but_stored_once():
    untied = Parameters(embedding=10, projections=4, ffn=60, ffn_active=6, head=10, vectors=1)
    assert (untied.total, untied.active, untied.multiplied) == (85, 31, 20)
    tied = Parameters(embedding=10, projections=4, ffn=60, ffn_active=6, head=10, vectors=1, tied=True)
    assert (tied.total, tied.active, tied.multiplied) == (75, 21, 20)


def test_groups_keep_one_of_each_kind_with_its_count():
    assert model(FULL, WINDOW, FULL, FULL).groups == ((FULL, 3), (WINDOW, 1))


# --------------------------------------------------------------------------------------------------------- variants


def test_the_three_variants_of_a_grouped_model_mark_its_own():
    three = variants(model(*[FULL] * 2))
    assert [(variant.n_head_kv, variant.own) for variant in three] == [(32, False), (8, True), (1, False)]
    bytes_each = [cost_figures.kv_bytes_per_token(variant.architecture, PLAIN) for variant in three]
    assert bytes_each == [4 * bytes_each[1], bytes_each[1], bytes_each[1] // 8]


@pytest.mark.parametrize(("n_head_kv", "own"), [(32, 0), (1, 2)])
def test_a_model_at_an_extreme_gets_a_group_in_between(n_head_kv, own):
    three = variants(model(Layer("full", 32, n_head_kv, 64, 64)))
    assert [variant.n_head_kv for variant in three] == [32, 8, 1]
    assert [variant.own for variant in three] == [i == own for i in range(3)]


def test_a_latent_model_stands_between_its_plain_relatives():
    three = variants(model(LATENT))
    assert [variant.name for variant in three] == ["multi-head (MHA)", "latent (MLA)", "multi-query (MQA)"]
    sizes = [cost_figures.kv_bytes_per_token(variant.architecture, PLAIN) for variant in three]
    assert sizes == [128 * 320 * 2, 576 * 2, 320 * 2]


def test_a_model_without_attention_has_no_variants():
    assert variants(model(Layer("constant", states=(State("recurrent state", 10),)))) == []
    assert [variant.name for variant in variants(model(Layer("full", 1, 1, 64, 64)))] == ["multi-query (MQA)"]


def test_fewer_kv_heads_mean_smaller_matrices():
    parameters = Parameters(projections=cost.projection_parameters(d_model=4096, n_head=32, n_head_kv=8, d_k=128).total)
    one = with_kv_heads(model(FULL, d_model=4096, parameters=parameters), "one")
    expected = cost.projection_parameters(d_model=4096, n_head=32, n_head_kv=1, d_k=128).total
    assert one.parameters is not None
    assert one.parameters.projections == expected
