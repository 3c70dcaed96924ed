"""What a plot shows: curves, bars, lines and points over two stated axes, with a cursor that reads every curve.

Plain data for the view kinds "curves" and "histogram"; how it is drawn is the ui's business. Ranges are the author's,
never the data's: what lies outside is not drawn, and a number that changes does not move the axes.

Colours are named by role (``"query"``) or by what a theme calls them (``"muted"``, ``"good"``), so that they follow it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.core.ops.base import Array

Style = Literal["line", "dashed", "dotted", "points"]


@dataclass(frozen=True, slots=True)
class Scale:
    """One axis of a plot.

    Attributes
    ----------
    label : str
        What is measured, with its unit.
    low, high : float
        Where it begins and ends; both above 0 where it is logarithmic.
    logarithmic : bool
        Whether equal distances are equal ratios.
    write : callable, optional
        ``write(value)`` returns a value as it is written at its ticks; four digits unless given.
    read : callable, optional
        The same for the cursor, where that tells more digits than a tick.
    ticks : tuple of float
        Where it is labelled; round numbers are chosen unless given.
    shown : bool
        Whether ticks and their labels are drawn.
    caption : bool
        Whether its label stands beside it; where the plot's title says it there is more room without.
    """

    label: str
    low: float
    high: float
    logarithmic: bool = False
    write: Callable[[float], str] | None = None
    read: Callable[[float], str] | None = None
    ticks: tuple[float, ...] = ()
    shown: bool = True
    caption: bool = True

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(
                f"the axis {self.label!r} must go from a number to a larger one, not {self.low}…{self.high}"
            )
        if self.logarithmic and self.low <= 0:
            raise ValueError(f"the axis {self.label!r} is logarithmic and must begin above 0, not at {self.low}")

    def share(self, value: float) -> float:
        """Return where a value lies: 0 at the beginning, 1 at the end."""
        if not self.logarithmic:
            return (value - self.low) / (self.high - self.low)
        return math.log(value / self.low) / math.log(self.high / self.low) if value > 0 else -math.inf

    def shares(self, values: Array) -> Array:
        """Return where values lie, as `share` does; what an axis cannot hold is NaN."""
        numbers = np.asarray(values, np.float64)
        with np.errstate(all="ignore"):
            if not self.logarithmic:
                found = (numbers - self.low) / (self.high - self.low)
            else:
                found = np.log(numbers / self.low) / math.log(self.high / self.low)
        return np.where(np.isfinite(found), found, np.nan)

    def value(self, share: float) -> float:
        """Return the value at a share of the axis."""
        if not self.logarithmic:
            return self.low + share * (self.high - self.low)
        return float(self.low * (self.high / self.low) ** share)

    def written(self, value: float) -> str:
        """Return a value as it is written at a tick."""
        return f"{value:.4g}".replace("-", "−") if self.write is None else self.write(value)

    def told(self, value: float) -> str:
        """Return a value as the cursor tells it."""
        return self.written(value) if self.read is None else self.read(value)


@dataclass(frozen=True, slots=True, eq=False)
class Series:
    """A named curve, or points.

    Attributes
    ----------
    name : str
        What the key calls it.
    x, y : ndarray of shape (n,)
        Its points, x ascending. What is not finite is a gap.
    role : str
        Its colour.
    style : {"line", "dashed", "dotted", "points"}
    at : callable, optional
        ``at(x)`` returns its exact value where it is a formula. Otherwise the cursor reads between the two nearest
        points as the drawn line does, and of points the one that it stands on.
    """

    name: str
    x: Array
    y: Array
    role: str = "plain"
    style: Style = "line"
    at: Callable[[float], float] | None = None

    def read(self, x: float, x_scale: Scale, y_scale: Scale) -> float | None:
        """Return its value at x; None where it has none."""
        if self.at is not None:
            return float(self.at(x))
        if not len(self.x):
            return None
        if self.style == "points":
            shares = [abs(x_scale.share(float(one)) - x_scale.share(x)) for one in self.x]
            nearest = int(np.argmin(shares))
            return float(self.y[nearest]) if shares[nearest] < NEAR else None
        return self._between(x, x_scale, y_scale)

    def _between(self, x: float, x_scale: Scale, y_scale: Scale) -> float | None:
        right = bisect_right(self.x.tolist(), x)
        if right == 0 or (right == len(self.x) and x > self.x[-1]):
            return None
        if right == len(self.x) or x == self.x[right - 1]:
            value = float(self.y[right - 1])
            return value if math.isfinite(value) else None
        low, high = float(self.y[right - 1]), float(self.y[right])
        if not (math.isfinite(low) and math.isfinite(high)):
            return None
        ends = x_scale.share(float(self.x[right - 1])), x_scale.share(float(self.x[right]))
        part = (x_scale.share(x) - ends[0]) / (ends[1] - ends[0])
        if y_scale.logarithmic and low > 0 and high > 0:
            return float(low * (high / low) ** part)
        return low + part * (high - low)


@dataclass(frozen=True, slots=True, eq=False)
class Bars:
    """A histogram: bars from 0, side by side.

    Attributes
    ----------
    edges : ndarray of shape (n + 1,)
        Ascending.
    heights : ndarray of shape (n,)
    role : str
        Their colour.
    reads : tuple of str
        What the cursor says of each bar; the bar's height unless given.
    """

    name: str
    edges: Array
    heights: Array
    role: str = "plain"
    reads: tuple[str, ...] = ()

    def bar_at(self, x: float) -> int | None:
        """Return which bar stands at x; the last one holds its right edge, too."""
        if not self.edges[0] <= x <= self.edges[-1]:
            return None
        return min(int(np.searchsorted(self.edges, x, side="right")) - 1, len(self.heights) - 1)


@dataclass(frozen=True, slots=True)
class Line:
    """A straight line across the plot at one value of an axis, with a label; a short one for where that has no room."""

    at: float
    label: str = ""
    vertical: bool = True
    role: str = "muted"
    dashed: bool = True
    short: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """A stretch of the x axis that is shaded, with a label."""

    low: float
    high: float
    label: str = ""
    role: str = "good"


@dataclass(frozen=True, slots=True)
class Crossing:
    """A point that has a name, such as where two curves cross; a short one, too, for where the whole has no room."""

    x: float
    y: float
    label: str
    role: str = "text"
    short: str = ""


@dataclass(frozen=True, slots=True, eq=False)
class Plot:
    """Everything that a "curves" or "histogram" view draws.

    Attributes
    ----------
    x, y : Scale
    series, bars, lines, bands, crossings
        What is drawn; later series lie above earlier ones.
    title : str
        Above the plot.
    note : str
        Beside the title, such as what is being waited for; in the middle of a plot that is empty.
    cursor : float, optional
        Where the cursor stands until somebody moves it; none unless given.
    snap : callable, optional
        ``snap(x)`` moves a cursor to where it may stand, such as a whole number.
    """

    x: Scale
    y: Scale
    series: tuple[Series, ...] = ()
    bars: tuple[Bars, ...] = ()
    lines: tuple[Line, ...] = ()
    bands: tuple[Band, ...] = ()
    crossings: tuple[Crossing, ...] = ()
    title: str = ""
    note: str = ""
    cursor: float | None = None
    snap: Callable[[float], float] | None = None

    @property
    def empty(self) -> bool:
        """Whether there is nothing to draw; the note then says why."""
        return not (self.series or self.bars or self.bands)

    def drawn_alike(self, other: Plot) -> bool:
        """Say whether another plot differs in its cursor alone."""
        same = (self.series is other.series, self.bars is other.bars, self.lines is other.lines)
        more = (self.bands is other.bands, self.crossings is other.crossings)
        axes = (self.x, self.y, self.title, self.note) == (other.x, other.y, other.title, other.note)
        return all(same) and all(more) and axes

    def snapped(self, x: float) -> float:
        """Return where a cursor that is put to x stands: on the axis, and where it may."""
        inside = min(max(x, self.x.low), self.x.high)
        return inside if self.snap is None else min(max(self.snap(inside), self.x.low), self.x.high)

    def readings(self, x: float) -> list[tuple[str, str]]:
        """Return what the cursor reads at x: the name of everything in the key, with its value in words.

        What has no value there reads as nothing.
        """
        found: list[tuple[str, str]] = []
        for bars in self.bars:
            at = bars.bar_at(x)
            text = "" if at is None else bars.reads[at] if bars.reads else self.y.told(float(bars.heights[at]))
            found.append((bars.name, text))
        for one in self.series:
            value = one.read(x, self.x, self.y)
            found.append((one.name, "" if value is None else self.y.told(value)))
        return found


#: How far from the cursor, as a share of the axis, a point may lie for the cursor to read it.
NEAR = 0.02
