"""Parameters counted from a config are those that the published models have, to the last one."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.models import catalogue
from explorer.models.config import from_values

# Totals as counted on the built models or stated with the published weights.
PUBLISHED = {
    "LFM2 1.2B": 1_170_340_608,
    "Llama 7B": 6_738_415_616,
    "Llama 65B": 65_285_660_672,
    "Llama 3 8B": 8_030_261_248,
    "Llama 3 70B": 70_553_706_496,
    "Llama 3.1 405B": 405_853_388_800,
    "Llama 3.2 1B": 1_235_814_400,
    "Llama 4 Scout": 107_769_861_120,
    "TinyLlama 1.1B": 1_100_048_384,
    "SmolLM3 3B": 3_075_098_624,
    "Mistral 7B v0.1": 7_241_732_096,
    "Mistral Nemo 12B": 12_247_782_400,
    "Mixtral 8x7B": 46_702_792_704,
    "Mixtral 8x22B": 140_620_634_112,
    "Mamba Codestral 7B": 7_285_403_648,
    "Qwen1.5 MoE A2.7B": 14_315_784_192,
    "Qwen2.5 7B": 7_615_616_512,
    "Qwen2.5 72B": 72_706_203_648,
    "Qwen3 4B": 4_022_468_096,
    "Qwen3 30B A3B": 30_532_122_624,
    "Qwen3 235B A22B": 235_093_634_560,
    "Qwen3.5 27B": 26_895_998_464,
    "Qwen3.5 397B A17B": 396_346_350_336,
    "DeepSeek V2": 235_741_434_880,
    "DeepSeek V2 Lite": 15_706_484_224,
    "DeepSeek V3": 671_026_404_352,
    "Kimi K2": 1_026_408_209_408,
    "GLM 4 9B": 9_399_951_360,
    "GLM 5": 743_911_199_232,
    "MiniMax M2": 228_689_748_992,
    "Gemma 2B": 2_506_172_416,
    "Gemma 2 27B": 27_227_128_320,
    "Gemma 3 270M": 268_098_176,
    "Gemma 3 27B": 27_009_346_304,
    "Gemma 4 31B": 30_697_345_280,
    "T5 Base": 222_903_552,
    "Flan-T5 Base": 247_577_856,
    "BART base": 139_420_416,
    "Whisper tiny": 37_760_640,
    "Phi 2": 2_779_683_840,
    "Phi 3 mini 4k": 3_821_079_552,
    "Phi 4": 14_659_507_200,
    "GPT-2": 124_439_808,
    "GPT-2 XL": 1_557_611_200,
    "gpt-oss 20B": 20_914_757_184,
    "gpt-oss 120B": 116_829_156_672,
    "OPT 125M": 125_239_296,
    "GPT-J 6B": 6_050_882_784,
    "GPT-NeoX 20B": 20_554_567_680,
    "BLOOM 176B": 176_247_271_424,
    "StarCoder 15B": 15_517_456_384,
    "StarCoder2 3B": 3_030_371_328,
    "StarCoder2 15B": 15_957_889_024,
    "Falcon 7B": 6_921_720_704,
    "Falcon 40B": 41_303_293_952,
    "Falcon Mamba 7B": 7_272_665_088,
    "OLMo 2 32B": 32_234_279_936,
    "EXAONE 4.0 32B": 32_003_216_384,
    "Command R": 34_980_831_232,
    "Command R+": 103_810_674_688,
    "Granite 3.1 8B": 8_170_848_256,
    "Nemotron H 8B": 8_100_852_736,
    "Nemotron 3 Nano 30B A3B": 31_577_937_344,
    "Nemotron 3 Ultra 550B A55B": 549_308_968_960,
    "Llama 3.3 Nemotron Super 49B": 49_867_399_168,
    "Jamba 1.5 Mini": 51_570_323_328,
    "Mamba 2.8B": 2_768_345_600,
    "StableLM 2 1.6B": 1_644_515_328,
    "MPT 7B": 6_649_286_656,
}
# Billions that one token uses, as the makers state them.
ACTIVE = {
    "Mixtral 8x7B": 12.9, "Qwen3 30B A3B": 3.3, "Qwen3 235B A22B": 22, "DeepSeek V3": 37, "DeepSeek V2": 21,
    "Kimi K2": 32, "Llama 4 Scout": 17, "Llama 4 Maverick": 17, "gpt-oss 20B": 3.6, "gpt-oss 120B": 5.1,
    "MiniMax M2": 10, "Nemotron 3 Nano 30B A3B": 3.5, "Nemotron 3 Ultra 550B A55B": 55, "Qwen3.5 397B A17B": 17,
}  # fmt: skip


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_total(name: str) -> None:
    parameters = catalogue.architecture(catalogue.find(name)).parameters
    assert parameters is not None
    assert parameters.total == PUBLISHED[name]


@pytest.mark.parametrize("name", ACTIVE)
def test_parameters_that_a_token_uses_are_those_that_the_maker_states(name: str) -> None:
    parameters = catalogue.architecture(catalogue.find(name)).parameters
    assert parameters is not None
    # Makers round, and some leave the embedding out.
    without = (parameters.active - parameters.embedding) / 1e9
    assert min(abs(parameters.active / 1e9 - ACTIVE[name]), abs(without - ACTIVE[name])) <= 0.04 * ACTIVE[name] + 0.35


LLAMA = {
    "model_type": "llama", "num_hidden_layers": 3, "hidden_size": 64, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 96, "vocab_size": 50,
}  # fmt: skip


def test_a_small_llama_counted_by_hand() -> None:
    parameters = from_values(LLAMA, "c").parameters
    assert parameters is not None
    assert parameters.projections == 3 * (64 * 64 + 2 * 64 * 32 + 64 * 64)
    assert parameters.ffn == parameters.ffn_active == 3 * 3 * 64 * 96
    assert parameters.vectors == 3 * 2 * 64 + 64
    assert (parameters.embedding, parameters.head) == (50 * 64, 50 * 64)


def test_experts_count_all_and_those_that_are_used() -> None:
    fields = {
        **LLAMA, "model_type": "deepseek", "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1,
        "moe_intermediate_size": 16, "first_k_dense_replace": 1,
    }  # fmt: skip
    parameters = from_values(fields, "c").parameters
    assert parameters is not None
    one, router, dense = 3 * 64 * 16, 64 * 8, 3 * 64 * 96
    assert parameters.ffn == dense + 2 * (9 * one + router)
    assert parameters.ffn_active == dense + 2 * (3 * one + router)


@pytest.mark.parametrize("missing", ["vocab_size", "intermediate_size"])
def test_a_missing_size_makes_the_whole_count_unknown(missing: str) -> None:
    read = from_values({key: value for key, value in LLAMA.items() if key != missing}, "c")
    assert read.parameters is None
    assert "not known" in (read.why_unknown("params") or "")


SMALL = {
    "hidden_size": 64, "num_hidden_layers": 3, "num_attention_heads": 4, "num_key_value_heads": 2,
    "intermediate_size": 96, "vocab_size": 160, "max_position_embeddings": 128, "head_dim": 16, "sliding_window": 32,
}  # fmt: skip
FOUR = {"num_experts": 4, "num_experts_per_tok": 2}
LOCAL_FOUR = {"num_local_experts": 4, "num_experts_per_tok": 2}
MAMBA = {
    "mamba_n_heads": 4, "mamba_d_head": 32, "mamba_n_groups": 1, "mamba_d_state": 16, "mamba_d_conv": 4,
    "mamba_expand": 2, "head_dim": None, "sliding_window": None,
}  # fmt: skip
MIXED = {**MAMBA, "layer_types": ["mamba", "attention", "mamba"], "shared_intermediate_size": 48}


@pytest.mark.parametrize(
    ("family", "changes", "total"),
    [
        ("arcee", {}, 94_656),
        ("cwm", {}, 113_088),
        ("exaone", {}, 113_088),
        ("iquestcoder", {}, 113_088),
        ("granitemoe", LOCAL_FOUR, 279_744),
        ("helium", {"attention_bias": True}, 113_472),
        ("glm", {"attention_bias": True}, 113_472),
        ("solar_open", {"n_routed_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 32,
                        "n_shared_experts": 1}, 150_720),
        ("seed_oss", {}, 113_472),
        ("ernie4_5", {"use_bias": True}, 104_192),
        ("exaone_moe", {**FOUR, "moe_intermediate_size": 32}, 138_272),
        ("olmoe", FOUR, 280_032),
        ("flex_olmo", FOUR, 280_032),
        ("phimoe", {**LOCAL_FOUR, "lm_head_bias": True, "attention_bias": True}, 280_928),
        ("vaultgemma", {}, 102_848),
        ("jais2", {}, 96_160),
        ("minimax_m2", LOCAL_FOUR, 280_032),
        ("bamba", {**MAMBA, "attn_layer_indices": [1]}, 144_152),
        ("granitemoehybrid", {**MIXED, "num_local_experts": 0}, 116_504),
        ("granitemoehybrid", {**MIXED, **LOCAL_FOUR}, 338_456),
    ],
)  # fmt: skip
def test_a_small_model_of_each_family_has_what_its_class_builds(
    family: str, changes: dict[str, Any], total: int
) -> None:
    parameters = from_values({**SMALL, **changes, "model_type": family}, "c").parameters
    assert parameters is not None
    assert parameters.total == total
