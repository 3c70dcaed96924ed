"""A matrix that keeps to a room: thumbnails, and tables that are pressed together where there are many rows or columns.

As long as the stage has the room everything stands at its ordinary size; `Unit.squeeze` below 1 says that it has not.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize

from explorer.ui.cell_size import CellSize, Unit, small_cell
from explorer.ui.matrix_panel import MatrixPanel

if TYPE_CHECKING:
    from explorer.concepts.declaration import Matrix
    from explorer.ui.matrix_view import Host
    from explorer.ui.theme import Theme


class RoomPanel(MatrixPanel):
    """One array in a room of so many ordinary rows and columns."""

    def __init__(self, declared: Matrix, host: Host, theme: Theme, *, editable: bool) -> None:
        super().__init__(declared.array, host, theme, editable=editable, large=declared.large)
        self.small = declared.small
        self.room = declared.room
        self.scrolls = declared.scrolls
        #: A panel whose cells are as wide as those here.
        self.like: MatrixPanel | None = None

    def _compared(self) -> int:
        """Return how many columns the wider of this table and the one it is like has."""
        columns = int(self.view.values.shape[1])
        return max(columns, int(self.like.view.values.shape[1])) if self.like is not None else columns

    def _full_cell(self, unit: Unit) -> CellSize:
        full = super()._full_cell(unit)
        return small_cell(self.theme, unit, self.text_at(unit)) if self.small else full

    def cell_at(self, unit: Unit) -> CellSize:
        """Return the cell size at this unit; a table that is too large for its room has a thumbnail's cells."""
        full, rows = self._full_cell(unit), int(self.view.values.shape[0])
        if self.room is None or unit.squeeze >= 1:
            return full
        share = unit.room_share(typed=self.view.editable)
        most_rows, most_columns = (part * share for part in self.room)
        if (rows <= most_rows or self.scrolls or self.large) and self._compared() <= most_columns:
            return full
        if self.large:
            # Its rows meet those of the large tables beside it, however they are pressed.
            return full._replace(width=min(full.width, small_cell(self.theme, unit, self.text).width), in_room=True)
        return small_cell(self.theme, unit, self.text)._replace(in_room=True)

    def table_size(self, cell: CellSize) -> QSize:
        """Return how large the table is; in its room, whatever it holds, as large as that at most."""
        size, compared = super().table_size(cell), self._compared()
        if not cell.in_room or self.room is None:
            return size
        rows, columns = self.room
        width = size.width() if compared <= columns else columns * size.width() // compared
        return QSize(max(width, 1), size.height() if self.large else min(size.height(), rows * cell.height))

    def may_scroll(self, cell: CellSize) -> bool:
        """Say whether the table may scroll; a thumbnail is there to be seen as a whole."""
        return not self.small and super().may_scroll(cell)

    def _presses(self, cell: CellSize) -> bool:
        """Say whether the cells are pixels of a picture, of any number of pixels each."""
        return cell.in_room or super()._presses(cell)
