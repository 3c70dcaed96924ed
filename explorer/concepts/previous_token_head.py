"""Tab 13, previous-token head: a head whose every number is typed, and what becomes of it without positions.

A token's x holds a slot, which says where it stands, and its content. Both are part of x, so that nothing but x tells
the head who comes before whom. The number of slots is the length of the text and of the keys; changing it lets rows
and columns of slots come and go in the middle of the matrices, between what was typed. Sharpness is no number of its
own: it is the largest entry of Wq, and its slider scales Wq.

The presets bring other heads, each with its sizes, mask, tokens and the names of its features.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts.declaration import (
    KEY,
    QUERY,
    TOKENS,
    Action,
    Axis,
    Choice,
    Column,
    Concept,
    Custom,
    Edit,
    Input,
    Matrix,
    Place,
    Row,
    Situation,
    Size,
    Sizes,
    Slider,
    Stage,
    Step,
    Suggestion,
    Text,
    Tile,
    Toggle,
    Values,
    Whole,
)
from explorer.concepts.heads import hand_built_heads as heads
from explorer.concepts.heads.hand_built_heads import LESSON, SHARPEST, SHARPNESS
from explorer.concepts.heads.head_presets import presets
from explorer.concepts.shown.plots import Crossing, Line, Plot, Scale, Series
from explorer.core import lesson
from explorer.core.ops import attention, hand_built
from explorer.core.previous_token import sharpness_needed, worst_share

if TYPE_CHECKING:
    from explorer.concepts.declaration import Controls
    from explorer.core.ops.base import Array, Op

#: Below this the slider does not go: at 0 nothing of Wq would be left to be made sharp again.
BLUNTEST = 0.1
ROPE_BASE = 100.0
MOST_SLOTS = 64
#: More rows or columns are pressed into the room of so many.
ROOM = (6, 6)

N = Axis("n")
D_MODEL = Axis("d_model", "", heads.feature_names)
D_HEAD = Axis("d_head")
D_V = Axis("d_v")


# -------------------------------------------------------------------------------------------------------- the verdict


@dataclass(frozen=True, slots=True)
class Verdict:
    """Whether every row from 1 on puts enough on the row before it; `row` is the one that puts the least there."""

    holds: bool
    row: int
    share: float
    wanted: float


def verdict(weights: Array, wanted: float) -> Verdict | None:
    """Judge attention weights (n, n); None where there is no row with one before it."""
    shares = np.diagonal(weights, -1)
    if not shares.size:
        return None
    worst = int(shares.argmin())
    return Verdict(bool(shares[worst] >= wanted), worst + 1, float(shares[worst]), wanted)


def share_text(share: float, wanted: float) -> str:
    """Write a share with three decimals, or with as many more as show on which side of what is wanted it lies."""
    if 0 < share < 0.0005:
        return "< 0.001"
    texts = (f"{share:.{digits}f}" for digits in range(3, 16))
    return next((text for text in texts if (float(text) >= wanted) == (share >= wanted)), repr(share))


def _called(situation: Situation, at: int) -> str:
    name = situation.tokens[at]
    return name if name == str(at) else f"{name} {at}"


def _wanted(situation: Situation) -> float:
    return int(situation.controls["threshold"]) / 100


def tiles(situation: Situation, results: Values) -> list[Tile]:
    """Return the verdict with its worst row, and the sharpness that the hand-built head needs for 99 %."""
    wanted = _wanted(situation)
    found = verdict(results["weights"], wanted)
    if found is None:
        return [Tile("previous-token head?", "–", "one token has none before it")]
    asks, asked = (_called(situation, at) for at in (found.row, found.row - 1))
    judged = Tile(
        f"all rows on i − 1, ≥ {wanted:.2f}?",
        "yes" if found.holds else "no",
        f"worst: {asks} → {asked}  {share_text(found.share, wanted)}",
        "good" if found.holds else "bad",
        ("weights", (found.row, found.row - 1)),
    )
    if not heads.hand_built_form(situation):
        return [judged]
    needed, longest = sharpness_needed(situation.sizes["n"]), sharpness_needed(MOST_SLOTS)
    title = f"needed for 99 %{_without_rope(situation)}"
    return [judged, Tile(title, f"{needed:.1f}", f"{MOST_SLOTS} slots: {longest:.1f}")]


def _without_rope(situation: Situation) -> str:
    """Say of a formula that it leaves RoPE out, where that is on."""
    return " without RoPE" if situation.controls["rope"] else ""


def about(situation: Situation, _results: Values) -> list[Tile] | None:
    """Return what the preset does; nothing for the lesson's own head."""
    chosen = presets().get(str(situation.controls["preset"]))
    if chosen is None:
        return None
    return [Tile(f"started from · see {chosen.see}" if chosen.see else "started from", chosen.title, chosen.says)]


