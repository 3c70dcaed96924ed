"""The figures of a whole model: bytes kept, FLOPs of prefill, of a decode step, of a generation; budgets, crossings.

A figure that a model has no value for is None, and `Architecture.why_unknown` holds the sentence that says why. All
other figures are exact Python integers. The arithmetic of one layer is in `explorer.core.cost_model`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Final, Literal

from explorer.core import cache_types, cost

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.cost_model import Architecture, CacheOptions, LayerKind, Parameters

Pairs = Literal["causal", "square"]
HeadTokens = Literal["all", "last"]

# Lengths beyond this are not searched: no budget that a machine has is still unfilled there.
_FURTHEST: Final = 2**50
# Far enough that every window is full.
_FAR: Final = 2**44

MEMORY_LINES: Final[tuple[tuple[str, int], ...]] = (
    ("8 GiB", 8 * cost.GIB),
    ("16 GiB", 16 * cost.GIB),
    ("24 GiB", 24 * cost.GIB),
    ("80 GiB", 80 * cost.GIB),
    ("141 GB", 141 * cost.GB),
)


def kv_bytes_per_token(architecture: Architecture, options: CacheOptions) -> int:
    """Return the bytes that one more token adds to one sequence while no window is full.

    They are known even where the window, and with it the whole cache, is not.
    """
    if not architecture.generates:
        return 0
    return sum(count * layer.bytes_per_cell(options) for layer, count in architecture.groups)


def kv_bytes(architecture: Architecture, context: int, options: CacheOptions) -> int | None:
    """Return the bytes of K and V (or of latent and rope) for all sequences."""
    if architecture.why_unknown("kv_bytes"):
        return None
    if not architecture.generates:
        return 0
    return sum(count * layer.kv_bytes(context, options) for layer, count in architecture.groups)


def state_bytes(architecture: Architecture, context: int, options: CacheOptions) -> int | None:
    """Return the bytes of recurrent and convolution states and of index caches for all sequences."""
    if architecture.why_unknown("state_bytes"):
        return None
    if not architecture.generates:
        return 0
    return sum(count * layer.state_bytes(context, options) for layer, count in architecture.groups)


def cache_bytes(architecture: Architecture, context: int, options: CacheOptions) -> int | None:
    """Return everything that is kept for all sequences, None if a part of it is not known."""
    kept = kv_bytes(architecture, context, options)
    state = state_bytes(architecture, context, options)
    return None if kept is None or state is None else kept + state


def prefill_attention_flops(
    architecture: Architecture, n: int, *, pairs: Pairs = "causal", batch: int = 1
) -> int | None:
    """Return the FLOPs of scores and mix over a prompt of `n` tokens; an encoder always counts n² pairs."""
    if architecture.why_unknown("attention_flops"):
        return None
    square = pairs == "square" or not architecture.generates
    return batch * sum(count * layer.prefill_flops(n, square=square) for layer, count in architecture.groups)


def decode_attention_flops(
    architecture: Architecture, n: int, *, pairs: Pairs = "causal", batch: int = 1
) -> int | None:
    """Return the FLOPs of scores and mix of one decode step; `n` counts the new token."""
    if architecture.why_unknown("attention_flops") or not architecture.generates:
        return None
    square = pairs == "square"
    return batch * sum(count * layer.decode_flops(n, square=square) for layer, count in architecture.groups)


def prefill_weight_flops(architecture: Architecture, n: int, *, head: HeadTokens = "all", batch: int = 1) -> int | None:
    """Return the FLOPs of the matrices over a prompt: 2·P per token, the head for all tokens or the last alone."""
    parameters = architecture.parameters
    if parameters is None or architecture.why_unknown("weight_flops"):
        return None
    once = min(n, 1) if head == "last" else n
    body = parameters.multiplied - parameters.head
    return batch * (cost.weight_flops(body, n) + cost.weight_flops(parameters.head, once))


def decode_weight_flops(architecture: Architecture, *, batch: int = 1) -> int | None:
    """Return the FLOPs of the matrices in one decode step: 2·P for each sequence."""
    parameters = architecture.parameters
    if parameters is None or architecture.why_unknown("weight_flops") or not architecture.generates:
        return None
    return batch * cost.weight_flops(parameters.multiplied)


@dataclass(frozen=True, slots=True)
class Work:
    """FLOPs by what they are spent on; None where the parameters are not known."""

    attention: int | None
    projections: int | None
    mixers: int | None
    ffn: int | None
    head: int | None
    unsorted: int | None

    @property
    def total(self) -> int | None:
        """Return the sum, None if a part is not known."""
        parts = (self.attention, self.projections, self.mixers, self.ffn, self.head, self.unsorted)
        known = [part for part in parts if part is not None]
        return sum(known) if len(known) == len(parts) else None


def _work(architecture: Architecture, attention: int | None, tokens: int, head_tokens: int) -> Work:
    parameters = architecture.parameters
    if parameters is None or architecture.why_unknown("weight_flops"):
        return Work(attention, None, None, None, None, None)
    return Work(
        attention=attention,
        projections=cost.weight_flops(parameters.projections, tokens),
        mixers=cost.weight_flops(parameters.mixers, tokens),
        ffn=cost.weight_flops(parameters.ffn_active, tokens),
        head=cost.weight_flops(parameters.head, head_tokens),
        unsorted=cost.weight_flops(parameters.unsorted_active, tokens),
    )


def prefill_work(
    architecture: Architecture, n: int, *, pairs: Pairs = "causal", head: HeadTokens = "all", batch: int = 1
) -> Work:
    """Return the FLOPs of a prompt of `n` tokens, part by part."""
    attention = prefill_attention_flops(architecture, n, pairs=pairs, batch=batch)
    return _work(architecture, attention, batch * n, batch * (min(n, 1) if head == "last" else n))


def decode_work(architecture: Architecture, n: int, *, batch: int = 1) -> Work:
    """Return the FLOPs of one decode step, part by part; `n` counts the new token."""
    return _work(architecture, decode_attention_flops(architecture, n, batch=batch), batch, batch)


def generation_work(
    architecture: Architecture, prompt: int, new: int, *, head: HeadTokens = "all", batch: int = 1
) -> Work:
    """Return the FLOPs of a whole generation: the prompt, then `new` tokens, part by part.

    The first new token comes out of prefill and the last one is never fed back, so new − 1 decode steps follow the
    prompt. Their causal pairs continue those of the prompt: together they are a prompt of prompt + new − 1 tokens.
    """
    fed = prompt + max(new - 1, 0)
    attention = prefill_attention_flops(architecture, fed, batch=batch) if architecture.generates else None
    head_tokens = new if head == "last" else fed
    return _work(architecture, attention, batch * fed, batch * head_tokens)


# ----------------------------------------------------------------------------------------------- bytes, intensity


def weight_bytes(architecture: Architecture, weight_type: cache_types.CacheType) -> int | None:
    """Return the bytes of the stored weights: as the file states them, else every parameter at `weight_type`."""
    if architecture.weight_bytes is not None:
        return architecture.weight_bytes
    if architecture.parameters is None or architecture.why_unknown("params"):
        return None
    return weight_type.row_bytes(architecture.parameters.total)


def decode_weight_bytes(architecture: Architecture, weight_type: cache_types.CacheType) -> int | None:
    """Return the weight bytes that one decode step reads: the matrices that the token passes through.

    Where a file states its bytes, the same share of them; rows of the embedding table are not counted.
    """
    parameters = architecture.parameters
    if parameters is None:
        return None
    if architecture.weight_bytes is not None and parameters.total:
        return architecture.weight_bytes * parameters.multiplied // parameters.total
    return weight_type.row_bytes(parameters.multiplied)


def decode_bytes_read(
    architecture: Architecture, n: int, options: CacheOptions, weight_type: cache_types.CacheType
) -> int | None:
    """Return the bytes that one decode step reads: the weights once, and the cache of every sequence."""
    weights, cache = decode_weight_bytes(architecture, weight_type), cache_bytes(architecture, n, options)
    if weights is None or cache is None or not architecture.generates:
        return None
    return cost.decode_bytes_read(weight_bytes=weights, cache_bytes=cache)


@dataclass(frozen=True, slots=True)
class Machine:
    """A machine as a roofline sees it: bytes and FLOPs per second."""

    bandwidth: float
    flop_rate: float

    @property
    def ridge(self) -> float:
        """Return the FLOPs per byte from which the machine computes as fast as it can."""
        return self.flop_rate / self.bandwidth

    def attainable(self, intensity: float) -> float:
        """Return the FLOPs per second that work of that intensity can reach."""
        return min(self.flop_rate, intensity * self.bandwidth)


@dataclass(frozen=True, slots=True)
class RooflinePoint:
    """Work on a roofline: FLOPs per byte, the rate a machine can reach there, and what bounds it."""

    name: str
    intensity: float
    rate: float
    bound: Literal["bandwidth", "FLOP rate"]


def roofline(
    architecture: Architecture, n: int, options: CacheOptions, weight_type: cache_types.CacheType, machine: Machine
) -> list[RooflinePoint]:
    """Return the dots of decode attention, the whole decode step and prefill at `n` tokens, those that are known.

    Decode attention reads K and V. A decode step reads the weights of its token's experts, prefill those of all
    experts, both the whole cache (prefill writes it); activations are not counted.
    """
    kept = kv_bytes(architecture, n, options)
    cache = cache_bytes(architecture, n, options)
    decode = decode_work(architecture, n, batch=options.batch)
    prefill = prefill_work(architecture, n, batch=options.batch)
    step_reads, all_reads = decode_weight_bytes(architecture, weight_type), weight_bytes(architecture, weight_type)
    dots = (
        ("decode attention", decode.attention, kept),
        ("decode step", decode.total, None if cache is None or step_reads is None else step_reads + cache),
        ("prefill", prefill.total, None if cache is None or all_reads is None else all_reads + cache),
    )
    points = []
    for name, flops, read in dots:
        if flops and read:
            intensity = flops / read
            bound: Literal["bandwidth", "FLOP rate"] = "bandwidth" if intensity < machine.ridge else "FLOP rate"
            points.append(RooflinePoint(name, intensity, machine.attainable(intensity), bound))
    return points


def decode_attention_intensity(architecture: Architecture, n: int, options: CacheOptions) -> float | None:
    """Return the FLOPs of attention per byte of K and V that one decode step reads."""
    flops = decode_attention_flops(architecture, n, batch=options.batch)
    read = kv_bytes(architecture, n, options)
    return flops / read if flops and read else None


# ------------------------------------------------------------------------------------------- budgets, crossings


def _guess(figure: Callable[[int], int | None], level: int) -> int | None:
    """Return the first n at which a figure that grows evenly from somewhere on is above a level, if it is there."""
    far, farther = figure(_FAR) or 0, figure(2 * _FAR) or 0
    slope = (farther - far) // _FAR
    return (level - far + slope * _FAR) // slope + 1 if slope > 0 else None


def _first_where(condition: Callable[[int], bool], guess: int | None = None) -> int | None:
    """Return the smallest n ≥ 1 where a condition that stays true holds, None if it never does.

    A `guess` that is right spares the search.
    """
    if guess is not None and 1 < guess < _FURTHEST and condition(guess) and not condition(guess - 1):
        return guess
    high = 1
    while not condition(high):
        high *= 2
        if high > _FURTHEST:
            return None
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(middle) else (middle, high)
    return high


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a context fits a memory.

    `context` is None when the answer is not a number: `fits` then says whether everything fits however long the text
    is, or not even an empty cache does, or the weights' size is not known.
    """

    context: int | None
    fits: Literal["up to", "always", "never", "unknown"]


