"""A key that changes what is kept and that nothing here reads is an answer: not known."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.core import cost_figures
from explorer.core.checks import InputError
from explorer.core.cost_model import CacheOptions
from explorer.models.config import from_values

PLAIN = CacheOptions()
ORDINARY = {
    "model_type": "of-next-year", "num_hidden_layers": 8, "hidden_size": 512, "num_attention_heads": 8,
    "num_key_value_heads": 2, "intermediate_size": 1024, "vocab_size": 1000, "max_position_embeddings": 4096,
}  # fmt: skip
NO_KV = {key: value for key, value in ORDINARY.items() if key != "num_key_value_heads"}


@pytest.mark.parametrize(
    ("fields", "key"),
    [
        ({**ORDINARY, "num_loops": 2}, "num_loops"),
        ({**ORDINARY, "loop_num": 2}, "loop_num"),
        ({**ORDINARY, "n_recurrent_layers": 4}, "n_recurrent_layers"),
        ({**ORDINARY, "total_recurrences": 3}, "total_recurrences"),
        ({**ORDINARY, "loop_share_kv": True}, "loop_share_kv"),
        ({**ORDINARY, "num_kv_reuse_layers": 3}, "num_kv_reuse_layers"),
        ({**ORDINARY, "share_kv_every": 2}, "share_kv_every"),
        ({**ORDINARY, "global_attn_every_n_layers": 4}, "global_attn_every_n_layers"),
        ({**ORDINARY, "full_attention_idx": [3, 7]}, "full_attention_idx"),
        ({**ORDINARY, "local_attention": 128}, "local_attention"),
        ({**ORDINARY, "mamba_d_state": 64}, "mamba_d_state"),
        ({**ORDINARY, "ssm_state_size": 64}, "ssm_state_size"),
        ({**ORDINARY, "attn_kv_latent_dim": 64}, "attn_kv_latent_dim"),
        ({**NO_KV, "num_key_value_groups": 4}, "num_key_value_groups"),
        ({**NO_KV, "attention_kv_head_count": 4}, "attention_kv_head_count"),
        ({**ORDINARY, "head_size": 128}, "head_size"),
        ({**ORDINARY, "kv_lora_rank": 96, "qk_rope_head_dim": 32, "no_rope_layers": [1, 0] * 4}, "no_rope_layers"),
        ({**ORDINARY, "dim_per_head": 128}, "dim_per_head"),
    ],
)
def test_a_key_that_is_not_read_is_named(fields: dict[str, Any], key: str) -> None:
    with pytest.raises(InputError, match=rf"{key} is .* not known here") as refusal:
        from_values(fields, "config.json")
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "more",
    [
        {"num_loops": 1},
        {"num_loops": None},
        {"loop_share_kv": False},
        {"full_attention_idx": []},
        {"mamba_d_state": 0},
        {"head_dim": 64, "head_size": 128},
        {"num_key_value_groups": 4},
        {"max_window_layers": 8, "use_sliding_window": False},
        {"layer_types": ["full_attention"] * 8, "global_attn_every_n_layers": 1},
        {"rope_theta": 1e6, "hidden_act": "silu", "initializer_range": 0.02, "qk_norm": True},
    ],
)
def test_what_is_switched_off_or_stated_otherwise_changes_nothing(more: dict[str, Any]) -> None:
    assert cost_figures.kv_bytes_per_token(from_values({**ORDINARY, **more}, "c"), PLAIN) == 8 * 2 * 64 * 4


@pytest.mark.parametrize("family", ["reformer", "xlnet", "retnet", "gla", "hymba", "phi4flash"])
def test_a_family_that_keeps_something_else_is_refused(family: str) -> None:
    with pytest.raises(InputError, match=f"the type {family} keeps something else"):
        from_values({**ORDINARY, "model_type": family}, "c")


def test_a_window_that_no_rule_gives_to_a_layer_leaves_only_the_bytes_of_a_token() -> None:
    read = from_values({**ORDINARY, "sliding_window": 128}, "c")
    assert cost_figures.kv_bytes_per_token(read, PLAIN) == 8 * 2 * 64 * 4
    assert cost_figures.kv_bytes(read, 1000, PLAIN) is None
    assert cost_figures.decode_attention_flops(read, 1000) is None
    assert "not which layers" in (read.why_unknown("kv_bytes") or "")
    # One that never cuts anything needs no rule.
    never = from_values({**ORDINARY, "sliding_window": 4096}, "c")
    assert cost_figures.kv_bytes(never, 1000, PLAIN) == 1000 * 8 * 2 * 64 * 4


def test_a_window_that_the_family_does_not_have_is_told_and_left_aside() -> None:
    read = from_values({**ORDINARY, "model_type": "llama", "sliding_window": 128}, "c")
    assert cost_figures.kv_bytes(read, 1000, PLAIN) == 1000 * 8 * 2 * 64 * 4
    assert any("no layer of this family has" in note for note in read.notes)
    for more in ({"use_sliding_window": False}, {"sliding_window": 4096}, {"sliding_window": None}):
        said = from_values({**ORDINARY, "model_type": "llama", "sliding_window": 128, **more}, "c").notes
        assert not any("window" in note for note in said)
