"""Find the language model inside a config.json, and the names that its sizes go by.

Multimodal configs nest the decoder one or two levels down, beside vision and audio blocks that use the same key names;
old and converted configs rename every size. What a family of models takes for granted when a key is absent is here too,
but only where published configs are known to leave that key out: everything else that is absent is missing.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.models.class_defaults import IRREGULAR, LAYER_TYPES, of_class
from explorer.models.fields import DISAGREE, MOST_LAYERS, Fields
from explorer.models.names import N_LAYER, N_LAYER_DECODER, VOCAB, aliases

if TYPE_CHECKING:
    from collections.abc import Mapping

NO_LANGUAGE_MODEL = QT_TRANSLATE_NOOP(
    "models", "{where} describes {what}, not a language model; accepted is the config.json of a language model"
)
NO_LAYERS = QT_TRANSLATE_NOOP("models", "{where} does not say how many layers the model has; one of {keys} is needed")

# Blocks that hold the decoder of a multimodal model, outermost name first.
_NESTS: Final = (
    ("text_config",), ("language_config",), ("llm_config",), ("thinker_config", "text_config"), ("decoder",),
    ("text_model",), ("lm_config",),
)  # fmt: skip

# One name for the spellings of a family, as `model_type` or as the stem of the class in `architectures`.
_SAME_FAMILY: Final = {
    "refinedwebmodel": "falcon", "refinedweb": "falcon", "rw": "falcon",
    "phi-msft": "phi", "phi3_v": "phi3", "phi3v": "phi3",
    "gptneox": "gpt_neox", "gptj": "gptj", "gptbigcode": "gpt_bigcode", "gptneo": "gpt_neo",
    "gemma3_text": "gemma3", "gemma3n_text": "gemma3n", "gemma4_text": "gemma4",
    "gemma4_unified_text": "gemma4", "glm4_moe_lite": "deepseek_v3",
    "qwen3_vl_text": "qwen3", "qwen3_vl_moe_text": "qwen3_moe", "qwen2_5_vl_text": "qwen2", "qwen2_vl_text": "qwen2",
    "qwen2_5_vl": "qwen2", "qwen2_vl": "qwen2", "qwen2_5_omni_text": "qwen2",
    "qwen3_5_text": "qwen3_5", "qwen3_5_moe_text": "qwen3_5_moe",
    "llama4_text": "llama4", "mllama_text_model": "mllama", "glm4v_moe_text": "glm4_moe", "glm4v_moe": "glm4_moe",
    "kimi_k2": "deepseek_v3", "deepseekv3": "deepseek_v3", "deepseekv2": "deepseek_v2",
    "cohere2_text": "cohere2", "mimo": "qwen2", "nemotronh": "nemotron_h", "rwkv5": "rwkv", "rwkv6": "rwkv",
    "gpt-oss": "gpt_oss", "gptoss": "gpt_oss", "minimaxm1": "minimax_m1", "mistral3": "mistral",
    "ministral3": "mistral", "ministral": "mistral", "yi": "llama", "aquila": "llama",
    "codellama": "llama",
}  # fmt: skip

# Encoders see the whole text at once and keep nothing.
ENCODERS: Final = frozenset(
    {
        "bert", "roberta", "xlm-roberta", "distilbert", "albert", "electra", "deberta", "deberta-v2", "mpnet",
        "modernbert", "nomic_bert", "camembert", "xlm-roberta-xl", "ernie", "megatron-bert", "layoutlm", "esm",
        "mobilebert", "convbert", "nystromformer", "big_bird", "longformer", "funnel", "squeezebert", "eurobert",
        "t5encoder", "bert-generation", "data2vec-text", "roberta-prelayernorm", "rembert", "roc_bert", "roformer",
        "xmod", "ibert", "luke", "fnet", "canine", "splinter", "yoso", "mra", "nezha", "xlm", "flaubert", "new", "gte",
        "jina_embeddings_v3", "neobert", "dpr", "tapas", "lilt", "bros", "layoutlmv2", "layoutlmv3", "markuplm",
        # Masked diffusion fills in all positions at once, again and again.
        "llada", "llada_moe", "dream",
    }
)  # fmt: skip
ENCODER_DECODERS: Final = frozenset(
    {
        "t5", "mt5", "umt5", "longt5", "switch_transformers", "bart", "mbart", "pegasus", "marian", "m2m_100",
        "whisper", "blenderbot", "blenderbot-small", "speech_to_text", "plbart", "led", "nllb-moe", "bigbird_pegasus",
        "pegasus_x", "florence2_language", "moonshine",
    }
)  # fmt: skip
_T5_LIKE: Final = frozenset({"t5", "mt5", "umt5", "longt5", "switch_transformers"})

_NOT_LANGUAGE: Final = {
    **dict.fromkeys(
        ("vit", "deit", "beit", "swin", "swinv2", "convnext", "convnextv2", "resnet", "dinov2", "dinov3_vit", "sam",
         "sam2", "detr", "mask2former", "segformer", "yolos", "vit_mae", "siglip_vision_model", "clip_vision_model",
         "depth_anything", "regnet", "efficientnet", "pvt", "levit", "mobilevit", "timm_wrapper", "ijepa",
         "vitpose", "hiera"), "an image model"),
    **dict.fromkeys(("clip", "siglip", "siglip2", "align", "chinese_clip", "xclip"), "a matcher of images and text"),
    **dict.fromkeys(
        ("wav2vec2", "hubert", "wavlm", "wav2vec2-bert", "data2vec-audio", "audio-spectrogram-transformer", "encodec",
         "mimi", "dac", "sew", "unispeech", "clap", "vits"), "an audio model"),
    **dict.fromkeys(("time_series_transformer", "autoformer", "informer", "patchtst", "timesfm"), "a series model"),
}  # fmt: skip

# What a family's class does when a key is null.
_DEFAULTS: Final[dict[str, dict[str, Any]]] = {
    "gemma": {"head_dim": 256},
    "gemma2": {"head_dim": 256},
    "gemma3": {"head_dim": 256},
    "gemma3n": {"head_dim": 256},
    "gemma4": {"head_dim": 256},
}
# Of the sizes that a class adds, those that a reader of the figures should know of.
_TOLD: Final = (
    "hidden_size", "num_hidden_layers", "num_attention_heads", "num_key_value_heads", "head_dim", "sliding_window",
    "kv_lora_rank", "layer_types",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Decoder:
    """The block of a config that describes the language model.

    Parameters
    ----------
    fields : Fields
        Its fields, with the defaults that its family's published configs rely on.
    outer : Fields
        The whole config.
    family : str
        One name for a family of models; "" if the file does not say.
    said_type : str
        The `model_type` as the file spells it.
    nested : bool
        The block lies inside a multimodal config.
    assumed : tuple of str
        Keys that were filled in from the family's class.
    irregular : bool
        The class decides which layer does what, by a rule that is not known, and the file does not say it.
    """

    fields: Fields
    outer: Fields
    family: str
    said_type: str
    nested: bool
    assumed: tuple[str, ...]
    irregular: bool = False

    @property
    def n_layer(self) -> int:
        """Return the number of layers that generate text.

        Raises
        ------
        InputError
            If the config does not say.
        """
        keys = (*N_LAYER_DECODER, *N_LAYER) if self.has_encoder else N_LAYER
        if self.family == "longcat_flash":
            return self._of_longcat()
        found = self.fields.size(*N_LAYER_DECODER, most=MOST_LAYERS) if self.has_encoder else None
        found = found or self.fields.size(*N_LAYER, most=MOST_LAYERS)
        found = found or self.fields.size(*N_LAYER_DECODER, most=MOST_LAYERS)
        if found is None:
            found = self._length_of_pattern()
        if found is None:
            raise InputError(NO_LAYERS, where=self.fields.where, keys=Choices(keys))
        return found

    @property
    def passes(self) -> int:
        """Return how often a token runs through the layers, each time with keys and values of its own."""
        return (self.fields.size("total_ut_steps", most=100) or 4) if self.family == "ouro" else 1

    def _of_longcat(self) -> int:
        """Return the attentions of a model whose layers attend twice; `num_hidden_layers` counts attentions."""
        blocks = self.fields.size("num_layers", most=MOST_LAYERS // 2)
        attentions = self.fields.size("num_hidden_layers", most=MOST_LAYERS)
        if blocks is None and attentions is None:
            raise InputError(NO_LAYERS, where=self.fields.where, keys=Choices(N_LAYER))
        if blocks is not None and attentions not in (None, blocks, 2 * blocks):
            raise InputError(
                DISAGREE, where=self.fields.where, first_key="num_layers", first=blocks,
                second_key="num_hidden_layers", second=attentions,
            )  # fmt: skip
        return attentions or 0 if blocks is None else 2 * blocks

    def _length_of_pattern(self) -> int | None:
        for key in ("layers_block_type", "layer_types", "block_configs"):
            entries = self.fields.items(key)
            if entries:
                return len(entries)
        pattern = self.fields.values.get("hybrid_override_pattern")
        return len(pattern) if isinstance(pattern, str) and 0 < len(pattern) <= MOST_LAYERS else None

    @property
    def has_encoder(self) -> bool:
        """Say whether an encoder feeds the decoder through cross-attention."""
        return self.family in ENCODER_DECODERS or self.fields.flag("is_encoder_decoder")

    @property
    def is_encoder(self) -> bool:
        """Say whether the model is an encoder alone, which keeps no cache."""
        both_ways = self._sees_both_ways or self.fields.flag("is_causal", default=True) is False
        return both_ways or (self.family in ENCODERS and not self.fields.flag("is_decoder"))

    @property
    def _sees_both_ways(self) -> bool:
        """Say whether text is seen both ways; some files write "all" for that, and "vision" for images alone."""
        word = self.fields.values.get("use_bidirectional_attention")
        if word in ("all", "vision"):
            return bool(word == "all")
        return self.fields.flag("use_bidirectional_attention")

    @property
    def is_t5(self) -> bool:
        """Say whether the model is one of T5's family, whose head size is a key of its own."""
        return self.family in _T5_LIKE

    @property
    def disagrees_about_tie(self) -> bool:
        """Say whether the language model's block and the whole config differ about the tie of head and embedding."""
        key, blocks = "tie_word_embeddings", (self.fields, self.outer)
        return all(fields.has(key) for fields in blocks) and len({fields.flag(key) for fields in blocks}) > 1

    def tied(self) -> bool | None:
        """Return what the file says about the head being the embedding table, None if it does not."""
        for fields in (self.fields, self.outer):
            if fields.has("tie_word_embeddings"):
                return fields.flag("tie_word_embeddings")
        return self.fields.flag("share_input_output_layers") if self.fields.has("share_input_output_layers") else None


