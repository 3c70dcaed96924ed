"""Numbers that are written short claim nothing that they are not, and give up their cell where it is too narrow."""

import numpy as np
import pytest

from explorer.ui import matrix_paint, theme
from explorer.ui.cell_size import CellSize, holds_digits, text_width
from explorer.ui.matrix_paint import Look
from explorer.ui.number_style import short_text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (-1.0, "−1"),
        (10.0, "10"),
        (0.5, "0.5"),
        (-2.25, "−2.25"),
        (70.710678, "70.71"),
        (0.999, "1.00"),
        (0.001, "0.00"),
        (-0.001, "0.00"),
        (1e6, "1e6"),
        (-np.inf, "−∞"),
    ],
)
def test_only_what_is_exact_loses_its_decimals(value: float, text: str) -> None:
    assert short_text(value) == text


def test_a_cell_holds_a_short_number_exactly_when_it_fits(qapp: object) -> None:
    wide = text_width(12, "10") + 2
    assert holds_digits(CellSize(wide, 17, 12), "10")
    assert not holds_digits(CellSize(wide - 1, 17, 12), "10")
    assert not holds_digits(CellSize(wide, 15, 12), "10")
    assert not holds_digits(CellSize(4 * wide, 20, 24), "10"), "large digits need higher cells"
    assert not holds_digits(CellSize(wide, 17, 12)), "an ordinary number needs more"


def test_short_numbers_keep_the_colours_of_their_values(qapp: object) -> None:
    values = np.array([[10.0, 0.0, -10.0]])
    look = Look(theme.make("light"), cell_width=22, cell_height=18, font_px=12, forms=("short",), longest="−10")
    assert matrix_paint.texts(values, look) == [["10", "0", "−10"]]
    assert matrix_paint.levels(values, look).tolist() == [[255, 128, 0]]
