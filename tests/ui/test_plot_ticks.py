"""Axes are labelled with round numbers, as many as there is room for."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.ui.plot_ticks import ticks


@pytest.mark.parametrize(
    ("low", "high", "most", "wanted"),
    [
        (-8, 8, 9, [-8, -6, -4, -2, 0, 2, 4, 6, 8]),
        (-8, 8, 5, [-5, 0, 5]),
        (0, 1, 6, [0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        (0.11, 0.19, 4, [0.12, 0.14, 0.16, 0.18]),
        (0.11, 0.19, 3, [0.125, 0.15, 0.175]),
        (0, 131072, 4, [0, 50000, 100000]),
    ],
)
def test_linear_axes_have_round_numbers(low: float, high: float, most: int, wanted: list[float]) -> None:
    assert ticks(low, high, most) == wanted


@pytest.mark.parametrize(
    ("low", "high", "most", "wanted"),
    [
        (1, 1000, 4, [1, 10, 100, 1000]),
        (1, 100, 10, [1, 2, 5, 10, 20, 50, 100]),
        (1, 100, 6, [1, 3, 10, 30, 100]),
        (1, 1e12, 5, [1, 1e3, 1e6, 1e9, 1e12]),
        (2, 9, 4, [2, 5]),
        (3, 4, 4, [3, 3.5, 4]),
    ],
)
def test_logarithmic_axes_have_powers_of_ten(low: float, high: float, most: int, wanted: list[float]) -> None:
    assert ticks(low, high, most, logarithmic=True) == wanted


@given(st.floats(-1e9, 1e9), st.floats(1e-6, 1e9), st.integers(2, 20))
def test_linear_ticks_are_on_the_axis_evenly_spaced_and_few_enough(low: float, span: float, most: int) -> None:
    high = low + span
    if not high > low:
        return
    found = ticks(low, high, most)
    slack = 1e-6 * max(abs(low), abs(high), span)
    assert 1 <= len(found) <= most
    assert all(low - slack <= one <= high + slack for one in found)
    steps = [b - a for a, b in pairwise(found)]
    assert all(step == pytest.approx(steps[0], rel=1e-3, abs=slack) for step in steps)


@given(st.floats(1e-9, 1e9), st.floats(1.01, 1e15), st.integers(2, 20))
def test_logarithmic_ticks_are_on_the_axis_ascending_and_few_enough(low: float, ratio: float, most: int) -> None:
    high = low * ratio
    found = ticks(low, high, most, logarithmic=True)
    assert found == sorted(set(found))
    assert 1 <= len(found) <= most
    assert all(low * (1 - 1e-6) <= one <= high * (1 + 1e-6) for one in found)
    assert all(math.isfinite(one) for one in found)
