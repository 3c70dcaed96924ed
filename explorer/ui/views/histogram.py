"""A histogram: bars with curves over them; the cursor stands on the middle of a bar."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.ui.curves import CurvesView

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from explorer.concepts.declaration import Custom
    from explorer.concepts.shown.plots import Plot
    from explorer.ui.theme import Theme


class HistogramView(CurvesView):
    """A `CurvesView` whose cursor goes from bar to bar."""

    def show_model(self, model: Plot | None) -> None:
        """Show this plot."""
        if model is not None and model.bars and model.snap is None:
            middles = (model.bars[0].edges[:-1] + model.bars[0].edges[1:]) / 2
            model = replace(model, snap=lambda x: float(middles[np.abs(middles - x).argmin()]))
        super().show_model(model)


def make(view: Custom, host: Any, theme: Theme) -> QWidget:
    """Return the view."""
    return HistogramView(view, host, theme)
