"""What ``verify.py`` does: every format keeps the one contract, ``attention-explorer --smoke``, where that is hard.

Hard means all of this at once: as a user without rights, from a folder that may only be read and has spaces and letters
of other alphabets in its path, with the network cut, and with a home that can be written, that cannot, and that does
not exist. The .deb is tried on a Debian made for the purpose (``cleanmachine``).

What cannot be tried here (no root, no tools, no packages to be had) is said to be skipped and is no failure.
"""

import argparse
import contextlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import cleanmachine
import systempackages
from environment import clean_environment
from trouble import Skipped, Trouble

ROOT = Path(__file__).resolve().parent.parent
NAME = "attention-explorer"
FORMATS = ("wheel", "folder", "tar", "deb")
#: A folder that a careless program trips over.
AWKWARD = "Überprüfung – 注意 mit Leerzeichen"
NOBODY = 65534
MINUTES = 10


def verify(arguments: list[str]) -> int:
    """Try the formats that were asked for and return the exit status: 1 when one breaks the contract."""
    parser = argparse.ArgumentParser(prog="verify.py", description="Try the packages of a release.")
    parser.add_argument("format", metavar="FORMAT", nargs="*", choices=[*FORMATS, []], help=f"of {', '.join(FORMATS)}")
    parser.add_argument(
        "--from", dest="source", metavar="FOLDER", type=Path, default=ROOT / "dist", help="default: dist/"
    )
    asked = parser.parse_args(arguments)
    status = 0
    for one in asked.format or FORMATS:
        try:
            _TRIALS[one](asked.source.resolve())
        except Skipped as reason:
            print(f"{one}: SKIPPED: {reason}", flush=True)
        except Trouble as trouble:
            print(f"{one}: {trouble}", file=sys.stderr, flush=True)
            status = 1
        else:
            print(f"{one}: keeps the contract", flush=True)
    return status


