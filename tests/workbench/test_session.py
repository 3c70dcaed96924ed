"""What a session file keeps, and what it refuses."""

from __future__ import annotations

import json
import math
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from explorer import resources
from explorer.workbench import documents, session
from explorer.workbench.bookmarks import Bookmark, Bookmarks
from explorer.workbench.session import FormatError
from explorer.workbench.state import ViewState
from explorer.workbench.workbench import Workbench
from tests.workbench import zoo
from tests.workbench.random_actions import Actor

jsonschema = pytest.importorskip("jsonschema")


def read(document):
    data = document if isinstance(document, bytes) else json.dumps(document).encode()
    return session.loads(data, "talk.attn", zoo.CONCEPTS)


@pytest.fixture
def document():
    return json.loads(session.dumps(session.fresh(zoo.CONCEPTS)))


@pytest.fixture(scope="module")
def schema():
    loaded = json.loads(resources.text("schema", "session-1.json"))
    jsonschema.Draft202012Validator.check_schema(loaded)
    return jsonschema.Draft202012Validator(loaded)


@given(zoo.sessions())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_what_is_written_is_read_back_bit_for_bit(original):
    data = session.dumps(original)
    again = session.loads(data, "talk.attn", zoo.CONCEPTS)
    assert again.same_as(original)
    assert session.dumps(again) == data


@given(original=zoo.sessions())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.function_scoped_fixture])
def test_what_is_written_fits_the_schema(schema, original):
    schema.validate(json.loads(session.dumps(original)))


def test_the_lessons_sessions_fit_the_schema_and_come_back(schema):
    original = session.fresh()
    data = session.dumps(original)
    schema.validate(json.loads(data))
    assert session.loads(data).same_as(original)


@pytest.mark.parametrize("seed", range(20))
def test_whatever_is_done_to_the_tabs_is_read_back_bit_for_bit(seed):
    bench = Workbench()
    actor = Actor(bench, np.random.default_rng(seed))
    for _ in range(60):
        actor.act()
    original = documents.session_of(bench)
    data = session.dumps(original)
    again = session.loads(data)
    assert again.same_as(original)
    assert session.dumps(again) == data
    other = Workbench()
    documents.put_into(other, again, "talk.attn")
    assert documents.session_of(other).same_as(original)


def test_numbers_that_were_typed_once_stay_typed_where_a_new_tab_of_that_size_would_hold_the_same():
    bench = Workbench()
    tab = "multi-query"
    bench.set_size(tab, "d_model", 5)
    bench.edit(tab, "x", [(3, 0)], 7)
    bench.set_size(tab, "n", 3)
    assert bench.state(tab).origins["x"] == "typed"
    other = Workbench()
    documents.put_into(other, session.loads(session.dumps(documents.session_of(bench))), "talk.attn")
    assert other.state(tab).same_as(bench.state(tab))


def test_numbers_that_are_the_lessons_at_the_sizes_chosen_are_called_so_again():
    bench = Workbench()
    bench.edit("multi-query", "x", [(3, 0)], 7)
    bench.set_size("multi-query", "n", 3)
    assert bench.state("multi-query").origins["x"] == "random"


@pytest.mark.parametrize("seed", [-(2**63), -(2**63) + 1, 2**63 - 1, -(2**53) - 1])
def test_a_seed_keeps_its_last_digit(seed):
    bench = Workbench()
    bench.set_control("queries-keys-values", "seed", seed)
    again = session.loads(session.dumps(documents.session_of(bench)))
    assert again.tabs["queries-keys-values"].state.controls["seed"] == seed


def test_a_row_of_a_matrix_is_a_line_and_labels_are_plain_text():
    text = session.dumps(session.fresh(zoo.CONCEPTS)).decode()
    assert "\n          [1.0, 0.0, 0.0],\n          [0.0, 1.0, 0.0]\n" in text
    assert '"tokens": ["the", "cat", "sat"]' in text


