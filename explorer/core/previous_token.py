"""How well a hand-built previous-token head keeps up with the number of its slots.

Such a head scores s / √N for the slot before and 0 for every other, with N slots, hence keys of N numbers, and
sharpness s (the head is built by `explorer.core.lesson.previous_token_inputs`). Row i sees i rivals of the match, so
the last row is the worst: its share is e^(s/√N) / (e^(s/√N) + N − 1). Growing N blunts the head twice, by the
divisor and by the rivals. Both functions follow from that one line; nothing here looks at matrices.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, as_integer

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

FEW_SLOTS = QT_TRANSLATE_NOOP("core", "a row needs one before it, so slots must be 2 or more, not {found}")
NO_SHARE = QT_TRANSLATE_NOOP("core", "share must lie between 0 and 1, both excluded, not {found}")


def worst_share(slots: ArrayLike, sharpness: float) -> NDArray[np.float64]:
    """Return how much the worst row of the hand-built head gives to the row before it.

    Parameters
    ----------
    slots : array_like of int
        Numbers of slots, each 2 or more.
    sharpness : float
        The query's one entry that is not 0.

    Returns
    -------
    ndarray of the shape of `slots`
        The last row's share where the head is sharp, as long as the sharpness is not negative.

    Raises
    ------
    InputError
        If there are fewer than 2 slots.
    """
    counts = np.asarray(slots, np.float64)
    if counts.size and not counts.min() >= 2:
        raise InputError(FEW_SLOTS, found=f"{counts.min():g}")
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(1.0 / (1.0 + (counts - 1.0) * np.exp(-sharpness / np.sqrt(counts))))


def sharpness_needed(slots: int, share: float = 0.99) -> float:
    """Return the sharpness at which the worst row reaches a share: √N · ln(share / (1 − share) · (N − 1)).

    Parameters
    ----------
    slots : int
        2 or more.
    share : float
        Between 0 and 1. For 0.99 the match must outweigh its rivals 99 times: √N · ln(99 (N − 1)).

    Returns
    -------
    float
        At most 0 where equal shares already reach it.

    Raises
    ------
    InputError
        If there are fewer than 2 slots or the share is not between 0 and 1.
    """
    count = as_integer("slots", slots)
    if count < 2:
        raise InputError(FEW_SLOTS, found=count)
    if not 0 < share < 1:
        raise InputError(NO_SHARE, found=f"{share:g}")
    return math.sqrt(count) * (math.log(share) - math.log1p(-share) + math.log(count - 1))
