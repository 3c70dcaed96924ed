"""Everything that is bundled comes with its licence."""

import re
import sys
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "packaging"))

import licences
import release
from trouble import Trouble

SITE_PACKAGES = Path(np.__file__).parents[1]


@pytest.fixture
def collected(tmp_path):
    """Collect the licences of what the application runs on, for a bundle without libraries of the system."""
    (tmp_path / "bundle" / "_internal").mkdir(parents=True)
    target = tmp_path / "licences"
    packages = release._packages("run")
    licences.collect(tmp_path / "bundle", target, root=ROOT, site_packages=SITE_PACKAGES, packages=packages)
    return target


def test_every_package_that_is_bundled_has_a_text_and_a_line(collected):
    listed = (collected / "README.txt").read_text(encoding="utf-8")
    for package in release._packages("run"):
        texts = [path for path in (collected / package).rglob("*") if path.is_file()]
        assert texts, package
        assert all(path.stat().st_size > 100 for path in texts)
        assert re.search(rf"^{re.escape(package)} \S+: ", listed.replace("_", "-"), re.MULTILINE | re.IGNORECASE), (
            package
        )


@pytest.mark.parametrize(
    ("place", "words"),
    [
        ("LICENSE", "Attention Explorer contributors"),
        ("Inter/OFL.txt", "SIL OPEN FONT LICENSE"),
        ("pyside6-essentials/LGPL-3.0.txt", "GNU LESSER GENERAL PUBLIC LICENSE"),
        ("pyside6-essentials/GPL-3.0.txt", "GNU GENERAL PUBLIC LICENSE"),
        ("pyside6-essentials/Qt-third-party.txt", "harfbuzz"),
        ("numpy/LICENSE.txt", "OpenBLAS"),
        ("ziamath/STIXTwoMath.txt", "STIX Fonts Project Authors"),
        ("ziafont/DejaVuSans.txt", "Bitstream"),
        ("latex2mathml/latex2mathml.txt", "MIT License"),
    ],
)
def test_what_lawyers_look_for_is_there(collected, place, words):
    assert words in (collected / place).read_text(encoding="utf-8")


def test_a_package_without_a_text_may_not_be_bundled(tmp_path, monkeypatch):
    monkeypatch.delitem(licences.SUPPLEMENTS, "latex2mathml")
    (tmp_path / "bundle" / "_internal").mkdir(parents=True)
    with pytest.raises(Trouble, match="latex2mathml brings no licence text"):
        licences.collect(
            tmp_path / "bundle", tmp_path / "to", root=ROOT, site_packages=SITE_PACKAGES, packages=["latex2mathml"]
        )
