"""Drawing into SVG that is worth editing: texts stay texts, and every cell of a matrix is one rectangle.

`SvgPainter` is a QPainter, so that whatever paints the screen paints here too. Qt's own generator writes the shapes.
Two things are taken out of its hands, because it cuts a text into pieces where fonts or directions change and paints
a hatched cell as two rectangles: texts leave a mark in the drawing, cells are collected, and `finish` puts both in.
`<rect>` is kept for cells alone, so that a drawing can be searched for its numbers; other boxes are paths.
"""

from __future__ import annotations

import os
import re
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final
from xml.etree import ElementTree as ET

from PySide6.QtCore import QBuffer, QIODevice, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QFontMetricsF, QPainter
from PySide6.QtSvg import QSvgGenerator

from explorer.ui import svg_shapes
from explorer.ui.svg_shapes import INHERITED, NAMESPACE, XLINK, q

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

FAMILIES: Final = "Inter, 'Helvetica Neue', Arial, sans-serif"
#: What XML cannot hold at all, however it is written.
_IMPOSSIBLE: Final = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True, slots=True)
class _Text:
    text: str
    anchor: str


@dataclass(slots=True)
class _Cell:
    rect: QRectF
    fill: str
    opacity: float
    label: str
    hatch: str = ""


@dataclass(slots=True)
class _Table:
    """The cells of one table; a label is made from row and column."""

    width: float
    height: float
    label: Callable[[int, int], str] | None
    cells: list[_Cell] = field(default_factory=list)


