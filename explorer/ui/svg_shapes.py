"""What Qt's SVG generator writes, made plain: each shape on its own, in the drawing's own coordinates, texts whole.

Qt wraps every change of a pen in a group with a dozen attributes, cuts a text where it has to change the font, and
leaves it to the viewer to keep the width of lines while coordinates are stretched, which not every viewer can. Shapes
go in as elements of Qt's and come out as elements without a namespace, for `explorer.ui.svg` to put into a file.
"""

from __future__ import annotations

import base64
import re
from typing import Final
from xml.etree import ElementTree as ET

from PySide6.QtCore import QPointF
from PySide6.QtGui import QFontMetricsF, QImage, QTransform

from explorer.ui.theme import font_of

NAMESPACE: Final = "http://www.w3.org/2000/svg"
XLINK: Final = "http://www.w3.org/1999/xlink"
XML: Final = "http://www.w3.org/XML/1998/namespace"
#: What the root says for all: shapes need not repeat it.
INHERITED: Final = {
    "fill": "none",
    "fill-rule": "evenodd",
    "stroke-linecap": "square",
    "stroke-linejoin": "bevel",
}
_SAYS_NOTHING: Final = {
    **INHERITED,
    "stroke": "none",
    "fill-opacity": "1",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "stroke-dashoffset": "0",
    "vector-effect": "none",
    "font-style": "normal",
    "font-weight": "400",
    "font-family": "Inter",
}
_FONT: Final = ("font-family", "font-size", "font-weight", "font-style")
_NUMBER: Final = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_STEP: Final = re.compile(r"([MLCZ])([^MLCZ]*)")
#: Letters of scripts that run from right to left: pieces of a text with several such runs are left as they are.
_RIGHT_TO_LEFT: Final = re.compile(
    "[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
#: How far apart pieces of one text may seem, in pixels.
_JOINT: Final = 1.5


def q(tag: str) -> str:
    """Return a tag of Qt's file as ElementTree knows it."""
    return f"{{{NAMESPACE}}}{tag}"


def matrix(group: ET.Element) -> QTransform:
    """Return how one of Qt's groups is placed."""
    numbers = [float(one) for one in _NUMBER.findall(group.get("transform", "").removeprefix("matrix"))]
    return QTransform(*numbers) if len(numbers) == 6 else QTransform()


def bare(element: ET.Element) -> ET.Element:
    """Return an element without its namespace, its boxes as paths."""
    names = {f"{{{XLINK}}}": "xlink:", f"{{{XML}}}": "xml:"}
    attributes = {}
    for name, value in element.attrib.items():
        space = next((one for one in names if name.startswith(one)), "")
        attributes[f"{names.get(space, '')}{name.removeprefix(space)}"] = value
    copy = ET.Element(element.tag.removeprefix(f"{{{NAMESPACE}}}"), attributes)
    if copy.tag == "rect":
        copy.tag = "path"
        copy.set("d", _box_path(copy))
    copy.text = element.text
    copy.extend(bare(child) for child in element)
    return copy


def plain(group: ET.Element, shape: ET.Element) -> ET.Element | None:
    """Return one shape of one of Qt's groups with all that it needs; None where nothing is to be seen."""
    element = bare(shape)
    text = element.tag == "text"
    given = {name: value for name, value in group.attrib.items() if name != "transform"}
    element.attrib = {**given, **element.attrib}
    _place(element, matrix(group))
    for name in list(element.attrib):
        if element.get(name) == _SAYS_NOTHING.get(name) or (name in _FONT and not text):
            del element.attrib[name]
    if element.get("stroke") is None:
        for name in [one for one in element.attrib if one.startswith("stroke-")]:
            del element.attrib[name]
    seen = text or element.tag == "image" or "fill" in element.attrib or "stroke" in element.attrib
    return element if seen else None


# --- coordinates ---


def _place(element: ET.Element, there: QTransform) -> None:
    """Write a shape down in the drawing's coordinates, as far as that can be done."""
    if element.tag == "image":
        _one_colour_as_box(element)
    paints = element.get("fill", "") + element.get("stroke", "")
    outline = _outline(element)
    if outline is not None and "url(" not in paints:
        moved = [(step, [there.map(point) for point in points]) for step, points in outline]
        for name in ("points", "x", "y", "width", "height"):
            element.attrib.pop(name, None)
        element.tag = "path"
        element.set("d", _path(moved))
        # A cosmetic pen keeps its width; any other is stretched with its shape.
        if element.attrib.pop("vector-effect", "none") == "none":
            _stretch(element, abs(there.determinant()) ** 0.5)
    elif element.tag == "text" and not (there.isScaling() or there.isRotating()):
        where = there.map(QPointF(float(element.get("x", "0")), float(element.get("y", "0"))))
        element.set("x", f"{where.x():.2f}")
        element.set("y", f"{where.y():.2f}")
    elif not there.isIdentity():
        numbers = (there.m11(), there.m12(), there.m21(), there.m22(), there.dx(), there.dy())
        element.set("transform", f"matrix({','.join(f'{one:g}' for one in numbers)})")


def _stretch(element: ET.Element, factor: float) -> None:
    for name in ("stroke-width", "stroke-dasharray"):
        value = element.get(name)
        if value is not None and abs(factor - 1) > 1e-6:
            element.set(name, ",".join(f"{float(one) * factor:g}" for one in _NUMBER.findall(value)))


Outline = list[tuple[str, list[QPointF]]]


def _outline(element: ET.Element) -> Outline | None:
    """Return the steps of a shape's outline; None for what has none."""
    if element.tag in ("polyline", "polygon"):
        points = _points(element.get("points", ""))
        end: Outline = [("Z", [])] if element.tag == "polygon" else []
        return [("M", points[:1]), ("L", points[1:]), *end]
    if element.tag == "path":
        return [(step, _points(numbers)) for step, numbers in _STEP.findall(element.get("d", ""))]
    return None


def _box_path(element: ET.Element) -> str:
    """Take a box off an element and return it as the outline of a path."""
    x, y, width, height = (float(element.attrib.pop(name, "0")) for name in ("x", "y", "width", "height"))
    corners = [QPointF(x, y), QPointF(x + width, y), QPointF(x + width, y + height), QPointF(x, y + height)]
    return _path([("M", corners[:1]), ("L", corners[1:]), ("Z", [])])


def _points(text: str) -> list[QPointF]:
    numbers = [float(one) for one in _NUMBER.findall(text)]
    return [QPointF(x, y) for x, y in zip(numbers[::2], numbers[1::2], strict=True)]


def _path(outline: Outline) -> str:
    return "".join(
        step + " ".join(f"{round(point.x(), 3):g} {round(point.y(), 3):g}" for point in points)
        for step, points in outline
        if points or step == "Z"
    )


def _one_colour_as_box(element: ET.Element) -> None:
    """Turn an image of one colour, as which Qt paints some grounds, into a box; one that is clear, into nothing."""
    data = element.get("xlink:href", "").partition("base64,")[2]
    image = QImage.fromData(base64.b64decode(data)) if data else QImage()
    if image.isNull():
        return
    color = image.pixelColor(0, 0)
    ground = QImage(image.size(), image.format())
    ground.fill(color)
    if ground != image:
        return
    box = _box_path(element)
    opacity = {"fill-opacity": f"{color.alphaF():g}"} if color.alpha() < 255 else {}
    element.tag = "path"
    element.attrib = {
        "fill": color.name() if color.alpha() else "none",
        **opacity,
        "d": box,
    }


# --- texts ---


def join_pieces(group: ET.Element, mark: str) -> None:
    """Join the pieces of a text that Qt has cut where it had to change the font; texts with `mark` are none."""
    before: ET.Element | None = None
    for shape in list(group):
        if before is not None and _is_piece(before, mark) and _is_piece(shape, mark) and _continues(before, shape):
            before.text = f"{before.text or ''}{shape.text or ''}"
            group.remove(shape)
        else:
            before = shape


def _is_piece(shape: ET.Element, mark: str) -> bool:
    return shape.tag == q("text") and not (shape.text or "").startswith(mark)


def _continues(before: ET.Element, shape: ET.Element) -> bool:
    """Say whether a piece begins where the one before it ends, in the same font on the same line."""
    if any(shape.get(name) != before.get(name) for name in ("y", "fill", *_FONT)):
        return False
    if _RIGHT_TO_LEFT.search(shape.text or "") and _RIGHT_TO_LEFT.search(before.text or ""):
        return False
    font = font_of(round(float(before.get("font-size", "13"))), before.get("font-weight", "400") != "400")
    end = float(before.get("x", "0")) + QFontMetricsF(font).horizontalAdvance(before.text or "")
    return abs(end - float(shape.get("x", "0"))) < _JOINT
