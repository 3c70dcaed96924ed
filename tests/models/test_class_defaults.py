"""What a config leaves out is what its class takes for granted, and the notes say so."""

from __future__ import annotations

from typing import Any

import pytest

from explorer.core import cost_figures
from explorer.core.checks import InputError
from explorer.core.cost_model import CacheOptions
from explorer.models import class_defaults
from explorer.models.config import from_values

PLAIN = CacheOptions()
SIZES = {"num_hidden_layers": 8, "hidden_size": 512, "num_attention_heads": 8, "vocab_size": 1000}


@pytest.mark.parametrize(
    ("fields", "per_token", "layers"),
    [
        ({"model_type": "mixtral"}, 8 * 8 * 64 * 4, {"full": 8}),
        ({"model_type": "mistral"}, 8 * 8 * 64 * 4, {"window": 8}),
        ({"model_type": "mistral", "num_key_value_heads": 2, "sliding_window": None}, 8 * 2 * 64 * 4, {"full": 8}),
        ({"model_type": "starcoder2"}, 8 * 2 * 64 * 4, {"full": 8}),
        ({"model_type": "qwen3", "num_key_value_heads": 2}, 8 * 2 * 128 * 4, {"full": 8}),
        ({"model_type": "deepseek_v3"}, 8 * (512 + 64) * 2, {"latent": 8}),
        ({"model_type": "falcon"}, 8 * 1 * 64 * 4, {"full": 8}),
        ({"model_type": "vaultgemma", "num_key_value_heads": 4, "head_dim": 64}, 8 * 4 * 64 * 4,
         {"window": 4, "full": 4}),
        ({"model_type": "cwm", "num_key_value_heads": 4, "head_dim": 64}, 8 * 4 * 64 * 4, {"window": 6, "full": 2}),
        ({"model_type": "qwen2_moe", "sliding_window": 0, "num_key_value_heads": 8}, 8 * 8 * 64 * 4, {"full": 8}),
        ({"model_type": "llama"}, 8 * 8 * 64 * 4, {"full": 8}),
    ],
)  # fmt: skip
def test_an_absent_key_has_its_class_value(fields: dict[str, Any], per_token: int, layers: dict[str, int]) -> None:
    read = from_values({**SIZES, **fields}, "c")
    assert cost_figures.kv_bytes_per_token(read, PLAIN) == per_token
    assert {kind: n for kind, n in cost_figures.layer_counts(read).items() if n} == layers


def test_a_null_is_no_absent_key() -> None:
    read = from_values({**SIZES, "model_type": "mistral", "num_key_value_heads": None, "sliding_window": None}, "c")
    assert cost_figures.kv_bytes_per_token(read, PLAIN) == 8 * 8 * 64 * 4
    assert read.layers[0].n_head_kv == 8


def test_the_notes_tell_what_was_taken_from_the_class() -> None:
    read = from_values({**SIZES, "model_type": "mixtral"}, "c")
    assert any("mixtral class does by default: num_key_value_heads" in note for note in read.notes)


def test_a_file_states_its_own_sizes_but_a_nested_block_may_leave_them_out() -> None:
    with pytest.raises(InputError, match="how many layers"):
        from_values({"model_type": "qwen2", "vocab_size": 1000}, "c")
    nested = from_values({"model_type": "a-vlm", "text_config": {"model_type": "qwen2", "vocab_size": 1000}}, "c")
    assert cost_figures.kv_bytes_per_token(nested, PLAIN) == 32 * 32 * 128 * 4


@pytest.mark.parametrize("family", sorted(class_defaults._classes()))
def test_every_class_by_itself_is_a_model_or_is_refused_in_a_sentence(family: str) -> None:
    refused, notes = "", ()
    try:
        notes = from_values({"model_type": "a-vlm", "text_config": {"model_type": family}}, "c").notes
    except InputError as refusal:
        refused = str(refusal)
    assert "\n" not in refused
    assert refused or any("Not in the file" in note for note in notes)


def test_a_class_whose_rule_is_irregular_must_be_told_its_layers() -> None:
    shape = {**SIZES, "model_type": "flint", "num_key_value_heads": 2, "head_dim": 64, "sliding_window": 128}
    with pytest.raises(InputError, match="which layer does what"):
        from_values(shape, "c")
    told = from_values({**shape, "layer_types": ["sliding_attention", "full_attention"] * 4}, "c")
    assert cost_figures.layer_counts(told)["window"] == 4


def test_a_tie_stated_twice_and_differently_leaves_the_total_unknown_and_the_flops_known() -> None:
    text = {**SIZES, "model_type": "llama", "intermediate_size": 1024, "tie_word_embeddings": False}
    read = from_values({"text_config": text, "tie_word_embeddings": True}, "c")
    assert "both" in (read.why_unknown("params") or "")
    assert cost_figures.decode_weight_flops(read) is not None
    assert cost_figures.weight_bytes(read, PLAIN.type_k) is None
