"""The layers of a model from its config: heads, widths, windows and states of each.

Which layer does what comes from `explorer.models.pattern`. A key that is absent is filled in only where the model's own
code would do the same without doubt; everything else is refused, or noted as not known.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError, kv_head_choices
from explorer.core.cost_model import Indexer, Layer
from explorer.models import states
from explorer.models.class_defaults import IRREGULAR
from explorer.models.names import D_MODEL, HEAD_DIM, LATENT, N_HEAD, N_HEAD_DECODER, N_HEAD_KV, NOPE, ROPE, V_HEAD_DIM
from explorer.models.pattern import Mix, compress_ratios, pattern, undecided_window, window_size

if TYPE_CHECKING:
    from explorer.models.block import Decoder
    from explorer.models.fields import Fields

NO_HEADS = QT_TRANSLATE_NOOP(
    "models", "{where} does not say how many attention heads the model has; one of {keys} is needed"
)
NO_HEAD_DIM = QT_TRANSLATE_NOOP(
    "models", "{where} does not give the size of a head, and {why}; one of {keys} is needed"
)
CANNOT_SHARE = QT_TRANSLATE_NOOP(
    "models",
    "{where}: {n_head} query heads cannot share {n_head_kv} KV heads; the number of KV heads may be {choices}",
)
NO_LATENT_PART = QT_TRANSLATE_NOOP(
    "models", "{where} gives kv_lora_rank but no qk_rope_head_dim; a latent cache (MLA) holds both"
)
BAD_SHARED = QT_TRANSLATE_NOOP(
    "models", "{where}: num_kv_shared_layers is {found}; it must be smaller than the {n_layer} layers"
)
BAD_SOURCE = QT_TRANSLATE_NOOP(
    "models", "{where}: kv_source_layers lets layer {layer} read layer {source}, which keeps no keys and values by then"
)

_TWICE_AS_WIDE: Final = frozenset({"zamba", "zamba2"})
_T5_HEAD: Final = 64


@dataclass(slots=True)
class Found:
    """What was found while reading: notes, figures without a value, the first heads' sizes."""

    notes: list[str] = field(default_factory=list)
    unknown: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Heads:
    """The heads of one layer."""

    n_head: int
    n_head_kv: int
    d_k: int
    d_v: int


def read_layers(decoder: Decoder, n_layer: int, found: Found) -> tuple[Layer, ...]:
    """Return every layer of a model, in order.

    Raises
    ------
    InputError
        If a size that the cache depends on is missing, no number, or contradicts another.
    """
    kinds = pattern(decoder, n_layer)
    attending = [i for i, kind in enumerate(kinds) if kind in ("full", "window", "chunk", "hybrid", "csa", "hca")]
    own = _own_decoders(decoder)
    heads = _heads_of_layers(decoder, own, kinds, attending, found) if attending else {}
    made: dict[tuple[Mix, Heads | None, int, int], Layer] = {}
    ratios = compress_ratios(decoder.fields, kinds)
    indexers = _indexed(decoder, n_layer)
    window = undecided_window(decoder, n_layer)
    if window is not None:
        why = f"The file states a window of {window:,} tokens, but not which layers have it."
        found.unknown.setdefault("kv_bytes", why)
        found.unknown.setdefault("attention_flops", why)
    layers = []
    for i, kind in enumerate(kinds):
        extra = ratios[i] if kind in ("csa", "hca") else int(indexers[i])
        one = own.get(i, decoder)
        key = (kind, heads.get(i), extra, id(one))
        if key not in made:
            made[key] = _layer(one, kind, heads.get(i), extra, found)
        layers.append(made[key])
    return tuple(_share(decoder, layers, found))


# ------------------------------------------------------------------------------------------------------------ heads


def _per_layer(fields: Fields, keys: tuple[str, ...], n_layer: int) -> list[int] | None:
    for key in keys:
        if isinstance(fields.values.get(key), list):
            return fields.sizes(key, n_layer)
    return None


