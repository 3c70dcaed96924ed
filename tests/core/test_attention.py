"""What attention computes: checked against arithmetic written out cell by cell, and against its own laws."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from explorer.core import rowblocks
from explorer.core.attention import Trace, attend
from explorer.core.checks import InputError, kv_head_choices
from explorer.core.masks import visible_pairs
from explorer.core.softmax import softmax_rows
from tests.core.plain_attention import plain_attention

if TYPE_CHECKING:
    from collections.abc import Iterator

DTYPES = [np.float32, np.float64]
# Limits of the product's promises, and the dtype for which each holds.
ROW_SUM = {np.float32: 2e-6, np.float64: 1e-14}
DECODE = {np.float32: 2e-5, np.float64: 1e-13}


@pytest.fixture(scope="module", params=["as shipped", "cut small, in threads"], autouse=True)
def cutting(request: pytest.FixtureRequest) -> Iterator[str]:
    """Run every test twice: as shipped, and with the work cut so small that tiny inputs cross every boundary."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "as shipped":
            patch.setattr(rowblocks, "TASK_ROWS", 3)
            patch.setattr(rowblocks, "SCRATCH_BYTES", 200)
            patch.setattr(rowblocks, "WORTH_A_THREAD", 1)
            patch.setattr(rowblocks, "MANY_PAIRS", 1)
            patch.setattr(rowblocks, "_cores", lambda: 3)
        yield request.param


@dataclass(frozen=True)
class Case:
    """One attention: its arrays, and whatever narrows the view."""

    arrays: tuple[np.ndarray, np.ndarray, np.ndarray]
    rules: dict

    def attend(self, **changes) -> Trace:
        return attend(*self.arrays, **{**self.rules, **changes})


def normal(seed: int, shape: tuple[int, ...], dtype=np.float64) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


@st.composite
def cases(draw, dtype=None, square=False, least=0) -> Case:
    """Draw shapes, numbers and rules; every rule is present about half of the time."""
    dtype = dtype or draw(st.sampled_from(DTYPES))
    n_head_kv, shared = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    n_q = draw(st.integers(least, 9))
    n_k = n_q if square else draw(st.integers(least, 9))
    d_k, d_v = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    spread = draw(st.sampled_from([0.0, 0.5, 3.0]))
    shapes = ((n_head_kv * shared, n_q, d_k), (n_head_kv, n_k, d_k), (n_head_kv, n_k, d_v))
    arrays = tuple((rng.standard_normal(shape) * spread).astype(dtype) for shape in shapes)
    rules: dict = {"causal": draw(st.booleans())}
    pairs = (n_head_kv * shared, n_q, n_k)
    narrow = tuple(draw(st.sampled_from([1, size])) for size in pairs)
    if draw(st.booleans()):
        rules["mask"] = rng.random(narrow) < draw(st.sampled_from([0.0, 0.6, 1.0]))
    if draw(st.booleans()):
        rules["bias"] = np.where(rng.random(narrow) < 0.2, -np.inf, rng.standard_normal(narrow)).astype(dtype)
    if draw(st.booleans()):
        rules["window"] = draw(st.integers(1, 10))
    if draw(st.booleans()):
        rules["softcap"] = draw(st.sampled_from([0.5, 2.0, 30.0]))
    if draw(st.booleans()):
        rules["scale"] = draw(st.sampled_from([0.0, -0.5, 1.0, 2.0]))
    if draw(st.booleans()):
        rules["q_offset"] = draw(st.integers(-4, 12))
    return Case(arrays, rules)


@given(cases())
def test_every_table_is_the_one_written_out_cell_by_cell(case: Case) -> None:
    trace = case.attend()
    masked, weights, output = plain_attention(*case.arrays, **case.rules)
    close = {"rtol": 1e-5, "atol": 1e-5} if case.arrays[0].dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-13}
    assert_allclose(trace.masked, masked, **close)
    assert_allclose(trace.weights, weights, **close)
    assert_allclose(trace.output, output, **close)


