"""The stylesheet of the chrome: buttons, pills, fields, menus. Colours and sizes come from the theme alone.

It is given to bars, panels and dialogs one by one and never to the window: what is under a stylesheet costs Qt three
times the memory and the time, and a stage of matrices paints itself.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QAbstractScrollArea, QFrame, QLineEdit

from explorer.ui.theme import FAMILY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from PySide6.QtWidgets import QWidget

    from explorer.ui.theme import Theme


def dress(widget: QWidget, theme: Theme, more: str = "") -> None:
    """Give a bar, a panel or a dialog the stylesheet of the chrome, and rules of its own after it."""
    widget.setStyleSheet(stylesheet(theme) + more)


def undress(whole: QWidget) -> None:
    """Let Qt forget what it found out about a widget under stylesheets that is about to be deleted.

    What rules come to is kept for every part of it and dropped when the part goes, except for parts that Qt does not
    style by themselves: the field of a number box, what a list opens in, what scrolls. Their entries, 1 kB each, would
    stay as long as the process. A stylesheet of its own makes a part one whose end Qt waits for.
    """
    for part in _unstyled(whole):
        if part.style().inherits("QStyleSheetStyle"):
            part.setStyleSheet(" ")


def _unstyled(whole: QWidget) -> Iterator[QWidget]:
    yield from whole.findChildren(QLineEdit)
    for area in whole.findChildren(QAbstractScrollArea):
        yield area.viewport()
        if isinstance(holder := area.parentWidget(), QFrame):
            yield holder


def stylesheet(theme: Theme) -> str:
    """Return the stylesheet of the chrome for this theme and scale."""
    c, px = theme.colors, theme.px
    size = theme.text_px(13)
    line = max(px(1), 1)
    # The ring of the focus is wider than a border; what it takes is taken from the padding, so that nothing moves.
    ring = max(px(2), line + 1)
    wider = ring - line
    strong = theme.name == "contrast"
    return f"""
* {{ font-family: "{FAMILY}"; font-size: {size}px; }}
QMainWindow, QDialog {{ background: {c.window}; }}
QMenuBar {{ background: {c.window}; color: {c.text}; padding: 0 {px(6)}px; }}
QMenuBar::item {{ padding: {px(3)}px {px(9)}px; background: transparent; border-radius: {px(4)}px; }}
QMenuBar::item:selected {{ background: {c.card}; }}
QMenu {{ background: {c.panel}; color: {c.text}; border: {line}px solid {c.border}; padding: {px(4)}px; }}
QMenu::item {{ padding: {px(4)}px {px(22)}px {px(4)}px {px(18)}px; border-radius: {px(4)}px; }}
QMenu::item:selected {{ background: {c.accent}; color: {c.on_accent}; }}
QMenu::item:disabled {{ color: {c.muted}; }}
QMenu::separator {{ height: {line}px; background: {c.border}; margin: {px(4)}px; }}
#topbar {{ background: {c.window}; border-top: {line}px solid {c.border}; border-bottom: {line}px solid {c.border}; }}
#statusline {{ background: {c.window}; border-top: {line}px solid {c.border}; }}
#recovery {{ background: {c.card}; border-bottom: {line}px solid {c.border}; }}
QLabel[role="control"], QLabel[role="status"] {{ color: {c.muted}; }}
QToolButton, QPushButton {{
  background: {c.card}; color: {c.text}; border: {line}px solid {c.border}; border-radius: {px(6)}px;
  padding: {px(3)}px {px(10)}px; min-height: {px(18)}px; }}
QToolButton:hover, QPushButton:hover {{ border-color: {c.accent}; }}
QToolButton:pressed, QPushButton:pressed {{ background: {c.border}; }}
QToolButton:disabled, QPushButton:disabled {{ color: {c.muted}; border-color: {c.border}; background: transparent; }}
QToolButton:checked {{ background: {c.accent}; color: {c.on_accent}; border-color: {c.accent}; }}
QToolButton:focus, QPushButton:focus {{ border: {ring}px solid {c.accent}; outline: none;
  padding: {px(3) - wider}px {px(10) - wider}px; }}
