"""The verbs new, compute and export, as the command line calls them."""

from __future__ import annotations

import contextlib
import csv
import io
import json
import math
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from explorer import cli
from explorer.concepts import all_concepts
from explorer.core.checks import InputError
from explorer.workbench import documents, session
from explorer.workbench.data_export import results_of
from explorer.workbench.documents import with_values
from explorer.workbench.state import initial
from tests.workbench import zoo

ROOT = Path(__file__).resolve().parents[2]


def run(*arguments):
    return cli.main([str(one) for one in arguments])


# --- new ---


def test_without_values_it_is_the_lesson():
    assert with_values(zoo.HEADS, {}).same_as(initial(zoo.HEADS))


def test_an_array_replaces_an_input_and_sizes_follow():
    state = with_values(zoo.HEADS, {"q": [[[1, 2, 3], [4, 5, 6.5]]]})
    assert dict(state.sizes) == {"n": 2, "width": 3, "n_head": 1, "n_head_kv": 1}
    assert state.inputs["q"].tolist() == [[[1, 2, 3], [4, 5, 6.5]]]
    assert state.inputs["look"].shape == (2, 2)
    assert state.tokens == ("the", "cat")
    assert (state.origins["q"], state.origins["k"]) == ("typed", "lesson")


def test_controls_sizes_and_tokens_are_set_by_their_names():
    state = with_values(
        zoo.HEADS,
        {
            "kv": 2,
            "most": 3,
            "divisor": "none",
            "masked": False,
            "asks": -1,
            "width": 4,
            "tokens": ["a", "<b>", "الكلمة", "d"],
        },
    )
    assert dict(state.controls) == {
        "kv": 2, "most": 3, "sharpness": 1.0, "divisor": "none", "masked": False, "asks": -1, "model": "some-model",
    }  # fmt: skip
    assert dict(state.sizes) == {"n": 4, "width": 4, "n_head": 2, "n_head_kv": 1}
    assert state.tokens == ("a", "<b>", "الكلمة", "d")


def test_masks_take_truth_values_and_ones_and_zeros():
    for look in ([[True, False], [True, True]], [[1, 0], [1, 1]]):
        assert with_values(zoo.HEADS, {"look": look}).inputs["look"].tolist() == [[True, False], [True, True]]


def test_minus_infinity_masks_a_typed_score():
    state = with_values(zoo.HEADS, {"scores": [[1, "-Infinity"], [0, 2]]})
    assert state.inputs["scores"][0, 1] == -math.inf


