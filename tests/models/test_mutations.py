"""Thousands of damaged configs and GGUF headers: each gives a report or one sentence, never anything else.

`HYPOTHESIS_PROFILE=long` runs ten thousand of each.
"""

from __future__ import annotations

import json
import math
import struct
import tracemalloc
from functools import cache
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from explorer.core.checks import InputError
from explorer.models import catalogue, costing
from explorer.models.config import from_values
from explorer.models.jsonfile import parse
from explorer.models.shapes import read_file
from tests.models.ggufs import LLAMA, write

MANY = settings(
    max_examples=max(300, settings.default.max_examples if settings.default else 0),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.data_too_large],
)
MOST_MEMORY = 60_000_000

SEEDS = {entry.name: dict(entry.shape) for entry in catalogue.entries()}
KEYS = sorted({key for shape in SEEDS.values() for key in [*shape, *(shape.get("text_config") or {})]})
ODD = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-5, 300),
    st.sampled_from([0, 1, 2**31, 2**63, 2**64, 10**30, -1, 1e308, math.inf, -math.inf, math.nan, 1.5, 64.0]),
    st.sampled_from(["", "auto", "LLLG", "M*-E", "full_attention", "32", "ü\ud800", "x" * 300]),
    st.lists(st.integers(-1, 130), max_size=70),
    st.lists(st.sampled_from(["full_attention", "sliding_attention", "linear_attention", "mamba", "?"]), max_size=70),
    st.dictionaries(st.sampled_from(["num_heads", "head_dim", "full_attn_layers", "attention", "ffn", "x"]),
                    st.integers(-1, 9) | st.lists(st.integers(0, 9), max_size=4), max_size=4),
)  # fmt: skip
SURPRISING_KEYS = [
    "attention_types", "hybrid_override_pattern", "layers_block_type", "layer_types", "block_configs",
    "compress_ratios", "linear_attn_config", "attention_other_setting", "attn_config", "quantization_config",
    "num_kv_shared_layers", "cla_share_factor", "sliding_window", "sliding_window_pattern", "use_sliding_window",
    "kv_lora_rank", "text_config",
    "is_encoder_decoder", "is_decoder", "num_nextn_predict_layers", "mlp_layer_types", "moe_layer_freq", "num_experts",
]  # fmt: skip


def check(report: costing.Report) -> None:
    text = json.dumps(report, allow_nan=False)
    assert len(text) < 2_000_000
    assert sum(report["layers"].values()) == report["n_layer"]
    for key in costing.KEYS[:-2]:
        value = report[key]
        if isinstance(value, int):
            assert value >= 0
    costing.text(report).encode("utf-8")


def check_refusal(error: InputError) -> None:
    sentence = str(error)
    sentence.encode("utf-8")
    assert sentence
    assert "\n" not in sentence
    assert len(sentence) < 2000


@st.composite
def damaged_configs(draw: st.DrawFn) -> dict[str, Any]:
    values = dict(SEEDS[draw(st.sampled_from(sorted(SEEDS)))])
    target = values
    if isinstance(values.get("text_config"), dict) and draw(st.booleans()):
        target = values["text_config"] = dict(values["text_config"])
    for _ in range(draw(st.integers(1, 4))):
        key = draw(
            st.sampled_from(sorted(target))
            if target and draw(st.booleans())
            else st.sampled_from(KEYS + SURPRISING_KEYS)
        )
        if draw(st.booleans()):
            target.pop(key, None)
        else:
            target[key] = draw(ODD)
    return values


@given(values=damaged_configs())
@MANY
def test_a_damaged_config_gives_a_report_or_a_sentence(values: dict[str, Any]) -> None:
    try:
        check(costing.report_on(from_values(values, "config.json"), context=5000, pairs="causal"))
    except InputError as error:
        check_refusal(error)


@cache
def config_text(name: str) -> bytes:
    return json.dumps(SEEDS[name]).encode()


@given(data=st.data())
@MANY
def test_a_damaged_text_gives_a_report_or_a_sentence(data: st.DataObject) -> None:
    text = bytearray(config_text(data.draw(st.sampled_from(sorted(SEEDS)))))
    damage(data, text)
    try:
        check(costing.report_on(from_values(parse(bytes(text), "config.json"), "config.json"), context=77))
    except InputError as error:
        check_refusal(error)


def damage(data: st.DataObject, text: bytearray) -> None:
    for _ in range(data.draw(st.integers(1, 5))):
        at = data.draw(st.integers(0, max(len(text) - 1, 0)))
        kind = data.draw(st.sampled_from(["flip", "cut", "insert", "repeat", "number"]))
        if kind == "flip" and text:
            text[at] = data.draw(st.integers(0, 255))
        elif kind == "cut":
            del text[at : at + data.draw(st.integers(1, 200))]
        elif kind == "insert":
            text[at:at] = data.draw(st.binary(max_size=20))
        elif kind == "repeat":
            text[at:at] = text[at : at + data.draw(st.integers(1, 100))]
        else:
            number = data.draw(st.sampled_from([0, 1, 9, 2**16, 2**31, 2**32 - 1, 2**60, 2**64 - 1]))
            width = data.draw(st.sampled_from(["<I", "<Q"]))
            packed = struct.pack(width, number & (2 ** (8 * struct.calcsize(width)) - 1))
            text[at : at + len(packed)] = packed


@pytest.fixture(scope="module")
def gguf_seeds(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    folder = tmp_path_factory.mktemp("seeds")
    plain = write(
        folder / "a.gguf", "llama", {**LLAMA, "tokenizer.ggml.tokens": ["a", "bb", ""]}, {"output.weight": (4, 4)}
    )
    lists = {**LLAMA, "attention.head_count_kv": [0, 2] * 4, "ssm.inner_size": 64, "ssm.state_size": 8,
             "attention.sliding_window": 64, "attention.sliding_window_pattern": [True, False] * 4}  # fmt: skip
    hybrid = write(folder / "b.gguf", "step35", lists)
    latent = {**LLAMA, "attention.kv_lora_rank": 64, "rope.dimension_count": 16, "attention.key_length": 48,
              "attention.value_length": 32, "attention.head_count_kv": 8, "expert_count": 4}  # fmt: skip
    deep = write(folder / "c.gguf", "deepseek2", latent, {"blk.0.ffn_up_exps.weight": (4, 8, 8)})
    return [path.read_bytes() for path in (plain, hybrid, deep)]


@given(data=st.data())
@MANY
def test_a_damaged_gguf_gives_a_report_or_a_sentence_in_little_memory(
    data: st.DataObject, gguf_seeds: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    text = bytearray(data.draw(st.sampled_from(gguf_seeds)))
    damage(data, text)
    path = tmp_path_factory.getbasetemp() / "damaged.gguf"
    path.write_bytes(bytes(text))
    tracemalloc.start()
    try:
        check(costing.report_on(read_file(path), context=5000))
    except InputError as error:
        check_refusal(error)
    finally:
        _, peak = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    assert peak < MOST_MEMORY
