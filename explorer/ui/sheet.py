"""A tab, or one of its views, as a picture that explains itself: laid out to be printed, not to be clicked.

A sheet is made from a page of its own, which nobody sees, so that nothing of the window is in it: no scroll bars, no
pointer, no selection. It is laid out anew, as large as it takes for everything to be shown, and says under the
drawing what colours, rows, columns and shapes mean, and above it which state of which tab it shows. The matrices are
painted by what paints them on screen. Files are made in `explorer.ui.export`.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

import numpy as np
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QRegion
from PySide6.QtWidgets import QWidget

from explorer.concepts import declaration as d
from explorer.core.checks import cell_name
from explorer.ui import hatch, matrix_paint, mosaic_paint
from explorer.ui.matrix_panel import MatrixPanel, paint_ramp
from explorer.ui.mosaic_view import MosaicView
from explorer.ui.place_widget import PlaceWidget
from explorer.ui.svg import SvgPainter
from explorer.ui.svg_scenes import cut_off
from explorer.ui.unit_search import UNBOUNDED
from explorer.workbench import fingerprint, number_text
from explorer.workbench.data_files import shape_words

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.ui.matrix_paint import Look
    from explorer.ui.page import Page
    from explorer.workbench.state import TabState

#: The room that a layout is fitted to, at 100 %; what needs more takes more.
ROOM: Final = QSize(1230, 600)
LEAST_WIDTH: Final = 420
MARGIN: Final = 20
#: Cells of tables larger than this do not say their numbers under the pointer of a program that shows an SVG.
MOST_LABELS: Final = 4096
LONGEST_TEXT: Final = 60
#: Whole numbers below this are written in groups of three digits; all of them are exact.
MOST_WHOLE: Final = 2**53
#: The largest size of the names beside a matrix, at 100 %.
LABEL: Final = 16
NO_BREAK: Final = "\u00a0"


class Sheet:
    """A picture of a page, or of some of its views.

    Parameters
    ----------
    page : Page
        A page that is not on screen; what it shows is laid out anew.
    names : sequence of str
        The arrays and other views to show; all where empty.

    Raises
    ------
    KeyError
        When the tab shows nothing of that name.
    """

    def __init__(self, page: Page, names: tuple[str, ...] = ()) -> None:
        self.page = page
        self.theme = page.theme
        self.names = names
        self.state: TabState = page.workbench.state(page.concept.slug)
        page.settle()
        if names:
            self._show_only(names)
        canvas = page.stage.canvas
        canvas.forget_sizes()
        room = QSize(self.theme.px(ROOM.width()), self.theme.px(ROOM.height()))
        canvas.fit(room)
        canvas.forget_sizes()
        self._body = canvas.measure(page.concept.layout, canvas.unit, UNBOUNDED)
        canvas.resize(self._body)
        canvas.place(self._body)
        px = self.theme.px
        self._margin = px(MARGIN)
        self._width = max(self._body.width(), px(LEAST_WIDTH), self._widest_title()) + 2 * self._margin
        self._about = self._wrapped(self._situation())
        self._foot = [line for text in (*self._conventions(), self._names_in_full()) for line in self._wrapped(text)]
        self._legend = self._legends()
        small = QFontMetrics(self.theme.font(12)).height()
        title = QFontMetrics(self.theme.font(17, bold=True)).height()
        self._top = self._margin + title + small * len(self._about) + px(14)
        self._bottom = self._top + self._body.height() + px(14)
        lines = (1 if self._legend else 0) + len(self._foot)
        self.size = QSize(self._width, self._bottom + lines * (small + px(3)) + self._margin)

    # --- what is on it ---

    def _show_only(self, names: tuple[str, ...]) -> None:
        canvas, wanted = self.page.stage.canvas, set(names)
        for view in d.views(self.page.concept.layout):
            arrays = view_names(view)
            shown = wanted.intersection(arrays)
            widget = canvas.leaf(view)
            widget.setVisible(bool(shown))
            wanted -= shown
            if shown and isinstance(widget, PlaceWidget):
                widget.show_only(next(name for name in arrays if name in shown))
        if wanted:
            raise KeyError(f"tab {self.page.concept.number} shows nothing called {', '.join(sorted(wanted))}")

    def leaves(self) -> list[QWidget]:
        """Return the widgets on the sheet, of those that share a place the one that is shown."""
        canvas = self.page.stage.canvas
        found: list[QWidget] = []
        for view in d.views(self.page.concept.layout):
            widget = canvas.leaf(view)
            if widget.isHidden():
                continue
            shown = (
                [one for one in widget.panels if not one.isHidden()] if isinstance(widget, PlaceWidget) else [widget]
            )
            found.extend(shown)
        return found

    def panels(self) -> list[MatrixPanel]:
        """Return the matrices on the sheet."""
        return [widget for widget in self.leaves() if isinstance(widget, MatrixPanel)]

    # --- what is printed around it ---

    @property
    def title(self) -> str:
        """What the picture shows."""
        concept = self.page.concept
        what = ", ".join(panel.title for panel in self.panels()) or ", ".join(self.names)
        return f"{concept.number} {concept.title}" + (f": {what}" if self.names and what else "")

    @property
    def description(self) -> str:
        """What is printed around the drawing, as one text."""
        shapes = [f"{panel.title}: {self._shape(panel)}" for panel in self.panels()]
        said = [
            self._fingerprint(),
            self._situation().replace(NO_BREAK, " "),
            f"Shapes: {'; '.join(shapes)}." if shapes else "",
            f"Tokens: {', '.join(self.state.tokens)}." if self.state.tokens else "",
        ]
        return " ".join(text for text in (*said, *self._conventions()) if text)

    def _shape(self, panel: MatrixPanel) -> str:
        results = self.page.workbench.results(self.page.concept.slug)
        return shape_words(results[panel.name].shape if panel.name in results else panel.view.values.shape)

    def _fingerprint(self) -> str:
        return f"inputs {fingerprint.of_state(self.state)}"

    def _widest_title(self) -> int:
        title = QFontMetrics(self.theme.font(17, bold=True)).horizontalAdvance(self.title)
        return title + QFontMetrics(self.theme.font(12)).horizontalAdvance(self._fingerprint()) + self.theme.px(24)

    def _situation(self) -> str:
        """Say which state of the tab this is."""
        concept, state = self.page.concept, self.state
        said = [f"{size.label} {state.sizes[size.name]:,}" for size in concept.sizes if size.label]
        said += [f"{control.label} {self._shown(control)}".strip() for control in concept.controls]
        # Lines are broken between these, not within.
        return " · ".join(one.replace(" ", NO_BREAK) for one in said)

    def _shown(self, control: d.Control) -> str:
        value = self.state.controls[control.name]
        if isinstance(control, d.Toggle):
            return "on" if value else "off"
        if isinstance(control, d.Choice):
            return dict(control.options).get(value, str(value))
        if isinstance(control, d.Pick):
            if value < 0:
                return "none"
            tokens = self.state.tokens if control.size == "n" else ()
            return f"{tokens[value]} ({value})" if value < len(tokens) else str(value)
        if isinstance(control, d.Text):
            shown = value if control.shown is None else control.shown(self.state.controls)
            return number_text.quoted(str(shown), LONGEST_TEXT)
        unit = f" {control.unit}" if isinstance(control, d.Slider) and control.unit else ""
        whole = float(value).is_integer() and abs(value) < MOST_WHOLE
        return f"{int(value):,}{unit}" if whole else f"{number_text.full(float(value))}{unit}"

    def _conventions(self) -> list[str]:
        """Say what rows and columns are, for each pair of axes once."""
        pairs: dict[tuple[str, str], list[str]] = {}
        for panel in self.panels():
            rows, columns = panel.row_axis.words, panel.column_axis.words
            if rows or columns:
                pairs.setdefault((rows, columns), []).append(f"{panel.title} ({self._shape(panel)})")
        said = []
        for (rows, columns), titles in pairs.items():
            meaning = "; ".join(f"{what} = {words}" for what, words in (("row", rows), ("column", columns)) if words)
            said.append(f"{', '.join(titles)}: {meaning}.")
        names = {one.name for one in self.page.concept.inputs}
        rows = "Tokens are rows: q = x @ Wq. " if {"x", "Wq"} <= names else "Vectors are rows. "
        if self.panels():
            said.append(f"{rows}Shapes are rows × columns; positions count from 0.")
        return said

    def _names_in_full(self) -> str:
        """Return the tokens with their positions where the room beside a matrix is too small for one of them."""
        tokens, metrics = self.state.tokens, QFontMetrics(self.theme.font(LABEL))
        named = [f"{name} {at}" for at, name in enumerate(tokens)]
        rooms = [panel.table_rect().left() for panel in self.panels() if panel.row_axis.names == "tokens"]
        rooms += [panel.view.look.cell_width for panel in self.panels() if panel.column_axis.names == "tokens"]
        if not rooms or max((metrics.horizontalAdvance(text) for text in named), default=0) <= min(rooms):
            return ""
        # Isolated, so that a name that runs from right to left does not carry its neighbours along.
        listed = (f"{at} \u2068{name}\u2069".replace(" ", NO_BREAK) for at, name in enumerate(tokens))
        return f"Tokens: {' · '.join(listed)}."

    def _legends(self) -> list[tuple[str, str]]:
        """Return what the colours on the sheet mean: a kind and its words."""
        looks = [panel.view.look for panel in self.panels()]
        found: dict[tuple[str, str], None] = {}
        if any(look.differences for look in looks):
            found["text", "signed differences"] = None
        for panel in self.panels():
            look = panel.view.look
            if look.kind == "weight" and not look.differences:
                found["weight", panel.legend] = None
            elif look.kind == "signed" or look.differences:
                span = float(np.max(look.top))
                found["signed", f"−{span:g} … {span:g}"] = None
        if any(matrix_paint.masked_cells(panel.view.values, panel.view.look).any() for panel in self.panels()):
            found["masked", "masked: may not look"] = None
        return list(found)

    def _wrapped(self, text: str) -> list[str]:
        """Break a text into lines that fit the sheet."""
        metrics, room = QFontMetrics(self.theme.font(12)), self._width - 2 * self._margin
        lines: list[str] = []
        for word in text.split(" "):
            if lines and (word == "·" or metrics.horizontalAdvance(f"{lines[-1]} {word} ·") <= room):
                lines[-1] += f" {word}"
            else:
                lines.append(word)
        plain = [line.replace(NO_BREAK, " ") for line in lines if line]
        return [metrics.elidedText(line, Qt.TextElideMode.ElideRight, room) for line in plain]

    # --- painting ---

    def paint(self, painter: QPainter) -> None:
        """Paint the sheet with its corner at (0, 0)."""
        painter.fillRect(QRect(QPoint(0, 0), self.size), self.theme.color("stage"))
        self._paint_head(painter)
        left = (self._width - self._body.width()) // 2
        for widget in self.leaves():
            corner = widget.mapTo(self.page.stage.canvas, QPoint(0, 0)) + QPoint(left, self._top)
            painter.save()
            if not isinstance(painter, SvgPainter):
                widget.render(painter, corner, QRegion(), QWidget.RenderFlag.DrawChildren)
            elif isinstance(widget, MatrixPanel):
                painter.translate(corner)
                with painter.group(class_="matrix", data_array=widget.name, aria_label=widget.title):
                    widget.paint_frame(painter)
                    painter.translate(widget.table_rect().topLeft())
                    paint_table(painter, widget)
            else:
                box = QRectF(corner, widget.size())
                named = {"class_": "view", "data_view": widget.objectName() or "sign"}
                with painter.group(box, **named), cut_off(widget, box, painter):
                    widget.render(painter, corner, QRegion(), QWidget.RenderFlag.DrawChildren)
            painter.restore()
        self._paint_foot(painter)

    def _paint_head(self, painter: QPainter) -> None:
        theme, x = self.theme, self._margin
        title, small = theme.font(17, bold=True), theme.font(12)
        metrics, line = QFontMetrics(title), QFontMetrics(small)
        base = self._margin + metrics.ascent()
        painter.setFont(title)
        painter.setPen(theme.color("text"))
        painter.drawText(x, base, self.title)
        painter.setFont(small)
        painter.setPen(theme.color("muted"))
        width = line.horizontalAdvance(self._fingerprint())
        painter.drawText(self._width - self._margin - width, base, self._fingerprint())
        base = self._margin + metrics.height() + line.ascent()
        for text in self._about:
            painter.drawText(x, base, text)
            base += line.height()

    def _paint_foot(self, painter: QPainter) -> None:
        theme, px = self.theme, self.theme.px
        metrics = QFontMetrics(theme.font(12))
        painter.setFont(theme.font(12))
        x, base = self._margin, self._bottom + metrics.ascent()
        for kind, words in self._legend:
            bar = QRectF(x, base - px(9), px(44), px(9))
            if kind == "masked":
                painter.fillRect(bar, theme.color("cell"))
                painter.fillRect(bar, hatch.brush(painter, theme))
            elif kind != "text":
                paint_ramp(painter, bar, theme.weights if kind == "weight" else theme.signed)
            x += px(50) if kind != "text" else 0
            painter.setPen(theme.color("muted"))
            painter.drawText(x, base, words)
            x += metrics.horizontalAdvance(words) + px(20)
        base += metrics.height() + px(3) if self._legend else 0
        painter.setPen(theme.color("muted"))
        for line in self._foot:
            painter.drawText(self._margin, base, line)
            base += metrics.height() + px(3)


def view_names(view: d.View) -> tuple[str, ...]:
    """Return what a leaf of a layout can be asked for by: its arrays, or its own name."""
    if isinstance(view, d.Matrix):
        return (view.array,)
    if isinstance(view, d.Place | d.Mosaic):
        return view.arrays
    return (view.name,) if isinstance(view, d.Custom) else ()


# --- matrices as single cells ---


def paint_table(painter: SvgPainter, panel: MatrixPanel) -> None:
    """Paint a panel's table cell by cell, however small they are, with its corner at (0, 0)."""
    view = panel.view
    if not isinstance(view, MosaicView):
        whole = QRectF(0, 0, view.content_width(), view.content_height())
        _paint_tile(painter, panel, slice(0, view.values.shape[0]), whole)
        return
    rows = view.tile_shape[0]
    mosaic_paint.captions(painter, panel.theme, view.laid_out())
    for head in range(view.heads):
        tile = view.tile_rect(head)
        _paint_tile(painter, panel, slice(head * rows, (head + 1) * rows), QRectF(tile))
        if view.counts is not None and not view.counts[head]:
            painter.save()
            painter.translate(tile.topLeft())
            mosaic_paint.veil(painter, panel.theme, tile.size())
            painter.restore()


