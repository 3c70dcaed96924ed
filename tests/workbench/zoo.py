"""Two made-up tabs that have every kind of input, control and size, and random sessions of them."""

from __future__ import annotations

import math
from types import MappingProxyType

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from explorer.concepts import evaluation
from explorer.concepts.declaration import (
    KEY,
    QUERY,
    TOKENS,
    Axis,
    Choice,
    Concept,
    Input,
    Matrix,
    Pick,
    Size,
    Slider,
    Stage,
    Step,
    Text,
    Toggle,
    Whole,
)
from explorer.core.ops import attention
from explorer.workbench.bookmarks import Bookmark, Bookmarks, Snapshot
from explorer.workbench.changes import Changes
from explorer.workbench.session import Session
from explorer.workbench.state import TabState, ViewState, frozen, same_array

WIDTH = Axis("width")
HEAD = Axis("n_head", "head")


def _counted(*names):
    def default(sizes):
        shape = [sizes[name] for name in names]
        return np.arange(1.0, 1.0 + math.prod(shape)).reshape(shape) / 7

    return default


def _wide(sizes):
    return _counted("width", "n_head", "width")(sizes).reshape(sizes["width"], -1)


def _divisors(sizes):
    return [one for one in range(1, 4) if sizes["n_head"] % one == 0]


def _look(sizes):
    return np.tri(sizes["n"], dtype=bool)


HEADS = Concept(
    number=1,
    slug="heads",
    title="Heads",
    tokens=("the", "cat", "sat"),
    sizes=(
        Size("n", "tokens", 1, 6, 3),
        Size("width", "width", 1, 5, 2),
        Size("n_head", "heads", 1, 3, 2),
        Size("n_head_kv", "KV heads", 1, 3, 1, _divisors),
    ),
    inputs=(
        Input("q", (HEAD, TOKENS, WIDTH), "query", _counted("n_head", "n", "width")),
        Input("k", (HEAD, TOKENS, WIDTH), "key", _counted("n_head", "n", "width"), limits=(-50.0, 50.0)),
        Input("look", (QUERY, KEY), "mask", _look, kind="mask"),
        Input(
            "scores", (QUERY, KEY), "score", _counted("n", "n"), origin="random", limits=(-math.inf, 1e6), title="typed"
        ),
        Input("share", (), "plain", lambda sizes: np.array(0.5)),
        Input("row", (WIDTH,), "plain", _counted("width")),
        Input("wide", (WIDTH, Axis("n_head * width")), "plain", _wide),
    ),
    controls=(
        Slider("kv", "KV heads", 1, 3, 1, 1, bounds=lambda sizes, controls: (1, controls["most"])),
        Whole("most", "at most", 1, 3, 1),
        Slider("sharpness", "sharpness", 0.0, 10.0, 0.1, 1.0),
        Choice("divisor", "divided by", (("sqrt_d_head", "√d"), ("none", "1")), "sqrt_d_head"),
        Toggle("masked", "mask", True),
        Pick("asks", "who asks", "n", 0, optional=True),
        Text("model", "model", "some-model"),
    ),
    stages=(
        Stage("raw", attention.scores(), ("q", "k"), (HEAD, QUERY, KEY), "score"),
        Stage(
            "scaled", lambda controls: attention.scale(controls["divisor"]), ("raw", "q"), (HEAD, QUERY, KEY), "score"
        ),
        Stage("masked_scores", attention.mask(), ("scaled", "look"), (HEAD, QUERY, KEY), "score"),
        Stage("weights", attention.softmax(), ("masked_scores",), (HEAD, QUERY, KEY), "weight"),
        Stage("output", attention.mix(), ("weights", "q"), (HEAD, TOKENS, WIDTH), "output"),
        Stage("typed_weights", attention.softmax(), ("scores",), (QUERY, KEY), "weight"),
    ),
    steps=(Step("scores", ("raw",)), Step("weights", ("weights",))),
    row_steps=True,
    pinned=("weights", (1, 2, 0)),
    layout=Matrix("weights"),
)

