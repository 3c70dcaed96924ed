"""The licences of everything that the bundle contains, collected from where each part brings its own.

Python packages carry theirs in their metadata, libraries of the system in the system's documentation. What some of them
do not bring (Qt, the fonts inside packages) lies in ``licences/``. A part without a text stops the build.
"""

import shutil
import subprocess
from collections.abc import Iterable
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, cast

from trouble import Trouble

if TYPE_CHECKING:
    from email.message import Message

TEXTS = Path(__file__).resolve().parent / "licences"

#: What packages do not bring themselves.
SUPPLEMENTS = {
    "latex2mathml": ["latex2mathml.txt"],
    "pyside6-essentials": ["LGPL-3.0.txt", "GPL-3.0.txt", "Qt-third-party.txt"],
    "shiboken6": ["LGPL-3.0.txt", "GPL-3.0.txt"],
    "ziafont": ["DejaVuSans.txt"],
    "ziamath": ["STIXTwoMath.txt"],
}
#: What a reader looks for under another name than that of the package.
CONTENTS = {
    "latex2mathml": "",
    "numpy": "with OpenBLAS, LAPACK and the run-time libraries of GCC",
    "pyinstaller": "the launcher of the bundle; its exception allows any licence for what it launches",
    "pyside6-essentials": "Qt and its Python bindings; used under the LGPL 3",
    "shiboken6": "used under the LGPL 3",
    "ziafont": "with the typeface DejaVu Sans",
    "ziamath": "with the typeface STIX Two Math",
}
INTRODUCTION = """\
Attention Explorer {version} is under the MIT licence (LICENSE). It contains the parts listed here, each under its own
licence, whose text lies in the folder of its name.

Qt and Qt for Python are used under the GNU Lesser General Public License, version 3. They are separate files
(_internal/PySide6, _internal/shiboken6) that may be exchanged for compatible ones of your own making. Their source is
published by the Qt project, at the addresses that are given with them below.

"""


def collect(folder: Path, target: Path, *, root: Path, site_packages: Path, packages: Iterable[str]) -> None:
    """Write the licences of a bundle into a new folder.

    Parameters
    ----------
    folder : Path
        The bundle.
    target : Path
        The folder to make.
    root : Path
        The checkout.
    site_packages : Path
        Where the bundle's packages were taken from.
    packages : iterable of str
        Their names, as the lock file has them.

    Raises
    ------
    Trouble
        When a part has no licence text.
    """
    target.mkdir()
    shutil.copy(root / "LICENSE", target / "LICENSE")
    lines = []
    inter = target / "Inter"
    inter.mkdir()
    shutil.copy(root / "resources" / "fonts" / "OFL.txt", inter)
    lines.append("Inter: SIL Open Font License 1.1; the typeface of the application")
    installed = {_canonical(one.metadata["Name"]): one for one in metadata.distributions(path=[str(site_packages)])}
    lines += [_of_package(installed[name], name, target / name) for name in sorted(packages)]
    lines += _of_system(folder / "_internal", target)
    version = _version(root)
    text = INTRODUCTION.format(version=version) + "\n".join(sorted(lines, key=str.lower)) + "\n"
    (target / "README.txt").write_text(text, encoding="utf-8")


def _of_package(package: metadata.Distribution, name: str, target: Path) -> str:
    target.mkdir()
    for file in package.files or []:
        parts = file.parts
        if not parts[0].endswith(".dist-info"):
            continue
        if parts[1] == "licenses" and len(parts) > 2:
            place = target.joinpath(*parts[2:])
        elif parts[1].upper().startswith(("LICEN", "COPYING", "NOTICE")) and len(parts) == 2:
            place = target / parts[1]
        else:
            continue
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(str(file.locate())), place)
    for text in SUPPLEMENTS.get(name, []):
        shutil.copy(TEXTS / text, target)
    if not any(target.iterdir()):
        raise Trouble(
            f"{name} brings no licence text and packaging/licences has none for it, so it may not be bundled."
        )
    fields = cast("Message", package.metadata)
    licence = fields.get("License-Expression") or (fields.get("License") or "").split("\n")[0] or "see its text"
    source = next((line.split(", ", 1)[1] for line in fields.get_all("Project-URL") or [] if _is_source(line)), "")
    said = [f"{fields['Name']} {package.version}: {licence}", CONTENTS.get(name, ""), source]
    return "; ".join(part for part in said if part)


def _is_source(line: str) -> bool:
    return line.partition(",")[0].strip().lower() in {"repository", "source", "source code"}


def _of_system(internal: Path, target: Path) -> list[str]:
    """Copy the licences of libraries that came from packages of this Linux."""
    lines = []
    for owner, libraries in sorted(owners(internal).items()):
        notice = Path("/usr/share/doc", owner, "copyright")
        if not notice.exists():
            raise Trouble(f"{owner} brings no licence text in {notice.parent}, so {libraries[0]} may not be bundled.")
        (target / owner).mkdir()
        shutil.copy(notice, target / owner / "copyright.txt")
        what = "the Python interpreter and its library" if owner.startswith("libpython") else ", ".join(libraries)
        lines.append(f"{owner}: {what}")
    return lines


def owners(internal: Path) -> dict[str, list[str]]:
    """Return which of the system's packages the libraries at the top of the bundle came from; Debian's kin only."""
    if not shutil.which("dpkg-query"):
        return {}
    found: dict[str, list[str]] = {}
    for library in sorted(internal.glob("lib*.so*")):
        if library.is_symlink():
            continue
        done = subprocess.run(
            ["dpkg-query", "--search", f"*/{library.name}"], capture_output=True, text=True, check=False
        )
        places = [line.partition(": ")[::2] for line in done.stdout.splitlines()]
        near = [owner.partition(":")[0] for owner, place in places if _is_loaded_from(place)]
        if near:
            found.setdefault(near[0], []).append(library.name)
    return found


def _is_loaded_from(place: str) -> bool:
    return Path(place).parent.parent in {Path("/lib"), Path("/usr/lib")}


def _canonical(name: str) -> str:
    return name.lower().replace("_", "-").replace(".", "-")


def _version(root: Path) -> str:
    names: dict[str, str] = {}
    exec((root / "explorer" / "__init__.py").read_text(encoding="utf-8"), names)  # noqa: S102 - our own two lines
    return names["__version__"]
