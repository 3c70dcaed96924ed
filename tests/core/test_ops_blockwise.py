"""What a blockwise kernel carries: every running number explained, and nothing lost of the whole."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from explorer.core import expression
from explorer.core.expression import Cell
from explorer.core.ops import attention, blockwise
from explorer.core.ops.base import Op
from tests.core.op_faces import assert_faces_agree


@st.composite
def heads(draw):
    """Return masked scores, values and a block size: any mask, rows that see nothing, scores far apart."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_q, n_k, d = draw(st.integers(1, 5)), draw(st.integers(1, 7)), draw(st.integers(1, 3))
    scores = rng.standard_normal((n_q, n_k)) * draw(st.sampled_from([1e-3, 1.0, 300.0]))
    scores[rng.random(scores.shape) < draw(st.sampled_from([0.0, 0.4, 0.9]))] = -np.inf
    return scores, rng.standard_normal((n_k, d)), np.asarray(float(draw(st.integers(1, 8))))


def carried(masked, values, block):
    """Return every array of the blockwise path, by name."""
    arrays = {"masked": masked, "v": values, "block": block}
    arrays["m"] = blockwise.running_maximum("m").apply(masked, block)
    arrays["r"] = blockwise.rescale().apply(masked, arrays["m"], block)
    arrays["e"] = blockwise.block_powers().apply(masked, arrays["m"], block)
    arrays["l"] = blockwise.running_sum("l").apply(masked, arrays["e"], arrays["r"], block)
    arrays["o"] = blockwise.running_output("o").apply(masked, values, arrays["e"], arrays["r"], block)
    arrays["output"] = blockwise.finish_blocks().apply(arrays["o"], arrays["l"])
    return arrays


OPS = {
    "m": (blockwise.running_maximum("m"), ("masked", "block")),
    "r": (blockwise.rescale(), ("masked", "m", "block")),
    "e": (blockwise.block_powers(), ("masked", "m", "block")),
    "l": (blockwise.running_sum("l"), ("masked", "e", "r", "block")),
    "o": (blockwise.running_output("o"), ("masked", "v", "e", "r", "block")),
    "output": (blockwise.finish_blocks(), ("o", "l")),
}


def reading_itself(op):
    """Return the op with its own array as one more input, so that the terms' cells can be looked up in the inputs."""
    return Op(
        op.name,
        lambda *arrays: op.apply(*arrays[:-1]),
        lambda arrays, names, index: op.terms(arrays[:-1], names[:-1], index),
        lambda names: op.source(names[:-1]),
        op.helpers,
    )


@settings(max_examples=60)
@given(heads())
def test_every_running_number_computes_explains_and_prints_itself(head):
    arrays = carried(*head)
    for own, (op, read) in OPS.items():
        # An op that carries something reads its own earlier cell.
        names = (*read, own)
        assert_faces_agree(reading_itself(op), [arrays[name] for name in names], names, at_most=20)


@settings(max_examples=60)
@given(heads())
def test_the_last_block_leaves_the_output_of_the_whole_softmax(head):
    masked, values, _ = head
    whole = attention.mix().apply(attention.softmax().apply(masked), values)
    assert_allclose(carried(*head)["output"], whole, rtol=1e-12, atol=1e-12)


def test_a_larger_maximum_says_by_what_the_sum_before_it_shrinks():
    masked, block = np.array([[0.0, 2.0]]), np.asarray(1.0)
    arrays = carried(masked, np.array([[1.0], [5.0]]), block)
    assert arrays["r"].tolist() == [[0.0, np.exp(-2.0)]]
    terms = blockwise.running_sum("l").terms([masked, arrays["e"], arrays["r"], block], ("s", "e", "r", "b"), (0, 1))
    assert list(expression.cells(terms)) == [
        Cell("r", (0, 1), float(np.exp(-2.0))),
        Cell("l", (0, 0), 1.0),
        Cell("e", (0, 1), 1.0),
    ]


def test_a_row_that_sees_nothing_carries_nothing_and_ends_at_zero():
    arrays = carried(np.full((1, 3), -np.inf), np.ones((3, 2)), np.asarray(2.0))
    assert arrays["m"].tolist() == [[-np.inf, -np.inf]]
    assert arrays["r"].tolist() == [[1.0, 1.0]]
    assert arrays["l"].tolist() == [[0.0, 0.0]]
    assert arrays["output"].tolist() == [[0.0, 0.0]]
    terms = blockwise.finish_blocks().terms([arrays["o"], arrays["l"]], ("o", "l"), (0, 1))
    assert terms == blockwise.SEES_NOTHING


@pytest.mark.parametrize(("size", "blocks"), [(1, 5), (2, 3), (3, 2), (5, 1), (9, 1)])
def test_there_is_one_column_a_block_and_the_last_block_may_be_shorter(size, blocks):
    arrays = carried(np.zeros((2, 5)), np.ones((5, 3)), np.asarray(float(size)))
    assert arrays["m"].shape == arrays["r"].shape == arrays["l"].shape == (2, blocks)
    assert arrays["o"].shape == (blocks, 2, 3)
    assert arrays["e"].shape == (2, 5)
