"""The ops of averages, of one token that asks, of word tables and of directions: three faces each, and promises."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import expression, lesson
from explorer.core.expression import Number
from explorer.core.ops import asking, attention, average, embedding, similarity
from explorer.core.similarity import cosine

FEW, WIDTHS = st.integers(1, 6), st.integers(1, 3)
ZEROS = st.sampled_from([0.0, -0.0])


@st.composite
def tables(draw, rows=FEW, columns=WIDTHS):
    """Return an array of ordinary numbers with zeros of both signs among them."""
    shape = draw(rows), draw(columns)
    cell = st.one_of(ZEROS, st.floats(-50, 50, allow_subnormal=False), st.integers(-3, 3).map(float))
    return np.array(draw(st.lists(cell, min_size=math.prod(shape), max_size=math.prod(shape)))).reshape(shape)


@st.composite
def calls(draw):
    """Return an op, fitting arrays and the names they go by."""
    x = draw(tables())
    n = len(x)
    some = st.lists(st.integers(0, n - 1), min_size=1, max_size=4)
    asks = np.asarray(float(draw(st.integers(0, n - 1))))
    causal = draw(st.booleans())
    scores = asking.scores_of().apply(x, asks)
    return draw(
        st.sampled_from(
            [
                (average.equal_weights(causal), (x,), ("x",)),
                (average.mix_in_order(), (average.equal_weights(causal).apply(x), x), ("weights", "x")),
                (average.mix_on_arrival(), (x,), ("x",)),
                (average.average_up_to(), (x, asks), ("x", "asks")),
                (average.change(), (x, x[::-1].copy()), ("output", "arrival")),
                (asking.scores_of(), (x, asks), ("x", "asks")),
                (asking.temperature(), (scores, np.asarray(draw(st.floats(0.1, 10)))), ("scores", "temperature")),
                (attention.softmax(), (scores,), ("scaled",)),
                (attention.mix(), (attention.softmax().apply(scores), x), ("weights", "x")),
                (embedding.lookup(draw(some)), (x,), ("table",)),
                (
                    embedding.blend(list(zip(draw(some), draw(some), strict=False))),
                    (x, np.asarray(float(draw(st.integers(0, 100))))),
                    ("table", "share"),
                ),
                (similarity.cosines(), (x, x[::-1].copy()), ("mixed", "table")),
                (similarity.cosines(draw(some), draw(some)), (x, x.copy()), ("mixed", "table")),
            ]
        )
    )


def size_of_terms(terms):
    """Return the sum of the magnitudes of everything that is added, by which rounding is to be judged."""
    if isinstance(terms, expression.Operation) and terms.kind in ("sum", "difference"):
        return sum(size_of_terms(one) for one in terms.operands)
    value = expression.evaluate(terms)
    return abs(value) if math.isfinite(value) else 0.0


@given(calls())
def test_the_terms_of_a_cell_give_the_cell_and_read_what_is_there(call):
    op, arrays, names = call
    result = op.apply(*arrays)
    by_name = dict(zip(names, arrays, strict=True))
    for index in np.ndindex(result.shape):
        terms = op.terms(arrays, names, index)
        value, drawn = expression.evaluate(terms), float(result[index])
        assert value == drawn or abs(value - drawn) <= 1e-13 * (1 + size_of_terms(terms)), (op.name, index)
        for cell in expression.cells(terms):
            assert by_name[cell.array][cell.index] == cell.value


@given(calls())
def test_the_source_gives_the_same_bits(call):
    op, arrays, names = call
    scope = {"np": np, **dict(zip(names, (array.copy() for array in arrays), strict=True))}
    with np.errstate(all="ignore"):
        exec("\n".join(op.helpers), scope)
        found = np.asarray(eval(op.source(names), scope))
        wanted = op.apply(*arrays)
    assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype)
    assert found.tobytes() == wanted.tobytes()


@given(calls())
def test_an_op_leaves_its_inputs_alone_and_does_not_hand_them_back(call):
    op, arrays, _ = call
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.flags.writeable = False
    result = op.apply(*arrays)
    assert not any(np.shares_memory(result, array) for array in arrays)
    assert all(array.tobytes() == kept.tobytes() for array, kept in zip(arrays, before, strict=True))


# --- averages ---


@given(tables(), tables(rows=st.integers(1, 3)))
def test_appending_tokens_leaves_every_bit_of_the_earlier_averages_as_it_was(x, more):
    width = min(x.shape[1], more.shape[1])
    x, more = x[:, :width], more[:, :width]
    longer = np.vstack([x, more])
    before = average.mix_in_order().apply(average.equal_weights().apply(x), x)
    after = average.mix_in_order().apply(average.equal_weights().apply(longer), longer)
    assert after[: len(x)].tobytes() == before.tobytes()


@given(tables())
def test_the_terms_of_an_average_are_added_in_the_order_of_the_tokens(x):
    weights = average.equal_weights().apply(x)
    output = average.mix_in_order().apply(weights, x)
    for index in np.ndindex(output.shape):
        terms = average.mix_in_order().terms((weights, x), ("weights", "x"), index)
        assert expression.evaluate(terms) == output[index]


@given(tables())
def test_an_average_is_now_what_it_was_when_its_token_was_the_newest(x):
    now = average.mix_in_order().apply(average.equal_weights(True).apply(x), x)
    assert average.mix_on_arrival().apply(x).tobytes() == now.tobytes()


def test_without_the_mask_an_earlier_average_is_another_one_when_its_token_was_the_newest():
    x = np.array(lesson.VECTORS)
    now = average.mix_in_order().apply(average.equal_weights(False).apply(x), x)
    assert now.tolist() == [[1.0, 0.5]] * 4
    assert abs(now - average.mix_on_arrival().apply(x)).max() == 0.5


def test_equal_weights_are_one_over_the_count_of_what_may_be_looked_at():
    x = np.zeros((3, 2))
    assert average.equal_weights().apply(x).tolist() == [[1, 0, 0], [1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3]]
    assert average.equal_weights(False).apply(x).tolist() == [[1 / 3] * 3] * 3
    assert average.equal_weights().terms((x,), ("x",), (0, 2)) == Number(0.0, "0, because it comes later")


# --- one token asks ---


def test_the_last_of_the_four_vectors_looks_at_itself_most():
    x = np.array(lesson.VECTORS)
    scores = asking.scores_of().apply(x, np.asarray(3.0))
    weights = attention.softmax().apply(scores)
    assert scores.tolist() == [2, 0, 2, 4]
    assert weights.round(3).tolist() == [0.105, 0.014, 0.105, 0.776]
    assert attention.mix().apply(weights, x).round(3).tolist() == [1.762, 0.119]


def test_whoever_asks_does_not_see_what_comes_later():
    x = np.array(lesson.VECTORS)
    scores = asking.scores_of().apply(x, np.asarray(1.0))
    assert scores.tolist() == [0, 1, -math.inf, -math.inf]
    assert attention.softmax().apply(scores)[2:].tolist() == [0, 0]
    assert asking.temperature().apply(scores, np.asarray(0.5)).tolist() == [0, 2, -math.inf, -math.inf]


@given(tables(columns=st.just(2)), st.integers(0, 5), st.floats(0.1, 10))
def test_a_blend_with_shares_never_leaves_the_hull_of_what_it_blends(x, asks, amount):
    asks = min(asks, len(x) - 1)
    scores = asking.temperature().apply(asking.scores_of().apply(x, np.asarray(float(asks))), np.asarray(amount))
    output = attention.mix().apply(attention.softmax().apply(scores), x)
    for angle in np.linspace(0, 2 * math.pi, 24):
        direction = np.array([math.cos(angle), math.sin(angle)])
        assert output @ direction <= (x[: asks + 1] @ direction).max() + 1e-9


# --- words ---


def test_a_blend_keeps_the_share_that_is_not_given_away():
    table = np.stack([lesson.EMBEDDINGS[word] for word in ("river", "money", "bank")])
    blend = embedding.blend([(2, 0), (2, 1)])
    assert blend.apply(table, np.asarray(0.0)).tolist() == [table[2].tolist()] * 2
    assert blend.apply(table, np.asarray(100.0)).tolist() == table[:2].tolist()
    assert blend.apply(table, np.asarray(50.0)) == pytest.approx(np.array([[0.6, 0.15, 0.6], [0.15, 0.6, 0.5]]))


def test_cosines_are_those_of_the_core():
    rng = np.random.default_rng(1)
    left, right = rng.standard_normal((3, 4)), rng.standard_normal((2, 4))
    found = similarity.cosines((2, 0), None).apply(left, right)
    assert found.tolist() == [[cosine(left[i], right[j]).value for j in (0, 1)] for i in (2, 0)]


def test_what_has_no_direction_has_a_cosine_of_0_and_says_so():
    left, right = np.zeros((1, 2)), np.ones((1, 2))
    assert similarity.cosines().apply(left, right).tolist() == [[0.0]]
    assert similarity.cosines().terms((left, right), ("a", "b"), (0, 0)) == Number(0.0, "0")


def test_a_cosine_is_told_with_its_dot_product_and_both_lengths():
    arrays = np.array([[3.0, 4.0]]), np.array([[4.0, 3.0]])
    terms = similarity.cosines().terms(arrays, ("a", "b"), (0, 0))
    shown = [terms.operands[0], *terms.operands[1].operands[0].operands]
    assert [(one.label, expression.evaluate(one)) for one in shown] == [
        ("a·b = ", 24.0),
        ("a·a = ", 25.0),
        ("b·b = ", 25.0),
    ]
