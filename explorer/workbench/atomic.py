"""Writing a file so that it is either the new one or the old one, never half of each.

The bytes go to a temporary file in the same folder, are flushed to the disk, and take the old file's place in one
step; whatever fails on the way, the old file stays and the temporary one goes. What is written is not this module's
business.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from pathlib import Path
from typing import Final

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError

#: How temporary files end; they start with a dot. Who finds one whose writer is dead may delete it.
TEMPORARY: Final = ".tmp"

NOT_SAVED = QT_TRANSLATE_NOOP("workbench", "{name} was not saved: {why}; {kept}")
KEPT = QT_TRANSLATE_NOOP("workbench", "what was there is unchanged")
NOTHING = QT_TRANSLATE_NOOP("workbench", "nothing was written")

_FULL = QT_TRANSLATE_NOOP("workbench", "there is no space left on {place}")
_FORBIDDEN = QT_TRANSLATE_NOOP("workbench", "you have no permission to write in {place}")
_READ_ONLY_FILE = QT_TRANSLATE_NOOP("workbench", "the file in {place} is read-only")
_READ_ONLY = QT_TRANSLATE_NOOP("workbench", "{place} can only be read")
_NO_FOLDER = QT_TRANSLATE_NOOP("workbench", "there is no folder {place}")
_IS_NO_FOLDER = QT_TRANSLATE_NOOP("workbench", "a file of that name is in {place}, and a folder is needed")
_IS_FOLDER = QT_TRANSLATE_NOOP("workbench", "a folder of that name is in {place}")
_TOO_LONG = QT_TRANSLATE_NOOP("workbench", "the name is too long for {place}")
_TOO_BIG = QT_TRANSLATE_NOOP("workbench", "{place} does not accept a file of this size")
_GONE = QT_TRANSLATE_NOOP("workbench", "the drive of {place} does not answer")
_BAD_NAME = QT_TRANSLATE_NOOP("workbench", "the name holds a character that no file in {place} can have")
_OTHER = QT_TRANSLATE_NOOP("workbench", "{place} says: {said}")

_REASONS: Final = {
    errno.ENOSPC: _FULL,
    getattr(errno, "EDQUOT", errno.ENOSPC): _FULL,
    errno.EACCES: _FORBIDDEN,
    errno.EPERM: _FORBIDDEN,
    errno.EROFS: _READ_ONLY,
    errno.ENOENT: _NO_FOLDER,
    errno.ENOTDIR: _NO_FOLDER,
    errno.EISDIR: _IS_FOLDER,
    errno.ENAMETOOLONG: _TOO_LONG,
    errno.EFBIG: _TOO_BIG,
    errno.EIO: _GONE,
    errno.ENODEV: _GONE,
    errno.ENXIO: _GONE,
    getattr(errno, "ESTALE", errno.EIO): _GONE,
    errno.EINVAL: _BAD_NAME,
}


class SaveError(InputError):
    """Say in one sentence why a file was not written, and that what was there is unchanged."""


def write(path: str | os.PathLike[str], data: bytes) -> None:
    """Put `data` into the file at `path`, whole or not at all.

    A symbolic link is followed, so that it stays a link; the permissions of an existing file are kept. What is no
    regular file, such as a pipe, is written to directly, because nothing may take its place.

    Raises
    ------
    SaveError
        When it was not written; then an existing file holds what it held before.
    """
    target = Path(path)
    try:
        mode = _mode_of(target)
        if mode is not None and not stat.S_ISREG(mode):
            if stat.S_ISDIR(mode):
                raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR))
            with target.open("wb") as stream:
                stream.write(data)
            return
        # Only now: where /dev/stdout is a pipe, what it links to is no path.
        target = Path(os.path.realpath(target))
        if mode is not None and not os.access(target, os.W_OK):
            raise _refusal(target, _READ_ONLY_FILE)
        _replace(target, data, mode)
    except OSError as error:
        raise _refusal(target, _reason(target, error), error) from error
    except ValueError as error:
        if isinstance(error, SaveError):
            raise
        raise _refusal(target, _BAD_NAME) from error  # a NUL in the name, or what the file system cannot encode


def make_folder(path: str | os.PathLike[str]) -> None:
    """Make a folder, with those above it, unless it is there.

    Raises
    ------
    SaveError
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError as error:
        raise _refusal(folder, _IS_NO_FOLDER) from error
    except OSError as error:
        raise _refusal(folder, _reason(folder, error), error) from error
    except ValueError as error:
        raise _refusal(folder, _BAD_NAME) from error


def why(path: str | os.PathLike[str], error: OSError) -> str:
    """Say in words why a file or folder could not be made or written."""
    target = Path(path)
    return _reason(target, error).format(place=target, said=error.strerror or str(error))


def _mode_of(target: Path) -> int | None:
    try:
        return target.stat().st_mode
    except FileNotFoundError:
        return None


def _replace(target: Path, data: bytes, mode: int | None) -> None:
    temporary = target.with_name(f".{os.urandom(8).hex()}{TEMPORARY}")
    try:
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), 0o666)
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if mode is not None:
            with contextlib.suppress(OSError):  # a drive without permissions, such as FAT
                temporary.chmod(stat.S_IMODE(mode))
        temporary.replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            temporary.unlink()
        raise
    _flush_folder(target.parent)


def _flush_folder(folder: Path) -> None:
    """Make the new name last through a power cut; where a folder cannot be flushed, the file itself still is."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(target: Path, error: OSError) -> str:
    """Return why a file or folder cannot be made, as a template."""
    if error.errno == errno.ENOENT and target.parent.is_dir():
        return _OTHER  # a folder of the system's own, such as /proc, in which nothing can be made
    return _REASONS.get(error.errno or 0, _OTHER)


def _refusal(target: Path, reason: str, error: OSError | None = None) -> SaveError:
    said = "" if error is None else error.strerror or str(error)
    kept = NOTHING
    with contextlib.suppress(OSError, ValueError):
        kept = KEPT if target.exists() else NOTHING
    why = reason.format(place=target.parent, said=said)
    return SaveError(NOT_SAVED, name=target.name or str(target), why=why, kept=kept)
