"""What the values of the expression language are, and how a function says what a call costs.

Numbers are floats, also where they count: no integer can grow without bound. Arrays are those of the tab, read-only by
agreement. The functions themselves are in :mod:`explorer.workbench.vocabulary`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.attention import Trace

Numbers: TypeAlias = NDArray[Any]

NO_NUMBERS = QT_TRANSLATE_NOOP("workbench", "{found} is not a number or an array of numbers")
NO_NUMBER = QT_TRANSLATE_NOOP("workbench", "{name} has shape {shape}; a single number is needed")
NO_WHOLE = QT_TRANSLATE_NOOP("workbench", "{name} is {found}; it must be a whole number from {low} to {high}")
SHAPES_DIFFER = QT_TRANSLATE_NOOP("workbench", "shapes {a} and {b} do not fit together")

#: Larger results than this are refused: 32 heads over 64 tokens are half of it.
MOST_CELLS: Final = 2**18
MOST_HEADS: Final = 4096
#: How many elementary operations one cell of a result that did not exist before counts for.
MAKING: Final = 32


class EmptyError(InputError):
    """Refuse to reduce an array without cells: ``all`` of nothing would be true, and a task would tick itself off."""


class Attended(NamedTuple):
    """What ``attend`` gives to an expression: a trace of which only the named tables can be read."""

    trace: Trace
    single: bool

    def part(self, name: str) -> Numbers:
        """Return one of :data:`PARTS`, without the head axis when the arguments had none."""
        table: Numbers = getattr(self.trace, name)
        return table[0] if self.single else table


#: The tables of an attention that an expression may read.
PARTS: Final = ("scores", "scaled", "capped", "masked", "weights", "output")

Value: TypeAlias = "float | bool | str | Numbers | Attended"


class Function(NamedTuple):
    """A callable of the language: what it does, and how much work a call with these arguments is."""

    call: Callable[..., Value]
    work: Callable[..., int]


def numbers(value: object) -> Numbers:
    """Return a value as a float64 array; truth counts as 0 and 1.

    Raises
    ------
    InputError
        For words and for what ``attend`` returns.
    """
    if isinstance(value, np.ndarray) and value.dtype.kind in "bf":
        return value.astype(np.float64, copy=False)
    if isinstance(value, bool | float):
        return np.asarray(value, dtype=np.float64)
    raise InputError(NO_NUMBERS, found=f"{value!r}" if isinstance(value, str) else "what attend() returns")


def whole(name: str, value: object, low: int = 0, high: int = 10**15) -> int:
    """Return a value as an int between two bounds.

    Raises
    ------
    InputError
    """
    if isinstance(value, float) and value.is_integer() and low <= value <= high:
        return int(value)
    found = f"{value:g}" if isinstance(value, float) else "not a number"
    raise InputError(NO_WHOLE, name=name, found=found, low=low, high=high)


def plain(value: Numbers | np.generic | float | bool) -> float | bool | Numbers:
    """Return NumPy scalars and 0-d arrays as float or bool, everything else as it is."""
    if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
        return bool(value) if value.dtype.kind == "b" else float(value)
    return value


def size_of(value: object) -> int:
    """Return how many cells a value holds."""
    return value.size if isinstance(value, np.ndarray) else 1


def broadcast(*arrays: Numbers) -> tuple[int, ...]:
    """Return the shape of an elementwise operation, without making it.

    Raises
    ------
    InputError
        When the shapes do not fit together.
    """
    shape: tuple[int, ...] = ()
    for array in arrays:
        try:
            shape = np.broadcast_shapes(shape, array.shape)
        except ValueError:
            raise InputError(SHAPES_DIFFER, a=shape_text(shape), b=shape_text(array.shape)) from None
    return shape


def number(name: str, value: object) -> float:
    """Return a value as one float.

    Raises
    ------
    InputError
    """
    array = numbers(value)
    if array.ndim:
        raise InputError(NO_NUMBER, name=name, shape=shape_text(array.shape))
    return float(array)


def shape_text(shape: tuple[int, ...]) -> str:
    """Write a shape as it stands beside a matrix: ``4 × 2``."""
    return " × ".join(map(str, shape)) if shape else "1"
