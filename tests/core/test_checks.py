"""Refusals that can be translated, and the checks behind them."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from explorer.core import attention, blockwise, checks, heads, masks
from explorer.core.checks import Choices, InputError, as_floats, as_mask, freeze, row_norm_bound


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


@pytest.mark.parametrize("value", [True, 3, 2.5, [1, 2], np.float16(1), np.uint8([1]), np.longdouble(2), []])
def test_real_numbers_become_float64(value: object) -> None:
    assert as_floats("x", value).dtype == np.float64


@pytest.mark.parametrize("value", [True, [True, False], [1, 0], np.uint8([[1]]), [], np.ones((2, 0))])
def test_masks_are_booleans_or_zeros_and_ones(value: object) -> None:
    assert as_mask("mask", value).dtype == np.bool_


def test_freezing_copies_only_what_somebody_could_still_write_to() -> None:
    array = np.ones(3)
    frozen = freeze(array)
    assert frozen is not array
    assert not frozen.flags.writeable
    assert array.flags.writeable
    assert freeze(frozen) is frozen
    assert freeze(frozen[1:]).base is frozen
    view = array[:]
    view.flags.writeable = False
    assert freeze(view) is not view
    assert freeze(np.frombuffer(bytearray(8))).flags.owndata
