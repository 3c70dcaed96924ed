"""The environments of this checkout, ``.venv`` above all: made, checked, mended and filled with the locked versions.

Standard library only. What is not here: which system packages Qt wants (``systempackages``), and what the commands do
(``bootstrap``, ``release``).

A stamp inside one says what it holds. It is written as "building" before anything else and as "complete" after
everything else, so that whatever stopped a call in between, the next one sees it and starts over. Starting over beats
repairing: pip's cache makes it cheap, and a package that was copied by halves cannot be told from a whole one.
"""

import contextlib
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import time
from collections.abc import Iterator
from pathlib import Path

import systempackages
from trouble import Trouble

STAMP = "attention-explorer.json"
PATH_FILE = "attention-explorer.pth"
BUILDING, COMPLETE = "building", "complete"
# What a lock file includes besides itself: the tests' pins contain the application's.
INCLUDES = {"run": ("run",), "test": ("run", "test"), "build": ("build",)}
MEGABYTES = {"run": 350, "test": 550, "build": 400}

# How pip begins with a package: from its index, or from a file in a folder that its configuration names.
PACKAGE = re.compile(r"Collecting (\S+?)==(\S+)|Processing .*?([\w.]+)-([^-/\\]+)-[^/\\]*\.whl")
NO_NETWORK = re.compile(
    r"NewConnectionError|Failed to establish a new connection|Max retries exceeded|name resolution|getaddrinfo failed"
    r"|Name or service not known|Network is unreachable|ConnectTimeout|ReadTimeout|timed out|Connection refused"
    r"|Connection reset|Connection broken|ProxyError|IncompleteRead|RemoteDisconnected|SSLError|CERTIFICATE_VERIFY",
    re.IGNORECASE,
)


