"""A whole model as its cost sees it: layers of several kinds, their caches, its parameters.

`Architecture` is a description and holds no arithmetic of its own beyond adding up; how one kind of layer counts is
said once, in `Layer`, and what an engine allocates for it in `CacheOptions`. Where a description comes from (a
config.json, a GGUF file, a catalogue) is not known here: that is `explorer.models`. The figures of a whole model are in
`explorer.core.cost_figures`.

`Architecture` lists every layer rather than groups of them, because patterns differ from model to model and a list can
state any of them; equal layers are grouped when they are added up, so a model of 100 layers costs as much as its kinds.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Final, Literal

from explorer.core import cache_types, cost
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError, as_integer

LayerKind = Literal["full", "window", "latent", "constant", "shared"]
LAYER_KINDS: Final[tuple[LayerKind, ...]] = ("full", "window", "latent", "constant", "shared")

Rounding = Literal["none", "llama.cpp", "vllm"]
ROUNDINGS: Final[tuple[Rounding, ...]] = ("none", "llama.cpp", "vllm")

UNKNOWN_ROUNDING = QT_TRANSLATE_NOOP("core", "rounding {name!r} is not known; it may be {choices}")
UNIFIED_NEEDS_LLAMA_CPP = QT_TRANSLATE_NOOP(
    "core", "one cache shared by all sequences (unified) exists only with rounding llama.cpp, not {name}"
)

_LLAMA_CPP_CELLS = 256
_VLLM_BLOCK = 16


def _up_to_multiple(n: int, of: int) -> int:
    return -(-n // of) * of


@dataclass(frozen=True, slots=True)
class CacheOptions:
    """What the user chooses about a cache.

    Parameters
    ----------
    type_k, type_v : CacheType
        How K and V are stored. A latent cache (MLA) has no V and uses `type_k`.
    batch : int
        Sequences, each with its own context.
    rounding : {"none", "llama.cpp", "vllm"}
        ``none``: as many cells as tokens, a window layer at most its window. ``llama.cpp``: cells in multiples of 256,
        a window layer has room for one more micro-batch, recurrent states are 32-bit without the newest convolution
        column. ``vllm``: blocks of 16 cells, a window layer one block more because it may begin inside one.
    ubatch : int
        Tokens of one micro-batch (llama.cpp's ``-ub``).
    unified : bool
        llama.cpp only: `batch` sequences share one cache of `context` cells.
    expand_latent : bool
        Cache the full keys and values of MLA instead of its latent, for comparison.
    """

    type_k: cache_types.CacheType = cache_types.CACHE_TYPES["f16"]
    type_v: cache_types.CacheType = cache_types.CACHE_TYPES["f16"]
    batch: int = 1
    rounding: Rounding = "none"
    ubatch: int = 512
    unified: bool = False
    expand_latent: bool = False

    @classmethod
    def choose(
        cls,
        cache_type: str = "f16",
        cache_type_v: str | None = None,
        *,
        batch: int = 1,
        rounding: str = "none",
        ubatch: int = 512,
        unified: bool = False,
        expand_latent: bool = False,
    ) -> CacheOptions:
        """Return the options for names and numbers as a user gives them.

        Raises
        ------
        InputError
            If a name is unknown or a number is not a whole one of at least 1.
        """
        name = rounding.strip().lower().replace("llamacpp", "llama.cpp").replace("llama_cpp", "llama.cpp")
        known = next((known for known in ROUNDINGS if known == name), None)
        if known is None:
            raise InputError(UNKNOWN_ROUNDING, name=rounding, choices=Choices(ROUNDINGS))
        if unified and known != "llama.cpp":
            raise InputError(UNIFIED_NEEDS_LLAMA_CPP, name=known)
        type_k = cache_types.cache_type(cache_type)
        return cls(
            type_k=type_k,
            type_v=type_k if cache_type_v is None else cache_types.cache_type(cache_type_v),
            batch=as_integer("batch", batch, 1),
            rounding=known,
            ubatch=as_integer("ubatch", ubatch, 1),
            unified=unified,
            expand_latent=expand_latent,
        )

    def cells(self, context: int, window: int | None = None) -> int:
        """Return the cells that one layer allocates for all sequences."""
        if self.rounding == "llama.cpp":
            streams = 1 if self.unified else self.batch
            per_stream = _up_to_multiple(context, _LLAMA_CPP_CELLS)
            if window is not None:
                needed = window * (self.batch if self.unified else 1) + self.ubatch
                per_stream = _up_to_multiple(min(per_stream, needed), _LLAMA_CPP_CELLS)
            return streams * per_stream
        if self.rounding == "vllm":
            blocks = -(-context // _VLLM_BLOCK)
            if window is not None:
                blocks = min(blocks, -(-window // _VLLM_BLOCK) + 1)
            return self.batch * blocks * _VLLM_BLOCK
        return self.batch * cost.cells_held(context, window)


@dataclass(frozen=True, slots=True)
class State:
    """A cache that is neither K nor V: a recurrent or convolution state, index keys, compressed keys.

    Parameters
    ----------
    label : str
        What it is, in a few words.
    width : int
        Numbers per column.
    columns : int
        Columns kept; for a convolution its kernel.
    bytes_per_element : int
        0 means that it is stored as K is.
    every : int
        0: one such state per sequence. k: one for every k tokens, so it grows with the context.
    """

    label: str
    width: int
    columns: int = 1
    bytes_per_element: int = 4
    every: int = 0

    def n_bytes(self, context: int, options: CacheOptions) -> int:
        """Return the bytes for all sequences."""
        columns, element = self.columns, self.bytes_per_element
        if self.every:
            rows = options.batch * (context // self.every)
        else:
            rows = options.batch
            if options.rounding == "llama.cpp":
                # It keeps what the next token needs (kernel − 1 columns) and both kinds of state in 32 bits.
                element, columns = 4, max(columns - 1, 1)
        if element == 0:
            return rows * options.type_k.row_bytes(self.width * columns)
        return rows * self.width * columns * element


@dataclass(frozen=True, slots=True)
class Indexer:
    """The small heads that choose which keys a sparse layer looks at."""

    n_head: int
    d_head: int
    top_k: int

    @property
    def flops_per_pair(self) -> int:
        """Return the FLOPs of scoring one pair: a dot product per index head, then their weighted sum."""
        return 2 * self.n_head * (self.d_head + 1)


@dataclass(frozen=True, slots=True)
class Layer:
    """How one layer attends and what it keeps.

    Parameters
    ----------
    kind : {"full", "window", "latent", "constant", "shared"}
        ``full`` keeps every token; ``window`` the last `window`; ``latent`` one compressed vector a token (MLA);
        ``constant`` nothing that grows with the text (recurrent, convolution, cross-attention, FFN alone);
        ``shared`` attends to the keys and values of an earlier layer and keeps none.
    n_head, n_head_kv : int
        Query heads and KV heads; 0 where the layer has no attention over the text.
    d_k, d_v : int
        Width of a key and of a value.
    window : int, optional
        Tokens that a query sees, itself included.
    chunked : bool
        The window is a chunk: a token sees the tokens before it in its own chunk only.
    latent, rope : int
        Widths of the compressed vector and of the shared rotated key of MLA.
    indexer : Indexer, optional
        Queries look at the `top_k` keys that it chooses.
    states : tuple of State
        Caches beside K and V.
    """

    kind: LayerKind
    n_head: int = 0
    n_head_kv: int = 0
    d_k: int = 0
    d_v: int = 0
    window: int | None = None
    chunked: bool = False
    latent: int = 0
    rope: int = 0
    indexer: Indexer | None = None
    states: tuple[State, ...] = ()

    @property
    def attends(self) -> bool:
        """Say whether the layer attends over the text."""
        return self.n_head > 0

    @property
    def keeps_kv(self) -> bool:
        """Say whether the layer stores keys and values of the text."""
        return self.attends and self.kind in ("full", "window", "latent")

    def bytes_per_cell(self, options: CacheOptions) -> int:
        """Return the bytes of one token's keys and values."""
        if not self.keeps_kv:
            return 0
        if self.kind == "latent" and not options.expand_latent:
            return options.type_k.row_bytes(self.latent + self.rope)
        heads = self.n_head if self.kind == "latent" else self.n_head_kv
        return options.type_k.row_bytes(heads * self.d_k) + options.type_v.row_bytes(heads * self.d_v)

    def kv_bytes(self, context: int, options: CacheOptions) -> int:
        """Return the bytes of keys and values for all sequences."""
        return self.bytes_per_cell(options) * options.cells(context, self.window)

    def state_bytes(self, context: int, options: CacheOptions) -> int:
        """Return the bytes of the layer's other caches for all sequences."""
        return sum(state.n_bytes(context, options) for state in self.states)

    @property
    def flops_per_pair(self) -> int:
        """Return the FLOPs of score and mix of one pair, all query heads, un-absorbed where the layer is latent."""
        return 2 * (self.d_k + self.d_v) * self.n_head

    def prefill_pairs(self, n: int, *, square: bool = False) -> int:
        """Return the pairs of one head over a prompt of `n` tokens."""
        if square:
            return n * n
        if self.chunked and self.window:
            chunks, rest = divmod(n, self.window)
            return chunks * cost.prefill_pairs(self.window) + cost.prefill_pairs(rest)
        return cost.prefill_pairs(n, window=self.seen)

    def decode_pairs(self, n: int, *, square: bool = False) -> int:
        """Return the pairs of one head for the `n`-th token.

        A chunked layer is counted at the end of a chunk, where a query sees the most. `square` counts the keys that an
        indexer would leave out; a window stays one, because the cache holds no more.
        """
        return cost.decode_pairs(n, window=self.window if square else self.seen)

    @property
    def seen(self) -> int | None:
        """Return how many tokens a query looks at at most, None for all."""
        if self.indexer is None:
            return self.window
        return self.indexer.top_k if self.window is None else min(self.window, self.indexer.top_k)

    def prefill_flops(self, n: int, *, square: bool = False) -> int:
        """Return the FLOPs of attention over a prompt of `n` tokens, the indexer's scores of every pair included."""
        indexer = self.indexer.flops_per_pair * cost.prefill_pairs(n, square=square) if self.indexer else 0
        return self.flops_per_pair * self.prefill_pairs(n, square=square) + indexer

    def decode_flops(self, n: int, *, square: bool = False) -> int:
        """Return the FLOPs of attention for the `n`-th token."""
        indexer = self.indexer.flops_per_pair * n if self.indexer else 0
        return self.flops_per_pair * self.decode_pairs(n, square=square) + indexer


@dataclass(frozen=True, slots=True)
class Parameters:
    """Where a model's parameters are, as far as FLOPs tell them apart.

    Parameters
    ----------
    embedding : int
        Tables that are looked up: token and position embeddings. A look-up costs no FLOPs.
    projections : int
        The attention matrices Wq, Wk, Wv, Wo (and MLA's down- and up-projections).
    mixers : int
        Matrices of layers that mix tokens without attention: recurrent, convolution.
    ffn, ffn_active : int
        FFN matrices with every expert and router, and those that one token passes through.
    head : int
        The matrix to the vocabulary. It always costs FLOPs; tied to the embedding it is stored only once.
    tied : bool
        The head is the embedding table.
    vectors : int
        Norms, biases, per-head numbers: stored, but multiplied by no matrix.
    encoder : int
        Parameters that run once per input of an encoder, not per generated token.
    unsorted, unsorted_active : int
        Parameters of which only the number is known, taken as matrices; all of them, and those that a token uses.
    """

    embedding: int = 0
    projections: int = 0
    mixers: int = 0
    ffn: int = 0
    ffn_active: int = 0
    head: int = 0
    tied: bool = False
    vectors: int = 0
    encoder: int = 0
    unsorted: int = 0
    unsorted_active: int = 0

    @property
    def total(self) -> int:
        """Return all parameters that are stored."""
        matrices = self.projections + self.mixers + self.ffn + self.unsorted + (0 if self.tied else self.head)
        return self.embedding + matrices + self.vectors + self.encoder

    @property
    def active(self) -> int:
        """Return the parameters with only the experts that one token passes through."""
        return self.total - self.ffn + self.ffn_active - self.unsorted + self.unsorted_active

    @property
    def multiplied(self) -> int:
        """Return P: the parameters that one token is multiplied with, the head included."""
        return self.projections + self.mixers + self.ffn_active + self.unsorted_active + self.head


@dataclass(frozen=True)
class Architecture:
    """A model as its cost sees it.

    Parameters
    ----------
    name : str
        What the model is called.
    layers : tuple of Layer
        One entry per layer, in order.
    d_model : int, optional
        Width of the residual stream.
    parameters : Parameters, optional
        None when they are not known.
    weight_bytes : int, optional
        Bytes of the stored weights, where a file states them.
    max_context : int, optional
        The longest context that the model was made for.
    generates : bool
        False for an encoder: it sees the whole text at once, keeps no cache and has no decode step.
    unknown : tuple of (str, str)
        Figures that have no value for this model, each with the sentence that says why.
    notes : tuple of str
        What a reader of the figures should know.
    """

    name: str
    layers: tuple[Layer, ...]
    d_model: int | None = None
    parameters: Parameters | None = None
    weight_bytes: int | None = None
    max_context: int | None = None
    generates: bool = True
    unknown: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = field(default=(), compare=False)

    @property
    def n_layer(self) -> int:
        """Return the number of layers."""
        return len(self.layers)

    @cached_property
    def groups(self) -> tuple[tuple[Layer, int], ...]:
        """Return each kind of layer once, with how many there are of it, in order of first appearance."""
        counted: dict[Layer, int] = {}
        for layer in self.layers:
            counted[layer] = counted.get(layer, 0) + 1
        return tuple(counted.items())

    def count(self, kind: LayerKind) -> int:
        """Return how many layers are of that kind."""
        return sum(1 for layer in self.layers if layer.kind == kind)

    def why_unknown(self, figure: str) -> str | None:
        """Return the sentence that says why a figure has no value, None if it has one."""
        return self._reasons.get(figure)

    @cached_property
    def _reasons(self) -> dict[str, str]:
        return dict(self.unknown)
