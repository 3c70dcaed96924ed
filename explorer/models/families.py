"""What a config does not say about a model's matrices: biases, norms, gates and ties of each family.

Only families whose modelling code is known are listed; the parameters of any other are reported as not known rather
than guessed. The facts were checked against parameter totals counted on the built models (the tests hold them).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final, Literal

Flag = bool | str  # A key of the config that decides, or the answer itself.


@dataclass(frozen=True, slots=True)
class Plan:
    """How a family builds an ordinary decoder layer.

    Parameters
    ----------
    gated : bool
        The FFN has three matrices (gate, up, down) rather than two.
    qkv_bias, o_bias, ffn_bias : bool or str
        Whether the matrices carry a bias; a word is the config's key that says so (absent means no).
    norms : int
        Norm vectors of the model's width per layer.
    norm_bias : bool
        Each norm also has a bias vector.
    qk_norm : {None, "head", "all", "rows"}
        Norms of queries and keys: one of a head's size each, one over all heads each, one row per head each.
    qk_norm_key : str
        The config's key that switches `qk_norm` on; "" when it always is.
    qk_norm_absent : bool
        Whether it is on when that key is absent.
    tied : bool
        What holds when the file does not say whether the head is the embedding table.
    positions : int or None
        Rows that a learned position table has beyond the longest context; None without such a table.
    head_bias : bool or str
        The head has a bias; a word is the config's key that says so.
    embedding_norm : bool
        The embedding is normed.
    ff_factor : int
        Width of the FFN over the model's width when the file does not say; 0: it must.
    query_gate : bool
        Wq makes a gate of the same width beside the queries.
    sinks : bool
        Each query head has a learned sink.
    """

    gated: bool = True
    qkv_bias: Flag = False
    o_bias: Flag = False
    ffn_bias: Flag = False
    norms: int = 2
    norm_bias: bool = False
    qk_norm: Literal["head", "all", "rows"] | None = None
    qk_norm_key: str = ""
    qk_norm_absent: bool = False
    tied: bool = False
    positions: int | None = None
    head_bias: Flag = False
    embedding_norm: bool = False
    ff_factor: int = 0
    query_gate: bool = False
    sinks: bool = False


_LLAMA = Plan(qkv_bias="attention_bias", o_bias="attention_bias", ffn_bias="mlp_bias")
_PLAIN = Plan()
_GPT2 = Plan(
    gated=False, qkv_bias=True, o_bias=True, ffn_bias=True, norm_bias=True, tied=True, positions=0, ff_factor=4
)
_NEOX = Plan(gated=False, qkv_bias=True, o_bias=True, ffn_bias=True, norm_bias=True, ff_factor=4)
_QWEN3 = Plan(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head")

PLANS: Final[dict[str, Plan]] = {
    "llama": _LLAMA,
    "mistral": _PLAIN,
    "mixtral": _PLAIN,
    "granite": _LLAMA,
    "smollm3": replace(_LLAMA, tied=True),
    "baichuan": _PLAIN,
    "internlm": Plan(qkv_bias="bias", o_bias="bias"),
    "internlm2": Plan(qkv_bias="bias", o_bias="bias"),
    "orion": Plan(norm_bias=True),
    "minicpm": _PLAIN,
    "deepseek": _LLAMA,
    "deepseek_v2": _PLAIN,
    "deepseek_v3": _PLAIN,
    "deepseek_v32": _PLAIN,
    "glm_moe_dsa": _PLAIN,
    "qwen": Plan(qkv_bias=True),
    "qwen2": Plan(qkv_bias=True),
    "qwen2_moe": Plan(qkv_bias=True),
    "qwen3": _QWEN3,
    "qwen3_moe": _QWEN3,
    "qwen3_next": replace(_QWEN3, query_gate=True),
    "qwen3_5": replace(_QWEN3, query_gate=True),
    "qwen3_5_moe": replace(_QWEN3, query_gate=True),
    "olmo2": Plan(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="all"),
    "olmo3": Plan(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="all"),
    "exaone4": Plan(qk_norm="head"),
    "gemma": Plan(qkv_bias="attention_bias", o_bias="attention_bias", tied=True),
    "gemma2": Plan(qkv_bias="attention_bias", o_bias="attention_bias", norms=4, tied=True),
    "gemma3": Plan(qkv_bias="attention_bias", o_bias="attention_bias", norms=4, qk_norm="head", tied=True),
    "gemma4": Plan(norms=4, qk_norm="head", tied=True),
    "phi": Plan(gated=False, qkv_bias=True, o_bias=True, ffn_bias=True, norms=1, norm_bias=True, head_bias=True,
                ff_factor=4),
    "phi3": _PLAIN,
    "gptj": Plan(gated=False, ffn_bias=True, norms=1, norm_bias=True, head_bias=True, ff_factor=4),
    "gpt_neox": _NEOX,
    "gpt2": _GPT2,
    "gpt_bigcode": _GPT2,
    "opt": replace(_GPT2, positions=2),
    "bloom": replace(_NEOX, tied=True, embedding_norm=True),
    "falcon": Plan(gated=False, qkv_bias="bias", o_bias="bias", ffn_bias="bias", norm_bias=True, tied=True,
                   ff_factor=4),
    "mpt": Plan(gated=False, tied=True, ff_factor=4),
    "starcoder2": Plan(gated=False, qkv_bias="use_bias", o_bias="use_bias", ffn_bias="use_bias", norm_bias=True,
                       tied=True),
    "stablelm": Plan(qkv_bias="use_qkv_bias", norm_bias=True),
    "cohere": Plan(qkv_bias="attention_bias", o_bias="attention_bias", norms=1, tied=True, qk_norm="rows",
                   qk_norm_key="use_qk_norm"),
    "cohere2": Plan(qkv_bias="attention_bias", o_bias="attention_bias", norms=1, tied=True),
    "chatglm": Plan(qkv_bias="add_qkv_bias"),
    "glm4": Plan(qkv_bias="attention_bias", norms=4),
    "glm4_moe": Plan(qkv_bias="attention_bias", qk_norm="head", qk_norm_key="use_qk_norm"),
    "minimax_m2": Plan(qk_norm="all", qk_norm_key="use_qk_norm", qk_norm_absent=True),
    "gpt_oss": Plan(qkv_bias="attention_bias", o_bias="attention_bias", sinks=True),
    "llama4": Plan(qkv_bias="attention_bias", o_bias="attention_bias"),
    "mamba": Plan(norms=1, tied=True),
    "falcon_mamba": Plan(norms=1),
    "mamba2": Plan(norms=1),
    "nemotron_h": Plan(gated=False, norms=1),
    "jamba": _PLAIN,
    "nemotron-nas": _LLAMA,
    "openelm": Plan(qk_norm="head", tied=True),
    "arcee": replace(_LLAMA, gated=False),
    "cwm": _LLAMA,
    "bamba": _LLAMA,
    "granitemoehybrid": _LLAMA,
    "lfm2": Plan(qk_norm="head", tied=True),
    "exaone": _LLAMA,
    "iquestcoder": _LLAMA,
    "internlm3": _LLAMA,
    "granitemoe": _LLAMA,
    "granitemoeshared": _LLAMA,
    "helium": Plan(qkv_bias="attention_bias", ffn_bias="mlp_bias"),
    "glm": Plan(qkv_bias="attention_bias"),
    "solar_open": Plan(qkv_bias="attention_bias"),
    "seed_oss": Plan(qkv_bias="attention_bias", o_bias="attention_out_bias", ffn_bias="mlp_bias"),
    "ernie4_5": Plan(qkv_bias="use_bias", o_bias="use_bias", ffn_bias="use_bias", tied=True),
    "exaone_moe": Plan(qk_norm="head"),
    "olmoe": Plan(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="all"),
    "flex_olmo": Plan(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="all"),
    "phimoe": Plan(qkv_bias="attention_bias", o_bias="attention_bias", norm_bias=True, head_bias="lm_head_bias"),
    "cohere2_moe": Plan(qkv_bias="attention_bias", o_bias="attention_bias", norms=1, tied=True),
    "vaultgemma": Plan(qkv_bias="attention_bias", o_bias="attention_bias", tied=True),
    "jais2": Plan(gated=False, qkv_bias="attention_bias", o_bias="attention_bias", ffn_bias="mlp_bias",
                  norm_bias=True),
    "codegen": Plan(gated=False, ffn_bias=True, norms=1, norm_bias=True, head_bias=True, ff_factor=4),
    "biogpt": replace(_GPT2, positions=2),
    "xglm": replace(_GPT2, positions=None),
    "gpt-sw3": _GPT2,
    "gpt_neo": Plan(gated=False, o_bias=True, ffn_bias=True, norm_bias=True, tied=True, positions=0, ff_factor=4),
}  # fmt: skip

# A flag that is absent counts as no, except these.
YES_WHEN_ABSENT: Final = frozenset({"use_bias"})


# Keys that change the matrices of a family in ways that its plan does not cover, with the value that is covered.
COVERED: Final[dict[str, object]] = {
    "hidden_size_per_layer_input": 0,
    "use_double_wide_mlp": False,
    "enable_moe_block": False,
    "qk_layernorm": False,
    "qk_ln": False,
    "no_bias": True,
    "enable_bias": True,
    "layer_norm_elementwise_affine": True,
    "use_conv_bias": True,
    "mamba_conv_bias": True,
    "mamba_proj_bias": False,
    "add_cross_attention": False,
    "residual_mlp": False,
    "parallel_attn_output": False,
    "conv_bias": False,
}
# The same where only some families read the key.
COVERED_IN: Final[dict[str, dict[str, object]]] = {
    "stablelm": {"use_parallel_residual": False},
    "gpt_neox": {"attention_bias": True},
    "nemotron_h": {"use_bias": False, "mlp_bias": False, "attention_bias": False},
    **{family: {"use_bias": False} for family in ("mamba", "mamba2", "falcon_mamba")},
    **{
        family: {"attention_bias": False}
        for family in ("mistral", "mixtral", "phi3", "minicpm", "orion", "deepseek_v2", "deepseek_v3", "deepseek_v32",
                       "glm_moe_dsa", "minimax_m2", "exaone4", "gemma4")
    },
}  # fmt: skip


def plan_of(family: str) -> Plan | None:
    """Return how a family builds its layers, None if that is not known."""
    return PLANS.get(family)
