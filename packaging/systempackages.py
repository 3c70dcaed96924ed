"""What Qt and Python need from the system's own packages: found out, named, and on Debian as root installed.

Only Linux needs this; elsewhere the wheels bring everything. Standard library only.
"""

import ctypes
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from trouble import Trouble

DRAWING, X11, WAYLAND = "drawing", "x11", "wayland"


class Library(NamedTuple):
    """A shared library that Qt loads and its wheel does not bring, and the package that has it on each system."""

    soname: str
    needed_for: str
    debian: str
    fedora: str
    arch: str


LIBRARIES = (
    Library("libEGL.so.1", DRAWING, "libegl1", "libglvnd-egl", "libglvnd"),
    Library("libGL.so.1", DRAWING, "libgl1", "libglvnd-glx", "libglvnd"),
    Library("libX11.so.6", DRAWING, "libx11-6", "libX11", "libx11"),
    Library("libxkbcommon.so.0", DRAWING, "libxkbcommon0", "libxkbcommon", "libxkbcommon"),
    Library("libfontconfig.so.1", DRAWING, "libfontconfig1", "fontconfig", "fontconfig"),
    Library("libfreetype.so.6", DRAWING, "libfreetype6", "freetype", "freetype2"),
    Library("libdbus-1.so.3", DRAWING, "libdbus-1-3", "dbus-libs", "dbus"),
    Library("libglib-2.0.so.0", DRAWING, "libglib2.0-0", "glib2", "glib2"),
    Library("libgthread-2.0.so.0", DRAWING, "libglib2.0-0", "glib2", "glib2"),
    Library("libzstd.so.1", DRAWING, "libzstd1", "libzstd", "zstd"),
    Library("libz.so.1", DRAWING, "zlib1g", "zlib", "zlib"),
    Library("libxcb.so.1", X11, "libxcb1", "libxcb", "libxcb"),
    Library("libX11-xcb.so.1", X11, "libx11-xcb1", "libX11-xcb", "libx11"),
    Library("libxkbcommon-x11.so.0", X11, "libxkbcommon-x11-0", "libxkbcommon-x11", "libxkbcommon-x11"),
    Library("libxcb-cursor.so.0", X11, "libxcb-cursor0", "xcb-util-cursor", "xcb-util-cursor"),
    Library("libxcb-icccm.so.4", X11, "libxcb-icccm4", "xcb-util-wm", "xcb-util-wm"),
    Library("libxcb-image.so.0", X11, "libxcb-image0", "xcb-util-image", "xcb-util-image"),
    Library("libxcb-keysyms.so.1", X11, "libxcb-keysyms1", "xcb-util-keysyms", "xcb-util-keysyms"),
    Library("libxcb-randr.so.0", X11, "libxcb-randr0", "libxcb", "libxcb"),
    Library("libxcb-render.so.0", X11, "libxcb-render0", "libxcb", "libxcb"),
    Library("libxcb-render-util.so.0", X11, "libxcb-render-util0", "xcb-util-renderutil", "xcb-util-renderutil"),
    Library("libxcb-shape.so.0", X11, "libxcb-shape0", "libxcb", "libxcb"),
    Library("libxcb-shm.so.0", X11, "libxcb-shm0", "libxcb", "libxcb"),
    Library("libxcb-sync.so.1", X11, "libxcb-sync1", "libxcb", "libxcb"),
    Library("libxcb-util.so.1", X11, "libxcb-util1", "xcb-util", "xcb-util"),
    Library("libxcb-xfixes.so.0", X11, "libxcb-xfixes0", "libxcb", "libxcb"),
    Library("libxcb-xkb.so.1", X11, "libxcb-xkb1", "libxcb", "libxcb"),
    Library("libwayland-client.so.0", WAYLAND, "libwayland-client0", "libwayland-client", "wayland"),
    Library("libwayland-cursor.so.0", WAYLAND, "libwayland-cursor0", "libwayland-cursor", "wayland"),
)

#: Programs that make a release on Debian, and the packages that have them.
BUILD_TOOLS = {
    "appstreamcli": "appstream",
    "desktop-file-validate": "desktop-file-utils",
    "dpkg-deb": "dpkg",
    "dpkg-shlibdeps": "dpkg-dev",
    "lintian": "lintian",
    "man": "man-db",
    "objdump": "binutils",
    "xz": "xz-utils",
}
#: Programs that try a release on a clean Debian.
VERIFY_TOOLS = {"debootstrap": "debootstrap", "setpriv": "util-linux", "unshare": "util-linux", "Xvfb": "xvfb"}

INSTALL = {
    "debian": ("Debian, Ubuntu", "apt-get install -y"),
    "fedora": ("Fedora", "dnf install -y"),
    "arch": ("Arch", "pacman -S --needed"),
}


