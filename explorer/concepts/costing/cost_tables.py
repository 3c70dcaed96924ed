"""What tab 12 shows beside its plot: the few figures that matter, the layers by kind, and the lesson's table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from explorer.concepts.costing import cost_plots, cost_shape, cost_study
from explorer.concepts.declaration import Controls, Situation, Tile, Values
from explorer.concepts.shown import quantities
from explorer.concepts.shown.ledger import Entry, Heading, Ledger
from explorer.concepts.shown.strip import Kind, Strip
from explorer.core import lesson

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.concepts.costing.cost_study import Study
    from explorer.core.cost_model import Architecture, Layer

UNKNOWN: Final = "not known"


def _written(results: Values, name: str, write: Callable[[float], str]) -> str:
    return write(float(results[name])) if name in results else UNKNOWN


def _cell(results: Values, name: str) -> tuple[str, tuple[int, ...]] | None:
    return (name, ()) if name in results else None


# --------------------------------------------------------------------------------------------------------- figures


def heroes(situation: Situation, results: Values) -> list[Tile]:
    """Return the few figures that the chosen plot is about."""
    controls = situation.controls
    return _HEROES[controls["view"]](controls, results, cost_study.study(controls))


def _crossing(results: Values, study: Study, name: str, label: str, *, how: str, never: str) -> Tile:
    stage = _CROSSINGS[name]
    if stage in results:
        return Tile(label, f"{quantities.tokens(float(results[stage]))} tokens", how, "accent", (stage, ()))
    if name in study.asked.crossings:
        return Tile(label, "never", never)
    return Tile(label, UNKNOWN, _briefly(study, "decode_weight_flops", "decode_attention_flops"))


_CROSSINGS: Final = {
    "prefill": "crossover_n_prefill",
    "decode": "crossover_n_decode",
    "bytes read in decode": "crossover_n_bytes",
}


def _why(study: Study, *which: str) -> str:
    return next((why for figure in which if (why := study.asked.why_unknown(figure))), "")


def _briefly(study: Study, *which: str) -> str:
    """Return in a few words what is missing; the whole sentence is among the notes."""
    unknown = dict(study.asked.architecture.unknown)
    if not study.asked.architecture.generates:
        return "an encoder keeps nothing"
    words = {
        "params": "the parameters are not known",
        "weight_flops": "the parameters are not known",
        "attention_flops": "the pairs are not known",
        "n_head": "the query heads are not known",
    }
    found = [words.get(name, "a note says why") for name in unknown]
    return found[0] if found and any(study.asked.why_unknown(figure) for figure in which) else ""


def _per_pair(study: Study) -> str:
    found = study.asked.value("decode_attention_flops", 1)
    batch = study.asked.options.batch
    return f"{found // batch:,}" if found else "?"


def _flops(_controls: Controls, results: Values, study: Study) -> list[Tile]:
    asked = study.asked
    closed = {name: one.exact is not None and one.exact > 0 for name, one in asked.crossings.items()}
    halved = asked.pairs == "causal"
    how_prefill = f"{'4' if halved else '2'}·P ÷ {_per_pair(study)} FLOPs a pair{' − 1' if halved else ''}"
    how_decode = f"2·P ÷ {_per_pair(study)} FLOPs a pair"
    solved = "the first context where it does"
    attends = any(layer.attends for layer in asked.architecture.layers)
    flat = "what a query sees stops growing" if attends else "no layer attends over the text"
    tiles = [
        _crossing(
            results,
            study,
            "prefill",
            "prefill: attention = all matrices at",
            how=how_prefill if closed.get("prefill") else solved,
            never=flat,
        ),
        _crossing(
            results,
            study,
            "decode",
            "decode step: attention = matrices at",
            how=how_decode if closed.get("decode") else solved,
            never=flat,
        ),
    ]
    return [*tiles, *_shared(study)]


def _shared(study: Study) -> list[Tile]:
    """Return what other KV heads change: not scores and mix, but the projections."""
    if not study.attention_is_shared or len(study.variants) < 2:
        return []
    counts = [(one.short, one.asked.architecture.parameters) for one in study.variants]
    sizes = [f"{short} {quantities.short_parameters(p.multiplied)}" for short, p in counts if p is not None]
    differ = len({p.multiplied for _, p in counts if p is not None}) > 1
    detail = f"P differs: {', '.join(sizes)}" if differ and sizes else "fewer KV heads save bytes"
    return [Tile("scores and mix, all three", " = ".join(short for short, _ in counts), detail)]


def _generation(controls: Controls, results: Values, _study: Study) -> list[Tile]:
    new, prompt = int(controls["new_tokens"]), int(controls["context"])
    attention, matrices = results.get("generation_attention"), results.get("generation_weights")
    if attention is None or matrices is None:
        return [Tile("a whole generation", UNKNOWN, "it needs query heads, parameters and decode steps")]
    whole = float(attention) + float(matrices)
    fed = prompt + max(new - 1, 0)
    parts = (
        ("of it attention", float(attention), "generation_attention"),
        ("of it matrices", float(matrices), "generation_weights"),
    )
    label = f"{prompt:,} tokens of prompt, {new:,} new"
    return [
        Tile(label, quantities.flops(whole), f"{fed:,} tokens go through", "accent"),
        *(
            Tile(words, quantities.flops(part), f"{100 * part / whole:.3g} %", cell=(stage, ()))
            for words, part, stage in parts
        ),
    ]


def _cache(controls: Controls, results: Values, study: Study) -> list[Tile]:
    here = quantities.tokens(float(controls["context"]))
    why = _briefly(study, "cache_bytes")
    more = 0.0 if why else study.more_per_token(int(controls["context"]))
    detail = f"{quantities.number_of_bytes(more)} more with each token" if more else "however long the text becomes"
    tiles = [
        Tile(
            f"{study.cache_name} at {here} tokens",
            _written(results, "cache_bytes", quantities.number_of_bytes),
            why or detail,
            "accent",
            _cell(results, "cache_bytes"),
        )
    ]
    tiles += [_full(name, size, results, study) for name, size in cost_plots.memories(controls)[-1:]]
    growth = {name: size for name, size in study.growth(int(controls["context"])).items() if size}
    if len(growth) > 1:
        said = [f"{quantities.number_of_bytes(size)} {_GROWTH[name]}" for name, size in growth.items()]
        tiles.append(Tile("of it", said[0], ", ".join(said[1:]), cell=_cell(results, "cache_bytes")))
    elif float(results.get("cache_intensity", 0)):
        tiles.append(_intensity(results, study))
    return tiles


_GROWTH: Final = {"grows": "grows", "saturates": "saturates", "constant": "stays constant"}


def _full(name: str, size: int, results: Values, study: Study) -> Tile:
    """Return until which context a memory is large enough."""
    label, room = f"{name}: full at", study.longest(size)
    weights = study.weights
    if room.fits == "unknown" or weights is None:
        return Tile(label, UNKNOWN, _briefly(study, "cache_bytes", "params"))
    if room.fits == "never":
        return Tile(label, "no token fits", f"the weights alone take {quantities.number_of_bytes(weights)}", "bad")
    left = quantities.number_of_bytes(size - weights)
    if room.context is None:
        return Tile(label, "never", f"the cache stops growing below {left}", "good")
    cell = ("full_at", (len(results["full_at"]) - 1,)) if "full_at" in results else None
    return Tile(label, f"{room.context:,} tokens", f"{left} beside the weights", cell=cell)


def _bytes(controls: Controls, results: Values, study: Study) -> list[Tile]:
    weights = _written(results, "weight_bytes_read", quantities.number_of_bytes)
    found = study.asked.crossings.get("bytes read in decode")
    evenly = found is not None and found.exact is not None
    batch = study.asked.options.batch
    per_token = _written(results, "kv_bytes_per_token", lambda value: quantities.number_of_bytes(batch * value))
    tiles = [
        _crossing(
            results,
            study,
            "bytes read in decode",
            "as many bytes of cache as of weights at",
            how=f"{weights} ÷ {per_token} a token" if evenly else "the first context where it is so",
            never="the cache stops growing",
        )
    ]
    if "steps_per_second" in results:
        read = quantities.decimal_bytes(float(results["decode_bytes"]))
        rate = float(results["steps_per_second"]) * batch
        tiles.append(
            Tile(
                "from memory at most",
                f"{rate:,.3g} tokens/s",
                f"{'' if batch == 1 else f'{batch} × '}{float(controls['bandwidth']):,.0f} GB/s ÷ {read}",
                "accent",
                ("steps_per_second", ()),
            )
        )
    if float(results.get("cache_intensity", 0)):
        tiles.append(_intensity(results, study))
    return tiles


def _intensity(results: Values, study: Study) -> Tile:
    """Return how many FLOPs decode does per byte of cache, and why so many."""
    asked, value = study.asked, float(results["cache_intensity"])
    shared = cost_shape.per_kv_head(asked.architecture)
    options, detail = asked.options, "FLOPs of attention ÷ bytes of K and V"
    if shared is not None:
        attending = next(layer for layer in asked.architecture.layers if layer.attends)
        heads = f"{attending.n_head} ÷ {attending.n_head_kv}"
        if abs(value / shared - 1) < 1e-9:
            detail = f"as many as query heads per KV head,\nat 16 bits: {heads}"
        elif (
            options.type_k == options.type_v
            and abs(value * float(options.type_k.bytes_per_element) / 2 / shared - 1) < 1e-6
        ):
            bits = 8 * float(options.type_k.bytes_per_element)
            detail = f"query heads per KV head × 16 ÷ {bits:g} bits:\n{heads} × 16 ÷ {bits:g}"
    return Tile("decode attention does", f"{value:,.4g} FLOPs per byte", detail, "accent", ("cache_intensity", ()))


def _roofline(controls: Controls, results: Values, study: Study) -> list[Tile]:
    roof = cost_plots.machine(controls)
    tiles = []
    if float(results.get("cache_intensity", 0)):
        tiles.append(_intensity(results, study))
    if "step_intensity" in results:
        value = float(results["step_intensity"])
        bound = "the bandwidth" if value < roof.ridge else "the FLOP rate"
        tiles.append(
            Tile(
                "a whole decode step does",
                f"{value:,.3g} FLOPs per byte",
                f"ridge at {roof.ridge:,.4g}: {bound} sets its speed",
                cell=("step_intensity", ()),
            )
        )
    if "steps_per_second" in results:
        batch = study.asked.options.batch
        rate = float(results["steps_per_second"]) * batch
        tiles.append(Tile("from memory at most", f"{rate:,.3g} tokens/s", "bandwidth ÷ bytes of a step",
                          cell=("steps_per_second", ())))  # fmt: skip
    return tiles or [Tile("FLOPs per byte", UNKNOWN, _briefly(study, "decode_attention_flops", "cache_bytes"))]


_HEROES: Final = {
    "flops": _flops,
    "generation": _generation,
    "cache": _cache,
    "bytes": _bytes,
    "roofline": _roofline,
}


# ---------------------------------------------------------------------------------------------------------- layers

_ROLES: Final = {**cost_plots.PART_ROLES, "nothing": "border"}


def _group(layer: Layer, generates: bool) -> tuple[str, str]:
    """Return how a layer's cache behaves, and what the layer is called."""
    if not generates:
        return "nothing", "keep nothing: an encoder"
    if layer.keeps_kv and layer.window:
        return "saturates", f"saturate at {layer.window:,}"
    if layer.keeps_kv:
        return "grows", "grow (latent)" if layer.kind == "latent" else "grow"
    if layer.kind == "shared":
        return "nothing", "share an earlier cache"
    if layer.states:
        return "constant", "stay constant"
    return "nothing", "keep nothing"


