"""The application object: what the offscreen platform says about itself is kept back, everything else is passed on."""

import os
import subprocess
import sys
from pathlib import Path

from explorer.ui.lifetime import HARMLESS, application

ROOT = Path(__file__).resolve().parents[2]
SAY = """
import sys
from PySide6.QtCore import QLoggingCategory, qCritical, qInstallMessageHandler, qWarning
if "chained" in sys.argv:
    qInstallMessageHandler(lambda kind, context, message: print("outer:", message))
from explorer.ui.lifetime import application
app = application()
qWarning("This plugin does not support raise()")
qWarning("A warning of 100 %")
qCritical("This plugin does not support a thing that is critical")
"""


def said(*arguments: str) -> tuple[str, str]:
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    command = [sys.executable, "-c", SAY, *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    return done.stdout, done.stderr


def test_only_the_harmless_remarks_are_dropped():
    assert said() == ("", "A warning of 100 %\nThis plugin does not support a thing that is critical\n")


def test_whoever_listened_before_goes_on_listening():
    passed_on = "outer: A warning of 100 %\nouter: This plugin does not support a thing that is critical\n"
    assert said("chained") == (passed_on, "")


def test_what_is_dropped_is_what_the_platform_says():
    platform = Path(__import__("PySide6").__file__).parent / "Qt"
    libraries = [*platform.rglob("libQt6Gui.so.6"), *platform.rglob("Qt6Gui.dll"), *platform.rglob("QtGui")]
    contents = [path.read_bytes() for path in libraries if path.is_file()]
    contents += [path.read_bytes() for path in (platform.parent).glob("Qt6Gui.dll")]
    assert any(HARMLESS.encode() in content for content in contents)


def test_there_is_one_application_object_however_often_it_is_asked_for(qapp):
    assert application() is application() is qapp
