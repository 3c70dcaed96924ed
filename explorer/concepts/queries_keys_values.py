"""Tab 4, queries, keys and values: three jobs, two directions of a score, and what a single q or k does not mean.

There is no mask here, so that both directions of every pair have a score and an attention weight. The mixing slider
multiplies Wq by A and Wk by A⁻ᵀ on the way to q and k; what the user typed stays what it is. At 0 nothing is
multiplied, so that the lesson's numbers come out to the last bit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

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
    Pick,
    Place,
    Role,
    Row,
    Situation,
    Size,
    Sizes,
    Slider,
    Stage,
    Step,
    Values,
    Whole,
)
from explorer.concepts.shown.exchange import Direction, Exchange, Heading, Reading
from explorer.core import lesson
from explorer.core.ops import attention, mixing

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.ops.base import Op

N = Axis("n")
D_MODEL = Axis("d_model")
D_HEAD = Axis("d_head")
#: The rows and columns that a matrix shows with digits where there is little room.
ROOM = (6, 8)
PAIR = (QUERY, KEY)
SHAPES = ("n", "d_model", "d_head")

#: Two directions that differ by less than this share of the table's largest number are the same but for rounding.
ROUNDING = 1e-12
TINY = 1e-300
WIDEST = "· A⁻ᵀ →"
_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def _drawn(name: str, sizes: Sizes) -> lesson.Floats:
    return lesson.full_attention_inputs(**{size: sizes[size] for size in SHAPES})[name]


def _input(name: str, axes: tuple[Axis, ...], role: Role) -> Input:
    return Input(name, axes, role, lambda sizes: _drawn(name, sizes), origin="random")


def draw(situation: Situation) -> Edit:
    """Draw all four matrices from the seed, as the lesson draws its own."""
    seed = int(situation.controls["seed"])
    arrays = lesson.full_attention_inputs(seed, **{size: situation.sizes[size] for size in SHAPES})
    return Edit(inputs=arrays, origins=dict.fromkeys(arrays, f"random seed {seed}"))


def one_matrix(situation: Situation) -> Edit:
    """Let Wk do both jobs: Wq becomes a copy of it."""
    return Edit(inputs={"Wq": situation.inputs["Wk"]})


def _mixed(controls: Mapping[str, float]) -> Op:
    return mixing.project_mixed(controls["mix"] > 0)


def _interaction(controls: Mapping[str, float]) -> Op:
    return mixing.interaction(controls["mix"] > 0)


def _subscript(at: int) -> str:
    return str(at).translate(_SUBSCRIPTS)


def exchange(situation: Situation, results: Values) -> Exchange:
    """Return the picked pair in both directions: scores and attention weights."""
    i, j = int(situation.controls["asks"]), int(situation.controls["asked"])

    def named(at: int) -> str:
        return f"{situation.tokens[at]} {at}"

    def direction(asks: int, asked: int) -> Direction:
        readings = (
            Reading(
                float(results["scores"][asks, asked]),
                "scores",
                (asks, asked),
                f"q{_subscript(asks)} · k{_subscript(asked)} =",
            ),
            Reading(float(results["weights"][asks, asked]), "weights", (asks, asked)),
        )
        return Direction(named(asks), named(asked), readings)

    pairs = ((i, j),) if i == j else ((i, j), (j, i))
    headings = []
    tables: tuple[tuple[str, str, Role], ...] = (
        ("scores", "scores", "score"),
        ("weights", "attention weights", "weight"),
    )
    for (name, title, role), apart in zip(tables, results["asymmetry"], strict=True):
        symmetric = apart <= ROUNDING * max(float(np.abs(results[name]).max()), TINY)
        headings.append(Heading(title, "symmetric" if symmetric else "not symmetric", bool(symmetric), role))
    return Exchange(tuple(headings), tuple(direction(*pair) for pair in pairs))


def _marks(situation: Situation) -> Mapping[str, Marks]:
    mixed = situation.controls["mix"] > 0
    return {
        "A": Marks(note="mixes Wq" if mixed else "nothing mixed yet"),
        "A_inverse": Marks(note="mixes Wk" if mixed else ""),
        "moved": Marks(note="largest change by A" + ("; e−16 is rounding" if mixed else "")),
    }


CONCEPT = Concept(
    number=4,
    slug="queries-keys-values",
    title="Queries, keys, values",
    tokens=tuple(lesson.example_tokens(4)),
    sizes=(Size("n", "tokens", 1, 64, 4), Size("d_model", "d_model", 1, 32, 4), Size("d_head", "d_head", 1, 32, 2)),
    inputs=(
        _input("x", (TOKENS, D_MODEL), "input"),
        _input("Wq", (D_MODEL, D_HEAD), "query"),
        _input("Wk", (D_MODEL, D_HEAD), "key"),
        _input("Wv", (D_MODEL, D_HEAD), "value"),
    ),
    controls=(
        Pick("asks", "pair", "n", 2),
        Pick("asked", "asks", "n", 1),
        Slider("mix", "mix by A", 0.0, 1.0, 0.01, 0.0, digits=2),
        Whole("seed", "seed", -(2**63), 2**63 - 1, lesson.SINGLE_HEAD_SEED),
    ),
    actions=(
        Action("draw", "Draw", draw, key="D", tip="Draw x, Wq, Wk and Wv from the seed, as the lesson does"),
        Action("one_matrix", "Wq := Wk", one_matrix, key="S", tip="Let one matrix do both jobs"),
    ),
    stages=(
        Stage("A", mixing.mixing(), ("mix", "Wq"), (D_HEAD, D_HEAD), "query"),
        Stage(
            "A_inverse", mixing.mixing(inverse=True), ("mix", "Wk"), (D_HEAD, D_HEAD), "key", title="A⁻ᵀ", symbol="A⁻ᵀ"
        ),
        Stage("q", _mixed, ("x", "Wq", "A"), (N, D_HEAD), "query"),
        Stage("k", _mixed, ("x", "Wk", "A_inverse"), (N, D_HEAD), "key"),
        Stage("v", attention.project(), ("x", "Wv"), (N, D_HEAD), "value"),
        Stage(
            "M",
            _interaction,
            ("Wq", "Wk", "A", "A_inverse"),
            (D_MODEL, D_MODEL),
            "score",
            title="M = Wq·Wkᵀ",
            symbol="M",
        ),
        Stage("scores", attention.scores(), ("q", "k"), PAIR, "score", title="scores q·k"),
        Stage("scaled", attention.scale(), ("scores", "q"), PAIR, "score", title="scaled scores"),
        Stage("weights", attention.softmax(), ("scaled",), PAIR, "weight", title="attention weights"),
        Stage("asymmetry", mixing.asymmetry(), ("scores", "weights"), (Axis("2", "", ("scores", "weights")),), "plain"),
        Stage(
            "moved",
            mixing.moved(),
            ("q", "k", "scores", "x", "Wq", "Wk"),
            (Axis("3", "", ("q", "k", "scores")),),
            "plain",
            title="moved",
        ),
    ),
    steps=(
        Step("q, k, v", ("q", "k", "v"), "Three matrices, three jobs: ask, be compared with, be handed over."),
        Step("scores", ("scores",), "Who looks brings the query, who is looked at brings the key."),
        Step("÷ √d", ("scaled",), "Divided by √d_head; what is symmetric stays symmetric."),
        Step("softmax", ("weights",), "Each row is divided by its own sum, and the sums differ."),
    ),
    pinned=("scores", (2, 1)),
    marks=_marks,
    layout=Column(
        (
            Row(
                (
                    Column(
                        (
                            Matrix("x", room=ROOM, scrolls=True),
                            Matrix("M", room=(6, 6)),
                            Row((Matrix("A", room=(4, 4)), Matrix("A_inverse", room=(4, 4)))),
                        )
                    ),
                    Column(
                        (
                            Row((Matrix("Wq", room=ROOM), Arrow("· A →", WIDEST), Matrix("q", room=ROOM))),
                            Row((Matrix("Wk", room=ROOM), Arrow(WIDEST), Matrix("k", room=ROOM))),
                            Row((Matrix("Wv", room=ROOM), Arrow(room=WIDEST), Matrix("v", room=ROOM))),
                        )
                    ),
                    Column((Matrix("scores", large=True), Place(("scaled", "weights")))),
                )
            ),
            Row(
                (
                    Custom("exchange", "pair", exchange, arrays=("scores", "weights")),
                    Matrix("moved", form="exact"),
                )
            ),
        )
    ),
)
