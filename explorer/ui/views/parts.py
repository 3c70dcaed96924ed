"""Parts: a computation laid out part by part, in small tables cut out of the tab's arrays, with signs between them.

Hovering a cell shows where it comes from, a click keeps that on show; Tab enters the view, the arrow keys go from cell
to cell and from table to table, Enter is the click. At a step that is taken in parts, later parts are still blank.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QWidget

from explorer.ui import matrix_paint, parts_paint
from explorer.ui.cell_size import Unit
from explorer.ui.guard import guarded
from explorer.ui.lettering import lettering
from explorer.ui.matrix_paint import NONE, Look
from explorer.ui.number_style import cell_text
from explorer.ui.parts_layout import Measure, PlacedTable, Plan, plan, shape_of, wish

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.parts import Cut, Parts
    from explorer.core.ops.base import Index
    from explorer.ui.theme import Theme

SPAN = 2.0
DIGITS = 2
_KEYS = {
    Qt.Key.Key_Left: (0, -1),
    Qt.Key.Key_Right: (0, 1),
    Qt.Key.Key_Up: (-1, 0),
    Qt.Key.Key_Down: (1, 0),
}

#: A table's place in the plan, then row and column in it.
Place = tuple[int, int, int]


#: Rows of fewer pixels have no frame.
LEAST_FRAMED = 4


class PartsView(QWidget):
    """Draws `Parts`."""

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.parts: Parts | None = None
        self.plan: Plan | None = None
        self._host = host
        self._unit = Unit(theme.px(25))
        self._reached: int | None = None
        self._wanted = 0
        self._hovered: Place | None = None
        self._cursor: Place = (0, 0, 0)
        self._lit: Mapping[str, frozenset[Index]] = {}
        self._shape: tuple[object, ...] = ()
        self._planned: object = None
        self._wished: tuple[object, QSize] = (None, QSize(0, 0))
        self.setObjectName(view.name)
        self.setAccessibleName(str(view.options.get("title", view.name)))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # --- what is shown ---

    def show_model(self, model: Parts | None) -> None:
        """Show these parts."""
        self.parts = model
        self._shape = () if model is None else shape_of(model)
        self._hovered = None
        self._replan()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return self.parts is None or not self.parts.parts

    @property
    def shape_key(self) -> object:
        """What its size depends on."""
        if self.parts is None:
            return None
        return self.measure(self._unit, 0).toTuple(), len(self.parts.parts)

    def show_part(self, part: int | None) -> None:
        """Show the parts up to this one and point it out; None shows all."""
        if part == self._reached:
            return
        self._reached = part
        if part is not None and self.parts is not None and not self.parts.by_rows:
            self._wanted = part
        self._replan()

    def light(self, operands: Mapping[str, Any]) -> None:
        """Let the cells stand out that are among these."""
        lit = {name: frozenset(cells) for name, cells in operands.items()}
        if lit != self._lit:
            self._lit = lit
            self.update()

    def draws(self, array: str) -> bool:
        """Say whether cells of an array are on show."""
        return self.plan is not None and any(placed.cut.array == array for placed in self.plan.tables)

    def written(self) -> list[tuple[str, list[list[str]]]]:
        """Return the title of every table on show and what is written in its cells, blank ones left out."""
        if self.plan is None:
            return []
        return [
            (placed.cut.title, matrix_paint.texts(placed.cut.values[: self._rows_shown(placed)], self._look(placed)))
            for placed in self.plan.tables
            if self._rows_shown(placed)
        ]

    # --- size and place ---

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size at which the most important parts are seen."""
        if self.parts is None:
            return QSize(0, 0)
        room = self._host.room_width()
        wanted = self._shape, self.theme, unit, room
        if self._wished[0] != wanted:
            self._wished = wanted, wish(self.parts, self.theme, unit, room)
        return self._wished[1]

    def arrange(self, unit: Unit) -> None:
        """Place everything at the present size."""
        self._unit = unit
        self._replan()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self._replan()

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Show as many parts as there is room for."""
        super().resizeEvent(event)
        self._replan()

    def _replan(self) -> None:
        if self.parts is None or not self.parts.parts:
            self.plan = None
        else:
            self._wanted = min(self._wanted, len(self.parts.parts))
            planned = self._shape, self.theme, self._unit, self.size(), self._wanted
            if self.plan is not None and planned == self._planned:
                # Numbers alone have changed: they stand where the others stood.
                self.plan = replace(self.plan, tables=tuple(one.of(self.parts) for one in self.plan.tables))
            else:
                self.plan = plan(Measure(self.parts, self.theme, self._unit), self.size(), self._wanted)
            self._planned = planned
        if self._cell_of(self._cursor) is None:
            self._cursor = (0, 0, 0)
        self._describe()
        self.update()

    def _describe(self) -> None:
        if self.plan is None or self.parts is None:
            self.setAccessibleDescription("")
            return
        shown = self.parts.parts[self.plan.first : self.plan.last + 1]
        said = [": ".join(text for text in (part.title, part.says) if text) for part in shown]
        said.append(self.parts.result_says)
        here = self._cell_of(self._cursor)
        if here is not None and self.hasFocus():
            cut, row, column = here
            index = ", ".join(map(str, cut.index(row, column)))
            said.insert(0, f"{cut.array}[{index}] is {cell_text(float(cut.values[row, column]), 6)}")
        self.setAccessibleDescription("; ".join(text for text in said if text))

    # --- cells ---

    def _rows_shown(self, placed: PlacedTable) -> int:
        """Return how many of a table's rows have been reached."""
        rows = len(placed.cut.values)
        assert self.parts is not None
        if self._reached is None:
            return rows
        if self.parts.by_rows:
            grows = any(placed.cut is item for part in self.parts.parts for item in part.items)
            return min(self._reached + 1, rows) if grows else rows
        last = len(self.parts.parts) - 1
        return rows if placed.part <= (last + 1 if self._reached == last else self._reached) else 0

    def _cell_of(self, place: Place) -> tuple[Cut, int, int] | None:
        at, row, column = place
        if self.plan is None or at >= len(self.plan.tables):
            return None
        placed = self.plan.tables[at]
        if row >= self._rows_shown(placed) or column >= placed.cut.values.shape[1]:
            return None
        return placed.cut, row, column

    def _place_at(self, point: QPoint) -> Place | None:
        if self.plan is None:
            return None
        for at, placed in enumerate(self.plan.tables):
            if placed.rect.contains(point):
                row = (point.y() - placed.rect.top()) // self.plan.cell.height
                column = (point.x() - placed.rect.left()) // self.plan.cell.width
                place = (at, row, column)
                return place if self._cell_of(place) is not None else None
        return None

    def _hover(self, place: Place | None) -> None:
        here = None if place is None else self._cell_of(place)
        if here is None:
            self._host.hover("", None)
        else:
            cut, row, column = here
            self._host.hover(cut.array, cut.index(row, column))

    def _pin(self, place: Place) -> None:
        here = self._cell_of(place)
        if here is not None:
            cut, row, column = here
            self._host.pin(cut.array, cut.index(row, column))

    # --- pointer and keys ---

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Show where the cell under the pointer comes from."""
        place = self._place_at(event.position().toPoint())
        if place != self._hovered:
            self._hovered = place
            self._hover(place)
            over_more = self._more_at(event.position().toPoint()) is not None
            self.setCursor(Qt.CursorShape.PointingHandCursor if over_more else Qt.CursorShape.ArrowCursor)
            self.update()

    @guarded
    def leaveEvent(self, event: Any) -> None:
        """Forget the cell under the pointer."""
        if self._hovered is not None:
            self._hovered = None
            self._hover(None)
            self.update()

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Keep a cell's arithmetic on show, or go to the parts that there was no room for."""
        point = event.position().toPoint()
        place, more = self._place_at(point), self._more_at(point)
        if place is not None:
            self._cursor = place
            self._pin(place)
        elif more is not None:
            self._wanted = more
            self._replan()

    def _more_at(self, point: QPoint) -> int | None:
        """Return the part to go to from words about parts without room."""
        if self.plan is None:
            return None
        for rect, _ in self.plan.more:
            if rect.contains(point):
                return self.plan.first - 1 if rect.left() < self.plan.tables[0].rect.left() else self.plan.last + 1
        return None

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Go from cell to cell; Enter keeps the present one on show."""
        move = _KEYS.get(Qt.Key(event.key()))
        if event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier or self.plan is None:
            super().keyPressEvent(event)
        elif event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self._pin(self._cursor)
        elif move is not None:
            self._go(*move)
        else:
            super().keyPressEvent(event)

    def _go(self, down: int, right: int) -> None:
        assert self.plan is not None
        at, row, column = self._cursor
        order = sorted(range(len(self.plan.tables)), key=lambda i: self.plan.tables[i].rect.left())  # type: ignore[union-attr]
        candidates = [(at, row + down, column + right)]
        if right:
            place = order.index(at) if at in order else 0
            beyond = order[place + right :: right] if place + right >= 0 else []
            for other in beyond:
                last = self.plan.tables[other].cut.values.shape[1] - 1
                shown = self._rows_shown(self.plan.tables[other])
                candidates.append((other, min(row, shown - 1), 0 if right > 0 else last))
        for place_ in candidates:
            if min(place_) >= 0 and self._cell_of(place_) is not None:
                self._cursor = place_
                self._hover(place_)
                self._describe()
                self.update()
                return
        self._scroll(right)

    def _scroll(self, right: int) -> None:
        """Bring the part beyond the last one on show into view."""
        assert self.plan is not None
        assert self.parts is not None
        wanted = self.plan.last + 1 if right > 0 else self.plan.first - 1
        if right and 0 <= wanted < len(self.parts.parts) + bool(self.parts.result):
            self._wanted = wanted
            self._replan()
            here = [at for at, placed in enumerate(self.plan.tables) if placed.part == wanted]
            self._cursor = (here[0] if here else 0, 0, 0)
            self._hover(self._cursor)

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Show where the cell under the cursor comes from."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._hover(self._cursor)
        self._describe()
        self.update()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Forget the cell under the cursor."""
        super().focusOutEvent(event)
        self._hover(None)
        self.update()

    # --- painting ---

    def _look(self, placed: PlacedTable) -> Look:
        assert self.plan is not None
        cut, cell = placed.cut, self.plan.cell
        weight = self._host.concept.array(cut.array).role == "weight"
        wanted = (cut.cell(index) for index in self._lit.get(cut.array, ()))
        rows = self._rows_shown(placed)
        # Frames around rows of a pixel or two would be all that is seen of them.
        pointed = cut.pointed if cell.height >= LEAST_FRAMED else ()
        return Look(
            self.theme,
            "weight" if weight else "signed",
            1.0 if weight else SPAN,
            DIGITS,
            cell.width,
            cell.height,
            cell.font,
            lit=frozenset(here for here in wanted if here is not None),
            changed=frozenset((r, c) for r in pointed for c in range(cut.values.shape[1])) or NONE,
            reached=None if rows == len(cut.values) else rows,
            masked=cut.hatched,
        )

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint frames, tables, signs and words."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if self.plan is not None and self.parts is not None:
            parts_paint.frames(painter, self.theme, self.plan, self.parts, self._reached, self._ahead)
            parts_paint.signs(painter, self.theme, self.plan, self._ahead)
            painter.setRenderHint(QPainter.RenderHint.Antialiasing, False)
            for placed in self.plan.tables:
                self._paint_table(painter, placed)
            self._paint_cursor(painter)
        painter.end()

    def _ahead(self, part: int) -> bool:
        """Say whether a part has not been reached yet."""
        assert self.parts is not None
        if self._reached is None or self.parts.by_rows:
            return False
        last = len(self.parts.parts) - 1
        return part > (last + 1 if self._reached == last else self._reached)

    def _paint_table(self, painter: QPainter, placed: PlacedTable) -> None:
        cut, theme = placed.cut, self.theme
        if cut.title and not self._ahead(placed.part):
            letters = lettering(theme.text_px(12), bold=True)
            painter.setFont(letters.font)
            painter.setPen(theme.color(self._host.concept.array(cut.array).role))
            letters.beside(painter, placed.title, cut.title)
        shown = self._rows_shown(placed)
        look = self._look(placed)
        corner = placed.rect.topLeft()
        painter.translate(corner)
        if shown:
            written = matrix_paint.texts(cut.values, look) if look.with_text else []
            places = matrix_paint.levels(cut.values, look)
            rows, columns = (range(length) for length in cut.values.shape)
            matrix_paint.paint(painter, cut.values, written, places, look, rows, columns)
        if shown < len(cut.values):
            top = shown * look.cell_height
            painter.setPen(QPen(theme.color("border"), 1, Qt.PenStyle.DashLine))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(QRect(0, top, placed.rect.width() - 2, placed.rect.height() - top - 2))
        painter.translate(-corner)

    def _paint_cursor(self, painter: QPainter) -> None:
        if not self.hasFocus() or self.plan is None or self._cell_of(self._cursor) is None:
            return
        at, row, column = self._cursor
        cell, corner, line = self.plan.cell, self.plan.tables[at].rect.topLeft(), max(self.theme.px(2), 2)
        painter.setPen(QPen(self.theme.color("accent"), line))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(
            corner.x() + column * cell.width + line // 2,
            corner.y() + row * cell.height + line // 2,
            max(cell.width - 1 - line, 1),
            max(cell.height - 1 - line, 1),
        )


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return PartsView(view, host, theme)
