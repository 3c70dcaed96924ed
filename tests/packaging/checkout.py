"""A checkout in miniature: the real scripts, with a lock file of two tiny packages that lie in a folder of their own.

So the whole way from nothing to a filled environment is walked with the real venv and the real pip, in seconds, without
a network.
"""

import base64
import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ("environment.py", "systempackages.py", "bootstrap.py", "trouble.py", "run.py", "test.py")
PREPARE = """
import sys
from pathlib import Path
sys.path.insert(0, str(Path(sys.argv[1], "packaging")))
import environment, trouble
try:
    print(environment.Environment(Path(sys.argv[1])).prepare(sys.argv[2]))
except trouble.Trouble as error:
    sys.exit(str(error))
"""


def write_wheel(folder: Path, name: str, version: str = "1.0") -> str:
    """Write a wheel with one module and return the line of a lock file that pins it."""
    info = f"{name}-{version}.dist-info"
    files = {
        f"{name}.py": f"VERSION = {version!r}\n",
        f"{info}/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": f"[console_scripts]\n{name}-says=os:getcwd\n",
    }
    record = ""
    for path, content in files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content.encode()).digest()).rstrip(b"=").decode()
        record += f"{path},sha256={digest},{len(content)}\n"
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n"
    wheel = folder / f"{name}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return f"{name}=={version} --hash=sha256:{hashlib.sha256(wheel.read_bytes()).hexdigest()}\n"


class Checkout:
    """A folder with the scripts in it, and a way to call them as a user does."""

    def __init__(self, root: Path, wheels: Path) -> None:
        self.root = root
        self.wheels = wheels
        self.venv = root / ".venv"

    def environment(self, **changes: str) -> dict[str, str]:
        """Return an environment in which pip sees the tiny packages and nothing else."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("PIP_", "PYTEST_"))}
        offline = {"PIP_NO_INDEX": "1", "PIP_FIND_LINKS": str(self.wheels), "PIP_CONFIG_FILE": os.devnull}
        return {**kept, **offline, **changes}

    def start(self, wanted: str = "run", **changes: str) -> "subprocess.Popen[str]":
        """Begin to prepare the environment in a process of its own."""
        return subprocess.Popen(
            [sys._base_executable, "-c", PREPARE, str(self.root), wanted],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=self.environment(**changes),
        )

    def prepare(self, wanted: str = "run", **changes: str) -> str:
        """Prepare the environment and return what was printed, the path of its interpreter left out."""
        process = self.start(wanted, **changes)
        said, complaints = process.communicate(timeout=120)
        assert process.returncode == 0, complaints
        *lines, python = said.splitlines()
        assert Path(python).parent.parent == self.venv
        return "\n".join(lines)

    def complaint(self, wanted: str = "run", **changes: str) -> str:
        """Prepare the environment, which must fail, and return the complaint."""
        process = self.start(wanted, **changes)
        _, complaint = process.communicate(timeout=120)
        assert process.returncode == 1
        assert "Traceback" not in complaint
        return complaint

    def imports(self, module: str) -> bool:
        """Tell whether the environment's interpreter can import a module."""
        python = self.venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        return subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False).returncode == 0

    def site_packages(self) -> Path:
        """Return the folder that the packages went to."""
        return next(self.venv.glob("[Ll]ib/**/site-packages"))


def make_checkout(root: Path, wheels: Path) -> Checkout:
    """Lay out a checkout in which nothing has been prepared yet."""
    wheels.mkdir()
    (root / "packaging").mkdir(parents=True)
    for script in SCRIPTS:
        shutil.copy(ROOT / "packaging" / script, root / "packaging")
    runs, tests = write_wheel(wheels, "tinyrun"), write_wheel(wheels, "tinytest")
    (root / "packaging" / "run.lock").write_text(f"# pins\n{runs}")
    (root / "packaging" / "test.lock").write_text(f"# pins\n{runs}{tests}")
    return Checkout(root, wheels)
