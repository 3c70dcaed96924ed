"""The ops of what a KV cache takes: from typed shapes of models to bytes and parameters, each with its product.

The arithmetic is `explorer.core.cost`'s, exact in whole numbers; these ops put it into arrays and say how each figure
comes about. Shapes are whole numbers in float64; refusing others, and figures beyond 2⁵³, is up to whoever reads them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from explorer.core import cache_types, cost
from explorer.core.expression import Cell, Expression, Number, Operation
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.cache_types import CacheType

#: The columns of `model_costs`' input.
MODEL: Final = ("n_layer", "n_head", "n_head_kv", "d_head", "d_model", "context")
#: What `model_costs` returns for each model; Wo has as many parameters as Wq, and Wv as many as Wk.
COSTS: Final = ("bytes/token", "cache", "Wq, Wo", "Wk, Wv")
#: The entries of `variant_costs`' input, and what it returns for each variant.
SHAPE: Final = ("n_layer", "n_head", "n_head_kv", "d_head", "context")
VARIANTS: Final = ("MHA", "GQA", "MQA")
VARIANT_COSTS: Final = ("KV heads", "queries per KV", "per token", "cache")
#: The columns count different things, all of them in whole numbers that are written out.
COUNT: Final = "whole"

_HELPERS: Final = """\
def kv_bytes_per_token(n_layer, n_head_kv, d_head):
    return 2 * n_layer * (np.ceil(n_head_kv * d_head / {block}) * {block_bytes})  # K and V in {name}
"""
_MODEL_HELPERS: Final = """\
def model_costs(models):
    n_layer, n_head, n_head_kv, d_head, d_model, context = models.T
    per_token = kv_bytes_per_token(n_layer, n_head_kv, d_head)
    wq, wk = d_model * n_head * d_head, d_model * n_head_kv * d_head
    return np.stack([per_token, per_token * context, wq, wk], axis=1)
"""
_VARIANT_HELPERS: Final = """\
def variant_costs(shape):
    n_layer, n_head, n_head_kv, d_head, context = shape
    shared = np.array([n_head, n_head_kv, 1.0])
    per_token = kv_bytes_per_token(n_layer, shared, d_head)
    return np.stack([shared, n_head / shared, per_token, per_token * context], axis=1)
"""


def _product(*factors: Expression) -> Expression:
    return Operation("product", factors)


def _whole(value: int) -> Number:
    return Number(float(value), f"{value}")


def _bytes(kind: CacheType, n_layer: Cell, n_head_kv: Cell | Number, d_head: Cell) -> tuple[Expression, ...]:
    """Return the factors of the bytes per token: 2 for K and V, layers, KV heads, head size, bytes of a number."""
    numbers = int(n_head_kv.value) * int(d_head.value)
    if not kind.fills_blocks(numbers):
        # The last block of a row is filled up, which no product of widths shows.
        return (_whole(2), n_layer, _whole(kind.row_bytes(numbers)))
    each = kind.bytes_per_element
    return (_whole(2), n_layer, n_head_kv, d_head, Number(float(each), str(each)))


def _source(kind: CacheType) -> str:
    return _HELPERS.format(block=kind.block, block_bytes=kind.block_bytes, name=kind.name)


def model_costs(cache_type: str = "f16") -> Op:
    """Count what models take: (models, 6) of `MODEL` gives (models, 4) of `COSTS`, a layer's parameters last."""
    kind = cache_types.cache_type(cache_type)

    def row(values: Sequence[float]) -> list[float]:
        n_layer, n_head, n_head_kv, d_head, d_model, context = map(int, values)
        per_token = cost.kv_bytes_per_token(n_layer=n_layer, n_head_kv=n_head_kv, d_k=d_head, cache_type_k=kind)
        held = cost.kv_bytes(context, n_layer=n_layer, n_head_kv=n_head_kv, d_k=d_head, cache_type_k=kind)
        matrices = cost.projection_parameters(d_model=d_model, n_head=n_head, n_head_kv=n_head_kv, d_k=d_head)
        return [float(one) for one in (per_token, held, matrices.wq, matrices.wk)]

    def apply(models: Array) -> Array:
        return np.array([row(values) for values in models.tolist()]).reshape(len(models), len(COSTS))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        r, column = index
        layers, heads, shared, d_head, d_model, context = (cell(arrays, names, 0, r, c) for c in range(len(MODEL)))
        if column < 2:
            factors = _bytes(kind, layers, shared, d_head)
            return _product(*factors, *((context,) if column else ()))
        return _product(d_model, heads if COSTS[column].startswith("Wq") else shared, d_head)

    helpers = (_source(kind), _MODEL_HELPERS)
    return Op("model_costs", apply, terms, lambda names: f"model_costs({names[0]})", helpers, unit=COUNT)


def variant_costs(cache_type: str = "f16") -> Op:
    """Compare the same model as MHA, GQA and MQA: (5,) of `SHAPE` gives (3, 4) of `VARIANT_COSTS`."""
    kind = cache_types.cache_type(cache_type)

    def apply(shape: Array) -> Array:
        n_layer, n_head, n_head_kv, d_head, context = map(int, shape.tolist())
        rows = []
        for shared in (n_head, n_head_kv, 1):
            per_token = cost.kv_bytes_per_token(n_layer=n_layer, n_head_kv=shared, d_k=d_head, cache_type_k=kind)
            held = cost.kv_bytes(context, n_layer=n_layer, n_head_kv=shared, d_k=d_head, cache_type_k=kind)
            rows.append([shared, cost.check_sharing(n_head, shared), per_token, held])
        return np.array(rows, np.float64)

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        r, column = index
        layers, heads, own, d_head, context = (cell(arrays, names, 0, c) for c in range(len(SHAPE)))
        shared: Cell | Number = (heads, own, _whole(1))[r]
        if column == 0:
            return shared
        if column == 1:
            return Operation("quotient", (heads, shared))
        factors = _bytes(kind, layers, shared, d_head)
        return _product(*factors, *((context,) if column == len(VARIANT_COSTS) - 1 else ()))

    helpers = (_source(kind), _VARIANT_HELPERS)
    return Op("variant_costs", apply, terms, lambda names: f"variant_costs({names[0]})", helpers, unit=COUNT)
