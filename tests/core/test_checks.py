"""Refusals that can be translated, and the checks behind them."""

from __future__ import annotations

import copy
import pickle
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core import attention, blockwise, checks, heads, masks
from explorer.core.checks import (
    Choices,
    InputError,
    as_flag,
    as_floats,
    as_integer,
    as_mask,
    as_number,
    freeze,
    row_norm_bound,
)


def test_an_error_keeps_its_sentence_apart_from_its_values() -> None:
    error = InputError("{name} has shape {shape}", name="x", shape=(2, 3))
    assert str(error) == "x has shape (2, 3)"
    assert error.template.format(**error.values) == str(error)
    assert "x hat die Form {shape}".format(**error.values) == "x hat die Form (2, 3)"
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(twin), str(twin), twin.values) == (InputError, str(error), error.values)


@pytest.mark.parametrize(
    ("values", "text"), [((), ""), ((1,), "1"), ((1, 2), "1 or 2"), ((1, 2, 5, 10), "1, 2, 5 or 10")]
)
def test_choices_read_as_a_sentence_and_stay_a_tuple(values: tuple, text: str) -> None:
    choices = Choices(values)
    assert f"{choices}" == str(choices) == text
    assert tuple(pickle.loads(pickle.dumps(choices))) == values


def test_every_sentence_is_marked_for_translation_and_fits_on_a_line() -> None:
    sentences = {
        name: value
        for module in (attention, blockwise, checks, heads, masks)
        for name, value in vars(module).items()
        if name.isupper() and isinstance(value, str)
    }
    assert len(sentences) > 15
    for name, sentence in sentences.items():
        assert "{" in sentence, name
        assert not sentence.endswith("."), name


@given(hnp.arrays(np.float32, hnp.array_shapes(max_dims=3, max_side=5), elements=st.floats(width=32)))
def test_the_bound_holds_for_every_row_or_the_first_bad_cell_is_named(array: np.ndarray) -> None:
    finite = np.isfinite(array)
    if finite.all():
        norms = np.sqrt((array.astype(np.float64) ** 2).sum(axis=-1))
        assert row_norm_bound("x", array) >= norms.max() * (1 - 1e-6) or norms.max() < 1e-18
        return
    with pytest.raises(InputError) as caught:
        row_norm_bound("x", array)
    first = np.argwhere(~finite)[0]
    assert str(caught.value).startswith(f"x[{', '.join(map(str, first))}] is ")


@pytest.mark.parametrize("value", [3, 2.5, [1, 2], [2**70, 1], np.float16(1), np.uint8([1]), np.longdouble(2), []])
def test_real_numbers_become_float64(value: object) -> None:
    assert as_floats("x", value).dtype == np.float64


@pytest.mark.parametrize("value", [True, [True, False], np.ones(2, bool), ["1", 2**70], [True, 2**70], [1j, 2**70]])
def test_neither_booleans_nor_text_are_numbers(value: object) -> None:
    with pytest.raises(InputError, match="x must be a rectangular array of real numbers"):
        as_floats("x", np.array(value, object) if isinstance(value, list) else value)


@pytest.mark.parametrize("value", [True, np.True_, 1, np.int8(1), np.array(True)])
def test_flags_are_true_or_false(value: object) -> None:
    assert as_flag("causal", value) is True


@pytest.mark.parametrize("value", ["False", None, 2, 0.0, [], [True], np.ones(2, bool), float("nan")])
def test_other_values_are_no_flags(value: object) -> None:
    with pytest.raises(InputError, match="causal must be True or False, not "):
        as_flag("causal", value)


@pytest.mark.parametrize("value", [2, 0.5, Decimal("0.5"), Fraction(1, 2), np.float16(2), np.int8(2), np.array(2)])
def test_single_numbers_of_every_kind(value: object) -> None:
    number = as_number("scale", value, np.dtype(np.float64))
    assert type(number) is float
    assert number in (2, 0.5)


@pytest.mark.parametrize(
    "value",
    [
        np.complex128(1),
        bytearray(b"2"),
        np.array("2"),
        np.array(True),
        np.timedelta64(5, "s"),
        np.ones(1),
        np.ma.masked,
        10**5000,
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_is_no_single_number(value: object) -> None:
    with pytest.raises(InputError, match="scale must be a finite number, not "):
        as_number("scale", value, np.dtype(np.float64))


def test_integers_beyond_what_python_writes_out_are_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="n is a number too long to be written out; it must be at least 0"):
        as_integer("n", -(10**5000), least=0)


@pytest.mark.parametrize("value", [True, [True, False], [1, 0], np.uint8([[1]]), [], np.ones((2, 0))])
def test_masks_are_booleans_or_zeros_and_ones(value: object) -> None:
    assert as_mask("mask", value).dtype == np.bool_


def test_freezing_makes_a_copy_that_nobody_can_write_to() -> None:
    array = np.ones(3)
    view = array[:]
    array.flags.writeable = False
    frozen = freeze(array)
    view[:] = 2
    assert frozen.tolist() == [1, 1, 1]
    assert not frozen.flags.writeable
    assert frozen.flags.owndata
    assert freeze(np.ones((2, 3), order="F")).flags.c_contiguous
