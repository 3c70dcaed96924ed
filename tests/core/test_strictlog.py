"""The logarithm of Java's StrictMath: its array and its scalar path are one function, and a correct logarithm."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.strictlog import WORK_ROWS, strict_log, strict_log_normal

normal = st.floats(2.0**-1022, 1.7e308)


def of_array(x: np.ndarray) -> np.ndarray:
    out = np.empty_like(x)
    strict_log_normal(x, np.empty((WORK_ROWS, x.size)), out)
    return out


def same_bits(left: np.ndarray, right: np.ndarray) -> bool:
    return bool((left.view(np.uint64) == right.view(np.uint64)).all())


@given(st.lists(normal, min_size=1, max_size=50))
def test_arrays_and_single_floats_have_the_same_bits(values: list[float]) -> None:
    assert same_bits(of_array(np.array(values)), np.array([strict_log(x) for x in values]))


@pytest.mark.parametrize("edge", [0x00000, 0x6147A, 0x6B851, 0x95F64, 0x6A09C, 0xFFFFE, 0xFFFFF])
@pytest.mark.parametrize("exponent", [-1022, -54, -1, 0, 1, 1023])
def test_both_paths_agree_where_the_formula_changes(edge: int, exponent: int) -> None:
    words = ((exponent + 1023) << 52) + ((edge << 32) + np.array([-(2**33), -1, 0, 1, 2**32 - 1, 2**32, 2**33]))
    x = words.astype(np.int64).view(np.float64)
    x = x[np.isfinite(x) & (x >= 2.0**-1022)]
    assert x.size
    assert same_bits(of_array(x), np.array([strict_log(v) for v in x.tolist()]))


@given(st.floats(min_value=5e-324, max_value=1.7e308))
def test_it_is_a_logarithm_to_less_than_one_unit_in_the_last_place(x: float) -> None:
    exact = math.log(x)
    assert abs(strict_log(x) - exact) <= math.ulp(exact)


def test_the_bits_are_not_those_of_numpy_s_logarithm() -> None:
    x = (np.arange(1, 100_001) / 100_001.0).astype(np.float64)
    differing = int((of_array(x) != np.log(x)).sum())
    assert 100 < differing < 10_000


def test_the_ends_of_the_line() -> None:
    assert strict_log(0.0) == strict_log(-0.0) == -math.inf
    assert strict_log(math.inf) == math.inf
    assert math.isnan(strict_log(-1.0))
    assert math.isnan(strict_log(math.nan))
    assert math.copysign(1.0, strict_log(1.0)) == 1.0
    assert strict_log(5e-324) == pytest.approx(-744.4400719213812, rel=1e-15)
