"""What is known of the tabs before they are opened: number, slug and title, read off the lessons."""

import subprocess
import sys

import pytest

from explorer import concepts, resources


@pytest.fixture
def fresh_index():
    concepts.index.cache_clear()
    yield concepts.index
    concepts.index.cache_clear()


@pytest.fixture
def lessons(monkeypatch, tmp_path):
    """Let these be the lessons, title by file name."""

    def put(titles):
        for name, title in titles.items():
            (tmp_path / name).write_text(f"# {title}\n", encoding="utf-8")
        monkeypatch.setattr(resources, "names", lambda *_: sorted(titles))
        monkeypatch.setattr(resources, "path", lambda *parts: tmp_path / parts[-1])

    return put


def declared():
    return tuple(concepts.Entry(one.number, one.slug, one.title) for one in concepts.all_concepts())


def test_the_lines_are_those_that_the_tabs_declare():
    assert concepts.index() == declared()


def test_the_lines_are_known_without_importing_a_tab():
    program = (
        "import sys; from explorer import concepts\n"
        "slugs = [one.slug for one in concepts.index()]\n"
        "assert len(slugs) >= 13, slugs\n"
        "loaded = [one for one in slugs if 'explorer.concepts.' + one.replace('-', '_') in sys.modules]\n"
        "assert not loaded, loaded\n"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr


def test_a_tab_without_a_lesson_is_found_by_its_file(fresh_index, lessons):
    wanted = declared()
    fresh_index.cache_clear()
    lessons({})
    assert fresh_index() == wanted


def test_a_lesson_without_a_tab_is_no_tab(fresh_index, lessons):
    lessons({"07-full-attention.md": "Full attention", "40-not-yet.md": "Not yet"})
    assert "not-yet" not in {one.slug for one in fresh_index()}


def test_two_tabs_of_one_number_are_refused(fresh_index, lessons):
    lessons({"07-full-attention.md": "Full attention", "07-cost.md": "Cost"})
    with pytest.raises(ValueError, match="two tabs have the number 7"):
        fresh_index()


@pytest.mark.usefixtures("fresh_index")
@pytest.mark.parametrize(
    ("file", "title"), [("77-full-attention.md", "Full attention"), ("07-full-attention.md", "Another title")]
)
def test_a_tab_that_is_not_what_its_lesson_says_is_refused(lessons, file, title):
    lessons({file: title})
    with pytest.raises(ValueError, match=r"full_attention\.py does not declare the tab that its lesson names"):
        concepts.load("full-attention")


def test_a_file_of_another_name_than_its_tab_is_refused(fresh_index, lessons, monkeypatch):
    lessons({})
    monkeypatch.setattr("explorer.concepts.running_average.CONCEPT", concepts.load("cost"))
    fresh_index.cache_clear()
    with pytest.raises(ValueError, match=r"the tab cost must be declared in cost\.py, not in running_average\.py"):
        fresh_index()