class SvgPainter(QPainter):
    """Paints an SVG of this size in pixels.

    Parameters
    ----------
    size : QSize
        How large the drawing is.
    title, description : str
        What it is called and what it shows, for whoever cannot see it.
    """

    def __init__(self, size: QSize, title: str, description: str = "") -> None:
        super().__init__()
        self._size = size
        self._title, self._description = title, description
        # Something that no label can be by chance.
        self._mark = os.urandom(8).hex()
        self._texts: list[_Text] = []
        self._tables: list[_Table] = []
        self._groups: list[dict[str, str]] = []
        self._clips: list[QRectF] = []
        self._open: _Table | None = None
        self._buffer = QBuffer()
        self._buffer.open(QIODevice.OpenModeFlag.WriteOnly)
        self._generator = QSvgGenerator()
        self._generator.setOutputDevice(self._buffer)
        self._generator.setSize(size)
        self._generator.setViewBox(QRect(0, 0, size.width(), size.height()))
        self.begin(self._generator)

    # --- painting ---

    @contextmanager
    def group(self, clip: QRectF | None = None, **attributes: str) -> Iterator[None]:
        """Put what is painted inside into a group with these attributes, and cut off what leaves `clip`."""
        named = {name.strip("_").replace("_", "-"): printable(text) for name, text in attributes.items()}
        self._leave(self._begin(named, None if clip is None else self.transform().mapRect(clip)))
        try:
            yield
        finally:
            self._leave("end")

    def _begin(self, attributes: dict[str, str], clip: QRectF | None) -> str:
        """Remember a group and return the mark with which it begins."""
        if clip is not None:
            self._clips.append(clip)
            attributes["clip-path"] = f"url(#clip{len(self._clips) - 1})"
        self._groups.append(attributes)
        return f"group {len(self._groups) - 1}"

    def clip_marks(self, clip: QRectF) -> tuple[str, str]:
        """Return two texts: what is drawn between them is cut off where it leaves `clip`, in the drawing's pixels."""
        return f"{self._mark} {self._begin({}, clip)}", f"{self._mark} end"

    @contextmanager
    def cells(self, width: float, height: float, label: Callable[[int, int], str] | None = None) -> Iterator[None]:
        """Take what is filled inside as cells of this size, the first at (0, 0), each one rectangle.

        `label` names a cell by its row and column; programs show that under the pointer.
        """
        self._open = _Table(width, height, label)
        self._tables.append(self._open)
        self._leave(f"cells {len(self._tables) - 1}")
        try:
            yield
        finally:
            self._open = None

    def fillRect(self, *arguments: Any) -> None:
        """Fill a rectangle; inside `cells` it is one."""
        table = self._open
        if table is None:
            super().fillRect(*arguments)
            return
        *place, brush = arguments
        rect = QRectF(*place)
        style, color = (brush.style(), brush.color()) if isinstance(brush, QBrush) else (None, QColor(brush))
        hatched = style not in (None, Qt.BrushStyle.SolidPattern)
        there = self.transform().mapRect(rect)
        if table.cells and table.cells[-1].rect == there:
            # A hatch over its ground: one cell, not two.
            cell = table.cells[-1]
            cell.hatch, cell.fill = (color.name(), cell.fill) if hatched else ("", color.name())
            return
        # From the middle: a rounded edge may lie in the cell before.
        row, column = int(rect.center().y() // table.height), int(rect.center().x() // table.width)
        label = table.label(row, column) if table.label is not None else ""
        fill = "none" if hatched else color.name()
        table.cells.append(_Cell(there, fill, self.opacity(), label, color.name() if hatched else ""))

    def drawText(self, *arguments: Any) -> None:
        """Draw a text, whole, where QPainter would begin, centre or end it."""
        *place, text = arguments
        if len(place) in (1, 2) and not isinstance(place[0], (QRect, QRectF)):
            self._write(QPointF(*place), text, "start")
            return
        *box, flags = place
        rect, flags = QRectF(*box), int(flags)
        if flags & int(Qt.TextFlag.TextWordWrap):
            super().drawText(rect, flags, text)
            return
        metrics = QFontMetricsF(self.font(), self.device())
        base = rect.top() + metrics.ascent()
        if flags & int(Qt.AlignmentFlag.AlignVCenter):
            base += (rect.height() - metrics.height()) / 2
        elif flags & int(Qt.AlignmentFlag.AlignBottom):
            base += rect.height() - metrics.height()
        if flags & int(Qt.AlignmentFlag.AlignHCenter):
            self._write(QPointF(rect.center().x(), base), text, "middle")
        elif flags & int(Qt.AlignmentFlag.AlignRight):
            self._write(QPointF(rect.right(), base), text, "end")
        else:
            self._write(QPointF(rect.left(), base), text, "start")

    def _write(self, where: QPointF, text: str, anchor: str) -> None:
        if text.strip():
            self._texts.append(_Text(printable(text), anchor))
            super().drawText(where, f"{self._mark} text {len(self._texts) - 1}")

    def _leave(self, what: str) -> None:
        """Leave a mark in the drawing, where texts are."""
        self.save()
        self.setPen(Qt.GlobalColor.black)
        super().drawText(QPointF(0, 0), f"{self._mark} {what}")
        self.restore()

    # --- what comes of it ---

    def finish(self) -> bytes:
        """End the painting and return the file."""
        self.end()
        raw = bytes(self._buffer.data().data()).decode("utf-8", "replace")
        drawn = ET.fromstring(_IMPOSSIBLE.sub("\ufffd", raw))  # noqa: S314 - what Qt has just written
        groups = drawn.findall(f"{q('g')}/{q('g')}")
        size = {"width": str(self._size.width()), "height": str(self._size.height())}
        whole = ET.Element(
            "svg",
            {
                "xmlns": NAMESPACE,
                "xmlns:xlink": XLINK,
                **size,
                "viewBox": f"0 0 {size['width']} {size['height']}",
                **INHERITED,
                "role": "img",
                "font-family": FAMILIES,
                "style": "font-variant-numeric: tabular-nums",
            },
        )
        ET.SubElement(whole, "title").text = printable(self._title)
        if self._description:
            ET.SubElement(whole, "desc").text = printable(self._description)
        definitions = ET.SubElement(whole, "defs")
        for found in drawn.iter(q("defs")):
            definitions.extend(svg_shapes.bare(one) for one in found)
        for at, clip in enumerate(self._clips):
            ET.SubElement(ET.SubElement(definitions, "clipPath", {"id": f"clip{at}"}), "path", {"d": _outline(clip)})
        hatches = self._hatches(definitions)
        into = [whole]
        for group in groups:
            svg_shapes.join_pieces(group, self._mark)
            self._take(group, into, hatches)
        text = str(ET.tostring(whole, "unicode"))
        return f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'.encode()

    def _hatches(self, definitions: ET.Element) -> dict[tuple[str, str], str]:
        """Define the hatch of masked cells, with its ground, and return how cells refer to it."""
        looks = {(cell.fill, cell.hatch) for table in self._tables for cell in table.cells if cell.hatch}
        names = {}
        for at, (ground, line) in enumerate(sorted(looks)):
            pattern = ET.SubElement(
                definitions,
                "pattern",
                {"id": f"masked{at}", "width": "8", "height": "8", "patternUnits": "userSpaceOnUse"},
            )
            ET.SubElement(pattern, "path", {"d": "M0 0h8v8h-8z", "fill": ground})
            strokes = {"d": "M-2 2 2 -2M-1 9 9 -1M6 10 10 6", "stroke": line, "stroke-width": "1.4"}
            ET.SubElement(pattern, "path", strokes)
            names[ground, line] = f"url(#masked{at})"
        return names

    def _take(self, group: ET.Element, into: list[ET.Element], hatches: dict[tuple[str, str], str]) -> None:
        """Put one of Qt's groups into the file: without what says nothing, and with what its marks stand for."""
        for shape in group:
            words = (shape.text or "").strip() if shape.tag == q("text") else ""
            if not words.startswith(self._mark):
                plain = svg_shapes.plain(group, shape)
                if plain is not None:
                    into[-1].append(plain)
                continue
            what, _, number = words.removeprefix(f"{self._mark} ").partition(" ")
            if what == "end":
                into.pop()
            elif what == "group":
                into.append(ET.SubElement(into[-1], "g", self._groups[int(number)]))
            elif what == "cells":
                _put_cells(self._tables[int(number)], into[-1], hatches)
            else:
                into[-1].append(_text(shape, group, self._texts[int(number)]))


def printable(text: str) -> str:
    """Return a text as XML can hold it: what it cannot hold at all is replaced by the sign for that."""
    return _IMPOSSIBLE.sub("\ufffd", text)


def _outline(rect: QRectF) -> str:
    return f"M{rect.x():g} {rect.y():g}h{rect.width():g}v{rect.height():g}h-{rect.width():g}z"


def _put_cells(table: _Table, into: ET.Element, hatches: dict[tuple[str, str], str]) -> None:
    group = ET.SubElement(into, "g", {"class": "cells", "shape-rendering": "crispEdges"})
    for cell in table.cells:
        rect = cell.rect
        attributes = {
            "x": f"{rect.x():g}",
            "y": f"{rect.y():g}",
            "width": f"{rect.width():g}",
            "height": f"{rect.height():g}",
            "fill": hatches[cell.fill, cell.hatch] if cell.hatch else cell.fill,
        }
        if cell.opacity < 1:
            attributes["opacity"] = f"{cell.opacity:g}"
        element = ET.SubElement(group, "rect", attributes)
        if cell.label:
            ET.SubElement(element, "title").text = printable(cell.label)


def _text(shape: ET.Element, group: ET.Element, what: _Text) -> ET.Element:
    element = svg_shapes.plain(group, shape)
    assert element is not None  # a text is always seen
    element.text = what.text
    if what.anchor != "start":
        element.set("text-anchor", what.anchor)
    if what.text == " ".join(what.text.split()):
        element.attrib.pop("xml:space", None)
    return element