QToolButton:checked:focus, QPushButton:checked:focus {{ border: {ring}px dashed {c.on_accent}; }}
QCheckBox:focus {{ border-color: {c.accent}; outline: none; }}
QToolButton[icon="true"] {{ padding: {px(3)}px {px(5)}px; }}
QToolButton[icon="true"]:focus {{ padding: {px(3) - wider}px {px(5) - wider}px; }}
QToolButton[step="true"] {{ padding: 0 {px(2)}px; min-width: {px(12)}px; color: {c.muted}; background: transparent; }}
QToolButton[flat="true"] {{ background: transparent; border-color: transparent; padding: {px(3)}px; }}
QToolButton[flat="true"]:hover, QToolButton[flat="true"]:focus {{ border-color: {c.accent}; }}
QToolButton[flat="true"]:focus {{ padding: {px(3) - wider}px; }}
QToolButton[pill="true"] {{ border-radius: {px(12)}px; padding: {px(2)}px {px(11)}px; background: {c.card}; border-color: {c.card if not strong else c.border}; }}
QToolButton[pill="true"]:checked {{ background: {c.accent}; color: {c.on_accent}; border-color: {c.accent}; font-weight: 600; }}
QToolButton[pill="true"][ahead="true"] {{ color: {c.muted}; background: transparent; border-color: {c.border}; }}
QToolButton[pill="true"]:focus {{ border-color: {c.accent}; padding: {px(2) - wider}px {px(11) - wider}px; }}
QToolButton[pill="true"]:checked:focus {{ border-color: {c.on_accent}; }}
QPushButton[primary="true"] {{ background: {c.accent}; color: {c.on_accent}; border-color: {c.accent}; }}
QToolButton[segment="first"] {{ border-top-right-radius: 0; border-bottom-right-radius: 0; }}
QToolButton[segment="middle"] {{ border-radius: 0; border-left-width: 0; }}
QToolButton[segment="last"] {{ border-top-left-radius: 0; border-bottom-left-radius: 0; border-left-width: 0; }}
QToolButton[segment="middle"]:focus, QToolButton[segment="last"]:focus {{ border-left-width: {ring}px; padding-left: {px(10) - ring}px; }}
QCheckBox {{ color: {c.text}; spacing: {px(6)}px; border: {line}px solid transparent; border-radius: {px(4)}px; padding: {px(2)}px; }}
QCheckBox::indicator {{ width: {px(14)}px; height: {px(14)}px; border: {max(px(1.5), 1)}px solid {c.muted}; border-radius: {px(4)}px; background: {c.card}; }}
QCheckBox::indicator:checked {{ background: {c.accent}; border-color: {c.accent}; }}
QLineEdit, QSpinBox, QDoubleSpinBox, QComboBox {{
  background: {c.card}; color: {c.text}; border: {line}px solid {c.border}; border-radius: {px(5)}px; padding: {px(2)}px {px(6)}px;
  min-height: {px(18)}px; selection-background-color: {c.accent}; selection-color: {c.on_accent}; }}
QLineEdit:focus, QComboBox:focus {{ border: {ring}px solid {c.accent}; padding: {px(2) - wider}px {px(6) - wider}px; }}
QSpinBox:focus, QDoubleSpinBox:focus {{ border: {ring}px solid {c.accent}; }}
QSpinBox QLineEdit, QDoubleSpinBox QLineEdit, QComboBox QLineEdit {{ border: none; padding: 0; background: transparent; min-height: 0; }}
QSpinBox, QDoubleSpinBox {{ padding: {px(2)}px {px(2)}px; }}
QSpinBox:focus, QDoubleSpinBox:focus {{ padding: {px(2) - wider}px {px(2) - wider}px; }}
QSpinBox::up-button, QSpinBox::down-button, QDoubleSpinBox::up-button, QDoubleSpinBox::down-button {{ width: 1px; border: none; background: transparent; }}
QSpinBox::up-arrow, QSpinBox::down-arrow, QDoubleSpinBox::up-arrow, QDoubleSpinBox::down-arrow {{ image: none; width: 0; height: 0; }}
QComboBox::drop-down {{ border: none; width: {px(16)}px; }}
QComboBox QAbstractItemView {{ background: {c.panel}; color: {c.text}; selection-background-color: {c.accent}; selection-color: {c.on_accent}; border: {line}px solid {c.border}; }}
QTableWidget {{ background: {c.panel}; color: {c.text}; border: {line}px solid {c.border}; border-radius: {px(6)}px; }}
QTableWidget::item {{ padding: {px(3)}px {px(8)}px; }}
QHeaderView::section {{ background: {c.panel}; color: {c.muted}; border: none; border-bottom: {line}px solid {c.border}; padding: {px(4)}px {px(8)}px; }}
QListWidget {{ background: {c.panel}; color: {c.text}; border: {line}px solid {c.border}; border-radius: {px(6)}px; outline: none; }}
QSlider::groove:horizontal {{ height: {px(4)}px; background: {c.border}; border-radius: {px(2)}px; }}
QSlider::sub-page:horizontal {{ background: {c.accent}; border-radius: {px(2)}px; }}
QSlider::handle:horizontal {{ width: {px(14)}px; height: {px(14)}px; margin: -{px(5)}px 0; border-radius: {px(7)}px; background: {c.text}; border: {line}px solid {c.window}; }}
QSlider::handle:horizontal:focus {{ border: {max(px(2), 2)}px solid {c.accent}; }}
QSlider {{ min-height: {px(20)}px; }}
QScrollBar:vertical {{ background: transparent; width: {px(10)}px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: {px(10)}px; margin: 0; }}
QScrollBar::handle {{ background: {c.muted if strong else c.border}; border-radius: {px(4)}px; min-height: {px(24)}px; min-width: {px(24)}px; }}
QScrollBar::handle:hover {{ background: {c.muted}; }}
QScrollBar::add-line, QScrollBar::sub-line, QScrollBar::add-page, QScrollBar::sub-page {{ background: none; border: none; width: 0; height: 0; }}
QFrame[popup="true"] {{ background: {c.panel}; border: {line}px solid {c.border}; border-radius: {px(6)}px; }}
QListWidget {{ background: {c.card}; color: {c.text}; border: {line}px solid {c.border}; border-radius: {px(5)}px; outline: none; }}
QToolTip {{ background: {c.card}; color: {c.text}; border: {line}px solid {c.border}; padding: {px(4)}px; }}
"""
