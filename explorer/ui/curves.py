"""Curves and histograms: the one place that knows pyqtgraph, imported when a tab first shows a plot.

pyqtgraph draws axes, curves and bars. Everything is handed to it in shares of the axes, 0 to 1, so that linear and
logarithmic axes are the same to it and its ranges never move by themselves; it gets no mouse and no wheel. Names,
values, lines, labels and the cursor are painted around and above it (`explorer.ui.plot_key`,
`explorer.ui.plot_overlay`). Fonts, pens and widths are set anew with every theme and scale, because pyqtgraph follows
neither the application's font nor its palette.

The cursor follows the pointer; a click or a drag leaves it there. From the keyboard the arrow keys move it, with Shift
ten times as far, Home and End to the ends; what is copied are all curves, with every digit. Where the view's options
name a control ("cursor"), the place is that control's value, so that it is saved and can be undone.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPoint, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFontMetrics, QGuiApplication, QKeySequence, QPainter, QPen
from PySide6.QtWidgets import QGraphicsRectItem, QWidget

from explorer.ui.plot_key import PlotKey
from explorer.ui.plot_overlay import Overlay
from explorer.ui.plot_ticks import ticks
from explorer.workbench import plot_data

if TYPE_CHECKING:
    from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent, QPaintEvent, QResizeEvent

    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.plots import Plot, Scale, Series
    from explorer.ui.matrix_panel import Unit
    from explorer.ui.theme import Theme

#: The least size of a plot in heights of the stage's font.
LEAST = (21.0, 6.5)
STEPS, BIG_STEP = 100, 10
_PENS = {
    "line": Qt.PenStyle.SolidLine,
    "dashed": Qt.PenStyle.DashLine,
    "dotted": Qt.PenStyle.DotLine,
}


class _Curve(pg.PlotCurveItem):  # type: ignore[misc]
    """A curve over axes from 0 to 1, which is cut off where they end: how far it goes need not be measured."""

    def boundingRect(self) -> QRectF:
        """Return more than the axes by any line's width."""
        return QRectF(-1.0, -1.0, 3.0, 3.0)


