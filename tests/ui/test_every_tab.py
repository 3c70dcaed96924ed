"""What every tab must look like and answer to, found and tested without naming one."""

import gc
import weakref
from collections import Counter

import pytest
import shiboken6
from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtWidgets import QAbstractScrollArea, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from explorer.concepts import all_concepts, declaration
from explorer.ui import export
from explorer.ui.lifetime import close_all
from explorer.ui.stage_canvas import StageCanvas
from explorer.ui.trace_strip import TraceStrip
from explorer.ui.window import MainWindow
from explorer.workbench import fingerprint
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults, unreadable

CONCEPTS = all_concepts()
by_tab = pytest.mark.parametrize("concept", CONCEPTS, ids=[f"{one.number:02d}-{one.slug}" for one in CONCEPTS])
SIZES = [(1280, 720), (1366, 768), (1920, 1080)]


@by_tab
@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_nothing_overlaps_and_nothing_is_cut_off(
    make_window: MakeWindow, concept: declaration.Concept, theme: str
) -> None:
    window = make_window(concept.slug, theme=theme)
    for size in SIZES:
        window.resize(*size)
        settle(window)
        assert faults(window) == [], size


@by_tab
@pytest.mark.parametrize("percent", [150, 300])
def test_large_scales_cut_nothing_off(make_window: MakeWindow, concept: declaration.Concept, percent: int) -> None:
    window = make_window(concept.slug, percent=percent)
    assert faults(window) == []


