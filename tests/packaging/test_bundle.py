"""What the bundle takes in and what it leaves out, and that the application does without what it leaves out."""

import pkgutil
import subprocess
import sys
import types
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGING = ROOT / "packaging"
sys.path.insert(0, str(PACKAGING))

import budget
import bundle

import explorer

PRUNING = bundle.Pruning.read(PACKAGING / "prune.toml")


def test_every_module_of_ours_is_named_although_many_are_only_found_or_imported_late():
    named = bundle.modules_of(ROOT / "explorer")
    found = {module.name for module in pkgutil.walk_packages(explorer.__path__, "explorer.")}
    assert set(named) == found | {"explorer"}
    late = {
        "explorer.ui.curves",
        "explorer.ui.mosaic_panel",
        "explorer.ui.smoke",
        "explorer.ui.export",
        "explorer.ui.bench",
    }
    assert late <= set(named)
    assert any(name.startswith("explorer.ui.views.") for name in named)
    assert "explorer.concepts.full_attention" in named


def spec(monkeypatch: pytest.MonkeyPatch) -> dict[str, types.SimpleNamespace]:
    """Run the spec with stand-ins for PyInstaller, and return what it asked of each."""
    asked = {}

    def asks(kind):
        def take(*arguments, **options):
            kept = types.SimpleNamespace(
                arguments=arguments, options=options, pure=[], binaries=[], datas=[], scripts=[]
            )
            asked[kind] = kept
            return kept

        return take

    hooks = types.ModuleType("PyInstaller.utils.hooks")
    hooks.collect_data_files = lambda package: [(f"/{package}/font.ttf", package)]
    for name in ("PyInstaller", "PyInstaller.utils"):
        monkeypatch.setitem(sys.modules, name, types.ModuleType(name))
    monkeypatch.setitem(sys.modules, "PyInstaller.utils.hooks", hooks)
    names = {kind: asks(kind) for kind in ("Analysis", "PYZ", "EXE", "COLLECT")}
    text = (PACKAGING / "attention-explorer.spec").read_text(encoding="utf-8")
    exec(text, {"SPECPATH": str(PACKAGING), **names})
    return asked


def test_the_spec_takes_all_our_modules_the_resources_and_the_fonts_of_the_typesetter(monkeypatch):
    analysis = spec(monkeypatch)["Analysis"]
    assert analysis.options["hiddenimports"] == bundle.modules_of(ROOT / "explorer")
    assert (str(ROOT / "resources"), "explorer/_resources") in analysis.options["datas"]
    assert {place for _, place in analysis.options["datas"]} >= {"ziamath", "ziafont", "latex2mathml"}


def test_the_spec_puts_a_stand_in_where_it_leaves_a_module_out(monkeypatch):
    analysis = spec(monkeypatch)["Analysis"]
    assert {name for name, _, kind in analysis.pure if kind == "PYMODULE"} == set(PRUNING.stand_ins)
    assert all(Path(path).is_file() for _, path, _ in analysis.pure)
    assert set(PRUNING.stand_ins) <= set(analysis.options["excludes"])


def test_the_spec_makes_one_folder_of_files_as_they_are(monkeypatch):
    asked = spec(monkeypatch)
    assert asked["EXE"].options["exclude_binaries"] is True
    for step in ("EXE", "COLLECT"):
        assert asked[step].options["strip"] is False
        assert asked[step].options["upx"] is False


