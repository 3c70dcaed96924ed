"""Ops of a model's figures: they compute core's numbers, explain them, and print NumPy that gives the same bits."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.core import cache_types, cost, cost_explain, cost_figures
from explorer.core.cost_model import Architecture, CacheOptions, Indexer, Layer, Parameters, State
from explorer.core.expression import Operation, Result, evaluate
from explorer.core.ops import figures
from explorer.core.ops.base import Op

LESSON = Architecture(
    "8B", (Layer("full", 32, 8, 128, 128),) * 32, d_model=4096,
    parameters=Parameters(unsorted=8_000_000_000, unsorted_active=8_000_000_000),
)  # fmt: skip
WINDOWED = Architecture(
    "windowed", (Layer("window", 16, 8, 256, 256, window=1024),) * 5 + (Layer("full", 16, 8, 256, 256),), d_model=3840,
    parameters=Parameters(embedding=1000, projections=200_000, ffn=900_000, ffn_active=300_000, head=1000, tied=True),
)  # fmt: skip
SPARSE = Architecture(
    "sparse",
    (
        Layer("latent", 128, 128, 192, 128, latent=512, rope=64, indexer=Indexer(64, 128, 2048)),
        Layer("constant", states=(State("state", 4096, 128), State("index keys", 128, 1, 0, every=4))),
    ),
    parameters=Parameters(projections=10**9, ffn=10**11, ffn_active=10**10, head=10**8),
)
UNKNOWN = Architecture("unknown", LESSON.layers, unknown=(("params", "Not given."), ("weight_flops", "Not given.")))
MODELS = [LESSON, WINDOWED, SPARSE]
CONTEXTS = (1, 777, 8192, 131_072, 10_000_000)


def asked(model: Architecture, **options: object) -> figures.Asked:
    chosen = {key: options.pop(key) for key in ("pairs", "head") if key in options}
    return figures.Asked(model, CacheOptions.choose(**options), **chosen)


ASKED = [
    asked(model, **options)
    for model in MODELS
    for options in (
        {},
        {"cache_type": "q8_0", "cache_type_v": "q4_0", "batch": 3},
        {"rounding": "llama.cpp", "batch": 2, "unified": True},
        {"rounding": "vllm", "pairs": "square", "head": "last"},
        {"expand_latent": True},
    )
]


def source_of(op: Op, read: np.ndarray) -> np.ndarray:
    names = {"np": np, "read": read}
    exec("\n".join(op.helpers), names)
    return eval(op.source(["read"]), names)


def single_ops(question: figures.Asked) -> list[Op | None]:
    crossings = [figures.crossing(question, name) for name in ("prefill", "decode", "bytes read in decode")]
    weights = [figures.stored_bytes(question), figures.stored_bytes(question, read=True)]
    return [*crossings, *weights]


@pytest.mark.parametrize("question", ASKED)
@pytest.mark.parametrize("figure", cost_explain.FIGURES)
def test_a_figure_is_cores_its_terms_give_it_and_its_source_gives_the_same_bits(
    question: figures.Asked, figure: str
) -> None:
    op = figures.figure(question, figure, CONTEXTS)
    assert op is not None
    read = np.array(CONTEXTS, float)
    found = op.apply(read)
    assert [float(question.value(figure, n) or 0) for n in CONTEXTS] == found.tolist()
    assert source_of(op, read).tobytes() == found.tobytes()
    for at, value in enumerate(found.tolist()):
        assert evaluate(op.terms([read], ["read"], (at,))) == pytest.approx(value, rel=1e-12)


@pytest.mark.parametrize("question", ASKED)
def test_numbers_of_the_model_alone_explain_themselves_likewise(question: figures.Asked) -> None:
    read = np.array(5.0)
    for op in filter(None, single_ops(question)):
        found = op.apply(read)
        assert found.shape == ()
        assert source_of(op, read).tobytes() == found.tobytes()
        assert evaluate(op.terms([read], ["read"], ())) == pytest.approx(float(found), rel=1e-12)


def test_the_lessons_crossings_are_its_unrounded_solutions() -> None:
    question = asked(LESSON)
    prefill, decode = figures.crossing(question, "prefill"), figures.crossing(question, "decode")
    assert prefill is not None
    assert decode is not None
    assert float(prefill.apply(np.array(1.0))) == 61034.15625
    assert float(decode.apply(np.array(1.0))) == 30517.578125


def test_with_square_pairs_prefill_crosses_where_decode_does() -> None:
    question = asked(LESSON, pairs="square")
    prefill = figures.crossing(question, "prefill")
    assert prefill is not None
    assert float(prefill.apply(np.array(1.0))) == 30517.578125


def test_a_crossing_is_where_the_counted_curves_meet() -> None:
    for question in ASKED:
        found = question.crossings.get("prefill")
        if found is None or found.at is None:
            continue
        attention = [question.value("prefill_attention_flops", n) or 0 for n in (found.at - 1, found.at)]
        matrices = [question.value("prefill_weight_flops", n) or 0 for n in (found.at - 1, found.at)]
        assert attention[0] < matrices[0]
        assert attention[1] >= matrices[1]


def test_windows_that_are_all_full_never_reach_the_matrices() -> None:
    narrow = replace(WINDOWED, layers=(WINDOWED.layers[0],) * 2, parameters=Parameters(ffn=10**12, ffn_active=10**12))
    assert figures.crossing(asked(narrow), "decode") is None
    assert asked(narrow).crossings["decode"].at is None


def test_a_figure_that_is_not_known_has_no_op_and_a_sentence() -> None:
    question = asked(UNKNOWN)
    assert figures.figure(question, "params", (1,)) is None
    assert figures.figure(question, "prefill_weight_flops", (1,)) is None
    assert figures.figure(question, "kv_bytes", (1,)) is not None
    assert figures.crossing(question, "prefill") is None
    assert figures.stored_bytes(question) is None
    assert question.why_unknown("params") == "Not given."
    assert question.why_unknown("kv_bytes") == ""


def test_every_kind_of_layer_is_a_line_of_its_own_and_many_kinds_share_one() -> None:
    op = figures.figure(asked(WINDOWED), "kv_bytes", (4096,))
    assert op is not None
    terms = op.terms([np.array(4096.0)], ["context"], ())
    assert isinstance(terms, Operation)
    labels = [part.label for part in terms.operands if isinstance(part, Result)]
    assert labels == ["5 × window 1,024: ", "1 × full attention: "]
    many = replace(LESSON, layers=tuple(Layer("full", heads, 1, 8, 8) for heads in range(1, 20)))
    opened = figures.figure(asked(many), "decode_attention_flops", (10,))
    assert opened is not None
    parts = opened.terms([np.array(10.0)], ["context"], ())
    assert isinstance(parts, Operation)
    assert len(parts.operands) == figures.MOST_LINES + 1
    last = parts.operands[-1]
    assert isinstance(last, Result)
    assert last.label == "14 more kinds: "
    assert evaluate(parts) == float(opened.apply(np.array(10.0)))


BUDGETS = [8 * cost.GIB, 16 * cost.GIB, 24 * cost.GIB, 141 * cost.GB]


@pytest.mark.parametrize("question", ASKED)
def test_a_memory_is_full_at_the_longest_context_that_fits(question: figures.Asked) -> None:
    op = figures.longest_contexts(question, BUDGETS)
    assert op is not None
    found = op.apply(np.array(1.0))
    assert source_of(op, np.array(1.0)).tobytes() == found.tobytes()
    for at, budget in enumerate(BUDGETS):
        fits = cost_figures.longest_context(question.architecture, budget, question.options, question.weight_type)
        assert math.floor(found[at]) == (fits.context or 0)
        assert evaluate(op.terms([np.array(1.0)], ["n"], (at,))) == pytest.approx(float(found[at]), rel=1e-12)


def test_no_context_is_claimed_where_a_cache_stops_growing() -> None:
    still = replace(SPARSE, layers=(Layer("constant", states=(State("state", 10, 10),)),))
    small = replace(still, parameters=Parameters(ffn=10**6, ffn_active=10**6))
    assert figures.longest_contexts(asked(small), BUDGETS) is None
    assert figures.longest_contexts(asked(UNKNOWN), BUDGETS) is None


@given(
    kinds=st.lists(
        st.builds(
            Layer,
            kind=st.sampled_from(["full", "window"]),
            n_head=st.just(8),
            n_head_kv=st.sampled_from([1, 2, 4, 8]),
            d_k=st.sampled_from([32, 64]),
            d_v=st.sampled_from([32, 64]),
            window=st.sampled_from([None, 16, 1000]),
        ).map(lambda layer: replace(layer, window=(layer.window or 7) if layer.kind == "window" else None)),
        min_size=1,
        max_size=4,
    ),
    rounding=st.sampled_from(["none", "llama.cpp", "vllm"]),
    batch=st.integers(1, 4),
    room=st.integers(1, 2**36),
)
@settings(max_examples=150)
def test_the_longest_context_fits_and_one_more_token_does_not(kinds, rounding, batch, room) -> None:
    model = Architecture("any", tuple(kinds), parameters=Parameters(ffn=1000, ffn_active=1000))
    options = CacheOptions.choose(rounding=rounding, batch=batch)
    kind = cache_types.CACHE_TYPES["bf16"]
    found = cost_figures.longest_context(model, 2000 + room, options, kind)

    def kept(n: int) -> int:
        return cost_figures.cache_bytes(model, n, options) or 0

    if found.fits == "never":
        assert kept(1) > room
    elif found.fits == "always":
        assert kept(2**45) <= room
    else:
        assert found.context is not None
        assert kept(found.context) <= room < kept(found.context + 1)


@pytest.mark.parametrize("new", [1, 2, 512])
@pytest.mark.parametrize("head", ["all", "last"])
def test_a_generation_is_its_prompt_and_its_decode_steps(new: int, head: str) -> None:
    question = asked(WINDOWED, head=head, batch=2)
    prompt = 1500
    for attention in (True, False):
        op = figures.generation(question, new, attention=attention, prompt=prompt)
        assert op is not None
        figure = "attention" if attention else "weight"
        steps = [question.value(f"decode_{figure}_flops", prompt + step) or 0 for step in range(1, new)]
        whole = (question.value(f"prefill_{figure}_flops", prompt) or 0) + sum(steps)
        read = np.array(float(prompt))
        assert float(op.apply(read)) == whole
        assert source_of(op, read).tobytes() == op.apply(read).tobytes()
        assert evaluate(op.terms([read], ["prompt"], ())) == pytest.approx(whole, rel=1e-12)


def test_sums_and_ratios_are_taken_cell_by_cell() -> None:
    a, b, c = np.array([1.0, 2.0]), np.array([3.0, 0.0]), np.array([2.0, 0.0])
    assert figures.add().apply(a, b).tolist() == [4.0, 2.0]
    ratio = figures.ratio(2)
    assert ratio.apply(a, b, c).tolist() == [2.0, 0.0]
    assert evaluate(ratio.terms([a, b, c], ["a", "b", "c"], (0,))) == 2.0
    assert eval(ratio.source(["a", "b", "c"]), {"np": np, "a": a, "b": b, "c": c}).tolist() == [2.0, 0.0]
