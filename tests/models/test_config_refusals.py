"""A config that cannot be used gives one sentence: what, where, and what would be accepted."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from explorer.core.checks import InputError
from explorer.models import costing, shapes
from explorer.models.config import from_values, read_config
from explorer.models.jsonfile import LARGEST_FILE

if TYPE_CHECKING:
    from pathlib import Path

LLAMA = {
    "model_type": "llama", "num_hidden_layers": 4, "hidden_size": 256, "num_attention_heads": 4,
    "num_key_value_heads": 2, "intermediate_size": 512, "vocab_size": 100,
}  # fmt: skip


def refusal(data: bytes | dict[str, Any], tmp_path: Path) -> str:
    path = tmp_path / "config.json"
    path.write_bytes(data if isinstance(data, bytes) else json.dumps(data).encode())
    with pytest.raises(InputError) as caught:
        read_config(path)
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert len(sentence) < 600
    assert sentence.startswith(("config.json", str(path)))
    assert str(caught.value) == caught.value.template.format(**caught.value.values)
    return sentence


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "is empty"),
        (b"   \n", "is empty"),
        (b"[" * 20_000, "nests more than 100 levels"),
        (b'{"a":' * 20_000 + b"1" + b"}" * 20_000, "nests more than 100 levels"),
        (b'{\n"a": 1,\n<<<<<<< HEAD\n"b": 2\n', "merge-conflict mark in line 3"),
        (b'{"a": 1\n=======\n}', "merge-conflict mark in line 2"),
        (b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n", "Git LFS pointer"),
        (b"[1, 2]", "holds a list of 2"),
        (b'"llama"', 'holds "llama"'),
        (b"{", "not JSON: expecting property name"),
        (b'{"a": 1,}', "not JSON"),
        (b"<html></html>", "not JSON: expecting value, line 1, column 1"),
        (b'\xff\xfe{\x00"\x00', "not text in UTF-8 (byte 0)"),
        (b'{"num_hidden_layers": 4, "num_hidden_layers": 5}', 'gives "num_hidden_layers" twice, as 4 and as 5'),
        (b'{"a": "' + b"\\" * 1001 + b'"}', "not JSON"),
    ],
)
def test_a_file_that_is_no_json_object(data: bytes, said: str, tmp_path: Path) -> None:
    assert said in refusal(data, tmp_path)


@pytest.mark.parametrize(
    "value",
    ['"thirty-two"', '"32"', "Infinity", "-Infinity", "NaN", "1.5", "0", "-4", "true", "[]", "{}", "1e999", "9" * 5000,
     "1e30"],
)  # fmt: skip
@pytest.mark.parametrize("key", ["num_hidden_layers", "hidden_size", "num_attention_heads", "num_key_value_heads"])
def test_a_size_that_is_no_size(key: str, value: str, tmp_path: Path) -> None:
    text = json.dumps({**LLAMA, key: "HERE"}).replace('"HERE"', value)
    sentence = refusal(text.encode(), tmp_path)
    assert key in sentence


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            {"num_attention_heads": 6, "hidden_size": 384, "num_key_value_heads": 4},
            "6 query heads cannot share 4 KV heads",
        ),
        ({"num_key_value_heads": 8}, "4 query heads cannot share 8 KV heads; the number of KV heads may be 1, 2 or 4"),
        ({"hidden_size": 250}, "250 is no multiple of 4 heads"),
        ({"n_layer": 5}, "num_hidden_layers is 4 but n_layer is 5"),
        ({"n_head": 8}, "num_attention_heads is 4 but n_head is 8"),
        ({"layer_types": ["full_attention"] * 3}, "layer_types has 3 entries but the model has 4 layers"),
        (
            {"layer_types": ["full_attention"] * 3 + ["magic_attention"]},
            '"magic_attention", a kind of layer that is not',
        ),
        ({"layer_types": ["sliding_attention"] * 4, "sliding_window": None}, "sliding_window is missing"),
        ({"layer_types": "full_attention"}, "layer_types is"),
        ({"layer_types": ["full_attention"] * 4, "full_attention_interval": 4}, "disagree about layer 0"),
        ({"hybrid_override_pattern": "M*M"}, "has 3 letters but the model has 4 layers"),
        ({"hybrid_override_pattern": "M*MX"}, '"X", a kind of layer that is not known'),
        ({"num_kv_shared_layers": 4}, "must be smaller than the 4 layers"),
        ({"kv_lora_rank": 64}, "no qk_rope_head_dim"),
        ({"cross_attention_layers": [9]}, "names layer 9; the model has layers 0 to 3"),
        ({"num_key_value_heads": [2, 2, 2]}, "num_key_value_heads has 3 entries"),
        ({"num_key_value_heads": [2, 2, 2, "x"]}, "num_key_value_heads[3]"),
        ({"block_configs": [1, 2, 3, 4]}, "block_configs"),
        ({"num_hidden_layers": 10**9}, "num_hidden_layers is 1000000000"),
        (
            {"sliding_window": 8, "sliding_window_pattern": "LXG", "model_type": "exaone4"},
            "letters L (window) and G (full)",
        ),
        ({"sliding_window": "wide", "model_type": "mistral"}, 'sliding_window is "wide"'),
        ({"use_sliding_window": "no", "sliding_window": 8, "model_type": "qwen2"}, "use_sliding_window is"),
        ({"compress_ratios": [4, 4]}, "compress_ratios has 2 entries"),
        ({"linear_attn_config": {"full_attn_layers": [0]}}, "names layer 0; the model has layers 1 to 4"),
        ({"linear_attn_config": []}, "linear_attn_config is a list of 0; it must be an object"),
        ({"head_dim": "big"}, 'head_dim is "big"'),
        ({"vocab_size": "many"}, 'vocab_size is "many"'),
        ({"attention_types": [[["global"], 10**12]], "model_type": "gpt_neo"}, "attention_types"),
    ],
)
def test_fields_that_contradict_each_other(changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    assert said in refusal({**LLAMA, **changes}, tmp_path)


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        ("num_hidden_layers", "how many layers"),
        ("num_attention_heads", "how many attention heads"),
        ("hidden_size", "does not give the size of a head"),
    ],
)
def test_a_size_that_the_cache_depends_on_is_missing(missing: str, said: str, tmp_path: Path) -> None:
    sentence = refusal({key: value for key, value in LLAMA.items() if key != missing}, tmp_path)
    assert said in sentence
    assert missing in sentence


@pytest.mark.parametrize(
    ("fields", "what"),
    [
        (
            {"model_type": "vit", "num_hidden_layers": 12, "num_attention_heads": 12, "hidden_size": 768},
            "an image model",
        ),
        ({"model_type": "clip", "text_config": LLAMA}, "a matcher of images and text"),
        ({"model_type": "wav2vec2", "num_hidden_layers": 12}, "an audio model"),
        ({"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.30"}, "a diffusion model's part"),
        ({"num_hidden_layers": 12, "num_attention_heads": 12, "hidden_size": 768, "image_size": 224}, "an image model"),
        ({"tokenizer_class": "LlamaTokenizer", "add_bos_token": True}, "a tokenizer"),
    ],
)
def test_a_config_of_something_else(fields: dict[str, Any], what: str, tmp_path: Path) -> None:
    assert f"describes {what}, not a language model" in refusal(fields, tmp_path)


def test_an_infinity_where_no_size_belongs_is_harmless(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, "time_step_limit": [0.0, float("inf")], "x": float("nan")}), encoding="utf-8")
    assert read_config(path).n_layer == 4


@pytest.mark.parametrize("d_model", [1024, 256])
def test_a_t5_without_its_head_size_is_not_guessed(d_model: int) -> None:
    with pytest.raises(InputError, match="d_kv"):
        from_values({"model_type": "t5", "d_model": d_model, "num_heads": 32, "num_layers": 2}, "config.json")


def test_a_file_too_large_to_be_a_config(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    with path.open("wb") as file:
        file.truncate(LARGEST_FILE + 1)
    with pytest.raises(InputError, match=r"a config\.json has at most"):
        read_config(path)


def test_paths_that_are_no_files(tmp_path: Path) -> None:
    for shape, said in (
        (str(tmp_path / "no.json"), "does not exist"),
        (str(tmp_path / "no.gguf"), "does not exist"),
        (str(tmp_path), "a folder without a config.json"),
        ("/dev/null", "not an ordinary file"),
        ("a\0b.json", "does not exist"),
        ("x" * 5000 + ".json", "does not exist"),
        ("\udcff.json", "does not exist"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            shapes.load(shape)
        str(caught.value).encode("utf-8")


def test_a_folder_with_a_config_stands_for_it(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    assert shapes.load(str(tmp_path)).n_layer == 4


def test_an_unknown_family_is_read_by_its_sizes_and_its_parameters_stay_unknown(tmp_path: Path) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({**LLAMA, "model_type": "brand_new"}), encoding="utf-8")
    result = costing.report(str(path), context=100)
    assert result["kv_bytes"] == 4 * 2 * 64 * 4 * 100
    assert result["params"] is result["params_active"] is result["prefill_weight_flops"] is None
    assert any("parameters of brand_new are not known" in note for note in result["notes"])
