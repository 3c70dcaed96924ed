"""A file is the new one or the old one, whatever fails."""

from __future__ import annotations

import errno
import os
import stat
import sys
from pathlib import Path

import pytest

from explorer.workbench import atomic
from explorer.workbench.atomic import SaveError

OLD = b"what was there"
posix = pytest.mark.skipif(os.name != "posix", reason="POSIX permissions and links")
not_root = pytest.mark.skipif(getattr(os, "geteuid", lambda: 1)() == 0, reason="root may write everywhere")


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "folder"
    place.mkdir()
    return place


@pytest.fixture
def file(folder):
    path = folder / "talk.attn"
    path.write_bytes(OLD)
    return path


def test_a_new_file_appears_whole_and_alone(folder):
    atomic.write(folder / "talk.attn", b"x" * 100_000)
    assert (folder / "talk.attn").read_bytes() == b"x" * 100_000
    assert [one.name for one in folder.iterdir()] == ["talk.attn"]


def test_an_old_file_is_replaced(file):
    atomic.write(str(file), b"new")
    assert file.read_bytes() == b"new"


@pytest.mark.parametrize(
    ("number", "said"),
    [
        (errno.ENOSPC, "there is no space left on"),
        (errno.EACCES, "you have no permission to write in"),
        (errno.EROFS, "can only be read"),
        (errno.EIO, "does not answer"),
        (errno.EFBIG, "does not accept a file of this size"),
        (errno.ELOOP, "says: "),
    ],
)
@pytest.mark.parametrize("failing", ["fsync", "open", "replace"])
def test_whatever_fails_the_old_file_stays_and_the_sentence_says_why(file, monkeypatch, failing, number, said):
    def fail(*_args, **_options):
        raise OSError(number, os.strerror(number))

    if failing == "replace":
        monkeypatch.setattr(type(file), "replace", fail)
    else:
        monkeypatch.setattr(os, failing, fail)
    with pytest.raises(SaveError, match=said) as refusal:
        atomic.write(file, b"new")
    monkeypatch.undo()
    assert str(refusal.value).startswith("talk.attn was not saved: ")
    assert str(refusal.value).endswith("; what was there is unchanged")
    assert file.read_bytes() == OLD
    assert [one.name for one in file.parent.iterdir()] == ["talk.attn"]


@pytest.mark.skipif(sys.platform != "linux", reason="needs a limit on file sizes")
def test_a_disk_that_fills_up_while_writing_keeps_the_old_file(file):
    import resource
    import signal

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, limits[1]))
    try:
        with pytest.raises(SaveError, match="does not accept a file of this size"):
            atomic.write(file, b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, handler)
    assert file.read_bytes() == OLD
    assert [one.name for one in file.parent.iterdir()] == ["talk.attn"]


def test_a_vanished_folder_is_named(tmp_path):
    with pytest.raises(SaveError, match=r"there is no folder .*gone; nothing was written"):
        atomic.write(tmp_path / "gone" / "talk.attn", b"new")


def test_a_file_in_the_place_of_a_folder_is_named(file):
    with pytest.raises(SaveError, match=r"^talk.attn was not saved: a file of that name is in .*; what was there"):
        atomic.make_folder(file)


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_folder_that_is_there_is_not_called_missing():
    with pytest.raises(SaveError, match=r"/proc says: No such file"):
        atomic.write("/proc/talk.attn", b"new")


@posix
def test_what_links_to_a_pipe_is_written_to(folder):
    reader, writer = os.pipe()
    atomic.write(f"/dev/fd/{writer}", b"new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    os.close(writer)


def test_a_folder_in_the_place_of_the_file_is_refused(folder):
    with pytest.raises(SaveError, match="a folder of that name"):
        atomic.write(folder, b"new")


@pytest.mark.parametrize("name", ["a\0b", "n" * 300])
def test_a_name_that_no_file_can_have_is_refused(folder, name):
    with pytest.raises(SaveError, match="was not saved"):
        atomic.write(folder / name, b"new")
    assert list(folder.iterdir()) == []


@posix
def test_a_link_stays_a_link(file):
    link = file.with_name("link.attn")
    link.symlink_to(file)
    atomic.write(link, b"new")
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


@posix
def test_permissions_are_kept(file):
    file.chmod(0o640)
    atomic.write(file, b"new")
    assert stat.S_IMODE(file.stat().st_mode) == 0o640


@posix
@not_root
def test_a_read_only_file_is_not_replaced(file):
    file.chmod(0o444)
    with pytest.raises(SaveError, match="is read-only"):
        atomic.write(file, b"new")
    assert file.read_bytes() == OLD


@posix
def test_a_pipe_is_written_to_and_not_replaced(folder):
    pipe = folder / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    atomic.write(pipe, b"new")
    assert os.read(reader, 10) == b"new"
    os.close(reader)
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_device_is_told_and_stays_a_device():
    with pytest.raises(SaveError, match="no space left"):
        atomic.write("/dev/full", b"new")
    assert stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_folder_is_made_with_those_above_it(tmp_path):
    atomic.make_folder(tmp_path / "a" / "b")
    atomic.make_folder(tmp_path / "a" / "b")
    assert (tmp_path / "a" / "b").is_dir()
    (tmp_path / "file").write_bytes(OLD)
    with pytest.raises(SaveError):
        atomic.make_folder(tmp_path / "file" / "b")
