"""The line of steps: what merges, what is forgotten, what survives a gesture that nobody ends."""

from __future__ import annotations

import operator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.workbench.history import LIMIT, Entry, History


@pytest.fixture
def history():
    return History(operator.eq)


def walk(history):
    """Undo everything; returns the labels in that order."""
    labels = []
    while (entry := history.undo()) is not None:
        labels.append(entry.label)
    return labels


def do(history, action, state):
    """Do one of "begin", "end", "undo" and "redo"; returns the state after it."""
    if action in ("begin", "end"):
        getattr(history, action)()
        return state
    entry = getattr(history, action)()
    if entry is None:
        return state
    return entry.before if action == "undo" else entry.after


def test_a_new_history_has_nothing_to_undo_or_redo(history):
    assert history.undo() is None
    assert history.redo() is None
    assert history.undo_label is None
    assert history.redo_label is None


def test_undo_and_redo_walk_the_same_steps(history):
    history.record("one", "a", 0, 1)
    history.record("two", "b", 5, 6)
    assert history.undo_label == "two"
    assert history.undo() == Entry("two", "b", 5, 6)
    assert (history.undo_label, history.redo_label) == ("one", "two")
    assert history.redo() == Entry("two", "b", 5, 6)
    assert history.redo_label is None


def test_a_new_step_forgets_what_was_undone(history):
    history.record("one", "a", 0, 1)
    history.undo()
    history.record("two", "a", 0, 2)
    assert history.redo_label is None


def test_a_gesture_is_one_step_from_its_first_state_to_its_last(history):
    history.begin()
    for value in range(5):
        history.record(f"edit {value}", "a", value, value + 1)
    history.end()
    assert history.undo() == Entry("edit 0", "a", 0, 5)
    assert history.undo() is None


def test_a_gesture_takes_its_own_name_where_it_has_one(history):
    history.begin("scrub")
    history.record("edit", "a", 0, 1)
    history.end()
    assert history.undo_label == "scrub"


def test_changes_after_a_gesture_do_not_join_it(history):
    history.begin()
    history.record("one", "a", 0, 1)
    history.end()
    history.record("two", "a", 1, 2)
    assert walk(history) == ["two", "one"]


def test_two_gestures_are_two_steps(history):
    for value in (0, 1):
        history.begin()
        history.record(f"step {value}", "a", value, value + 1)
        history.end()
    assert len(history) == 2


def test_inner_gestures_belong_to_the_outer_one(history):
    history.begin("outer")
    history.begin("inner")
    history.record("one", "a", 0, 1)
    history.end()
    history.record("two", "a", 1, 2)
    history.end()
    assert walk(history) == ["outer"]


def test_a_gesture_that_ends_where_it_began_leaves_nothing_and_keeps_what_could_be_redone(history):
    history.record("one", "a", 0, 1)
    history.undo()
    history.begin()
    history.record("there", "a", 0, 5)
    assert history.redo_label is None
    history.record("and back", "a", 5, 0)
    history.end()
    assert history.undo_label is None
    assert history.redo() == Entry("one", "a", 0, 1)


def test_undo_closes_a_gesture_that_was_left_open(history):
    history.begin()
    history.record("one", "a", 0, 1)
    assert history.undo() == Entry("one", "a", 0, 1)
    assert not history.open
    history.record("two", "a", 0, 2)
    history.record("three", "a", 2, 3)
    assert len(history) == 2


def test_the_end_of_a_closed_gesture_does_not_close_the_next(history):
    abandoned = history.begin()
    history.undo()
    history.begin()
    history.record("one", "a", 0, 1)
    history.end(abandoned)
    assert history.open
    history.record("two", "a", 1, 2)
    assert len(history) == 1


def test_an_end_without_a_beginning_does_nothing(history):
    history.end()
    history.record("one", "a", 0, 1)
    history.end()
    history.record("two", "a", 1, 2)
    assert len(history) == 2


