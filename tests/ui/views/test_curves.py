"""Curves and histograms: what the cursor reads, by pointer and by key; ranges that stand; every theme and scale."""

import gc
import subprocess
import sys
import weakref
from itertools import pairwise

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication, QEvent, QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QFontMetrics, QImage, QPainter, QWheelEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from explorer.concepts.declaration import Custom
from explorer.concepts.shown.plots import Band, Bars, Crossing, Line, Plot, Scale, Series
from explorer.ui import theme as themes
from explorer.ui.curves import CurvesView
from explorer.ui.views import curves as curves_kind
from explorer.ui.views import histogram as histogram_kind
from tests.ui.conftest import settle

X = np.linspace(1, 1000, 200)


class Host:
    """What a page is to a view: it keeps a control, and counts gestures."""

    def __init__(self) -> None:
        self.set: list[tuple[str, float]] = []
        self.gestures: list[str] = []

    def set_control(self, name: str, value: float) -> None:
        self.set.append((name, value))

    def begin(self, label: str) -> None:
        self.gestures.append(f"begin {label}")

    def end(self) -> None:
        self.gestures.append("end")


def cost(**changes: object) -> Plot:
    """Return two curves that cross, over logarithmic axes."""
    parts = {
        "x": Scale("tokens", 1.0, 1000.0, logarithmic=True),
        "y": Scale("FLOPs", 1.0, 1e6, logarithmic=True),
        "series": (
            Series("square", X, X**2, "query", at=lambda x: x * x),
            Series("linear", X, 100 * X, "value", "dashed", at=lambda x: 100 * x),
        ),
        "lines": (Line(50.0, "context"), Line(1e5, "budget", vertical=False, role="bad")),
        "crossings": (Crossing(100.0, 1e4, "equal at 100"),),
        "title": "cost",
        "note": "of one layer",
        "snap": lambda x: float(round(x)),
    }
    return Plot(**{**parts, **changes})  # type: ignore[arg-type]


def bars() -> Plot:
    return Plot(
        Scale("score", -2.0, 2.0),
        Scale("", 0.0, 1.0, shown=False),
        bars=(Bars("drawn", np.linspace(-2, 2, 9), np.linspace(0.1, 0.8, 8)),),
        series=(Series("density", np.linspace(-2, 2, 50), np.full(50, 0.4), "text"),),
        bands=(Band(-1.0, 1.0, "±1"),),
    )


def shown(
    qtbot: QtBot, plot: Plot, *, kind=curves_kind, theme="light", percent=100, present=False, **options
) -> CurvesView:
    view = kind.make(
        Custom(kind.__name__, "plot", lambda *_: plot, options), Host(), themes.make(theme, percent, present)
    )
    qtbot.addWidget(view)
    view.show_model(plot)
    view.resize(round(480 * percent / 100), round(300 * percent / 100))
    view.show()
    qtbot.waitExposed(view)
    return view


def at(view: CurvesView, x: float, y_share: float = 0.5) -> QPoint:
    """Return the pixel of a value on the x axis."""
    assert view.plot is not None
    inside = view.inside()
    return QPoint(
        round(inside.left() + view.plot.x.share(x) * inside.width()), round(inside.bottom() - y_share * inside.height())
    )


# --- the cursor ---


def test_the_pointer_reads_every_curve_and_a_click_leaves_the_cursor(qtbot: QtBot) -> None:
    view = shown(qtbot, cost())
    assert view.readings() == []
    qtbot.mouseMove(view, at(view, 100))
    qtbot.waitUntil(lambda: view.cursor_at is not None)
    read = view.cursor_at
    assert read == pytest.approx(100, rel=0.02)
    assert view.readings() == [("square", f"{read**2:.4g}"), ("linear", f"{100 * read:.4g}")]
    view.leaveEvent(None)
    assert view.cursor_at is None
    qtbot.mouseClick(view, Qt.MouseButton.LeftButton, pos=at(view, 10))
    view.leaveEvent(None)
    assert view.cursor_at == pytest.approx(10, abs=1)


