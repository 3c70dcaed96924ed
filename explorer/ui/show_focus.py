"""What a presentation shows where it has no room for everything: what the step is about, and what else fits beside it.

Views are taken up in the order of how much they have to do with the step, as long as its own can still be read from
the last row of a hall.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, NamedTuple

from explorer.concepts import declaration as d
from explorer.ui.cell_size import Unit
from explorer.ui.unit_search import DIGITS_AT_LEAST, largest_that_fits

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from PySide6.QtCore import QSize

    from explorer.concepts.declaration import Concept
    from explorer.ui.stage_canvas import StageCanvas

#: How far the step's own digits, or tables that are pressed anyway, may shrink for the sake of other views; and the
#: size, in the smallest letters, from which digits need not grow.
SHRINK, LARGE_ENOUGH = 0.75, 1.15
#: How far pictures of many heads may shrink for others: they have no digits that could be read instead.
PRESSED_SHRINK = 0.9
#: The same for views that have little to do with the step.
REST_SHRINKS = 0.95
#: Roles whose tables belong together.
PARTS = ("query", "key", "value")
#: Tables pressed no further than this keep their digits in a presentation.
WITH_DIGITS = 0.85


class Subject(NamedTuple):
    """What a presentation is about at a moment.

    Attributes
    ----------
    about : frozenset of str
        The arrays of the step: their views are shown in any case.
    told : str
        The array of the cell whose trace is told, which is taken up first; empty where there is none.
    asked : bool
        Whether somebody has pinned that cell: then it is shown in any case, though the step be small beside it.
    hidden : frozenset of str
        Arrays that the steps have not come to.
    """

    about: frozenset[str]
    told: str
    asked: bool
    hidden: frozenset[str]


def arrays_of(view: d.View) -> tuple[str, ...]:
    """Return the arrays that a leaf of a layout shows or belongs to."""
    if isinstance(view, d.Matrix):
        return (view.array,)
    return () if isinstance(view, d.Row | d.Column | d.Arrow) else view.arrays


def views_in_show(canvas: StageCanvas, concept: Concept, subject: Subject, room: QSize) -> frozenset[int] | None:
    """Return the ids of the layout's leaves that a presentation shows; None when there is room for all.

    Parameters
    ----------
    canvas : StageCanvas
        The layout; which of its leaves are visible is changed while sizes are measured.
    concept : Concept
        The tab.
    subject : Subject
        What the presentation is about.
    room : QSize
        The room of the stage.
    """
    canvas.focus(None)
    if not canvas.crowded(room):
        return None
    leaves: list[d.View] = [view for view in d.views(concept.layout) if not isinstance(view, d.Arrow)]
    about = _with_views(concept, subject.about, {name for view in leaves for name in arrays_of(view)})
    subject = subject._replace(about=about)
    free = {id(view) for view in leaves if isinstance(view, d.Custom) and not view.arrays}
    own = free | {id(view) for view in leaves if not about.isdisjoint(arrays_of(view))}
    asked = {id(view) for view in leaves if subject.asked and subject.told in set(arrays_of(view)) - subject.hidden}
    # Where the step and what was asked for have no room together, the question counts.
    for chosen in (own | asked, asked | free) if asked else (own,):
        canvas.focus(frozenset(chosen))
        unit = _readable(canvas, room)
        if unit is not None:
            found = _taken_up(canvas, concept, subject, chosen, leaves, partial(canvas.fits, unit, room))
            return frozenset(found) | _the_rest(canvas, found, leaves, subject.hidden, room)
    return frozenset(own)


def _taken_up(
    canvas: StageCanvas,
    concept: Concept,
    subject: Subject,
    chosen: set[int],
    leaves: Sequence[d.View],
    fits: Callable[[], bool],
) -> set[int]:
    """Return the chosen views with those that have to do with them, one after the other as long as they fit."""
    about, told, _, hidden = subject
    stages = {stage.name: stage for stage in concept.stages}
    read = {source for name in about if name in stages for source in stages[name].inputs}
    readers = {stage.name for stage in concept.stages if not about.isdisjoint(stage.inputs)}
    beside = {source for name in readers for source in stages[name].inputs}
    masks = {one.name for one in concept.inputs if one.kind == "mask"}
    kept = chosen | {id(view) for view in leaves if told in arrays_of(view)}
    keyed = any(_role(concept, view) == "key" for view in leaves)
    for names, together in (({told}, ()), (about, ()), (read, PARTS), (readers, PARTS), (beside, (*PARTS, "input"))):
        group = [view for view in leaves if not names.isdisjoint(arrays_of(view))]
        # A mask comes first: it is there to be clicked, and the scores beside it stand in the masked ones too.
        group.sort(key=lambda view: masks.isdisjoint(arrays_of(view)))
        for view in group:
            if hidden.issuperset(arrays_of(view)):
                continue
            canvas.focus(frozenset({*chosen, id(view)}))
            if fits():
                chosen = {*chosen, id(view)}
        # A query without its key says nothing, in a tab that has keys: what is read by several roles comes together.
        parts = {id(view): _role(concept, view) for view in group if _role(concept, view) in together}
        lone = keyed and "query" in parts.values() and "key" not in parts.values()
        if lone or not parts.keys() <= chosen:
            chosen -= {one for one, role in parts.items() if role != "value" or not lone} - kept
        kept |= chosen
    return chosen


def _with_views(concept: Concept, about: frozenset[str], seen: set[str]) -> frozenset[str]:
    """Return a step's arrays, or where none of them has a view what they are computed from that has one."""
    stages = {stage.name: stage for stage in concept.stages}
    left = set(about)
    while left and not left & seen:
        left = {source for name in left if name in stages for source in stages[name].inputs}
    return about if left == about or not left else frozenset(left & seen)


