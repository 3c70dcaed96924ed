"""What an op is: one step of arithmetic with three faces that must agree.

`apply` computes an array, `terms` says how one of its cells came about, `source` is the same step as NumPy text.
Ops know nothing of tabs; which arrays they are given, and under which names, is a stage's business.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from explorer.core.expression import Cell, Expression

Array = NDArray[Any]
Arrays = Sequence[Array]
Names = Sequence[str]
Index = tuple[int, ...]


def _never(*_arrays: Array) -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Op:
    """One step of arithmetic.

    Attributes
    ----------
    name : str
        What the step is called, such as ``"scores"``.
    apply : callable
        ``apply(*arrays)`` returns the computed ndarray.
    terms : callable
        ``terms(arrays, names, index)`` returns the expression behind the cell at `index`.
    source : callable
        ``source(names)`` returns one NumPy expression that gives the bits of `apply`; `helpers` are defined before it.
    helpers : tuple of str
        Function definitions that `source` calls.
    slow : bool
        Whether the op leaves the GUI thread. Its `apply` then takes two keywords, both optional: ``progress(share)`` is
        called with what is done, 0 to 1; ``cancelled()`` is asked at every chunk of work, and when it says True `apply`
        raises whatever it likes.
    quick : callable, optional
        Of a slow op: ``quick(*arrays)`` says that these inputs are few enough to be done with inside the frame.
    unit : str
        What its numbers count, such as ``"FLOP"`` or ``"B"``: whole ones are written out in full.
    """

    name: str
    apply: Callable[..., Array]
    terms: Callable[[Arrays, Names, Index], Expression]
    source: Callable[[Names], str]
    helpers: tuple[str, ...] = ()
    slow: bool = False
    quick: Callable[..., bool] = _never
    unit: str = ""


def cell(arrays: Arrays, names: Names, which: int, *index: int) -> Cell:
    """Return the operand at `index` of input number `which`."""
    return Cell(names[which], index, float(arrays[which][index]))


def as_float(array: Array) -> Array:
    """Return the array in C order as float64, or in its own floating type."""
    dtype = array.dtype if array.dtype.kind == "f" else np.float64
    return np.ascontiguousarray(array, dtype=dtype)
