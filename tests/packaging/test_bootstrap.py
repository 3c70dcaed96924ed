"""The two commands: whom they refuse, when they draw instead of opening a window, what they hand over."""

import ast
import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

import bootstrap
from trouble import Trouble

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux comes without a display")


@pytest.fixture
def no_display(monkeypatch):
    for variable in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"):
        monkeypatch.delenv(variable, raising=False)


@pytest.mark.parametrize("script", ["run.py", "test.py"])
def test_a_python_that_is_too_old_can_read_the_refusal(script):
    source = (ROOT / "packaging" / script).read_text()
    tree = ast.parse(source, feature_version=(3, 4))
    refusal = next(position for position, node in enumerate(tree.body) if isinstance(node, ast.If))
    later = [node for node in tree.body[refusal:] if isinstance(node, ast.Import)]
    assert [alias.name for node in later for alias in node.names] == ["bootstrap"]
    assert not any(isinstance(node, ast.JoinedStr) for node in ast.walk(tree))


@pytest.mark.parametrize("version", ["2.7", "3.6", "3.8", "3.9", "3.10"])
def test_a_python_that_is_too_old_says_so_in_one_sentence(version):
    candidates = [shutil.which(f"python{version}"), *Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python")]
    old = next((path for path in candidates if path and works(path)), None)
    if old is None:
        pytest.skip(f"no Python {version} here")
    done = subprocess.run([old, ROOT / "packaging" / "run.py"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stderr == f"Attention Explorer needs Python 3.11 or newer; this is Python {version}.\n"


def works(python) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


@linux
def test_without_variables_there_is_no_display(no_display):
    assert not bootstrap.has_display()


@linux
@pytest.mark.parametrize("name", [":987", "unix:987.0", "localhost:987", "nonsense", ":", "[::1]:987"])
def test_a_display_that_nothing_answers_on_is_none(no_display, monkeypatch, name):
    monkeypatch.setenv("DISPLAY", name)
    assert not bootstrap.has_display()


@linux
def test_an_x_server_on_an_abstract_socket_is_a_display(no_display, monkeypatch):
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("\0/tmp/.X11-unix/X986")
        server.listen()
        monkeypatch.setenv("DISPLAY", ":986.0")
        assert bootstrap.has_display()


@linux
def test_a_wayland_compositor_is_a_display(no_display, monkeypatch, tmp_path):
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setenv("WAYLAND_DISPLAY", "wayland-7")
    assert not bootstrap.has_display()
    monkeypatch.chdir(tmp_path)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("wayland-7")
        server.listen()
        assert bootstrap.has_display()


@linux
@pytest.mark.parametrize(
    ("platform", "seen"), [("offscreen", False), ("minimal", False), ("linuxfb:fb=/dev/fb0", True)]
)
def test_a_platform_that_shows_nothing_is_no_display(no_display, monkeypatch, platform, seen):
    monkeypatch.setenv("QT_QPA_PLATFORM", platform)
    assert bootstrap.has_display() is seen


class HandedOverError(Exception):
    """Stands for the process that would have taken over."""


@pytest.fixture
def handed(monkeypatch, tmp_path):
    """Let nothing be prepared or started, and record what would be."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bootstrap, "_prepare", lambda _wanted, *, with_display: Path("python"))

    def become(command):
        raise HandedOverError(command)

    monkeypatch.setattr(bootstrap, "_become", become)
    drawn = []
    monkeypatch.setattr(bootstrap, "_draw", lambda _python, arguments: drawn.append(arguments) or 0)
    return drawn


@pytest.mark.parametrize("arguments", [[], ["--tab", "cost"], ["class.attn", "--present"]])
def test_with_a_display_the_window_gets_all_arguments(handed, monkeypatch, arguments):
    monkeypatch.setattr(bootstrap, "has_display", lambda: True)
    with pytest.raises(HandedOverError) as taken:
        bootstrap.run(arguments)
    assert taken.value.args[0] == ["python", "-P", "-m", "explorer", *arguments]


@pytest.mark.parametrize(
    ("arguments", "drawn"),
    [
        ([], ["--tab", "all"]),
        (["--tab", "cost"], ["--tab", "cost"]),
        (["class.attn", "--present"], ["--tab", "all", "--present", "--session", "class.attn"]),
    ],
)
def test_without_a_display_the_tabs_are_drawn(handed, monkeypatch, tmp_path, arguments, drawn):
    monkeypatch.setattr(bootstrap, "has_display", lambda: False)
    assert bootstrap.run(arguments) == 0
    (call,) = handed
    out = call.index("--out")
    assert call[0] == "render"
    assert call[out : out + 2] == ["--out", str(tmp_path / "attention-explorer-pictures")]
    assert call[1:out] + call[out + 2 :] == drawn


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["numbers", "3"], ["cost", "--help"], ["--smoke"]])
def test_what_needs_no_display_is_handed_over_without_one(handed, monkeypatch, arguments):
    monkeypatch.setattr(bootstrap, "has_display", lambda: False)
    with pytest.raises(HandedOverError) as taken:
        bootstrap.run(arguments)
    assert taken.value.args[0][4:] == arguments


def test_the_tests_get_the_arguments_of_pytest(handed):
    with pytest.raises(HandedOverError) as taken:
        bootstrap.test(["-k", "mask"])
    assert taken.value.args[0] == ["python", "-P", "-m", "pytest", "-k", "mask"]
    assert Path.cwd() == ROOT


def test_trouble_is_told_without_a_traceback(monkeypatch, capsys, tmp_path):
    def fail(_wanted, *, with_display):
        raise Trouble("The disk is full.")

    monkeypatch.setattr(bootstrap, "_prepare", fail)
    assert bootstrap.run(["--version"]) == 1
    assert capsys.readouterr().err == "The disk is full.\n"


def test_a_first_run_that_is_stopped_by_hand_says_so(monkeypatch, capsys):
    def stop(_wanted, *, with_display):
        raise KeyboardInterrupt

    monkeypatch.setattr(bootstrap, "_prepare", stop)
    assert bootstrap.run(["--version"]) == 130
    assert "Traceback" not in capsys.readouterr().err


def test_a_system_on_which_qt_does_not_start_is_told_why(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 'ImportError: libodd.so.1: cannot open shared object file' >&2\nexit 1\n")
    python.chmod(0o755)
    with pytest.raises(Trouble, match=r"do not start on this system: ImportError: libodd\.so\.1"):
        bootstrap._check_that_it_starts(python)


def test_a_processor_that_is_too_old_is_told_so(tmp_path):
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -ILL $$\n")
    python.chmod(0o755)
    with pytest.raises(Trouble, match="x86-64-v2"):
        bootstrap._check_that_it_starts(python)


@pytest.mark.skipif(os.name == "nt", reason="a shell script stands for Python")
def test_the_pictures_are_counted_and_their_folder_is_named(monkeypatch, tmp_path, capfd):
    monkeypatch.chdir(tmp_path)
    python = tmp_path / "python"
    python.write_text(
        '#!/bin/sh\n[ "$QT_QPA_PLATFORM" = offscreen ] || exit 3\nmkdir -p "$7"; touch "$7/01-a.png" "$7/02-b.png"\n'
    )
    python.chmod(0o755)
    folder = tmp_path / "attention-explorer-pictures"
    assert bootstrap._draw(python, ["render", "--tab", "--out", str(folder)]) == 0
    said = capfd.readouterr().out
    assert f"Done: 2 pictures in {folder}" in said


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_a_crash_while_drawing_is_told(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\nkill -SEGV $$\n")
    python.chmod(0o755)
    with pytest.raises(Trouble, match="signal 11"):
        bootstrap._draw(python, ["render"])
