"""The plots of tab 12: FLOPs, a generation, the cache, bytes read, and a roofline, all from core's curves.

A plot is made once for a question and a range, and kept with its study; what moves with the cursor is put in last. The
ranges of the axes follow the curves in whole decades, so that they stand still while a number is dragged.
"""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

import numpy as np

from explorer.concepts.costing import cost_study
from explorer.concepts.shown import quantities
from explorer.concepts.shown.plots import Crossing, Line, Plot, Scale, Series, Style
from explorer.core import cost, cost_figures

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from explorer.concepts.costing.cost_study import Study, Variant
    from explorer.concepts.declaration import Controls
    from explorer.core.cost_curves import Curves, Floats

PREFILL, DECODE = "head 0", "head 1"
VARIANT_ROLES: Final = {"MHA": "head 2", "GQA": "head 3", "MQA": "head 5", "MLA": "head 4", "cache": "head 3"}
#: What a cache does as the text gets longer.
PART_ROLES: Final = {"grows": "head 1", "saturates": "head 0", "constant": "head 6"}
#: Decades below the level that attention has to reach, where an axis of FLOPs begins.
DECADES_BELOW: Final = 3
#: How far an axis goes beyond its last mark, so that the mark's label has room.
HEADROOM, LOG_HEADROOM = 1.05, 1.8
#: A cache's axis begins where the model's own holds so many tokens.
FEWEST_TOKENS: Final = 32
#: Marks of a roofline's axis, in FLOPs per byte.
ROOF_DECADES: Final = (-1, 4)


def context_text(value: float) -> str:
    """Write a context: round ones shortly, others in full."""
    whole = round(value)
    for unit, size, from_ in (("M", 10**6, 10**6), ("k", 10**3, 10**4)):
        if whole >= from_ and whole * 10 % size == 0:
            return f"{whole / size:g} {unit}"
    return f"{whole:,}"


def machine(controls: Controls) -> cost_figures.Machine:
    """Return the machine that the controls describe."""
    return cost_figures.Machine(float(controls["bandwidth"]) * 1e9, float(controls["flop_rate"]) * 1e12)


def memories(controls: Controls) -> list[tuple[str, int]]:
    """Return the memories to compare with, the user's own last: names and bytes."""
    lines = list(cost_figures.MEMORY_LINES)
    own = int(controls["memory"])
    return [*lines, (f"yours, {own:,} GiB", own * cost.GIB)]


def plot(controls: Controls) -> Plot:
    """Return the plot that the controls choose."""
    study = cost_study.study(controls)
    context = int(controls["context"])
    make = _MAKERS[controls["view"]]
    longest = _longest(controls, study)
    key = (
        controls["view"], longest, bool(controls["per_token"]), int(controls["new_tokens"]), int(controls["memory"]),
        float(controls["bandwidth"]), float(controls["flop_rate"]), context if controls["view"] == "roofline" else 0,
    )  # fmt: skip
    made = study.kept(("plot", *key), lambda: make(study, controls, longest))
    if made.empty:
        return replace(made, x=replace(made.x, shown=False), y=replace(made.y, shown=False), note=_reason(study))
    return made if controls["view"] == "roofline" else replace(made, cursor=float(context))


def _reason(study: Study) -> str:
    """Return why there is nothing to draw."""
    one = study.asked.architecture
    if not one.generates:
        return "The model sees the whole text at once: it keeps no cache and has no decode step."
    return " ".join(dict.fromkeys(why for _, why in one.unknown))


# ----------------------------------------------------------------------------------------------------------- axes


def _round_up(value: float) -> int:
    """Return the next of 1, 2, 4, 5 and 10 times a power of ten."""
    power = 10 ** math.floor(math.log10(max(value, 1)))
    return int(next(step * power for step in (1, 2, 4, 5, 10) if step * power >= value))


