"""Where the tables of a "parts" view stand: cell sizes, which parts there is room for, and every rectangle.

Tables of one line share their cells' size and the height at which their rows begin. Nothing is painted here.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QRect, QSize
from PySide6.QtGui import QFontMetrics

from explorer.concepts.shown.parts import Cut
from explorer.ui.cell_size import CellSize, Unit, cell_size, text_width

if TYPE_CHECKING:
    from collections.abc import Iterator

    from explorer.concepts.shown.parts import Part, Parts
    from explorer.ui.theme import Theme

#: With more rows than this they are pressed, as colours alone, into the room of so many ordinary ones.
MOST_ROWS, PRESSED_ROWS = 8, 6
#: The same for the columns of one part.
MOST_COLUMNS = 14
#: Parts that are not worth making all cells of the page smaller for.
MOST_WISHED = 6
TEXT = "−0.00"


@dataclass(frozen=True, slots=True)
class PlacedTable:
    """A table on its place.

    `part` is which part it belongs to, the number of parts for the result; `item` is which of its items it is, and
    `meets` how it meets that: "above" or "before", empty for the item itself.
    """

    cut: Cut
    rect: QRect
    title: QRect
    part: int
    item: int
    meets: str = ""

    def of(self, parts: Parts) -> PlacedTable:
        """Return the same place with the table that stands there in other parts of the same shape."""
        items = parts.parts[self.part].items if self.part < len(parts.parts) else parts.result
        found = items[self.item]
        assert isinstance(found, Cut)
        met = {"above": found.above, "before": found.before}.get(self.meets, found)
        assert met is not None
        return replace(self, cut=met)


@dataclass(frozen=True, slots=True)
class PlacedPart:
    """A part's frame and the line of words at its top."""

    part: int
    rect: QRect
    words: QRect


@dataclass(frozen=True, slots=True)
class PlacedSign:
    """A sign between tables."""

    text: str
    rect: QRect
    part: int


@dataclass(frozen=True, slots=True)
class Plan:
    """Everything on its place.

    `first` and `last` are the pieces on show: parts, or the result after the last part. `more` is where the others are
    spoken of, and how many parts they are; 0 is the result alone.
    """

    cell: CellSize
    tables: tuple[PlacedTable, ...]
    parts: tuple[PlacedPart, ...]
    signs: tuple[PlacedSign, ...]
    result_words: QRect | None
    first: int
    last: int
    more: tuple[tuple[QRect, int], ...]


def shape_of(parts: Parts) -> tuple[object, ...]:
    """Return all that decides where things stand, so that equal ones need not be placed again."""

    def line(items: tuple[Cut | str, ...]) -> tuple[object, ...]:
        return tuple(one if isinstance(one, str) else _shape_of_cut(one) for one in items)

    pieces = tuple((part.title, bool(part.says), line(part.items)) for part in parts.parts)
    return pieces, parts.joint, line(parts.result), parts.result_says


def _shape_of_cut(one: Cut | None) -> object:
    return None if one is None else (one.values.shape, one.title, _shape_of_cut(one.above), _shape_of_cut(one.before))


def _cuts(part: Part) -> list[Cut]:
    return [item for item in part.items if isinstance(item, Cut)]


