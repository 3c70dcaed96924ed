"""Count a model's parameters from its config, to the last one or not at all.

The count follows the matrices that the family's modelling code builds. Where a size that it needs is missing, or the
family is not listed in `explorer.models.families`, the answer is None: a total that is nearly right would be read as
right.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.core.cost_model import Parameters
from explorer.models.experts import Experts, read_experts
from explorer.models.families import COVERED, COVERED_IN, YES_WHEN_ABSENT, Plan, plan_of
from explorer.models.names import D_FF, D_MODEL, LONGEST, VOCAB
from explorer.models.pattern import pattern
from explorer.models.seq2seq import count_seq2seq
from explorer.models.states import mamba_sizes

if TYPE_CHECKING:
    from explorer.core.cost_model import Layer
    from explorer.models.block import Decoder
    from explorer.models.fields import Fields
    from explorer.models.pattern import Mix


@dataclass(slots=True)
class Tally:
    """A count under way: what is counted, by which plan, and what was found so far."""

    decoder: Decoder
    plan: Plan
    d_model: int
    projections: int = 0
    mixers: int = 0
    ffn: int = 0
    ffn_active: int = 0
    vectors: int = 0


class MissingSizeError(Exception):
    """A size that the count needs is not in the file."""


def count_parameters(decoder: Decoder, layers: tuple[Layer, ...]) -> Parameters | None:
    """Return a model's parameters, None if they cannot be counted exactly.

    Raises
    ------
    InputError
        If a size is no number.
    """
    if decoder.has_encoder or decoder.is_encoder:
        return count_seq2seq(decoder, layers)
    plan = plan_of(decoder.family)
    covered = {**COVERED, **COVERED_IN.get(decoder.family, {})}
    values = decoder.fields.values
    if plan is None or any(values.get(key) not in (None, expected) for key, expected in covered.items()):
        return None
    try:
        return _count(decoder, layers, plan)
    except MissingSizeError:
        return None


def _needed(size: int | None) -> int:
    if size is None:
        raise MissingSizeError
    return size


def _flag(decoder: Decoder, flag: bool | str) -> bool:
    if isinstance(flag, str):
        return decoder.fields.flag(flag, default=flag in YES_WHEN_ABSENT)
    return flag


def _count(decoder: Decoder, layers: tuple[Layer, ...], plan: Plan) -> Parameters:
    fields = decoder.fields
    d_model, vocab = _needed(fields.size(*D_MODEL)), _needed(fields.size(*VOCAB))
    tally = Tally(decoder, plan, d_model)
    sparse = read_experts(decoder, len(layers))
    if sparse is None:
        raise MissingSizeError
    experts, has_experts = sparse
    for i, (layer, kind) in enumerate(zip(layers, pattern(decoder, len(layers)), strict=True)):
        tally.vectors += _norms(decoder, plan) * d_model * (2 if plan.norm_bias else 1)
        _mixing(tally, layer, kind)
        _feed_forward(tally, i, kind, experts if has_experts[i] else None)
    tally.vectors += d_model * (2 if plan.norm_bias else 1)  # the last norm
    embedded = fields.size("word_embed_proj_dim") or d_model
    embedding = vocab * embedded
    if plan.positions is not None:
        longest = next((size for key in LONGEST if (size := fields.size(key)) is not None), None)
        embedding += (_needed(longest) + plan.positions) * d_model
    if plan.embedding_norm:
        tally.vectors += 2 * d_model
    if embedded != d_model:
        tally.projections += 2 * embedded * d_model
    if decoder.family == "opt" and not fields.flag("do_layer_norm_before", default=True):
        tally.vectors -= 2 * d_model
    if _flag(decoder, plan.head_bias):
        tally.vectors += vocab
    tied = decoder.tied()
    return Parameters(
        embedding=embedding,
        projections=tally.projections,
        mixers=tally.mixers,
        ffn=tally.ffn,
        ffn_active=tally.ffn_active,
        head=vocab * embedded,
        tied=plan.tied if tied is None else tied,
        vectors=tally.vectors,
    )


def _norms(decoder: Decoder, plan: Plan) -> int:
    """Return the norms of a layer; Falcon's attention and FFN share one, except in its larger models."""
    if decoder.family != "falcon":
        return plan.norms
    fields = decoder.fields
    larger = fields.flag("new_decoder_architecture") or decoder.said_type == "refinedweb"
    shared = fields.flag("parallel_attn", default=True) and not larger
    return fields.size("num_ln_in_parallel_attn") or (1 if shared else 2)


# ------------------------------------------------------------------------------------------------- mixing of tokens


def _mixing(tally: Tally, layer: Layer, kind: Mix) -> None:
    if kind == "ffn":
        return
    if kind == "linear":
        _gated_delta(tally)
    elif kind == "mamba":
        _mamba(tally)
    elif kind == "conv":
        _short_convolution(tally)
    elif layer.kind == "latent":
        _latent(tally, layer)
    elif layer.attends and kind in ("full", "window", "chunk"):
        _attention(tally, layer, kind)
    else:
        raise MissingSizeError