def test_columns_of_several_heads_settle_the_width():
    state = with_values(zoo.HEADS, {"wide": [[1, 2, 3, 4, 5, 6]] * 3})
    assert (state.sizes["width"], state.sizes["n_head"]) == (3, 2)


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"z": 1}, "tab 1 has nothing called z; it has the inputs q, k, look, scores"),
        ({"q": 3}, r"q must be lists of rows of numbers, n_head × n × width; q is 3"),
        ({"q": [[1, 2]]}, r"q\[0\]\[0\] is 1"),
        ({"q": []}, r"q is a list of 0"),
        ({"q": [[[1, 2], [3]]]}, r"q\[0\]\[1\] has 1 entries and others have 2"),
        ({"q": [[[1, "2"]]]}, r"q\[0\]\[0\]\[1\] is '2'"),
        ({"q": [[[1, None]]]}, r"q\[0\]\[0\]\[1\] is null"),
        ({"q": [[[1, True]]]}, r"q\[0\]\[0\]\[1\] is true"),
        ({"q": [[[1, math.inf]]]}, r"q\[0\]\[0\]\[1\] is inf"),
        ({"q": [[[1, math.nan]]]}, r"q\[0\]\[0\]\[1\] is nan"),
        ({"q": [[[1, 10**400]]]}, r"q\[0\]\[0\]\[1\] is 1000"),
        ({"q": [[[1, "-Infinity"]]]}, r"q\[0\]\[0\]\[1\] is '-Infinity'"),
        ({"q": [[[1, 2e9]]]}, r"q\[0, 0, 1\] cannot be 2e9; a number from -1e9 to 1e9"),
        ({"k": [[[51.0]]]}, r"k\[0, 0, 0\] cannot be 51; a number from -50 to 50"),
        ({"look": [[0.5]]}, r"look must be a list of rows of true or false, n × n; look\[0\]\[0\] is 0.5"),
        ({"look": [[1, 0]]}, "look makes n 1, but look makes it 2; they must agree"),
        ({"q": [[[1, 2]]], "k": [[[1, 2], [1, 2]]]}, "q makes n 1, but k makes it 2"),
        ({"n": 3, "tokens": ["a"]}, "n makes n 3, but tokens makes it 1"),
        ({"n": 7}, "tokens cannot be 7; a whole number from 1 to 6"),
        ({"n": 2.5}, "tokens cannot be 2.5"),
        ({"n": "3"}, "tokens cannot be '3'"),
        ({"n": [3]}, "tokens cannot be"),
        ({"q": [[[1] * 9]]}, "width cannot be 9; a whole number from 1 to 5"),
        ({"n_head_kv": 3}, "KV heads cannot be 3; it may be 1 or 2"),
        ({"tokens": "abc"}, 'tokens must be a list of names, such as \\["the", "cat"\\]'),
        ({"tokens": []}, "tokens must be a list of names"),
        ({"tokens": ["a", 3]}, "tokens must be a list of names"),
        ({"tokens": ["a", " "]}, "at least one character"),
        ({"tokens": ["a", "\0"]}, "a token's name holds a character that no file can keep"),
        ({"tokens": ["a", "\ud800"]}, "a token's name holds a character that no file can keep"),
        ({"model": "\ud800"}, "model holds a character that no file can keep"),
        ({"sharpness": 10**400}, r"sharpness cannot be 1000\d*\.\.\.; a number"),
        ({"masked": 1}, "mask is on or off; 1 is neither"),
        ({"divisor": "d"}, "divided by cannot be 'd'; the options are sqrt_d_head, none"),
        ({"kv": 3}, "KV heads cannot be 3; a number from 1 to 1"),
        ({"sharpness": None}, "sharpness cannot be null"),
        ({"sharpness": math.nan}, "sharpness cannot be nan"),
        ({"model": 3}, "model takes a line of text, not 3"),
        ({"wide": [[1, 2, 3, 4]] * 3}, r"wide has the shape \(3, \d\); an array of shape \(3, 4\) does not fit"),
    ],
)
def test_values_that_do_not_fit_are_refused_with_one_sentence(values, said):
    with pytest.raises(InputError, match=said) as refusal:
        with_values(zoo.HEADS, values)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize("concept", all_concepts(), ids=lambda concept: concept.slug)
@pytest.mark.parametrize(
    "value",
    ["50%", "", None, True, -1, 1e300, math.inf, math.nan, 10**400, [1], {}],
    ids=lambda value: repr(value)[:20],
)
def test_whatever_a_control_is_set_to_is_taken_or_refused_with_a_sentence(concept, value):
    for control in concept.controls:
        with contextlib.suppress(InputError):
            with_values(concept, {control.name: value})
    with contextlib.suppress(InputError):
        with_values(concept, {control.name: value for control in concept.controls})


def test_numbers_that_overflow_are_refused():
    wide = zoo.HEADS._replace(inputs=tuple(one._replace(limits=(-math.inf, 1e308)) for one in zoo.HEADS.inputs))
    with pytest.raises(ValueError, match=r"would make raw\[0, 0, 0\] overflow"):
        with_values(wide, {"q": [[[1e308]]], "k": [[[100]]]})


# --- on the command line, with the tabs that there are ---


@pytest.mark.parametrize("concept", all_concepts(), ids=lambda concept: concept.slug)
def test_a_new_session_computes_what_the_tab_shows(concept, tmp_path, capsys):
    assert run("new", "--tab", concept.slug, "--out", tmp_path / "a.attn") == 0
    assert run("compute", tmp_path / "a.attn", "--json") == 0
    computed = json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))
    results = results_of(concept, initial(concept))
    assert list(computed) == ["arrays"]
    assert set(computed["arrays"]) == set(results)
    for name, nested in computed["arrays"].items():
        read = np.array(json.loads(json.dumps(nested).replace('"-Infinity"', "-Infinity")), results[name].dtype)
        assert read.tobytes() == results[name].tobytes()


@pytest.mark.parametrize("concept", all_concepts(), ids=lambda concept: concept.slug)
def test_every_tab_is_described_and_exported(concept, tmp_path, capsys):
    run("new", "--tab", concept.number, "--out", tmp_path / "a.attn")
    assert run("compute", tmp_path / "a.attn") == 0
    results = results_of(concept, initial(concept))
    page = capsys.readouterr().out
    assert all(f"\n{name}" in f"\n{page}" for name in results)
    for kind in documents.KINDS:
        assert run("export", tmp_path / "a.attn", "--to", kind, "--out", tmp_path / f"a.{kind}") == 0
    with np.load(tmp_path / "a.npz", allow_pickle=False) as arrays:
        for name, array in results.items():
            assert arrays[name].tobytes() == array.tobytes()
            assert arrays[f"{concept.slug}/{name}"].tobytes() == array.tobytes()
        assert {name.partition("/")[0] for name in arrays if "/" in name} == {one.slug for one in all_concepts()}
    tables = csv.reader(io.StringIO((tmp_path / "a.csv").read_text(encoding="utf-8-sig"), newline=""))
    names = {row[0].partition("[")[0] for row in tables if row}
    assert names >= set(results)


