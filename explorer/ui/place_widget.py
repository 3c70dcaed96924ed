"""A place of the stage that several panels share, one for each step; one is visible at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize
from PySide6.QtWidgets import QWidget

if TYPE_CHECKING:
    from explorer.ui.matrix_panel import MatrixPanel, Unit
    from explorer.ui.theme import Theme


class PlaceWidget(QWidget):
    """Panels that share one place; one is visible at a time."""

    def __init__(self, panels: list[MatrixPanel]) -> None:
        super().__init__()
        self.panels = panels
        for panel in panels:
            panel.setParent(self)
        self.show_only(panels[-1].name)

    def show_only(self, name: str) -> None:
        """Show the panel of that array and hide the others."""
        for panel in self.panels:
            panel.setVisible(panel.name == name)

    def measure(self, unit: Unit, max_height: int) -> QSize:
        """Return the size of the largest panel, so that nothing jumps between steps."""
        sizes = [panel.measure(unit, max_height) for panel in self.panels]
        return QSize(max(size.width() for size in sizes), max(size.height() for size in sizes))

    def anchor(self, unit: Unit, height: int) -> int:
        """Return where the tables' middle stands, the same for all panels."""
        return max(panel.anchor(unit, panel.measure(unit, height).height()) for panel in self.panels)

    def arrange(self, unit: Unit) -> None:
        """Give every panel the whole place, with its table where the others' are."""
        axis = self.anchor(unit, self.height())
        for panel in self.panels:
            height = panel.measure(unit, self.height()).height()
            panel.setGeometry(0, axis - panel.anchor(unit, height), self.width(), height)
            panel.arrange(unit)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        for panel in self.panels:
            panel.set_theme(theme)
