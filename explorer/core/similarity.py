"""How alike two vectors are in direction.

What lives here: cosine similarity with the parts it is made of. What does not: the scores of attention, which are
plain dot products (`explorer.core.attention`).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, as_floats, check_axes, check_finite

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

DIFFERENT_LENGTHS = QT_TRANSLATE_NOOP("core", "a has shape {a} and b has shape {b}; both must have as many numbers")


class Cosine(NamedTuple):
    """The cosine of the angle between two vectors, and its parts.

    Attributes
    ----------
    dot : float
        a·b.
    squared_norm_a, squared_norm_b : float
        a·a and b·b.
    """

    dot: float
    squared_norm_a: float
    squared_norm_b: float

    @property
    def product(self) -> float:
        """Return a·a times b·b."""
        return self.squared_norm_a * self.squared_norm_b

    @property
    def root(self) -> float:
        """Return the product of the lengths, √(a·a · b·b)."""
        return math.sqrt(self.product)

    @property
    def value(self) -> float:
        """Return a·b / √(a·a · b·b), between -1 and 1; 0 when a vector is 0 and has no direction."""
        return self.dot / self.root if self.root else 0.0


def cosine(a: ArrayLike, b: ArrayLike) -> Cosine:
    """Compare the directions of two vectors: a·b / (|a| |b|).

    Parameters
    ----------
    a, b : array_like of shape (d,)
        Finite numbers.

    Returns
    -------
    Cosine

    Raises
    ------
    InputError
        If they are not two vectors of finite numbers and of one length.
    """
    vectors = []
    for name, value in (("a", a), ("b", b)):
        vector = np.asarray(as_floats(name, value), np.float64)
        check_axes(name, vector, ("d",))
        check_finite(name, vector)
        vectors.append(vector)
    left, right = vectors
    if left.shape != right.shape:
        raise InputError(DIFFERENT_LENGTHS, a=left.shape, b=right.shape)
    return Cosine(float(left @ right), float(left @ left), float(right @ right))
