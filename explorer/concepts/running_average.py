"""Tab 2, running average: every token averages itself with those before it, and a later token rewrites nothing.

That nothing changes is computed, not claimed: each output is compared with what it was when its token was the newest,
worked out again from the tokens that there were then. Sums go in the order of the tokens (`explorer.core.ops.average`),
so that the difference is 0 to the last bit; without the mask it is not, and the same comparison shows by how much.
"""

from __future__ import annotations

from functools import lru_cache
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
from explorer.concepts.shown.plane import Plane, Vector
from explorer.core import lesson
from explorer.core.ops import average

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.concepts.shown.plane import Point

TWO = Axis("2")
BOX = (-1.2, 2.8, -1.2, 1.8)
PLANE = {"size": (20.0, 12.0), "size_in_show": (16.0, 9.0), "title": "x and its averages in a plane"}
#: Beyond so many tokens their tips are drawn without names.
NAMED = 12


def vectors(sizes: Sizes) -> lesson.Floats:
    """Return the four vectors, repeated as often as there are tokens."""
    return lesson.VECTORS[np.arange(sizes["n"]) % len(lesson.VECTORS)]


def append_token(situation: Situation) -> Edit:
    """Add one token at the end; earlier rows keep what was typed into them."""
    return Edit(sizes={"n": situation.sizes["n"] + 1})


def _tiles(_situation: Situation, results: Values) -> list[Tile]:
    earlier = results["change"][:-1]
    if not earlier.size:
        return [Tile("no earlier output yet", "append a token")]
    size = np.abs(earlier)
    at = tuple(int(i) for i in np.unravel_index(size.argmax(), size.shape))
    moved = int((earlier != 0).any(axis=1).sum())
    if not moved:
        label = f"since they were made, {len(earlier)} earlier outputs changed by"
        return [Tile(label, "exactly 0, in every bit", tone="good", cell=("change", at))]
    label = f"later tokens rewrote {moved} of {len(earlier)} earlier outputs, by"
    return [Tile(label, f"up to {size[at]:.3g}", tone="bad", cell=("change", at))]


def _plane(situation: Situation, results: Values) -> Plane:
    x, output = results["x"], results["output"]
    names = [f"{name} {j}" if len(x) <= NAMED else "" for j, name in enumerate(situation.tokens)]
    drawn = [
        Vector(names[j], (float(row[0]), float(row[1])), "input", "x", ((j, 0), (j, 1)), draggable=True)
        for j, row in enumerate(x)
    ]
    tips = [(float(row[0]), float(row[1])) for row in output]
    averages = [
        Vector(_shared(tips, i) if names[i] else "", tip, "output", "output", ((i, 0), (i, 1)), form="dot")
        for i, tip in enumerate(tips)
    ]
    return Plane((*drawn, *averages), BOX)


def _shared(tips: list[Point], i: int) -> str:
    """Return one label for all outputs at the same place, carried by the first of them."""
    same = [j for j, tip in enumerate(tips) if tip == tips[i]]
    if same[0] != i:
        return ""
    return f"output {i}" if len(same) == 1 else f"outputs {', '.join(map(str, same))}"


@lru_cache(maxsize=70)
def _later(n: int) -> frozenset[tuple[int, int]]:
    return frozenset((i, j) for i in range(n) for j in range(i + 1, n))


def _marks(situation: Situation) -> Mapping[str, Marks]:
    causal = bool(situation.controls["causal"])
    note = "1/(i + 1) for each token up to itself" if causal else "1/n for every token, later ones too"
    return {"weights": Marks(note=note, hatched=_later(situation.sizes["n"]) if causal else frozenset())}


CONCEPT = Concept(
    number=2,
    slug="running-average",
    title="Running average",
    tokens=tuple(lesson.example_tokens(2)),
    sizes=(Size("n", "tokens", 1, 64, 4),),
    inputs=(Input("x", (TOKENS, TWO), "input", vectors),),
    controls=(Toggle("causal", "causal mask", True, key="M"),),
    actions=(Action("append", "Append token", append_token, key="A", tip="Add one token at the end"),),
    stages=(
        Stage(
            "weights",
            lambda controls: average.equal_weights(bool(controls["causal"])),
            ("x",),
            (QUERY, KEY),
            "weight",
            title="attention weights",
        ),
        Stage("output", average.mix_in_order(), ("weights", "x"), (TOKENS, TWO), "output"),
        Stage("arrival", average.mix_on_arrival(), ("x",), (TOKENS, TWO), "output", title="output as the newest token"),
        Stage("change", average.change(), ("output", "arrival"), (TOKENS, TWO), "plain", title="change since then"),
    ),
    steps=(
        Step("shares", ("weights",), "Everything that may be looked at gets the same share."),
        Step("average", ("output",), "Each row adds up its share of every vector, the first token first."),
        Step(
            "compare",
            ("arrival", "change"),
            "What each output was when its token was the newest, and what changed since.",
        ),
    ),
    pinned=("output", (3, 1)),
    marks=_marks,
    layout=Column(
        (
            Row((Matrix("x"), Matrix("weights", sums=True, room=(10, 10)), Arrow(), Matrix("output"))),
            Row(
                (
                    # In a show both stand beside the comparison, where there is room for them.
                    Custom("plane", "plane", _plane, PLANE, arrays=("arrival",)),
                    Column(
                        (
                            Row((Matrix("arrival"), Matrix("change", form="exact"))),
                            Custom(
                                "tiles", "verdict", _tiles, {"title": "what later tokens changed"}, arrays=("change",)
                            ),
                        )
                    ),
                )
            ),
        )
    ),
)
