"""Tab 13 on screen: the gallery, the slider, the names of features, the verdict, and room for every preset."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QSlider, QWidget

from explorer.concepts.heads.head_presets import presets
from explorer.ui.chooser import Chooser
from explorer.ui.curves import CurvesView
from explorer.ui.views.tiles import TilesView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults

SLUG = "previous-token-head"


def chooser(window: MainWindow) -> Chooser:
    found = window.page.bar.findChild(Chooser, "control_preset")
    assert found is not None
    return found


def written(window: MainWindow, name: str) -> list[list[str]]:
    return window.page.panels(name)[0].view.written()


def tile_texts(window: MainWindow, name: str) -> list[str]:
    view = window.page.findChild(TilesView, name)
    assert view is not None
    return [text for tile in view.tiles for text in (tile.label, tile.value, tile.detail)]


def test_the_lessons_digits_stand_on_the_screen(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    assert written(window, "Wq")[:3] == [["10", "0", "0", "0"], ["10", "0", "0", "0"], ["0", "10", "0", "0"]]
    assert written(window, "weights")[3] == ["0.007", "0.007", "0.980", "0.007"]
    assert written(window, "output") == [["1.00", "0.00"], ["0.99", "0.01"], ["0.01", "0.99"], ["1.00", "0.99"]]
    assert window.page.panels("x")[0].column_names == ("s0", "s1", "s2", "s3", "c0", "c1")
    assert window.page.panels("Wq")[0].row_names == ("s0", "s1", "s2", "s3", "c0", "c1")


def test_the_verdict_and_the_needed_sharpness_stand_on_the_screen(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    said = tile_texts(window, "verdict")
    assert {"yes", "worst: down 3 → sat 2  0.980", "11.4", "64 slots: 69.9"} <= set(said)
    view = window.page.findChild(CurvesView, "slots")
    assert view is not None
    assert view.isVisible()
    assert "0.980" in view.accessibleDescription()


def test_a_click_on_the_verdict_shows_how_its_number_came_about(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    window.workbench.set_view(SLUG, pinned=None)
    settle(window)
    view = window.page.findChild(TilesView, "verdict")
    assert view is not None
    QTest.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.rect().topLeft() + view.rect().center() / 8)
    assert window.workbench.view(SLUG).pinned == ("weights", (3, 2))


def test_a_preset_is_chosen_from_the_gallery_and_undone_at_once(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    button = chooser(window)
    assert button.text().startswith("the lesson’s head")
    button.chosen.emit("first")
    settle(window)
    assert button.text().startswith("first token")
    assert window.page.panels("x")[0].column_names[0] == "tok=<s>"
    assert written(window, "weights")[7][0] == "1.000"
    assert "every query asks for <s>, a sink" in tile_texts(window, "about")
    curve = window.page.findChild(CurvesView, "slots")
    assert curve is not None
    assert not curve.isVisible(), "the curve is that of the lesson's head"
    window.undo()
    settle(window)
    assert button.text().startswith("the lesson’s head")
    assert not window.workbench.edited(SLUG)


def test_the_gallery_lists_every_preset_with_its_line(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    button = chooser(window)
    button.open()
    listed = [button.list.item(i).text() for i in range(button.list.count())]
    assert len(listed) == len(presets()) + 1
    assert button.search.placeholderText() == "Search 36 heads"
    button.search.setText("bracket")
    assert button.list.count() == 1
    button.popup.hide()


def test_a_drag_of_the_sharpness_is_one_step_of_the_history(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    slider = window.page.bar.findChild(QSlider, "control_sharpness")
    assert slider is not None
    slider.sliderPressed.emit()
    for place in (80, 40, 0, 300):
        slider.setValue(place)
    slider.sliderReleased.emit()
    settle(window)
    assert window.workbench.state(SLUG).controls["sharpness"] == pytest.approx(30.1, abs=0.15)
    assert written(window, "weights")[3][2] == "1.000"
    window.undo()
    assert not window.workbench.edited(SLUG)
    assert window.workbench.undo_label is None


def test_a_typed_cell_of_wq_moves_the_slider(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    window.workbench.edit(SLUG, "Wq", [(3, 2)], [25.0])
    settle(window)
    spin = window.page.bar.findChild(QWidget, "number_sharpness")
    assert spin is not None
    assert spin.value() == 25.0  # type: ignore[attr-defined]


def test_removing_positions_turns_the_verdict(make_window: MakeWindow) -> None:
    window = make_window(SLUG)
    window.workbench.act(SLUG, "remove")
    settle(window)
    assert written(window, "weights")[3] == ["0.250"] * 4
    assert "no" in tile_texts(window, "verdict")


@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_every_preset_is_seen_whole(make_window: MakeWindow, size: tuple[int, int]) -> None:
    window = make_window(SLUG, size=size)
    for key in presets():
        window.workbench.set_control(SLUG, "preset", key)
        settle(window)
        assert faults(window) == [], key
        stage = window.page.stage
        assert stage.horizontalScrollBar().maximum() == stage.verticalScrollBar().maximum() == 0, key


@pytest.mark.parametrize("count", [1, 2, 8, 16, 64])
def test_any_number_of_slots_is_seen_whole(make_window: MakeWindow, count: int) -> None:
    window = make_window(SLUG)
    window.workbench.set_size(SLUG, "n", count)
    settle(window)
    assert faults(window) == []
    stage = window.page.stage
    assert stage.horizontalScrollBar().maximum() == stage.verticalScrollBar().maximum() == 0


@pytest.mark.parametrize("step", range(5))
def test_every_step_of_a_show_is_seen_whole(make_window: MakeWindow, step: int) -> None:
    window = make_window(SLUG, present=True)
    window.workbench.set_view(SLUG, step=step)
    settle(window)
    assert faults(window) == []
    stage = window.page.stage
    assert stage.horizontalScrollBar().maximum() == stage.verticalScrollBar().maximum() == 0


def test_a_drag_through_whole_numbers_widens_the_cells_once_and_lets_them_shrink_at_its_end(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window(SLUG)
    panel = window.page.panels("Wq")[0]
    fits: list[int] = []
    window.page.stage.fitted.connect(lambda: fits.append(1))
    monkeypatch.setattr("explorer.ui.page.QGuiApplication.mouseButtons", lambda: Qt.MouseButton.LeftButton)
    window.page.begin("drag")
    for value in (10.5, 11.0, 11.5, 12.0):
        window.workbench.set_control(SLUG, "sharpness", value)
        window.page.refresh()
    assert len(fits) == 1
    assert panel.text == "00.0"
    monkeypatch.setattr("explorer.ui.page.QGuiApplication.mouseButtons", lambda: Qt.MouseButton.NoButton)
    window.page.end()
    assert panel.text == "00"
    assert panel.view.written()[0][0] == "12"
    assert faults(window) == []
