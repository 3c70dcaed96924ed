"""A plane: vectors drawn from its origin on a scale that is stated, some of them to be dragged.

A drag writes the cells that a vector names, as one undo step; what is computed from them comes back as a new model in
the same frame. While something is dragged the scale stands still. Tab goes from vector to vector, the arrow keys move
the one in focus, so that the keyboard can do what the mouse can.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QEvent, QLineF, QPointF, QRect, QRectF, QSize, Qt
from PySide6.QtGui import (
    QFocusEvent,
    QFontMetricsF,
    QHelpEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
)
from PySide6.QtWidgets import QToolTip, QWidget

from explorer.ui import plane_paint
from explorer.ui.guard import guarded
from explorer.ui.plane_layout import Scale, snapped
from explorer.ui.plane_paint import PlaneLook, short, written

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.plane import Plane, Point, Vector
    from explorer.ui.matrix_panel import Unit
    from explorer.ui.theme import Theme

#: How near to a tip the pointer takes hold of it, in pixels at 100 %.
REACH = 14
#: A drag and an arrow key go in so many parts of a square, with Shift in so many.
PARTS, FINE_PARTS = 10, 100
K = Qt.Key
_ARROWS = {K.Key_Left: (-1, 0), K.Key_Right: (1, 0), K.Key_Up: (0, 1), K.Key_Down: (0, -1)}


class PlaneView(QWidget):
    """Draws a `Plane` and turns drags and arrow keys into edits.

    The option "size" is its least width and height without what is written under it, in heights of the stage's digits;
    "size_in_show" the same for presentations, "title" what a screen reader calls it.
    """

    #: It takes what room the others leave.
    stretches = True

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.plane: Plane | None = None
        self._host = host
        self._size: tuple[float, float] = view.options.get("size", (26.0, 24.0))
        self._size_in_show: tuple[float, float] = view.options.get("size_in_show", self._size)
        self._font = 13
        self._scale: Scale | None = None
        self._focused = -1
        self._hovered = -1
        self._dragged = -1
        self._grip = QPointF()
        self._start: Point = (0.0, 0.0)
        self._held = False
        # Where vectors were put since the last model: the next frame brings the model that knows it.
        self._put: dict[int, Point] = {}
        self._lit: frozenset[int] = frozenset()
        self._unreached: frozenset[str] = frozenset()
        self.setObjectName(view.name)
        self.setAccessibleName(view.options.get("title", view.name))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # --- what is shown ---

    def show_model(self, model: Plane | None) -> None:
        """Show this plane."""
        self._put.clear()
        if model == self.plane:
            return
        self.plane = model
        count = len(model.vectors) if model else 0
        self._hovered = self._hovered if self._hovered < count else -1
        handles = self._handles()
        if not {self._dragged, self._focused} <= {-1, *handles}:
            # An undo has taken away what was being moved.
            self._give_up_gestures()
        self._focused = self._focused if self._focused in handles else -1
        if self._dragged < 0:
            self._scale = None
        self._describe()
        self.update()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return self.plane is None

    def light(self, operands: Mapping[str, Any]) -> None:
        """Let the vectors stand out whose cells are among these."""
        lit = frozenset(
            i
            for i, vector in enumerate(self.plane.vectors if self.plane else ())
            if vector.cells and not operands.get(vector.array, frozenset()).isdisjoint(vector.cells)
        )
        if lit != self._lit:
            self._lit = lit
            self.update()

    def hide_arrays(self, names: frozenset[str]) -> None:
        """Hide the vectors of arrays that the steps have not come to."""
        if names != self._unreached:
            self._unreached = names
            self._describe()
            self.update()

    def _hidden(self) -> frozenset[int]:
        vectors = self.plane.vectors if self.plane else ()
        return frozenset(i for i, vector in enumerate(vectors) if vector.array in self._unreached)

    def _handles(self) -> list[int]:
        """Return the vectors that can be moved, in the order in which Tab goes through them."""
        return [i for i, vector in enumerate(self.plane.vectors) if vector.draggable] if self.plane else []

    def _describe(self) -> None:
        if self.plane is None:
            return
        if self._focused >= 0:
            moved = self.tr("the arrow keys move it")
            text = f"{self._spoken(self.plane.vectors[self._focused])}; {moved}"
        else:
            hidden = self._hidden()
            text = "; ".join(self._spoken(one) for i, one in enumerate(self.plane.vectors) if i not in hidden)
        self.setAccessibleDescription(text)

    def _spoken(self, vector: Vector) -> str:
        return ", ".join(filter(None, (f"{vector.label} {written(vector.tip)}", vector.says)))

    # --- size and place ---

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size of the plane; like a large table it can be pressed."""
        size = self._size_in_show if self.theme.present else self._size
        across, up = (part * unit.font * unit.squeeze for part in size)
        foot = self._foot_height(across)
        return QSize(round(across), round(max(min(up, max_height - foot), across / 2) + foot))

    def arrange(self, unit: Unit) -> None:
        """Take the size that it now has."""
        self._font = max(min(round(unit.font * 0.95), self.theme.text_px(17)), self.theme.text_px(12))
        self._scale = None if self._dragged < 0 else self._scale
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self._scale = None
        self.update()

    def _foot_height(self, width: float) -> int:
        """Return the height of what is written under the plane."""
        metrics = QFontMetricsF(self.theme.font(12))
        height = metrics.height()
        if self.plane is not None and self.plane.note and not self.theme.present:
            height += metrics.boundingRect(QRectF(0, 0, width, 10_000), plane_paint.WRAPPED, self.plane.note).height()
        return round(height + self.theme.px(4))

    def _area(self) -> QRectF:
        foot = self._foot_height(self.width())
        return QRectF(0.5, 0.5, self.width() - 1, max(self.height() - foot, 1) - 1)

    def scale_now(self) -> Scale:
        """Return the scale on which the plane is drawn."""
        if self._scale is None:
            assert self.plane is not None
            self._scale = Scale.fitting(self.plane.box, [vector.tip for vector in self.plane.vectors], self._area())
        return self._scale

    def step(self, *, fine: bool) -> float:
        """Return by how much an arrow key moves a vector, and a drag snaps."""
        return plane_paint.square_of(self.scale_now(), self.theme) / (FINE_PARTS if fine else PARTS)

    # --- painting ---

    def _look(self) -> PlaneLook:
        return PlaneLook(
            self.theme,
            self._font,
            hovered=self._dragged if self._dragged >= 0 else self._hovered,
            focused=self._focused if self.hasFocus() else -1,
            lit=self._lit,
            hidden=self._hidden(),
        )

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the plane, and under it the scale and the note."""
        painter = QPainter(self)
        if self.plane is not None:
            plane_paint.paint_plane(painter, self.plane, self.scale_now(), self._look())
            plane_paint.paint_foot(painter, self.plane, self.scale_now(), self._look(), self.foot_text())
            if self.hasFocus() and self._focused < 0:
                plane_paint.paint_focus(painter, self.scale_now(), self._look())
        painter.end()

    def label_places(self) -> list[tuple[Vector, str, QRectF | None]]:
        """Return every vector with its label and where that stands, None where there is no room for it."""
        return [] if self.plane is None else plane_paint.label_places(self.plane, self.scale_now(), self._look())

    def foot_text(self) -> str:
        """Return the statement of the scale."""
        stated = self.tr("one square is {0}").format(short(plane_paint.square_of(self.scale_now(), self.theme)))
        if self.theme.present and self.plane is not None:
            # On a wall nobody reads how to drag, and there is one line.
            return " · ".join(self._fitting((stated, self.plane.note)))
        hint = self.tr("drag a tip, or Tab and arrow keys")
        told = bool(self._handles()) and not self.theme.printed
        return " · ".join(self._fitting((stated, hint) if told else (stated,)))

    def _fitting(self, parts: tuple[str, ...]) -> tuple[str, ...]:
        """Return all parts where they fit on one line, else the first."""
        parts = tuple(filter(None, parts))
        width = QFontMetricsF(self.theme.font(12)).horizontalAdvance(" · ".join(parts))
        return parts if width <= self.width() else parts[:1]

    # --- pointer ---

    def _vector_at(self, where: QPointF, *, movable: bool = False) -> int:
        """Return the vector whose tip is nearest to a pixel and within reach; of several at one place the last."""
        if self.plane is None:
            return -1
        scale, best, found, hidden = self.scale_now(), float(self.theme.px(REACH)), -1, self._hidden()
        for i, vector in enumerate(self.plane.vectors):
            distance = QLineF(scale.pixel(vector.tip), where).length()
            if distance <= best and i not in hidden and (vector.draggable or not movable):
                best, found = distance, i
        return found

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show where the vector under the pointer comes from."""
        if self._dragged >= 0:
            fine = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
            self._drag_to(event.position() + self._grip, fine=fine)
            return
        self._hover(self._vector_at(event.position()))
        movable = self._vector_at(event.position(), movable=True) >= 0
        self.setCursor(Qt.CursorShape.OpenHandCursor if movable else Qt.CursorShape.ArrowCursor)

    def _hover(self, i: int) -> None:
        if i == self._hovered:
            return
        before, self._hovered = self._hovered, i
        if not self._tell_hover(i, leaving=False):
            self._tell_hover(before, leaving=True)
        self.update()

    def _tell_hover(self, i: int, *, leaving: bool) -> bool:
        """Let the trace tell of a vector, or no longer; says whether there was one to tell of."""
        vectors = self.plane.vectors if self.plane else ()
        cells = vectors[i].cells if 0 <= i < len(vectors) else None
        if cells is None:
            return False
        self._host.hover(vectors[i].array, None if leaving else cells[0])
        return True

    @guarded
    def leaveEvent(self, event: QEvent) -> None:
        """Forget the hovered vector."""
        if self._dragged < 0:
            self._hover(-1)

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a tip."""
        i = self._vector_at(event.position(), movable=True)
        if event.button() != Qt.MouseButton.LeftButton or self.plane is None or i < 0:
            super().mousePressEvent(event)
            return
        vector = self.plane.vectors[i]
        self._focused = self._dragged = i
        self._start = vector.tip
        self._grip = self.scale_now().pixel(vector.tip) - event.position()
        self._host.begin(f"move {vector.label}")
        self.setCursor(Qt.CursorShape.ClosedHandCursor)
        self._describe()
        self.update()

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go of it."""
        if self._dragged >= 0:
            self._let_go()
            self.setCursor(Qt.CursorShape.OpenHandCursor)
            return
        super().mouseReleaseEvent(event)
        i = self._vector_at(event.position())
        if self.plane is not None and i >= 0 and (cells := self.plane.vectors[i].cells):
            self._host.pin(self.plane.vectors[i].array, cells[0])

    @guarded
    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        """Pick a vector."""
        self._pick(self._vector_at(event.position()))

    def _drag_to(self, where: QPointF, *, fine: bool) -> None:
        scale = self.scale_now()
        inside = scale.area.adjusted(2, 2, -2, -2)
        held = QPointF(
            min(max(where.x(), inside.left()), inside.right()), min(max(where.y(), inside.top()), inside.bottom())
        )
        x, y = scale.point(held)
        step = self.step(fine=fine)
        self._move(self._dragged, (snapped(x, step), snapped(y, step)))

    def _move(self, i: int, tip: Point) -> None:
        assert self.plane is not None
        vector = self.plane.vectors[i]
        if vector.cells is None or tip == self._tip(i):
            return
        refusal = self._host.write(vector.array, list(vector.cells), list(tip), f"move {vector.label}")
        if refusal is None:
            self._put[i] = tip
        else:
            where = self.scale_now().pixel(vector.tip).toPoint()
            self._host.refuse(self, QRect(where, QSize(8, 8)), refusal)

    def _tip(self, i: int) -> Point:
        assert self.plane is not None
        return self._put.get(i, self.plane.vectors[i].tip)

    def _let_go(self) -> None:
        self._dragged = -1
        self._host.end()
        self._scale = None
        self.update()

    def _pick(self, i: int) -> None:
        if self.plane is not None and 0 <= i < len(self.plane.vectors):
            pick = self.plane.vectors[i].pick
            if pick is not None:
                self._host.set_control(*pick)

    @guarded
    def hideEvent(self, event: QHideEvent) -> None:
        """End a drag that nobody will end."""
        super().hideEvent(event)
        self._give_up_gestures()

    def _give_up_gestures(self) -> None:
        if self._dragged >= 0:
            self._let_go()
        if self._held:
            self._held = False
            self._host.end()

    def event(self, event: QEvent) -> bool:
        """Say what is under the pointer."""
        if event.type() == QEvent.Type.ToolTip and isinstance(event, QHelpEvent) and self.plane is not None:
            i = self._vector_at(QPointF(event.pos()))
            QToolTip.showText(event.globalPos(), self._spoken(self.plane.vectors[i]) if i >= 0 else "", self)
            return True
        return super().event(event)

    # --- keyboard ---

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the vector in focus; Enter picks it; Esc takes a drag back."""
        key, modifiers = Qt.Key(event.key()), event.modifiers()
        if key == Qt.Key.Key_Escape and self._dragged >= 0:
            self._move(self._dragged, self._start)
            self._let_go()
        elif key in _ARROWS and self._focused >= 0:
            self._nudge(_ARROWS[key], modifiers, repeated=event.isAutoRepeat())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self._focused >= 0:
            self._pick(self._focused)
        else:
            super().keyPressEvent(event)

    @guarded
    def keyReleaseEvent(self, event: QKeyEvent) -> None:
        """End the gesture of a key that was held."""
        if self._held and not event.isAutoRepeat() and event.key() in _ARROWS:
            self._held = False
            self._host.end()
        super().keyReleaseEvent(event)

    def _nudge(self, direction: tuple[int, int], modifiers: Qt.KeyboardModifier, *, repeated: bool) -> None:
        assert self.plane is not None
        vector = self.plane.vectors[self._focused]
        step = self.step(fine=bool(modifiers & Qt.KeyboardModifier.ShiftModifier))
        if modifiers & Qt.KeyboardModifier.ControlModifier:
            step = self.step(fine=False) * PARTS
        if not self._held and not repeated:
            self._held = True
            self._host.begin(f"move {vector.label}")
        here = self._tip(self._focused)
        x, y = (snapped(at + by * step, step / FINE_PARTS) for at, by in zip(here, direction, strict=True))
        self._move(self._focused, (x, y))

    def focusNextPrevChild(self, forward: bool) -> bool:
        """Go on to the next vector; past the last one, to the next widget."""
        handles = self._handles()
        at = handles.index(self._focused) if self._focused in handles else (-1 if forward else len(handles))
        at += 1 if forward else -1
        if 0 <= at < len(handles):
            self._focus(handles[at])
            return True
        return bool(super().focusNextPrevChild(forward))

    def _focus(self, i: int) -> None:
        self._give_up_gestures()
        self._focused = i
        self._describe()
        self._tell_hover(i, leaving=False)
        self.update()

    @guarded
    def focusInEvent(self, event: QFocusEvent) -> None:
        """Stand on the first vector, or coming back on the last."""
        super().focusInEvent(event)
        handles = self._handles()
        if handles and event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self._focus(handles[0 if event.reason() == Qt.FocusReason.TabFocusReason else -1])
        self.update()

    @guarded
    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Repaint without the focus ring."""
        super().focusOutEvent(event)
        self._give_up_gestures()
        self._describe()
        self.update()


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return PlaneView(view, host, theme)