def curve(situation: Situation, results: Values) -> Plot | None:
    """Return the worst row of the hand-built head against its slots at this sharpness, and where the tab stands."""
    if not heads.hand_built_form(situation):
        return None
    n, sharpness, wanted = situation.sizes["n"], float(situation.controls["sharpness"]), _wanted(situation)
    slots = np.arange(2, MOST_SLOTS + 1)
    here = verdict(results["weights"], wanted)
    return Plot(
        Scale(
            "slots",
            2,
            MOST_SLOTS,
            write=lambda value: f"{value:.0f}",
            ticks=(2, 4, 8, 16, 32, 64),
            logarithmic=True,
            caption=False,
        ),
        Scale(
            "worst row",
            0.0,
            1.0,
            write=lambda value: f"{value:.2f}",
            read=lambda value: f"{value:.3f}",
            ticks=(0, 0.5, 1),
            caption=False,
        ),
        series=(
            Series(
                f"worst row at sharpness {sharpness:g}{_without_rope(situation)}",
                slots.astype(np.float64),
                worst_share(slots, sharpness),
                "weight",
                at=lambda x: float(worst_share(x, sharpness)),
            ),
        ),
        lines=(Line(wanted, f"{wanted:.2f}", vertical=False),),
        crossings=() if here is None else (Crossing(n, here.share, f"{here.share:.3f}"),),
        title="worst row against slots",
        snap=lambda x: float(round(x)),
    )


def load(key: str) -> Edit:
    """Return what a preset brings; the lesson's own head for ``"lesson"``."""
    chosen = presets().get(key)
    if chosen is None:
        sizes = {size.name: size.default for size in CONCEPT.sizes}
        return Edit(
            sizes=sizes,
            inputs={one.name: one.default(sizes) for one in CONCEPT.inputs},
            controls={"sharpness": SHARPNESS, "mask": "causal", "rope": False},
            tokens=CONCEPT.tokens,
        )
    return Edit(
        sizes=chosen.sizes,
        inputs=chosen.arrays,
        controls={
            "sharpness": heads.sharpness_of(chosen.arrays["Wq"]),
            "mask": chosen.mask,
            "rope": chosen.rope_base is not None,
        },
        tokens=chosen.tokens,
        origins=dict.fromkeys(chosen.arrays, f"preset: {chosen.title}"),
    )


def react(before: Situation, after: Situation) -> Edit:
    """Let a preset bring its head, slots bring their rows and columns, and Wq and sharpness follow each other."""
    alone = all(after.inputs[name] is array for name, array in before.inputs.items())
    if after.controls["preset"] != before.controls["preset"] and alone:
        return load(str(after.controls["preset"]))
    changed = {name for name in after.sizes if after.sizes[name] != before.sizes[name]}
    if changed == {"n"} and heads.merely_resized(before, after):
        if heads.hand_built_form(before):
            return heads.with_slots(before, after.sizes["n"])
        if before.controls["preset"] != LESSON:
            # A token without any feature: nobody asks for it, and it asks for nobody.
            x = after.inputs["x"].copy()
            x[before.sizes["n"] :] = 0.0
            return Edit(inputs={"x": x})
    wq = after.inputs["Wq"]
    if after.controls["sharpness"] != before.controls["sharpness"] and wq is before.inputs["Wq"]:
        wq = heads.sharpened(after, float(after.controls["sharpness"]))
        return Edit(inputs={"Wq": wq}, controls={"sharpness": heads.sharpness_of(wq)})
    return Edit(controls={"sharpness": heads.sharpness_of(wq)})


def _range(_sizes: Sizes, controls: Controls) -> tuple[float, float]:
    """Return where sharpness may lie: up to 100, or as far as Wq goes; 0 only where Wq is all 0."""
    value = float(controls["sharpness"])
    high = min(max(100.0, 100.0 * math.ceil(value / 100.0)), SHARPEST)
    return (0.0 if value <= 0 else BLUNTEST), high


# ----------------------------------------------------------------------------------------------------- the declaration


def _known(text: str) -> str | None:
    if text == LESSON or text in presets():
        return None
    return f"there is no preset called “{text[:40]}”; known are {LESSON}, {', '.join(presets())}"


def _suggest(typed: str) -> list[Suggestion]:
    """Return the presets whose name, description or source holds every word that was typed."""
    everything = [Suggestion(LESSON, "previous token, the lesson’s", "slots, contents and sharpness 10")]
    everything += [Suggestion(one.key, one.title, one.says) for one in presets().values()]
    sources = {one.key: one.see for one in presets().values()}

    def about_it(one: Suggestion) -> str:
        return f"{one.value} {one.label} {one.detail} {sources.get(one.value, '')}".lower()

    return [one for one in everything if all(word in about_it(one) for word in typed.lower().split())]


