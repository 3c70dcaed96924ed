"""Colours, fonts and scale: everything that decides how the app looks, and nothing that knows what it shows.

Three palettes of our own on the Fusion style, because the platform's dark switch does nothing on several platforms.
Chrome takes its colours from palette roles, data from fixed colours per theme. One factor scales everything: all
sizes go through `Theme.px` and all fonts through `Theme.font`, so plots and matrices follow with the chrome.
"""

from __future__ import annotations

import math
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import numpy as np
from PySide6.QtGui import QColor, QFont, QFontDatabase, QFontMetrics, QPalette, QPixmapCache

from explorer import resources

if TYPE_CHECKING:
    from collections.abc import Callable
    from functools import _lru_cache_wrapper

    from numpy.typing import NDArray
    from PySide6.QtWidgets import QApplication

Kept = TypeVar("Kept")

FAMILY = "Inter"
SCALES = (80, 90, 100, 110, 125, 150, 175, 200, 250, 300)


class Colors(NamedTuple):
    """The colours of one theme. Roles are safe for the three kinds of colour blindness (tests hold them apart)."""

    window: str
    stage: str
    panel: str
    card: str
    border: str
    text: str
    muted: str
    accent: str
    accent_text: str
    on_accent: str
    good: str
    bad: str
    warn: str
    role: dict[str, str]
    #: Ends of the diverging map, for −1 and +1; its middle is `cell`.
    negative: str
    positive: str
    cell: str
    #: Anchors of the sequential map of attention weights, 0 to 1.
    weights: tuple[str, ...]
    #: One colour a head, again from the first after the last; numbers stand beside them.
    heads: tuple[str, ...]
    hatch: str
    grid: str
    outline: str
    changed: str


DARK = Colors(
    window="#0f1319",
    stage="#12161d",
    panel="#161b23",
    card="#1f2630",
    border="#2c3542",
    text="#e8ecf2",
    muted="#9aa5b4",
    accent="#3670d0",
    accent_text="#7fabff",
    on_accent="#ffffff",
    good="#5fd38d",
    bad="#ff8080",
    warn="#f0c060",
    role={
        "input": "#e8ecf2",
        "plain": "#e8ecf2",
        "query": "#8fb2ff",
        "key": "#f58b2a",
        "value": "#5fe39a",
        "output": "#f29ac8",
        "score": "#e8ecf2",
        "weight": "#e8ecf2",
        "mask": "#c3cad5",
    },
    negative="#5b46a0",
    positive="#84701d",
    cell="#1b2029",
    weights=("#0d2a5c", "#2b3f6b", "#4c556d", "#6b6d71", "#8d8872", "#b3a56a", "#dac355", "#ffe945"),
    heads=("#6ea6ff", "#ff9e5e", "#d59bff", "#5fd6a6", "#ff8790", "#62d0ef", "#f2d05c", "#b9c0cc"),
    hatch="#4a5462",
    grid="#0f1319",
    outline="#ffffff",
    changed="#ffd24a",
)
LIGHT = Colors(
    window="#eef1f6",
    stage="#f8fafc",
    panel="#ffffff",
    card="#f1f4f9",
    border="#d3dae4",
    text="#17202c",
    muted="#566273",
    accent="#1f4e96",
    accent_text="#1f4e96",
    on_accent="#ffffff",
    good="#17703c",
    bad="#b3261e",
    warn="#8a5b00",
    role={
        "input": "#17202c",
        "plain": "#17202c",
        "query": "#2f55dc",
        "key": "#8a5200",
        "value": "#1f6d4e",
        "output": "#b5208a",
        "score": "#17202c",
        "weight": "#17202c",
        "mask": "#3d4856",
    },
    negative="#b9a9ee",
    positive="#e2c560",
    cell="#ffffff",
    weights=("#0d2a5c", "#2b3f6b", "#4c556d", "#6b6d71", "#8d8872", "#b3a56a", "#dac355", "#ffe945"),
    heads=("#2459c4", "#b45500", "#8a3ab9", "#0b7a55", "#bd2637", "#007594", "#756300", "#566273"),
    hatch="#a9b3c0",
    grid="#e2e7ee",
    outline="#101820",
    changed="#c2410c",
)
CONTRAST = Colors(
    window="#000000",
    stage="#000000",
    panel="#000000",
    card="#101010",
    border="#ffffff",
    text="#ffffff",
    muted="#e0e0e0",
    accent="#ffe04a",
    accent_text="#ffe04a",
    on_accent="#000000",
    good="#7dffb0",
    bad="#ff9c9c",
    warn="#ffe04a",
    role={
        "input": "#ffffff",
        "plain": "#ffffff",
        "query": "#a9c4ff",
        "key": "#ffa13d",
        "value": "#66ffa8",
        "output": "#ffb0da",
        "score": "#ffffff",
        "weight": "#ffffff",
        "mask": "#ffffff",
    },
    negative="#5a3fc0",
    positive="#8a7000",
    cell="#000000",
    weights=("#00224e", "#26406f", "#4b5675", "#6c6d77", "#908b78", "#b8a96d", "#e0c854", "#fff04d"),
    heads=("#8ab8ff", "#ffb066", "#dcb0ff", "#6df0bd", "#ff9c9c", "#7fe4ff", "#ffe96b", "#e0e0e0"),
    hatch="#9a9a9a",
    grid="#5a5a5a",
    outline="#ffffff",
    changed="#ffe04a",
)
THEMES: dict[str, Colors] = {"light": LIGHT, "dark": DARK, "contrast": CONTRAST}
TITLES = {"light": "Light", "dark": "Dark", "contrast": "High contrast"}