@by_tab
def test_a_presentation_fits_the_projector(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(concept.slug, present=True)
    for size in SIZES:
        window.resize(*size)
        settle(window)
        assert faults(window) == [], size


@by_tab
def test_the_whole_stage_is_seen_at_once_with_the_side_panel_open(
    make_window: MakeWindow, concept: declaration.Concept
) -> None:
    window = make_window(concept.slug)
    assert window.panels.isVisible()
    for size in SIZES[:2]:
        window.resize(*size)
        settle(window)
        stage, page = window.page.stage, window.page.scroller
        for bar in (stage.verticalScrollBar(), stage.horizontalScrollBar(), page.verticalScrollBar()):
            assert bar.maximum() == 0, size
        side = [area for area in window.panels.findChildren(QAbstractScrollArea) if area.isVisible()]
        assert side
        assert all(area.verticalScrollBar().maximum() == 0 for area in side), size


@by_tab
def test_all_tabs_are_seen_at_once(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(concept.slug)
    assert window.rail.verticalScrollBar().maximum() == 0


@by_tab
@pytest.mark.parametrize("theme", ["light", "dark", "contrast"])
def test_digits_stand_out_from_their_cells(make_window: MakeWindow, concept: declaration.Concept, theme: str) -> None:
    assert unreadable(make_window(concept.slug, theme=theme)) == []


@by_tab
def test_everything_that_takes_the_focus_has_a_name(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(concept.slug)
    nameless = [
        f"{type(widget).__name__} {widget.objectName()!r}"
        for widget in window.findChildren(QWidget)
        if widget.isVisible()
        and widget.focusPolicy() & Qt.FocusPolicy.TabFocus
        and not (widget.accessibleName() or getattr(widget, "text", str)())
        and not widget.objectName().startswith("qt_")
        and (
            widget.parent() is None or type(widget.parent()).__name__ not in {"QSpinBox", "QDoubleSpinBox", "QComboBox"}
        )
    ]
    assert nameless == []


@by_tab
def test_every_array_shown_can_be_found_by_its_name(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(concept.slug)
    for name in declaration.shown_arrays(concept.layout):
        view = window.page.findChild(QWidget, name)
        assert view is not None, name
        assert view.model() is not None


@by_tab
def test_an_edit_repaints_only_in_the_tab_in_front_and_undo_brings_it_back(
    make_window: MakeWindow, concept: declaration.Concept
) -> None:
    numbers = [one for one in concept.inputs if one.kind == "number"]
    if not numbers:
        pytest.skip("nothing to type into")
    window = make_window(concept.slug)
    before = window.grab().toImage()
    first = numbers[0]
    array = window.workbench.state(concept.slug).inputs[first.name]
    index = (0,) * array.ndim
    window.workbench.edit(
        concept.slug, first.name, [index], [min(float(array[index]) + (1 if first.whole else 0.75), first.limits[1])]
    )
    settle(window)
    assert window.grab().toImage() != before
    window.undo()
    settle(window)
    assert not window.workbench.edited(concept.slug)


@by_tab
def test_a_closed_window_leaves_nothing_of_its_page_alive(qtbot: QtBot, concept: declaration.Concept) -> None:
    from explorer.ui import theme as themes
    from explorer.ui.settings import Settings
    from explorer.workbench.workbench import Workbench

    workbench = Workbench([concept])
    window = MainWindow(workbench, Settings(), themes.make("light"))
    window.show()
    qtbot.waitExposed(window)
    page = weakref.ref(window.page)
    close_all(window)
    del window
    QApplication.processEvents()
    gc.collect()
    assert page() is None or not _alive(page())


def _alive(widget: object) -> bool:
    return shiboken6.isValid(widget)


#: What has to outlive its page: a run of a slow stage speaks through it.
OUTLIVING = {"_Messages"}


@by_tab
def test_a_page_that_is_taken_down_leaves_nothing_of_qt_to_the_collector(
    make_window: MakeWindow, concept: declaration.Concept
) -> None:
    # Collected in another thread, it would be destroyed there while Qt takes down the views that point to it.
    window = make_window(concept.slug)
    before = {id(one) for one in _owned_by_python()}
    with export.sheet(window.workbench, concept.slug, window.theme):
        made = [one for one in _owned_by_python() if id(one) not in before]
    assert {type(one).__name__ for one in made} - OUTLIVING == {"Page"}


def _owned_by_python() -> list[QObject]:
    """Return the objects of Qt that end when nothing in Python knows them any more."""
    tracked = [one for one in gc.get_objects() if issubclass(type(one), QObject)]
    return [one for one in tracked if shiboken6.isValid(one) and shiboken6.ownedByPython(one)]


@by_tab
def test_a_picture_taken_at_once_tells_the_fingerprint_of_its_own_tab(
    make_window: MakeWindow, concept: declaration.Concept
) -> None:
    window = make_window()
    workbench = window.workbench
    workbench.show(concept.slug)
    shown = window.findChild(QLabel, "fingerprint")
    assert shown.text() == f"inputs {fingerprint.of_state(workbench.state(concept.slug))}"


def test_a_tabs_stage_is_fitted_once_when_it_is_first_shown(
    make_window: MakeWindow, monkeypatch: pytest.MonkeyPatch
) -> None:
    window = make_window()
    fitted: list[str] = []
    fit = StageCanvas.fit

    def count(canvas: StageCanvas, room: QSize) -> QSize:
        fitted.append(window.workbench.current)
        return fit(canvas, room)

    monkeypatch.setattr(StageCanvas, "fit", count)
    others = [concept.slug for concept in CONCEPTS if concept.slug != window.workbench.current]
    for slug in others:
        window.workbench.show(slug)
        QApplication.processEvents()
    assert fitted == others


class _Painted(QObject):
    """Counts how often each widget is painted while it is used as a context."""

    def __init__(self) -> None:
        super().__init__()
        self.count: Counter[QObject] = Counter()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Paint:
            self.count[watched] += 1
        return False

    def __enter__(self) -> Counter[QObject]:
        QApplication.instance().installEventFilter(self)  # type: ignore[union-attr]
        return self.count

    def __exit__(self, *_: object) -> None:
        QApplication.sendPostedEvents()
        QApplication.processEvents()
        QApplication.instance().removeEventFilter(self)  # type: ignore[union-attr]


@by_tab
def test_a_tab_is_painted_once_when_it_is_first_shown(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(next(one.slug for one in CONCEPTS if one is not concept))
    window.readiness.finish()
    with _Painted() as count:
        window.workbench.show(concept.slug)
    assert [times for widget, times in count.items() if isinstance(widget, TraceStrip)] == [1]


@by_tab
def test_an_edit_paints_nothing_twice(make_window: MakeWindow, concept: declaration.Concept) -> None:
    window = make_window(concept.slug)
    window.readiness.finish()
    inputs = window.workbench.state(concept.slug).inputs
    name = next((one.name for one in concept.inputs if one.kind == "number" and inputs[one.name].size), None)

    def edit(value: float) -> None:
        if name is None:
            control = next(one for one in concept.controls if isinstance(one, declaration.Slider))
            window.workbench.set_control(concept.slug, control.name, control.low + value * control.step)
        else:
            window.workbench.edit(concept.slug, name, [(0,) * inputs[name].ndim], [value])

    edit(2.0)
    settle(window)
    with _Painted() as count:
        edit(3.0)
    assert count
    assert [widget.metaObject().className() for widget, times in count.items() if times > 1] == []


class _Windows(QObject):
    """Remembers what was shown as a window of its own."""

    def __init__(self) -> None:
        super().__init__()
        self.shown: list[str] = []

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Show and isinstance(watched, QWidget) and watched.isWindow():
            self.shown.append(f"{type(watched).__name__} {watched.objectName()!r}")
        return False


def test_no_part_of_a_page_is_ever_a_window_of_its_own(make_window: MakeWindow) -> None:
    window = make_window()
    windows = _Windows()
    QApplication.instance().installEventFilter(windows)  # type: ignore[union-attr]
    try:
        for concept in CONCEPTS:
            window.workbench.show(concept.slug)
            settle(window)
        for percent in (150, 100):
            window.set_scale(percent)
        window.start_show(full_screen=False)
        window.leave_show()
    finally:
        QApplication.instance().removeEventFilter(windows)  # type: ignore[union-attr]
    assert windows.shown == []
