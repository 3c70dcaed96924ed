"""What goes into the one-folder bundle: every module of ours, and of everybody else's files only what is reached.

The spec (``attention-explorer.spec``) calls this from inside PyInstaller; what is left out, and why, is in
``prune.toml``. After the list has been applied, a shared library stays only when something that stays needs it.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from pathlib import Path, PurePosixPath
from typing import NamedTuple

#: A file of the bundle as PyInstaller lists it: its place in the bundle, where it is from, and of what kind it is.
Entry = tuple[str, str, str]
PLUGIN = re.compile(r"(?:^|/)plugins/([^/]+)/(?:lib)?([^/]+?)(?:\.so|\.dll|\.dylib)$")


class Pruning(NamedTuple):
    """The lists of ``prune.toml``."""

    modules: list[str]
    stand_ins: list[str]
    files: list[str]
    system: list[str]
    plugins: dict[str, list[str]]

    @classmethod
    def read(cls, path: Path) -> "Pruning":
        """Read the file; a list that is missing or has another name is an error."""
        return cls(**tomllib.loads(path.read_text(encoding="utf-8")))

    def drops(self, place: str) -> bool:
        """Tell whether the lists leave out the file at this place of the bundle."""
        plugin = PLUGIN.search(place)
        if plugin and "PySide6" in place:
            return plugin[2] not in self.plugins.get(plugin[1], [])
        name = PurePosixPath(place).name
        patterns = (pattern.removeprefix("**/") for pattern in self.files)
        if any(fnmatchcase(place, pattern) or fnmatchcase(name, pattern) for pattern in patterns):
            return True
        return any(fnmatchcase(name, pattern) for pattern in self.system)


def modules_of(package: Path) -> list[str]:
    """Return the dotted names of all modules of a package, without importing any of them.

    Tabs and kinds of views are found by looking into their package, and much is imported when it is first needed:
    PyInstaller, which follows import statements, would see neither.
    """
    names = []
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package.parent).with_suffix("").parts
        names.append(".".join(parts[:-1] if parts[-1] == "__init__" else parts))
    return names


def prune(entries: Iterable[Entry], pruning: Pruning, needed: Callable[[str], set[str]] | None = None) -> list[Entry]:
    """Return what stays of the shared libraries and data files.

    Parameters
    ----------
    entries : iterable of (place, source, kind)
        PyInstaller's list.
    pruning : Pruning
        What is left out.
    needed : callable, optional
        Returns the names of the shared libraries that a file is linked to; asks the system's tools if omitted.
    """
    needed = needed or libraries_of
    kept = [entry for entry in entries if not pruning.drops(PurePosixPath(*Path(entry[0]).parts).as_posix())]
    libraries = [entry for entry in kept if _is_library(entry)]
    by_name: dict[str, list[Entry]] = {}
    for entry in libraries:
        by_name.setdefault(Path(entry[0]).name, []).append(entry)
    waiting = [entry for entry in kept if entry[2] == "EXTENSION" or (entry[2] == "BINARY" and not _is_library(entry))]
    reached: set[str] = set()
    while waiting:
        for name in needed(waiting.pop()[1]):
            for entry in by_name.get(name, []):
                if entry[0] not in reached:
                    reached.add(entry[0])
                    if entry[2] != "SYMLINK":
                        waiting.append(entry)
    return [entry for entry in kept if not _is_library(entry) or entry[0] in reached]


def libraries_of(path: str) -> set[str]:
    """Return the names of the shared libraries that a file is directly linked to."""
    if not sys.platform.startswith("linux"):
        from PyInstaller.depend import bindepend

        return {name for name, _ in bindepend.get_imports(path)}
    done = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True)
    return set(re.findall(r"^\s*NEEDED\s+(\S+)", done.stdout, re.MULTILINE))


def _is_library(entry: Entry) -> bool:
    """Tell a library that others link to from modules and plugins, which are loaded by name.

    A link at the top of the bundle leads to a library farther down; it stays when that one does.
    """
    place, _, kind = entry
    if kind not in {"BINARY", "SYMLINK"} or PLUGIN.search(PurePosixPath(*Path(place).parts).as_posix()):
        return False
    return not re.match(r"libpython|python\d", Path(place).name)