def rgb(color: str) -> tuple[int, int, int]:
    """Return red, green and blue, 0 to 255, of ``#rrggbb``."""
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def luminance(color: tuple[int, int, int]) -> float:
    """Return the relative luminance of a colour, 0 to 1 (WCAG 2.2)."""
    linear = [c / 255 / 12.92 if c <= 10 else ((c / 255 + 0.055) / 1.055) ** 2.4 for c in color]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(first: tuple[int, int, int], second: tuple[int, int, int]) -> float:
    """Return the contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def _ramp(anchors: tuple[str, ...], count: int = 256) -> NDArray[np.uint8]:
    stops = np.linspace(0, 1, len(anchors))
    where = np.linspace(0, 1, count)
    channels = np.array([rgb(anchor) for anchor in anchors], float)
    return np.stack([np.interp(where, stops, channels[:, c]) for c in range(3)], axis=1).round().astype(np.uint8)


class Ramp(NamedTuple):
    """256 colours for values from low to high, with the text colour that is readable on each."""

    colors: NDArray[np.uint8]
    brushes: tuple[QColor, ...]
    on: tuple[QColor, ...]


@cache
def _ramp_of(anchors: tuple[str, ...]) -> Ramp:
    colors = _ramp(anchors)
    brushes = tuple(QColor(*map(int, color)) for color in colors)
    white, black = (255, 255, 255), (0, 0, 0)
    on = tuple(
        QColor(*(white if contrast(white, color) >= contrast(black, color) else black))
        for color in ((int(r), int(g), int(b)) for r, g, b in colors)
    )
    return Ramp(colors, brushes, on)


#: How a presentation's letters follow the number of pixels, and in how many steps from one size to twice that.
GROWING, GROWTH_STEPS = 0.6, 8


class Theme(NamedTuple):
    """One theme at one scale, in or out of presentation, on a screen or on paper."""

    name: str = "dark"
    percent: int = 100
    present: bool = False
    colors: Colors = DARK
    #: Whether it is for a picture: that is not told what could be dragged or clicked.
    printed: bool = False
    #: How much larger letters are: those of a presentation on a screen of more pixels, those beside large digits.
    growth: float = 1.0

    @property
    def scale(self) -> float:
        """The factor on every size; presentation doubles it."""
        return self.percent / 100

    def px(self, pixels: float) -> int:
        """Return a size given at 100 % in this theme's pixels."""
        return round(pixels * (self.percent / 100))

    def text_px(self, pixels: float) -> int:
        """Return a font's pixel size; no text is below 12 px at 100 %, or 24 px in presentation."""
        return round((pixels * 2 if self.present else max(pixels, 12)) * self.growth * (self.percent / 100)) or 1

    def on_screen(self, width: int, height: int) -> Theme:
        """Return the theme for a window of this size.

        A hall sees a picture of the same size however many pixels it has: a presentation's letters grow with these,
        though by less, as finer pixels let smaller letters be read.
        """
        if not self.present:
            return self._replace(growth=1.0)
        ratio = max(min(width / 1280, height / 720), 1.0)
        return self._replace(growth=math.floor(ratio**GROWING * GROWTH_STEPS) / GROWTH_STEPS)

    def font(self, px: float = 13, bold: bool = False, exact: bool = False) -> QFont:
        """Return the app's font with tabular digits; `exact` takes `px` as it is, unscaled."""
        return _font(int(px) if exact else self.text_px(px), bold)

    def color(self, role: str) -> QColor:
        """Return a colour: of a role such as ``"query"``, of the theme as ``"muted"``, or of a head: ``"head 2"``."""
        if role.startswith("head "):
            return self.head(int(role[5:]))
        return _color(self.colors.role.get(role) or getattr(self.colors, role))

    def head(self, at: int) -> QColor:
        """Return the colour of a head; its number is written beside it wherever it matters."""
        return _color(self.colors.heads[at % len(self.colors.heads)])

    @property
    def weights(self) -> Ramp:
        """The sequential map of attention weights."""
        return _ramp_of(self.colors.weights)

    @property
    def signed(self) -> Ramp:
        """The diverging map, pinned at 0 in its middle."""
        return _ramp_of((self.colors.negative, self.colors.cell, self.colors.positive))


