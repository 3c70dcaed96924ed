"""What the trace says in words: titles, where a typed number comes from, why a key is masked.

Every sentence is marked for translation and goes through the `translate` that is handed in; the numbers of the
arithmetic itself are `explorer.workbench.equation`'s.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts import evaluation
from explorer.core.checks import QT_TRANSLATE_NOOP, cell_name
from explorer.workbench import number_text
from explorer.workbench.tokens import Index, Token

if TYPE_CHECKING:
    from explorer.concepts.declaration import Axis, Concept, Input, Situation, Stage
    from explorer.core.ops.base import Array

Translate = Callable[[str], str]

LOOKING = QT_TRANSLATE_NOOP("trace", "{what} of {query} looking at {key}")
HEAD = QT_TRANSLATE_NOOP("trace", "head {at}")
COLUMN = QT_TRANSLATE_NOOP("trace", "column {at} of ")
ROW = QT_TRANSLATE_NOOP("trace", "row {at} of ")
MORE = QT_TRANSLATE_NOOP("trace", "… {count} more")
LATER = QT_TRANSLATE_NOOP("trace", "{key} comes later than {query}")
MASKED = QT_TRANSLATE_NOOP("trace", "the mask does not let {query} look at {key}")
MAY_LOOK = QT_TRANSLATE_NOOP("trace", "{query} may look at {key}: the score stays as it is")
LOOKS_NOWHERE = QT_TRANSLATE_NOOP("trace", "{query} may look nowhere: its attention weights and its output are 0")
LARGEST = QT_TRANSLATE_NOOP("trace", "it is the largest of its row: ")
IS_LARGEST = QT_TRANSLATE_NOOP("trace", " is the largest of its row: ")
LEFT_OUT = QT_TRANSLATE_NOOP("trace", "keys with attention weight 0 add nothing and are left out: {count}")
SHARED_HEAD = QT_TRANSLATE_NOOP("trace", "query head {head} reads KV head {shared}")
FROM_LESSON = QT_TRANSLATE_NOOP("trace", "the lesson's value")
FROM_DRAW = QT_TRANSLATE_NOOP("trace", "drawn at random in the lesson, without meaning")
FROM_SEED = QT_TRANSLATE_NOOP("trace", "drawn at random from seed {seed}, without meaning")
FROM_PRESET = QT_TRANSLATE_NOOP("trace", "part of the preset “{name}”")
TYPED = QT_TRANSLATE_NOOP("trace", "typed by you; the lesson has {lesson}")
MASK_ON = QT_TRANSLATE_NOOP("trace", "may look")
MASK_OFF = QT_TRANSLATE_NOOP("trace", "may not look")
NOT_YET = QT_TRANSLATE_NOOP("trace", "being computed; its arithmetic appears when it is there")

#: Names as short as ``Wq`` are written as mathematics is, with the row below the line.
LETTERS = 2

_SUBSCRIPTS = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")


def subscript(at: int) -> str:
    """Write an index below the line."""
    return str(at).translate(_SUBSCRIPTS)


def note(text: str) -> Token:
    """Return words that stand apart from the arithmetic before them."""
    return Token(f"   {text}", "note")


def label(axis: Axis, at: int, situation: Situation) -> str:
    """Return what an entry of an axis is called: ``sat (2)``, else ``query 2`` by the axis' words, else its index.

    Only tokens carry their position: what has a name of its own needs no number.
    """
    names = evaluation.names_along(axis, situation)
    if at < len(names) and axis.names != "tokens":
        return names[at]
    names = names or (situation.tokens if axis.size == "n" else ())
    if at < len(names):
        return f"{names[at]} ({at})"
    return f"{axis.words.partition(':')[0]} {at}".strip()


def pairs_queries_with_keys(axes: tuple[Axis, ...]) -> bool:
    """Say whether an array has a row for each query and a column for each key."""
    return len(axes) > 1 and axes[-2].words.startswith("query") and axes[-1].words.startswith("key")


def what(stage: Stage) -> str:
    """Return what one cell of a table of scores or attention weights is called."""
    title = stage.title or ("attention weights" if stage.role == "weight" else stage.spoken)
    title = re.sub(r"\b(score|weight)s\b", r"\1", title)
    return f"{title} score" if stage.role == "score" and "score" not in title else title


def title(concept: Concept, situation: Situation, name: str, index: Index, translate: Translate) -> tuple[Token, ...]:
    """Return what a cell is, in words where its axes have them."""
    declared = concept.array(name)
    axes = declared.axes
    stage = next((one for one in concept.stages if one.name == name), None)
    if stage is not None and pairs_queries_with_keys(axes):
        named = {
            "query": Token(label(axes[-2], index[-2], situation), "name"),
            "key": Token(label(axes[-1], index[-1], situation), "name"),
            "what": Token(what(stage), "note"),
        }
        return (*_filled(translate(LOOKING), named), *_heads(axes[:-2], index[:-2], situation, translate))
    in_heads = len(axes) > 2 and axes[0].groups is not None
    heads = _heads(axes[:1], index[:1], situation, translate) if in_heads else []
    if in_heads:
        axes, index = axes[1:], index[1:]
    words = [label(axis, at, situation) for axis, at in zip(axes, index, strict=True)]
    # Where every axis has a name for the entry, its indices say nothing more.
    by_name = stage is not None and all(not word.isdigit() for word in words)
    shown = declared.spoken
    if stage is not None and by_name:
        words_for = stage.spoken if len(stage.spoken) > LETTERS else stage.title or stage.spoken
        shown = what(stage) if stage.role == "weight" or "score" in stage.title else words_for
    cell = Token(shown if by_name else cell_name(shown, index), "name", role=declared.role)
    return (cell, *(Token(f" · {word}", "note") for word in words if not word.isdigit()), *heads)


def _heads(axes: tuple[Axis, ...], index: Index, situation: Situation, translate: Translate) -> list[Token]:
    # A leading axis may count tokens, but it is a head's place: it goes by its words.
    nameless = situation._replace(tokens=())
    words = [
        label(axis, at, nameless) if axis.words else translate(HEAD).format(at=at)
        for axis, at in zip(axes, index, strict=True)
    ]
    return [Token(f", {word}", "note") for word in words]


def _filled(template: str, named: Mapping[str, Token]) -> list[Token]:
    """Put tokens into a template's fields, wherever a translation has them."""
    parts = re.split(r"\{(\w+)\}", template)
    return [named[part] if at % 2 else Token(part, "note") for at, part in enumerate(parts) if part]


