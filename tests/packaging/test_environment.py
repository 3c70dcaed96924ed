"""The environment of a checkout comes to be, stays, grows and heals."""

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.packaging.checkout import Checkout, write_wheel

STAMP = "attention-explorer.json"
posix = pytest.mark.skipif(os.name == "nt", reason="signals and symbolic links")


def stamp(checkout: Checkout) -> dict[str, object]:
    return json.loads((checkout.venv / STAMP).read_text())


def wait_for(condition, process: "subprocess.Popen[str]") -> None:
    """Return as soon as the condition holds while the process runs."""
    deadline = time.monotonic() + 60
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_the_first_run_shows_its_progress_and_installs_what_is_pinned(bare):
    said = bare.prepare()
    assert said.startswith("First run: preparing")
    assert "[1/1] tinyrun 1.0" in said
    assert bare.imports("tinyrun")
    assert not bare.imports("tinytest")


def test_a_later_run_says_and_changes_nothing(prepared):
    before = {path: path.lstat().st_mtime_ns for path in prepared.venv.rglob("*")}
    assert prepared.prepare() == ""
    assert {path: path.lstat().st_mtime_ns for path in prepared.venv.rglob("*")} == before


def test_the_tests_are_added_to_what_is_there(prepared):
    said = prepared.prepare("test")
    assert said.startswith("Adding what the tests need")
    assert prepared.imports("tinyrun")
    assert prepared.imports("tinytest")
    assert prepared.prepare("run") == ""
    assert prepared.prepare("test") == ""


def test_the_build_has_an_environment_of_its_own_and_leaves_the_other_alone(prepared):
    lock = write_wheel(prepared.wheels, "tinybuild")
    (prepared.root / "packaging" / "build.lock").write_text(f"# pins\n{lock}")
    before = stamp(prepared)
    question = (
        "import sys; from pathlib import Path; root = Path(sys.argv[1]); sys.path.insert(0, str(root / 'packaging'));"
        "import environment; print(environment.Environment(root, 'build/environment').prepare('build'))"
    )
    for said in ("First run: preparing", ""):
        done = subprocess.run(
            [sys._base_executable, "-c", question, str(prepared.root)],
            capture_output=True,
            text=True,
            env=prepared.environment(),
            check=True,
        )
        *lines, python = done.stdout.splitlines()
        assert "\n".join(lines).startswith(said)
        assert Path(python).is_relative_to(prepared.root / "build" / "environment")
        subprocess.run([python, "-c", "import tinybuild"], check=True)
    assert stamp(prepared) == before
    assert not prepared.imports("tinybuild")


def test_the_checkout_can_be_imported_from_anywhere(prepared, tmp_path):
    (prepared.root / "explorer").mkdir()
    (prepared.root / "explorer" / "__init__.py").touch()
    assert prepared.imports("explorer")