@given(zoo.snapshots(zoo.HEADS))
def test_a_writer_that_has_written_before_writes_the_same(heads):
    writer = session.Writer()
    first = session.fresh(zoo.CONCEPTS)
    changed = session.Session("plain-tab", {**first.tabs, "heads": heads})
    marked = session.Session("heads", changed.tabs, Bookmarks([Bookmark(heads, "note")]))
    for one in (first, changed, marked, changed, first):
        assert writer.dumps(one) == session.dumps(one)


def test_every_field_of_a_view_is_saved(document):
    assert set(document["tabs"]["heads"]["view"]) == {one.name for one in fields(ViewState)}


def test_minus_infinity_is_a_word_where_scores_are_typed_and_nowhere_else(document):
    document["tabs"]["heads"]["inputs"]["scores"][0][1] = "-Infinity"
    assert read(document).tabs["heads"].state.inputs["scores"][0, 1] == -math.inf
    document["tabs"]["heads"]["inputs"]["q"][0][0][1] = "-Infinity"
    with pytest.raises(FormatError, match=r"\.inputs\.q\[0\]\[0\]\[1\] is '-Infinity'"):
        read(document)


def test_minus_zero_and_the_smallest_number_survive(document):
    document["tabs"]["plain-tab"]["inputs"]["x"][0][:2] = [-0.0, 5e-324]
    row = read(document).tabs["plain-tab"].state.inputs["x"][0]
    assert np.signbit(row[0])
    assert row[1] == 5e-324
    assert read(session.dumps(read(document))).same_as(read(document))


def test_arrays_that_were_read_cannot_be_written_to(document):
    for array in read(document).tabs["heads"].state.inputs.values():
        assert not array.flags.writeable


def test_a_tab_that_the_file_does_not_mention_opens_on_the_lessons_values(document):
    fresh = session.fresh(zoo.CONCEPTS)
    del document["tabs"]["heads"]
    assert read(document).same_as(fresh)


def test_a_control_that_is_absent_keeps_its_opening_value(document):
    del document["tabs"]["heads"]["controls"]["sharpness"]
    assert read(document).tabs["heads"].state.controls["sharpness"] == 1.0


def test_a_control_whose_range_depends_on_a_later_one_is_accepted(document):
    document["tabs"]["heads"]["controls"].update(kv=3, most=3)
    assert read(document).tabs["heads"].state.controls["kv"] == 3


def test_a_byte_order_mark_is_no_obstacle(document):
    assert read(b"\xef\xbb\xbf" + json.dumps(document).encode()).front == "heads"


GONE = object()


def put(document, place, value):
    """Put a value at a place such as ``tabs heads sizes n``; GONE takes away what is there."""
    *path, last = [int(key) if key.isdigit() else key for key in place.split(" ")]
    for key in path:
        document = document[key]
    if value is GONE:
        del document[last]
    elif isinstance(document, list) and last == len(document):
        document.append(value)
    else:
        document[last] = value