QT = "PySide6/Qt"
ENTRIES = [
    ("libpython3.11.so.1.0", "python", "BINARY"),
    ("PySide6/QtGui.abi3.so", "QtGui", "EXTENSION"),
    (f"{QT}/lib/libQt6Gui.so.6", "Gui", "BINARY"),
    ("libQt6Gui.so.6", f"{QT}/lib/libQt6Gui.so.6", "SYMLINK"),
    (f"{QT}/lib/libQt6Network.so.6", "Network", "BINARY"),
    ("libQt6Network.so.6", f"{QT}/lib/libQt6Network.so.6", "SYMLINK"),
    (f"{QT}/plugins/platforms/libqxcb.so", "xcb", "BINARY"),
    (f"{QT}/plugins/platforms/libqlinuxfb.so", "linuxfb", "BINARY"),
    (f"{QT}/plugins/tls/libqopensslbackend.so", "tls", "BINARY"),
    ("libxcb-cursor.so.0", "cursor", "BINARY"),
    ("libxcb.so.1", "xcb core", "BINARY"),
    ("libgtk-3.so.0", "gtk", "BINARY"),
    (f"{QT}/translations/qt_de.qm", "de", "DATA"),
    ("explorer/_resources/icons/play.svg", "play", "DATA"),
]
NEEDED = {
    "QtGui": {"libQt6Gui.so.6", "libc.so.6"},
    "xcb": {"libxcb-cursor.so.0", "libxcb.so.1", "libQt6Gui.so.6"},
    "tls": {"libQt6Network.so.6"},
    "linuxfb": {"libgtk-3.so.0"},
}


def test_a_library_stays_only_when_something_that_stays_needs_it():
    kept = [place for place, _, _ in bundle.prune(ENTRIES, PRUNING, lambda path: NEEDED.get(path, set()))]
    assert kept == [
        "libpython3.11.so.1.0",
        "PySide6/QtGui.abi3.so",
        f"{QT}/lib/libQt6Gui.so.6",
        "libQt6Gui.so.6",
        f"{QT}/plugins/platforms/libqxcb.so",
        "libxcb-cursor.so.0",
        "explorer/_resources/icons/play.svg",
    ]


@pytest.mark.parametrize(
    "place",
    ["libstdc++.so.6", "PySide6/Qt/translations/qt_fr.qm", "numpy-2.4.6.dist-info/METADATA", "x/numpy/__init__.pyi"],
)
def test_what_the_lists_name_is_dropped(place):
    assert PRUNING.drops(place)


def test_the_needed_libraries_of_a_file_are_read_from_it():
    if not sys.platform.startswith("linux"):
        pytest.skip("objdump is for Linux")
    from PySide6 import QtGui

    assert "libQt6Gui.so.6" in bundle.libraries_of(QtGui.__file__)


def test_the_plugins_that_are_kept_are_those_that_the_budget_expects():
    kept = {f"{kind}/{name}" for kind, names in PRUNING.plugins.items() for name in names}
    assert kept - {"platforms/qcocoa", "platforms/qwindows"} == set(budget._read()["qt"]["plugins"])


WITHOUT = """
import importlib.abc, importlib.machinery, importlib.util, os, sys
modules, stand_ins, folder = sys.argv[1].split(), sys.argv[2].split(), sys.argv[3]

class Bundle(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name in stand_ins:
            return importlib.util.spec_from_file_location(name, os.path.join(folder, name.rpartition(".")[2] + ".py"))
        if any(name == one or name.startswith(one + ".") for one in modules):
            raise ModuleNotFoundError(f"{name} is not in the bundle", name=name)

assert not any(one in sys.modules for one in modules + stand_ins)
sys.meta_path.insert(0, Bundle())
from explorer.cli import main
sys.exit(main(["--smoke"]))
"""


@pytest.mark.slow
def test_the_whole_application_works_without_the_modules_that_are_left_out():
    lists = [" ".join(PRUNING.modules), " ".join(PRUNING.stand_ins), str(PACKAGING / "standins")]
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, *lists], cwd=ROOT, capture_output=True, text=True, check=False, timeout=600
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stderr == ""


def test_the_bundle_gives_programs_that_it_starts_their_own_libraries_back(monkeypatch):
    hook = compile((PACKAGING / "standins" / "clean_environment.py").read_text(), "hook", "exec")
    monkeypatch.setenv("LD_LIBRARY_PATH", "/bundle/_internal")
    monkeypatch.setenv("LD_LIBRARY_PATH_ORIG", "/own")
    exec(hook, {})
    import os

    assert os.environ["LD_LIBRARY_PATH"] == "/own"
    assert "LD_LIBRARY_PATH_ORIG" not in os.environ
    exec(hook, {})
    assert "LD_LIBRARY_PATH" not in os.environ
