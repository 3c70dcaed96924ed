"""The catalogue: enough models, each readable, named in every common spelling, each with its source."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from explorer.core import cost_figures
from explorer.core.checks import InputError
from explorer.core.cost_model import CacheOptions
from explorer.models import catalogue
from explorer.models.config import read_config

CONFIGS = Path(__file__).resolve().parents[3] / "shared" / "cost" / "configs"
PLAIN = CacheOptions()


def test_there_are_well_over_sixty_models_and_their_names_are_their_own():
    assert len(catalogue.entries()) >= 60
    plain = [catalogue._plain(name) for entry in catalogue.entries() for name in entry.names]
    spelled = {}
    for entry in catalogue.entries():
        for name in entry.names:
            assert spelled.setdefault(catalogue._plain(name), entry.name) == entry.name
    assert len(plain) > len(catalogue.entries())


@pytest.mark.parametrize("entry", catalogue.entries(), ids=lambda entry: entry.name)
def test_every_model_can_be_found_and_read_and_says_where_it_comes_from(entry):
    assert entry.maker
    assert "config.json of " in entry.source
    for name in entry.names:
        assert catalogue.find(name) == entry
        assert catalogue.find(name.upper()) == entry
    assert entry in catalogue.search(entry.name)
    architecture = catalogue.architecture(entry)
    assert architecture.name == entry.name
    kept = cost_figures.kv_bytes(architecture, 1000, PLAIN)
    state = cost_figures.state_bytes(architecture, 1000, PLAIN)
    assert kept is not None
    assert kept + (state or 0) > 0


@pytest.mark.parametrize(
    ("spelling", "name"),
    [
        ("llama-3-8b", "Llama 3 8B"),
        ("meta-llama/Meta-Llama-3-8B-Instruct", "Llama 3 8B"),
        ("Meta-Llama-3.1-8B", "Llama 3.1 8B"),
        ("llama3.1:8b", "Llama 3.1 8B"),
        ("LLAMA 3.1 8B INSTRUCT", "Llama 3.1 8B"),
        ("gpt2", "GPT-2"),
        ("gemma-3-27b-it", "Gemma 3 27B"),
        ("Qwen/Qwen3-30B-A3B-FP8", "Qwen3 30B A3B"),
        ("deepseek_v3", "DeepSeek V3"),
        ("tinyllama", "TinyLlama 1.1B"),
        ("openai/gpt-oss-20b", "gpt-oss 20B"),
    ],
)
def test_common_spellings(spelling, name):
    assert catalogue.find(spelling).name == name


@pytest.mark.parametrize(
    ("spelling", "said"),
    [
        ("deepsek v3", "did you mean DeepSeek V3"),
        ("microsoft/phi-1", "did you mean Phi 1.5"),
        ("mistral", "may be several models of the catalogue: Mistral 7B v0.1"),
        ("", "it has .* models, such as"),
        ("no such thing", "neither a file nor a model"),
        ("x" * 10_000, "neither a file nor a model"),
        ("\udcff\n\x1b[31m", "neither a file nor a model"),
    ],
)
def test_a_name_that_is_not_there_is_answered_with_what_is(spelling, said):
    with pytest.raises(InputError, match=said) as caught:
        catalogue.find(spelling)
    sentence = str(caught.value)
    assert sentence.encode("utf-8").isascii() or sentence
    assert "\n" not in sentence
    assert "\x1b" not in sentence


def test_a_search_puts_whole_words_before_parts_of_words():
    assert [entry.name for entry in catalogue.search("qwen 7b")][:2] == ["Qwen2 7B", "Qwen2.5 7B"]
    assert {entry.maker for entry in catalogue.search("google")} == {"Google"}
    assert catalogue.search("") == list(catalogue.entries())
    assert catalogue.search("nothing like this") == []


# Facts of a config that the catalogue states otherwise on purpose.
OTHERWISE = {
    "mlc-qwen2": "a shape of Qwen1.5, not in the catalogue",
    "google--flan-t5-base": "a copy that ties the head; the published model does not",
    "microsoft--phi-2": "a cut-down model under the name of the whole one",
}


@pytest.mark.skipif(not CONFIGS.is_dir(), reason=f"the published configs are not here: {CONFIGS}")
def test_the_catalogue_agrees_with_the_published_configs():
    compared = 0
    for path in sorted(CONFIGS.glob("*--*.json")):
        try:
            entry = catalogue.find(path.stem.replace("--", "/"))
        except InputError:
            continue
        if path.stem in OTHERWISE or path.stem.startswith("gpu_poor"):  # that collection drops fields
            continue
        ours, theirs = catalogue.architecture(entry), read_config(path)
        assert ours.layers == theirs.layers, path.stem
        if theirs.parameters is not None:
            assert ours.parameters is not None
            assert abs(ours.parameters.total - theirs.parameters.total) <= 10_000, path.stem
        compared += 1
    assert compared >= 50


def test_the_file_is_strict_json_and_states_no_more_than_shapes():
    path = Path(catalogue.__file__).parents[2] / "resources" / "catalogue" / "models.json"
    if not path.is_file():
        pytest.skip("not a checkout")
    listed = json.loads(path.read_text(encoding="utf-8"))["models"]
    for item in listed:
        assert set(item) == {"name", "maker", "also", "source", "shape"}
        assert not {"torch_dtype", "transformers_version", "architectures", "_name_or_path"} & set(item["shape"])
