"""The op that measures how far the ways to compute one head lie apart: whole, looped, in blocks, in 32 bits."""

from __future__ import annotations

import numpy as np

from explorer.core.expression import Expression, Number, Operation
from explorer.core.ops import attention
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell
from explorer.core.ops.products import in_a_loop, loop

#: What is compared, in the order of the result's entries.
COMPARED = ("whole and loop", "both in 32 bits", "blocks and whole")

_SOURCE = """\
def largest_differences(whole, looped, blocks, x, Wq, Wk, Wv, causal):
    q, k, v = (x.astype(np.float32) @ w.astype(np.float32) for w in (Wq, Wk, Wv))
    scores = q @ np.swapaxes(k, -1, -2) / float(np.sqrt(q.shape[1]))
    if causal:
        scores = np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)
    single = softmax(scores) @ v - attend_in_a_loop(q, k, v, causal)
    return np.array([abs(whole - looped).max(), abs(single).max(), abs(blocks - whole).max()])
"""


def in_single_precision(x: Array, wq: Array, wk: Array, wv: Array, causal: bool) -> tuple[Array, Array]:
    """Return a head's output with everything in float32, and the loop's over the same float32 q, k and v.

    Parameters
    ----------
    x, wq, wk, wv : ndarray
        As for `explorer.core.ops.attention.project`; rounded to float32 first.
    causal : bool
        Whether later keys are masked.

    Returns
    -------
    (ndarray of shape (n, d_v), ndarray of shape (n, d_v))
        float32, and float64 as the loop adds in float64.
    """
    rows = x.astype(np.float32)
    q, k, v = (attention.project().apply(rows, weights.astype(np.float32)) for weights in (wq, wk, wv))
    scaled = attention.scale().apply(attention.scores().apply(q, k), q)
    weights = attention.softmax().apply(attention.causal_mask(causal).apply(scaled))
    return attention.mix().apply(weights, v), in_a_loop(q, k, v, causal)


def largest_differences(causal: bool = True) -> Op:
    """Return the largest difference of each pair in `COMPARED`: an array of three.

    Inputs are the outputs computed whole, in a loop and in blocks, then x, Wq, Wk and Wv for the pair in 32 bits: the
    whole computation in float32 against the loop in float64 over the same float32 q, k and v.

    Parameters
    ----------
    causal : bool
        Whether later keys are masked.
    """

    def sides(arrays: Arrays) -> tuple[tuple[Array, Array], ...]:
        whole, looped, blocks, x, wq, wk, wv = arrays
        return (whole, looped), in_single_precision(x, wq, wk, wv, causal), (blocks, whole)

    def apply(*arrays: Array) -> Array:
        return np.array([float(np.abs(one - other).max(initial=0.0)) for one, other in sides(arrays)])

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        which = index[0]
        one, other = sides(arrays)[which]
        if not one.size:
            return Number(0.0, "0")
        at = tuple(int(i) for i in np.unravel_index(int(np.abs(one - other).argmax()), one.shape))
        if which == 1:
            pair: tuple[Expression, ...] = tuple(
                Number(float(side[at]), f"{float(side[at]):.9f}".replace("-", "−")) for side in (one, other)
            )
        else:
            places = (0, 1) if which == 0 else (2, 0)
            pair = tuple(cell(arrays, names, place, *at) for place in places)
        return Operation("magnitude", (Operation("difference", pair),))

    return Op(
        "largest_differences",
        apply,
        terms,
        lambda names: f"largest_differences({', '.join(names)}, {causal})",
        (*attention.softmax().helpers, *loop().helpers, _SOURCE),
    )
