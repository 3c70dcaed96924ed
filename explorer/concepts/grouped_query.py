"""Tab 10, grouped-query attention: many questions, few shelves. What is shared are keys and values, never patterns.

The number of KV heads is a size, because the shapes of Wk and Wv depend on it; it may be any divisor of the number of
query heads. Below, what a cache takes for shapes that are typed.
"""

from __future__ import annotations

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
    Input,
    Marks,
    Matrix,
    Mosaic,
    Row,
    Situation,
    Size,
    Sizes,
    Stage,
    Step,
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
    draws,
    head_axis,
    split_queries,
    x_input,
)
from explorer.concepts.shown.wires import Wires
from explorer.core import cost, lesson
from explorer.core.ops import attention, cache, heads

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.lesson import Floats, ModelShape

QUERY_HEAD = head_axis("n_head", "query head", shared="n_head_kv")
KV_HEAD = head_axis("n_head_kv", "KV head")
Q_COLUMNS, KV_COLUMNS = columns_of(QUERY_HEAD), columns_of(KV_HEAD)

MODELS = ("tiny", "Llama 3 8B", "yours")
SHAPE_WORDS = ("layers", "heads", "KV", "d_head", "d_model", "context")


def _draws(sizes: Sizes) -> Mapping[str, Floats]:
    return draws(sizes, sizes["n_head_kv"])


def _row(model: ModelShape, n_head_kv: int) -> list[float]:
    return [model.n_layer, model.n_head, n_head_kv, model.d_head, model.d_model, model.context]


def _models(_sizes: Sizes) -> Floats:
    """Return the lesson's two models, and the larger one with a KV head for every query head to be typed over."""
    tiny, large = lesson.TINY_MODEL, lesson.EIGHT_B_MODEL
    return np.array([_row(tiny, tiny.n_head_kv), _row(large, large.n_head_kv), _row(large, large.n_head)], np.float64)


def check(situation: Situation) -> None:
    """Refuse shapes that no model can have."""
    for at, values in enumerate(situation.inputs["models"]):
        cache_shapes.check_shape("models", (at,), cache.MODEL, values)


def append_token(situation: Situation) -> Edit:
    """Add one token at the end; earlier rows keep what was typed into them."""
    return Edit(sizes={"n": situation.sizes["n"] + 1})


def wires(situation: Situation, _results: Values) -> Wires:
    """Join the query heads to the KV heads that they read."""
    sizes = situation.sizes
    return Wires(sizes["n_head"], sizes["n_head_kv"], tuple(divisors(sizes)), "n_head_kv")


def caption(situation: Situation, head: int) -> str:
    """Say which KV head a query head reads."""
    sizes = situation.sizes
    return f"{head} → KV {cost.kv_head_of(head, sizes['n_head'], sizes['n_head_kv'])}"


def marks(situation: Situation) -> Mapping[str, Marks]:
    """Say what a cache keeps; at a decode step, what the newest row still needs of the earlier ones."""
    last = situation.sizes["n"] - 1
    if not (situation.controls["decode"] and situation.controls["causal"]):
        kept = Marks(note="kept for later")
        return {"q": Marks(note="used once"), "k": kept, "v": kept}
    earlier = frozenset(range(last))
    cached = Marks(note=f"0 to {last - 1} cached" if last else "nothing cached yet")
    return {
        "q": Marks(faded=earlier, note=f"only q[{last}]"),
        "k": cached,
        "v": cached,
        "x": Marks(faded=earlier),
        **dict.fromkeys(("scores", "scaled", "masked", "weights", "output"), Marks(blank=earlier)),
    }


CONCEPT = Concept(
    number=10,
    slug="grouped-query",
    title="Grouped-query",
    tokens=lesson.token_names(16),
    sizes=(
        Size("n", "tokens", 1, 64, 4),
        Size("d_model", "d_model", 1, 32, 8),
        Size("n_head", "query heads", 1, 32, 8),
        Size("n_head_kv", "KV heads", 1, 32, 2, among=divisors),
        Size("d_head", "d_head", 1, 16, 2),
    ),
    inputs=(
        x_input(_draws),
        drawn_input("Wq", (D_MODEL, Q_COLUMNS), "query", _draws),
        drawn_input("Wk", (D_MODEL, KV_COLUMNS), "key", _draws),
        drawn_input("Wv", (D_MODEL, KV_COLUMNS), "value", _draws),
        Input(
            "models",
            (Axis("3", "", MODELS), Axis("6", "", SHAPE_WORDS)),
            "plain",
            _models,
            limits=cache_shapes.LIMITS,
            whole=True,
            hint="type any shape",
        ),
    ),
    controls=(
        Toggle("causal", "causal mask", True, key="M"),
        Toggle("decode", "decode step", False, key="D"),
        Choice("cache_type", "cache in", cache_shapes.CACHE_TYPES, "f16"),
    ),
    actions=(Action("append", "Append token", append_token, key="A", tip="Add one token at the end"),),
    stages=(
        Stage("q", attention.project(), ("x", "Wq"), (N, Q_COLUMNS), "query"),
        Stage("k", attention.project(), ("x", "Wk"), (N, KV_COLUMNS), "key"),
        Stage("v", attention.project(), ("x", "Wv"), (N, KV_COLUMNS), "value"),
        split_queries(QUERY_HEAD),
        *attention_stages(QUERY_HEAD, KV_HEAD),
        Stage("output", heads.side_by_side(), ("heads",), (N, Q_COLUMNS), "output"),
        Stage(
            "costs",
            lambda controls: cache.model_costs(str(controls["cache_type"])),
            ("models",),
            (Axis("3", "", MODELS), Axis("4", "", cache.COSTS)),
            "plain",
            title="KV cache and parameters a layer",
        ),
    ),
    steps=(
        Step("project", ("q", "k", "v"), "Every query head has columns of Wq; Wk and Wv have fewer."),
        Step("scores", ("scores",), "Query heads that share a KV head still ask with queries of their own."),
        Step("÷ √d", ("scaled",), "Divided by √d_head, as ever."),
        Step("mask", ("masked",), "Later tokens are set to −∞ in every query head."),
        Step("softmax", ("weights",), "One table of attention weights for every query head, shared keys or not."),
        Step("· v", ("heads", "output"), "Each query head blends the values of the KV head that it reads."),
    ),
    marks=marks,
    validate=check,
    pinned=("costs", (1, 0)),
    layout=Column(
        (
            Row(
                (
                    Column(
                        (
                            Matrix("x", room=(5, 8)),
                            Row(
                                (
                                    Column(
                                        (
                                            Matrix("Wq", small=True, room=(6, 8)),
                                            Matrix("q", small=True, room=(4, 8)),
                                        )
                                    ),
                                    Column(
                                        (
                                            Matrix("Wk", small=True, room=(6, 8), like="Wq"),
                                            Matrix("k", small=True, room=(4, 8), like="q"),
                                        )
                                    ),
                                    Column(
                                        (
                                            Matrix("Wv", small=True, room=(6, 8), like="Wq"),
                                            Matrix("v", small=True, room=(4, 8), like="q"),
                                        )
                                    ),
                                ),
                                align="top",
                            ),
                        )
                    ),
                    Column(
                        (
                            Mosaic("weights", caption=caption, before=("scores", "scaled", "masked")),
                            Custom("wires", "wires", wires, arrays=("scores", "weights")),
                        )
                    ),
                )
            ),
            Row((Matrix("models", form="whole"), Matrix("costs", form=("whole", "bytes", "whole")))),
        )
    ),
)
