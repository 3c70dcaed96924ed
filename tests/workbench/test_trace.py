"""The trace strip: what it says, and that a reader who computes with its digits gets its results."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from explorer.concepts import all_concepts, evaluation
from explorer.concepts.declaration import Axis, Concept, Input, Matrix, Stage
from explorer.core.expression import Cell, Number, Operation, Result, evaluate, total
from explorer.core.ops.base import Op, cell
from explorer.workbench import number_text
from explorer.workbench.equation import Equation, cut, write
from explorer.workbench.tokens import Token, plain
from explorer.workbench.trace import trace
from explorer.workbench.workbench import Workbench
from tests.workbench.random_actions import Actor
from tests.workbench.small import GROUPED, SINGLE

SEEDS = st.integers(0, 2**32 - 1)


def told(bench, slug, name, *index):
    return bench.trace(slug, name, index)


def lines(found):
    return [plain(line.tokens) for line in found.lines]


# --- an independent reader ---

_LEAD = re.compile(r"^[^=≈]*·[^=≈]*? = ")
_NUMBER = re.compile(r"^−?(\d+(\.\d*)?(e−?\d+)?|∞)$")


def equations(text):
    """Return (arithmetic, sign, result) of every equation in a line, as a reader would take them down."""
    found = []
    for part in re.sub(r"(?<=\d),(?=\d{3})", "", text).split("   "):
        body = re.sub(r"^.*largest of its row: |^\d+ (×|more) [^=]*: ", "", _LEAD.sub("", part))
        match = re.match(r"^(.*) ([=≈]) (\S+)$", body)
        if match and _NUMBER.match(match[3]) and not re.match(r"^[\w ]+\[[\d, ]*\]$", match[1]):
            found.append((match[1], match[2], match[3]))
    return found


def compute(arithmetic):
    """Compute what is printed, knowing nothing of how it was printed."""
    python = re.sub(r"… \d+ more ", "", arithmetic)
    python = re.sub(r"√(\d+)", r"sqrt(\1)", python).replace("√(", "sqrt(")
    python = re.sub(r"(?<![\d.])e\^\(", "exp(", python)
    python = re.sub(r"\|([^|]*)\|", r"abs(\1)", python)
    python = re.sub(r"\b(sin|cos) ([\d.]+)", r"\1(\2)", python)
    python = python.replace("×", "*").replace("÷", "/").replace("−∞", "-inf").replace("−", "-")
    functions = {name: getattr(math, name) for name in ("sqrt", "exp", "tanh", "sin", "cos")}
    names = {**functions, "max": max, "abs": abs, "inf": math.inf}
    return eval(python, {"__builtins__": {}}, names)


def unit(result):
    """Return the unit of a printed number's last digit."""
    mantissa, _, power = result.replace("−", "-").partition("e")
    return 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))


def assert_a_reader_agrees(found):
    count = 0
    for line in lines(found):
        for arithmetic, sign, result in equations(line):
            count += 1
            value, printed = compute(arithmetic), float(result.replace("−", "-").replace("∞", "inf"))
            agrees = value == printed or abs(value - printed) < 0.5 * unit(result)
            if sign == "=":
                assert agrees, line
            else:
                assert not found.exact, line
    return count


# --- the lesson's example ---


@pytest.fixture
def full():
    return Workbench([one for one in all_concepts() if one.slug == "full-attention"])


def test_an_attention_weight_is_told_from_its_dot_product_on(full):
    found = told(full, "full-attention", "weights", 2, 1)
    assert found.plain().splitlines() == [
        "attention weight of sat (2) looking at cat (1)",
        "q₂ · k₁ = −0.164 × 0.642 + 0.594 × 0.862 = 0.407",
        "0.407 ÷ √2 = 0.288   it is the largest of its row: e^(0.288 − 0.288) = 1.000",
        "1.000 ÷ (0.738 + 1.000 + 0.876) = 0.383",
    ]
    assert found.exact
    assert found.target == ("weights", (2, 1))
    assert found.operands == {
        "q": {(2, 0), (2, 1)},
        "k": {(1, 0), (1, 1)},
        "scores": {(2, 1)},
        "scaled": {(2, 1)},
        "masked": {(2, 0), (2, 1), (2, 2)},
    }