@given(cases())
def test_tables_follow_from_each_other_in_the_stated_order(case: Case) -> None:
    trace = case.attend()
    dtype = case.arrays[0].dtype.type
    scale = dtype(case.rules.get("scale", case.arrays[0].shape[2] ** -0.5))
    assert_array_equal(trace.scaled, trace.scores * scale)
    if "softcap" in case.rules:
        cap = dtype(case.rules["softcap"])
        assert_array_equal(trace.capped, np.tanh(trace.scaled / cap) * cap)
        assert (np.abs(trace.capped) <= cap).all()
    else:
        assert trace.capped is trace.scaled
    bias = np.broadcast_to(case.rules.get("bias", dtype(0)), trace.capped.shape)
    assert_array_equal(trace.masked[trace.visible], (trace.capped + bias)[trace.visible])
    assert np.isneginf(trace.masked[~trace.visible]).all()
    assert_allclose(trace.weights, softmax_rows(trace.masked), rtol=1e-5 if dtype == np.float32 else 1e-13, atol=1e-30)


@pytest.mark.parametrize("dtype", DTYPES)
@given(st.data())
def test_rows_sum_to_one_or_to_nothing(dtype: type, data: st.DataObject) -> None:
    trace = data.draw(cases(dtype)).attend()
    sums = trace.weights.astype(np.float64).sum(axis=-1)
    assert (np.abs(sums - 1) <= ROW_SUM[dtype])[~trace.looks_nowhere].all()
    assert (sums == 0)[trace.looks_nowhere].all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [63, 64, 65, 130, 700])
def test_long_rows_sum_to_one_as_well(dtype: type, n: int) -> None:
    q, k, v = normal(1, (2, n, 3), dtype), normal(2, (2, n, 3), dtype), normal(3, (2, n, 2), dtype)
    weights = attend(q, k, v, causal=True).weights
    assert np.abs(weights.sum(axis=-1, dtype=np.float64) - 1).max() <= ROW_SUM[dtype]
    assert (weights[:, np.triu(np.ones((n, n), bool), 1)] == 0).all()


@given(cases())
def test_masked_entries_are_exactly_zero_and_only_they(case: Case) -> None:
    trace = case.attend()
    assert (trace.weights[~trace.visible] == 0).all()
    with np.errstate(invalid="ignore"):
        within_reach = trace.masked > trace.masked.max(axis=-1, keepdims=True, initial=-np.inf) - 80
    assert (trace.weights[trace.visible & within_reach] > 0).all()
    assert_array_equal(
        trace.visible,
        visible_pairs(*trace.weights.shape, **{n: v for n, v in case.rules.items() if n not in ("scale", "softcap")}),
    )


@given(cases(), st.data())
def test_a_later_token_changes_no_bit_of_an_earlier_row(case: Case, data: st.DataObject) -> None:
    q, k, v = case.arrays
    n_q, n_k = q.shape[1], k.shape[1]
    assume(n_k > 0)
    position = data.draw(st.integers(0, n_k - 1))
    offset = case.rules.get("q_offset", n_k - n_q)
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    other_k, other_v, other_q = k.copy(), v.copy(), q.copy()
    other_k[:, position:] = rng.standard_normal(k[:, position:].shape) * 9
    other_v[:, position:] = rng.standard_normal(v[:, position:].shape) * 9
    later_queries = max(0, position - offset)
    other_q[:, later_queries:] = rng.standard_normal(q[:, later_queries:].shape) * 9
    rules = {**case.rules, "causal": True}
    before, after = attend(q, k, v, **rules), attend(other_q, other_k, other_v, **rules)
    earlier = slice(0, min(n_q, later_queries))
    assert before.weights[:, earlier].tobytes() == after.weights[:, earlier].tobytes()
    assert_array_equal(before.output[:, earlier], after.output[:, earlier])


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_later_token_changes_no_bit_of_a_long_sequence(dtype: type) -> None:
    q, k, v = (normal(seed, (3, 200, 16), dtype) for seed in (1, 2, 3))
    before = attend(q, k, v, causal=True)
    for position in (1, 63, 64, 127, 199):
        changed = [array.copy() for array in (q, k, v)]
        for array in changed:
            array[:, position:] *= -7
        after = attend(*changed, causal=True)
        assert before.weights[:, :position].tobytes() == after.weights[:, :position].tobytes()
        assert_array_equal(before.output[:, :position], after.output[:, :position])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("rules", [{"causal": True}, {}, {"softcap": 30.0}, {"causal": True, "scale": -0.5}], ids=str)
