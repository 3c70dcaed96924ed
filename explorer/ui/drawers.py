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
    """The button of a drawer, and the drawer, which is made when it is first opened."""

    def __init__(self, drawer: d.Drawer, owner: ControlBar) -> None:
        super().__init__()
        self.drawer = drawer
        self.theme = owner.theme
        self._owner = owner
        self._situation: d.Situation | None = None
        self._made: _Inside | None = None
        self.setObjectName(f"drawer_{drawer.label.lower()}")
        self.setText(f"{drawer.label} ▾")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.clicked.connect(self.open)
        self.set_theme(self.theme)

    @property
    def _inside(self) -> _Inside:
        if self._made is None:
            self._made = _Inside(self.drawer, self._owner, self)
            self._made.set_theme(self.theme)
            if self._situation is not None:
                self._made.bar.show_state(self._situation)
        return self._made

    @property
    def popup(self) -> Popup:
        """The drawer."""
        return self._inside.popup

    @property
    def bar(self) -> ControlBar:
        """The controls in the drawer."""
        return self._inside.bar

    def open(self) -> None:
        """Open the drawer with the focus in its first control."""
        self._inside.refusal.hide()
        self.popup.open_below()
        self.bar.focus_first()

    def show_state(self, situation: d.Situation) -> None:
        """Show what the workbench holds."""
        self._situation = situation
        if self._made is not None:
            self._made.bar.show_state(situation)
        says = self.drawer.says(situation.controls) if self.drawer.says is not None else ""
        self.setToolTip(says)
        self.setAccessibleName(f"{self.drawer.label}: {says}" if says else self.drawer.label)

    def refuse(self, sentence: str) -> bool:
        """Say in the open drawer why something was refused; False when it is closed."""
        if self._made is None or not self.popup.isVisible():
            return False
        refusal = self._made.refusal
        refusal.setText(sentence)
        refusal.setFixedWidth(max(self.bar.width(), self.theme.px(220)))
        refusal.show()
        self.popup.adjustSize()
        return True

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        if self._made is not None:
            self._made.set_theme(theme)
        self.setMinimumHeight(QFontMetrics(theme.font(13)).height() + theme.px(8))


class _Inside:
    """What opens below a drawer's button: its controls, and why one of them was refused."""

    def __init__(self, drawer: d.Drawer, owner: ControlBar, anchor: QWidget) -> None:
        self.popup = Popup(anchor, f"popup_{drawer.label.lower()}", drawer.label)
        controls = tuple(owner.concept.control(name) for name in drawer.controls)
        inside = owner.concept._replace(sizes=(), controls=controls, actions=(), drawers=())
        self.bar = ControlBar(inside, owner.theme, stacked=True)
        self.bar.setObjectName(f"controls_{drawer.label.lower()}")
        self.refusal = QLabel()
        self.refusal.setWordWrap(True)
        self.refusal.setTextFormat(Qt.TextFormat.PlainText)
        self.refusal.setProperty("tone", "bad")
        self.refusal.hide()
        self.popup.column.addWidget(self.bar)
        self.popup.column.addWidget(self.refusal)
        for name in ("size_set", "control_set", "begun", "ended", "file_given"):
            getattr(self.bar, name).connect(getattr(owner, name))

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.bar.set_theme(theme)
        self.refusal.setFont(theme.font(12))
        self.refusal.setStyleSheet(f"color: {theme.colors.bad}; padding-left: {theme.px(14)}px;")
        margin = theme.px(4)
        self.popup.column.setContentsMargins(margin, margin, margin, theme.px(8))
