"""The self-test that every package format runs: whether everything is there, and works once.

It goes through the whole application as far as that can be done unseen in a few seconds, says after each part what it
found, and ends with a status. It needs neither a display nor a home that can be written to, and changes no settings.
"""

from __future__ import annotations

import importlib
import io
import json
import os
import platform
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

import numpy as np
import PySide6
from PySide6.QtCore import QByteArray, QCoreApplication, QEvent, qVersion
from PySide6.QtGui import QImage
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QApplication

import explorer
from explorer import resources
from explorer.concepts import all_concepts
from explorer.ui import export, guard, icons, lifetime, typesetting
from explorer.ui import theme as themes
from explorer.ui.settings import Settings
from explorer.ui.window import MainWindow
from explorer.workbench import documents, lessons, session
from explorer.workbench.document import Document
from explorer.workbench.recovery import Recovery
from explorer.workbench.workbench import Workbench

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.concepts.declaration import Concept, Input

DONE, FAILED = 0, 1
#: A picture with fewer different pixels than this is a blank one.
LEAST_COLOURS: Final = 8


class SmokeError(Exception):
    """Something is missing or does not work; the message says what."""


def run() -> int:
    """Try everything once and say so.

    Returns
    -------
    int
        0 when all is well, else 1.
    """
    parts: list[tuple[str, Callable[[], str]]] = [
        ("versions", _versions),
        ("resources", _resources),
        ("tabs", _tabs),
        ("lessons", _lessons),
        ("typesetting", _typesetting),
        ("window", _window),
        ("pictures", _pictures),
    ]
    faults: list[str] = []
    # What a Qt override raises does not come back to here.
    before, sys.excepthook = sys.excepthook, lambda kind, error, _where: faults.append(f"{kind.__name__}: {error}")
    try:
        for name, part in parts:
            try:
                said = _done(part, faults)
            except Exception as error:  # noqa: BLE001 - whatever it is, it is said, and the status tells it
                if os.environ.get(guard.DEBUG_VARIABLE):
                    traceback.print_exception(error)
                kind = "" if isinstance(error, SmokeError) else f"{type(error).__name__}: "
                _say(f"{name}: failed: {kind}{error}")
                return FAILED
            _say(f"{name}: {said}")
    finally:
        sys.excepthook = before
    _say("all is well")
    return DONE


def _done(part: Callable[[], str], faults: list[str]) -> str:
    said = part()
    if faults:
        raise SmokeError("; ".join(dict.fromkeys(faults)))
    return said


def _say(line: str) -> None:
    sys.stdout.write(f"{' '.join(line.split())}\n")


# --- what is there ---


def _versions() -> str:
    app = lifetime.application()
    with warnings.catch_warnings():
        # Of what they do at import, which is no business of whoever reads this.
        warnings.simplefilter("ignore", DeprecationWarning)
        import ziamath

        importlib.import_module("explorer.ui.curves")

    return (
        f"Attention Explorer {explorer.__version__}, Python {platform.python_version()}, Qt {qVersion()} on"
        f" {app.platformName()}, PySide6 {PySide6.__version__}, NumPy {np.__version__}, pyqtgraph"
        f" {sys.modules['pyqtgraph'].__version__}, ziamath {ziamath.__version__}, {platform.system()}"
        f" {platform.machine()}"
    )


def _resources() -> str:
    """Load every file there is as what it is."""
    root = resources.root()
    files = sorted(path for path in root.rglob("*") if path.is_file() and "__pycache__" not in path.parts)
    for path in files:
        name = path.relative_to(root).as_posix()
        data = resources.data(*path.relative_to(root).parts)
        if not data:
            raise SmokeError(f"{name} is empty")
        _load(name, path.suffix, data)
    if not themes.load_fonts():
        raise SmokeError("the fonts cannot be loaded")
    for name in resources.names("icons"):
        if icons.icon(name.removesuffix(".svg"), "#808080", 16).isNull():
            raise SmokeError(f"icons/{name} cannot be drawn")
    return f"{len(files)} files loaded"


def _load(name: str, suffix: str, data: bytes) -> None:
    try:
        if suffix == ".json":
            json.loads(data)
        elif suffix in (".md", ".txt"):
            data.decode("utf-8")
    except ValueError as error:
        raise SmokeError(f"{name} is damaged: {error}") from error
    if suffix == ".svg" and not QSvgRenderer(QByteArray(data)).isValid():
        raise SmokeError(f"{name} is no SVG that can be drawn")