def test_operands_and_results_are_links_with_their_role_and_every_digit(full):
    found = told(full, "full-attention", "scores", 2, 1)
    (line,) = found.lines
    q = full.results("full-attention")["q"]
    assert line.tokens[0] == Token("q₂", "name", role="query")
    assert line.tokens[4] == Token("−0.164", "operand", ("q", (2, 0)), "query", number_text.full(q[2, 0]))
    assert line.tokens[-1].cell == ("scores", (2, 1))
    assert line.tokens[-1].kind == "result"
    assert float(line.tokens[-1].full) == full.results("full-attention")["scores"][2, 1]


def test_exponents_are_raised(full):
    found = told(full, "full-attention", "weights", 2, 1)
    raised = [token.text for token in found.lines[1].tokens if token.raised]
    assert raised == ["0.288", " − ", "0.288"]


def test_a_masked_key_says_why(full):
    assert lines(told(full, "full-attention", "weights", 1, 3))[2:] == [
        "0.427 → −∞   down (3) comes later than cat (1)",
        "e^(−∞) = 0",
    ]
    assert told(full, "full-attention", "weights", 1, 3).operands["masked"] == {(1, 3)}


def test_a_score_that_the_mask_leaves_alone_says_so(full):
    found = lines(told(full, "full-attention", "masked", 1, 0))
    assert found[-1] == "0.081 = 0.081   cat (1) may look at the (0): the score stays as it is"


def test_a_projection_is_a_row_times_a_column_and_a_blend_leaves_out_what_is_not_seen(full):
    assert lines(told(full, "full-attention", "q", 2, 1))[0].startswith("x₂ · column 1 of Wq = −0.2042 × 0.0044 + ")
    (blend,) = lines(told(full, "full-attention", "output", 1, 0))
    assert blend == (
        "row 1 of attention weights · column 0 of v = 0.635 × 1.438 + 0.365 × 1.073 = 1.305"
        "   keys with attention weight 0 add nothing and are left out: 2"
    )
    assert plain(told(full, "full-attention", "q", 2, 1).title) == "q[2, 1] · sat (2)"


def test_whole_numbers_are_not_padded(full):
    full.fill("full-attention", "x", "small integers", seed=3)
    full.fill("full-attention", "Wq", "small integers", seed=4)
    for text in lines(told(full, "full-attention", "q", 0, 0)):
        assert "." not in text


# --- where typed numbers come from ---


def test_a_typed_number_says_that_it_was_typed_and_what_the_lesson_has():
    bench = Workbench((SINGLE, GROUPED))
    lesson = number_text.full(bench.state("single").inputs["x"][0, 0])
    assert lines(told(bench, "single", "x", 0, 1))[0].endswith("drawn at random in the lesson, without meaning")
    assert lines(told(bench, "single", "Wk", 0, 1))[0].endswith("the lesson's value")
    bench.edit("single", "x", [(0, 0)], [-3.25])
    assert lines(told(bench, "single", "x", 0, 0)) == [f"x[0, 0] = −3.25   typed by you; the lesson has {lesson}"]
    assert lines(told(bench, "single", "x", 0, 1))[0].endswith("drawn at random in the lesson, without meaning")
    bench.fill("single", "x", "random", seed=42)
    assert lines(told(bench, "single", "x", 1, 1))[0].endswith("   drawn at random from seed 42, without meaning")
    assert told(bench, "single", "x", 1, 1).operands == {}


def test_a_mask_cell_says_whether_a_query_may_look():
    bench = Workbench((GROUPED,))
    assert lines(told(bench, "grouped", "mask", 0, 1)) == ["mask[0, 1] = may not look   the lesson's value"]
    bench.edit("grouped", "mask", [(0, 1)], [True])
    assert lines(told(bench, "grouped", "mask", 0, 1)) == [
        "mask[0, 1] = may look   typed by you; the lesson has may not look"
    ]


# --- heads and masks ---


