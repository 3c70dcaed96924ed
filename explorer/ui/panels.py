"""Panels made from declarations: which look an array gets from its role, its axes and the view that shows it."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from explorer.concepts import declaration as d
from explorer.ui.matrix_panel import MatrixPanel
from explorer.ui.mosaic_panel import MosaicPanel
from explorer.ui.number_style import COLOURED
from explorer.ui.place_widget import PlaceWidget
from explorer.ui.room_panel import RoomPanel

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from explorer.ui.matrix_view import Host
    from explorer.ui.theme import Theme

#: Where the colours of signed values end on a mosaic.
MOSAIC_SPAN = 2.0

Panel = TypeVar("Panel", bound=MatrixPanel)


def make_panels(view: d.Matrix | d.Place | d.Mosaic, concept: d.Concept, host: Host, theme: Theme) -> QWidget:
    """Return the widget of a view that shows arrays: one panel, or several that share a place."""
    if isinstance(view, d.Matrix):
        return _matrix(view, concept, host, theme)
    panels: list[MatrixPanel] = []
    for name in view.arrays:
        if isinstance(view, d.Mosaic):
            panels.append(_mosaic(view, name, concept, host, theme))
        else:
            panel = MatrixPanel(name, host, theme, editable=_editable(concept, name), large=True)
            panel.sums = view.sums and concept.array(name).role == "weight"
            panels.append(_dressed(panel, concept, view.span))
    return panels[0] if len(panels) == 1 and isinstance(view, d.Mosaic) else PlaceWidget(panels)


def _editable(concept: d.Concept, name: str) -> bool:
    return isinstance(concept.array(name), d.Input)


def _matrix(view: d.Matrix, concept: d.Concept, host: Host, theme: Theme) -> MatrixPanel:
    array = concept.array(view.array)
    editable = isinstance(array, d.Input)
    panel: MatrixPanel
    if view.small or view.room:
        panel = RoomPanel(view, host, theme, editable=editable)
    else:
        panel = MatrixPanel(view.array, host, theme, editable=editable, large=view.large)
    panel.sums = view.sums and array.role == "weight"
    _dressed(panel, concept, view.span)
    if view.form:
        panel.view.look.forms = (view.form,) if isinstance(view.form, str) else view.form
        if view.form not in COLOURED and not view.tint:
            panel.view.look.kind = "plain"
    return panel


def _mosaic(view: d.Mosaic, name: str, concept: d.Concept, host: Host, theme: Theme) -> MosaicPanel:
    panel = MosaicPanel(view, name, concept.array(name).axes[-3], host, theme)
    _dressed(panel, concept, MOSAIC_SPAN)
    if view.title:
        # Beside others of the same kind a screen reader must be told both: which one, and of what.
        panel.view.setAccessibleName(f"{view.title}: {panel.view.accessibleName()}")
        panel.title = view.title
    return panel


def _title(array: d.Input | d.Stage, *, printed: bool) -> str:
    """Return what stands over an array; paper is not told what can be clicked."""
    if isinstance(array, d.Stage):
        return array.title or array.spoken
    said = array.title or ("" if printed else array.hint)
    return f"{array.spoken}: {said}" if said else array.spoken


def _dressed(panel: Panel, concept: d.Concept, span: float) -> Panel:
    """Give a panel the look of its array."""
    array = concept.array(panel.name)
    weight, large = array.role == "weight", panel.large
    panel.role = array.role
    panel.title = _title(array, printed=panel.theme.printed)
    panel.row_axis, panel.column_axis = array.axes[-2:] if len(array.axes) > 1 else (d.Axis("1"), array.axes[0])
    panel.square = large and array.role in ("score", "weight", "mask")
    shown = (concept.array(name) for name in d.shown_arrays(concept.layout))
    panel.whole_pixels = any(isinstance(one, d.Input) and one.kind == "mask" for one in shown)
    panel.text = "0.000" if weight else "−0.00"
    panel.legend = "0 … 1" if weight else ""
    view, look = panel.view, panel.view.look
    view.whole = isinstance(array, d.Input) and array.whole
    look.kind = "weight" if weight else "mask" if isinstance(array, d.Input) and array.kind == "mask" else "signed"
    look.digits = 3 if weight else 2
    look.top = 1.0 if weight else span
    view.one_row = len(array.axes) == 1
    words = (panel.title, panel.row_axis.words, panel.column_axis.words)
    view.setAccessibleName(", ".join(filter(None, words)))
    return panel
