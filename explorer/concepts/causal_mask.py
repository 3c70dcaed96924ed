"""Tab 6, causal mask: what the future must be made of before softmax, and what two well-meant shortcuts let through.

Scores and values are typed here, because the mask does not care where they come from. Next to what the page shows as
it is, the whole way is computed three times more: with one token changed, without a mask, and both. Only so can it
say which outputs a changed token moves, and show that with −∞ before softmax earlier rows move by exactly 0.
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
    Choice,
    Column,
    Concept,
    Edit,
    Input,
    Marks,
    Matrix,
    Pick,
    Row,
    Situation,
    Size,
    Sizes,
    Stage,
    Step,
)
from explorer.core import lesson
from explorer.core.ops import attention, masking

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.lesson import Floats
    from explorer.core.ops.base import Array, Op

N = Axis("n")
D_V = Axis("d_v")
PAIR = (QUERY, KEY)


def _scores(sizes: Sizes) -> Floats:
    return lesson.causal_mask_scores(sizes["n"])


def _values(sizes: Sizes) -> Floats:
    """Return the lesson's four vectors, repeated as often as needed in both directions."""
    vectors = lesson.VECTORS
    rows, columns = (np.arange(sizes[name]) % length for name, length in zip(("n", "d_v"), vectors.shape, strict=True))
    return np.asarray(vectors[rows][:, columns])


def _causal(sizes: Sizes) -> Array:
    return np.tri(sizes["n"], dtype=bool)


def causal(situation: Situation) -> Edit:
    """Let every token look at itself and at what came before."""
    return Edit(inputs={"allowed": _causal(situation.sizes)})


def unmasked(situation: Situation) -> Edit:
    """Let every token look everywhere."""
    return Edit(inputs={"allowed": np.ones((situation.sizes["n"],) * 2, dtype=bool)})


def change_token(situation: Situation) -> Edit:
    """Change the chosen token for good: its scores and its value, as the table of movements assumes.

    Raises
    ------
    ValueError
        When no token is chosen.
    """
    at = int(situation.controls["changed"])
    if at < 0:
        raise ValueError("no token is chosen to be changed; choose one beside “change”")
    token = np.asarray(float(at))
    return Edit(
        inputs={
            "scores": masking.change_scores().apply(situation.inputs["scores"], token),
            "v": masking.change_values().apply(situation.inputs["v"], token),
        }
    )


def predictions(tokens: tuple[str, ...]) -> tuple[str, ...]:
    """Return what each row is trained to predict: the token after it; the last row predicts one that is not there."""
    return tuple(f"→ {tokens[i + 1]} {i + 1}" if i + 1 < len(tokens) else f"→ next {i + 1}" for i in range(len(tokens)))


_RULE_NOTES = {
    "before": "",
    "after": "not masked yet: zeroed after softmax",
    "zero": "a closed score is 0, and e⁰ is 1",
}


def _marks(situation: Situation) -> Mapping[str, Marks]:
    n = situation.sizes["n"]
    rows = "1 row is 1 prediction" if n == 1 else f"{n} rows are {n} predictions"
    blind = [i for i, row in enumerate(situation.inputs["allowed"]) if not row.any()]
    rule = situation.controls["rule"]
    note = ""
    hatched: frozenset[tuple[int, int]] = frozenset()
    if rule == "after":
        # No score says that these are closed; the shares that softmax gave them were thrown away.
        hatched = frozenset((int(i), int(j)) for i, j in np.argwhere(~situation.inputs["allowed"]))
    if blind and rule != "zero":
        first = f"{situation.tokens[blind[0]]} ({blind[0]})"
        who = first if len(blind) == 1 else f"{first} and {len(blind) - 1} more"
        why = "may look nowhere: output 0"
        note = f"{who} {why if rule == 'before' else 'has nothing left: all zeroed'}"
    changed = int(situation.controls["changed"])
    return {
        "moved": Marks(note=f"if {situation.tokens[changed]} {changed} changes" if changed >= 0 else "nothing changes"),
        "masked": Marks(note=_RULE_NOTES[rule]),
        "weights": Marks(note=note, hatched=hatched),
        "output": Marks(stamps=predictions(situation.tokens), note=rows),
    }


