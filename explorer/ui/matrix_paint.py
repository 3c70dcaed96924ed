"""Painting the cells of a matrix. Called by the view, by picture export and by nothing else; it holds no state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QBrush, QColor, QImage, QPainter, QPen

from explorer.ui import hatch
from explorer.ui.cell_size import CellSize, holds_digits
from explorer.ui.lettering import lettering
from explorer.ui.number_style import CHARACTERS, FORMS, cell_text, signed_text, weight_text

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.theme import Ramp, Theme

Cells = frozenset[tuple[int, int]]
NONE: Cells = frozenset()
TINIEST = 1e-300
#: Cells that are so many times as high as their digits have room for a thick frame.
ROOMY = 1.7
#: Cells below this height are too small to be hatched: what is masked has a flat colour.
HATCH_FROM = 8


@dataclass
class Look:
    """All that decides how an array is drawn, beyond its values.

    `kind` is "weight" (0…`top` on the sequential map, one for all or one a row), "signed" (±`top` on the diverging
    map), "plain" (uncoloured) or "mask" (True, False). `forms` say how the numbers of each column are written, as
    `explorer.ui.number_style.FORMS` knows them; the last holds for all columns after it. `longest` is the longest
    number where these are short; `terse` numbers have a digit less, because the stage has no room for more.
    Rows from `reached` on are not drawn yet; `lit` cells stand out and, with `dim`, the others step back.
    """

    theme: Theme
    kind: str = "signed"
    top: float | NDArray[np.float64] = 1.0
    digits: int = 2
    cell_width: int = 40
    cell_height: int = 25
    font_px: int = 13
    lit: Cells = NONE
    pinned: Cells = NONE
    dim: bool = False
    changed: Cells = NONE
    reached: int | None = None
    faded: frozenset[int] = frozenset()
    blank: frozenset[int] = frozenset()
    differences: bool = False
    masked: NDArray[np.bool_] | None = None
    forms: tuple[str, ...] = ()
    longest: str = ""
    terse: bool = False

    @property
    def with_text(self) -> bool:
        """Whether cells are large enough for digits."""
        return holds_digits(CellSize(self.cell_width, self.cell_height, self.font_px), self.longest)


def texts(values: NDArray[Any], look: Look) -> list[list[str]]:
    """Return what is written in every cell."""
    if values.dtype == bool:
        return [["" for _ in row] for row in values]
    if look.forms and not look.differences:
        last = len(look.forms) - 1
        return [[FORMS[look.forms[min(c, last)]](value) for c, value in enumerate(row)] for row in values.tolist()]
    write = signed_text if look.differences else weight_text if look.kind == "weight" else cell_text
    digits, characters = look.digits - look.terse, CHARACTERS - look.terse
    return [[write(value, digits, characters) for value in row] for row in values.tolist()]


def levels(values: NDArray[Any], look: Look) -> NDArray[np.uint8]:
    """Return every cell's place on its colour map, 0 to 255; the map's ends are ours, never the data's."""
    if look.kind == "plain" and not look.differences:
        return np.full(values.shape, 128, np.uint8)
    # Bare ufuncs: for a table of a few cells whatever is wrapped around them takes longer than they do. Cells at −∞
    # are hatched, and what is not yet computed is NaN and blank: neither needs a colour of its own. Floats become bytes
    # twenty times as fast as they become indices.
    with np.errstate(over="ignore"):
        share = values / (max(look.top, TINIEST) if isinstance(look.top, float) else np.maximum(look.top, TINIEST))
        if look.kind != "weight" or look.differences:
            share += 1
            share /= 2
        share *= 255
    return np.fmin(np.fmax(np.rint(share), 0), 255).astype(np.uint8)


def masked_cells(values: NDArray[Any], look: Look) -> NDArray[np.bool_]:
    """Return which cells are hatched: those at −∞, those a mask closes, and zeros that a mask has made."""
    if values.dtype == bool:
        return ~values
    closed: NDArray[np.bool_] = values == -np.inf
    return closed if look.masked is None or look.masked.shape != values.shape else closed | look.masked


def ramp_of(look: Look) -> Ramp:
    """Return the colour map of this look."""
    return look.theme.weights if look.kind == "weight" and not look.differences else look.theme.signed


def paint(
    painter: QPainter,
    values: NDArray[Any],
    written: list[list[str]],
    places: NDArray[np.uint8],
    look: Look,
    rows: range,
    columns: range,
) -> None:
    """Paint the cells of these rows and columns, with the first cell of the array at (0, 0)."""
    if not values.size or not len(rows) or not len(columns):
        return
    if not look.with_text and values.dtype != bool:
        _paint_image(painter, values, places, look, rows, columns)
    else:
        _paint_cells(painter, values, written, places, look, rows, columns)
    paint_outlines(painter, look, rows, columns)


