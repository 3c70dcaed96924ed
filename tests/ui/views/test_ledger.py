"""A ledger: figures that open their arithmetic, by pointer and by keyboard, and copy with every digit."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QFontMetrics, QGuiApplication
from pytestqt.qtbot import QtBot

from explorer.ui.views.ledger import LedgerView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle


def ledger_of(window: MainWindow) -> LedgerView:
    view = window.page.findChild(LedgerView, "table_frame")
    assert view is not None
    return view


def center(view: LedgerView, row: int, column: int) -> QPoint:
    return view.table.cell_rect(row, column).center()


def test_a_click_pins_the_trace_of_a_figure_and_outlines_it(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    view = ledger_of(window)
    qtbot.mouseClick(view.table.viewport(), Qt.MouseButton.LeftButton, pos=center(view, 0, 1))
    settle(window)
    assert window.workbench.view("cost").pinned == ("prefill_attention_flops", (0,))
    assert "1,024 × 1,025 ÷ 2 = 275,146,342,400" in window.page.strip.plain_text()
    assert ("prefill_attention_flops", (0,)) in view.lit


def test_pointing_at_a_figure_previews_its_trace(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    view = ledger_of(window)
    qtbot.mouseMove(view.table.viewport(), center(view, 3, 3) + QPoint(1, 0))
    qtbot.mouseMove(view.table.viewport(), center(view, 3, 3))
    assert "131,072" in window.page.strip.plain_text()
    assert "68,719,476,736" in window.page.strip.plain_text()
    view.table.leaveEvent(None)
    assert "17,594,333,528,064" in window.page.strip.plain_text()


def test_the_keyboard_walks_the_figures_and_pins(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    table = ledger_of(window).table
    table.setFocus(Qt.FocusReason.TabFocusReason)
    assert (table.currentIndex().row(), table.currentIndex().column()) == (0, 1)
    for _ in range(2):
        qtbot.keyClick(table, Qt.Key.Key_Down)
    qtbot.keyClick(table, Qt.Key.Key_Right)
    qtbot.keyClick(table, Qt.Key.Key_Return)
    assert window.workbench.view("cost").pinned == ("prefill_weight_flops", (2,))


def test_a_screen_reader_hears_heading_and_figure(make_window: MakeWindow) -> None:
    model = ledger_of(make_window("cost")).table.entries
    index = model.index(0, 2)
    assert model.data(index, Qt.ItemDataRole.AccessibleTextRole) == "prefill matrices: 16.4 TFLOP"
    assert model.data(index, Qt.ItemDataRole.EditRole) == 1.6384e13
    assert model.headerData(5, Qt.Orientation.Horizontal) == "cache kept"


def test_the_whole_table_is_copied_with_headings_and_every_digit(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    table = ledger_of(window).table
    table.setFocus()
    table.selectAll()
    qtbot.keyClick(table, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
    assert lines[0][:2] == ["context tokens", "prefill attention"]
    assert lines[1][:3] == ["1024", "275146342400", "16384000000000"]
    assert len(lines) == 5


def test_a_selection_is_copied_alone_and_what_is_not_known_is_empty(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window("cost")
    table = ledger_of(window).table
    table.setFocus()
    qtbot.keyClick(table, Qt.Key.Key_Left)
    qtbot.keyClick(table, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert table.copied() == "1024\t275146342400"
    window.workbench.set_control("cost", "model", "DeepSeek V4 Flash")
    settle(window)
    assert table.copied().split("\t") == ["1024", ""]
    tip = table.entries.data(table.entries.index(0, 2), Qt.ItemDataRole.ToolTipRole)
    assert tip.startswith("The parameters of deepseek_v4 are not known")


def test_no_figure_is_wider_than_its_column(make_window: MakeWindow) -> None:
    window = make_window("cost")
    for model in ("lesson", "DeepSeek V3", "GPT-2"):
        window.workbench.set_control("cost", "model", model)
        settle(window)
        table = ledger_of(window).table
        metrics = QFontMetrics(window.theme.font(13, bold=True))
        for column in range(table.entries.columnCount()):
            for row in range(table.entries.rowCount()):
                text = table.entries.data(table.entries.index(row, column))
                assert metrics.horizontalAdvance(text) < table.columnWidth(column)


def test_columns_that_do_not_fit_are_left_out_from_the_right(make_window: MakeWindow) -> None:
    window = make_window("cost", present=True, size=(1920, 1080))
    view = ledger_of(window)
    view.setFixedWidth(view.table.columnWidth(0) * 5)
    settle(window)
    hidden = [view.table.isColumnHidden(column) for column in range(view.table.entries.columnCount())]
    assert hidden == sorted(hidden)
    assert not hidden[0]
    assert hidden[-1]


def test_a_presentation_shows_the_whole_table_or_none_of_it(make_window: MakeWindow) -> None:
    window = make_window("cost", present=True, size=(1280, 720))
    assert ledger_of(window).height() <= 1
    for size in ((1366, 768), (1440, 900), (1920, 1080), (1920, 1500), (2560, 1440)):
        window.resize(*size)
        settle(window)
        view = ledger_of(window)
        assert window.page.stage.verticalScrollBar().maximum() == 0, size
        assert view.height() <= 1 or view.table.verticalScrollBar().maximum() == 0, size
