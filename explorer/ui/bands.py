"""Coloured bands beside a table: which columns or rows belong to which head."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QColor, QFontMetrics, QPainter

from explorer.concepts import evaluation

if TYPE_CHECKING:
    from explorer.concepts.declaration import Axis, Sizes
    from explorer.ui.theme import Theme


@dataclass(frozen=True)
class Bands:
    """Equal groups along an axis.

    `count` groups, each called `word` and its number; `shared` is how many colours there are, so that neighbours that
    share a KV head share a colour.
    """

    count: int
    word: str
    shared: int

    def color(self, theme: Theme, group: int) -> QColor:
        """Return the colour of a group."""
        return theme.head(group * self.shared // max(self.count, 1))

    def names(self, metrics: QFontMetrics, width: float) -> list[str]:
        """Return what is written on the groups where each has so much room: the word, the number, or nothing."""
        for names in ([f"{self.word} {i}" for i in range(self.count)], [str(i) for i in range(self.count)]):
            if all(metrics.horizontalAdvance(name) + 4 <= width for name in names):
                return names
        return []


def of(axis: Axis, sizes: Sizes) -> Bands | None:
    """Return the bands of an axis at these sizes, None where its entries do not come in groups."""
    groups = axis.groups
    if groups is None:
        return None
    count = evaluation.size_of(groups.size, sizes)
    return Bands(count, groups.word, evaluation.size_of(groups.shared, sizes) if groups.shared else count)


def thickness(theme: Theme) -> int:
    """Return how thick a band is."""
    return max(theme.px(4), 2)


def paint_columns(painter: QPainter, theme: Theme, bands: Bands, table: QRect, width: int, offset: int) -> None:
    """Paint bands above the columns of a table that is `width` wide and scrolled by `offset`, their names above."""
    line, metrics = thickness(theme), QFontMetrics(theme.font(12))
    names = bands.names(metrics, width / bands.count)
    painter.save()
    painter.setClipRect(QRect(table.left(), 0, table.width(), table.bottom()))
    painter.setFont(theme.font(12))
    for i in range(bands.count):
        left, right = (table.left() - offset + width * at // bands.count for at in (i, i + 1))
        gap = 1 if right - left > 3 else 0
        painter.fillRect(left, table.top() - line - 1, right - left - gap, line, bands.color(theme, i))
        if names:
            box = QRect(left, table.top() - line - 1 - metrics.height(), right - left - gap, metrics.height())
            painter.setPen(bands.color(theme, i))
            painter.drawText(box, int(Qt.AlignmentFlag.AlignCenter), names[i])
    painter.restore()


def paint_rows(painter: QPainter, theme: Theme, bands: Bands, table: QRect, height: int, offset: int) -> None:
    """Paint bands to the left of the rows of a table that is `height` high and scrolled by `offset`."""
    line, metrics = thickness(theme), QFontMetrics(theme.font(12))
    named = height / bands.count >= metrics.height()
    painter.save()
    painter.setClipRect(QRect(0, table.top(), table.left(), table.height()))
    painter.setFont(theme.font(12))
    for i in range(bands.count):
        top, bottom = (table.top() - offset + height * at // bands.count for at in (i, i + 1))
        gap = 1 if bottom - top > 3 else 0
        painter.fillRect(table.left() - line - 1, top, line, bottom - top - gap, bands.color(theme, i))
        if named:
            painter.setPen(bands.color(theme, i))
            box = QRect(0, top, table.left() - line - 4, bottom - top)
            painter.drawText(box, int(Qt.AlignmentFlag.AlignVCenter | Qt.AlignmentFlag.AlignRight), str(i))
    painter.restore()


def column_space(theme: Theme, bands: Bands | None, width: int) -> int:
    """Return how much room the bands above a table take."""
    if bands is None:
        return 0
    metrics = QFontMetrics(theme.font(12))
    named = metrics.height() if bands.names(metrics, width / bands.count) else 0
    return thickness(theme) + 1 + named


def row_space(theme: Theme, bands: Bands | None, height: int) -> int:
    """Return how much room the bands beside a table take."""
    if bands is None:
        return 0
    metrics = QFontMetrics(theme.font(12))
    named = height / bands.count >= metrics.height()
    return thickness(theme) + 1 + (metrics.horizontalAdvance(str(bands.count - 1)) + 4 if named else 0)
