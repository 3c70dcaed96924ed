"""What a killed process leaves behind is found, by one window only."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from explorer.workbench import atomic, recovery, session
from explorer.workbench.bookmarks import Snapshot
from explorer.workbench.recovery import Recovery, find
from explorer.workbench.session import Session
from explorer.workbench.state import ViewState
from explorer.workbench.workbench import Workbench

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "recovery"


def numbered(count):
    """Return a session that can be told from others."""
    workbench = Workbench()
    slug = workbench.current
    state = workbench.state(slug)
    return Session(slug, {slug: Snapshot(state, ViewState(step=count))})


def number_in(recoverable):
    held = recoverable.read()
    return held.tabs[held.front].view.step


def run(code, folder, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, str(folder), *map(str, arguments)], cwd=ROOT, stdout=subprocess.PIPE, text=True
    )


ABANDON = """
import os, sys
from pathlib import Path
from explorer.workbench.recovery import Recovery
from tests.workbench.test_recovery import numbered
mine = Recovery(Path(sys.argv[1]))
mine.keep(numbered(int(sys.argv[2])), Path(sys.argv[3]) if sys.argv[3:] else None)
assert mine.flush(), mine.problem
os._exit(9)
"""


LOOK = """
import sys
from pathlib import Path
from explorer.workbench.recovery import find
print(find(Path(sys.argv[1])))
"""


def abandon(folder, *arguments):
    """Let a process die that has a recovery file."""
    process = run(ABANDON, folder, *arguments)
    process.communicate()
    assert process.returncode == 9


def test_what_a_dead_process_had_is_found_and_read(folder):
    abandon(folder, 3, "/home/somebody/talk.attn")
    with find(folder)[0] as found:
        assert number_in(found) == 3
        assert found.document == Path("/home/somebody/talk.attn")


def test_what_a_living_process_has_is_not_offered(folder):
    with_window = Recovery(folder)
    with_window.keep(numbered(1))
    assert with_window.flush()
    # Locks of one process do not keep it out of its own files everywhere, so another one looks.
    assert run(LOOK, folder).communicate()[0].strip() == "[]"
    with_window.close()


def test_two_documents_do_not_share_a_file(folder):
    one, other = Recovery(folder), Recovery(folder)
    one.keep(numbered(1))
    other.keep(numbered(2))
    assert one.flush()
    assert other.flush()
    assert one.path != other.path
    assert [session.read(it.path).tabs[numbered(0).front].view.step for it in (one, other)] == [1, 2]
    one.close()
    other.close()


def test_a_file_that_one_window_offers_is_not_offered_by_another(folder):
    abandon(folder, 3)
    with find(folder)[0]:
        assert find(folder) == []
    again = find(folder)
    assert len(again) == 1
    again[0].release()


def test_what_is_left_for_later_is_offered_again_and_what_is_discarded_is_gone(folder):
    abandon(folder, 1)
    find(folder)[0].release()
    found = find(folder)[0]
    found.discard()
    assert find(folder) == []
    assert list(folder.iterdir()) == []


def test_the_newest_comes_first(folder):
    for number in (1, 2):
        abandon(folder, number)
    found = find(folder)
    assert sorted(map(number_in, found)) == [1, 2]
    assert [one.changed for one in found] == sorted((one.changed for one in found), reverse=True)
    for one in found:
        one.release()


def test_an_orderly_end_leaves_nothing(folder):
    mine = Recovery(folder)
    mine.keep(numbered(1))
    assert mine.flush()
    mine.keep(numbered(2))
    mine.close()
    mine.keep(numbered(3))
    assert list(folder.iterdir()) == []


def test_who_ends_unasked_leaves_the_last_change_for_the_next_start(folder):
    mine = Recovery(folder)
    mine.keep(numbered(1))
    mine.keep(numbered(2))
    mine.leave()
    mine.keep(numbered(3))
    with find(folder)[0] as found:
        assert number_in(found) == 2
    untouched = Recovery(folder / "other")
    untouched.leave()
    assert not (folder / "other").exists()


def test_a_saved_document_leaves_nothing_to_recover(folder):
    mine = Recovery(folder)
    mine.keep(numbered(1))
    assert mine.flush()
    mine.forget()
    assert mine.flush()
    assert not mine.path.exists()
    mine.keep(numbered(2))
    assert mine.flush()
    assert mine.path.exists()
    mine.close()


def test_a_document_that_never_changed_makes_no_folder(folder):
    mine = Recovery(folder)
    mine.forget()
    assert mine.flush()
    mine.close()
    assert not folder.exists()
    assert find(folder) == []


def test_of_a_burst_the_last_change_is_written_and_few_of_the_others(folder, monkeypatch):
    written = []
    write = atomic.write
    monkeypatch.setattr(atomic, "write", lambda path, data: (written.append(path), write(path, data)))
    mine = Recovery(folder)
    for number in range(500):
        mine.keep(numbered(0) if number < 499 else numbered(499))
    assert mine.flush()
    assert session.read(mine.path).tabs[numbered(0).front].view.step == 499
    assert len(written) < 100
    mine.close()


def test_handing_over_does_not_wait_for_the_disk(folder, monkeypatch):
    go_on = threading.Event()
    monkeypatch.setattr(atomic, "write", lambda *_: go_on.wait(60))
    mine = Recovery(folder)
    for number in range(100):
        mine.keep(numbered(number))  # would hang here
    go_on.set()
    assert mine.flush()
    mine.close()


def test_a_disk_that_takes_nothing_is_told_and_does_no_harm(tmp_path):
    (tmp_path / "file").write_text("in the way")
    mine = Recovery(tmp_path / "file" / "recovery")
    mine.keep(numbered(1))
    assert not mine.flush()
    assert mine.problem == f"there is no folder {tmp_path / 'file' / 'recovery'}"
    mine.close()
    assert find(tmp_path / "file" / "recovery") == []


def test_a_full_disk_is_told_in_words(folder, monkeypatch):
    def full(*_arguments):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    mine = Recovery(folder)
    with monkeypatch.context() as patched:
        patched.setattr(os, "write", full)
        mine.keep(numbered(1))
        assert not mine.flush()
    assert mine.problem == f"there is no space left on {folder}"
    mine.keep(numbered(2))
    assert mine.flush()
    mine.close()


def test_what_is_no_file_is_not_offered(folder):
    (folder / "1-abc.attn").mkdir(parents=True)
    assert find(folder) == []
    assert [one.name for one in folder.iterdir()] == ["1-abc.attn"]


def test_what_cannot_be_discarded_is_offered_again(folder, monkeypatch):
    folder.mkdir()
    (folder / "1-abc.attn").write_text("{")
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", lambda *_, **__: (_ for _ in ()).throw(PermissionError(errno.EACCES, "no")))
        find(folder)[0].discard()
    assert [one.path.name for one in find(folder)] == ["1-abc.attn"]


def test_remnants_are_cleared_away_and_recent_temporary_files_are_not(folder):
    folder.mkdir()
    (folder / "1-abc.lock").write_text("not json")
    old, recent = folder / f".a{atomic.TEMPORARY}", folder / f".b{atomic.TEMPORARY}"
    for one in (old, recent):
        one.write_text("half")
    os.utime(old, (1, 1))
    assert find(folder) == []
    assert [one.name for one in folder.iterdir()] == [recent.name]


def test_a_recovery_file_that_cannot_be_read_is_refused_with_a_sentence(folder):
    folder.mkdir()
    (folder / "1-abc.attn").write_text("{")
    with find(folder)[0] as found:
        assert found.document is None
        with pytest.raises(session.FormatError, match="is not JSON"):
            found.read()
    find(folder)[0].discard()
    assert list(folder.iterdir()) == []


def test_the_usual_folder_is_the_users_own(own_home):
    assert recovery.default_folder().is_relative_to(own_home)


EDIT = """
import sys, time
from pathlib import Path
from explorer.workbench.document import Document
from explorer.workbench.recovery import Recovery
from explorer.workbench.workbench import Workbench
document = Document(Workbench(), Recovery(Path(sys.argv[1])))
slug = document.workbench.current
name, array = next((name, a) for name, a in document.workbench.state(slug).inputs.items() if a.dtype.kind == "f")
cell = (0,) * array.ndim
for count in range(1, 1_000_000):
    document.workbench.edit(slug, name, [cell], [count / 1000])
    print(count, time.monotonic(), name, flush=True)
