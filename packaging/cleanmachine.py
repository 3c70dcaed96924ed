"""A minimal Debian 12 without Python, made for one trial of the .deb and thrown away. Needs root and debootstrap.

It shares nothing with this machine but the kernel and the screen: what the package does not depend on is not there, so
a dependency that was forgotten shows. The X server runs outside for the same reason.
"""

import contextlib
import os
import shutil
import struct
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import systempackages
from trouble import Skipped, Trouble

NAME = "attention-explorer"
SUITE = "bookworm"
CHROOT = "/usr/sbin/chroot"
USER = 1000
#: A painted window has digits with soft edges and heatmaps; an empty screen has one colour, a blank window a few.
COLOURS = 60
#: Where package managers keep their own books; a removed package leaves its name in their logs and caches.
BOOKS = ("var/cache", "var/lib/apt", "var/lib/dpkg", "var/log", "run", "tmp", "proc", "dev", "sys", "root")
#: Caches that the removal of a library rewrites.
REWRITTEN = ("etc/ld.so.cache", "var/lib/systemd")

Contract = Callable[[list[str], Path, list[str]], Iterator[str]]


@contextlib.contextmanager
def machine(package: Path) -> Iterator["Machine"]:
    """Make a Debian and throw it away afterwards.

    Raises
    ------
    Skipped
        When none can be made here.
    """
    if not hasattr(os, "geteuid") or os.geteuid() != 0:
        raise Skipped("only root can make another Debian; run this as root to try the .deb on a clean machine")
    try:
        systempackages.provide_tools(systempackages.VERIFY_TOOLS)
    except Trouble as trouble:
        raise Skipped(str(trouble)) from None
    root = Path(tempfile.mkdtemp(prefix="debian-12-"))
    root.chmod(0o755)
    made = Machine(root, package)
    try:
        made.make()
        yield made
    finally:
        made.unmount()
        if not made.mounts():  # deleting must never reach through to something of this machine's
            shutil.rmtree(root)


