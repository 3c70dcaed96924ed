"""Tab 3, weighted average: one token asks, dot products become shares, and the shares blend the vectors.

The vectors do all three jobs here: they ask, they are compared, they are blended. What a plane shows of it: the blend
stays inside the hull of the vectors that may be looked at, and length counts as well as angle.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts.declaration import (
    KEY,
    TOKENS,
    Action,
    Axis,
    Column,
    Concept,
    Custom,
    Edit,
    Input,
    Marks,
    Matrix,
    Pick,
    Row,
    Situation,
    Size,
    Sizes,
    Slider,
    Stage,
    Step,
    Values,
)
from explorer.concepts.shown.plane import Plane, Vector
from explorer.core import lesson
from explorer.core.ops import asking, attention, average

if TYPE_CHECKING:
    from collections.abc import Mapping

TWO = Axis("2")
#: So many tokens have digits; more are pressed into the same room.
WIDEST = 9
#: Beyond so many tokens only the one who asks has its name at its tip.
NAMED = 12
BOX = (-1.7, 3.3, -1.6, 2.6)


def vectors(sizes: Sizes) -> lesson.Floats:
    """Return the four vectors, repeated as often as there are tokens."""
    return lesson.VECTORS[np.arange(sizes["n"]) % len(lesson.VECTORS)]


def append_token(situation: Situation) -> Edit:
    """Add one token at the end; earlier rows keep what was typed into them."""
    return Edit(sizes={"n": situation.sizes["n"] + 1})


def point(row: lesson.Floats) -> tuple[float, float]:
    """Return two numbers as a point."""
    return float(row[0]), float(row[1])


def _plane(situation: Situation, results: Values) -> Plane:
    x, weights, asks = results["x"], results["weights"], int(situation.controls["asks"])
    drawn = [
        Vector(
            f"{situation.tokens[j]} {j}" if len(x) <= NAMED or j == asks else "",
            point(x[j]),
            "query" if j == asks else "input",
            "x",
            ((j, 0), (j, 1)),
            draggable=True,
            says="asks" if j == asks else "comes later" if j > asks else f"attention weight {weights[j]:.3f}",
            pick=("asks", j),
        )
        for j in range(len(x))
    ]
    mixed = Vector("output", point(results["output"]), "output", "output", ((0,), (1,)))
    even = Vector("uniform", point(results["uniform"]), "plain", "uniform", ((0,), (1,)), form="dot")
    return Plane(
        (*drawn, even, mixed),
        BOX,
        hull=tuple(point(row) for row in x[: asks + 1]),
        note="Shaded: the hull of what is blended. No output leaves it.",
    )


def _marks(situation: Situation) -> Mapping[str, Marks]:
    asks, n = int(situation.controls["asks"]), situation.sizes["n"]
    stamps = tuple("asks" if j == asks else "" for j in range(n))
    return {"x": Marks(faded=frozenset(range(asks + 1, n)), stamps=stamps)}


CONCEPT = Concept(
    number=3,
    slug="weighted-average",
    title="Weighted average",
    tokens=tuple(lesson.example_tokens(3)),
    sizes=(Size("n", "tokens", 1, 64, 4),),
    inputs=(Input("x", (TOKENS, TWO), "input", vectors),),
    controls=(
        Pick("asks", "who asks", "n", len(lesson.VECTORS) - 1),
        Slider("temperature", "temperature", 0.1, 100.0, 0.05, 1.0, digits=2, logarithmic=True),
    ),
    actions=(Action("append", "Append token", append_token, key="A", tip="Add one token at the end"),),
    stages=(
        Stage("scores", asking.scores_of(), ("x", "asks"), (KEY,), "score", title="scores x·x"),
        Stage("scaled", asking.temperature(), ("scores", "temperature"), (KEY,), "score", title="scores ÷ temperature"),
        Stage("weights", attention.softmax(), ("scaled",), (KEY,), "weight", title="attention weights"),
        Stage("output", attention.mix(), ("weights", "x"), (TWO,), "output"),
        Stage("uniform", average.average_up_to(), ("x", "asks"), (TWO,), "plain", title="uniform average"),
    ),
    steps=(
        Step("scores", ("scores",), "Who asks meets every token up to itself: one dot product each."),
        Step("÷ temperature", ("scaled",), "Divided by the temperature, which evens out or sharpens."),
        Step("softmax", ("weights",), "The scores become shares that add up to 1."),
        Step("blend", ("output", "uniform"), "The shares blend the vectors; beside it, equal shares."),
    ),
    pinned=("weights", (3,)),
    marks=_marks,
    layout=Row(
        (
            Matrix("x"),
            Column(
                (
                    Matrix("scores", span=4.0, room=(1, WIDEST)),
                    Matrix("scaled", span=4.0, room=(1, WIDEST)),
                    Matrix("weights", sums=True, room=(1, WIDEST)),
                    Row((Matrix("output"), Matrix("uniform"))),
                )
            ),
            Custom(
                "plane",
                "plane",
                _plane,
                {
                    "size": (20.0, 20.0),
                    "size_in_show": (15.0, 11.0),
                    "title": "x, output and uniform average in a plane",
                },
            ),
        )
    ),
)
