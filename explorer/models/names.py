"""The names that the sizes of a model go by in published configs, the commonest first."""

from __future__ import annotations

from typing import Final

N_LAYER: Final = ("num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_transformer_layers")
N_LAYER_DECODER: Final = ("decoder_layers", "num_decoder_layers")
N_HEAD: Final = ("num_attention_heads", "n_head", "n_heads", "num_heads", "num_query_heads", "attention_heads")
N_HEAD_DECODER: Final = ("decoder_attention_heads", "num_decoder_attention_heads")
N_HEAD_KV: Final = (
    "num_key_value_heads", "n_head_kv", "num_kv_heads", "n_kv_heads", "kv_n_heads", "n_kv_head", "num_kv_head",
    "kv_heads", "num_query_groups", "num_attention_groups", "num_key_value_heads_per_layer",
)  # fmt: skip
HEAD_DIM: Final = (
    "head_dim", "attention_head_dim", "d_kv", "d_head", "kv_channels", "dim_head", "hidden_size_per_head",
    "attention_head_size",
)  # fmt: skip
D_MODEL: Final = ("hidden_size", "n_embd", "n_embed", "d_model", "model_dim", "dim")
LATENT: Final = ("kv_lora_rank", "attention_kv_lora_dim")
ROPE: Final = ("qk_rope_head_dim", "attention_qk_rope_dim")
NOPE: Final = ("qk_nope_head_dim", "attention_qk_dim")
V_HEAD_DIM: Final = ("v_head_dim", "attention_v_dim")
WINDOW: Final = ("sliding_window", "sliding_window_size", "attention_window_size", "window_size")
VOCAB: Final = ("vocab_size", "padded_vocab_size")
D_FF: Final = (
    "intermediate_size", "ffn_dim", "n_inner", "d_ff", "ffn_hidden_size", "ff_intermediate_size", "inter_dim",
    "hidden_dim",
)  # fmt: skip
LONGEST: Final = (
    "max_position_embeddings", "n_positions", "max_seq_len", "seq_length", "max_sequence_length", "max_context_length",
    "max_target_positions",
)  # fmt: skip
N_EXPERT: Final = ("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts")
N_CHOSEN: Final = (
    "num_experts_per_tok", "num_experts_per_token", "moe_top_k", "n_activated_experts", "experts_per_token",
)  # fmt: skip
EXPERT_FF: Final = ("moe_intermediate_size", "moe_inter_dim", "expert_ffn_hidden_size")

_ALL: Final = (
    N_LAYER, N_LAYER_DECODER, N_HEAD, N_HEAD_DECODER, N_HEAD_KV, HEAD_DIM, D_MODEL, LATENT, ROPE, NOPE, V_HEAD_DIM,
    WINDOW, VOCAB, D_FF, N_EXPERT, N_CHOSEN, EXPERT_FF,
)  # fmt: skip


def aliases(key: str) -> tuple[str, ...]:
    """Return every name of the size that a key names; the key alone if it has no other."""
    return next((names for names in _ALL if key in names), (key,))
