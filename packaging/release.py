"""What ``build.py`` does: wheel, one-folder bundle, portable archive and .deb, each held against its budget.

Everything is made below ``build/`` and put into ``dist/`` when it is whole. Dates come from the changelog, so that two
builds of one checkout with one Python give the same files.
"""

import argparse
import hashlib
import os
import platform
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from datetime import datetime
from email.utils import parsedate_to_datetime
from pathlib import Path

import budget
import deb
import licences
import systempackages
from environment import Environment, clean_environment
from trouble import Trouble

ROOT = Path(__file__).resolve().parent.parent
NAME = "attention-explorer"
FORMATS = ("wheel", "folder", "tar", "deb")
DEBIAN_PYTHON = Path("/usr/bin/python3")


def build(arguments: list[str]) -> int:
    """Make the formats that were asked for and return the exit status."""
    asked = _parser().parse_args(arguments)
    formats = asked.format or [one for one in FORMATS if one != "deb" or systempackages.is_debian()]
    try:
        release = _Release(asked.out.resolve())
        release.provide(formats)
        if not asked.tools:
            release.make(formats)
    except (Trouble, ValueError) as error:
        print(error, file=sys.stderr, flush=True)
        return 1
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="build.py", description="Make the packages of a release.")
    parser.add_argument("format", metavar="FORMAT", nargs="*", choices=[*FORMATS, []], help=f"of {', '.join(FORMATS)}")
    parser.add_argument("--tools", action="store_true", help="only provide the system packages that this needs")
    parser.add_argument("--out", metavar="FOLDER", type=Path, default=ROOT / "dist", help="default: dist/")
    return parser


class _Release:
    """One run: where things are made, where they go, and the Python that makes them."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.work = ROOT / "build"
        self.bundle = self.work / "bundle" / NAME
        self.notices = self.work / "licences"
        self.version = version()
        self.date = released()

    def provide(self, formats: list[str]) -> None:
        """Make sure that the system has what these formats need."""
        if "deb" in formats and not systempackages.is_debian():
            raise Trouble("A .deb can only be made on Debian or one of its kin; the other formats can be made here.")
        if sys.platform.startswith("linux") and systempackages.is_debian():
            self._provide_debian(with_deb="deb" in formats)

    def make(self, formats: list[str]) -> None:
        """Make what was asked for, in an order in which each finds what it is made of."""
        if sys.platform.startswith("linux") and systempackages.is_debian():
            _go_on_with(DEBIAN_PYTHON)
        self.python = Environment(ROOT, "build/environment").prepare("build")
        self.out.mkdir(parents=True, exist_ok=True)
        made = []
        if "wheel" in formats:
            made.append(self._wheel())
        if {"folder", "tar", "deb"} & set(formats):
            self._folder()
        if "tar" in formats:
            made.append(self._archive())
        if "deb" in formats:
            made.append(self._deb())
        self._sums()
        for path in made:
            print(path, flush=True)

    def _provide_debian(self, *, with_deb: bool) -> None:
        """Install what the build needs, Debian's own Python among it."""
        tools = systempackages.BUILD_TOOLS if with_deb else {"objdump": systempackages.BUILD_TOOLS["objdump"]}
        systempackages.provide_tools({**tools, str(DEBIAN_PYTHON): "python3"}, ["python3-venv"])
        systempackages.provide_libraries([systempackages.DRAWING, systempackages.X11, systempackages.WAYLAND])
        said = subprocess.run([DEBIAN_PYTHON, "-VV"], capture_output=True, text=True, check=False).stdout
        found = re.match(r"Python 3\.(\d+)", said)
        if not found or int(found[1]) < 11:
            raise Trouble(f"The bundle is built with Debian's own Python, which is too old here: {said.strip()}.")
        systempackages.provide_tools({}, [f"libpython3.{found[1]}"])

    def _wheel(self) -> Path:
        _say("wheel")
        target = self._fresh("wheel")
        self._run([self.python, "-m", "hatchling", "build", "-t", "wheel", "-d", target])
        (wheel,) = target.glob("*.whl")
        _say(f"  {budget.weigh('wheel', wheel.stat().st_size)}")
        return Path(shutil.copy(wheel, self.out))

    def _folder(self) -> None:
        _say("folder")
        target = self._fresh("bundle")
        spec = ROOT / "packaging" / f"{NAME}.spec"
        places: list[str | Path] = ["--distpath", target, "--workpath", self._fresh("pyinstaller")]
        self._run([self.python, "-m", "PyInstaller", "--noconfirm", "--log-level", "WARN", *places, spec])
        self._fresh("licences").rmdir()
        licences.collect(
            self.bundle,
            self.notices,
            root=ROOT,
            site_packages=next(self.python.parent.parent.glob("[Ll]ib/**/site-packages")),
            packages=[*_packages("run"), "pyinstaller"],
        )
        if sys.platform.startswith("linux"):
            if wrong := budget.foreign_parts(self.bundle):
                raise Trouble("The bundle is not what packaging/budgets.toml says:\n  " + "\n  ".join(wrong))
            _say(f"  {budget.weigh('folder', budget.size_of(self.bundle))}")
        (self.out / "manifest.txt").write_text(budget.manifest(self.bundle), encoding="utf-8")

    def _archive(self) -> Path:
        """Pack the bundle and its licences into one folder with the version in its name."""
        tag = f"{NAME}-{self.version}-{_platform()}"
        _say("tar" if os.name != "nt" else "zip")
        if os.name == "nt":
            path = self.out / f"{tag}.zip"
            with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
                for place, file in self._contents():
                    archive.write(file, f"{tag}/{place}")
            return path
        path = self.out / f"{tag}.tar.xz"
        with tarfile.open(path, "w:xz", preset=6, format=tarfile.PAX_FORMAT) as archive:
            for place, file in self._contents():
                archive.add(file, f"{tag}/{place}", recursive=False, filter=self._owned_by_nobody)
        _say(f"  {budget.weigh('tar', path.stat().st_size)}")
        return path

    def _contents(self) -> list[tuple[str, Path]]:
        trees = [(self.bundle, ""), (self.notices, "licences/")]
        files = [
            (prefix + path.relative_to(tree).as_posix(), path)
            for tree, prefix in trees
            for path in tree.rglob("*")
            if path.is_symlink() or path.is_file()
        ]
        return sorted(files)

    def _owned_by_nobody(self, member: tarfile.TarInfo) -> tarfile.TarInfo:
        member.uid = member.gid = 0
        member.uname = member.gname = ""
        member.mtime = int(self.date.timestamp())
        member.mode = 0o755 if member.mode & 0o100 else 0o644
        return member

    def _deb(self) -> Path:
        _say("deb")
        deb.check_sources()
        root = self._fresh("deb") / "root"
        icons = self._fresh("icons")
        self._run([self.python, ROOT / "packaging" / "icons.py", icons])
        date = f"{self.date:%B %Y}"
        deb.stage(self.bundle, root, notices=self.notices, icons=icons, version=self.version, date=date)
        installed = budget.size_of(root)
        package = deb.build(root, root.parent, self.version)
        _say(f"  {budget.weigh('deb', package.stat().st_size)}")
        _say(f"  {budget.weigh('installed', installed)}")
        for line in deb.lint(package).splitlines():
            _say(f"  lintian: {line}")
        return Path(shutil.copy(package, self.out))

    def _sums(self) -> None:
        """Write the checksums of what lies in the folder, whichever call made it."""
        files = [path for path in sorted(self.out.iterdir()) if path.name.startswith((NAME, NAME.replace("-", "_")))]
        lines = [f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.name}\n" for path in files if path.is_file()]
        (self.out / "SHA256SUMS").write_text("".join(lines), encoding="utf-8")

    def _fresh(self, name: str) -> Path:
        folder = self.work / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def _run(self, command: list[str | Path]) -> None:
        fixed = {"SOURCE_DATE_EPOCH": str(int(self.date.timestamp())), "PYTHONHASHSEED": "1", "LC_ALL": "C.UTF-8"}
        done = subprocess.run(
            list(map(str, command)),
            cwd=ROOT,
            env={**clean_environment(), **fixed},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            check=False,
        )
        log = self.work / f"{Path(command[2]).name}.log"
        log.write_text(done.stdout, encoding="utf-8")
        if done.returncode != 0:
            tail = "\n  ".join(done.stdout.strip().splitlines()[-8:])
            raise Trouble(f"{Path(command[2]).name} failed:\n  {tail}\n(all of it is in {log})")


