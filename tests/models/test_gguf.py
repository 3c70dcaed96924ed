"""A GGUF file's header gives layers, caches and exactly counted parameters, read as the gguf library reads it."""

from __future__ import annotations

import tracemalloc
from pathlib import Path
from typing import Any

import gguf
import pytest

from explorer.core import cost_figures
from explorer.core.checks import InputError
from explorer.core.cost_model import CacheOptions
from explorer.models import costing
from explorer.models.gguf import Skipped, read_header
from explorer.models.gguf_model import read_gguf
from tests.models.ggufs import LLAMA, write

PLAIN = CacheOptions()
SHARED = Path(__file__).resolve().parents[3] / "shared" / "cost" / "gguf"
SSM = {"ssm.conv_kernel": 4, "ssm.inner_size": 1024, "ssm.state_size": 32, "ssm.group_count": 2}
SSM_STATE = (1024 + 2 * 2 * 32) * 4 * 2 + 32 * 1024 * 4


def counts(path: Path) -> dict[str, int]:
    return {kind: count for kind, count in cost_figures.layer_counts(read_gguf(path)).items() if count}


def per_token(path: Path) -> int | None:
    return cost_figures.kv_bytes_per_token(read_gguf(path), PLAIN)


def test_the_header_is_read_as_the_gguf_library_reads_it(tmp_path: Path) -> None:
    values = {
        **LLAMA,
        "general.name": "Größe ✓",
        "tokenizer.ggml.tokens": ["a", "bc", ""],
        "flag": True,
        "few": [1, 2, 3],
    }
    path = write(
        tmp_path / "a.gguf", "llama", values, {"token_embd.weight": (10, 512), "blk.0.attn_q.weight": (512, 512)}
    )
    ours, theirs = read_header(path), gguf.GGUFReader(path)
    assert ours.version == 3
    for name, value in ours.values.items():
        field = theirs.fields[name]
        assert (value.length if isinstance(value, Skipped) else value) == (
            len(field.data) if isinstance(value, Skipped) else field.contents()
        )
    assert set(ours.values) == {name for name in theirs.fields if not name.startswith("GGUF.")}
    for tensor, other in zip(ours.tensors, theirs.tensors, strict=True):
        assert (tensor.name, tensor.n_elements, tensor.n_bytes) == (other.name, other.n_elements, other.n_bytes)
        assert tensor.shape == tuple(other.shape)


def test_block_sizes_are_those_of_the_format() -> None:
    from explorer.models.gguf import _TENSOR_TYPES

    for kind, sizes in gguf.GGML_QUANT_SIZES.items():
        if int(kind) in _TENSOR_TYPES:
            assert _TENSOR_TYPES[int(kind)] == sizes, kind


