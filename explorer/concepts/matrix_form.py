"""Tab 8, matrix form: one head as whole matrices, as the loop that they replace, and block by block.

All three are computed, so that their differences are measured and not claimed; the whole is also computed in float32,
as the lesson does. Beside q, k, v and the output, which every way needs, the whole way stores the n × n table, and
the blockwise one a block of scores, a running maximum and a running sum; its running output lies where the output
will. How a product is drawn is one of six pictures: either product by dot products, by outer products, in blocks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.concepts.declaration import (
    KEY,
    QUERY,
    TOKENS,
    Axis,
    Choice,
    Column,
    Concept,
    Custom,
    Edit,
    Input,
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
from explorer.concepts.shown.parts import Cut, Part, Parts, cut
from explorer.core import lesson
from explorer.core.ops import agreement, attention, blockwise, products

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

N = Axis("n")
D_MODEL = Axis("d_model")
D_HEAD = Axis("d_head")
#: The rows and columns that a matrix shows with digits where there is little room.
ROOM = (6, 6)
BLOCKS = Axis("blocks", "block")
PAIR = (QUERY, KEY)
SHAPES = ("n", "d_model", "d_head")

#: The length at which the tiles count what would be stored.
LONG = 8192
#: What the lesson calls the same in 32 bits.
AGREE = 1e-6


def _drawn(name: str, sizes: Sizes) -> lesson.Floats:
    return lesson.full_attention_inputs(**{size: sizes[size] for size in SHAPES})[name]


def _input(name: str, axes: tuple[Axis, ...], role: Role) -> Input:
    return Input(name, axes, role, lambda sizes: _drawn(name, sizes), origin="random")


def block_count(sizes: Sizes) -> int:
    """Return into how many blocks the keys go; the last may be shorter."""
    return -(-sizes["n"] // sizes["block"])


def keys_of(block: int, sizes: Sizes) -> range:
    """Return the keys of a block."""
    return range(block * sizes["block"], min((block + 1) * sizes["block"], sizes["n"]))


def part_count(sizes: Sizes, product: str, drawn: str) -> int:
    """Return in how many parts a picture is built up: rows, terms or blocks."""
    if drawn == "blocks":
        return block_count(sizes)
    if drawn == "outer":
        return sizes["d_head"] if product == "scores" else sizes["n"]
    return sizes["n"]


def react(_before: Situation, after: Situation) -> Edit:
    """Keep the number of parts that of the picture on show."""
    return Edit(sizes={"parts": part_count(after.sizes, after.controls["product"], after.controls["drawn"])})


# ------------------------------------------------------------------------------------------------------- the pictures


def _closed(results: Values) -> Any:  # noqa: ANN401 - a mask of bool
    return np.isneginf(results["masked"])


def _key_words(keys: Sequence[int]) -> str:
    return f"key {keys[0]}" if len(keys) == 1 else f"keys {keys[0]}–{keys[-1]}"


def _by_dots(results: Values, product: str) -> Parts:
    if product == "scores":
        left, top = cut(results, "q", title="Q"), cut(results, "kT", title="Kᵀ")
        table = cut(results, "scores", title="Q Kᵀ", above=top, before=left)
        says = "one cell: a row of Q times a column of Kᵀ"
    else:
        left, top = cut(results, "weights", title="A", hatched=_closed(results)), cut(results, "v", title="V")
        table = cut(results, "output", title="A V", above=top, before=left)
        says = "one cell: a row of A times a column of V"
    return Parts((Part("", (table,), says),), by_rows=True)


def _by_outer_products(results: Values, product: str) -> Parts:
    scores = product == "scores"
    terms, left, top, whole = (
        ("score_terms", "q", "kT", "scores") if scores else ("output_terms", "weights", "v", "output")
    )
    names = ("q", "kᵀ", "Q Kᵀ") if scores else ("a", "v", "A V")
    hatched = None if scores else _closed(results)
    parts = []
    for t in range(len(results[terms])):
        column = cut(results, left, columns=(t,), title=f"{names[0]}{_low(t)}", hatched=hatched)
        row = cut(results, top, rows=(t,), title=f"{names[1]}{_low(t)}")
        parts.append(Part("", (cut(results, terms, head=(t,), above=row, before=column),)))
    return Parts(tuple(parts), "+", ("=", cut(results, whole, title=names[2])))


def _low(at: int) -> str:
    return str(at).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def _score_blocks(results: Values, sizes: Sizes) -> Parts:
    parts = []
    for b in range(block_count(sizes)):
        keys = keys_of(b, sizes)
        top = cut(results, "kT", columns=keys, title=f"Kᵀ, {_key_words(keys)}")
        left = cut(results, "q", title="Q")
        parts.append(Part(f"block {b}", (cut(results, "scores", columns=keys, title="Q Kᵀ", above=top, before=left),)))
    return Parts(tuple(parts))


def rescaled_rows(results: Values, block: int) -> frozenset[int]:
    """Return the rows whose maximum rises in a block after something was carried, so that it is rescaled."""
    if not block:
        return frozenset()
    factors = results["rescale"][:, block]
    carried = results["running_sum"][:, block - 1] > 0
    return frozenset(int(i) for i in np.flatnonzero((factors < 1) & carried))


def _rescale_words(results: Values, block: int) -> str:
    if not block:
        return "nothing is carried yet"
    rows = sorted(rescaled_rows(results, block))
    if not rows:
        return "m stays in every row: r is 1"
    named = f"row {rows[0]}" if len(rows) == 1 else f"rows {', '.join(map(str, rows[:3]))}"
    more = f" and {len(rows) - 3} more" if len(rows) > 3 else ""
    return f"m rises in {named}{more}: ℓ, o × r"


def _output_blocks(results: Values, sizes: Sizes) -> Parts:
    parts = []
    for b in range(block_count(sizes)):
        keys = keys_of(b, sizes)
        pointed = rescaled_rows(results, b)
        items: list[Cut] = [
            cut(results, "masked", columns=keys, title="scores"),
            cut(results, "running_max", columns=(b,), title="m", pointed=pointed),
        ]
        if b:
            items.append(cut(results, "rescale", columns=(b,), title="r", pointed=pointed))
        items += [
            cut(results, "running_sum", columns=(b,), title="ℓ", pointed=pointed),
            cut(
                results,
                "running_output",
                head=(b,),
                title="o",
                above=cut(results, "v", rows=keys, title=f"V, {_key_words(keys)}"),
                pointed=pointed,
            ),
        ]
        parts.append(Part(f"block {b}", tuple(items), _rescale_words(results, b)))
    apart = scientific(float(results["agreement"][2]))
    says = f"error {apart}"
    return Parts(tuple(parts), "→", ("o ÷ ℓ =", cut(results, "block_output", title="output")), says)


def picture(situation: Situation, results: Values) -> Parts:
    """Return the chosen product, drawn in the chosen way."""
    product, drawn = situation.controls["product"], situation.controls["drawn"]
    if drawn == "dots":
        return _by_dots(results, product)
    if drawn == "outer":
        return _by_outer_products(results, product)
    return _score_blocks(results, situation.sizes) if product == "scores" else _output_blocks(results, situation.sizes)


# ---------------------------------------------------------------------------------------------------------- the tiles


def stored_cells(n: int, block: int | None = None) -> int:
    """Return how many cells are stored beside q, k, v and the output: the whole table, or n × (block + 2)."""
    return n * n if block is None else n * (min(block, n) + 2)


def multiplications(sizes: Sizes) -> tuple[int, int]:
    """Return the multiplications of the two products, and those that rescaling adds: sum and output, once a block."""
    n, d_head = sizes["n"], sizes["d_head"]
    return 2 * n * n * d_head, (block_count(sizes) - 1) * n * (1 + d_head)


def tiles(situation: Situation, results: Values) -> list[Tile]:
    """Return how far whole and loop lie apart, what the ways store, and what they multiply."""
    sizes = situation.sizes
    n, block = sizes["n"], sizes["block"]
    loop, single, _ = (float(value) for value in results["agreement"])
    work, more = multiplications(sizes)
    return [
        Tile(
            "largest difference",
            scientific(loop),
            f"in 32 bits {scientific(single)}",
            "good" if single < AGREE else "plain",
            ("agreement", (0,)),
        ),
        Tile(
            "cells stored: whole | blocks",
            f"{stored_cells(n):,} | {stored_cells(n, block):,}",
            f"at {LONG:,}: {stored_cells(LONG):,} | {stored_cells(LONG, block):,}",
            "accent",
        ),
        Tile("multiplications", f"{work:,}", f"in blocks + {more:,}"),
    ]


def scientific(value: float) -> str:
    """Write a small number as a mantissa and a power of ten; 0 is "0"."""
    if value == 0:
        return "0"
    mantissa, power = f"{value:.1e}".split("e")
    exponent = str(int(power)).translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))
    return f"{mantissa} · 10{exponent}"


def _differences(controls: Mapping[str, Any]) -> Any:  # noqa: ANN401 - an op
    return agreement.largest_differences(bool(controls["causal"]))


#: What a blockwise kernel carries, and what comes of it.
CARRIED = ("running_max", "rescale", "running_sum", "running_output", "block_output")

CONCEPT = Concept(
    number=8,
    slug="matrix-form",
    title="Matrix form",
    tokens=tuple(lesson.example_tokens(8)),
    sizes=(
        Size("n", "tokens", 1, 64, 4),
        Size("d_model", "d_model", 1, 32, 4),
        Size("d_head", "d_head", 1, 32, 2),
        Size("block", "keys a block", 1, 64, 2, among=lambda sizes: range(1, sizes["n"] + 1)),
        Size("blocks", "", 1, 64, 2, among=lambda sizes: (block_count(sizes),)),
        Size("parts", "", 1, 64, 2),
    ),
    inputs=(
        _input("x", (TOKENS, D_MODEL), "input"),
        _input("Wq", (D_MODEL, D_HEAD), "query"),
        _input("Wk", (D_MODEL, D_HEAD), "key"),
        _input("Wv", (D_MODEL, D_HEAD), "value"),
    ),
    controls=(
        Toggle("causal", "causal mask", True, key="M"),
        Choice("product", "", (("scores", "Q Kᵀ"), ("output", "A V")), "output"),
        Choice(
            "drawn",
            "as",
            (("dots", "dot products"), ("outer", "outer products"), ("blocks", "block by block")),
            "blocks",
        ),
    ),
    stages=(
        Stage("q", attention.project(), ("x", "Wq"), (N, D_HEAD), "query"),
        Stage("k", attention.project(), ("x", "Wk"), (N, D_HEAD), "key"),
        Stage("v", attention.project(), ("x", "Wv"), (N, D_HEAD), "value"),
        Stage("kT", products.transpose(), ("k",), (D_HEAD, N), "key", title="Kᵀ", symbol="Kᵀ"),
        Stage("scores", attention.project(), ("q", "kT"), PAIR, "score", title="scores Q Kᵀ"),
        Stage("scaled", attention.scale(), ("scores", "q"), PAIR, "score", title="scaled scores"),
        Stage(
            "masked",
            lambda controls: attention.causal_mask(bool(controls["causal"])),
            ("scaled",),
            PAIR,
            "score",
            title="masked scores",
        ),
        Stage("weights", attention.softmax(), ("masked",), PAIR, "weight", title="attention weights A", symbol="A"),
        Stage("output", attention.mix(), ("weights", "v"), (N, D_HEAD), "output"),
        Stage(
            "loop_output",
            lambda controls: products.loop(bool(controls["causal"])),
            ("q", "k", "v"),
            (N, D_HEAD),
            "output",
            title="loop",
        ),
        Stage("score_terms", products.outer_products(), ("q", "kT"), (D_HEAD, *PAIR), "score", title="term"),
        Stage(
            "output_terms",
            products.outer_products(),
            ("weights", "v"),
            (Axis("n", "key"), N, D_HEAD),
            "output",
        ),
        Stage(
            "running_max",
            blockwise.running_maximum("running_max"),
            ("masked", "block"),
            (TOKENS, BLOCKS),
            "score",
            title="running maximum m",
            symbol="m",
        ),
        Stage(
            "rescale",
            blockwise.rescale(),
            ("masked", "running_max", "block"),
            (TOKENS, BLOCKS),
            "plain",
            title="rescale r",
            symbol="r",
        ),
        Stage(
            "powers",
            blockwise.block_powers(),
            ("masked", "running_max", "block"),
            PAIR,
            "plain",
            title="powers e",
            symbol="e",
        ),
        Stage(
            "running_sum",
            blockwise.running_sum("running_sum"),
            ("masked", "powers", "rescale", "block"),
            (TOKENS, BLOCKS),
            "plain",
            title="running sum ℓ",
            symbol="ℓ",
        ),
        Stage(
            "running_output",
            blockwise.running_output("running_output"),
            ("masked", "v", "powers", "rescale", "block"),
            (BLOCKS, TOKENS, D_HEAD),
            "output",
            title="running output o",
            symbol="o",
        ),
        Stage(
            "block_output",
            blockwise.finish_blocks(),
            ("running_output", "running_sum"),
            (N, D_HEAD),
            "output",
        ),
        Stage(
            "agreement",
            _differences,
            ("output", "loop_output", "block_output", "x", "Wq", "Wk", "Wv"),
            (Axis("3", "", agreement.COMPARED),),
            "plain",
            title="largest differences",
        ),
    ),
    steps=(
        Step("Q Kᵀ", ("scores",), "One product of two matrices makes all scores at once."),
        Step("÷ √d", ("scaled",), "Every cell is divided by √d_head."),
        Step("mask", ("masked",), "Above the diagonal, −∞."),
        Step("softmax", ("weights",), "Row by row: the matrix A of attention weights."),
        Step("A V", ("output", "loop_output"), "A second product makes all outputs at once; the loop makes the same."),
        Step("in parts", CARRIED, "The chosen product, part by part.", times="parts"),
    ),
    row_steps=True,
    pinned=("weights", (2, 1)),
    react=react,
    layout=Column(
        (
            Row(
                (
                    Column(
                        (
                            Matrix("x", room=ROOM, scrolls=True),
                            Row(tuple(Matrix(name, room=ROOM) for name in ("Wq", "Wk", "Wv"))),
                        )
                    ),
                    Column(
                        (
                            Row(
                                (
                                    Place(("scores", "scaled", "masked", "weights")),
                                    Matrix("output", large=True, room=(64, ROOM[1])),
                                    Matrix("loop_output", large=True, room=(64, ROOM[1])),
                                )
                            ),
                            Custom(
                                "tiles",
                                "compared",
                                tiles,
                                {"title": "whole, loop and blocks compared", "stacked": False},
                                ("output", "loop_output", "block_output"),
                            ),
                        )
                    ),
                )
            ),
            Custom("parts", "picture", picture, {"title": "the product in parts"}, arrays=CARRIED),
        )
    ),
)
