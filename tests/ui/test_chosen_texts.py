"""Texts that are chosen from a list, files that are opened or dropped, and controls in drawers."""

import json
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QSlider, QSpinBox
from pytestqt.qtbot import QtBot

from explorer.ui.chooser import Chooser
from explorer.ui.drawers import DrawerButton
from explorer.ui.window import MainWindow
from tests.ui.asking import choose
from tests.ui.conftest import MakeWindow, settle

CONFIG = {
    "model_type": "llama",
    "hidden_size": 512,
    "num_hidden_layers": 6,
    "num_attention_heads": 8,
    "num_key_value_heads": 2,
    "intermediate_size": 1024,
    "vocab_size": 1000,
}


def chooser_of(window: MainWindow) -> Chooser:
    found = window.page.bar.findChild(Chooser, "control_model")
    assert found is not None
    return found


def drawer_of(window: MainWindow, name: str) -> DrawerButton:
    found = window.page.bar.findChild(DrawerButton, f"drawer_{name}")
    assert found is not None
    return found


def model_of(window: MainWindow) -> str:
    return str(window.workbench.state("cost").controls["model"])


def drop(window: MainWindow, *paths: Path) -> bool:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    copy, left, none = Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    enters = QDragEnterEvent(QPoint(300, 300), copy, data, left, none)
    enters.ignore()
    QApplication.sendEvent(window, enters)
    if enters.isAccepted():
        QApplication.sendEvent(window, QDropEvent(QPointF(300, 300), copy, data, left, none))
        QApplication.processEvents()
    return enters.isAccepted()


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "config.json"
    path.write_text(json.dumps(CONFIG))
    return path


# ------------------------------------------------------------------------------------------------------------ list