def layers(situation: Situation, _results: Values) -> Strip:
    """Return the model's layers in order, by what their caches do as the text grows."""
    controls = situation.controls
    study = cost_study.study(controls)
    return study.kept(("strip", cost_shape.title(controls)), lambda: _strip(controls, study.asked.architecture))


def _strip(controls: Controls, one: Architecture) -> Strip:
    groups = [_group(layer, one.generates) for layer in one.layers]
    known = list(dict.fromkeys(groups))
    runs: list[tuple[int, int]] = []
    for group in groups:
        kind = known.index(group)
        if runs and runs[-1][0] == kind:
            runs[-1] = (kind, runs[-1][1] + 1)
        else:
            runs.append((kind, 1))
    kinds = tuple(Kind(f"{groups.count(group)} {group[1]}", _ROLES[group[0]]) for group in known)
    notes = tuple(dict.fromkeys((*one.notes, *dict(one.unknown).values())))
    return Strip(cost_shape.title(controls), tuple(_facts(controls, one)), kinds, tuple(runs), notes)


def _facts(controls: Controls, one: Architecture) -> list[str]:
    heads = [f"{controls['n_head'] or 'varying'} query heads", f"{controls['n_head_kv'] or 'varying'} KV heads"]
    width = [f"of {controls['head_dim']}"] if controls["head_dim"] else []
    attends = any(layer.attends for layer in one.layers)
    if one.count("latent"):
        heads = [f"{controls['n_head'] or 'varying'} heads on one latent"]
        width = []
    shown = [", ".join(heads) + (f" {width[0]}" if width else "")] if attends else ["no attention"]
    return [f"{one.n_layer} layers", *shown, cost_shape.parameter_words(one)]


