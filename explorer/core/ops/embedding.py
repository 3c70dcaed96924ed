"""Ops on a table of word vectors: reading rows of it, and blending one row with another by a fixed share.

What attention weights do, which are computed, is in `explorer.core.ops.attention`; here the share is given.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.expression import Expression, Number, dot
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

if TYPE_CHECKING:
    from collections.abc import Sequence


def lookup(rows: Sequence[int]) -> Op:
    """Read rows of a table, as an embedding layer does: (n_words, d) to (len(rows), d).

    Parameters
    ----------
    rows : sequence of int
        Which row of the table each row of the result is; a row may be read more than once.
    """
    ids = tuple(rows)

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        return cell(arrays, names, 0, ids[i], c)

    return Op("lookup", lambda table: table[list(ids)], terms, lambda names: f"{names[0]}[{list(ids)}]")


def blend(pairs: Sequence[tuple[int, int]]) -> Op:
    """Blend rows of a table two by two: ``(1 − s) · own + s · other``, where the second input is s in percent.

    Parameters
    ----------
    pairs : sequence of (int, int)
        For each row of the result, the rows of the table that are `own` and `other`.
    """
    own, other = [first for first, _ in pairs], [second for _, second in pairs]

    def apply(table: Array, percent: Array) -> Array:
        share = float(percent) / 100
        return np.asarray((1 - share) * table[own] + share * table[other])

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        share = float(arrays[1]) / 100
        return dot(
            [
                (Number(part, f"{part:.10g}"), cell(arrays, names, 0, rows[i], c))
                for part, rows in ((1 - share, own), (share, other))
            ]
        )

    def source(names: Names) -> str:
        table, percent = names
        return f"(1 - {percent} / 100) * {table}[{own}] + {percent} / 100 * {table}[{other}]"

    return Op("blend", apply, terms, source)
