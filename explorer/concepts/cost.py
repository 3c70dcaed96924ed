"""Tab 12, cost: what attention costs against the length of the text, for any model.

Every figure is a stage of its own, so that its arithmetic can be opened, exported and checked; a figure that a model
has no value for has no array. Figures of one number are those at the chosen context; the rows of the table are at the
lesson's. Curves are drawn from core's curves and are not stages: a test holds the two together.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from explorer.concepts.costing import cost_shape as shape
from explorer.concepts.costing import cost_study
from explorer.concepts.costing.cost_plots import machine, memories, plot
from explorer.concepts.costing.cost_tables import heroes, layers, table
from explorer.concepts.declaration import (
    Axis,
    Choice,
    Column,
    Concept,
    Controls,
    Custom,
    Drawer,
    Row,
    Situation,
    Slider,
    Stage,
    Text,
    Toggle,
    Values,
    Whole,
)
from explorer.core import cache_types, cost_figures, lesson
from explorer.core.ops import figures

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.ops.base import Op
    from explorer.core.ops.figures import Asked

#: Types that weights may be stored in; parameters of 16 bits unless chosen otherwise.
CACHE_TYPES: Final = tuple((name, name) for name in cache_types.CACHE_TYPES)
CONTEXTS: Final = lesson.COST_CONTEXTS
MEMORIES = Axis("6", "memory", (*(name for name, _ in cost_figures.MEMORY_LINES), "your memory"))
TABLE = Axis(str(len(CONTEXTS)), "context", tuple(f"{n:,} tokens" for n in CONTEXTS))

#: Figures at the chosen context: the stage, the figure of core, and its title.
_HERE: Final = (
    ("kv_cache", "kv_bytes", "bytes of K and V"),
    ("states", "state_bytes", "bytes of other states"),
    ("cache_bytes", "cache_bytes", "bytes of the whole cache"),
    ("prefill_attention", "prefill_attention_flops", "FLOPs of attention in prefill"),
    ("prefill_weights", "prefill_weight_flops", "FLOPs of the matrices in prefill"),
    ("decode_attention", "decode_attention_flops", "FLOPs of attention in a decode step"),
    ("decode_weights", "decode_weight_flops", "FLOPs of the matrices in a decode step"),
)
#: Figures that do not depend on the context, likewise.
_WHATEVER: Final = (
    ("stored_params", "params", "parameters stored"),
    ("params_active", "params_active", "parameters that a token uses"),
    ("kv_bytes_per_token", "kv_bytes_per_token", "bytes that one more token adds to the cache"),
)
#: What a stage reads that depends on the model alone.
_MODEL: Final = ("n_layer",)
#: Figures of the table: the stage, the figure of core, and its title.
_LISTED: Final = (
    ("prefill_attention_flops", "prefill_attention_flops", "FLOPs of attention in prefill"),
    ("prefill_weight_flops", "prefill_weight_flops", "FLOPs of the matrices in prefill"),
    ("decode_attention_flops", "decode_attention_flops", "FLOPs of attention in a decode step"),
    ("decode_weight_flops", "decode_weight_flops", "FLOPs of the matrices in a decode step"),
    ("cache_bytes_listed", "cache_bytes", "bytes of the whole cache"),
)
_CROSSINGS: Final = (
    ("crossover_n_prefill", "prefill", "where attention costs as much as the matrices in prefill"),
    ("crossover_n_decode", "decode", "where attention costs as much as the matrices in a decode step"),
    ("crossover_n_bytes", "bytes read in decode", "where the cache is as large as the weights that a step reads"),
)


def _here(figure: str, controls: Controls) -> Op | None:
    return figures.figure(shape.asked(controls), figure, (int(controls["context"]),))


def _kept(controls: Controls, key: tuple[object, ...], make: Callable[[Asked], Op | None]) -> Op | None:
    """Return an op that depends on the question alone: the same object as long as that is asked."""
    study = cost_study.study(controls)
    return study.kept(("op", *key), lambda: make(study.asked))


def _whatever(figure: str, controls: Controls) -> Op | None:
    return _kept(controls, ("whatever", figure), lambda asked: figures.figure(asked, figure, (1,)))


def _listed(figure: str, controls: Controls) -> Op | None:
    return _kept(controls, ("listed", figure), lambda asked: figures.figure(asked, figure, CONTEXTS))


def _crossing(name: str, controls: Controls) -> Op | None:
    return _kept(controls, ("crossing", name), lambda asked: figures.crossing(asked, name))


def _weights(controls: Controls, *, read: bool) -> Op | None:
    return _kept(controls, ("weights", read), lambda asked: figures.stored_bytes(asked, read=read))


def _generation(controls: Controls, *, attention: bool) -> Op | None:
    new, prompt = int(controls["new_tokens"]), int(controls["context"])
    return figures.generation(shape.asked(controls), new, attention=attention, prompt=prompt)


def _full(controls: Controls) -> Op | None:
    budgets = tuple(size for _, size in memories(controls))
    return _kept(controls, ("full", *budgets), lambda asked: figures.longest_contexts(asked, budgets))


def _generates(op: Op, controls: Controls) -> Op | None:
    """Return an op of decode steps, for models that have them."""
    return op if shape.asked(controls).architecture.generates else None


def _steps(controls: Controls) -> Op | None:
    return _generates(figures.steps_per_second(machine(controls).bandwidth), controls)


def _stage(name: str, op: Op | Callable[[Controls], Op | None], inputs: tuple[str, ...], title: str) -> Stage:
    return Stage(name, op, inputs, (), "plain", title=title)


def _validate(situation: Situation) -> None:
    shape.asked(situation.controls)


def _plot(situation: Situation, _results: Values) -> object:
    return plot(situation.controls)


_SIZES: Final = tuple(
    Whole(name, label, 0, most, default, among=shape.kv_heads if name == "n_head_kv" else None)
    for name, (label, default, most) in shape.SIZES.items()
)

CONCEPT = Concept(
    number=12,
    slug="cost",
    title="Cost",
    inputs=(),
    controls=(
        Text(
            "model",
            "model",
            shape.LESSON,
            check=shape.check_model,
            suggest=shape.suggest,
            many="models",
            shown=shape.title,
            read=shape.read_model,
            files=(".json", ".gguf"),
        ),
        Slider("context", "context", 1, cost_study.LONGEST, 1, lesson.EIGHT_B_MODEL.context, logarithmic=True),
        Choice("axes", "axes", (("log", "log"), ("linear", "linear")), "log"),
        Toggle("per_token", "per token", False, key="K"),
        Choice(
            "view",
            "plot",
            (
                ("flops", "FLOPs"),
                ("generation", "Generate"),
                ("cache", "Cache"),
                ("bytes", "Bytes"),
                ("roofline", "Roofline"),
            ),
            "flops",
            key="G",
        ),
        *_SIZES,
        Choice("cache_k", "K stored as", CACHE_TYPES, "f16"),
        Choice("cache_v", "V stored as", ((shape.SAME_AS_K, shape.SAME_AS_K), *CACHE_TYPES), shape.SAME_AS_K),
        Slider("batch", "sequences", 1, 1024, 1, 1, logarithmic=True),
        Choice("rounding", "rounded as", tuple((name, name) for name in ("none", "llama.cpp", "vllm")), "none"),
        Toggle("unified", "one cache for all sequences (llama.cpp)", False),
        Toggle("expand_latent", "keep MLA’s full keys and values", False),
        Choice("pairs", "pairs", (("causal", "causal, n(n+1)/2"), ("square", "square, n²")), "causal"),
        Choice("head", "head runs for", (("all", "all tokens"), ("last", "the last")), "all"),
        Choice("weights", "weights stored as", CACHE_TYPES, "bf16"),
        Slider("new_tokens", "new tokens", 1, 100_000, 1, 512, logarithmic=True),
        Slider("memory", "your memory", 0, 4096, 1, 32, unit="GiB"),
        Slider("bandwidth", "bandwidth", 1, 100_000, 1, 100, unit="GB/s", logarithmic=True),
        Slider("flop_rate", "FLOP rate", 0.1, 10_000, 0.1, 10, unit="TFLOP/s", digits=1, logarithmic=True),
    ),
    drawers=(
        Drawer("Shape", tuple(shape.SIZES), shape.summary),
        Drawer("Cache", ("cache_k", "cache_v", "batch", "rounding", "unified", "expand_latent"), shape.cache_summary),
        Drawer("Count", ("pairs", "head", "weights", "new_tokens"), shape.counting_summary),
        Drawer("Machine", ("memory", "bandwidth", "flop_rate"), shape.machine_summary),
    ),
    follow=shape.follow,
    validate=_validate,
    stages=(
        Stage("contexts", figures.constant(CONTEXTS), _MODEL, (TABLE,), "plain", title="contexts of the table"),
        *(_stage(name, partial(_whatever, figure), _MODEL, title) for name, figure, title in _WHATEVER),
        *(_stage(name, partial(_here, figure), ("context",), title) for name, figure, title in _HERE),
        _stage("weight_bytes", partial(_weights, read=False), _MODEL, "bytes of all weights"),
        _stage("weight_bytes_read", partial(_weights, read=True), _MODEL, "bytes of the weights that a step reads"),
        _stage(
            "decode_bytes",
            partial(_generates, figures.add("B")),
            ("weight_bytes_read", "cache_bytes"),
            "bytes that a decode step reads",
        ),
        _stage(
            "cache_intensity",
            partial(_generates, figures.ratio()),
            ("decode_attention", "kv_cache"),
            "FLOPs of attention per byte of K and V",
        ),
        _stage(
            "step_intensity",
            partial(_generates, figures.ratio(2)),
            ("decode_attention", "decode_weights", "decode_bytes"),
            "FLOPs per byte of a decode step",
        ),
        _stage("steps_per_second", _steps, ("decode_bytes",), "decode steps a second that the bandwidth allows"),
        _stage(
            "generation_attention",
            partial(_generation, attention=True),
            ("context",),
            "FLOPs of attention in a whole generation",
        ),
        _stage(
            "generation_weights",
            partial(_generation, attention=False),
            ("context",),
            "FLOPs of the matrices in a whole generation",
        ),
        *(_stage(name, partial(_crossing, which), _MODEL, title) for name, which, title in _CROSSINGS),
        *(
            Stage(name, partial(_listed, figure), ("contexts",), (TABLE,), "plain", title)
            for name, figure, title in _LISTED
        ),
        Stage("full_at", _full, _MODEL, (MEMORIES,), "plain", title="context at which a memory is full"),
        Stage(
            "weight_bytes_listed",
            partial(_weights, read=True),
            ("contexts",),
            (TABLE,),
            "plain",
            title="bytes of the weights that a step reads",
        ),
        Stage(
            "decode_bytes_listed",
            partial(_generates, figures.add("B")),
            ("weight_bytes_listed", "cache_bytes_listed"),
            (TABLE,),
            "plain",
            title="bytes that a decode step reads",
        ),
        Stage(
            "step_intensity_listed",
            partial(_generates, figures.ratio(2)),
            ("decode_attention_flops", "decode_weight_flops", "decode_bytes_listed"),
            (TABLE,),
            "plain",
            title="FLOPs per byte of a decode step",
        ),
    ),
    pinned=("prefill_attention", ()),
    layout=Column(
        (
            Custom("strip", "layers", layers),
            Row(
                (
                    Custom(
                        "curves",
                        "plot",
                        _plot,
                        {"cursor": "context", "title": "cost against context", "least": (22.0, 7.0)},
                    ),
                    Custom(
                        "tiles", "heroes", heroes, {"title": "the figures that matter", "value": 24, "gives_way": True}
                    ),
                ),
                align="top",
            ),
            Custom("ledger", "table", table, {"title": "the figures at the lesson's contexts"}),
        )
    ),
)