def longest_context(
    architecture: Architecture, budget: int, options: CacheOptions, weight_type: cache_types.CacheType
) -> Budget:
    """Return the longest context whose cache fits into what a memory of `budget` bytes leaves beside the weights."""
    weights = weight_bytes(architecture, weight_type)
    if weights is None or cache_bytes(architecture, 1, options) is None:
        return Budget(None, "unknown")
    room = budget - weights

    def too_long(n: int) -> bool:
        kept = cache_bytes(architecture, n, options)
        return kept is None or kept > room

    if too_long(1):
        return Budget(None, "never")
    first = _first_where(too_long, _guess(lambda n: cache_bytes(architecture, n, options), room))
    return Budget(None, "always") if first is None else Budget(first - 1, "up to")


@dataclass(frozen=True, slots=True)
class Crossing:
    """Where two curves meet: the first whole context from which `rising` is at least `level`, and the exact point.

    `at` is None when they never meet; `exact` is the solution before rounding up, where it has a closed form.
    """

    name: str
    rising: str
    level: str
    at: int | None
    exact: float | None = None


def crossings(
    architecture: Architecture,
    options: CacheOptions,
    weight_type: cache_types.CacheType,
    *,
    pairs: Pairs = "causal",
    head: HeadTokens = "all",
) -> list[Crossing]:
    """Return where attention costs as much as the matrices (prefill, decode) and the cache as much as the weights."""
    found = []
    step = decode_weight_flops(architecture)
    per_pair = _growing_flops_per_pair(architecture)
    parameters = architecture.parameters
    if step and parameters and not architecture.why_unknown("attention_flops"):
        exact = _exact_prefill_crossing(parameters, per_pair, pairs, head) if per_pair else None
        found.append(
            Crossing(
                "prefill", "attention FLOPs", "matrix FLOPs",
                _first_where(
                    lambda n: (prefill_attention_flops(architecture, n, pairs=pairs) or 0)
                    >= (prefill_weight_flops(architecture, n, head=head) or 0),
                    None if exact is None else math.ceil(exact),
                ),
                exact,
            )
        )  # fmt: skip
        found.append(
            Crossing(
                "decode", "attention FLOPs", "matrix FLOPs",
                _first_where(
                    lambda n: (decode_attention_flops(architecture, n, pairs=pairs) or 0) >= step,
                    _guess(lambda n: decode_attention_flops(architecture, n, pairs=pairs), step - 1),
                ),
                cost.decode_crossing(parameters.multiplied, flops_per_pair=per_pair) if per_pair else None,
            )
        )  # fmt: skip
    weights = decode_weight_bytes(architecture, weight_type)
    if weights and cache_bytes(architecture, 1, options) is not None:
        found.append(
            Crossing(
                "bytes read in decode", "cache bytes", "weight bytes",
                _first_where(
                    lambda n: (cache_bytes(architecture, n, options) or 0) >= weights,
                    _guess(lambda n: cache_bytes(architecture, n, options), weights - 1),
                ),
                _exact_bytes_crossing(architecture, options, weights),
            )
        )  # fmt: skip
    return found


