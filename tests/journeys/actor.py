"""A person without a plan: random actions on the real window from a seed, in Qt's own events."""

import random
import string
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QEvent, QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QComboBox,
    QDoubleSpinBox,
    QLineEdit,
    QSlider,
    QSpinBox,
    QWidget,
)

from explorer.ui.matrix_view import MatrixView
from explorer.ui.window import MainWindow

if TYPE_CHECKING:
    from collections.abc import Callable

GARBAGE = [
    "",
    "abc",
    "1\t2\n3",
    "nan",
    "1e400",
    "−3,5",
    "1\t2\n3\t4",
    "\x00",
    "∞",
    "🎉",
    "1.5",
    "0,25\t−1",
    "9" * 400,
    "a\tb\n",
]
KEYS = [
    Qt.Key.Key_Up,
    Qt.Key.Key_Down,
    Qt.Key.Key_Left,
    Qt.Key.Key_Right,
    Qt.Key.Key_Return,
    Qt.Key.Key_Tab,
    Qt.Key.Key_Backtab,
    Qt.Key.Key_Escape,
    Qt.Key.Key_Delete,
    Qt.Key.Key_F2,
    Qt.Key.Key_Space,
    Qt.Key.Key_Home,
    Qt.Key.Key_End,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_N,
    Qt.Key.Key_P,
    Qt.Key.Key_E,
    Qt.Key.Key_R,
    Qt.Key.Key_C,
    Qt.Key.Key_V,
    Qt.Key.Key_M,
    Qt.Key.Key_D,
    Qt.Key.Key_A,
    Qt.Key.Key_F6,
    Qt.Key.Key_F9,
    Qt.Key.Key_Backspace,
]
CONTROL = [
    Qt.Key.Key_Z,
    Qt.Key.Key_Y,
    Qt.Key.Key_C,
    Qt.Key.Key_V,
    Qt.Key.Key_D,
    Qt.Key.Key_A,
    Qt.Key.Key_PageUp,
    Qt.Key.Key_PageDown,
    Qt.Key.Key_Backspace,
]
#: Scales and usual sizes that a window is given.
SCALES = (80, 100, 125, 150, 200, 300)
SIZES = ((1280, 720), (1366, 768), (640, 480), (320, 240), (1920, 1080))


