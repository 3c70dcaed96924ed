"""What a plot says: where values lie on an axis, and what a cursor reads."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.concepts.shown.plots import Bars, Plot, Scale, Series

LINEAR = Scale("x", -2.0, 6.0)
LOG = Scale("n", 1.0, 1e4, logarithmic=True)


@given(st.sampled_from([LINEAR, LOG]), st.floats(0, 1))
def test_a_value_lies_where_its_share_says(scale: Scale, share: float) -> None:
    value = scale.value(share)
    assert scale.share(value) == pytest.approx(share, abs=1e-12)
    assert scale.shares(np.array([value]))[0] == pytest.approx(share, abs=1e-12)


def test_equal_ratios_are_equal_distances_on_a_logarithmic_axis() -> None:
    assert [LOG.share(10.0**power) for power in range(5)] == pytest.approx([0, 0.25, 0.5, 0.75, 1])
    assert LOG.share(0.0) == -math.inf
    assert np.isnan(LOG.shares(np.array([0.0, -1.0, np.inf]))).all()


@pytest.mark.parametrize(
    ("low", "high", "logarithmic"),
    [(1, 1, False), (2, 1, False), (0, math.inf, False), (math.nan, 1, False), (0, 1, True)],
)
def test_an_axis_without_a_range_is_refused(low: float, high: float, logarithmic: bool) -> None:
    with pytest.raises(ValueError, match="the axis 'bad'"):
        Scale("bad", low, high, logarithmic=logarithmic)


def test_a_curve_reads_as_it_is_drawn_between_its_points() -> None:
    straight = Series("s", np.array([0.0, 2.0, 4.0]), np.array([1.0, 3.0, 0.0]))
    assert straight.read(0.5, LINEAR, LINEAR) == pytest.approx(1.5)
    assert straight.read(2.0, LINEAR, LINEAR) == 3
    assert straight.read(4.0, LINEAR, LINEAR) == 0
    assert straight.read(-0.1, LINEAR, LINEAR) is None
    assert straight.read(4.1, LINEAR, LINEAR) is None
    powers = Series("p", np.array([1.0, 100.0]), np.array([1.0, 10000.0]))
    assert powers.read(10.0, LOG, LOG) == pytest.approx(100)
    assert powers.read(10.0, LOG, LINEAR) == pytest.approx(5000.5)


def test_gaps_and_empty_curves_read_as_nothing() -> None:
    gap = Series("g", np.array([0.0, 1.0, 2.0, 3.0]), np.array([0.0, np.nan, 2.0, np.inf]))
    assert gap.read(0.5, LINEAR, LINEAR) is None
    assert gap.read(1.0, LINEAR, LINEAR) is None
    assert gap.read(2.0, LINEAR, LINEAR) == 2
    assert gap.read(2.5, LINEAR, LINEAR) is None
    assert Series("e", np.zeros(0), np.zeros(0)).read(0.0, LINEAR, LINEAR) is None


def test_a_formula_is_read_exactly_and_points_only_where_they_stand() -> None:
    curve = Series("f", np.array([0.0, 4.0]), np.array([0.0, 16.0]), at=lambda x: x * x)
    assert curve.read(1.5, LINEAR, LINEAR) == 2.25
    dots = Series("d", np.array([4.0, 64.0]), np.array([2.0, 8.0]), style="points")
    assert dots.read(4.1, LOG, LOG) == 2
    assert dots.read(16.0, LOG, LOG) is None


@given(st.lists(st.floats(-10, 10), min_size=2, max_size=12, unique=True), st.floats(-12, 12))
def test_every_place_belongs_to_the_bar_that_stands_there(edges: list[float], x: float) -> None:
    ends = np.array(sorted(edges))
    bars = Bars("b", ends, np.arange(len(ends) - 1.0))
    at = bars.bar_at(x)
    if at is None:
        assert x < ends[0] or x > ends[-1]
    else:
        assert ends[at] <= x <= ends[at + 1]


def test_a_cursor_stands_on_the_axis_and_where_it_may() -> None:
    plot = Plot(LINEAR, LINEAR, snap=round)
    assert [plot.snapped(x) for x in (-9.0, 1.4, 1.6, 99.0)] == [-2, 1, 2, 6]
    beyond = Plot(LINEAR, LINEAR, snap=lambda x: x + 100)
    assert beyond.snapped(0.0) == 6


def test_readings_name_everything_in_the_key_in_its_order() -> None:
    scale = Scale("y", 0.0, 4.0, write=lambda y: f"{y:.0f}", read=lambda y: f"{y:.2f}")
    plot = Plot(
        LINEAR,
        scale,
        series=(Series("line", np.array([0.0, 4.0]), np.array([0.0, 4.0])),),
        bars=(Bars("bars", np.array([0.0, 1.0, 2.0]), np.array([3.0, 1.0]), reads=("three", "one")),),
    )
    assert plot.readings(0.5) == [("bars", "three"), ("line", "0.50")]
    assert plot.readings(5.0) == [("bars", ""), ("line", "")]
    assert scale.written(2.4) == "2"
