"""Moving the focus from pane to pane: tabs, controls, stage, trace, side panel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget

if TYPE_CHECKING:
    from collections.abc import Sequence


def enter(pane: QWidget) -> bool:
    """Give the focus to a pane, or to the first in it that takes it; False where nothing does."""
    inside = [pane, *pane.findChildren(QWidget)]
    first = next((one for one in inside if one.focusPolicy() & Qt.FocusPolicy.TabFocus and _ready(one, pane)), None)
    if first is None:
        return False
    first.setFocus(Qt.FocusReason.TabFocusReason)
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
