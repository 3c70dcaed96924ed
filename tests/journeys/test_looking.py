"""Looking at a tab as a person does: hover, pin, follow links, step, change theme and scale, go from tab to tab."""

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from explorer.concepts import all_concepts
from explorer.ui.matrix_view import MatrixView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

SEVEN = "full-attention"


def cell_center(view: MatrixView, row: int, column: int) -> QPoint:
    return view.visualRect(view.model().index(row, column)).center()


def view_of(window: MainWindow, name: str) -> MatrixView:
    view = window.page.findChild(MatrixView, name)
    assert view is not None
    return view


def hover(qtbot: QtBot, view: MatrixView, row: int, column: int) -> None:
    center = cell_center(view, row, column)
    qtbot.mouseMove(view.viewport(), center + QPoint(1, 1))
    qtbot.mouseMove(view.viewport(), center)


def test_hovering_a_cell_lights_its_operands_and_dims_the_rest(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    weights, q, x = (view_of(window, name) for name in ("output", "weights", "x"))
    hover(qtbot, weights, 3, 0)
    assert q.look.lit == {(3, j) for j in range(4)}
    assert x.look.lit == frozenset()
    assert x.look.dim
    assert q.look.dim


def test_the_substituted_arithmetic_reproduces_the_result_with_the_digits_it_prints(make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    window.page.follow("scores", (2, 1))
    text = window.page.strip.plain_text()
    assert "−0.164 × 0.642 + 0.594 × 0.862 = 0.407" in text
    assert round(-0.164 * 0.642 + 0.594 * 0.862, 3) == 0.407


def test_a_click_pins_and_every_operand_leads_up_to_a_typed_cell(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    output = view_of(window, "output")
    qtbot.mouseClick(output.viewport(), Qt.MouseButton.LeftButton, pos=cell_center(output, 3, 1))
    assert window.workbench.view(SEVEN).pinned == ("output", (3, 1))
    inputs = {one.name for one in window.page.concept.inputs}
    seen = []
    for _ in range(12):
        name = window.workbench.view(SEVEN).pinned[0]
        seen.append(name)
        if name in inputs:
            break
        links = [
            (rect, cell) for rect, cell in window.page.strip.links() if cell != window.workbench.view(SEVEN).pinned
        ]
        rect, cell = links[0]
        qtbot.mouseClick(window.page.strip, Qt.MouseButton.LeftButton, pos=rect.center())
        settle(window)
        assert window.workbench.view(SEVEN).pinned == cell
    assert seen[-1] in inputs, seen


def test_the_links_of_the_trace_can_be_walked_with_keys(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    strip = window.page.strip
    strip.setFocus()
    qtbot.keyClick(strip, Qt.Key.Key_Right)
    first = strip.links()[0][1]
    qtbot.keyClick(strip, Qt.Key.Key_Return)
    assert window.workbench.view(SEVEN).pinned == first


def test_steps_show_nothing_that_has_not_been_reached(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    steps = window.topbar.steps
    steps.go_first()
    settle(window)
    assert view_of(window, "scores").isVisible()
    assert not view_of(window, "weights").isVisible()
    assert view_of(window, "output").look.reached == 0
    shown = []
    for _ in range(4):
        steps.go_next()
        settle(window)
        shown.append([name for name in ("scores", "scaled", "masked", "weights") if view_of(window, name).isVisible()])
    assert shown == [["scaled"], ["masked"], ["weights"], ["weights"]]
    assert view_of(window, "output").look.reached is None


def test_row_by_row_a_row_is_finished_before_the_next_begins(make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    steps = window.topbar.steps
    steps.toggle_rows()
    steps.go_first()
    for _ in range(6):
        steps.go_next()
    settle(window)
    assert view_of(window, "scaled").look.reached == 2
    assert view_of(window, "output").look.reached == 1


def test_playing_reaches_the_end_and_stops(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    steps = window.topbar.steps
    window.workbench.set_view(SEVEN, speed=4.0)
    steps.toggle_play()
    assert steps.playing
    assert window.workbench.view(SEVEN).step == 0
    qtbot.waitUntil(lambda: not steps.playing, timeout=10_000)
    assert window.workbench.view(SEVEN).step == -1


def test_changed_cells_are_outlined_and_a_key_shows_signed_differences(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    before = np.array(view_of(window, "weights").values)
    window.workbench.edit(SEVEN, "x", [(3, 0)], [3.0])
    window.page.refresh()
    weights = view_of(window, "weights")
    assert weights.look.changed == {(3, j) for j in range(4)}
    window.action("differences").trigger()
    assert np.array_equal(weights.values, window.workbench.results(SEVEN)["weights"] - before)
    assert weights.written()[3][0].startswith(("+", "−"))
    window.action("differences").trigger()
    assert np.array_equal(weights.values, window.workbench.results(SEVEN)["weights"])


def test_undo_names_the_cell_in_the_menu(make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    window.workbench.edit(SEVEN, "Wq", [(2, 0)], [9.0])
    assert window.action("undo").text().replace("&", "") == "Undo edit Wq[2, 0]"
    window.undo()
    assert window.action("redo").text().replace("&", "") == "Redo edit Wq[2, 0]"
    assert not window.action("undo").isEnabled()


def test_the_keys_go_from_tab_to_tab_and_every_tab_keeps_its_state(qtbot: QtBot, make_window: MakeWindow) -> None:
    slugs = [concept.slug for concept in all_concepts()]
    window = make_window(slugs[0])
    if len(slugs) > 1:
        window.action("tab_next").trigger()
        assert window.workbench.current == slugs[1]
        window.action("tab_previous").trigger()
    window.workbench.show(SEVEN)
    window.workbench.edit(SEVEN, "x", [(0, 0)], [5.0])
    window.workbench.set_view(SEVEN, step=2)
    window.workbench.show(slugs[0])
    window.workbench.show(SEVEN)
    assert window.workbench.view(SEVEN).step == 2
    assert float(view_of(window, "x").values[0, 0]) == 5.0
    assert window.rail.edited(SEVEN)


@pytest.mark.parametrize("percent", [80, 100, 200, 300])
def test_scaling_scales_everything(make_window: MakeWindow, percent: int) -> None:
    window = make_window(SEVEN)
    window.set_scale(percent)
    settle(window)
    assert window.theme.percent == percent
    label = next(w for w in window.page.findChildren(QLabel) if w.text() == "tokens")
    assert label.font().pixelSize() == round(13 * percent / 100)
    assert view_of(window, "x").look.font_px >= round(12 * percent / 100)


def test_settings_are_remembered_and_a_corrupt_file_does_not_stop_the_start(
    make_window: MakeWindow, own_home: object
) -> None:
    window = make_window(SEVEN)
    window.set_theme_name("contrast")
    window.set_scale(125)
    again = MakeSettings()
    assert (again.theme, again.percent) == ("contrast", 125)
    file = again.path()
    for garbage in (b"\x00\xff[[[=", b"[General]\ntheme=@Variant(\\0\\0\\0)\nscale=abc\ngeometry=%%%\n", b""):
        file.write_bytes(garbage)
        damaged = MakeSettings()
        assert damaged.theme in {"light", "dark", "contrast"}
        assert 80 <= damaged.percent <= 300
        assert isinstance(damaged.tab, str)


def MakeSettings():
    from explorer.ui.settings import Settings

    return Settings()


def test_decode_keeps_keys_and_values_and_counts_what_the_cache_saves(make_window: MakeWindow) -> None:
    window = make_window(SEVEN)
    window.workbench.set_control(SEVEN, "decode", True)
    settle(window)
    panels = {name: window.page.panels(name)[0] for name in ("q", "k", "v", "weights", "output")}
    assert panels["k"].marks.kept == panels["v"].marks.kept == {0, 1, 2}
    assert panels["q"].marks.faded == {0, 1, 2}
    assert panels["weights"].view.look.blank == panels["output"].view.look.blank == {0, 1, 2}
    tiles = window.page.findChild(object, "cost").tiles
    n, d_model, d_head = 4, 4, 2
    cached = d_model * 3 * d_head + 2 * n * d_head
    whole = n * d_model * 3 * d_head + 2 * (n * (n + 1) // 2) * d_head
    assert [tile.value for tile in tiles] == [f"{cached:,}", f"{whole:,}"]
