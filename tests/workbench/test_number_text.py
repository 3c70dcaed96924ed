"""What a person may type for a number, and how numbers are written."""

from __future__ import annotations

import math
import struct
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.workbench.number_text import added, brief, fixed, full, parse, parse_bool, power_of_ten, quoted, shown

FINITE = st.floats(allow_nan=False, allow_infinity=False)


def bits(value):
    return struct.pack("<d", value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0.5", 0.5),
        ("0,5", 0.5),
        (".5", 0.5),
        (",5", 0.5),
        ("5.", 5.0),
        ("5,", 5.0),
        ("+2", 2.0),
        ("-2", -2.0),
        ("\u22122", -2.0),
        ("\u2212 2,5", -2.5),
        ("1e-3", 1e-3),
        ("1E3", 1e3),
        ("1,5e\u22123", 1.5e-3),
        ("1e+3", 1e3),
        ("  7\t", 7.0),
        ("007", 7.0),
        ("1,234", 1.234),
        ("1.234", 1.234),
        ("1,234.5", 1234.5),
        ("1.234,5", 1234.5),
        ("1 234,5", 1234.5),
        ("1\u2009234\u202f567", 1234567.0),
        ("12\u00a0345.25", 12345.25),
        ("1'234.5", 1234.5),
        ("1.234.567", 1234567.0),
        ("1,234,567.5", 1234567.5),
        ("-1 000", -1000.0),
        ("-0", -0.0),
    ],
)
def test_a_number_is_read_as_it_was_meant(text, value):
    assert bits(parse(text)) == bits(value)


@pytest.mark.parametrize(
    "text",
    [
        "abc", "1.2.3", "1,2,3", "1 2", "12 34", "1.234 5", "1,23.4", "0,123.4", "1.2345,6", "1/2", "--1", "+-1", "1-",
        "e5", "1e", "1e1.5", "1_000", "0x10", "5%", "1,,5", ".", ",", "-", "1 234.567.890", "1.5.", "\u0665", "1e5e5",
        "1 000,5,5", "1'23", "' 1", "½", "2²",
    ],
)  # fmt: skip
def test_what_is_no_number_is_refused_with_what_was_typed_and_what_would_do(text):
    with pytest.raises(ValueError, match=r"is not a number; type one such as 0\.5, -2 or 1e-3") as caught:
        parse(text)
    assert f"“{text.strip()}”" in str(caught.value)


@pytest.mark.parametrize("text", ["nan", "inf", "-inf", "+Infinity", "∞", "\u2212∞", "NaN", "#DIV/0!"])
def test_what_is_not_finite_is_refused_as_such(text):
    with pytest.raises(ValueError, match="not a finite number"):
        parse(text)


@pytest.mark.parametrize("text", ["1e999", "-1e309", "9" * 400])
def test_what_is_too_large_is_refused_as_such(text):
    with pytest.raises(ValueError, match="too large"):
        parse(text)


@pytest.mark.parametrize("text", ["", "   ", "\n", "\u00a0"])
def test_nothing_is_refused(text):
    with pytest.raises(ValueError, match="nothing was typed"):
        parse(text)


def read(text):
    """Return the value, or the sentence that refuses it."""
    try:
        return parse(text)
    except ValueError as error:
        return str(error)


@given(st.one_of(st.text(max_size=30), st.text(alphabet="0123456789.,' \u2009-+e\u2212", max_size=12)))
def test_any_text_is_a_finite_number_or_one_sentence(text):
    found = read(text)
    if isinstance(found, str):
        assert "type" in found
        assert "\n" not in found
        assert len(found) < 150
    else:
        assert math.isfinite(found)


@given(st.decimals(-1000, 1000, places=12), st.sampled_from([0.1, -0.1, 0.01, 1.0, 0.57]))
def test_what_is_added_and_taken_away_again_leaves_the_same_number(written, amount):
    value = float(written)
    moved = added(value, amount)
    assert moved == float(written + Decimal(str(amount)))
    assert bits(added(moved, -amount)) == bits(value + 0.0)


