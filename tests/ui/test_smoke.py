"""The self-test of the packages: it passes here, whatever the home is like, and fails where something is missing."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from explorer import __version__, resources
from explorer.concepts import all_concepts
from explorer.ui import export, smoke
from explorer.ui.page import Page
from explorer.ui.settings import Settings

ROOT = Path(__file__).resolve().parents[2]


def in_a_process(**environment: str) -> "subprocess.CompletedProcess[str]":
    """Run the smoke test as a package does, with these variables and no others that it could lean on."""
    keep = {"PATH": os.environ["PATH"], "LANG": "C.UTF-8", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-m", "explorer", "--smoke"]
    return subprocess.run(command, cwd=ROOT, env={**keep, **environment}, capture_output=True, text=True, check=False)


@pytest.mark.skipif(os.name != "posix", reason="homes are set differently elsewhere")
@pytest.mark.parametrize("home", ["writable", "read-only", "missing"])
def test_it_passes_whatever_the_home_is_like_and_leaves_nothing_in_one_that_is_read_only(
    tmp_path: Path, home: str
) -> None:
    place = tmp_path / home
    if home != "missing":
        place.mkdir(mode=0o555 if home == "read-only" else 0o755)
    done = in_a_process(HOME=str(place))
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[-1] == "all is well"
    assert f"Attention Explorer {__version__}" in lines[0]
    assert all(f"{one.number} {one.slug}" in done.stdout for one in all_concepts())
    if os.geteuid():  # root may write anywhere
        assert home != "read-only" or not list(place.iterdir())


def test_it_passes_in_a_process_that_goes_on(qapp, capsys: pytest.CaptureFixture[str]) -> None:
    hook = sys.excepthook
    Settings().tab = "scaling"
    assert smoke.run() == 0
    assert capsys.readouterr().out.endswith("all is well\n")
    assert sys.excepthook is hook
    assert Settings().tab == "scaling", "a self-test changes nobody's settings"


def said(capsys: pytest.CaptureFixture[str]) -> str:
    return capsys.readouterr().out.splitlines()[-1]


def test_a_lost_tab_is_named(qapp, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoke, "all_concepts", lambda: all_concepts()[:-1])
    assert smoke.run() == 1
    lost = all_concepts()[-1]
    assert said(capsys) == f"tabs: failed: the tabs do not fit the lessons: {lost.number}-{lost.slug}.md"


@pytest.mark.parametrize(
    ("part", "content", "expected"),
    [
        (("icons", "undo.svg"), b"<svg", "icons/undo.svg is no SVG that can be drawn"),
        (("schema", "session-1.json"), b"{", "schema/session-1.json is damaged"),
        (("lessons", "en", "07-full-attention.md"), b"\xff", "lessons/en/07-full-attention.md is damaged"),
        (("catalogue", "models.json"), b"", "catalogue/models.json is empty"),
    ],
)
def test_a_damaged_resource_is_named(
    qapp, capsys, monkeypatch: pytest.MonkeyPatch, part: tuple[str, ...], content: bytes, expected: str
) -> None:
    intact = resources.data
    monkeypatch.setattr(resources, "data", lambda *parts: content if parts == part else intact(*parts))
    assert smoke.run() == 1
    assert said(capsys).startswith(f"resources: failed: {expected}")


def test_a_fault_inside_a_view_is_a_failure(qapp, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(smoke, "_resources", lambda: sys.excepthook(ValueError, ValueError("lost"), None) or "done")
    assert smoke.run() == 1
    assert said(capsys) == "resources: failed: ValueError: lost"


def test_a_page_that_cannot_be_built_is_a_failure(qapp, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(self: Page) -> None:
        raise RuntimeError("no stage")

    monkeypatch.setattr(Page, "settle", fail)
    assert smoke.run() == 1
    assert said(capsys) == "window: failed: RuntimeError: no stage"


def test_a_picture_without_texts_is_a_failure(qapp, capsys, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "as_svg", lambda _sheet: b"<svg xmlns='http://www.w3.org/2000/svg'/>")
    assert smoke.run() == 1
    assert said(capsys) == "pictures: failed: the SVG has no text"
