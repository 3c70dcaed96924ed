"""The bar above a stage: the widgets for a concept's sizes, controls and actions, made from their declarations.

A control shows what the workbench holds and tells it what the user did; it keeps nothing of its own. Dragging a slider
is one gesture, hence one undo step. The wheel changes nothing.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, TypeVar

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QFontMetrics, QWheelEvent
from PySide6.QtWidgets import (
    QHBoxLayout,
    QLabel,
    QLineEdit,
    QPushButton,
    QSlider,
    QSpinBox,
    QToolButton,
    QWidget,
)

from explorer.concepts import declaration as d
from explorer.concepts import evaluation
from explorer.ui.drop_down import DropDown
from explorer.ui.flow import FlowLayout
from explorer.ui.number_box import NumberBox, SteppingBox
from explorer.ui.segments import Segments
from explorer.ui.style import dress
from explorer.ui.switch import Switch

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from explorer.ui.chooser import Chooser
    from explorer.ui.drawers import DrawerButton
    from explorer.ui.theme import Theme


SLIDER_STEPS = 2000
AnyWidget = TypeVar("AnyWidget", bound=QWidget)


class _NoWheel(QObject):
    """Keeps the wheel from changing values; scrolling a page must never edit it."""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Swallow wheel events."""
        if isinstance(event, QWheelEvent):
            event.ignore()
            return True
        return super().eventFilter(watched, event)


