"""The lock files pin everything, agree with each other and with what the project asks for."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]


def pins(name: str) -> dict[str, tuple[str, int]]:
    """Return version and number of hashes per package."""
    text = (ROOT / "packaging" / f"{name}.lock").read_text().replace("\\\n", "")
    found = {}
    for line in text.splitlines():
        if line and not line.startswith("#"):
            match = re.match(r"(\S+)==(\S+)", line)
            assert match, line
            found[canonicalize_name(match[1])] = (match[2], line.count("--hash=sha256:"))
    return found


def asked_for() -> dict[str, list[Requirement]]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    runs = [Requirement(text) for text in project["dependencies"]]
    extras = project["optional-dependencies"]
    return {"run": runs, **{name: runs + [Requirement(text) for text in extras[name]] for name in ("test", "build")}}


@pytest.mark.parametrize("name", ["run", "test", "build"])
def test_every_pin_has_its_hashes(name):
    assert all(hashes > 0 for _, hashes in pins(name).values())


@pytest.mark.parametrize("name", ["test", "build"])
def test_what_runs_is_what_is_tested_and_packed(name):
    runs, others = pins("run"), pins(name)
    assert {package: others[package] for package in runs} == runs


@pytest.mark.parametrize("name", ["run", "test", "build"])
def test_what_the_project_asks_for_is_pinned(name):
    pinned = pins(name)
    for requirement in asked_for()[name]:
        version, _ = pinned[canonicalize_name(requirement.name)]
        assert requirement.specifier.contains(version), requirement


def test_the_qt_that_aborts_on_python_3_11_is_excluded():
    (qt,) = [requirement for requirement in asked_for()["run"] if requirement.name == "PySide6-Essentials"]
    refused = [version for version in ("6.11.0", "6.11.1", "6.12.0") if not qt.specifier.contains(version)]
    assert refused == ["6.11.0", "6.11.1", "6.12.0"]
    assert pins("run")["pyside6-essentials"][0] == "6.11.3"