def _attention(tally: Tally, layer: Layer, kind: Mix) -> None:
    decoder, plan, d_model = tally.decoder, tally.plan, tally.d_model
    q, k, v = layer.n_head * layer.d_k, layer.n_head_kv * layer.d_k, layer.n_head_kv * layer.d_v
    out = layer.n_head * layer.d_v
    if plan.query_gate:
        q *= 2
    if kind == "full" and decoder.fields.flag("attention_k_eq_v"):
        v = 0
    if layer.kind == "shared":
        k = v = 0
    tally.projections += d_model * (q + k + v + out)
    if _flag(decoder, plan.qkv_bias):
        tally.vectors += q + k + v
    if _flag(decoder, plan.o_bias):
        tally.vectors += d_model
    switched = not plan.qk_norm_key or decoder.fields.flag(plan.qk_norm_key, default=plan.qk_norm_absent)
    if plan.qk_norm and switched:
        per_head = {"head": 2 * layer.d_k, "all": 0, "rows": 0}[plan.qk_norm]
        tally.vectors += per_head or (layer.n_head + layer.n_head_kv) * layer.d_k
    if plan.sinks:
        tally.vectors += layer.n_head


def _latent(tally: Tally, layer: Layer) -> None:
    fields, d_model = tally.decoder.fields, tally.d_model
    if "q_lora_rank" not in fields.values:
        # Absent, the class compresses queries to 1536; models that do not compress them write null.
        raise MissingSizeError
    q_rank = fields.size("q_lora_rank", least=0) or 0
    width = layer.n_head * layer.d_k
    if q_rank:
        tally.projections += d_model * q_rank + q_rank * width
        tally.vectors += q_rank
    else:
        tally.projections += d_model * width
    nope = layer.d_k - layer.rope
    tally.projections += d_model * (layer.latent + layer.rope)
    tally.projections += layer.latent * layer.n_head * (nope + layer.d_v)
    tally.projections += layer.n_head * layer.d_v * d_model
    tally.vectors += layer.latent
    if layer.indexer is not None and layer.indexer.n_head:
        index = layer.indexer
        tally.projections += _needed(q_rank or None) * index.n_head * index.d_head
        tally.projections += d_model * (index.d_head + index.n_head)
        tally.vectors += 2 * index.d_head


def _gated_delta(tally: Tally) -> None:
    fields, d_model = tally.decoder.fields, tally.d_model
    heads_k, width_k = _needed(fields.size("linear_num_key_heads")), _needed(fields.size("linear_key_head_dim"))
    heads_v, width_v = _needed(fields.size("linear_num_value_heads")), _needed(fields.size("linear_value_head_dim"))
    keys, values = heads_k * width_k, heads_v * width_v
    kernel = fields.size("linear_conv_kernel_dim") or 4
    # queries, keys, values, the output gate z, the two per-head gates a and b, and the way back
    tally.mixers += d_model * (2 * keys + 2 * values + 2 * heads_v) + values * d_model
    tally.vectors += (2 * keys + values) * kernel + 2 * heads_v + width_v


def _short_convolution(tally: Tally) -> None:
    """Count two gates and the values, a kernel per channel, and the way back."""
    d_model = tally.d_model
    if tally.decoder.family != "lfm2":
        raise MissingSizeError
    tally.mixers += 4 * d_model * d_model
    tally.vectors += d_model * (tally.decoder.fields.size("conv_L_cache") or 3)


