"""The Qt model of one array: full precision for editing, words for the screen reader. It computes nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt

from explorer.ui.number_style import cell_text
from explorer.workbench import number_text

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from PySide6.QtCore import QObject

AnyIndex = QModelIndex | QPersistentModelIndex


class MatrixModel(QAbstractTableModel):
    """A two-dimensional array as a table.

    Parameters
    ----------
    name : str
        The array's name, spoken with every cell.
    write : callable, optional
        ``write(cells, values) -> bool`` takes edits; without it the model is read-only.
    parent : QObject, optional
        With which it ends: the view, so that the two go together and never when garbage happens to be collected.
    """

    def __init__(
        self,
        name: str,
        write: Callable[[list[tuple[int, int]], list[float]], bool] | None = None,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self.name = name
        self._write = write
        self.values: NDArray[Any] = np.zeros((0, 0))
        self.row_names: tuple[str, ...] = ()
        self.column_names: tuple[str, ...] = ()
        self.digits = 2

    def set_values(self, values: NDArray[Any]) -> bool:
        """Show another array; return whether its shape is another."""
        if values.shape == self.values.shape:
            self.values = values
            if values.size:
                self.dataChanged.emit(self.index(0, 0), self.index(values.shape[0] - 1, values.shape[1] - 1))
            return False
        self.beginResetModel()
        self.values = values
        self.endResetModel()
        return True

    @property
    def editable(self) -> bool:
        """Whether cells take edits."""
        return self._write is not None

    def rowCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """Return the number of rows; cells have no children."""
        return 0 if parent.isValid() else int(self.values.shape[0])

    def columnCount(self, parent: AnyIndex = QModelIndex()) -> int:  # noqa: B008
        """Return the number of columns; cells have no children."""
        return 0 if parent.isValid() else int(self.values.shape[1])

    def data(self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return a cell's text, its full-precision value for editing, or its words for a screen reader."""
        if not index.isValid():
            return None
        row, column = index.row(), index.column()
        if row >= self.values.shape[0] or column >= self.values.shape[1]:
            return None
        value = self.values[row, column]
        if role == Qt.ItemDataRole.EditRole:
            return bool(value) if self.values.dtype == bool else float(value)
        if role == Qt.ItemDataRole.DisplayRole:
            return (
                ("may look" if value else "masked")
                if self.values.dtype == bool
                else cell_text(float(value), self.digits)
            )
        if role == Qt.ItemDataRole.AccessibleTextRole:
            row_name = self.row_names[row] if row < len(self.row_names) else ""
            column_name = self.column_names[column] if column < len(self.column_names) else ""
            spoken = "masked" if value == -np.inf or value is np.False_ else self.data(index)
            return f"{self.name} row {row} {row_name} column {column} {column_name}: {spoken}".replace("  ", " ")
        return None

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        """Return the name of a row or column, or its index where it has none."""
        if role != Qt.ItemDataRole.DisplayRole:
            return None
        names = self.column_names if orientation == Qt.Orientation.Horizontal else self.row_names
        return f"{names[section]} {section}" if section < len(names) else str(section)

    def flags(self, index: AnyIndex) -> Qt.ItemFlag:
        """Return what a cell allows; an invalid index allows nothing."""
        if not index.isValid():
            return Qt.ItemFlag.NoItemFlags
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        if self.editable and self.values.dtype != bool:
            flags |= Qt.ItemFlag.ItemIsEditable
        return flags

    def setData(self, index: AnyIndex, value: Any, role: int = Qt.ItemDataRole.EditRole) -> bool:
        """Write one cell, given as a number or as the text of one; False when the edit was refused."""
        if self._write is None or role != Qt.ItemDataRole.EditRole or not index.isValid():
            return False
        if isinstance(value, str):
            try:
                value = number_text.parse(value)
            except ValueError:
                return False
        return self._write([(index.row(), index.column())], [value])
