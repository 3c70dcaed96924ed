"""The expressions of lessons: what they compute, what they refuse, and that they cannot escape, hang or raise."""

import math
import time

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from explorer.core.attention import attend
from explorer.workbench.expression_errors import ExpressionError, MissingError
from explorer.workbench.predicates import LONGEST_TEXT, check, evaluate, parse
from explorer.workbench.vocabulary import FUNCTIONS

WEIGHTS = np.array([[1, 0, 0], [0.5, 0.5, 0], [0.2, 0.3, 0.5]])
NAMES = {
    "weights": WEIGHTS,
    "masked": np.array([[1, -np.inf], [2, 3]]),
    "allowed": np.tri(3, dtype=bool),
    "whole": np.arange(6).reshape(2, 3),
    "heads": np.arange(24, dtype=float).reshape(2, 3, 4),
    "rule": "after",
    "n": 3,
    "share": 50.0,
    "on": True,
    "count": np.int64(7),
}


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1 + 2 * 3 ** 2 - 4 / 2", 17),
        ("7 // 2 + 7 % 4", 6),
        ("-2 ** 2", -4),
        ("weights[2, 1]", 0.3),
        ("weights[-1, -1]", 0.5),
        ("weights[n - 1][0]", 0.2),
        ("sum(weights[2, :2])", 0.5),
        ("heads[1, 2, 3]", 23),
        ("whole[1, 0]", 3),
        ("count", 7),
        ("len(weights)", 3),
        ("max(1, 3, 2) - min(1, 3, 2)", 2),
        ("max(abs(weights - transpose(weights)))", 0.5),
        ("sqrt(16) + exp(0) + log(1) + abs(-2)", 7),
        ("round(2.71828, 2)", 2.72),
        ("norm([3, 4])", 5),
        ("cosine([1, 0], [1, 1])", math.sqrt(0.5)),
        ("dot([1, 2], [3, 4])", 11),
        ("([[1, 2]] @ [[3], [4]])[0, 0]", 11),
        ("dot(identity(3), weights)[2, 2]", 0.5),
        ("argmax([3, 9, 4])", 1),
        ("std([1, 3])", 1),
        ("sum(softmax([1, 2, 3]))", 1),
        ("sum(causal(4))", 10),
        ("pi", math.pi),
        ("kv_bytes(40000, 48, 4, 128)", 40000 * 98304),
        ("kv_bytes(1, 1, 1, 4, bytes_each=4)", 32),
        ("prefill_crossing(8e9, 32, 32, 128)", 61034.15625),
        ("decode_crossing(8e9, 32, 32, 128)", 30517.578125),
        ("attention_parameters(1024, 16, 8, 128)", 6291456),
        ("kv_head(7, 8, 2)", 1),
        ("prefill_pairs(4)", 10),
        ("weight_flops(8e9, 2)", 32e9),
    ],
)
def test_numbers(text, value):
    assert evaluate(text, NAMES) == pytest.approx(value, abs=1e-12)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("weights[2, 1] >= 0.3", True),
        ("0 < weights[2, 0] < weights[2, 1]", True),
        ("0 < weights[2, 1] < weights[2, 0]", False),
        ("rule == 'after'", True),
        ("rule != 'after'", False),
        ("on and not share > 50", True),
        ("weights[0, 0] < 1 or n == 3", True),
        ("all(allowed == causal(n))", True),
        ("all(sum(weights, axis=1) == 1)", True),
        ("any(weights == 0.3)", True),
        ("symmetric(weights)", False),
        ("symmetric(weights + transpose(weights))", True),
        ("close(weights[2], [0.2, 0.3, 0.5])", True),
        ("close(weights[2], [0.2, 0.3, 0.51])", False),
        ("masked[0, 1] == -inf", True),
        ("close(masked, masked)", True),
        # Short-circuits as Python does: the part that cannot be computed is not reached.
        ("n > 5 and weights[5, 0] > 0", False),
    ],
)
def test_truth(text, value):
    assert evaluate(text, NAMES) is value


def test_rows_lists_the_rows_in_which_anything_holds():
    assert evaluate("rows(weights > 0.4)", NAMES).tolist() == [0, 1, 2]
    assert evaluate("rows(weights == 0)", NAMES).tolist() == [0, 1]


def test_attend_is_the_cores():
    q, k, v = (np.random.default_rng(seed).normal(size=(3, 4)) for seed in (1, 2, 3))
    names = {"q": q, "k": k, "v": v}
    trace = attend(q[None], k[None], v[None], causal=True, scale=0.3, softcap=2.0)
    for part in ("scores", "scaled", "capped", "masked", "weights", "output"):
        ours = evaluate(f"attend(q, k, v, causal=True, scale=0.3, softcap=2).{part}", names)
        assert np.array_equal(ours, getattr(trace, part)[0])
    assert evaluate("attend([q], [k], [v]).weights", names).shape == (1, 3, 3)


def test_reshape_and_beside_move_cells_as_numpy_does():
    assert np.array_equal(evaluate("reshape(heads, 4, 6)", NAMES), NAMES["heads"].reshape(4, 6))
    assert np.array_equal(evaluate("beside(heads[0], heads[1])", NAMES), np.concatenate(NAMES["heads"], axis=-1))


