"""The colours: readable everywhere, told apart by colour-blind people, and never automatic."""

import itertools

import numpy as np
import pytest
from PySide6.QtGui import QPixmap, QPixmapCache

from explorer.ui import theme as themes
from explorer.ui.theme import THEMES, contrast, luminance, rgb

GROUNDS = ("window", "stage", "panel", "card")
# Machado, Oliveira and Fernandes 2009, severity 1.0, on linear RGB.
BLINDNESS = {
    "none": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}
ROLES = ("input", "query", "key", "value", "output")


def lab(color: str, kind: str) -> np.ndarray:
    """Return a colour in OKLab as somebody with this kind of sight sees it (Ottosson 2020)."""
    channels = np.array(rgb(color)) / 255
    linear = np.where(channels <= 0.04045, channels / 12.92, ((channels + 0.055) / 1.055) ** 2.4)
    seen = np.clip(BLINDNESS[kind] @ linear, 0, 1)
    to_cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    to_lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return to_lab @ np.cbrt(to_cones @ seen)


@pytest.mark.parametrize("name", THEMES)
def test_text_and_roles_stand_out_from_every_ground(name: str) -> None:
    colors = THEMES[name]
    texts = {
        "text": colors.text,
        "muted": colors.muted,
        "good": colors.good,
        "bad": colors.bad,
        "warn": colors.warn,
        "accent_text": colors.accent_text,
        **colors.role,
    }
    for ground, (role, color) in itertools.product(GROUNDS, texts.items()):
        ratio = contrast(rgb(color), rgb(getattr(colors, ground)))
        assert ratio >= 4.5, f"{role} on {ground}: {ratio:.2f}"
    assert contrast(rgb(colors.on_accent), rgb(colors.accent)) >= 4.5


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("kind", BLINDNESS)
def test_no_two_roles_look_alike(name: str, kind: str) -> None:
    roles = THEMES[name].role
    for one, other in itertools.combinations(ROLES, 2):
        distance = float(np.linalg.norm(lab(roles[one], kind) - lab(roles[other], kind)))
        assert distance > 0.045, f"{one} and {other}: {distance:.3f}"


@pytest.mark.parametrize("name", THEMES)
def test_the_ends_of_the_signed_map_are_no_roles_colour(name: str) -> None:
    colors = THEMES[name]
    for end, role in itertools.product((colors.negative, colors.positive), ROLES):
        assert float(np.linalg.norm(lab(end, "none") - lab(colors.role[role], "none"))) > 0.08


@pytest.mark.parametrize("name", THEMES)
def test_more_attention_is_always_lighter(name: str) -> None:
    ramp = themes.make(name).weights.colors
    light = [luminance(tuple(int(c) for c in color)) for color in ramp]
    assert all(a <= b + 1e-9 for a, b in itertools.pairwise(light))
    assert light[-1] > light[0] + 0.5


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("which", ["weights", "signed"])
def test_digits_can_be_read_on_every_level(name: str, which: str) -> None:
    ramp = getattr(themes.make(name), which)
    for ground, ink in zip(ramp.brushes, ramp.on, strict=True):
        pair = [(c.red(), c.green(), c.blue()) for c in (ground, ink)]
        assert contrast(*pair) >= 4.5


def test_the_middle_of_the_signed_map_is_the_cells_own_colour() -> None:
    for name, colors in THEMES.items():
        middle = themes.make(name).signed.colors[[127, 128]].mean(axis=0)
        assert np.abs(middle - np.array(rgb(colors.cell))).max() <= 2


@pytest.mark.parametrize("percent", [80, 100, 150, 300])
def test_no_text_is_smaller_than_twelve_pixels_or_twice_that_in_a_show(percent: int) -> None:
    assert themes.make("light", percent).text_px(9) >= round(12 * percent / 100)
    assert themes.make("light", percent, present=True).text_px(12) >= round(24 * percent / 100)


def test_an_unknown_theme_is_refused_with_those_there_are() -> None:
    with pytest.raises(ValueError, match="light, dark, contrast"):
        themes.make("sepia")


def test_another_theme_leaves_no_pictures_of_the_one_before(qapp):
    themes.apply(qapp, themes.make("light"))
    QPixmapCache.insert("greyed in the light theme", QPixmap(16, 16))
    assert QPixmapCache.find("greyed in the light theme") is not None
    themes.apply(qapp, themes.make("dark"))
    assert QPixmapCache.find("greyed in the light theme") is None
