"""Every figure opened into its formula, with the numbers put in, term by term for each kind of layer.

A line's `value` is computed by `explorer.core.cost_figures`' own functions, never read off its text; a test evaluates
the text and compares. The words are marked for translation; the formulas are digits and signs.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal, get_args

from explorer.core import cost, cost_figures
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError

if TYPE_CHECKING:
    from fractions import Fraction

    from explorer.core.cost_model import Architecture, CacheOptions, Layer, Parameters, State

Figure = Literal[
    "params",
    "params_active",
    "kv_bytes_per_token",
    "kv_bytes",
    "state_bytes",
    "cache_bytes",
    "prefill_attention_flops",
    "decode_attention_flops",
    "prefill_weight_flops",
    "decode_weight_flops",
]
FIGURES: Final[tuple[Figure, ...]] = get_args(Figure)

UNKNOWN_FIGURE = QT_TRANSLATE_NOOP("core", "figure {name!r} is not known; it may be {choices}")

TOTAL = QT_TRANSLATE_NOOP("cost", "total")
NOT_KNOWN = QT_TRANSLATE_NOOP("cost", "not known")
KEEPS_NOTHING = QT_TRANSLATE_NOOP("cost", "an encoder keeps nothing")

LAYER_WORDS: Final = {
    "full": QT_TRANSLATE_NOOP("cost", "full attention"),
    "window": QT_TRANSLATE_NOOP("cost", "window"),
    "latent": QT_TRANSLATE_NOOP("cost", "latent (MLA)"),
    "constant": QT_TRANSLATE_NOOP("cost", "constant"),
    "shared": QT_TRANSLATE_NOOP("cost", "shares an earlier layer's cache"),
}
PARAMETER_WORDS: Final = (
    ("embedding", QT_TRANSLATE_NOOP("cost", "embedding tables, looked up")),
    ("projections", QT_TRANSLATE_NOOP("cost", "attention matrices")),
    ("mixers", QT_TRANSLATE_NOOP("cost", "recurrent and convolution matrices")),
    ("ffn", QT_TRANSLATE_NOOP("cost", "FFN")),
    ("unsorted", QT_TRANSLATE_NOOP("cost", "all matrices")),
    ("head", QT_TRANSLATE_NOOP("cost", "head")),
    ("vectors", QT_TRANSLATE_NOOP("cost", "norms and biases")),
    ("encoder", QT_TRANSLATE_NOOP("cost", "encoder, once per input")),
)
HEAD_IS_TIED = QT_TRANSLATE_NOOP("cost", "head: the embedding table again")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of an opened figure: what it counts, the formula with its numbers, and its value."""

    label: str
    formula: str
    value: int | None


def explain(
    architecture: Architecture,
    figure: str,
    context: int,
    options: CacheOptions,
    *,
    pairs: cost_figures.Pairs = "causal",
    head: cost_figures.HeadTokens = "all",
) -> list[Line]:
    """Return the lines of a figure, its terms first and the total last.

    A figure that is not known is one line whose formula is the reason and whose value is None.

    Raises
    ------
    InputError
        If there is no such figure.
    """
    if figure not in FIGURES:
        raise InputError(UNKNOWN_FIGURE, name=figure, choices=Choices(FIGURES))
    why = _why_unknown(architecture, figure)
    if why is not None:
        return [Line(NOT_KNOWN, why, None)]
    if figure in ("params", "params_active", "prefill_weight_flops", "decode_weight_flops"):
        lines = _of_parameters(architecture, figure, context, options.batch, head)
    elif figure in ("prefill_attention_flops", "decode_attention_flops"):
        lines = _of_attention(architecture, figure, context, options.batch, pairs)
    else:
        lines = _of_cache(architecture, figure, context, options)
    formula = " + ".join(_number(line.value or 0) for line in lines) or "0"
    return [*lines, Line(TOTAL, formula, sum(line.value or 0 for line in lines))]


def _why_unknown(architecture: Architecture, figure: str) -> str | None:
    of = {
        "kv_bytes": ("kv_bytes",),
        "kv_bytes_per_token": (),
        "state_bytes": ("state_bytes",),
        "cache_bytes": ("kv_bytes", "state_bytes"),
        "prefill_attention_flops": ("attention_flops",),
        "decode_attention_flops": ("attention_flops", "decode"),
        "params": ("params",),
        "params_active": ("params",),
        "prefill_weight_flops": ("weight_flops", "params"),
        "decode_weight_flops": ("weight_flops", "params", "decode"),
    }[figure]
    reasons = [architecture.why_unknown(part) for part in of]
    if architecture.parameters is None and "params" in of:
        reasons.append(NOT_KNOWN)
    if not architecture.generates and "decode" in of:
        reasons.append(KEEPS_NOTHING)
    return next((reason for reason in reasons if reason), None)


def _number(value: int) -> str:
    return f"{value:,}"


def _fraction(value: Fraction) -> str:
    return str(value) if value.denominator == 1 else f"({value})"


def _times(*factors: int) -> str:
    """Write a product, leaving out factors of 1 unless nothing else is there."""
    shown = [_number(factor) for factor in factors if factor != 1]
    return " × ".join(shown) or "1"


def _label(layer: Layer, count: int) -> str:
    words = LAYER_WORDS[layer.kind]
    return f"{count} × {words} {layer.window:,}" if layer.window else f"{count} × {words}"


# ------------------------------------------------------------------------------------------------------------ cache


