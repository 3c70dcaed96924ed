"""What a killed process leaves behind, and finding it again.

Each running document owns one recovery file, an ordinary session file beside a lock file that the operating system
releases when the process ends, however it ends. So two windows never write to the same file, a file whose lock can be
had belongs to nobody alive, and process numbers, which are used again, decide nothing.

Changes are handed over as immutable sessions and written by a thread of this module: the disk may take its time, and a
change costs the caller nothing but handing it over. A burst of changes is written a few times a second, its last one
always. What the session means is `explorer.workbench.session`'s business.
"""

from __future__ import annotations

import contextlib
import json
import os
import stat
import sys
import threading
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Final

from explorer.core.checks import InputError
from explorer.workbench import atomic, session

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self

    from explorer.workbench.session import Session

#: At least this many seconds lie between two writes; half a second less than what is promised.
INTERVAL: Final = 0.25
LOCK: Final = ".lock"
#: A temporary file that old belongs to no write that is still going on.
STALE_SECONDS: Final = 3600
_LONGEST_RECORD: Final = 10_000


def default_folder() -> Path:
    """Return where recovery files of this user lie; it need not exist yet."""
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA")
        return (Path(base) if base else Path.home() / "AppData" / "Local") / "Attention Explorer" / "Recovery"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Application Support" / "Attention Explorer" / "Recovery"
    base = Path(os.environ.get("XDG_STATE_HOME", ""))
    # The specification says that a relative path is to be ignored.
    root = base if base.is_absolute() else Path.home() / ".local" / "state"
    return root / "attention-explorer" / "recovery"