PLAIN = Concept(
    number=2,
    slug="plain-tab",
    title="Plain",
    inputs=(Input("x", (Axis("2"), Axis("3", names=("a", "b", "c"))), "input", lambda sizes: np.eye(2, 3)),),
    stages=(),
    layout=Matrix("x"),
)

CONCEPTS = (HEADS, PLAIN)

TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=20)
TOKEN_NAMES = TEXTS.map(lambda text: " ".join(text.split())).filter(lambda text: 0 < len(text) <= 40) | st.sampled_from(
    ["<b>", "a & b", "50%", "a_b", "it's", 'say "no"', "👩‍👩‍👧", "الكلمة", "\\n", "#$^~{}", "=1+1", "0.5"]
)


def _numbers(low, high):
    finite = st.floats(max(low, -1e9), min(high, 1e9), allow_nan=False)
    return finite | st.just(-math.inf) if low == -math.inf else finite


@st.composite
def states(draw, concept=HEADS):
    """Any state that the tab can be in."""
    sizes = {one.name: draw(st.integers(one.low, one.high)) for one in concept.sizes}
    if concept is HEADS:
        sizes["n_head_kv"] = draw(st.sampled_from(_divisors(sizes)))
    inputs = {}
    for one in concept.inputs:
        shape = evaluation.lengths_of(one.axes, sizes)
        if one.kind == "mask":
            array = draw(npst.arrays(np.bool_, shape))
        else:
            array = draw(npst.arrays(np.float64, shape, elements=_numbers(*one.limits)))
        inputs[one.name] = frozen(np.asarray(array))
    controls = {}
    if concept is HEADS:
        most = draw(st.integers(1, 3))
        controls = {
            "kv": draw(st.integers(1, most)),
            "most": most,
            "sharpness": draw(st.floats(0, 10)),
            "divisor": draw(st.sampled_from(["sqrt_d_head", "none"])),
            "masked": draw(st.booleans()),
            "asks": draw(st.integers(-1, sizes["n"] - 1)),
            "model": draw(TEXTS.filter(lambda text: "\n" not in text)),
        }
    tokens = tuple(draw(TOKEN_NAMES) for _ in range(sizes["n"])) if concept.tokens else ()
    lesson = Changes(concept).lesson(sizes)
    origins = {
        one.name: one.origin
        if same_array(inputs[one.name], lesson[one.name])
        else draw(st.sampled_from(["lesson", "random", "random seed 42", "typed"]))
        for one in concept.inputs
    }
    return TabState(
        concept.slug,
        MappingProxyType(inputs),
        MappingProxyType(controls),
        MappingProxyType(sizes),
        tokens,
        MappingProxyType(origins),
    )


@st.composite
def snapshots(draw, concept=None):
    """Any state of a tab, with any view onto it."""
    tab = draw(st.sampled_from(CONCEPTS)) if concept is None else concept
    state = draw(states(tab))
    pins = [(name, tuple(0 for _ in array.shape)) for name, array in state.inputs.items()]
    view = ViewState(
        step=draw(st.integers(-1, 20)),
        by_row=draw(st.booleans()),
        speed=draw(st.floats(0.25, 4)),
        pinned=draw(st.none() | st.sampled_from(pins)),
        zero_to_row_maximum=draw(st.booleans()),
        digits=draw(st.integers(0, 6)),
    )
    return Snapshot(state, view)


@st.composite
def sessions(draw):
    """Any session of the two tabs."""
    tabs = {one.slug: draw(snapshots(one)) for one in CONCEPTS}
    marks = draw(st.lists(st.builds(Bookmark, snapshots(), TEXTS), max_size=3))
    return Session(draw(st.sampled_from(sorted(tabs))), MappingProxyType(tabs), Bookmarks(marks))
