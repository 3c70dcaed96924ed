"""The list of bookmarks, and what A and B differ by."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from explorer.core.checks import InputError
from explorer.workbench.bookmarks import LONGEST_NOTE, MOST, Bookmark, Bookmarks, Snapshot, difference, differences
from explorer.workbench.state import ViewState, initial
from tests.workbench import zoo

SNAPSHOT = Snapshot(initial(zoo.PLAIN), ViewState())


def listed(*notes):
    return Bookmarks(Bookmark(SNAPSHOT, note) for note in notes)


def notes(marks):
    return "".join(mark.note for mark in marks)


def test_bookmarks_are_added_moved_noted_and_removed_without_touching_the_old_list():
    marks = listed("a", "b", "c")
    assert notes(marks.added(Bookmark(SNAPSHOT, "d"))) == "abcd"
    assert notes(marks.added(Bookmark(SNAPSHOT, "d"), 0)) == "dabc"
    assert notes(marks.moved(0, 2)) == "bca"
    assert notes(marks.moved(2, 0)) == "cab"
    assert notes(marks.removed(1)) == "ac"
    assert notes(marks.noted(1, "x")) == "axc"
    other = Snapshot(initial(zoo.HEADS), ViewState(step=1))
    assert marks.retaken(1, other)[1] == Bookmark(other, "b")
    assert notes(marks) == "abc"


@pytest.mark.parametrize("note", ["a\0b", "\ud800"])
def test_a_note_that_no_file_can_keep_is_refused(note):
    with pytest.raises(InputError, match="no file can keep"):
        listed("a").added(Bookmark(SNAPSHOT, note))
    with pytest.raises(InputError, match="no file can keep"):
        listed("a").noted(0, note)


def test_next_and_previous_end_at_the_ends():
    marks = listed("a", "b")
    assert [marks.after(at) for at in (None, 0, 1)] == [0, 1, None]
    assert [marks.before(at) for at in (None, 1, 0)] == [1, 0, None]
    assert listed().after(None) is None
    assert listed().before(None) is None


@pytest.mark.parametrize("at", [-1, 2, 99])
def test_a_position_that_is_not_there_is_refused(at):
    marks = listed("a", "b")
    for change in (marks.removed, marks.at, lambda at: marks.noted(at, ""), lambda at: marks.moved(at, 0)):
        with pytest.raises(InputError, match=f"no bookmark {at}; 2 are there"):
            change(at)


def test_there_is_an_end_to_bookmarks_and_notes():
    with pytest.raises(InputError, match="500 bookmarks already"):
        listed(*["a"] * MOST).added(Bookmark(SNAPSHOT))
    with pytest.raises(InputError, match="at most 2000 are kept"):
        listed("a").noted(0, "n" * (LONGEST_NOTE + 1))


def test_lists_are_compared_by_what_they_hold():
    assert listed("a", "b").same_as(listed("a", "b"))
    assert not listed("a", "b").same_as(listed("b", "a"))
    assert not listed("a").same_as(listed("a", "b"))


def test_a_difference_is_signed_and_names_its_largest_cell():
    found = difference("weights", np.array([[0.1, 0.9], [0.5, 0.5]]), np.array([[0.2, 0.8], [0.9, 0.1]]))
    assert found.values.tolist() == pytest.approx(np.array([[-0.1, 0.1], [-0.4, 0.4]]))
    assert found.largest == (1, 0)
    assert found.sentence() == "weights[1, 0]: −0.400, from 0.900 to 0.500"
    assert difference("x", np.array([2.0]), np.array([0.5])).sentence() == "x[0]: +1.500, from 0.500 to 2.000"


def test_masked_in_both_is_no_difference_and_masked_in_one_is_infinite():
    found = difference("masked", np.array([-math.inf, -math.inf, 1.0]), np.array([-math.inf, 0.0, -math.inf]))
    assert found.values.tolist() == [0.0, -math.inf, math.inf]
    assert found.sentence() == "masked[1]: −∞, from 0.000 to −∞"


def test_equal_arrays_and_other_shapes_say_so():
    assert difference("x", np.eye(2), np.eye(2)).sentence() == "x: no difference"
    assert difference("x", np.zeros((0, 2)), np.zeros((0, 2))).largest is None
    assert difference("x", np.eye(2), np.eye(3)) is None


def test_masks_differ_by_one():
    assert difference("look", np.array([True, False]), np.array([False, False])).values.tolist() == [1.0, 0.0]


@given(
    npst.arrays(np.float64, (3, 2), elements=st.floats(-1e9, 1e9)),
    npst.arrays(np.float64, (3, 2), elements=st.floats(-1e9, 1e9)),
)
def test_no_cell_differs_by_more_than_the_named_one(now, kept):
    found = difference("x", now, kept)
    assert np.array_equal(found.values, now - kept)
    if found.largest is None:
        assert np.array_equal(now, kept)
    else:
        assert abs(found.values[found.largest]) == np.abs(found.values).max()
        assert (found.now, found.kept) == (now[found.largest], kept[found.largest])


def test_only_arrays_that_both_have_are_compared():
    assert set(differences({"a": np.eye(2), "b": np.eye(2)}, {"b": np.eye(2), "c": np.eye(2)})) == {"b"}
