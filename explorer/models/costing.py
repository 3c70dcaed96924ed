"""The report of the verb ``cost``: every figure of one model at one context, as JSON and as text.

A figure that has no value is null, and a sentence in the notes says why. The arithmetic is the core's; here its results
get their public names and their words.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final, TextIO, cast

from explorer.core import cache_types, cost, cost_explain, cost_figures
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError, as_integer
from explorer.core.cost_model import CacheOptions
from explorer.models import shapes
from explorer.models.costing_options import HEADS, PAIRS, add_arguments
from explorer.models.jsonfile import shown

if TYPE_CHECKING:
    import argparse
    from collections.abc import Mapping

    from explorer.core.cost_model import Architecture, Layer

__all__ = ["Report", "add_arguments", "command", "describe", "report", "report_on", "text"]

DEFAULT_CONTEXT: Final = 8192
MOST_CONTEXT: Final = 10**12

KEYS: Final = (
    "n_layer", "n_head", "n_head_kv", "head_dim", "params", "params_active", "kv_bytes_per_token", "kv_bytes",
    "state_bytes", "cache_bytes", "prefill_attention_flops", "prefill_weight_flops", "decode_attention_flops",
    "decode_weight_flops", "layers", "notes",
)  # fmt: skip

NOT_A_CHOICE = QT_TRANSLATE_NOOP("models", "{name} is {value}; it may be {choices}")
SIZES_OF_ANOTHER = QT_TRANSLATE_NOOP(
    "models", "{names} can be given with the shape custom alone; {shape} has its own sizes"
)
TOO_LONG = QT_TRANSLATE_NOOP("models", "{name} is {value:,}; it may be at most {most:,}")

_NOT_OPTIONS: Final = frozenset({"shape", "json", "verb", "command"})
_CHOICES_OF_A_REPORT: Final = frozenset(
    {
        "context",
        "cache_type",
        "cache_type_v",
        "batch",
        "pairs",
        "head",
        "rounding",
        "ubatch",
        "unified",
        "expand_latent",
    }
)


class Report(dict[str, Any]):
    """The figures under their public names, with what they were computed from.

    Attributes
    ----------
    architecture : Architecture
        The model.
    context : int
        Tokens of one sequence.
    options : CacheOptions
        How the cache is kept.
    pairs, head : str
        Which pairs were counted, and for which tokens the head.
    """

    architecture: Architecture
    context: int
    options: CacheOptions
    pairs: cost_figures.Pairs
    head: cost_figures.HeadTokens


def report(shape: str, options: Mapping[str, object] | None = None, /, **more: object) -> Report:
    """Return every figure of a model.

    Parameters
    ----------
    shape : str
        A config.json, a .gguf, a name of the catalogue, or ``custom``.
    options : mapping, optional
        Options by name, such as the namespace of a command line; those that are None count as not given.
    **more
        The same by keyword: ``context`` (the model's own limit, else 8192), ``cache_type`` ("f16"), ``cache_type_v``,
        ``batch`` (1), ``pairs`` ("causal" or "square"), ``head`` ("all" or "last"), ``rounding`` ("none", "llama.cpp"
        or "vllm"), ``ubatch`` (512), ``unified``, ``expand_latent``, and the sizes of `shapes.CustomSizes`.

    Returns
    -------
    Report
        A dict with the keys of `KEYS`: ints, None, lists per layer, a dict of layer counts, and a list of sentences.

    Raises
    ------
    InputError
        With one sentence, if no KV figure can be had or what was given is at fault.
    TypeError
        For an option that does not exist.
    """
    given = {name: value for name, value in {**(options or {}), **more}.items() if value is not None}
    sizes = shapes.CustomSizes.check(given)
    strange = set(given) - _NOT_OPTIONS - _CHOICES_OF_A_REPORT - set(sizes.__slots__)
    if strange:
        raise TypeError(f"report() has no option {', '.join(sorted(strange))}")
    if shape == shapes.CUSTOM:
        architecture = shapes.custom(sizes)
    else:
        if sizes.given():
            raise InputError(SIZES_OF_ANOTHER, names=" and ".join(sizes.given()), shape=shown(shape))
        architecture = shapes.load(shape)
    return report_on(architecture, **{name: value for name, value in given.items() if name in _CHOICES_OF_A_REPORT})


def report_on(architecture: Architecture, **options: Any) -> Report:  # noqa: ANN401 - checked below
    """Return every figure of an architecture; options as in `report`, without sizes.

    Raises
    ------
    InputError
        If an option is at fault.
    """
    pairs = cast("cost_figures.Pairs", _choice("pairs", options.get("pairs", "causal"), PAIRS))
    head = cast("cost_figures.HeadTokens", _choice("head", options.get("head", "all"), HEADS))
    cache = CacheOptions.choose(
        options.get("cache_type", "f16"),
        options.get("cache_type_v"),
        batch=_count("batch", options.get("batch", 1)),
        rounding=str(options.get("rounding", "none")),
        ubatch=_count("ubatch", options.get("ubatch", 512)),
        unified=bool(options.get("unified", False)),
        expand_latent=bool(options.get("expand_latent", False)),
    )
    stated = options.get("context")
    context = _count("context", stated) if stated is not None else architecture.max_context or DEFAULT_CONTEXT
    known = architecture.why_unknown
    parameters = None if known("params") else architecture.parameters
    batch = cache.batch
    result = Report(
        n_layer=architecture.n_layer,
        n_head=None if known("n_head") else _one_or_list(architecture, [layer.n_head for layer in architecture.layers]),
        n_head_kv=_one_or_list(architecture, [layer.n_head_kv for layer in architecture.layers]),
        head_dim=_one_or_list(architecture, [layer.d_k or None for layer in architecture.layers]),
        params=parameters and parameters.total,
        params_active=parameters and parameters.active,
        kv_bytes_per_token=cost_figures.kv_bytes_per_token(architecture, cache),
        kv_bytes=cost_figures.kv_bytes(architecture, context, cache),
        state_bytes=cost_figures.state_bytes(architecture, context, cache),
        cache_bytes=cost_figures.cache_bytes(architecture, context, cache),
        prefill_attention_flops=cost_figures.prefill_attention_flops(architecture, context, pairs=pairs, batch=batch),
        prefill_weight_flops=cost_figures.prefill_weight_flops(architecture, context, head=head, batch=batch),
        decode_attention_flops=cost_figures.decode_attention_flops(architecture, context, pairs=pairs, batch=batch),
        decode_weight_flops=cost_figures.decode_weight_flops(architecture, batch=batch),
        layers=dict(cost_figures.layer_counts(architecture)),
    )
    result.architecture, result.context, result.options = architecture, context, cache
    result.pairs, result.head = pairs, head
    result["notes"] = _notes(result, context_given=stated is not None)
    return result


def _choice(name: str, value: object, choices: tuple[str, ...]) -> str:
    if value not in choices:
        raise InputError(NOT_A_CHOICE, name=name, value=json.dumps(str(value)), choices=Choices(choices))
    return str(value)


def _count(name: str, value: Any) -> int:  # noqa: ANN401 - checked here
    number = as_integer(name, int(value) if isinstance(value, float) and value.is_integer() else value, 1)
    if number > MOST_CONTEXT:
        raise InputError(TOO_LONG, name=name, value=number, most=MOST_CONTEXT)
    return number


def _one_or_list(architecture: Architecture, values: list[Any]) -> Any:  # noqa: ANN401 - an int, None, or a list
    """Return the value that all attending layers share, else one per layer; None if no layer attends."""
    attending = [value for layer, value in zip(architecture.layers, values, strict=True) if layer.attends]
    if not attending:
        return None
    return attending[0] if all(value == attending[0] for value in attending) else values


def _notes(result: Report, *, context_given: bool) -> list[str]:
    architecture, options = result.architecture, result.options
    notes = list(architecture.notes)
    notes += [why for why in dict.fromkeys(dict(architecture.unknown).values()) if why not in notes]
    if not any(layer.attends for layer in architecture.layers):
        notes.append("No layer attends over the text, so there are no heads and no KV cache.")
    if any(layer.chunked for layer in architecture.layers):
        notes.append("Chunked layers: a decode step is counted at the end of a chunk, where a token sees the most.")
    limit = architecture.max_context
    if not context_given:
        whose = "the longest that the model was made for" if limit else "chosen here, because the model states no limit"
        notes.append(f"The context is {result.context:,} tokens: {whose}.")
    elif limit is not None and result.context > limit:
        notes.append(f"The context is longer than the {limit:,} tokens that the model was made for.")
    notes += _about_storage(architecture, options)
    return notes


def _about_storage(architecture: Architecture, options: CacheOptions) -> list[str]:
    notes = []
    if options.rounding == "llama.cpp":
        shared = f", one cache for all {options.batch} sequences" if options.unified else ""
        notes.append(
            f"Rounded as llama.cpp does: cells in multiples of 256, a window layer with room for a micro-batch of "
            f"{options.ubatch:,}{shared}; states in 32 bits, convolutions without their newest column."
        )
    elif options.rounding == "vllm":
        notes.append("Rounded as vLLM does: blocks of 16 cells, a window layer one block more.")
    rows = {row for layer, _ in architecture.groups for row in _rows(layer, options)}
    broken = sorted({(kind.name, kind.block) for kind, width in rows if not kind.fills_blocks(width)})
    for name, block in broken:
        notes.append(
            f"{name} stores blocks of {block} numbers; a row of this model ends inside one, which is counted whole. "
            "Some engines refuse such a cache type."
        )
    return notes


def _rows(layer: Layer, options: CacheOptions) -> list[tuple[cache_types.CacheType, int]]:
    if not layer.keeps_kv:
        return []
    if layer.kind == "latent" and not options.expand_latent:
        return [(options.type_k, layer.latent + layer.rope)]
    return [(options.type_k, layer.n_head_kv * layer.d_k), (options.type_v, layer.n_head_kv * layer.d_v)]


# ------------------------------------------------------------------------------------------------------------- text


def command(arguments: argparse.Namespace, out: TextIO) -> None:
    """Print what a command line asks for, as JSON or as text.

    Raises
    ------
    InputError
        As for `report`.
    """
    result = report(arguments.shape, vars(arguments))
    print(json.dumps(result, allow_nan=False, indent=1) if arguments.json else text(result), file=out)


def describe(result: Report) -> str:
    """Return the report as text; another name of `text`."""
    return text(result)


def text(result: Report) -> str:
    """Return the report as text: the figures, the terms behind the two that matter most, and the notes."""
    architecture, options = result.architecture, result.options
    types = options.type_k.name if options.type_k == options.type_v else f"{options.type_k.name}/{options.type_v.name}"
    sequences = "one sequence" if options.batch == 1 else f"{options.batch:,} sequences"
    kinds = ", ".join(f"{count} {kind}" for kind, count in result["layers"].items() if count)
    lines = [
        f"{architecture.name}: {_how_many(result['n_layer'], 'layer')} ({kinds}), {_heads(result)}",
        f"at {result.context:,} tokens, {sequences}, cache {types}, rounding {options.rounding}",
        "",
        *_table(
            ("parameters", _plain(result["params"], "")),
            ("  used by a token", _plain(result["params_active"], "")),
            ("KV cache per token", _plain(result["kv_bytes_per_token"], "bytes")),
            ("KV cache", bytes_text(result["kv_bytes"])),
            ("other states", bytes_text(result["state_bytes"])),
            ("whole cache", bytes_text(result["cache_bytes"])),
            ("prefill, attention", flops_text(result["prefill_attention_flops"])),
            ("prefill, matrices", flops_text(result["prefill_weight_flops"])),
            ("decode, attention", flops_text(result["decode_attention_flops"])),
            ("decode, matrices", flops_text(result["decode_weight_flops"])),
        ),
    ]
    for figure, words in (("cache_bytes", "whole cache"), ("prefill_attention_flops", "prefill, attention")):
        if result[figure]:
            lines += ["", f"{words} = {result[figure]:,}", *_terms(result, figure)]
    lines += _crossing_lines(result)
    if result["notes"]:
        lines += ["", *(f"- {note}" for note in result["notes"])]
    return "\n".join(lines)


def _terms(result: Report, figure: str) -> list[str]:
    opened = cost_explain.explain(
        result.architecture, figure, result.context, result.options, pairs=result.pairs, head=result.head
    )
    return [f"  {line.label}: {line.formula}" for line in opened[:-1]]


def _crossing_lines(result: Report) -> list[str]:
    architecture, options, weights = result.architecture, result.options, cache_types.cache_type("bf16")
    said = [
        f"{crossing.name}: {crossing.rising} reach {crossing.level} at {crossing.at:,} tokens"
        for crossing in cost_figures.crossings(architecture, options, weights)
        if crossing.at is not None
    ]
    for name, size in cost_figures.MEMORY_LINES:
        fits = cost_figures.longest_context(architecture, size, options, weights)
        if fits.context is not None:
            said.append(f"{name} beside the weights is full at {fits.context:,} tokens")
    if not said:
        return []
    stored = "as the file stores them" if architecture.weight_bytes is not None else "at 16 bits"
    return ["", f"with the weights {stored}:", *(f"  {line}" for line in said)]


def _table(*rows: tuple[str, str]) -> list[str]:
    return [f"{label:20} {value}" for label, value in rows]


def _heads(result: Report) -> str:
    if result["n_head_kv"] is None:
        return "no attention over the text"
    queries = (
        "an unknown number of query heads" if result["n_head"] is None else _how_many(result["n_head"], "query head")
    )
    return f"{queries}, {_how_many(result['n_head_kv'], 'KV head')} of size {_sizes(result['head_dim'])}"


def _how_many(value: object, noun: str) -> str:
    return f"{_sizes(value)} {noun}" if value == 1 else f"{_sizes(value)} {noun}s"


def _sizes(value: object) -> str:
    """Return a size, or those that occur in a list of one per layer."""
    if isinstance(value, list):
        return "/".join(str(size) for size in dict.fromkeys(value) if size)
    return str(value)


def _plain(value: int | None, unit: str) -> str:
    return "not known" if value is None else f"{value:,} {unit}".rstrip()


def bytes_text(value: int | None) -> str:
    """Return bytes exactly, and in the largest binary unit that they fill."""
    if value is None:
        return "not known"
    for unit, size in (("GiB", cost.GIB), ("MiB", cost.MIB), ("KiB", cost.KIB)):
        if value >= size:
            return f"{value:,} bytes = {value / size:,.2f} {unit}"
    return f"{value:,} bytes"


def flops_text(value: int | None) -> str:
    """Return FLOPs in the largest unit that they fill."""
    if value is None:
        return "not known"
    for unit, size in (("PFLOP", 10**15), ("TFLOP", 10**12), ("GFLOP", 10**9), ("MFLOP", 10**6)):
        if value >= size:
            return f"{value / size:,.2f} {unit}"
    return f"{value:,} FLOP"
