"""Stacked bars: each head's part where it belongs, the sum across it, and what is lost as a hollow part."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QPoint, Qt
from pytestqt.qtbot import QtBot

from explorer.concepts.shown.stack import Stack
from explorer.ui.views.stack import Bars, StackView, scale_for
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle

NINE = "multi-head"


def stack_of(values: np.ndarray, counts: list[bool]) -> Stack:
    total = np.where(np.array(counts)[:, None], values, 0.0).sum(axis=0)
    names = tuple(f"head {h}" for h in range(len(values)))
    return Stack("contributions", 0, values, names, np.array(counts), total, "output[0]", "output")


def view_of(window: MainWindow) -> StackView:
    view = window.page.findChild(StackView, "contributions")
    assert view is not None
    return view


@given(st.integers(0, 2**32 - 1), st.integers(1, 8), st.integers(1, 6), st.data())
def test_the_parts_of_a_column_lie_end_to_end_and_reach_the_sum(
    seed: int, parts: int, columns: int, data: st.DataObject
) -> None:
    values = np.random.default_rng(seed).standard_normal((parts, columns))
    counts = data.draw(st.lists(st.booleans(), min_size=parts, max_size=parts))
    stack = stack_of(values, counts)
    bars = Bars(stack)
    assert np.allclose(bars.high - bars.low, np.abs(values))
    assert ((bars.low >= -1e-12) == (values > 0)).all()
    kept = np.array(counts)
    reach = (bars.high[kept].max(axis=0, initial=0.0) + bars.low[kept].min(axis=0, initial=0.0)) if kept.any() else 0
    assert np.allclose(reach, stack.total)
    for column in range(columns):
        pieces = sorted((bars.low[p, column], bars.high[p, column]) for p in range(parts))
        assert all(a[1] <= b[0] + 1e-12 for a, b in itertools.pairwise(pieces))
    assert bars.top >= max(bars.high.max(), -bars.low.min(), np.abs(stack.total).max()) - 1e-12


@pytest.mark.parametrize(
    ("extent", "end"), [(0.0, 1), (0.9, 1), (1.2, 1.5), (3.54, 4), (7, 8), (9, 10), (0.011, 0.015)]
)
def test_the_scale_ends_at_a_round_number_above(extent: float, end: float) -> None:
    assert scale_for(extent) == pytest.approx(end)


def test_pointing_at_a_part_shows_where_it_comes_from(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(NINE)
    view = view_of(window)
    for part, column in ((0, 0), (1, 6)):
        center = view.visualRect(view.model().index(part, column)).center()
        qtbot.mouseMove(view.viewport(), center + QPoint(1, 0))
        qtbot.mouseMove(view.viewport(), center)
        assert f"contributions[3, {column}] · down (3), head {part}" in window.page.strip.plain_text()
        assert (part, column) in view.look.lit
    qtbot.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, pos=center)
    assert window.workbench.view(NINE).pinned == ("contributions", (1, 3, 6))


def test_the_model_holds_the_contributions_of_the_chosen_token(make_window: MakeWindow) -> None:
    window = make_window(NINE)
    window.workbench.set_control(NINE, "token", 1)
    settle(window)
    view, parts = view_of(window), window.workbench.results(NINE)["contributions"]
    for h, column in ((0, 0), (1, 7)):
        index = view.model().index(h, column)
        assert index.data(Qt.ItemDataRole.EditRole) == float(parts[h, 1, column])
        assert f"head {h}" in index.data(Qt.ItemDataRole.AccessibleTextRole)


def test_a_head_that_is_off_is_told_as_such(make_window: MakeWindow) -> None:
    window = make_window(NINE)
    window.workbench.edit(NINE, "heads_on", [(1,)], [False])
    settle(window)
    assert view_of(window).matrix_model().row_names == ("head 0", "head 1, off")


def test_the_keys_go_from_part_to_part(qtbot: QtBot, make_window: MakeWindow) -> None:
    window = make_window(NINE)
    view = view_of(window)
    view.setFocus()
    view.setCurrentIndex(view.model().index(0, 0))
    qtbot.keyClick(view, Qt.Key.Key_Right)
    qtbot.keyClick(view, Qt.Key.Key_Down)
    assert (view.currentIndex().row(), view.currentIndex().column()) == (1, 1)
    qtbot.keyClick(view, Qt.Key.Key_Return)
    assert window.workbench.view(NINE).pinned == ("contributions", (1, 3, 1))


def test_nothing_is_drawn_before_its_step(make_window: MakeWindow) -> None:
    window = make_window(NINE)
    window.workbench.set_view(NINE, step=0)
    settle(window)
    assert not view_of(window).reached
    window.workbench.set_view(NINE, step=-1)
    settle(window)
    assert view_of(window).reached


def test_its_menu_opens(make_window: MakeWindow) -> None:
    from explorer.ui.matrix_menu import build_menu

    window = make_window(NINE)
    menu = build_menu(window.page, "contributions", [(1, 3, 6)])
    assert [action.text() for action in menu.actions() if action.text().startswith("Copy")]
    menu.actions()[-1].trigger()
    assert window.workbench.view(NINE).pinned == ("contributions", (1, 3, 6))
    menu.deleteLater()