@pytest.mark.parametrize(
    ("text", "at"),
    [
        ("weights[2, 1", 8),
        ("weights[9, 1] > 0", 1),
        ("1 + missing", 5),
        ("1 + weights.T", 5),
        ("n > weights.shape", 5),
        ("2 * nothing(3)", 5),
        ("1 / (n - 3)", 6),
        ("0 < sqrt(-1)", 5),
        ("n == 3 and weights", 12),
        ("[1, [2]]", 1),
        ("heads[0.5]", 7),
        ("heads['a']", 7),
        ("weights + heads[:, :2, :2]", 1),
        ("'ä' == 'ä' and weights[7, 7]", 16),
    ],
)
def test_errors_are_one_sentence_with_the_position(text, at):
    with pytest.raises(ExpressionError) as caught:
        evaluate(text, NAMES)
    assert caught.value.at == at
    assert str(caught.value).startswith(f"character {at}")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "__import__('os').system('true')",
        "().__class__.__mro__",
        "weights.__class__",
        "weights.tofile('x')",
        "attend(weights, weights, weights).trace",
        "attend(weights, weights, weights).output.tobytes",
        "(lambda: 1)()",
        "[x for x in weights]",
        "{1: 2}",
        "{1, 2}",
        "f'{weights}'",
        "(n := 3)",
        "1 if on else 2",
        "weights[...]",
        "weights[None]",
        "max(*weights)",
        "max(**weights)",
        "FUNCTIONS['max'](1)",
        "weights is None",
        "n in [1, 2]",
        "n & 1",
        "~n",
        "b'bytes'",
        "1j",
        "await n",
        "yield",
        "import os",
        "n = 3",
        "n; n",
        "print",
        "open('x')",
        "eval('1')",
        "abs",
        "",
        "\x00",
    ],
)
def test_nothing_but_the_language_is_accepted(text):
    with pytest.raises(ExpressionError):
        evaluate(text, NAMES)


@pytest.mark.parametrize(
    "text",
    [
        "10 ** 10 ** 10",
        "9" * 900,
        "1e999",
        "-" * 900 + "1",
        "(" * 400 + "1" + ")" * 400,
        "[" * 150 + "1" + "]" * 150,
        "+".join(["1"] * 400),
        "zeros(100000, 100000)",
        "ones(262144) + reshape(ones(262144), 262144, 1)",
        "max(ones(60000), reshape(ones(60000), 60000, 1))",
        "identity(512) @ identity(512) @ identity(512)",
        "attend(ones(2000, 100), ones(2000, 100), ones(2000, 100))",
        "causal(1e9)",
        "positions(1e12)",
        "1" + " " * LONGEST_TEXT,
    ],
)
def test_what_would_hang_or_fill_memory_is_refused_at_once(text):
    start = time.process_time()
    with pytest.raises(ExpressionError):
        evaluate(text, NAMES)
    # Not a benchmark: the refused work would take minutes, or more memory than there is.
    assert time.process_time() - start < 5


def test_the_work_of_a_whole_expression_is_bounded():
    row = "sum(ones(500) * 2)"
    assert evaluate(row, {}) == 1000
    with pytest.raises(ExpressionError, match="too much to compute"):
        evaluate(" + ".join(["sum(ones(200, 200) @ ones(200, 100))"] * 12), {})


ALPHABET = [
    *sorted(FUNCTIONS), *NAMES, "inf", "pi", "True", "(", ")", "[", "]", ",", ":", ".", "+", "-", "*", "**", "/", "//",
    "%", "@", "<", ">=", "==", "!=", "and", "or", "not", "0", "1", "2", "0.5", "-1", "axis=0", "'a'", ".weights",
]  # fmt: skip


def outcome_of(action):
    """Return what an action gives, or the sentence with which it refuses; any other exception is a failure."""
    try:
        return action()
    except ExpressionError as error:
        return str(error)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(ALPHABET), max_size=14).map(" ".join))
@example("softmax ( pi )")
@example("max ( heads , weights )")
@example("attend ( heads , heads , heads ) .weights [ 0 , 0 , 0 ]")
@example("where ( allowed , 1 , heads )")
@example("reshape ( weights , -1 )")
def test_whatever_is_written_gives_a_value_or_one_sentence(text):
    value = outcome_of(lambda: evaluate(text, NAMES))
    if isinstance(value, str):
        assert "\n" not in value
    elif isinstance(value, np.ndarray):
        assert not np.isnan(value).any()
    predicate = outcome_of(lambda: parse(text))
    if not isinstance(predicate, str):
        assert check(predicate, NAMES).done in (True, False)


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=60))
def test_any_text_is_read_or_refused(text):
    found = outcome_of(lambda: parse(text))
    assert not isinstance(found, str) or found.startswith("character ")


def test_a_check_whose_cell_is_gone_is_not_done_and_says_so():
    predicate = parse("weights[2, 1] >= 0.9")
    assert check(predicate, {"weights": np.full((3, 3), 0.95)}).done
    outcome = check(predicate, {"weights": np.full((2, 2), 0.95)})
    assert not outcome.done
    assert outcome.note == "character 1: weights is 2 × 2, so it has no [2, 1]"


def test_a_check_on_something_not_computed_yet_is_not_done():
    outcome = check(parse("spread > 2"), {"n": 3})
    assert not outcome.done
    assert isinstance(outcome.problem, MissingError)


def test_all_of_nothing_does_not_tick_a_task_off():
    outcome = check(parse("all(weights[5:, 0] > 0.9)"), NAMES)
    assert not outcome.done
    assert outcome.note


def test_names_are_known_without_computing():
    assert parse("max(weights[n - 1]) > pi and rule == 'after'").names == {"weights", "n", "rule"}


def test_arrays_are_not_changed():
    before = WEIGHTS.copy()
    evaluate("-weights + softmax(weights) * round(weights) + sqrt(weights)", NAMES)
    assert np.array_equal(WEIGHTS, before)