def _longest(controls: Controls, study: Study) -> int:
    """Return where the context axis ends; 0 stands for a logarithmic one, which goes to the end."""
    if controls["axes"] == "log":
        return 0
    marks = [mark for mark in _marks(controls, study) if mark <= cost_study.LONGEST / 2]
    wanted = max([1000.0, *(1.3 * mark for mark in marks), 1.02 * float(controls["context"])])
    return min(_round_up(wanted), cost_study.LONGEST)


def _marks(controls: Controls, study: Study) -> list[float]:
    """Return the contexts that a linear axis should reach."""
    view = controls["view"]
    if view == "cache":
        full = study.longest(int(controls["memory"]) * cost.GIB).context
        return [float(full)] if full else [65_536.0]
    names = {"flops": ("prefill", "decode"), "bytes": ("bytes read in decode",)}.get(view, ())
    found = [study.asked.crossings[name].at for name in names if name in study.asked.crossings]
    return [float(at) for at in found if at] or [65_536.0]


def _context_scale(longest: int) -> Scale:
    label = "context, tokens"
    if longest:
        return Scale(label, 0, longest, write=context_text)
    ticks = tuple(10.0**power for power in range(8))
    return Scale(label, 1, cost_study.LONGEST, logarithmic=True, write=context_text, ticks=ticks)


def _value_scale(
    label: str, curves: Iterable[Floats], *, logarithmic: bool, floor: float, write: Callable[[float], str]
) -> Scale:
    """Return an axis that holds the curves; a logarithmic one begins at `floor` or where all curves are above it."""
    values = [curve for curve in curves if len(curve)]
    top = max((float(curve[-1]) for curve in values), default=1.0)
    if not logarithmic:
        high = _round_up(max(top, 1))
        ticks = tuple(high * part / 4 for part in range(5))
        return Scale(label, 0, HEADROOM * high, write=write, ticks=ticks)
    bottom = max(floor, min((float(curve.min()) for curve in values), default=1.0), 1.0)
    low = math.floor(math.log10(bottom))
    high = max(math.ceil(math.log10(max(top, 10.0))), low + 1)
    return Scale(label, 10.0**low, LOG_HEADROOM * 10.0**high, logarithmic=True, write=write)


