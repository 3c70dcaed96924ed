"""What stands on the screen after any actions is what painting everything anew would give."""

import numpy as np
import pytest
from PySide6.QtGui import QImage, QPixmap
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from tests.journeys.actor import Actor
from tests.ui.conftest import MakeWindow

#: What changes numbers and marks; other sizes, themes and tabs paint everything anew by themselves.
CHANGING = {"_key", "_type", "_click", "_hover", "_drag", "_paste", "_control", "_undo", "_follow", "_step"}
LOOK_EVERY = 6


def pixels(pixmap: QPixmap) -> np.ndarray:
    image = pixmap.toImage().convertToFormat(QImage.Format.Format_RGB32)
    rows = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), -1)
    return rows[:, : image.width()] & 0xFFFFFF


@pytest.mark.slow
@pytest.mark.parametrize("slug", ["causal-mask", "full-attention", "multi-head", "multi-query", "previous-token-head"])
def test_nothing_old_is_left_on_the_screen(qtbot: QtBot, make_window: MakeWindow, slug: str) -> None:
    window = make_window(slug)
    actor = Actor(window, 7)
    actor._acts = [(weight, act) for weight, act in actor._acts if act.__name__ in CHANGING]
    for done in range(60):
        actor.act()
        if done % LOOK_EVERY == 0:
            for _ in range(3):
                QApplication.sendPostedEvents()
                QApplication.processEvents()
            screen = window.screen().grabWindow(window.winId(), 0, 0, window.width(), window.height())
            different = np.argwhere(pixels(screen) != pixels(window.grab()))
            assert not different.size, (actor.done[-LOOK_EVERY:], different[0], different[-1])
