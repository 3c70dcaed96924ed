"""Whether what was built keeps to ``budgets.toml``: its sizes, and the parts of Qt that it contains."""

import re
import tomllib
from pathlib import Path
from typing import Any

from bundle import PLUGIN

FILE = Path(__file__).resolve().parent / "budgets.toml"
MB = 10**6


def weigh(name: str, size: int) -> str:
    """Return a line that says what something weighs and what it may weigh.

    Raises
    ------
    ValueError
        When it weighs more than its limit.
    """
    budget = _read()[name]
    weight, limit, aim = size / MB, budget["limit"], budget["aim"]
    if weight > limit:
        raise ValueError(f"{name} weighs {weight:.1f} MB, and packaging/budgets.toml allows {limit} MB")
    return f"{name:<10} {weight:6.1f} MB of {limit}" + (
        "" if weight <= aim else f", over the {aim} that it should weigh"
    )


def size_of(folder: Path) -> int:
    """Return the bytes in a folder, links not followed."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if not path.is_dir() or path.is_symlink())


def foreign_parts(folder: Path) -> list[str]:
    """Return what is wrong with the parts of Qt in a bundle for Linux: what is too much, and what is missing."""
    found = parts_of_qt(folder)
    complaints = []
    for kind, allowed in _read()["qt"].items():
        complaints += [
            f"{part} is in the bundle and not among Qt's {kind}" for part in sorted(found[kind] - set(allowed))
        ]
        complaints += [f"{part} of Qt's {kind} is not in the bundle" for part in sorted(set(allowed) - found[kind])]
    return complaints


def parts_of_qt(folder: Path) -> dict[str, set[str]]:
    """Return the bindings, libraries and plugins of Qt that a bundle for Linux contains."""
    found: dict[str, set[str]] = {"bindings": set(), "libraries": set(), "plugins": set()}
    for path in folder.rglob("*.so*"):
        place = path.relative_to(folder).as_posix()
        if binding := re.search(r"/PySide6/(Qt\w+)\.", place):
            found["bindings"].add(binding[1])
        elif library := re.search(r"/lib(Qt6\w+)\.so", place):
            found["libraries"].add(library[1])
        elif plugin := PLUGIN.search(place):
            found["plugins"].add(f"{plugin[1]}/{plugin[2]}")
    return found


def manifest(folder: Path) -> str:
    """Return the files of a folder with their sizes, largest first, so that two builds can be compared."""
    files = [
        (path.lstat().st_size, path.relative_to(folder).as_posix()) for path in folder.rglob("*") if _is_file(path)
    ]
    return "".join(f"{size:>10} {place}\n" for size, place in sorted(files, key=lambda file: (-file[0], file[1])))


def _is_file(path: Path) -> bool:
    return path.is_file() and not path.is_symlink()


def _read() -> dict[str, dict[str, Any]]:
    return tomllib.loads(FILE.read_text(encoding="utf-8"))
