"""What a model's class takes for granted when its config leaves a key out.

A config states what differs from its class: a Mistral without `num_key_value_heads` has 8 of them, not one per query
head, and the block of a multimodal model may leave out even its width. The defaults lie in
``resources/catalogue/class_defaults.json``, by the `model_type` that a file states; keys whose default follows from
another key are not among them.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final

from explorer import resources
from explorer.models import jsonfile

if TYPE_CHECKING:
    from collections.abc import Mapping

#: Sizes that a config states itself; only the block of a multimodal model leaves them to its class.
SIZES: Final = ("hidden_size", "num_hidden_layers", "num_attention_heads", "vocab_size", "intermediate_size")
LAYER_TYPES: Final = "layer_types"
#: What stands for the layers of a class whose rule is not a plain repetition.
IRREGULAR: Final = "?"

# A file with one of these says itself which layers do what.
_SAYS_WHICH: Final = (
    "layer_types", "layers_block_type", "attention_layers", "block_configs", "hybrid_override_pattern",
    "attn_type_list", "hybrid_layer_pattern", "linear_attn_config", "compress_ratios", "attn_layer_indices",
    "full_attn_idxs", "attn_layer_idxs", "sliding_window_layers", "sliding_window_pattern", "_sliding_window_pattern",
    "full_attention_interval", "attn_layer_period", "layer_group_size", "no_rope_layers", "no_rope_layer_interval",
    "global_attn_every_n_layers",
)  # fmt: skip


@cache
def _classes() -> Mapping[str, Mapping[str, Any]]:
    parsed = jsonfile.parse(resources.data("catalogue", "class_defaults.json"), "the defaults of classes")
    return dict(parsed["classes"])


def of_class(model_type: str, values: Mapping[str, Any], *, nested: bool) -> dict[str, Any]:
    """Return what a class adds to the keys of a file, without the sizes that a file which is not nested must state.

    `LAYER_TYPES`, if it is there, is one turn of a repetition, or `IRREGULAR`.
    """
    defaults = {
        key: value
        for key, value in _classes().get(model_type, {}).items()
        if key not in values and (nested or key not in SIZES)
    }
    if any(values.get(key) is not None for key in _SAYS_WHICH):
        defaults.pop(LAYER_TYPES, None)
    if nested:
        # The class of the whole decides about it, which may differ.
        defaults.pop("tie_word_embeddings", None)
    if "per_layer_config" in values:
        defaults.pop("global_head_dim", None)
    return defaults
