"""What can be said of a window's layout by geometry: nothing overlaps, nothing is cut off, everything can be read."""

from collections.abc import Iterator

from PySide6.QtCore import QRect
from PySide6.QtGui import QFontMetrics
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QLabel, QWidget

from explorer.ui.matrix_paint import ramp_of
from explorer.ui.matrix_panel import MatrixPanel
from explorer.ui.place_widget import PlaceWidget
from explorer.ui.theme import contrast
from explorer.ui.window import MainWindow

READABLE = 4.5


def faults(window: MainWindow) -> list[str]:
    """Return a sentence for every fault of the window's layout; an empty list is a good window."""
    return [*_overlaps(window), *_cut_texts(window), *_cut_cells(window), *_trace_faults(window)]


def visible_panels(window: MainWindow) -> Iterator[MatrixPanel]:
    """Iterate over the panels that can be seen in the tab in front."""
    for panel in window.page.stage.canvas.panels():
        if panel.isVisible():
            yield panel


def _overlaps(window: MainWindow) -> Iterator[str]:
    canvas = window.page.stage.canvas
    leaves = [leaf for leaf in canvas.leaves.values() if leaf.isVisible() and leaf.width() > 0 and leaf.height() > 0]
    bounds = canvas.rect()
    for i, leaf in enumerate(leaves):
        if not bounds.contains(leaf.geometry()):
            yield f"{_name(leaf)} {_box(leaf.geometry())} leaves the stage {_box(bounds)}"
        for other in leaves[i + 1 :]:
            shared = leaf.geometry().intersected(other.geometry())
            if shared.width() > 1 and shared.height() > 1:
                yield f"{_name(leaf)} overlaps {_name(other)} by {shared.width()} × {shared.height()}"
    panes = [window.rail, window.pages, window.panels]
    shown = [pane for pane in panes if pane.isVisible()]
    for i, pane in enumerate(shown):
        for other in shown[i + 1 :]:
            if pane.geometry().intersects(other.geometry()):
                yield f"pane {_name(pane)} overlaps {_name(other)}"


def _cut_texts(window: MainWindow) -> Iterator[str]:
    for widget in window.findChildren(QWidget):
        if not widget.isVisible() or not isinstance(widget, (QLabel, QAbstractButton)) or not widget.text():
            continue
        text, metrics = widget.text(), QFontMetrics(widget.font())
        if isinstance(widget, QLabel) and widget.wordWrap():
            needed = widget.heightForWidth(widget.width())
            if needed > widget.height() + 1:
                yield f"the wrapped text {text[:40]!r} needs {needed} px, has {widget.height()}"
            continue
        width = metrics.horizontalAdvance(text.replace("&", ""))
        if isinstance(widget, QCheckBox):
            width = widget.sizeHint().width()
        # A button has padding, which its own hint knows.
        height = widget.sizeHint().height() if isinstance(widget, QAbstractButton) else metrics.height() - 2
        if widget.width() + 1 < width or widget.height() + 1 < height:
            yield f"{_name(widget)} {text!r} needs {width} × {height}, has {widget.width()} × {widget.height()}"


def _cut_cells(window: MainWindow) -> Iterator[str]:
    for panel in visible_panels(window):
        look = panel.view.look
        if panel.header_width() > panel.width() + 1:
            yield f"the title of {panel.name} needs {panel.header_width()} px, has {panel.width()}"
        if not look.with_text or panel.view.values.dtype == bool:
            continue
        metrics = QFontMetrics(look.theme.font(look.font_px, exact=True))
        for row in panel.view.written():
            for text in row:
                if metrics.horizontalAdvance(text) > look.cell_width:
                    yield f"{text} in {panel.name} needs {metrics.horizontalAdvance(text)} px, has {look.cell_width}"
        if metrics.ascent() > look.cell_height:
            yield f"the digits of {panel.name} are higher than its cells"
        if look.font_px < look.theme.text_px(12):
            yield f"the digits of {panel.name} are {look.font_px} px high, below {look.theme.text_px(12)}"


def _trace_faults(window: MainWindow) -> Iterator[str]:
    strip = window.page.strip
    for rect, text in strip.placed_texts():
        if rect.right() > strip.width() or rect.bottom() > strip.height() + 2:
            yield f"{text!r} of the trace at {_box(rect)} leaves the strip of {strip.width()} × {strip.height()}"


def unreadable(window: MainWindow) -> list[str]:
    """Return every cell whose digits do not stand out from their ground."""
    found = []
    for panel in visible_panels(window):
        ramp_levels = panel.view.places()
        look = panel.view.look
        ramp = ramp_of(look)
        for level in set(ramp_levels.ravel().tolist()):
            ground, ink = ramp.brushes[level], ramp.on[level]
            ratio = contrast((ground.red(), ground.green(), ground.blue()), (ink.red(), ink.green(), ink.blue()))
            if ratio < READABLE:
                found.append(f"{panel.name}: digits at level {level} have contrast {ratio:.2f}")
    return found


def _name(widget: QWidget) -> str:
    if isinstance(widget, PlaceWidget):
        return "/".join(panel.name for panel in widget.panels)
    return getattr(widget, "name", "") or widget.objectName() or type(widget).__name__


def _box(rect: QRect) -> str:
    return f"({rect.left()}, {rect.top()}, {rect.width()} × {rect.height()})"
