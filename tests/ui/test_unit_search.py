"""A layout is drawn at the largest unit that its room holds, and is pressed no further than it has to be."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from PySide6.QtCore import QSize

from explorer.ui import theme as themes
from explorer.ui.matrix_panel import Unit
from explorer.ui.unit_search import DIGITS_AT_LEAST, SQUEEZES, UnitSearch, largest_that_fits

BAR = 12
ROOMS = st.builds(QSize, st.integers(200, 2000), st.integers(150, 1200))


def one_table(rows: int, columns: int) -> Callable[[Unit, int], QSize]:
    """Return what a layout of one large table measures, whose rows scroll where they are higher than they may be."""

    def measure(unit: Unit, max_height: int) -> QSize:
        width = round(columns * unit.font * 2.5 * unit.squeeze)
        height = round(rows * unit.height * unit.squeeze)
        return QSize(width, min(height, max_height))

    return measure


def search(rows: int, columns: int, degrees: tuple[float, ...] = SQUEEZES) -> UnitSearch:
    return UnitSearch(one_table(rows, columns), themes.make("light"), degrees, BAR)


@given(st.integers(0, 100), st.integers(0, 100), st.integers(-10, 120))
def test_the_largest_that_fits_is_found(low: int, more: int, limit: int) -> None:
    high = low + more
    assert largest_that_fits(low, high, lambda n: n <= limit) == max(low, min(high, limit))


@given(st.integers(1, 64), st.integers(1, 64), ROOMS)
def test_what_is_chosen_fits_where_anything_does(rows: int, columns: int, room: QSize) -> None:
    unit, size = search(rows, columns).chosen(room)
    assert size == one_table(rows, columns)(unit, room.height())
    assert size.width() <= room.width()
    assert size.height() <= room.height()


@given(st.integers(1, 64), st.integers(1, 64), ROOMS)
def test_nothing_is_pressed_that_would_fit_without(rows: int, columns: int, room: QSize) -> None:
    looking = search(rows, columns)
    theme, height = looking.theme, room.height()
    unit, _ = looking.chosen(room)
    least = Unit(theme.text_px(12) + theme.px(5), theme.text_px(12), legend_beside=False)
    whole = looking.measure(least, 1_000_000)
    if whole.width() <= room.width() and whole.height() <= height:
        assert unit.squeeze == 1
    elif unit.squeeze < DIGITS_AT_LEAST:
        assert not looking.fits(least._replace(squeeze=1.0), room, 1_000_000)


@given(st.integers(1, 12), st.integers(1, 12), ROOMS)
def test_a_larger_room_never_makes_the_font_smaller(rows: int, columns: int, room: QSize) -> None:
    looking = search(rows, columns)
    small, _ = looking.chosen(room)
    large, _ = looking.chosen(room + QSize(60, 40))
    if small.squeeze == large.squeeze == 1:
        assert large.font >= small.font


def test_what_is_too_high_at_a_large_scale_scrolls_downwards_and_keeps_its_letters() -> None:
    theme, room = themes.make("light", 200), QSize(400, 200)
    unit, size = UnitSearch(lambda unit, _: one_table(30, 4)(unit, 1_000_000), theme, SQUEEZES[:4], BAR).chosen(room)
    assert unit.font == theme.text_px(12)
    assert unit.squeeze >= DIGITS_AT_LEAST
    assert size.height() > room.height()
    assert size.width() <= room.width() - BAR
