"""Which layer of a model does what: the dozen ways in which published configs say it.

The result is one word per layer. What a layer of each kind keeps is `explorer.models.layers`' business. A list that is
there always wins over a rule, a rule in the file over what the family's class does when the file is silent; two that
disagree are refused.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.models.families import PLANS
from explorer.models.fields import MOST_LAYERS
from explorer.models.jsonfile import describe
from explorer.models.names import LONGEST, WINDOW

if TYPE_CHECKING:
    from explorer.models.block import Decoder
    from explorer.models.fields import Fields

Mix = Literal["full", "window", "chunk", "linear", "conv", "mamba", "hybrid", "recurrent", "cross", "ffn", "csa", "hca"]

UNKNOWN_KIND = QT_TRANSLATE_NOOP(
    "models", "{where}: {key} says {found}, a kind of layer that is not known; known are {choices}"
)
NO_WINDOW = QT_TRANSLATE_NOOP(
    "models", "{where}: {key} has window layers but {window} is missing; it must say how many tokens they see"
)
PATTERNS_DISAGREE = QT_TRANSLATE_NOOP(
    "models", "{where}: {first} and {second} disagree about layer {layer}; one of them is wrong"
)
WRONG_PATTERN = QT_TRANSLATE_NOOP(
    "models", "{where}: {key} is {found}; it must be a whole number, or letters L (window) and G (full)"
)
WRONG_LETTERS = QT_TRANSLATE_NOOP(
    "models", "{where}: {key} has {found} letters but the model has {expected} layers; there must be one a layer"
)
NOT_A_LAYER = QT_TRANSLATE_NOOP("models", "{where}: {key} names layer {found}; the model has layers {first} to {last}")

_WORDS: Final[dict[str, Mix]] = {
    "full_attention": "full", "attention": "full", "full": "full", "global": "full", "global_attention": "full",
    "sliding_attention": "window", "sliding_window_attention": "window", "local_attention": "window",
    "sliding": "window", "local": "window", "sliding_window": "window", "swa": "window", "hybrid_sliding": "window",
    "chunked_attention": "chunk", "minimax_m3_sparse": "full",
    "indexed_attention": "full", "deepseek_sparse_attention": "full", "qwen_sparse_attention": "full",
    "linear_attention": "linear", "lightning_attention": "linear", "linear": "linear", "gated_deltanet": "linear",
    "conv": "conv", "short_conv": "conv",
    "mamba": "mamba", "mamba2": "mamba", "hybrid": "hybrid", "recurrent": "recurrent",
    "moe": "ffn", "mlp": "ffn",
    "compressed_sparse_attention": "csa", "heavily_compressed_attention": "hca",
}  # fmt: skip
_RATED: Final = ("csa", "hca")
_WORD_LISTS: Final = ("layer_types", "layers_block_type", "attention_layers")
# Lists of the layers that attend, with what the others are.
_LISTS_OF_ATTENDING: Final[dict[str, Mix]] = {
    "attn_layer_indices": "mamba", "full_attn_idxs": "conv", "attn_layer_idxs": "linear", "attn_layer_idx": "mamba",
}  # fmt: skip
_LETTERS: Final[dict[str, Mix]] = {"M": "mamba", "*": "full", "-": "ffn", "E": "ffn"}

# Families whose class decides which layers have the window when the file gives only its size: every p-th is full.
_EVERY_PTH_IS_FULL: Final = {
    "gemma2": 2, "gemma3": 6, "gemma3n": 5, "gemma4": 6, "gpt_oss": 2, "cohere2": 4, "olmo3": 4, "exaone4": 4,
}  # fmt: skip
# These have windows even when the file does not say how large, unless it says null.
_ALWAYS_WINDOWED: Final = frozenset({"gemma2", "gemma3", "gemma3n", "gemma4", "gpt_oss", "cohere2"})
_FIRST_WINDOW_THEN_FULL: Final = frozenset({"qwen2", "qwen2_moe", "qwen3", "qwen3_moe", "qwen3_next", "dream"})
# In these every layer has the window that the file states.
_ALL_WINDOWED: Final = frozenset(
    {"mistral", "mixtral", "phi3", "phimoe", "starcoder2", "ministral", "gpt_neo", "idefics2", "voxtral_realtime_text"}
)
_SSM: Final = frozenset({"mamba", "mamba2", "falcon_mamba", "codestral_mamba", "rwkv", "rwkv7", "xlstm"})


def pattern(decoder: Decoder, n_layer: int) -> list[Mix]:
    """Return what each layer does, in order.

    Raises
    ------
    InputError
        If a kind of layer is not known, or fields contradict each other.
    """
    fields = decoder.fields
    for read in _READERS:
        kinds = read(decoder, n_layer)
        if kinds is not None:
            break
    else:
        kinds = ["full"] * n_layer
    if decoder.family in _SSM and not fields.has("attn_layer_idx"):
        kinds = ["mamba"] * n_layer
    crossing = fields.items("cross_attention_layers")
    if crossing is not None:
        for index in _layer_numbers(fields, "cross_attention_layers", n_layer):
            kinds[index] = "cross"
    return _without_idle_windows(decoder, kinds)


def window_size(fields: Fields) -> int | None:
    """Return the tokens that a window layer sees, itself included."""
    # Some files write 0 for no window.
    return fields.size(*WINDOW, least=0) or None


def is_listed(decoder: Decoder, n_layer: int) -> bool:
    """Say whether the file itself says of each layer what it does."""
    return any(read(decoder, n_layer) is not None for read in _LISTS)


def undecided_window(decoder: Decoder, n_layer: int) -> int | None:
    """Return a window that neither the file nor the family gives to any layer, None if there is none."""
    fields, window = decoder.fields, window_size(decoder.fields)
    known = decoder.family in PLANS or decoder.family in _EVERY_PTH_IS_FULL or decoder.family in _ALL_WINDOWED
    if window is None or known or fields.values.get("use_sliding_window") is False:
        return None
    longest = _first_size(fields, LONGEST)
    never = longest is not None and window >= longest
    return None if never or any(read(decoder, n_layer) is not None for read in _READERS) else window


def compress_ratios(fields: Fields, kinds: list[Mix]) -> list[int]:
    """Return how many tokens each layer compresses into one, 0 where it compresses none or the file does not say."""
    listed = fields.items("compress_ratios")
    if listed is not None:
        ratios = [fields.check(f"compress_ratios[{i}]", ratio, least=0) for i, ratio in enumerate(listed)]
        return [*ratios, *[0] * (len(kinds) - len(ratios))]
    rates = fields.block("compress_rates")
    by_kind: dict[Mix, int] = {
        kind: (rates.size(word) if rates is not None else None) or 0 for word, kind in _WORDS.items() if kind in _RATED
    }
    return [by_kind.get(kind, 0) for kind in kinds]


def _layer_numbers(fields: Fields, key: str, n_layer: int, *, first: int = 0) -> list[int]:
    numbers = []
    for position, entry in enumerate(fields.items(key) or []):
        number = fields.check(f"{key}[{position}]", entry, least=0)
        if not first <= number < n_layer + first:
            raise InputError(
                NOT_A_LAYER, where=fields.where, key=key, found=number, first=first, last=n_layer + first - 1
            )
        numbers.append(number - first)
    return numbers


def _from_blocks(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    """Read `block_configs`: a search left some layers without attention."""
    blocks = decoder.fields.entries("block_configs", n_layer)
    if blocks is None:
        return None
    kinds: list[Mix] = []
    for block in blocks:
        attention = block.get("attention") if isinstance(block, dict) else None
        if not isinstance(attention, dict):
            raise InputError(
                UNKNOWN_KIND, where=decoder.fields.where, key="block_configs", found=describe(block),
                choices=Choices(["an object with attention"]),
            )  # fmt: skip
        without = attention.get("no_op") or attention.get("replace_with_linear")
        kinds.append("ffn" if without else "window" if attention.get("window_length") else "full")
    return kinds


def _from_letters(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    fields = decoder.fields
    letters = fields.word("hybrid_override_pattern")
    if letters is None:
        return None
    if len(letters) != n_layer:
        raise InputError(
            WRONG_LETTERS, where=fields.where, key="hybrid_override_pattern", found=len(letters), expected=n_layer
        )
    unknown = next((letter for letter in letters if letter not in _LETTERS), None)
    if unknown is not None:
        raise InputError(
            UNKNOWN_KIND, where=fields.where, key="hybrid_override_pattern", found=describe(unknown),
            choices=Choices(_LETTERS),
        )  # fmt: skip
    return [_LETTERS[letter] for letter in letters]


def _from_words(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    fields = decoder.fields
    key = next((key for key in _WORD_LISTS if fields.has(key)), None)
    if key is None:
        return None
    # Some files go on to the layers that predict further tokens, which are no part of the model proper.
    words = fields.entries(key, n_layer, extra=fields.size("num_nextn_predict_layers", least=0) or 0) or []
    kinds: list[Mix] = []
    for word in words:
        kind = _WORDS.get(word.lower()) if isinstance(word, str) else None
        if kind is None:
            raise InputError(UNKNOWN_KIND, where=fields.where, key=key, found=describe(word), choices=Choices(_WORDS))
        # Newer files call every layer with a state linear attention, also Mamba's.
        kinds.append("mamba" if kind == "linear" and _has_mamba(fields) else kind)
    _agree_with_interval(decoder, key, kinds)
    if "window" in kinds and "sliding_window" in fields.values and window_size(fields) is None:
        raise InputError(NO_WINDOW, where=fields.where, key=key, window="sliding_window")
    if "chunk" in kinds and not fields.has("attention_chunk_size"):
        raise InputError(NO_WINDOW, where=fields.where, key=key, window="attention_chunk_size")
    return kinds


def _has_mamba(fields: Fields) -> bool:
    own = fields.has("linear_num_value_heads", "linear_attn_config")
    return fields.has("mamba_d_state", "ssm_state_size") and not own


def _agree_with_interval(decoder: Decoder, key: str, kinds: list[Mix]) -> None:
    by_interval = _by_full_interval(decoder, len(kinds))
    if by_interval is None or not decoder.fields.has("full_attention_interval"):
        return
    for layer, (kind, other) in enumerate(zip(kinds, by_interval, strict=True)):
        if (kind == "full") != (other == "full"):
            raise InputError(
                PATTERNS_DISAGREE, where=decoder.fields.where, first=key, second="full_attention_interval", layer=layer
            )


def _by_full_interval(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    interval = decoder.fields.size("full_attention_interval")
    if interval is None:
        if decoder.family not in ("qwen3_next", "qwen3_5", "qwen3_5_moe"):
            return None
        interval = 4
    return ["full" if (i + 1) % interval == 0 else "linear" for i in range(n_layer)]


def _from_lists(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    """Read lists of numbers: which layers attend, which have a window, which are compressed."""
    fields = decoder.fields
    if fields.has("attn_type_list"):
        return ["full" if entry else "linear" for entry in fields.sizes("attn_type_list", n_layer) or []]
    if fields.has("hybrid_layer_pattern"):
        if window_size(fields) is None:
            raise InputError(NO_WINDOW, where=fields.where, key="hybrid_layer_pattern", window="sliding_window")
        return ["window" if entry else "full" for entry in fields.sizes("hybrid_layer_pattern", n_layer) or []]
    linear = fields.block("linear_attn_config")
    if linear is not None and linear.has("full_attn_layers"):
        attending = set(_layer_numbers(linear, "full_attn_layers", n_layer, first=1))
        return ["full" if i in attending else "linear" for i in range(n_layer)]
    if fields.has("compress_ratios"):
        ratios = fields.entries("compress_ratios", n_layer, extra=fields.size("num_nextn_predict_layers", least=0) or 0)
        numbers = [fields.check(f"compress_ratios[{i}]", ratio, least=0) for i, ratio in enumerate(ratios or [])]
        return [_compressed(ratio) for ratio in numbers]
    return None


def _from_turns(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    """Read a turn of words that repeats: GPT-Neo's, RecurrentGemma's."""
    fields = decoder.fields
    if fields.has("attention_types"):
        # [[["global", "local"], 12]] means twelve times these two.
        turns = [word for entry in fields.items("attention_types") or [] for word in _turn(entry)]
        if len(turns) != n_layer or any(word not in _WORDS for word in turns):
            found, choices = describe(fields.values["attention_types"]), Choices(["global", "local"])
            raise InputError(UNKNOWN_KIND, where=fields.where, key="attention_types", found=found, choices=choices)
        return [_WORDS[word] for word in turns]
    if decoder.family != "recurrent_gemma":
        return None
    key = next((key for key in ("block_types", "_block_types") if fields.has(key)), None)
    words = ["recurrent", "recurrent", "attention"] if key is None else fields.items(key) or []
    turn = [_WORDS.get(str(word)) for word in words]
    if not turn or None in turn:
        raise InputError(
            UNKNOWN_KIND, where=fields.where, key=key, found=describe(words),
            choices=Choices(["recurrent", "attention"]),
        )  # fmt: skip
    kinds = [turn[i % len(turn)] or "full" for i in range(n_layer)]
    return ["window" if kind == "full" else kind for kind in kinds]


def _from_layer_numbers(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    """Read lists of the numbers of those layers that attend, or that have a window."""
    fields = decoder.fields
    for key, other in _LISTS_OF_ATTENDING.items():
        if fields.has(key):
            attending = set(_layer_numbers(fields, key, n_layer))
            return ["full" if i in attending else other for i in range(n_layer)]
    if not fields.has("sliding_window_layers"):
        return None
    windowed = set(_layer_numbers(fields, "sliding_window_layers", n_layer))
    if windowed and window_size(fields) is None:
        raise InputError(NO_WINDOW, where=fields.where, key="sliding_window_layers", window="sliding_window")
    return ["window" if i in windowed else "full" for i in range(n_layer)]


def _turn(entry: object) -> list[str]:
    if not isinstance(entry, list) or len(entry) != 2 or not isinstance(entry[0], list):
        return [""]
    words, times = entry
    if isinstance(times, bool) or not isinstance(times, int) or not 0 < times <= MOST_LAYERS:
        return [""]
    return [str(word) for word in words[:MOST_LAYERS]] * times if len(words) * times <= MOST_LAYERS else [""]


def _compressed(ratio: int) -> Mix:
    # The sparse kind compresses a few tokens into one and chooses among them, the heavy kind a hundred and sees all.
    return "window" if ratio == 0 else "csa" if ratio < 32 else "hca"


def _from_intervals(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    fields = decoder.fields
    if decoder.family == "bamba":
        return ["mamba"] * n_layer
    group = fields.size("layer_group_size")
    if group is not None and decoder.family.startswith("bailing"):
        # Each group ends in a layer that attends, and so do all layers of a last group that is not whole.
        return ["full" if (i + 1) % group == 0 or i >= n_layer // group * group else "linear" for i in range(n_layer)]
    if decoder.family == "zamba":
        period, offset = fields.size("attn_layer_period") or 6, fields.size("attn_layer_offset", least=0)
        offset = 4 if offset is None else offset
        # The first three layers stand before the period begins.
        return ["hybrid" if i == 2 or (i > 2 and (i - 3) % period == offset) else "mamba" for i in range(n_layer)]
    if fields.has("attn_layer_period") or decoder.family == "jamba":
        period = fields.size("attn_layer_period") or 8
        offset = fields.size("attn_layer_offset", least=0)
        offset = 4 if offset is None else offset
        return ["full" if i % period == offset else "mamba" for i in range(n_layer)]
    by_interval = _by_full_interval(decoder, n_layer)
    if by_interval is not None:
        return by_interval
    if decoder.family == "llama4" and fields.has("attention_chunk_size"):
        turning = fields.sizes("no_rope_layers", n_layer) if fields.items("no_rope_layers") else None
        interval = fields.size("no_rope_layer_interval") or 4
        rotated = turning or [int((i + 1) % interval != 0) for i in range(n_layer)]
        return ["chunk" if entry else "full" for entry in rotated]
    return None


def _from_windows(decoder: Decoder, n_layer: int) -> list[Mix] | None:
    """Read a window that comes without a list: a pattern, or what the family's class does."""
    fields = decoder.fields
    if window_size(fields) is None and ("sliding_window" in fields.values or decoder.family not in _ALWAYS_WINDOWED):
        return None
    if decoder.family in _FIRST_WINDOW_THEN_FULL or fields.has("max_window_layers"):
        if not fields.flag("use_sliding_window"):
            return None
        first = fields.size("max_window_layers", least=0)
        # Qwen3's mixture of experts gives every layer the window, whatever max_window_layers says.
        first = 0 if decoder.family == "qwen3_moe" else 28 if first is None else first
        return ["window" if i >= first else "full" for i in range(n_layer)]
    if fields.values.get("use_sliding_window") is False:
        return None
    given = next((key for key in ("sliding_window_pattern", "_sliding_window_pattern") if fields.has(key)), None)
    every: int | str = _EVERY_PTH_IS_FULL.get(decoder.family, 0)
    if given is not None:
        value = fields.values[given]
        if isinstance(value, str):
            every = value
        elif isinstance(value, list):
            return ["window" if fields.check(given, entry, least=0) else "full"
                    for entry in fields.entries(given, n_layer) or []]  # fmt: skip
        else:
            every = fields.check(given, value)
    if not every and given is None and decoder.family not in _ALL_WINDOWED:
        return None
    if isinstance(every, str):
        if not every or set(every.upper()) - {"L", "G"}:
            raise InputError(WRONG_PATTERN, where=fields.where, key=given, found=describe(every))
        return ["window" if every[i % len(every)].upper() == "L" else "full" for i in range(n_layer)]
    kinds: list[Mix] = ["window" if not every or (i + 1) % every else "full" for i in range(n_layer)]
    if decoder.family == "gemma4" and kinds:
        kinds[-1] = "full"
    return kinds


_LISTS: Final = (_from_blocks, _from_letters, _from_words, _from_lists, _from_layer_numbers, _from_turns)
_READERS: Final = (*_LISTS, _from_intervals, _from_windows)


def _without_idle_windows(decoder: Decoder, kinds: list[Mix]) -> list[Mix]:
    """Return the kinds with windows that never cut anything counted as full."""
    fields = decoder.fields
    window, longest = window_size(fields), _first_size(fields, LONGEST)
    if "csa" in kinds or "hca" in kinds or fields.has("block_configs"):
        return kinds
    never = window is not None and longest is not None and window >= longest
    switched_off = fields.values.get("use_sliding_window") is False
    return ["full" if kind == "window" and (never or switched_off) else kind for kind in kinds]


def _first_size(fields: Fields, keys: tuple[str, ...]) -> int | None:
    """Return the first of several sizes that need not agree."""
    return next((size for key in keys if (size := fields.size(key)) is not None), None)
