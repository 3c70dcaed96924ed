"""The .deb: the bundle below /usr/lib, and everything that makes a desktop know it. Needs Debian's tools, not root.

Libraries that came into the bundle from Debian's own packages are left out again; the package depends on theirs, which
get Debian's security updates.
"""

import gzip
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

import licences
from trouble import Trouble

HERE = Path(__file__).resolve().parent
NAME = "attention-explorer"
HOME = Path("usr/lib") / NAME


def stage(bundle: Path, target: Path, *, notices: Path, icons: Path, version: str, date: str) -> None:
    """Lay out what the package installs below a new folder.

    Parameters
    ----------
    bundle : Path
        The one-folder bundle.
    target : Path
        The folder to make; it stands for ``/``.
    notices, icons : Path
        The bundle's licences, and the icons in their sizes.
    version, date : str
        What the man page's foot says.
    """
    home = target / HOME
    shutil.copytree(bundle, home, symlinks=True)
    owned = {name: owner for owner, names in licences.owners(home / "_internal").items() for name in names}
    kept = {owner for name, owner in owned.items() if name.startswith("libpython")}
    for name, owner in owned.items():
        if owner not in kept:
            (home / "_internal" / name).unlink()
    (target / "usr/bin").mkdir()
    (target / "usr/bin" / NAME).symlink_to(Path("../lib") / NAME / NAME)
    share = target / "usr/share"
    shutil.copytree(icons, share / "icons")
    _copy(HERE / "linux" / f"{NAME}.desktop", share / "applications")
    _copy(HERE / "linux" / f"{NAME}.metainfo.xml", share / "metainfo")
    _copy(HERE / "linux" / f"{NAME}.mime.xml", share / "mime/packages", f"{NAME}.xml")
    _copy(HERE / "debian/lintian-overrides", share / "lintian/overrides", NAME)
    manual = (HERE / "linux" / f"{NAME}.1").read_text(encoding="utf-8")
    _compressed(manual.replace("@VERSION@", version).replace("@DATE@", date), share / "man/man1" / f"{NAME}.1.gz")
    documents = share / "doc" / NAME
    _copy_notices(notices, documents / "licences", without=set(owned.values()) - kept)
    _copy(HERE / "debian/copyright", documents)
    _compressed((HERE / "debian/changelog").read_text(encoding="utf-8"), documents / "changelog.gz")
    _set_modes(target)


def build(root: Path, out: Path, version: str) -> Path:
    """Make the package from what was staged.

    Returns
    -------
    Path
        The package, named as Debian names packages.
    """
    architecture = _output(["dpkg", "--print-architecture"]).strip()
    fields = {
        "VERSION": version,
        "ARCHITECTURE": architecture,
        "KIBIBYTES": str(_kibibytes(root)),
        "DEPENDS": dependencies(root),
    }
    control = (HERE / "debian/control").read_text(encoding="utf-8")
    for field, value in fields.items():
        control = control.replace(f"@{field}@", value)
    (root / "DEBIAN").mkdir(exist_ok=True)
    (root / "DEBIAN").chmod(0o755)
    (root / "DEBIAN/control").write_text(control, encoding="utf-8")
    (root / "DEBIAN/control").chmod(0o644)
    package = out / f"{NAME}_{version}_{architecture}.deb"
    _output(["dpkg-deb", "--root-owner-group", "-Zxz", "-z6", "--build", str(root), str(package)])
    return package


def dependencies(root: Path) -> str:
    """Return the Depends field: the packages, with versions, of every library that the bundle does not bring itself."""
    programs = [path for path in sorted(root.rglob("*")) if path.is_file() and not path.is_symlink() and _is_elf(path)]
    private = sorted({str(path.parent) for path in programs})
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "debian").mkdir()
        (Path(folder) / "debian/control").write_text(
            f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n", encoding="utf-8"
        )
        command = ["dpkg-shlibdeps", "-O", "--ignore-missing-info", "--warnings=0"]
        command += [f"-l{place}" for place in private] + [f"-e{path}" for path in programs]
        said = _output(command, cwd=folder)
    found = re.search(r"^shlibs:Depends=(.+)$", said, re.MULTILINE)
    if not found:
        raise Trouble(f"dpkg-shlibdeps found no dependencies: {said.strip()[:300]}")
    return found[1]


def lint(package: Path) -> str:
    """Ask lintian about a package and return what it said.

    Raises
    ------
    Trouble
        When it found an error.
    """
    command = ["lintian", "--fail-on", "error", "--no-tag-display-limit", "--allow-root", str(package)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise Trouble(f"lintian found errors in {package.name}:\n{done.stdout}{done.stderr}")
    return done.stdout


def check_sources() -> None:
    """Ask the desktop's own tools about the menu entry and the AppStream data.

    Raises
    ------
    Trouble
        When one of them finds fault.
    """
    for command in (
        ["desktop-file-validate", str(HERE / "linux" / f"{NAME}.desktop")],
        ["appstreamcli", "validate", "--no-net", str(HERE / "linux" / f"{NAME}.metainfo.xml")],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise Trouble(f"{command[0]} finds fault:\n{done.stdout}{done.stderr}")


def _copy_notices(notices: Path, target: Path, *, without: set[str]) -> None:
    """Copy the licences of what the package contains, and not of what it leaves to Debian."""
    shutil.copytree(
        notices, target, ignore=lambda folder, names: without & set(names) if folder == str(notices) else []
    )
    index = target / "README.txt"
    lines = index.read_text(encoding="utf-8").splitlines(keepends=True)
    index.write_text("".join(line for line in lines if line.partition(": ")[0] not in without), encoding="utf-8")


def _is_elf(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(4) == b"\x7fELF"


def _kibibytes(root: Path) -> int:
    """Return the installed size as Debian counts it: every file in whole KiB, everything else as one."""
    paths = [path for path in root.rglob("*") if "DEBIAN" not in path.relative_to(root).parts]
    return sum(-(-path.stat().st_size // 1024) if path.is_file() and not path.is_symlink() else 1 for path in paths)


def _copy(source: Path, folder: Path, name: str = "") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, folder / (name or source.name))


def _compressed(text: str, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_bytes(gzip.compress(text.encode(), compresslevel=9, mtime=0))


def _set_modes(root: Path) -> None:
    """Give every file the mode that Debian wants, whatever the umask here; only programs may be executed."""
    for path in [root, *root.rglob("*")]:
        if path.is_symlink():
            continue
        program = path.is_dir() or (path.name == NAME and path.parent == root / HOME)
        path.chmod(0o755 if program else 0o644)


def _output(command: list[str], cwd: str | None = None) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    if done.returncode != 0:
        raise Trouble(f"{command[0]} failed: {done.stderr.strip() or done.stdout.strip()}")
    return done.stdout