def test_an_ordinary_model(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", "llama", LLAMA)
    assert counts(path) == {"full": 8}
    assert per_token(path) == 8 * 2 * 64 * 4


@pytest.mark.parametrize(
    ("architecture", "changes", "layers", "expected"),
    [
        ("llama", {"attention.head_count_kv": None}, {"full": 8}, 8 * 8 * 64 * 4),
        ("falcon", {"attention.head_count_kv": 1}, {"full": 8}, 8 * 64 * 4),
        ("qwen3", {"attention.key_length": 128, "attention.value_length": 96}, {"full": 8}, 8 * 2 * (128 + 96) * 2),
        ("deci", {"attention.head_count_kv": [2, 0] * 4, "attention.head_count": [8, 0] * 4,
                  "attention.key_length": 64}, {"full": 4, "constant": 4}, 4 * 2 * 64 * 4),
        ("gemma3", {"attention.sliding_window": 128}, {"full": 1, "window": 7}, 8 * 2 * 64 * 4),
        ("gemma2", {}, {"full": 4, "window": 4}, 8 * 2 * 64 * 4),
        ("gpt-oss", {"attention.sliding_window": 128}, {"full": 4, "window": 4}, 8 * 2 * 64 * 4),
        ("step35", {"attention.sliding_window": 128, "attention.sliding_window_pattern": [True] * 6 + [False] * 2},
         {"full": 2, "window": 6}, 8 * 2 * 64 * 4),
        ("phi3", {"attention.sliding_window": 128}, {"full": 8}, 8 * 2 * 64 * 4),
        ("llama4", {"attention.chunk_size": 128}, {"full": 2, "window": 6}, 8 * 2 * 64 * 4),
        ("gemma4", {"attention.sliding_window": 128, "attention.sliding_window_pattern": [True] * 6 + [False] * 2,
                    "attention.key_length": 128, "attention.value_length": 128, "attention.key_length_swa": 64,
                    "attention.value_length_swa": 64, "attention.head_count_kv": [2] * 6 + [1] * 2},
         {"full": 2, "window": 6}, 6 * 2 * 64 * 4 + 2 * 128 * 4),
        ("gemma3n", {"attention.sliding_window": 128, "attention.shared_kv_layers": 3}, {"full": 1, "window": 4,
                                                                                      "shared": 3}, 5 * 2 * 64 * 4),
        ("deepseek2", {"attention.kv_lora_rank": 128, "rope.dimension_count": 32, "attention.key_length": 96,
                       "attention.value_length": 64, "attention.head_count_kv": 8}, {"latent": 8}, 8 * 160 * 2),
        ("deepseek2", {"attention.kv_lora_rank": 128, "rope.dimension_count": 32, "attention.key_length": 160,
                       "attention.value_length": 128, "attention.key_length_mla": 96, "attention.value_length_mla": 64,
                       "attention.head_count_kv": 1}, {"latent": 8}, 8 * 160 * 2),
        ("qwen35", {**SSM, "full_attention_interval": 4}, {"full": 2, "constant": 6}, 2 * 2 * 64 * 4),
        ("nemotron_h", {**SSM, "attention.head_count_kv": [0, 0, 2, 0] * 2, "feed_forward_length": [0, 64, 0, 64] * 2},
         {"full": 2, "constant": 6}, 2 * 2 * 64 * 4),
        ("lfm2", {"shortconv.l_cache": 3, "attention.head_count_kv": [0, 0, 2, 0] * 2},
         {"full": 2, "constant": 6}, 2 * 2 * 64 * 4),
        ("glm4moe", {"block_count": 9, "nextn_predict_layers": 1}, {"full": 8}, 8 * 2 * 64 * 4),
        ("t5", {"decoder_block_count": 4}, {"full": 4}, 4 * 2 * 64 * 4),
    ],
)  # fmt: skip
def test_what_the_keys_say_about_layers(
    architecture: str, changes: dict[str, Any], layers: dict[str, int], expected: int, tmp_path: Path
) -> None:
    values = {key: value for key, value in {**LLAMA, **changes}.items() if value is not None}
    path = write(tmp_path / "a.gguf", architecture, values)
    assert counts(path) == layers
    assert per_token(path) == expected


def test_states_of_recurrent_and_convolution_layers(tmp_path: Path) -> None:
    hybrid = read_gguf(write(tmp_path / "a.gguf", "qwen35", {**LLAMA, **SSM, "full_attention_interval": 4}))
    assert cost_figures.state_bytes(hybrid, 100, PLAIN) == 6 * SSM_STATE
    llama_cpp = CacheOptions(rounding="llama.cpp")
    assert cost_figures.state_bytes(hybrid, 100, llama_cpp) == 6 * 4 * (3 * (1024 + 128) + 32 * 1024)
    mamba = read_gguf(write(tmp_path / "b.gguf", "mamba", {**LLAMA, **SSM}))
    assert cost_figures.layer_counts(mamba)["constant"] == 8
    short = read_gguf(
        write(tmp_path / "c.gguf", "lfm2", {**LLAMA, "shortconv.l_cache": 3, "attention.head_count_kv": [0, 2] * 4})
    )
    assert cost_figures.state_bytes(short, 1, PLAIN) == 4 * 512 * 3 * 2
    nemotron = {**LLAMA, **SSM, "attention.head_count_kv": [0, 0, 2, 0] * 2, "feed_forward_length": [0, 64, 0, 64] * 2}
    mixed = read_gguf(write(tmp_path / "d.gguf", "nemotron_h", nemotron))
    assert cost_figures.state_bytes(mixed, 1, PLAIN) == 2 * SSM_STATE


def test_an_encoder_keeps_nothing(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", "bert", {**LLAMA, "attention.causal": False})
    result = costing.report(str(path), context=512)
    assert (result["kv_bytes"], result["decode_attention_flops"]) == (0, None)


TENSORS = {
    "token_embd.weight": (1000, 512),
    "output_norm.weight": (512,),
    "rope_freqs.weight": (32,),
    "blk.0.attn_q.weight": (512, 512),
    "blk.0.attn_k.weight": (128, 512),
    "blk.0.attn_norm.weight": (512,),
    "blk.0.ffn_gate_inp.weight": (8, 512),
    "blk.0.ffn_up_exps.weight": (8, 64, 512),
    "blk.0.ssm_in.weight": (300, 512),
    "blk.0.ssm_conv1d.weight": (300, 4),
}


def test_parameters_come_from_the_shapes_of_the_tensors(tmp_path: Path) -> None:
    values = {**LLAMA, "expert_count": 8, "expert_used_count": 2}
    read = read_gguf(write(tmp_path / "a.gguf", "qwen3moe", values, TENSORS))
    parameters = read.parameters
    assert parameters is not None
    assert parameters.embedding == parameters.head == 512_000
    assert parameters.tied
    assert parameters.projections == 512 * 640
    assert (parameters.ffn, parameters.ffn_active) == (8 * 512 * 65, 8 * 512 + 2 * 64 * 512)
    assert parameters.mixers == 300 * 512
    assert parameters.vectors == 512 * 2 + 300 * 4
    assert read.weight_bytes == 2 * (parameters.total + 32)
    untied = read_gguf(write(tmp_path / "b.gguf", "qwen3moe", values, {**TENSORS, "output.weight": (1000, 512)}))
    assert untied.parameters is not None
    assert not untied.parameters.tied


def test_one_part_of_a_split_model_does_not_know_all_parameters(tmp_path: Path) -> None:
    first = write(tmp_path / "a.gguf", "llama", {**LLAMA, "split.no": 0, "split.count": 2}, TENSORS)
    result = costing.report(str(first), context=100)
    assert result["params"] is None
    assert any("other parts of the model" in note for note in result["notes"])
    assert result["kv_bytes"] == 8 * 2 * 64 * 4 * 100


def test_a_file_without_tensors_gives_the_cache_and_no_parameters(tmp_path: Path) -> None:
    result = costing.report(str(write(tmp_path / "a.gguf", "llama", LLAMA)), context=100)
    assert result["params"] is None
    assert result["prefill_weight_flops"] is None
    assert any("holds no tensors" in note for note in result["notes"])


def test_a_long_vocabulary_is_walked_past_and_not_kept(tmp_path: Path) -> None:
    values = {**LLAMA, "tokenizer.ggml.tokens": [f"token {i}" for i in range(30_000)],
              "tokenizer.ggml.scores": [0.5] * 30_000}  # fmt: skip
    path = write(tmp_path / "a.gguf", "llama", values)
    tracemalloc.start()
    try:
        read = read_header(path)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert read.values["tokenizer.ggml.tokens"] == Skipped(30_000)
    assert read.values["tokenizer.ggml.scores"] == Skipped(30_000)
    assert peak < 300_000


def test_a_file_of_forty_gigabytes_costs_what_its_header_costs(tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", "llama", {**LLAMA, "tokenizer.ggml.tokens": ["x"] * 20_000}, TENSORS)
    with path.open("r+b") as file:
        file.truncate(40 * 10**9)
    tracemalloc.start()
    try:
        assert read_gguf(path).n_layer == 8
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 500_000


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the published headers are not here: {SHARED}")
@pytest.mark.parametrize(
    ("file", "expected"),
    [("ggml-vocab-falcon", 32 * 64 * 4), ("ggml-vocab-gpt-2", 12 * 12 * 64 * 4),
     ("ggml-vocab-llama-spm", 32 * 32 * 128 * 4), ("ggml-vocab-phi-3", 32 * 32 * 96 * 4)],
)  # fmt: skip
def test_published_headers(file: str, expected: int) -> None:
    assert per_token(SHARED / f"{file}.gguf") == expected


@pytest.mark.skipif(not SHARED.is_dir(), reason=f"the published headers are not here: {SHARED}")
def test_a_text_file_with_the_name_of_a_gguf() -> None:
    with pytest.raises(InputError, match="is not a GGUF file: it begins with 'outp', not with GGUF"):
        costing.report(str(SHARED / "NOT_A_GGUF_GGUFModelBuilder-test.gguf"))


@pytest.mark.parametrize(
    ("architecture", "changes", "said"),
    [
        ("llama", {"attention.head_count_kv": ["2"] * 8}, 'attention.head_count_kv is "a list of 8"'),
        ("llama", {"attention.head_count_kv": 0}, "0 in every layer"),
        ("llama", {"attention.head_count_kv": [0] * 8}, "0 in every layer"),
        ("jamba", {}, "must be a list with one number a layer"),
        ("kimi-linear", {"kda.head_dim": 64}, "must be a list with one number a layer"),
        ("of-next-year", {"ssm.inner_size": 1024}, "not which layers these are"),
    ],
)  # fmt: skip
def test_what_cannot_be_told_is_refused(architecture: str, changes: dict[str, Any], said: str, tmp_path: Path) -> None:
    path = write(tmp_path / "a.gguf", architecture, {**LLAMA, **changes})
    with pytest.raises(InputError, match=said):
        read_gguf(path)


@pytest.mark.parametrize("architecture", ["of-next-year", "gemma4", "mimo2", "apertus"])
def test_a_window_that_no_rule_gives_to_a_layer_leaves_the_cache_unknown(architecture: str, tmp_path: Path) -> None:
    read = read_gguf(write(tmp_path / "a.gguf", architecture, {**LLAMA, "attention.sliding_window": 128}))
    assert cost_figures.kv_bytes_per_token(read, PLAIN) == 8 * 2 * 64 * 4
    assert cost_figures.kv_bytes(read, 1000, PLAIN) is None
    assert "not which layers" in (read.why_unknown("kv_bytes") or "")


def test_a_pattern_may_begin_with_the_full_layer(tmp_path: Path) -> None:
    read = read_gguf(write(tmp_path / "a.gguf", "smallthinker", {**LLAMA, "attention.sliding_window": 128}))
    assert [layer.kind for layer in read.layers[:5]] == ["full", "window", "window", "window", "full"]
