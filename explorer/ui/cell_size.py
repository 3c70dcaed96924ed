"""How large a cell is at a stage's unit: with digits where they are legible, plain colour where they are not."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from explorer.ui.theme import metrics_of

if TYPE_CHECKING:
    from explorer.ui.theme import Theme


class Unit(NamedTuple):
    """One size for a whole stage.

    `height` of an ordinary cell and its `font`, in pixels; `squeeze` is how far the large tables are pressed below
    their ideal size where there is no room for it. `legend_beside` says that a table is as wide as its name and its
    legend need it; else a legend that has no room beside the name stands below. `tight` is for layouts that are too
    large even so. `lean` tables make do with less, so that nothing is scrolled sideways: from 1 on numbers have a digit
    less and names of tokens are cut; of tables with a room the computed ones get half of it from 2 on, those that are
    typed into from 3 on, and all a quarter at 4.
    """

    height: float
    font: float = 13
    squeeze: float = 1.0
    legend_beside: bool = True
    tight: bool = False
    lean: int = 0

    def unpressed(self) -> Unit:
        """Return what of the unit decides how small tables look: not how far large ones are pressed, only whether."""
        return self if self.squeeze == 1 else self._replace(squeeze=0.0)

    def room_share(self, *, typed: bool) -> float:
        """Return how much of its room a table gets that has one, by whether it is typed into."""
        return {2: 1.0 if typed else 0.5, 3: 0.5, 4: 0.25}.get(self.lean, 1.0)


class CellSize(NamedTuple):
    """Width, height and font of a cell in pixels; `in_room` where a table of such cells is pressed into a room."""

    width: int
    height: int
    font: int
    in_room: bool = False
    legend_beside: bool = True
    #: The height before it was rounded, where cells are so small that rounding would waste much of the room.
    exact: float = 0.0


LARGE_HEIGHT, LARGE_FONT = 1.75, 1.22
#: From this size of digits on the words beside them grow with them, up to so many times their own size.
LARGE_DIGITS, MOST_GROWN = 16, 1.3
SMALL_HEIGHT, SMALL_IN_SHOW = 0.65, 0.6
#: Cells of so many pixels are whole pixels wide and high.
ROUNDED_FROM = 8
#: Cells lower than this, or narrower than so many times their font, hold no digits.
FEWEST_PIXELS, NARROWEST = 16, 2.3
#: How much higher than its font a cell with digits is at least.
OVER_DIGITS = 3
#: The room at either side of the digits, in their font: a lit cell is bold and has an outline inside.
BESIDE = 0.25
#: A thumbnail's cells hold digits when these make them at most so much wider than they are high.
SMALL_WIDEST = 1.6
#: How many widths are remembered; a number that is dragged has ever new texts.
WIDTHS_KEPT = 8192


def beside_digits(theme: Theme, unit: Unit) -> Theme:
    """Return the theme of the words around tables: beside large digits they grow, though by less."""
    grown = min(max(unit.font / theme.text_px(LARGE_DIGITS), 1.0), MOST_GROWN)
    return theme._replace(growth=theme.growth * round(grown * 16) / 16)


def cell_size(theme: Theme, unit: Unit, *, large: bool, text: str, square: bool) -> CellSize:
    """Return the size of a cell at the stage's unit.

    Cells that hold digits are as wide as `text` needs; below the smallest legible font they are plain colour and,
    for tables of scores, square.
    """
    exact = unit.height * (LARGE_HEIGHT * unit.squeeze if large else 1.0)
    height = max(int(exact), 1)
    smallest = theme.text_px(12)
    font = int(min(max(unit.font * LARGE_FONT * unit.squeeze, smallest), height * 0.62)) if large else int(unit.font)
    if height < smallest + OVER_DIGITS:
        cell = CellSize(height if square else max(height * 2, 3), height, smallest, legend_beside=unit.legend_beside)
        return cell._replace(exact=exact) if large and height < ROUNDED_FROM else cell
    font = max(font, smallest)
    width = text_width(font, text, bold=True) + 2 * max(theme.px(3), round(font * BESIDE))
    width = max(width, min(height, int(width * 1.25)) if square else 0)
    return CellSize(width, height, font, legend_beside=unit.legend_beside)


def small_cell(theme: Theme, unit: Unit, text: str) -> CellSize:
    """Return the size of a thumbnail's cell at the stage's unit.

    In a presentation text is twice as large; colours need not be.
    """
    share = SMALL_HEIGHT * (SMALL_IN_SHOW if theme.present else 1.0)
    height, smallest = max(int(unit.height * share), 3), theme.text_px(12)
    width = text_width(smallest, text) + theme.px(5)
    if height >= smallest + OVER_DIGITS and width <= height * SMALL_WIDEST:
        return CellSize(width, height, smallest)
    return CellSize(height, height, smallest)


def holds_digits(cell: CellSize, text: str = "") -> bool:
    """Say whether a cell is large enough for digits, or for this text of some."""
    needed = text_width(cell.font, text) + 2 if text else cell.font * NARROWEST
    return cell.height >= max(FEWEST_PIXELS, cell.font + OVER_DIGITS) and cell.width >= needed


@lru_cache(maxsize=WIDTHS_KEPT)
def text_width(px: int, text: str, *, bold: bool = False) -> int:
    """Return the width of a text in the app's font; a stage that looks for its unit asks for the same many times."""
    return metrics_of(px, bold).horizontalAdvance(text)
