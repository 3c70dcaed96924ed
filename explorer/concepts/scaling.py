"""Tab 5, scaling: how far scores spread as heads grow, and what is left of softmax when nobody divides.

Scores are drawn at random and measured, so everything but the axes of the plots waits for the drawing, which leaves the
GUI thread. What softmax makes of them is measured for four divisors at once: the right one, none, and two that are
often taken for it.

The exact density of q·k is drawn beside the bars; a normal curve of the same spread is drawn beside that, because at a
head size of 4 the two differ plainly.
"""

from __future__ import annotations

import math
from functools import lru_cache, partial
from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts.declaration import (
    Axis,
    Choice,
    Column,
    Concept,
    Custom,
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
    Values,
    Whole,
)
from explorer.concepts.shown.plots import Band, Bars, Line, Plot, Scale, Series
from explorer.core import lesson
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.core.dot_distribution import dot_density
from explorer.core.ops import spread
from explorer.core.scaling import VANISHING, divisor_value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.ops.base import Array

TOO_MANY = QT_TRANSLATE_NOOP(
    "tab", "{count} scores for each head size are more than {most}; draw fewer pairs, trials or keys"
)
TOO_LONG = QT_TRANSLATE_NOOP(
    "tab", "this would draw {count} million random numbers; at most {most} million are drawn, so make something smaller"
)

#: What the lesson's head sizes are continued with.
HEAD_SIZES = (*lesson.SCALING.head_sizes, 16, 256, 128, 512, 32)
LARGEST_HEAD = 4096
#: So many scores for each head size, and so many random numbers in all: a few seconds, a few megabytes.
MOST_SCORES, MOST_DRAWN = 200_000, 200_000_000
D_MODEL = 4096

ROWS = Axis("n_sizes")
DIVISORS = Axis("4", "scores ÷", ("1", "√d", "d", "√D"))
#: The density and a normal curve at so many points; even, so that 0 is none of them, where the density is infinite for
#: a head of one number.
DENSITY_POINTS, NORMAL_POINTS = 120, 60
D_TICKS = (1, 4, 16, 64, 256, 1024, 4096)
_CHOICES = (("none", "1"), ("sqrt_d_head", "√d"), ("d_head", "d"), ("sqrt_d_model", "√D"))
_WRITTEN = {"none": "", "sqrt_d_head": " ÷ √d", "d_head": " ÷ d", "sqrt_d_model": " ÷ √D"}


def _head_sizes(sizes: Sizes) -> Array:
    return np.array(HEAD_SIZES[: sizes["n_sizes"]], np.float64)[:, None]


def _names(situation: Situation) -> tuple[str, ...]:
    return tuple(f"{d:.0f}" for d in situation.inputs["head_sizes"][:, 0])


def check(situation: Situation) -> None:
    """Refuse more draws than anybody would wait for.

    Raises
    ------
    InputError
        With the count that is too large.
    """
    heads = situation.inputs["head_sizes"][:, 0]
    sizes = situation.sizes
    scores = sizes["pairs"] + sizes["trials"] * sizes["keys"]
    if scores > MOST_SCORES:
        raise InputError(TOO_MANY, count=f"{scores:,}", most=f"{MOST_SCORES:,}")
    drawn = 2 * int(heads.sum()) * scores
    if drawn > MOST_DRAWN:
        raise InputError(TOO_LONG, count=f"{drawn / 1e6:,.0f}", most=f"{MOST_DRAWN / 1e6:,.0f}")


# --- the plots ---


def _across(points: int) -> Array:
    """Return points from −1 to 1 that lie closer together near 0, where a density has its corner."""
    even = (np.arange(points) + 0.5) * (2 / points) - 1
    return np.asarray(even * np.sqrt(np.abs(even)))


@lru_cache(maxsize=64)
def density(d_head: int, divisor: float) -> tuple[Array, Array]:
    """Return points of the exact density of q·k / divisor, and the density there."""
    reach = spread.REACH * math.sqrt(d_head) / divisor
    x = reach * _across(DENSITY_POINTS)
    y = dot_density(x, d_head, divisor)
    for array in (x, y):
        array.flags.writeable = False
    return x, y


