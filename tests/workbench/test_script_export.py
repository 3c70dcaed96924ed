"""A tab as a script: it runs with NumPy alone, prints the tab's numbers, and fails when one of them is altered."""

from __future__ import annotations

import io
import json
import os
import runpy
import subprocess
import sys
import tokenize
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

from explorer.concepts import all_concepts
from explorer.concepts.declaration import Axis, Concept, Input, Matrix, Stage
from explorer.core.ops import attention
from explorer.core.ops.base import Op
from explorer.workbench import documents, session
from explorer.workbench.changes import Changes
from explorer.workbench.data_export import results_of
from explorer.workbench.script_export import numpy_script
from explorer.workbench.state import initial
from tests.workbench import zoo

SCRIPT = numpy_script(zoo.HEADS, initial(zoo.HEADS))


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a script in this process, as a file, and return what it printed and defined."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
        monkeypatch.setenv(name, "1")

    def run(text):
        path = tmp_path / "tab.py"
        path.write_text(text, encoding="utf-8")
        out = io.StringIO()
        monkeypatch.setattr(sys, "stdout", out)
        with np.printoptions(), warnings.catch_warnings():
            # Outside of tests these are not errors: rows that may look nowhere, altered numbers that overflow.
            warnings.simplefilter("ignore")
            defined = runpy.run_path(str(path))
        return out.getvalue(), defined

    return run


@pytest.fixture
def bare_environment():
    """The little that a process needs to start."""
    return {name: os.environ[name] for name in ("PATH", "SYSTEMROOT") if name in os.environ}


def same_bits(one, other):
    return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()


@pytest.mark.parametrize("concept", all_concepts(), ids=lambda concept: concept.slug)
def test_every_tabs_script_gives_what_the_app_computes_to_the_last_bit(concept, run):
    state = initial(concept)
    results = results_of(concept, state)
    printed, defined = run(numpy_script(concept, state))
    assert printed.endswith("every number is the tab's, to the last bit\n")
    for name, array in defined["arrays"].items():
        assert same_bits(np.asarray(array), results[name])
    assert list(defined["arrays"]) == list(results)


@given(state=zoo.states())
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture])
def test_any_states_script_runs(run, state):
    results = results_of(zoo.HEADS, state)
    _, defined = run(numpy_script(zoo.HEADS, state))
    for name, array in defined["arrays"].items():
        assert same_bits(np.asarray(array), results[name])


