"""The op that compares directions: the cosine of every row of one array with every row of another.

The arithmetic is `explorer.core.similarity`; attention's own scores, which count length too, are in
`explorer.core.ops.attention`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.core.expression import Expression, Number, Operation, Result, dot
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell
from explorer.core.similarity import cosine

if TYPE_CHECKING:
    from collections.abc import Sequence

_COSINE_SOURCE = """\
def cosine(a, b):
    lengths = np.sqrt((a @ a) * (b @ b))
    return a @ b / lengths if lengths else 0.0


def cosines(left, right):
    return np.array([[cosine(a, b) for b in right] for a in left], dtype=np.float64)
"""


def cosines(rows: Sequence[int] | None = None, others: Sequence[int] | None = None) -> Op:
    """Compare rows of the first input with rows of the second: ``a·b / √(a·a · b·b)``; 0 where one has no direction.

    Parameters
    ----------
    rows, others : sequence of int, optional
        Which rows of the first and of the second input; all unless given.

    Returns
    -------
    Op
        From (m, d) and (k, d) to one cosine per pair of rows.
    """

    def chosen(arrays: Arrays, which: int) -> list[int]:
        wanted = (rows, others)[which]
        return list(range(len(arrays[which]))) if wanted is None else list(wanted)

    def apply(left: Array, right: Array) -> Array:
        pairs = chosen((left, right), 0), chosen((left, right), 1)
        found = [cosine(left[i], right[j]).value for i in pairs[0] for j in pairs[1]]
        return np.array(found, np.float64).reshape(len(pairs[0]), len(pairs[1]))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        row, other = (chosen(arrays, which)[at] for which, at in enumerate(index))
        if not cosine(arrays[0][row], arrays[1][other]).root:
            return Number(0.0, "0")

        def product(label: str, *sides: tuple[int, int]) -> Expression:
            (a, i), (b, j) = sides
            cells = [(cell(arrays, names, a, i, c), cell(arrays, names, b, j, c)) for c in range(arrays[0].shape[1])]
            return Result(dot(cells), shown=True, label=f"{label} = ")

        own, its = (0, row), (1, other)
        lengths = Operation("product", (product("a·a", own, own), product("b·b", its, its)))
        return Operation("quotient", (product("a·b", own, its), Operation("root", (lengths,))))

    def source(names: Names) -> str:
        picked = [
            name if wanted is None else f"{name}[{list(wanted)}]"
            for name, wanted in zip(names, (rows, others), strict=True)
        ]
        return f"cosines({picked[0]}, {picked[1]})"

    return Op("cosines", apply, terms, source, (_COSINE_SOURCE,))
