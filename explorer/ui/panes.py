"""Moving the focus from pane to pane, tabs, controls, stage, trace, side panel, and bringing what has it into sight."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, Qt
from PySide6.QtWidgets import QAbstractItemView, QApplication, QScrollArea, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence

#: How much more than what has the focus is brought into sight: its ring, and where it stands.
AROUND = 12


def enter(pane: QWidget) -> bool:
    """Give the focus to a pane, or to the first in it that takes it; False where nothing does."""
    inside = [pane, *pane.findChildren(QWidget)]
    first = next((one for one in inside if one.focusPolicy() & Qt.FocusPolicy.TabFocus and _ready(one, pane)), None)
    if first is None:
        return False
    first.setFocus(Qt.FocusReason.TabFocusReason)
    reveal(first)
    return True


def _ready(widget: QWidget, pane: QWidget) -> bool:
    """Say whether a widget can take the focus; one in a window of its own, such as a closed drawer, is elsewhere."""
    return widget.isVisible() and widget.isEnabled() and widget.window() is pane.window()


def enter_next(panes: Sequence[QWidget]) -> None:
    """Give the focus to the pane after the one that has it."""
    panes = [pane for pane in panes if pane.isVisible()]
    focus = QApplication.focusWidget()
    here = next((i for i, one in enumerate(panes) if focus and (one is focus or one.isAncestorOf(focus))), -1)
    any(enter(panes[(here + step) % len(panes)]) for step in range(1, len(panes) + 1))


def reveal(widget: QWidget, rect: QRect | None = None) -> None:
    """Scroll all areas around a widget, the innermost first, so that a part of it is seen.

    Qt does this for the area that the focus leaves, with the place that a widget had before the inner area scrolled.

    Parameters
    ----------
    widget
        One that is visible; of another nothing is shown.
    rect
        The part, for a table in its viewport; its current cell, or the whole of another widget, where absent.
    """
    if not widget.isVisible():
        return
    if rect is None:
        rect = _here(widget)
    area = widget.parentWidget()
    while area is not None:
        content = area.widget() if isinstance(area, QScrollArea) else None
        if isinstance(area, QScrollArea) and content is not None:
            room, place = area.viewport().size(), QRect(widget.mapTo(content, rect.topLeft()), rect.size())
            x_margin = min(place.width() // 2 + AROUND, room.width() // 2)
            y_margin = min(place.height() // 2 + AROUND, room.height() // 2)
            area.ensureVisible(place.center().x(), place.center().y(), x_margin, y_margin)
        area = area.parentWidget()


def _here(widget: QWidget) -> QRect:
    """Return the part of a widget that the keyboard is on."""
    if isinstance(widget, QAbstractItemView) and widget.currentIndex().isValid():
        return widget.visualRect(widget.currentIndex())
    return widget.rect()