# Where not in the first tab, the place begins with /.
MISFITS = [
    ("sizes n", 10**9, r"\$\.tabs\.heads\.sizes\.n is 1000000000; it must be a whole number from 1 to 6"),
    ("sizes n", 3.0, r"sizes\.n is 3\.0; it must be a whole number from 1"),
    ("sizes n", True, r"sizes\.n is true"),
    ("sizes n", 4, r"inputs\.q\[0\] is a list of 3; it must be a list of 4 rows \(n\)"),
    ("sizes n", GONE, r"\$\.tabs\.heads\.sizes\.n is missing"),
    ("sizes m", 4, r"sizes\.m is not known; known are n, width, n_head"),
    ("sizes n_head_kv", 3, r"sizes\.n_head_kv is 3; it must be 1 or 2"),
    ("sizes", [], r"sizes is a list of 0; it must be an object in braces"),
    ("inputs row", GONE, r"\$\.tabs\.heads\.inputs\.row is missing"),
    ("inputs z", [1], r"inputs\.z is not known; known are q, k, look"),
    ("inputs row 2", 1, r"inputs\.row is a list of 3; it must be a list of 2 numbers"),
    ("inputs row", 3, r"inputs\.row is 3; it must be a list of 2"),
    ("inputs share", [3], r"inputs\.share is a list of 1; it must be a finite number"),
    ("inputs row 1", "1", r"inputs\.row\[1\] is '1'; it must be a finite number"),
    ("inputs row 1", True, r"inputs\.row\[1\] is true; it must be a finite"),
    ("inputs row 1", None, r"inputs\.row\[1\] is null"),
    ("inputs row 1", [1], r"inputs\.row\[1\] is a list of 1"),
    ("inputs row 1", 2e9, r"inputs\.row\[1\] is 2000000000\.0; .* from -1e\+09"),
    ("inputs k 0 0 1", 51, r"k\[0\]\[0\]\[1\] is 51; it must be a number from -50"),
    ("inputs look 0 1", 1, r"look\[0\]\[1\] is 1; it must be true or false"),
    ("inputs wide 0 4", 1, r"wide\[0\] is a list of 5; it must be a list of 4 numbers \(n_head \* width\)"),
    ("tokens 3", "x", r"tokens is a list of 4; it must be a list of"),
    ("tokens 2", GONE, r"tokens is a list of 2; it must be a list of 3"),
    ("tokens 0", "", r"tokens\[0\] is ''"),
    ("tokens 0", "a\nb", r"tokens\[0\] is 'a\\nb'"),
    ("tokens 0", "\ud800", r"tokens\[0\] is '\\ud800'; .* unpaired surrogates"),
    ("tokens 0", "a" * 10**6, r"tokens\[0\] is a text of 1000000; it must be"),
    ("tokens 0", 7, r"tokens\[0\] is 7; it must be a text"),
    ("controls divisor", "d", r"controls\.divisor: divided by cannot be 'd'; the options are"),
    ("controls masked", 1, r"controls\.masked: mask is on or off; 1 is neither"),
    ("controls sharpness", 10.5, r"controls\.sharpness: .* a number from 0 to 10"),
    ("controls sharpness", [1], r"controls\.sharpness is a list of 1"),
    ("controls kv", 3, r"controls\.kv: KV heads cannot be 3; a number from 1 to 1"),
    ("controls asks", 3, r"controls\.asks: who asks cannot be 3"),
    ("controls other", 3, r"controls\.other is not known; known are kv, most"),
    ("origins q", 3, r"origins\.q is 3; it must be a text"),
    ("origins z", "typed", r"origins\.z is not known"),
    ("view step", "1", r"view\.step is '1'; it must be a number"),
    ("view speed", 1e9, r"view\.speed: "),
    ("view step", True, r"view\.step is true; it must be a number"),
    ("view by_row", 1, r"view\.by_row is 1; it must be true or false"),
    ("view zoom", 1, r"view\.zoom is not known"),
    ("view pinned", ["weights", 9, 0, 0], r"view\.pinned is a list of 4; it must be null, or"),
    ("view pinned", "weights", r"view\.pinned is 'weights'; it must be a list"),
    ("view pinned", ["weights", 0.5, 0, 0], r"view\.pinned\[1\] is 0\.5; it must be a whole"),
    ("colour", "red", r"\$\.tabs\.heads\.colour is not known"),
    ("/tabs new-tab", {}, r"\$\.tabs\['new-tab'\]: .*no tab 'new-tab'"),
    ("/tabs heads", [], r"\$\.tabs\.heads is a list of 0; it must be an object"),
    ("/tabs", [], r"\$\.tabs is a list of 0; it must be an object"),
    ("/front", "tail", r"\$\.front: .*no tab 'tail', .* the tabs are heads, plain-tab"),
    ("/front", 1, r"\$\.front: .*no tab 1"),
    ("/front", GONE, r"\$\.front is missing"),
    ("/bookmarks", {}, r"\$\.bookmarks is an empty object; it must be a list"),
    ("/bookmarks", [{"tab": "heads"}], r"\$\.bookmarks\[0\]\.note is missing"),
    ("/bookmarks", [{"note": ""}], r"\$\.bookmarks\[0\]\.tab is missing"),
    ("/bookmarks", [{"note": "", "tab": "tail"}], r"\$\.bookmarks\[0\]\.tab: .*'tail'"),
    ("/bookmarks", [None] * 501, r"\$\.bookmarks is a list of 501; it must be a list of"),
    ("/comment", "x", r"\$\.comment is not known; known are format, version"),
    ("/version", "1", r"\$\.version is '1'; it must be a whole number"),
    ("/version", 0, r"has format 0; formats 1 to 1 are read"),
    ("/version", 2, r"written by a newer Attention Explorer \(format 2\)"),
    ("/format", "recipe", r"no Attention Explorer session"),
]


