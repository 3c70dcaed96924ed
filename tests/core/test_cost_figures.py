"""Figures of whole models: generations, budgets, crossings, rooflines, curves, and the formulas behind them."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core import cache_types, cost, cost_figures
from explorer.core.checks import InputError
from explorer.core.cost_curves import context_axis, curves
from explorer.core.cost_explain import FIGURES, TOTAL, explain
from explorer.core.cost_figures import Machine
from explorer.core.cost_model import Architecture, CacheOptions, Indexer, Layer, Parameters, State

PLAIN = CacheOptions()
BF16 = cache_types.cache_type("bf16")
EIGHT_B = Architecture(
    "8B",
    (Layer("full", 32, 8, 128, 128),) * 32,
    d_model=4096,
    parameters=Parameters(unsorted=8_000_000_000, unsorted_active=8_000_000_000),
)
MIXED = Architecture(
    "of every kind",
    (
        Layer("full", 16, 4, 64, 32),
        Layer("full", 16, 4, 64, 32),
        Layer("window", 16, 2, 64, 64, window=300),
        Layer("window", 16, 2, 64, 64, window=128, chunked=True),
        Layer(
            "latent", 16, 16, 48, 32, latent=64, rope=16, indexer=Indexer(4, 8, 50), states=(State("i", 8, 1, 0, 1),)
        ),
        Layer("constant", states=(State("c", 100, 4, 2), State("r", 1000))),
        Layer("shared", 16, 2, 64, 64, window=300),
        Layer("window", 16, 1, 64, 64, window=32, states=(State("k", 64, 1, 0, 4),)),
    ),
    d_model=1024,
    parameters=Parameters(
        embedding=50_000, projections=40_000, mixers=7_000, ffn=900_000, ffn_active=90_000, head=50_000, vectors=999
    ),
)


# ------------------------------------------------------------------------------------------------------- generation


def test_a_generation_is_its_prompt_and_the_steps_that_follow():
    prompt, new = 1000, 37
    whole = cost_figures.generation_work(MIXED, prompt, new)
    steps = [cost_figures.decode_work(MIXED, prompt + i) for i in range(1, new)]
    first = cost_figures.prefill_work(MIXED, prompt)
    assert whole.ffn == (first.ffn or 0) + sum(step.ffn or 0 for step in steps)
    plain = Architecture("plain", (Layer("full", 4, 2, 8, 8), Layer("window", 4, 2, 8, 8, window=100)))
    total = cost_figures.generation_work(plain, prompt, new).attention
    first_flops = cost_figures.prefill_attention_flops(plain, prompt) or 0
    assert total == first_flops + sum(
        cost_figures.decode_attention_flops(plain, prompt + i) or 0 for i in range(1, new)
    )


def test_the_head_runs_for_all_tokens_or_for_those_that_are_read():
    all_tokens = cost_figures.prefill_work(MIXED, 1000)
    last = cost_figures.prefill_work(MIXED, 1000, head="last")
    assert (all_tokens.head, last.head) == (2 * 50_000 * 1000, 2 * 50_000)
    assert (
        cost_figures.prefill_weight_flops(MIXED, 1000, head="last")
        == last.projections + last.mixers + last.ffn + last.head
    )
    assert cost_figures.generation_work(MIXED, 1000, 5, head="last").head == 2 * 50_000 * 5


# ---------------------------------------------------------------------------------------------- budgets, crossings


@pytest.mark.parametrize("budget", [17 * cost.GIB, 24 * cost.GIB, 80 * cost.GIB, 141 * cost.GB])
def test_the_longest_context_fits_and_one_token_more_does_not(budget):
    found = cost_figures.longest_context(EIGHT_B, budget, PLAIN, BF16)
    room = budget - 16_000_000_000
    assert found.fits == "up to"
    assert cost_figures.cache_bytes(EIGHT_B, found.context, PLAIN) <= room
    assert cost_figures.cache_bytes(EIGHT_B, found.context + 1, PLAIN) > room


def test_a_budget_may_be_never_full_or_full_from_the_start():
    assert cost_figures.longest_context(EIGHT_B, 8 * cost.GIB, PLAIN, BF16).fits == "never"
    windows = Architecture("w", (Layer("window", 8, 8, 64, 64, window=512),) * 4, parameters=Parameters(unsorted=10))
    assert cost_figures.longest_context(windows, cost.GIB, PLAIN, BF16).fits == "always"
    unknown = Architecture("u", (Layer("full", 8, 8, 64, 64),))
    assert cost_figures.longest_context(unknown, cost.GIB, PLAIN, BF16).fits == "unknown"


def test_crossings_of_the_lesson_s_shape():
    prefill, decode, read = cost_figures.crossings(EIGHT_B, PLAIN, BF16)
    assert (prefill.at, prefill.exact) == (61_035, 61_034.15625)
    assert (decode.at, decode.exact) == (30_518, 30_517.578125)
    assert read.at == -(-16_000_000_000 // 131_072)


def test_curves_that_never_meet_have_no_crossing():
    windows = Architecture(
        "w", (Layer("window", 1, 1, 8, 8, window=4),), parameters=Parameters(unsorted=10**6, unsorted_active=10**6)
    )
    assert [crossing.at for crossing in cost_figures.crossings(windows, PLAIN, BF16)] == [None, None, None]


def test_a_crossing_with_windows_is_the_first_whole_context_that_reaches_it():
    for crossing in cost_figures.crossings(MIXED, PLAIN, BF16):
        assert crossing.exact is None
    prefill = cost_figures.crossings(MIXED, PLAIN, BF16)[0].at
    step = cost_figures.decode_weight_flops(MIXED)
    assert cost_figures.prefill_attention_flops(MIXED, prefill) >= step * prefill
    assert cost_figures.prefill_attention_flops(MIXED, prefill - 1) < step * (prefill - 1)


# ---------------------------------------------------------------------------------------------------------- roofline


def test_decode_attention_stands_at_the_query_heads_per_kv_head():
    machine = Machine(bandwidth=1e12, flop_rate=100e12)
    points = {point.name: point for point in cost_figures.roofline(EIGHT_B, 8192, PLAIN, BF16, machine)}
    assert points["decode attention"].intensity == 4.0
    assert cost_figures.decode_attention_intensity(EIGHT_B, 8192, PLAIN) == 4.0
    assert points["decode attention"].rate == 4e12
    assert points["decode attention"].bound == points["decode step"].bound == "bandwidth"
    assert points["prefill"].bound == "FLOP rate"
    assert points["prefill"].rate == machine.flop_rate
    assert machine.ridge == 100.0


def test_a_batch_reads_the_weights_once():
    one = cost_figures.decode_bytes_read(EIGHT_B, 100, PLAIN, BF16)
    four = cost_figures.decode_bytes_read(EIGHT_B, 100, CacheOptions(batch=4), BF16)
    assert four - one == 3 * 100 * 131_072


def test_stored_weight_bytes_win_over_a_guess_from_the_type():
    stored = Architecture("q", EIGHT_B.layers, parameters=EIGHT_B.parameters, weight_bytes=4_500_000_000)
    assert cost_figures.weight_bytes(stored, BF16) == cost_figures.decode_weight_bytes(stored, BF16) == 4_500_000_000


# ------------------------------------------------------------------------------------------------------------ curves

OPTIONS = st.builds(
    CacheOptions,
    type_k=st.sampled_from(list(cache_types.CACHE_TYPES.values())),
    type_v=st.sampled_from(list(cache_types.CACHE_TYPES.values())),
    batch=st.integers(1, 5),
    rounding=st.sampled_from(["none", "llama.cpp", "vllm"]),
)


@given(options=OPTIONS, square=st.booleans(), last=st.booleans(), generates=st.booleans())
def test_curves_are_the_exact_figures_at_every_context(options, square, last, generates):
    architecture = Architecture(MIXED.name, MIXED.layers, parameters=MIXED.parameters, generates=generates)
    pairs, head = "square" if square else "causal", "last" if last else "all"
    contexts = np.array([1, 2, 31, 127, 128, 129, 257, 300, 4096, 100_003, 10_000_000], dtype=np.float64)
    drawn = curves(architecture, contexts, options, BF16, pairs=pairs, head=head)
    batch = options.batch
    for i, n in enumerate(int(context) for context in contexts):
        exact = {
            "kv_bytes": cost_figures.kv_bytes(architecture, n, options),
            "state_bytes": cost_figures.state_bytes(architecture, n, options),
            "cache_bytes": cost_figures.cache_bytes(architecture, n, options),
            "prefill_attention": cost_figures.prefill_attention_flops(architecture, n, pairs=pairs, batch=batch),
            "prefill_weights": cost_figures.prefill_weight_flops(architecture, n, head=head, batch=batch),
            "decode_attention": cost_figures.decode_attention_flops(architecture, n, pairs=pairs, batch=batch),
            "decode_weights": cost_figures.decode_weight_flops(architecture, batch=batch),
            "decode_bytes": cost_figures.decode_bytes_read(architecture, n, options, BF16),
            **cost_figures.growth(architecture, n, options),
        }
        for name, value in exact.items():
            curve = getattr(drawn, name)
            assert (curve is None) == (value is None), name
            if value is not None:
                assert curve[i] == pytest.approx(value, rel=1e-12), f"{name} at {n}"


def test_what_is_not_known_has_no_curve():
    unknown = Architecture("u", MIXED.layers, unknown=(("attention_flops", "why"), ("state_bytes", "why")))
    drawn = curves(unknown, context_axis(8), PLAIN, BF16)
    assert drawn.kv_bytes is not None
    for name in (
        "state_bytes",
        "cache_bytes",
        "prefill_attention",
        "decode_attention",
        "prefill_weights",
        "decode_bytes",
    ):
        assert getattr(drawn, name) is None


@pytest.mark.parametrize("logarithmic", [True, False])
def test_the_axis_runs_from_one_token_to_ten_million_in_whole_tokens(logarithmic):
    axis = context_axis(512, logarithmic=logarithmic)
    assert (axis[0], axis[-1], axis.shape) == (1, 10_000_000, (512,))
    assert (axis == np.rint(axis)).all()
    assert (np.diff(axis) >= 0).all()


# ---------------------------------------------------------------------------------------------------------- formulas


def value_of(formula: str) -> int:
    """Compute what a formula says, read as a person reads it."""
    assert re.fullmatch(r"[0-9 ,×+−/()]*", formula), formula
    plain = formula.replace(",", "").replace("×", "*").replace("−", "-")
    answer = eval(
        re.sub(r"(\d+)", r"Fraction(\1)", plain), {"__builtins__": {}, "Fraction": __import__("fractions").Fraction}
    )
    assert answer.denominator == 1
    return int(answer)


FIGURE_VALUES = {
    "params": lambda a, n, o, **k: a.parameters.total,
    "params_active": lambda a, n, o, **k: a.parameters.active,
    "kv_bytes_per_token": lambda a, n, o, **k: cost_figures.kv_bytes_per_token(a, o),
    "kv_bytes": lambda a, n, o, **k: cost_figures.kv_bytes(a, n, o),
    "state_bytes": lambda a, n, o, **k: cost_figures.state_bytes(a, n, o),
    "cache_bytes": lambda a, n, o, **k: cost_figures.cache_bytes(a, n, o),
    "prefill_attention_flops": lambda a, n, o, pairs, head: cost_figures.prefill_attention_flops(
        a, n, pairs=pairs, batch=o.batch
    ),
    "decode_attention_flops": lambda a, n, o, pairs, head: cost_figures.decode_attention_flops(
        a, n, pairs=pairs, batch=o.batch
    ),
    "prefill_weight_flops": lambda a, n, o, pairs, head: cost_figures.prefill_weight_flops(
        a, n, head=head, batch=o.batch
    ),
    "decode_weight_flops": lambda a, n, o, **k: cost_figures.decode_weight_flops(a, batch=o.batch),
}


@pytest.mark.parametrize("figure", FIGURES)
@given(
    n=st.integers(1, 5000), options=OPTIONS, square=st.booleans(), last=st.booleans(),
    expand=st.booleans(), architecture=st.sampled_from([EIGHT_B, MIXED]),
)  # fmt: skip
def test_every_term_of_every_formula_computes_to_its_value_and_the_terms_to_the_figure(
    figure, n, options, square, last, expand, architecture
):
    options = CacheOptions(options.type_k, options.type_v, options.batch, options.rounding, expand_latent=expand)
    choices = {"pairs": "square" if square else "causal", "head": "last" if last else "all"}
    lines = explain(architecture, figure, n, options, **choices)
    for line in lines:
        assert value_of(line.formula) == line.value, line
    assert lines[-1].label == TOTAL
    assert lines[-1].value == FIGURE_VALUES[figure](architecture, n, options, **choices)


def test_a_figure_that_is_not_known_opens_into_the_reason():
    (line,) = explain(Architecture("u", EIGHT_B.layers, unknown=(("params", "no sizes"),)), "params", 10, PLAIN)
    assert (line.formula, line.value) == ("no sizes", None)
    (line,) = explain(Architecture("e", EIGHT_B.layers, generates=False), "decode_attention_flops", 10, PLAIN)
    assert line.value is None


def test_a_figure_that_does_not_exist_is_refused():
    with pytest.raises(InputError, match="figure 'watts' is not known; it may be params"):
        explain(EIGHT_B, "watts", 10, PLAIN)


def test_the_lesson_s_formula_is_readable():
    first, total = explain(EIGHT_B, "kv_bytes", 8192, PLAIN)
    assert (first.label, first.formula) == ("32 × full attention", "32 × 8 × (128 × 2 + 128 × 2) × 8,192")
    assert total.value == cost.GIB
