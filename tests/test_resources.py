"""The resources are found in a checkout, in an installed wheel and in a frozen bundle, and nowhere else."""

import os
import shutil
import site
import subprocess
import sys
import venv
from pathlib import Path

import pytest

from explorer import __version__, resources

ROOT = Path(__file__).resolve().parents[1]
ASK = "from explorer import resources; print(resources.root(), resources.names('fonts'), sep='\\n')"


def run(python: Path, *arguments: str, cwd: Path) -> str:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    done = subprocess.run([python, *arguments], cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory) -> Path:
    """Build the wheel of this checkout, without a network."""
    folder = tmp_path_factory.mktemp("wheel")
    build = ["-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "--no-index", "--quiet", "-w", str(folder)]
    run(Path(sys.executable), *build, str(ROOT), cwd=folder)
    (path,) = folder.glob("*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory) -> Path:
    """Install the wheel alone into an empty environment and return its interpreter."""
    folder = tmp_path_factory.mktemp("an installation") / "venv"
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    python = folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    install = ["-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index", "--quiet"]
    run(Path(sys.executable), *install, str(wheel), cwd=folder)
    return python


def files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def test_a_checkout_reads_its_own_folder():
    assert resources.root() == ROOT / "resources"
    assert resources.path("fonts") == ROOT / "resources" / "fonts"


def test_an_installed_wheel_reads_what_it_brought(installed, tmp_path):
    root, names = run(installed, "-c", ASK, cwd=tmp_path).splitlines()
    assert Path(root).is_relative_to(installed.parent.parent)
    assert Path(root).parts[-2:] == ("explorer", "_resources")
    assert names == str(resources.names("fonts"))


def test_a_wheel_brings_every_resource_and_every_module(wheel, installed):
    package = next((installed.parent.parent).glob("[Ll]ib/**/site-packages")) / "explorer"
    assert files(package / "_resources") == files(ROOT / "resources")
    modules = {name for name in files(ROOT / "explorer") if name.endswith(".py")}
    assert modules <= files(package)


def test_a_wheel_brings_nothing_but_the_package(installed):
    packages = next((installed.parent.parent).glob("[Ll]ib/**/site-packages"))
    assert {path.name.split("-")[0] for path in packages.iterdir()} <= {"explorer", "attention_explorer"}


def test_a_frozen_bundle_reads_what_was_unpacked_with_it(monkeypatch, tmp_path):
    bundle = tmp_path / "explorer" / "_resources"
    shutil.copytree(ROOT / "resources", bundle)
    monkeypatch.setattr(sys, "_MEIPASS", str(tmp_path), raising=False)
    assert resources.root() == bundle
    assert resources.names("fonts") == sorted(path.name for path in (ROOT / "resources" / "fonts").iterdir())


def test_missing_resources_are_said_to_be_missing(monkeypatch, tmp_path):
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "explorer")
    with pytest.raises(FileNotFoundError, match="Install it again"):
        resources.root()
    with pytest.raises(FileNotFoundError, match="Install it again"):
        resources.names("fonts")


def test_texts_are_utf_8_and_data_are_bytes(monkeypatch, tmp_path):
    (tmp_path / "resources" / "lessons").mkdir(parents=True)
    (tmp_path / "resources" / "lessons" / "a.md").write_bytes("q · kᵀ / √d\n".encode())
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "explorer")
    assert resources.text("lessons", "a.md") == "q · kᵀ / √d\n"
    assert resources.data("lessons", "a.md") == "q · kᵀ / √d\n".encode()


def test_names_are_sorted_and_hidden_files_left_out(monkeypatch, tmp_path):
    for name in ("02-b.md", "01-a.md", ".hidden", "__pycache__"):
        (tmp_path / "resources" / "lessons").mkdir(parents=True, exist_ok=True)
        (tmp_path / "resources" / "lessons" / name).touch()
    monkeypatch.setattr(resources, "PACKAGE", tmp_path / "explorer")
    assert resources.names("lessons") == ["01-a.md", "02-b.md"]
    assert resources.names("absent") == []


@pytest.mark.parametrize("parts", [("..", "pyproject.toml"), ("fonts", "..", "..", "LICENSE"), ("/etc", "passwd")])
def test_nothing_outside_the_resources_is_given_out(parts):
    with pytest.raises(ValueError, match="outside the resources"):
        resources.path(*parts)


def test_an_absent_resource_is_named():
    with pytest.raises(FileNotFoundError, match=r"'fonts/absent\.otf'"):
        resources.data("fonts", "absent.otf")


def test_the_installed_command_answers_from_any_folder(installed, tmp_path):
    command = installed.with_name("attention-explorer" + (".exe" if os.name == "nt" else ""))
    assert run(command, "--version", cwd=tmp_path) == f"attention-explorer {__version__}\n"


def test_the_installed_command_prints_a_lesson_from_any_folder(installed, tmp_path):
    """The wheel leaves NumPy to its dependencies; here they are lent by the environment of the tests."""
    (lent,) = [path for path in site.getsitepackages() if Path(path).name == "site-packages"]
    packages = next((installed.parent.parent).glob("[Ll]ib/**/site-packages"))
    (packages / "lent.pth").write_text(f"{lent}\n")
    try:
        here = run(Path(sys.executable), "-m", "explorer", "numbers", "3", cwd=ROOT)
        assert run(installed, "-m", "explorer", "numbers", "3", cwd=tmp_path) == here
    finally:
        (packages / "lent.pth").unlink()
