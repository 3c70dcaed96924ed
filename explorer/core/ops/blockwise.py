"""The ops of attention block by block: what a kernel carries from one block of keys to the next.

One head: masked scores (n_q, n_k), values (n_k, d_v), and the number of keys in a block as a 0-d array. Running
quantities have one entry per block and say what is carried after it. The arithmetic is that of
`explorer.core.blockwise`, which has the formula and its sources; an op that carries something says so with its own
earlier cell, hence the name of its own array that it is made with.
"""

from __future__ import annotations

import math

import numpy as np

from explorer.core.blockwise import BlockStep, block_steps
from explorer.core.expression import Cell, Expression, Number, Operation, total
from explorer.core.ops.attention import MINUS_INFINITY
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

NOTHING_YET = Number(0.0, "0, because nothing was carried yet")
STAYS = Number(1.0, "1, because the maximum stayed")
SEES_NOTHING = Number(0.0, "0, because no key is visible")

_SOURCE = """\
def block_by_block(masked, values, block):
    carried, (n_q, n_k), block = [], masked.shape, int(block)
    largest, total, mix = np.full(n_q, -np.inf), np.zeros(n_q), np.zeros((n_q, values.shape[1]))
    for start in range(0, n_k, block):
        scores = masked[:, start:start + block]
        before, largest = largest, np.maximum(largest, scores.max(axis=-1))
        base = np.where(np.isneginf(largest), 0.0, largest)
        with np.errstate(invalid="ignore", under="ignore"):
            rescale = np.where(before == largest, 1.0, np.exp(before - base))
            powers = np.exp(scores - base[:, None])
        total = rescale * total + powers.sum(axis=-1)
        mix = rescale[:, None] * mix + powers @ values[start:start + block]
        carried.append((largest, rescale, powers, total, mix))
    return carried
"""


def _steps(masked: Array, block: Array, values: Array | None = None) -> list[BlockStep]:
    none = np.zeros((masked.shape[-1], 0), masked.dtype)
    return list(block_steps(masked, none if values is None else values, int(block)))


def _one_column_each(columns: list[Array], rows: int) -> Array:
    return np.stack(columns, axis=-1) if columns else np.zeros((rows, 0))


def _source(which: int, axis: int) -> str:
    return f"np.stack([one[{which}] for one in block_by_block({{masked}}, {{values}}, {{block}})], axis={axis})"


def _call(which: int, axis: int, masked: str, block: str, values: str = "") -> str:
    nothing = f"np.zeros(({masked}.shape[1], 0))"
    return _source(which, axis).format(masked=masked, values=values or nothing, block=block)


def _keys_of(block: int, arrays: Arrays, size: Array) -> range:
    width = int(size)
    return range(block * width, min((block + 1) * width, arrays[0].shape[-1]))


def running_maximum(own: str) -> Op:
    """Carry the largest score seen: m' = max(m, largest of the block), (n_q, n_k) and the block size to (n_q, blocks).

    Parameters
    ----------
    own : str
        What the computed array is called.
    """

    def apply(masked: Array, block: Array) -> Array:
        return _one_column_each([step.maximum for step in _steps(masked, block)], len(masked))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, b = index
        seen: list[Expression] = []
        if b:
            before = float(arrays[0][i, : b * int(arrays[1])].max())
            if before > -math.inf:
                seen.append(Cell(own, (i, b - 1), before))
        seen += [cell(arrays, names, 0, i, j) for j in _keys_of(b, arrays, arrays[1]) if arrays[0][i, j] > -math.inf]
        if not seen:
            return MINUS_INFINITY
        return Operation("maximum", tuple(seen)) if len(seen) > 1 else seen[0]

    return Op("running_maximum", apply, terms, lambda names: _call(0, -1, *names), (_SOURCE,))


def rescale() -> Op:
    """Say by what everything carried shrinks: r = exp(m − m'), exactly 1 where the maximum stays.

    Inputs are the masked scores, the running maximum (n_q, blocks) and the block size. In the first block nothing was
    carried and r is 0, but for a row that has seen nothing.
    """

    def apply(masked: Array, _running: Array, block: Array) -> Array:
        return _one_column_each([step.rescale for step in _steps(masked, block)], len(masked))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, b = index
        now = float(arrays[1][i, b])
        before = float(arrays[1][i, b - 1]) if b else -math.inf
        if before == now:
            return STAYS
        if before == -math.inf:
            return NOTHING_YET
        difference = Operation("difference", (cell(arrays, names, 1, i, b - 1), cell(arrays, names, 1, i, b)))
        return Operation("exp", (difference,))

    return Op("rescale", apply, terms, lambda names: _call(1, -1, names[0], names[2]), (_SOURCE,))


