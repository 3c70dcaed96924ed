"""The layers below the ui, in a Python that has neither Qt nor what draws with it."""

import subprocess
import sys
from pathlib import Path

SCRIPT = """
import importlib, pkgutil, sys

class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {"PySide6", "shiboken6", "pyqtgraph", "ziamath", "ziafont", "matplotlib"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Absent())
for layer in ("core", "models", "concepts", "workbench"):
    package = importlib.import_module(f"explorer.{layer}")
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)

from explorer import cli
from explorer.workbench import lessons
from explorer.workbench.workbench import Workbench

workbench = Workbench()
for concept in workbench.concepts:
    assert workbench.results(concept.slug)
    assert lessons.load(concept.number, concept.slug).questions
assert cli.main(["numbers", "7"]) == 0
"""


def test_every_tab_computes_and_every_module_below_the_ui_loads(tmp_path: Path) -> None:
    root = Path(__file__).parents[1]
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(root)!r})\n{SCRIPT}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "attention weights" in done.stdout