class ControlBar(QWidget):
    """Sizes, controls and actions of one tab.

    Signals
    -------
    size_set(str, object), control_set(str, object), acted(str), begun(str), ended()
        What the user did.
    file_given(str, object)
        A file from which a control is to be read: the control and the path.
    """

    size_set = Signal(str, object)
    control_set = Signal(str, object)
    acted = Signal(str)
    begun = Signal(str)
    ended = Signal()
    file_given = Signal(str, object)

    def __init__(self, concept: d.Concept, theme: Theme, *, stacked: bool = False) -> None:
        super().__init__()
        self.concept = concept
        self.theme = theme
        self._quiet = False
        self._after: QLabel | None = None
        self._no_wheel = _NoWheel(self)
        self._show: dict[str, Callable[[Any], None]] = {}
        self._picks: list[tuple[d.Pick, DropDown]] = []
        self._spins: list[QSpinBox] = []
        self._stops: list[tuple[SteppingBox, Callable[[d.Sizes, d.Controls], Sequence[int]]]] = []
        self._switches: list[Switch] = []
        self._sliders: list[tuple[d.Slider, QSlider, NumberBox]] = []
        self._stacked = stacked
        self._room = 0
        self._segments: list[Segments] = []
        self._labels: list[QLabel] = []
        self._lists: list[DropDown] = []
        self._choosers: list[Chooser] = []
        self._drawers: list[DrawerButton] = []
        self._flow = FlowLayout(theme.px(11), theme.px(6), stacked=stacked)
        self.setLayout(self._flow)
        self.setObjectName("controls")
        for size in concept.sizes:
            if size.label:
                self._add_size(size)
        hidden = {name for drawer in concept.drawers for name in drawer.controls}
        for control in concept.controls:
            if control.name not in hidden:
                self._add_control(control)
        for drawer in concept.drawers:
            self._add_drawer(drawer)
        for action in concept.actions:
            self._add_action(action)
        if not self._flow.count():  # showing it here would open a window of its own: it has no parent yet
            self.hide()
        self.set_theme(theme)

    # --- building ---

    def _labelled(self, text: str, *widgets: QWidget) -> QWidget:
        box = QWidget()
        row = QHBoxLayout(box)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(self.theme.px(3))
        if text:
            label = QLabel(text)
            label.setProperty("role", "control")
            self._labels.append(label)
            label.setBuddy(next((w for w in widgets if w.focusPolicy() & Qt.FocusPolicy.TabFocus), widgets[0]))
            row.addWidget(label)
        for widget in widgets:
            row.addWidget(widget)
        self._flow.addWidget(box)
        return box

    def add(self, widget: AnyWidget) -> AnyWidget:
        """Add a widget that is no control of the tab, after all that are, and return it; the page shows the bar."""
        self._flow.addWidget(widget)
        return widget

    def say_after(self, text: str) -> None:
        """Write something after all controls; nothing where the text is empty."""
        if self._after is None and text:
            self._after = QLabel()
            self._after.setProperty("role", "control")
            self._flow.addWidget(self._after)
        if self._after is not None:
            self._after.setText(text)
            self._after.setVisible(bool(text))

    @property
    def empty(self) -> bool:
        """Whether there is nothing in it."""
        return not self._flow.count()

    def _add_size(self, size: d.Size) -> None:
        box = SteppingBox()
        if size.among is not None:
            self._stops.append((box, lambda sizes, _: evaluation.allowed(size, sizes)))
        box.setRange(size.low, size.high)
        box.setKeyboardTracking(False)
        box.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._prepare(box, f"size_{size.name}", f"{size.label}, {size.low} to {size.high}")
        box.valueChanged.connect(lambda value: self._tell(self.size_set, size.name, value))
        box.refused.connect(lambda typed: self._tell(self.size_set, size.name, typed))
        buttons = []
        for text, by, words in (("−", -1, "one less"), ("+", 1, "one more")):
            button = QToolButton()
            button.setText(text)
            button.setProperty("step", True)
            button.setAutoRepeat(True)
            button.setAccessibleName(f"{size.label}: {words}")
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.clicked.connect(lambda _=False, by=by: box.stepBy(by))
            buttons.append(button)
        self._labelled(size.label, buttons[0], box, buttons[1])
        self._spins.append(box)
        self._show[f"size:{size.name}"] = box.show_value

    def _add_control(self, control: d.Control) -> None:
        builders: dict[type, Callable[[Any], None]] = {
            d.Slider: self._add_slider,
            d.Choice: self._add_choice,
            d.Toggle: self._add_toggle,
            d.Whole: self._add_whole,
            d.Pick: self._add_pick,
            d.Text: self._add_text,
        }
        builders[type(control)](control)

    def _prepare(self, widget: QWidget, name: str, spoken: str) -> None:
        widget.setObjectName(name)
        widget.setAccessibleName(spoken)
        widget.installEventFilter(self._no_wheel)
        widget.setFocusPolicy(Qt.FocusPolicy.StrongFocus)

    def _add_slider(self, control: d.Slider) -> None:
        slider = QSlider(Qt.Orientation.Horizontal)
        spin = NumberBox()
        spin.setDecimals(control.digits)
        spin.setSuffix(f" {control.unit}" if control.unit and control.unit != "%" else control.unit)
        spin.setKeyboardTracking(False)
        spin.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._prepare(slider, f"control_{control.name}", control.label)
        self._prepare(spin, f"number_{control.name}", control.label)
        self._sliders.append((control, slider, spin))
        self._bound(control, slider, spin, control.low, control.high)
        slider.sliderPressed.connect(lambda: self.begun.emit(f"change {control.label}"))
        slider.sliderReleased.connect(self.ended)
        slider.valueChanged.connect(
            lambda place: self._tell(self.control_set, control.name, self._value_at(control, slider, spin, place))
        )
        spin.valueChanged.connect(lambda value: self._tell(self.control_set, control.name, value))
        spin.refused.connect(lambda typed: self._tell(self.control_set, control.name, typed))

        def show(value: float) -> None:
            spin.show_value(value)
            if not slider.isSliderDown():
                slider.setValue(self._place_of(control, spin, value))

        self._labelled(control.label, slider, spin)
        self._show[control.name] = show

    def _bound(self, control: d.Slider, slider: QSlider, spin: NumberBox, low: float, high: float) -> None:
        spin.setRange(low, high)
        spin.setSingleStep(control.step)
        if control.logarithmic:
            slider.setRange(0, SLIDER_STEPS)
        else:
            slider.setRange(0, max(round((high - low) / control.step), 1))
        slider.setPageStep(max(slider.maximum() // 10, 1))

    @staticmethod
    def _value_at(control: d.Slider, slider: QSlider, spin: NumberBox, place: int) -> float:
        low, high = spin.minimum(), spin.maximum()
        if control.logarithmic:
            value = low * (high / low) ** (place / SLIDER_STEPS)
            return float(min(max(round(value / control.step) * control.step, low), high))
        return float(min(round(low + place * control.step, 9), high))

    @staticmethod
    def _place_of(control: d.Slider, spin: NumberBox, value: float) -> int:
        low, high = spin.minimum(), spin.maximum()
        if control.logarithmic:
            return round(SLIDER_STEPS * math.log(max(value, low) / low) / math.log(high / low)) if high > low else 0
        return round((value - low) / control.step)

    def _add_choice(self, control: d.Choice) -> None:
        if len(control.options) > 5:
            combo = self._list()
            for key, label in control.options:
                combo.addItem(label, key)
            self._prepare(combo, f"control_{control.name}", control.label)
            combo.activated.connect(lambda i: self._tell(self.control_set, control.name, combo.itemData(i)))
            self._labelled(control.label, combo)
            self._show[control.name] = lambda value: combo.setCurrentIndex(combo.findData(value))
            return
        box = Segments(control, self.theme)
        for part in box.parts:
            part.installEventFilter(self._no_wheel)
        box.chosen.connect(lambda key: self._tell(self.control_set, control.name, key))
        self._segments.append(box)
        self._lists.append(box.list)
        self._labelled(control.label, box)
        self._show[control.name] = box.show_value

    def take_room(self, width: int) -> None:
        """Give options that have no room beside each other in this width a list."""
        self._room = width
        margins = self._flow.contentsMargins()
        room = width - margins.left() - margins.right()
        for box in self._segments:
            holder = box.parentWidget()
            label = None if holder is None else holder.findChild(QLabel)
            box.fit(room - (label.sizeHint().width() + self.theme.px(3) if label is not None else 0))

    def _add_toggle(self, control: d.Toggle) -> None:
        box = Switch(control.label, self.theme)
        self._switches.append(box)
        self._prepare(box, f"control_{control.name}", control.label)
        if control.key:
            box.setToolTip(f"{control.label} ({control.key})")
        box.toggled.connect(lambda on: self._tell(self.control_set, control.name, on))
        self._labelled("", box)
        self._show[control.name] = box.setChecked

    def _add_whole(self, control: d.Whole) -> None:
        if control.high > 2**31 - 1 or control.low < -(2**31):
            self._add_long(control)
            return
        box = SteppingBox()
        if (among := control.among) is not None:
            self._stops.append((box, lambda _, controls: among(controls)))
        box.setRange(control.low, control.high)
        box.setKeyboardTracking(False)
        box.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._prepare(box, f"control_{control.name}", f"{control.label}, {control.low} to {control.high}")
        box.valueChanged.connect(lambda value: self._tell(self.control_set, control.name, value))
        box.refused.connect(lambda typed: self._tell(self.control_set, control.name, typed))
        self._labelled(control.label, box)
        self._show[control.name] = box.show_value

    def _add_long(self, control: d.Whole) -> None:
        line = self._line(control.name, control.label)

        def finished() -> None:
            text = line.text().strip().replace("−", "-")
            try:
                self._tell(self.control_set, control.name, int(text))
            except ValueError:
                self._tell(self.control_set, control.name, text)

        line.editingFinished.connect(finished)
        self._show[control.name] = lambda value: line.setText(str(value))

    def _line(self, name: str, label: str) -> QLineEdit:
        line = QLineEdit()
        self._prepare(line, f"control_{name}", label)
        line.setFixedWidth(self.theme.px(120))
        self._labelled(label, line)
        return line

    def _add_text(self, control: d.Text) -> None:
        if control.suggest is not None:
            self._add_chooser(control)
            return
        line = self._line(control.name, control.label)
        line.editingFinished.connect(lambda: self._tell(self.control_set, control.name, line.text()))
        self._show[control.name] = line.setText

    def _add_chooser(self, control: d.Text) -> None:
        from explorer.ui.chooser import Chooser

        chooser = Chooser(control, self.theme)
        self._prepare(chooser, f"control_{control.name}", control.label)
        chooser.chosen.connect(lambda value: self._tell(self.control_set, control.name, value))
        chooser.given.connect(lambda path: self.file_given.emit(control.name, path))
        # Before anything asks how wide it is: Qt remembers that, and tells a page that nobody sees of no other width.
        chooser.show_value(evaluation.default_controls(self.concept))
        self._choosers.append(chooser)
        self._labelled("", chooser)

    def _add_drawer(self, drawer: d.Drawer) -> None:
        from explorer.ui.drawers import DrawerButton

        button = DrawerButton(drawer, self)
        self._drawers.append(button)
        self._flow.addWidget(button)

    def refuse(self, sentence: str) -> bool:
        """Say in an open drawer why something was refused; False where none is open."""
        return any(drawer.refuse(sentence) for drawer in self._drawers)

    def focus_first(self) -> None:
        """Give the first control the focus."""
        first = next((w for w in self.findChildren(QWidget) if w.focusPolicy() & Qt.FocusPolicy.TabFocus), None)
        if first is not None:
            first.setFocus(Qt.FocusReason.PopupFocusReason)

    def _list(self) -> DropDown:
        self._lists.append(DropDown(self.theme))
        return self._lists[-1]

    def _add_pick(self, control: d.Pick) -> None:
        combo = self._list()
        self._prepare(combo, f"control_{control.name}", control.label)
        combo.activated.connect(lambda i: self._tell(self.control_set, control.name, combo.itemData(i)))
        self._picks.append((control, combo))
        self._labelled(control.label, combo)
        self._show[control.name] = lambda value: combo.setCurrentIndex(combo.findData(value))

    def _add_action(self, action: d.Action) -> None:
        button = QPushButton(action.label)
        self._prepare(button, f"action_{action.name}", action.label)
        keys = f" ({action.key})" if action.key else ""
        button.setToolTip((action.tip or action.label) + keys)
        button.clicked.connect(lambda: self.acted.emit(action.name))
        self._labelled("", button)

    def _tell(self, signal: Any, *values: Any) -> None:
        if not self._quiet:
            signal.emit(*values)

    # --- showing ---

    def show_state(self, situation: d.Situation) -> None:
        """Show what the workbench holds."""
        sizes, controls = situation.sizes, situation.controls
        self._quiet = True
        try:
            for control, slider, spin in self._sliders:
                if control.bounds is not None:
                    low, high = control.bounds(sizes, controls)
                    if (low, high) != (spin.minimum(), spin.maximum()):
                        self._bound(control, slider, spin, low, high)
            for box, stops in self._stops:
                box.set_stops(stops(sizes, controls))
            for pick, combo in self._picks:
                self._fill_pick(pick, combo, situation)
            for name, value in sizes.items():
                if (show := self._show.get(f"size:{name}")) is not None:
                    show(value)
            for name, value in controls.items():
                if (show := self._show.get(name)) is not None:
                    show(value)
            for chooser in self._choosers:
                chooser.show_value(controls)
            for drawer in self._drawers:
                drawer.show_state(situation)
        finally:
            self._quiet = False

    @staticmethod
    def _fill_pick(pick: d.Pick, combo: DropDown, situation: d.Situation) -> None:
        sizes, controls, tokens = situation.sizes, situation.controls, situation.tokens
        count = int(pick.size) if pick.size.isdigit() else int(sizes.get(pick.size, controls.get(pick.size, 0)))
        labels = [(f"{tokens[i]} {i}" if pick.size == "n" and i < len(tokens) else str(i), i) for i in range(count)]
        if pick.names is not None:
            labels = [(name, i) for i, name in enumerate(pick.names(situation))]
        if pick.optional:
            labels.insert(0, ("none", -1))
        if combo.count() != len(labels):
            combo.clear()
            for label, i in labels:
                combo.addItem(label, i)
        for at, (label, _) in enumerate(labels):
            if combo.itemText(at) != label:  # a list that is filled anew is painted, and its bar with it
                combo.setItemText(at, label)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        dress(self, theme)
        px = theme.px
        # In a show they stand where the trace stood, and shall take no more room than that.
        tight = theme.present and not self._stacked
        self._flow.gap, self._flow.line_gap = px(9), px(2 if tight else 6)
        self._flow.setContentsMargins(px(14), px(3 if tight else 8), px(14), px(2))
        if self._stacked:
            metrics = QFontMetrics(theme.font(13))
            width = max((metrics.horizontalAdvance(label.text()) for label in self._labels), default=0) + px(6)
            for label in self._labels:
                label.setFixedWidth(width)
        for switch in self._switches:
            switch.set_theme(theme)
        for combo in self._lists:
            combo.set_theme(theme)
        for chooser in self._choosers:
            chooser.set_theme(theme)
        for drawer in self._drawers:
            drawer.set_theme(theme)
        for box in self._spins:
            box.setFixedWidth(QFontMetrics(theme.font(13)).horizontalAdvance(str(box.maximum())) + px(14))
        for _, slider, spin in self._sliders:
            slider.setFixedWidth(px(130))
            spin.setFixedWidth(
                QFontMetrics(theme.font(13)).horizontalAdvance(f"{spin.maximum():.{spin.decimals()}f}{spin.suffix()}")
                + px(18)
            )
        if self._room:  # nobody knows it before
            self.take_room(self._room)
        self._flow.invalidate()