def find_decoder(values: Mapping[str, Any], name: str, *, of_a_class: bool = True) -> Decoder:
    """Return the block of a config that describes its language model.

    Unless `of_a_class` is false, what the file leaves out is what its class takes for granted.

    Raises
    ------
    InputError
        If the config describes something else.
    """
    outer = Fields(_of_state_spaces(values) if "ssm_cfg" in values else values, name)
    outer_type = (outer.word("model_type") or "").lower()
    inner, nested = outer, False
    for path in _NESTS:
        block: Fields | None = outer
        for key in path:
            block = block.block(key) if block is not None and isinstance(block.values.get(key), dict) else None
        if block is not None and (block.has(*N_LAYER, *N_LAYER_DECODER) or not outer.has(*N_LAYER, *N_LAYER_DECODER)):
            # A block that says less than the file around it is not the model's.
            inner, nested = block, True
            break
    said_type = (inner.word("model_type") or outer_type).lower() if nested else outer_type
    stem = _class_stem(inner) or (_class_stem(outer) if not nested else "")
    family = _family(said_type) if said_type else _family(stem)
    what = _NOT_LANGUAGE.get(outer_type) or (None if nested else _other_kind(outer))
    if what is not None:
        raise InputError(NO_LANGUAGE_MODEL, where=name, what=what)
    defaults = of_class(said_type, inner.values, nested=nested) if of_a_class else {}
    defaults |= {key: value for key, value in _DEFAULTS.get(family, {}).items() if not inner.has(key)}
    if nested and outer.has(*VOCAB):
        defaults["vocab_size"] = outer.size(*VOCAB)
    turn = defaults.pop(LAYER_TYPES, None)
    missing = {
        key: value
        for key, value in defaults.items()
        if (key not in inner.values or key in _DEFAULTS.get(family, {})) and not inner.has(*aliases(key))
    }
    decoder = Decoder(inner.filled(missing), outer, family, said_type or stem, nested, (), irregular=turn == IRREGULAR)
    if isinstance(turn, list):
        missing[LAYER_TYPES] = [turn[i % len(turn)] for i in range(decoder.n_layer)]
    return replace(
        decoder, fields=inner.filled(missing), assumed=tuple(key for key in _TOLD if missing.get(key) is not None)
    )


