"""The cost report against published and engine-measured numbers: `kv_oracles.csv` and `oracle_runtime.csv`.

The files lie beside the checkout, in ``../shared/cost``; without them these tests are skipped, aloud. Every row is run.
Each must agree exactly (or to every digit that was printed), or within 0.5 % where an engine rounds a window, or be
listed in `DIFFERS` with the reason. A row that is listed but agrees fails too, so the table cannot go stale.
"""

from __future__ import annotations

import csv
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from explorer.core import cost_figures
from explorer.core.checks import InputError
from explorer.models import catalogue, costing, shapes
from explorer.models.gguf import Header
from explorer.models.gguf_model import from_header

COST = Path(__file__).resolve().parents[3] / "shared" / "cost"
HERE = COST / "kv_oracles.csv"
needs_shared = pytest.mark.skipif(
    not HERE.is_file(), reason=f"the published numbers are not here: {HERE} does not exist; nothing was compared"
)

TOLERANCE = 0.005
UNITS = {
    "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "FLOP": 1,
    "GFLOP": 10**9, "TFLOP": 10**12, "K elements": 10**3,
}  # fmt: skip

# Why a row of kv_oracles.csv does not agree, by (model, context, published value).
TRAINING = "training: 6 FLOPs a parameter, and the embedding counted"
HALF_WINDOWS = "training: 6 FLOPs a parameter, and half of each window"
DIFFERS = {
    ("GLM-5.2", "1", "61464"): "fp8_ds_mla: scales and a 16-bit rope inside each row, an index in every layer",
    ("Qwen3-30B-A3B", "batch 512+1024+2048", "78593069678592"): TRAINING,
    ("Qwen3-30B-A3B", "batch 4096+4096+4096", "306570470621184"): TRAINING,
    ("Apertus-8B", "batch 512+1024+2048", "194825353691136"): TRAINING,
    ("Apertus-8B", "batch 4096+4096+4096", "692711652851712"): TRAINING,
    ("DeepSeek-V3 671B", "batch 512+1024+2048", "848766538088448"): TRAINING,
    ("DeepSeek-V3 671B", "batch 4096+4096+4096", "3145850406567936"): TRAINING,
    ("gpt-oss-20b (SWA 128 alternating)", "batch 512+1024+2048", "91780464771072"): HALF_WINDOWS,
    ("gpt-oss-20b (SWA 128 alternating)", "batch 4096+4096+4096", "323953008574464"): HALF_WINDOWS,
    ("Qwen3-30B-A3B MoE", "5120", "3.62"): "leaves out the routers, which are matrices too (0.7 %)",
}


