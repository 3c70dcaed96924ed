"""What the README promises is there: its commands, its files, its pictures, and the tab that it shows."""

import re
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


def test_the_tab_that_it_shows_is_a_whole_tab():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    names: dict[str, object] = {}
    exec(code, names)
    concept = names["CONCEPT"]
    assert isinstance(concept, Concept)
    results = Tab(concept).results()
    x, ones = np.eye(3, 2), np.ones((2, 2))
    np.testing.assert_array_equal(results["scores"], x @ (x @ ones).T)
