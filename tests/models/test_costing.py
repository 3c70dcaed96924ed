"""The report of the verb `cost`: its keys, its nulls and their reasons, its options, its words."""

from __future__ import annotations

import argparse
import io
import json
import subprocess
import sys

import pytest

from explorer.core import cache_types, cost
from explorer.core.checks import InputError
from explorer.core.cost_model import ROUNDINGS
from explorer.models import catalogue, costing, costing_options, shapes

LESSON = {"n_layer": 32, "n_head": 32, "n_head_kv": 8, "head_dim": 128, "params": 8_000_000_000}


def test_the_keys_are_the_public_ones_in_their_order():
    result = costing.report("custom", context=8192, **LESSON)
    assert tuple(result) == costing.KEYS
    assert tuple(result["layers"]) == ("full", "window", "latent", "constant", "shared")
    assert json.loads(json.dumps(result, allow_nan=False)) == result


@pytest.mark.parametrize("entry", catalogue.entries(), ids=lambda entry: entry.name)
def test_every_null_has_its_sentence_and_layers_add_up(entry):
    result = costing.report(entry.name, context=1000)
    assert json.loads(json.dumps(result, allow_nan=False)) == result
    assert sum(result["layers"].values()) == result["n_layer"]
    for key in costing.KEYS[:-2]:
        if result[key] is None:
            assert result["notes"], key
    if result["params"] is None:
        assert any("parameters" in note for note in result["notes"])
    if result["state_bytes"] is None:
        assert any("state" in note for note in result["notes"])
    else:
        assert result["cache_bytes"] == result["kv_bytes"] + result["state_bytes"]
    assert len(set(result["notes"])) == len(result["notes"])
    assert entry.name in costing.text(result)


def test_the_lesson_s_shape():
    result = costing.report("custom", context=8192, **LESSON)
    assert result["kv_bytes_per_token"] == 131_072
    assert result["kv_bytes"] == result["cache_bytes"] == cost.GIB
    assert result["state_bytes"] == 0
    assert result["prefill_attention_flops"] == 17_594_333_528_064
    assert result["prefill_weight_flops"] == 131_072_000_000_000
    assert result["decode_attention_flops"] == 4_294_967_296
    assert result["decode_weight_flops"] == 16_000_000_000
    assert result["layers"]["full"] == 32


def test_the_engine_s_own_line_for_the_lesson_s_tiny_model():
    result = costing.report("custom", n_layer=4, n_head_kv=2, head_dim=32, context=4096, rounding="llama.cpp")
    assert result["kv_bytes"] == 4 * cost.MIB


