"""The density of q·k: closed forms where they exist, and what a density must be everywhere."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.checks import InputError
from explorer.core.dot_distribution import dot_density
from explorer.core.scaling import measure

X = np.array([0.0, 1e-300, 1e-8, 0.1, 1.0, -1.0, 3.0, 10.0, -100.0, 600.0])


@pytest.mark.parametrize(
    ("d", "closed_form"),
    [
        (2, lambda x: np.exp(-x) / 2),
        (4, lambda x: (1 + x) * np.exp(-x) / 4),
        (6, lambda x: (3 + 3 * x + x * x) * np.exp(-x) / 16),
        (8, lambda x: (15 + 15 * x + 6 * x**2 + x**3) * np.exp(-x) / 96),
    ],
)
def test_even_dimensions_have_closed_forms(d: int, closed_form) -> None:
    np.testing.assert_allclose(dot_density(X, d), closed_form(np.abs(X)), rtol=1e-12)


def test_one_dimension_is_the_bessel_function_k0() -> None:
    # K0 at 0.1, 1, 2 and 5: Abramowitz and Stegun, table 9.8.
    k0 = np.array([2.4270690248, 0.4210244382, 0.1138938727, 0.0036910983])
    np.testing.assert_allclose(dot_density([0.1, 1.0, 2.0, 5.0], 1), k0 / np.pi, rtol=1e-8)
    assert dot_density(0.0, 1) == np.inf
    assert np.isfinite(dot_density([5e-324, -1e-310], 1)).all()


@given(st.integers(3, 400), st.floats(0.0, 200.0))
def test_neighbouring_dimensions_obey_the_recurrence_of_bessel_functions(d: int, x: float) -> None:
    lower, here, upper = (float(dot_density(x, other)) for other in (d - 2, d, d + 2))
    # At 0 the term of d = 1 is 0 · ∞ and tends to 0.
    below = 0.0 if x == 0.0 else x * x * lower / (d - 2)
    assert upper == pytest.approx(((d - 1) * here + below) / d, rel=1e-10)


@pytest.mark.parametrize("d", [2, 3, 5, 64, 1024, 100_000])
@pytest.mark.parametrize("divisor", [1.0, 8.0, 0.1])
def test_it_is_a_density_with_variance_d(d: int, divisor: float) -> None:
    x = np.linspace(-40, 40, 20_001) * math.sqrt(d) / divisor
    density = dot_density(x, d, divisor)
    step = x[1] - x[0]
    # The trapezoidal rule sees the kink that two dimensions have at 0.
    assert density.sum() * step == pytest.approx(1.0, abs=1e-5 if d == 2 else 1e-7)
    assert (density * x * x).sum() * step * divisor**2 / d == pytest.approx(1.0, abs=1e-5)


def test_many_dimensions_come_close_to_the_normal_density() -> None:
    d = 1_000_000
    z = np.linspace(-3, 3, 31)
    normal = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    np.testing.assert_allclose(dot_density(z, d, math.sqrt(d)), normal, rtol=1e-4)


def test_samples_follow_it() -> None:
    (measured,) = measure([5], 20_000, 1, seed=11)
    edges = np.linspace(-8, 8, 33)
    counts, _ = np.histogram(measured.dots, edges)
    middles = (edges[1:] + edges[:-1]) / 2
    fine = dot_density(middles[:, None] + np.linspace(-0.25, 0.25, 11), 5).mean(axis=1) * 0.5 * 20_000
    chi_square = ((counts - fine) ** 2 / fine).sum()
    assert chi_square < 32 + 5 * math.sqrt(64)


def test_far_tails_and_huge_arguments_underflow_quietly() -> None:
    assert dot_density([1e3, 1e100, 1e308], 7).tolist()[1:] == [0.0, 0.0]
    assert dot_density(1e4, 1024) == pytest.approx(0.0, abs=1e-300)


def test_shapes_are_kept() -> None:
    assert dot_density(np.zeros((2, 3)), 4).shape == (2, 3)
    assert dot_density(1.0, 4).shape == ()
    assert dot_density([], 4).shape == (0,)


@pytest.mark.parametrize(("x", "d", "divisor"), [([math.nan], 4, 1.0), ([1.0], 0, 1.0), ([1.0], 4, 0.0)])
def test_what_has_no_density_is_refused(x: list[float], d: int, divisor: float) -> None:
    with pytest.raises(InputError):
        dot_density(x, d, divisor)


def test_far_out_it_is_0_and_no_error() -> None:
    with np.errstate(all="raise"):
        assert dot_density([-2000.0, 2000.0, 1e200], 64).tolist() == [0.0, 0.0, 0.0]
