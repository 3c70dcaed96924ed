"""What pyqtgraph draws of a plot: the one place that knows it, imported when a tab first shows a plot.

pyqtgraph keeps axes and view beside one another; what is inside of the axes is one item of our own. One, because a
scene calls Python for every item that it holds, several times a frame; and in the pixels of its view, because Qt draws
lines that are stretched several times slower. What is shaded is mixed beforehand: laying a transparent colour over an
area takes longer than all of its curves.

Everything is placed in shares of the axes, 0 to 1, so that linear and logarithmic axes are the same to pyqtgraph and
its ranges never move by themselves; it gets no mouse and no wheel. Fonts, pens and widths are set anew with every theme
and scale, because pyqtgraph follows neither the application's font nor its palette.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter, QPainterPath, QPen
from PySide6.QtWidgets import QGraphicsItem, QWidget

from explorer.ui.plot_key import DASHES
from explorer.ui.plot_ticks import ticks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.concepts.shown.plots import Bars, Plot, Scale, Series
    from explorer.ui.theme import Theme

#: How much of their colour areas have.
BAND: Final = 0.13
BAR: Final = 0.28
EDGE: Final = 0.55
MOST_TICKS: Final = 9
#: Farther than any plot goes, in pixels.
FAR: Final = 1e5
#: How wide a curve is, and how long half of a dash with its gap, in widths.
CURVE: Final = 2.0
DASH: Final = 3.0


class _Box(pg.ViewBox):  # type: ignore[misc]
    """Cuts off what leaves the axes, but not the half of a line that lies on one."""

    margin = 1.0

    def shape(self) -> QPainterPath:
        """Return what is not cut off."""
        path = QPainterPath()
        path.addRect(self.rect().adjusted(-self.margin, -self.margin, self.margin, self.margin))
        return path


class Graph(pg.GraphicsView):  # type: ignore[misc]
    """The part that pyqtgraph draws, over axes that go from 0 to 1.

    Put together from its parts, because a `PlotItem` brings menus and dialogs that nothing here opens or closes.
    """

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        #: How the axes look, and their ticks by the axis' name.
        self._look: tuple[Any, ...] | None = None
        self._ticks: dict[str, list[tuple[float, str]]] = {}
        self._labelled: tuple[Any, ...] | None = None
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        for part in (self, self.viewport()):
            part.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.box = _Box(enableMouse=False, enableMenu=False)
        self.box.disableAutoRange()
        self.box.setRange(xRange=(0, 1), yRange=(0, 1), padding=0)
        self._drawing = _Drawing(self.box)
        self.parts = pg.GraphicsLayout()
        self.parts.layout.setSpacing(0)
        self.axes = {"left": pg.AxisItem("left"), "bottom": pg.AxisItem("bottom")}
        self.parts.addItem(self.axes["left"], 0, 0)
        self.parts.addItem(self.box, 0, 1)
        self.parts.addItem(self.axes["bottom"], 1, 1)
        for axis in self.axes.values():
            axis.linkToView(self.box)
            axis.setZValue(self.box.zValue() - 1)  # a tick lies under a curve that it meets
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
        # Half of the label at an axis' end stands beside the axis.
        beside = max(metrics.horizontalAdvance("00"), self._widest(plot.x, metrics) // 2 + px(3))
        extents = [(one.label, one.caption, one.shown, self._extent(name, one, metrics)) for name, one in scales]
        if (look := (theme, beside, extents)) == self._look:
            return
        self._look = look
        self.box.margin = _width(theme, CURVE) / 2
        self.setBackground(theme.color("stage"))
        text, line = theme.color("muted"), QPen(theme.color("border"), max(px(1), 1))
        line.setCosmetic(True)
        labelled = plot.y.shown
        self.parts.layout.setContentsMargins(
            0 if labelled else beside, metrics.height() // 2 if labelled else px(3), beside, 0
        )
        for name, scale in scales:
            axis = self.axes[name]
            axis.setPen(line)
            axis.setTickPen(line)
            axis.setTextPen(text)
            axis.setStyle(tickFont=font, tickLength=-px(4), tickTextOffset=px(4), hideOverlappingLabels=beside)
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
        return max((metrics.horizontalAdvance(text) for text in _labels(scale)), default=0)

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
            most = min(max(int(room / max(apart, 1)) + 1, 2), MOST_TICKS)
            values = scale.ticks or ticks(scale.low, scale.high, most, logarithmic=scale.logarithmic)
            wanted = [(scale.share(value), scale.written(value)) for value in values]
            if scale.ticks:
                wanted = _thinned(wanted, room, metrics, across=name == "bottom")
            self._set_ticks(name, wanted)

    def _set_ticks(self, name: str, wanted: list[tuple[float, str]]) -> None:
        """Give an axis its ticks; pyqtgraph would draw the same ones anew."""
        if wanted != self._ticks.get(name):
            self._ticks[name] = wanted
            self.axes[name].setTicks([wanted] if wanted else [])

    def show_plot(self, plot: Plot) -> None:
        """Draw bands, bars, curves and points."""
        self._drawing.show_plot(plot, self.theme)


@lru_cache(maxsize=64)
def _labels(scale: Scale) -> tuple[str, ...]:
    """Return all that an axis may say, however many ticks it has: with fewer, some have more digits."""
    counts = range(2, MOST_TICKS + 1)
    values = scale.ticks or {
        value for most in counts for value in ticks(scale.low, scale.high, most, logarithmic=scale.logarithmic)
    }
    return tuple(sorted(map(scale.written, values)))


def _thinned(
    wanted: list[tuple[float, str]], room: float, metrics: QFontMetrics, *, across: bool
) -> list[tuple[float, str]]:
    """Return every tick, or every second, third … one, so that labels do not run into one another."""

    def extent(text: str) -> float:
        return metrics.horizontalAdvance(text) if across else metrics.ascent()

    gap = metrics.height() / 3 if across else 0.0
    for step in range(1, len(wanted) + 1):
        kept = wanted[::step]
        apart = [(b[0] - a[0]) * room - (extent(a[1]) + extent(b[1])) / 2 for a, b in pairwise(kept)]
        if min(apart, default=gap) >= gap:
            return kept
    return wanted[:1]


class _Drawing(QGraphicsItem):
    """Draws areas and curves of a `Plot` all over its parent, which cuts off what leaves it."""

    def __init__(self, parent: _Box) -> None:
        super().__init__(parent)
        self._box = parent
        self._plot: Plot | None = None
        self._theme: Theme | None = None

    def show_plot(self, plot: Plot, theme: Theme) -> None:
        """Draw this plot in the next frame."""
        self._plot, self._theme = plot, theme
        # A plain update would reach the view after this frame, and have it painted once more.
        self.prepareGeometryChange()

    def boundingRect(self) -> QRectF:
        """Return more than any parent has, always the same: a scene has to be told before such a size changes."""
        return QRectF(-FAR, -FAR, 2 * FAR, 2 * FAR)

    def paint(self, painter: QPainter, option: Any, widget: QWidget | None = None) -> None:
        """Paint areas, then curves."""
        if self._plot is None or self._theme is None:
            return
        plot, pen = self._plot, _Pen(painter, self._plot, self._theme, QRectF(self._box.rect()))
        pen.areas()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for order, one in enumerate(one for one in plot.series if one.style != "points"):
            pen.curve(one, order)


class _Pen:
    """Knows where the shares of a plot's axes are in pixels, and in which colours and widths it is drawn."""

    def __init__(self, painter: QPainter, plot: Plot, theme: Theme, room: QRectF) -> None:
        self._painter = painter
        self._plot = plot
        self._theme = theme
        self._room = room

    def _places(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> tuple[Any, Any]:
        """Return the pixels of values; NaN where an axis cannot hold them."""
        room = self._room
        return (
            room.left() + self._plot.x.shares(x) * room.width(),
            room.bottom() - self._plot.y.shares(y) * room.height(),
        )

    def _line(self, color: QColor, width: float, style: Qt.PenStyle = Qt.PenStyle.SolidLine) -> QPen:
        return QPen(color, _width(self._theme, width), style)

    # --- areas ---

    def areas(self) -> None:
        """Shade stretches of the x axis, and paint bars over them."""
        stage, room = self._theme.color("stage"), self._room
        grounds = [(room, stage)]
        for band in self._plot.bands:
            left, right = (min(max(self._plot.x.share(end), 0.0), 1.0) * room.width() for end in (band.low, band.high))
            place = QRectF(room.left() + left, room.top(), right - left, room.height())
            grounds.append((place, _mixed(self._theme.color(band.role), stage, BAND)))
            self._painter.fillRect(*grounds[-1])
        for bars in self._plot.bars:
            self._bars(bars, grounds)

    def _bars(self, bars: Bars, grounds: list[tuple[QRectF, QColor]]) -> None:
        """Fill bars over each ground, and draw the outline of all; where a height has no place there is no bar."""
        color, bottom = self._theme.color(bars.role), self._room.bottom()
        x, tops = self._places(bars.edges, bars.heights)
        tops = np.fmin(tops, bottom)  # NaN is where the axis cannot hold a height
        y = np.concatenate(([bottom], np.repeat(tops, 2), [bottom]))
        for place, ground in grounds:
            inside = np.clip(x, place.left(), place.right())
            self._painter.fillPath(pg.arrayToQPath(np.repeat(inside, 2), y), _mixed(color, ground, BAR))
        edge = QColor(color)
        edge.setAlphaF(EDGE)
        self._painter.strokePath(pg.arrayToQPath(np.repeat(x, 2), y), self._line(edge, 1))

    # --- curves ---

    def curve(self, one: Series, order: int) -> None:
        """Draw a curve; it is broken where it has no value. Dashes of two that lie on one another alternate."""
        pen = self._line(self._theme.color(one.role), CURVE, DASHES.get(one.style, Qt.PenStyle.SolidLine))
        if one.style == "dashed":
            pen.setDashOffset(DASH * (order % 2))
        path = pg.arrayToQPath(*self._places(one.x, one.y), connect="finite")
        self._painter.strokePath(path, pen)


def _width(theme: Theme, pixels: float) -> float:
    return max(theme.scale * pixels * (1.6 if theme.present else 1.0), 1.0)


def _mixed(color: QColor, ground: QColor, share: float) -> QColor:
    """Return what a colour of this opacity looks like on a ground."""
    parts = [(one.red(), one.green(), one.blue()) for one in (color, ground)]
    return QColor(*(round(share * above + (1 - share) * below) for above, below in zip(*parts, strict=True)))
