"""The measurement of tab 5 as ops: the lesson's figures, and one arithmetic in three faces."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import lesson, scaling
from explorer.core.javarandom import JavaRandom
from explorer.core.ops import spread, spread_source
from explorer.core.strictlog import strict_log
from tests.core.op_faces import assert_faces_agree


def numbers(*values):
    return [np.asarray(float(value)) for value in values]


def column(sizes):
    return np.array(sizes, float)[:, None]


@pytest.fixture(scope="module")
def measured():
    """Return the lesson's draws, and everything that is read off them, by name."""
    sizes = lesson.SCALING
    head_sizes = column(sizes.head_sizes)
    pairs, trials, keys, seed, d_model = numbers(sizes.pairs, sizes.trials, sizes.keys, sizes.seed, 4096)
    drawn = spread.draws().apply(head_sizes, pairs, trials, keys, seed)
    rest = (drawn, head_sizes, pairs, keys, d_model)
    found = {"spread": spread.spread().apply(drawn, head_sizes, pairs), "largest": spread.largest().apply(*rest)}
    found["counts"] = spread.counts().apply(drawn, head_sizes, pairs)
    found["norms"] = spread.norms().apply(*rest)
    return {"draws": drawn, **found}


def test_the_lesson_s_figures(measured):
    assert measured["spread"][:, 0].round(2).tolist() == [2.00, 8.23, 31.67]
    assert measured["spread"][:, 1].tolist() == [2.0, 8.0, 32.0]
    assert measured["largest"][:, 0].round(3).tolist() == [0.576, 0.875, 0.965]
    assert measured["largest"][:, 1].round(3).tolist() == [0.369, 0.359, 0.358]


def test_they_are_those_of_the_core_s_measurement_to_the_last_bit(measured):
    sizes = lesson.SCALING
    known = scaling.measure(
        sizes.head_sizes, sizes.pairs, sizes.trials, sizes.keys, sizes.seed, divisors=spread.DIVISORS, d_model=4096
    )
    for row, one in enumerate(known):
        assert measured["spread"][row].tolist() == [one.std, one.sqrt_d]
        for at, name in enumerate(spread.DIVISORS):
            assert measured["largest"][row, at] == one.concentrations[name].mean_largest
            assert measured["norms"][row, at].tolist() == one.concentrations[name].jacobian.tolist()
    medians = spread.median().apply(measured["norms"])
    shares = spread.share_below(scaling.VANISHING).apply(measured["norms"])
    assert medians[2, 0] == known[2].concentrations["none"].jacobian_median == pytest.approx(3.1258363e-06)
    assert shares[2].tolist() == [0.694, 0, 0, 0]


def test_bars_hold_all_but_the_few_that_lie_beyond_them(measured):
    drawn, pairs = measured["draws"], lesson.SCALING.pairs
    for row, d in enumerate(lesson.SCALING.head_sizes):
        beyond = (np.abs(drawn[row, :pairs]) > spread.REACH * np.sqrt(d)).sum()
        assert measured["counts"][row].sum() == pairs - beyond
        assert beyond < pairs / 100


@settings(max_examples=50, deadline=None)
@given(st.lists(st.one_of(st.integers(-27, 27).map(lambda at: at / 6), st.floats(-5, 5)), min_size=1, max_size=40))
def test_bars_are_counted_as_numpy_does_to_the_very_edges(shares):
    head_sizes = column([4, 9])
    drawn = np.array(shares) * np.sqrt(head_sizes)
    counted = spread.counts().apply(drawn, head_sizes, np.asarray(float(len(shares))))
    limits = -spread.REACH, spread.REACH
    known = [np.histogram(row, spread.BARS, limits)[0].tolist() for row in drawn / np.sqrt(head_sizes)]
    assert counted.tolist() == known


@settings(max_examples=50, deadline=None)
@given(st.lists(st.floats(0, 1), min_size=1, max_size=9))
def test_the_median_is_numpy_s(values):
    assert spread.median().apply(np.array([values])) == np.median(values)


def test_progress_goes_from_little_to_all_and_cancelling_stops():
    arguments = (column([64, 256]), *numbers(500, 100, 8, 5))
    told = []
    drawn = spread.draws().apply(*arguments, progress=told.append, cancelled=lambda: False)
    assert told == sorted(told)
    assert told[-1] == 1
    with pytest.raises(scaling.Cancelled):
        spread.draws().apply(*arguments, cancelled=lambda: True)
    rest = (drawn, column([64, 256]), *numbers(500, 8, 4096))
    told.clear()
    spread.norms().apply(*rest, progress=told.append, cancelled=lambda: False)
    assert told[-1] == 1
    with pytest.raises(scaling.Cancelled):
        spread.norms().apply(*rest, cancelled=lambda: True)


@settings(max_examples=25, deadline=None)
@given(
    st.lists(st.integers(1, 40), min_size=1, max_size=3),
    st.integers(1, 30),
    st.integers(1, 6),
    st.integers(1, 5),
    st.integers(-(2**63), 2**63 - 1),
    st.integers(1, 5000),
)
def test_every_op_computes_explains_and_prints_the_same(sizes, pairs, trials, keys, seed, d_model):
    head_sizes, seed_array = column(sizes), np.asarray(seed)
    p, t, k, m = numbers(pairs, trials, keys, d_model)
    draws = (head_sizes, p, t, k, seed_array)
    assert_faces_agree(spread.draws(), draws, ("d", "pairs", "trials", "keys", "seed"), at_most=8)
    drawn = spread.draws().apply(*draws)
    assert drawn.shape == (len(sizes), pairs + trials * keys)
    assert_faces_agree(spread.spread(), (drawn, head_sizes, p), ("draws", "d", "pairs"))
    assert_faces_agree(spread.counts(), (drawn, head_sizes, p), ("draws", "d", "pairs"), at_most=8)
    rest, names = (drawn, head_sizes, p, k, m), ("draws", "d", "pairs", "keys", "d_model")
    assert_faces_agree(spread.largest(), rest, names)
    assert_faces_agree(spread.norms(), rest, names, at_most=8)
    found = spread.norms().apply(*rest)
    assert_faces_agree(spread.median(), (found,), ("norms",))
    assert_faces_agree(spread.share_below(0.3), (found,), ("norms",))


@pytest.fixture(scope="module")
def script():
    scope = {"np": np}
    exec(spread_source.DRAWS, scope)
    return scope


@pytest.mark.parametrize("seed", [0, 5, -1, 2**63 - 1, -(2**63), 123456789012345678])
def test_the_script_s_generator_is_java_s_to_the_last_bit(script, seed):
    blocks = script["java_gaussians"](seed)
    drawn = np.concatenate([next(blocks) for _ in range(3)])
    assert drawn.tobytes() == JavaRandom(seed).gaussians(drawn.size).tobytes()


def test_the_script_s_logarithm_is_strict_everywhere_between_0_and_1(script):
    rng = np.random.default_rng(3)
    x = np.concatenate(
        [rng.random(20000), 1 - rng.random(2000) * 1e-5, 1 - rng.random(200) * 1e-9, 2.0 ** -np.arange(1, 60)]
    )
    assert script["strict_log"](x).tobytes() == np.array([strict_log(float(one)) for one in x]).tobytes()