def _mamba(tally: Tally) -> None:
    decoder, d_model = tally.decoder, tally.d_model
    fields = decoder.fields
    state = _needed(fields.size("ssm_state_size", "mamba_d_state", "state_size"))
    kernel = fields.size("conv_kernel", "mamba_d_conv", "conv_dimension") or 4
    inner, heads, _ = mamba_sizes(decoder)
    inner = _needed(inner)
    if heads is None:
        rank = fields.size("time_step_rank", "mamba_dt_rank") or -(-d_model // 16)
        tally.mixers += d_model * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner * d_model
        tally.vectors += inner * (kernel + 1) + inner + inner * state + inner
        if decoder.family == "jamba":
            tally.vectors += rank + 2 * state
        return
    groups = fields.size("n_groups", "mamba_n_groups", "mamba_ngroups") or 1
    channels = inner + 2 * groups * state
    tally.mixers += d_model * (inner + channels + heads) + inner * d_model
    tally.vectors += channels * (kernel + 1) + 3 * heads + inner


# --------------------------------------------------------------------------------------------------- feed forward


def _feed_forward(tally: Tally, i: int, kind: Mix, experts: Experts | None) -> None:
    decoder, plan, d_model = tally.decoder, tally.plan, tally.d_model
    alone = decoder.family == "nemotron_h"
    if decoder.family in ("mamba", "falcon_mamba", "mamba2") or (alone and kind != "ffn"):
        return
    if alone:
        _nemotron_ffn(tally, i, experts)
        return
    if experts is None:
        width = _dense_width(tally, i)
        if width is None:
            return
        _dense(tally, width)
        return
    matrices = 3 if plan.gated else 2
    one, shared = matrices * d_model * experts.width, matrices * d_model * experts.shared_width
    router = d_model * experts.n_expert
    if decoder.family in ("qwen2_moe", "qwen3_next", "qwen3_5_moe") and experts.shared_width:
        shared += d_model
    tally.ffn += experts.n_expert * one + shared + router
    tally.ffn_active += experts.n_chosen * one + shared + router
    if decoder.family == "gpt_oss":
        tally.vectors += experts.n_expert * (2 * experts.width + d_model + 1)


def _dense_width(tally: Tally, i: int) -> int | None:
    """Return the width of a layer's FFN, None if the layer has none."""
    decoder, plan, d_model = tally.decoder, tally.plan, tally.d_model
    fields = decoder.fields
    blocks = fields.items("block_configs")
    if blocks is not None:
        ffn = blocks[i].get("ffn") if isinstance(blocks[i], dict) else None
        if not isinstance(ffn, dict) or ffn.get("replace_with_linear"):
            raise MissingSizeError
        if ffn.get("no_op"):
            return None
        return _searched_width(ffn.get("ffn_mult"), d_model)
    if fields.has("ffn_multipliers"):
        multipliers, divisor = fields.items("ffn_multipliers") or [], fields.size("ffn_dim_divisor") or 1
        if i >= len(multipliers) or isinstance(multipliers[i], bool) or not isinstance(multipliers[i], int | float):
            raise MissingSizeError
        return _to_multiple(multipliers[i] * d_model, divisor)
    if decoder.family == "llama4" and fields.has("intermediate_size_mlp"):
        return fields.size("intermediate_size_mlp")
    if decoder.family == "granitemoehybrid":
        return _needed(fields.size("shared_intermediate_size"))
    width = fields.size(*D_FF)
    if decoder.family == "lfm2" and fields.flag("block_auto_adjust_ff_dim", default=True):
        return _adjusted_width(fields, fields.size("block_ff_dim") or width)
    if width is None and decoder.family == "mpt":
        width = d_model * (fields.size("expansion_ratio") or 4)
    if width is None and plan.ff_factor:
        width = plan.ff_factor * d_model
    width = _needed(width)
    return width // 2 if decoder.family == "qwen" else width


def _adjusted_width(fields: Fields, width: int | None) -> int:
    """Return two thirds of a width, widened to a multiple, as LFM2 does."""
    factor, step = fields.values.get("block_ffn_dim_multiplier"), fields.size("block_multiple_of") or 256
    if factor not in (None, 1, 1.0):
        raise MissingSizeError
    return -(-(2 * _needed(width) // 3) // step) * step


def _searched_width(multiplier: object, d_model: int) -> int:
    if isinstance(multiplier, bool) or not isinstance(multiplier, int | float) or not 0 < multiplier < 1000:
        raise MissingSizeError
    width = int(2 * multiplier * d_model / 3)
    return -(-width // 256) * 256


def _to_multiple(value: float, divisor: int) -> int:
    """Return the nearest multiple, never more than a tenth below the value."""
    if not 0 < value < 2**40:
        raise MissingSizeError
    nearest = max(divisor, int(value + divisor / 2) // divisor * divisor)
    return nearest + divisor if nearest < 0.9 * value else nearest


def _dense(tally: Tally, width: int) -> None:
    decoder, plan, d_model = tally.decoder, tally.plan, tally.d_model
    size = (3 if plan.gated else 2) * d_model * width
    tally.ffn += size
    tally.ffn_active += size
    if _flag(decoder, plan.ffn_bias):
        tally.vectors += (2 if plan.gated else 1) * width + d_model


def _nemotron_ffn(tally: Tally, i: int, experts: Experts | None) -> None:
    """Count an FFN layer of Nemotron-H: two matrices, or experts that may work in a narrower space."""
    fields, d_model = tally.decoder.fields, tally.d_model
    words = fields.items("layers_block_type")
    letters = fields.word("hybrid_override_pattern") or ""
    has_experts = words[i] == "moe" if words else letters[i] == "E"
    if not has_experts:
        size = 2 * d_model * _needed(fields.size(*D_FF))
        tally.ffn += size
        tally.ffn_active += size
        return
    if experts is None:
        raise MissingSizeError
    narrow = fields.size("moe_latent_size") or d_model
    outside = 2 * d_model * experts.shared_width + d_model * experts.n_expert
    if narrow != d_model:
        outside += 2 * d_model * narrow
    tally.ffn += experts.n_expert * 2 * narrow * experts.width + outside
    tally.ffn_active += experts.n_chosen * 2 * narrow * experts.width + outside