def test_a_model_is_found_by_words_and_taken_with_enter(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    chooser = chooser_of(window)
    assert chooser.text().startswith("The lesson’s 8 B shape")
    chooser.open()
    assert chooser.list.count() == 164
    qtbot.keyClicks(chooser.search, "qwen3 8b")
    assert chooser.list.item(0).text() == "Qwen3 8B"
    qtbot.keyClick(chooser.search, Qt.Key.Key_Return)
    assert not chooser.popup.isVisible()
    assert model_of(window) == "Qwen3 8B"
    assert chooser.text().startswith("Qwen3 8B")
    assert window.workbench.undo_label == "change model"


def test_the_arrow_keys_walk_the_list_from_the_search(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    chooser = chooser_of(window)
    chooser.open()
    qtbot.keyClicks(chooser.search, "gemma 3")
    qtbot.keyClick(chooser.search, Qt.Key.Key_Down)
    wanted = chooser.list.item(1).text()
    qtbot.keyClick(chooser.search, Qt.Key.Key_Return)
    assert model_of(window) == wanted


def test_what_matches_nothing_changes_nothing(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    chooser = chooser_of(window)
    chooser.open()
    qtbot.keyClicks(chooser.search, "qqqq")
    assert chooser.list.count() == 0
    qtbot.keyClick(chooser.search, Qt.Key.Key_Return)
    assert model_of(window) == "lesson"
    chooser.popup.close()


# ------------------------------------------------------------------------------------------------------------ files


def test_a_path_that_is_typed_is_offered(qtbot: QtBot, make_window: MakeWindow, config: Path) -> None:
    window = make_window("cost")
    chooser = chooser_of(window)
    chooser.open()
    chooser.search.setText(str(config))
    assert chooser.list.item(0).text() == "Open config.json"
    qtbot.keyClick(chooser.search, Qt.Key.Key_Return)
    assert json.loads(model_of(window))["layers"] == [[0, 6]]
    assert str(config.parent) not in model_of(window)


def test_a_file_is_opened_by_the_button(make_window: MakeWindow, config: Path) -> None:
    window = make_window("cost")
    chooser = chooser_of(window)
    chooser.open()
    chooser.open_file.click()
    choose(window, config)
    assert window.workbench.state("cost").controls["n_layer"] == 6
    assert window.workbench.state("cost").controls["n_head_kv"] == 2


def test_a_file_dropped_on_any_tab_goes_where_it_can_be_read(make_window: MakeWindow, config: Path) -> None:
    window = make_window("full-attention")
    assert drop(window, config)
    assert window.workbench.current == "cost"
    assert window.workbench.state("cost").controls["n_layer"] == 6
    window.undo()
    assert model_of(window) == "lesson"


def test_several_files_at_once_are_not_taken(make_window: MakeWindow, config: Path) -> None:
    window = make_window("cost")
    assert not drop(window, config, config)
    assert model_of(window) == "lesson"


def test_only_files_whose_name_says_that_they_hold_a_shape_go_to_a_control(make_window: MakeWindow) -> None:
    window = make_window("full-attention")
    assert window.file_drop.taker(Path("Config.JSON")) == ("cost", "model")
    assert window.file_drop.taker(Path("model.gguf")) == ("cost", "model")
    assert window.file_drop.taker(Path("weights.npy")) is None


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("config.json", b"{", "is not JSON"),
        ("config.json", b"<<<<<<< HEAD\n", "merge-conflict mark"),
        ("config.json", b"[" * 20_000, "nests more than"),
        ("model.gguf", b"outputs:", "is not a GGUF file"),
        ("model.gguf", b"GGUF\x03\0\0\0" + b"\xff" * 16, ""),
        ("config.json", b'{"model_type": "llama", "num_hidden_layers": "many"}', "num_hidden_layers"),
    ],
)
def test_a_file_of_no_use_is_refused_in_one_sentence_beside_the_controls(
    make_window: MakeWindow, tmp_path: Path, name: str, content: bytes, said: str
) -> None:
    window = make_window("cost")
    path = tmp_path / name
    path.write_bytes(content)
    assert drop(window, path)
    assert window.page.bubble.isVisible()
    assert said in window.page.bubble.text()
    assert "\n" not in window.page.bubble.text()
    assert model_of(window) == "lesson"


# ---------------------------------------------------------------------------------------------------------- drawers


def test_a_drawers_controls_work_as_those_in_the_bar_do(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    drawer = drawer_of(window, "shape")
    drawer.click()
    box = drawer.bar.findChild(QSpinBox, "control_n_head_kv")
    assert box is not None
    assert box.value() == 8
    box.stepUp()
    assert window.workbench.state("cost").controls["n_head_kv"] == 16
    assert drawer.toolTip() == "32 · 32 · 16 · 128"
    box.setValue(5)
    assert window.workbench.state("cost").controls["n_head_kv"] == 16
    assert box.value() == 16
    assert drawer.refuse("") is True
    drawer.popup.close()
    assert drawer.refuse("") is False


def test_a_drawer_that_is_opened_late_shows_what_was_set_and_how_it_looks_by_then(make_window: MakeWindow) -> None:
    window = make_window("cost")
    window.workbench.set_control("cost", "n_head_kv", 16)
    window.set_scale(150)
    settle(window)
    assert window.findChildren(QSpinBox, "control_n_head_kv") == []
    drawer = drawer_of(window, "shape")
    drawer.click()
    box = window.findChild(QSpinBox, "control_n_head_kv")
    assert box is not None
    assert (box.value(), drawer.bar.theme) == (16, window.theme)
    drawer.popup.close()


def test_a_refusal_is_said_in_the_drawer_that_is_open(make_window: MakeWindow) -> None:
    from PySide6.QtWidgets import QLabel

    window = make_window("cost")
    drawer = drawer_of(window, "shape")
    drawer.click()
    box = drawer.bar.findChild(QSpinBox, "control_n_head_kv")
    assert box is not None
    box.setValue(7)
    said = [label.text() for label in drawer.popup.findChildren(QLabel) if label.isVisible()]
    assert "32 query heads cannot share 7 KV heads; n_head_kv may be 1, 2, 4, 8, 16 or 32" in said
    assert not window.page.bubble.isVisible()
    drawer.popup.close()


def test_a_slider_in_a_drawer_is_one_step_of_undo(make_window: MakeWindow) -> None:
    window = make_window("cost")
    drawer = drawer_of(window, "cache")
    drawer.click()
    slider = drawer.bar.findChild(QSlider, "control_batch")
    assert slider is not None
    slider.setSliderDown(True)
    for place in range(0, 1000, 50):
        slider.setValue(place)
    slider.setSliderDown(False)
    drawer.popup.close()
    settle(window)
    assert window.workbench.state("cost").controls["batch"] > 1
    window.undo()
    assert not window.workbench.edited("cost")


def test_labels_of_a_drawer_stand_below_one_another(make_window: MakeWindow) -> None:
    window = make_window("cost")
    drawer = drawer_of(window, "shape")
    drawer.click()
    boxes = drawer.bar.findChildren(QSpinBox)
    lefts = {box.mapTo(drawer.popup, QPoint(0, 0)).x() for box in boxes}
    assert len(lefts) == 1
    drawer.popup.close()


def test_popups_stay_on_the_screen(make_window: MakeWindow) -> None:
    window = make_window("cost")
    for name in ("shape", "cache", "count", "machine"):
        drawer = drawer_of(window, name)
        drawer.click()
        assert window.screen().availableGeometry().contains(drawer.popup.geometry())
        drawer.popup.close()


def test_options_without_room_beside_each_other_become_a_list(make_window: MakeWindow) -> None:
    from explorer.ui.segments import Segments

    window = make_window("cost")
    box = window.page.bar.findChild(Segments, "control_view")
    assert box is not None
    assert not box.list.isVisible()
    window.set_scale(300)
    settle(window)
    assert box.list.isVisible()
    assert window.page.bar.width() <= window.page.scroller.viewport().width()
    box.list.activated.emit(box.list.findData("cache"))
    assert window.workbench.state("cost").controls["view"] == "cache"
    window.set_scale(100)
    settle(window)
    assert not box.list.isVisible()
    assert box.buttons["cache"].isChecked()