def why_masked(stage: Stage, masked: Array, index: Index, situation: Situation, translate: Translate) -> str:
    """Say why a score is −∞.

    That a key comes later is the reason only where no query looks at any later key; one that is masked among visible
    ones was masked by hand or by another rule.
    """
    *head, i, j = index
    table = masked[tuple(head)]
    n_q, n_k = table.shape
    later = np.triu(np.ones((n_q, n_k), dtype=bool), 1 + n_k - n_q)
    causal = later[i, j] and not np.isfinite(table[later]).any()
    return translate(LATER if causal else MASKED).format(**_pair(stage, index, situation))


def may_look(stage: Stage, index: Index, situation: Situation, translate: Translate) -> str:
    """Say that a mask leaves a score as it is."""
    return translate(MAY_LOOK).format(**_pair(stage, index, situation))


def looks_nowhere(axis: Axis, at: int, situation: Situation, translate: Translate) -> str:
    """Say what becomes of a row that is masked everywhere."""
    return translate(LOOKS_NOWHERE).format(query=label(axis, at, situation))


def _pair(stage: Stage, index: Index, situation: Situation) -> dict[str, str]:
    return {
        "query": label(stage.axes[-2], index[-2], situation),
        "key": label(stage.axes[-1], index[-1], situation),
    }


def where_from(declared: Input, value: float, drawn: float, origin: str | None, translate: Translate) -> str:
    """Say where a number that nothing computed comes from; `drawn` is the lesson's."""
    if origin in ("lesson", "random") or value == drawn:
        return translate(FROM_DRAW if declared.origin == "random" else FROM_LESSON)
    if origin is not None and origin.startswith("preset"):
        return translate(FROM_PRESET).format(name=origin.partition(": ")[2])
    seed = re.fullmatch(r"random seed (-?\d+)", origin or "")
    if seed:
        return translate(FROM_SEED).format(seed=seed[1])
    shown = translate(MASK_ON if drawn else MASK_OFF) if declared.kind == "mask" else number_text.full(drawn)
    return translate(TYPED).format(lesson=shown)
