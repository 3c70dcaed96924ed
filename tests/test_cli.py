"""The command line: which room gets which arguments, how it ends, and that no traceback reaches anybody."""

import io
import json
import math
import os
import subprocess
import sys
import types
from pathlib import Path

import pytest

from explorer import __version__, cli
from explorer.arguments import VERBS

ROOT = Path(__file__).resolve().parents[1]


def explore(*arguments: str, python: tuple[str, ...] = (), **options) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, *python, "-m", "explorer", *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, **options)


def room(monkeypatch, name: str, **functions) -> None:
    """Put a module of this name where a verb will look for it."""
    module = types.ModuleType(name)
    module.__dict__.update(functions)
    package, _, attribute = name.rpartition(".")
    monkeypatch.setitem(sys.modules, name, module)
    monkeypatch.setattr(__import__(package, fromlist=["_"]), attribute, module, raising=False)


@pytest.fixture
def environment(monkeypatch):
    """Let a verb change the surroundings of the process without anybody noticing afterwards."""
    for variable in ("QT_QPA_PLATFORM", "DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.setenv(variable, "")
        monkeypatch.delenv(variable)
    return os.environ


# How it answers at once -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], *([verb, "--help"] for verb in VERBS)])
def test_help_and_version_import_neither_numpy_nor_qt(arguments):
    done = explore(*arguments, python=("-X", "importtime"))
    imported = {line.split("|")[-1].strip() for line in done.stderr.splitlines()}
    assert done.returncode == 0
    assert "argparse" in imported
    roots = {name.split(".")[0] for name in imported}
    assert roots.isdisjoint({"numpy", "PySide6", "shiboken6", "pyqtgraph", "ziamath"})
    ours = {name for name in imported if name.startswith("explorer.")} - {"explorer.cli", "explorer.arguments"}
    assert not ours or arguments[0] in VERBS


def test_the_version_is_the_packages(capsys):
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"attention-explorer {__version__}\n"


def test_the_help_names_every_verb(capsys):
    assert cli.main(["--help"]) == 0
    said = capsys.readouterr().out
    assert all(f"\n  {verb} " in said for verb in VERBS)


def test_every_verb_has_a_room():
    assert cli.ROOMS.keys() == VERBS.keys()


# How it ends ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["numbers"], "required: N"),
        (["numbers", "three"], "invalid int value: 'three'"),
        (["numbers", "3", "--jso"], "unrecognized arguments: --jso"),
        (["render"], "required: --out"),
        (["render", "--out", "x", "--theme", "pink"], "'light', 'dark', 'contrast'"),
        (["render", "--out", "x", "--size", "1280"], "'1280' is not a size; write it like 1280x720"),
        (["render", "--out", "x", "--size", "1x1"], "320x200 to 16384x16384"),
        (["render", "--out", "x", "--scale", "50"], "whole percents from 80 to 300"),
        (["cost"], "required: SHAPE"),
        (["cost", "custom", "--context", "many"], "'many' is not a whole number"),
        (["cost", "custom", "--context", "0"], "0 is less than 1"),
        (["cost", "custom", "--context", "inf"], "'inf' is not a whole number"),
        (["cost", "custom", "--cache-type", "f8"], "invalid choice: 'f8'"),
        (["export", "a.attn", "--to", "gif", "--out", "x"], "invalid choice: 'gif'"),
        (["new"], "required: --out"),
        (["--tab"], "expected one argument"),
        (["rendr"], "did you mean 'render'?"),
        (["qqq"], "the verbs are numbers, render, cost, new, compute, export, bench"),
    ],
)
def test_wrong_usage_is_told_in_one_line_that_names_the_help(capsys, arguments, said):
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert said in captured.err
    assert "--help'" in captured.err
    assert len(captured.err.splitlines()) == 1
    assert captured.out == ""


