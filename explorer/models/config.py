"""Read a Hugging Face ``config.json`` (or one of its cousins) as an architecture.

This is the door: it finds the language model in the file (`block`), reads its layers (`layers`), counts its parameters
(`parameters`), and says in sentences what a reader of the figures should know. Nothing is fetched; the file is all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.core.cost_model import Architecture, CacheOptions, Layer
from explorer.models import jsonfile
from explorer.models.block import Decoder, find_decoder
from explorer.models.layers import Found, read_layers
from explorer.models.names import D_MODEL, LONGEST, N_HEAD, N_HEAD_KV
from explorer.models.parameters import count_parameters
from explorer.models.pattern import is_listed, window_size
from explorer.models.unread import chooses_keys, refuse_unread

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from explorer.models.fields import Fields

WHICH_LAYERS = QT_TRANSLATE_NOOP(
    "models", "{where} does not say which layer does what (layer_types), as a model of the type {family} must"
)

_SIXTEEN_BIT = CacheOptions()


def read_config(path: Path) -> Architecture:
    """Return the architecture that a config.json describes.

    Raises
    ------
    InputError
        With one sentence, if the file cannot be read, describes no language model, lacks a size that the KV cache
        depends on, or contradicts itself.
    """
    return from_values(jsonfile.read(path), jsonfile.shown(path.name))


def from_values(values: Mapping[str, Any], name: str, *, of_a_class: bool = True) -> Architecture:
    """Return the architecture that the fields of a config describe; `name` is what a refusal calls the file.

    Unless `of_a_class` is false, what the fields leave out is what the model's class takes for granted.

    Raises
    ------
    InputError
        As for `read_config`.
    """
    decoder = find_decoder(values, name, of_a_class=of_a_class)
    fields, found = decoder.fields, Found()
    n_layer = decoder.n_layer
    layers = read_layers(decoder, n_layer, found)
    listed = is_listed(decoder, n_layer)
    if decoder.irregular and not listed:
        raise InputError(WHICH_LAYERS, where=fields.where, family=decoder.said_type)
    refuse_unread(decoder, layers, listed=listed)
    if decoder.passes > 1:
        found.notes.append(f"A token runs through the {n_layer} layers {decoder.passes} times and is kept each time.")
        layers *= decoder.passes
    parameters = count_parameters(decoder, layers)
    if parameters is None:
        kind = jsonfile.shown(decoder.said_type, 60) or "a model that does not name its type"
        found.unknown["params"] = found.unknown["weight_flops"] = (
            f"The parameters of {kind} are not known: the file does not give every size of its matrices."
        )
    elif decoder.disagrees_about_tie:
        found.unknown["params"] = (
            "The file says both that the head is the embedding table and that it is not (tie_word_embeddings, inside "
            "and outside the language model's block)."
        )
    if fields.has("dense_attention_every_n_layers"):
        found.unknown["attention_flops"] = "Some layers attend to blocks of keys only; their pairs are not known."
    if chooses_keys(fields):
        found.unknown["attention_flops"] = "Sparse layers look at chosen blocks of keys; their pairs are not known."
        found.unknown["state_bytes"] = "The sparse layers' index keys are kept in a form that the file does not fix."
    if any(layer.states and layer.kind == "window" for layer in layers):
        found.unknown["attention_flops"] = "Queries also attend to compressed keys, whose pairs are not counted here."
    return Architecture(
        name=jsonfile.shown(values.get("_name_or_path") or decoder.said_type or name, 120),
        layers=layers,
        d_model=fields.size(*D_MODEL),
        parameters=parameters,
        max_context=_longest(fields),
        generates=not decoder.is_encoder,
        unknown=tuple(found.unknown.items()),
        notes=tuple(_notes(decoder, layers, found)),
    )


def _longest(fields: Fields) -> int | None:
    return next((size for key in LONGEST if (size := fields.size(key)) is not None), None)


def _notes(decoder: Decoder, layers: tuple[Layer, ...], found: Found) -> list[str]:
    notes = list(dict.fromkeys(found.notes))
    if not decoder.said_type:
        notes.append("The file does not name the model's type; its sizes are read as an ordinary decoder's.")
    if decoder.assumed:
        keys = ", ".join(decoder.assumed)
        family = jsonfile.shown(decoder.said_type, 60)
        notes.append(f"Not in the file, taken from what the {family} class does by default: {keys}.")
    if decoder.nested:
        notes.append("Only the language model is counted, not the image or audio part.")
    if decoder.is_encoder:
        notes.append("The model sees the whole text at once: it keeps no KV cache and has no decode step.")
    elif decoder.has_encoder:
        notes.append(_cross_attention_of_every_layer(decoder, layers))
    notes += _about_layers(decoder, layers, found)
    notes += _about_extras(decoder, layers)
    return notes


def _bytes(n_elements: int) -> str:
    return f"{2 * n_elements:,} bytes at 16 bits"


def _cross_attention_of_every_layer(decoder: Decoder, layers: tuple[Layer, ...]) -> str:
    per_position = sum(layer.n_head_kv * (layer.d_k + layer.d_v) for layer in layers)
    positions = decoder.fields.size("max_source_positions")
    whole = "" if positions is None else f", {_bytes(per_position * positions)} for all {positions:,} positions"
    return (
        "Each decoder layer also keeps the encoder's keys and values, which do not grow with the generated text and "
        f"are not counted: {_bytes(per_position)} for each position of the encoder{whole}. Neither are its FLOPs."
    )


def _about_layers(decoder: Decoder, layers: tuple[Layer, ...], found: Found) -> list[str]:
    fields, notes = decoder.fields, []
    latent = next((layer for layer in layers if layer.kind == "latent"), None)
    if latent is not None:
        notes.append(
            f"MLA: a token is kept as one latent of {latent.latent} and one rotated key of {latent.rope} for all "
            f"heads, without V; FLOPs are those of the un-absorbed heads ({latent.d_k} for K, {latent.d_v} for V)."
        )
        if latent.indexer is not None:
            notes.append(
                f"A query attends to the {latent.indexer.top_k:,} keys that an index chooses; the index scores every "
                "causal pair, and its keys are counted as state."
            )
    elif any(layer.d_k != layer.d_v for layer in layers):
        unequal = next(layer for layer in layers if layer.d_k != layer.d_v)
        notes.append(f"Keys have width {unequal.d_k}, values {unequal.d_v}; the head size given is that of the keys.")
    crossing = fields.items("cross_attention_layers")
    if crossing:
        heads, width = (
            fields.size(*N_HEAD_KV) or fields.size(*N_HEAD) or 0,
            next((x.d_k for x in layers if x.attends), 0),
        )
        notes.append(
            f"{len(crossing)} layers attend to the image alone: their keys and values do not grow with the text and "
            f"are not counted, {_bytes(len(crossing) * heads * 2 * width)} for each image position."
        )
    window = window_size(fields)
    applied = any(layer.window for layer in layers) or fields.values.get("use_sliding_window") is False
    if window is not None and not applied and not found.unknown.get("kv_bytes") and window < (_longest(fields) or 0):
        notes.append(f"The file states a window of {window:,} tokens, which no layer of this family has.")
    alone = sum(1 for layer in layers if layer.kind == "constant" and not layer.states)
    if alone and not found.unknown.get("state_bytes") and not crossing:
        notes.append(f"Of the constant layers, {alone} keep nothing at all (no attention, or FFN alone).")
    if any(layer.states and any(not state.every for state in layer.states) for layer in layers):
        notes.append(
            "Constant states are counted as the published modelling code keeps them: convolutions in 16 bits with as "
            "many columns as their kernel, recurrent states in 32 bits; rounding llama.cpp counts llama.cpp's instead."
        )
    return notes


def _about_extras(decoder: Decoder, layers: tuple[Layer, ...]) -> list[str]:
    fields, notes = decoder.fields, []
    further = fields.size("num_nextn_predict_layers", "mtp_num_hidden_layers", "num_mtp_modules", least=0)
    if further:
        per_layer = max((layer.bytes_per_cell(_SIXTEEN_BIT) for layer in layers), default=0)
        notes.append(
            f"{further} further layer(s) predict more tokens (MTP); an engine that uses them keeps up to "
            f"{per_layer:,} bytes a token more for each, at 16 bits. They are not counted."
        )
    if fields.flag("attention_k_eq_v"):
        notes.append("Full layers make K and V with one matrix, but both are kept.")
    for block in (fields, decoder.outer):
        quantised = block.values.get("quantization_config")
        if isinstance(quantised, dict):
            scheme = quantised.get("kv_cache_scheme")
            method = jsonfile.shown(quantised.get("quant_method") or "quantised", 60)
            if isinstance(scheme, dict):
                bits = scheme.get("num_bits")
                notes.append(
                    f"The file recommends a cache of {jsonfile.describe(bits)} bits; choose the cache type to match."
                )
            else:
                notes.append(f"The weights are stored as {method}; that says nothing about the cache.")
            break
    return notes