"""


def killed_after(folder, edits):
    """Kill a process that edits as fast as it can; return what it had done when, and when it was killed."""
    process = run(EDIT, folder)
    done = []
    for line in process.stdout:
        done.append(line.split())
        if len(done) >= edits:
            break
    killed = time.monotonic()
    process.kill()
    # What it printed before it died was done before it died.
    done += [line.split() for line in process.stdout.read().splitlines() if len(line.split()) == 3]
    process.wait()
    process.stdout.close()
    return done, killed


@pytest.mark.skipif(os.name != "posix", reason="kill -9")
@pytest.mark.parametrize("moment", [*range(3), *(pytest.param(at, marks=pytest.mark.long) for at in range(3, 50))])
def test_kill_9_at_any_moment_loses_at_most_the_last_second(folder, moment):
    edits = random.Random(moment).choice([1, 2, 10, 300, 1000, 3000]) + random.Random(moment + 1000).randrange(400)
    done, killed = killed_after(folder, edits)
    safe = [int(count) for count, when, _ in done if float(when) < killed - 1]
    found = find(folder)
    if not safe and not found:
        return  # it died within its first second
    (only,) = found
    with only:
        held = only.read()
        cell = held.tabs[held.front].state.inputs[done[0][2]].flat[0]
        assert round(cell * 1000) >= max(safe, default=0)
        assert round(cell * 1000) <= int(done[-1][0]) + 1