def test_square_counts_every_pair_even_of_a_window():
    options = {"n_layer": 4, "n_head": 8, "n_head_kv": 2, "head_dim": 64, "window": 128, "context": 1000}
    assert costing.report("custom", pairs="square", **options)["prefill_attention_flops"] == 4 * 4 * 64 * 8 * 1000**2
    causal = costing.report("custom", **options)["prefill_attention_flops"]
    assert causal == 4 * 4 * 64 * 8 * (1000 * 128 - 128 * 127 // 2)


def test_a_batch_multiplies_the_cache_and_the_flops_but_not_the_bytes_of_a_token():
    one, three = (costing.report("llama-3-8b", context=100, batch=batch) for batch in (1, 3))
    assert three["kv_bytes_per_token"] == one["kv_bytes_per_token"]
    for key in ("kv_bytes", "cache_bytes", "prefill_attention_flops", "prefill_weight_flops", "decode_attention_flops",
                "decode_weight_flops"):  # fmt: skip
        assert three[key] == 3 * one[key]


def test_keys_and_values_take_types_of_their_own():
    mixed = costing.report("llama-3-8b", context=32, cache_type="q8_0", cache_type_v="q4_0")
    assert mixed["kv_bytes_per_token"] == 32 * 8 * 128 * (34 + 18) // 32


def test_the_head_may_run_for_the_last_token_alone():
    every, last = (costing.report("llama-3-8b", context=100, head=head) for head in ("all", "last"))
    assert every["prefill_weight_flops"] - last["prefill_weight_flops"] == 2 * 128_256 * 4096 * 99


def test_a_value_that_differs_between_layers_is_a_list_of_one_per_layer():
    result = costing.report("MiMo V2 Flash", context=1000)
    windowed = catalogue.find("MiMo V2 Flash").shape["hybrid_layer_pattern"]
    assert result["n_head_kv"] == [8 if flag else 4 for flag in windowed]
    assert result["head_dim"] == 192
    assert costing.report("OpenELM 1.1B", context=10)["n_head_kv"][0::9] == [4, 5, 7, 8]
    assert costing.report("Qwen3.5 27B", context=10)["n_head_kv"] == 4


def test_fp8_weights_do_not_mean_an_fp8_cache():
    assert costing.report("deepseek-ai/DeepSeek-V3", context=1)["kv_bytes"] == 61 * 576 * 2


def test_latent_attention_can_be_expanded_for_comparison():
    latent, full = (costing.report("DeepSeek V3", context=10, expand_latent=flag) for flag in (False, True))
    assert (latent["kv_bytes"], full["kv_bytes"]) == (10 * 70_272, 10 * 61 * 128 * 320 * 2)


def test_the_context_is_the_model_s_own_when_none_is_given():
    result = costing.report("llama-3-8b")
    assert result.context == 8192
    assert "The context is 8,192 tokens: the longest that the model was made for." in result["notes"]
    assert any("states no limit" in note for note in costing.report("custom", **LESSON)["notes"])
    assert any("longer than the 8,192" in note for note in costing.report("llama-3-8b", context=8193)["notes"])


def test_what_was_not_given_is_null_with_its_reason():
    result = costing.report("custom", n_layer=2, n_head_kv=2, head_dim=4, context=10)
    assert result["kv_bytes"] == 2 * 2 * 4 * 4 * 10
    for key in ("n_head", "params", "params_active", "prefill_attention_flops", "prefill_weight_flops",
                "decode_attention_flops", "decode_weight_flops"):  # fmt: skip
        assert result[key] is None
    assert len(result["notes"]) == 4


def test_a_row_that_ends_inside_a_block_is_pointed_out():
    result = costing.report("custom", n_layer=1, n_head_kv=1, head_dim=80, context=10, cache_type="q8_0")
    assert result["kv_bytes"] == 10 * 2 * 3 * 34
    assert any("a row of this model ends inside one" in note for note in result["notes"])


def test_an_engine_s_rounding_is_stated():
    for rounding, word in (("llama.cpp", "multiples of 256"), ("vllm", "blocks of 16")):
        notes = costing.report("llama-3-8b", context=1000, rounding=rounding)["notes"]
        assert any(word in note for note in notes)


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"shape": "custom"}, "custom needs n_layer and n_head_kv and head_dim"),
        ({"shape": "custom", "n_layer": 2}, "custom needs n_head_kv and head_dim"),
        ({"shape": "custom", "n_layer": 0, "n_head_kv": 1, "head_dim": 4}, "n_layer is 0; it must be at least 1"),
        ({"shape": "custom", "n_layer": 1.5, "n_head_kv": 1, "head_dim": 4}, "n_layer must be an integer, not 1.5"),
        (
            {"shape": "custom", "n_layer": 10**9, "n_head_kv": 1, "head_dim": 4},
            "n_layer is 1,000,000,000; it may be at most",
        ),
        ({"shape": "custom", **LESSON, "n_head": 30}, "30 query heads cannot share 8 KV heads"),
        ({"shape": "custom", **LESSON, "params_active": 9 * 10**9}, "cannot be more than params"),
        ({"shape": "custom", **LESSON, "window_layers": 3}, "window_layers needs window"),
        ({"shape": "custom", **LESSON, "window": 8, "window_layers": 33}, "the model has 32 layers"),
        ({"shape": "custom", **LESSON, "rope": 8}, "rope needs latent"),
        ({"shape": "llama-3-8b", "n_layer": 3}, "n_layer can be given with the shape custom alone"),
        ({"shape": "llama-3-8b", "context": 0}, "context is 0"),
        ({"shape": "llama-3-8b", "context": "many"}, "context must be an integer"),
        ({"shape": "llama-3-8b", "context": 10**13}, "context is 10,000,000,000,000; it may be at most"),
        ({"shape": "llama-3-8b", "batch": -1}, "batch is -1"),
        ({"shape": "llama-3-8b", "pairs": "half"}, 'pairs is "half"; it may be causal or square'),
        ({"shape": "llama-3-8b", "head": "none"}, 'head is "none"; it may be all or last'),
        ({"shape": "llama-3-8b", "cache_type": "q2"}, "cache type 'q2' is not known"),
        ({"shape": "llama-3-8b", "rounding": "up"}, "rounding 'up' is not known"),
        ({"shape": "llama-3-8b", "unified": True}, "only with rounding llama.cpp"),
    ],
)
def test_what_cannot_be_is_refused(options, said):
    with pytest.raises(InputError) as caught:
        costing.report(options["shape"], {name: value for name, value in options.items() if name != "shape"})
    assert said in str(caught.value)


