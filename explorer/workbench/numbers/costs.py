"""Examples 10 to 12: what sharing KV heads saves, and how cost grows with the sequence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from explorer.core import cache_types, cost, lesson
from explorer.workbench.javaformat import fixed, grouped
from explorer.workbench.numbers.report import Example, build

if TYPE_CHECKING:
    from explorer.core.lesson import ModelShape

_TERA: Final = 1e12
_GIGA: Final = 1e9


def _bytes_each(shape: ModelShape) -> int:
    return int(cache_types.cache_type(shape.cache_type).bytes_per_element)


def _bytes_per_token(shape: ModelShape, n_head_kv: int) -> int:
    return cost.kv_bytes_per_token(
        n_layer=shape.n_layer, n_head_kv=n_head_kv, d_k=shape.d_head, cache_type_k=shape.cache_type
    )


def _bytes_at(shape: ModelShape, n_head_kv: int, context: int) -> int:
    return cost.kv_bytes(
        context, n_layer=shape.n_layer, n_head_kv=n_head_kv, d_k=shape.d_head, cache_type_k=shape.cache_type
    )


def grouped_query() -> Example:
    """Compute Example 10: who shares which KV head, and what an 8B model's cache takes with and without sharing."""
    tiny, model = lesson.TINY_MODEL, lesson.EIGHT_B_MODEL
    group = cost.check_sharing(tiny.n_head, tiny.n_head_kv)
    kv_head_of = [cost.kv_head_of(head, tiny.n_head, tiny.n_head_kv) for head in range(tiny.n_head)]
    tiny_bytes = _bytes_at(tiny, tiny.n_head_kv, tiny.context)
    tiny_mib = tiny_bytes / cost.MIB
    matrices = cost.projection_parameters(
        d_model=model.d_model, n_head=model.n_head, n_head_kv=model.n_head_kv, d_k=model.d_head
    )
    parameters = {"Wq": matrices.wq, "Wk": matrices.wk, "Wv": matrices.wv, "Wo": matrices.wo}
    listed = [model.n_head, model.n_head_kv]
    per_token = [_bytes_per_token(model, n_head_kv) for n_head_kv in listed]
    at_context = [_bytes_at(model, n_head_kv, model.context) for n_head_kv in listed]
    kib = [each // cost.KIB for each in per_token]
    gib = [each / cost.GIB for each in at_context]

    lines = [f"query head {head} -> key/value head {shared}" for head, shared in enumerate(kv_head_of)]
    lines.append(
        f"tiny model, {tiny.context} tokens: {grouped(tiny_bytes)} bytes = {fixed(tiny_mib, 2)} MiB of KV cache"
    )
    named = "  ".join(f"{name} {grouped(count)}" for name, count in parameters.items())
    lines.append(f"per layer: {named} parameters")
    lines += [
        f"{n_head_kv:2d} key/value heads: {grouped(each)} bytes of KV cache per token ({kib_each} KiB);"
        f" {model.context} tokens = {fixed(gib_each, 2)} GiB"
        for n_head_kv, each, kib_each, gib_each in zip(listed, per_token, kib, gib, strict=True)
    ]
    return build(
        10,
        {
            "small_n_head": tiny.n_head,
            "small_n_head_kv": tiny.n_head_kv,
            "tiny": {
                "layers": tiny.n_layer,
                "n_head_kv": tiny.n_head_kv,
                "head_size": tiny.d_head,
                "bytes": _bytes_each(tiny),
                "tokens": tiny.context,
            },
            "model": {
                "layers": model.n_layer,
                "n_head": model.n_head,
                "n_head_kv": model.n_head_kv,
                "head_size": model.d_head,
                "width": model.d_model,
                "bytes": _bytes_each(model),
                "context": model.context,
            },
        },
        {"group": group},
        {
            "kv_head_of_query_head": kv_head_of,
            "tiny_bytes": tiny_bytes,
            "tiny_mib": tiny_mib,
            **parameters,
            "kv_heads_listed": listed,
            "bytes_per_token": per_token,
            "kib_per_token_truncated": kib,
            "bytes_at_context": at_context,
            "gib_at_context": gib,
        },
        lines,
    )


def multi_query() -> Example:
    """Compute Example 11: the cache of one model with all, some and one of its KV heads."""
    model, context = lesson.EIGHT_B_MODEL, lesson.VARIANTS_CONTEXT
    names, kv_heads = zip(*cost.variants(model.n_head, model.n_head_kv), strict=True)
    groups = [cost.check_sharing(model.n_head, n_head_kv) for n_head_kv in kv_heads]
    per_token = [_bytes_per_token(model, n_head_kv) for n_head_kv in kv_heads]
    at_context = [_bytes_at(model, n_head_kv, context) for n_head_kv in kv_heads]
    kib = [each // cost.KIB for each in per_token]
    gib = [each / cost.GIB for each in at_context]
    heading = f"GiB at {context} tokens"
    lines = ["  ".join([f"{'variant':20}", "kv heads", "group", "KiB/token", heading])]
    lines += [
        f"{name:20} {heads:8d} {group:6d} {kib_each:10d} {fixed(gib_each, 2, len(heading) + 1)}"
        for name, heads, group, kib_each, gib_each in zip(names, kv_heads, groups, kib, gib, strict=True)
    ]
    return build(
        11,
        {
            "layers": model.n_layer,
            "n_head": model.n_head,
            "n_head_kv": model.n_head_kv,
            "head_size": model.d_head,
            "bytes": _bytes_each(model),
            "context": context,
        },
        {},
        {
            "variant": list(names),
            "kv_heads": list(kv_heads),
            "group": groups,
            "bytes_per_token": per_token,
            "kib_per_token_truncated": kib,
            "bytes_at_context": at_context,
            "gib_at_context": gib,
        },
        lines,
    )


def sequence_length() -> Example:
    """Compute Example 12: FLOPs of attention and of the weight matrices, for prompts and for single steps."""
    model, contexts = lesson.EIGHT_B_MODEL, lesson.COST_CONTEXTS
    params = model.params or 0
    layers, heads, width = model.n_layer, model.n_head, model.d_head
    per_pair = cost.attention_flops_per_pair(n_layer=layers, n_head=heads, d_k=width)
    prefill_attention = [
        float(cost.prefill_attention_flops(n, n_layer=layers, n_head=heads, d_k=width)) for n in contexts
    ]
    prefill_weights = [float(cost.weight_flops(params, n)) for n in contexts]
    decode_attention = [
        float(cost.decode_attention_flops(n, n_layer=layers, n_head=heads, d_k=width)) for n in contexts
    ]
    decode_weights = [float(cost.weight_flops(params)) for _ in contexts]
    lines = ["      n   prefill attention   prefill weights   decode attention   decode weights"]
    lines += [
        f"{n:7d} {fixed(attention / _TERA, 1, 14)} TFLOP {fixed(weights / _TERA, 1, 12)} TFLOP"
        f" {fixed(step / _GIGA, 1, 12)} GFLOP {fixed(step_weights / _GIGA, 1, 11)} GFLOP"
        for n, attention, weights, step, step_weights in zip(
            contexts, prefill_attention, prefill_weights, decode_attention, decode_weights, strict=True
        )
    ]
    return build(
        12,
        {
            "layers": layers,
            "n_head": heads,
            "head_size": width,
            "parameters": float(params),
            "n": list(contexts),
        },
        {
            "flops_per_pair": float(per_pair),
            "weight_flops_per_token": float(cost.weight_flops(params)),
            "pairs": [cost.prefill_pairs(n) for n in contexts],
        },
        {
            "prefill_attention_flops": prefill_attention,
            "prefill_weight_flops": prefill_weights,
            "decode_attention_flops": decode_attention,
            "decode_weight_flops": decode_weights,
            "crossover_n_prefill": cost.prefill_crossing(params, flops_per_pair=per_pair),
            "crossover_n_decode": cost.decode_crossing(params, flops_per_pair=per_pair),
        },
        lines,
    )
