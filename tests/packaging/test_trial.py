"""A package that breaks the contract is found out: by its status, its complaints, what it writes where it may not."""

import os
import struct
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))

import cleanmachine
import trial
from trouble import Skipped, Trouble

pytestmark = pytest.mark.skipif(os.name == "nt", reason="programs here are shell scripts")


def program(folder: Path, text: str) -> str:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def tried(tmp_path: Path, text: str) -> list[str]:
    scratch = tmp_path / "homes"
    scratch.mkdir()
    return list(trial.contract([program(tmp_path, text)], scratch, []))


def test_a_program_that_is_well_keeps_the_contract_with_every_kind_of_home(tmp_path):
    said = tried(tmp_path, 'test "$1" = --smoke && echo all is well')
    assert said == [f"--smoke, home {kind}: all is well" for kind in ("writable", "read-only", "missing")]


def test_a_home_is_what_it_is_called(tmp_path):
    said = tried(tmp_path, 'if test -d "$HOME"; then stat -c %A "$HOME"; else echo none; fi')
    assert [line.rpartition(": ")[2] for line in said] == ["drwxr-xr-x", "dr-xr-xr-x", "none"]


def test_a_status_that_is_not_0_breaks_it(tmp_path):
    with pytest.raises(Trouble, match="writable home ended with 3:\n    tab 7 is blank"):
        tried(tmp_path, "echo tab 7 is blank; exit 3")


def test_a_complaint_breaks_it(tmp_path):
    with pytest.raises(Trouble, match="ended with 0:\n    a warning"):
        tried(tmp_path, "echo a warning >&2")


def test_a_program_that_dies_without_a_home_breaks_it(tmp_path):
    with pytest.raises(Trouble, match="missing home ended with 1"):
        tried(tmp_path, 'test -d "$HOME"')


def test_a_program_that_writes_into_its_own_folder_breaks_it(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "hardened", list)
    place = tmp_path / "installed"
    place.mkdir()
    writes = program(place, 'chmod u+w "$(dirname "$0")"; touch "$(dirname "$0")/cache"')
    with pytest.raises(Trouble, match=r"changed its own folder: .*/cache"):
        trial._keeps_contract([Path(writes)], place)


def test_a_format_that_was_not_made_is_named_with_the_way_to_make_it(tmp_path, capsys):
    assert trial.verify(["tar", "--from", str(tmp_path)]) == 1
    assert "make it with: python3 packaging/build.py" in capsys.readouterr().err


def test_what_cannot_be_tried_is_said_aloud_and_is_no_failure(capsys, monkeypatch):
    def impossible(_):
        raise Skipped("only root can make another Debian")

    monkeypatch.setitem(trial._TRIALS, "deb", impossible)
    assert trial.verify(["deb"]) == 0
    assert capsys.readouterr().out == "deb: SKIPPED: only root can make another Debian\n"


def test_a_clean_machine_needs_root(tmp_path, monkeypatch):
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    with pytest.raises(Skipped, match="only root"), cleanmachine.machine(tmp_path / "a.deb"):
        pass


def dump(path: Path, pixels: list[int], width: int) -> Path:
    """Write an X window dump with 32 bits a pixel, padded rows, and one colour cell."""
    height, per_line = len(pixels) // width, 4 * width + 8
    header = [0] * 25
    header[0], header[1], header[4], header[5], header[11], header[12], header[19] = (
        104,
        7,
        width,
        height,
        32,
        per_line,
        1,
    )
    rows = b"".join(struct.pack(f"<{width}I", *pixels[y * width :][:width]) + b"\xff" * 8 for y in range(height))
    path.write_bytes(struct.pack(">25I", *header) + b"name" + b"\0" * 12 + rows)
    return path


def test_the_colours_of_a_screen_are_counted_from_its_dump(tmp_path):
    assert cleanmachine.colours(dump(tmp_path / "a", [1, 2, 3, 1, 2, 3], 3)) == 3
    assert cleanmachine.colours(dump(tmp_path / "b", [0] * 40, 8)) == 1
    (tmp_path / "c").write_bytes(b"")
    assert cleanmachine.colours(tmp_path / "c") == 0


def test_a_program_that_hangs_is_ended(tmp_path, monkeypatch):
    monkeypatch.setattr(trial, "MINUTES", 0.002)
    with pytest.raises(Trouble, match="was not done after"):
        trial.execute(["/bin/sh", "-c", "read line < /dev/zero; tail -f /dev/null"], {"PATH": "/usr/bin:/bin"})
