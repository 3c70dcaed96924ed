"""What the README promises is there: its commands, its files, its pictures, and the tab that it shows."""

import json
import re
import struct
from pathlib import Path

import numpy as np

from explorer.arguments import VERBS
from explorer.concepts.declaration import Concept
from explorer.workbench.tab import Tab

ROOT = Path(__file__).resolve().parents[2]
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


def test_the_tab_that_it_shows_is_a_whole_tab():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    concept = names["CONCEPT"]
    assert isinstance(concept, Concept)
    results = Tab(concept).results()
    x, ones = np.eye(3, 2), np.ones((2, 2))
    np.testing.assert_array_equal(results["scores"], x @ (x @ ones).T)
