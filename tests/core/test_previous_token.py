"""The formula of the hand-built head, held to the head itself."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import lesson
from explorer.core.checks import InputError
from explorer.core.heads import multi_head
from explorer.core.previous_token import sharpness_needed, worst_share


def built(slots: int, sharpness: float) -> np.ndarray:
    """Return the attention weights of the head itself."""
    arrays = lesson.previous_token_inputs(slots, sharpness)
    return multi_head(*arrays.values(), n_head=1).attention.weights[0]


@given(st.integers(2, 20), st.floats(0, 60))
def test_the_worst_row_of_the_head_is_what_the_formula_says(slots: int, sharpness: float) -> None:
    shares = np.diagonal(built(slots, sharpness), -1)
    assert worst_share(slots, sharpness) == pytest.approx(shares.min(), rel=1e-12)
    assert shares.argmin() == slots - 2 or shares.min() == pytest.approx(shares[-1], rel=1e-12)


@pytest.mark.parametrize(("slots", "sharpness"), [(4, 11.4), (16, 29.2), (64, 69.9)])
def test_the_sharpness_for_99_percent(slots: int, sharpness: float) -> None:
    needed = sharpness_needed(slots)
    assert round(needed, 1) == sharpness
    assert needed == pytest.approx(np.sqrt(slots) * np.log(99 * (slots - 1)), rel=1e-14)


@given(st.integers(2, 1000), st.floats(0.01, 0.999))
def test_that_sharpness_gives_that_share(slots: int, share: float) -> None:
    assert worst_share(slots, sharpness_needed(slots, share)) == pytest.approx(share, rel=1e-9)


def test_the_lessons_head_loses_its_verdict_when_it_grows() -> None:
    assert np.round(worst_share([2, 4, 16], 10.0), 3).tolist() == [0.999, 0.980, 0.448]


def test_no_sharpness_at_all_shares_evenly_and_a_huge_one_overflows_nothing() -> None:
    assert worst_share([2, 4, 64], 0.0) == pytest.approx([1 / 2, 1 / 4, 1 / 64])
    assert worst_share(4, -1e6) == 0.0
    assert worst_share(4, 1e6) == 1.0


@pytest.mark.parametrize("slots", [1, 0, -3])
def test_a_head_without_a_row_before_is_refused(slots: int) -> None:
    for call in (lambda: worst_share([4, slots], 10.0), lambda: sharpness_needed(slots)):
        with pytest.raises(InputError, match=f"2 or more, not {slots}"):
            call()


@pytest.mark.parametrize("share", [0.0, 1.0, -0.5, 2.0, float("nan")])
def test_a_share_that_no_sharpness_gives_is_refused(share: float) -> None:
    with pytest.raises(InputError, match="between 0 and 1"):
        sharpness_needed(4, share)