@given(FINITE)
def test_every_digit_is_written_and_read_back(value):
    assert bits(parse(full(value))) == bits(value)
    assert bits(parse(full(value).replace(".", ","))) == bits(value)
    assert bits(parse(full(value).replace("-", "\u2212"))) == bits(value)
    assert bits(parse(brief(value))) == bits(value)


@given(st.integers(-(10**12), 10**12), st.sampled_from([" ", "\u2009", "\u00a0", "'", "."]))
def test_grouped_thousands_are_read(value, sign):
    assert parse(f"{value:,},5".replace(",", sign, f"{value:,}".count(","))) == (abs(value) + 0.5) * (
        -1 if value < 0 else 1
    )


@pytest.mark.parametrize(
    ("value", "text"),
    [(0.1, "0.1"), (1.0, "1"), (-0.0, "-0"), (1e300, "1e300"), (1e-7, "1e-7"), (0.1 + 0.2, "0.30000000000000004")],
)
def test_full_text_is_the_shortest_that_reads_back(value, text):
    assert full(value) == text


def test_limits_are_written_briefly():
    assert (brief(1e9), brief(-1e9), brief(3.0), brief(123456789.0)) == ("1e9", "-1e9", "3", "123456789")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.00"),
        (-0.0, "0.00"),
        (-0.001, "0.00"),
        (-0.005000001, "−0.01"),
        (-1.5, "−1.50"),
        (2.0, "2.00"),
        (123456.789, "123456.79"),
        (1.234e9, "1.2e9"),
        (-1.26e20, "−1.3e20"),
        (-math.inf, "−∞"),
        (1e-300, "0.00"),
    ],
)
def test_a_shown_number_has_few_digits_and_a_true_minus(value, text):
    assert shown(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(1e-9, "< 0.001"), (-1e-9, "> −0.001"), (0.0, "0.000"), (0.0006, "0.001"), (0.25, "0.250")],
)
def test_where_room_allows_a_small_number_is_not_claimed_to_be_zero(value, text):
    assert shown(value, 3, tiny=True) == text


@given(FINITE, st.integers(0, 6), st.booleans())
def test_no_shown_number_is_a_negative_zero(value, digits, tiny):
    text = shown(value, digits, tiny=tiny)
    assert text.strip("−0.") or not text.startswith("−")
    assert "-" not in text
    if tiny and value:
        assert text.strip("0.")


@given(FINITE.filter(lambda value: abs(value) < 1e6), st.integers(0, 6))
def test_a_shown_number_is_the_nearest_with_its_digits(value, digits):
    assert abs(parse(shown(value, digits)) - value) <= 0.5 * 10.0**-digits * (1 + 1e-9)
    assert shown(value, digits) == fixed(value, digits)


def test_powers_of_ten_are_written_without_padding():
    assert power_of_ten(-4.1e-5, 2) == "−4.10e−5"
    assert power_of_ten(1.25e12, 1) == "1.2e12"


@pytest.mark.parametrize("text", ["1", "TRUE", "yes", "x", " on ", "1.0", "1,0"])
def test_yes_is_read(text):
    assert parse_bool(text) is True


@pytest.mark.parametrize("text", ["0", "False", "no", "", "0.0", "-0"])
def test_no_is_read(text):
    assert parse_bool(text) is False


@pytest.mark.parametrize("text", ["2", "maybe", "0.5", "nan"])
def test_neither_yes_nor_no_is_refused(text):
    with pytest.raises(ValueError, match="neither yes nor no"):
        parse_bool(text)


def test_what_is_quoted_is_short_and_on_one_line():
    assert quoted("a\n\tb\0c") == "a b\ufffdc"
    assert len(quoted("x" * 1000)) == 40
