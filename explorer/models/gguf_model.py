"""Read a GGUF file as an architecture: what its keys say about layers, what its tensors say about parameters.

Keys are named ``<architecture>.<key>``. Where a file leaves out which layers have a window, the answer is what
llama.cpp does for that architecture; for an architecture that it gives no window, a window in the file has no effect.
Parameters are counted from the shapes of the tensors, so they are exact for any architecture, or not known when the
tensors are not in the file.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, kv_head_choices
from explorer.core.cost_model import Architecture, Indexer, Layer, Parameters
from explorer.models import states
from explorer.models.fields import MOST_LAYERS, Fields
from explorer.models.gguf import Header, Skipped, Tensor, read_header
from explorer.models.jsonfile import shown
from explorer.models.layers import CANNOT_SHARE, NO_HEAD_DIM

if TYPE_CHECKING:
    from pathlib import Path

NO_ARCHITECTURE = QT_TRANSLATE_NOOP(
    "models", "{path} does not name its architecture (general.architecture); it is not a language model's file"
)
LATER_PART = QT_TRANSLATE_NOOP("models", "{path} is part {part} of {parts} of a split model; open its first part")
NO_KEY = QT_TRANSLATE_NOOP("models", "{path} does not give {key}; the KV cache depends on it")
WHICH_ATTEND = QT_TRANSLATE_NOOP(
    "models", "{path} does not say which of its layers attend; {key} must be a list with one number a layer"
)
NONE_ATTENDS = QT_TRANSLATE_NOOP(
    "models", "{path}: {key} is 0 in every layer, but an architecture of the name {family} attends"
)
UNREAD_STATES = QT_TRANSLATE_NOOP(
    "models", "{path} gives {key}, a size of layers that keep a state, but not which layers these are"
)
NOT_LANGUAGE = QT_TRANSLATE_NOOP("models", "{path} holds {what}, not a language model")

# Every p-th layer of these sees the whole text, the others a window, when the file does not list them.
_WINDOWED: Final = {
    "gemma2": 2, "gemma3": 6, "gemma3n": 5, "gemma-embedding": 6, "gpt-oss": 2, "cohere2": 4, "olmo2": 4, "exaone4": 4,
    "exaone-moe": 4, "afmoe": 4, "plamo3": 8, "smallthinker": 4,
}  # fmt: skip
# In these it is the first of every p.
_FULL_COMES_FIRST: Final = frozenset({"smallthinker"})
# Architectures for which llama.cpp is known to leave a window in the file aside.
_WINDOW_LEFT_ASIDE: Final = frozenset(
    {"llama", "phi3", "phimoe", "qwen2", "qwen2moe", "qwen2vl", "qwen3", "qwen3moe", "qwen3vl", "qwen3vlmoe",
     "starcoder2", "smollm3", "granite", "deepseek2"}
)  # fmt: skip
# Mixed architectures: a list of KV heads says which layers attend.
_MIXED: Final = frozenset(
    {"jamba", "granitehybrid", "lfm2", "lfm2moe", "kimi-linear", "nemotron_h", "nemotron_h_moe", "plamo2"}
)
_OF_STATES: Final = ("ssm.inner_size", "ssm.state_size", "shortconv.l_cache", "wkv.head_size", "kda.head_dim")
_WINDOW_OF: Final = {"gemma2": 4096}
_CHUNK: Final = 8192
_RECURRENT: Final = frozenset({"mamba", "mamba2", "falcon-mamba", "rwkv6", "rwkv6qwen2", "rwkv7", "arwkv7"})
_INTERVAL: Final = {"qwen3next": 4, "qwen35": 4, "qwen35moe": 4}
_ENCODERS: Final = frozenset(
    {"bert", "nomic-bert", "nomic-bert-moe", "neo-bert", "jina-bert-v2", "jina-bert-v3", "modern-bert", "eurobert",
     "t5encoder", "gemma-embedding",
     # Masked diffusion fills in all positions at once, again and again.
     "llada", "llada-moe", "dream", "rnd1"}
)  # fmt: skip
_OTHER: Final = {
    "clip": "an image encoder", "mmproj": "an image encoder", "wavtokenizer-dec": "an audio decoder",
    "imatrix": "an importance matrix", "adapter": "an adapter", "controlvector": "a control vector",
    "diffusion": "a diffusion model", "flux": "a diffusion model", "sd1": "a diffusion model",
}  # fmt: skip


def read_gguf(path: Path) -> Architecture:
    """Return the architecture that a GGUF file describes.

    Raises
    ------
    InputError
        With one sentence, if the file cannot be read, holds no language model, lacks a key that the KV cache depends
        on, or contradicts itself.
    """
    return from_header(read_header(path))


def from_header(header: Header) -> Architecture:
    """Return the architecture that the header of a GGUF file describes.

    Raises
    ------
    InputError
        As for `read_gguf`.
    """
    part, parts = header.values.get("split.no"), header.values.get("split.count")
    named = header.values.get("general.architecture")
    if not isinstance(named, str) or not named:
        if isinstance(part, int) and part > 0:
            raise InputError(LATER_PART, path=header.name, part=part + 1, parts=parts)
        raise InputError(NO_ARCHITECTURE, path=header.name)
    kind = header.values.get("general.type")
    what = _OTHER.get(named) or _OTHER.get(str(kind))
    if what is not None:
        raise InputError(NOT_LANGUAGE, path=header.name, what=what)
    prefix = f"{named}."
    own = {key[len(prefix) :]: value for key, value in header.values.items() if key.startswith(prefix)}
    # A list too long to keep, or of words, is no size: whoever asks for one refuses it by these words.
    told = {k: f"a list of {v.length:,}" if isinstance(v, Skipped) else v for k, v in own.items()}
    reader = _Reader(header, named, Fields(told, header.name))
    return reader.architecture(split=isinstance(parts, int) and parts > 1)


class _Reader:
    """One file's fields on their way to an architecture, with the notes and gaps met on the way."""

    def __init__(self, header: Header, named: str, fields: Fields) -> None:
        self.header = header
        self.named = named
        self.fields = fields
        self.notes: list[str] = []
        self.unknown: dict[str, str] = {}

    def needed(self, *keys: str, most: int = 2**40) -> int:
        size = self.fields.size(*keys, most=most)
        if size is None:
            raise InputError(NO_KEY, path=self.header.name, key=f"{shown(self.named, 60)}.{keys[0]}")
        return size

    def architecture(self, *, split: bool) -> Architecture:
        fields = self.fields
        n_layer = self.n_layer()
        layers = self.layers(n_layer)
        parameters = None if split else count_tensors(self.header.tensors, fields, n_layer)
        if parameters is None:
            why = "the other parts of the model hold the rest of its tensors" if split else "the file holds no tensors"
            self.unknown["params"] = self.unknown["weight_flops"] = f"The parameters are not known: {why}."
        sizes = [tensor.n_bytes for tensor in self.header.tensors]
        known = [size for size in sizes if size is not None]
        whole = parameters is not None and len(known) == len(sizes)
        generates = self.named not in _ENCODERS and fields.flag("attention.causal", default=True)
        if not generates:
            self.notes.append("The model sees the whole text at once: it keeps no KV cache and has no decode step.")
        return Architecture(
            name=shown(self.header.values.get("general.name") or self.named, 120),
            layers=layers,
            d_model=fields.size("embedding_length"),
            parameters=parameters,
            weight_bytes=sum(known) if whole else None,
            max_context=fields.size("context_length"),
            generates=generates,
            unknown=tuple(self.unknown.items()),
            notes=tuple(dict.fromkeys(self.notes)),
        )

    def n_layer(self) -> int:
        fields = self.fields
        blocks = fields.size("decoder_block_count", most=MOST_LAYERS) or self.needed("block_count", most=MOST_LAYERS)
        further = fields.size("nextn_predict_layers", least=0) or 0
        if 0 < further < blocks:
            self.notes.append(
                f"Of {blocks} blocks, {further} predict further tokens (MTP); an engine that uses them keeps a cache "
                "for them, which is not counted."
            )
            return blocks - further
        return blocks

    # -------------------------------------------------------------------------------------------------- layers

    def layers(self, n_layer: int) -> tuple[Layer, ...]:
        if self.named in _RECURRENT:
            return (Layer("constant", states=self.states("recurrent")),) * n_layer
        heads = self.per_layer("attention.head_count", n_layer)
        if heads is None:
            raise InputError(NO_KEY, path=self.header.name, key=f"{shown(self.named, 60)}.attention.head_count")
        kv_heads = self.per_layer("attention.head_count_kv", n_layer)
        of_kv = f"{shown(self.named, 60)}.attention.head_count_kv"
        if self.named in _MIXED and not isinstance(self.fields.values.get("attention.head_count_kv"), list):
            raise InputError(WHICH_ATTEND, path=self.header.name, key=of_kv)
        if kv_heads is not None and not any(kv_heads):
            raise InputError(NONE_ATTENDS, path=self.header.name, key=of_kv, family=shown(self.named, 60))
        if kv_heads is None:
            self.notes.append("The file names no KV heads: every query head has its own (multi-head attention).")
        windows = self.windows(n_layer)
        attends = self.attending(n_layer, kv_heads)
        shared = self.fields.size("attention.shared_kv_layers", least=0) or 0
        made = []
        for i in range(n_layer):
            n_kv = heads[i] if kv_heads is None else kv_heads[i]
            if not attends[i] or heads[i] == 0 or n_kv == 0:
                made.append(Layer("constant", states=self.states(self.constant_kind(i))))
                continue
            layer = self.attention(heads[i], n_kv, windows[i])
            made.append(replace(layer, kind="shared", states=()) if i >= n_layer - shared > 0 else layer)
        unread = next((key for key in _OF_STATES if self.fields.has(key)), None)
        if unread is not None and all(layer.attends and not layer.states for layer in made):
            raise InputError(UNREAD_STATES, path=self.header.name, key=f"{shown(self.named, 60)}.{unread}")
        if shared:
            self.notes.append(f"The last {shared} layers read the keys and values of earlier layers.")
        return tuple(made)

    def per_layer(self, key: str, n_layer: int) -> list[int] | None:
        """Return one number per layer from a list, which may go on to further blocks, or from a single number."""
        value = self.fields.values.get(key)
        if isinstance(value, list):
            extra = self.fields.size("nextn_predict_layers", least=0) or 0
            entries = self.fields.entries(key, n_layer, extra=extra) or []
            return [self.fields.check(f"{key}[{i}]", entry, least=0) for i, entry in enumerate(entries)]
        number = self.fields.size(key, least=0)
        return None if number is None else [number] * n_layer

    def windows(self, n_layer: int) -> list[int | None]:
        """Return the window of each layer, None for the whole text."""
        fields = self.fields
        if self.named == "llama4":
            chunk = fields.size("attention.chunk_size") or _CHUNK
            return [chunk if (i + 1) % 4 else None for i in range(n_layer)]
        size = fields.size("attention.sliding_window", least=0) or _WINDOW_OF.get(self.named)
        if not size:
            return [None] * n_layer
        key = "attention.sliding_window_pattern"
        if isinstance(fields.values.get(key), list):
            listed = self.per_layer_flags(key, n_layer)
            return [size if flag else None for flag in listed]
        every = fields.size(key) or _WINDOWED.get(self.named)
        if every is None:
            family, why = shown(self.named, 60), f"The file states a window of {size:,} tokens"
            if self.named in _WINDOW_LEFT_ASIDE:
                self.notes.append(f"{why}, which llama.cpp does not apply to {family}.")
            elif self.named not in _ENCODERS:
                self.unknown["kv_bytes"] = self.unknown["attention_flops"] = f"{why}, but not which layers have it."
            return [None] * n_layer
        first = self.named in _FULL_COMES_FIRST
        return [size if (i if first else i + 1) % every else None for i in range(n_layer)]

    def per_layer_flags(self, key: str, n_layer: int) -> list[bool]:
        extra = self.fields.size("nextn_predict_layers", least=0) or 0
        return [bool(entry) for entry in self.fields.entries(key, n_layer, extra=extra) or []]

    def attending(self, n_layer: int, kv_heads: list[int] | None) -> list[bool]:
        every = self.fields.size("full_attention_interval") or _INTERVAL.get(self.named)
        if every:
            return [(i + 1) % every == 0 for i in range(n_layer)]
        return [True] * n_layer if kv_heads is None else [n > 0 for n in kv_heads]

    def constant_kind(self, i: int) -> str:
        """Return what a layer without attention is: recurrent, a convolution, or nothing but an FFN."""
        fields = self.fields
        if fields.has("shortconv.l_cache"):
            return "convolution"
        widths = fields.values.get("feed_forward_length")
        if self.named.startswith("nemotron_h") and isinstance(widths, list) and i < len(widths) and widths[i]:
            return "ffn"
        return "recurrent" if fields.has("ssm.inner_size") or fields.has("kda.head_dim") else "ffn"

    def attention(self, n_head: int, n_kv: int, window: int | None) -> Layer:
        fields = self.fields
        model = fields.size("embedding_length")
        rank = fields.size("attention.kv_lora_rank", least=0) or 0
        if rank:
            return self.latent(n_head, rank)
        if n_head % n_kv:
            choices = kv_head_choices(n_head)
            raise InputError(CANNOT_SHARE, where=self.header.name, n_head=n_head, n_head_kv=n_kv, choices=choices)
        d_k = fields.size("attention.key_length")
        if d_k is None:
            if model is None or model % n_head:
                why = "neither the width of the model" if model is None else f"{model} is no multiple of {n_head} heads"
                keys = f"{shown(self.named, 60)}.attention.key_length"
                raise InputError(NO_HEAD_DIM, where=self.header.name, why=why, keys=keys)
            d_k = model // n_head
        d_v = fields.size("attention.value_length") or d_k
        if window is not None:
            d_k, d_v = (
                (fields.size("attention.key_length_swa") or d_k),
                fields.size("attention.value_length_swa") or d_v,
            )
        beside = self.states("recurrent") if self.named == "falcon-h1" else ()
        kind: Any = "full" if window is None else "window"
        return Layer(kind, n_head, n_kv, d_k, d_v, window, chunked=self.named == "llama4", states=beside)

    def latent(self, n_head: int, rank: int) -> Layer:
        fields = self.fields
        rope = self.needed("rope.dimension_count")
        plain = (
            fields.size("attention.head_count_kv") != 1
            if not isinstance(fields.values.get("attention.head_count_kv"), list)
            else False
        )
        d_k = fields.size("attention.key_length_mla") or (fields.size("attention.key_length") if plain else None)
        d_v = fields.size("attention.value_length_mla") or (fields.size("attention.value_length") if plain else None)
        if d_k is None or d_v is None:
            self.unknown["attention_flops"] = "The file lacks the sizes of MLA's un-absorbed heads."
        self.notes.append(
            f"MLA: a token is kept as one latent of {rank} and one rotated key of {rope} for all heads, without V."
        )
        layer = Layer("latent", n_head, n_head, d_k or 0, d_v or 0, latent=rank, rope=rope)
        width, index = fields.size("attention.indexer.key_length"), fields.size("attention.indexer.head_count")
        chosen = fields.size("attention.indexer.top_k")
        if width is None or index is None or chosen is None:
            return layer
        return replace(layer, indexer=Indexer(index, width, chosen), states=(states.index_keys(width),))

    def states(self, kind: str) -> states.States:
        """Return what a layer of that kind keeps beside or instead of keys and values."""
        fields, model = self.fields, self.fields.size("embedding_length")
        if kind == "ffn":
            return ()
        if kind == "convolution" and model is not None:
            return (states.convolution(model, fields.size("shortconv.l_cache") or 3),)
        kernel = fields.size("ssm.conv_kernel") or 4
        head = fields.size("kda.head_dim")
        if head is not None:
            stated = fields.values.get("attention.head_count")
            entries = stated if isinstance(stated, list) else [stated]
            heads = max((fields.check("attention.head_count", entry, least=0) for entry in entries), default=0)
            return states.convolution(3 * heads * head, kernel), states.recurrent(heads * head * head)
        head = fields.size("wkv.head_size")
        if head is not None and model is not None:
            return (states.recurrent(2 * model + model * head),)
        inner, state = fields.size("ssm.inner_size"), fields.size("ssm.state_size")
        if inner is None or state is None:
            self.unknown["state_bytes"] = "The file lacks a size of the layers that keep a constant state."
            return ()
        groups = fields.size("ssm.group_count", least=0) or 0
        return states.convolution(inner + 2 * groups * state, kernel), states.recurrent(inner * state)