class Actor:
    """Does one random thing at a time and can say afterwards what it did."""

    def __init__(self, window: MainWindow, seed: int) -> None:
        self.window = window
        self.chance = random.Random(seed)
        self.done: list[str] = []
        self._acts: list[tuple[int, Callable[[], str]]] = [
            (30, self._key),
            (12, self._type),
            (14, self._click),
            (10, self._hover),
            (6, self._drag),
            (6, self._paste),
            (8, self._control),
            (6, self._widget),
            (5, self._tab),
            (5, self._undo),
            (2, self._theme),
            (2, self._scale),
            (3, self._resize),
            (3, self._follow),
            (3, self._step),
            (1, self._show),
            (2, self._menu),
        ]

    def act(self) -> None:
        """Do one thing and let Qt answer."""
        weights, acts = zip(*self._acts, strict=True)
        self.done.append(self.chance.choices(acts, weights)[0]())
        QApplication.processEvents()
        # What an event loop would do between two events; processEvents alone leaves it undone.
        QCoreApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete)
        for popup in (QApplication.activePopupWidget(), QApplication.activeModalWidget()):
            if popup is not None:
                popup.close()

    def _views(self) -> list[MatrixView]:
        return [view for view in self.window.page.findChildren(MatrixView) if view.isVisible() and view.values.size]

    def _some_view(self) -> MatrixView | None:
        views = self._views()
        return self.chance.choice(views) if views else None

    def _cell(self, view: MatrixView) -> tuple[int, int]:
        rows, columns = view.values.shape
        return self.chance.randrange(rows), self.chance.randrange(columns)

    def _target(self) -> QWidget:
        return QApplication.focusWidget() or self.window

    def _key(self) -> str:
        control = self.chance.random() < 0.25
        key = self.chance.choice(CONTROL if control else KEYS)
        modifier = Qt.KeyboardModifier.ControlModifier if control else Qt.KeyboardModifier.NoModifier
        QTest.keyClick(self._target(), key, modifier)
        return f"key {key.name} {'ctrl' if control else ''}"

    def _type(self) -> str:
        view = self._some_view()
        if view is None:
            return "nothing to type into"
        view.setFocus()
        view.setCurrentIndex(view.model().index(*self._cell(view)))
        text = self.chance.choice(
            [
                "0.5",
                "-1.25",
                "3",
                "1e-3",
                "0,75",
                "1e300",
                "-1e308",
                "7.",
                "".join(self.chance.choices(string.printable[:90], k=6)),
            ]
        )
        QTest.keyClicks(view.viewport(), text[:1])
        focus = QApplication.focusWidget()
        if isinstance(focus, QLineEdit):
            QTest.keyClicks(focus, text[1:])
            QTest.keyClick(
                focus, self.chance.choice([Qt.Key.Key_Return, Qt.Key.Key_Tab, Qt.Key.Key_Escape, Qt.Key.Key_Down])
            )
        return f"type {text!r} into {view.name}"

    def _point(self, view: MatrixView) -> QPoint:
        return view.visualRect(view.model().index(*self._cell(view))).center()

    def _click(self) -> str:
        view = self._some_view()
        if view is None:
            return "nothing to click"
        modifier = self.chance.choice([Qt.KeyboardModifier.NoModifier] * 3 + [Qt.KeyboardModifier.ShiftModifier])
        QTest.mouseClick(view.viewport(), Qt.MouseButton.LeftButton, modifier, self._point(view))
        return f"click {view.name}"

    def _hover(self) -> str:
        view = self._some_view()
        if view is None:
            return "nothing to hover"
        QTest.mouseMove(view.viewport(), self._point(view))
        return f"hover {view.name}"

    def _drag(self) -> str:
        view = self._some_view()
        if view is None:
            return "nothing to drag"
        start, end = self._point(view), self._point(view)
        if self.chance.random() < 0.5:
            rect = view.visualRect(view.model().index(*self._cell(view)))
            start = rect.bottomRight() - QPoint(3, 3)
            end = start + QPoint(self.chance.randint(-300, 300), 0)
        QTest.mousePress(view.viewport(), Qt.MouseButton.LeftButton, pos=start)
        for i in range(1, 4):
            QTest.mouseMove(view.viewport(), start + (end - start) * i / 3)
        QTest.mouseRelease(view.viewport(), Qt.MouseButton.LeftButton, pos=end)
        if QGuiApplication.mouseButtons() != Qt.MouseButton.NoButton:
            # What was dragged has gone, and its release with it; a hand lets go of the button all the same.
            QTest.mouseRelease(self.window, Qt.MouseButton.LeftButton)
        return f"drag in {view.name}"

    def _paste(self) -> str:
        text = self.chance.choice(GARBAGE)
        QGuiApplication.clipboard().setText(text)
        view = self._some_view()
        if view is None:
            return "nothing to paste into"
        view.setFocus()
        QTest.keyClick(view.viewport(), Qt.Key.Key_V, Qt.KeyboardModifier.ControlModifier)
        return f"paste {text[:20]!r} into {view.name}"

    def _control(self) -> str:
        widgets = [
            widget
            for widget in self.window.page.bar.findChildren(QWidget)
            if isinstance(widget, (QSlider, QSpinBox, QDoubleSpinBox, QComboBox, QAbstractButton))
            and widget.isVisible()
            and widget.isEnabled()
        ]
        if not widgets:
            return "no controls"
        widget = self.chance.choice(widgets)
        if isinstance(widget, QSlider):
            widget.setValue(self.chance.randint(widget.minimum(), widget.maximum()))
        elif isinstance(widget, QSpinBox):
            near = min(widget.maximum(), widget.minimum() + 8)
            widget.setValue(
                self.chance.randint(widget.minimum(), near if self.chance.random() < 0.9 else widget.maximum())
            )
        elif isinstance(widget, QDoubleSpinBox):
            widget.setValue(self.chance.uniform(widget.minimum(), widget.maximum()))
        elif isinstance(widget, QComboBox):
            if widget.count():
                widget.activated.emit(self.chance.randrange(widget.count()))
        else:
            widget.click()
        return f"control {widget.objectName()}"

    def _widget(self) -> str:
        # Of what `findChildren` finds that Qt made itself, the window would keep a wrapper for ever. What Qt lists here
        # is in no order, and a seed has to do the same again.
        found = [
            w
            for w in QApplication.allWidgets()
            if isinstance(w, QAbstractButton) and w.window() is self.window
            if w.isVisible() and w.isEnabled() and w.objectName() != "qt_menubar_ext_button"
        ]
        widgets = sorted(found, key=self._place)
        if not widgets:
            return "no buttons"
        widget = self.chance.choice(widgets)
        widget.click()
        return f"button {widget.objectName()}"

    def _place(self, widget: QWidget) -> tuple[int, int, str]:
        corner = widget.mapTo(self.window, QPoint(0, 0))
        return corner.y(), corner.x(), widget.objectName()

    def _tab(self) -> str:
        slug = self.chance.choice([concept.slug for concept in self.window.workbench.concepts])
        self.window.workbench.show(slug)
        return f"tab {slug}"

    def _undo(self) -> str:
        name = self.chance.choice(["undo", "redo"])
        self.window.action(name).trigger()
        return name

    def _theme(self) -> str:
        name = self.chance.choice(["light", "dark", "contrast"])
        self.window.set_theme_name(name)
        return f"theme {name}"

    def _scale(self) -> str:
        percent = self.chance.choice((*SCALES, 100, 100))
        self.window.set_scale(percent)
        return f"scale {percent}"

    def _resize(self) -> str:
        """Take a size, or pull an edge of the window a little: bars come and go by single pixels."""
        if self.chance.random() < 0.5:
            width, high = self.chance.choice(SIZES)
        else:
            width, high = self.chance.randint(320, 1920), self.chance.randint(240, 1080)
        by_x, by_y = self.chance.choice([(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)])
        for step in range(12):
            self.window.resize(width + by_x * step, high + by_y * step)
            if not (by_x or by_y):
                break
            QApplication.processEvents()
        return f"resize {width} × {high}, pulled by {by_x, by_y}"

    def _follow(self) -> str:
        strip = self.window.page.strip
        links = strip.links()
        if not links:
            return "no links"
        rect, cell = self.chance.choice(links)
        QTest.mouseClick(strip, Qt.MouseButton.LeftButton, pos=rect.center())
        return f"follow {cell}"

    def _step(self) -> str:
        steps = self.window.topbar.steps
        name = self.chance.choice(
            ["go_first", "go_next", "go_previous", "go_last", "toggle_rows", "toggle_play", "stop"]
        )
        getattr(steps, name)()
        return name

    def _show(self) -> str:
        self.window.toggle_show()
        return "presentation"

    def _menu(self) -> str:
        view = self._some_view()
        if view is None:
            return "no menu"
        from explorer.ui.matrix_menu import build_menu

        menu = build_menu(self.window.page, view.name, [view.array_index(*self._cell(view))])
        actions = [a for a in menu.actions() if a.isEnabled() and not a.isSeparator() and a.menu() is None]
        action = self.chance.choice(actions)
        text = action.text()
        action.trigger()
        menu.deleteLater()
        return f"menu {text}"