def test_a_shared_kv_head_is_named():
    found = told(Workbench((GROUPED,)), "grouped", "scores", 3, 2, 1)
    assert plain(found.title) == "score of query 2 looking at key 1, query head 3"
    assert lines(found)[0].startswith("q₂ · k₁ = ")
    assert lines(found)[0].endswith("   query head 3 reads KV head 1")
    assert found.operands == {"q": {(3, 2, 0), (3, 2, 1)}, "k": {(1, 1, 0), (1, 1, 1)}}


def test_a_typed_mask_is_the_reason_where_later_keys_are_seen():
    bench = Workbench((GROUPED,))
    assert "key 2 comes later than query 1" in lines(told(bench, "grouped", "masked", 0, 1, 2))[-1]
    bench.edit("grouped", "mask", [(0, 1)], [True])
    found = told(bench, "grouped", "masked", 0, 1, 2)
    assert lines(found)[-1].endswith("   the mask does not let query 1 look at key 2   mask[1, 2]")
    assert found.operands["mask"] == {(1, 2)}
    assert found.lines[-1].tokens[-1].cell == ("mask", (1, 2))


def test_a_row_that_may_look_nowhere_says_so_down_to_the_output():
    bench = Workbench((GROUPED,))
    bench.edit("grouped", "mask", [(1, 0), (1, 1)], [False, False])
    nowhere = "query 1 may look nowhere: its attention weights and its output are 0"
    assert lines(told(bench, "grouped", "weights", 0, 1, 0))[-1] == f"e^(−∞) = 0   {nowhere}"
    assert lines(told(bench, "grouped", "output", 0, 1, 0)) == [f"0   {nowhere}"]
    assert lines(told(bench, "grouped", "weights", 0, 0, 1))[-1] == "e^(−∞) = 0"


def test_a_stage_between_those_of_a_place_belongs_to_the_story():
    found = told(Workbench((SINGLE,)), "single", "weights", 2, 1)
    assert [line.stage for line in found.lines] == ["scores", "scaled", "capped", "weights"]
    assert "30 × tanh(" in lines(found)[2]


def test_a_slow_stage_that_is_not_there_yet_says_so():
    found = told(Workbench((SINGLE,)), "single", "outer", 0, 0)
    assert lines(found) == ["being computed; its arithmetic appears when it is there"]
    assert found.exact


# --- long sums ---


def test_a_long_sum_is_cut_and_the_rest_stands_there_as_one_number(full):
    full.set_size("full-attention", "d_head", 32)
    found = told(full, "full-attention", "scores", 3, 1)
    (text,) = lines(found)
    assert "… 26 more (" in text
    assert found.operands["q"] == {(3, i) for i in range(32)}
    assert assert_a_reader_agrees(found) == 1


def test_sums_of_eight_are_written_out():
    terms = [Cell("x", (i,), float(i)) for i in range(9)]
    assert cut(total(terms[:8]), "… {count} more") == total(terms[:8])
    cut_sum = cut(total(terms), "… {count} more")
    assert isinstance(cut_sum, Operation)
    assert cut_sum.operands[-1] == Result(total(terms[6:]), label="… 3 more")
    assert len(cut_sum.operands) == 7


# --- digits ---


def written(expression, value, roles=None):
    return plain(Equation(expression, value, "y", ("y", (0,)), roles=roles or {"x": "input"}).tokens())


def cells(value):
    return Cell("x", (0,), value)


def minus(first, second):
    return Operation("difference", (first, second))


def product(*values):
    return Operation("product", tuple(Cell("x", (i,), value) for i, value in enumerate(values)))