def test_a_gesture_that_goes_to_another_tab_starts_a_step_there(history):
    history.begin("scrub")
    history.record("one", "a", 0, 1)
    history.record("two", "b", 0, 1)
    history.record("three", "b", 1, 2)
    history.end()
    assert history.undo() == Entry("scrub", "b", 0, 2)
    assert history.undo() == Entry("scrub", "a", 0, 1)


def test_the_oldest_steps_are_forgotten_first():
    history = History(operator.eq)
    for value in range(LIMIT + 20):
        history.record(str(value), "a", value, value + 1)
    assert LIMIT == 500
    labels = walk(history)
    assert len(labels) == LIMIT
    assert labels[-1] == "20"


@given(st.lists(st.sampled_from(["record", "begin", "end", "undo", "redo"]), max_size=60))
def test_in_any_order_undoing_everything_returns_to_the_start(actions):
    history, state, count = History(operator.eq), 0, 0
    for action in actions:
        if action == "record":
            count += 1
            history.record(str(count), "a", state, count)
            state = count
        else:
            state = do(history, action, state)
    end, entries = state, 0
    while (entry := history.undo()) is not None:
        assert entry.after == state
        state = entry.before
        entries += 1
    assert state == 0
    for _ in range(entries):
        entry = history.redo()
        assert entry is not None
        assert entry.before == state
        state = entry.after
    assert state == end


def heavy(room):
    """Return a history of pairs (name, bytes), which share nothing with each other."""
    return History(operator.eq, weigh=lambda before, after: before[1], room=room)


def test_the_oldest_steps_are_forgotten_when_all_together_hold_too_much():
    history = heavy(room=100)
    for value in range(10):
        history.record(str(value), "a", (value, 30), (value + 1, 30))
    assert walk(history) == ["9", "8", "7"]


def test_the_newest_step_stays_however_much_it_holds():
    history = heavy(room=100)
    history.record("small", "a", (0, 1), (1, 1000))
    history.record("large", "a", (1, 1000), (2, 1))
    assert walk(history) == ["large"]


def test_what_a_gesture_holds_counts_once():
    history = heavy(room=100)
    history.record("before", "a", (0, 40), (1, 40))
    history.begin("scrub")
    for value in range(1, 50):
        history.record("edit", "a", (value, 40), (value + 1, 40))
    history.end()
    assert walk(history) == ["scrub", "before"]


def test_a_gesture_that_ends_where_it_began_takes_no_room():
    history = heavy(room=100)
    for _ in range(5):
        history.begin()
        history.record("there", "a", (0, 60), (1, 60))
        history.record("and back", "a", (1, 60), (0, 60))
        history.end()
    for value in (0, 1):
        history.record(str(value), "a", (value, 50), (value + 1, 50))
    assert walk(history) == ["1", "0"]


def test_a_forgotten_document_takes_no_room():
    history = heavy(room=100)
    history.record("one", "a", (0, 90), (1, 0))
    history.clear()
    history.record("two", "a", (0, 60), (1, 0))
    history.record("three", "a", (1, 40), (2, 0))
    assert walk(history) == ["three", "two"]


@given(
    st.lists(
        st.one_of(st.sampled_from(["begin", "end", "undo", "redo"]), st.integers(0, 50)),
        max_size=80,
    )
)
def test_in_any_order_the_steps_fit_their_room_and_lead_back_as_they_came(actions):
    history, state, count = heavy(room=100), (0, 10), 0
    for action in actions:
        if isinstance(action, int):
            count += 1
            after = (count, action)
            history.record(str(count), "a", state, after)
            state = after
            assert history.undo_label is not None
        else:
            state = do(history, action, state)
    end, entries = state, []
    while (entry := history.undo()) is not None:
        assert entry.after == state
        state = entry.before
        entries.append(entry)
    assert len(entries) <= 1 or sum(entry.before[1] for entry in entries) <= 100
    for entry in reversed(entries):
        assert history.redo() == entry
        assert entry.before == state
        state = entry.after
    assert state == end
