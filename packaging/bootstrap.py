"""What ``run.py`` and ``test.py`` do: prepare the environment, then hand over to the application or to pytest.

Standard library only. The application's command line is asked what a call means; it needs no packages for that.
"""

import os
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import systempackages
from environment import Environment, clean_environment
from trouble import Trouble

ROOT = Path(__file__).resolve().parent.parent
PICTURES = "attention-explorer-pictures"
STOPPED = 130  # what a shell reports for a program that Ctrl+C ended


def run(arguments: list[str]) -> int:
    """Open the application; where there is no display, draw its tabs into a folder instead."""
    return _told(_run, arguments)


def test(arguments: list[str]) -> int:
    """Run pytest over this checkout."""
    return _told(_test, arguments)


def _run(arguments: list[str]) -> int:
    seen = has_display()
    pictures = None if seen else _pictures_instead(arguments)
    python = _prepare("run", with_display=seen)
    if pictures is not None:
        return _draw(python, pictures)
    return _become([str(python), "-P", "-m", "explorer", *arguments])


def _test(arguments: list[str]) -> int:
    python = _prepare("test", with_display=False)
    os.chdir(ROOT)
    return _become([str(python), "-P", "-m", "pytest", *_in_parallel(arguments), *arguments])


def _told(command: Callable[[list[str]], int], arguments: list[str]) -> int:
    """Carry out a command and tell trouble in a sentence instead of a traceback."""
    try:
        return command(arguments)
    except Trouble as trouble:
        print(trouble, file=sys.stderr, flush=True)
        return 1
    except KeyboardInterrupt:
        print("\nStopped. The next call takes up from here.", file=sys.stderr, flush=True)
        return STOPPED


def has_display() -> bool:
    """Tell whether a window that opens now would be seen by somebody.

    A DISPLAY that nothing answers on counts as none: Qt would abort on it.
    """
    if os.name == "nt" or sys.platform == "darwin":
        return True
    platform = os.environ.get("QT_QPA_PLATFORM", "").split(":")[0].split(";")[0]
    if platform in {"offscreen", "minimal", "minimalegl"}:
        return False
    if platform and platform not in {"xcb", "wayland", "wayland-egl"}:
        return True  # a frame buffer or the like: whoever asks for it knows
    return _wayland_answers(os.environ.get("WAYLAND_DISPLAY", "")) or _x_answers(os.environ.get("DISPLAY", ""))


def _prepare(wanted: str, *, with_display: bool) -> Path:
    environment = Environment(ROOT)
    python = environment.prepare(wanted)
    purposes = [systempackages.DRAWING]
    if with_display:
        purposes += [systempackages.X11] if os.environ.get("DISPLAY") else []
        purposes += [systempackages.WAYLAND] if os.environ.get("WAYLAND_DISPLAY") else []
    known = environment.remembered("libraries")
    if not set(purposes).issubset(known):
        systempackages.provide_libraries(purposes)
        _check_that_it_starts(python)
        environment.remember("libraries", sorted({*known, *purposes}))
    return python


def _check_that_it_starts(python: Path) -> None:
    """Load what everything rests on once, so that a system it cannot run on is named here and not by a crash."""
    question = "import numpy, PySide6.QtWidgets"
    done = subprocess.run(
        [str(python), "-c", question],
        capture_output=True,
        text=True,
        errors="replace",
        env=clean_environment(),
        check=False,
    )
    if done.returncode == 0:
        return
    said = done.stderr.strip().splitlines()
    reason = said[-1] if said else f"it ended with status {done.returncode}"
    if done.returncode < 0:
        reason += "; NumPy and Qt need a 64-bit processor with SSE4.2 and POPCNT (x86-64-v2)"
    raise Trouble(f"Qt and NumPy are installed but do not start on this system: {reason}.")


def _pictures_instead(arguments: list[str]) -> list[str] | None:
    """Return the command line that draws what these arguments would show in a window; None if they open none."""
    sys.path.insert(0, str(ROOT))
    from explorer import cli

    return cli.pictures_instead(arguments, Path.cwd() / PICTURES)


def _draw(python: Path, arguments: list[str]) -> int:
    folder = Path.cwd() / PICTURES
    print(f"There is no display here, so the tabs are drawn as pictures into {folder}", flush=True)
    environment = {**clean_environment(), "QT_QPA_PLATFORM": "offscreen"}
    code = subprocess.run([str(python), "-P", "-m", "explorer", *arguments], env=environment, check=False).returncode
    if code < 0:
        raise Trouble(f"Drawing the tabs crashed (signal {-code}); what was drawn before is in {folder}.")
    if code == 0:
        count = len(list(folder.glob("*.png")))
        print(f"Done: {count} picture{'' if count == 1 else 's'} in {folder}", flush=True)
    return code


def _in_parallel(arguments: list[str]) -> list[str]:
    """Return the options that spread a whole run over the processors; a run of a selection is left alone."""
    processors = min(os.cpu_count() or 1, 4)
    return [] if arguments or processors == 1 else ["-n", str(processors), "--dist", "worksteal"]


def _become(command: list[str]) -> int:
    """Replace this process, so that signals and the exit status are the program's own."""
    sys.stdout.flush()
    if os.name != "nt":
        os.execve(command[0], command, clean_environment())
    # Windows only imitates replacing: the shell would come back before the program ends.
    return subprocess.run(command, env=clean_environment(), check=False).returncode


def _x_answers(display: str) -> bool:
    host, colon, rest = display.rpartition(":")
    number = rest.split(".")[0]
    if not colon or not number.isdigit():
        return False
    if host in {"", "unix"} or host.startswith("/"):
        path = f"/tmp/.X11-unix/X{number}"  # noqa: S108 - where X servers listen, not a file of ours
        return _unix_answers(path) or _unix_answers(f"\0{path}")
    try:
        with socket.create_connection((host.strip("[]"), 6000 + int(number)), timeout=5):
            return True
    except OSError:
        return False


def _wayland_answers(display: str) -> bool:
    if not display:
        return False
    return _unix_answers(str(Path(os.environ.get("XDG_RUNTIME_DIR", "/run"), display)))


def _unix_answers(path: str) -> bool:
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        try:
            connection.connect(path)
        except OSError:
            return False
        return True