@pytest.mark.parametrize(("place", "value", "sentence"), MISFITS)
def test_what_does_not_fit_is_refused_with_its_place(document, place, value, sentence):
    put(document, place.removeprefix("/") if place.startswith("/") else f"tabs heads {place}", value)
    with pytest.raises(FormatError, match=sentence) as refusal:
        read(document)
    assert "\n" not in str(refusal.value)
    assert str(refusal.value).startswith("talk.attn")


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (b'"n": 3', b'"n": 3, "n": 4', r"\$\.tabs\.heads\.sizes\.n stands there twice"),
        (b'"front"', b'"format": "x", "front"', r"\$\.format stands there twice"),
        (b'"n": 3', b'"n": NaN', r"NaN is no number of JSON"),
        (b'"n": 3', b'"n": -Infinity', r"-Infinity is no number of JSON"),
        (b'"n": 3', b'"n": 1e400', r"1e400 is no number of JSON"),
        (b'"n": 3', b'"n": ' + b"9" * 700, r"is no number of JSON"),
        (b'"n": 3', b'"n": ' + b"9" * 10**6, r"a number has 1,000,000 characters"),
        (b'"n": 3', b'"n": 03', r"line \d+, column \d+ is not JSON"),
        (b'"n": 3', b"n: 3", r"is not JSON"),
        (b'"n": 3', b"\xff", r"byte \d+ is not UTF-8"),
        (b'"bookmarks": []\n}', b'"bookmarks": []', r"is not JSON"),
        (b'"bookmarks": []\n}', b'"bookmarks": []\n}}', r"line \d+, column \d+ is not JSON \(extra data\)"),
    ],
)
def test_what_is_no_strict_json_is_refused(old, new, sentence):
    data = session.dumps(session.fresh(zoo.CONCEPTS))
    assert old in data
    with pytest.raises(FormatError, match=sentence):
        read(data.replace(old, new, 1))


@pytest.mark.parametrize("data", [b"", b" \n", b"[]", b"{}", b"null", b"3", b'"session"', b"\0" * 9, b"\xff\xfe{\0}\0"])
def test_files_that_are_something_else_are_refused(data):
    with pytest.raises(FormatError, match=r"^talk\.attn"):
        read(data)


def test_an_older_format_is_read_through_its_migration(document, monkeypatch):
    # A version 0 that called the tab in front "tab" and had no place for bookmarks.
    def migrate(old):
        old["front"] = old.pop("tab")
        return {**old, "version": 1, "bookmarks": []}

    monkeypatch.setitem(session.MIGRATIONS, 0, migrate)
    expected = read(document)
    document.update(version=0, tab=document.pop("front"))
    del document["bookmarks"]
    assert read(document).same_as(expected)
    with pytest.raises(FormatError, match=r"formats 0 to 1 are read"):
        read({**document, "version": -1})
    del document["tab"]
    with pytest.raises(FormatError, match=r"does not hold what format 0 must hold"):
        read(document)


def test_a_session_too_large_to_be_opened_again_is_not_written(tmp_path, monkeypatch):
    monkeypatch.setattr(session.strictjson, "MOST_BYTES", 1000)
    with pytest.raises(ValueError, match=r"at most 1,000 can be opened again"):
        session.write(tmp_path / "talk.attn", session.fresh(zoo.CONCEPTS))
    assert not (tmp_path / "talk.attn").exists()
