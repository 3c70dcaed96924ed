"""A matrix that keeps to a room: thumbnails, and tables that are pressed together where there are many rows or columns.

As long as the stage has the room everything stands at its ordinary size; `Unit.squeeze` below 1 says that it has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize

from explorer.ui.cell_size import CellSize, Unit, small_cell
from explorer.ui.matrix_panel import MatrixPanel
from explorer.ui.pressed_view import PressedView

if TYPE_CHECKING:
    from explorer.concepts.declaration import Matrix
    from explorer.ui.matrix_view import Host
    from explorer.ui.theme import Theme


class RoomPanel(MatrixPanel):
    """One array in a room of so many ordinary rows and columns."""

    view: PressedView

    def __init__(self, declared: Matrix, host: Host, theme: Theme, *, editable: bool) -> None:
        super().__init__(declared.array, host, theme, editable=editable, large=declared.large)
        self.small = declared.small
        self.room = declared.room
        #: A panel whose cells are as wide as those here.
        self.like: MatrixPanel | None = None

    def _make_view(self, name: str, host: Host, *, editable: bool) -> PressedView:
        return PressedView(name, host, self.theme, editable=editable, parent=self)

    def _compared(self) -> int:
        """Return how many columns the wider of this table and the one it is like has."""
        columns = int(self.view.values.shape[1])
        return max(columns, int(self.like.view.values.shape[1])) if self.like is not None else columns

    def _full_cell(self, unit: Unit) -> CellSize:
        return small_cell(self.theme, unit, self.text) if self.small else super()._full_cell(unit)

    def cell_at(self, unit: Unit) -> CellSize:
        """Return the cell size at this unit; a table that is too large for its room has a thumbnail's cells."""
        full, rows = self._full_cell(unit), int(self.view.values.shape[0])
        if self.room is None or unit.squeeze >= 1 or (rows <= self.room[0] and self._compared() <= self.room[1]):
            return full
        return small_cell(self.theme, unit, self.text)._replace(in_room=True)

    def table_size(self, cell: CellSize) -> QSize:
        """Return how large the table is; in its room, whatever it holds, as large as that at most."""
        size, compared = super().table_size(cell), self._compared()
        if not cell.in_room or self.room is None:
            return size
        rows, columns = self.room
        width = size.width() if compared <= columns else columns * size.width() // compared
        return QSize(max(width, 1), min(size.height(), rows * cell.height))

    def may_scroll(self, cell: CellSize) -> bool:
        """Say whether the table may scroll; a thumbnail is there to be seen as a whole."""
        return not self.small and super().may_scroll(cell)

    def arrange(self, unit: Unit) -> None:
        """Lay out the table inside the panel's present size."""
        super().arrange(unit)
        self.view.press(self.view.size() if self._cell.in_room else None)
