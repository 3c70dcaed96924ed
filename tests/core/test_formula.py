"""Formulas read back into the expressions that they write."""

import pytest

from explorer.core.expression import Number, evaluate
from explorer.core.formula import read_formula


def test_a_formula_is_read_as_it_is_written() -> None:
    assert evaluate(read_formula("32 × 8 × (128 × 2 + 64 × (17/16)) × 1,000")) == 32 * 8 * (256 + 68) * 1000
    assert evaluate(read_formula("(5,000 × 1,024 − 1,024 × 1,023 / 2)")) == 5000 * 1024 - 1024 * 1023 / 2
    assert read_formula("0") == Number(0.0, "0")


@pytest.mark.parametrize("text", ["", "2 ×", "(2", "2 + + 3", "a", "2)", "2 ÷ 3"])
def test_what_is_no_formula_is_not_read(text: str) -> None:
    with pytest.raises(ValueError, match="is no formula"):
        read_formula(text)
