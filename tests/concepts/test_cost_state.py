"""What tab 12 holds: a model or typed sizes that follow each other, files as facts, controls that do as they say."""

import json
from pathlib import Path

import numpy as np
import pytest

from explorer.concepts.costing import cost_shape, cost_study
from explorer.core.checks import InputError
from explorer.models import catalogue
from explorer.workbench import documents, session
from explorer.workbench.workbench import Workbench
from tests.concepts.lesson_tab import LessonTab

MODELS = [entry.name for entry in catalogue.entries()]


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("cost")


def test_sizes_follow_a_model_and_a_typed_size_leaves_it(tab: LessonTab) -> None:
    controls = lambda: tab.workbench.state("cost").controls  # noqa: E731
    tab.set("model", "Qwen3 8B")
    assert [controls()[name] for name in ("n_layer", "n_head", "n_head_kv", "head_dim")] == [36, 32, 8, 128]
    tab.set("n_layer", 40)
    assert controls()["model"] == cost_shape.TYPED
    assert controls()["n_head"] == 32
    assert tab.model("layers").title == "Typed shape"
    assert tab.workbench.undo() == "cost"
    assert controls()["model"] == "Qwen3 8B"
    tab.set("model", "lesson")
    assert [controls()[name] for name in ("n_layer", "n_head", "params")] == [32, 32, 8_000_000_000]
    tab.workbench.undo()
    tab.workbench.undo()
    assert not tab.workbench.edited("cost")


def test_a_size_that_layers_do_not_share_is_0_until_it_is_typed(tab: LessonTab) -> None:
    tab.set("model", "OpenELM 1.1B")
    assert tab.workbench.state("cost").controls["n_head_kv"] == 0
    tab.set("n_layer", 12)
    state = tab.workbench.state("cost").controls
    assert state["model"] == cost_shape.TYPED
    assert state["n_head_kv"] > 0


def test_fewer_query_heads_take_kv_heads_along_that_can_share_them(tab: LessonTab) -> None:
    tab.set("n_head", 12)
    assert tab.workbench.state("cost").controls["n_head_kv"] == 6
    with pytest.raises(
        InputError, match="12 query heads cannot share 5 KV heads; n_head_kv may be 1, 2, 3, 4, 6 or 12"
    ):
        tab.set("n_head_kv", 5)
    assert cost_shape.kv_heads(tab.workbench.state("cost").controls) == (1, 2, 3, 4, 6, 12)


def test_a_window_is_that_of_every_layer_until_a_number_of_layers_is_typed(tab: LessonTab) -> None:
    tab.set("window", 1024)
    assert [kind.label for kind in tab.model("layers").kinds] == ["32 saturate at 1,024"]
    tab.set("window_layers", 24)
    assert [kind.label for kind in tab.model("layers").kinds] == ["8 grow", "24 saturate at 1,024"]
    tab.set("n_layer", 16)
    assert tab.workbench.state("cost").controls["window_layers"] == 16


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no such model", "neither a file nor a model"),
        ("Mixtral", "may be several"),
        ('{"kinds":[]}', "at least one layer"),
    ],
)
def test_what_is_no_model_is_refused_in_one_sentence(tab: LessonTab, text: str, said: str) -> None:
    before = tab.workbench.state("cost")
    with pytest.raises(InputError, match=said):
        tab.set("model", text)
    assert tab.workbench.state("cost") is before


def test_a_file_is_kept_as_its_facts_and_opens_without_the_file(tab: LessonTab, tmp_path: Path) -> None:
    file = tmp_path / "somewhere" / "config.json"
    file.parent.mkdir()
    file.write_text(
        json.dumps(
            {
                "model_type": "gemma3_text", "hidden_size": 640, "num_hidden_layers": 18, "num_attention_heads": 4,
                "num_key_value_heads": 1, "head_dim": 256, "sliding_window": 512, "intermediate_size": 2048,
                "vocab_size": 262_144,
            }
        )
    )  # fmt: skip
    tab.set("model", cost_shape.read_model(file))
    kept = dict(tab.workbench.results("cost"))
    path = tmp_path / "session.attn"
    session.write(path, documents.session_of(tab.workbench))
    assert "somewhere" not in path.read_text(encoding="utf-8")
    file.unlink()
    other = Workbench()
    documents.open_into(other, path)
    assert other.state("cost").same_as(tab.workbench.state("cost"))
    assert all(np.array_equal(kept[name], array) for name, array in other.results("cost").items())


def test_suggestions_are_searched_by_every_word_and_name_their_source() -> None:
    everything = cost_shape.suggest("")
    assert len(everything) == len(MODELS) + 1
    assert everything[0].value == "lesson"
    found = cost_shape.suggest("gemma 12b")
    assert [one.value for one in found] == ["Gemma 3 12B"]
    assert found[0].detail.startswith("Google · config.json of google/")
    assert cost_shape.suggest("qqqq") == []


def test_a_question_is_asked_once_however_many_views_ask_it(tab: LessonTab) -> None:
    before = cost_study.study(tab.workbench.state("cost").controls)
    tab.set("context", 1234)
    after = cost_study.study(tab.workbench.state("cost").controls)
    assert before is after
    assert tab.model("plot").series is tab.model("plot").series
    first = tab["crossover_n_prefill"]
    tab.set("context", 2345)
    assert tab["crossover_n_prefill"] is first


def test_every_control_changes_what_it_says(tab: LessonTab) -> None:
    cache = float(tab["cache_bytes"])
    tab.set("cache_k", "f32")
    assert float(tab["cache_bytes"]) == 2 * cache
    tab.set("cache_v", "f16")
    assert float(tab["cache_bytes"]) == 1.5 * cache
    tab.set("batch", 4)
    assert float(tab["cache_bytes"]) == 6 * cache
    tab.set("rounding", "llama.cpp")
    tab.set("context", 8193)
    assert float(tab["cache_bytes"]) == 6 * cache / 8192 * 8448
    tab.set("unified", True)
    assert float(tab["cache_bytes"]) == 1.5 * cache / 8192 * 8448
    attention = float(tab["prefill_attention"])
    tab.set("pairs", "square")
    assert float(tab["prefill_attention"]) == attention * 8193 * 2 / 8194
    weights = float(tab["weight_bytes"])
    tab.set("weights", "q4_0")
    assert float(tab["weight_bytes"]) == weights * 18 / 64
    tab.set("model", "DeepSeek V3")
    latent = float(tab["kv_cache"])
    tab.set("expand_latent", True)
    assert float(tab["kv_cache"]) > 20 * latent