class Measure:
    """The sizes of one picture at one unit."""

    def __init__(self, parts: Parts, theme: Theme, unit: Unit) -> None:
        self.parts, self.theme = parts, theme
        px = theme.px
        self.small = QFontMetrics(theme.font(12))
        self.sign_font = QFontMetrics(theme.font(17, bold=True))
        self.gap, self.inner, self.pad = px(10), px(5), px(7)
        everything = [*(cut for part in parts.parts for cut in _cuts(part)), *self._result_cuts()]
        self.framed = any(part.title for part in parts.parts)
        self.worded = bool(parts.result_says) or any(part.title or part.says for part in parts.parts)
        self.rows = max((len(cut.values) for cut in everything), default=0)
        self.above = max((len(cut.above.values) for cut in everything if cut.above is not None), default=0)
        self.cell = self._cell(unit, everything)

    def _result_cuts(self) -> list[Cut]:
        return [item for item in self.parts.result if isinstance(item, Cut)]

    def _cell(self, unit: Unit, cuts: list[Cut]) -> CellSize:
        cell = cell_size(self.theme, unit, large=False, text=TEXT, square=False)
        # Its many tables stand close together: digits have less room around them than elsewhere.
        cell = cell._replace(width=min(cell.width, text_width(cell.font, TEXT, bold=True) + self.theme.px(4)))
        height, width, rows = cell.height, cell.width, self.rows + self.above
        widest = max([*(self._columns(part) for part in self.parts.parts), *map(self._columns_of, cuts)], default=0)
        if rows > MOST_ROWS:
            height = max(height * PRESSED_ROWS // rows, 1)
            # Without digits nothing is gained by wide cells.
            width = min(width, max(2 * height, self.theme.px(5)))
        if widest > MOST_COLUMNS:
            width = min(width, max(cell.width * MOST_COLUMNS // widest, 1))
        return cell._replace(width=width, height=height)

    @staticmethod
    def _columns_of(cut: Cut) -> int:
        return int(cut.values.shape[1] + (cut.before.values.shape[1] if cut.before is not None else 0))

    def _columns(self, part: Part) -> int:
        return sum(self._columns_of(cut) for cut in _cuts(part))

    # --- heights ---

    @property
    def words_height(self) -> int:
        """Return the height of the line of words over each part."""
        return self.small.height() + self.theme.px(2) if self.worded else 0

    @property
    def titled(self) -> int:
        """Return the height of a table's title."""
        return self.small.height()

    def top_of_rows(self) -> int:
        """Return how far below the view's top the tables' rows begin."""
        # The title beside a table above is one line high, however low the table is.
        above = max(self.above * self.cell.height, self.titled) + self.theme.px(3) if self.above else 0
        return (self.pad if self.framed else 0) + self.words_height + above + self.titled

    def height(self) -> int:
        """Return the height of the picture."""
        return self.top_of_rows() + self.rows * self.cell.height + (self.pad if self.framed else 0)

    # --- widths ---

    def table_width(self, cut: Cut) -> int:
        """Return the width of a table with the one before it, no narrower than its title."""
        own = max(int(cut.values.shape[1]) * self.cell.width, self.small.horizontalAdvance(cut.title))
        return own + self.before_width(cut)

    def before_width(self, cut: Cut) -> int:
        """Return how far a table stands to the right of its place because of the one before it."""
        if cut.before is None:
            return 0
        own = int(cut.before.values.shape[1]) * self.cell.width
        return max(own, self.small.horizontalAdvance(cut.before.title)) + self.inner

    def sign_width(self, text: str) -> int:
        """Return the width of a sign with its margins."""
        return self.sign_font.horizontalAdvance(text) + self.gap if text else self.gap

    def items_width(self, items: tuple[Cut | str, ...]) -> int:
        """Return the width of tables and signs in a line."""
        total, before = 0, False
        for item in items:
            if isinstance(item, str):
                total, before = total + self.sign_width(item), False
            else:
                total += self.table_width(item) + (self.gap if before else 0)
                before = True
        return total

    def part_width(self, part: Part) -> int:
        """Return the width of a part."""
        frame = 2 * self.pad if self.framed else 0
        return max(self.items_width(part.items), self.small.horizontalAdvance(part.title)) + frame

    def piece_width(self, at: int) -> int:
        """Return the width of a part, or of the result, which comes after the last of them."""
        if at < len(self.parts.parts):
            return self.part_width(self.parts.parts[at])
        return max(self.items_width(self.parts.result), self.small.horizontalAdvance(self.parts.result_says))

    @property
    def pieces(self) -> int:
        """How many pieces there are to place: the parts and the result."""
        return len(self.parts.parts) + bool(self.parts.result)

    def joint_before(self, at: int) -> str:
        """Return the sign before a piece; the result brings its own."""
        return self.parts.joint if at < len(self.parts.parts) else ""

    def more_width(self) -> int:
        """Return the width of the words that stand for what there is no room for."""
        return self.small.horizontalAdvance("… 64 more") + self.gap

    def width_of(self, first: int, last: int) -> int:
        """Return the width of the pieces from `first` to `last`, with the words that stand for the others."""
        joints = sum(self.sign_width(self.joint_before(at)) for at in range(first + 1, last + 1))
        total = sum(self.piece_width(at) for at in range(first, last + 1)) + joints
        return total + self.more_width() * ((first > 0) + (last < self.pieces - 1))

    def leading(self, room: int) -> int:
        """Return how many of the first pieces there is room for, at least one; 0 stands for a room nobody knows."""
        wished = range(min(self.pieces, MOST_WISHED), 0, -1)
        fitting = (shown for shown in wished if room <= 0 or self.width_of(0, shown - 1) <= room)
        return next(fitting, min(self.pieces, 1))

    def size_of(self, shown: int) -> QSize:
        """Return the size at which so many of the first pieces are seen."""
        return QSize(self.width_of(0, shown - 1), self.height()) if shown else QSize(0, 0)

    def window(self, room: int, wanted: int) -> tuple[int, int]:
        """Return the first and the last piece of those that fit the room, with the wanted one among them."""
        first = last = min(max(wanted, 0), self.pieces - 1)
        grown = True
        while grown:
            grown = False
            for low, high in ((first, last + 1), (first - 1, last)):
                if low >= 0 and high < self.pieces and self.width_of(low, high) <= room:
                    first, last, grown = low, high, True
                    break
        return first, last


def wish(parts: Parts, theme: Theme, unit: Unit, room: int) -> QSize:
    """Return the size that a picture wants at a unit.

    It wants all pieces that could be seen at the smallest legible unit; where these are not all, the whole room.
    """
    smallest = theme.text_px(12)
    least = Measure(parts, theme, Unit(smallest + theme.px(5), smallest))
    shown = least.leading(room)
    size = Measure(parts, theme, unit).size_of(shown)
    return size if shown == least.pieces else QSize(max(size.width(), room), size.height())


def plan(measure: Measure, room: QSize, wanted: int) -> Plan:
    """Place everything in a room of this size, with the wanted piece on show."""
    first, last = measure.window(room.width(), wanted)
    parts, height = measure.parts.parts, measure.height()
    top = max((room.height() - height) // 2, 0)
    x = max((room.width() - measure.width_of(first, last)) // 2, 0)
    tables: list[PlacedTable] = []
    frames: list[PlacedPart] = []
    signs: list[PlacedSign] = []
    more: list[tuple[QRect, int]] = []
    pad, words = measure.pad if measure.framed else 0, None
    if first > 0:
        more.append((QRect(x, top, measure.more_width(), height), first))
        x += measure.more_width()
    for at in range(first, last + 1):
        if at > first:
            sign = measure.joint_before(at)
            if sign:
                signs.append(PlacedSign(sign, _line(measure, x, top, measure.sign_width(sign)), at))
            x += measure.sign_width(sign)
        width = measure.piece_width(at)
        inside = QRect(x, top + pad, width, measure.words_height)
        if at < len(parts):
            inside.adjust(pad, 0, -pad, 0)
            frames.append(PlacedPart(at, QRect(x, top, width, height), inside))
            _place_items(measure, parts[at].items, x + pad, top, at, tables, signs)
        else:
            words = inside
            _place_items(measure, measure.parts.result, x, top, at, tables, signs)
        x += width
    if last < measure.pieces - 1:
        more.append((QRect(x, top, measure.more_width(), height), len(parts) - 1 - last))
    return Plan(measure.cell, tuple(tables), tuple(frames), tuple(signs), words, first, last, tuple(more))


def _line(measure: Measure, x: int, top: int, width: int) -> QRect:
    """Return the box of a sign: as high as the rows."""
    return QRect(x, top + measure.top_of_rows(), width, max(measure.rows * measure.cell.height, measure.titled))


def _place_items(
    measure: Measure,
    items: tuple[Cut | str, ...],
    x: int,
    top: int,
    part: int,
    tables: list[PlacedTable],
    signs: list[PlacedSign],
) -> None:
    before = False
    for at, item in enumerate(items):
        if isinstance(item, str):
            width = measure.sign_width(item)
            signs.append(PlacedSign(item, _line(measure, x, top, width), part))
            before = False
        else:
            x += measure.gap if before else 0
            width = measure.table_width(item)
            tables += _place_table(measure, item, (x, top), (part, at), width)
            before = True
        x += width


def _place_table(
    measure: Measure, item: Cut, corner: tuple[int, int], source: tuple[int, int], width: int
) -> Iterator[PlacedTable]:
    x, top = corner
    cell, rows_top = measure.cell, top + measure.top_of_rows()
    left = x + measure.before_width(item)
    titled = measure.titled

    def placed(table: Cut, at: int, y: int, meets: str = "", title: QRect | None = None) -> PlacedTable:
        rows, columns = table.values.shape
        rect = QRect(at, y, columns * cell.width, rows * cell.height)
        over = QRect(at, y - titled, max(width, rect.width()), titled)
        return PlacedTable(table, rect, over if title is None else title, *source, meets)

    if item.before is not None:
        yield placed(item.before, x, rows_top, "before")
    if item.above is not None:
        bottom = rows_top - titled - measure.theme.px(3)
        # Its title stands to its left: nothing else does, and a line is saved.
        room = measure.small.horizontalAdvance(item.above.title)
        beside = QRect(left - measure.inner - room, bottom - titled, room, titled)
        yield placed(item.above, left, bottom - len(item.above.values) * cell.height, "above", beside)
    yield placed(item, left, rows_top)
