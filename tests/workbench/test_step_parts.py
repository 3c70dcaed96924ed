"""Steps that are taken in parts: one stop for each, counted by a size."""

from __future__ import annotations

import dataclasses

from hypothesis import given
from hypothesis import strategies as st

from explorer.concepts.declaration import Step
from explorer.workbench.state import (
    ViewState,
    initial,
    part_reached,
    position_count,
    position_of,
    reached,
    row_and_step,
    stops,
)
from tests.workbench.small import SINGLE

LAST = SINGLE.steps[-1]._replace(times="d_model")
PARTED = SINGLE._replace(steps=(*SINGLE.steps[:-1], LAST))
SIZES = initial(SINGLE).sizes
PLAIN = len(SINGLE.steps) - 1


def test_a_step_in_parts_has_one_stop_for_each() -> None:
    assert stops(PARTED, SIZES)[PLAIN:] == [(PLAIN, part) for part in range(SIZES["d_model"])]
    assert position_count(PARTED, SIZES, by_row=False) == PLAIN + SIZES["d_model"]
    assert stops(SINGLE, SIZES) == [(at, 0) for at in range(PLAIN + 1)]


def test_its_arrays_appear_with_the_first_part_and_stay() -> None:
    name = PARTED.steps[PLAIN].shows[0]
    at = [reached(PARTED, SIZES, ViewState(step=step))[name] for step in range(PLAIN - 1, PLAIN + 3)]
    assert at == [0, None, None, None]
    assert [row_and_step(PARTED, SIZES, ViewState(step=step))[1] for step in (PLAIN, PLAIN + 2, 99)] == [PLAIN] * 3


def test_the_part_is_told_at_such_a_step_alone() -> None:
    parts = [part_reached(PARTED, SIZES, ViewState(step=step)) for step in (-1, 0, PLAIN, PLAIN + 2, 99)]
    assert parts == [None, None, 0, 2, SIZES["d_model"] - 1]
    assert part_reached(PARTED, SIZES, ViewState(step=PLAIN + 1, by_row=True)) is None


def test_row_by_row_it_is_one_step_of_each_row() -> None:
    assert position_count(PARTED, SIZES, by_row=True) == position_count(SINGLE, SIZES, by_row=True)


@given(st.integers(-1, 40), st.booleans(), st.integers(0, PLAIN))
def test_going_to_a_step_reaches_it_and_stays_in_its_row(step: int, by_row: bool, wanted: int) -> None:
    view = ViewState(step=step, by_row=by_row)
    there = dataclasses.replace(view, step=position_of(PARTED, SIZES, view, wanted))
    row, found = row_and_step(PARTED, SIZES, there)
    if step < position_count(PARTED, SIZES, by_row):
        assert found == wanted
        assert row == (max(step, 0) // len(PARTED.steps) if by_row else None)


def test_a_size_of_none_still_leaves_a_stop() -> None:
    empty = Step("none", ("scores",), times="d_head")
    assert stops(SINGLE._replace(steps=(empty,)), {**SIZES, "d_head": 0}) == [(0, 0)]
