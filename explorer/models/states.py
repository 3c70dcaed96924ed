"""What layers without attention keep: recurrent and convolution states, index keys, compressed keys.

Sizes follow the modelling code that the models were published with: a convolution keeps as many columns as its kernel
in the model's 16 bits, a recurrent state is kept in 32 bits. What llama.cpp keeps instead is known to
`explorer.core.cost_model.State`. None means that the config lacks a size that is needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.core.cost_model import State
from explorer.models.names import D_MODEL, N_HEAD

if TYPE_CHECKING:
    from explorer.models.block import Decoder
    from explorer.models.fields import Fields

RECURRENT = "recurrent state"
CONVOLUTION = "convolution state"
INDEX = "index keys"
COMPRESSED = "compressed keys and values"
OVERLAP = "overlap of compressed windows"

States = tuple[State, ...]


def convolution(width: int, kernel: int) -> State:
    """Return the state of a short convolution over `width` channels."""
    return State(CONVOLUTION, width, kernel, 2)


def recurrent(n_elements: int, bytes_per_element: int = 4) -> State:
    """Return a recurrent state of `n_elements` numbers."""
    return State(RECURRENT, n_elements, 1, bytes_per_element)


def index_keys(width: int, every: int = 1) -> State:
    """Return the keys by which a sparse layer chooses, stored as K is."""
    return State(INDEX, width, 1, 0, every)


def of_linear(decoder: Decoder) -> States | None:
    """Return the states of a linear-attention layer."""
    fields = decoder.fields
    nested = fields.block("linear_attn_config")
    if nested is not None:
        heads, width = nested.size("num_heads"), nested.size("head_dim")
        kernel = nested.size("short_conv_kernel_size") or 4
        if heads is None or width is None:
            return None
        return convolution(3 * heads * width, kernel), recurrent(heads * width * width)
    if fields.has("linear_num_value_heads"):
        heads_k, width_k = fields.size("linear_num_key_heads"), fields.size("linear_key_head_dim")
        heads_v, width_v = fields.size("linear_num_value_heads"), fields.size("linear_value_head_dim")
        if heads_k is None or width_k is None or heads_v is None or width_v is None:
            return None
        channels = 2 * heads_k * width_k + heads_v * width_v
        kernel = fields.size("linear_conv_kernel_dim") or 4
        return convolution(channels, kernel), recurrent(heads_v * width_k * width_v)
    if decoder.family.startswith("minimax"):
        heads, width = fields.size(*N_HEAD), fields.size("head_dim")
        return None if heads is None or width is None else (recurrent(heads * width * width, 2),)
    return None


def of_convolution(decoder: Decoder) -> States | None:
    """Return the state of a layer that is a short convolution."""
    fields = decoder.fields
    width = fields.size("conv_dim") or fields.size(*D_MODEL)
    return None if width is None else (convolution(width, fields.size("conv_L_cache") or 3),)


def of_recurrent(decoder: Decoder) -> States | None:
    """Return the states of a gated linear recurrence (RecurrentGemma)."""
    fields = decoder.fields
    width = fields.size("lru_width") or fields.size(*D_MODEL)
    if width is None:
        return None
    return convolution(width, max((fields.size("conv1d_width") or 4) - 1, 1)), recurrent(width)


def of_mamba(decoder: Decoder) -> States | None:
    """Return the states of a Mamba or RWKV layer."""
    fields = decoder.fields
    if decoder.family.startswith("rwkv"):
        return _of_rwkv(decoder)
    state = fields.size("ssm_state_size", "mamba_d_state", "state_size")
    kernel = fields.size("conv_kernel", "mamba_d_conv", "conv_dimension") or 4
    inner, heads, width = mamba_sizes(decoder)
    if state is None or inner is None:
        return None
    if heads is None or width is None:
        return convolution(inner, kernel), recurrent(inner * state)
    groups = fields.size("n_groups", "mamba_n_groups", "mamba_ngroups") or 1
    return convolution(inner + 2 * groups * state, kernel), recurrent(heads * width * state)


def mamba_sizes(decoder: Decoder) -> tuple[int | None, int | None, int | None]:
    """Return a Mamba layer's inner width, its heads and their width; the first generation has no heads."""
    fields, model = decoder.fields, decoder.fields.size(*D_MODEL)
    expand = fields.size("mamba_expand", "expansion_factor") or fields.size("expand") or 2
    expanded = None if model is None else expand * model
    if decoder.family in ("mamba", "falcon_mamba", "jamba", "zamba"):
        given = None if decoder.family in ("jamba", "zamba") else fields.size("intermediate_size", "d_inner")
        return given or expanded, None, None
    heads = fields.size("mamba_num_heads", "mamba_n_heads", "n_mamba_heads")
    # "auto" is what some files say instead of a head size.
    width = (
        None
        if fields.values.get("mamba_d_head") == "auto"
        else fields.size("mamba_head_dim", "mamba_d_head", "mamba_headdim")
    )
    if decoder.family in ("mamba2", "codestral_mamba"):
        heads, width = fields.size("num_heads"), fields.size("head_dim")
    inner = fields.size("mamba_d_ssm") or expanded
    if heads is None and width is not None and inner is not None and inner % width == 0:
        heads = inner // width
    if width is None and heads is not None and inner is not None and inner % heads == 0:
        width = inner // heads
    if heads is None or width is None:
        return None, None, None
    return heads * width, heads, width


def _of_rwkv(decoder: Decoder) -> States | None:
    fields = decoder.fields
    model, head = fields.size(*D_MODEL), fields.size("head_size", "head_size_a")
    if model is None:
        return None
    # Two shifted tokens in the model's 16 bits, and a matrix per head; the fourth generation has no heads and keeps
    # three vectors instead.
    shifted = recurrent(2 * model, 2)
    if head is not None:
        return shifted, recurrent(model * head)
    return (shifted, recurrent(3 * model)) if decoder.said_type == "rwkv" else None


def of_compressed(fields: Fields, ratio: int) -> States | None:
    """Return what a layer with compressed keys keeps beside its window, for a ratio of that many tokens to one."""
    width = fields.size("head_dim")
    if width is None or ratio < 1:
        return None
    kept = State(COMPRESSED, width, 1, 0, ratio)
    if ratio >= 32:
        return (kept,)
    index = fields.size("index_head_dim")
    if index is None:
        return None
    # Windows overlap: the last one's keys (16 bits) and gates (32 bits) wait for the next.
    overlap = ratio * (width + index)
    return kept, index_keys(index, ratio), State(OVERLAP, overlap, 1, 2), State(OVERLAP, overlap, 1, 4)
