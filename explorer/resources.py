"""The only door to the files under ``resources/``.

They lie in three different places: in a frozen bundle beside the unpacked program, in an installed wheel inside the
package, in a checkout beside it. Nobody else may build such a path; what the files mean is their readers' business.
"""

import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent


def root() -> Path:
    """Find the folder that holds the resources.

    Returns
    -------
    Path
        The bundle's copy when frozen, else the installed one, else the checkout's.

    Raises
    ------
    FileNotFoundError
        If none of the three is there: the installation is incomplete.
    """
    bundle = getattr(sys, "_MEIPASS", None)
    frozen = [Path(bundle, "explorer", "_resources")] if bundle else []
    places = [*frozen, PACKAGE / "_resources", PACKAGE.parent / "resources"]
    for place in places:
        if place.is_dir():
            return place
    tried = ", ".join(str(place) for place in places)
    raise FileNotFoundError(f"the resources of Attention Explorer are missing; looked in {tried}. Install it again")


def path(*parts: str) -> Path:
    """Return the path of one file or folder, for those who can only read from a path.

    Raises
    ------
    ValueError
        If the parts lead out of the resources.
    FileNotFoundError
        If there is nothing of that name.
    """
    base = root()
    wanted = base.joinpath(*parts)
    if ".." in wanted.parts[len(base.parts) :] or not wanted.is_relative_to(base):
        raise ValueError(f"resource {'/'.join(parts)!r} lies outside the resources")
    if not wanted.exists():
        raise FileNotFoundError(f"there is no resource {'/'.join(parts)!r} in {base}")
    return wanted


def data(*parts: str) -> bytes:
    """Return the content of one file."""
    return path(*parts).read_bytes()


def text(*parts: str) -> str:
    """Return the content of one UTF-8 file, with newlines as in the file's source."""
    return path(*parts).read_text(encoding="utf-8")


def names(*parts: str) -> list[str]:
    """Return the names of the files and folders in one folder, sorted, hidden ones left out.

    An absent folder holds nothing: which languages or presets exist is asked this way.
    """
    folder = root().joinpath(*parts)
    if not folder.is_dir():
        return []
    folder = path(*parts)
    return sorted(entry.name for entry in folder.iterdir() if not entry.name.startswith((".", "__")))
