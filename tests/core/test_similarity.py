"""Cosine similarity: what it is for any two vectors, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.checks import InputError
from explorer.core.similarity import cosine

vectors = st.lists(st.floats(-100, 100).filter(lambda x: x == 0 or abs(x) > 1e-3), min_size=3, max_size=3)


@given(vectors, vectors, st.floats(0.01, 100))
def test_only_directions_count(a: list[float], b: list[float], factor: float) -> None:
    value = cosine(a, b).value
    assert -1 - 1e-12 <= value <= 1 + 1e-12
    assert cosine(b, a).value == pytest.approx(value, abs=1e-12)
    assert cosine(np.array(a) * factor, b).value == pytest.approx(value, abs=1e-9)
    assert cosine(np.array(a) * -1, b).value == pytest.approx(-value, abs=1e-12)


@pytest.mark.parametrize("degrees", [0, 30, 60, 90, 135, 180])
def test_it_is_the_cosine_of_the_angle(degrees: int) -> None:
    angle = math.radians(degrees)
    assert cosine([2.0, 0.0], [3 * math.cos(angle), 3 * math.sin(angle)]).value == pytest.approx(math.cos(angle))


def test_its_parts_make_it() -> None:
    found = cosine([1.0, 2.0], [3.0, -1.0])
    assert (found.dot, found.squared_norm_a, found.squared_norm_b, found.product) == (1.0, 5.0, 10.0, 50.0)
    assert found.root == math.sqrt(50.0)
    assert found.value == found.dot / found.root


def test_a_vector_without_direction_is_like_nothing() -> None:
    assert cosine([0.0, 0.0], [1.0, 2.0]).value == 0.0


@pytest.mark.parametrize(
    ("a", "b", "sentence"),
    [
        ([1.0, 2.0], [1.0], r"a has shape \(2,\) and b has shape \(1,\)"),
        ([[1.0]], [1.0], "a has shape"),
        ([1.0], [math.nan], r"b\[0\] is nan"),
    ],
)
def test_what_is_no_pair_of_vectors_is_refused(a: list, b: list, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        cosine(a, b)
