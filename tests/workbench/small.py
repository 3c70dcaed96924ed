"""Two small tabs made for tests: one head with every kind of control, and shared KV heads with a typed mask."""

from __future__ import annotations

import numpy as np

from explorer.concepts.declaration import (
    KEY,
    QUERY,
    TOKENS,
    Action,
    Axis,
    Choice,
    Concept,
    Edit,
    Input,
    Matrix,
    Pick,
    Place,
    Row,
    Size,
    Slider,
    Stage,
    Step,
    Text,
    Toggle,
    Whole,
)
from explorer.core.expression import total
from explorer.core.javarandom import JavaRandom
from explorer.core.ops import attention
from explorer.core.ops.base import Op, cell

N, D_MODEL, D_HEAD = Axis("n"), Axis("d_model"), Axis("d_head")
HEAD, HEAD_KV = Axis("n_head", "query head"), Axis("n_head_kv", "KV head")


def drawn(seed, *axes):
    def default(sizes):
        shape = [int(axis.size) if axis.size.isdigit() else sizes[axis.size] for axis in axes]
        count = int(np.prod(shape))
        return (JavaRandom(seed).gaussians(count) * 0.5).astype(np.float32).astype(np.float64).reshape(shape)

    return default


def _row_sums():
    """An op that is declared slow, so that it is not run when the tab is edited."""

    def terms(arrays, names, index):
        return total([cell(arrays, names, 0, index[0], j) for j in range(arrays[0].shape[1])])

    return Op(
        "row_sums",
        lambda weights: weights.sum(axis=-1, keepdims=True),
        terms,
        lambda names: f"{names[0]}.sum(axis=-1, keepdims=True)",
        slow=True,
    )


def _refuse_small_width(situation):
    if situation.sizes["d_head"] == 3 and situation.controls["divisor"] == "none":
        raise ValueError("a d_head of 3 needs a divisor")


SINGLE = Concept(
    number=101,
    slug="single",
    title="Single",
    tokens=("the", "cat", "sat", "down"),
    sizes=(Size("n", "tokens", 1, 8, 4), Size("d_model", "d_model", 1, 5, 4), Size("d_head", "d_head", 1, 4, 2)),
    inputs=(
        Input("x", (TOKENS, D_MODEL), "input", drawn(1, TOKENS, D_MODEL), origin="random"),
        Input("Wq", (D_MODEL, D_HEAD), "query", drawn(2, D_MODEL, D_HEAD), origin="random"),
        Input("Wk", (D_MODEL, D_HEAD), "key", drawn(3, D_MODEL, D_HEAD), limits=(-1e300, 1e300)),
        Input(
            "Wv",
            (D_MODEL, D_HEAD),
            "value",
            drawn(4, D_MODEL, D_HEAD),
            grow=lambda sizes: np.zeros((sizes["d_model"], sizes["d_head"])),
        ),
    ),
    controls=(
        Toggle("causal", "causal mask", True),
        Choice("divisor", "divide by", (("sqrt_d_head", "√d"), ("d_head", "d"), ("none", "1")), "sqrt_d_head"),
        Slider("cap", "soft cap", 1, 50, 0.5, 30.0),
        Slider("least", "least", 0, 10, 1, 2, bounds=lambda sizes, controls: (0, min(sizes["n"], controls["cap"]))),
        Whole("seed", "seed", 0, 1000, 1),
        Pick("token", "token", "n", 3),
        Pick("other", "other token", "n", -1, optional=True),
        Text("model", "model", "tiny", check=lambda text: "there is no such model" if text == "none" else None),
    ),
    actions=(
        Action("append", "Append token", lambda situation: Edit(sizes={"n": situation.sizes["n"] + 1})),
        Action(
            "flip",
            "Flip x",
            lambda situation: Edit(
                inputs={"x": situation.inputs["x"][::-1]}, controls={"causal": False}, tokens=situation.tokens[::-1]
            ),
        ),
    ),
    stages=(
        Stage("q", attention.project(), ("x", "Wq"), (N, D_HEAD), "query"),
        Stage("k", attention.project(), ("x", "Wk"), (N, D_HEAD), "key"),
        Stage("v", attention.project(), ("x", "Wv"), (N, D_HEAD), "value"),
        Stage("scores", attention.scores(), ("q", "k"), (QUERY, KEY), "score"),
        Stage(
            "scaled",
            lambda controls: attention.scale(controls["divisor"]),
            ("scores", "q"),
            (QUERY, KEY),
            "score",
        ),
        Stage("capped", lambda controls: attention.softcap(controls["cap"]), ("scaled",), (QUERY, KEY), "score"),
        Stage(
            "masked",
            lambda controls: attention.causal_mask(controls["causal"]),
            ("capped",),
            (QUERY, KEY),
            "score",
        ),
        Stage("weights", attention.softmax(), ("masked",), (QUERY, KEY), "weight", title="attention weights"),
        Stage("output", attention.mix(), ("weights", "v"), (N, D_HEAD), "output"),
        Stage("sums", _row_sums(), ("weights",), (N, Axis("1")), "plain"),
        Stage("outer", attention.scores(), ("sums", "sums"), (N, N), "plain"),
    ),
    steps=(
        Step("scores", ("scores",)),
        Step("scaled", ("scaled", "capped")),
        Step("mask", ("masked",)),
        Step("softmax", ("weights",)),
        Step("mix", ("output",)),
    ),
    row_steps=True,
    pinned=("weights", (2, 1)),
    validate=_refuse_small_width,
    layout=Row((Matrix("x"), Matrix("q"), Place(("scores", "scaled", "masked", "weights")), Matrix("output"))),
)


def _refuse_unequal_groups(situation):
    n_head, n_head_kv = situation.sizes["n_head"], situation.sizes["n_head_kv"]
    if n_head % n_head_kv:
        raise ValueError(f"{n_head} query heads cannot share {n_head_kv} KV heads")


GROUPED = Concept(
    number=102,
    slug="grouped",
    title="Grouped",
    sizes=(
        Size("n", "tokens", 1, 6, 3),
        Size("d_head", "d_head", 1, 4, 2),
        Size("n_head", "query heads", 1, 8, 4),
        Size("n_head_kv", "KV heads", 1, 4, 2),
    ),
    inputs=(
        Input("q", (HEAD, N, D_HEAD), "query", drawn(5, HEAD, N, D_HEAD)),
        Input("k", (HEAD_KV, N, D_HEAD), "key", drawn(6, HEAD_KV, N, D_HEAD)),
        Input("v", (HEAD_KV, N, D_HEAD), "value", drawn(7, HEAD_KV, N, D_HEAD)),
        Input("mask", (QUERY, KEY), "mask", lambda sizes: np.tri(sizes["n"], dtype=bool), kind="mask"),
    ),
    stages=(
        Stage("scores", attention.scores(), ("q", "k"), (HEAD, QUERY, KEY), "score"),
        Stage("masked", attention.mask(), ("scores", "mask"), (HEAD, QUERY, KEY), "score"),
        Stage("weights", attention.softmax(), ("masked",), (HEAD, QUERY, KEY), "weight"),
        Stage("output", attention.mix(), ("weights", "v"), (HEAD, N, D_HEAD), "output"),
    ),
    validate=_refuse_unequal_groups,
    layout=Row((Matrix("q"), Matrix("k"), Place(("scores", "masked", "weights")), Matrix("output"))),
)
