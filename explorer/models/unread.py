"""Keys that change what is kept and that this reader does not follow: found, and refused by name.

New architectures arrive as ordinary configs with one key more: layers run in a loop, heads shared under a new word,
every fourth layer recurrent. Read without that key, such a file gives figures that look right and are not. So a key
whose name speaks of such things, which nothing here reads and which is switched on, is an answer: not known.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.models.jsonfile import describe
from explorer.models.names import HEAD_DIM, N_HEAD_KV

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.cost_model import Layer
    from explorer.models.block import Decoder
    from explorer.models.fields import Fields

UNREAD = QT_TRANSLATE_NOOP(
    "models", "{where}: {key} is {found}, which changes what the model keeps in a way that is not known here"
)
UNREAD_FAMILY = QT_TRANSLATE_NOOP(
    "models", "{where}: a model of the type {family} keeps something else than keys and values, which is not known here"
)

# Models that attend in ways of their own; their configs look ordinary.
_OTHERWISE: Final = frozenset(
    {
        "reformer", "transfo-xl", "xlnet", "perceiver", "megalodon", "mega", "hymba", "phi4flash", "samba", "blt",
        "retnet", "gla", "delta_net", "gated_deltanet", "gated_deltaproduct", "hgrn", "hgrn2", "linear_attn", "gsa",
        "lightnet", "rodimus", "log_linear_mamba2", "comba", "path_attn", "mesa_net",
        "jetnemotron", "jet_nemotron", "nemotron_flash",
    }
)  # fmt: skip

_LOOPS: Final = re.compile(r"(^|_)(loops?|ut_steps|unroll\w*|recurr(ence|ences|ent)|recursions?)(_|$)")
_SHARES: Final = re.compile(
    r"((kv|key_value|attention|attn)_?(cache)?_?(shar|reus|tied|tying)\w*"
    r"|(shar|reus)\w*_(kv|key_value|attention|attn)(_|$)|yoco)"
)
_KV_WORDS: Final = re.compile(r"(kv_?heads?|key_value_(heads?|groups?)|heads?_kv|(kv|gqa|query)_groups?|multi_?query)")
_HEAD_SIZE: Final = re.compile(
    r"^(attention_|attn_|self_attn_|attn_head_|q_|k_|qk_|kv_)?(head_?(dim|size|width)|(dim|size|width)_?(per|of)?_?heads?)$"
)
_LATENT: Final = re.compile(r"((kv|key_value)_(lora|latent|rank|compress\w*|down)|latent_(kv|attention|attn))")
_WHICH: Final = re.compile(
    r"(attn|attention|global|local|full|sliding|swa|mamba|ssm|linear|recurrent|hybrid|window\w*)_"
    r"(attn_|attention_|attn_every_|window_)?(n_)?(layers?|layer_?(id|idx|ind|num)\w*|idxs?|indices|every\w*|period|"
    r"offset|interval|freq\w*|step|pattern|ratio|group_size|block_types?)"
    r"|(attn|attention)_(pattern|schedule|layout)|layer_(group_size|pattern|mix\w*)|hybrid_\w*(ids|layers|pattern)|every_n_layers"
)
_WINDOWS: Final = re.compile(r"^(local_attention|local_window\w*|attention_window|window_attention)$")
_SPARSE: Final = re.compile(r"^(sparse_(attention|attn|config|block|topk|index)|nsa_|moba_|infllm)")
_STATES: Final = re.compile(r"^(mamba_|ssm_|rwkv_|lru_|gdn_|kda_|deltanet_|retention_|hyena_|linear_(num|key|value)_)")

# Keys of that sound which are read.
_READ: Final = frozenset(
    {
        "attn_layer_period", "attn_layer_offset", "attn_layer_indices", "attn_layer_idxs", "attn_layer_idx",
        "full_attn_idxs", "full_attention_interval", "sliding_window_layers", "cross_attention_layers",
        "sliding_window_pattern", "_sliding_window_pattern", "hybrid_override_pattern", "hybrid_layer_pattern",
        "layer_group_size", "dense_attention_every_n_layers", "num_kv_shared_layers", "kv_source_layers",
        "multi_query", "multi_query_attention", "multi_query_group_num", "total_ut_steps",
    }
)  # fmt: skip
# And those without a bearing on what is kept.
_HARMLESS: Final = frozenset({"num_gqa_groups", "qk_head_dim", "mamba_ssm_dtype", "max_window_layers"})


def refuse_unread(decoder: Decoder, layers: Sequence[Layer], *, listed: bool) -> None:
    """Refuse a config that holds a key which changes what is kept and which was not read.

    Parameters
    ----------
    decoder : Decoder
        The block that was read.
    layers : sequence of Layer
        What was made of it.
    listed : bool
        The file says of each layer what it does, so that rules about layers have nothing to add.

    Raises
    ------
    InputError
        Naming the key.
    """
    fields = decoder.fields
    if decoder.family in _OTHERWISE:
        raise InputError(UNREAD_FAMILY, where=fields.where, family=decoder.family)
    asked = [_LOOPS, _SHARES]
    attends, latent = any(layer.attends for layer in layers), any(layer.latent for layer in layers)
    if attends and not latent and not fields.has(*N_HEAD_KV):
        asked.append(_KV_WORDS)
    if attends and not fields.has(*HEAD_DIM):
        asked.append(_HEAD_SIZE)
    if not latent:
        asked.append(_LATENT)
    if not listed and not decoder.has_encoder:
        asked += [_WHICH, _WINDOWS]
    if not any(layer.states or layer.kind == "constant" for layer in layers):
        asked.append(_STATES)
    unrotated = fields.items("no_rope_layers") or []
    if latent and not all(unrotated):
        # Some latent layers then keep no rotated key.
        raise InputError(UNREAD, where=fields.where, key="no_rope_layers", found=describe(unrotated))
    for key, value in fields.values.items():
        if not _is_on(value) or key in _READ | _HARMLESS or _SPARSE.match(key):
            continue
        if any(rule.search(key) for rule in asked):
            raise InputError(UNREAD, where=fields.where, key=key, found=describe(value))


def chooses_keys(fields: Fields) -> bool:
    """Say whether queries look at keys that are chosen block by block: all keys are kept, but few are looked at."""
    return any(_SPARSE.match(key) and _is_on(value) for key, value in fields.values.items())


def _is_on(value: Any) -> bool:  # noqa: ANN401 - any JSON value
    """Say whether a value switches something on; 1 loop or 1 layer in 1 is what every model does."""
    if isinstance(value, bool) or value is None:
        return bool(value)
    return value not in (0, 1, "", "none", [], {})
