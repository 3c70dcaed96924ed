"""Attention as the ONNX project defines it: every case of its own suite that is not 16 bits wide."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from explorer.core.attention import Trace, attend
from explorer.core.heads import multi_head

onnx = pytest.importorskip("onnx", minversion="1.23.2")

# 93 cases are published with the operator, 11 of them 16 bits wide. Fewer found means that the search is broken.
EXPECTED_CASES = 82
# Position of what `qk_matmul_output_mode` asks for among our tables.
TABLES = ("scaled", "capped", "masked", "weights")


class Case:
    """One node with named attributes, inputs and expected outputs."""

    def __init__(self, test: Any) -> None:
        (node,) = test.model.graph.node
        inputs, outputs = test.data_sets[0]
        self.name = test.name
        self.tolerance = {"rtol": test.rtol, "atol": test.atol}
        self.attributes = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
        self.inputs = dict(zip(filter(None, node.input), inputs, strict=True))
        self.outputs = dict(zip(filter(None, node.output), outputs, strict=True))


@cache
def all_cases() -> list[Case]:
    from onnx.backend.test.case.node import collect_testcases

    # Collecting imports the cases of every operator, and some overflow on purpose.
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        tests = collect_testcases("Attention")
    cases = [Case(test) for test in tests if test.model.graph.node[0].op_type == "Attention"]
    return [case for case in cases if case.inputs["Q"].dtype in (np.float32, np.float64)]


def heads_first(array: np.ndarray, heads: int | None) -> np.ndarray:
    """Bring (batch, n, heads · d) to (batch, heads, n, d); four axes are in that order already."""
    if array.ndim == 4:
        return array
    batch, n, width = array.shape
    return array.reshape(batch, n, heads, width // heads).swapaxes(1, 2)


def padded(mask: np.ndarray, n_k: int) -> np.ndarray:
    """Lengthen a mask that names fewer keys than there are: nobody may look at the others."""
    missing = [(0, 0)] * (mask.ndim - 1) + [(0, n_k - mask.shape[-1])]
    return np.pad(mask, missing, constant_values=False if mask.dtype == bool else -np.inf)


def windows(attributes: dict, n_q: int, n_k: int, offset: int) -> dict:
    """Translate ONNX's two-sided window; one that is neither causal nor symmetric becomes a mask."""
    left, right = attributes.get("left_window_size", -1), attributes.get("right_window_size", -1)
    if left < 0 and right < 0:
        return {}
    if left >= 0 and (attributes.get("is_causal") or left == right):
        return {"window": left + 1}
    distance = np.arange(n_q)[:, None] + offset - np.arange(n_k)
    return {"mask": ((left < 0) | (distance <= left)) & ((right < 0) | (-distance <= right))}


def run(case: Case) -> tuple[list[Trace], np.ndarray, np.ndarray]:
    """Return one trace per sequence of the batch, and the keys and values that they used."""
    attributes, inputs = case.attributes, case.inputs
    q = heads_first(inputs["Q"], attributes.get("q_num_heads"))
    k = heads_first(inputs["K"], attributes.get("kv_num_heads"))
    v = heads_first(inputs["V"], attributes.get("kv_num_heads"))
    past = 0
    if "past_key" in inputs:
        past = inputs["past_key"].shape[2]
        k = np.concatenate([inputs["past_key"], k], axis=2)
        v = np.concatenate([inputs["past_value"], v], axis=2)
    (batch, n_head, n_q, _), n_k = q.shape, k.shape[2]
    given = inputs.get("attn_mask")
    if given is not None:
        given = np.broadcast_to(padded(given, n_k), (batch, n_head, n_q, n_k))
    lengths = inputs.get("nonpad_kv_seqlen")
    traces = []
    for b in range(batch):
        # ONNX counts positions from the cache, not from the end of the keys: 0 when there is none.
        offset = past if lengths is None else int(lengths[b]) - n_q
        rules = windows(attributes, n_q, n_k, offset)
        allowed = rules.pop("mask", np.True_)
        if lengths is not None:
            allowed = allowed & (np.arange(n_k) < lengths[b])
        if given is not None and given.dtype == bool:
            allowed = allowed & given[b]
        elif given is not None:
            rules["bias"] = given[b]
        trace = attend(
            q[b],
            k[b],
            v[b],
            causal=bool(attributes.get("is_causal", 0)),
            mask=allowed,
            scale=attributes.get("scale"),
            softcap=attributes.get("softcap"),
            q_offset=offset,
            **rules,
        )
        traces.append(trace)
    return traces, k, v


@pytest.mark.parametrize("case", all_cases(), ids=lambda case: case.name.removeprefix("test_attention_"))
def test_case_of_the_onnx_suite(case: Case) -> None:
    traces, k, v = run(case)
    output = np.stack([trace.output for trace in traces])
    if case.inputs["Q"].ndim == 3:
        output = output.swapaxes(1, 2).reshape(case.outputs["Y"].shape)
    assert_allclose(output, case.outputs["Y"], **case.tolerance)
    if "present_key" in case.outputs:
        assert_array_equal(k, case.outputs["present_key"])
        assert_array_equal(v, case.outputs["present_value"])
    if "qk_matmul_output" in case.outputs:
        table = TABLES[case.attributes.get("qk_matmul_output_mode", 0)]
        found = np.stack([getattr(trace, table) for trace in traces])
        assert_allclose(found, case.outputs["qk_matmul_output"], **case.tolerance)


def test_no_case_is_left_out() -> None:
    assert len(all_cases()) >= EXPECTED_CASES
    seen = {name for case in all_cases() for name in (*case.attributes, *case.inputs, *case.outputs)}
    assert {"past_key", "nonpad_kv_seqlen", "softcap", "left_window_size", "is_causal", "qk_matmul_output"} <= seen


def test_heads_packed_in_columns_agree_with_multi_head() -> None:
    (case,) = (case for case in all_cases() if case.name == "test_attention_3d_transpose_verification")
    q, k, v = (case.inputs[name] for name in "QKV")
    width, heads = q.shape[2], case.attributes["q_num_heads"]
    pick = [np.eye(3 * width, width, -part * width, dtype=np.float32) for part in range(3)]
    for b in range(q.shape[0]):
        x = np.concatenate([q[b], k[b], v[b]], axis=1)
        trace = multi_head(x, *pick, n_head=heads, causal=False)
        assert_allclose(trace.output, case.outputs["Y"][b], **case.tolerance)