def test_rows_far_from_0_and_near_it_are_a_softmax_alike(dtype: type, rules: dict[str, Any]) -> None:
    q, k, v = (normal(seed, (4, 170, 16), dtype) for seed in (1, 2, 3))
    q[:, ::3] *= 40  # scores of some hundreds: their exponentials are no float32
    k[1, 100:] *= 50
    trace = attend(q, k, v, **rules)
    assert np.abs(trace.masked[trace.visible]).max() > 25
    table = trace.masked.astype(np.float64)
    powers = np.exp(table - table.max(axis=-1, keepdims=True))
    # What scores of some hundreds lose in float32 are digits of an exponent.
    assert_allclose(trace.weights, powers / powers.sum(axis=-1, keepdims=True), rtol=2e-3, atol=2e-4)
    assert_allclose(trace.weights.sum(axis=-1), 1, rtol=1e-5)


@pytest.mark.parametrize("dtype", DTYPES)
def test_a_later_key_far_from_0_changes_no_bit_of_an_earlier_row(dtype: type) -> None:
    q, k, v = (normal(seed, (4, 170, 16), dtype) for seed in (1, 2, 3))
    before = attend(q, k, v, causal=True)
    k[:, 120:] *= 1000
    after = attend(q, k, v, causal=True)
    assert before.weights[:, :120].tobytes() == after.weights[:, :120].tobytes()
    assert not np.array_equal(before.weights[:, 120:], after.weights[:, 120:])


@given(cases())
def test_shared_kv_heads_equal_repeated_ones_bit_for_bit(case: Case) -> None:
    q, k, v = case.arrays
    shared = q.shape[0] // k.shape[0]
    grouped = case.attend()
    repeated = attend(q, np.repeat(k, shared, axis=0), np.repeat(v, shared, axis=0), **case.rules)
    for name in ("scores", "masked", "weights", "output"):
        assert_array_equal(getattr(grouped, name), getattr(repeated, name))


@given(cases())
def test_heads_do_not_know_of_each_other(case: Case) -> None:
    together = case.attend()
    q, k, v = case.arrays
    for head in range(q.shape[0]):
        kv = together.kv_head(head)
        rules = {
            name: value[head : head + 1] if name in ("mask", "bias") and value.shape[0] > 1 else value
            for name, value in case.rules.items()
        }
        alone = attend(q[head : head + 1], k[kv : kv + 1], v[kv : kv + 1], **rules)
        assert_array_equal(alone.output[0], together.output[head])