def _exact_prefill_crossing(parameters: Parameters, per_pair: int, pairs: Pairs, head: HeadTokens) -> float | None:
    """Return the solution where it has a closed form: with every token's head, n(n+1)/2 pairs or n²."""
    if head == "last" and parameters.head:
        return None
    cross = cost.decode_crossing if pairs == "square" else cost.prefill_crossing
    return cross(parameters.multiplied, flops_per_pair=per_pair)


def grows_evenly(architecture: Architecture, options: CacheOptions) -> bool:
    """Say whether the cache grows by the same bytes with every token, beside what is constant."""
    grows = any(layer.keeps_kv for layer in architecture.layers)
    bent = any(
        (layer.keeps_kv and layer.window) or any(state.every for state in layer.states) for layer in architecture.layers
    )
    return grows and not bent and options.rounding == "none"


def _exact_bytes_crossing(architecture: Architecture, options: CacheOptions, weights: int) -> float | None:
    """Return the solution where the cache grows evenly: what the states leave of the weights ÷ bytes of a token."""
    per_token, states = kv_bytes_per_token(architecture, options), state_bytes(architecture, 1, options)
    if not per_token or states is None or not grows_evenly(architecture, options):
        return None
    return float(Fraction(weights - states, per_token * options.batch))


def _growing_flops_per_pair(architecture: Architecture) -> int | None:
    """Return the FLOPs of one pair if every attending layer sees the whole text, so that a closed form exists."""
    attending = [layer for layer in architecture.layers if layer.attends]
    if not attending or any(layer.window or layer.indexer for layer in attending):
        return None
    return sum(layer.flops_per_pair for layer in attending)


def growth(architecture: Architecture, context: int, options: CacheOptions) -> dict[str, int]:
    """Return the bytes of everything kept, split into what grows, what saturates at a window, and what is constant."""
    split = {"grows": 0, "saturates": 0, "constant": 0}
    if not architecture.generates:
        return split
    for layer, count in architecture.groups:
        split["saturates" if layer.window else "grows"] += count * layer.kv_bytes(context, options)
        for state in layer.states:
            split["grows" if state.every else "constant"] += count * state.n_bytes(context, options)
    return split


def layer_counts(architecture: Architecture) -> dict[LayerKind, int]:
    """Return how many layers there are of each kind."""
    kinds: tuple[LayerKind, ...] = ("full", "window", "latent", "constant", "shared")
    return {kind: architecture.count(kind) for kind in kinds}
