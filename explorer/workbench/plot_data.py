"""What a plot draws as numbers: for a file of comma-separated values, or for the clipboard.

Curves over the same places share a table; named points get one of their own. All digits are kept.
"""

from __future__ import annotations

import csv
import io
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from explorer.workbench import number_text

if TYPE_CHECKING:
    from explorer.concepts.shown.plots import Plot, Scale, Series


@dataclass(frozen=True, slots=True)
class Table:
    """Headings, and rows of as many cells: numbers in full, or words."""

    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(plot: Plot) -> list[Table]:
    """Return what a plot draws: its curves, its bars, and its named points."""
    found: list[Table] = []
    groups: dict[int, list[Series]] = {}
    for one in plot.series:
        groups.setdefault(id(one.x), []).append(one)
    for group in groups.values():
        headings = (_heading(plot.x, "x"), *(one.name for one in group))
        columns = [group[0].x, *(one.y for one in group)]
        rows = zip(*(map(_number, column.tolist()) for column in columns), strict=True)
        found.append(Table(headings, tuple(rows)))
    for bars in plot.bars:
        edges = bars.edges.tolist()
        bounds = zip(edges[:-1], edges[1:], bars.heights.tolist(), strict=True)
        found.append(Table(("from", "to", bars.name), tuple(tuple(map(_number, row)) for row in bounds)))
    if plot.crossings:
        points = ((_number(one.x), _number(one.y), one.label) for one in plot.crossings)
        found.append(Table((_heading(plot.x, "x"), _heading(plot.y, "y"), "point"), tuple(points)))
    return found


def _heading(scale: Scale, otherwise: str) -> str:
    return scale.label or otherwise


def _number(value: float) -> str:
    return number_text.full(value) if math.isfinite(value) else ""


def csv_text(plot: Plot) -> str:
    """Return a plot's tables one below the other, an empty line between them (RFC 4180)."""
    out = io.StringIO()
    writer = csv.writer(out)
    for at, table in enumerate(tables(plot)):
        if at:
            writer.writerow(())
        writer.writerow(table.headings)
        writer.writerows(table.rows)
    return out.getvalue()


def clipboard_text(plot: Plot) -> str:
    """Return a plot's tables as a spreadsheet takes them: cells parted by tabs."""
    blocks = ["\n".join("\t".join(row) for row in (table.headings, *table.rows)) for table in tables(plot)]
    return "\n\n".join(blocks)