@pytest.mark.parametrize(
    ("expression", "value", "text"),
    [
        (product(2.0, 3.0), 6.0, "2 × 3 = 6"),
        (product(0.5, 0.25), 0.125, "0.500 × 0.250 = 0.125"),
        (product(-0.5, -1.5), 0.75, "−0.50 × (−1.50) = 0.75"),
        (total([product(2.0, -1.0), product(-2.0, 1.0)]), -4.0, "2 × (−1) + (−2) × 1 = −4"),
        (product(1 / 3, 3.0), 1.0, "0.3333 × 3.0000 = 1.000"),
        (minus(cells(1.0), total([cells(2.0), cells(-3.0)])), 2.0, "1 − (2 + (−3)) = 2"),
        (Operation("quotient", (Cell("x", (0,), 1.0), product(2.0, 4.0))), 0.125, "1.000 ÷ (2.000 × 4.000) = 0.125"),
        (Operation("root", (Cell("x", (0,), 2.25),)), 1.5, "√(2.25) = 1.50"),
        (Operation("magnitude", (Cell("x", (0,), -2.0),)), 2.0, "|−2| = 2"),
        (Operation("maximum", (Cell("x", (0,), -2.0), Cell("x", (1,), -1.0))), -1.0, "max(−2, −1) = −1"),
        (Operation("exp", (minus(cells(0.0), cells(12.0)),)), math.exp(-12), "e^(0.000 − 12.000) = 6.14e−6"),
        (Operation("product", (Number(2.0, "2"), product(1.5, 2.0))), 6.0, "2 × 1.5 × 2.0 = 6.0"),
        (product(1e-5, 2e-5), 2e-10, "1.00e−5 × 2.00e−5 = 2.00e−10"),
        (product(123456789.5, 1.0), 123456789.5, "1.23e8 × 1.000 = 1.23e8"),
    ],
)  # fmt: skip
def test_an_equation_has_as_few_digits_as_reproduce_it(expression, value, text):
    assert written(expression, value) == text


def test_where_six_digits_do_not_reproduce_a_result_the_line_says_so():
    difference = Operation("difference", (Cell("x", (0,), 1e6 + 1e-7), Cell("x", (1,), 1e6)))
    text = written(Operation("product", (difference, Cell("x", (2,), 1e6))), 1e6 * ((1e6 + 1e-7) - 1e6))
    assert " ≈ " in text
    assert "=" not in text


def test_a_number_that_rounds_to_zero_is_not_written_as_zero():
    assert write(0.0, 3).text == "0.000"
    assert write(-0.0, 3).text == "0.000"
    assert write(4.1e-5, 3).text == "4.10e−5"
    assert write(-math.inf, 3).text == "−∞"


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 6))
def test_a_written_number_is_the_nearest_of_its_unit_and_never_a_false_zero(value, digits):
    found = write(value, digits)
    assert abs(found.value - value) <= 0.5 * found.unit * (1 + 1e-6)
    assert found.value == float(found.text.replace("−", "-"))
    if value and digits:
        assert found.text.strip("0.−")


#: Not so small that a product underflows from left to right, as it is read, and not in the order of the expression.
MAGNITUDES = st.just(0.0) | st.floats(1e-9, 1e3)
LEAVES = (MAGNITUDES | MAGNITUDES.map(lambda size: -size)).map(lambda value: Cell("x", (0,), value))


@st.composite
def expressions(draw, depth=3):
    if not depth or draw(st.booleans()):
        return draw(LEAVES)
    kind = draw(st.sampled_from(["sum", "product", "difference", "quotient", "tanh", "maximum", "magnitude", "result"]))
    count = {"tanh": 1, "magnitude": 1, "result": 1, "quotient": 2}.get(kind) or draw(st.integers(2, 12))
    # Bars do not nest on paper.
    inner = 0 if kind == "magnitude" else depth - 1
    operands = tuple(draw(expressions(depth=inner)) for _ in range(count))
    # No op divides by 0.
    assume(kind != "quotient" or (evaluate(operands[1]) and math.isfinite(evaluate(operands[0]))))
    return Result(operands[0]) if kind == "result" else Operation(kind, operands)


@settings(max_examples=400)
@given(expressions())
@example(
    Operation(
        "difference", tuple(Cell("x", (0,), value) for value in (391.5495753272468, 1.0, 511.5495753272468, -121.0))
    )
)
def test_whatever_is_written_with_an_equals_sign_is_so(expression):
    value = evaluate(expression)
    text = written(cut(expression, "… {count} more"), value)
    assume(math.isfinite(value) and "=" in text)
    ((arithmetic, _, result),) = equations(text)
    try:
        computed = compute(arithmetic)
    except ZeroDivisionError:
        # A divisor too small for its digits.
        return
    assert abs(computed - float(result.replace("−", "-"))) <= 0.5 * unit(result), text


