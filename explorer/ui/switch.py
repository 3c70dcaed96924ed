"""A check box drawn as a switch, so that on and off differ by place and not by colour alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QCheckBox

if TYPE_CHECKING:
    from explorer.ui.theme import Theme


class Switch(QCheckBox):
    """Keys, clicks and the screen reader are QCheckBox's."""

    def __init__(self, text: str, theme: Theme) -> None:
        super().__init__(text)
        self.theme = theme

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self.updateGeometry()
        self.update()

    def _track(self) -> QRectF:
        px = self.theme.px
        return QRectF(px(2), (self.height() - px(16)) / 2, px(28), px(16))

    def sizeHint(self) -> QSize:
        """Return the size of switch and text."""
        metrics, px = QFontMetrics(self.theme.font(13)), self.theme.px
        return QSize(px(40) + metrics.horizontalAdvance(self.text()), max(metrics.height(), px(18)) + px(6))

    def minimumSizeHint(self) -> QSize:
        """Return the same: a cut label says nothing."""
        return self.sizeHint()

    def hitButton(self, _pos: object) -> bool:
        """Take clicks on the whole of it."""
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        """Draw track, knob and text."""
        theme, px = self.theme, self.theme.px
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        on, track = self.isChecked(), self._track()
        painter.setPen(QPen(theme.color("accent" if on or self.hasFocus() else "muted"), max(px(1.5), 1)))
        painter.setBrush(theme.color("accent" if on else "card"))
        painter.drawRoundedRect(track, track.height() / 2, track.height() / 2)
        size = track.height() - px(6)
        left = track.right() - size - px(3) if on else track.left() + px(3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(theme.color("on_accent" if on else "muted"))
        painter.drawEllipse(QRectF(left, track.top() + px(3), size, size))
        painter.setFont(theme.font(13))
        painter.setPen(theme.color("text" if self.isEnabled() else "muted"))
        text = self.rect().adjusted(px(36), 0, 0, 0)
        painter.drawText(text, int(Qt.AlignmentFlag.AlignVCenter), self.text())
        if self.hasFocus():
            line = max(px(2), 2)
            painter.setPen(QPen(theme.color("accent"), line))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            inset = line / 2
            painter.drawRoundedRect(QRectF(self.rect()).adjusted(inset, inset, -inset, -inset), px(5), px(5))
        painter.end()
