"""Arrays in other programs' formats: every bit of the numbers and every sign of the labels arrives."""

from __future__ import annotations

import csv
import io
import math
import re
import zipfile
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from explorer.core.checks import InputError
from explorer.workbench import data_export
from explorer.workbench.data_export import Labelled
from explorer.workbench.state import initial
from tests.workbench import zoo

STRANGE = ('<b>&"50%"_', "it's #1, {x}\\y^~$|", "👩‍👩‍👧 الكلمة")
FLOATS = st.floats(allow_nan=False) | st.just(-math.inf)
SHAPES = npst.array_shapes(min_dims=0, max_dims=3, max_side=4)
ARRAYS = (
    npst.arrays(np.float64, SHAPES, elements=FLOATS)
    | npst.arrays(np.float32, SHAPES, elements=st.floats(width=32, allow_nan=False))
    | npst.arrays(np.bool_, SHAPES)
    | npst.arrays(np.int64, SHAPES)
    | npst.arrays(np.int8, SHAPES)
)


def indexed(array, name="x"):
    return Labelled(name, array, tuple(tuple(map(str, range(length))) for length in array.shape))


def same_bits(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


@pytest.fixture
def strange():
    """Three tokens with strange names, scores between them, one of them masked."""
    array = np.array([[0.1, -math.inf, 1e-7], [1 / 3, 2.0, -0.0], [1e22, 5e-324, 3.0]])
    return Labelled("scores", array, (STRANGE, STRANGE))


@given(ARRAYS)
def test_a_numpy_literal_is_the_array_bit_for_bit(array):
    assert same_bits(eval(data_export.numpy_literal(array), {"np": np}), array)


@given(ARRAYS)
def test_an_npy_file_is_the_array_bit_for_bit(array):
    assert same_bits(np.load(io.BytesIO(data_export.npy_file(array)), allow_pickle=False), array)


def test_an_npz_file_takes_any_names_and_is_the_same_every_time():
    arrays = {"file": np.eye(2), "allow_pickle": np.eye(3), "full-attention/x": np.array(["ال", "👩"])}
    data = data_export.npz_file(arrays)
    with np.load(io.BytesIO(data), allow_pickle=False) as loaded:
        assert set(loaded) == set(arrays)
        assert all(same_bits(loaded[name], array) for name, array in arrays.items())
    assert data == data_export.npz_file(arrays)
    assert zipfile.ZipFile(io.BytesIO(data)).testzip() is None


def blocks(text):
    """Return the tables of a CSV text."""
    tables = [[]]
    for row in csv.reader(io.StringIO(text, newline="")):
        if row:
            tables[-1].append(row)
        else:
            tables.append([])
    return tables


@given(npst.arrays(np.float64, npst.array_shapes(min_dims=2, max_dims=2, max_side=4), elements=FLOATS))
def test_csv_has_every_digit(array):
    (table,) = blocks(data_export.as_csv([indexed(array)]))
    assert same_bits(np.array([[float(cell) for cell in row[1:]] for row in table[1:]]), array)


def test_csv_keeps_strange_labels_and_writes_what_is_masked_as_sessions_do(strange):
    (table,) = blocks(data_export.as_csv([strange]))
    assert table[0] == ["scores", *STRANGE]
    assert [row[0] for row in table[1:]] == list(STRANGE)
    assert table[1][2] == "-Infinity"


def test_a_csv_file_tells_spreadsheets_that_it_is_utf_8(strange):
    assert data_export.csv_file([strange]).startswith(b"\xef\xbb\xbf")


def test_heads_and_arrays_are_tables_below_each_other():
    cube = np.arange(8.0).reshape(2, 2, 2)
    tables = blocks(
        data_export.as_csv([indexed(cube, "w"), indexed(np.array([1.0, 2.0]), "row"), indexed(np.array(3.0), "s")])
    )
    assert [table[0][0] for table in tables] == ["w[0]", "w[1]", "row", "s"]
    assert tables[1][1:] == [["0", "4", "5"], ["1", "6", "7"]]
    assert tables[2:] == [[["row", "0", "1"], ["", "1", "2"]], [["s", ""], ["", "3"]]]


def test_a_mask_is_written_as_ones_and_zeros():
    (table,) = blocks(data_export.as_csv([indexed(np.array([[True, False]]))]))
    assert table[1] == ["0", "1", "0"]


UNESCAPED = {
    r"\textbackslash{}": "\\", r"\textasciitilde{}": "~", r"\textasciicircum{}": "^", r"\textless{}": "<",
    r"\textgreater{}": ">", r"\textbar{}": "|", **{f"\\{sign}": sign for sign in "&%$#_{}"},
}  # fmt: skip
LATEX = re.compile("|".join(map(re.escape, sorted(UNESCAPED, key=len, reverse=True))))


@given(st.text(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp", "Zs"))))
def test_latex_sets_every_sign_of_a_label(text):
    escaped = data_export.latex_text(text)
    assert LATEX.sub(lambda match: UNESCAPED[match[0]], escaped) == text
    assert not re.search(r"[&%$#_{}~^<>|]", LATEX.sub("", escaped))


@pytest.mark.parametrize("sign", ["\x01", "\x7f", "\x80"])
def test_latex_shows_a_control_character_as_every_picture_does(sign):
    assert data_export.latex_text(f"a{sign}b") == "a\ufffdb"


def test_latex_has_the_labels_around_the_numbers(strange):
    text = data_export.as_latex(strange)
    assert text.startswith("% scores\n\\begin{array}{l|rrr}\n")
    rows = text.split("\n")
    assert rows[2].endswith("\\\\ \\hline")
    assert rows[3].endswith(r"& 0.1 & -\infty & 1\times 10^{-7} \\")
    assert r"\text{\textless{}b\textgreater{}\&" in rows[3]
    assert rows[5].endswith(r"1\times 10^{22} & 5\times 10^{-324} & 3")
    assert "👩‍👩‍👧 الكلمة" in text


def test_latex_of_an_array_without_names_is_a_bare_matrix():
    assert (
        data_export.as_latex(indexed(np.array([[1.0, -2.5]]))) == "% x\n\\begin{bmatrix}\n  1 & -2.5\n\\end{bmatrix}\n"
    )


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_latex_numbers_keep_every_digit(value):
    text = data_export.latex_number(value)
    assert float(re.sub(r"\\times 10\^\{(-?\d+)\}", r"e\1", text)) == value


@pytest.mark.parametrize("form", data_export.TEXT_FORMATS)
def test_every_text_format_has_every_number(form, strange):
    text = data_export.as_text(strange, form)
    for digits in ("0.1", "0.3333333333333333", "5"):
        assert digits in text


def test_an_unknown_format_is_refused(strange):
    with pytest.raises(InputError, match="there are csv, latex, numpy"):
        data_export.as_text(strange, "xls")


def test_arrays_of_a_tab_carry_the_names_of_their_tokens():
    state = replace(initial(zoo.HEADS), tokens=STRANGE)
    arrays = {
        one.name: one for one in data_export.all_labelled(zoo.HEADS, state, data_export.results_of(zoo.HEADS, state))
    }
    assert arrays["look"].labels == (STRANGE, STRANGE)
    assert arrays["output"].labels == (("0", "1"), STRANGE, ("0", "1"))
    plain = data_export.labelled(zoo.PLAIN, initial(zoo.PLAIN), initial(zoo.PLAIN).inputs, "x")
    assert plain.labels == (("0", "1"), ("a", "b", "c"))


@given(st.text())
def test_identifiers_are_what_python_accepts(name):
    taken = {"x", "lambda_"}
    made = data_export.identifier(name, taken)
    assert made.isidentifier()
    assert made not in taken
    compile(f"{made} = 1", "<name>", "exec")
