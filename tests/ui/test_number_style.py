"""What is written in a cell: few characters, never a lie."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.ui.number_style import cell_text, signed_text, weight_text

FINITE = st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (-0.001, "0.00"),
        (0.4046, "0.40"),
        (-0.164, "−0.16"),
        (12.345, "12.35"),
        (-12.345, "−12.3"),
        (123.456, "123.5"),
        (-9999.0, "−9999"),
        (-math.inf, "−∞"),
        (1e9, "1e9"),
        (99_000.0, "99k"),
    ],
)
def test_a_value_keeps_its_leading_digits(value: float, text: str) -> None:
    assert cell_text(value) == text


@given(FINITE)
def test_five_characters_are_enough_up_to_a_billion(value: float) -> None:
    assert len(cell_text(value)) <= 6 if value < 0 and abs(value) > 99_999 else len(cell_text(value)) <= 5


@given(FINITE)
def test_what_is_written_is_the_value_rounded(value: float) -> None:
    text = cell_text(value).replace("−", "-").replace("k", "e3")
    assert float(text) == pytest.approx(value, rel=0.5, abs=0.0051)


@given(st.floats(min_value=0, max_value=1))
def test_a_weight_reads_as_zero_only_when_it_is_zero(weight: float) -> None:
    text = weight_text(weight)
    assert (text == "0.000") == (weight == 0)
    assert len(text) <= 5


def test_a_difference_carries_its_sign() -> None:
    assert signed_text(0.25) == "+0.25"
    assert signed_text(-0.25) == "−0.25"
    assert signed_text(0.0) == "0"


@given(st.floats(min_value=-99_999, max_value=99_999), st.sampled_from([4, 5]))
def test_a_number_a_difference_and_their_signs_stay_within_the_characters_that_there_are(
    value: float, characters: int
) -> None:
    digits = characters - 3
    assert len(cell_text(value, digits, characters)) <= characters
    assert len(signed_text(value, digits, characters)) <= characters


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.383, "0.4"), (-0.164, "−0.2"), (-12.3, "−12"), (-0.04, "0.0"), (1234.0, "1234"), (-1234.0, "−1k")],
)
def test_a_terse_number_takes_four_characters(value: float, text: str) -> None:
    assert cell_text(value, 1, 4) == text


def test_a_terse_weight_reads_as_zero_only_when_it_is_zero() -> None:
    assert (weight_text(0.004, 2, 4), weight_text(0.0, 2, 4), weight_text(1.0, 2, 4)) == ("<.01", "0.00", "1.00")
