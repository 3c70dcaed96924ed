"""Which layers of a model have experts, how many, and how wide: the FFN side of a config.

The router is a matrix too. A token passes through its chosen experts, the shared ones and the router.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.models.names import D_FF, EXPERT_FF, N_CHOSEN, N_EXPERT

if TYPE_CHECKING:
    from explorer.models.block import Decoder
    from explorer.models.fields import Fields


@dataclass(frozen=True, slots=True)
class Experts:
    """The experts of one layer: how many, how many a token chooses, and widths of one and of the shared ones."""

    n_expert: int
    n_chosen: int
    width: int
    shared_width: int


def read_experts(decoder: Decoder, n_layer: int) -> tuple[Experts | None, list[bool]] | None:
    """Return the experts and which layers have them; None if a size that they need is missing."""
    fields = decoder.fields
    n_expert = fields.size(*N_EXPERT, least=0)
    if not n_expert:
        return None, [False] * n_layer
    n_chosen = fields.size(*N_CHOSEN)
    width = fields.size(*EXPERT_FF) or fields.size(*D_FF)
    if n_chosen is None or width is None or n_chosen > n_expert:
        return None
    shared = fields.size(
        "shared_expert_intermediate_size",
        "moe_shared_expert_intermediate_size",
        "share_expert_dim",
        "shared_intermediate_size",
        least=0,
    )
    if shared is None:
        shared = width * (fields.size("n_shared_experts", "num_shared_experts", least=0) or 0)
    if decoder.family == "llama4":
        shared = width
    return Experts(n_expert, n_chosen, width, shared), _sparse_layers(decoder, n_layer)


def _sparse_layers(decoder: Decoder, n_layer: int) -> list[bool]:
    fields = decoder.fields
    if fields.has("mlp_layer_types"):
        return [word == "sparse" for word in fields.entries("mlp_layer_types", n_layer) or []]
    if isinstance(fields.values.get("moe_layer_freq"), list):
        return [bool(entry) for entry in fields.sizes("moe_layer_freq", n_layer) or []]
    if fields.has("expert_layer_period"):
        period, offset = fields.size("expert_layer_period") or 1, fields.size("expert_layer_offset", least=0) or 0
        return [i % period == offset for i in range(n_layer)]
    if decoder.family == "llama4":
        step = fields.size("interleave_moe_layer_step") or 1
        return [(i + 1) % step == 0 for i in range(n_layer)]
    dense = _dense_ones(fields)
    first = fields.size("first_k_dense_replace", "n_dense_layers", least=0) or 0
    step = fields.size("decoder_sparse_step") or fields.size("moe_layer_freq") or 1
    phase = step - 1 if fields.has("decoder_sparse_step") else 0
    return [i >= first and i not in dense and i % step == phase for i in range(n_layer)]


def _dense_ones(fields: Fields) -> set[int]:
    entries = fields.items("mlp_only_layers") or []
    return {fields.check(f"mlp_only_layers[{i}]", entry, least=0) for i, entry in enumerate(entries)}
