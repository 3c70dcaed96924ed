"""Tab 12 as it is used: one cursor for all curves, gestures that undo at once, a plot that knows why it is empty."""

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from explorer.ui.curves import CurvesView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults

MODELS = ("Gemma 3 12B", "DeepSeek V4 Flash", "Nemotron H 56B", "OpenELM 1.1B", "Falcon Mamba 7B", "T5 Base")


def plot_of(window: MainWindow) -> CurvesView:
    view = window.page.findChild(CurvesView, "plot")
    assert view is not None
    return view


def context(window: MainWindow) -> float:
    return float(window.workbench.state("cost").controls["context"])


def test_the_cursor_reads_every_curve_exactly(make_window: MakeWindow) -> None:
    view = plot_of(make_window("cost"))
    assert view.readings() == [
        ("prefill matrices", "131.1 TFLOP"),
        ("decode matrices", "16 GFLOP"),
        ("prefill attention, all three", "17.59 TFLOP"),
        ("decode attention, all three", "4.29 GFLOP"),
    ]


def test_dragging_the_cursor_chooses_a_context_in_one_step(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    view = plot_of(window)
    inside = view.inside()
    middle = int(inside.center().y())
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=QPoint(int(inside.left()) + 50, middle))
    for x in (80, 140, 260):
        qtbot.mouseMove(view, QPoint(int(inside.left()) + x, middle))
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=QPoint(int(inside.left()) + 260, middle))
    settle(window)
    chosen = context(window)
    assert chosen == round(chosen) != 8192
    window.undo()
    assert context(window) == 8192
    assert not window.workbench.edited("cost")


def test_the_keyboard_moves_the_cursor(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    view = plot_of(window)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert context(window) > 8192
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert context(window) == 10_000_000
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert context(window) == 1


def test_a_roofline_has_no_cursor_that_could_be_taken_for_a_context(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    window.workbench.set_control("cost", "view", "roofline")
    settle(window)
    view = plot_of(window)
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=view.inside().center().toPoint())
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert context(window) == 8192
    assert view.cursor_at is None


def test_curves_are_copied_with_every_digit(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    view = plot_of(window)
    view.setFocus()
    qtbot.keyClick(view, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = QGuiApplication.clipboard().text().splitlines()
    assert lines[0].split("\t")[0] == "context, tokens"
    assert lines[1].split("\t")[:2] == ["1", "16000000000"]


def test_moving_the_cursor_draws_no_curve_anew(make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch) -> None:
    window = make_window("cost")
    view = plot_of(window)
    drawn = []
    monkeypatch.setattr(view.graph, "show_plot", drawn.append)
    window.workbench.set_control("cost", "context", 30_000)
    settle(window)
    assert not drawn
    window.workbench.set_control("cost", "batch", 2)
    settle(window)
    assert drawn


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("size", [(1280, 720), (1920, 1080)])
def test_every_kind_of_model_fits_in_every_view(make_window: MakeWindow, model: str, size: tuple[int, int]) -> None:
    window = make_window("cost", size=size)
    window.workbench.set_control("cost", "model", model)
    for view in ("flops", "generation", "cache", "bytes", "roofline"):
        window.workbench.set_control("cost", "view", view)
        settle(window)
        assert faults(window) == [], view
        for bar in (window.page.stage.verticalScrollBar(), window.page.stage.horizontalScrollBar()):
            assert bar.maximum() == 0, view


@pytest.mark.parametrize("model", ["DeepSeek V3.2", "Qwen3 Next 80B A3B", "MPT 7B", "Falcon 7B"])
def test_no_label_of_a_roofline_leaves_the_plot(make_window: MakeWindow, model: str) -> None:
    window = make_window("cost", present=True)
    window.workbench.set_control("cost", "model", model)
    window.workbench.set_control("cost", "view", "roofline")
    settle(window)
    view = plot_of(window)
    view.grab()
    labels = view.overlay.labels()
    assert len(labels) >= 4
    assert all(view.inside().contains(label) for label in labels)


def test_an_empty_plot_says_why(make_window: MakeWindow) -> None:
    window = make_window("cost")
    window.workbench.set_control("cost", "model", "DeepSeek V4 Flash")
    settle(window)
    view = plot_of(window)
    assert view.plot is not None
    assert view.plot.empty
    assert "are not known" in view.accessibleDescription()


def test_a_key_goes_from_plot_to_plot_also_in_a_presentation(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost", present=True)
    seen = []
    for _ in range(5):
        qtbot.keyClick(window, Qt.Key.Key_G)
        settle(window)
        assert faults(window) == []
        seen.append(window.workbench.state("cost").controls["view"])
    assert seen == ["generation", "cache", "bytes", "roofline", "flops"]
