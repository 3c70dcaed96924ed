"""What a desktop reads about the application says what the application does: menu, file type, manual, icon."""

import configparser
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray
from PySide6.QtSvg import QSvgRenderer

ROOT = Path(__file__).resolve().parents[2]
LINUX = ROOT / "packaging" / "linux"
NAME = "attention-explorer"
TYPE = "application/x-attention-explorer"
sys.path.insert(0, str(ROOT / "packaging"))

import release

import explorer
from explorer import resources
from explorer.arguments import VERBS, verb_parser, window_parser
from explorer.concepts import all_concepts
from explorer.ui import lifetime
from explorer.ui.settings import Settings
from explorer.workbench import documents, session


def desktop_entry() -> configparser.ConfigParser:
    parser = configparser.ConfigParser(interpolation=None)
    parser.optionxform = str
    parser.read(LINUX / f"{NAME}.desktop", encoding="utf-8")
    return parser


def test_the_menu_entry_opens_the_application_with_a_session_or_without():
    entry = desktop_entry()["Desktop Entry"]
    assert entry["Exec"] == f"{NAME} %f"
    assert entry["Icon"] == NAME
    assert entry["MimeType"] == f"{TYPE};"
    assert entry["Terminal"] == "false"


def test_every_action_of_the_menu_entry_is_a_command_line_that_is_understood():
    parser = desktop_entry()
    for action in parser["Desktop Entry"]["Actions"].strip(";").split(";"):
        program, *arguments = parser[f"Desktop Action {action}"]["Exec"].split()
        assert program == NAME
        window_parser().parse_args(arguments)


def test_the_window_belongs_to_the_menu_entry():
    assert desktop_entry()["Desktop Entry"]["StartupWMClass"] == lifetime.NAME == NAME


def mime_type() -> ET.Element:
    found = ET.parse(LINUX / f"{NAME}.mime.xml").getroot()
    namespace = "{http://www.freedesktop.org/standards/shared-mime-info}"
    for element in found.iter():
        element.tag = element.tag.removeprefix(namespace)
    (one,) = found.findall("mime-type")
    return one


def test_the_file_type_is_that_of_sessions():
    one = mime_type()
    assert one.get("type") == TYPE
    assert [glob.get("pattern") for glob in one.findall("glob")] == [f"*{session.SUFFIX}"]


def test_a_session_is_recognised_by_its_first_bytes(tmp_path):
    path = tmp_path / "one.attn"
    documents.write_new(path, tab="full-attention", values={})
    match = mime_type().find("magic/match")
    first, last = map(int, match.get("offset").split(":"))
    wanted = match.get("value").encode()
    content = path.read_bytes()
    assert first <= content.index(wanted) <= last


def appstream() -> ET.Element:
    return ET.parse(LINUX / f"{NAME}.metainfo.xml").getroot()


def test_the_appstream_data_leads_to_the_menu_entry_and_the_file_type():
    data = appstream()
    assert data.findtext("launchable[@type='desktop-id']") == f"{NAME}.desktop"
    assert data.findtext("provides/binary") == NAME
    assert data.findtext("provides/mediatype") == TYPE
    assert data.findtext("project_license") == "MIT"


def test_version_and_date_are_the_same_everywhere():
    newest = appstream().find("releases/release")
    assert newest.get("version") == explorer.__version__ == release.version()
    assert newest.get("date") == f"{release.released():%Y-%m-%d}"


def test_as_many_tabs_as_are_promised_are_there():
    control = (ROOT / "packaging" / "debian" / "control").read_text(encoding="utf-8")
    assert {one.number for one in all_concepts()} >= set(range(1, 14))
    assert "thirteen tabs" in " ".join(control.split())
    assert "Thirteen tabs" in " ".join("".join(appstream().itertext()).split())


def manual() -> str:
    text = (LINUX / f"{NAME}.1").read_text(encoding="utf-8")
    return re.sub(r"\\f[BIPR]", "", text).replace("\\-", "-")


def test_the_manual_knows_every_verb_and_every_option_of_the_window():
    text = manual()
    options = {option for action in window_parser()._actions for option in action.option_strings if option != "-h"}
    assert [verb for verb in VERBS if not re.search(rf"^(\.B[IR] )?{verb}\b", text, re.MULTILINE)] == []
    assert [option for option in options if option not in text] == []


def test_every_option_that_the_manual_names_exists():
    known = set()
    for parser in [window_parser(), *map(verb_parser, VERBS)]:
        known |= {option for action in parser._actions for option in action.option_strings}
    assert set(re.findall(r"--[a-z][a-z-]+", manual())) <= known


def test_the_manual_names_the_file_of_the_settings(qapp, own_home):
    place = Settings().path().relative_to(own_home / ".config")
    assert f"$XDG_CONFIG_HOME/{place.as_posix()}" in manual()


def test_the_icon_is_square_and_can_be_drawn():
    drawing = QSvgRenderer(QByteArray(resources.data("icons", f"{NAME}.svg")))
    assert drawing.isValid()
    assert drawing.viewBoxF().width() == drawing.viewBoxF().height() > 0


def test_the_window_icon_has_more_than_one_colour_at_every_size(qapp):
    icon = lifetime._icon()
    for size in lifetime.ICON_SIZES:
        image = icon.pixmap(size, size).toImage()
        assert image.width() == image.height()
        assert len({image.pixel(x, y) for x in range(image.width()) for y in range(image.height())}) > 5


@pytest.mark.parametrize(
    "command",
    [
        ["desktop-file-validate", str(LINUX / f"{NAME}.desktop")],
        ["appstreamcli", "validate", "--no-net", str(LINUX / f"{NAME}.metainfo.xml")],
    ],
    ids=lambda command: command[0],
)
def test_the_tools_of_the_desktop_find_no_fault(command):
    if shutil.which(command[0]) is None:
        pytest.skip(f"{command[0]} is not installed")
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
