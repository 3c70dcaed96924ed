"""The layout that flows gives back what Qt made for it."""

import shiboken6
from PySide6.QtWidgets import QLabel, QWidget
from pytestqt.qtbot import QtBot

from explorer.ui.flow import FlowLayout


def flowing(count: int) -> tuple[QWidget, FlowLayout]:
    widget = QWidget()
    layout = FlowLayout(3, 3)
    widget.setLayout(layout)
    for i in range(count):
        layout.addWidget(QLabel(str(i)))
    return widget, layout


def test_its_items_end_with_it(qtbot: QtBot) -> None:
    widget, layout = flowing(5)
    items = [layout.itemAt(i) for i in range(5)]
    assert all(shiboken6.isValid(item) for item in items)
    shiboken6.delete(widget)
    assert not any(shiboken6.isValid(item) for item in items)


def test_a_widget_that_ends_earlier_takes_its_item_along(qtbot: QtBot) -> None:
    widget, layout = flowing(3)
    shiboken6.delete(layout.itemAt(1).widget())
    assert layout.count() == 2
    assert [layout.itemAt(i).widget().text() for i in range(2)] == ["0", "2"]
    shiboken6.delete(widget)
