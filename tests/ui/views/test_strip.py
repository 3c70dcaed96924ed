"""A strip: the layers of a model in order, counted by kind, with the sentences that a reader should know."""

from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from explorer.ui.views.strip import StripView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle


def strip_of(window: MainWindow) -> StripView:
    view = window.page.findChild(StripView, "layers")
    assert view is not None
    return view


def test_it_is_told_to_a_screen_reader(make_window: MakeWindow) -> None:
    window = make_window("cost")
    view = strip_of(window)
    assert view.accessibleName() == "The lesson’s 8 B shape"
    assert view.accessibleDescription() == ("32 layers; 32 query heads, 8 KV heads of 128; 8 B parameters; 32 grow")
    assert not view.notes.isVisible()


def test_notes_open_below_their_button(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    window.workbench.set_control("cost", "model", "DeepSeek V4 Flash")
    settle(window)
    view = strip_of(window)
    assert view.notes.text().startswith("5 notes")
    view.notes.click()
    assert view.popup.isVisible()
    text = view.popup.findChild(QLabel).text()
    assert "whose pairs are not counted here" in text
    view.popup.close()


def test_layers_are_drawn_in_the_colours_of_their_kinds(make_window: MakeWindow) -> None:
    window = make_window("cost")
    window.workbench.set_control("cost", "model", "Gemma 3 12B")
    settle(window)
    view = strip_of(window)
    assert view.strip is not None
    image = view.grab().toImage()
    seen = {image.pixelColor(x, image.height() // 2).name() for x in range(image.width())}
    assert {window.theme.color(kind.role).name() for kind in view.strip.kinds} <= seen
