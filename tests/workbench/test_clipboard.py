"""Blocks of numbers as spreadsheets copy them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from explorer.workbench import clipboard
from explorer.workbench.clipboard import read_block, write_block

FINITE = st.floats(allow_nan=False, allow_infinity=False)
TABLES = arrays.arrays(np.float64, st.tuples(st.integers(1, 5), st.integers(1, 5)), elements=FINITE)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("1\t2\n3\t4\n", [[1, 2], [3, 4]]),
        ("1\t2\r\n3\t4\r\n", [[1, 2], [3, 4]]),
        ("1\t2\r3\t4", [[1, 2], [3, 4]]),
        ("0,5\t\u22121,25\n1e-3\t2\n", [[0.5, -1.25], [1e-3, 2]]),
        ("0,5\n0,25\n", [[0.5], [0.25]]),
        ("0.5\n", [[0.5]]),
        ("0,5;1\n2;3", [[0.5, 1], [2, 3]]),
        ("0.5,1.25\n2,3", [[0.5, 1.25], [2, 3]]),
        ("1,0,0\n0,1,0", [[1, 0, 0], [0, 1, 0]]),
        ('"0,5","1,5"\n"2","3"', [[0.5, 1.5], [2, 3]]),
        ('"0.5"\t"1"', [[0.5, 1]]),
        ("1 2 3\n4 5 6", [[1, 2, 3], [4, 5, 6]]),
        ("\ufeff1\t2", [[1, 2]]),
        ("1 234,5\t2", [[1234.5, 2]]),
        ("1\t2\n\n\n", [[1, 2]]),
        (" 1 \t 2 ", [[1, 2]]),
    ],
)
def test_a_block_is_read_as_it_was_copied(text, rows):
    assert read_block(text) == rows


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1\t2\n3\n", "row 1 of what you paste is 1 wide and row 0 is 2 wide"),
        ("1\t2\n3\t4\t5", "row 1 of what you paste is 3 wide and row 0 is 2 wide"),
        ("1\t\n3\t4", "row 0, column 1 of what you paste is empty"),
        ("1\n\n3", "row 1, column 0 of what you paste is empty"),
        ("1;2\n;4", "row 1, column 0 of what you paste is empty"),
        ("1\tx", "row 0, column 1 of what you paste: “x” is not a number"),
        ("1\t2\n3\tnan", "row 1, column 1 of what you paste: “nan” is not a finite number"),
        ("[[1, 2], [3, 4]]", "“\\[\\[1” is not a number"),
        ("", "no numbers to paste"),
        (" \n\t\n", "no numbers to paste"),
        ("hello", "“hello” is not a number"),
    ],
)
def test_what_is_no_block_is_refused_naming_row_and_column(text, sentence):
    with pytest.raises(ValueError, match=sentence) as caught:
        read_block(text)
    assert "\n" not in str(caught.value)


def test_a_mask_is_read_as_yes_and_no():
    assert read_block("TRUE\tFALSE\n1\t0\n", mask=True) == [[1, 0], [1, 0]]
    with pytest.raises(ValueError, match="row 0, column 0"):
        read_block("2\t1", mask=True)


def test_a_block_that_is_too_large_is_refused():
    rows = clipboard.MOST_CELLS // 100 + 1
    with pytest.raises(ValueError, match="at most 250000 cells"):
        read_block("\n".join(["\t".join(["1"] * 100)] * rows))
    with pytest.raises(ValueError, match="too large"):
        read_block("1" * (clipboard.MOST_CHARACTERS + 1))


@given(TABLES)
def test_what_is_copied_can_be_pasted_bit_for_bit(table):
    found = np.array(read_block(write_block(table)))
    assert found.tobytes() == table.tobytes()


@given(TABLES, st.sampled_from(["\n", "\r\n"]), st.sampled_from([".", ","]), st.sampled_from(["-", "\u2212"]))
def test_a_spreadsheet_may_use_its_own_signs(table, end, dot, minus):
    text = (write_block(table) + "\n").replace("\n", end).replace(".", dot).replace("-", minus)
    assert np.array(read_block(text)).tobytes() == table.tobytes()


def read(text):
    """Return the rows, or the sentence that refuses them."""
    try:
        return read_block(text)
    except ValueError as error:
        return str(error)


@given(st.text(alphabet="0123456789.,;\t\n\r -e\"'x", max_size=40))
def test_any_text_is_a_rectangular_block_or_one_sentence(text):
    rows = read(text)
    if isinstance(rows, str):
        assert "\n" not in rows
    else:
        assert rows
        assert len({len(row) for row in rows}) == 1
        assert np.isfinite(rows).all()


def test_written_blocks_have_a_dot_and_every_digit():
    assert write_block(np.array([[0.1 + 0.2, -1.0], [1e300, 0.5]])) == "0.30000000000000004\t-1\n1e300\t0.5"
    assert write_block(np.array([True, False])) == "1\t0"
    assert write_block(np.array([[-np.inf]])) == "-inf"
    with pytest.raises(ValueError, match="one head"):
        write_block(np.zeros((2, 2, 2)))


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("1,000\t12,345,678", [1000, 12_345_678]),
        ("1,000\t1,234.5", [1000, 1234.5]),
        ("−1,000\t2.5", [-1000, 2.5]),
        ("1.000\t0,5", [1000, 0.5]),
        ("1.000\t1.234.567", [1000, 1_234_567]),
        ("0,125\t1,000\t0,333", [0.125, 1, 0.333]),
        ("1,000\t1,5e3", [1, 1500]),
        ("1.000\t12.345", [1, 12.345]),
        ("1,000\t2,000", [1, 2]),
        ("0,5\t1,234.5", [0.5, 1234.5]),
    ],
)
def test_a_comma_that_may_group_is_read_as_its_neighbours_tell(text, numbers):
    assert read_block(text) == [numbers]


def test_neighbours_that_tell_both_ways_are_asked_about():
    with pytest.raises(ValueError, match=r"row 0, column 1 .*“2,500” may be 2500 or 2.5"):
        read_block("0,5\t2,500\t0.5")