class Machine:
    """The Debian in a folder."""

    def __init__(self, root: Path, package: Path) -> None:
        self.root = root
        self.package = package

    def make(self) -> None:
        """Install a minimal Debian and a user without rights."""
        command = ["debootstrap", "--variant=minbase", SUITE, str(self.root)]
        done = _run(command)
        if done.returncode != 0:
            last = (done.stdout + done.stderr).strip().splitlines()[-1:]
            raise Skipped(f"debootstrap could not make a Debian 12 here: {''.join(last)}")
        for kind, place in (("proc", "proc"), ("tmpfs", "dev/shm")):
            self._mount(["-t", kind, kind], self.root / place)
        (self.root / "tmp/.X11-unix").mkdir(exist_ok=True)
        self._do(["useradd", "--create-home", "--uid", str(USER), "reader"])
        self._do(["apt-get", "update", "-q"])

    def try_all(self, contract: Contract) -> Iterator[str]:
        """Install, try and remove the package; say after each step what was found."""
        if (self.root / "usr/bin/python3").exists():
            raise Trouble("The clean machine has Python, so it proves nothing.")
        before = self._paths()
        shutil.copy(self.package, self.root / "tmp")
        install = ["apt-get", "install", "-y", "-q", "--no-install-recommends", f"/tmp/{self.package.name}"]  # noqa: S108
        self._do(install)
        yield f"installed with apt on Debian 12 without Python, {len(self._installed())} packages in all"
        scratch = self.root / "srv" / "Heim mit Leerzeichen – 家"
        scratch.mkdir(parents=True)
        yield from self._smoke(contract, scratch)
        yield self._window()
        shutil.rmtree(scratch)
        self._do(["apt-get", "purge", "-y", "-q", "--autoremove", NAME])
        left = sorted(path for path in self._paths() - before if not path.startswith(("home/", *REWRITTEN)))
        if left:
            raise Trouble(f"After the removal there still is /{left[0]} ({len(left)} files more than before).")
        if lost := sorted(before - self._paths()):
            raise Trouble(f"The removal took /{lost[0]} along, which was there before.")
        yield "removed without a trace"

    def unmount(self) -> None:
        """Let go of what was mounted, so that the folder can be deleted."""
        for place in reversed(self.mounts()):
            _run(["umount", "--lazy", place])

    def mounts(self) -> list[str]:
        """Return what is mounted inside, in the order in which it was."""
        lines = Path("/proc/mounts").read_text(encoding="utf-8").splitlines()
        return [line.split()[1] for line in lines if line.split()[1].startswith(f"{self.root}/")]

    def _smoke(self, contract: Contract, scratch: Path) -> Iterator[str]:
        """Keep the contract inside, as the user, with the network cut; homes are named as they are seen from inside."""
        user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--no-new-privs", "--"]
        inside = ["unshare", "--net", "--", CHROOT, str(self.root), *user]
        # The contract writes homes outside and names them outside: a link makes both names one inside.
        link = self.root / str(self.root).lstrip("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        link.symlink_to("/")
        try:
            yield from contract([f"/usr/bin/{NAME}"], scratch, inside)
        finally:
            link.unlink()

    def _window(self) -> str:
        """Open a real window and look at the screen."""
        with tempfile.TemporaryDirectory() as folder, _screen(Path(folder)) as display:
            self._mount(["--bind", "/tmp/.X11-unix"], self.root / "tmp/.X11-unix")  # noqa: S108
            user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--"]
            inside = [CHROOT, str(self.root), *user, f"/usr/bin/{NAME}"]
            seen = {"HOME": "/home/reader", "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8", "DISPLAY": display}
            once = _run([*inside, "--exit-after-first-paint"], seen)
            if once.returncode != 0 or once.stderr.strip():
                raise Trouble(f"A first window ended with {once.returncode}: {once.stderr.strip()[-400:]}")
            window = subprocess.Popen(inside, env=seen, stderr=subprocess.PIPE, text=True, errors="replace")
            try:
                return f"a real window was opened on X11 and painted in {self._painted(window, Path(folder))} colours"
            finally:
                window.terminate()
                window.communicate(timeout=60)

    def _painted(self, window: "subprocess.Popen[str]", folder: Path) -> int:
        found = 0
        for _ in range(120):
            time.sleep(0.5)
            if window.poll() is not None:
                said = window.stderr.read() if window.stderr else ""
                raise Trouble(f"The window was gone at once, with status {window.returncode}: {said.strip()[-400:]}")
            found = colours(folder / "Xvfb_screen0")
            if found >= COLOURS:
                return found
        raise Trouble(f"After a minute the screen has {found} colours, so no window was painted.")

    def _mount(self, arguments: list[str], place: Path) -> None:
        place.mkdir(parents=True, exist_ok=True)
        done = _run(["mount", *arguments, str(place)])
        if done.returncode != 0:
            raise Skipped(f"nothing can be mounted here: {done.stderr.strip()}")

    def _do(self, command: list[str]) -> str:
        quiet = {"DEBIAN_FRONTEND": "noninteractive", "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LANG": "C.UTF-8"}
        kept = {name: value for name, value in os.environ.items() if name.lower().endswith("_proxy")}
        done = _run([CHROOT, str(self.root), *command], {**kept, **quiet})
        if done.returncode != 0:
            raise Trouble(f"{' '.join(command)} failed:\n{(done.stdout + done.stderr).strip()[-1200:]}")
        return done.stdout

    def _installed(self) -> list[str]:
        return self._do(["dpkg-query", "--show", "--showformat=${Package}\\n"]).splitlines()

    def _paths(self) -> set[str]:
        found: set[str] = set()
        for folder, folders, files in os.walk(self.root):
            place = os.path.relpath(folder, self.root)
            if place in BOOKS:
                folders.clear()
                continue
            found.update(os.path.normpath(os.path.join(place, name)) for name in files)  # noqa: PTH118 - 10,000 of them
        return found


@contextlib.contextmanager
def _screen(folder: Path) -> Iterator[str]:
    """Run an X server that keeps its screen in a file; yield the name of the display."""
    read, write = os.pipe()
    command = [
        "Xvfb",
        "-displayfd",
        str(write),
        "-screen",
        "0",
        "1366x768x24",
        "-fbdir",
        str(folder),
        "-nolisten",
        "tcp",
    ]
    server = subprocess.Popen(command, pass_fds=(write,), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.close(write)
    try:
        with os.fdopen(read) as number:
            display = number.readline().strip()
        if not display:
            raise Skipped("Xvfb does not start here")
        yield f":{display}"
    finally:
        server.terminate()
        server.wait(timeout=60)


def colours(dump: Path) -> int:
    """Return how many colours an X window dump (XWD, 32 bits a pixel) contains."""
    content = dump.read_bytes()
    if len(content) < 100:
        return 0
    header = struct.unpack(">25I", content[:100])
    size, width, height, bytes_per_line, entries = header[0], header[4], header[5], header[12], header[19]
    start = size + 12 * entries
    rows = (content[start + y * bytes_per_line :][: 4 * width] for y in range(height))
    return len({pixel for row in rows for pixel in struct.iter_unpack("I", row)})


def _run(command: list[str], environment: dict[str, str] | None = None) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        command,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
        check=False,
    )
