"""The bar under the menu: undo and redo, the steps of the tab in front with their player, and the way to present."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, QTimer, Signal
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QLabel, QSizePolicy, QToolButton, QWidget

from explorer.ui.guard import guarded
from explorer.ui.icons import icon
from explorer.workbench import state as states

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from PySide6.QtGui import QAction, QResizeEvent

    from explorer.concepts.declaration import Concept
    from explorer.ui.theme import Theme
    from explorer.workbench.state import ViewState
    from explorer.workbench.workbench import Workbench

SPEEDS = (0.25, 0.5, 1.0, 2.0, 4.0)
STEP_MS = 1200


class StepBar(QWidget):
    """The steps of the tab in front: pills, first, previous, play, next, row by row, speed.

    Signals
    -------
    changed()
        A step was taken.
    moved()
        Another pill is lit.
    """

    changed = Signal()
    moved = Signal()

    def __init__(self, workbench: Workbench, theme: Theme) -> None:
        super().__init__()
        self.workbench = workbench
        self.theme = theme
        self._concept: Concept | None = None
        self._pills: list[QToolButton] = []
        self._group = QButtonGroup(self)
        self._row = QHBoxLayout(self)
        self._row.setContentsMargins(0, 0, 0, 0)
        self._timer = QTimer(self)
        self._timer.timeout.connect(self._tick)
        self.first = self._button("first", self.go_first)
        self.previous = self._button("previous", self.go_previous)
        self.play = self._button("play", self.toggle_play)
        self.next = self._button("next", self.go_next)
        self.last = self._button("last", self.go_last)
        self.rows = QToolButton()
        self.rows.setText("row by row")
        self.rows.setCheckable(True)
        self.rows.setObjectName("rows")
        self.rows.clicked.connect(self.toggle_rows)
        self.rows.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._row.addWidget(self.rows)
        self.speed = QToolButton()
        self.speed.setObjectName("speed")
        self.speed.clicked.connect(self._next_speed)
        self._row.addWidget(self.speed)
        self.set_theme(theme)

    def _button(self, name: str, slot: object) -> QToolButton:
        button = QToolButton()
        button.setObjectName(f"step_{name}")
        button.setProperty("flat", True)
        button.clicked.connect(slot)
        self._row.addWidget(button)
        return button

    def explain(self, actions: Mapping[str, QAction]) -> None:
        """Let every button say what the menu says, with the keys that are true there."""
        for name, button in (
            ("step_first", self.first),
            ("step_previous", self.previous),
            ("step_play", self.play),
            ("step_next", self.next),
            ("step_all", self.last),
            ("step_rows", self.rows),
            ("step_faster", self.speed),
        ):
            said = [actions[name]] if button is not self.speed else [actions["step_faster"], actions["step_slower"]]
            button.setToolTip(", ".join(map(tip_of, said)))
            if button is not self.rows and button is not self.speed:
                button.setAccessibleName(words_of(actions[name]))

    # --- which steps there are ---

    def show_concept(self, concept: Concept) -> None:
        """Show the steps of the tab in front."""
        self.stop()
        self._concept = concept
        for pill in self._pills:
            self._group.removeButton(pill)
            self._row.removeWidget(pill)
            pill.hide()
            pill.deleteLater()
        self._pills = []
        for i, step in enumerate(concept.steps):
            pill = QToolButton()
            pill.setText(step.label)
            pill.setCheckable(True)
            pill.setProperty("pill", True)
            pill.setObjectName(f"step_{i}")
            pill.setAccessibleName(f"step {i + 1}: {step.label}")
            pill.setToolTip(step.says)
            pill.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            pill.clicked.connect(lambda _checked, i=i: self._go_to_step(i))
            self._group.addButton(pill)
            self._row.insertWidget(i, pill)
            self._pills.append(pill)
        self.setVisible(bool(concept.steps))
        self.rows.setVisible(concept.row_steps)
        self.refresh()

    def refresh(self) -> None:
        """Light the pills up to where the view is."""
        if self._concept is None or not self._concept.steps:
            return
        state, view = self._state(), self._view()
        row, current = states.row_and_step(self._concept, state.sizes, view)
        shown = states.shown_step(self._concept, state.sizes, view)
        here = current if view.step >= 0 else shown
        moved = not any(pill.isChecked() for pill in self._pills[here : here + 1])
        for i, pill in enumerate(self._pills):
            pill.setChecked(i == here)
            ahead = view.step >= 0 and i > current
            if pill.property("ahead") != ahead:
                pill.setProperty("ahead", ahead)
                pill.style().unpolish(pill)
                pill.style().polish(pill)
        count = states.position_count(self._concept, state.sizes, view.by_row)
        self.rows.setChecked(view.by_row)
        self.rows.setText("row by row" if row is None else f"row {row}")
        self.first.setEnabled(view.step != 0)
        self.previous.setEnabled(view.step != 0)
        self.next.setEnabled(0 <= view.step < count)
        self.last.setEnabled(view.step >= 0)
        self.speed.setText(f"{view.speed:g}×")
        self.speed.setAccessibleName(f"speed {view.speed:g}×")
        if moved:
            self.moved.emit()

    def wanted(self, *, player: bool) -> list[QToolButton]:
        """Return what is to be shown where there is room: the pills, and the player unless a show is on."""
        if not player:
            return list(self._pills)
        rows = [self.rows] if self._concept is not None and self._concept.row_steps else []
        return [*self._pills, self.first, self.previous, self.play, self.next, self.last, *rows, self.speed]

    def idle_pills(self) -> list[QToolButton]:
        """Return the pills of all steps but the present one."""
        return [pill for pill in self._pills if not pill.isChecked()]

    def _state(self) -> states.TabState:
        assert self._concept is not None
        return self.workbench.state(self._concept.slug)

    def _view(self) -> ViewState:
        assert self._concept is not None
        return self.workbench.view(self._concept.slug)

    # --- going ---

    def _set(self, step: int) -> None:
        if self._concept is not None:
            self.workbench.set_view(self._concept.slug, step=step)
            self.changed.emit()

    def _count(self) -> int:
        return states.position_count(self._concept, self._state().sizes, self._view().by_row) if self._concept else 0

    def _go_to_step(self, i: int) -> None:
        # A pill that was pressed before another tab came is let go of afterwards.
        if self._concept is not None and i < len(self._concept.steps):
            self._set(states.position_of(self._concept, self._state().sizes, self._view(), i))
            self.refresh()

    def go_first(self) -> None:
        """Go to the first step."""
        self._set(0)

    def go_last(self) -> None:
        """Show everything."""
        self.stop()
        self._set(-1)

    def go_next(self) -> None:
        """Go one step on; from the last one everything is shown."""
        step = self._view().step
        self._set(0 if step < 0 else step + 1 if step + 1 < self._count() else -1)

    def go_previous(self) -> None:
        """Go one step back."""
        step = self._view().step
        self._set(self._count() - 1 if step < 0 else max(step - 1, 0))

    def toggle_rows(self) -> None:
        """Switch between whole steps and row by row, staying near the same place."""
        if self._concept is None or not self._concept.row_steps:
            return
        view, sizes = self._view(), self._state().sizes
        step = view.step
        if step >= 0:
            turned = replace(view, by_row=not view.by_row, step=0)
            step = states.position_of(self._concept, sizes, turned, states.row_and_step(self._concept, sizes, view)[1])
        self.workbench.set_view(self._concept.slug, by_row=not view.by_row, step=step)
        self.changed.emit()

    # --- playing ---

    @property
    def playing(self) -> bool:
        """Whether the steps are playing."""
        return self._timer.isActive()

    def toggle_play(self) -> None:
        """Play from here, from the start when everything is shown; or pause."""
        if self.playing:
            self.stop()
            return
        if self._concept is None or not self._concept.steps:
            return
        if self._view().step < 0:
            self._set(0)
        self._timer.start(int(STEP_MS / self._view().speed))
        self._dress()

    def stop(self) -> None:
        """Stop playing."""
        self._timer.stop()
        self._dress()

    def _tick(self) -> None:
        step = self._view().step
        if step + 1 < self._count():
            self._set(step + 1)
        else:
            self.go_last()

    def change_speed(self, by: int) -> None:
        """Play so many speeds faster or slower."""
        if self._concept is not None:
            self._set_speed(SPEEDS[min(max(self._speed_at() + by, 0), len(SPEEDS) - 1)])

    def _next_speed(self) -> None:
        if self._concept is not None:
            self._set_speed(SPEEDS[(self._speed_at() + 1) % len(SPEEDS)])

    def _speed_at(self) -> int:
        """Return which of the speeds is nearest; a session may hold any."""
        speed = self._view().speed
        return min(range(len(SPEEDS)), key=lambda i: abs(SPEEDS[i] - speed))

    def _set_speed(self, following: float) -> None:
        assert self._concept is not None
        self.workbench.set_view(self._concept.slug, speed=following)
        if self.playing:
            self._timer.start(int(STEP_MS / following))
        self.refresh()

    def _dress(self) -> None:
        size = self.theme.px(16)
        self.play.setIcon(icon("pause" if self.playing else "play", self.theme.colors.text, size))

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        size = theme.px(16)
        self._row.setSpacing(theme.px(4))
        for button, name in (
            (self.first, "first"),
            (self.previous, "previous"),
            (self.next, "next"),
            (self.last, "last"),
        ):
            button.setIcon(icon(name, theme.colors.text, size))
            button.setIconSize(QSize(size, size))
        self.play.setIconSize(QSize(size, size))
        self._dress()


class TopBar(QWidget):
    """Undo, redo, reset; the steps; differences, the side panel, presentation."""

    def __init__(self, workbench: Workbench, theme: Theme) -> None:
        super().__init__()
        self.setObjectName("topbar")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.theme = theme
        self.steps = StepBar(workbench, theme)
        self._fitting = False
        self._row = QHBoxLayout(self)
        self._icons: list[tuple[QToolButton, str]] = []
        self._left, self._right = QHBoxLayout(), QHBoxLayout()
        for side in (self._left, self._right):
            side.setContentsMargins(0, 0, 0, 0)
        #: The tab's name, which the rail says where there is no show.
        self.title = QLabel()
        self.title.setObjectName("title")
        self.title.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self._left.addWidget(self.title)
        self._row.addLayout(self._left)
        self._row.addStretch(1)
        self._row.addWidget(self.steps)
        self._row.addStretch(1)
        self._row.addLayout(self._right)
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.steps.moved.connect(self.fit)
        self.set_theme(theme)

    def add(
        self, action: QAction, *, right: bool = False, icon_name: str = "", text: str = "", in_show: bool = False
    ) -> QToolButton:
        """Add a button for an action, with an icon or a text; it is there outside of a show, or in one."""
        button = QToolButton()
        button.setProperty("in_show", in_show)
        button.setObjectName(f"button_{action.objectName()}")
        button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        if action.isCheckable():
            button.setCheckable(True)
            button.setChecked(action.isChecked())
            action.toggled.connect(button.setChecked)
        button.clicked.connect(action.trigger)

        def follow() -> None:
            button.setEnabled(action.isEnabled())
            button.setAccessibleName(words_of(action))
            button.setToolTip(tip_of(action))

        action.changed.connect(follow)
        follow()
        if icon_name:
            button.setProperty("icon", True)
            self._icons.append((button, icon_name))
        else:
            button.setText(text)
        # Aligned, a button lower than the pills does not press them flat.
        (self._right if right else self._left).addWidget(button, 0, Qt.AlignmentFlag.AlignVCenter)
        self._dress(button, icon_name)
        return button

    def show_concept(self, concept: Concept) -> None:
        """Show the name and the steps of the tab in front."""
        self.title.setText(f"{concept.number}  {concept.title}")
        self.steps.show_concept(concept)
        self.fit()

    def fit(self) -> None:
        """Leave out what there is no room for, the least needed first; every action stays in the menus."""
        self._fitting = True
        self._leave_out()
        self._fitting = False

    def _leave_out(self) -> None:
        """Decide first and show then: what is shown for a moment only makes Qt lay out everything, without an end."""
        steps, present = self.steps, self.theme.present
        sides: list[QToolButton] = [button for layout in (self._left, self._right) for button in _buttons(layout)]
        every: list[QWidget] = [*sides, *steps.findChildren(QToolButton), self.title]
        for widget in every:
            widget.ensurePolished()
        shown: set[QWidget] = {button for button in sides if button.property("in_show") == present}
        shown.update([self.title] if present else [])
        shown.update(steps.wanted(player=not present))
        spare = [button for button in reversed(sides) if not button.property("in_show")]
        optional: list[Sequence[QWidget]] = [[self.title], [steps.speed], [steps.rows], [steps.first, steps.last]]
        optional += [[button] for button in spare if button.text()]
        optional += [[steps.previous, steps.next], [steps.play], steps.idle_pills()]
        optional += [[button] for button in spare]
        for group in optional:
            if self._needed(shown) <= self.width():
                break
            shown.difference_update(group)
        for widget in every:
            if widget.isHidden() == (widget in shown):
                widget.setVisible(widget in shown)

    def _needed(self, shown: Collection[QWidget]) -> int:
        """Return the width that these need; Qt's own hint lags behind until its next layout."""
        of_steps = [button for button in shown if button.parentWidget() is self.steps]
        margins = self._row.contentsMargins()
        gaps = len(of_steps) * self.theme.px(4) + (len(shown) - len(of_steps)) * self.theme.px(6)
        gaps += 4 * self._row.spacing() + margins.left() + margins.right()
        return sum(widget.sizeHint().width() for widget in shown) + gaps

    def _shown(self) -> list[QWidget]:
        widgets: list[QWidget] = [*self.findChildren(QToolButton), self.title]
        return [widget for widget in widgets if not widget.isHidden()]

    def event(self, event: QEvent) -> bool:
        """Look again when the buttons have learnt how wide they are."""
        done = super().event(event)
        if (
            event.type() == QEvent.Type.LayoutRequest
            and not self._fitting
            and self._needed(self._shown()) > self.width()
        ):
            self.fit()
        return done

    @guarded
    def resizeEvent(self, event: QResizeEvent) -> None:
        """Leave out what no longer fits."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self.fit()

    def _dress(self, button: QToolButton, name: str) -> None:
        if name:
            size = self.theme.px(16)
            colors = self.theme.colors
            button.setIcon(icon(name, colors.text, size, colors.on_accent))
            button.setIconSize(QSize(size, size))

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale."""
        self.theme = theme
        px = theme.px
        self._row.setContentsMargins(px(10), px(5), px(10), px(5))
        for side in (self._left, self._right):
            side.setSpacing(px(6))
        for button, name in self._icons:
            self._dress(button, name)
        self.title.setFont(theme.font(13, bold=True))
        palette = QPalette(self.title.palette())
        palette.setColor(QPalette.ColorRole.WindowText, theme.color("muted"))
        self.title.setPalette(palette)
        self.steps.set_theme(theme)
        self.fit()


def words_of(action: QAction) -> str:
    """Return what an action does, as its menu says it."""
    return action.text().split("\t")[0].replace("&", "")


def keys_of(action: QAction) -> str:
    """Return the keys of an action, empty where it has none."""
    return " or ".join(key.toString() for key in action.shortcuts()) or action.text().partition("\t")[2]


def tip_of(action: QAction) -> str:
    """Return what an action does, with its keys."""
    keys = keys_of(action)
    return f"{words_of(action)} ({keys})" if keys else words_of(action)


def _buttons(layout: QHBoxLayout) -> list[QToolButton]:
    items = (layout.itemAt(i) for i in range(layout.count()))
    widgets = [item.widget() for item in items if item is not None]
    return [widget for widget in widgets if isinstance(widget, QToolButton)]