def block_powers() -> Op:
    """Raise e to every score less the running maximum after its block: e = exp(s − m'), 0 where masked; (n_q, n_k).

    Inputs are the masked scores, the running maximum (n_q, blocks) and the block size.
    """

    def apply(masked: Array, _running: Array, block: Array) -> Array:
        parts = [step.exponentials for step in _steps(masked, block)]
        return np.concatenate(parts, axis=-1) if parts else np.zeros(masked.shape)

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, j = index
        if arrays[0][i, j] == -math.inf:
            return Number(0.0, "0")
        largest = cell(arrays, names, 1, i, j // int(arrays[2]))
        return Operation("exp", (Operation("difference", (cell(arrays, names, 0, i, j), largest)),))

    def source(names: Names) -> str:
        masked, _, block = names
        nothing = f"np.zeros(({masked}.shape[1], 0))"
        return f"np.concatenate([one[2] for one in block_by_block({masked}, {nothing}, {block})], axis=-1)"

    return Op("block_powers", apply, terms, source, (_SOURCE,))


def running_sum(own: str) -> Op:
    """Carry the sum of the powers: l' = r · l + Σ e, (n_q, blocks).

    Inputs are the masked scores, the powers (n_q, n_k), the rescale factors (n_q, blocks) and the block size.

    Parameters
    ----------
    own : str
        What the computed array is called.
    """

    def apply(masked: Array, _powers: Array, _factors: Array, block: Array) -> Array:
        return _one_column_each([step.total for step in _steps(masked, block)], len(masked))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, b = index
        added: list[Expression] = []
        if b:
            before = float(apply(*arrays)[i, b - 1])
            if before:
                added.append(Operation("product", (cell(arrays, names, 2, i, b), Cell(own, (i, b - 1), before))))
        added += [cell(arrays, names, 1, i, j) for j in _keys_of(b, arrays, arrays[3]) if arrays[1][i, j]]
        return total(added)

    return Op("running_sum", apply, terms, lambda names: _call(3, -1, names[0], names[3]), (_SOURCE,))


def running_output(own: str) -> Op:
    """Carry the output, not yet divided: o' = r · o + e v, (blocks, n_q, d_v).

    Inputs are the masked scores, the values (n_k, d_v), the powers (n_q, n_k), the rescale factors (n_q, blocks) and
    the block size.

    Parameters
    ----------
    own : str
        What the computed array is called.
    """

    def apply(masked: Array, values: Array, _powers: Array, _factors: Array, block: Array) -> Array:
        mixes = [step.mix for step in _steps(masked, block, values)]
        return np.stack(mixes) if mixes else np.zeros((0, len(masked), values.shape[1]))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        b, i, c = index
        added: list[Expression] = []
        keys = range(int(arrays[4]) * b)
        if b and arrays[2][i, : len(keys)].any():
            carried = Cell(own, (b - 1, i, c), float(apply(*arrays)[b - 1, i, c]))
            added.append(Operation("product", (cell(arrays, names, 3, i, b), carried)))
        added += [
            Operation("product", (cell(arrays, names, 2, i, j), cell(arrays, names, 1, j, c)))
            for j in _keys_of(b, arrays, arrays[4])
            if arrays[2][i, j]
        ]
        return total(added)

    return Op("running_output", apply, terms, lambda names: _call(4, 0, names[0], names[4], names[1]), (_SOURCE,))


def finish_blocks() -> Op:
    """Divide the carried output after the last block by the carried sum: o / l, (n_q, d_v); 0 where a row saw nothing.

    Inputs are the running output (blocks, n_q, d_v) and the running sum (n_q, blocks).
    """

    def apply(mixes: Array, totals: Array) -> Array:
        last = totals[:, -1]
        return np.asarray(mixes[-1] / np.where(last == 0, 1.0, last)[:, None])

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        i, c = index
        last = arrays[0].shape[0] - 1
        if not arrays[1][i, last]:
            return SEES_NOTHING
        return Operation("quotient", (cell(arrays, names, 0, last, i, c), cell(arrays, names, 1, i, last)))

    def source(names: Names) -> str:
        mixes, totals = names
        return f"{mixes}[-1] / np.where({totals}[:, -1] == 0, 1.0, {totals}[:, -1])[:, None]"

    return Op("finish_blocks", apply, terms, source)
