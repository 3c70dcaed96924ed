"""What is remembered between two starts, and every way in which its file can be wrong."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtWidgets import QApplication

from explorer.ui.settings import MOST_BYTES, Settings
from explorer.ui.theme import THEMES

REMEMBERED = {
    "theme": "dark",
    "scale": "150",
    "panel": "closed",
    "tab": "cost",
    "geometry": "AdnQywADAAAAAAAA",
    "recent": ["/a.attn", "/b.attn"],
    "folder": "/",
}
#: QSettings would ask for 68 GB, unpickle, and make an object of a class.
VARIANTS = """[General]
recent=@Variant(\\0\\0\\0\\x9\\xff\\xff\\xff\\xf0)
theme="@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\x18PySide::PyObjectWrapper\\0\\0\\0\\0\\x5\\x80\\x4N.)"
scale=@Variant(\\0\\0\\0\\x7f\\0\\0\\0\\x10QWidget*\\0)
"""
DAMAGED = {
    "empty": b"",
    "no text": bytes(range(256)) * 40,
    "variants": VARIANTS.encode(),
    "cut off": json.dumps(REMEMBERED).encode()[:-20],
    "a list": b"[1, 2]",
    "too deep": b"[" * 200_000,
    "a long number": b'{"scale": ' + b"9" * 9000 + b"}",
    "too large": b'{"scale": "150", "more": "' + b"x" * MOST_BYTES + b'"}',
    "not finite": b'{"scale": NaN, "theme": Infinity}',
    "other kinds": b'{"theme": {}, "scale": 150, "panel": 1, "tab": [], "geometry": null, "recent": {}, "folder": 7}',
    "other values": b'{"theme": "pink", "scale": "0", "tab": "../x", "geometry": "%", "recent": [1], "folder": "/no"}',
    "no digits": '{"scale": "\u0661\u0665\u0660"}'.encode(),
    "names that no file has": json.dumps({"recent": ["x" * 9000, "\0", "\ud800"], "folder": "y" * 9000}).encode(),
}


@pytest.fixture
def file(own_home: Path, qapp: QApplication) -> Path:
    path = Settings().path()
    path.parent.mkdir(parents=True)
    return path


def test_everything_is_remembered(file: Path) -> None:
    settings = Settings()
    settings.theme, settings.percent, settings.panel, settings.tab = "contrast", 200, False, "scaling"
    settings.geometry, settings.recent = QByteArray(b"\x00place"), ["/tmp/\u00fc \udc80.attn", "/b", "/b"]
    settings.folder = str(file.parent)
    again = Settings()
    assert (again.theme, again.percent, again.panel, again.tab) == ("contrast", 200, False, "scaling")
    assert (bytes(again.geometry.data()), again.recent) == (b"\x00place", ["/tmp/\u00fc \udc80.attn", "/b"])
    assert again.folder == str(file.parent)
    assert [one.name for one in file.parent.iterdir()] == [file.name]


def test_what_another_process_has_written_stays(file: Path) -> None:
    settings = Settings()
    settings.theme = "dark"
    file.write_text(json.dumps({**json.loads(file.read_text()), "scale": "125"}))
    settings.tab = "cost"
    assert json.loads(file.read_text()) == {"theme": "dark", "scale": "125", "tab": "cost"}
    assert Settings().percent == 125


def test_a_link_to_the_file_stays_a_link(file: Path, tmp_path: Path) -> None:
    file.symlink_to(tmp_path / "mine.json")
    Settings().theme = "dark"
    assert file.is_symlink()
    assert json.loads((tmp_path / "mine.json").read_text()) == {"theme": "dark"}


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_file_is_as_good_as_none(file: Path, damage: str) -> None:
    file.write_bytes(DAMAGED[damage])
    settings = Settings()
    assert settings.theme in THEMES
    assert settings.percent == 100
    assert settings.panel
    assert settings.folder == ""
    assert isinstance(settings.tab, str)
    assert settings.geometry.size() < 10
    assert all(isinstance(path, str) and path for path in settings.recent)
    settings.theme = "dark"
    assert Settings().theme == "dark"
    settings.reset()
    assert not file.exists()
    assert Settings().theme == "light"


@pytest.mark.skipif(os.name == "nt", reason="there are no such files")
@pytest.mark.parametrize("kind", ["pipe", "folder", "loop", "folder is a file"])
def test_what_is_no_file_is_neither_waited_for_nor_in_the_way(file: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(file)
    elif kind == "folder":
        file.mkdir()
    elif kind == "loop":
        file.symlink_to(file.name)
    else:
        file.parent.rmdir()
        file.parent.write_text("")
    settings = Settings()
    assert settings.theme == "light"
    settings.theme = "dark"
    assert Settings().theme == "dark", "within the process all windows agree"
    settings.reset()
    assert Settings().theme == "light"


def test_a_start_survives_what_ends_a_process_that_asks_qsettings(file: Path) -> None:
    ini = Path(QSettings(QSettings.Format.IniFormat, QSettings.Scope.UserScope, file.parent.name, "x").fileName())
    for place in (file, ini.with_name("attention-explorer.ini"), ini.with_name("attention-explorer.conf")):
        place.write_text(VARIANTS)
    for options in ([], ["--reset-settings"]):
        command = [sys.executable, "-m", "explorer", *options, "--exit-after-first-paint"]
        done = subprocess.run(
            command, env={**os.environ, "QT_QPA_PLATFORM": "offscreen"}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
