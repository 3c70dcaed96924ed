"""Controls behind a button: a drawer opens below it, and its tip says in a few words what its controls hold.

A drawer's body is a `ControlBar` like the one above the stage, one control a line; what happens in it goes the same
way. It closes with Escape and with a click beside it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QFrame, QLabel, QToolButton, QVBoxLayout, QWidget

from explorer.ui.controls import ControlBar

if TYPE_CHECKING:
    from explorer.concepts import declaration as d
    from explorer.ui.theme import Theme


class Popup(QFrame):
    """A card that opens below a widget, inside the screen, and closes by itself."""

    def __init__(self, anchor: QWidget, name: str, spoken: str) -> None:
        super().__init__(anchor, Qt.WindowType.Popup)
        self._anchor = anchor
        self.setObjectName(name)
        self.setProperty("popup", True)
        self.setAccessibleName(spoken)
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.column = QVBoxLayout(self)

    def open_below(self) -> None:
        """Open below the anchor, moved to the left or above it where the screen ends."""
        self.show()
        self.adjustSize()
        corner = self._anchor.mapToGlobal(QPoint(0, self._anchor.height() + 2))
        room = self._anchor.screen().availableGeometry()
        left = max(min(corner.x(), room.right() - self.width()), room.left())
        top = corner.y()
        if top + self.height() > room.bottom():
            top = max(corner.y() - self._anchor.height() - self.height() - 4, room.top())
        self.move(left, top)


class DrawerButton(QToolButton):
    """The button of a drawer, and the drawer."""

    def __init__(self, drawer: d.Drawer, concept: d.Concept, theme: Theme) -> None:
        super().__init__()
        self.drawer = drawer
        self.theme = theme
        self.setObjectName(f"drawer_{drawer.label.lower()}")
        self.setText(f"{drawer.label} ▾")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.popup = Popup(self, f"popup_{drawer.label.lower()}", drawer.label)
        inside = concept._replace(
            sizes=(),
            controls=tuple(concept.control(name) for name in drawer.controls),
            actions=(),
            drawers=(),
        )
        self.bar = ControlBar(inside, theme, stacked=True)
        self.bar.setObjectName(f"controls_{drawer.label.lower()}")
        self._refusal = QLabel()
        self._refusal.setWordWrap(True)
        self._refusal.setTextFormat(Qt.TextFormat.PlainText)
        self._refusal.setProperty("tone", "bad")
        self._refusal.hide()
        self.popup.column.addWidget(self.bar)
        self.popup.column.addWidget(self._refusal)
        self.clicked.connect(self.open)
        self.set_theme(theme)

    def open(self) -> None:
        """Open the drawer with the focus in its first control."""
        self._refusal.hide()
        self.popup.open_below()
        self.bar.focus_first()

    def show_state(self, situation: d.Situation) -> None:
        """Show what the workbench holds."""
        self.bar.show_state(situation)
        says = self.drawer.says(situation.controls) if self.drawer.says is not None else ""
        self.setToolTip(says)
        self.setAccessibleName(f"{self.drawer.label}: {says}" if says else self.drawer.label)

    def refuse(self, sentence: str) -> bool:
        """Say in the open drawer why something was refused; False when it is closed."""
        if not self.popup.isVisible():
            return False
        self._refusal.setText(sentence)
        self._refusal.setFixedWidth(max(self.bar.width(), self.theme.px(220)))
        self._refusal.show()
        self.popup.adjustSize()
        return True

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        self.bar.set_theme(theme)
        self._refusal.setFont(theme.font(12))
        self._refusal.setStyleSheet(f"color: {theme.colors.bad}; padding-left: {theme.px(14)}px;")
        margin = theme.px(4)
        self.popup.column.setContentsMargins(margin, margin, margin, theme.px(8))
        self.setMinimumHeight(QFontMetrics(theme.font(13)).height() + theme.px(8))