class Recovery:
    """The recovery file of one open document.

    Parameters
    ----------
    folder : Path, optional
        Where it lies; `default_folder` where absent. Nothing is made there before the first change.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = default_folder() if folder is None else folder
        #: Why the last write failed; empty while all is well.
        self.problem = ""
        self._owned: _Owned | None = None
        self._wake = threading.Condition()
        self._next: tuple[Session, Path | None] | None = None
        self._due = False
        self._busy = False
        self._closing = False
        self._leaving = False
        self._thread: threading.Thread | None = None
        self._writer = session.Writer()

    @property
    def path(self) -> Path | None:
        """Where the recovery file lies, None before the first write."""
        return None if self._owned is None else self._owned.file

    def keep(self, what: Session, document: Path | None = None) -> None:
        """Have a document written soon; returns at once, and an earlier one that was not written yet is passed over.

        Parameters
        ----------
        what : Session
            What the document holds now.
        document : Path, optional
            The file that it was opened from or saved to.
        """
        self._hand_over((what, document))

    def forget(self) -> None:
        """Have the recovery file removed soon: the document is saved, or given up."""
        if self._thread is not None:
            self._hand_over(None)

    def flush(self) -> bool:
        """Wait until everything handed over is on disk; returns whether it is."""
        with self._wake:
            self._wake.wait_for(lambda: not self._due and not self._busy)
            return not self.problem

    def close(self) -> None:
        """End in order: the recovery file is removed, because whoever closes a document has been asked about it."""
        self._end()

    def leave(self) -> None:
        """End, and leave the recovery file for the next start: nobody has been asked about the document."""
        if self._closing:
            return
        self.flush()
        self._leaving = True
        self._end()
        if self._owned is not None:
            self._owned.release()
            self._owned = None

    def _end(self) -> None:
        with self._wake:
            self._next, self._due, self._closing = None, True, True
            self._wake.notify_all()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def _hand_over(self, what: tuple[Session, Path | None] | None) -> None:
        with self._wake:
            if self._closing:
                return
            self._next, self._due = what, True
            if self._thread is None:
                # A daemon: a process that ends without `close` is not kept alive, and its file is offered next time.
                self._thread = threading.Thread(target=self._run, name="recovery", daemon=True)
                self._thread.start()
            self._wake.notify_all()

    def _run(self) -> None:
        closing = False
        while not closing:
            with self._wake:
                self._wake.wait_for(lambda: self._due)
                what, closing = self._next, self._closing
                self._next, self._due, self._busy = None, False, True
            try:
                if not self._leaving:
                    self._store(what, last=closing)
                self.problem = ""
            except InputError as error:
                self.problem = str(error)
            except OSError as error:
                self.problem = atomic.why(self.folder, error)
            with self._wake:
                self._busy = False
                self._wake.notify_all()
                self._wake.wait_for(lambda: self._closing, timeout=INTERVAL)

    def _store(self, what: tuple[Session, Path | None] | None, *, last: bool) -> None:
        if what is not None:
            if self._owned is None:
                self._owned = _Owned.new(self.folder)
            document, opened = what
            self._owned.record(opened)
            atomic.write(self._owned.file, self._writer.dumps(document))
        elif self._owned is not None:
            self._owned.file.unlink(missing_ok=True)
            if last:
                self._owned.remove()
                self._owned = None


@dataclass(eq=False)
class Recoverable:
    """A recovery file whose process is dead. It is held, so that no other window offers it, until it is let go.

    Attributes
    ----------
    changed : datetime
        When it was written last.
    document : Path, optional
        The file that the document had been opened from or saved to.
    """

    changed: datetime
    document: Path | None
    _owned: _Owned

    @property
    def path(self) -> Path:
        """Where the recovery file lies."""
        return self._owned.file

    def read(self) -> Session:
        """Return what the document held.

        Raises
        ------
        FormatError
            When the file cannot be read.
        """
        return session.read(self.path)

    def discard(self) -> None:
        """Remove the file for good; where the disk forbids that, it is offered again."""
        with contextlib.suppress(OSError):
            self._owned.file.unlink(missing_ok=True)
        self._owned.remove()

    def release(self) -> None:
        """Leave the file for the next start."""
        self._owned.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None
    ) -> None:
        self.release()


def find(folder: Path | None = None) -> list[Recoverable]:
    """Return what processes that are dead have left, the newest first; remnants without content are cleared away."""
    place = default_folder() if folder is None else folder
    found: list[Recoverable] = []
    with contextlib.suppress(OSError):
        _clear_temporary(place)
        names = {one.stem for one in place.iterdir() if one.suffix in (LOCK, session.SUFFIX)}
        for name in sorted(names):
            with contextlib.suppress(OSError):
                recoverable = _recoverable(place, name)
                if recoverable is not None:
                    found.append(recoverable)
    return sorted(found, key=lambda one: one.changed, reverse=True)


def _recoverable(place: Path, name: str) -> Recoverable | None:
    owned = _Owned.taken_over(place, name)
    if owned is None:
        return None
    try:
        status = owned.file.stat()
    except FileNotFoundError:
        owned.remove()
        return None
    except OSError:
        owned.release()
        raise
    if not stat.S_ISREG(status.st_mode):
        owned.remove()  # whatever it is, no process of ours has left it
        return None
    return Recoverable(datetime.fromtimestamp(status.st_mtime, UTC), owned.recorded(), owned)


def _clear_temporary(place: Path) -> None:
    for one in place.glob(f".*{atomic.TEMPORARY}"):
        with contextlib.suppress(OSError):
            if time.time() - one.stat().st_mtime > STALE_SECONDS:
                one.unlink()


# ---------------------------------------------------------------------------------------------------------- locks


class _Owned:
    """A recovery file that this process alone may touch, because it holds the lock beside it."""

    def __init__(self, folder: Path, name: str, descriptor: int) -> None:
        self.file = folder / f"{name}{session.SUFFIX}"
        self._lock = folder / f"{name}{LOCK}"
        self._descriptor = descriptor
        self._record: str | None = None

    @classmethod
    def new(cls, folder: Path) -> _Owned:
        """Make a lock under a name that nobody has had."""
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        while True:
            name = f"{os.getpid()}-{os.urandom(6).hex()}"
            descriptor = os.open(folder / f"{name}{LOCK}", os.O_RDWR | os.O_CREAT | os.O_EXCL, 0o600)
            if _held(descriptor, folder / f"{name}{LOCK}"):
                return cls(folder, name, descriptor)

    @classmethod
    def taken_over(cls, folder: Path, name: str) -> _Owned | None:
        """Take the lock of a dead process; None while its owner lives."""
        path = folder / f"{name}{LOCK}"
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        return cls(folder, name, descriptor) if _held(descriptor, path) else None

    def record(self, document: Path | None) -> None:
        """Write down which file the document belongs to."""
        text = json.dumps({"document": None if document is None else os.fspath(document.absolute())})
        if text != self._record:
            os.lseek(self._descriptor, 0, os.SEEK_SET)
            os.truncate(self._descriptor, 0)
            os.write(self._descriptor, text.encode())
            self._record = text

    def recorded(self) -> Path | None:
        """Return which file the document belongs to, where that was written down."""
        os.lseek(self._descriptor, 0, os.SEEK_SET)
        text = os.read(self._descriptor, _LONGEST_RECORD).decode("utf-8", "replace")
        try:
            document = json.loads(text)["document"]
            return Path(document) if isinstance(document, str) else None
        except (ValueError, TypeError, LookupError, RecursionError):
            return None

    def release(self) -> None:
        """Let go of the lock."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        """Remove the lock and let go of it."""
        if sys.platform == "win32":
            self.release()  # an open file cannot be removed there
        with contextlib.suppress(OSError):
            self._lock.unlink()
        self.release()


def _held(descriptor: int, path: Path) -> bool:
    """Take the lock of an open file; closes it where that fails, or where the file is not at its path any more."""
    try:
        if _lock(descriptor) and os.path.samestat(os.fstat(descriptor), path.stat()):
            return True
    except FileNotFoundError:
        pass  # somebody removed it between opening and locking
    except OSError:
        os.close(descriptor)
        raise
    os.close(descriptor)
    return False


if sys.platform == "win32":
    import msvcrt

    #: Beyond what is written, because a locked region cannot be read there.
    _FAR = 1 << 30

    def _lock(descriptor: int) -> bool:
        os.lseek(descriptor, _FAR, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except PermissionError:
            return False
        return True

else:
    import fcntl

    def _lock(descriptor: int) -> bool:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