def _tabs() -> str:
    """Compare the tabs that were found with the lessons: a package may have lost files of Python."""
    found = [lessons.file_name(one.number, one.slug) for one in all_concepts()]
    wanted = resources.names("lessons", lessons.LANGUAGE)
    if found != wanted:
        raise SmokeError(f"the tabs do not fit the lessons: {', '.join(sorted(set(found) ^ set(wanted)))}")
    return ", ".join(f"{one.number} {one.slug}" for one in all_concepts())


def _lessons() -> str:
    read = [lessons.load(one.number, one.slug) for one in all_concepts()]
    return f"{len(read)} read, {sum(len(one.questions) for one in read)} questions"


def _typesetting() -> str:
    svg = typesetting.coloured(typesetting.typeset(r"\frac{q k^T}{\sqrt{d}}"), {"text": "#808080"})
    if not QSvgRenderer(QByteArray(svg)).isValid():
        raise SmokeError("a formula cannot be typeset")
    return "a formula is set"


# --- what works ---


def _window() -> str:
    """Build and paint every tab in the real window, edit, undo, save and open again."""
    workbench, settings = Workbench(), Settings()
    window = MainWindow(workbench, settings, themes.make("light"), Document(workbench, Recovery()))
    place, tab = window.settings.geometry, window.settings.tab
    try:
        window.resize(1280, 720)
        window.show()
        for concept in all_concepts():
            _paint(window, concept)
        edited = _edit(window)
        with tempfile.TemporaryDirectory() as folder:
            _save_and_open(window, Path(folder))
        return f"{len(all_concepts())} tabs built and painted; {edited} edited and undone; a session saved and opened"
    finally:
        lifetime.close_all(window)
        window.settings.geometry, window.settings.tab = place, tab


def _paint(window: MainWindow, concept: Concept) -> None:
    window.workbench.show(concept.slug)
    QApplication.processEvents()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.LayoutRequest)
    window.page.settle()
    if _blank(window.grab().toImage()):
        raise SmokeError(f"tab {concept.number} is blank")


def _blank(image: QImage) -> bool:
    small = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(small.constBits(), np.uint32)
    return len(np.unique(pixels)) < LEAST_COLOURS


def _edit(window: MainWindow) -> str:
    """Type a number into a cell through the widget's own way, and take it back."""
    concept, one = next(
        (concept, one)
        for concept in all_concepts()
        for one in concept.inputs
        if one.kind == "number" and _shown(window, concept, one)
    )
    window.workbench.show(concept.slug)
    view = window.page.panels(one.name)[0].view
    before = window.workbench.state(concept.slug)
    typed = "0.625" if view.values[0, 0] != 0.625 else "0.375"
    if not view.type_text(0, 0, typed) or view.values[0, 0] != float(typed):
        raise SmokeError(f"{one.name} of tab {concept.number} does not take {typed}")
    window.undo()
    if not window.workbench.state(concept.slug).same_as(before):
        raise SmokeError("undo does not bring back what was there")
    window.redo()
    return f"{one.name}[0, 0] of tab {concept.number}"


def _shown(window: MainWindow, concept: Concept, one: Input) -> bool:
    low, high = one.limits
    return bool(window.page_of(concept.slug).panels(one.name)) and low <= 0.375 and high >= 0.625


def _save_and_open(window: MainWindow, folder: Path) -> None:
    path = folder / f"smoke{session.SUFFIX}"
    held = window.document.session()
    window.document.save(path)
    window.document.new()
    window.document.open(path)
    if not window.document.session().same_as(held):
        raise SmokeError("a session that was saved is another when it is opened")


def _pictures() -> str:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / f"smoke{session.SUFFIX}"
        documents.write_new(source, tab=all_concepts()[-1].slug)
        (png,) = export.export(source, kind="png", out=folder / "smoke.png")
        (svg,) = export.export(source, kind="svg", out=folder / "smoke.svg")
        if _blank(QImage(str(png))):
            raise SmokeError("the PNG is blank")
        texts = sum(1 for one in ET.parse(io.BytesIO(svg.read_bytes())).iter() if one.tag.endswith("}text"))  # noqa: S314 - our own
        if not texts:
            raise SmokeError("the SVG has no text")
        return f"a PNG of {png.stat().st_size:,} bytes, an SVG with {texts} texts"
