"""What the expressions of lessons may call: a closed list of functions over numbers and arrays.

The language itself (what may be written, how it is read and bounded) is :mod:`explorer.workbench.predicates`. The
functions here are thin: attention, softmax and cost are those of core, so a lesson's answer and the picture on the
screen cannot disagree. Each function states what a call may cost, because lessons may come from anybody: a call whose
work would be seen by the user is refused before it starts.
"""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from explorer.core import cost
from explorer.core.attention import attend as core_attend
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.core.scaling import softmax_jacobian_norm
from explorer.core.softmax import softmax_rows
from explorer.workbench.values import (
    MAKING,
    MOST_CELLS,
    MOST_HEADS,
    SHAPES_DIFFER,
    Attended,
    EmptyError,
    Function,
    Numbers,
    Value,
    broadcast,
    number,
    numbers,
    plain,
    shape_text,
    size_of,
    whole,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

NO_CELLS = QT_TRANSLATE_NOOP("workbench", "there are no cells to look at: the array is empty at this size")
NO_VECTOR = QT_TRANSLATE_NOOP("workbench", "{name} has shape {shape}; a single row of numbers is needed")
NO_MATRIX = QT_TRANSLATE_NOOP("workbench", "an array with rows and columns is needed, not one of shape {shape}")
NO_AXIS = QT_TRANSLATE_NOOP("workbench", "there is no axis {axis} in an array of shape {shape}")
NO_BYTES = QT_TRANSLATE_NOOP("workbench", "a cached number takes 1, 2 or 4 bytes, not {found}")


# ------------------------------------------------------------------------------------------ elementwise, reducing


def _elementwise(ufunc: Callable[..., Any]) -> Callable[[Value], Value]:
    def call(x: Value) -> Value:
        return plain(ufunc(numbers(x)))

    return call


def _round(x: Value, digits: Value = 0.0) -> Value:
    return plain(np.round(numbers(x), whole("digits", digits, 0, 12)))


def _reduced(reduce: Callable[..., Any], x: Value, axis: Value | None) -> Value:
    array = numbers(x)
    if array.size == 0:
        raise EmptyError(NO_CELLS)
    if axis is None:
        return plain(reduce(array))
    which = whole("axis", axis, 0, 8)
    if which >= array.ndim:
        raise InputError(NO_AXIS, axis=which, shape=shape_text(array.shape))
    return plain(reduce(array, axis=which))


def _reduction(reduce: Callable[..., Any]) -> Callable[..., Value]:
    def call(x: Value, *, axis: Value | None = None) -> Value:
        return _reduced(reduce, x, axis)

    return call


def _extreme(reduce: Callable[..., Any], pairwise: Callable[..., Any]) -> Callable[..., Value]:
    def call(x: Value, *others: Value, axis: Value | None = None) -> Value:
        if not others:
            return _reduced(reduce, x, axis)
        result = numbers(x)
        for other in others:
            array = numbers(other)
            broadcast(result, array)
            result = pairwise(result, array)
        return plain(result)

    return call


def _rows(condition: Value) -> Value:
    table = numbers(condition)
    if table.ndim == 0:
        raise InputError(NO_MATRIX, shape="1")
    return np.flatnonzero(table.reshape(len(table), -1).any(axis=1)).astype(np.float64)


def _close(a: Value, b: Value, tolerance: Value = 0.005) -> Value:
    left, right = numbers(a), numbers(b)
    if 0 in broadcast(left, right):
        raise EmptyError(NO_CELLS)
    with np.errstate(invalid="ignore"):
        near = np.abs(left - right) <= number("tolerance", tolerance)
    return bool((near | (left == right)).all())


def _symmetric(a: Value, tolerance: Value = 1e-9) -> Value:
    return _close(a, _transpose(a), tolerance)


def _where(condition: Value, a: Value, b: Value) -> Value:
    test, left, right = numbers(condition), numbers(a), numbers(b)
    broadcast(test, left, right)
    return plain(np.where(test != 0, left, right))


# -------------------------------------------------------------------------------------------------- linear algebra


def dot(a: Value, b: Value) -> Value:
    """Return the dot product of two rows, or the matrix product of arrays."""
    left, right = numbers(a), numbers(b)
    try:
        return plain(np.matmul(left, right))
    except ValueError:
        raise InputError(SHAPES_DIFFER, a=shape_text(left.shape), b=shape_text(right.shape)) from None


def dot_work(a: Value, b: Value) -> int:
    """Return the multiply-adds of a product, and its result's cells many times over: they take memory."""
    left, right = numbers(a), numbers(b)
    columns = right.shape[-1] if right.ndim > 1 else 1
    heads = math.prod(right.shape[:-2])
    result = left.size // max(left.shape[-1] if left.ndim else 1, 1) * columns * heads
    return left.size * columns * heads + right.size + MAKING * result


def _row(name: str, value: Value) -> Numbers:
    array = numbers(value)
    if array.size != max(array.shape, default=0):
        raise InputError(NO_VECTOR, name=name, shape=shape_text(array.shape))
    return array.ravel()


def _norm(a: Value) -> Value:
    return float(np.linalg.norm(_row("the argument", a)))


def _cosine(a: Value, b: Value) -> Value:
    left, right = _row("the first argument", a), _row("the second argument", b)
    if left.shape != right.shape:
        raise InputError(SHAPES_DIFFER, a=shape_text(left.shape), b=shape_text(right.shape))
    return float(left @ right / (np.linalg.norm(left) * np.linalg.norm(right)))


def _transpose(a: Value) -> Value:
    array = numbers(a)
    if array.ndim < 2:
        raise InputError(NO_MATRIX, shape=shape_text(array.shape))
    return array.swapaxes(-1, -2)


def _reshape(a: Value, *shape: Value) -> Value:
    array = numbers(a)
    wanted = tuple(whole("size", size, 0, MOST_CELLS) for size in shape)
    if math.prod(wanted) != array.size:
        raise InputError(SHAPES_DIFFER, a=shape_text(array.shape), b=shape_text(wanted))
    return array.reshape(wanted)


def _beside(first: Value, *others: Value) -> Value:
    arrays = [numbers(part) for part in (first, *others)]
    try:
        return np.concatenate(arrays, axis=-1)
    except ValueError:
        raise InputError(SHAPES_DIFFER, a=shape_text(arrays[0].shape), b=shape_text(arrays[-1].shape)) from None


def _filled(fill: float) -> Callable[..., Value]:
    def call(*shape: Value) -> Value:
        return np.full([whole("size", size, 0, MOST_CELLS) for size in shape], fill)

    return call


def _identity(n: Value) -> Value:
    return np.eye(whole("n", n, 0, 512))


def _causal(n: Value) -> Value:
    return np.tri(whole("n", n, 0, 512), dtype=np.bool_)


def _positions(n: Value) -> Value:
    return np.arange(whole("n", n, 0, MOST_CELLS), dtype=np.float64)


def _len(a: Value) -> Value:
    array = numbers(a)
    return float(len(array)) if array.ndim else 1.0


# ------------------------------------------------------------------------------------------------------- attention


def _softmax(scores: Value) -> Value:
    array = numbers(scores)
    if array.ndim == 0:
        raise InputError(NO_VECTOR, name="softmax's argument", shape="1")
    return softmax_rows(array)


def _jacobian(weights: Value) -> Value:
    array = numbers(weights)
    if array.ndim == 0:
        raise InputError(NO_VECTOR, name="jacobian's argument", shape="1")
    return plain(softmax_jacobian_norm(array))


def _jacobian_work(weights: Value) -> int:
    array = numbers(weights)
    return 4 * array.size * (array.shape[-1] if array.ndim else 1)


def _attend(
    q: Value,
    k: Value,
    v: Value,
    *,
    causal: Value = False,
    mask: Value | None = None,
    bias: Value | None = None,
    scale: Value | None = None,
    softcap: Value | None = None,
    window: Value | None = None,
    q_offset: Value | None = None,
) -> Value:
    given = [numbers(one) for one in (q, k, v)]
    single = all(array.ndim == 2 for array in given)
    trace = core_attend(
        *(array[None] if single else array for array in given),
        causal=bool(causal),
        mask=None if mask is None else numbers(mask) != 0,
        bias=None if bias is None else numbers(bias),
        scale=None if scale is None else number("scale", scale),
        softcap=None if softcap is None else number("softcap", softcap),
        window=None if window is None else whole("window", window, 1),
        q_offset=None if q_offset is None else whole("q_offset", q_offset),
    )
    return Attended(trace, single)


def _attend_work(q: Value, k: Value, v: Value, **_options: Value) -> int:
    queries, keys = numbers(q), numbers(k)
    rows = keys.shape[-2] if keys.ndim > 1 else 1
    table = queries.size // max(queries.shape[-1] if queries.ndim else 1, 1) * rows
    return 4 * table + queries.size * rows + table * (numbers(v).shape[-1] if numbers(v).ndim else 1)


# ------------------------------------------------------------------------------------------------------------ cost

_STORED: Final = MappingProxyType({4: "f32", 2: "f16", 1: "fp8"})


def _kv_bytes(context: Value, n_layer: Value, n_head_kv: Value, head_dim: Value, *, bytes_each: Value = 2.0) -> Value:
    each = whole("bytes_each", bytes_each)
    if each not in _STORED:
        raise InputError(NO_BYTES, found=each)
    return float(
        cost.kv_bytes(
            whole("context", context),
            n_layer=whole("n_layer", n_layer),
            n_head_kv=whole("n_head_kv", n_head_kv),
            d_k=whole("head_dim", head_dim),
            cache_type_k=_STORED[each],
        )
    )


def _per_pair(n_layer: Value, n_head: Value, head_dim: Value) -> int:
    return cost.attention_flops_per_pair(
        n_layer=whole("n_layer", n_layer, 1), n_head=whole("n_head", n_head, 1), d_k=whole("head_dim", head_dim, 1)
    )


def _prefill_pairs(n: Value) -> Value:
    return float(cost.prefill_pairs(whole("n", n)))


def _prefill_attention_flops(n: Value, n_layer: Value, n_head: Value, head_dim: Value) -> Value:
    return float(_per_pair(n_layer, n_head, head_dim) * cost.prefill_pairs(whole("n", n)))


def _decode_attention_flops(n: Value, n_layer: Value, n_head: Value, head_dim: Value) -> Value:
    return float(_per_pair(n_layer, n_head, head_dim) * cost.decode_pairs(whole("n", n)))


def _weight_flops(params: Value, tokens: Value = 1.0) -> Value:
    return float(cost.weight_flops(whole("params", params), whole("tokens", tokens)))


def _crossing(cross: Callable[..., float]) -> Callable[..., Value]:
    def call(params: Value, n_layer: Value, n_head: Value, head_dim: Value) -> Value:
        return cross(whole("params", params), flops_per_pair=_per_pair(n_layer, n_head, head_dim))

    return call


def _attention_parameters(d_model: Value, n_head: Value, n_head_kv: Value, head_dim: Value) -> Value:
    return float(
        cost.projection_parameters(
            d_model=whole("d_model", d_model),
            n_head=whole("n_head", n_head),
            n_head_kv=whole("n_head_kv", n_head_kv),
            d_k=whole("head_dim", head_dim),
        ).total
    )


def _kv_head(head: Value, n_head: Value, n_head_kv: Value) -> Value:
    heads = whole("n_head", n_head, 1, MOST_HEADS)
    shared = whole("n_head_kv", n_head_kv, 1, heads)
    return float(cost.kv_head_of(whole("head", head, 0, heads - 1), heads, shared))


# ------------------------------------------------------------------------------------------------------- the list


def _cells(*arguments: Value, **named: Value) -> int:
    return 1 + sum(map(size_of, (*arguments, *named.values())))


def _product(*sizes: Value, **_named: Value) -> int:
    return 1 + MAKING * math.prod(int(min(size, MOST_CELLS)) for size in sizes if isinstance(size, float) and size >= 0)


def _square(n: Value) -> int:
    return _product(n, n)


def _broadcast_work(*arguments: Value, **_named: Value) -> int:
    return 1 + MAKING * math.prod(broadcast(*map(numbers, arguments)))


_REDUCTIONS: Final[Mapping[str, Callable[..., Any]]] = {
    "sum": np.sum,
    "mean": np.mean,
    "std": np.std,
    "all": np.all,
    "any": np.any,
    "argmax": np.argmax,
}

FUNCTIONS: Final[Mapping[str, Function]] = MappingProxyType(
    {
        **{
            name: Function(_elementwise(ufunc), _cells)
            for name, ufunc in {
                "abs": np.abs,
                "sqrt": np.sqrt,
                "exp": np.exp,
                "log": np.log,
                "tanh": np.tanh,
                "floor": np.floor,
            }.items()
        },
        "max": Function(_extreme(np.max, np.maximum), _broadcast_work),
        "min": Function(_extreme(np.min, np.minimum), _broadcast_work),
        **{name: Function(_reduction(reduce), _cells) for name, reduce in _REDUCTIONS.items()},
        "round": Function(_round, _cells),
        "rows": Function(_rows, _cells),
        "close": Function(_close, _broadcast_work),
        "symmetric": Function(_symmetric, _cells),
        "where": Function(_where, _broadcast_work),
        "dot": Function(dot, dot_work),
        "norm": Function(_norm, _cells),
        "cosine": Function(_cosine, _cells),
        "transpose": Function(_transpose, _cells),
        "reshape": Function(_reshape, _cells),
        "beside": Function(_beside, _cells),
        "zeros": Function(_filled(0.0), _product),
        "ones": Function(_filled(1.0), _product),
        "identity": Function(_identity, _square),
        "causal": Function(_causal, _square),
        "positions": Function(_positions, _product),
        "len": Function(_len, _cells),
        "softmax": Function(_softmax, _cells),
        "jacobian": Function(_jacobian, _jacobian_work),
        "attend": Function(_attend, _attend_work),
        "kv_bytes": Function(_kv_bytes, _cells),
        "prefill_pairs": Function(_prefill_pairs, _cells),
        "prefill_attention_flops": Function(_prefill_attention_flops, _cells),
        "decode_attention_flops": Function(_decode_attention_flops, _cells),
        "weight_flops": Function(_weight_flops, _cells),
        "prefill_crossing": Function(_crossing(cost.prefill_crossing), _cells),
        "decode_crossing": Function(_crossing(cost.decode_crossing), _cells),
        "attention_parameters": Function(_attention_parameters, _cells),
        "kv_head": Function(_kv_head, _cells),
    }
)