def test_a_drag_takes_the_cursor_along(qtbot: QtBot) -> None:
    view = shown(qtbot, cost())
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=at(view, 10))
    for x in (20, 60, 200):
        qtbot.mouseMove(view, at(view, x))
    qtbot.waitUntil(lambda: view.cursor_at is not None and view.cursor_at > 150)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at(view, 200))
    view.leaveEvent(None)
    assert view.cursor_at == pytest.approx(200, rel=0.03)


def test_the_keyboard_moves_it_to_every_place_where_it_may_stand(qtbot: QtBot) -> None:
    view = shown(qtbot, cost())
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    assert view.cursor_at == 1
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.cursor_at == 2, "a hundredth of the axis is less than a token: the next whole one is taken"
    before = view.cursor_at
    qtbot.keyClick(view, Qt.Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert view.cursor_at == pytest.approx(before * 10**0.3, rel=0.3)
    qtbot.keyClick(view, Qt.Key.Key_End)
    assert view.cursor_at == 1000
    qtbot.keyClick(view, Qt.Key.Key_Right)
    assert view.cursor_at == 1000
    qtbot.keyClick(view, Qt.Key.Key_Left)
    assert view.cursor_at < 1000
    qtbot.keyClick(view, Qt.Key.Key_Delete)
    assert view.cursor_at is None


def test_a_histogram_is_read_bar_by_bar(qtbot: QtBot) -> None:
    view = shown(qtbot, bars(), kind=histogram_kind)
    view.setFocus(Qt.FocusReason.TabFocusReason)
    qtbot.keyClick(view, Qt.Key.Key_Home)
    seen = [view.cursor_at]
    for _ in range(7):
        qtbot.keyClick(view, Qt.Key.Key_Right)
        seen.append(view.cursor_at)
    assert seen == pytest.approx([-1.75, -1.25, -0.75, -0.25, 0.25, 0.75, 1.25, 1.75])
    assert view.readings() == [("drawn", "0.8"), ("density", "0.4")]


def test_a_cursor_that_is_a_control_is_the_tabs_and_one_drag_is_one_gesture(qtbot: QtBot) -> None:
    view = shown(qtbot, cost(cursor=20.0), cursor="context")
    host = view._host
    assert view.cursor_at == 20
    qtbot.mousePress(view, Qt.MouseButton.LeftButton, pos=at(view, 100))
    qtbot.mouseMove(view, at(view, 200))
    qtbot.waitUntil(lambda: len(host.set) == 2)
    qtbot.mouseRelease(view, Qt.MouseButton.LeftButton, pos=at(view, 200))
    assert host.gestures == ["begin move the cursor", "end"]
    assert {name for name, _ in host.set} == {"context"}
    view.show_model(cost(cursor=host.set[-1][1]))
    view.leaveEvent(None)
    assert view.cursor_at == host.set[-1][1]


def test_a_cursor_stays_on_the_axis_when_the_axis_changes(qtbot: QtBot) -> None:
    view = shown(qtbot, cost())
    view.leave_cursor(900.0)
    view.show_model(cost(x=Scale("tokens", 1.0, 500.0, logarithmic=True)))
    assert view.cursor_at == 500


def test_the_wheel_and_a_drag_never_move_the_ranges(qtbot: QtBot) -> None:
    view = shown(qtbot, cost())
    before = view.graph.box.viewRange()
    event = QWheelEvent(
        QPointF(at(view, 30)),
        QPointF(view.mapToGlobal(at(view, 30))),
        QPoint(0, 120),
        QPoint(0, 120),
        Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(view, event)
    qtbot.mousePress(view, Qt.MouseButton.RightButton, pos=at(view, 10))
    qtbot.mouseMove(view, at(view, 300))
    qtbot.mouseRelease(view, Qt.MouseButton.RightButton, pos=at(view, 300))
    view.show_model(cost(series=(Series("wild", X, X * 1e30, "bad"),)))
    assert view.graph.box.viewRange() == before == [[0, 1], [0, 1]]


# --- how it looks ---


def image(view: CurvesView) -> QImage:
    return view.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)


def colored(view: CurvesView, color: str, near: QPoint, reach: int = 6) -> bool:
    """Say whether a pixel of that colour lies near a place."""
    picture, wanted = image(view), themes.make("light").color(color).rgb()
    for dx in range(-reach, reach + 1):
        for dy in range(-reach, reach + 1):
            if picture.rect().contains(near + QPoint(dx, dy)) and picture.pixel(near + QPoint(dx, dy)) == wanted:
                return True
    return False


def test_curves_lie_where_their_values_are(qtbot: QtBot) -> None:
    view = shown(qtbot, cost(crossings=(), lines=()))
    assert colored(view, "query", at(view, 30, view.plot.y.share(900)))
    assert not colored(view, "query", at(view, 30, view.plot.y.share(90)))
    assert colored(view, "value", at(view, 30, view.plot.y.share(3000)), 12)


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
@pytest.mark.parametrize(("percent", "present"), [(100, False), (150, False), (300, False), (100, True)])
def test_labels_are_legible_and_do_not_lie_on_each_other(qtbot: QtBot, theme: str, percent: int, present: bool) -> None:
    view = shown(qtbot, cost(), theme=theme, percent=percent, present=present)
    look = view.theme
    for axis in view.graph.axes.values():
        assert axis.style["tickFont"].pixelSize() == look.text_px(12)
        assert axis.label.font().pixelSize() == look.text_px(12)
        assert axis.textPen().color() == look.color("muted")
    view.grab()
    placed = view.overlay.labels()
    assert len(placed) == 3
    for i, one in enumerate(placed):
        assert view.inside().adjusted(-1, -1, 1, 1).contains(one)
        assert not any(one.intersects(other) for other in placed[i + 1 :])
    places = view.key.places(view.plot, view.width())
    assert all(place.right() <= view.width() for place in places)
    assert not any(a.intersects(b) for i, a in enumerate(places) for b in places[i + 1 :])
    assert places[-1].bottom() < view.graph.y()


def test_a_point_says_less_where_its_whole_name_has_no_clear_place(qtbot: QtBot) -> None:
    named = Crossing(100.0, 1e4, "61,034 tokens in prefill", short="61,034")
    wide = shown(qtbot, cost(lines=(), crossings=(named,)))
    wide.grab()
    narrow = shown(qtbot, cost(lines=(), crossings=(named,)))
    narrow.resize(220, 200)
    narrow.grab()
    assert narrow.overlay.labels()[0].width() < wide.overlay.labels()[0].width()
    assert "61,034 tokens in prefill" in narrow.accessibleDescription()


def test_the_ends_of_an_axis_are_labelled_and_labels_never_run_into_one_another(qtbot: QtBot) -> None:
    ticks = tuple(10.0**power for power in range(4))
    view = shown(qtbot, cost(x=Scale("tokens", 1.0, 1000.0, logarithmic=True, ticks=ticks)))
    (level,) = view.graph.axes["bottom"]._tickLevels
    assert [text for _, text in level] == ["1", "10", "100", "1000"]
    metrics = QFontMetrics(view.theme.font(12))
    assert view.width() - view.inside().right() >= metrics.horizontalAdvance("1000") / 2
    view.resize(150, 300)
    view.grab()
    (level,) = view.graph.axes["bottom"]._tickLevels
    assert 1 <= len(level) < 4
    for a, b in pairwise(level):
        half = (metrics.horizontalAdvance(a[1]) + metrics.horizontalAdvance(b[1])) / 2
        assert (b[0] - a[0]) * view.inside().width() > half


def test_an_axis_with_longer_labels_gets_the_room_that_its_end_needs(qtbot: QtBot) -> None:
    short, long = (Scale("x", 0.0, end, ticks=(0.0, end)) for end in (1.0, 123456.0))
    view = shown(qtbot, cost(x=short, lines=(), crossings=(), snap=None))
    view.show_model(cost(x=long, lines=(), crossings=(), snap=None))
    view.grab()
    half = QFontMetrics(view.theme.font(12)).horizontalAdvance(long.written(123456.0)) / 2
    assert view.width() - view.inside().right() >= half


def test_a_curve_and_a_point_on_an_axis_are_seen_whole(qtbot: QtBot) -> None:
    axes = Scale("x", 0.0, 1.0), Scale("", 0.0, 1.0)
    edge = Series("edge", np.array([0.0, 1.0]), np.array([1.0, 1.0]), "query")
    dot = Series("dot", np.array([0.0]), np.array([0.5]), "value", "points")
    view = shown(qtbot, Plot(*axes, series=(edge, dot)))
    picture, top, left = image(view), at(view, 0.5, 1.0), at(view, 0.0, 0.5)
    wanted = view.theme.color("query").rgb()
    rows = [y for y in range(top.y() - 4, top.y() + 5) if picture.pixel(top.x(), y) == wanted]
    assert len(rows) == 2, "all of a line that is two pixels wide"
    value = view.theme.color("value").rgb()
    columns = [x for x in range(left.x() - 8, left.x() + 9) if picture.pixel(x, left.y()) == value]
    assert min(columns) < left.x() - 2 < left.x() + 2 < max(columns)


def test_dashes_of_curves_that_lie_on_one_another_alternate(qtbot: QtBot) -> None:
    x = np.array([1.0, 1000.0])
    one, other = (Series(role, x, np.array([1e3, 1e3]), role, "dashed") for role in ("query", "value"))
    view = shown(qtbot, cost(series=(one, other), lines=(), crossings=()))
    assert colored(view, "query", at(view, 30, 0.5), 12)
    assert colored(view, "value", at(view, 30, 0.5), 12)


def test_tick_labels_fit_their_axis(qtbot: QtBot) -> None:
    view = shown(qtbot, cost())
    metrics = QFontMetrics(view.theme.font(12))
    for name, room in (("bottom", view.inside().width()), ("left", view.inside().height())):
        (level,) = view.graph.axes[name]._tickLevels
        assert len(level) >= 3
        extents = [metrics.horizontalAdvance(text) if name == "bottom" else metrics.height() for _, text in level]
        apart = [(b[0] - a[0]) * room for a, b in pairwise(level)]
        assert min(apart) > max(extents) * 0.9
    widest = max(metrics.horizontalAdvance(text) for _, text in view.graph.axes["left"]._tickLevels[0])
    assert widest < view.inside().left()


def test_another_theme_and_scale_restyle_everything(qtbot: QtBot) -> None:
    view = shown(qtbot, bars())
    before = image(view)
    view.set_theme(themes.make("dark", 200))
    assert image(view) != before
    assert view.graph.axes["bottom"].style["tickFont"].pixelSize() == 24
    assert view.graph.axes["bottom"].textPen().color() == themes.make("dark").color("muted")
    view.set_theme(themes.make("light", 100))
    assert image(view) == before


def test_what_is_no_longer_there_is_not_drawn(qtbot: QtBot) -> None:
    view = shown(qtbot, bars())
    view.show_model(Plot(bars().x, bars().y))
    empty = image(view)
    fresh = shown(qtbot, Plot(bars().x, bars().y))
    assert empty == image(fresh)


def test_a_gap_in_a_curve_is_not_bridged_and_a_point_that_the_axis_cannot_hold_is_left_out(qtbot: QtBot) -> None:
    x = np.linspace(0.0, 1.0, 41)
    level = np.where((x > 0.4) & (x < 0.6), np.nan, 0.5)
    axes = Scale("x", 0.0, 1.0), Scale("", 0.0, 1.0)
    dots = Series("dots", np.array([0.1, 0.3, 0.9]), np.array([0.8, np.nan, np.inf]), "value", "points")
    view = shown(qtbot, Plot(*axes, series=(Series("level", x, level, "query"), dots)))
    assert colored(view, "query", at(view, 0.2, 0.5))
    assert colored(view, "query", at(view, 0.8, 0.5))
    assert not colored(view, "query", at(view, 0.5, 0.5))
    assert colored(view, "value", at(view, 0.1, 0.8))
    assert not colored(view, "value", at(view, 0.3, 0.5), 20)
    assert not colored(view, "value", at(view, 0.9, 0.9), 20)


def test_what_leaves_the_axes_is_cut_off(qtbot: QtBot) -> None:
    axes = Scale("x", 0.0, 1.0), Scale("", 0.0, 1.0, shown=False)
    tall = Bars("tall", np.array([0.25, 0.75]), np.array([9.0]), "value")
    steep = Series("steep", np.array([-3.0, 3.0]), np.array([-5.0, 6.0]), "query")
    view = shown(qtbot, Plot(*axes, series=(steep,), bars=(tall,)))
    picture, inside = image(view), view.inside().toRect().adjusted(-1, -1, 1, 1)
    ground = view.theme.color("stage").rgb()
    rows = range(view.key.height(view.plot, view.width()), inside.top() - 1)
    assert all(picture.pixel(x, y) == ground for y in rows for x in range(0, picture.width(), 2))
    assert picture.pixel(at(view, 0.5, 0.2)) != picture.pixel(at(view, 0.1, 0.9)) == ground


@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_bars_are_as_visible_on_a_band_as_beside_it(qtbot: QtBot, theme: str) -> None:
    view = shown(qtbot, bars(), theme=theme)
    picture = image(view)
    beside, band = (QColor(picture.pixel(at(view, x, 0.95))) for x in (-1.75, -0.8))
    bar, both = (QColor(picture.pixel(at(view, x, 0.04))) for x in (-1.75, -0.8))
    assert len({one.rgb() for one in (beside, band, bar, both)}) == 4
    for part in (QColor.red, QColor.green, QColor.blue):
        assert abs((part(beside) - part(bar)) - (part(band) - part(both))) <= 0.13 * 255


def test_it_prints_into_any_painter(qtbot: QtBot) -> None:
    view = shown(qtbot, cost())
    picture = QImage(view.size(), QImage.Format.Format_RGB32)
    picture.fill(Qt.GlobalColor.white)
    painter = QPainter(picture)
    view.render(painter, QPoint(0, 0))
    painter.end()
    colors = {picture.pixel(x, y) for x in range(0, picture.width(), 3) for y in range(0, picture.height(), 3)}
    assert len(colors) > 4


def test_it_is_described_to_who_cannot_see_it(qtbot: QtBot) -> None:
    view = shown(qtbot, cost())
    assert view.accessibleName() == "cost"
    said = view.accessibleDescription()
    for part in ("tokens from 1 to 1000", "FLOPs from 1 to 1e+06", "context", "equal at 100", "square", "of one layer"):
        assert part in said
    view.leave_cursor(10.0)
    assert "tokens 10; square 100; linear 1000" in view.accessibleDescription()


def test_nothing_at_all_can_be_shown(qtbot: QtBot) -> None:
    view = CurvesView(Custom("curves", "plot", lambda *_: None), Host(), themes.make("light"))
    qtbot.addWidget(view)
    view.show_model(None)
    assert view.empty
    view.show()
    qtbot.keyClick(view, Qt.Key.Key_Left)
    view.set_theme(themes.make("dark"))
    assert view.readings() == []


def test_a_plot_that_is_gone_leaves_nothing(qtbot: QtBot) -> None:
    view = CurvesView(Custom("curves", "plot", lambda *_: None), Host(), themes.make("light"))
    view.show_model(cost())
    view.show()
    qtbot.waitExposed(view)
    view.grab()
    gone = weakref.ref(view)
    view.close()
    view.deleteLater()
    QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
    del view
    gc.collect()
    assert gone() is None


def test_only_a_tab_with_a_plot_imports_pyqtgraph() -> None:
    code = (
        "import sys\n"
        "from explorer import app\n"
        "window = app.make_window(); window.workbench.show('full-attention'); window.show()\n"
        "assert 'pyqtgraph' not in sys.modules\n"
        "window.workbench.show('scaling'); window.page.settle()\n"
        "assert 'pyqtgraph' in sys.modules\n"
        "app.close_all(window)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr[-2000:]


def test_views_take_what_room_is_left(qtbot: QtBot, make_window) -> None:
    window = make_window("scaling")
    small = {widget.objectName(): widget.size() for widget in window.page.findChildren(CurvesView)}
    window.resize(1920, 1080)
    settle(window)
    for widget in window.page.findChildren(CurvesView):
        assert widget.width() > small[widget.objectName()].width()
        assert widget.height() > small[widget.objectName()].height()
    canvas = window.page.stage.canvas
    right = max(leaf.geometry().right() for leaf in canvas.leaves.values() if leaf.isVisible())
    assert canvas.width() - right < 40