# ------------------------------------------------------------------------------------------------------- parameters

_NOT_LEARNED: Final = re.compile(r"^rope_(freqs|factors)")
_TABLE: Final = re.compile(r"^(token_embd|position_embd|token_types|per_layer_token_embd)\.weight$")
_VECTOR_LIKE: Final = re.compile(r"(conv1d|ssm_a|ssm_d|shortconv\.conv|_norm|time_mix_(lerp|first|decay)\w*)\b")


def count_tensors(tensors: list[Tensor], fields: Fields, n_layer: int) -> Parameters | None:
    """Return the parameters by what they are for, from the shapes of the tensors; None if there are none.

    Experts lie in one tensor with an axis of their own, so a token passes through chosen / all of it.
    """
    if not tensors:
        return None
    sums = dict.fromkeys(("embedding", "projections", "mixers", "ffn", "ffn_active", "head", "vectors", "encoder"), 0)
    count, chosen = fields.size("expert_count", least=0) or 0, fields.size("expert_used_count", least=0) or 0
    table = 0
    for tensor in tensors:
        if _NOT_LEARNED.match(tensor.name):
            continue
        part, size = _part_of(tensor, n_layer), tensor.n_elements
        sums[part] += size
        if tensor.name == "token_embd.weight":
            table = size
        if part == "ffn":
            sums["ffn_active"] += size * chosen // count if "_exps." in tensor.name and count else size
    tied = sums["head"] == 0
    return Parameters(**{**sums, "head": table if tied else sums["head"]}, tied=tied)


def _part_of(tensor: Tensor, n_layer: int) -> str:
    name = tensor.name
    block = re.match(r"blk\.(\d+)\.", name)
    if name.startswith("enc."):
        return "encoder"
    if _TABLE.match(name):
        return "embedding"
    if name == "output.weight":
        return "head"
    if len(tensor.shape) < 2 or _VECTOR_LIKE.search(name) or name.endswith(".bias"):
        return "vectors"
    # Blocks beyond the model's own predict further tokens: stored, but not run for every token.
    if block and int(block.group(1)[:9]) >= n_layer:
        return "encoder"
    if ".attn_" in name or ".cross_attn_" in name or ".indexer." in name:
        return "projections"
    return "ffn" if ".ffn_" in name else "mixers"