def test_an_input_at_fault_is_told_in_one_line(capsys):
    assert cli.main(["numbers", "14"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.startswith("attention-explorer: ")
    assert "14" in captured.err
    assert "13" in captured.err
    assert len(captured.err.splitlines()) == 1


@pytest.mark.parametrize(
    ("error", "said"),
    [
        (ValueError("first\nsecond"), "first second"),
        (FileNotFoundError(2, "No such file or directory", "a.attn"), "a.attn: No such file or directory"),
        (ImportError("No module named 'numpy'"), "this installation is not complete (No module named 'numpy')"),
        (MemoryError(), "there is not enough memory for this"),
        (KeyError("wq"), "unexpected KeyError: 'wq' (a fault of the program, not yours"),
        (RecursionError("too deep"), "unexpected RecursionError: too deep"),
        (ValueError(), "unexpected ValueError (a fault of the program"),
    ],
)
def test_whatever_goes_wrong_is_a_sentence(monkeypatch, capsys, error, said):
    def fail(_number):
        raise error

    room(monkeypatch, "explorer.workbench.numbers", example=fail)
    assert cli.main(["numbers", "1"]) == 1
    captured = capsys.readouterr()
    assert said in captured.err
    assert len(captured.err.splitlines()) == 1


def test_the_traceback_is_there_for_those_who_ask(monkeypatch, capsys):
    room(monkeypatch, "explorer.workbench.numbers")
    monkeypatch.setenv("ATTENTION_EXPLORER_DEBUG", "1")
    assert cli.main(["numbers", "1"]) == 1
    assert "Traceback" in capsys.readouterr().err


def test_ctrl_c_is_no_traceback(monkeypatch, capsys):
    def stop(_number):
        raise KeyboardInterrupt

    room(monkeypatch, "explorer.workbench.numbers", example=stop)
    assert cli.main(["numbers", "1"]) == 130
    assert capsys.readouterr().err == ""


@pytest.mark.skipif(os.name == "nt", reason="pipes")
def test_a_reader_that_has_read_enough_is_no_error():
    command = f"'{sys.executable}' -m explorer numbers 5 --json | head -c 10; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0
    assert done.stderr == ""
    assert len(done.stdout) == 10


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_told_in_one_line():
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "explorer", "numbers", "1"]
        done = subprocess.run(command, cwd=ROOT, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == "attention-explorer: the output: No space left on device\n"


@pytest.mark.parametrize("arguments", [["numbers", "1"], ["numbers", "99"], ["--help"], ["--nonsense"]])
def test_a_process_without_streams_has_the_same_status(monkeypatch, capsys, arguments):
    usual = cli.main(arguments)
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert cli.main(arguments) == usual


def test_an_output_that_lacks_a_sign_gets_a_plain_one(monkeypatch):
    room(monkeypatch, "explorer.workbench.documents", compute=str, describe=lambda _: "x (2 × 1)\n −1 √2 ∞ الكلمة")
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii", newline="\n"))
    assert cli.main(["compute", "a.attn"]) == 0
    assert raw.getvalue() == b"x (2 x 1)\n -1 sqrt 2 inf \\u0627\\u0644\\u0643\\u0644\\u0645\\u0629\n"


def test_it_may_be_called_again_and_writes_to_the_current_streams(monkeypatch):
    outputs = []
    for arguments in (["numbers", "2"], ["numbers", "99"], ["--version"], ["numbers", "2"]):
        out, err = io.StringIO(), io.StringIO()
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", err)
        outputs.append((cli.main(arguments), out.getvalue(), err.getvalue()))
    assert [status for status, _, _ in outputs] == [0, 1, 0, 0]
    assert outputs[0] == outputs[3]
    assert outputs[0][1]
    assert outputs[1][1] == ""


def test_without_arguments_it_takes_those_of_the_process(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["attention-explorer", "--version"])
    assert cli.main() == 0
    assert capsys.readouterr().out


# What the rooms get ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(1, 14))
def test_numbers_prints_the_lines_of_the_lesson(capsys, number):
    golden = json.loads((ROOT / "tests" / "goldens" / f"example{number:02d}.json").read_text())
    assert cli.main(["numbers", str(number)]) == 0
    assert capsys.readouterr().out == "".join(f"{line}\n" for line in golden["printed_lines"])


@pytest.mark.parametrize("number", range(1, 14))
def test_numbers_as_json_is_strict(capsys, number):
    assert cli.main(["numbers", str(number), "--json"]) == 0

    def refuse(word):
        raise AssertionError(word)

    assert json.loads(capsys.readouterr().out, parse_constant=refuse)


def test_render_hands_on_what_it_was_told(monkeypatch, capsys, environment, tmp_path):
    calls = []
    room(monkeypatch, "explorer.ui.render", render=lambda **options: calls.append(options) or [tmp_path / "01-a.png"])
    arguments = ["--tab", "7", "--size", "1920×1080", "--theme", "dark", "--scale", "150%", "--present"]
    assert cli.main(["render", *arguments, "--session", "a.attn", "--out", str(tmp_path)]) == 0
    assert calls == [
        {
            "tab": "7",
            "size": (1920, 1080),
            "theme": "dark",
            "scale": 150,
            "present": True,
            "session": Path("a.attn"),
            "out": tmp_path,
        }
    ]
    assert capsys.readouterr().out == f"{tmp_path / '01-a.png'}\n"


def test_render_has_defaults_for_all_but_the_folder(monkeypatch, environment, tmp_path):
    calls = []
    room(monkeypatch, "explorer.ui.render", render=lambda **options: calls.append(options) or [])
    assert cli.main(["render", "--out", str(tmp_path)]) == 0
    (call,) = calls
    assert (call["tab"], call["size"], call["theme"], call["scale"]) == (None, (1280, 720), "light", 100)
    assert (call["present"], call["session"]) == (False, None)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="elsewhere Qt draws on the native platform")
def test_render_draws_where_nobody_sees_it(monkeypatch, environment, tmp_path):
    seen = []
    room(monkeypatch, "explorer.ui.render", render=lambda **_: seen.append(os.environ["QT_QPA_PLATFORM"]) or [])
    monkeypatch.setenv("DISPLAY", ":0")
    assert cli.main(["render", "--out", str(tmp_path)]) == 0
    assert seen == ["offscreen"]


def window_calls(monkeypatch) -> list[dict]:
    calls = []
    room(monkeypatch, "explorer.app", run_window=lambda **options: calls.append(options) or 0)
    return calls


def test_the_window_gets_its_options(monkeypatch, environment):
    calls = window_calls(monkeypatch)
    monkeypatch.setenv("DISPLAY", ":0")
    assert cli.main(["class.attn", "--tab", "cost", "--present", "--reset-settings"]) == 0
    assert calls == [
        {
            "session": "class.attn",
            "tab": "cost",
            "present": True,
            "reset_settings": True,
            "exit_after_first_paint": False,
        }
    ]


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux comes without a display")
def test_a_window_without_a_display_is_refused_with_what_works_instead(monkeypatch, capsys, environment):
    calls = window_calls(monkeypatch)
    assert cli.main([]) == 1
    assert "'attention-explorer render --tab all --out FOLDER'" in capsys.readouterr().err
    assert calls == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux comes without a display")
def test_the_first_paint_needs_no_display(monkeypatch, environment):
    calls = window_calls(monkeypatch)
    assert cli.main(["--exit-after-first-paint"]) == 0
    assert calls[0]["exit_after_first_paint"] is True
    assert environment["QT_QPA_PLATFORM"] == "offscreen"


def test_a_session_may_be_called_like_a_verb(monkeypatch, environment, tmp_path):
    calls = window_calls(monkeypatch)
    monkeypatch.setenv("DISPLAY", ":0")
    monkeypatch.chdir(tmp_path)
    Path("cots").touch()
    assert cli.main(["cots"]) == 0
    assert cli.main(["./cost"]) == 0
    assert [call["session"] for call in calls] == ["cots", "./cost"]


def test_new_hands_on_the_values_that_were_set(monkeypatch):
    calls = []
    room(monkeypatch, "explorer.workbench.documents", write_new=lambda *where, **what: calls.append((where, what)))
    values = ["--set", "x=[[1,2],[3,4]]", "--set", "causal=false", "--set", 'bias=[["-Infinity", 0]]']
    assert cli.main(["new", "--tab", "7", *values, "--out", "a.attn"]) == 0
    expected = {"x": [[1, 2], [3, 4]], "causal": False, "bias": [["-Infinity", 0]]}
    assert calls == [((Path("a.attn"),), {"tab": "7", "values": expected})]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x", "--set 'x' has no '='"),
        ("=1", "--set '=1' has no name before its '='"),
        ("x=[1,", "--set x: '[1,' is not JSON"),
        ("x=[NaN]", "NaN is not JSON"),
        ("embeddings=[[" + "1" * 5000 + "]]", "embeddings[0][0] is inf"),
        ("x=[Infinity]", 'minus infinity is written "-Infinity"'),
        ("x=" + "[" * 100_000, "is not JSON"),
    ],
)
def test_a_value_that_cannot_be_read_is_named(capsys, tmp_path, text, said):
    assert cli.main(["new", "--set", text, "--out", str(tmp_path / "a.attn")]) == 1
    captured = capsys.readouterr()
    assert said in captured.err
    assert len(captured.err.splitlines()) == 1
    assert not (tmp_path / "a.attn").exists()


