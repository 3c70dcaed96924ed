"""The bar that offers what a process that died has left: take it over, throw it away, or leave it for later."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton

if TYPE_CHECKING:
    from explorer.ui.theme import Theme
    from explorer.workbench.recovery import Recoverable


class RecoveryBar(QFrame):
    """Offers one document after the other, the newest first; it is hidden while there is none.

    Signals
    -------
    recovered(Recoverable)
        This one is wanted; whoever hears it calls `drop` when it is open.
    """

    recovered = Signal(object)

    def __init__(self, theme: Theme) -> None:
        super().__init__()
        self._offered: list[Recoverable] = []
        self.setObjectName("recovery")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self.words = QLabel()
        self.words.setTextFormat(Qt.TextFormat.PlainText)
        self.words.setWordWrap(True)
        self.recover = self._button("recover", "Recover", self._recover)
        self.recover.setProperty("primary", True)
        self.discard = self._button("discard", "Discard", self._discard)
        self.later = self._button("later", "Not now", self.let_go)
        self._line = QHBoxLayout(self)
        self._line.addWidget(self.words, 1)
        for button in (self.recover, self.discard, self.later):
            self._line.addWidget(button)
        self.set_theme(theme)

    def _button(self, name: str, text: str, slot: object) -> QPushButton:
        button = QPushButton(text)
        button.setObjectName(name)
        button.clicked.connect(slot)
        return button

    def offer(self, found: list[Recoverable]) -> None:
        """Offer these, besides what is offered already."""
        self._offered += found
        self._show()

    def drop(self, what: Recoverable) -> None:
        """Offer this one no more."""
        self._offered = [one for one in self._offered if one is not what]
        self._show()

    def let_go(self) -> None:
        """Leave everything that is offered for the next start."""
        for one in self._offered:
            one.release()
        self._offered = []
        self._show()

    def _recover(self) -> None:
        if self._offered:
            self.recovered.emit(self._offered[0])

    def _discard(self) -> None:
        if self._offered:
            what = self._offered[0]
            what.discard()
            self.drop(what)

    def _show(self) -> None:
        if self._offered:
            self.words.setText(_sentence(self._offered[0], len(self._offered) - 1))
        self.setVisible(bool(self._offered) and not self._present)

    def set_theme(self, theme: Theme) -> None:
        """Take another theme or scale; in a show nobody is asked about yesterday."""
        px, self._present = theme.px, theme.present
        self._line.setContentsMargins(px(14), px(6), px(10), px(6))
        self._line.setSpacing(px(8))
        self._show()


def _sentence(what: Recoverable, more: int) -> str:
    """Say what was left: whose changes, and of when."""
    changed = what.changed.astimezone()
    same_day = changed.date() == datetime.now().astimezone().date()
    when = f"today at {changed:%H:%M}" if same_day else f"on {changed:%d %B at %H:%M}"
    subject = "A document without a name was" if what.document is None else f"Changes to {what.document.name} were"
    others = f" {more} more after this." if more else ""
    return f"{subject} left unsaved when the app ended, {when}.{others}"