def test_an_option_that_does_not_exist_is_the_caller_s_fault():
    with pytest.raises(TypeError, match="no option colour"):
        costing.report("llama-3-8b", colour="red")


# ---------------------------------------------------------------------------------------------- command line, words


def parsed(*words):
    parser = argparse.ArgumentParser()
    costing.add_arguments(parser)
    return parser.parse_args(words)


def printed(*words):
    out = io.StringIO()
    costing.command(parsed(*words), out)
    return out.getvalue()


def test_a_command_line_prints_the_report():
    assert json.loads(printed("llama-3-8b", "--context", "8192", "--json")) == costing.report(
        "llama-3-8b", context=8192
    )
    custom = printed("custom", "--n-layer", "4", "--n-head-kv", "2", "--head-dim", "32", "--context", "4096")
    assert "4,194,304 bytes = 4.00 MiB" in custom
    assert "4 × full attention: 4 × 2 × (32 × 2 + 32 × 2) × 4,096" in custom


def test_the_options_of_the_command_line_are_those_of_the_report():
    names = {action.dest for action in parser_actions()} - {"help", "json", "shape"}
    assert names == costing._CHOICES_OF_A_REPORT | set(shapes.CustomSizes.__slots__)
    assert set(costing_options.CACHE_TYPES) == set(cache_types.CACHE_TYPES)
    assert costing_options.ROUNDINGS == ROUNDINGS


def parser_actions():
    parser = argparse.ArgumentParser()
    costing_options.add_arguments(parser)
    return parser._actions


def test_saying_what_is_accepted_needs_no_arithmetic():
    code = (
        "import sys, argparse; from explorer.models.costing_options import add_arguments;"
        "add_arguments(argparse.ArgumentParser()); assert 'numpy' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_the_text_says_where_things_meet_and_what_is_full():
    said = costing.text(costing.report("llama-3-8b", context=8192))
    assert "1,073,741,824 bytes = 1.00 GiB" in said
    assert "decode: attention FLOPs reach matrix FLOPs at 28,628 tokens" in said
    assert "80 GiB beside the weights is full at" in said
    assert costing.describe(costing.report("gpt2", context=10)) == costing.text(costing.report("gpt2", context=10))


@pytest.mark.parametrize(
    ("shape", "said"),
    [("llama-3-8b", "Llama 3 8B: 32 layers (32 full), 32 query heads, 8 KV heads of size 128"),
     ("Falcon 7B", "Falcon 7B: 32 layers (32 full), 71 query heads, 1 KV head of size 64"),
     ("Mamba 2.8B", "Mamba 2.8B: 64 layers (64 constant), no attention over the text"),
     ("MiMo V2 Flash", "48 layers (9 full, 39 window), 64 query heads, 4/8 KV heads of size 192")],
)  # fmt: skip
def test_the_first_line_of_the_text_is_the_shape(shape, said):
    assert said in costing.text(costing.report(shape, context=10)).splitlines()[0]


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "not known"), (0, "0 bytes"), (1023, "1,023 bytes"), (1536, "1,536 bytes = 1.50 KiB"),
     (cost.GIB, "1,073,741,824 bytes = 1.00 GiB")],
)  # fmt: skip
def test_bytes_are_written_exactly_and_in_binary_units(value, said):
    assert costing.bytes_text(value) == said


@pytest.mark.parametrize(
    ("value", "said"), [(None, "not known"), (999, "999 FLOP"), (1.5e12, "1.50 TFLOP"), (2 * 10**15, "2.00 PFLOP")]
)
def test_flops_are_written_in_decimal_units(value, said):
    assert costing.flops_text(value) == said
