"""A package that is too heavy, or holds parts of Qt that nobody uses, is not made."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "packaging"))

import budget

MB = 10**6


def test_every_budget_has_an_aim_within_its_limit():
    weights = {name: entry for name, entry in budget._read().items() if name != "qt"}
    assert set(weights) == {"deb", "installed", "tar", "folder", "wheel"}
    assert all(0 < entry["aim"] <= entry["limit"] for entry in weights.values())
    assert (weights["deb"]["limit"], weights["installed"]["limit"]) == (55, 190)
    assert (weights["deb"]["aim"], weights["installed"]["aim"]) == (48, 160)


def test_what_keeps_its_aim_is_told_in_a_line():
    assert budget.weigh("deb", 41 * MB) == "deb          41.0 MB of 55"


def test_what_is_over_its_aim_is_said_to_be():
    assert budget.weigh("deb", 50 * MB).endswith("over the 48 that it should weigh")


def test_what_is_over_its_limit_is_refused():
    with pytest.raises(ValueError, match=r"deb weighs 55\.1 MB, and packaging/budgets\.toml allows 55 MB"):
        budget.weigh("deb", 55 * MB + 100_000)


def bundle_of(folder: Path) -> Path:
    """Lay out empty files where a bundle has Qt's parts."""
    qt = folder / "_internal" / "PySide6"
    allowed = budget._read()["qt"]
    files = [f"{name}.abi3.so" for name in allowed["bindings"]]
    files += [f"Qt/lib/lib{name}.so.6" for name in allowed["libraries"]]
    files += ["Qt/plugins/{}/lib{}.so".format(*name.split("/")) for name in allowed["plugins"]]
    for file in files:
        (qt / file).parent.mkdir(parents=True, exist_ok=True)
        (qt / file).write_bytes(b"")
    return folder


def test_a_bundle_with_exactly_the_parts_of_qt_that_are_used_is_in_order(tmp_path):
    assert budget.foreign_parts(bundle_of(tmp_path)) == []


def test_parts_too_many_and_too_few_are_named(tmp_path):
    qt = bundle_of(tmp_path) / "_internal" / "PySide6"
    (qt / "QtSvg.abi3.so").unlink()
    (qt / "Qt/lib/libQt6Network.so.6").write_bytes(b"")
    (qt / "Qt/plugins/platforms/libqvnc.so").write_bytes(b"")
    assert budget.foreign_parts(tmp_path) == [
        "QtSvg of Qt's bindings is not in the bundle",
        "Qt6Network is in the bundle and not among Qt's libraries",
        "platforms/qvnc is in the bundle and not among Qt's plugins",
    ]


def test_the_manifest_lists_files_by_size_and_links_not_at_all(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/small").write_bytes(b"1")
    (tmp_path / "large").write_bytes(b"12345")
    (tmp_path / "link").symlink_to("large")
    assert budget.manifest(tmp_path).split() == ["5", "large", "1", "a/small"]
    assert budget.size_of(tmp_path) == 6 + len("large")
