"""The cost arithmetic on bare sizes: cache types, pairs, bytes, FLOPs, crossings."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import cache_types, cost
from explorer.core.checks import InputError

EIGHT_B = {"n_layer": 32, "n_head": 32, "d_k": 128}


def test_the_lesson_s_tiny_model_keeps_four_mebibytes() -> None:
    assert cost.kv_bytes(4096, n_layer=4, n_head_kv=2, d_k=32) == 4 * cost.MIB


@pytest.mark.parametrize(("n_head_kv", "per_token"), [(32, 524_288), (8, 131_072), (1, 16_384)])
def test_bytes_per_token_of_the_three_variants(n_head_kv: int, per_token: int) -> None:
    assert cost.kv_bytes_per_token(n_layer=32, n_head_kv=n_head_kv, d_k=128) == per_token
    assert cost.kv_bytes(32_768, n_layer=32, n_head_kv=n_head_kv, d_k=128) == 32_768 * per_token


def test_parameters_of_the_four_matrices() -> None:
    matrices = cost.projection_parameters(d_model=4096, n_head=32, n_head_kv=8, d_k=128)
    assert (matrices.wq, matrices.wk, matrices.wv, matrices.wo) == (16_777_216, 4_194_304, 4_194_304, 16_777_216)
    assert matrices.total == 41_943_040


@pytest.mark.parametrize("n", [1024, 8192, 32_768, 131_072])
def test_attention_and_matrices_of_the_lesson_s_table(n: int) -> None:
    assert cost.prefill_attention_flops(n, **EIGHT_B) == 524_288 * n * (n + 1) // 2
    assert cost.decode_attention_flops(n, **EIGHT_B) == 524_288 * n
    assert cost.weight_flops(8_000_000_000, n) == 16_000_000_000 * n


def test_crossings_are_where_attention_and_matrices_are_equal() -> None:
    per_pair = cost.attention_flops_per_pair(**EIGHT_B)
    prefill = cost.prefill_crossing(8_000_000_000, flops_per_pair=per_pair)
    decode = cost.decode_crossing(8_000_000_000, flops_per_pair=per_pair)
    assert (prefill, decode) == (61_034.15625, 30_517.578125)
    for n, expected in ((61_034, False), (61_035, True)):
        assert (cost.prefill_attention_flops(n, **EIGHT_B) > cost.weight_flops(8_000_000_000, n)) is expected
    for n, expected in ((30_517, False), (30_518, True)):
        assert (cost.decode_attention_flops(n, **EIGHT_B) > cost.weight_flops(8_000_000_000)) is expected


@pytest.mark.parametrize(
    ("name", "bytes_of_32"),
    [
        ("f32", 128), ("f16", 64), ("bf16", 64), ("fp8", 32), ("q8_0", 34),
        ("q5_1", 24), ("q5_0", 22), ("q4_1", 20), ("q4_0", 18), ("iq4_nl", 18),
    ],
)  # fmt: skip
def test_a_quantised_block_counts_its_scale(name: str, bytes_of_32: int) -> None:
    assert cache_types.cache_type(name).row_bytes(32) == bytes_of_32
    assert cache_types.cache_type(name).bytes_per_element == Fraction(bytes_of_32, 32)


def test_a_row_that_ends_inside_a_block_pays_for_the_whole_block() -> None:
    assert cache_types.cache_type("q8_0").row_bytes(33) == 68
    assert not cache_types.cache_type("q8_0").fills_blocks(33)


def test_keys_and_values_may_differ_in_type_and_in_width() -> None:
    mixed = cost.kv_bytes_per_token(n_layer=2, n_head_kv=4, d_k=192, d_v=128, cache_type_k="q8_0", cache_type_v="q4_0")
    assert mixed == 2 * (4 * 192 * 34 // 32 + 4 * 128 * 18 // 32)


@pytest.mark.parametrize(("spelling", "name"), [("FP16", "f16"), (" bfloat16 ", "bf16"), ("float8_e4m3fn", "fp8")])
def test_other_spellings_of_a_cache_type_are_understood(spelling: str, name: str) -> None:
    assert cache_types.cache_type(spelling) is cache_types.CACHE_TYPES[name]


def test_an_unknown_cache_type_names_those_that_exist() -> None:
    with pytest.raises(InputError, match=r"'int3' is not known; it may be f32, f16"):
        cache_types.cache_type("int3")


@given(n=st.integers(0, 300), window=st.none() | st.integers(1, 320))
def test_pairs_are_what_counting_them_one_by_one_gives(n: int, window: int | None) -> None:
    counted = sum(1 for i in range(n) for j in range(i + 1) if window is None or i - j < window)
    assert cost.prefill_pairs(n, window=window) == counted
    assert cost.prefill_pairs(n, window=window, square=True) == n * n


@given(n=st.integers(1, 10**7), window=st.none() | st.integers(1, 10**7))
def test_a_decode_step_is_the_difference_of_two_prompts(n: int, window: int | None) -> None:
    step = cost.prefill_pairs(n, window=window) - cost.prefill_pairs(n - 1, window=window)
    assert step == cost.decode_pairs(n, window=window)


@pytest.mark.parametrize("n_head_kv", [1, 2, 4, 8, 16, 32])
def test_at_16_bits_decode_does_one_flop_a_byte_for_each_query_head_of_a_kv_head(n_head_kv: int) -> None:
    intensity = cost.decode_attention_intensity(n_head=32, n_head_kv=n_head_kv, d_k=128)
    assert intensity == 32 // n_head_kv


def test_query_heads_read_the_kv_heads_in_blocks() -> None:
    assert [cost.kv_head_of(h, 8, 2) for h in range(8)] == [0, 0, 0, 0, 1, 1, 1, 1]


def test_heads_that_cannot_be_shared_out_are_refused_with_the_choices() -> None:
    with pytest.raises(InputError, match="10 query heads cannot share 4 KV heads; n_head_kv may be 1, 2, 5 or 10"):
        cost.check_sharing(10, 4)


def test_the_variants_of_a_model_at_an_extreme_are_two() -> None:
    assert cost.variants(32, 8) == [("multi-head (MHA)", 32), ("grouped-query (GQA)", 8), ("multi-query (MQA)", 1)]
    assert cost.variants(32, 32) == [("multi-head (MHA)", 32), ("multi-query (MQA)", 1)]
    assert cost.variants(32, 1) == [("multi-head (MHA)", 32), ("multi-query (MQA)", 1)]
    assert cost.variants(1, 1) == [("multi-head (MHA)", 1)]


def test_a_decode_step_reads_the_matrices_once_and_the_cache_of_every_sequence() -> None:
    cache = cost.kv_bytes(4096, n_layer=32, n_head_kv=8, d_k=128, batch=4)
    assert cost.decode_bytes_read(weight_bytes=16_000_000_000, cache_bytes=cache) == 16_000_000_000 + 4 * 4096 * 131_072