def _title(controls: Controls) -> str:
    chosen = presets().get(str(controls["preset"]))
    return "the lesson’s head" if chosen is None else chosen.title


def _projection(controls: Controls) -> Op:
    return hand_built.project_rotated(ROPE_BASE) if controls["rope"] else attention.project()


CONCEPT = Concept(
    number=13,
    slug="previous-token-head",
    title="Previous-token head",
    tokens=tuple(lesson.example_tokens(13)),
    sizes=(
        Size("n", "slots", 1, MOST_SLOTS, 4),
        Size("d_model", "", 1, 96, 6),
        Size("d_head", "", 1, MOST_SLOTS, 4),
        Size("d_v", "", 1, MOST_SLOTS, 2),
    ),
    inputs=(
        Input("x", (TOKENS, D_MODEL), "input", heads.lesson_x),
        Input("Wq", (D_MODEL, D_HEAD), "query", heads.lesson_wq),
        Input("Wk", (D_MODEL, D_HEAD), "key", heads.lesson_wk),
        Input("Wv", (D_MODEL, D_V), "value", heads.lesson_wv),
    ),
    controls=(
        Text("preset", "start from", LESSON, check=_known, suggest=_suggest, shown=_title, many="heads"),
        Slider("sharpness", "sharpness", 0.0, 100.0, 0.1, SHARPNESS, digits=1, bounds=_range),
        Choice("mask", "looks", (("causal", "back"), ("none", "anywhere"), ("no_self", "at others")), "causal"),
        Toggle("rope", "RoPE", False),
        Whole("threshold", "verdict from %", 1, 99, 90),
    ),
    actions=(
        Action("remove", "Remove positions", heads.remove_positions, key="X", tip="Set the slots in x to 0"),
        Action("shuffle", "Shuffle tokens", heads.shuffle, key="S", tip="Contents change places, slots stay"),
    ),
    stages=(
        Stage("q", _projection, ("x", "Wq"), (N, D_HEAD), "query"),
        Stage("k", _projection, ("x", "Wk"), (N, D_HEAD), "key"),
        Stage("v", attention.project(), ("x", "Wv"), (N, D_V), "value"),
        Stage("scores", attention.scores(), ("q", "k"), (QUERY, KEY), "score", title="scores q·k"),
        Stage("scaled", attention.scale(), ("scores", "q"), (QUERY, KEY), "score", title="scaled scores"),
        Stage(
            "masked",
            lambda controls: hand_built.look(str(controls["mask"])),
            ("scaled",),
            (QUERY, KEY),
            "score",
            title="masked scores",
        ),
        Stage("weights", attention.softmax(), ("masked",), (QUERY, KEY), "weight", title="attention weights"),
        Stage("output", attention.mix(), ("weights", "v"), (N, D_V), "output"),
    ),
    steps=(
        Step("scores", ("scores",), "A query meets the one key that holds the slot it asks for."),
        Step("÷ √d", ("scaled",), "More slots, longer keys, a larger divisor: the match is blunted."),
        Step("mask", ("masked",), "Who comes later is out of reach, whatever a query asks for."),
        Step("softmax", ("weights",), "The match outweighs its rivals, the more so the sharper the head."),
        Step("· v", ("output",), "What is taken home is the content of the token before."),
    ),
    row_steps=True,
    pinned=("weights", (3, 2)),
    react=react,
    layout=Row(
        (
            Matrix("x", room=ROOM, form="short"),
            Column(
                (
                    Row((Matrix("Wq", room=ROOM, form="short"), Matrix("q", room=ROOM, form="short"))),
                    Row((Matrix("Wk", room=ROOM, form="short"), Matrix("k", room=ROOM, form="short"))),
                    Row((Matrix("Wv", room=ROOM, form="short"), Matrix("v", room=ROOM, form="short"))),
                )
            ),
            Column(
                (
                    Row(
                        (
                            Place(("scores", "scaled", "masked", "weights"), sums=False),
                            Matrix("output", large=True, room=(MOST_SLOTS, 3)),
                        )
                    ),
                    Custom("tiles", "verdict", tiles, {"title": "verdict", "stacked": False}, ("weights",)),
                    Custom("tiles", "about", about, {"title": "the preset"}, ("Wq",)),
                    Custom("curves", "slots", curve, {"title": "worst row against slots", "least": (16, 6.5)}, ("Wq",)),
                )
            ),
        )
    ),
)