def _bytes_scale(label: str, curves: Iterable[Floats], *, logarithmic: bool, floor: float) -> Scale:
    """Return an axis of bytes, labelled at powers of two."""
    values = [curve for curve in curves if len(curve)]
    top = max((float(curve[-1]) for curve in values), default=1.0)
    write = quantities.number_of_bytes
    if not logarithmic:
        step = 2.0 ** math.ceil(math.log2(max(top, 4) / 4))
        high = step * math.ceil(max(top, 4) / step)
        return Scale(label, 0, HEADROOM * high, write=write, ticks=tuple(np.arange(0, high + step / 2, step)))
    bottom = max(floor, min((float(curve.min()) for curve in values), default=1.0), 1.0)
    low, high_power = math.floor(math.log2(bottom)), math.ceil(math.log2(max(top, 2.0)))
    high_power = max(high_power, low + 2)
    every = 5 if high_power - low > 12 else 2 if high_power - low > 5 else 1
    ticks = tuple(2.0**power for power in range(-(-low // every) * every, high_power + 1, every))
    return Scale(label, 2.0**low, LOG_HEADROOM * 2.0**high_power, logarithmic=True, write=write, ticks=ticks)


# -------------------------------------------------------------------------------------------------------- helpers


def _series(
    name: str, x: Floats, y: Floats | None, look: tuple[str, Style], exact: Callable[[int], float | None]
) -> list[Series]:
    return [] if y is None else [Series(name, x, y, *look, at=partial(_at, exact))]


def _at(exact: Callable[[int], float | None], x: float) -> float:
    value = exact(max(round(x), 1))
    return math.nan if value is None else float(value)


def _limit_line(study: Study) -> tuple[Line, ...]:
    """Return a line at the longest context that the model was made for."""
    limit = study.asked.architecture.max_context
    if not limit:
        return ()
    return (Line(float(limit), f"made for {context_text(limit)}", role="muted", short=context_text(limit)),)


def variant_role(variant: Variant) -> str:
    """Return the colour of a variant."""
    return VARIANT_ROLES.get(variant.short, "head 3")


# ---------------------------------------------------------------------------------------------------------- plots


def _flops(study: Study, controls: Controls, longest: int) -> Plot:
    asked, per_token = study.asked, bool(controls["per_token"])
    batch = asked.options.batch
    curves = study.curves(study.own, longest or cost_study.LONGEST, logarithmic=not longest)
    x = curves.contexts
    share = x * batch if per_token else np.ones_like(x)
    each = batch if per_token else 1

    def prefill(figure: str, n: int) -> float | None:
        value = asked.value(figure, n)
        return None if value is None else value / (n * batch if per_token else 1)

    def decode(figure: str, n: int) -> float | None:
        value = asked.value(figure, n)
        return None if value is None else value / each

    def part(curve: Floats | None, by: Floats | int) -> Floats | None:
        return None if curve is None else curve / by

    # GQA and MQA change bytes, parameters and projections, not the scores and the mix of a head.
    shared = ", all three" if study.attention_is_shared and len(study.variants) > 2 else ""
    drawn = [
        *_series("prefill matrices", x, part(curves.prefill_weights, share), (PREFILL, "dashed"),
                 partial(prefill, "prefill_weight_flops")),
        *_series("decode matrices", x, part(curves.decode_weights, each), (DECODE, "dashed"),
                 partial(decode, "decode_weight_flops")),
        *_series(f"prefill attention{shared}", x, part(curves.prefill_attention, share), (PREFILL, "line"),
                 partial(prefill, "prefill_attention_flops")),
        *_series(f"decode attention{shared}", x, part(curves.decode_attention, each), (DECODE, "line"),
                 partial(decode, "decode_attention_flops")),
    ]  # fmt: skip
    level = asked.value("decode_weight_flops", 1)
    floor = level / each / 10**DECADES_BELOW if level else 0.0
    label = "FLOPs per token" if per_token else "FLOPs"
    y = _value_scale(
        label, [np.asarray(one.y) for one in drawn], logarithmic=not longest, floor=floor, write=quantities.flops
    )
    points = []
    for name, role, at in (("prefill", PREFILL, prefill), ("decode", DECODE, decode)):
        found = asked.crossings.get(name)
        if found is None or found.at is None or found.at > cost_study.LONGEST:
            continue
        where = found.exact if found.exact is not None and found.exact > 0 else float(found.at)
        height = at(f"{name}_attention_flops", max(round(where), 1))
        if height is not None:
            tokens = quantities.tokens(where)
            points.append(Crossing(where, height, f"{tokens} in {name}", role, tokens))
    return Plot(
        _context_scale(longest), y, tuple(drawn), crossings=tuple(points), lines=_limit_line(study), snap=round,
        title=f"{label} against context",
    )  # fmt: skip


def _generation(study: Study, controls: Controls, longest: int) -> Plot:
    asked, new = study.asked, int(controls["new_tokens"])
    later = max(new - 1, 0)
    curves = study.curves(study.own, longest or cost_study.LONGEST, logarithmic=not longest, later=later)
    causal = curves.prefill_attention if asked.pairs == "causal" else _causal(study, longest, later).prefill_attention
    x = curves.contexts - later
    matrices = curves.prefill_weights
    parameters = asked.architecture.parameters
    if matrices is not None and parameters is not None and asked.head == "last":
        # A prompt runs the head once; every further token runs it once more.
        matrices = matrices + 2.0 * parameters.head * later * asked.options.batch

    def work(n: int, *, attention: bool) -> float | None:
        done = cost_figures.generation_work(asked.architecture, n, new, head=asked.head, batch=asked.options.batch)
        if attention or done.total is None or done.attention is None:
            return done.attention if attention else None
        return done.total - done.attention

    drawn = [
        *_series("matrices", x, matrices, (PREFILL, "dashed"), partial(work, attention=False)),
        *_series("attention", x, causal, (PREFILL, "line"), partial(work, attention=True)),
    ]
    y = _value_scale(
        "FLOPs", [np.asarray(one.y) for one in drawn], logarithmic=not longest, floor=0.0, write=quantities.flops
    )
    scale = replace(_context_scale(longest), label="prompt, tokens")
    plural = "token" if new == 1 else "tokens"
    return Plot(
        scale, y, tuple(drawn), lines=_limit_line(study), snap=round,
        title=f"FLOPs of a prompt and {new:,} new {plural}",
    )  # fmt: skip


def _causal(study: Study, longest: int, later: int) -> Curves:
    """Return curves with causal pairs, whatever is asked: the tokens of a generation never look ahead."""
    own = study.own
    causal = replace(own, asked=replace(own.asked, pairs="causal"))
    return study.kept(
        ("causal", longest, later),
        lambda: study.curves(causal, longest or cost_study.LONGEST, logarithmic=not longest, later=later),
    )


def _cache(study: Study, controls: Controls, longest: int) -> Plot:
    own = study.own
    curves = {one: study.curves(one, longest or cost_study.LONGEST, logarithmic=not longest) for one in study.variants}
    drawn = _parts(study, curves[own])
    for one, curve in curves.items():
        exact = partial(one.asked.value, "cache_bytes")
        style: Style = "line" if one.own else "dashed"
        drawn += _series(one.label, curve.contexts, curve.cache_bytes, (variant_role(one), style), exact)
    rooms = [] if study.weights is None else [(name, size - study.weights) for name, size in memories(controls)]
    rooms = [(name, room) for name, room in rooms if room > 0]
    own_bytes = own.asked.value("cache_bytes", FEWEST_TOKENS)
    floor = float(own_bytes or 2**10)
    y = _bytes_scale("bytes", [np.asarray(one.y) for one in drawn], logarithmic=not longest, floor=floor)
    points = []
    lines = [Line(float(room), "", vertical=False, role="muted") for _, room in rooms if y.low < room < y.high]
    for name, size in memories(controls):
        full = study.longest(size).context
        at = None if not full else own.asked.value("cache_bytes", full)
        if at and y.low < at < y.high and full and full <= (longest or cost_study.LONGEST):
            points.append(Crossing(float(full), float(at), name, variant_role(own), name.partition(",")[0]))
    return Plot(
        _context_scale(longest), y, tuple(drawn), lines=(*lines, *_limit_line(study)), crossings=tuple(points),
        snap=round, title=f"{study.cache_name} against context",
    )  # fmt: skip


def _parts(study: Study, curves: Curves) -> list[Series]:
    """Return what of the cache grows, saturates and stays constant, where it is more than one of these."""
    parts = {"grows": curves.grows, "saturates": curves.saturates, "constant": curves.constant}
    there = {name: curve for name, curve in parts.items() if curve[-1] > 0}
    if len(there) < 2:
        return []

    def exact(name: str, n: int) -> float | None:
        return study.growth(n)[name]

    drawn: list[Series] = []
    for name, curve in there.items():
        drawn += _series(
            f"this model: {name}", curves.contexts, curve, (PART_ROLES[name], "dotted"), partial(exact, name)
        )
    return drawn


def _bytes(study: Study, _controls: Controls, longest: int) -> Plot:
    asked = study.asked
    curves = {one: study.curves(one, longest or cost_study.LONGEST, logarithmic=not longest) for one in study.variants}
    drawn: list[Series] = []

    def read(variant: Variant, n: int) -> float | None:
        one = variant.asked
        return cost_figures.decode_bytes_read(one.architecture, n, one.options, one.weight_type)

    for one, curve in curves.items():
        style: Style = "line" if one.own else "dashed"
        drawn += _series(one.label, curve.contexts, curve.decode_bytes, (variant_role(one), style), partial(read, one))
    weights = cost_figures.decode_weight_bytes(asked.architecture, asked.weight_type)
    if weights is not None:
        x = curves[study.own].contexts
        drawn += _series(
            "this model’s weights alone",
            x,
            np.full_like(x, float(weights)),
            ("muted", "dotted"),
            lambda _: float(weights),
        )
    floor = weights / 16 if weights else 2.0**10
    y = _bytes_scale("bytes read", [np.asarray(one.y) for one in drawn], logarithmic=not longest, floor=floor)
    points: tuple[Crossing, ...] = ()
    found = asked.crossings.get("bytes read in decode")
    if found is not None and found.at is not None and found.at <= cost_study.LONGEST and weights is not None:
        where = found.exact if found.exact is not None and found.exact > 0 else float(found.at)
        tokens, height = quantities.tokens(where), float(read(study.own, found.at) or 0)
        role = variant_role(study.own)
        points = (Crossing(float(found.at), height, f"{tokens}: cache = weights", role, tokens),)
    return Plot(
        _context_scale(longest), y, tuple(drawn), crossings=points, lines=_limit_line(study), snap=round,
        title="Bytes read by one decode step",
    )  # fmt: skip


def _roofline(study: Study, controls: Controls, longest: int) -> Plot:
    context, roof = int(controls["context"]), machine(controls)
    dots: list[tuple[Variant, cost_figures.RooflinePoint]] = []
    for one in study.variants:
        found = study.roofline(one, context, roof)
        dots += [(one, dot) for dot in found if one.own or dot.name == "decode attention"]
    reach = [dot.intensity for _, dot in dots] + [roof.ridge]
    low = min(ROOF_DECADES[0], math.floor(math.log10(min(reach))))
    high = max(ROOF_DECADES[1], math.ceil(math.log10(max(reach))))
    # On a linear axis it goes twice as far as the ridge: what is far beyond would leave everything else at 0.
    linear, end = longest > 0, 2 * roof.ridge
    x = np.linspace(0.0, end, cost_study.POINTS) if linear else np.geomspace(10.0**low, 10.0**high, cost_study.POINTS)
    y = np.minimum(roof.flop_rate, x * roof.bandwidth)
    limit = Series("the machine’s roof", x, y, "text", at=roof.attainable)
    top = (1.2 if linear else 3) * roof.flop_rate
    points = []
    for one, dot in dots:
        plain = f"{dot.intensity:,.0f}" if dot.intensity >= 100 else f"{dot.intensity:.3g}"
        if dot.name == "decode attention":
            label = f"{one.short} {plain}" if not one.own else f"decode attention, {one.short}: {plain} FLOP/B"
            points.append(Crossing(dot.intensity, dot.rate, label, variant_role(one), f"{one.short} {plain}"))
        else:
            role = PREFILL if dot.name == "prefill" else DECODE
            short = f"{dot.name.partition(' ')[0]} {plain}"
            points.append(Crossing(dot.intensity, dot.rate, f"{dot.name}: {plain}", role, short))
    return Plot(
        Scale(
            "FLOPs per byte read", 0.0 if linear else 10.0**low, end if linear else 10.0**high, logarithmic=not linear,
            write=lambda value: context_text(value) if value >= 1 else f"{value:.4g}",
        ),
        Scale(
            "FLOPs a second", float(y[0]), top, logarithmic=not linear,
            write=lambda value: f"{quantities.flops(value)}/s",
        ),
        (limit,),
        lines=(Line(roof.ridge, f"ridge {roof.ridge:,.4g}", role="muted"),),
        crossings=tuple(points),
        title=f"What the machine allows at {quantities.tokens(context)} tokens",
    )  # fmt: skip


_MAKERS: Final = {
    "flops": _flops,
    "generation": _generation,
    "cache": _cache,
    "bytes": _bytes,
    "roofline": _roofline,
}
