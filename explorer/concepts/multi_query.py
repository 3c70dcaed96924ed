"""Tab 11, multi-query attention: the same queries over as many KV heads as there are, over some, over one.

Three attentions of the same input stand side by side. Fewer KV heads can be drawn afresh (as a model that is trained
with them has its own), kept (one of each that are to share), or averaged, which for independent random heads shrinks
the scores. The table below is the lesson's, for a shape that is typed.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts.declaration import (
    Action,
    Axis,
    Choice,
    Column,
    Concept,
    Custom,
    Edit,
    Groups,
    Input,
    Matrix,
    Mosaic,
    Row,
    Situation,
    Size,
    Sizes,
    Stage,
    Step,
    Tile,
    Toggle,
    Values,
)
from explorer.concepts.heads import cache_shapes
from explorer.concepts.heads.many_heads import (
    D_MODEL,
    N,
    attention_stages,
    columns_of,
    divisors,
    drawn_input,
    head_axis,
    split_queries,
    x_input,
)
from explorer.core import cost, lesson
from explorer.core.ops import attention, cache, heads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from explorer.concepts.declaration import Role
    from explorer.core.lesson import Floats
    from explorer.core.ops.base import Op

OWN_HEAD = head_axis("n_head", "query head")
GQA_HEAD = head_axis("n_head", "query head", shared="n_head_kv")
MQA_HEAD = head_axis("n_head", "query head", shared="1")
MHA_KV, GQA_KV = head_axis("n_head", "KV head"), head_axis("n_head_kv", "KV head")
MQA_KV = Axis("1", "KV head", groups=Groups("1", "KV head"))
OWN_COLUMNS, MHA_COLUMNS, GQA_COLUMNS, MQA_COLUMNS = map(columns_of, (OWN_HEAD, MHA_KV, GQA_KV, MQA_KV))
VARIANT = Axis("3", "", cache.VARIANTS)

#: Fresh KV heads come from a seed of their own.
FRESH_SEED = lesson.MULTI_HEAD_SEED + 1
FEWER = (("fresh", "fresh"), ("kept", "one kept"), ("averaged", "averaged"))


def _fresh(name: str) -> Callable[[Sizes], Floats]:
    def default(sizes: Sizes) -> Floats:
        drawn = lesson.multi_head_inputs(
            FRESH_SEED,
            sizes["n"],
            sizes["d_model"],
            n_head=sizes["n_head"],
            n_head_kv=sizes["n_head_kv"],
            d_head=sizes["d_head"],
        )
        return drawn[name]

    return default


def _shape(_sizes: Sizes) -> Floats:
    model = lesson.EIGHT_B_MODEL
    return np.array([model.n_layer, model.n_head, model.n_head_kv, model.d_head, lesson.VARIANTS_CONTEXT], np.float64)


def check(situation: Situation) -> None:
    """Refuse a shape that no model can have."""
    cache_shapes.check_shape("shape", (), cache.SHAPE, situation.inputs["shape"])


def append_token(situation: Situation) -> Edit:
    """Add one token at the end; earlier rows keep what was typed into them."""
    return Edit(sizes={"n": situation.sizes["n"] + 1})


def _fewer(one: bool) -> Callable[[Mapping[str, object]], Op]:
    return lambda controls: heads.share_kv(str(controls["kv"]), one=one)


def _shared(name: str) -> tuple[Stage, ...]:
    """Return the stages that make GQA's and MQA's parameters out of those with a KV head for every query head."""
    role: Role = "key" if name == "Wk" else "value"
    read = (name, f"{name}_fresh", "n_head")
    return (
        Stage(f"{name}_gqa", _fewer(one=False), (*read, "n_head_kv"), (D_MODEL, GQA_COLUMNS), role, f"GQA’s {name}"),
        Stage(f"{name}_mqa", _fewer(one=True), read, (D_MODEL, MQA_COLUMNS), role, f"MQA’s {name}"),
    )


def _attention(suffix: str, query: Axis, shared: Axis, wk: str, wv: str) -> tuple[Stage, ...]:
    columns = columns_of(shared)
    return (
        Stage(f"k{suffix}", attention.project(), ("x", wk), (N, columns), "key", symbol="k"),
        Stage(f"v{suffix}", attention.project(), ("x", wv), (N, columns), "value", symbol="v"),
        *attention_stages(query, shared, suffix=suffix),
        Stage(
            f"output{suffix}", heads.side_by_side(), (f"heads{suffix}",), (N, OWN_COLUMNS), "output", symbol="output"
        ),
    )


def spreads(situation: Situation, results: Values) -> list[Tile]:
    """Say how wide the scores spread, and what averaging does to random heads."""
    sizes, spread = situation.sizes, results["spread"]
    each, heads_in_all = sizes["n_head"] // sizes["n_head_kv"], sizes["n_head"]
    says = {
        "fresh": "KV heads of their own, drawn alike:\nthe scores spread as widely",
        "kept": f"one KV head kept of {each} (GQA), of {heads_in_all} (MQA):\nits scores are as they were",
        "averaged": f"average of {each} random heads: ÷ √{each} = {math.sqrt(each):.2f},\n"
        f"of {heads_in_all}: ÷ √{heads_in_all} = {math.sqrt(heads_in_all):.2f}. Real conversions\n"
        "average trained parameters and train on",
    }[situation.controls["kv"]]
    value = "   ".join(f"{one:.2f}" for one in spread.tolist())
    return [Tile("spread of the scores: MHA, GQA, MQA", value, says, cell=("spread", (1,)))]


def _caption(shared: Callable[[Sizes], int]) -> Callable[[Situation, int], str]:
    def caption(situation: Situation, head: int) -> str:
        sizes = situation.sizes
        return f"{head} → KV {cost.kv_head_of(head, sizes['n_head'], shared(sizes))}"

    return caption


def _all(name: str) -> tuple[str, ...]:
    """Return the names that an array has in the three attentions."""
    return tuple(f"{name}{suffix}" for suffix in ("_mha", "_gqa", "_mqa"))


def _mosaic(suffix: str, title: str, shared: Callable[[Sizes], int]) -> Mosaic:
    before = tuple(f"{name}{suffix}" for name in ("scores", "scaled", "masked"))
    return Mosaic(f"weights{suffix}", _caption(shared), before, aspect=0.8, title=title, legend=suffix == "_mha")


CONCEPT = Concept(
    number=11,
    slug="multi-query",
    title="Multi-query",
    tokens=lesson.token_names(16),
    sizes=(
        Size("n", "tokens", 1, 64, 4),
        Size("d_model", "d_model", 1, 32, 6),
        Size("n_head", "query heads", 1, 32, 8),
        Size("n_head_kv", "KV heads", 1, 32, 2, among=divisors),
        Size("d_head", "d_head", 1, 16, 2),
    ),
    inputs=(
        x_input(),
        drawn_input("Wq", (D_MODEL, OWN_COLUMNS), "query"),
        drawn_input("Wk", (D_MODEL, MHA_COLUMNS), "key"),
        drawn_input("Wv", (D_MODEL, MHA_COLUMNS), "value"),
        Input("Wk_fresh", (D_MODEL, GQA_COLUMNS), "key", _fresh("Wk"), origin="random", symbol="fresh Wk"),
        Input("Wv_fresh", (D_MODEL, GQA_COLUMNS), "value", _fresh("Wv"), origin="random", symbol="fresh Wv"),
        Input(
            "shape",
            (Axis("5", "", ("layers", "heads", "KV", "d_head", "context")),),
            "plain",
            _shape,
            limits=cache_shapes.LIMITS,
            whole=True,
            hint="type any",
        ),
    ),
    controls=(
        Toggle("causal", "causal mask", True, key="M"),
        Choice("kv", "fewer KV heads are", FEWER, "fresh"),
    ),
    actions=(Action("append", "Append token", append_token, key="A", tip="Add one token at the end"),),
    stages=(
        Stage("q", attention.project(), ("x", "Wq"), (N, OWN_COLUMNS), "query"),
        split_queries(OWN_HEAD),
        *_shared("Wk"),
        *_shared("Wv"),
        *_attention("_mha", OWN_HEAD, MHA_KV, "Wk", "Wv"),
        *_attention("_gqa", GQA_HEAD, GQA_KV, "Wk_gqa", "Wv_gqa"),
        *_attention("_mqa", MQA_HEAD, MQA_KV, "Wk_mqa", "Wv_mqa"),
        Stage("spread", heads.spread(), ("scores_mha", "scores_gqa", "scores_mqa"), (VARIANT,), "plain"),
        Stage(
            "variants",
            cache.variant_costs(),
            ("shape",),
            (VARIANT, Axis("4", "", cache.VARIANT_COSTS)),
            "plain",
            title="what the cache takes",
        ),
    ),
    steps=(
        Step("share", ("Wk_gqa", "Wk_mqa", "Wv_gqa", "Wv_mqa", "variants"), "Fewer KV heads, and what that saves."),
        Step("project", ("q", *_all("k"), *_all("v")), "The queries are the same in all three."),
        Step("scores", (*_all("scores"), "spread"), "The same queries meet other keys."),
        Step("÷ √d", _all("scaled"), "Divided by √d_head, however many keys are shared."),
        Step("mask", _all("masked"), "Later tokens are set to −∞."),
        Step("softmax", _all("weights"), "Every query head keeps a table of its own, whatever it shares."),
        Step("· v", (*_all("heads"), *_all("output")), "Each query head blends the values that it reads."),
    ),
    pinned=("variants", (1, 2)),
    validate=check,
    layout=Row(
        (
            Column(
                (
                    Matrix("x", room=(5, 6)),
                    Row(tuple(Matrix(name, small=True, room=(4, 8)) for name in ("Wq", "Wk", "Wv")), align="top"),
                    Row(
                        tuple(Matrix(name, small=True, room=(4, 8), like="Wk") for name in ("Wk_fresh", "Wv_fresh")),
                        align="top",
                    ),
                    Custom("tiles", "spread", spreads, arrays=("spread",)),
                    Matrix("shape", form="whole"),
                )
            ),
            Column(
                (
                    Row(
                        (
                            _mosaic("_mha", "MHA", lambda sizes: sizes["n_head"]),
                            _mosaic("_gqa", "GQA", lambda sizes: sizes["n_head_kv"]),
                            _mosaic("_mqa", "MQA", lambda _: 1),
                        )
                    ),
                    Matrix("variants", form=("whole", "whole", "bytes", "GiB")),
                )
            ),
        )
    ),
)