# ----------------------------------------------------------------------------------------------------------- table


def table(situation: Situation, results: Values) -> Ledger:
    """Return the lesson's table with the chosen context in its place, once; for the cache, the memories instead."""
    study = cost_study.study(situation.controls)
    if situation.controls["view"] == "cache":
        return _memory_table(situation.controls, results, study)
    chosen = float(situation.controls["context"])
    listed = {float(n): at for at, n in enumerate(lesson.COST_CONTEXTS)}
    contexts = sorted({*listed, chosen})
    rows = [_row(study, results, n, None if n == chosen else listed[n]) for n in contexts]
    return Ledger(_HEADINGS, tuple(rows), contexts.index(chosen), room=len(listed) + 1)


def _memory_table(controls: Controls, results: Values, study: Study) -> Ledger:
    """Return for each memory what is left beside the weights, and at which context each variant has filled it."""
    headings = [Heading("memory", "", align="left"), Heading("beside", "the weights")]
    headings += [
        Heading("full at tokens", f"{one.short}{', this model' if one.own else ''}", cost_plots.variant_role(one))
        for one in study.variants
    ]
    rows = []
    for at, (name, size) in enumerate(cost_plots.memories(controls)):
        weights = study.weights
        room = None if weights is None else size - weights
        beside = Entry("—", says=_why(study, "params") or UNKNOWN) if room is None else _room(room)
        entries = [Entry(name, float(size)), beside]
        for one in study.variants:
            budget = study.longest(size, one)
            cell = ("full_at", (at,)) if one.own and "full_at" in results else None
            text = {"never": "no token", "always": "never full", "unknown": "—"}.get(
                budget.fits, f"{budget.context or 0:,}"
            )
            value = None if budget.context is None and budget.fits != "never" else float(budget.context or 0)
            entries.append(Entry(text, value, cell))
        rows.append(tuple(entries))
    return Ledger(tuple(headings), tuple(rows), strong=len(rows) - 1)


