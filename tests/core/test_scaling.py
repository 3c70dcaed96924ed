"""Example 5 for any sizes: the lesson's figures to the last bit, and what the measurement promises elsewhere."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import lesson, scaling
from explorer.core.checks import InputError
from explorer.core.javarandom import JavaRandom

GOLDEN = json.loads((Path(__file__).parents[1] / "goldens" / "example05.json").read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def lesson_s() -> tuple[scaling.HeadSizeResult, ...]:
    sizes = lesson.SCALING
    return scaling.measure(sizes.head_sizes, sizes.pairs, sizes.trials, sizes.keys, sizes.seed)


@pytest.mark.parametrize("which", [0, 1, 2])
def test_dot_products_have_the_bits_of_a_plain_loop(lesson_s: tuple[scaling.HeadSizeResult, ...], which: int) -> None:
    measured = lesson_s[which]
    golden = GOLDEN["intermediates"][f"d{measured.d_head}"]
    assert measured.dots.tolist() == golden["pair_dots"]
    assert measured.scores.tolist() == golden["trial_scores"]
    assert measured.sum_of_squares == golden["sumSq"]
    assert measured.std == golden["std"] == GOLDEN["outputs"]["std"][which]
    assert measured.after_pairs.last == golden["last_gaussian_after_pairs"]
    assert measured.after_trials.state == golden["lcg_state_after_trials"]
    assert measured.after_trials.steps == golden["lcg_steps_after_trials"]
    assert measured.after_trials.gaussians == golden["gaussians_after_trials"]


@pytest.mark.parametrize("which", [0, 1, 2])
def test_attention_weights_are_the_lesson_s(lesson_s: tuple[scaling.HeadSizeResult, ...], which: int) -> None:
    measured = lesson_s[which]
    golden = GOLDEN["intermediates"][f"d{measured.d_head}"]
    for name, key in (("none", "largest_raw"), ("sqrt_d_head", "largest_scaled")):
        np.testing.assert_allclose(measured.concentrations[name].largest, golden[key], rtol=0, atol=1e-14)
    assert measured.concentrations["none"].mean_largest == pytest.approx(GOLDEN["outputs"]["maxRaw"][which], abs=1e-13)


def test_the_stream_can_be_drawn_on_afterwards() -> None:
    random = JavaRandom(5)
    scaling.measure((4,), 2000, 500, random=random)
    assert random.state == GOLDEN["intermediates"]["d4"]["lcg_state_after_trials"]


def plain_loop(d: int, pairs: int, trials: int, keys: int, seed: int) -> tuple[list[float], list[float]]:
    java = JavaRandom(seed)

    def dot() -> float:
        total = 0.0
        for _ in range(d):
            first = java.next_gaussian()
            total += first * java.next_gaussian()
        return total

    return [dot() for _ in range(pairs)], [dot() for _ in range(trials * keys)]


@settings(max_examples=25, deadline=None)
@given(
    d=st.integers(1, 40),
    pairs=st.integers(1, 9),
    trials=st.integers(1, 5),
    keys=st.integers(1, 6),
    seed=st.integers(-(2**63), 2**63 - 1),
    chunk=st.sampled_from([2, 6, 50, 1 << 17]),
)
def test_any_sizes_in_any_chunks_equal_the_plain_loop(
    d: int, pairs: int, trials: int, keys: int, seed: int, chunk: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(scaling, "_CHUNK_GAUSSIANS", chunk)
        (measured,) = scaling.measure([d], pairs, trials, keys, seed)
    dots, scores = plain_loop(d, pairs, trials, keys, seed)
    assert measured.dots.tolist() == dots
    assert measured.scores.ravel().tolist() == scores


def test_the_four_divisors() -> None:
    (measured,) = scaling.measure(
        [64], 10, 200, divisors=("none", "sqrt_d_head", "d_head", "sqrt_d_model"), d_model=1024
    )
    by_name = measured.concentrations
    assert {name: c.divisor for name, c in by_name.items()} == {
        "none": 1.0,
        "sqrt_d_head": 8.0,
        "d_head": 64.0,
        "sqrt_d_model": 32.0,
    }
    means = [by_name[name].mean_largest for name in ("d_head", "sqrt_d_model", "sqrt_d_head", "none")]
    assert means == sorted(means)
    assert all(1 / 8 <= mean <= 1 for mean in means)


def test_without_division_gradients_vanish_and_with_it_they_do_not(
    lesson_s: tuple[scaling.HeadSizeResult, ...],
) -> None:
    widest = lesson_s[-1].concentrations
    assert widest["none"].vanishing_share > 0.5
    assert widest["none"].jacobian_median < scaling.VANISHING
    assert widest["sqrt_d_head"].vanishing_share == 0.0
    assert widest["sqrt_d_head"].jacobian_median > 0.1


def test_the_jacobian_s_norm_is_that_of_differences_of_softmax() -> None:
    scores = np.random.default_rng(0).normal(size=6)

    def softmax(s: np.ndarray) -> np.ndarray:
        e = np.exp(s - s.max())
        return e / e.sum()

    step = 1e-6
    columns = [(softmax(scores + step * unit) - softmax(scores - step * unit)) / (2 * step) for unit in np.eye(6)]
    assert scaling.softmax_jacobian_norm(softmax(scores)) == pytest.approx(np.linalg.norm(columns), rel=1e-8)


def test_the_jacobian_of_nearly_one_hot_weights_keeps_its_digits() -> None:
    tiny = 1e-12
    weights = np.array([[1 - tiny, tiny], [1.0, 0.0], [0.5, 0.5]])
    assert scaling.softmax_jacobian_norm(weights) == pytest.approx([2 * tiny, 0.0, 0.5], rel=1e-4)


def test_progress_ends_at_the_whole() -> None:
    shares: list[float] = []
    scaling.measure((64, 1024), 100, 20, progress=shares.append)
    assert shares == sorted(shares)
    assert len(shares) >= 4
    assert shares[-1] == 1.0


def test_cancelling_stops_at_the_next_chunk() -> None:
    shares: list[float] = []
    with pytest.raises(scaling.Cancelled):
        scaling.measure((1024,), 2000, 500, progress=shares.append, cancelled=lambda: len(shares) == 3)
    assert len(shares) == 3


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"head_sizes": [0]}, "head_sizes is 0; it must be at least 1"),
        ({"pairs": 0}, "pairs is 0"),
        ({"keys": 0}, "keys is 0"),
        ({"divisors": ["d"]}, "divisor 'd' is not known; it may be none, sqrt_d_head, d_head or sqrt_d_model"),
        ({"divisors": ["sqrt_d_model"]}, "needs d_model"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments: dict, sentence: str) -> None:
    with pytest.raises(InputError, match=sentence):
        scaling.measure(**{"head_sizes": [4], "pairs": 5, "trials": 5} | arguments)


def test_the_measured_spread_follows_the_root_for_other_seeds_and_sizes() -> None:
    for d in (1, 7, 200):
        (measured,) = scaling.measure([d], 4000, 1, seed=d)
        # The fourth moment of q·k gives the standard error of the mean square.
        error = math.sqrt((2 + 6 / d) / 4000) / 2
        assert measured.std / measured.sqrt_d == pytest.approx(1.0, abs=5 * error)