#: What empties the caches that `kept_by_size` was told of.
_kept_by_size: list[Callable[[], None]] = []


@cache
def _color(name: str) -> QColor:
    return QColor(name)


def font_of(px: int, bold: bool = False) -> QFont:
    """Return the app's font at exactly this pixel size."""
    return _font(px, bold)


def kept_by_size(cached: _lru_cache_wrapper[Kept]) -> _lru_cache_wrapper[Kept]:
    """Have a cache emptied whenever another theme or scale is taken.

    What is kept by the size of its letters would otherwise be kept for every size that there ever was, and with it, in
    Qt, a picture of each letter.
    """
    _kept_by_size.append(cached.cache_clear)
    return cached


@kept_by_size
@cache
def metrics_of(px: int, bold: bool = False) -> QFontMetrics:
    """Return the measures of the app's font at exactly this pixel size; made once, as every edit measures."""
    return QFontMetrics(_font(px, bold))


@kept_by_size
@cache
def _font(px: int, bold: bool) -> QFont:
    load_fonts()
    font = QFont(FAMILY)
    font.setPixelSize(max(px, 1))
    font.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
    font.setFeature(QFont.Tag("tnum"), 1)
    font.setHintingPreference(QFont.HintingPreference.PreferNoHinting)
    return font


@cache
def load_fonts() -> bool:
    """Load the bundled fonts once; the system's own font serves where they cannot be read."""
    return all(
        QFontDatabase.addApplicationFontFromData(resources.data("fonts", name)) >= 0
        for name in ("Inter-Regular.otf", "Inter-SemiBold.otf")
    )


def make(name: str, percent: int = 100, present: bool = False) -> Theme:
    """Return the theme of that name.

    Raises
    ------
    ValueError
        When no theme has that name.
    """
    if name not in THEMES:
        raise ValueError(f"there is no theme called {name!r}; the themes are {', '.join(THEMES)}")
    return Theme(name, percent, present, THEMES[name])


def apply(app: QApplication, theme: Theme) -> None:
    """Give the application this theme's palette, style and font."""
    if app.style().objectName() != "fusion":
        app.setStyle("Fusion")
    colors = theme.colors
    palette = QPalette()
    for role, color in {
        QPalette.ColorRole.Window: colors.window,
        QPalette.ColorRole.WindowText: colors.text,
        QPalette.ColorRole.Base: colors.card,
        QPalette.ColorRole.AlternateBase: colors.panel,
        QPalette.ColorRole.Text: colors.text,
        QPalette.ColorRole.Button: colors.card,
        QPalette.ColorRole.ButtonText: colors.text,
        QPalette.ColorRole.BrightText: colors.text,
        QPalette.ColorRole.Highlight: colors.accent,
        QPalette.ColorRole.HighlightedText: colors.on_accent,
        QPalette.ColorRole.ToolTipBase: colors.card,
        QPalette.ColorRole.ToolTipText: colors.text,
        QPalette.ColorRole.PlaceholderText: colors.muted,
        QPalette.ColorRole.Link: colors.accent_text,
        QPalette.ColorRole.Accent: colors.accent,
        QPalette.ColorRole.Mid: colors.border,
        QPalette.ColorRole.Light: colors.card,
        QPalette.ColorRole.Midlight: colors.border,
        QPalette.ColorRole.Dark: colors.border,
        QPalette.ColorRole.Shadow: colors.border,
    }.items():
        palette.setColor(role, QColor(color))
    for role in (QPalette.ColorRole.WindowText, QPalette.ColorRole.Text, QPalette.ColorRole.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, role, QColor(colors.muted))
    # Icons greyed by the palette before are kept under that palette's key and would never be asked for again.
    QPixmapCache.clear()
    for empty in _kept_by_size:
        empty()
    app.setPalette(palette)
    app.setFont(theme.font(13))
