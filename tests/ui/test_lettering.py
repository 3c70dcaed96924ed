"""Texts that are laid out once look as those that Qt lays out at every drawing."""

import random

import pytest
from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QImage, QPainter

from explorer.ui import lettering
from explorer.ui import theme as themes
from explorer.ui.lettering import CENTER, MIDDLE

TEXTS = ("−12.50", "0.03", "bank", "·gq Ay", "−∞", "<.001", " × ", "", "a & b", "<b>no markup</b>")
SIZES = (12, 13, 15, 20, 26)


def painted(font, draw) -> QImage:
    image = QImage(QSize(300, 90), QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(Qt.GlobalColor.white)
    painter = QPainter(image)
    painter.setFont(font)
    draw(painter)
    painter.end()
    return image


@pytest.mark.parametrize("bold", [False, True])
@pytest.mark.parametrize("px", SIZES)
def test_a_text_looks_as_qt_draws_it(qapp, px: int, bold: bool) -> None:
    chance = random.Random(px)
    letters = lettering.lettering(px, bold)
    for text in TEXTS:
        # Some rooms are too small for some texts.
        room = QRect(chance.randrange(40), chance.randrange(20), chance.randrange(8, 150), chance.randrange(8, 50))
        for ours, theirs in (
            (
                lambda painter: letters.centered_in(painter, room, text),  # noqa: B023
                lambda painter: painter.drawText(room, CENTER, text),  # noqa: B023
            ),
            (
                lambda painter: letters.beside(painter, room, text),  # noqa: B023
                lambda painter: painter.drawText(room, MIDDLE, text),  # noqa: B023
            ),
            (
                lambda painter: letters.on_line(painter, 20, 60, text),  # noqa: B023
                lambda painter: painter.drawText(QPoint(20, 60), text),  # noqa: B023
            ),
        ):
            assert painted(letters.font, ours) == painted(letters.font, theirs), (text, room)


def test_no_more_texts_are_kept_than_may_be(qapp) -> None:
    letters = lettering.lettering(13)

    def draw(painter: QPainter) -> None:
        for i in range(lettering.KEPT + 100):
            letters.on_line(painter, 0, 20, f"{i}")

    painted(letters.font, draw)
    assert lettering._laid_out.cache_info().currsize <= lettering.KEPT


def test_nothing_is_kept_for_sizes_that_are_no_longer_shown(qapp) -> None:
    theme = themes.make("light", 150)
    themes.apply(qapp, theme)
    letters = lettering.lettering(theme.text_px(13))
    assert lettering.lettering(theme.text_px(13)) is letters
    themes.apply(qapp, themes.make("light"))
    assert lettering.lettering.cache_info().currsize == 0
    assert lettering.lettering(theme.text_px(13)) is not letters