@pytest.mark.parametrize("dtype", DTYPES)
@given(st.data())
def test_decoding_row_by_row_equals_the_full_pass(dtype: type, data: st.DataObject) -> None:
    case = data.draw(cases(dtype, square=True, least=1))
    rules = {n: v for n, v in case.rules.items() if n not in ("mask", "bias", "q_offset")} | {"causal": True}
    q, k, v = case.arrays
    whole = attend(q, k, v, **rules)
    for i in range(q.shape[1]):
        step = attend(q[:, i : i + 1], k[:, : i + 1], v[:, : i + 1], **rules)
        assert step.q_offset == i
        assert_allclose(step.weights[:, 0], whole.weights[:, i, : i + 1], rtol=0, atol=DECODE[dtype])
        assert_allclose(step.output[:, 0], whole.output[:, i], rtol=DECODE[dtype], atol=DECODE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@given(st.data())
def test_adding_a_constant_to_a_score_row_changes_nothing(dtype: type, data: st.DataObject) -> None:
    case = data.draw(cases(dtype))
    shift = normal(data.draw(st.integers(0, 99)), (*case.arrays[0].shape[:2], 1), dtype) * 5
    before, after = case.attend(), case.attend(bias=case.rules.get("bias", dtype(0)) + shift)
    # Moving a score by c rounds it to a multiple of c's last place, and nothing else may happen.
    limit = {np.float32: 2e-5, np.float64: 1e-13}[dtype]
    assert_allclose(after.weights, before.weights, rtol=0, atol=limit)


@pytest.mark.parametrize("dtype", DTYPES)
@given(st.data())
def test_permuting_tokens_without_a_mask_permutes_the_output(dtype: type, data: st.DataObject) -> None:
    q, k, v = data.draw(cases(dtype, square=True, least=1)).arrays
    order = np.array(data.draw(st.permutations(range(q.shape[1]))))
    straight, permuted = attend(q, k, v), attend(q[:, order], k[:, order], v[:, order])
    assert_allclose(permuted.output, straight.output[:, order], rtol=DECODE[dtype], atol=DECODE[dtype])
    assert_allclose(permuted.weights, straight.weights[:, order][:, :, order], rtol=0, atol=DECODE[dtype])


@pytest.mark.parametrize("dtype", DTYPES)
@given(st.data())
def test_turning_queries_and_keys_together_changes_no_score(dtype: type, data: st.DataObject) -> None:
    q, k, v = data.draw(cases(dtype)).arrays
    turn = np.linalg.qr(normal(data.draw(st.integers(0, 99)), (q.shape[2],) * 2))[0].astype(dtype)
    straight, turned = attend(q, k, v), attend(q @ turn, k @ turn, v)
    limit = {np.float32: 2e-4, np.float64: 1e-12}[dtype]
    assert_allclose(turned.scores, straight.scores, rtol=limit, atol=limit)


@given(cases(dtype=np.float64))
def test_float32_agrees_with_float64_to_its_precision(case: Case) -> None:
    narrow = attend(*(array.astype(np.float32) for array in case.arrays), **case.rules)
    assert narrow.weights.dtype == narrow.output.dtype == narrow.masked.dtype == np.float32
    assert_allclose(narrow.weights, case.attend().weights, rtol=0, atol=1e-4)


class TestEdges:
    def test_one_token_looks_at_itself(self) -> None:
        trace = attend([[[3.0, -1.0]]], [[[0.5, 2.0]]], [[[7.0, 8.0, 9.0]]], causal=True)
        assert trace.weights.tolist() == [[[1.0]]]
        assert trace.output.tolist() == [[[7.0, 8.0, 9.0]]]

    @pytest.mark.parametrize(("n_q", "n_k"), [(0, 0), (0, 3), (3, 0)])
    def test_no_token_gives_empty_tables_and_zero_outputs(self, n_q: int, n_k: int) -> None:
        trace = attend(np.ones((4, n_q, 2)), np.ones((2, n_k, 2)), np.ones((2, n_k, 5)), causal=True, window=2)
        for table in (trace.scores, trace.scaled, trace.capped, trace.masked, trace.weights, trace.visible):
            assert table.shape == (4, n_q, n_k)
        assert_array_equal(trace.output, np.zeros((4, n_q, 5)))
        assert trace.looks_nowhere.all()

    def test_a_query_that_may_look_nowhere_gets_zeros(self) -> None:
        mask = np.ones((1, 3, 3), bool)
        mask[0, 1] = False
        trace = attend(np.ones((2, 3, 2)), np.ones((1, 3, 2)), np.ones((1, 3, 2)), mask=mask)
        assert (trace.weights[:, 1] == 0).all()
        assert (trace.output[:, 1] == 0).all()
        assert trace.looks_nowhere.tolist() == [[False, True, False]] * 2
        assert_allclose(trace.output[:, [0, 2]], 1)

    @pytest.mark.parametrize("everything", [{"mask": False}, {"bias": -np.inf}, {"causal": True, "q_offset": -5}])
    def test_everything_masked_is_nothing_but_zeros(self, everything: dict) -> None:
        trace = attend(normal(1, (2, 4, 3)), normal(2, (2, 4, 3)), normal(3, (2, 4, 3)), **everything)
        assert (trace.weights == 0).all()
        assert (trace.output == 0).all()
        assert np.isneginf(trace.masked).all()
        assert np.isfinite(trace.scores).all()

    def test_more_queries_than_keys_stand_before_the_first_key(self) -> None:
        trace = attend(np.ones((1, 4, 1)), np.ones((1, 2, 1)), np.ones((1, 2, 1)), causal=True)
        assert trace.q_offset == -2
        assert trace.looks_nowhere.tolist() == [[True, True, False, False]]

    def test_window_counts_the_token_itself(self) -> None:
        ones = np.ones((1, 4, 1))
        assert_array_equal(attend(ones, ones, ones, causal=True, window=1).weights[0], np.eye(4))
        assert attend(ones, ones, ones, window=2).visible[0].sum() == 4 + 3 + 3
        assert attend(ones, ones, ones, causal=True, window=10**30).visible[0].sum() == 10

    def test_masked_keys_do_not_leak_through_the_cap(self) -> None:
        trace = attend([[[1.0]]], [[[1.0], [1.0]]], [[[1.0], [100.0]]], mask=[[True, False]], softcap=2.0)
        assert trace.output.tolist() == [[[1.0]]]

    @pytest.mark.parametrize(("dtype", "size"), [(np.float32, 1e4), (np.float64, 1e308)])
    def test_huge_scores_survive(self, dtype: type, size: float) -> None:
        q = np.array([[[size], [-size]]], dtype)
        trace = attend(q, np.array([[[1.0], [-1.0]]], dtype), np.array([[[1.0], [2.0]]], dtype), scale=1.0)
        assert_array_equal(trace.scores[0], np.array([[size, -size], [-size, size]], dtype))
        assert_array_equal(trace.weights[0], np.eye(2))
        assert trace.output[0].tolist() == [[1.0], [2.0]]

    def test_head_dimension_of_values_may_differ_or_be_nothing(self) -> None:
        assert attend(np.ones((2, 3, 4)), np.ones((1, 3, 4)), np.ones((1, 3, 7))).output.shape == (2, 3, 7)
        assert attend(np.ones((2, 3, 4)), np.ones((1, 3, 4)), np.ones((1, 3, 0))).output.shape == (2, 3, 0)

    @pytest.mark.parametrize(
        ("kinds", "expected"),
        [
            ((np.float32, np.float32, np.float32), np.float32),
            ((np.float32, np.float64, np.float32), np.float64),
            ((np.int64, np.int64, np.int64), np.float64),
            ((np.float16, np.float16, np.float16), np.float64),
            ((">f4", ">f4", ">f4"), np.float32),
        ],
    )
    def test_dtypes_are_kept_or_widened(self, kinds: tuple, expected: type) -> None:
        trace = attend(*(np.ones((1, 2, 2), kind) for kind in kinds), causal=True)
        assert trace.weights.dtype == trace.output.dtype == trace.scores.dtype == expected
        assert trace.weights.dtype.isnative

    def test_lists_of_integers_become_float64(self) -> None:
        assert attend([[[1, 2]]], [[[3, 4]]], [[[5]]]).scores.tolist() == [[[11.0]]]

    def test_memory_layout_of_the_inputs_changes_no_bit(self) -> None:
        q, k, v = (normal(seed, (2, 9, 4)) for seed in (1, 2, 3))
        odd = [np.asfortranarray(q), k[:, ::-1][:, ::-1], np.concatenate([v, v], axis=2)[:, :, :4]]
        assert attend(q, k, v).output.tobytes() == attend(*odd).output.tobytes()


class TestTrace:
    def test_what_the_caller_writes_later_does_not_reach_it(self) -> None:
        q, k, v = (normal(seed, (1, 3, 2)) for seed in (1, 2, 3))
        mask, bias = np.ones((1, 3, 3), bool), np.zeros((1, 3, 3))
        expected = attend(q, k, v, mask=mask, bias=bias).masked
        trace = attend(q, k, v, mask=mask, bias=bias)
        for array in (q, k, v):
            array[...] = 99
        mask[...], bias[...] = False, 5
        assert_array_equal(trace.masked, expected)

    def test_a_read_only_view_of_writable_memory_is_copied_too(self) -> None:
        memory = np.ones((1, 2, 2))
        view = memory[:]
        view.flags.writeable = False
        trace = attend(view, view, view)
        memory[...] = 7
        assert trace.scores.tolist() == [[[2.0, 2.0], [2.0, 2.0]]]

    def test_every_array_is_read_only(self) -> None:
        trace = attend(np.ones((2, 3, 2)), np.ones((1, 3, 2)), np.ones((1, 3, 2)), softcap=1.0, mask=True, bias=0.0)
        for name in (
            "q",
            "k",
            "v",
            "mask",
            "bias",
            "scores",
            "scaled",
            "capped",
            "visible",
            "masked",
            "weights",
            "output",
        ):
            with pytest.raises(ValueError, match="read-only"):
                getattr(trace, name)[...] = 0

    def test_the_caller_may_still_write_to_what_was_given(self) -> None:
        q = np.ones((1, 2, 2))
        attend(q, q, q)
        q[...] = 2

    def test_tables_are_computed_once(self) -> None:
        trace = attend(np.ones((1, 2, 2)), np.ones((1, 2, 2)), np.ones((1, 2, 2)))
        assert trace.scores is trace.scores
        assert trace.masked is trace.masked

    def test_it_names_the_values_in_force(self) -> None:
        trace = attend(np.ones((4, 1, 4)), np.ones((2, 6, 4)), np.ones((2, 6, 3)), causal=True)
        assert (trace.n_head, trace.n_head_kv, trace.q_offset, trace.scale, trace.softcap) == (4, 2, 5, 0.5, None)
        assert [trace.kv_head(head) for head in range(4)] == [0, 0, 1, 1]


def test_an_error_in_a_thread_reaches_the_caller(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise MemoryError("no room")

    monkeypatch.setattr(rowblocks, "_run", fail)
    with pytest.raises(MemoryError, match="no room"):
        attend(np.ones((2, 9, 2)), np.ones((2, 9, 2)), np.ones((2, 9, 2)))


def test_where_no_thread_can_be_had_the_caller_does_it_all(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    arrays = [normal(seed, (6, 70, 5)) for seed in (1, 2, 3)]
    usual = attend(*arrays, causal=True)
    monkeypatch.setattr(rowblocks, "WORTH_A_THREAD", 1)
    monkeypatch.setattr(rowblocks, "_cores", lambda: 3)
    monkeypatch.setattr(rowblocks._thread, "start_new_thread", refuse)
    alone = attend(*arrays, causal=True)
    assert_array_equal(alone.output, usual.output)


@pytest.mark.parametrize(
    "rules", [{}, {"causal": True, "q_offset": -500}, {"causal": True, "window": 1, "q_offset": 90}]
)
def test_what_no_query_may_see_is_looked_at_all_the_same(rules: dict) -> None:
    q, k, v = (normal(seed, (2, 80, 4)) for seed in (1, 2, 3))
    k[1, 3, 2] = np.nan
    with pytest.raises(InputError, match=r"k\[1, 3, 2\]"):
        attend(q, k, v, **rules)
    k[1, 3, 2], v[0, 5, 1] = 0, np.inf
    with pytest.raises(InputError, match=r"v\[0, 5, 1\]"):
        attend(q, k, v, **rules)


@pytest.mark.parametrize(("dtype", "score", "bias"), [(np.float32, 1e19, 3e38), (np.float64, 1e154, 1.5e308)])
@pytest.mark.parametrize("rules", [{"causal": True}, {"window": 1}])
def test_a_bias_where_nobody_may_look_changes_nothing(dtype: type, score: float, bias: float, rules: dict) -> None:
    x, v = np.full((1, 2, 1), score, dtype), np.ones((1, 2, 1), dtype)
    hidden = np.array([[0, bias], [0, 0]], dtype)
    trace = attend(x, x, v, scale=1.0, bias=hidden, **rules)
    assert trace.weights[0, 0].tolist() == [1, 0]
    assert_array_equal(trace.weights, attend(x, x, v, scale=1.0, **rules).weights)


@pytest.mark.parametrize("shape", [(66, 200), (200, 70), (64, 64)])
@pytest.mark.parametrize("causal", [False, True])
def test_sums_that_overflow_on_their_way_are_refused_or_right(shape: tuple[int, int], causal: bool) -> None:
    q = np.zeros((1, shape[0], 160), np.float32)
    q[:, :, [0, 16]], q[:, :, [1, 17]] = 1e19, -1e19
    k, v = np.full((1, shape[1], 160), 2e19, np.float32), np.ones((1, shape[1], 2), np.float32)
    try:
        trace = attend(q, k, v, scale=1e-3, causal=causal)
    except InputError:
        return
    assert np.isfinite(trace.weights).all()
    assert np.isfinite(trace.output).all()


@pytest.mark.parametrize(
    ("dtype", "small", "large", "scale"), [(np.float32, 1e-23, 1e30, 3e38), (np.float64, 1e-170, 1e200, 1e300)]
)
@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("softcap", [None, 1.0])
def test_numbers_whose_squares_are_none_do_not_hide_an_overflow(
    dtype: type, small: float, large: float, scale: float, turned: bool, softcap: float | None
) -> None:
    q, k = np.full((1, 2, 1), small, dtype), np.array([[[large], [2 * large]]], dtype)
    q, k = (k, q) if turned else (q, k)
    with pytest.raises(InputError, match="scaled"):
        attend(q, k, np.ones((1, 2, 1), dtype), scale=scale, softcap=softcap)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("n", [255, 257, 450, 1022, 2046, 2048])
@pytest.mark.parametrize("score", [0.4, 2.2, 7.0])
def test_rows_of_equal_scores_sum_to_one_as_well(dtype: type, n: int, score: float) -> None:
    k, q = np.ones((2, n, 1), dtype), np.full((2, min(n, 131), 1), score, dtype)
    weights = attend(q, k, k, causal=True).weights
    assert np.abs(weights.sum(axis=-1, dtype=np.float64) - 1).max() <= ROW_SUM[dtype]


def test_attention_while_the_interpreter_ends_does_not_wait_for_a_thread() -> None:
    code = (
        "import numpy as np\n"
        "from explorer.core import rowblocks\n"
        "from explorer.core.attention import attend\n"
        "rowblocks._cores = lambda: 2\n"
        "q = np.ones((8, 256, 64), np.float32)\n"
        "class Last:\n"
        "    def __del__(self):\n"
        "        print(round(float(attend(q, q, q).output[0, 0, 0]), 5))\n"
        "last = Last()\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, timeout=60)
    assert (done.returncode, done.stdout) == (0, "1.0\n"), done.stderr


@pytest.mark.parametrize("name", ["mask", "bias"])
def test_a_view_of_what_cannot_be_written_to_does_not_reach_the_trace(name: str) -> None:
    given = np.ones((1, 2, 2), bool if name == "mask" else float)
    view = given[:]
    given.flags.writeable = False
    one = np.ones((1, 2, 2))
    trace = attend(one, one, one, **{name: given})
    view[...] = 0
    assert getattr(trace, name).all()


def test_floating_point_traps_of_the_caller_stay_shut() -> None:
    with np.errstate(all="raise"):
        trace = attend([[[1e-200], [800.0]]], [[[1e-200], [-800.0]]], [[[1.0], [2.0]]], softcap=1e-3, causal=True)
        assert np.isfinite(trace.masked[0, 1]).all()


@pytest.mark.parametrize(("n_head", "divisors"), [(1, [1]), (10, [1, 2, 5, 10]), (36, [1, 2, 3, 4, 6, 9, 12, 18, 36])])
def test_kv_heads_may_be_the_divisors(n_head: int, divisors: list[int]) -> None:
    assert list(kv_head_choices(n_head)) == divisors