class _Graph(pg.GraphicsView):  # type: ignore[misc]
    """The part that pyqtgraph draws, over axes that go from 0 to 1.

    Put together from its parts, because a `PlotItem` brings menus and dialogs that nothing here opens or closes.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self._curves: list[_Curve] = []
        self._points: list[pg.ScatterPlotItem] = []
        #: How the axes look, and their ticks by the axis' name.
        self._look: tuple[Any, ...] | None = None
        self._ticks: dict[str, list[tuple[float, str]]] = {}
        self._labelled: tuple[Any, ...] | None = None
        self._styles: dict[pg.ScatterPlotItem, tuple[float, ...]] = {}
        self._bars: list[_Curve] = []
        self._bands: list[QGraphicsRectItem] = []
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        for part in (self, self.viewport()):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.box = pg.ViewBox(enableMouse=False, enableMenu=False)
        self.box.disableAutoRange()
        self.box.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
        self.parts = pg.GraphicsLayout()
        self.parts.layout.setSpacing(0)
        self.axes = {"left": pg.AxisItem("left"), "bottom": pg.AxisItem("bottom")}
        self.parts.addItem(self.axes["left"], 0, 0)
        self.parts.addItem(self.box, 0, 1)
        self.parts.addItem(self.axes["bottom"], 1, 1)
        for axis in self.axes.values():
            axis.linkToView(self.box)
            # PySide takes no notice of the parent that a text is made with: Python would own it as well as Qt.
            axis.label.setParentItem(axis)
        self.setCentralItem(self.parts)
        # A scene that nobody listens to has Qt paint the window at once whenever an item has changed, before the rest
        # of the page has its numbers, and again when it has them; one with a listener waits for the next frame.
        self.scene().changed.connect(self._mark)

    def _mark(self) -> None:
        """Have all of this painted in the next frame."""
        self.viewport().update()

    def inside(self) -> QRectF:
        """Return where the curves are drawn, in this widget's pixels."""
        return QRectF(self.box.sceneBoundingRect())

    # --- look ---

    def restyle(self, plot: Plot) -> None:
        """Take fonts, colours and widths from the theme; axes that would look as they do are left alone."""
        theme, px = self.theme, self.theme.px
        font = theme.font(12)
        metrics = QFontMetrics(font)
        scales = (("bottom", plot.x), ("left", plot.y))
        look = theme, [(one.label, one.caption, one.shown, self._extent(name, one, metrics)) for name, one in scales]
        if look == self._look:
            return
        self._look = look
        self.setBackground(theme.color("stage"))
        text, line = theme.color("muted"), QPen(theme.color("border"), max(px(1), 1))
        line.setCosmetic(True)
        beside = metrics.horizontalAdvance("00")
        labelled = plot.y.shown
        self.parts.layout.setContentsMargins(
            0 if labelled else beside, metrics.height() // 2 if labelled else px(3), beside, 0
        )
        for name, scale in scales:
            axis = self.axes[name]
            axis.setPen(line)
            axis.setTickPen(line)
            axis.setTextPen(text)
            axis.setStyle(tickFont=font, tickLength=-px(4), tickTextOffset=px(4), hideOverlappingLabels=False)
            axis.label.setFont(font)
            label = scale.label if scale.caption else ""
            axis.setLabel(label or None, **{"color": text.name(), "font-size": f"{font.pixelSize()}px"})
            axis.showLabel(bool(label))
            axis.setStyle(showValues=scale.shown)
            extent = self._extent(name, scale, metrics)
            axis.setHeight(extent) if name == "bottom" else axis.setWidth(extent)

    def _extent(self, name: str, scale: Scale, metrics: QFontMetrics) -> int:
        """Return how much room an axis takes beside the curves."""
        px = self.theme.px
        label = metrics.height() + px(2) if scale.label and scale.caption else px(2)
        if not scale.shown:
            return label
        return label + (metrics.height() + px(4) if name == "bottom" else self._widest(scale, metrics) + px(6))

    @staticmethod
    def _widest(scale: Scale, metrics: QFontMetrics) -> int:
        values = scale.ticks or ticks(scale.low, scale.high, 8, logarithmic=scale.logarithmic)
        return max((metrics.horizontalAdvance(scale.written(value)) for value in values), default=0)

    def label_axes(self, plot: Plot) -> None:
        """Choose ticks for the present size, where it or an axis is another one."""
        inside = self.inside()
        labelled = self.theme, plot.x, plot.y, inside.size()
        if labelled == self._labelled:
            return
        self._labelled = labelled
        metrics = QFontMetrics(self.theme.font(12))
        for name, scale, room in (("bottom", plot.x, inside.width()), ("left", plot.y, inside.height())):
            if not scale.shown:
                self._set_ticks(name, [])
                continue
            apart = self._widest(scale, metrics) + metrics.height() if name == "bottom" else metrics.height() * 1.8
            most = max(int(room / max(apart, 1)) + 1, 2)
            values = scale.ticks or ticks(scale.low, scale.high, most, logarithmic=scale.logarithmic)
            self._set_ticks(name, [(scale.share(value), scale.written(value)) for value in values])

    def _set_ticks(self, name: str, wanted: list[tuple[float, str]]) -> None:
        """Give an axis its ticks; pyqtgraph would draw the same ones anew."""
        if wanted != self._ticks.get(name):
            self._ticks[name] = wanted
            self.axes[name].setTicks([wanted] if wanted else [])

    # --- data ---

    def show_plot(self, plot: Plot) -> None:
        """Draw bands, bars, curves and points."""
        for at, band in enumerate(plot.bands):
            color = QColor(self.theme.color(band.role))
            color.setAlphaF(0.13)
            left, right = (min(max(plot.x.share(end), 0.0), 1.0) for end in (band.low, band.high))
            item = self._nth(self._bands, at, QGraphicsRectItem)
            item.setPen(QPen(Qt.PenStyle.NoPen))
            item.setBrush(color)
            item.setRect(left, 0.0, right - left, 1.0)
        for at, bars in enumerate(plot.bars):
            fill, edge = QColor(self.theme.color(bars.role)), QColor(self.theme.color(bars.role))
            fill.setAlphaF(0.28)
            edge.setAlphaF(0.55)
            item = self._nth(self._bars, at, lambda: _Curve(antialias=False))
            item.setData(
                x=plot.x.shares(bars.edges),
                y=np.clip(np.nan_to_num(plot.y.shares(bars.heights)), 0, None),
                stepMode="center",
                fillLevel=0,
                brush=fill,
                pen=self._pen(edge, 1),
            )
        curves = [one for one in plot.series if one.style != "points"]
        for at, one in enumerate(curves):
            item = self._nth(self._curves, at, lambda: _Curve(antialias=True))
            pen = self._pen(QColor(self.theme.color(one.role)), 2, _PENS[one.style])
            item.setData(x=plot.x.shares(one.x), y=plot.y.shares(one.y), pen=pen, connect="finite")
            item.setZValue(10 + at)
        points = [one for one in plot.series if one.style == "points"]
        for at, one in enumerate(points):
            item = self._nth(self._points, at, lambda: pg.ScatterPlotItem(pxMode=True, antialias=True))
            self._place_points(item, one, plot)
            item.setZValue(30 + at)
        for pool, used in (
            (self._bands, len(plot.bands)),
            (self._bars, len(plot.bars)),
            (self._curves, len(curves)),
            (self._points, len(points)),
        ):
            for item in pool[used:]:
                item.setVisible(False)

    def _place_points(self, item: pg.ScatterPlotItem, one: Series, plot: Plot) -> None:
        x, y = plot.x.shares(one.x), plot.y.shares(one.y)
        there = np.isfinite(x) & np.isfinite(y)
        color, ring = self.theme.color(one.role), self._pen(self.theme.color("stage"), 1.5)
        size = max(self.theme.px(17 if self.theme.present else 10), 6)
        style = size, color.rgba(), ring.color().rgba(), ring.widthF()
        looks: dict[str, Any] = {}
        if self._styles.get(item) != style:
            # pyqtgraph copies every pen and brush that it is given and keeps a picture of each copy for ever.
            item.fragmentAtlas.clear()
            self._styles[item] = style
            looks = {"size": size, "brush": color, "pen": ring}
        item.setData(x=x[there], y=y[there], **looks)

    def _nth(self, pool: list[Any], at: int, make: Any) -> Any:
        """Return an item of a pool, made when it is first needed; items are kept, for making them is what is slow."""
        if at == len(pool):
            item = make()
            self.box.addItem(item, ignoreBounds=True)
            pool.append(item)
        pool[at].setVisible(True)
        return pool[at]

    def _pen(self, color: QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        pen = QPen(color, max(self.theme.scale * width * (1.6 if self.theme.present else 1.0), 1.0), style)
        pen.setCosmetic(True)
        return pen


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
        self.graph = _Graph(theme)
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
