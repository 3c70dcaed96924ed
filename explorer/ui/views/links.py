"""Links: lines in the gap between two tables, from rows of one to the rows of the other that were read from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QPainter, QPainterPath, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QWidget

from explorer.ui.guard import guarded

if TYPE_CHECKING:
    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.links import Link
    from explorer.ui.matrix_panel import MatrixPanel, Unit
    from explorer.ui.theme import Theme

WIDTH = 40


class LinksView(QWidget):
    """Draws the links that a model returns. It is as high as the tables beside it, so that lines end at their rows."""

    #: Without the tables it says nothing: it is not offered as a picture of its own.
    alone = False

    def __init__(self, view: Custom, host: Any, theme: Theme) -> None:
        super().__init__()
        self.theme = theme
        self.links: list[Link] = []
        self._host = host
        self.setObjectName(view.name)
        self.setAccessibleName(view.options.get("title", view.name))
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)

    def show_model(self, model: list[Link] | None) -> None:
        """Show these links."""
        if (model or []) != self.links:
            self.links = model or []
            self.setAccessibleDescription(
                "; ".join(f"{a} row {i} → {b} row {j}" for (a, i), (b, j) in ((x.source, x.target) for x in self.links))
            )
            self.update()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to show."""
        return not self.links

    def _panels(self) -> list[MatrixPanel]:
        names = dict.fromkeys(name for link in self.links for name, _ in (link.source, link.target))
        return [panel for name in names for panel in self._host.panels(name)[:1]]

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the height of the tables that it links, and a gap."""
        heights = [panel.measure(unit, max_height).height() for panel in self._panels()]
        return QSize(self.theme.px(WIDTH), max(heights, default=0))

    def anchor(self, unit: Unit, height: int) -> int:
        """Return where the middle of the tables lies."""
        anchors = [panel.anchor(unit, panel.measure(unit, height).height()) for panel in self._panels()]
        return max(anchors, default=height // 2)

    def arrange(self, unit: Unit) -> None:
        """Draw anew: the tables beside it have moved."""
        self.update()

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self.update()

    def _height_of(self, end: tuple[str, int]) -> float | None:
        """Return where a row's middle lies in this widget's own pixels."""
        for panel in self._host.panels(end[0])[:1]:
            rect = panel.view.visualRect(panel.view.model().index(end[1], 0))
            if panel.isVisible() and rect.isValid():
                middle = panel.view.viewport().mapToGlobal(QPoint(0, rect.center().y()))
                return float(self.mapFromGlobal(middle).y())
        return None

    def _leads_right(self, link: Link) -> bool:
        sides = [self._host.panels(name)[0].x() for name, _ in (link.source, link.target)]
        return bool(sides[0] < sides[1])

    @guarded
    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint a curve with a head for every link, the strong ones last."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        for link in sorted(self.links, key=lambda one: one.strong):
            start, end = self._height_of(link.source), self._height_of(link.target)
            if start is not None and end is not None:
                self._paint_link(painter, link, start, end)
        painter.end()

    def _paint_link(self, painter: QPainter, link: Link, start: float, end: float) -> None:
        theme, edge = self.theme, self.theme.px(3)
        left, right = edge, self.width() - edge
        from_x, to_x = (left, right) if self._leads_right(link) else (right, left)
        ahead = 1 if to_x > from_x else -1
        color = theme.color(link.role if link.strong else "muted")
        head = theme.px(7 if link.strong else 5)
        path = QPainterPath(QPointF(from_x, start))
        middle = (from_x + to_x) / 2
        path.cubicTo(QPointF(middle, start), QPointF(middle, end), QPointF(to_x - ahead * head * 0.8, end))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.setPen(QPen(color, max(theme.scale * (2.4 if link.strong else 1.1), 1)))
        painter.drawPath(path)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(color)
        wing = head * 0.5
        painter.drawPolygon(
            QPolygonF(
                [QPointF(to_x, end), QPointF(to_x - ahead * head, end - wing), QPointF(to_x - ahead * head, end + wing)]
            )
        )


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return LinksView(view, host, theme)