def provide_libraries(purposes: Iterable[str]) -> None:
    """Make sure that Qt finds its libraries for the given purposes.

    Raises
    ------
    Trouble
        When libraries are missing and cannot be installed from here; the message holds the commands that install them.
    """
    wanted = set(purposes)
    lacking = missing_libraries(wanted)
    if lacking and _may_install():
        # While at it, everything: a machine without a display may be given one later.
        _install_debian(sorted({library.debian for library in missing_libraries({DRAWING, X11, WAYLAND})}))
        lacking = missing_libraries(wanted)
    if lacking:
        names = ", ".join(library.soname for library in lacking)
        raise Trouble(
            f"Qt needs system libraries that are not installed here: {names}.\n"
            + _commands(
                {
                    "debian": sorted({library.debian for library in lacking}),
                    "fedora": sorted({library.fedora for library in lacking}),
                    "arch": sorted({library.arch for library in lacking}),
                }
            )
        )


def missing_libraries(purposes: Iterable[str]) -> list[Library]:
    """Return the libraries for these purposes that the dynamic loader does not find."""
    if not sys.platform.startswith("linux"):
        return []
    return [library for library in LIBRARIES if library.needed_for in purposes and not _loads(library.soname)]


def provide_venv() -> None:
    """Make sure that this Python can make a virtual environment with pip in it.

    Raises
    ------
    Trouble
        When it cannot and that cannot be mended from here.
    """
    if _can_make_venv():
        return
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    debian = f"python{version}-venv"
    if _may_install() and Path(sys.base_prefix) == Path("/usr"):
        _install_debian([debian])
        if _can_make_venv():
            return
    raise Trouble(
        f"This Python ({sys.executable}) has no venv and ensurepip, which make the folder for the packages.\n"
        + _commands({"debian": [debian], "fedora": ["python3", "python3-pip"], "arch": ["python", "python-pip"]})
    )


def is_debian() -> bool:
    """Tell whether this is Debian or one of its kin."""
    return _family() == "debian"


def provide_tools(tools: dict[str, str], extra: Iterable[str] = ()) -> None:
    """Make sure that the named programs are there; Debian only.

    Parameters
    ----------
    tools : dict of str to str
        Programs and the packages that have them.
    extra : iterable of str
        Packages without a program of their own.

    Raises
    ------
    Trouble
        When some are missing and cannot be installed from here.
    """
    lacking = sorted({package for tool, package in tools.items() if not _finds(tool)} | set(_not_installed(extra)))
    if lacking and _may_install():
        _install_debian(lacking)
        lacking = sorted({package for tool, package in tools.items() if not _finds(tool)} | set(_not_installed(extra)))
    if lacking:
        raise Trouble(
            "Programs that this needs are missing. Install them, then run this again:\n"
            f"  sudo {INSTALL['debian'][1]} {' '.join(lacking)}"
        )


def _finds(tool: str) -> bool:
    return shutil.which(tool, path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin") is not None


def _not_installed(packages: Iterable[str]) -> list[str]:
    def state(package: str) -> str:
        query = ["dpkg-query", "--show", "--showformat=${db:Status-Status}", package]
        return subprocess.run(query, capture_output=True, text=True, check=False).stdout

    return [package for package in packages if state(package) != "installed"]


def _can_make_venv() -> bool:
    # Asked of a new process: this one has already looked, and would not see what has been installed since.
    question = "import ensurepip, venv; ensurepip.version()"
    base = getattr(sys, "_base_executable", None) or sys.executable
    return subprocess.run([base, "-c", question], capture_output=True, check=False).returncode == 0


def _loads(soname: str) -> bool:
    try:
        ctypes.CDLL(soname)
    except OSError:
        return False
    return True


def _may_install() -> bool:
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    return root and _family() == "debian" and shutil.which("apt-get") is not None


def _family(os_release: Path = Path("/etc/os-release")) -> str:
    """Name the family of this Linux: "debian", "fedora", "arch", or "" when it is another."""
    try:
        lines = os_release.read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    fields = dict(line.split("=", 1) for line in lines if "=" in line)
    names = f"{fields.get('ID', '')} {fields.get('ID_LIKE', '')}".replace('"', "").lower().split()
    return next((family for family in names for family in _FAMILIES.get(family, ())), "")


_FAMILIES = {
    "debian": ("debian",),
    "ubuntu": ("debian",),
    "fedora": ("fedora",),
    "rhel": ("fedora",),
    "centos": ("fedora",),
    "arch": ("arch",),
}


def _commands(packages: dict[str, list[str]]) -> str:
    """Return one line a system, this one first, with the command that installs the packages."""
    here = _family()
    lines = []
    for family in sorted(INSTALL, key=lambda family: (family != here, list(INSTALL).index(family))):
        name, command = INSTALL[family]
        lines.append(f"  {name + ':':<16}sudo {command} {' '.join(packages[family])}")
    return "Install them, then run this again:\n" + "\n".join(lines)


def _install_debian(packages: list[str]) -> None:
    """Install Debian packages, with a fresh list of what there is when the one at hand does not do."""
    print(f"Installing system packages: {' '.join(packages)}", flush=True)
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    patience = ["-o", "DPkg::Lock::Timeout=120", "-q"]
    install = ["apt-get", "install", "-y", "--no-install-recommends", *patience, *packages]
    for command in (install, ["apt-get", "update", *patience], install):
        done = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
            env=environment,
            check=False,
        )
        if command is install and done.returncode == 0:
            return
    said = [line for line in done.stdout.splitlines() if line.startswith("E:")]
    print(f"apt-get could not install them: {said[-1] if said else 'it gave no reason'}", flush=True)