def _paint_tile(painter: SvgPainter, panel: MatrixPanel, part: slice, place: QRectF) -> None:
    view = panel.view
    values = view.values[part]
    rows, columns = values.shape
    if not values.size:
        return

    def label(row: int, column: int) -> str:
        value = values[row, column]
        shown = str(bool(value)).lower() if values.dtype == bool else number_text.full(float(value))
        return f"{cell_name(panel.name, view.array_index(part.start + row, column))} = {shown}"

    look = _look_of(view.look, part, view.values.shape)
    width, height = place.width() / columns, place.height() / rows
    painter.save()
    painter.translate(place.topLeft())
    with painter.cells(width, height, label if view.values.size <= MOST_LABELS else None):
        if look.with_text or values.dtype == bool:
            matrix_paint.paint(
                painter, values, view.written()[part], view.places()[part], look, range(rows), range(columns)
            )
        else:
            _paint_small(painter, values, view.places()[part], look, width, height)
    painter.restore()


def _look_of(look: Look, part: slice, shape: tuple[int, ...]) -> Look:
    """Return the look of some rows of a table."""

    def within(cells: matrix_paint.Cells) -> matrix_paint.Cells:
        return frozenset((r - part.start, c) for r, c in cells if part.start <= r < part.stop)

    return replace(
        look,
        lit=within(look.lit),
        pinned=within(look.pinned),
        changed=within(look.changed),
        masked=look.masked[part] if look.masked is not None and look.masked.shape == shape else None,
        top=look.top if isinstance(look.top, float) or len(look.top) != shape[0] else look.top[part],
    )


def _paint_small(
    painter: SvgPainter, values: NDArray[np.float64], places: NDArray[np.uint8], look: Look, width: float, height: float
) -> None:
    """Paint cells without digits, which on screen are the pixels of a picture."""
    brushes, tone = matrix_paint.ramp_of(look).brushes, look.theme.color("hatch")
    hatched = hatch.brush(painter, look.theme)
    flat = height < matrix_paint.HATCH_FROM
    masked = matrix_paint.masked_cells(values, look).tolist()
    ground = look.theme.color("cell")
    for r, row in enumerate(places.tolist()):
        if r in look.blank or (look.reached is not None and r >= look.reached):
            continue
        for c, place in enumerate(row):
            rect = QRectF(c * width, r * height, width, height)
            if not masked[r][c]:
                painter.fillRect(rect, brushes[place])
            elif flat:
                painter.fillRect(rect, tone)
            else:
                painter.fillRect(rect, ground)
                painter.fillRect(rect, hatched)
