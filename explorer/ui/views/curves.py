"""Curves over two axes, read by one cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from explorer.ui.curves import CurvesView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from explorer.concepts.declaration import Custom
    from explorer.ui.theme import Theme


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return CurvesView(view, host, theme)
