"""Curves and histograms, and the cursor that reads them.

Axes, curves, bars and points are drawn by `explorer.ui.plot_graph`; names, values, lines, labels and the cursor are
painted around and above them (`explorer.ui.plot_key`, `explorer.ui.plot_overlay`).

The cursor follows the pointer; a click or a drag leaves it there. From the keyboard the arrow keys move it, with Shift
ten times as far, Home and End to the ends; what is copied are all curves, with every digit. Where the view's options
name a control ("cursor"), the place is that control's value, so that it is saved and can be undone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QPainter
from PySide6.QtWidgets import QWidget

from explorer.ui.plot_graph import Graph
from explorer.ui.plot_key import PlotKey
from explorer.ui.plot_overlay import Overlay
from explorer.workbench import plot_data

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.plots import Plot
    from explorer.ui.matrix_panel import Unit
    from explorer.ui.theme import Theme

#: The least size of a plot in heights of the stage's font.
LEAST = (21.0, 6.5)
STEPS, BIG_STEP = 100, 10


class CurvesView(QWidget):
    """Draws a `Plot`, with a key that tells what the cursor reads."""

    #: The stage gives it what room is left over.
    stretches = True

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.plot: Plot | None = None
        self._host = host
        self._control = str(view.options.get("cursor", ""))
        self._least: tuple[float, float] = view.options.get("least", LEAST)
        self._left: float | None = None
        self._hovered: float | None = None
        self._dragging = False
        self.key = PlotKey(theme)
        self.graph = Graph(theme)
        self.graph.setParent(self)
        self.overlay = Overlay(theme, self)
        # Its size follows later than its widget's: what depends on it waits for it.
        self.graph.box.sigResized.connect(self._label_axes)
        self.setObjectName(view.name)
        self.setAccessibleName(view.options.get("title", view.name))
        self.setMouseTracking(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setCursor(Qt.CursorShape.CrossCursor)

    # --- what is shown ---

    def show_model(self, model: Plot | None) -> None:
        """Show this plot."""
        if model is self.plot:
            return
        before = self.plot
        first = before is None
        self.plot = model
        if model is None:
            return
        if self._control or first:
            self._left = None if model.cursor is None else model.snapped(model.cursor)
        elif self._left is not None:
            self._left = model.snapped(self._left)
        if self._hovered is not None:
            self._hovered = model.snapped(self._hovered)
        if before is not None and before.drawn_alike(model):
            self._changed()
            return
        if before is None or (before.x, before.y) != (model.x, model.y):
            self.graph.restyle(model)
        self.graph.show_plot(model)
        self._lay_out()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return self.plot is None

    @property
    def cursor_at(self) -> float | None:
        """Where the cursor stands: under the pointer, else where it was left; None where there is none."""
        return self._left if self._hovered is None else self._hovered

    @property
    def left_cursor(self) -> float | None:
        """Where the cursor was left, whatever the pointer reads; None where it was not."""
        return self._left

    def readings(self) -> list[tuple[str, str]]:
        """Return what the key tells at the cursor: names and values; empty without a cursor."""
        at = self.cursor_at
        return [] if self.plot is None or at is None else self.plot.readings(at)

    def _describe(self) -> None:
        if self.plot is None:
            return
        plot, at = self.plot, self.cursor_at
        self.setAccessibleName(plot.title or self.objectName())
        axes = [
            self.tr("{label} from {low} to {high}").format(
                label=scale.label, low=scale.written(scale.low), high=scale.written(scale.high)
            )
            for scale in (plot.x, plot.y)
            if scale.label
        ]
        said = [*axes, *(one.label for one in plot.lines), *(one.label for one in plot.crossings)]
        if at is not None:
            said.append(f"{plot.x.label} {plot.x.told(at)}")
            said += [f"{name} {text}" for name, text in plot.readings(at) if text]
        else:
            said += [name for name, _ in plot.readings(plot.x.low)]
        self.setAccessibleDescription("; ".join(filter(None, [*said, plot.note])))

    # --- size and place ---

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the least size at this unit; the stage gives more where there is more."""
        width, height = (round(size * unit.font) for size in self._least)
        return QSize(width, height + (self.key.height(self.plot, width) if self.plot else 0))

    def arrange(self, unit: Unit) -> None:
        """Lay out key and graph inside the present size."""
        self._lay_out()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Lay out anew."""
        super().resizeEvent(event)
        self._lay_out()

    def _lay_out(self) -> None:
        if self.plot is None or self.width() < 2:
            return
        top = self.key.height(self.plot, self.width())
        self.graph.setGeometry(0, top, self.width(), max(self.height() - top, 1))
        self.overlay.setGeometry(self.rect())
        self.graph.parts.layout.activate()
        self._label_axes()
        self._changed()

    def _label_axes(self) -> None:
        if self.plot is not None:
            self.graph.label_axes(self.plot)
            self.overlay.update()

    def inside(self) -> QRectF:
        """Return where the curves are drawn, in this widget's pixels."""
        return self.graph.inside().translated(self.graph.x(), self.graph.y())

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = self.graph.theme = self.key.theme = self.overlay.theme = theme
        if self.plot is not None:
            self.graph.restyle(self.plot)
            self.graph.show_plot(self.plot)
            self._lay_out()

    def _changed(self) -> None:
        self._describe()
        self.update()
        self.overlay.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the key; the graph and what lies above it paint themselves."""
        if self.plot is None:
            return
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        room = QRect(0, 0, self.width(), self.key.height(self.plot, self.width()))
        self.key.paint(painter, self.plot, room, self.cursor_at)
        painter.end()

    # --- cursor ---

    def _value_at(self, point: QPoint) -> float | None:
        inside = self.inside()
        if self.plot is None or self._fixed or not inside.adjusted(-1, -1, 1, 1).contains(point):
            return None
        return self.plot.snapped(self.plot.x.value((point.x() - inside.left()) / max(inside.width(), 1)))

    @property
    def _fixed(self) -> bool:
        """Whether this plot has no cursor, because its axis is not what the control holds."""
        return bool(self._control) and (self.plot is None or self.plot.cursor is None)

    def leave_cursor(self, x: float | None) -> None:
        """Leave the cursor at x; None takes it away."""
        if self.plot is None or self._fixed:
            return
        wanted = None if x is None else self.plot.snapped(x)
        if self._control and wanted is not None:
            self._host.set_control(self._control, wanted)
        else:
            self._left = wanted
        self._changed()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Read where the pointer is; during a drag, leave the cursor there."""
        at = self._value_at(event.position().toPoint())
        if self._dragging and at is not None:
            self._hovered = None
            self.leave_cursor(at)
        elif at != self._hovered:
            self._hovered = at
            self._changed()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Leave the cursor where the pointer is."""
        at = self._value_at(event.position().toPoint())
        if event.button() == Qt.MouseButton.LeftButton and at is not None:
            self._dragging = True
            if self._control:
                self._host.begin(self.tr("move the cursor"))
            self._hovered = None
            self.leave_cursor(at)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        """End a drag."""
        if self._dragging:
            self._dragging = False
            if self._control:
                self._host.end()

    def leaveEvent(self, event: Any) -> None:
        """Go back to where the cursor was left."""
        if self._hovered is not None:
            self._hovered = None
            self._changed()
        super().leaveEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Move the cursor: arrow keys, with Shift further, Home and End; Delete takes it away. Copy the curves."""
        big = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
        ends = {Qt.Key.Key_Home: 0.0, Qt.Key.Key_End: 1.0}
        key = Qt.Key(event.key())
        if self.plot is None:
            super().keyPressEvent(event)
        elif event.matches(QKeySequence.StandardKey.Copy):
            QGuiApplication.clipboard().setText(plot_data.clipboard_text(self.plot))
        elif key in (Qt.Key.Key_Left, Qt.Key.Key_Right):
            self._step(-1 if key == Qt.Key.Key_Left else 1, BIG_STEP if big else 1)
        elif key in ends:
            self.leave_cursor(self.plot.x.value(ends[key]))
        elif key == Qt.Key.Key_Delete and not self._control:
            self.leave_cursor(None)
        else:
            super().keyPressEvent(event)

    def _step(self, way: int, count: int) -> None:
        """Move the cursor by at least so many hundredths of the axis, to the next place where it may stand."""
        assert self.plot is not None
        if self._left is None:
            self.leave_cursor(self.plot.x.value(0.5))
            return
        share = self.plot.x.share(self._left)
        for further in range(count, STEPS + count):
            found = self.plot.snapped(self.plot.x.value(min(max(share + way * further / STEPS, 0.0), 1.0)))
            if (found - self._left) * way > 0:
                self.leave_cursor(found)
                return

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Give the keyboard a cursor to move."""
        super().focusInEvent(event)
        by_key = event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason)
        if by_key and self._left is None and self.plot is not None and not self._control:
            self.leave_cursor(self.plot.x.value(0.5))
        self.overlay.update()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        """Repaint without the focus ring."""
        super().focusOutEvent(event)
        self.overlay.update()