@posix
@pytest.mark.parametrize("moment", ["stamp", "interpreter", "package"])
def test_a_first_run_killed_in_the_middle_heals(bare, moment):
    signs = {
        "stamp": bare.venv / STAMP,
        "interpreter": bare.venv / "bin" / "python",
        "package": None,
    }
    process = bare.start()
    if signs[moment] is None:
        wait_for(lambda: list(bare.venv.glob("lib/*/site-packages/tinyrun*")), process)
    else:
        wait_for(lambda: os.path.lexists(signs[moment]), process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    said = bare.prepare()
    assert "An earlier first run did not finish: preparing" in said
    assert bare.imports("tinyrun")
    assert bare.prepare() == ""


@posix
def test_adding_the_tests_killed_in_the_middle_heals(prepared):
    process = prepared.start("test")
    wait_for(lambda: stamp(prepared)["state"] == "building", process)
    process.send_signal(signal.SIGKILL)
    process.communicate()
    prepared.prepare("run")
    assert prepared.imports("tinyrun")
    prepared.prepare("test")
    assert prepared.imports("tinytest")


def test_a_torn_stamp_heals(prepared):
    (prepared.venv / STAMP).write_text('{"state": "comp')
    prepared.prepare()
    assert prepared.imports("tinyrun")


@posix
def test_an_environment_whose_python_has_gone_is_made_again(prepared):
    python = prepared.venv / "bin" / "python"
    python.unlink()
    python.symlink_to(prepared.root / "gone")
    assert "its Python has moved" in prepared.prepare()
    assert prepared.imports("tinyrun")


def test_an_environment_with_a_package_taken_out_is_made_again(prepared):
    (prepared.site_packages() / "tinyrun.py").unlink()
    assert "is damaged" in prepared.prepare()
    assert prepared.imports("tinyrun")


def test_an_environment_of_another_python_is_made_again(prepared):
    changed = {**stamp(prepared), "python": "cpython-3.10-linux-x86_64"}
    (prepared.venv / STAMP).write_text(json.dumps(changed))
    assert "was made by another Python" in prepared.prepare()
    assert prepared.prepare() == ""


def test_changed_pins_are_followed(prepared, tmp_path):
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    (prepared.root / "packaging" / "run.lock").write_text(write_wheel(wheels, "tinyrun", "2.0"))
    prepared.wheels = wheels
    assert "The locked versions have changed" in prepared.prepare()
    text = (prepared.site_packages() / "tinyrun.py").read_text()
    assert "2.0" in text


@posix
def test_a_moved_checkout_goes_on_without_installing_anything(prepared, tmp_path):
    moved = Checkout(tmp_path / "elsewhere" / "moved", tmp_path / "no wheels there")
    moved.root.parent.mkdir()
    prepared.root.rename(moved.root)
    assert moved.prepare() == "The checkout has moved: adapting .venv."
    assert moved.imports("tinyrun")
    assert str(moved.root) in (moved.site_packages() / "attention-explorer.pth").read_text()
    script = subprocess.run([moved.venv / "bin" / "tinyrun-says"], capture_output=True, check=False)
    assert b"No such file" not in script.stderr
    assert moved.prepare() == ""


@pytest.mark.parametrize("contents", ["files", "file", "symlink"])
def test_what_this_program_did_not_make_is_moved_aside_and_kept(bare, contents, tmp_path):
    if contents == "file":
        bare.venv.write_text("mine")
    elif contents == "symlink":
        (tmp_path / "mine").mkdir()
        bare.venv.symlink_to(tmp_path / "mine")
    else:
        bare.venv.mkdir()
        (bare.venv / "mine").write_text("mine")
    assert "was not made by this program; it is now .venv.replaced-1" in bare.prepare()
    assert os.path.lexists(bare.root / ".venv.replaced-1")
    assert bare.imports("tinyrun")


def test_an_empty_folder_is_simply_used(bare):
    bare.venv.mkdir()
    assert "replaced" not in bare.prepare()
    assert not list(bare.root.glob(".venv.replaced*"))


@posix
def test_two_first_runs_at_once_do_the_work_once(bare):
    first, second = bare.start(), bare.start()
    outputs = [process.communicate(timeout=120) for process in (first, second)]
    assert (first.returncode, second.returncode) == (0, 0), outputs
    assert sum("First run" in said for said, _ in outputs) == 1
    assert sum("waiting for it" in said for said, _ in outputs) == 1
    assert bare.imports("tinyrun")


def test_without_a_network_one_sentence_says_so(bare):
    nowhere = {"PIP_NO_INDEX": "0", "PIP_INDEX_URL": "http://127.0.0.1:9/simple", "PIP_FIND_LINKS": ""}
    complaint = bare.complaint(**nowhere)
    assert complaint.startswith("The packages could not be downloaded")
    assert len(complaint.splitlines()) == 1
    assert "An earlier first run did not finish" in bare.prepare()


def test_a_package_that_is_not_the_pinned_one_is_refused(bare):
    lock = bare.root / "packaging" / "run.lock"
    lock.write_text(lock.read_text().replace("sha256:", "sha256:0000")[: -len("0000\n")] + "\n")
    complaint = bare.complaint()
    assert "not the one that the lock file names" in complaint
    assert not bare.imports("tinyrun")


def test_a_package_that_does_not_exist_here_is_named(bare):
    lock = bare.root / "packaging" / "run.lock"
    lock.write_text(lock.read_text().replace("==1.0", "==9.0"))
    complaint = bare.complaint()
    assert "There is no tinyrun 9.0 for Python 3." in complaint
    assert len(complaint.splitlines()) == 1


def test_settings_that_lead_pip_or_python_astray_are_not_followed(bare, tmp_path):
    (tmp_path / "astray").mkdir()
    (tmp_path / "astray" / "pip.py").write_text("raise SystemExit('astray')")
    bare.prepare(PYTHONPATH=str(tmp_path / "astray"), PIP_USER="1", PIP_TARGET=str(tmp_path / "target"))
    assert bare.imports("tinyrun")
    assert not Path(tmp_path, "target").exists()


@posix
@pytest.mark.skipif(os.name != "nt" and os.geteuid() == 0, reason="nothing is read-only to root")
def test_a_checkout_that_cannot_be_written_is_named(bare):
    bare.root.chmod(0o555)
    try:
        assert "cannot be prepared: Permission denied" in bare.complaint()
    finally:
        bare.root.chmod(0o755)


def test_copies_of_a_checkout_do_not_share_an_environment(prepared, tmp_path):
    copy = Checkout(tmp_path / "copy", prepared.wheels)
    shutil.copytree(prepared.root, copy.root, symlinks=True)
    copy.prepare()
    assert str(prepared.root) not in (copy.site_packages() / "attention-explorer.pth").read_text()
    assert prepared.prepare() == ""
