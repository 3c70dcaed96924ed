"""Every figure of a model over many contexts at once, for plots that follow a slider.

The figures are those of `explorer.core.cost_figures` in float64 instead of exact integers (equal up to 2^53, then
within rounding); a test holds the two together. One call costs a few NumPy operations per kind of layer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.core import cost_figures

if TYPE_CHECKING:
    from explorer.core.cache_types import CacheType
    from explorer.core.cost_model import Architecture, CacheOptions, Layer, State

Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curves:
    """Figures over contexts, each an ndarray of shape (n_context,); those that are not known are None.

    Parameters
    ----------
    contexts : ndarray of shape (n_context,)
        Tokens per sequence.
    kv_bytes, state_bytes, cache_bytes : ndarray or None
        K and V, the other caches, both.
    grows, saturates, constant : ndarray
        The cache split by what happens to it as the text gets longer.
    prefill_attention, prefill_weights, decode_attention, decode_weights : ndarray or None
        FLOPs.
    decode_bytes : ndarray or None
        Bytes that one decode step reads.
    decode_intensity : ndarray or None
        FLOPs per byte of a whole decode step.
    """

    contexts: Floats
    kv_bytes: Floats | None
    state_bytes: Floats | None
    cache_bytes: Floats | None
    grows: Floats
    saturates: Floats
    constant: Floats
    prefill_attention: Floats | None
    prefill_weights: Floats | None
    decode_attention: Floats | None
    decode_weights: Floats | None
    decode_bytes: Floats | None
    decode_intensity: Floats | None


def context_axis(n: int = 512, *, longest: int = 10_000_000, logarithmic: bool = True) -> Floats:
    """Return `n` whole contexts from 1 to `longest`, evenly spread on a logarithmic or a linear axis.

    Returns
    -------
    ndarray of shape (n,)
        Rounded to whole tokens, so neighbours at the short end of a logarithmic axis may be equal.
    """
    axis = np.geomspace(1, longest, n) if logarithmic else np.linspace(1, longest, n)
    return np.rint(axis)


def _multiple(cells: Floats, of: int) -> Floats:
    return np.ceil(cells / of) * of


def _cells(contexts: Floats, window: int | None, options: CacheOptions) -> Floats:
    if options.rounding == "llama.cpp":
        per_stream = _multiple(contexts, 256)
        if window is not None:
            needed = window * (options.batch if options.unified else 1) + options.ubatch
            per_stream = _multiple(np.minimum(per_stream, needed), 256)
        return per_stream * (1 if options.unified else options.batch)
    if options.rounding == "vllm":
        blocks = np.ceil(contexts / 16)
        if window is not None:
            blocks = np.minimum(blocks, -(-window // 16) + 1)
        return blocks * (16 * options.batch)
    return (contexts if window is None else np.minimum(contexts, window)) * options.batch


def _state(state: State, contexts: Floats, options: CacheOptions) -> Floats:
    if not state.every:
        return np.full_like(contexts, state.n_bytes(1, options))
    return np.floor(contexts / state.every) * state.n_bytes(state.every, options)


def _prefill_pairs(n: Floats, window: int | None) -> Floats:
    if window is None:
        return n * (n + 1) / 2
    inside = np.minimum(n, window)
    pairs: Floats = inside * (inside + 1) / 2 + (n - inside) * window
    return pairs


def _prefill(layer: Layer, n: Floats, *, square: bool) -> Floats:
    if square:
        pairs = n * n
    elif layer.chunked and layer.window:
        chunks = np.floor(n / layer.window)
        rest = n - chunks * layer.window
        pairs = chunks * (layer.window * (layer.window + 1) / 2) + rest * (rest + 1) / 2
    else:
        pairs = _prefill_pairs(n, layer.seen)
    flops: Floats = layer.flops_per_pair * pairs
    if layer.indexer is not None:
        flops += layer.indexer.flops_per_pair * (n * n if square else n * (n + 1) / 2)
    return flops


def _decode(layer: Layer, n: Floats, *, square: bool) -> Floats:
    limit = layer.window if square else layer.seen
    flops: Floats = layer.flops_per_pair * (n if limit is None else np.minimum(n, limit))
    return flops if layer.indexer is None else flops + layer.indexer.flops_per_pair * n


def curves(
    architecture: Architecture,
    contexts: Floats,
    options: CacheOptions,
    weight_type: CacheType,
    *,
    pairs: cost_figures.Pairs = "causal",
    head: cost_figures.HeadTokens = "all",
) -> Curves:
    """Return every figure of a model over the given contexts.

    Parameters
    ----------
    architecture : Architecture
        The model.
    contexts : ndarray of shape (n_context,)
        Whole numbers of tokens, at least 1.
    options : CacheOptions
        Types, batch and rounding of the cache.
    weight_type : CacheType
        How the weights are stored, where the model's file does not say.
    pairs, head
        As in `explorer.core.cost_figures`.
    """
    zeros = np.zeros_like(contexts)
    grows, saturates, constant, states = zeros.copy(), zeros.copy(), zeros.copy(), zeros.copy()
    prefill, decode = zeros.copy(), zeros.copy()
    square = pairs == "square" or not architecture.generates
    for layer, count in architecture.groups:
        if architecture.generates:
            kept = grows if layer.window is None else saturates
            if layer.keeps_kv:
                kept += (count * layer.bytes_per_cell(options)) * _cells(contexts, layer.window, options)
            for state in layer.states:
                size = count * _state(state, contexts, options)
                states += size
                (grows if state.every else constant)[:] += size
        if layer.attends:
            prefill += (count * options.batch) * _prefill(layer, contexts, square=square)
            decode += (count * options.batch) * _decode(layer, contexts, square=square)
    cache = grows + saturates + constant
    knows = architecture.why_unknown
    kv_bytes = None if knows("kv_bytes") else cache - states
    state_bytes = None if knows("state_bytes") else states
    cache_bytes = None if kv_bytes is None or state_bytes is None else cache
    attention_known = not knows("attention_flops")
    decodes = attention_known and architecture.generates
    matrices = _matrices(architecture, contexts, options.batch, head)
    step = cost_figures.decode_weight_flops(architecture, batch=options.batch)
    decode_weights = None if step is None else np.full_like(contexts, step)
    read = cost_figures.decode_weight_bytes(architecture, weight_type)
    decode_bytes = None if read is None or cache_bytes is None or not architecture.generates else cache_bytes + read
    intensity = None
    if decode_bytes is not None and decode_weights is not None and decodes:
        intensity = (decode + decode_weights) / decode_bytes
    return Curves(
        contexts=contexts,
        kv_bytes=kv_bytes,
        state_bytes=state_bytes,
        cache_bytes=cache_bytes,
        grows=grows,
        saturates=saturates,
        constant=constant,
        prefill_attention=prefill if attention_known else None,
        prefill_weights=matrices,
        decode_attention=decode if decodes else None,
        decode_weights=decode_weights,
        decode_bytes=decode_bytes,
        decode_intensity=intensity,
    )


def _matrices(architecture: Architecture, contexts: Floats, batch: int, head: cost_figures.HeadTokens) -> Floats | None:
    per_token = cost_figures.prefill_weight_flops(architecture, 1, batch=batch)
    if per_token is None or architecture.parameters is None:
        return None
    if head == "all":
        return per_token * contexts
    of_head = 2 * architecture.parameters.head * batch
    return (per_token - of_head) * contexts + of_head