def _per_cell(layer: Layer, options: CacheOptions) -> str:
    element_k = _fraction(options.type_k.bytes_per_element)
    if layer.kind == "latent" and not options.expand_latent:
        if options.type_k.fills_blocks(layer.latent + layer.rope):
            return f"({layer.latent:,} + {layer.rope:,}) × {element_k}"
        return _number(layer.bytes_per_cell(options))
    heads = layer.n_head if layer.kind == "latent" else layer.n_head_kv
    whole = options.type_k.fills_blocks(heads * layer.d_k) and options.type_v.fills_blocks(heads * layer.d_v)
    if not whole:
        # The last block of a row is filled up, which no product of widths shows.
        return _number(layer.bytes_per_cell(options))
    element_v = _fraction(options.type_v.bytes_per_element)
    return f"{heads:,} × ({layer.d_k:,} × {element_k} + {layer.d_v:,} × {element_v})"


def _state_line(state: State, count: int, context: int, options: CacheOptions) -> Line:
    one = state.n_bytes(context, options)
    if state.every:
        rows = options.batch * (context // state.every)
        return Line(f"{count} × {state.label}", _times(count, rows, one // rows if rows else 0), count * one)
    return Line(f"{count} × {state.label}", _times(count, options.batch, one // options.batch), count * one)


def _of_cache(architecture: Architecture, figure: str, context: int, options: CacheOptions) -> list[Line]:
    if not architecture.generates:
        return [Line(KEEPS_NOTHING, "0", 0)]
    lines = []
    for layer, count in architecture.groups:
        if layer.keeps_kv and figure != "state_bytes":
            cells = 1 if figure == "kv_bytes_per_token" else options.cells(context, layer.window)
            formula = f"{count:,} × {_per_cell(layer, options)} × {cells:,}"
            lines.append(Line(_label(layer, count), formula, count * cells * layer.bytes_per_cell(options)))
        if figure in ("state_bytes", "cache_bytes"):
            lines += [_state_line(state, count, context, options) for state in layer.states]
    return lines


# ------------------------------------------------------------------------------------------------------------ FLOPs


def _pairs(layer: Layer, n: int, *, square: bool) -> str:
    if square:
        return f"{n:,} × {n:,}"
    if layer.chunked and layer.window:
        chunks, rest = divmod(n, layer.window)
        chunk = f"{chunks:,} × {layer.window:,} × {layer.window + 1:,} / 2"
        return f"({chunk} + {rest:,} × {rest + 1:,} / 2)"
    if layer.seen is None or n < layer.seen:
        return f"{n:,} × {n + 1:,} / 2"
    return f"({n:,} × {layer.seen:,} − {layer.seen:,} × {layer.seen - 1:,} / 2)"


def _of_attention(architecture: Architecture, figure: str, n: int, batch: int, pairs: cost_figures.Pairs) -> list[Line]:
    prefill = figure == "prefill_attention_flops"
    square = pairs == "square" or not architecture.generates
    lines = []
    for layer, count in architecture.groups:
        if not layer.attends:
            continue
        per_pair = f"{_times(batch, count)} × 2 × ({layer.d_k:,} + {layer.d_v:,}) × {layer.n_head:,}"
        seen = _pairs(layer, n, square=square) if prefill else _number(layer.decode_pairs(n, square=square))
        n_pairs = layer.prefill_pairs(n, square=square) if prefill else layer.decode_pairs(n, square=square)
        value = batch * count * layer.flops_per_pair * n_pairs
        lines.append(Line(_label(layer, count), f"{per_pair} × {seen}", value))
        if layer.indexer is not None:
            every = cost.prefill_pairs(n, square=square) if prefill else n
            shown = (f"{n:,} × {n:,}" if square else f"{n:,} × {n + 1:,} / 2") if prefill else f"{n:,}"
            formula = (
                f"{_times(batch, count)} × 2 × {layer.indexer.n_head:,} × ({layer.indexer.d_head:,} + 1) × {shown}"
            )
            value = batch * count * layer.indexer.flops_per_pair * every
            lines.append(Line(f"{count} × index scores", formula, value))
    return lines


# ------------------------------------------------------------------------------------------------------- parameters


def _of_parameters(
    architecture: Architecture, figure: str, n: int, batch: int, head: cost_figures.HeadTokens
) -> list[Line]:
    parameters = architecture.parameters
    if parameters is None:
        return []
    if figure in ("params", "params_active"):
        return _stored(parameters, active=figure == "params_active")
    tokens = n if figure == "prefill_weight_flops" else 1
    lines = []
    for name, words in PARAMETER_WORDS:
        amount = _amount(parameters, name, active=True)
        if name in ("embedding", "vectors", "encoder") or not amount:
            continue
        times = min(tokens, 1) if name == "head" and head == "last" else tokens
        lines.append(Line(words, f"2 × {amount:,} × {_times(batch, times)}", 2 * amount * batch * times))
    return lines


def _amount(parameters: Parameters, name: str, *, active: bool) -> int:
    amount: int = getattr(parameters, f"{name}_active" if active and name in ("ffn", "unsorted") else name)
    return amount


def _stored(parameters: Parameters, *, active: bool) -> list[Line]:
    lines = []
    for name, words in PARAMETER_WORDS:
        amount = _amount(parameters, name, active=active)
        if name == "head" and parameters.tied:
            lines.append(Line(HEAD_IS_TIED, "0", 0))
        elif amount:
            lines.append(Line(words, _number(amount), amount))
    return lines
