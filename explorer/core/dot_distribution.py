"""The exact distribution of a score: q·k of two vectors of standard normal numbers.

What lives here: its density. What does not: samples of it, which `explorer.core.scaling` draws.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.core.checks import as_floats, as_integer, as_number, check_finite

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

Floats: TypeAlias = NDArray[np.float64]

_NODES = 400
# Nodes where the integrand is below e^-42 of its peak are left out: less than the last bit of the result.
_NEGLIGIBLE = 42.0


@np.errstate(under="ignore")
def dot_density(x: ArrayLike, d_head: int, divisor: float = 1.0) -> Floats:
    """Return the probability density of q·k / divisor for standard normal q and k.

    Parameters
    ----------
    x : array_like of shape (n,)
        Finite numbers.
    d_head : int
        1 or more.
    divisor : float
        Above 0.

    Returns
    -------
    ndarray of shape (n,)
        Relative error below 1e-11 for d_head up to 10⁴. With d_head = 1 the density at 0 is infinite: `inf`.

    Raises
    ------
    InputError
        If `x` does not hold finite real numbers, d_head is below 1 or the divisor is not above 0.

    Notes
    -----
    Given q, q·k is normal with variance |q|², and |q|² follows the χ² distribution with d_head degrees of freedom. So

        f(x) = ∫ normal(x; 0, s) χ²(s; d) ds = |x|^ν K_ν(|x|) / (√π 2^ν Γ(d/2)),   ν = (d - 1) / 2.

    NumPy has no Bessel function K. The integral over log s has a positive integrand that falls off on both sides faster
    than exponentially, for which the trapezoidal rule converges exponentially; its logarithm is summed relative to its
    peak, so that nothing overflows for large d or x.
    """
    d = as_integer("d_head", d_head, least=1)
    given = np.asarray(as_floats("x", x), np.float64)
    check_finite("x", given)
    divisor = as_number("divisor", divisor, given.dtype, positive=True)
    order = (d - 1) / 2.0
    # Clipped where squares would leave the floats: far out the density is 0 anyway, near 0 it is flat (d = 1: -log x).
    with np.errstate(over="ignore"):
        exact = np.abs(given).ravel() * divisor
    at = np.clip(exact, 1e-300, 1e300)

    root = np.hypot(order, at)
    peak = order + root
    # At s = peak · e^δ the logarithm of the integrand has fallen by order · (e^δ - 1 - δ) + 2a (cosh δ - 1), where
    # a = x² / (2 peak).
    a = at * (at / (2.0 * peak))
    with np.errstate(over="ignore", divide="ignore"):
        by_tails = np.arccosh(1.0 + _NEGLIGIBLE / (2.0 * a))
        by_order = np.full_like(at, _NEGLIGIBLE) / order if order else np.full_like(at, np.inf)
    left = np.minimum(by_tails, np.sqrt(2.0 * by_order) + by_order)
    right = np.minimum(by_tails, np.minimum(np.sqrt(2.0 * by_order), np.log1p(by_order) + 2.0))
    step = (left + right) / _NODES
    shift = -left[:, None] + step[:, None] * np.arange(_NODES + 1)
    fall = order * (np.expm1(shift) - shift) + 4.0 * a[:, None] * np.sinh(shift / 2.0) ** 2
    area = step * np.exp(-fall).sum(axis=-1)

    log_scale = -0.5 * math.log(2.0 * math.pi) - 0.5 * d * math.log(2.0) - math.lgamma(0.5 * d)
    density: Floats = divisor * area * np.exp(log_scale + order * np.log(peak) - a - 0.5 * peak)
    if d == 1:
        density[exact == 0.0] = np.inf
    return np.reshape(density, given.shape)