class Environment:
    """The virtual environment of one checkout.

    Parameters
    ----------
    root : Path
        The folder that holds pyproject.toml.
    place : str
        Where it lies in there.
    """

    def __init__(self, root: Path, place: str = ".venv") -> None:
        self.root = root
        self.folder = root / place
        self.stamp_file = self.folder / STAMP

    @property
    def python(self) -> Path:
        """The interpreter inside the environment."""
        return self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")

    def prepare(self, wanted: str) -> Path:
        """Make the environment hold what ``wanted`` ("run", "test" or "build") needs, and return its interpreter.

        Raises
        ------
        Trouble
            When that is impossible; the message says why and what helps.
        """
        if not self._is_ready(wanted):
            try:
                with _one_at_a_time(self._lock_file(INCLUDES[wanted][0]), self.folder.name) as lock:
                    # Whoever held the lock before may just have finished the work.
                    if not self._is_ready(wanted):
                        self._make(wanted, lock)
            except OSError as error:
                reason = f"{error.strerror or error} ({error.filename})"
                raise Trouble(f"{self.folder} cannot be prepared: {reason}.") from error
        return self.python

    def remembered(self, key: str) -> list[str]:
        """Return the list that an earlier call stored under ``key``."""
        value = self._stamp().get(key, [])
        return value if isinstance(value, list) else []

    def remember(self, key: str, value: list[str]) -> None:
        """Store a list for later calls; it goes with the environment when that is made again."""
        stamp = self._stamp()
        if stamp.get("state") == COMPLETE:
            with contextlib.suppress(OSError):  # a read-only checkout works as well, it only checks again next time
                self._write_stamp({**stamp, key: value})

    # What the stamp says ----------------------------------------------------------------------------------------------

    def _stamp(self) -> dict[str, object]:
        try:
            stamp = json.loads(self.stamp_file.read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return {}
        return stamp if isinstance(stamp, dict) else {}

    def _write_stamp(self, stamp: dict[str, object]) -> None:
        draft = self.stamp_file.with_suffix(f".{os.getpid()}")
        draft.write_text(json.dumps(stamp, indent=1), encoding="utf-8")
        draft.replace(self.stamp_file)

    def _is_ready(self, wanted: str) -> bool:
        stamp = self._stamp()
        return self._is_whole(stamp) and stamp.get("root") == str(self.root) and self._holds(stamp, wanted)

    def _is_whole(self, stamp: dict[str, object]) -> bool:
        """Tell whether the last call finished, for this Python, and nothing has been taken away since."""
        if stamp.get("state") != COMPLETE or stamp.get("python") != _python_tag():
            return False
        if not self.python.exists() or stamp.get("base") != _base_of(self.folder, self.python):
            return False
        try:
            present = self._contents()
        except OSError:
            return False
        contents = stamp.get("contents")
        return isinstance(contents, list) and present.issuperset(contents)

    def _holds(self, stamp: dict[str, object], wanted: str) -> bool:
        installed = stamp.get("installed")
        return isinstance(installed, dict) and installed.get(wanted) == self._digest(wanted)

    def _lock_file(self, name: str) -> Path:
        return self.root / "packaging" / f"{name}.lock"

    def _digest(self, name: str) -> str:
        return hashlib.sha256(self._lock_file(name).read_bytes()).hexdigest()

    def _site_packages(self) -> Path:
        if os.name == "nt":
            return self.folder / "Lib" / "site-packages"
        return self.folder / "lib" / f"python{sys.version_info[0]}.{sys.version_info[1]}" / "site-packages"

    def _contents(self) -> set[str]:
        return {entry.name for entry in self._site_packages().iterdir() if entry.name != "__pycache__"}

    # How it is made ---------------------------------------------------------------------------------------------------

    def _make(self, wanted: str, lock: int | None) -> None:
        stamp = self._stamp()
        if self._is_whole(stamp) and self._holds(stamp, "run"):
            if stamp.get("root") != str(self.root):
                self._settle_in(str(stamp.get("root")))
                stamp = {**stamp, "root": str(self.root)}
            if not self._holds(stamp, wanted):
                _say(f"Adding what the tests need to {self.folder}.")
                self._write_stamp({**stamp, "state": BUILDING})
                self._install(wanted, lock)
        else:
            systempackages.provide_venv()
            self._say_why(stamp, wanted)
            self._clear()
            self._write_stamp({"state": BUILDING})
            self._create(lock)
            self._install(wanted, lock)
            stamp = {}
        installed = stamp.get("installed")
        digests = dict(installed) if isinstance(installed, dict) else {}
        digests.update({name: self._digest(name) for name in INCLUDES[wanted]})
        (self._site_packages() / PATH_FILE).write_text(f"{self.root}\n", encoding="utf-8")
        self._write_stamp(
            {
                **stamp,
                "state": COMPLETE,
                "python": _python_tag(),
                "base": _base_of(self.folder, self.python),
                "root": str(self.root),
                "installed": digests,
                "contents": sorted(self._contents()),
            }
        )

    def _say_why(self, stamp: dict[str, object], wanted: str) -> None:
        if not stamp:
            why = "First run"
        elif stamp.get("state") != COMPLETE:
            why = "An earlier first run did not finish"
        elif stamp.get("python") != _python_tag():
            why = f"{self.folder.name} was made by another Python"
        elif not self._is_whole(stamp):
            why = f"{self.folder.name} is damaged, or its Python has moved"
        else:
            why = "The locked versions have changed"
        _say(f"{why}: preparing {self.folder}. It takes about a minute and {MEGABYTES[wanted]} MB.")

    def _clear(self) -> None:
        """Leave an empty folder. What this program did not make is moved aside, not deleted."""
        ours = self.stamp_file.exists() and not self.folder.is_symlink()
        if ours:
            # The stamp stays: killed in the middle of this, the folder is still known as ours, and as unfinished.
            self._write_stamp({"state": BUILDING})
            for entry in self.folder.iterdir():
                if entry.name != STAMP:
                    _delete(entry)
        elif self._is_somebody_elses():
            names = (self.folder.with_name(f"{self.folder.name}.replaced-{n}") for n in range(1, 1000))
            aside = next(path for path in names if not os.path.lexists(path))
            self.folder.rename(aside)
            _say(f"The {self.folder.name} that was there was not made by this program; it is now {aside.name}.")
        self.folder.mkdir(parents=True, exist_ok=True)

    def _is_somebody_elses(self) -> bool:
        if self.folder.is_symlink():
            return True
        return self.folder.exists() and (not self.folder.is_dir() or any(self.folder.iterdir()))

    def _create(self, lock: int | None) -> None:
        base = getattr(sys, "_base_executable", None) or sys.executable
        done = subprocess.run(
            [base, "-m", "venv", str(self.folder)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=clean_environment(),
            check=False,
            pass_fds=_kept(lock),
        )
        if done.returncode != 0:
            raise Trouble(f"Python could not make {self.folder}: {_last_line(done.stdout)}")

    def _install(self, wanted: str, lock: int | None) -> None:
        pins = self._lock_file(wanted)
        command = [str(self.python), "-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps"]
        command += ["--require-hashes", "--only-binary", ":all:", "--retries", "2", "-r", str(pins)]
        started = time.monotonic()
        output = _run_pip(command, _count_pins(pins), lock)
        if output is not None:
            log = self.folder / "pip.log"
            log.write_text(output, encoding="utf-8")
            raise Trouble(_explain(output, log))
        _say(f"Installed in {time.monotonic() - started:.0f} s.")

    def _settle_in(self, old_root: str) -> None:
        """Rewrite the absolute paths that an environment holds, after the checkout was moved or copied."""
        _say("The checkout has moved: adapting .venv.")
        old, new = os.fsencode(str(Path(old_root) / ".venv")), os.fsencode(str(self.folder))
        for script in self.python.parent.iterdir():
            if script.is_symlink() or not script.is_file() or script.stat().st_size > 1 << 16:
                continue
            content = script.read_bytes()
            if old in content and b"\0" not in content:
                script.write_bytes(content.replace(old, new))
        config = self.folder / "pyvenv.cfg"
        config.write_bytes(config.read_bytes().replace(old, new))


def clean_environment() -> dict[str, str]:
    """Return this process's environment without what would lead a Python or a pip of ours astray."""
    astray = ("PYTHONPATH", "PYTHONHOME", "__PYVENV_LAUNCHER__", "PIP_TARGET", "PIP_PREFIX", "PIP_ROOT")
    environment = {name: value for name, value in os.environ.items() if name not in astray}
    environment["PIP_USER"] = "0"
    return environment


def _python_tag() -> str:
    version = f"{sys.implementation.name}-{sys.version_info[0]}.{sys.version_info[1]}"
    return f"{version}{getattr(sys, 'abiflags', '')}-{sysconfig.get_platform()}"


def _base_of(folder: Path, python: Path) -> str:
    """Name the interpreter that the environment leans on; it changes when that one is moved or replaced."""
    if os.name != "nt":
        return os.path.realpath(python)
    try:
        config = (folder / "pyvenv.cfg").read_text(encoding="utf-8")
    except OSError:
        return ""
    home = re.search(r"^home\s*=\s*(.+)$", config, re.MULTILINE)
    return home[1].strip() if home and Path(home[1].strip()).exists() else ""


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _kept(lock: int | None) -> tuple[int, ...]:
    """Let a child hold the lock as well: killed, this process leaves it alone, and it must not be disturbed."""
    return () if lock is None or sys.platform == "win32" else (lock,)


@contextlib.contextmanager
def _one_at_a_time(path: Path, name: str) -> Iterator[int | None]:
    """Hold a lock on a file that is there anyway; the system releases it however this process ends."""
    lock = os.open(path, os.O_RDONLY if os.name != "nt" else os.O_RDWR)
    try:
        if not _try_lock(lock):
            _say(f"Another call is preparing {name}; waiting for it.")
            while not _try_lock(lock):
                time.sleep(0.2)
        yield lock
    finally:
        os.close(lock)


def _try_lock(lock: int) -> bool:
    if sys.platform == "win32":
        import msvcrt

        os.lseek(lock, 1 << 30, os.SEEK_SET)  # far behind the text, which pip must be able to read meanwhile
        try:
            msvcrt.locking(lock, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
    else:
        import fcntl

        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError:
            return True  # a file system without locks: better unguarded than not at all
    return True


def _count_pins(pins: Path) -> int:
    return sum("==" in line and not line.startswith("#") for line in pins.read_text(encoding="utf-8").splitlines())


def _run_pip(command: list[str], total: int, lock: int | None) -> str | None:
    """Run pip with its progress shown; return None, or everything it said when it failed.

    On a terminal pip draws its own bars. Elsewhere each package gets one line when its turn comes.
    """
    terminal = sys.stdout.isatty()
    sys.stdout.flush()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=None if terminal else subprocess.PIPE,
        stderr=subprocess.PIPE if terminal else subprocess.STDOUT,
        text=True,
        errors="replace",
        env=clean_environment(),
        pass_fds=_kept(lock),
    )
    said = []
    seen = 0
    stream = process.stderr if terminal else process.stdout
    try:
        assert stream is not None
        for line in stream:
            said.append(line)
            if terminal:
                continue
            if package := PACKAGE.match(line):
                seen += 1
                name, version = package[1] or package[3], package[2] or package[4]
                _say(f"  [{seen:{len(str(total))}}/{total}] {name} {version}")
            elif line.startswith("Installing collected packages"):
                _say(f"  [{total}/{total}] unpacking")
    except BaseException:
        process.kill()
        raise
    finally:
        process.wait()
    return None if process.returncode == 0 else "".join(said)


def _explain(output: str, log: Path) -> str:
    """Turn what pip said into one sentence."""
    if "No space left on device" in output or "Errno 28" in output:
        return f"The disk is full: free 600 MB for {log.parent} and pip's temporary folder, then run this again."
    if "DO NOT MATCH THE HASHES" in output:
        return f"A downloaded package is not the one that the lock file names, so it was not installed; see {log}."
    if NO_NETWORK.search(output):
        return (
            "The packages could not be downloaded: pip does not reach its package index from here. Connect to the"
            f" network and run this again (details: {log})."
        )
    if lacking := re.search(r"No matching distribution found for (\S+?)==(\S+)", output):
        return (
            f"There is no {lacking[1]} {lacking[2]} for Python {sys.version_info[0]}.{sys.version_info[1]} on"
            f" {sysconfig.get_platform()}: use Python 3.11 to 3.13 on 64-bit Linux (glibc 2.34 or newer), Windows 10 or"
            f" newer, or macOS 13 or newer (details: {log})."
        )
    return f"pip failed: {_last_line(output)} (details: {log})"


def _last_line(output: str) -> str:
    lines = [line.strip() for line in output.splitlines() if line.strip()]
    errors = [line for line in lines if line.startswith(("ERROR:", "Error:"))]
    return (errors or lines or ["it said nothing"])[-1]


def _say(text: str) -> None:
    print(text, flush=True)
