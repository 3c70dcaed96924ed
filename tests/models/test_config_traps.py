"""What published configs do to a reader: one small fixture for every trap that is known.

Each fixture states the least that shows its trap. Expected is what one token keeps at 16 bits, and the layers by kind.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from explorer.core import cost_figures
from explorer.core.checks import InputError
from explorer.core.cost_model import CacheOptions
from explorer.models.config import from_values
from explorer.models.jsonfile import parse

PLAIN = CacheOptions()
TRAPS_FILE = Path(__file__).resolve().parents[3] / "shared" / "cost" / "config_traps.json"


def llama(**more: Any) -> dict[str, Any]:
    """Return the fields of an ordinary decoder of 8 layers, width 512, 8 heads of 64 and 2 KV heads."""
    fields = {
        "model_type": "llama", "num_hidden_layers": 8, "hidden_size": 512, "num_attention_heads": 8,
        "num_key_value_heads": 2, "intermediate_size": 1024, "vocab_size": 1000,
    }  # fmt: skip
    return {key: value for key, value in {**fields, **more}.items() if value != "absent"}


@dataclass(frozen=True)
class Trap:
    """A trap, the fixture that shows it, and what is right."""

    name: str
    fields: dict[str, Any]
    per_token: int
    layers: dict[str, int]
    state: int | None = 0
    also: dict[str, Any] = field(default_factory=dict)


def kv(layers: int, heads: int = 2, d_k: int = 64, d_v: int | None = None) -> int:
    return layers * heads * (d_k + (d_k if d_v is None else d_v)) * 2


NO_KV = llama(num_key_value_heads="absent")
LINEAR = {
    "linear_num_key_heads": 4, "linear_key_head_dim": 16, "linear_num_value_heads": 8, "linear_value_head_dim": 16,
    "linear_conv_kernel_dim": 4,
}  # fmt: skip
LINEAR_STATE = (2 * 4 * 16 + 8 * 16) * 4 * 2 + 8 * 16 * 16 * 4
MAMBA = {
    "mamba_num_heads": 16, "mamba_head_dim": 64, "ssm_state_size": 32, "n_groups": 2, "conv_kernel": 4,
    "model_type": "nemotron_h", "head_dim": 64,
}  # fmt: skip
MAMBA_STATE = (16 * 64 + 2 * 2 * 32) * 4 * 2 + 16 * 64 * 32 * 4
MLA = {"kv_lora_rank": 96, "qk_rope_head_dim": 32, "qk_nope_head_dim": 64, "v_head_dim": 48}
WINDOW = {"sliding_window": 128, "max_position_embeddings": 4096}

TRAPS = [
    Trap("head_dim != hidden/heads", llama(head_dim=128), kv(8, d_k=128), {"full": 8}),
    Trap("no KV-head key at all", NO_KV, kv(8, 8), {"full": 8}),
    Trap("KV-head key null", llama(num_key_value_heads=None), kv(8, 8), {"full": 8}),
    Trap(
        "KV heads is a list",
        llama(num_key_value_heads=[1, 1, 2, 2, 4, 4, 8, 8], head_dim=64),
        2 * 30 * 128,
        {"full": 8},
        also={"heads": [1, 1, 2, 2, 4, 4, 8, 8]},
    ),
    Trap("KV heads under another name: n_head_kv", {**NO_KV, "n_head_kv": 4}, kv(8, 4), {"full": 8}),
    Trap("KV heads under another name: num_kv_heads", {**NO_KV, "num_kv_heads": 4}, kv(8, 4), {"full": 8}),
    Trap(
        "KV heads under another name: multi_query_group_num",
        {**NO_KV, "multi_query_attention": True, "multi_query_group_num": 4},
        kv(8, 4),
        {"full": 8},
    ),
    Trap("multi_query true", {**NO_KV, "multi_query": True}, kv(8, 1), {"full": 8}),
    Trap(
        "nested text_config",
        {"model_type": "a-vlm", "text_config": llama()},
        kv(8),
        {"full": 8},
    ),
    Trap(
        "has vision_config",
        {"vision_config": {"hidden_size": 64, "num_hidden_layers": 99, "num_attention_heads": 3}, **llama()},
        kv(8),
        {"full": 8},
    ),
    Trap(
        "has audio_config",
        {
            "audio_config": {"hidden_size": 64, "num_hidden_layers": 99, "num_attention_heads": 3},
            "text_config": llama(),
        },
        kv(8),
        {"full": 8},
    ),
    Trap(
        "sliding_window set, use_sliding_window false",
        llama(model_type="qwen2", use_sliding_window=False, max_window_layers=4, **WINDOW),
        kv(8),
        {"full": 8},
    ),
    Trap(
        "sliding_window >= max_position_embeddings",
        llama(model_type="mistral", sliding_window=4096, max_position_embeddings=4096),
        kv(8),
        {"full": 8},
    ),
    Trap(
        "sliding_window without layer_types (pattern or class default)",
        llama(model_type="gemma2", head_dim=64, **WINDOW),
        kv(8),
        {"full": 4, "window": 4},
    ),
    Trap(
        "sliding_window_pattern",
        llama(model_type="exaone4", sliding_window_pattern="LLLG", **WINDOW),
        kv(8),
        {"full": 2, "window": 6},
    ),
    Trap(
        "layer_types values: full_attention/sliding_attention",
        llama(layer_types=["sliding_attention"] * 5 + ["full_attention"] * 3, **WINDOW),
        kv(8),
        {"full": 3, "window": 5},
    ),
    Trap(
        "layer_types values: full_attention/linear_attention",
        llama(layer_types=["linear_attention"] * 6 + ["full_attention"] * 2, **LINEAR),
        kv(2),
        {"full": 2, "constant": 6},
        state=6 * LINEAR_STATE,
    ),
    Trap(
        "layer_types values: conv/full_attention",
        llama(layer_types=["conv"] * 6 + ["full_attention"] * 2, conv_L_cache=3),
        kv(2),
        {"full": 2, "constant": 6},
        state=6 * 512 * 3 * 2,
    ),
    Trap(
        "layer_types values: attention/mamba",
        llama(
            model_type="granitemoehybrid",
            layer_types=["mamba"] * 7 + ["attention"],
            mamba_n_heads=16,
            mamba_d_head=64,
            mamba_d_state=32,
            mamba_n_groups=2,
            mamba_d_conv=4,
        ),
        kv(1),
        {"full": 1, "constant": 7},
        state=7 * MAMBA_STATE,
    ),
    Trap(
        "has full_attention_interval",
        llama(model_type="qwen3_next", full_attention_interval=4, head_dim=64, **LINEAR),
        kv(2),
        {"full": 2, "constant": 6},
        state=6 * LINEAR_STATE,
    ),
    Trap(
        "has hybrid_override_pattern",
        {**llama(hybrid_override_pattern="M-M*M-ME"), **MAMBA},
        kv(1),
        {"full": 1, "constant": 7},
        state=4 * MAMBA_STATE,
    ),
    Trap(
        "has layers_block_type",
        {**llama(layers_block_type=["mamba", "moe", "attention", "mlp"] * 2), **MAMBA},
        kv(2),
        {"full": 2, "constant": 6},
        state=2 * MAMBA_STATE,
    ),
    Trap(
        "has attn_layer_period",
        llama(model_type="jamba", attn_layer_period=4, attn_layer_offset=1, mamba_d_state=16, mamba_d_conv=4),
        kv(2),
        {"full": 2, "constant": 6},
        state=6 * (1024 * 4 * 2 + 1024 * 16 * 4),
    ),
    Trap(
        "has attn_type_list",
        llama(model_type="minimax_m1", attn_type_list=[0, 0, 0, 1] * 2, head_dim=64),
        kv(2),
        {"full": 2, "constant": 6},
        state=6 * 8 * 64 * 64 * 2,
    ),
    Trap(
        "has hybrid_layer_pattern",
        llama(model_type="mimo_v2_flash", hybrid_layer_pattern=[0, 1, 1, 1] * 2, head_dim=64, v_head_dim=64, **WINDOW),
        kv(8),
        {"full": 2, "window": 6},
    ),
    Trap(
        "has swa_num_key_value_heads",
        llama(
            hybrid_layer_pattern=[0, 1, 1, 1] * 2,
            head_dim=96,
            v_head_dim=64,
            swa_head_dim=96,
            swa_v_head_dim=64,
            swa_num_key_value_heads=4,
            **WINDOW,
        ),
        kv(2, 2, 96, 64) + kv(6, 4, 96, 64),
        {"full": 2, "window": 6},
        also={"heads": [2, 4, 4, 4] * 2},
    ),
    Trap(
        "has cross_attention_layers",
        {"text_config": llama(cross_attention_layers=[2, 5])},
        kv(6),
        {"full": 6, "constant": 2},
    ),
    Trap("has num_kv_shared_layers", llama(num_kv_shared_layers=3), kv(5), {"full": 5, "shared": 3}),
    Trap("has cla_share_factor", llama(cla_share_factor=2), kv(4), {"full": 4, "shared": 4}),
    Trap(
        "has block_configs",
        llama(
            num_key_value_heads=None,
            block_configs=[{"attention": {"n_heads_in_group": 4, "no_op": False}, "ffn": {"ffn_mult": 1.0}}] * 3
            + [{"attention": {"n_heads_in_group": None, "no_op": True}, "ffn": {"ffn_mult": 2.625}}] * 5,
        ),
        kv(3),
        {"full": 3, "constant": 5},
    ),
    Trap("has kv_lora_rank", llama(num_key_value_heads=8, **MLA), 8 * 128 * 2, {"latent": 8}),
    Trap(
        "has index_head_dim",
        llama(num_key_value_heads=8, index_head_dim=16, index_n_heads=4, index_topk=64, **MLA),
        8 * 128 * 2,
        {"latent": 8},
        state=8 * 16 * 2 * 1000,
    ),
    Trap(
        "has compress_ratios",
        llama(
            model_type="deepseek_v4",
            num_key_value_heads=1,
            head_dim=128,
            index_head_dim=32,
            index_n_heads=4,
            index_topk=64,
            sliding_window=64,
            max_position_embeddings=65536,
            num_nextn_predict_layers=1,
            compress_ratios=[0, 0, 4, 128, 4, 128, 4, 128, 0],
        ),
        kv(8, 1, 128),
        {"window": 8},
        state=3 * ((128 + 32) * 2 * (1000 // 4) + 4 * (128 + 32) * (2 + 4)) + 3 * 128 * 2 * (1000 // 128),
    ),
    Trap(
        "has linear_attn_config",
        llama(
            model_type="kimi_linear",
            num_key_value_heads=8,
            linear_attn_config={
                "full_attn_layers": [4, 8],
                "kda_layers": [1, 2, 3, 5, 6, 7],
                "num_heads": 4,
                "head_dim": 16,
                "short_conv_kernel_size": 4,
            },
            **MLA,
        ),
        2 * 128 * 2,
        {"latent": 2, "constant": 6},
        state=6 * (3 * 4 * 16 * 4 * 2 + 4 * 16 * 16 * 4),
    ),
    Trap(
        "has global_head_dim",
        llama(
            layer_types=["sliding_attention"] * 6 + ["full_attention"] * 2,
            head_dim=64,
            global_head_dim=128,
            num_global_key_value_heads=1,
            **WINDOW,
        ),
        kv(6) + kv(2, 1, 128),
        {"full": 2, "window": 6},
        also={"heads": [2] * 6 + [1] * 2},
    ),
    Trap("has attention_k_eq_v", llama(attention_k_eq_v=True), kv(8), {"full": 8}),
    Trap(
        "has attention_chunk_size",
        llama(model_type="llama4", attention_chunk_size=128, head_dim=64),
        kv(8),
        {"full": 2, "window": 6},
    ),
    Trap("has num_nextn_predict_layers", llama(num_nextn_predict_layers=1), kv(8), {"full": 8}),
    Trap("has mtp_num_hidden_layers", llama(mtp_num_hidden_layers=1), kv(8), {"full": 8}),
    Trap(
        "has is_encoder_decoder",
        {
            "model_type": "bart",
            "is_encoder_decoder": True,
            "d_model": 512,
            "encoder_layers": 6,
            "decoder_layers": 4,
            "encoder_attention_heads": 4,
            "decoder_attention_heads": 8,
            "num_hidden_layers": 6,
            "vocab_size": 1000,
        },
        kv(4, 8),
        {"full": 4},
    ),
    Trap("layers under: n_layer", llama(num_hidden_layers="absent", n_layer=6), kv(6), {"full": 6}),
    Trap("layers under: n_layers", llama(num_hidden_layers="absent", n_layers=6), kv(6), {"full": 6}),
    Trap("layers under: num_layers", llama(num_hidden_layers="absent", num_layers=6), kv(6), {"full": 6}),
    Trap(
        "layers under: num_transformer_layers",
        llama(num_hidden_layers="absent", num_transformer_layers=6),
        kv(6),
        {"full": 6},
    ),
    *(
        Trap(f"width under: {key}", llama(hidden_size="absent", **{key: 512}), kv(8), {"full": 8})
        for key in ("n_embd", "n_embed", "d_model", "dim", "model_dim")
    ),
    Trap(
        "no layer count key",
        {**llama(num_hidden_layers="absent", layers_block_type=["mamba", "attention"] * 3), **MAMBA},
        kv(3),
        {"full": 3, "constant": 3},
        state=3 * MAMBA_STATE,
    ),
    Trap("hidden not divisible by heads", llama(num_attention_heads=6, head_dim=64), kv(8), {"full": 8}),
    Trap("quantization_config", llama(quantization_config={"quant_method": "fp8"}), kv(8), {"full": 8}),
    Trap("has rope_scaling", llama(rope_scaling={"rope_type": "yarn", "factor": 40}), kv(8), {"full": 8}),
    Trap(
        "tie_word_embeddings absent (class default decides)", llama(model_type="gemma", head_dim=64), kv(8), {"full": 8}
    ),
    Trap("Infinity literal", llama(time_step_limit=[0.0, float("inf")]), kv(8), {"full": 8}),
]


@pytest.mark.parametrize("trap", TRAPS, ids=lambda trap: trap.name)
def test_a_trap_is_survived(trap: Trap) -> None:
    architecture = from_values(parse(json.dumps(trap.fields).encode(), "config.json"), "config.json")
    counts = {kind: count for kind, count in cost_figures.layer_counts(architecture).items() if count}
    assert counts == trap.layers
    assert cost_figures.kv_bytes_per_token(architecture, PLAIN) == trap.per_token
    assert cost_figures.state_bytes(architecture, 1000, PLAIN) == trap.state
    if "heads" in trap.also:
        assert [layer.n_head_kv for layer in architecture.layers] == trap.also["heads"]


@pytest.mark.skipif(not TRAPS_FILE.is_file(), reason=f"the list of known traps is not here: {TRAPS_FILE}")
def test_every_known_trap_has_a_fixture() -> None:
    known = set(json.loads(TRAPS_FILE.read_text(encoding="utf-8")))
    assert known <= {trap.name for trap in TRAPS}


def notes_of(**fields: Any) -> str:
    return " ".join(from_values(llama(**fields), "config.json").notes)


def test_what_a_reader_should_know_is_said() -> None:
    assert "no KV heads" in notes_of(num_key_value_heads="absent")
    assert "says nothing about the cache" in notes_of(quantization_config={"quant_method": "fp8"})
    assert "cache of 8 bits" in notes_of(quantization_config={"kv_cache_scheme": {"num_bits": 8}})
    assert "predict more tokens" in notes_of(num_nextn_predict_layers=2)
    assert "not width / heads (512 / 8)" in notes_of(head_dim=128)
    assert "one latent of 96 and one rotated key of 32" in notes_of(num_key_value_heads=8, **MLA)


def test_defaults_are_taken_only_where_published_configs_rely_on_them() -> None:
    nested = from_values({"model_type": "llava", "text_config": {"model_type": "llama", "vocab_size": 32064}}, "c")
    assert cost_figures.kv_bytes_per_token(nested, PLAIN) == 32 * 32 * 128 * 4
    assert any("num_attention_heads" in note for note in nested.notes)
    gemma = {"model_type": "gemma3_text", "num_hidden_layers": 34, "hidden_size": 2560, "sliding_window": 1024}
    nested = from_values({"model_type": "gemma3", "text_config": gemma}, "c")
    assert cost_figures.kv_bytes_per_token(nested, PLAIN) == 34 * 4 * 256 * 4
    assert cost_figures.layer_counts(nested)["full"] == 5


@pytest.mark.parametrize(("model_type", "tied"), [("gemma", True), ("llama", False), ("starcoder2", True)])
def test_a_head_that_is_not_spoken_of_is_tied_as_the_family_ties_it(model_type: str, tied: bool) -> None:
    for said in (None, True, False):
        read = from_values(llama(model_type=model_type, head_dim=64, tie_word_embeddings=said), "c")
        assert read.parameters is not None
        assert read.parameters.tied is (tied if said is None else said)


def test_a_falcon_of_seven_billion_has_one_kv_head_whatever_else_it_says() -> None:
    falcon = {
        "model_type": "falcon", "hidden_size": 4544, "num_attention_heads": 71, "num_hidden_layers": 32,
        "num_kv_heads": 71, "multi_query": True, "new_decoder_architecture": False,
    }  # fmt: skip
    assert cost_figures.kv_bytes_per_token(from_values(falcon, "c"), PLAIN) == 32 * 1 * 64 * 4
    larger = {
        **falcon,
        "hidden_size": 8192,
        "num_attention_heads": 128,
        "num_kv_heads": 8,
        "new_decoder_architecture": True,
    }
    assert cost_figures.kv_bytes_per_token(from_values(larger, "c"), PLAIN) == 32 * 8 * 64 * 4


def test_a_window_shared_by_all_layers_is_a_window() -> None:
    mistral = from_values(llama(model_type="mistral", **WINDOW), "c")
    assert cost_figures.layer_counts(mistral)["window"] == 8
    assert cost_figures.kv_bytes(mistral, 1000, PLAIN) == kv(8) * 128


def test_lists_that_go_on_to_further_layers_are_cut_where_the_model_ends() -> None:
    words = ["full_attention", "sliding_attention"] * 4 + ["full_attention"]
    step = from_values(llama(layer_types=words, num_nextn_predict_layers=1, **WINDOW), "c")
    assert cost_figures.layer_counts(step) == {"full": 4, "window": 4, "latent": 0, "constant": 0, "shared": 0}


def test_other_ways_of_saying_what_layers_do() -> None:
    bamba = from_values(
        llama(model_type="bamba", attn_layer_indices=[3, 7], mamba_n_heads=16, mamba_d_head=64, mamba_d_state=32), "c"
    )
    assert cost_figures.layer_counts(bamba)["full"] == 2
    neo = from_values(llama(model_type="gpt_neo", attention_types=[[["global", "local"], 4]], window_size=64), "c")
    assert cost_figures.layer_counts(neo)["window"] == 4
    griffin = from_values(
        llama(
            model_type="recurrent_gemma",
            block_types=["recurrent", "recurrent", "attention"],
            attention_window_size=64,
            lru_width=512,
            conv1d_width=4,
        ),
        "c",
    )
    assert cost_figures.layer_counts(griffin)["window"] == 2
    assert cost_figures.state_bytes(griffin, 1, PLAIN) == 6 * (512 * 3 * 2 + 512 * 4)
    laguna = from_values(llama(num_attention_heads_per_layer=[8, 16] * 4, head_dim=64), "c")
    assert [layer.n_head for layer in laguna.layers] == [8, 16] * 4
    step = from_values(
        llama(
            layer_types=["full_attention", "sliding_attention"] * 4, head_dim=64, **WINDOW,
            attention_other_setting={"attention_type": "sliding_attention", "num_attention_heads": 12,
                                     "num_attention_groups": 4, "head_dim": 32},
        ),
        "c",
    )  # fmt: skip
    assert [(layer.n_head, layer.n_head_kv, layer.d_k) for layer in step.layers[:2]] == [(8, 2, 64), (12, 4, 32)]


def test_full_layers_of_gemma_4_have_kv_heads_of_their_own_only_where_k_and_v_are_one() -> None:
    shape = llama(
        model_type="gemma4_text", head_dim=64, global_head_dim=128, num_global_key_value_heads=1,
        layer_types=["sliding_attention"] * 7 + ["full_attention"], **WINDOW,
    )  # fmt: skip
    for one, heads in ((True, 1), (False, 2)):
        full = from_values({**shape, "attention_k_eq_v": one}, "c").layers[-1]
        assert (full.n_head_kv, full.d_k, full.d_v) == (heads, 128, 128)


@pytest.mark.parametrize(
    "shape",
    [
        llama(model_type="gemma3", head_dim=64),
        llama(layer_types=["sliding_attention"] * 7 + ["full_attention"]),
    ],
)
def test_a_window_of_unknown_size_leaves_the_bytes_of_a_token_known(shape: dict[str, Any]) -> None:
    read = from_values(shape, "c")
    assert cost_figures.layer_counts(read)["window"] == 7
    assert cost_figures.kv_bytes_per_token(read, PLAIN) == kv(8)
    assert cost_figures.kv_bytes(read, 1000, PLAIN) is None
    assert cost_figures.prefill_attention_flops(read, 1000) is None
    assert read.why_unknown("kv_bytes")


@pytest.mark.parametrize(
    ("shape", "per_token", "layers"),
    [
        # Every layer of LongCat attends twice; a looped model keeps what each pass makes.
        ({**NO_KV, "model_type": "longcat_flash", "num_hidden_layers": None, "num_layers": 4, **MLA}, 8 * 128 * 2,
         {"latent": 8}),
        (llama(model_type="ouro", total_ut_steps=4), kv(32), {"full": 32}),
        (llama(num_key_value_heads="absent", num_key_value_heads_per_layer=[4, 4, 2, 2, 1, 1, 1, 1]), kv(1, 16),
         {"full": 8}),
        ({**NO_KV, "model_type": "plamo", "n_shared_head": 8}, kv(8, 1), {"full": 8}),
        ({**NO_KV, "model_type": "gpt2", "attention_head_type": "multiquery"}, kv(8, 1), {"full": 8}),
        ({**NO_KV, "model_type": "mpt", "attn_config": {"attn_type": "multiquery_attention"}}, kv(8, 1), {"full": 8}),
        ({**NO_KV, "attention_kv_lora_dim": 96, "attention_qk_rope_dim": 32, "attention_qk_dim": 64,
          "attention_v_dim": 48}, 8 * 128 * 2, {"latent": 8}),
        (llama(model_type="bailing_moe_linear", layer_group_size=3, head_dim=64), kv(4), {"full": 4, "constant": 4}),
        (llama(model_type="stripedhyena", attn_layer_idxs=[1, 4]), kv(2), {"full": 2, "constant": 6}),
        (llama(model_type="baichuan_m1", sliding_window_layers=[1, 3], num_swa_key_value_heads=4,
               num_swa_attention_heads=8, conv_window=2, **WINDOW), kv(6) + kv(2, 4), {"full": 6, "window": 2}),
        (llama(model_type="zamba", attn_layer_period=3, attn_layer_offset=1, attention_head_dim=64, mamba_d_state=16),
         kv(3), {"full": 3, "constant": 5}),
        (llama(model_type="bamba", attn_layer_indices=None, mamba_n_heads=16, mamba_d_head=64, mamba_d_state=32), 0,
         {"constant": 8}),
        (llama(model_type="recurrent_gemma", _block_types=["recurrent", "recurrent", "attention"],
               attention_window_size=128), kv(2), {"window": 2, "constant": 6}),
        (llama(layer_types=["indexed_attention"] * 8, index_head_dim=16, index_n_heads=4, index_topk=64, **MLA),
         8 * 128 * 2, {"latent": 8}),
        (llama(layer_types=["indexed_attention", "sliding_attention"] * 4, **MLA, **WINDOW), 8 * 128 * 2,
         {"latent": 8}),
        (llama(kv_source_layers=[0, 1, 1, 1, 4, 4, 6, 7]), kv(5), {"full": 5, "shared": 3}),
        (llama(block_configs=[{"attention": {"num_key_value_heads": 4, "window_length": 128}}] * 3
               + [{"attention": {"num_key_value_heads": 2}}] * 5), kv(3, 4) + kv(5), {"full": 5, "window": 3}),
        (llama(model_type="qwen3_moe", head_dim=64, use_sliding_window=True, max_window_layers=5, **WINDOW), kv(8),
         {"window": 8}),
        (llama(model_type="qwen2", use_sliding_window=True, max_window_layers=5, **WINDOW), kv(8),
         {"full": 5, "window": 3}),
        (llama(sparse_config={"topk": 64}, sparse_attention_freq=[1] * 8), kv(8), {"full": 8}),
        (llama(model_type="gemma4_text", head_dim=64, use_bidirectional_attention="vision", sliding_window=None,
               global_head_dim=None), kv(8), {"full": 8}),
    ],
)  # fmt: skip
def test_a_rarer_trap_is_survived(shape: dict[str, Any], per_token: int, layers: dict[str, int]) -> None:
    read = from_values(shape, "c")
    assert cost_figures.kv_bytes_per_token(read, PLAIN) == per_token
    assert {kind: n for kind, n in cost_figures.layer_counts(read).items() if n} == layers


def test_an_empty_nested_block_is_not_the_model() -> None:
    for block in ({}, {"model_type": "llama"}, {"vocab_size": 5}):
        assert from_values(llama(text_config=block), "c").layers == from_values(llama(), "c").layers


@pytest.mark.parametrize("sources", [[5] * 8, [0, 1, 2, 2, 3, 5, 6, 7]])
def test_a_layer_cannot_read_what_is_not_kept(sources: list[int]) -> None:
    with pytest.raises(InputError, match="keeps no keys and values by then"):
        from_values(llama(kv_source_layers=sources), "c")


def test_compressing_layers_named_by_word_take_their_rates_from_a_table() -> None:
    shape = llama(
        model_type="deepseek_v4", num_key_value_heads=1, head_dim=128, index_head_dim=32, sliding_window=64,
        layer_types=["heavily_compressed_attention", "compressed_sparse_attention"] * 4,
        compress_rates={"compressed_sparse_attention": 4, "heavily_compressed_attention": 128},
    )  # fmt: skip
    listed = {**shape, "layer_types": None, "compress_ratios": [128, 4] * 4}
    assert from_values(shape, "c").layers == from_values(listed, "c").layers
    assert cost_figures.state_bytes(from_values({**shape, "compress_rates": None}, "c"), 1000, PLAIN) is None


def test_the_first_mamba_configs_are_read_under_their_own_names() -> None:
    plain = {"d_model": 2560, "n_layer": 64, "vocab_size": 50277, "ssm_cfg": {}, "pad_vocab_size_multiple": 8}
    read = from_values(plain, "c")
    assert read.parameters is not None
    assert read.parameters.total == 2_768_345_600
    assert cost_figures.kv_bytes(read, 1000, PLAIN) == 0
    assert cost_figures.state_bytes(read, 1000, PLAIN) == 64 * 5120 * (4 * 2 + 16 * 4)
    attention = {"attn_layer_idx": [9, 18], "attn_cfg": {"num_heads": 30, "head_dim": 128, "d_conv": 4}}
    mixed = from_values({**plain, "ssm_cfg": {"layer": "Mamba2"}, **attention}, "c")
    assert cost_figures.kv_bytes_per_token(mixed, PLAIN) == kv(2, 30, 128)
    assert cost_figures.state_bytes(mixed, 1000, PLAIN) is None


@pytest.mark.parametrize("family", ["data2vec-text", "rembert", "bert-generation", "llada"])
def test_what_sees_the_whole_text_at_once_keeps_nothing(family: str) -> None:
    assert cost_figures.kv_bytes(from_values(llama(model_type=family), "c"), 1000, PLAIN) == 0


def test_a_layer_may_have_sizes_of_its_own_by_number() -> None:
    read = from_values(llama(per_layer_config={"3": {"head_dim": 128, "num_key_value_heads": 4}}), "c")
    assert [(layer.n_head_kv, layer.d_k) for layer in read.layers[2:5]] == [(2, 64), (4, 128), (2, 64)]
    padded = from_values(llama(**MLA, per_layer_config={"03": {"kv_lora_rank": 192}}), "c")
    assert [layer.latent for layer in padded.layers[2:5]] == [96, 192, 96]


def test_blocks_may_have_windows_of_their_own() -> None:
    blocks = [{"attention": {"n_heads_in_group": 4, "window_length": size}} for size in (16, 32)] * 4
    read = from_values(llama(block_configs=blocks), "c")
    assert [layer.window for layer in read.layers[:3]] == [16, 32, 16]
    assert cost_figures.kv_bytes(read, 1000, PLAIN) == kv(4) * 16 + kv(4) * 32


def test_sparse_layers_keep_all_keys_and_an_index_of_unknown_size() -> None:
    words = ["full_attention", "minimax_m3_sparse"] * 4
    sparse = from_values(llama(layer_types=words, sparse_attention_config={"sparse_index_dim": 8}), "c")
    assert cost_figures.kv_bytes(sparse, 10, PLAIN) == kv(8) * 10
    assert cost_figures.state_bytes(sparse, 10, PLAIN) is None
    assert cost_figures.prefill_attention_flops(sparse, 10) is None


@pytest.mark.parametrize(
    ("family", "odd"),
    [("stablelm", {"qk_layernorm": True}), ("gemma4", {"hidden_size_per_layer_input": 256}), ("mistral",
     {"attention_bias": True}), ("mamba2", {"use_bias": True}), ("mpt", {"no_bias": False})],
)  # fmt: skip
def test_matrices_that_a_family_usually_does_not_have_make_the_count_unknown(family: str, odd: dict[str, Any]) -> None:
    usual = llama(model_type=family, head_dim=64, num_heads=8, state_size=16)
    assert from_values(usual, "c").parameters is not None
    assert from_values({**usual, **odd}, "c").parameters is None


def test_a_pure_state_space_model_has_no_kv_cache_and_a_state() -> None:
    mamba = from_values(
        {"model_type": "falcon_mamba", "hidden_size": 64, "intermediate_size": 128, "num_hidden_layers": 3,
         "state_size": 16, "conv_kernel": 4, "expand": 16, "vocab_size": 100}, "c"
    )  # fmt: skip
    assert cost_figures.kv_bytes(mamba, 10_000, PLAIN) == 0
    assert cost_figures.state_bytes(mamba, 10_000, PLAIN) == 3 * (128 * 4 * 2 + 128 * 16 * 4)
    rwkv = from_values({"model_type": "rwkv5", "hidden_size": 64, "num_hidden_layers": 3, "head_size": 16}, "c")
    assert cost_figures.state_bytes(rwkv, 1, PLAIN) == 3 * (2 * 64 * 2 + 64 * 16 * 4)


def test_a_state_whose_sizes_are_missing_is_not_known() -> None:
    missing = from_values(llama(layer_types=["linear_attention", "full_attention"] * 4), "c")
    assert cost_figures.state_bytes(missing, 100, PLAIN) is None
    assert cost_figures.kv_bytes(missing, 100, PLAIN) == kv(4) * 100
    assert missing.why_unknown("state_bytes")
