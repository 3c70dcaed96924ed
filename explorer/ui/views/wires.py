"""Wires: heads above joined to the heads below that they share. Dragging one, or a key, changes how many share.

While something is dragged, marks show where it would stand for every number that may be chosen; it goes to the nearest.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QKeyEvent, QMouseEvent, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from explorer.ui.guard import guarded

if TYPE_CHECKING:
    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.wires import Wires
    from explorer.ui.cell_size import Unit
    from explorer.ui.theme import Theme

#: The gap between the rows, in the height of an ordinary cell.
GAP = 1.9
#: Up to so many heads are wide enough for their numbers in any room.
ALL_NUMBERED = 16
#: How near a wire the pointer must be to take hold of it, at 100 %.
NEAR = 9


class WiresView(QWidget):
    """Two rows of heads and the wires between them."""

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.wires: Wires | None = None
        self._host = host
        self._held: tuple[str, int] | None = None
        self._stops: dict[int, float] = {}
        self._chosen = 0
        self._hovered: tuple[str, int] | None = None
        self._pointer = 0.0
        self.setObjectName(view.name)
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    # --- what is shown ---

    def show_model(self, model: Wires) -> None:
        """Show these heads."""
        if model == self.wires:
            return
        self.wires = model
        joined = "; ".join(
            f"{model.above_word} {h} reads {model.below_word} {model.read_by(h)}" for h in range(model.above)
        )
        self.setAccessibleName(f"{model.sentence()}; the keys up and down change how many share")
        self.setAccessibleDescription(joined)
        self.setToolTip("Drag a head or a wire sideways, or press ↑ and ↓")
        self.update()

    @property
    def shape_key(self) -> int:
        """What the size depends on."""
        return self.wires.above if self.wires is not None else 0

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self.update()

    # --- geometry ---

    def _metrics(self) -> QFontMetrics:
        return QFontMetrics(self.theme.font(12))

    def _node(self) -> float:
        return self._metrics().height() + self.theme.px(3)

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size wanted at this unit."""
        small, px = self._metrics(), self.theme.px
        heads = self.wires.above if self.wires is not None else 1
        title = small.horizontalAdvance(self.wires.sentence()) if self.wires is not None else 0
        # Of many heads not all have room for their number; the wires say which belong together.
        wide = small.horizontalAdvance("00") + px(4) if heads <= ALL_NUMBERED else px(13)
        width = max(heads * wide, small.horizontalAdvance("KV 0") * 2, title)
        return QSize(width, round(small.height() + px(4) + 2 * self._node() + unit.height * GAP))

    def arrange(self, unit: Unit) -> None:
        """Nothing to lay out: everything is painted."""

    def _rows(self) -> tuple[float, float]:
        """Return the middle of the upper and of the lower row."""
        half = self._node() / 2
        return self._metrics().height() + self.theme.px(4) + half, self.height() - half - 1

    def x_above(self, head: int) -> float:
        """Return where a head above stands."""
        assert self.wires is not None
        return self.width() * (head + 0.5) / self.wires.above

    def x_below(self, at: int, below: int | None = None) -> float:
        """Return where a head below stands: in the middle of those that read it."""
        assert self.wires is not None
        return self.width() * (at + 0.5) / (self.wires.below if below is None else below)

    def _wire(self, head: int) -> QPainterPath:
        assert self.wires is not None
        above, below = self._rows()
        start = QPointF(self.x_above(head), above + self._node() / 2)
        end = QPointF(self.x_below(self.wires.read_by(head)), below - self._node() / 2)
        middle = (start.y() + end.y()) / 2
        path = QPainterPath(start)
        path.cubicTo(QPointF(start.x(), middle), QPointF(end.x(), middle), end)
        return path

    def _at(self, point: QPointF) -> tuple[str, int] | None:
        """Return what is at a point: ("below", g), ("above", h) or ("wire", h)."""
        if self.wires is None:
            return None
        wires, (above, below), half = self.wires, self._rows(), self._node() / 2
        if abs(point.y() - below) <= half + 2:
            return "below", min(int(point.x() * wires.below / max(self.width(), 1)), wires.below - 1)
        if abs(point.y() - above) <= half + 2:
            return "above", min(int(point.x() * wires.above / max(self.width(), 1)), wires.above - 1)
        if not above < point.y() < below:
            return None
        share = (point.y() - above - half) / max(below - above - 2 * half, 1)
        distances = [
            (abs(self._wire(h).pointAtPercent(min(max(share, 0), 1)).x() - point.x()), h) for h in range(wires.above)
        ]
        nearest, head = min(distances)
        return ("wire", head) if nearest <= self.theme.px(NEAR) else None

    # --- choosing ---

    def place_of(self, held: tuple[str, int], below: int) -> float:
        """Return where the thing that is held would stand with so many below; a lower one keeps to its end."""
        wires = self.wires
        assert wires is not None
        kind, at = held
        if kind == "wire":
            return self.x_below(wires.read_by(at, below), below)
        # A lower one is counted from its own end: it stays as far from it as it is.
        return self.x_below(min(at, below - 1) if kind == "below" else max(below - 1 - at, 0), below)

    def _follow(self, x: float) -> None:
        wires = self.wires
        if wires is None or self._held is None:
            return
        self._pointer = x
        chosen = min(self._stops, key=lambda below: (abs(self._stops[below] - x), -below))
        if chosen != self._chosen:
            # Held against what was chosen last: what is drawn may be a frame behind the pointer.
            self._chosen = chosen
            self._host.set_size(wires.size, chosen)
        self.update()

    def step(self, by: int) -> None:
        """Go to the next larger or smaller number below."""
        wires = self.wires
        if wires is None:
            return
        at = min(max(wires.choices.index(wires.below) + by, 0), len(wires.choices) - 1)
        if wires.choices[at] != wires.below:
            self._host.set_size(wires.size, wires.choices[at])

    # --- pointer and keyboard ---

    @guarded
    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Take hold of a head or a wire."""
        found = self._at(event.position())
        if event.button() != Qt.MouseButton.LeftButton or found is None or self.wires is None:
            super().mousePressEvent(event)
            return
        kind, at = found
        self._held = ("below", at) if kind == "below" else ("wire", at)
        if kind == "below" and at * 2 >= self.wires.below > 1:
            self._held = ("right", self.wires.below - 1 - at)
        self._pointer = event.position().x()
        # The stage may be laid out anew while the drag goes on; going back to where it began must be going back.
        self._stops = {below: self.place_of(self._held, below) for below in self.wires.choices}
        self._chosen = self.wires.below
        self._host.begin(f"change {self.wires.below_word}s")
        self.setFocus(Qt.FocusReason.MouseFocusReason)
        self.update()

    @guarded
    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Drag, or show what is joined to what."""
        if self._held is not None:
            self._follow(event.position().x())
            return
        found = self._at(event.position())
        if found != self._hovered:
            self._hovered = found
            self.update()
        self.setCursor(Qt.CursorShape.SizeHorCursor if found is not None else Qt.CursorShape.ArrowCursor)

    @guarded
    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """Let go: one undoable step."""
        if self._held is not None:
            self._held = None
            self._host.end()
            self.update()

    @guarded
    def leaveEvent(self, event: Any) -> None:
        """Forget what was pointed at."""
        self._hovered = None
        self.update()

    @guarded
    def keyPressEvent(self, event: QKeyEvent) -> None:
        """More heads below with Up, fewer with Down; Home and End go to one and to as many as above."""
        steps = {
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_Plus: 1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Minus: -1,
            Qt.Key.Key_Home: -1000,
            Qt.Key.Key_End: 1000,
        }
        by = steps.get(Qt.Key(event.key()))
        if by is None:
            super().keyPressEvent(event)
        else:
            self.step(by)

    @guarded
    def focusInEvent(self, event: Any) -> None:
        """Show the focus."""
        super().focusInEvent(event)
        self.update()

    @guarded
    def focusOutEvent(self, event: Any) -> None:
        """Show that the focus is gone."""
        super().focusOutEvent(event)
        self.update()

    # --- painting ---

    def _lit(self, head: int) -> bool:
        """Say whether a head above, and its wire, are among those that are pointed at."""
        wires, hovered = self.wires, self._hovered
        if wires is None or hovered is None:
            return False
        kind, at = hovered
        return wires.read_by(head) == at if kind == "below" else head == at

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint title, wires and heads."""
        wires = self.wires
        if wires is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        theme, small = self.theme, self._metrics()
        painter.setFont(theme.font(12))
        painter.setPen(theme.color("text"))
        painter.drawText(0, small.ascent(), wires.sentence())
        above, below = self._rows()
        for head in range(wires.above):
            color = theme.head(wires.read_by(head))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(color, theme.px(3.2) if self._lit(head) else max(theme.px(1.6), 1)))
            painter.drawPath(self._wire(head))
        for head in range(wires.above):
            width = min(self.width() / wires.above - 2, self._node() * 1.5)
            box = self._box(self.x_above(head), above, width)
            self._paint_node(painter, box, str(head), theme.head(wires.read_by(head)), filled=self._lit(head))
        for at in range(wires.below):
            width = min(self.width() / wires.below - 2, small.horizontalAdvance("KV 00") + theme.px(10))
            named = f"KV {at}" if small.horizontalAdvance(f"KV {at}") + 4 <= width else str(at)
            self._paint_node(painter, self._box(self.x_below(at), below, width), named, theme.head(at), filled=True)
        self._paint_marks(painter, below)
        if self.hasFocus():
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.setPen(QPen(theme.color("accent"), max(theme.px(2), 1)))
            painter.drawRoundedRect(
                QRectF(1, above - self._node() / 2 - 2, self.width() - 2, below - above + self._node() + 2), 4, 4
            )
        painter.end()

    def _paint_marks(self, painter: QPainter, below: float) -> None:
        """Mark where the thing that is held stands for every number that may be chosen; near ones share a mark."""
        wires, held, theme, small = self.wires, self._held, self.theme, self._metrics()
        if wires is None or held is None:
            return
        places: dict[int, list[int]] = {}
        apart = small.horizontalAdvance("00") + theme.px(6)
        for choice in wires.choices:
            x = round(self.place_of(held, choice))
            near = next((place for place in places if abs(place - x) < apart), x)
            places.setdefault(near, []).append(choice)
        foot = below - self._node() / 2 - theme.px(3)
        for x, choices in places.items():
            text = ", ".join(map(str, choices))
            width = small.horizontalAdvance(text) + theme.px(8)
            left = min(max(x - width / 2, 0), self.width() - width)
            box = QRectF(left, foot - small.height() - theme.px(2), width, small.height() + theme.px(2))
            chosen = wires.below in choices
            painter.setPen(QPen(theme.color("accent" if chosen else "border"), max(theme.px(1), 1)))
            painter.setBrush(theme.color("accent" if chosen else "card"))
            painter.drawRoundedRect(box, theme.px(4), theme.px(4))
            painter.setPen(theme.color("on_accent" if chosen else "text"))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)

    def _box(self, x: float, y: float, width: float) -> QRectF:
        height = self._node()
        return QRectF(x - max(width, 3) / 2, y - height / 2, max(width, 3), height)

    def _paint_node(self, painter: QPainter, box: QRectF, text: str, color: QColor, *, filled: bool) -> None:
        theme = self.theme
        radius = min(box.width() / 2, theme.px(5))
        painter.setPen(QPen(color, max(theme.px(1.4), 1)))
        painter.setBrush(color if filled else theme.color("stage"))
        painter.drawRoundedRect(box, radius, radius)
        if self._metrics().horizontalAdvance(text) <= box.width():
            painter.setPen(_on(color) if filled else theme.color("text"))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), text)


def _on(color: QColor) -> QColor:
    """Return black or white, whichever is readable on a colour."""
    light = 0.299 * color.red() + 0.587 * color.green() + 0.114 * color.blue()
    return QColor(Qt.GlobalColor.black if light > 140 else Qt.GlobalColor.white)


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return WiresView(view, host, theme)