def _scalar(fields: Fields, *keys: str) -> int | None:
    return fields.size(*(key for key in keys if not isinstance(fields.values.get(key), list)))


def _changed(own: Fields, of_all: Fields, keys: tuple[str, ...]) -> int | None:
    """Return a size that a layer has for itself, None if it is that of all layers."""
    size = _scalar(own, *keys)
    return None if size == _scalar(of_all, *keys) else size


def _heads_of_layers(
    decoder: Decoder, own: dict[int, Decoder], kinds: list[Mix], attending: list[int], found: Found
) -> dict[int, Heads]:
    fields, n_layer = decoder.fields, len(kinds)
    of_decoder = _scalar(fields, *N_HEAD_DECODER)
    n_head = (of_decoder if decoder.has_encoder else None) or _scalar(fields, *N_HEAD) or of_decoder
    many = _per_layer(fields, ("num_attention_heads_per_layer", *N_HEAD), n_layer)
    if n_head is None and many is None:
        raise InputError(NO_HEADS, where=fields.where, keys=Choices(N_HEAD))
    heads_of = many or [n_head or 0] * n_layer
    groups = _heads_in_group(fields, heads_of)
    kv_of = groups and [group and heads // group for heads, group in zip(heads_of, groups, strict=True)]
    kv_of = kv_of or _per_layer(fields, N_HEAD_KV, n_layer)
    if kv_of is None:
        n_head_kv = _kv_heads(decoder, found)
        kv_of = [heads if n_head_kv is None else n_head_kv for heads in heads_of]
    d_k = _head_dim(decoder, heads_of[attending[0]], found)
    result = {}
    for i in attending:
        one, width = own.get(i, decoder), d_k
        if one is not decoder:
            heads_of[i] = _changed(one.fields, fields, N_HEAD) or heads_of[i]
            kv_of[i] = _changed(one.fields, fields, N_HEAD_KV) or kv_of[i]
            width = _head_dim(one, heads_of[i], Found())
        heads = Heads(heads_of[i], kv_of[i], width, one.fields.size(*V_HEAD_DIM) or width)
        result[i] = _check(fields, _other_heads(one, kinds[i], heads))
    return result


def _own_decoders(decoder: Decoder) -> dict[int, Decoder]:
    """Return the model as a layer sees it that has sizes of its own, by its number, in `per_layer_config`."""
    listed = decoder.fields.block("per_layer_config")
    made: dict[str, Decoder] = {}
    result = {}
    for key in listed.values if listed is not None else ():
        own = listed.block(key) if listed is not None and key.isdecimal() and len(key) < 9 else None
        if own is not None:
            same = json.dumps(own.values, sort_keys=True)
            made.setdefault(same, replace(decoder, fields=decoder.fields.filled(own.values)))
            result[int(key)] = made[same]  # Numbers may be padded: "05" is layer 5.
    for i, block in enumerate(decoder.fields.items("block_configs") or []):
        window = block["attention"].get("window_length")
        if window:
            made.setdefault(
                f"window {window}", replace(decoder, fields=decoder.fields.filled({"sliding_window": window}))
            )
            result[i] = made[f"window {window}"]
    return result


def _check(fields: Fields, heads: Heads) -> Heads:
    if heads.n_head < 1 or heads.n_head_kv < 1 or heads.n_head % heads.n_head_kv:
        raise InputError(
            CANNOT_SHARE, where=fields.where, n_head=heads.n_head, n_head_kv=heads.n_head_kv,
            choices=kv_head_choices(max(heads.n_head, 1)),
        )  # fmt: skip
    return heads


def _heads_in_group(fields: Fields, heads_of: list[int]) -> list[int] | None:
    """Return the query heads per KV head of each layer of a searched model, 0 where a layer does not attend."""
    blocks = fields.entries("block_configs", len(heads_of))
    if blocks is None:
        return None
    groups = []
    for i, block in enumerate(blocks):
        value, kv_heads = (block["attention"].get(key) for key in ("n_heads_in_group", "num_key_value_heads"))
        group = 0 if value is None else fields.check(f"block_configs[{i}] n_heads_in_group", value)
        if value is None and kv_heads is not None:
            n_head_kv = fields.check(f"block_configs[{i}] num_key_value_heads", kv_heads)
            group = heads_of[i] // _check(fields, Heads(heads_of[i], n_head_kv, 1, 1)).n_head_kv
        groups.append(group)
    return groups


def _kv_heads(decoder: Decoder, found: Found) -> int | None:
    """Return the KV heads that the file states or implies, None for one per query head."""
    fields = decoder.fields
    stated = _scalar(fields, *N_HEAD_KV)
    nested = fields.block("attn_config")
    if nested is not None and stated is None:
        stated = nested.size("kv_n_heads")
    if stated is None and fields.has("n_shared_head"):
        # PLaMo: so many query heads share a KV head.
        return -(-(_scalar(fields, *N_HEAD) or 1) // (fields.size("n_shared_head") or 1))
    said = (nested.values.get("attn_type") if nested is not None else None) or fields.values.get("attention_head_type")
    if stated is None and said in ("multiquery_attention", "multiquery"):
        found.notes.append("Multi-query attention: all query heads share one KV head.")
        return 1
    if decoder.family == "falcon":
        if fields.flag("multi_query") and not fields.flag("new_decoder_architecture"):
            found.notes.append("multi_query is true: all query heads share one KV head.")
            return 1
        return stated
    if fields.flag("multi_query_attention"):
        stated = fields.size("multi_query_group_num") or stated or 1
    if stated is None and (
        fields.flag("multi_query") or (decoder.family == "gpt_bigcode" and not fields.has("multi_query"))
    ):
        found.notes.append("multi_query: all query heads share one KV head.")
        return 1
    if stated is None and not fields.has(*LATENT) and not decoder.has_encoder:
        found.notes.append("The file names no KV heads: every query head has its own (multi-head attention).")
    return stated


def _head_dim(decoder: Decoder, n_head: int, found: Found) -> int:
    fields, d_model = decoder.fields, decoder.fields.size(*D_MODEL)
    if decoder.family in _TWICE_AS_WIDE:
        stated = fields.size("attention_head_dim")
        if stated is not None:
            return stated
        if d_model is None or 2 * d_model % n_head:
            raise InputError(NO_HEAD_DIM, where=fields.where, why="its width is missing", keys="attention_head_dim")
        found.notes.append("Attention reads the hidden state beside the embedding: heads are twice as wide.")
        return 2 * d_model // n_head
    if _latent_rank(fields):
        # The head size of such a config is that of its rotated part, or nothing; the two parts count.
        return (fields.size(*NOPE, least=0) or 0) + (fields.size(*ROPE, least=0) or 0)
    stated = fields.size(*HEAD_DIM)
    if stated is not None:
        if d_model is not None and d_model != stated * n_head:
            found.notes.append(f"The head size is {stated}, not width / heads ({d_model} / {n_head}).")
        return stated
    if d_model is None:
        raise InputError(
            NO_HEAD_DIM, where=fields.where, why="neither the width of the model", keys=Choices((*HEAD_DIM, *D_MODEL))
        )
    if d_model % n_head:
        why = f"{d_model} is no multiple of {n_head} heads"
        raise InputError(NO_HEAD_DIM, where=fields.where, why=why, keys=Choices(HEAD_DIM))
    if decoder.is_t5 and d_model // n_head != _T5_HEAD:
        why = "in this family it does not follow from the width"
        raise InputError(NO_HEAD_DIM, where=fields.where, why=why, keys="d_kv")
    return d_model // n_head


def _other_heads(decoder: Decoder, kind: Mix, heads: Heads) -> Heads:
    """Return the heads of a layer in models whose window layers and full layers differ."""
    fields = decoder.fields
    if kind == "window":
        n_head = fields.size("swa_num_attention_heads", "num_swa_attention_heads") or heads.n_head
        n_head_kv = fields.size("swa_num_key_value_heads", "num_swa_key_value_heads")
        if decoder.family == "mimo_v2_flash" and n_head_kv is None and fields.has("layer_types"):
            n_head_kv = 2 * heads.n_head_kv
        d_k, model = fields.size("swa_head_dim"), fields.size(*D_MODEL)
        if d_k is None and n_head != heads.n_head and not fields.has(*HEAD_DIM) and model and model % n_head == 0:
            d_k = model // n_head
        d_k = d_k or heads.d_k
        heads = Heads(
            n_head,
            n_head_kv or heads.n_head_kv,
            d_k,
            fields.size("swa_v_head_dim") or (d_k if heads.d_k == heads.d_v else heads.d_v),
        )
    elif kind == "full":
        wide = fields.size("global_head_dim")
        kv_heads = fields.size("num_global_key_value_heads") or heads.n_head_kv
        if decoder.family == "gemma4" and not fields.flag("attention_k_eq_v"):
            # The class gives full layers KV heads of their own only where K and V are one.
            kv_heads = heads.n_head_kv
        heads = Heads(heads.n_head, kv_heads, wide or heads.d_k, wide or heads.d_v)
    other = fields.block("attention_other_setting")
    if other is not None and other.word("attention_type") == (
        "sliding_attention" if kind == "window" else "full_attention"
    ):
        d_k = other.size("head_dim") or heads.d_k
        kv_heads = other.size("num_attention_groups", "num_key_value_heads") or heads.n_head_kv
        heads = Heads(other.size("num_attention_heads") or heads.n_head, kv_heads, d_k, d_k)
    return heads


# ----------------------------------------------------------------------------------------------------- one layer


def _latent_rank(fields: Fields) -> int | None:
    """Return the width of the latent of MLA, None without it (some files write 0 or switch it off)."""
    if fields.values.get("use_mla") is False:
        return None
    return fields.size(*LATENT, least=0) or None


def _indexed(decoder: Decoder, n_layer: int) -> list[bool]:
    """Say of each layer whether it has index keys of its own."""
    fields = decoder.fields
    if not fields.has("index_head_dim") or _latent_rank(fields) is None:
        return [False] * n_layer
    words = None if fields.values.get("indexer_types") == IRREGULAR else fields.entries("indexer_types", n_layer)
    return [word == "full" for word in words] if words else [True] * n_layer


def _layer(decoder: Decoder, kind: Mix, heads: Heads | None, extra: int, found: Found) -> Layer:
    if heads is None:
        return Layer("constant", states=_states(decoder, kind, found))
    fields = decoder.fields
    plain = Layer("full", heads.n_head, heads.n_head_kv, heads.d_k, heads.d_v)
    if kind in ("csa", "hca"):
        kept = states.of_compressed(fields, extra)
        if kept is None:
            found.unknown["state_bytes"] = "The compressed caches' sizes are not in the file."
        return replace(plain, kind="window", window=_window(fields, found), states=kept or ())
    if kind == "window":
        plain = replace(plain, kind="window", window=_window(fields, found))
    if kind == "chunk":
        return replace(plain, kind="window", window=fields.size("attention_chunk_size"), chunked=True)
    beside = _states(decoder, "mamba", found) if kind == "hybrid" or decoder.family == "falcon_h1" else ()
    plain = replace(plain, states=beside)
    _own_up(fields, kind, found)
    rank = _latent_rank(fields)
    return plain if rank is None else _latent(fields, plain, rank, found, own_index=bool(extra))


def _own_up(fields: Fields, kind: Mix, found: Found) -> None:
    """Say what a layer keeps beside keys and values, or looks at, in ways that are not known."""
    if kind == "window" and "hybrid_sliding" in (fields.items("layer_types") or ()):
        found.unknown["state_bytes"] = "What the hybrid layers keep beside keys and values is not known."
    if fields.has("conv_window"):
        found.unknown["state_bytes"] = "What the convolutions over keys and values keep is not known."
    indexed = kind == "full" and fields.has("index_head_dim", "index_topk")
    unlisted = fields.values.get("indexer_types") == IRREGULAR or (
        fields.has("index_topk_freq") and not fields.has("indexer_types")
    )
    if indexed and (_latent_rank(fields) is None or unlisted or fields.has("index_kpool")):
        found.unknown["state_bytes"] = "The keys of the index that chooses among the keys are kept in an unknown form."
        found.unknown["attention_flops"] = "Queries look at the keys that an index chooses; their pairs are not known."


def _latent(fields: Fields, plain: Layer, rank: int, found: Found, *, own_index: bool) -> Layer:
    """Return the layer with one compressed vector a token instead of keys and values (MLA)."""
    rope = fields.size(*ROPE, least=0)
    if rope is None:
        raise InputError(NO_LATENT_PART, where=fields.where)
    if not fields.has(*NOPE) or not fields.has(*V_HEAD_DIM):
        found.unknown["attention_flops"] = "The file lacks the sizes of MLA's un-absorbed heads."
    latent = replace(plain, kind="latent", n_head_kv=plain.n_head, latent=rank, rope=rope)
    return latent if plain.window is not None else _indexed_layer(fields, latent, own_index=own_index)


def _window(fields: Fields, found: Found) -> int | None:
    """Return the tokens that a window layer sees; without them nothing is known but what one token keeps."""
    window = window_size(fields)
    if window is None:
        found.unknown["kv_bytes"] = "The file does not say how many tokens a window layer sees."
        found.unknown["attention_flops"] = "FLOPs of attention depend on the window, which is not in the file."
    return window


def _indexed_layer(fields: Fields, layer: Layer, *, own_index: bool) -> Layer:
    n_index, width = fields.size("index_n_heads"), fields.size("index_head_dim")
    chosen = fields.size("index_topk")
    if width is None or n_index is None or chosen is None:
        return layer
    # A layer that shares an earlier layer's choice scores no pairs of its own, but still looks at the chosen alone.
    scorer = Indexer(n_index if own_index else 0, width, chosen)
    return replace(layer, indexer=scorer, states=(*layer.states, *((states.index_keys(width),) if own_index else ())))


def _states(decoder: Decoder, kind: Mix, found: Found) -> states.States:
    readers = {
        "linear": states.of_linear,
        "conv": states.of_convolution,
        "mamba": states.of_mamba,
        "recurrent": states.of_recurrent,
    }
    if kind not in readers:
        return ()
    kept = readers[kind](decoder)
    if kept is None:
        found.unknown["state_bytes"] = "The file lacks a size of the layers that keep a constant state."
    return kept or ()


def _share(decoder: Decoder, layers: list[Layer], found: Found) -> list[Layer]:
    """Mark the layers that read an earlier layer's keys and values instead of keeping their own."""
    fields, n_layer = decoder.fields, len(layers)
    last = fields.size("num_kv_shared_layers", least=0) or 0
    if last >= n_layer > 0:
        raise InputError(BAD_SHARED, where=fields.where, found=last, n_layer=n_layer)
    factor = fields.size("cla_share_factor") or 1
    if factor > 1 and fields.flag("use_cla", default=True):
        found.notes.append(f"Every {factor} layers share the keys and values of the first of them.")
        keeps = [i % factor == 0 for i in range(n_layer)]
    elif fields.has("kv_source_layers"):
        sources = fields.sizes("kv_source_layers", n_layer) or []
        for i, source in enumerate(sources):
            if source > i or sources[source] != source:
                raise InputError(BAD_SOURCE, where=fields.where, layer=i, source=source)
        keeps = [source == i for i, source in enumerate(sources)]
        found.notes.append(f"{keeps.count(False)} layers read the keys and values of other layers.")
    else:
        if last:
            found.notes.append(f"The last {last} layers read the keys and values of earlier layers.")
        keeps = [i < n_layer - last for i in range(n_layer)]
    return [
        layer if keep or not layer.attends else replace(layer, kind="shared", states=())
        for layer, keep in zip(layers, keeps, strict=True)
    ]
