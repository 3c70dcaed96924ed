"""Tab 9, multi-head attention: every head reads all of x, and the output is a sum with one contribution from each.

What is cut into heads are the columns of the projections, never x. A head that is switched off counts as 0 where heads
are laid side by side; the others do not notice, and the output loses exactly that head's contribution.
"""

from __future__ import annotations

import numpy as np

from explorer.concepts.declaration import (
    TOKENS,
    Action,
    Arrow,
    Column,
    Concept,
    Custom,
    Edit,
    Input,
    Matrix,
    Mosaic,
    Pick,
    Row,
    Situation,
    Size,
    Stage,
    Step,
    Tile,
    Toggle,
    Values,
)
from explorer.concepts.heads.many_heads import (
    D_MODEL,
    N,
    attention_stages,
    columns_of,
    drawn_input,
    head_axis,
    split_queries,
    x_input,
)
from explorer.concepts.shown.stack import Stack
from explorer.core import cost, lesson
from explorer.core.ops import attention, heads

HEAD = head_axis()
COLUMNS = columns_of(HEAD)


def append_token(situation: Situation) -> Edit:
    """Add one token at the end; earlier rows keep what was typed into them."""
    return Edit(sizes={"n": situation.sizes["n"] + 1})


def all_heads_on(situation: Situation) -> Edit:
    """Let every head count again."""
    if situation.inputs["heads_on"].all():
        raise ValueError("every head counts already; switch one off by its name above its tile")
    return Edit(inputs={"heads_on": np.ones(situation.sizes["n_head"], dtype=bool)})


def parameters(situation: Situation, _results: Values) -> list[Tile]:
    """Count the parameters of one layer, term by term."""
    sizes = situation.sizes
    d_model, n_head, d_head = sizes["d_model"], sizes["n_head"], sizes["d_head"]
    count = cost.projection_parameters(d_model=d_model, n_head=n_head, n_head_kv=n_head, d_k=d_head)
    side = n_head * d_head
    terms = f"{d_model}·({n_head}·{d_head} + {n_head}·({d_head}+{d_head})) + {n_head}·{d_head}·{d_model}"
    return [
        Tile("parameters in Wq, Wk, Wv, Wo", f"{count.total:,}", terms),
        Tile("side by side", f"{side:,}", f"{n_head}·{d_head}; d_model {d_model}"),
    ]


def contributions(situation: Situation, results: Values) -> Stack:
    """Show what each head adds to one token's output."""
    token = int(situation.controls["token"])
    name = situation.tokens[token]
    n_head = situation.sizes["n_head"]
    return Stack(
        "contributions",
        token,
        results["contributions"][:, token],
        tuple(f"head {h}" for h in range(n_head)),
        results["heads_on"],
        results["output"][token],
        f"output[{token}]",
        f"output of {name}, by head",
    )


CONCEPT = Concept(
    number=9,
    slug="multi-head",
    title="Multi-head",
    tokens=tuple(lesson.example_tokens(9)),
    sizes=(
        Size("n", "tokens", 1, 64, 4),
        Size("d_model", "d_model", 1, 32, 8),
        Size("n_head", "heads", 1, 32, 2),
        Size("d_head", "d_head", 1, 16, 4),
    ),
    inputs=(
        x_input(),
        drawn_input("Wq", (D_MODEL, COLUMNS), "query"),
        drawn_input("Wk", (D_MODEL, COLUMNS), "key"),
        drawn_input("Wv", (D_MODEL, COLUMNS), "value"),
        drawn_input("Wo", (COLUMNS, D_MODEL), "output"),
        Input(
            "heads_on",
            (HEAD,),
            "mask",
            lambda sizes: np.ones(sizes["n_head"], dtype=bool),
            kind="mask",
            title="which heads count",
        ),
    ),
    controls=(
        Toggle("causal", "causal mask", True, key="M"),
        Pick("token", "output of", "n", 3),
    ),
    actions=(
        Action("append", "Append token", append_token, key="A", tip="Add one token at the end"),
        Action("all_on", "All heads on", all_heads_on, key="H", tip="Let every head count again"),
    ),
    stages=(
        Stage("q", attention.project(), ("x", "Wq"), (N, COLUMNS), "query"),
        Stage("k", attention.project(), ("x", "Wk"), (N, COLUMNS), "key"),
        Stage("v", attention.project(), ("x", "Wv"), (N, COLUMNS), "value"),
        split_queries(HEAD),
        *attention_stages(HEAD, HEAD),
        Stage("concat", heads.concat(), ("heads", "heads_on"), (N, COLUMNS), "output"),
        Stage("output", attention.project(), ("concat", "Wo"), (TOKENS, D_MODEL), "output"),
        Stage("contributions", heads.contribute(), ("heads", "Wo"), (HEAD, N, D_MODEL), "output"),
        Stage("lost", heads.lost(), ("contributions", "heads_on"), (N, D_MODEL), "output"),
    ),
    steps=(
        Step("project", ("q", "k", "v"), "Every head multiplies all of x with its own columns of Wq, Wk and Wv."),
        Step("scores", ("scores",), "Every head scores every query against every key, with its own columns."),
        Step("÷ √d", ("scaled",), "Divided by √d_head: the divisor belongs to the head, not to the model."),
        Step("mask", ("masked",), "Later tokens are set to −∞ in every head."),
        Step("softmax", ("weights",), "Each head's rows add up to 1 on their own."),
        Step("· v", ("heads", "concat"), "Each head blends its own values; the results stand side by side."),
        Step("· Wo", ("output", "contributions", "lost"), "Wo adds one contribution from each head."),
    ),
    row_steps=True,
    pinned=("weights", (1, 3, 3)),
    layout=Row(
        (
            Column(
                (
                    Matrix("x", room=(5, 8)),
                    Row(
                        (
                            Column((Matrix("Wq", small=True, room=(8, 8)), Matrix("q", small=True, room=(4, 8)))),
                            Column((Matrix("Wk", small=True, room=(8, 8)), Matrix("k", small=True, room=(4, 8)))),
                            Column((Matrix("Wv", small=True, room=(8, 8)), Matrix("v", small=True, room=(4, 8)))),
                        ),
                        align="top",
                    ),
                    # No step is about these: where a presentation shows one step at a time they step back.
                    Custom("tiles", "parameters", parameters, {"stacked": False}, arrays=("parameters",)),
                )
            ),
            Column(
                (
                    Mosaic("weights", before=("scores", "scaled", "masked"), switch="heads_on"),
                    Row(
                        (
                            Matrix("concat", small=True, room=(4, 8)),
                            Arrow("·"),
                            Matrix("Wo", small=True, room=(8, 8)),
                            Arrow("="),
                            Custom("stack", "stack", contributions, arrays=("contributions",)),
                        )
                    ),
                    Matrix("output", room=(5, 8)),
                )
            ),
        )
    ),
)