def _way(prefix: str, scores: str, v: str, *, masks: bool) -> tuple[Stage, ...]:
    """Return the stages from scores to the output of one of the ways that are computed beside the shown one."""
    masked, weights = f"{prefix}masked", f"{prefix}weights"
    first: tuple[Stage, ...] = (
        (
            _masked(masked, scores),
            Stage(weights, _weigh, (masked, "allowed"), PAIR, "weight", title="changed attention weights"),
        )
        if masks
        else (Stage(weights, attention.softmax(), (scores,), PAIR, "weight", title="unmasked attention weights"),)
    )
    return (*first, Stage(f"{prefix}output", attention.mix(), (weights, v), (TOKENS, D_V), "output"))


def _masked(name: str, scores: str, title: str = "") -> Stage:
    return Stage(
        name,
        lambda controls: masking.mask_scores(controls["rule"]),
        (scores, "allowed"),
        PAIR,
        "score",
        title=title,
    )


def _weigh(controls: Mapping[str, str]) -> Op:
    return masking.weigh(controls["rule"])


CONCEPT = Concept(
    number=6,
    slug="causal-mask",
    title="Causal mask",
    tokens=tuple(lesson.example_tokens(6)),
    sizes=(Size("n", "tokens", 1, 64, 4), Size("d_v", "d_v", 1, 32, 2)),
    inputs=(
        Input("scores", PAIR, "score", _scores, title="raw"),
        Input("allowed", PAIR, "mask", _causal, kind="mask", grow=_causal, hint="click to mask"),
        Input("v", (TOKENS, D_V), "value", _values),
    ),
    controls=(
        Choice(
            "rule",
            "mask",
            (("before", "−∞ before softmax"), ("after", "zero after softmax"), ("zero", "score 0")),
            "before",
        ),
        Pick("changed", "change", "n", 3, optional=True),
    ),
    actions=(
        Action("change", "Change it", change_token, key="X", tip="Raise the scores and the value of that token by 1"),
        Action("causal", "Causal", causal, key="M", tip="Nobody may look ahead"),
        Action("unmasked", "No mask", unmasked, key="O", tip="Everybody may look everywhere"),
    ),
    stages=(
        _masked("masked", "scores", "masked scores"),
        Stage("weights", _weigh, ("masked", "allowed"), PAIR, "weight", title="attention weights"),
        Stage("output", attention.mix(), ("weights", "v"), (N, D_V), "output"),
        Stage("other_scores", masking.change_scores(), ("scores", "changed"), PAIR, "score", title="changed scores"),
        Stage("other_v", masking.change_values(), ("v", "changed"), (TOKENS, D_V), "value", title="changed v"),
        *_way("other_", "other_scores", "other_v", masks=True),
        *_way("open_", "scores", "v", masks=False),
        *_way("other_open_", "other_scores", "other_v", masks=False),
        Stage(
            "moved",
            masking.movement(),
            ("output", "other_output", "open_output", "other_open_output"),
            (N, Axis("2", "", ("mask", "open"))),
            "plain",
        ),
    ),
    steps=(
        Step("mask", ("masked",), "What may not be looked at becomes −∞, while it is still a score."),
        Step("softmax", ("weights",), "e to the power of −∞ is exactly 0; the rest of the row adds up to 1."),
        Step("· v", ("output",), "Each row blends the values by its shares."),
        Step("change", ("moved",), "A changed token moves the rows that may look at it, and no other."),
    ),
    row_steps=True,
    pinned=("weights", (1, 0)),
    marks=_marks,
    layout=Column(
        (
            Row((Matrix("scores", large=True), Matrix("allowed", large=True), Matrix("masked", large=True))),
            Row(
                (
                    Matrix("weights", large=True, sums=True),
                    Arrow("×"),
                    Matrix("v", large=True),
                    Arrow("="),
                    Matrix("output", large=True),
                    Matrix("moved", large=True, span=1.0, form="exact", tint=True),
                )
            ),
        )
    ),
)