def _of_state_spaces(values: Mapping[str, Any]) -> dict[str, Any]:
    """Return a config of the first Mamba models, which names everything its own way, under the usual names."""
    of_ssm, of_attention = values["ssm_cfg"], values.get("attn_cfg")
    ssm = of_ssm if isinstance(of_ssm, dict) else {}
    attention = of_attention if isinstance(of_attention, dict) else {}
    second, attends = ssm.get("layer") == "Mamba2", bool(values.get("attn_layer_idx"))
    usual = {
        "model_type": "mamba-with-attention" if attends else "mamba2" if second else "mamba",
        "mamba_d_state" if attends else "state_size": ssm.get("d_state", 128 if second else 16),
        "mamba_d_conv" if attends else "conv_kernel": ssm.get("d_conv", 4),
        "mamba_expand" if attends else "expand": ssm.get("expand", 2),
        "tie_word_embeddings": values.get("tie_embeddings", True),
    }
    if second:
        usual["mamba_headdim" if attends else "head_dim"] = ssm.get("headdim", 64)
        usual["mamba_ngroups" if attends else "n_groups"] = ssm.get("ngroups", 1)
    vocab, step = values.get("vocab_size"), values.get("pad_vocab_size_multiple", 8)
    if type(vocab) is int and type(step) is int and step > 0:
        usual["vocab_size"] = -(-vocab // step) * step
    if attends:
        usual["num_attention_heads"] = attention.get("num_heads")
        usual["num_key_value_heads"] = attention.get("num_heads_kv")
        usual["attention_head_dim"] = attention.get("head_dim")
        usual["conv_window"] = attention.get("d_conv")
    return {**values, **usual}


def _family(name: str) -> str:
    return _SAME_FAMILY.get(name, name)


def _class_stem(fields: Fields) -> str:
    """Return the family that a class in `architectures` is named after, in lower case."""
    named = fields.values.get("architectures")
    first = named[0] if isinstance(named, list) and named and isinstance(named[0], str) else ""
    stem = re.sub(r"(For[A-Z]\w*|With\w*|LMHead\w*|Model)$", "", first)
    snake = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", stem).lower()
    return snake.replace("_", "") if snake.replace("_", "") in _SAME_FAMILY else snake


def _other_kind(fields: Fields) -> str | None:
    """Return what a config describes when it has no vocabulary and the sizes of something else."""
    if fields.has("_class_name", "_diffusers_version"):
        return "a diffusion model's part"
    if fields.has(*VOCAB):
        return None
    if fields.has("image_size", "patch_size", "num_channels"):
        return "an image model"
    if fields.has("conv_dim", "feat_extract_norm", "sampling_rate", "num_codebooks"):
        return "an audio model"
    if fields.has("tokenizer_class") and not fields.has(*N_LAYER, *N_LAYER_DECODER):
        return "a tokenizer"
    return None