def test_a_script_needs_numpy_alone_and_prints_every_number(tmp_path, bare_environment):
    path = tmp_path / "tab.py"
    path.write_text(SCRIPT, encoding="utf-8")
    # -I: neither this checkout nor the user's packages are importable; then everything imported is looked at.
    code = (
        "import runpy, sys; runpy.run_path(sys.argv[1]);"
        "print({m.split('.')[0] for m in sys.modules} - set(sys.stdlib_module_names) - {'__main__'}, file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", code, str(path)],
        cwd=tmp_path,
        env={**bare_environment, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    imported = {name for name in eval(done.stderr) if not name.startswith("_")}
    assert imported <= {"numpy", "sitecustomize", "usercustomize", "cython_runtime"}
    results = results_of(zoo.HEADS, initial(zoo.HEADS))
    for array in results.values():
        if array.dtype.kind == "f":
            for value in array[np.isfinite(array)].ravel():
                text = repr(float(value))
                assert text.removesuffix("0") in done.stdout


def test_a_script_of_a_saved_session_agrees_with_compute(tmp_path, run):
    file = tmp_path / "talk.attn"
    documents.write_new(file, values={})
    computed = documents.compute(file)["arrays"]
    documents.export(file, kind="py", out=tmp_path / "out.py")
    _, defined = run((tmp_path / "out.py").read_text(encoding="utf-8"))
    arrays = {name: np.asarray(array).tolist() for name, array in defined["arrays"].items()}
    assert json.loads(json.dumps(computed).replace('"-Infinity"', "-Infinity")) == arrays


def literals(text):
    """List the places of a script's numbers, truth values, texts, and signs of negative numbers."""
    return [
        (token.start[0] - 1, token.start[1], token.string)
        for token in tokenize.generate_tokens(io.StringIO(text).readline)
        if token.type in (tokenize.NUMBER, tokenize.STRING) or token.string in ("True", "False", "None", "-")
    ]


def altered(text, place):
    """Return a script with one literal changed: a number in its last digit, a text by one letter, a sign to plus."""
    line, column, old = place
    others = {"True": "False", "False": "True", "None": "0", "-": "+"}
    if old in others:
        new = others[old]
    elif old[-1] in "'\"":
        new = f"{old[0]}x{old[1:]}" if not old.startswith('"""') else f"{old[:3]}x{old[3:]}"
    else:
        at = max(at for at, sign in enumerate(old.split("e")[0]) if sign.isdigit())
        new = old[:at] + str((int(old[at]) + 1) % 10) + old[at + 1 :]
    lines = text.split("\n")
    lines[line] = lines[line][:column] + new + lines[line][column + len(old) :]
    return "\n".join(lines)


def fails(run, text):
    try:
        run(text)
    except Exception:  # noqa: BLE001 - whatever a misspelt literal leads to
        return True
    return False


def test_a_script_fails_whichever_literal_is_altered(run):
    places = literals(SCRIPT)
    assert len(places) > 200
    for place in places:
        assert fails(run, altered(SCRIPT, place)), place


@pytest.mark.parametrize("concept", all_concepts(), ids=lambda concept: concept.slug)
def test_every_tabs_script_fails_when_a_literal_is_altered(concept, run):
    changes, state = Changes(concept), initial(concept)
    for draws in {"pairs", "trials"} & state.sizes.keys():
        state = changes.with_size(state, draws, 3)
    text = numpy_script(concept, state)
    assert not fails(run, text)
    places = literals(text)
    for place in places[:: max(1, len(places) // 15)]:
        assert fails(run, altered(text, place)), place


def test_a_script_uses_the_kernels_that_the_app_uses(monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    line = "os.environ[\"OPENBLAS_CORETYPE\"] = 'Haswell'"
    text = numpy_script(zoo.HEADS, initial(zoo.HEADS))
    assert 0 < text.index(line) < text.index("import numpy")
    monkeypatch.delenv("OPENBLAS_CORETYPE")
    assert "CORETYPE" not in numpy_script(zoo.HEADS, initial(zoo.HEADS))


def test_the_failure_names_the_cell(run):
    start = "q = np.array([\n    [\n        ["
    text = SCRIPT.replace(f"{start}0.14285714285714285,", f"{start}0.5,")
    with pytest.raises(AssertionError, match=r"^q\[0, 0, 0\] is 0\.5, in the tab 0\.14285714285714285$"):
        run(text)


def test_a_pasted_script_has_no_file_to_look_at_and_still_checks_its_numbers(monkeypatch):
    monkeypatch.setattr(sys, "stdout", io.StringIO())
    with np.printoptions():
        exec(compile(SCRIPT, "<pasted>", "exec"), {"__name__": "__main__"})
        with pytest.raises(AssertionError):
            exec(compile(SCRIPT.replace("row = np.array([0.", "row = np.array([1."), "<pasted>", "exec"), {})


def test_a_script_that_is_piped_or_run_by_another_file_checks_its_numbers(tmp_path):
    runner = tmp_path / "runner.py"
    (tmp_path / "tab.py").write_text(SCRIPT, encoding="utf-8")
    runner.write_text(f"exec(open({str(tmp_path / 'tab.py')!r}, encoding='utf-8').read())")
    for arguments, piped in (([str(runner)], None), (["-"], SCRIPT.encode())):
        subprocess.run([sys.executable, *arguments], input=piped, stdout=subprocess.DEVNULL, check=True)
    altered_script = SCRIPT.replace("row = np.array([0.", "row = np.array([1.").encode()
    done = subprocess.run([sys.executable, "-"], input=altered_script, capture_output=True, check=False)
    assert b"AssertionError: row[0] is" in done.stderr


def test_names_of_tokens_survive_whatever_they_hold(run):
    tokens = ('<b>&"50%"', "it's_\\n{x}", "👩‍👩‍👧 الكلمة")
    _, defined = run(numpy_script(zoo.HEADS, replace(initial(zoo.HEADS), tokens=tokens)))
    assert tuple(defined["tokens"]) == tokens


def _made(names, ops):
    """Return a tab of one input and a chain of stages, called as given."""
    axes = (Axis("3"), Axis("3"))
    stages, last = [], names[0]
    for name, op in zip(names[1:], ops, strict=True):
        stages.append(Stage(name, op, (last, last) if op.name in ("project", "scores") else (last,), axes, "plain"))
        last = name
    start = Input(names[0], axes, "input", lambda sizes: np.random.default_rng(1).normal(size=(3, 3)))
    return Concept(1, "made", "Made", (start,), tuple(stages), Matrix(names[0]))


def test_names_that_python_or_the_script_needs_are_given_another(run):
    names = ["lambda", "softmax", "np", "check", "shown", "2nd", "a-b", "print"]
    ops = [attention.softmax(), attention.project(), attention.softmax()] * 2 + [attention.softmax()]
    concept = _made(names, ops)
    state = initial(concept)
    printed, defined = run(numpy_script(concept, state))
    assert printed.endswith("to the last bit\n")
    assert list(defined["arrays"]) == names


def test_a_stage_that_hands_out_another_order_in_memory_still_agrees(run):
    transpose = Op("transpose", np.transpose, lambda *_: None, lambda names: f"{names[0]}.T")
    concept = _made(["x", "xt", "y"], [transpose, attention.project()])
    state = initial(concept)
    text = numpy_script(concept, state)
    assert "xt = np.ascontiguousarray(x.T)" in text
    assert run(text)[0].endswith("to the last bit\n")


def test_numbers_that_overflow_are_refused_with_a_sentence():
    state = replace(initial(zoo.HEADS), inputs={**initial(zoo.HEADS).inputs, "q": np.full((2, 3, 2), 1.7e308)})
    with pytest.raises(ValueError, match=r"raw\[\d, \d, \d\] of tab 1 overflows"):
        numpy_script(zoo.HEADS, state)


def test_a_script_can_be_exported_without_a_suffix_into_a_folder(tmp_path):
    session.write(tmp_path / "talk.attn", session.fresh())
    first = all_concepts()[0]
    (written,) = documents.export(tmp_path / "talk.attn", kind="py", out=tmp_path)
    assert written == tmp_path / f"{first.number:02d}-{first.slug}.py"
