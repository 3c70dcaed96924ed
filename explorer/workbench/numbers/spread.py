"""Example 5: how the spread of scores grows with the head size, and what softmax makes of it."""

from __future__ import annotations

from explorer.core import lesson
from explorer.core.javarandom import JavaRandom
from explorer.core.scaling import HeadSizeResult, measure
from explorer.workbench.javaformat import fixed
from explorer.workbench.numbers.report import Example, Group, build

_COLUMNS = ("d_head", "std of q.k", "sqrt(d_head)", "largest weight, unscaled", "largest weight, scaled")
_STEPS_PER_ATTEMPT = 4


def scaling() -> Example:
    """Compute Example 5 from its thirteen million gaussians."""
    sizes = lesson.SCALING
    random = JavaRandom(sizes.seed)
    measured = measure(sizes.head_sizes, sizes.pairs, sizes.trials, sizes.keys, random=random)
    end = measured[-1].after_trials
    outputs = {
        "std": [one.std for one in measured],
        "sqrt_d": [one.sqrt_d for one in measured],
        "maxRaw": [one.concentrations["none"].mean_largest for one in measured],
        "maxScaled": [one.concentrations["sqrt_d_head"].mean_largest for one in measured],
        "total_gaussians": end.gaussians,
        "total_lcg_steps": end.steps,
        "total_polar_trials": end.steps // _STEPS_PER_ATTEMPT,
        "last_gaussian": end.last,
        "second_last_gaussian": end.second_last,
        "final_lcg_state": end.state,
        "next_int_after_the_end": random.next_int(),
    }
    return build(
        5,
        {
            "seed": sizes.seed,
            "dims": list(sizes.head_sizes),
            "pairs": sizes.pairs,
            "trials": sizes.trials,
            "keys": sizes.keys,
        },
        {f"d{one.d_head}": _details(one) for one in measured},
        outputs,
        ["   ".join(_COLUMNS), *(_line(one) for one in measured)],
    )


def _details(one: HeadSizeResult) -> Group:
    raw, scaled = one.concentrations["none"], one.concentrations["sqrt_d_head"]
    return {
        "d_head": one.d_head,
        "sumSq": one.sum_of_squares,
        "std": one.std,
        "sqrt_d": one.sqrt_d,
        "maxRaw_sum": raw.sum_of_largest,
        "maxScaled_sum": scaled.sum_of_largest,
        "gaussians_after_pairs": one.after_pairs.gaussians,
        "last_gaussian_after_pairs": one.after_pairs.last,
        "gaussians_after_trials": one.after_trials.gaussians,
        "last_gaussian_after_trials": one.after_trials.last,
        "lcg_steps_after_trials": one.after_trials.steps,
        "lcg_state_after_trials": one.after_trials.state,
        "pair_dots": one.dots,
        "trial_scores": one.scores,
        "largest_raw": raw.largest,
        "largest_scaled": scaled.largest,
    }


def _line(one: HeadSizeResult) -> str:
    raw, scaled = one.concentrations["none"], one.concentrations["sqrt_d_head"]
    cells = [(one.std, 2), (one.sqrt_d, 2), (raw.mean_largest, 3), (scaled.mean_largest, 3)]
    first, *rest = _COLUMNS
    return "   ".join(
        [
            f"{one.d_head:{len(first)}d}",
            *(fixed(value, digits, len(column)) for (value, digits), column in zip(cells, rest, strict=True)),
        ]
    )