def _role(concept: Concept, view: d.View) -> str:
    """Return the role of a matrix; other views have none."""
    return concept.array(view.array).role if isinstance(view, d.Matrix) else ""


def _the_rest(
    canvas: StageCanvas, chosen: set[int], leaves: Sequence[d.View], hidden: frozenset[str], room: QSize
) -> frozenset[int]:
    """Return what else there is where all of it fits into room that is left over: some of it would only puzzle."""
    canvas.focus(frozenset(chosen))
    unit = _readable(canvas, room, shrink=REST_SHRINKS)
    everything = frozenset(id(view) for view in leaves if not hidden.issuperset(arrays_of(view)) or not arrays_of(view))
    canvas.focus(everything | chosen)
    return everything if unit is not None and canvas.fits(unit, room) else frozenset()


def _readable(canvas: StageCanvas, room: QSize, shrink: float = SHRINK) -> Unit | None:
    """Return the least unit to which what is visible may be reduced; None when it does not fit at any."""
    smallest = canvas.theme.text_px(12)
    least = Unit(smallest + canvas.theme.px(5), smallest, legend_beside=False)
    squeeze = next((one for one in canvas.degrees() if canvas.fits(least._replace(squeeze=one), room)), None)
    if squeeze is None:
        return None
    if squeeze < WITH_DIGITS:
        floor = DIGITS_AT_LEAST if squeeze >= DIGITS_AT_LEAST else 0.0
        return least._replace(squeeze=max(squeeze * max(shrink, PRESSED_SHRINK), floor))
    largest = largest_that_fits(smallest, 3 * smallest, partial(_fits_font, canvas, least, room))
    font = int(max(min(largest * shrink, smallest * LARGE_ENOUGH), smallest))
    return _with_font(least, font)


def _with_font(unit: Unit, font: int) -> Unit:
    return unit._replace(height=font + 5, font=font, squeeze=WITH_DIGITS)


def _fits_font(canvas: StageCanvas, unit: Unit, room: QSize, font: int) -> bool:
    return canvas.fits(_with_font(unit, font), room)