@cache
def rows(name: str) -> list[dict[str, str]]:
    with (COST / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def trusted() -> list[dict[str, str]]:
    return [row for row in rows("kv_oracles.csv") if row["trust"] == "ok"] if HERE.is_file() else []


def label(row: dict[str, str]) -> str:
    return f"{row['model']} @{row['context_tokens']} {row['published_value']}"


def published(row: dict[str, str]) -> tuple[float, float]:
    """Return the number that was published, in bytes or FLOPs, and half a unit of its last printed digit."""
    text, unit = row["published_value"], UNITS[row["unit"].split("/")[0]]
    mantissa, _, exponent = text.partition("e")
    digits = len(mantissa.partition(".")[2])
    return float(text) * unit, 0.5 * 10 ** (int(exponent or 0) - digits) * unit


# -------------------------------------------------------------------------------------------- one question per row

LATENT_MODELS = {"61/128": "DeepSeek V3", "61/64": "Kimi K2", "60/128": "DeepSeek V2", "27/16": "DeepSeek V2 Lite"}
SLOTS = {
    "gemma-3-270m, 1 slots": (8192, 1, False),
    "gemma-3-270m, 2 slots": (4096, 2, False),
    "gemma-3-270m, 4 slots": (2048, 4, False),
    "gemma-3-270m, 2 slots, unified": (8192, 2, True),
    "gemma-3-270m, 4 slots, unified": (8192, 4, True),
    "gemma-3-270m, ctx 1024, 3 slots": (1024 // 3, 3, False),
    "gemma-3-270m, ctx 1024, 4 slots": (1024 // 4, 4, False),
}
STATES = {
    "Qwen3.5-27B family recurrent state": ("Qwen3.5 27B", 1),
    "Qwen3.5-27B family, 4 seqs": ("Qwen3.5 27B", 4),
    "Qwen3.5-9B, 4 cells": ("Qwen3.5 9B", 4),
    "Qwen3.5-9B, 1 cell": ("Qwen3.5 9B", 1),
    "Qwen3.5-35B-A3B, 4 cells": ("Qwen3.5 35B A3B", 4),
}
WHOLE_MODELS = {
    "gpt-oss-20b whole cache": ("gpt-oss 20B", "llama.cpp"),
    "Qwen3.5-27B family whole attention cache": ("Qwen3.5 27B", "none"),
    "GLM-5.2": ("GLM 5.2", "none"),
}
CUSTOM = {
    "same, MLA latent 1024": {"n_layer": 48, "latent": 1024},
    "32L MHA, SWA 1024 5:1": {"n_layer": 32, "n_head_kv": 32, "head_dim": 128, "window": 1024, "window_layers": 27},
    "32L GQA4, SWA 1024 5:1": {"n_layer": 32, "n_head_kv": 8, "head_dim": 128, "window": 1024, "window_layers": 27},
    "Nemotron-3-Super-120B": {"n_layer": 8, "n_head_kv": 2, "head_dim": 128},
    "small MoE with MLA": {"n_layer": 27, "latent": 512, "rope": 64},
    "large MoE with MLA": {"n_layer": 60, "latent": 512, "rope": 64},
}


def ours(row: dict[str, str]) -> int:
    """Return what the report says to the question of one row."""
    model, metric = row["model"], row["metric"]
    if metric == "flops":
        return flops(row)
    if metric == "state_bytes":
        name, batch = STATES[model]
        return costing.report(name, context=8192, batch=batch, rounding="llama.cpp")["state_bytes"]
    if model in SLOTS:
        context, batch, unified = SLOTS[model]
        options = {"context": context, "batch": batch, "unified": unified}
        return costing.report("Gemma 3 270M", rounding="llama.cpp", **options)["kv_bytes"]
    key = "kv_bytes_per_token" if metric == "kv_bytes_per_token" else "kv_bytes"
    type_k = row["cache_type_k"] or "f16"
    options: dict[str, Any] = {"context": int(row["context_tokens"]), "cache_type": type_k}
    if model in WHOLE_MODELS:
        name, rounding = WHOLE_MODELS[model]
        return costing.report(name, rounding=rounding, **options)[key]
    if metric == "kv_elements_per_token":
        return costing.report("custom", **CUSTOM[model], **options)[key] // 2
    if model in CUSTOM:
        return costing.report("custom", **CUSTOM[model], **options)[key]
    return from_sizes(row, key, options)


def from_sizes(row: dict[str, str], key: str, options: dict[str, Any]) -> int:
    n_layer, n_kv, d_k, d_v = (int(row[name]) for name in ("layers", "n_head_kv", "head_dim_k", "head_dim_v"))
    formula, heads = row["adjusted_formula"], row["n_head"] or "0"
    latent_model = LATENT_MODELS.get(f"{n_layer}/{heads}")
    if "transposed copy" in formula:
        # An engine keeps the latent a second time, transposed, as V: one KV head of 576 and 512.
        return costing.report("custom", n_layer=n_layer, n_head_kv=1, head_dim=576, head_dim_v=512, **options)[key]
    if latent_model and ("MLA" in formula or "MLA" in row["why_or_note"] or "kv_lora_rank" in formula):
        if n_kv == 1:
            return costing.report("custom", n_layer=n_layer, n_head_kv=1, head_dim=d_k, head_dim_v=d_v, **options)[key]
        expanded = "mla=0" in row["why_or_note"] or "without MLA" in row["why_or_note"]
        return costing.report(latent_model, expand_latent=expanded, **options)[key]
    if not row["cache_type_v"]:
        # K was printed apart: a cache of one vector a token.
        return costing.report("custom", n_layer=n_layer, latent=n_kv * d_k, **options)[key]
    options["cache_type_v"] = row["cache_type_v"]
    return costing.report("custom", n_layer=n_layer, n_head_kv=n_kv, head_dim=d_k, head_dim_v=d_v, **options)[key]


def flops(row: dict[str, str]) -> int:
    model = row["model"]
    gpt2 = {"GPT-2 small 124M": "GPT-2", "GPT-2 medium": "GPT-2 medium", "GPT-2 XL": "GPT-2 XL"}
    if model in gpt2:
        return costing.report(gpt2[model], context=2048)["prefill_weight_flops"]
    if model == "Llama-2-7B, batch 1 x 128":
        result = costing.report("Llama 2 7B", context=128, pairs="square")
        return result["prefill_attention_flops"] + result["prefill_weight_flops"]
    if model == "same, attention before the fix":
        # A training step is three times a forward pass; batch 4.
        context = int(row["context_tokens"])
        result = costing.report("Llama 2 7B", context=context, pairs="square", batch=4)
        return 3 * result["prefill_attention_flops"]
    if model.startswith("Llama-2-7B train step"):
        return 3 * costing.report("Llama 2 7B", context=129024, batch=4)["prefill_weight_flops"]
    if model.startswith("DeepSeek-V2-16B"):
        return 3 * costing.report("DeepSeek V2 Lite", context=8192, pairs="square", batch=4)["prefill_attention_flops"]
    if model == "same, after":
        return 3 * costing.report("DeepSeek V2 Lite", context=8192, batch=4)["prefill_attention_flops"]
    work = cost_figures.decode_work(shapes.load("Qwen3 30B A3B"), 5120)
    part = {"Qwen3-30B-A3B attention core": work.attention, "Qwen3-30B-A3B MoE": work.ffn,
            "Qwen3-30B-A3B other (q,k,v,o)": work.projections}.get(model)  # fmt: skip
    return part or 0


def verdict(row: dict[str, str]) -> str:
    value, half = published(row)
    answer = ours(row)
    if abs(answer - value) <= half * 1.001:
        return "exact"
    return "within 0.5 %" if abs(answer / value - 1) <= TOLERANCE else "differs"


@needs_shared
@pytest.mark.parametrize("row", trusted(), ids=label)
def test_a_published_number_is_what_the_report_says(row: dict[str, str]) -> None:
    reason = DIFFERS.get((row["model"], row["context_tokens"], row["published_value"]))
    found = verdict(row)
    if reason is None:
        assert found != "differs", f"published {row['published_value']} {row['unit']}, ours {ours(row):,}"
    else:
        assert found == "differs", f"agrees now; remove it from the table ({reason})"


@needs_shared
def test_the_published_numbers_that_agree_are_counted() -> None:
    counted = Counter(verdict(row) for row in trusted())
    print(f"\nkv_oracles.csv, {sum(counted.values())} trusted rows: {dict(counted)}")
    assert counted["differs"] == len(DIFFERS)
    assert counted["exact"] >= 114


@needs_shared
def test_numbers_that_are_wrong_at_their_source_are_not_reproduced() -> None:
    wrong = [row for row in rows("kv_oracles.csv") if "WRONG" in row["trust"]]
    assert [row["model"] for row in wrong] == ["Llama-3-70B"]
    assert costing.report("Llama 3 70B", context=32768)["kv_bytes"] == 10 * 2**30


# ------------------------------------------------------------------------------------------------ measured caches

# Configs that were measured but are not beside the checkout, by the catalogue's model of the same shape.
SAME_SHAPE = {
    "mlc-codellama_7b": "Llama 2 7B",
    "mlc-codellama_13b": "Llama 2 13B",
    "mlc-codellama_34b": "Code Llama 34B",
    "mlc-gemma2_2b": "Gemma 2 2B",
    "mlc-gemma2_2b-jpn": "Gemma 2 2B",
    "mlc-gemma3_1b_it": "Gemma 3 1B",
    "mlc-gpt2": "GPT-2",
    "mlc-llama3_1_70b": "Llama 3.1 70B",
    "mlc-qwen2_0_5b": "Qwen2 0.5B",
    "mlc-qwen2_7b": "Qwen2 7B",
    "mlc-smollm_360m": "SmolLM2 360M",
    "mlc-stablelm-2-zephyr-1_6b": "StableLM 2 1.6B",
    "mlc-starcoder2": "StarCoder2 7B",
    "mlc-deepseek_v2_lite": "DeepSeek V2 Lite",
    "Qwen--Qwen3-VL-30B-A3B-Instruct": "Qwen3 30B A3B",
    "mistralai--Mistral-7B-v0.2": "Mistral 7B v0.2",
    "moonshotai--Kimi-K2.5": "Kimi K2",
    "nvidia--Kimi-K2.5-NVFP4": "Kimi K2",
    "nvidia--NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4": "Nemotron 3 Nano 30B A3B",
    "Qwen--Qwen2.5-VL-7B-Instruct": "Qwen2.5 7B",
}
CUSTOM_SHAPE = {
    "mlc-stablelm": {"n_layer": 32, "n_head": 32, "n_head_kv": 32, "head_dim": 80},
}
# Why a measured figure is not the report's, by (config, figure).
V4 = "keys are one latent of 512 in a window of 128 alone; transformers keeps 127 of them (0.8 % of so small a window)"
MIXER = "the counter that was used does not see attention inside modules called mixer: it shows 0"
MEASURED_DIFFERS = {
    ("deepseek-ai--DeepSeek-V4-Flash", "kv@1024"): V4,
    ("deepseek-ai--DeepSeek-V4-Flash", "kv@8192"): V4,
    **{
        (name, f"{step}@{context}"): reason
        for name, reason in (
            ("deepseek-ai--DeepSeek-V4-Flash", "not known here: queries also attend to compressed keys"),
            ("nvidia--NVIDIA-Nemotron-3-Ultra-550B-A55B-BF16", MIXER),
            ("nvidia--NVIDIA-Nemotron-3.5-Lightning-30B-A3B-NVFP4", MIXER),
            ("nvidia--Nemotron-H-8B-Base-8K", MIXER),
        )
        for step in ("attention", "decode")
        for context in (1024, 8192)
    },
}
WINDOWED = "transformers keeps one token less than the window"


def measured() -> list[dict[str, str]]:
    return rows("oracle_runtime.csv") if HERE.is_file() else []


def config_name(row: dict[str, str]) -> str:
    return row["config"].removesuffix(".json")


@cache
def report_of(config: str, context: int) -> costing.Report:
    options: dict[str, Any] = {"context": context, "cache_type": "bf16", "pairs": "square"}
    path = COST / "configs" / f"{config}.json"
    if path.is_file():
        return costing.report(str(path), **options)
    if config in CUSTOM_SHAPE:
        return costing.report("custom", **CUSTOM_SHAPE[config], **options)
    return costing.report(SAME_SHAPE.get(config) or catalogue.find(config.replace("--", "/")).name, **options)


def measured_figures(row: dict[str, str]) -> dict[str, tuple[int | None, int]]:
    """Return (ours, measured) of every figure that was measured on one model."""
    config, figures = config_name(row), {}
    for context in (1, 1024, 8192):
        if row[f"kv_bytes_bf16@{context}"]:
            figures[f"kv@{context}"] = report_of(config, context)["kv_bytes"], int(row[f"kv_bytes_bf16@{context}"])
    if config not in CUSTOM_SHAPE:
        figures["state@8192"] = report_of(config, 8192)["state_bytes"], int(row["state_bytes"])
    for context in (1024, 8192):
        if row[f"prefill_attn_core@{context}"]:
            answer = report_of(config, context)["prefill_attention_flops"]
            figures[f"attention@{context}"] = answer, int(row[f"prefill_attn_core@{context}"])
            # One more token was generated after the prompt, so the step counts one key more.
            answer = report_of(config, context + 1)["decode_attention_flops"]
            figures[f"decode@{context}"] = answer, int(row[f"decode_attn_core@{context}"])
    return figures


def measured_verdict(answer: int | None, value: int) -> str:
    if answer == value:
        return "exact"
    return "within 0.5 %" if answer and value and abs(answer / value - 1) <= TOLERANCE else "differs"


@needs_shared
@pytest.mark.parametrize("row", measured(), ids=config_name)
def test_what_a_built_model_allocates_and_counts_is_what_the_report_says(row: dict[str, str]) -> None:
    config = config_name(row)
    for figure, (answer, value) in measured_figures(row).items():
        found = measured_verdict(answer, value)
        reason = MEASURED_DIFFERS.get((config, figure))
        said = f"{config} {figure}: measured {value:,}, ours {answer}"
        assert (found == "differs") == (reason is not None), said
        if found == "within 0.5 %":
            # Only a window explains a small difference, and only in bytes.
            assert figure.startswith("kv"), said
            assert report_of(config, 8192)["layers"]["window"], f"{said} ({WINDOWED})"


@needs_shared
def test_measured_figures_that_agree_are_counted() -> None:
    counted: Counter[tuple[str, str]] = Counter()
    for row in measured():
        for figure, (answer, value) in measured_figures(row).items():
            counted[figure.partition("@")[0], measured_verdict(answer, value)] += 1
    print(f"\noracle_runtime.csv, {len(measured())} models: {dict(counted)}")
    assert sum(n for (_, found), n in counted.items() if found == "differs") == len(MEASURED_DIFFERS)
    assert counted["state", "exact"] >= 75


# Parameters and matrix FLOPs, counted on the built models.
PARAMETERS_DIFFER = {
    "deepseek-ai--DeepSeek-V4-Flash": "not known here: the matrices of its compressors are not in the file",
    "mlc-codellama_7b": "16 more words than the model of the same shape",
    "mlc-codellama_13b": "16 more words than the model of the same shape",
    "mlc-codellama_34b": "16 more words than the model of the same shape",
    "mlc-deepseek_v2_lite": "built with compressed queries, because the file that was used leaves q_lora_rank out",
    "mlc-stablelm": "given by its cache's sizes alone",
}
SCAN = "the built model also counts the chunks of its recurrent scan, which are no parameters"
ALL_EXPERTS = "the built model ran every expert"


@needs_shared
@pytest.mark.parametrize("row", measured(), ids=config_name)
def test_parameters_are_those_of_the_built_model(row: dict[str, str]) -> None:
    config = config_name(row)
    result = report_of(config, 1024)
    parameters = result.architecture.parameters
    total = int(row["params_total"])
    if parameters is not None and not int(row["params_lm_head"]):
        total += parameters.head  # built without its head
    assert (result["params"] == total) == (config not in PARAMETERS_DIFFER), f"built {total:,}, ours {result['params']}"
    if config in PARAMETERS_DIFFER or parameters is None or not row["prefill_flops_total@1024"]:
        return
    matrices = int(row["prefill_flops_total@1024"]) - int(row["prefill_attn_core@1024"])
    if not int(row["params_lm_head"]):
        matrices += 2 * 1024 * parameters.head
    # Recurrent layers count their scan on top, and attention that the counter did not recognise.
    mixing = result["layers"]["constant"] > 0
    every_expert = config.startswith("meta-llama--Llama-4")
    if mixing or every_expert:
        assert result["prefill_weight_flops"] < matrices, SCAN if mixing else ALL_EXPERTS
    else:
        assert result["prefill_weight_flops"] == matrices


# ---------------------------------------------------------------------------------------- what an engine printed

DUMPS = COST / "gguf" / "metadata_dumps_from_logs.json"
TYPES = {"u32": int, "i32": int, "u16": int, "u64": int, "f32": lambda text: float(text.replace(",", ".")), "str": str}


def dumps() -> list[tuple[str, dict[str, Any]]]:
    return list(json.loads(DUMPS.read_text(encoding="utf-8")).items()) if DUMPS.is_file() else []


def whole_lists(dump: dict[str, Any]) -> bool:
    return not any("..." in str(value) for key, (_, value) in dump["metadata"].items() if "head_count" in key)


@needs_shared
@pytest.mark.parametrize(("name", "dump"), dumps(), ids=lambda value: value if isinstance(value, str) else "")
def test_the_metadata_that_an_engine_printed_gives_the_cache_that_it_printed(name: str, dump: dict[str, Any]) -> None:
    if not whole_lists(dump):
        pytest.skip(f"the log cut the lists of {name} short")
    values = {key: TYPES[kind](value) for key, (kind, value) in dump["metadata"].items() if kind in TYPES}
    said = dump["print_meta"]
    architecture = from_header(Header("a log", 3, values))
    assert architecture.n_layer == int(said["n_layer"])
    for layer in architecture.layers:
        assert layer.n_head == int(said["n_head"])
        assert (layer.d_k, layer.d_v) == (int(said["n_embd_head_k"]), int(said["n_embd_head_v"]))
        if layer.kind == "latent":
            assert (layer.latent, layer.rope) == (int(said["n_lora_kv"]), int(said["n_rot"]))
        else:
            assert layer.n_head_kv * layer.d_k == int(said["n_embd_k_gqa"])
            assert layer.n_head_kv * layer.d_v == int(said["n_embd_v_gqa"])


# What another calculator says about models whose caches it understands; the rest is explained below.
AICONFIGURATOR_DIFFERS = {
    "Qwen3.5": "adds a recurrent state of its own reckoning",
    "DeepSeek-V4": "adds compressed caches at mixed widths",
    "DeepSeek-V3.2": "adds an 8-bit index",
    "GLM-5": "adds an 8-bit index",
    "Kimi-K3": "adds a constant state of 2.2 GB",
    "Llama-4": "counts chunked layers at full length",
    "Nemotron": "counts layers that do not attend, or none at all",
}


@needs_shared
def test_another_calculator_agrees_where_it_understands_the_model() -> None:
    compared = 0
    for row in rows("oracle_aiconfigurator.csv"):
        if row["backend"] == "ERR" or any(part in row["model"] for part in AICONFIGURATOR_DIFFERS):
            continue
        try:
            entry = catalogue.find(row["model"])
        except InputError:
            continue
        for context in (1, 1024, 8192, 131072):
            answer = costing.report(entry.name, context=context, cache_type="bf16")["kv_bytes"]
            assert answer == float(row[f"ctx{context}"]), f"{row['model']} at {context}"
        compared += 1
    assert compared >= 12
