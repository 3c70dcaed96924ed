"""What the bench prints is what its schema says, whether parts are measured, not asked for, or not installed."""

import json

import jsonschema
import pytest

from explorer import resources
from explorer.cli import main
from explorer.concepts import all_concepts
from explorer.ui import bench, bench_parts, bench_rivals

SCHEMA = jsonschema.Draft202012Validator(json.loads(resources.text("schema", "bench-1.json")))


@pytest.fixture
def quick(monkeypatch):
    """Make every part quick: fewer edits, and short answers in place of other programs."""
    monkeypatch.setattr(bench, "EDITS", 6)
    monkeypatch.setattr(bench, "START_PAIRS", 1)
    monkeypatch.setattr(bench_rivals, "paired", lambda *_: {"ours": 0.5, "theirs": 0.625, "ratio": 0.8})
    monkeypatch.setattr(bench_rivals, "median_of", lambda *_: 123.456)
    monkeypatch.setattr(bench_rivals, "java_ratio", lambda *_: 0.75)
    monkeypatch.setattr(bench, "_memory", lambda: {"rss_mb": 150.5, "rss_after_visits_mb": 151.0})


def printed(capsys, *arguments):
    assert main(["bench", "--json", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_the_schema_is_a_schema():
    jsonschema.Draft202012Validator.check_schema(SCHEMA.schema)


def test_parts_that_were_not_asked_for_are_null(capsys, quick):
    result = printed(capsys, "--only", "start")
    SCHEMA.validate(result)
    assert (result["start_ms"], result["start_ratio"]) == (500.0, 0.8)
    assert {key for key, value in result.items() if value is not None} == {"machine", "start_ms", "start_ratio"}


@pytest.mark.slow
def test_all_parts_together_fit_the_schema(capsys, quick):
    result = printed(capsys)
    SCHEMA.validate(result)
    assert [key for key, value in result.items() if value is None] == []
    numbers = {f"{one.number:02d}" for one in all_concepts()}
    assert set(result["edit_ms"]) == {*numbers, "8x16", "32x64"}
    assert set(result["first_show_ms"]) == numbers
    assert all(time > 0 for time in result["edit_ms"].values())


def test_what_is_not_installed_is_null_and_no_fault(capsys, quick, monkeypatch):
    monkeypatch.setattr(bench_rivals, "median_of", lambda *_: None)
    monkeypatch.setattr(bench_rivals, "java_ratio", lambda *_: None)
    result = printed(capsys, "--only", "matplotlib", "--only", "java", "--only", "torch")
    SCHEMA.validate(result)
    assert [result[key] for key in ("matplotlib_ms", "pyqtgraph_ms", "java_ratio", "torch_ratio")] == [None] * 4


def test_a_result_that_says_more_or_less_than_the_schema_is_refused(capsys, quick):
    result = printed(capsys, "--only", "start")
    assert not SCHEMA.is_valid({**result, "unheard_of": 1})
    for key in result:
        assert not SCHEMA.is_valid({other: value for other, value in result.items() if other != key})


def test_the_table_for_people_has_a_line_for_every_part(capsys, quick):
    assert main(["bench", "--only", "start"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == ["machine", "slider", "start", "memory", "example"]
    assert set(bench_parts.PARTS) >= {"edit", "memory", "start", "matplotlib", "java", "torch"}
