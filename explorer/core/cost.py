"""What attention costs: exact bytes of a KV cache and exact counts of FLOPs, from a handful of sizes.

Everything here takes plain sizes (layers, heads, widths, tokens) and returns Python integers, so that no figure is
rounded however long the context is. A whole model with layers of several kinds is described and added up in
`explorer.core.cost_model`; curves over many contexts are in `explorer.core.cost_curves`.

Conventions, stated once: one multiply-add is 2 FLOPs; the softmax, the norms and the rotation of positions are not
counted (below 1 %); a token sees itself, so n tokens make n(n+1)/2 causal pairs and a decode step at length n counts
n pairs, its own included; FLOPs of attention depend on the query heads, bytes of the cache on the KV heads.

Sources: 2·P FLOPs per token from Kaplan et al., "Scaling Laws for Neural Language Models" (2020), section 2.1; the
bytes of a cache whose KV heads are shared from Ainslie et al., "GQA" (2023), and Shazeer, "Fast Transformer Decoding"
(2019); windows from Jiang et al., "Mistral 7B" (2023), section 2.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple

from explorer.core.cache_types import CacheType, cache_type
from explorer.core.checks import CANNOT_SHARE, InputError, kv_head_choices

KIB: Final = 2**10
MIB: Final = 2**20
GIB: Final = 2**30
GB: Final = 10**9


def check_sharing(n_head: int, n_head_kv: int) -> int:
    """Return the query heads per KV head: n_head / n_head_kv.

    Parameters
    ----------
    n_head, n_head_kv : int
        Query heads and KV heads of a layer.

    Raises
    ------
    InputError
        If the query heads cannot be shared out evenly.
    """
    if n_head_kv < 1 or n_head % n_head_kv:
        raise InputError(CANNOT_SHARE, n_head=n_head, n_head_kv=n_head_kv, choices=kv_head_choices(n_head))
    return n_head // n_head_kv


def kv_head_of(query_head: int, n_head: int, n_head_kv: int) -> int:
    """Return the KV head that a query head reads: ``query_head // (n_head // n_head_kv)``; counted from 0.

    Raises
    ------
    InputError
        If the query heads cannot be shared out evenly.
    """
    return query_head // check_sharing(n_head, n_head_kv)


def variants(n_head: int, n_head_kv: int) -> list[tuple[str, int]]:
    """Return (name, KV heads) of multi-head, grouped-query and multi-query attention with the same query heads.

    Where the model itself is one of the extremes there is no third variant to draw, and two are returned.

    Raises
    ------
    InputError
        If the query heads cannot be shared out evenly.
    """
    check_sharing(n_head, n_head_kv)
    rows = [("multi-head (MHA)", n_head), ("grouped-query (GQA)", n_head_kv), ("multi-query (MQA)", 1)]
    return rows if 1 < n_head_kv < n_head else [rows[0], rows[2]] if n_head > 1 else rows[:1]


# --------------------------------------------------------------------------------------------------------- bytes


def kv_bytes_per_token(
    *,
    n_layer: int,
    n_head_kv: int,
    d_k: int,
    d_v: int | None = None,
    cache_type_k: str | CacheType = "f16",
    cache_type_v: str | CacheType | None = None,
) -> int:
    """Return the bytes that one token adds to the cache of `n_layer` equal layers.

    n_layer · n_head_kv · (d_k · bytes_k + d_v · bytes_v); with equal widths and types this is the lesson's
    2 · layers · KV heads · head size · bytes.

    Parameters
    ----------
    n_layer : int
        Layers, all alike.
    n_head_kv : int
        KV heads of a layer.
    d_k : int
        Width of a key.
    d_v : int, optional
        Width of a value; `d_k` unless given.
    cache_type_k : str or CacheType
        How keys are stored, such as "f16" or "q8_0".
    cache_type_v : str or CacheType, optional
        How values are stored; as keys unless given.

    Returns
    -------
    int
        Bytes, for one sequence.

    Raises
    ------
    InputError
        For a cache type that is not known.
    """
    of_k = cache_type(cache_type_k)
    of_v = of_k if cache_type_v is None else cache_type(cache_type_v)
    width_v = d_k if d_v is None else d_v
    return n_layer * (of_k.row_bytes(n_head_kv * d_k) + of_v.row_bytes(n_head_kv * width_v))


def cells_held(context: int, window: int | None = None) -> int:
    """Return how many of `context` tokens a layer keeps: all of them, or the last `window`."""
    return context if window is None else min(context, window)


def kv_bytes(
    context: int,
    *,
    n_layer: int,
    n_head_kv: int,
    d_k: int,
    d_v: int | None = None,
    cache_type_k: str | CacheType = "f16",
    cache_type_v: str | CacheType | None = None,
    window: int | None = None,
    batch: int = 1,
) -> int:
    """Return the bytes of K and V that `n_layer` equal layers keep for `batch` sequences of `context` tokens.

    batch · min(context, window) · the bytes of :func:`kv_bytes_per_token`.

    Parameters
    ----------
    context : int
        Tokens of each sequence, those to be generated included.
    n_layer : int
        Layers, all alike.
    n_head_kv : int
        KV heads of a layer.
    d_k : int
        Width of a key.
    d_v : int, optional
        Width of a value; `d_k` unless given.
    cache_type_k : str or CacheType
        How keys are stored, such as "f16" or "q8_0".
    cache_type_v : str or CacheType, optional
        How values are stored; as keys unless given.
    window : int, optional
        Layers keep the last `window` tokens only.
    batch : int
        Sequences.

    Returns
    -------
    int
        Bytes.

    Raises
    ------
    InputError
        For a cache type that is not known.
    """
    per_cell = kv_bytes_per_token(
        n_layer=n_layer,
        n_head_kv=n_head_kv,
        d_k=d_k,
        d_v=d_v,
        cache_type_k=cache_type_k,
        cache_type_v=cache_type_v,
    )
    return batch * cells_held(context, window) * per_cell


# --------------------------------------------------------------------------------------------------------- FLOPs


def prefill_pairs(n: int, *, window: int | None = None, square: bool = False) -> int:
    """Return how many (query, key) pairs a prompt of `n` tokens computes in one head.

    Causal: n(n+1)/2. Window W: n·W − W(W−1)/2 once n ≥ W.

    Parameters
    ----------
    n : int
        Tokens of the prompt.
    window : int, optional
        A token sees itself and the window − 1 before it.
    square : bool
        Count n², windowed or not, as profilers do.
    """
    if square:
        return n * n
    if window is None or n < window:
        return n * (n + 1) // 2
    return n * window - window * (window - 1) // 2


def decode_pairs(n: int, *, window: int | None = None) -> int:
    """Return how many pairs one decode step computes in one head: n, which counts the new token, or the `window`."""
    return cells_held(n, window)


def attention_flops_per_pair(*, n_layer: int, n_head: int, d_k: int, d_v: int | None = None) -> int:
    """Return the FLOPs of one pair in all heads and layers: 2·d_k for the score and 2·d_v for the mix.

    Parameters
    ----------
    n_layer : int
        Layers, all alike.
    n_head : int
        Query heads of a layer.
    d_k : int
        Width of a query and of a key.
    d_v : int, optional
        Width of a value; `d_k` unless given.
    """
    return n_layer * n_head * 2 * (d_k + (d_k if d_v is None else d_v))


def prefill_attention_flops(
    n: int,
    *,
    n_layer: int,
    n_head: int,
    d_k: int,
    d_v: int | None = None,
    window: int | None = None,
    square: bool = False,
    batch: int = 1,
) -> int:
    """Return the FLOPs of scores and mix over whole prompts: batch · FLOPs of a pair · pairs.

    Parameters
    ----------
    n : int
        Tokens of a prompt.
    n_layer : int
        Layers, all alike.
    n_head : int
        Query heads of a layer.
    d_k : int
        Width of a query and of a key.
    d_v : int, optional
        Width of a value; `d_k` unless given.
    window, square
        Which pairs count, as in :func:`prefill_pairs`.
    batch : int
        Prompts.
    """
    per_pair = attention_flops_per_pair(n_layer=n_layer, n_head=n_head, d_k=d_k, d_v=d_v)
    return batch * per_pair * prefill_pairs(n, window=window, square=square)


def decode_attention_flops(
    n: int,
    *,
    n_layer: int,
    n_head: int,
    d_k: int,
    d_v: int | None = None,
    window: int | None = None,
    batch: int = 1,
) -> int:
    """Return the FLOPs of scores and mix for one new token of each sequence: batch · FLOPs of a pair · pairs.

    Parameters
    ----------
    n : int
        Tokens of a sequence, the new one included.
    n_layer : int
        Layers, all alike.
    n_head : int
        Query heads of a layer.
    d_k : int
        Width of a query and of a key.
    d_v : int, optional
        Width of a value; `d_k` unless given.
    window : int, optional
        The new token sees itself and the window − 1 before it.
    batch : int
        Sequences.
    """
    per_pair = attention_flops_per_pair(n_layer=n_layer, n_head=n_head, d_k=d_k, d_v=d_v)
    return batch * per_pair * decode_pairs(n, window=window)


def weight_flops(params: int, tokens: int = 1) -> int:
    """Return the FLOPs that `params` parameters of matrices cost for `tokens` tokens: 2 · params · tokens."""
    return 2 * params * tokens


class Projections(NamedTuple):
    """Parameters of the four attention matrices of one layer."""

    wq: int
    wk: int
    wv: int
    wo: int

    @property
    def total(self) -> int:
        """Return the sum of the four."""
        return self.wq + self.wk + self.wv + self.wo


def projection_parameters(
    *, d_model: int, n_head: int, n_head_kv: int, d_k: int, d_v: int | None = None
) -> Projections:
    """Return the parameters of Wq, Wk, Wv and Wo of one layer, without biases: rows times columns of each.

    Parameters
    ----------
    d_model : int
        Width of a token.
    n_head, n_head_kv : int
        Query heads and KV heads.
    d_k : int
        Width of a query and of a key.
    d_v : int, optional
        Width of a value; `d_k` unless given.
    """
    width_v = d_k if d_v is None else d_v
    return Projections(
        wq=d_model * n_head * d_k,
        wk=d_model * n_head_kv * d_k,
        wv=d_model * n_head_kv * width_v,
        wo=n_head * width_v * d_model,
    )


# ----------------------------------------------------------------------------------------- crossings, bandwidth


def prefill_crossing(params: int, *, flops_per_pair: int) -> float:
    """Return the prompt length at which attention costs as much as the matrices in prefill.

    flops_per_pair · n(n+1)/2 = 2·P·n has the solution n = 4·P / flops_per_pair − 1. It is not rounded.

    Parameters
    ----------
    params : int
        P, the parameters of the matrices that a token passes through.
    flops_per_pair : int
        As :func:`attention_flops_per_pair` counts them.
    """
    return float(Fraction(params) * 4 / flops_per_pair - 1)


def decode_crossing(params: int, *, flops_per_pair: int) -> float:
    """Return the length at which attention costs as much as the matrices in one decode step: 2·P / flops_per_pair.

    `params` and `flops_per_pair` are those of :func:`prefill_crossing`.
    """
    return float(Fraction(params) * 2 / flops_per_pair)


def decode_bytes_read(*, weight_bytes: int, cache_bytes: int) -> int:
    """Return the bytes that one decode step reads: every active parameter once, and the whole cache.

    With a batch the weights are still read once; `cache_bytes` is that of all its sequences.
    """
    return weight_bytes + cache_bytes


def decode_attention_intensity(
    *,
    n_head: int,
    n_head_kv: int,
    d_k: int,
    d_v: int | None = None,
    cache_type_k: str | CacheType = "f16",
    cache_type_v: str | CacheType | None = None,
) -> Fraction:
    """Return the FLOPs that decode does per byte of cache it reads, exactly.

    At 16 bits this is the number of query heads per KV head: 1 with multi-head attention, n_head with multi-query.

    Parameters
    ----------
    n_head, n_head_kv : int
        Query heads and KV heads.
    d_k, d_v, cache_type_k, cache_type_v
        As in :func:`kv_bytes_per_token`.

    Raises
    ------
    InputError
        For a cache type that is not known.
    """
    per_cell = kv_bytes_per_token(
        n_layer=1,
        n_head_kv=n_head_kv,
        d_k=d_k,
        d_v=d_v,
        cache_type_k=cache_type_k,
        cache_type_v=cache_type_v,
    )
    return Fraction(attention_flops_per_pair(n_layer=1, n_head=n_head, d_k=d_k, d_v=d_v), per_cell)