@pytest.mark.parametrize(
    ("kind", "module"),
    [
        ("png", "explorer.ui.export"),
        ("svg", "explorer.ui.export"),
        ("csv", "explorer.workbench.documents"),
        ("npz", "explorer.workbench.documents"),
        ("py", "explorer.workbench.documents"),
    ],
)
def test_pictures_are_exported_by_the_ui_and_data_without_it(monkeypatch, capsys, environment, kind, module):
    calls = []
    room(monkeypatch, module, export=lambda *what, **how: calls.append((what, how)) or [Path("out")])
    assert cli.main(["export", "a.attn", "--to", kind, "--out", "out"]) == 0
    assert calls == [((Path("a.attn"),), {"kind": kind, "out": Path("out")})]
    assert capsys.readouterr().out == "out\n"
    assert ("QT_QPA_PLATFORM" in environment) is (module == "explorer.ui.export" and sys.platform.startswith("linux"))


def test_compute_prints_text_or_json(monkeypatch, capsys):
    result = {"arrays": {"x": [[1.0, "-Infinity"]]}}
    room(monkeypatch, "explorer.workbench.documents", compute=lambda _file: result, describe=lambda _result: "x (1, 2)")
    assert cli.main(["compute", "a.attn"]) == 0
    assert capsys.readouterr().out == "x (1, 2)\n"
    assert cli.main(["compute", "a.attn", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == result


def test_the_exit_status_of_the_smoke_test_is_its_own(monkeypatch, environment):
    room(monkeypatch, "explorer.ui.smoke", run=lambda: 1)
    assert cli.main(["--smoke"]) == 1


@pytest.mark.parametrize(("text", "number"), [("4096", 4096), ("4_096", 4096), ("8e9", 8_000_000_000), ("1e3", 1000)])
def test_counts_are_read_as_people_write_them(text, number):
    from explorer.arguments import verb_parser

    assert verb_parser("cost").parse_args(["custom", "--params", text]).params == number


def test_cost_reports_a_shape_given_by_hand_as_text_and_as_json(capsys):
    shape = ["cost", "custom", "--n-layer", "4", "--n-head-kv", "2", "--head-dim", "64", "--context", "4096"]
    assert cli.main([*shape, "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["kv_bytes"] == 4 * 2 * 64 * 2 * 2 * 4096
    assert report["params"] is None
    assert isinstance(report["notes"], list)
    assert cli.main(shape) == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize("shape", ["no-such-model", "/etc/passwd", "absent.gguf", "custom"])
def test_a_shape_that_cannot_be_had_is_one_line(capsys, shape):
    assert cli.main(["cost", shape, "--json"]) in {1, 2}
    captured = capsys.readouterr()
    assert captured.out == ""
    assert len(captured.err.splitlines()) == 1


# JSON -----------------------------------------------------------------------------------------------------------------


def test_json_says_minus_infinity_in_words(monkeypatch, capsys):
    import numpy as np

    cli._print_json({"masked": np.array([0.5, -np.inf]), "n": np.int64(3), "row": (math.inf, None, True)})
    printed = json.loads(capsys.readouterr().out)
    assert printed == {"masked": [0.5, "-Infinity"], "n": 3, "row": ["Infinity", None, True]}


def test_json_never_holds_nan():
    with pytest.raises(ValueError, match="not JSON compliant"):
        cli._print_json({"a": math.nan})


def test_json_keeps_every_bit_of_a_number(capsys):
    values = [0.1 + 0.2, 1e-320, 2**53 + 1, -0.0]
    cli._print_json(values)
    assert [repr(value) for value in json.loads(capsys.readouterr().out)] == [repr(value) for value in values]


# Around the process ---------------------------------------------------------------------------------------------------


def test_blas_gets_one_thread_unless_told_otherwise():
    ask = (
        "import os, sys; from explorer import cli; cli.main(['numbers', '2']);"
        "print(os.environ['OPENBLAS_NUM_THREADS'], os.environ['OMP_NUM_THREADS'])"
    )
    kept = {name: value for name, value in os.environ.items() if not name.endswith("_NUM_THREADS")}
    done = subprocess.run(
        [sys.executable, "-c", ask],
        cwd=ROOT,
        env={**kept, "OMP_NUM_THREADS": "3"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "1 3"


def test_pictures_instead_of_a_window_show_the_same():
    folder = Path("pictures")
    assert cli.pictures_instead([], folder) == ["render", "--tab", "all", "--out", "pictures"]
    assert cli.pictures_instead(["--smoke"], folder) is None
    assert cli.pictures_instead(["cost", "custom"], folder) is None
