"""The open document: saving, bookmarks, A/B, import, recovery."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.core.checks import InputError
from explorer.workbench import atomic, data_import, session
from explorer.workbench.document import Document
from explorer.workbench.recovery import Recovery, find
from explorer.workbench.workbench import Workbench
from tests.workbench import zoo


@pytest.fixture
def document():
    return Document(Workbench(zoo.CONCEPTS))


def cell(document):
    return document.workbench.state("plain-tab").inputs["x"][0, 0]


def edit(document, value):
    document.workbench.edit("plain-tab", "x", [(0, 0)], [value])


def test_a_document_that_is_opened_again_holds_the_same(document, tmp_path):
    edit(document, 0.1)
    document.workbench.set_view("plain-tab", step=2, pinned=("x", (1, 1)))
    document.workbench.show("plain-tab")
    document.add_bookmark("here")
    document.save(tmp_path / "talk.attn")
    again = Document(Workbench(zoo.CONCEPTS))
    again.open(tmp_path / "talk.attn")
    assert again.session().same_as(document.session())
    assert (again.name, again.modified) == ("talk.attn", False)


def test_edits_and_bookmarks_modify_and_views_do_not(document, tmp_path):
    assert not document.modified
    document.workbench.set_view("plain-tab", step=2)
    assert not document.modified
    edit(document, 5)
    assert document.modified
    document.workbench.undo()
    assert not document.modified
    document.add_bookmark("here")
    assert document.modified
    document.save(tmp_path / "talk.attn")
    assert not document.modified
    document.bookmarks = document.bookmarks.noted(0, "there")
    assert document.modified
    document.bookmarks = document.bookmarks.noted(0, "here")
    assert not document.modified


def test_a_failed_save_changes_nothing(document, tmp_path, monkeypatch):
    edit(document, 1.5)
    document.save(tmp_path / "talk.attn")
    before = (tmp_path / "talk.attn").read_bytes()
    edit(document, 2.5)

    def fail(path, data):
        raise atomic.SaveError("no space")

    monkeypatch.setattr(atomic, "write", fail)
    with pytest.raises(InputError, match="no space"):
        document.save(tmp_path / "other.attn")
    assert document.modified
    assert document.path == tmp_path / "talk.attn"
    assert (tmp_path / "talk.attn").read_bytes() == before


def test_saving_needs_a_file_once(document, tmp_path):
    with pytest.raises(InputError, match="no file yet"):
        document.save()
    document.save(tmp_path / "talk.attn")
    edit(document, 3)
    document.save()
    assert session.read(tmp_path / "talk.attn", zoo.CONCEPTS).tabs["plain-tab"].state.inputs["x"][0, 0] == 3


def test_a_file_that_cannot_be_read_leaves_the_open_document_untouched(document, tmp_path):
    edit(document, 3)
    document.add_bookmark("here")
    (tmp_path / "bad.attn").write_text('{"format": "attention-explorer session", "version": 1, "front": "heads"')
    before = document.session()
    with pytest.raises(InputError, match=r"bad\.attn"):
        document.open(tmp_path / "bad.attn")
    assert document.session().same_as(before)
    assert document.modified
    assert document.path is None


def test_numbers_that_would_overflow_are_refused_and_the_open_document_is_untouched(document, tmp_path):
    before = document.session()
    data = session.dumps(before).replace(b'"share": 0.5', b'"share": 1e300')
    (tmp_path / "huge.attn").write_bytes(data)
    with pytest.raises(InputError, match=r"huge\.attn: \$\.tabs\.heads\.inputs\.share is 1e\+300"):
        document.open(tmp_path / "huge.attn")
    assert document.session().same_as(before)


def test_new_begins_again(document, tmp_path):
    edit(document, 3)
    document.save(tmp_path / "talk.attn")
    document.add_bookmark()
    document.new()
    assert document.session().same_as(session.fresh(zoo.CONCEPTS))
    assert (document.path, document.modified, document.kept) == (None, False, None)


# --- bookmarks, A and B ---


def test_going_to_a_bookmark_is_undoable_and_keeps_what_was_on_the_screen(document):
    document.workbench.show("plain-tab")
    edit(document, 1.5)
    document.workbench.set_view("plain-tab", step=3)
    document.add_bookmark("first")
    edit(document, 2.5)
    document.workbench.set_view("plain-tab", step=1)
    document.go_to(0)
    assert (cell(document), document.workbench.view("plain-tab").step) == (1.5, 3)
    assert document.kept.state.inputs["x"][0, 0] == 2.5
    assert document.workbench.undo_label == "go to bookmark 0"
    document.workbench.undo()
    assert cell(document) == 2.5


def test_going_to_a_bookmark_of_another_tab_brings_it_forward(document):
    document.workbench.show("plain-tab")
    document.add_bookmark()
    document.workbench.show("heads")
    document.go_to(0)
    assert document.workbench.current == "plain-tab"
    assert document.kept.tab == "heads"


def test_next_and_previous_walk_through_the_list(document):
    document.workbench.show("plain-tab")
    for value in (1.5, 2.5, 3.5):
        edit(document, value)
        document.add_bookmark()
    assert document.go_on()
    assert cell(document) == 1.5
    assert document.go_on()
    assert document.go_on()
    assert cell(document) == 3.5
    assert not document.go_on()
    assert document.go_back()
    assert cell(document) == 2.5
    document.bookmarks = document.bookmarks.removed(0).removed(0)
    assert document.place is None
    with pytest.raises(InputError, match="no bookmark 7; 1 are there"):
        document.go_to(7)


def test_a_and_b_flip_and_their_difference_names_its_largest_cell(document):
    document.workbench.show("plain-tab")
    with pytest.raises(InputError, match="nothing is kept"):
        document.flip()
    with pytest.raises(InputError, match="nothing is kept"):
        document.differences()
    edit(document, 1.5)
    document.keep()
    edit(document, 4.0)
    assert document.differences()["x"].sentence() == "x[0, 0]: +2.500, from 1.500 to 4.000"
    document.flip()
    assert (cell(document), document.kept.state.inputs["x"][0, 0]) == (1.5, 4.0)
    assert document.differences()["x"].sentence() == "x[0, 0]: −2.500, from 4.000 to 1.500"
    document.flip()
    assert cell(document) == 4.0
    assert document.difference("x").sentence() == document.differences()["x"].sentence()
    document.keep()
    assert document.difference("x").largest is None
    assert document.difference("nothing of that name") is None
    document.workbench.show("heads")
    for compare in (document.differences, lambda: document.difference("x")):
        with pytest.raises(InputError, match="B is of the tab Plain"):
            compare()


def test_whoever_listens_hears_of_files_bookmarks_and_b(document, tmp_path):
    heard = []
    stop = document.subscribe(heard.append)
    document.add_bookmark()
    document.keep()
    document.save(tmp_path / "talk.attn")
    stop()
    document.keep()
    assert heard == ["bookmarks", "kept", "file"]


@given(st.lists(st.tuples(st.integers(0, 2), st.floats(-1e6, 1e6)), max_size=12))
def test_undo_all_the_way_is_the_start_and_redo_all_the_way_the_end(moves):
    document = Document(Workbench(zoo.CONCEPTS))
    document.workbench.show("plain-tab")
    document.add_bookmark()
    start = document.workbench.document()
    for what, value in moves:
        if what == 0:
            edit(document, value)
        elif what == 1:
            document.go_to(0)
        elif document.kept is not None:
            document.flip()
    end = document.workbench.document()
    while document.workbench.undo() is not None:
        pass
    assert all(state.same_as(start.get(slug, state)) for slug, state in document.workbench.document().items())
    while document.workbench.redo() is not None:
        pass
    assert all(state.same_as(end[slug]) for slug, state in document.workbench.document().items())


# --- import ---


def test_an_import_is_one_undoable_step(document):
    document.workbench.show("plain-tab")
    plan = data_import.plan_text(zoo.PLAIN, document.workbench.state("plain-tab"), "1\t2\t3\n4\t5\t6")
    document.bring_in(plan)
    assert document.workbench.state("plain-tab").inputs["x"].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert document.workbench.undo_label == "import x"
    document.workbench.undo()
    assert not document.modified


# --- recovery ---


def test_changes_are_kept_and_a_saved_document_needs_no_recovery(tmp_path):
    recovery = Recovery(tmp_path / "recovery")
    document = Document(Workbench(zoo.CONCEPTS), recovery)
    edit(document, 7)
    assert recovery.flush()
    held = session.read(recovery.path, zoo.CONCEPTS)
    assert held.tabs["plain-tab"].state.inputs["x"][0, 0] == 7
    document.save(tmp_path / "talk.attn")
    assert recovery.flush()
    assert not recovery.path.exists()
    document.add_bookmark("note")
    assert recovery.flush()
    assert session.read(recovery.path, zoo.CONCEPTS).bookmarks[0].note == "note"
    document.workbench.undo()
    document.close()
    assert list((tmp_path / "recovery").iterdir()) == []


def test_a_recovered_document_is_modified_until_saved_and_the_old_file_goes_last(tmp_path):
    folder = tmp_path / "recovery"
    folder.mkdir()
    lost = session.fresh(zoo.CONCEPTS)
    session.write(folder / "1-dead.attn", lost)
    (folder / "1-dead.lock").write_text(json.dumps({"document": str(tmp_path / "talk.attn")}))
    recovery = Recovery(folder)
    # The found session is of made-up tabs.
    (found,) = find(folder)
    found.read = lambda: lost
    document = Document(Workbench(zoo.CONCEPTS), recovery)
    document.recover(found)
    assert document.modified
    assert document.path == tmp_path / "talk.attn"
    assert [one.name for one in folder.iterdir() if one.suffix == ".attn"] == [recovery.path.name]
    document.save()
    assert not document.modified
    document.close()


def test_a_document_that_ends_unasked_is_found_by_the_next(tmp_path):
    document = Document(Workbench(zoo.CONCEPTS), Recovery(tmp_path / "recovery"))
    edit(document, 7)
    document.leave()
    edit(document, 8)
    following = Document(Workbench(zoo.CONCEPTS), Recovery(tmp_path / "recovery"))
    (found,) = following.left_behind()
    assert session.read(found.path, zoo.CONCEPTS).tabs["plain-tab"].state.inputs["x"][0, 0] == 7
    found.release()
    following.close()
    assert Document(Workbench(zoo.CONCEPTS)).left_behind() == []


def test_recovery_that_cannot_be_read_leaves_everything(tmp_path):
    folder = tmp_path / "recovery"
    folder.mkdir()
    (folder / "1-dead.attn").write_text("{")
    document = Document(Workbench(zoo.CONCEPTS), Recovery(folder))
    edit(document, 3)
    (found,) = [one for one in find(folder) if one.path.name == "1-dead.attn"]
    with pytest.raises(InputError, match="is not JSON"):
        document.recover(found)
    assert cell(document) == 3
    assert found.path.exists()
    found.release()
    document.close()


@given(original=zoo.sessions())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture])
def test_any_session_can_be_opened_and_saved_again(tmp_path, original):
    session.write(tmp_path / "one.attn", original)
    document = Document(Workbench(zoo.CONCEPTS))
    document.open(tmp_path / "one.attn")
    document.save(tmp_path / "two.attn")
    assert (tmp_path / "two.attn").read_bytes() == (tmp_path / "one.attn").read_bytes()
    assert np.array_equal(document.workbench.state("heads").inputs["q"], original.tabs["heads"].state.inputs["q"])