def _room(room: int) -> Entry:
    if room <= 0:
        return Entry(f"{quantities.number_of_bytes(-room)} short", float(room))
    return Entry(quantities.number_of_bytes(room), float(room))


def _ratio(value: float) -> str:
    return f"{value:,.2f}" if value < 100 else f"{value:,.0f}"


#: Columns of the table: heading, second line, colour, stage at the context and in the list, how it is written.
_COLUMNS: Final = (
    ("prefill", "attention", cost_plots.PREFILL, "prefill_attention", "prefill_attention_flops", quantities.tera),
    ("prefill", "matrices", cost_plots.PREFILL, "prefill_weights", "prefill_weight_flops", quantities.tera),
    ("decode step", "attention", cost_plots.DECODE, "decode_attention", "decode_attention_flops", quantities.giga),
    ("decode step", "matrices", cost_plots.DECODE, "decode_weights", "decode_weight_flops", quantities.giga),
    ("cache", "kept", "text", "cache_bytes", "cache_bytes_listed", quantities.number_of_bytes),
    ("decode step", "reads", "text", "decode_bytes", "decode_bytes_listed", quantities.number_of_bytes),
    ("decode step", "FLOP per byte", "text", "step_intensity", "step_intensity_listed", _ratio),
)
_HEADINGS: Final = (
    Heading("context", "tokens"),
    *(Heading(text, below, role) for text, below, role, *_ in _COLUMNS),
)
_FIGURES: Final = {
    "decode_bytes": ("cache_bytes", "decode_weight_flops"),
    "step_intensity": ("cache_bytes", "decode_attention_flops", "decode_weight_flops"),
    "cache_bytes": ("cache_bytes",),
    "prefill_attention": ("prefill_attention_flops",),
    "prefill_weights": ("prefill_weight_flops",),
    "decode_attention": ("decode_attention_flops",),
    "decode_weights": ("decode_weight_flops",),
}


def _row(study: Study, results: Values, context: float, at: int | None) -> tuple[Entry, ...]:
    entries = [Entry(quantities.tokens(context), context)]
    for _, _, _, here, listed, write in _COLUMNS:
        name, index = (here, ()) if at is None else (listed, (at,))
        if name not in results:
            entries.append(Entry("—", None, None, _why(study, *_FIGURES[here]) or UNKNOWN))
            continue
        value = float(np.asarray(results[name])[index])
        entries.append(Entry(write(value), value, (name, index)))
    return tuple(entries)
