"""What the README promises is there: its commands, its files, its pictures, and the tab that it shows."""

import json
import os
import re
import shutil
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np

from explorer.arguments import VERBS
from explorer.concepts.declaration import Concept
from explorer.workbench.tab import Tab

ROOT = Path(__file__).resolve().parents[2]
#: What of the tests is about the tab that is added, or about the list of tabs.
TELLING = "two-projections or two_projections or index or no_tab"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def test_every_verb_is_described_and_nothing_else():
    described = re.findall(r"^    attention-explorer ([a-z]+) ", README, re.MULTILINE)
    assert described == list(VERBS)


def test_every_file_that_is_linked_or_called_is_there():
    linked = re.findall(r"\]\(([^)#:]+)\)", README) + re.findall(r"python3 (\S+\.py)", README)
    assert {"packaging/run.py", "packaging/test.py", "LICENSE"} <= set(linked)
    assert [path for path in linked if not (ROOT / path).is_file()] == []


def test_its_pictures_are_those_that_the_script_draws_and_light_enough_for_a_slow_line():
    shown = set(re.findall(r"\]\((packaging/pictures/[^)]+\.png)\)", README))
    assert shown == {f"packaging/pictures/{path.name}" for path in (ROOT / "packaging" / "pictures").iterdir()}
    assert len(shown) >= 4
    for place in shown:
        content = (ROOT / place).read_bytes()
        assert content.startswith(b"\x89PNG")
        assert struct.unpack(">2I", content[16:24]) == (1280, 720)
        assert len(content) < 150_000


def test_every_key_of_the_bench_is_explained():
    schema = json.loads((ROOT / "resources" / "schema" / "bench-1.json").read_text(encoding="utf-8"))
    assert set(re.findall(r"`(\w+_\w+|machine)`", README)) >= set(schema["properties"])


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, re.DOTALL)


def test_the_tab_that_it_shows_is_a_whole_tab():
    (code,) = blocks("python")
    names: dict[str, object] = {}
    exec(code, names)
    concept = names["CONCEPT"]
    assert isinstance(concept, Concept)
    results = Tab(concept).results()
    x, ones = np.eye(3, 2), np.ones((2, 2))
    np.testing.assert_array_equal(results["scores"], x @ (x @ ones).T)


def test_two_files_make_a_tab_and_the_tests_of_every_tab_find_it(tmp_path: Path) -> None:
    for folder in ("explorer", "resources", "tests"):
        shutil.copytree(ROOT / folder, tmp_path / folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    (code,), (lesson,) = blocks("python"), blocks("markdown")
    (tmp_path / "explorer" / "concepts" / "two_projections.py").write_text(code, encoding="utf-8")
    (tmp_path / "resources" / "lessons" / "en" / "14-two-projections.md").write_text(lesson, encoding="utf-8")
    tests = ("concepts/test_contract.py", "concepts/test_index.py", "workbench/test_tasks.py", "ui/test_every_tab.py")
    tests += ("ui/test_beyond_the_lesson.py", "ui/test_menus.py")
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider", "-k", TELLING]
    environment = {**os.environ, "PYTHONPATH": str(tmp_path), "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        [*command, *(f"tests/{name}" for name in tests)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert int(re.findall(r"(\d+) passed", done.stdout)[0]) > 20