def test_compute_prints_the_same_with_no_display_and_no_home(tmp_path):
    run("new", "--out", tmp_path / "a.attn")
    done = subprocess.run(
        [sys.executable, "-m", "explorer", "compute", str(tmp_path / "a.attn"), "--json"],
        cwd=ROOT,
        # Which kernels BLAS chooses is no business of a display.
        env={name: value for name, value in os.environ.items() if name in ("PATH", "SYSTEMROOT") or "BLAS" in name},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert json.loads(done.stdout) == documents.compute(tmp_path / "a.attn")


def test_a_new_session_has_only_what_was_told_changed(tmp_path):
    concept = all_concepts()[0]
    name, array = next(iter(initial(concept).inputs.items()))
    text = json.dumps((array * 0).tolist())
    assert run("new", "--set", f"{name}={text}", "--out", tmp_path / "a.attn") == 0
    read, fresh = session.read(tmp_path / "a.attn"), session.fresh()
    assert read.front == concept.slug
    assert np.array_equal(read.tabs[concept.slug].state.inputs[name], array * 0)
    assert all(one.same_as(fresh.tabs[slug]) for slug, one in read.tabs.items() if slug != concept.slug)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["new", "--tab", "99", "--out", "a.attn"], "there is no tab called '99'"),
        (["new", "--set", "nothing=1", "--out", "a.attn"], "has nothing called nothing"),
        (["new", "--out", "gone/a.attn"], "there is no folder"),
        (["new", "--tab", "7", "--set", 'tokens=["\\u0000"]', "--out", "a.attn"], "no file can keep"),
        (["compute", "gone.attn"], "gone.attn cannot be read: there is no such file"),
        (["export", "gone.attn", "--to", "csv", "--out", "x.csv"], "gone.attn cannot be read"),
    ],
)
def test_a_fault_is_one_line_and_status_1(arguments, said, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert run(*arguments) == 1
    told = capsys.readouterr().err
    assert said in told
    assert told.count("\n") == 1


def test_a_failed_export_leaves_the_old_file(tmp_path, monkeypatch, capsys):
    run("new", "--out", tmp_path / "a.attn")
    (tmp_path / "a.csv").write_text("old")
    monkeypatch.setattr(os, "fsync", lambda _: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    assert run("export", tmp_path / "a.attn", "--to", "csv", "--out", tmp_path / "a.csv") == 1
    assert "there is no space left" in capsys.readouterr().err
    assert (tmp_path / "a.csv").read_text() == "old"


def test_csv_goes_into_a_folder_one_file_an_array(tmp_path):
    run("new", "--out", tmp_path / "a.attn")
    written = documents.export(tmp_path / "a.attn", kind="csv", out=tmp_path / "numbers")
    concept = all_concepts()[0]
    assert {path.name for path in written} == {f"{name}.csv" for name in results_of(concept, initial(concept))}
    assert all(path.parent == tmp_path / "numbers" for path in written)


def test_pictures_are_not_this_rooms_business(tmp_path):
    with pytest.raises(InputError, match="there are csv, npz, py"):
        documents.export(tmp_path / "a.attn", kind="png", out=tmp_path / "a.png")


@given(zoo.states())
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_inputs_can_be_given_as_json(state):
    values = {name: documents._plain(array) for name, array in state.inputs.items()}
    made = with_values(zoo.HEADS, {**values, "n_head_kv": state.sizes["n_head_kv"], "tokens": list(state.tokens)})
    assert made.sizes == state.sizes
    assert made.tokens == state.tokens
    assert all(made.inputs[name].tobytes() == array.tobytes() for name, array in state.inputs.items())


def test_csv_goes_into_what_is_there_without_a_suffix(tmp_path):
    run("new", "--out", tmp_path / "a.attn")
    (tmp_path / "numbers").write_text("old")
    documents.export(tmp_path / "a.attn", kind="csv", out=tmp_path / "numbers")
    documents.export(tmp_path / "a.attn", kind="csv", out=tmp_path / "a.csv")
    assert (tmp_path / "numbers").read_bytes() == (tmp_path / "a.csv").read_bytes()