@settings(max_examples=40)
@given(seed=SEEDS, count=st.integers(0, 12))
@pytest.mark.parametrize(
    "concepts", [(SINGLE,), (GROUPED,), *((one,) for one in all_concepts())], ids=lambda ones: ones[0].slug
)
def test_every_cell_of_every_tab_is_told_so_that_a_reader_gets_the_same(concepts, seed, count):
    (concept,) = concepts
    bench = Workbench(concepts)
    rng = np.random.default_rng(seed)
    actor = Actor(bench, rng)
    for _ in range(count):
        actor.act()
    results = bench.results(concept.slug)
    for one in (*concept.inputs, *concept.stages):
        if one.name not in results or not results[one.name].size:
            continue
        index = tuple(int(rng.integers(length)) for length in results[one.name].shape)
        found = told(bench, concept.slug, one.name, *index)
        assert found.title
        assert found.lines
        assert_a_reader_agrees(found)
        for line in found.lines:
            for token in line.tokens:
                if token.cell is not None:
                    name, at = token.cell
                    assert float(token.full) == results[name][at]
                    if token.kind == "operand":
                        assert at in found.operands[name]
        for name, cells in found.operands.items():
            for at in cells:
                assert len(at) == results[name].ndim
                assert all(0 <= i < length for i, length in zip(at, results[name].shape, strict=True))


def test_an_op_of_any_shape_is_told_without_being_known():
    def terms(arrays, names, index):
        return Operation("quotient", (total([cell(arrays, names, 0, i) for i in range(3)]), Number(3.0, "3")))

    mean = Op("mean", lambda x: np.array([x.mean()]), terms, lambda names: f"{names[0]}.mean()")
    concept = Concept(
        1,
        "mean",
        "Mean",
        inputs=(Input("x", (Axis("3", names=("a", "b", "c")),), "input", lambda _: np.array([1.0, 2.0, 4.5])),),
        stages=(Stage("y", mean, ("x",), (Axis("1"),), "output"),),
        layout=Matrix("x"),
    )
    found = told(Workbench((concept,)), "mean", "y", 0)
    assert found.plain() == "y[0]\n(1.0 + 2.0 + 4.5) ÷ 3 = 2.5"
    assert plain(told(Workbench((concept,)), "mean", "x", 2).title) == "x[2] · c"


def test_a_translation_may_turn_the_words_round(full):
    state = full.state("full-attention")
    found = trace(
        full.concept("full-attention"),
        state.situation,
        full.results("full-attention"),
        "weights",
        (2, 1),
        translate=lambda text: "{key} ← {query}: {what}" if text.startswith("{what}") else text,
    )
    assert plain(found.title) == "cat (1) ← sat (2): attention weight"


def test_a_trace_needs_nothing_but_a_tab_and_its_numbers(full):
    state, results = full.state("full-attention"), full.results("full-attention")
    for name, index in (("weights", (2, 1)), ("x", (0, 0))):
        alone = trace(full.concept("full-attention"), state.situation, results, name, index)
        assert alone == full.trace("full-attention", name, index)


def test_an_explanation_is_of_what_was_drawn(full):
    state, results = full.state("full-attention"), full.results("full-attention")
    terms = evaluation.explain(full.concept("full-attention"), state.situation, results, "weights", (2, 1))
    assert isinstance(terms, Operation)


@pytest.mark.parametrize("concept", [one for one in all_concepts() if one.slug != "scaling"], ids=lambda one: one.slug)
def test_no_name_of_a_program_is_read_to_a_class(concept):
    workbench = Workbench([concept])
    results = workbench.results(concept.slug)
    for array in (*concept.inputs, *concept.stages):
        shape = results[array.name].shape if array.name in results else (0,)
        if 0 not in shape:
            text = told(workbench, concept.slug, array.name, *(min(1, n - 1) for n in shape)).plain()
            assert "_" not in text.replace("d_head", "").replace("d_model", ""), text
