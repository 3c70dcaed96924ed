"""Parameters of models with an encoder: T5, BART, Whisper, BERT.

What runs once per input (the encoder, and the cross-attention's keys and values) is kept apart from what runs for every
generated token, because only the latter is part of the FLOPs per token.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from explorer.core.cost_model import Parameters
from explorer.models.names import N_HEAD, VOCAB

if TYPE_CHECKING:
    from explorer.core.cost_model import Layer
    from explorer.models.block import Decoder

_BUCKETS: Final = 32


def count_seq2seq(decoder: Decoder, layers: tuple[Layer, ...]) -> Parameters | None:
    """Return the parameters of a model with an encoder, None if they cannot be counted exactly."""
    if decoder.family == "t5":
        return _t5(decoder, layers)
    if decoder.family in ("bart", "whisper"):
        return _bart(decoder, len(layers))
    if decoder.family == "bert":
        return _bert(decoder, len(layers))
    return None


def _t5(decoder: Decoder, layers: tuple[Layer, ...]) -> Parameters | None:
    fields = decoder.fields
    d_model, d_ff, vocab = fields.size("d_model"), fields.size("d_ff"), fields.size(*VOCAB)
    n_encoder, heads = fields.size("num_layers"), fields.size("num_heads")
    if d_model is None or d_ff is None or vocab is None or n_encoder is None or heads is None:
        return None
    if not fields.has("model_type"):
        # A file stripped of its type may be stripped of its gate as well.
        return None
    gated = fields.flag("is_gated_act") or (fields.word("feed_forward_proj") or "").startswith("gated")
    attention = 4 * d_model * heads * layers[0].d_k
    ffn = (3 if gated else 2) * d_model * d_ff
    n_decoder = len(layers)
    bias = (fields.size("relative_attention_num_buckets") or _BUCKETS) * heads
    crossing = n_decoder * attention // 2
    tied = decoder.tied()
    return Parameters(
        embedding=vocab * d_model,
        projections=n_decoder * attention + crossing,
        ffn=n_decoder * ffn,
        ffn_active=n_decoder * ffn,
        head=vocab * d_model,
        tied=True if tied is None else tied,
        vectors=n_decoder * 3 * d_model + d_model + bias,
        encoder=n_encoder * (attention + ffn + 2 * d_model) + d_model + bias + crossing,
    )


def _bart(decoder: Decoder, n_decoder: int) -> Parameters | None:
    fields = decoder.fields
    d_model, vocab, n_encoder = fields.size("d_model"), fields.size(*VOCAB), fields.size("encoder_layers")
    ff_in, ff_out = fields.size("encoder_ffn_dim"), fields.size("decoder_ffn_dim")
    if d_model is None or vocab is None or n_encoder is None or ff_in is None or ff_out is None:
        return None
    square, whisper = d_model * d_model, decoder.family == "whisper"
    # Whisper's keys have no bias.
    biases = (3 if whisper else 4) * d_model
    norm = 2 * d_model
    of_encoder = 4 * square + biases + 2 * norm + 2 * d_model * ff_in + ff_in + d_model
    crossing = n_decoder * (2 * square + d_model * (1 if whisper else 2))
    encoder = n_encoder * of_encoder + crossing
    if whisper:
        mels, longest, source = (
            fields.size("num_mel_bins"),
            fields.size("max_target_positions"),
            fields.size("max_source_positions"),
        )
        if mels is None or longest is None or source is None:
            return None
        encoder += 3 * mels * d_model + d_model + 3 * square + d_model + source * d_model + norm
        tables, ends = (vocab + longest) * d_model, norm
    else:
        longest = fields.size("max_position_embeddings")
        if longest is None:
            return None
        encoder += (longest + 2) * d_model + norm
        tables, ends = (vocab + longest + 2) * d_model, norm
    return Parameters(
        embedding=tables,
        projections=n_decoder * 6 * square,
        ffn=n_decoder * 2 * d_model * ff_out,
        ffn_active=n_decoder * 2 * d_model * ff_out,
        head=vocab * d_model,
        tied=decoder.tied() is not False,
        vectors=n_decoder * (biases + 2 * d_model + 3 * norm + ff_out + d_model) + ends,
        encoder=encoder,
    )


def _bert(decoder: Decoder, n_layer: int) -> Parameters | None:
    fields = decoder.fields
    d_model, d_ff, vocab = fields.size("hidden_size"), fields.size("intermediate_size"), fields.size(*VOCAB)
    longest, types = fields.size("max_position_embeddings"), fields.size("type_vocab_size")
    named = fields.values.get("architectures")
    if d_model is None or d_ff is None or vocab is None or longest is None or types is None or not fields.has(*N_HEAD):
        return None
    if named not in (None, ["BertModel"], ["BertForMaskedLM"]):
        return None  # A classifier's own matrices are not in the file.
    square, norm = d_model * d_model, 2 * d_model
    masked = named == ["BertForMaskedLM"]
    # A masked language model has a transform and the tied table on top, the bare model a pooler.
    top = square + d_model + (norm + vocab if masked else 0)
    ffn = 2 * d_model * d_ff
    return Parameters(
        embedding=(vocab + longest + types) * d_model,
        projections=n_layer * 4 * square,
        ffn=n_layer * ffn,
        ffn_active=n_layer * ffn,
        head=vocab * d_model if masked else 0,
        tied=True,
        vectors=norm + n_layer * (4 * d_model + 2 * norm + d_ff + d_model) + top,
    )
