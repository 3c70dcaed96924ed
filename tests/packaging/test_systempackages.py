"""What the system has to bring is known, named and asked for only where it is missing."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))

import systempackages
from trouble import Trouble

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the wheels bring everything elsewhere")
# glibc and the compiler's own libraries: no Python starts without them.
GIVEN = re.compile(r"lib(c|m|dl|rt|pthread|stdc\+\+|gcc_s)\.so|ld-linux|linux-vdso")
LOADED = {
    systempackages.DRAWING: [
        *(f"lib/libQt6{name}.so.6" for name in ("Core", "Gui", "Widgets", "DBus", "OpenGL", "Svg")),
        "plugins/platforms/libqoffscreen.so",
    ],
    systempackages.X11: ["lib/libQt6XcbQpa.so.6", "plugins/platforms/libqxcb.so"],
    systempackages.WAYLAND: ["lib/libQt6WaylandClient.so.6", "plugins/platforms/libqwayland.so"],
}


@linux
@pytest.mark.skipif(shutil.which("objdump") is None, reason="needs binutils")
@pytest.mark.parametrize("purpose", LOADED)
def test_every_library_that_qt_names_is_in_the_table(purpose):
    import PySide6

    folder = Path(PySide6.__file__).parent / "Qt"
    known = {library.soname for library in systempackages.LIBRARIES if library.needed_for in {purpose, "drawing"}}
    for path in LOADED[purpose]:
        headers = subprocess.run(["objdump", "-p", folder / path], capture_output=True, text=True, check=True).stdout
        named = set(re.findall(r"NEEDED\s+(\S+)", headers))
        outside = {name for name in named if not GIVEN.match(name) and not (folder / "lib" / name).exists()}
        assert outside <= known, path


@linux
def test_nothing_is_missing_where_qt_runs():
    assert systempackages.missing_libraries([systempackages.DRAWING]) == []


@linux
def test_a_missing_library_is_told_with_the_command_for_each_system(monkeypatch):
    lost = {"libEGL.so.1", "libxkbcommon.so.0"}
    monkeypatch.setattr(systempackages, "_loads", lambda soname: soname not in lost)
    monkeypatch.setattr(systempackages, "_may_install", lambda: False)
    with pytest.raises(Trouble) as trouble:
        systempackages.provide_libraries([systempackages.DRAWING])
    said = str(trouble.value)
    assert "libEGL.so.1, libxkbcommon.so.0" in said
    assert re.search(r"Debian, Ubuntu: +sudo apt-get install -y libegl1 libxkbcommon0$", said, re.MULTILINE)
    assert re.search(r"Fedora: +sudo dnf install -y libglvnd-egl libxkbcommon$", said, re.MULTILINE)
    assert re.search(r"Arch: +sudo pacman -S --needed libglvnd libxkbcommon$", said, re.MULTILINE)


@linux
def test_what_only_a_window_needs_is_not_asked_for_without_one(monkeypatch):
    monkeypatch.setattr(systempackages, "_loads", lambda soname: "xcb" not in soname)
    monkeypatch.setattr(systempackages, "_may_install", lambda: False)
    systempackages.provide_libraries([systempackages.DRAWING])
    with pytest.raises(Trouble, match="libxcb-cursor0"):
        systempackages.provide_libraries([systempackages.DRAWING, systempackages.X11])


@linux
def test_root_on_debian_has_them_installed(monkeypatch):
    there = set()
    monkeypatch.setattr(systempackages, "_loads", lambda soname: soname != "libEGL.so.1" or "libegl1" in there)
    monkeypatch.setattr(systempackages, "_may_install", lambda: True)
    monkeypatch.setattr(systempackages, "_install_debian", there.update)
    systempackages.provide_libraries([systempackages.DRAWING])
    assert there == {"libegl1"}


@linux
def test_an_installation_that_did_not_help_is_told(monkeypatch):
    monkeypatch.setattr(systempackages, "_loads", lambda _soname: False)
    monkeypatch.setattr(systempackages, "_may_install", lambda: True)
    monkeypatch.setattr(systempackages, "_install_debian", lambda _packages: None)
    with pytest.raises(Trouble, match="libegl1"):
        systempackages.provide_libraries([systempackages.DRAWING])


@pytest.mark.parametrize(
    ("text", "family"),
    [
        ("ID=debian\n", "debian"),
        ('NAME="Linux Mint"\nID=linuxmint\nID_LIKE="ubuntu debian"\n', "debian"),
        ("ID=fedora\n", "fedora"),
        ('ID="rocky"\nID_LIKE="rhel centos fedora"\n', "fedora"),
        ("ID=endeavouros\nID_LIKE=arch\n", "arch"),
        ("ID=nixos\n", ""),
    ],
)
def test_the_family_of_a_system_is_read_from_what_it_says_of_itself(tmp_path, text, family):
    (tmp_path / "os-release").write_text(text)
    assert systempackages._family(tmp_path / "os-release") == family


def test_a_system_that_says_nothing_of_itself_gets_all_commands(tmp_path):
    assert systempackages._family(tmp_path / "absent") == ""


def test_a_python_without_ensurepip_is_told_what_to_install(monkeypatch):
    monkeypatch.setattr(systempackages, "_can_make_venv", lambda: False)
    monkeypatch.setattr(systempackages, "_may_install", lambda: False)
    with pytest.raises(Trouble) as trouble:
        systempackages.provide_venv()
    assert f"python{sys.version_info[0]}.{sys.version_info[1]}-venv" in str(trouble.value)
    assert "sudo dnf install -y python3 python3-pip" in str(trouble.value)
    assert "sudo pacman -S --needed python python-pip" in str(trouble.value)


@pytest.mark.skipif(os.name == "nt", reason="apt-get")
def test_the_list_of_packages_is_fetched_when_the_one_at_hand_does_not_do(monkeypatch, tmp_path, capsys):
    log = tmp_path / "log"
    apt = tmp_path / "apt-get"
    apt.write_text(f'#!/bin/sh\necho "$1" >> "{log}"\n[ "$1" = update ] || [ "$(grep -c . "{log}")" -gt 1 ]\n')
    apt.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    systempackages._install_debian(["libegl1"])
    assert log.read_text().split() == ["install", "update", "install"]
    assert capsys.readouterr().out == "Installing system packages: libegl1\n"
