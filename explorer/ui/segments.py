"""A few options side by side, of which one is pressed; a list to choose from where they have no room."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QWidget

from explorer.ui.drop_down import DropDown

if TYPE_CHECKING:
    from explorer.concepts import declaration as d
    from explorer.ui.theme import Theme


class Segments(QWidget):
    """The options of a choice.

    Signals
    -------
    chosen(str)
        The option that was pressed.
    """

    chosen = Signal(str)

    def __init__(self, control: d.Choice, theme: Theme) -> None:
        super().__init__()
        self.setObjectName(f"control_{control.name}")
        row = QHBoxLayout(self)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        self._group = QButtonGroup(self)
        self._group.setExclusive(True)
        self.buttons: dict[str, QToolButton] = {}
        self.list = DropDown(theme)
        self.list.setObjectName(f"list_{control.name}")
        self.list.setAccessibleName(control.label)
        last = len(control.options) - 1
        tip = f" ({control.key} takes the next)" if control.key else ""
        self.list.setToolTip(control.label + tip)
        for position, (key, label) in enumerate(control.options):
            button = QToolButton()
            button.setText(label)
            button.setCheckable(True)
            place = "only" if not last else "first" if not position else "last" if position == last else "middle"
            button.setProperty("segment", place)
            button.setObjectName(f"control_{control.name}_{key}")
            button.setAccessibleName(f"{control.label}: {label}" if control.label else label)
            button.setToolTip(f"{control.label}: {label}".removeprefix(": ") + tip)
            button.clicked.connect(lambda _checked, key=key: self.chosen.emit(key))
            self._group.addButton(button)
            row.addWidget(button)
            self.buttons[key] = button
            self.list.addItem(label, key)
        self.list.activated.connect(lambda i: self.chosen.emit(self.list.itemData(i)))
        self.list.hide()
        row.addWidget(self.list)
        for widget in self.parts:
            widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFocusProxy(next(iter(self.buttons.values())))

    @property
    def parts(self) -> tuple[QWidget, ...]:
        """The widgets that it is made of."""
        return (*self.buttons.values(), self.list)

    def show_value(self, value: str) -> None:
        """Show which option is chosen; Tab goes to that one, and arrows lead on from there."""
        self.buttons[value].setChecked(True)
        for key, button in self.buttons.items():
            button.setFocusPolicy(Qt.FocusPolicy.StrongFocus if key == value else Qt.FocusPolicy.ClickFocus)
        if self.list.isHidden():
            self.setFocusProxy(self.buttons[value])
        self.list.setCurrentIndex(self.list.findData(value))

    def fit(self, room: int) -> None:
        """Show the buttons where so many pixels hold them, else the list."""
        wide = sum(button.sizeHint().width() for button in self.buttons.values()) <= room
        if wide == self.list.isHidden():
            return
        for button in self.buttons.values():
            button.setVisible(wide)
        self.list.setVisible(not wide)
        self.setFocusProxy(next(iter(self.buttons.values())) if wide else self.list)
