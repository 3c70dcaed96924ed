"""The ops around attention in several heads: cut projections into heads, lay them side by side, share KV heads.

Row vectors: head h owns the columns h · d_head … (h + 1) · d_head of a projection and the same rows of Wo. Attention
within a head is `explorer.core.ops.attention`, whole passes are `explorer.core.heads`. Head counts come as 0-d arrays,
because stages read them as they read arrays.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.expression import Expression, Number, Operation, dot, total
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

if TYPE_CHECKING:
    from collections.abc import Callable

NOTHING = Number(0.0, "0")


def split(n_head: int | None = None) -> Op:
    """Cut a projection into heads: (n, n_head · d_head) gives (n_head, n, d_head).

    Parameters
    ----------
    n_head : int, optional
        How many heads; the op's second input unless given.
    """

    def apply(projected: Array, *heads: Array) -> Array:
        count = int(heads[0]) if n_head is None else n_head
        return projected.reshape(projected.shape[0], count, -1).swapaxes(0, 1).copy()

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        h, i, c = index
        d_head = arrays[0].shape[1] // (int(arrays[1]) if n_head is None else n_head)
        return cell(arrays, names, 0, i, h * d_head + c)

    def source(names: Names) -> str:
        count = f"int({names[1]})" if n_head is None else f"{n_head}"
        return f"{names[0]}.reshape({names[0]}.shape[0], {count}, -1).swapaxes(0, 1).copy()"

    return Op("split", apply, terms, source)


def concat() -> Op:
    """Lay the heads' outputs side by side: (n_head, n, d_v) gives (n, n_head · d_v).

    The second input is True for every head that counts; the others are as if their output were 0.
    """

    def apply(heads: Array, counts: Array) -> Array:
        kept = np.where(counts[:, None, None], heads, 0.0)
        return kept.swapaxes(0, 1).reshape(heads.shape[1], -1).copy()

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, column = index
        h, c = divmod(column, arrays[0].shape[2])
        return cell(arrays, names, 0, h, i, c) if arrays[1][h] else NOTHING

    def source(names: Names) -> str:
        heads, counts = names
        kept = f"np.where({counts}[:, None, None], {heads}, 0.0)"
        return f"{kept}.swapaxes(0, 1).reshape({heads}.shape[1], -1).copy()"

    return Op("concat", apply, terms, source)


def side_by_side() -> Op:
    """Lay the heads' outputs side by side, all of them: (n_head, n, d_v) gives (n, n_head · d_v)."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, column = index
        h, c = divmod(column, arrays[0].shape[2])
        return cell(arrays, names, 0, h, i, c)

    return Op(
        "side_by_side",
        lambda heads: heads.swapaxes(0, 1).reshape(heads.shape[1], -1).copy(),
        terms,
        lambda names: f"{names[0]}.swapaxes(0, 1).reshape({names[0]}.shape[1], -1).copy()",
    )


def contribute() -> Op:
    """Give what each head adds to the output: ``head_h @ Wo_h`` with its own rows of Wo, (n_head, n, d_model).

    The output is their sum, because concat @ Wo adds the products of all rows of Wo (Elhage et al., "A Mathematical
    Framework for Transformer Circuits", 2021).
    """

    def apply(heads: Array, wo: Array) -> Array:
        n_head, _, d_v = heads.shape
        return np.asarray(heads @ wo.reshape(n_head, d_v, wo.shape[1]))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        h, i, m = index
        d_v = arrays[0].shape[2]
        return dot([(cell(arrays, names, 0, h, i, c), cell(arrays, names, 1, h * d_v + c, m)) for c in range(d_v)])

    def source(names: Names) -> str:
        heads, wo = names
        return f"{heads} @ {wo}.reshape({heads}.shape[0], {heads}.shape[2], {wo}.shape[1])"

    return Op("contribute", apply, terms, source)


