"""Multi-head attention: projections, heads side by side, and the mix of their outputs.

Formula: head_h = attend(x Wq_h, x Wk_g, x Wv_g) with g = h // (n_head // n_head_kv); output = concat(head_0, …) Wo.
Vaswani et al., "Attention Is All You Need" (2017), section 3.2.2; shared KV heads from Ainslie et al., "GQA" (2023).

Row vectors: tokens are rows, and head h owns the columns h·d … (h + 1)·d of a projection. Attention itself lives in
:mod:`explorer.core.attention`; neither normalisation nor position encoding belongs here.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.attention import Trace, attend
from explorer.core.blas import one_thread
from explorer.core.checks import (
    CANNOT_SHARE,
    QT_TRANSLATE_NOOP,
    InputError,
    as_floats,
    as_integer,
    check_axes,
    check_finite,
    check_result,
    freeze,
    kv_head_choices,
    written,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from explorer.core.arrays import FloatArray

#: Divisors of larger numbers would take seconds to list; no machine holds as many heads.
MOST_HEADS = 2**40
TOO_MANY_HEADS = QT_TRANSLATE_NOOP("core", "n_head is {n_head}; it may be at most {most}")
WRONG_WIDTH = QT_TRANSLATE_NOOP(
    "core", "x has shape {x} and {name} has shape {shape}: {name} must have {d_model} rows, one for each column of x"
)
UNEVEN_HEADS = QT_TRANSLATE_NOOP(
    "core", "{name} has shape {shape}: its {columns} columns cannot be cut into {heads} heads of equal width"
)
DIFFERENT_D_K = QT_TRANSLATE_NOOP(
    "core",
    "wq has shape {wq} and wk has shape {wk}: {n_head} query heads are {d_q} wide and {n_head_kv} KV heads {d_k}; "
    "q and k must be equally wide, so wk must have {columns} columns",
)
UNEVEN_MODEL = QT_TRANSLATE_NOOP("core", "d_model is {d_model}; without d_k it must be a multiple of n_head = {n_head}")
WRONG_WO = QT_TRANSLATE_NOOP(
    "core",
    "wv has shape {wv} and wo has shape {wo}: wo must have {rows} rows, {d_v} for each of the {n_head} query heads",
)


@dataclass(frozen=True, eq=False)
class HeadsTrace:
    """Hold one multi-head attention with all of its intermediates; every array is read-only.

    Attributes
    ----------
    attention : Trace
        Attention of all heads, with q, k, v and every table.
    wo : ndarray of shape (n_head * d_v, d_out), or None
    concat : ndarray of shape (n, n_head * d_v)
        Outputs of the heads side by side.
    output : ndarray of shape (n, d_out)
        concat @ wo, or concat itself when there is no wo.
    """

    attention: Trace
    wo: FloatArray | None
    concat: FloatArray
    output: FloatArray

    @property
    def q(self) -> FloatArray:
        """Return the queries: ndarray of shape (n_head, n, d_k)."""
        return self.attention.q

    @property
    def k(self) -> FloatArray:
        """Return the keys: ndarray of shape (n_head_kv, n, d_k)."""
        return self.attention.k

    @property
    def v(self) -> FloatArray:
        """Return the values: ndarray of shape (n_head_kv, n, d_v)."""
        return self.attention.v

    @cached_property
    def contributions(self) -> FloatArray:
        """Return what each head adds to the output: ndarray of shape (n_head, n, d_out).

        Head h contributes head_h @ Wo_h, where Wo_h are the d_v rows of wo that belong to it. Without wo a head fills
        its own columns and leaves the others 0. Either way the contributions add up to the output.
        """
        heads = self.attention.output
        n_head, _, d_v = heads.shape
        wo = np.eye(n_head * d_v, dtype=heads.dtype) if self.wo is None else self.wo
        with one_thread(), np.errstate(over="ignore", under="ignore", invalid="ignore"):
            parts: FloatArray = heads @ wo.reshape(n_head, d_v, wo.shape[1])
        parts.flags.writeable = False
        return parts


def multi_head(
    x: ArrayLike,
    wq: ArrayLike,
    wk: ArrayLike,
    wv: ArrayLike,
    wo: ArrayLike | None = None,
    *,
    n_head: int,
    n_head_kv: int | None = None,
    causal: bool = True,
    mask: ArrayLike | None = None,
    scale: float | None = None,
    softcap: float | None = None,
    window: int | None = None,
) -> HeadsTrace:
    """Compute multi-head attention of a sequence over itself.

    Parameters
    ----------
    x : array_like of shape (n, d_model)
        Tokens as rows. float32 and float64 are kept (mixed: float64), anything else becomes float64.
    wq : array_like of shape (d_model, n_head * d_k)
    wk : array_like of shape (d_model, n_head_kv * d_k)
    wv : array_like of shape (d_model, n_head_kv * d_v)
    wo : array_like of shape (n_head * d_v, d_out), optional
        Output projection; without it the output is the heads side by side.
    n_head : int
        Query heads.
    n_head_kv : int, optional
        KV heads, a divisor of `n_head`; `n_head` unless given.
    causal, mask, scale, softcap, window
        As in :func:`explorer.core.attention.attend`; `mask` broadcasts to (n_head, n, n).

    Returns
    -------
    HeadsTrace

    Raises
    ------
    InputError
        A ValueError: misshapen, non-finite or non-numeric input, head counts that do not divide, and finite input
        whose result would overflow.
    """
    n_head, n_head_kv = _head_counts(n_head, n_head_kv)
    names = ("x", "wq", "wk", "wv") if wo is None else ("x", "wq", "wk", "wv", "wo")
    given = [as_floats(name, value) for name, value in zip(names, (x, wq, wk, wv, wo), strict=False)]  # type: ignore[arg-type]
    dtype = np.result_type(*given)
    arrays = {name: freeze(array.astype(dtype, copy=False)) for name, array in zip(names, given, strict=True)}
    _check_shapes(arrays, n_head, n_head_kv)
    for name, array in arrays.items():
        check_finite(name, array)

    tokens = arrays["x"]
    with one_thread(), np.errstate(over="ignore", under="ignore", invalid="ignore"):
        projected = {name: tokens @ arrays[f"w{name}"] for name in "qkv"}
    for name, array in projected.items():
        check_result(name, array)
    attention = attend(
        _split(projected["q"], n_head),
        _split(projected["k"], n_head_kv),
        _split(projected["v"], n_head_kv),
        causal=causal,
        mask=mask,
        scale=scale,
        softcap=softcap,
        window=window,
    )
    per_token = np.ascontiguousarray(attention.output.swapaxes(0, 1))
    concat = per_token.reshape(len(tokens), per_token.shape[1] * per_token.shape[2])
    output = concat
    if wo is not None:
        with one_thread(), np.errstate(over="ignore", under="ignore", invalid="ignore"):
            output = concat @ arrays["wo"]
        check_result("output", output)
    concat.flags.writeable = output.flags.writeable = False
    return HeadsTrace(attention, arrays.get("wo"), concat, output)


def parameter_count(
    d_model: int, n_head: int, n_head_kv: int | None = None, *, d_k: int | None = None, d_v: int | None = None
) -> int:
    """Return the parameters of one attention layer without biases: those of Wq, Wk, Wv and Wo.

    d_model · (n_head · d_k + n_head_kv · (d_k + d_v)) + n_head · d_v · d_model; 4 · d_model² for equal heads that
    share d_model among them.

    Parameters
    ----------
    d_model : int
    n_head : int
    n_head_kv : int, optional
        `n_head` unless given.
    d_k : int, optional
        d_model / n_head unless given.
    d_v : int, optional
        `d_k` unless given.

    Raises
    ------
    InputError
        When head counts do not divide, or d_k is left out and d_model is no multiple of n_head.
    """
    n_head, n_head_kv = _head_counts(n_head, n_head_kv)
    d_model = as_integer("d_model", d_model, 1)
    if d_k is None:
        if d_model % n_head:
            raise InputError(UNEVEN_MODEL, d_model=d_model, n_head=n_head)
        d_k = d_model // n_head
    d_k = as_integer("d_k", d_k, 1)
    d_v = d_k if d_v is None else as_integer("d_v", d_v, 1)
    return d_model * (n_head * d_k + n_head_kv * (d_k + d_v)) + n_head * d_v * d_model


def _head_counts(n_head: int, n_head_kv: int | None) -> tuple[int, int]:
    n_head = as_integer("n_head", n_head, 1)
    n_head_kv = n_head if n_head_kv is None else as_integer("n_head_kv", n_head_kv, 1)
    if n_head > MOST_HEADS:
        raise InputError(TOO_MANY_HEADS, n_head=written(n_head), most=MOST_HEADS)
    if n_head % n_head_kv:
        raise InputError(CANNOT_SHARE, n_head=n_head, n_head_kv=written(n_head_kv), choices=kv_head_choices(n_head))
    return n_head, n_head_kv


def _check_shapes(arrays: dict[str, FloatArray], n_head: int, n_head_kv: int) -> None:
    check_axes("x", arrays["x"], ("n", "d_model"))
    check_axes("wq", arrays["wq"], ("d_model", "n_head * d_k"), nonempty=("n_head * d_k",))
    check_axes("wk", arrays["wk"], ("d_model", "n_head_kv * d_k"), nonempty=("n_head_kv * d_k",))
    check_axes("wv", arrays["wv"], ("d_model", "n_head_kv * d_v"))
    shapes = {name: array.shape for name, array in arrays.items()}
    for name, heads in (("wq", n_head), ("wk", n_head_kv), ("wv", n_head_kv)):
        rows, columns = shapes[name]
        if rows != shapes["x"][1]:
            raise InputError(WRONG_WIDTH, x=shapes["x"], name=name, shape=shapes[name], d_model=shapes["x"][1])
        if columns % heads:
            raise InputError(UNEVEN_HEADS, name=name, shape=shapes[name], columns=columns, heads=heads)
    d_q, d_k, d_v = shapes["wq"][1] // n_head, shapes["wk"][1] // n_head_kv, shapes["wv"][1] // n_head_kv
    if d_q != d_k:
        raise InputError(
            DIFFERENT_D_K,
            wq=shapes["wq"],
            wk=shapes["wk"],
            n_head=n_head,
            n_head_kv=n_head_kv,
            d_q=d_q,
            d_k=d_k,
            columns=d_q * n_head_kv,
        )
    if "wo" in arrays:
        check_axes("wo", arrays["wo"], ("n_head * d_v", "d_out"))
        if shapes["wo"][0] != n_head * d_v:
            raise InputError(WRONG_WO, wv=shapes["wv"], wo=shapes["wo"], rows=n_head * d_v, d_v=d_v, n_head=n_head)


def _split(projected: FloatArray, heads: int) -> FloatArray:
    """Cut (n, heads · d) into (heads, n, d)."""
    n, columns = projected.shape
    return projected.reshape(n, heads, columns // heads).swapaxes(0, 1)


__all__ = ["HeadsTrace", "multi_head", "parameter_count"]
