"""What the .deb installs: the bundle without Debian's own libraries, and what makes a desktop know it."""

import gzip
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))

import deb
import licences
from trouble import Trouble

HOME = "usr/lib/attention-explorer"
SHARE = "usr/share"


@pytest.fixture
def staged(tmp_path, monkeypatch):
    """Stage a bundle in which libxcb-cursor and libpython came from packages of the system."""
    bundle, notices, icons = tmp_path / "bundle", tmp_path / "notices", tmp_path / "icons"
    internal = bundle / "_internal"
    for name in ("libpython3.11.so.1.0", "libxcb-cursor.so.0", "numpy/core.so"):
        (internal / name).parent.mkdir(parents=True, exist_ok=True)
        (internal / name).write_bytes(b"\x7fELF")
        (internal / name).chmod(0o777)
    (bundle / "attention-explorer").write_bytes(b"\x7fELF")
    for name in ("LICENSE", "numpy/licenses/LICENSE", "libpython3.11/copyright.txt", "libxcb-cursor0/copyright.txt"):
        (notices / name).parent.mkdir(parents=True, exist_ok=True)
        (notices / name).write_text(name)
    (notices / "README.txt").write_text(
        "MIT\nlibpython3.11: Python\nlibxcb-cursor0: libxcb-cursor.so.0\nnumpy 2: BSD\n"
    )
    (icons / "hicolor").mkdir(parents=True)
    owners = {"libpython3.11": ["libpython3.11.so.1.0"], "libxcb-cursor0": ["libxcb-cursor.so.0"]}
    monkeypatch.setattr(licences, "owners", lambda _: owners)
    target = tmp_path / "root"
    deb.stage(bundle, target, notices=notices, icons=icons, version="9.8", date="May 2031")
    return target


def test_libraries_of_debian_are_left_to_debian_and_the_interpreter_is_not(staged):
    assert not (staged / HOME / "_internal/libxcb-cursor.so.0").exists()
    assert (staged / HOME / "_internal/libpython3.11.so.1.0").exists()
    assert (staged / HOME / "_internal/numpy/core.so").exists()


def test_licences_are_those_of_what_is_inside(staged):
    folder = staged / SHARE / "doc/attention-explorer/licences"
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    assert found == {"LICENSE", "README.txt", "numpy/licenses/LICENSE", "libpython3.11/copyright.txt"}
    assert (folder / "README.txt").read_text() == "MIT\nlibpython3.11: Python\nnumpy 2: BSD\n"


def test_everything_that_a_desktop_looks_for_is_where_it_looks(staged):
    for place in (
        "applications/attention-explorer.desktop",
        "metainfo/attention-explorer.metainfo.xml",
        "mime/packages/attention-explorer.xml",
        "icons/hicolor",
        "doc/attention-explorer/copyright",
        "doc/attention-explorer/changelog.gz",
    ):
        assert (staged / SHARE / place).exists(), place
    link = staged / "usr/bin/attention-explorer"
    assert link.resolve() == staged / HOME / "attention-explorer"
    assert not link.readlink().is_absolute()


def test_the_manual_says_of_which_version_it_is(staged):
    manual = gzip.decompress((staged / SHARE / "man/man1/attention-explorer.1.gz").read_bytes()).decode()
    assert '"May 2031" "Attention Explorer 9.8"' in manual
    assert "@" not in manual.splitlines()[0]


def test_only_folders_and_the_program_may_be_entered_or_executed(staged):
    for path in staged.rglob("*"):
        if not path.is_symlink():
            entered = path.is_dir() or path == staged / HOME / "attention-explorer"
            assert path.stat().st_mode & 0o777 == (0o755 if entered else 0o644), path


def test_sizes_are_counted_as_debian_counts_them(tmp_path):
    root = tmp_path / "root"
    (root / "folder").mkdir(parents=True)
    (root / "folder/one").write_bytes(b"x")
    (root / "folder/more").write_bytes(b"x" * 1025)
    (root / "link").symlink_to("folder")
    assert deb._kibibytes(root) == 1 + 1 + 2 + 1


@pytest.mark.skipif(shutil.which("dpkg-shlibdeps") is None, reason="needs Debian's tools")
def test_a_library_that_is_not_inside_becomes_a_dependency(tmp_path):
    program = tmp_path / "root/usr/lib/program"
    program.parent.mkdir(parents=True)
    shutil.copy(shutil.which("sh"), program)
    assert deb.dependencies(tmp_path / "root").startswith("libc6 (>= ")


@pytest.mark.skipif(shutil.which("dpkg-deb") is None, reason="needs Debian's tools")
def test_the_package_states_what_it_is(staged, tmp_path, monkeypatch):
    monkeypatch.setattr(deb, "dependencies", lambda _: "libc6 (>= 2.35)")
    package = deb.build(staged, tmp_path, "9.8")
    fields = subprocess.run(["dpkg-deb", "-f", package], capture_output=True, text=True, check=True).stdout
    assert "Package: attention-explorer\nVersion: 9.8\n" in fields
    assert "Depends: libc6 (>= 2.35), fontconfig\n" in fields
    assert "@" not in fields.replace("attention-explorer@project.invalid", "")
    owners = subprocess.run(["dpkg-deb", "-c", package], capture_output=True, text=True, check=True).stdout
    assert {line.split()[1] for line in owners.splitlines()} == {"root/root"}


def test_fault_that_a_tool_finds_is_told(monkeypatch):
    fails = subprocess.CompletedProcess([], 1, "E: attention-explorer: some-tag", "")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: fails)
    with pytest.raises(Trouble, match="some-tag"):
        deb.lint(Path("a.deb"))
    with pytest.raises(Trouble, match="desktop-file-validate finds fault"):
        deb.check_sources()
