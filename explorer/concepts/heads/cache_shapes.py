"""Typed shapes of models in the tabs of shared KV heads: how wide a cell is, which are refused and why.

Not a tab.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from explorer.core import cost
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, cell_name, kv_head_choices

if TYPE_CHECKING:
    from collections.abc import Sequence

    from explorer.core.ops.base import Array

#: The least and the largest number that a shape may hold.
LIMITS: Final = (1.0, 1e7)
#: From here on whole numbers are no longer exact in 64 bits.
EXACT: Final = 2**53
CACHE_TYPES: Final = (("f16", "f16"), ("f32", "f32"), ("fp8", "fp8"), ("q8_0", "q8_0"), ("q4_0", "q4_0"))

CANNOT_SHARE = QT_TRANSLATE_NOOP(
    "concepts", "{cell}: {n_head} query heads cannot share {n_head_kv} KV heads; {name} may be {choices}"
)
TOO_LARGE = QT_TRANSLATE_NOOP("concepts", "{cell}: this cache would take {value} bytes; make the shape smaller")


def check_shape(array: str, row: tuple[int, ...], names: Sequence[str], values: Array) -> None:
    """Refuse a shape that no model can have.

    Parameters
    ----------
    array : str
        The input that it stands in.
    row : tuple of int
        What comes before the column in the index of a cell.
    names : sequence of str
        What the columns are: n_layer, n_head, n_head_kv, d_head and context among them.
    values : ndarray of shape (columns,)
        Whole numbers, which the input itself sees to.

    Raises
    ------
    InputError
        When the heads cannot be shared evenly, or the cache could not be counted exactly.
    """
    sizes = {name: int(value) for name, value in zip(names, values.tolist(), strict=True)}
    cell = cell_name(array, (*row, names.index("n_head_kv")))
    if sizes["n_head"] % sizes["n_head_kv"]:
        choices = kv_head_choices(sizes["n_head"])
        raise InputError(
            CANNOT_SHARE,
            cell=cell,
            n_head=sizes["n_head"],
            n_head_kv=sizes["n_head_kv"],
            name="n_head_kv",
            choices=choices,
        )
    largest = cost.kv_bytes(
        sizes["context"],
        n_layer=sizes["n_layer"],
        n_head_kv=sizes["n_head"],
        d_k=sizes["d_head"],
        cache_type_k="f32",
    )
    parameters = sizes.get("d_model", 1) * sizes["n_head"] * sizes["d_head"]
    if max(largest, parameters) >= EXACT:
        raise InputError(TOO_LARGE, cell=cell, value=f"{max(largest, parameters):,}")