@lru_cache(maxsize=64)
def _density_at(x: float, d_head: int, divisor: float) -> float:
    return float(dot_density([x], d_head, divisor)[0])


@lru_cache(maxsize=64)
def _bell(deviation: float) -> tuple[Array, Array]:
    """Return points of a normal curve, and the curve there."""
    x = spread.REACH * deviation * _across(NORMAL_POINTS)
    y = np.exp(-0.5 * (x / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))
    for array in (x, y):
        array.flags.writeable = False
    return x, y


def _normal(x: float, deviation: float) -> float:
    return math.exp(-0.5 * (x / deviation) ** 2) / (deviation * math.sqrt(2 * math.pi))


def histogram(situation: Situation, results: Values) -> Plot:
    """Return the scores of the chosen head size, divided as chosen, with the exact density and a normal one."""
    row = int(situation.controls["shown"])
    d_head = int(situation.inputs["head_sizes"][row, 0])
    name = str(situation.controls["divisor"])
    divisor = divisor_value(name, d_head, int(situation.controls["d_model"]))
    deviation = math.sqrt(d_head) / divisor
    reach = spread.REACH * deviation
    x, y = density(d_head, divisor)
    # Everything has its place before it is drawn, so that nothing jumps when it comes.
    heights, note = np.zeros(spread.BARS), "being drawn …"
    reads: tuple[str, ...] = ("",) * spread.BARS
    if "counts" in results:
        counts = results["counts"][row]
        pairs = situation.sizes["pairs"]
        heights = counts / (pairs * 2 * reach / spread.BARS)
        reads = tuple(f"{count:.0f}" for count in counts)
        note = f"{pairs:,} drawn, spread {results['spread'][row, 0] / divisor:.2f}"
    label = f"q·k{_WRITTEN[name]}"
    # Few draws make high bars. A head of one or two numbers has an infinite density, or nearly: that is cut off.
    top, highest = 0.56 / deviation, float(heights.max())
    top = max(top, 1.04 * highest) if d_head > 2 and highest > 1.25 * top else top
    return Plot(
        Scale(label, -reach, reach, write=_brief, caption=False),
        Scale("", 0.0, top, write=_brief, shown=False),
        series=(
            Series("exact density", x, y, "text", at=partial(_density_at, d_head=d_head, divisor=divisor)),
            Series(
                "normal",
                *_bell(deviation),
                "output",
                "dashed",
                partial(_normal, deviation=deviation),
            ),
        ),
        bars=(Bars("drawn", np.linspace(-reach, reach, spread.BARS + 1), heights, "query", reads),),
        lines=(
            Line(-deviation, role="query"),
            Line(deviation, f"√d{_WRITTEN[name]} = {_brief(deviation)}", role="query"),
        ),
        bands=(Band(-1.0, 1.0, "±1", "good"),),
        title=f"{label} at d_head = {d_head:,}",
        note=note,
    )


def growth(situation: Situation, results: Values) -> Plot:
    """Return the measured spreads against √d_head, both axes logarithmic."""
    heads = situation.inputs["head_sizes"][:, 0]
    low, high = 1.0, float(LARGEST_HEAD)
    line = np.array([low, high])
    series = [Series("√d_head", line, np.sqrt(line), "text", "dashed", math.sqrt)]
    name = str(situation.controls["divisor"])
    order = np.argsort(heads, kind="stable") if "spread" in results else np.zeros(0, int)
    d = heads[order]
    measured = results["spread"][order, 0] if len(order) else d
    series.append(Series("measured", d, measured, "query", "points"))
    if name != "none":
        by = np.array([divisor_value(name, int(one), int(situation.controls["d_model"])) for one in d])
        series.append(Series(f"measured{_WRITTEN[name]}", d, measured / by, "good", "points"))
    return Plot(
        Scale("d_head", low, high, logarithmic=True, write=_brief, ticks=D_TICKS, caption=False),
        # Undivided, nothing lies below 1.
        Scale(
            "",
            0.5 if name == "none" else 1 / 128,
            128.0,
            logarithmic=True,
            write=_brief,
            read=_two,
            ticks=(1, 10, 100) if name == "none" else (0.01, 0.1, 1, 10, 100),
        ),
        series=tuple(series),
        lines=(Line(1.0, vertical=False),),
        title="spread of q·k against d_head",
        note="" if "spread" in results else "being drawn …",
        snap=lambda x: float(heads[np.abs(np.log(heads / x)).argmin()]),
    )