def _paint_cells(
    painter: QPainter,
    values: NDArray[Any],
    written: list[list[str]],
    places: NDArray[np.uint8],
    look: Look,
    rows: range,
    columns: range,
) -> None:
    ramp = ramp_of(look)
    theme = look.theme
    width, height = look.cell_width, look.cell_height
    plain, bold = lettering(int(look.font_px)), lettering(int(look.font_px), bold=True)
    painter.setFont(plain.font)
    is_bool = values.dtype == bool
    closed = masked_cells(values, look)
    if closed.any():
        hatched = hatch.brush(painter, theme) if height >= HATCH_FROM else QBrush(theme.color("hatch"))
        ground = theme.color("cell")
    masked, place_rows = closed.tolist(), places.tolist()
    for r in rows:
        y = r * height
        if not _drawn(r, look):
            continue
        faded = r in look.faded
        if faded:
            painter.setOpacity(0.38)
        place_row, text_row, masked_row = place_rows[r], written[r], masked[r]
        for c in columns:
            x = c * width
            if masked_row[c]:
                painter.fillRect(x, y, width - 1, height - 1, ground)
                painter.fillRect(x, y, width - 1, height - 1, hatched)
                continue
            place = place_row[c]
            painter.fillRect(x, y, width - 1, height - 1, ramp.brushes[place])
            if is_bool:
                continue
            painter.setPen(ramp.on[place])
            if (r, c) in look.lit:
                painter.setFont(bold.font)
                bold.centered(painter, x, y, width - 1, height - 1, text_row[c])
                painter.setFont(plain.font)
            else:
                plain.centered(painter, x, y, width - 1, height - 1, text_row[c])
        if faded:
            painter.setOpacity(1.0)
    if look.dim:
        dim(painter, look, rows, columns)


def _paint_image(
    painter: QPainter, values: NDArray[Any], places: NDArray[np.uint8], look: Look, rows: range, columns: range
) -> None:
    theme = look.theme
    part = np.s_[rows.start : rows.stop, columns.start : columns.stop]
    colors = ramp_of(look).colors[places[part]]
    masked = masked_cells(values, look)[part]
    if masked.any():
        colors = colors.copy()
        colors[masked] = _rgb(theme.color("hatch")) if look.cell_height < HATCH_FROM else _rgb(theme.color("cell"))
    for r in rows:
        if not _drawn(r, look):
            colors = colors.copy()
            colors[r - rows.start] = _rgb(theme.color("stage"))
    pixels = np.ascontiguousarray(colors, np.uint8)
    image = QImage(pixels.data, pixels.shape[1], pixels.shape[0], pixels.strides[0], QImage.Format.Format_RGB888)
    target = QRectF(
        columns.start * look.cell_width,
        rows.start * look.cell_height,
        len(columns) * look.cell_width,
        len(rows) * look.cell_height,
    )
    painter.drawImage(target, image)
    if masked.any() and look.cell_height >= HATCH_FROM:
        hatched = hatch.brush(painter, theme)
        for r, first, last in runs(masked):
            painter.fillRect(
                (columns.start + first) * look.cell_width,
                (rows.start + r) * look.cell_height,
                (last - first) * look.cell_width,
                look.cell_height,
                hatched,
            )
    if look.dim:
        dim(painter, look, rows, columns)


def runs(masked: NDArray[np.bool_]) -> list[tuple[int, int, int]]:
    """Return row, first and last column (exclusive) of every run of masked cells."""
    padded = np.pad(masked, ((0, 0), (1, 1))).astype(np.int8)
    edges = np.diff(padded, axis=1)
    starts, ends = np.argwhere(edges == 1), np.argwhere(edges == -1)
    return [(int(s[0]), int(s[1]), int(e[1])) for s, e in zip(starts, ends, strict=True)]


def _drawn(row: int, look: Look) -> bool:
    return (look.reached is None or row < look.reached) and row not in look.blank


def dim(painter: QPainter, look: Look, rows: range, columns: range) -> None:
    """Make every cell step back that is not lit."""
    veil = QColor(look.theme.color("stage"))
    veil.setAlphaF(0.55)
    width, height = look.cell_width, look.cell_height
    for r in rows:
        lit = {c for (row, c) in look.lit if row == r}
        if not lit:
            painter.fillRect(columns.start * width, r * height, len(columns) * width, height, veil)
            continue
        for c in columns:
            if c not in lit:
                painter.fillRect(c * width, r * height, width, height, veil)


def paint_outlines(painter: QPainter, look: Look, rows: range, columns: range) -> None:
    """Outline the cells that changed, are lit or are pinned."""
    theme = look.theme
    line = max(theme.px(2), 1)
    for cells, color, style in (
        (look.changed, theme.color("changed"), Qt.PenStyle.SolidLine),
        (look.lit, theme.color("outline"), Qt.PenStyle.SolidLine),
        (look.pinned, theme.color("outline"), Qt.PenStyle.SolidLine),
    ):
        if not cells:
            continue
        # In low rows a thick frame would lie on the digits.
        roomy = look.cell_height >= look.font_px * ROOMY
        thick = line + 1 if cells is look.pinned and roomy else line
        pen = QPen(color, thick, style)
        pen.setJoinStyle(Qt.PenJoinStyle.MiterJoin)
        painter.setPen(pen)
        painter.setBrush(Qt.BrushStyle.NoBrush)
        width, height, inset = look.cell_width, look.cell_height, thick / 2
        across, down = width - 1 - thick, height - 1 - thick
        painter.drawRects(
            [
                QRectF(c * width + inset, r * height + inset, across, down)
                for r, c in cells
                if r in rows and c in columns and _drawn(r, look)
            ]
        )


def _rgb(color: QColor) -> tuple[int, int, int]:
    return color.red(), color.green(), color.blue()
