"""The line icons: drawn once for what is on screen, and not kept for every size and colour that there ever was."""

import weakref

from explorer.ui.icons import KEPT, icon


def test_an_icon_is_drawn_once(qapp):
    assert icon("play", "#123456", 16) is icon("play", "#123456", 16)


def test_icons_that_nobody_shows_any_more_are_let_go_of(qapp):
    old = weakref.ref(icon("play", "#123456", 16))
    assert old() is not None
    for size in range(17, 17 + KEPT):
        icon("play", "#123456", size)
    assert old() is None