def _two(value: float) -> str:
    return f"{value:.2f}"


def _brief(value: float) -> str:
    if abs(value) >= 1000:
        return f"{value:,.0f}".replace("-", "−")
    mantissa, power, exponent = f"{value:.3g}".partition("e")
    return f"{mantissa}e{int(exponent)}".replace("-", "−") if power else mantissa.replace("-", "−")


def _marks(situation: Situation) -> Mapping[str, Marks]:
    trials = situation.sizes["trials"]
    return {
        "largest": Marks(note=f"mean of {trials:,} trials"),
        "jacobian": Marks(note="median ‖∂w/∂s‖"),
        "starved": Marks(note=f"share below {VANISHING:g}"),
    }


CONCEPT = Concept(
    number=5,
    slug="scaling",
    title="Scaling",
    sizes=(
        Size("n_sizes", "head sizes", 1, len(HEAD_SIZES), len(lesson.SCALING.head_sizes)),
        Size("pairs", "pairs", 1, 100_000, lesson.SCALING.pairs),
        Size("trials", "trials", 1, 20_000, lesson.SCALING.trials),
        Size("keys", "keys", 1, 64, lesson.SCALING.keys),
    ),
    inputs=(
        Input(
            "head_sizes",
            (ROWS, Axis("1", "", ("d",))),
            "query",
            _head_sizes,
            limits=(1.0, LARGEST_HEAD),
            whole=True,
            symbol="head size",
        ),
    ),
    controls=(
        Pick("shown", "show d_head", "n_sizes", 0, names=_names),
        Choice("divisor", "scores ÷", _CHOICES, "none"),
        Whole("d_model", "D = d_model", 1, 65_536, D_MODEL),
        Whole("seed", "seed", -(2**63), 2**63 - 1, lesson.SCALING.seed),
    ),
    stages=(
        Stage(
            "draws",
            spread.draws(),
            ("head_sizes", "pairs", "trials", "keys", "seed"),
            (ROWS, Axis("pairs+trials*keys")),
            "score",
            title="raw scores q·k",
        ),
        Stage(
            "spread",
            spread.spread(),
            ("draws", "head_sizes", "pairs"),
            (ROWS, Axis("2", "", ("std", "√d"))),
            "plain",
        ),
        Stage("counts", spread.counts(), ("draws", "head_sizes", "pairs"), (ROWS, Axis(str(spread.BARS))), "plain"),
        Stage(
            "largest",
            spread.largest(),
            ("draws", "head_sizes", "pairs", "keys", "d_model"),
            (ROWS, DIVISORS),
            "weight",
            title="largest share",
        ),
        Stage(
            "norms",
            spread.norms(),
            ("draws", "head_sizes", "pairs", "keys", "d_model"),
            (ROWS, DIVISORS, Axis("trials")),
            "plain",
        ),
        Stage("jacobian", spread.median(), ("norms",), (ROWS, DIVISORS), "plain", title="Jacobian"),
        Stage("starved", spread.share_below(VANISHING), ("norms",), (ROWS, DIVISORS), "plain", title="starved trials"),
    ),
    steps=(
        Step("spread", ("spread",), "A score adds up d_head products: its spread is √d_head."),
        Step("softmax", ("largest",), "Scores that lie far apart leave everything to one key."),
        Step("∂w/∂s", ("norms", "jacobian", "starved"), "What is one-hot no longer reacts, and learns nothing."),
    ),
    pinned=("spread", (2, 0)),
    marks=_marks,
    validate=check,
    layout=Column(
        (
            Row(
                (
                    Custom("histogram", "scores_histogram", histogram, arrays=("spread",)),
                    Custom("curves", "spread_curve", growth, arrays=("spread",)),
                )
            ),
            Row(
                (
                    Matrix("head_sizes", form="whole"),
                    Matrix("spread", form="exact"),
                    Matrix("largest"),
                    Matrix("jacobian", form="exact", tint=True, span=1.0),
                    Matrix("starved", form="exact", tint=True, span=1.0),
                ),
            ),
        )
    ),
)
