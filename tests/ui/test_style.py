"""Stylesheets: what Qt works out from them goes with the widgets that it was worked out for."""

import pytest
from PySide6.QtCore import SIGNAL
from PySide6.QtWidgets import QAbstractItemView, QAbstractSpinBox, QComboBox, QWidget

from explorer.ui.page import Page


def parts_without_a_style_of_their_own(page: Page) -> list[QWidget]:
    fields = [box.lineEdit() for box in page.bar.findChildren(QAbstractSpinBox)]
    lists = [view for chooser in page.bar.findChildren(QComboBox) for view in chooser.findChildren(QAbstractItemView)]
    return [*fields, *(view.viewport() for view in lists), *(view.parentWidget() for view in lists)]


@pytest.mark.parametrize("slug", ["multi-head", "previous-token-head", "cost"])
def test_qt_learns_of_the_end_of_every_part_of_a_page_that_is_taken_down(make_window, slug):
    window = make_window(slug)
    page = window.page
    for chooser in page.bar.findChildren(QComboBox):
        chooser.showPopup()
        chooser.hidePopup()
    parts = parts_without_a_style_of_their_own(page)
    assert parts
    page.leave()
    # Nobody else listens: what is kept for a part that ends unheard is kept as long as the process.
    assert all(part.receivers(SIGNAL("destroyed(QObject*)")) for part in parts)