def _go_on_with(python: Path) -> None:
    """Go on with Debian's own Python, unless this is it.

    Its library is stripped, gets security updates and has its licence beside it; another one, built by hand, is three
    times as large.
    """
    if Path(sys.executable).resolve() != python.resolve():
        _say(f"Building with {python}.")
        sys.stdout.flush()
        os.execve(python, [str(python), str(ROOT / "packaging" / "build.py"), *sys.argv[1:]], clean_environment())


def version() -> str:
    """Return the version that the package states, which the changelog must state first.

    Raises
    ------
    Trouble
        When they differ.
    """
    text = (ROOT / "explorer" / "__init__.py").read_text(encoding="utf-8")
    stated = re.search(r'__version__ = "([^"]+)"', text)
    first = re.match(rf"{NAME} \(([^)]+)\)", _changelog())
    if not stated or not first or stated[1] != first[1]:
        raise Trouble("The first entry of packaging/debian/changelog is not about the version in explorer/__init__.py.")
    return stated[1]


def released() -> datetime:
    """Return the date of the changelog's first entry."""
    (line, *_) = re.findall(r"^ -- .*>  (.+)$", _changelog(), re.MULTILINE)
    return parsedate_to_datetime(line)


def _changelog() -> str:
    return (ROOT / "packaging" / "debian" / "changelog").read_text(encoding="utf-8")


def _packages(lock: str) -> list[str]:
    """Return the names that a lock file pins for this system."""
    text = (ROOT / "packaging" / f"{lock}.lock").read_text(encoding="utf-8")
    lines = re.findall(r"^([\w.-]+)==\S+(?: ; sys_platform == '(\w+)')?", text, re.MULTILINE)
    return [name for name, system in lines if system in {"", sys.platform}]


def _platform() -> str:
    systems = {"linux": "linux", "darwin": "macos", "win32": "windows"}
    return f"{systems.get(sys.platform, sys.platform)}-{platform.machine().lower()}"


def _say(text: str) -> None:
    print(text, flush=True)