def lost() -> Op:
    """Add up the contributions of the heads that do not count: what the output loses, (n, d_model)."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        off = [h for h in range(arrays[0].shape[0]) if not arrays[1][h]]
        return total([cell(arrays, names, 0, h, *index) for h in off])

    return Op(
        "lost",
        lambda contributions, counts: np.where(counts[:, None, None], 0.0, contributions).sum(axis=0),
        terms,
        lambda names: f"np.where({names[1]}[:, None, None], 0.0, {names[0]}).sum(axis=0)",
    )


def _kept(w: Array, n_head: int, n_head_kv: int) -> Array:
    return w.reshape(w.shape[0], n_head_kv, n_head // n_head_kv, -1)[:, :, 0]


def _averaged(w: Array, n_head: int, n_head_kv: int) -> Array:
    return np.asarray(w.reshape(w.shape[0], n_head_kv, n_head // n_head_kv, -1).mean(axis=2))


_FEWER: dict[str, tuple[Callable[[Array, int, int], Array], str]] = {
    "kept": (_kept, "[:, :, 0]"),
    "averaged": (_averaged, ".mean(axis=2)"),
}


def share_kv(how: str, *, one: bool = False) -> Op:
    """Make the parameters of fewer KV heads out of those of one KV head per query head.

    Inputs are W of (d_model, n_head · d), another W of at least n_head_kv · d columns, n_head, and n_head_kv unless
    `one` says that it is 1; the result is (d_model, n_head_kv · d).

    Parameters
    ----------
    how : {"fresh", "kept", "averaged"}
        "fresh" takes the other matrix' first heads, "kept" the first head of each that will be shared, "averaged"
        their mean, which is how trained models are converted before they are trained on (Ainslie et al., "GQA", 2023).
    one : bool
        Whether a single KV head is left.
    """

    def counts(heads: Arrays) -> tuple[int, int]:
        return int(heads[0]), 1 if one else int(heads[1])

    def apply(w: Array, fresh: Array, *heads: Array) -> Array:
        n_head, shared = counts(heads)
        if how == "fresh":
            return fresh[:, : w.shape[1] // n_head * shared].copy()
        return _FEWER[how][0](w, n_head, shared).reshape(w.shape[0], -1).copy()

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        p, column = index
        if how == "fresh":
            return cell(arrays, names, 1, p, column)
        n_head, shared = counts(arrays[2:])
        d, each = arrays[0].shape[1] // n_head, n_head // shared
        g, c = divmod(column, d)
        first = cell(arrays, names, 0, p, g * each * d + c)
        if how == "kept" or each == 1:
            return first
        members = [cell(arrays, names, 0, p, (g * each + m) * d + c) for m in range(each)]
        return Operation("quotient", (total(members), Number(float(each), f"{each}")))

    def source(names: Names) -> str:
        w, fresh, n_head, *shared = names
        kv = f"int({shared[0]})" if shared else "1"
        if how == "fresh":
            return f"{fresh}[:, : {w}.shape[1] // int({n_head}) * {kv}].copy()"
        by_head = f"{w}.reshape({w}.shape[0], {kv}, int({n_head}) // {kv}, -1)"
        return f"{by_head}{_FEWER[how][1]}.reshape({w}.shape[0], -1).copy()"

    return Op(f"share_kv_{how}", apply, terms, source)


def spread() -> Op:
    """Return the root of the mean square of each input's cells: how far its scores are spread around 0, (inputs,)."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        (which,) = index
        array = arrays[which]
        cells = [cell(arrays, names, which, *at) for at in np.ndindex(array.shape)]
        squares = dot([(one, one) for one in cells])
        return Operation("root", (Operation("quotient", (squares, Number(float(array.size), f"{array.size}"))),))

    return Op(
        "spread",
        lambda *tables: np.array([math.sqrt((table**2).mean()) for table in tables]),
        terms,
        lambda names: f"np.array([{', '.join(f'np.sqrt(({name} ** 2).mean())' for name in names)}])",
    )