def _wheel(source: Path) -> None:
    wheel = _only(source, "*.whl")
    # Whoever has no rights must be able to reach the interpreter: one in root's home would not do.
    system = Path("/usr/bin/python3")
    base = system if _is_root() and systempackages.is_debian() and system.exists() else Path(sys.executable)
    with _folder() as folder:
        place = folder / "environment"
        _run([base, "-m", "venv", place])
        pip: list[str | Path] = [place / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-deps"]
        lock = ROOT / "packaging" / "run.lock"
        _run([*pip, "--require-hashes", "--only-binary", ":all:", "-r", lock])
        _run([*pip, "--no-index", wheel])
        _keeps_contract([place / "bin" / NAME], place)


def _bundle(_: Path) -> None:
    bundle = ROOT / "build" / "bundle" / NAME
    if not bundle.is_dir():
        raise Trouble(f"There is no {bundle}; make it with: python3 packaging/build.py folder")
    with _folder() as folder:
        place = Path(shutil.copytree(bundle, folder / NAME, symlinks=True))
        _keeps_contract([place / NAME], place)


def _archive(source: Path) -> None:
    archive = _only(source, f"{NAME}-*-linux-*.tar.xz")
    with _folder() as folder:
        with tarfile.open(archive) as content:
            content.extractall(folder)  # noqa: S202 - our own, and Debian 12's Python has no filter for it
        (place,) = folder.iterdir()
        _keeps_contract([place / NAME], place)


def _deb(source: Path) -> None:
    package = _only(source, "*.deb")
    with cleanmachine.machine(package) as machine:
        for said in machine.try_all(contract):
            print(f"  {said}", flush=True)


_TRIALS: dict[str, Callable[[Path], None]] = {"wheel": _wheel, "folder": _bundle, "tar": _archive, "deb": _deb}


def _keeps_contract(command: list[Path], place: Path) -> None:
    """Run the smoke test under hard conditions, and see that the program left its own folder alone."""
    _take_write_bits(place)
    before = _listing(place)
    with tempfile.TemporaryDirectory() as scratch:
        for said in contract(list(map(str, command)), Path(scratch), hardened()):
            print(f"  {said}", flush=True)
    if changed := sorted(set(before) ^ set(_listing(place))):
        raise Trouble(f"The program changed its own folder: {changed[0][0]}.")


def contract(command: list[str], scratch: Path, hard: list[str]) -> Iterator[str]:
    """Run the smoke test with every kind of home; say after each what was done.

    Parameters
    ----------
    command : list of str
        The program.
    scratch : Path
        A folder for homes.
    hard : list of str
        What is put before the command: other user, no network, another root.

    Raises
    ------
    Trouble
        When it does not end with 0, or complains.
    """
    scratch.chmod(0o755)
    for kind in ("writable", "read-only", "missing"):
        home = scratch / kind
        if kind != "missing":
            home.mkdir()
            home.chmod(0o755 if kind == "writable" else 0o555)
            if _is_root():
                os.chown(home, NOBODY, NOBODY)
        seen = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
        code, output, complaints = execute([*hard, *command, "--smoke"], seen)
        if code != 0 or complaints:
            tail = "\n    ".join((complaints or output).splitlines()[-8:])
            raise Trouble(f"--smoke with a {kind} home ended with {code}:\n    {tail}")
        if kind == "read-only" and any(home.iterdir()):
            raise Trouble("--smoke wrote into a home that is read-only.")
        yield f"--smoke, home {kind}: {output.splitlines()[-1] if output.strip() else 'done'}"


def hardened() -> list[str]:
    """Return what is put before a command so that it runs without rights and without a network."""
    if _is_root():
        user = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--"]
        return ["unshare", "--net", "--", *user]
    cut = ["unshare", "--user", "--map-current-user", "--net", "--"]
    if shutil.which("unshare") and subprocess.run([*cut, "true"], capture_output=True, check=False).returncode == 0:
        return cut
    print("  the network cannot be cut here, so it stays", flush=True)
    return []


def execute(command: list[str], environment: dict[str, str]) -> tuple[int, str, str]:
    """Run a program and return its exit status and what it wrote; a hanging one is trouble."""
    try:
        done = subprocess.run(
            command,
            env=environment,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=60 * MINUTES,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Trouble(f"{command[-2]} {command[-1]} was not done after {MINUTES} minutes.") from None
    return done.returncode, done.stdout, done.stderr.strip()


@contextlib.contextmanager
def _folder() -> Iterator[Path]:
    """Yield a folder with an awkward path that everybody may look into."""
    with tempfile.TemporaryDirectory() as name:
        top = Path(name)
        top.chmod(0o755)
        folder = top / AWKWARD
        folder.mkdir()
        try:
            yield folder
        finally:
            for path in [folder, *folder.rglob("*")]:
                if path.is_dir() and not path.is_symlink():
                    path.chmod(0o755)


def _take_write_bits(place: Path) -> None:
    for path in [place, *place.rglob("*")]:
        if not path.is_symlink():
            path.chmod(path.stat().st_mode & 0o555 | 0o444)


def _listing(place: Path) -> list[tuple[str, int, int]]:
    return [(str(path), path.lstat().st_size, path.lstat().st_mtime_ns) for path in place.rglob("*")]


def _only(folder: Path, pattern: str) -> Path:
    found = sorted(folder.glob(pattern))
    if len(found) != 1:
        raise Trouble(
            f"{folder} holds {len(found)} of {pattern} instead of one; make it with: python3 packaging/build.py"
        )
    return found[0]


def _run(command: list[str | Path]) -> None:
    done = subprocess.run(
        list(map(str, command)), env=clean_environment(), capture_output=True, text=True, errors="replace", check=False
    )
    if done.returncode != 0:
        raise Trouble(f"{Path(command[0]).name} failed: {(done.stderr or done.stdout).strip()[-400:]}")


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0
