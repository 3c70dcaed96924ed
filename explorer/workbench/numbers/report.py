"""What an example reports, and how that becomes strict JSON.

What lives here: the shape of a report and the conversions that every example needs. What does not: any example.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from explorer.workbench.javaformat import fixed

Group: TypeAlias = dict[str, Any]
Floats: TypeAlias = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Example:
    """One example of the lesson, computed.

    Attributes
    ----------
    number : int
        1 to 13.
    groups : dict of str to dict
        ``inputs``, ``intermediates`` and ``outputs``: names to numbers, strings, arrays, lists and dicts of these.
        Arrays are float32 where the lesson's results are.
    printed_lines : tuple of str
        What the lesson's program prints.
    """

    number: int
    groups: dict[str, Group]
    printed_lines: tuple[str, ...]


def build(number: int, inputs: Group, intermediates: Group, outputs: Group, lines: list[str]) -> Example:
    """Return the report of one example from its parts."""
    groups = {"inputs": inputs, "intermediates": intermediates, "outputs": outputs}
    return Example(number, groups, tuple(lines))


def single(values: ArrayLike) -> NDArray[np.float32]:
    """Return the values rounded to float32."""
    return np.asarray(values, np.float64).astype(np.float32)


def held_single(values: ArrayLike) -> Floats:
    """Return the values rounded to float32, in float64."""
    return single(values).astype(np.float64)


def exponentials(masked: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return e to the power of every masked score, and the sum of each row: softmax before its division."""
    powers = np.exp(masked)
    return powers, powers.sum(axis=-1)


def rows_of(table: NDArray[Any], digits: int, width: int, lead: str = "") -> list[str]:
    """Return one line per row of a table, each cell in ``%width.digitsf`` after `lead`."""
    return ["".join(f"{lead}{fixed(cell, digits, width)}" for cell in row) for row in table.tolist()]


def to_json(example: Example) -> str:
    """Write an example as strict JSON.

    Parameters
    ----------
    example : Example

    Returns
    -------
    str
        An object with the number, the three groups and the printed lines. Every number has the digits that reproduce
        it, infinities are strings, NaN does not occur.
    """
    document = {"example": example.number, **example.groups, "printed_lines": example.printed_lines}
    return json.dumps(_strict(document), ensure_ascii=False, allow_nan=False, indent=1)


def _strict(value: object) -> object:
    if isinstance(value, Mapping):
        return {key: _strict(member) for key, member in value.items()}
    if isinstance(value, np.ndarray | np.generic):
        return _strict(value.tolist())
    if isinstance(value, list | tuple):
        return [_strict(item) for item in value]
    if isinstance(value, float) and math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    return value
