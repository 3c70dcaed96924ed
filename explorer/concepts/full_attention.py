"""Tab 7, full attention: the whole path from x to the output, and what a decode step adds to it.

The decode view computes nothing else: row n − 1 of the full pass is what a decode step computes, bit for bit up to
summation order, which the core's tests show. The view marks what a KV cache would have kept and counts what it saves.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from explorer.concepts.declaration import (
    KEY,
    QUERY,
    TOKENS,
    Action,
    Arrow,
    Axis,
    Column,
    Concept,
    Custom,
    Edit,
    Input,
    Marks,
    Matrix,
    Place,
    Role,
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
from explorer.core import lesson
from explorer.core.ops import attention

if TYPE_CHECKING:
    from collections.abc import Mapping

N = Axis("n")
D_MODEL = Axis("d_model")
D_HEAD = Axis("d_head")
#: The rows and columns that a matrix shows with digits where there is little room.
ROOM = (8, 8)


def _drawn(name: str, sizes: Sizes) -> lesson.Floats:
    return lesson.full_attention_inputs(n=sizes["n"], d_model=sizes["d_model"], d_head=sizes["d_head"])[name]


def drawn_input(name: str, axes: tuple[Axis, ...], role: Role) -> Input:
    """Return an input that holds the lesson's seeded draw of that name."""
    return Input(name, axes, role, lambda sizes: _drawn(name, sizes), origin="random")


def append_token(situation: Situation) -> Edit:
    """Add one token at the end; earlier rows keep what was typed into them."""
    return Edit(sizes={"n": situation.sizes["n"] + 1})


def multiplications(sizes: Sizes, *, causal: bool, cached: bool) -> tuple[int, str]:
    """Count the multiplications behind the newest row, with the sum written out.

    Without a cache every row is computed again for it: three projections of all n rows, a score for every visible
    pair and as many blends. With one, a single row is projected and scored against the kept keys.
    """
    n, d_model, d_head = sizes["n"], sizes["d_model"], sizes["d_head"]
    rows = 1 if cached else n
    pairs = n if cached else n * (n + 1) // 2 if causal else n * n
    projections = rows * d_model * 3 * d_head
    both = 2 * pairs * d_head
    return projections + both, f"{rows} × {d_model} × 3·{d_head} + 2 × {pairs} × {d_head}"


def _tiles(situation: Situation, _results: Values) -> list[Tile] | None:
    if not situation.controls["decode"]:
        return None
    causal = bool(situation.controls["causal"])
    with_cache, how_with = multiplications(situation.sizes, causal=causal, cached=True)
    without, how_without = multiplications(situation.sizes, causal=causal, cached=False)
    if not causal:
        return [
            Tile("no cache possible", f"{without:,}", "without the mask the new token changes every row", "bad"),
        ]
    return [
        Tile("multiplications with cache", f"{with_cache:,}", how_with, "good"),
        Tile("all rows again, no cache", f"{without:,}", how_without),
    ]


def _marks(situation: Situation) -> Mapping[str, Marks]:
    if not situation.controls["decode"] or not situation.controls["causal"]:
        return {}
    earlier = frozenset(range(situation.sizes["n"] - 1))
    kept = Marks(kept=earlier)
    past = Marks(blank=earlier)
    return {
        "k": kept,
        "v": kept,
        "q": Marks(faded=earlier, note="used once, not kept"),
        "x": Marks(faded=earlier),
        **dict.fromkeys(("scores", "scaled", "masked", "weights", "output"), past),
    }


CONCEPT = Concept(
    number=7,
    slug="full-attention",
    title="Full attention",
    tokens=tuple(lesson.example_tokens(7)),
    sizes=(Size("n", "tokens", 1, 64, 4), Size("d_model", "d_model", 1, 32, 4), Size("d_head", "d_head", 1, 32, 2)),
    inputs=(
        drawn_input("x", (TOKENS, D_MODEL), "input"),
        drawn_input("Wq", (D_MODEL, D_HEAD), "query"),
        drawn_input("Wk", (D_MODEL, D_HEAD), "key"),
        drawn_input("Wv", (D_MODEL, D_HEAD), "value"),
    ),
    controls=(
        Toggle("causal", "causal mask", True, key="M"),
        Toggle("decode", "decode step", False, key="D"),
    ),
    actions=(Action("append", "Append token", append_token, key="A", tip="Add one token at the end"),),
    stages=(
        Stage("q", attention.project(), ("x", "Wq"), (N, D_HEAD), "query"),
        Stage("k", attention.project(), ("x", "Wk"), (N, D_HEAD), "key"),
        Stage("v", attention.project(), ("x", "Wv"), (N, D_HEAD), "value"),
        Stage("scores", attention.scores(), ("q", "k"), (QUERY, KEY), "score", title="scores q·k"),
        Stage("scaled", attention.scale(), ("scores", "q"), (QUERY, KEY), "score", title="scaled scores"),
        Stage(
            "masked",
            lambda controls: attention.causal_mask(bool(controls["causal"])),
            ("scaled",),
            (QUERY, KEY),
            "score",
            title="masked scores",
        ),
        Stage("weights", attention.softmax(), ("masked",), (QUERY, KEY), "weight", title="attention weights"),
        Stage("output", attention.mix(), ("weights", "v"), (N, D_HEAD), "output"),
    ),
    steps=(
        Step("scores", ("scores",), "Every query meets every key: one dot product a cell."),
        Step("÷ √d", ("scaled",), "Divided by √d_head, the spread of the scores no longer grows with the head."),
        Step("mask", ("masked",), "Later tokens are set to −∞, before softmax."),
        Step("softmax", ("weights",), "Each row becomes shares that add up to 1."),
        Step("· v", ("output",), "Each row blends the values by its shares."),
    ),
    row_steps=True,
    pinned=("weights", (2, 1)),
    marks=_marks,
    layout=Row(
        (
            Matrix("x", room=ROOM, scrolls=True),
            Column(
                (
                    Row((Matrix("Wq", room=ROOM), Arrow(), Matrix("q", room=ROOM))),
                    Row((Matrix("Wk", room=ROOM), Arrow(), Matrix("k", room=ROOM))),
                    Row((Matrix("Wv", room=ROOM), Arrow(), Matrix("v", room=ROOM))),
                )
            ),
            Column((Place(("scores", "scaled", "masked", "weights")), Custom("tiles", "cost", _tiles))),
            Matrix("output", large=True, room=(64, ROOM[1])),
        )
    ),
)
