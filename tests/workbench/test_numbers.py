"""The thirteen examples: every printed line, every number of the goldens, and nothing that only looks computed."""

from __future__ import annotations

import functools
import io
import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from explorer.core import lesson
from explorer.core.checks import InputError
from explorer.workbench import numbers

if TYPE_CHECKING:
    from collections.abc import Iterator

GOLDENS = Path(__file__).parents[1] / "goldens"
GROUPS = ("inputs", "intermediates", "outputs")
EXACT = {3, 5, 6}


@functools.cache
def golden(number: int) -> dict[str, Any]:
    return json.loads((GOLDENS / f"example{number:02d}.json").read_text(encoding="utf-8"))


@functools.cache
def computed(number: int) -> numbers.Example:
    return numbers.example(number)


def refuse_constant(name: str) -> None:
    raise AssertionError(f"{name} is not strict JSON")


@functools.cache
def document(number: int) -> dict[str, Any]:
    return json.loads(numbers.to_json(computed(number)), parse_constant=refuse_constant)


def leaves(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Walk down to everything that is neither an object nor a list; an empty list is a leaf itself."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield from leaves(member, f"{path}.{key}" if path else key)
    elif isinstance(value, list) and value:
        for index, item in enumerate(value):
            yield from leaves(item, f"{path}[{index}]")
    else:
        yield path, value


def dtype_of(number: int, path: str) -> str:
    return golden(number)["dtypes"][path.partition("[")[0]]


def tolerance(number: int, path: str) -> float:
    return 1e-12 if number in EXACT and dtype_of(number, path).startswith("float64") else 2e-6


every_example = pytest.mark.parametrize("number", range(1, 14))


@every_example
def test_lines_are_printed_byte_for_byte(number: int) -> None:
    printed = "\n".join(computed(number).printed_lines).encode("utf-8")
    assert printed == "\n".join(golden(number)["printed_lines"]).encode("utf-8")


@every_example
def test_the_report_has_the_goldens_groups_and_names_in_their_order(number: int) -> None:
    found, expected = document(number), golden(number)
    assert found["example"] == number
    assert tuple(computed(number).groups) == GROUPS
    for group in GROUPS:
        assert [path for path, _ in leaves(found[group])] == [path for path, _ in leaves(expected[group])]


@every_example
def test_every_golden_number_is_met(number: int) -> None:
    found, expected = document(number), golden(number)
    compared = 0
    for group in GROUPS:
        pairs = zip(leaves(found[group], group), leaves(expected[group], group), strict=True)
        for (path, value), (golden_path, wanted) in pairs:
            assert path == golden_path
            compared += 1
            if isinstance(wanted, float):
                assert isinstance(value, float), path
                assert abs(value - wanted) <= tolerance(number, path), path
            else:
                assert type(value) is type(wanted), path
                assert value == wanted, path
    assert compared >= 15


@every_example
def test_arrays_have_the_lesson_s_precision(number: int) -> None:
    for group, members in computed(number).groups.items():
        for path, value in walk_arrays(members, group):
            dtype = dtype_of(number, path).partition("[")[0]
            if dtype in {"float32", "float64"} and isinstance(value, np.ndarray):
                assert str(value.dtype) == dtype, path


def walk_arrays(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict):
        for key, member in value.items():
            yield from walk_arrays(member, f"{path}.{key}")
    elif isinstance(value, list) and value and isinstance(value[0], np.ndarray):
        yield path, value[0]
    elif not isinstance(value, list):
        yield path, value


@every_example
def test_numbers_have_all_their_digits(number: int) -> None:
    members = list(leaves({group: document(number)[group] for group in GROUPS}))
    arrays = [
        (path, value)
        for group, group_members in computed(number).groups.items()
        for path, value in walk_arrays(group_members, group)
        if isinstance(value, np.ndarray) and np.isfinite(value).all()
    ]
    by_path = dict(members)
    for path, array in arrays:
        prefix = path if array.ndim == 0 else f"{path}[" + "][".join(["0"] * array.ndim) + "]"
        found = by_path.get(prefix)
        if found is not None:
            assert found == float(array.flat[0])


def test_masked_scores_are_written_as_words_not_as_numbers() -> None:
    assert document(6)["intermediates"]["masked_scores"][0] == [1.0, "-Infinity", "-Infinity", "-Infinity"]


def test_nothing_is_read_from_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*arguments: object, **named: object) -> None:
        raise AssertionError(f"an example opened {arguments}")

    monkeypatch.setattr("builtins.open", refuse)
    monkeypatch.setattr(io, "open", refuse)
    monkeypatch.setattr(Path, "read_text", refuse)
    for number in set(range(1, 14)) - {5}:
        assert numbers.example(number).printed_lines


@pytest.mark.parametrize("number", [0, 14, -1, 1.5, "7", None])
def test_other_examples_are_refused_by_one_sentence(number: Any) -> None:
    with pytest.raises(InputError, match=r"there is no example -?\d+; it may be 1 to 13|example must be an integer"):
        numbers.example(number)


# What follows replaces the lesson's inputs by others and compares with plain loops: a report that were written down
# rather than computed could not follow.


def with_seed(monkeypatch: pytest.MonkeyPatch, seed: int, **sizes: int) -> dict[str, np.ndarray]:
    arrays = lesson.full_attention_inputs(seed, **sizes)
    monkeypatch.setattr(lesson, "full_attention_inputs", lambda: arrays)
    return arrays


def loop_attention(q: np.ndarray, k: np.ndarray, v: np.ndarray) -> tuple[list[list[float]], list[list[float]]]:
    """Compute causal attention of one head with Python floats, one number at a time."""
    weights, outputs = [], []
    for i in range(len(q)):
        powers = [
            math.exp(sum(float(a) * float(b) for a, b in zip(q[i], k[j], strict=True)) / math.sqrt(q.shape[1]))
            for j in range(i + 1)
        ]
        row = [power / sum(powers) for power in powers] + [0.0] * (len(q) - i - 1)
        weights.append(row)
        outputs.append([sum(row[j] * float(v[j, c]) for j in range(i + 1)) for c in range(v.shape[1])])
    return weights, outputs


def loop_project(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    return np.array(
        [
            [sum(float(x[i, p]) * float(w[p, c]) for p in range(len(w))) for c in range(w.shape[1])]
            for i in range(len(x))
        ]
    )


@pytest.mark.parametrize(("seed", "n", "d_model", "d_head"), [(7, 4, 4, 2), (-3, 3, 5, 4), (2**40, 6, 2, 1)])
def test_example_7_follows_other_seeds_and_sizes(
    monkeypatch: pytest.MonkeyPatch, seed: int, n: int, d_model: int, d_head: int
) -> None:
    arrays = with_seed(monkeypatch, seed, n=n, d_model=d_model, d_head=d_head)
    q, k, v = (loop_project(arrays["x"], arrays[name]) for name in ("Wq", "Wk", "Wv"))
    weights, outputs = loop_attention(q, k, v)
    example = numbers.example(7)
    np.testing.assert_allclose(example.groups["outputs"]["weights"], weights, atol=1e-7)
    np.testing.assert_allclose(example.groups["outputs"]["outputs"], outputs, atol=1e-6)
    assert len(example.printed_lines) == 2 * n + 2
    shown = [float(cell) for cell in example.printed_lines[-1].split()[2:]]
    np.testing.assert_allclose(shown, outputs[-1], atol=0.000501)


@pytest.mark.parametrize("seed", [7, 12345])
def test_examples_4_and_8_follow_other_seeds(monkeypatch: pytest.MonkeyPatch, seed: int) -> None:
    arrays = with_seed(monkeypatch, seed)
    q, k, v = (loop_project(arrays["x"], arrays[name]) for name in ("Wq", "Wk", "Wv"))
    fourth = numbers.example(4)
    assert fourth.groups["outputs"]["score_2_asks_1"] == pytest.approx(float(q[2] @ k[1]), abs=1e-6)
    assert fourth.groups["outputs"]["score_1_asks_2"] == pytest.approx(float(q[1] @ k[2]), abs=1e-6)
    eighth = numbers.example(8).groups["outputs"]
    np.testing.assert_allclose(eighth["outputs"], loop_attention(q, k, v)[1], atol=2e-6)
    assert 0.0 < eighth["max_diff_to_loop"] < 1e-6


def test_example_8_says_when_the_precisions_disagree(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = lesson.full_attention_inputs()
    arrays["Wv"] *= 1000.0
    monkeypatch.setattr(lesson, "full_attention_inputs", lambda: arrays)
    example = numbers.example(8)
    assert example.groups["outputs"]["below_1e-6"] is False
    assert example.printed_lines[-1].endswith(": false")


def test_example_9_follows_other_seeds(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = lesson.multi_head_inputs(11)
    monkeypatch.setattr(lesson, "multi_head_inputs", lambda **_: arrays)
    q, k, v = (loop_project(arrays["x"], arrays[name]) for name in ("Wq", "Wk", "Wv"))
    concat = np.hstack([loop_attention(q[:, s], k[:, s], v[:, s])[1] for s in (slice(0, 4), slice(4, 8))])
    outputs = numbers.example(9).groups["outputs"]
    np.testing.assert_allclose(outputs["concat"], concat, atol=2e-6)
    np.testing.assert_allclose(outputs["out"], loop_project(concat, arrays["Wo"]), atol=2e-6)


def test_examples_1_to_3_follow_other_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.array([[0.5, -1.0], [2.0, 0.25], [-0.75, 1.5]])
    monkeypatch.setattr(lesson, "VECTORS", x)
    assert numbers.example(2).printed_lines[2] == "position 2: average of 3 vector(s) = [0.5833333, 0.25]"
    third = numbers.example(3)
    powers = [math.exp(float(x[2] @ x[j])) for j in range(3)]
    mixed = sum(power * row for power, row in zip(powers, x, strict=True)) / sum(powers)
    np.testing.assert_allclose(third.groups["outputs"]["mixed"], mixed, atol=1e-6)
    assert third.printed_lines[2].endswith("(uniform average was [0.5833333, 0.25])")

    swapped = {"river": [0.0, 1.0, 0.0], "money": [1.0, 0.0, 0.0], "bank": [1.0, 0.0, 0.0]}
    monkeypatch.setattr(lesson, "EMBEDDINGS", {word: np.array(vector) for word, vector in swapped.items()})
    first = numbers.example(1)
    assert first.printed_lines[2:4] == (
        "after mixing with river: [0.5, 0.5, 0.0]",
        "after mixing with money: [1.0, 0.0, 0.0]",
    )
    assert first.printed_lines[4] == "cosine(river-bank, river) = 0.71, cosine(river-bank, money) = 0.71"
    assert first.printed_lines[5] == "cosine(money-bank, river) = 0.00, cosine(money-bank, money) = 1.00"


def test_example_5_follows_other_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson, "SCALING", lesson.ScalingSizes(9, (2, 16), 30, 20, 3))
    example = numbers.example(5)
    assert list(example.groups["intermediates"]) == ["d2", "d16"]
    assert example.groups["outputs"]["total_gaussians"] == 2 * (2 + 16) * (30 + 20 * 3)
    std = example.groups["outputs"]["std"]
    dots = example.groups["intermediates"]["d16"]["pair_dots"]
    assert std[1] == pytest.approx(math.sqrt(float((dots**2).mean())))
    assert example.printed_lines[2].split()[:2] == ["16", f"{std[1]:.2f}"]


def test_examples_10_to_12_follow_another_model(monkeypatch: pytest.MonkeyPatch) -> None:
    shape = lesson.ModelShape(
        n_layer=24, n_head=14, n_head_kv=2, d_head=64, d_model=896, context=1000, params=500_000_000
    )
    monkeypatch.setattr(lesson, "EIGHT_B_MODEL", shape)
    tenth = numbers.example(10)
    assert tenth.groups["outputs"]["bytes_per_token"] == [2 * 24 * 14 * 64 * 2, 2 * 24 * 2 * 64 * 2]
    assert tenth.printed_lines[-1] == (
        " 2 key/value heads: 12,288 bytes of KV cache per token (12 KiB); 1000 tokens = 0.01 GiB"
    )
    assert tenth.groups["outputs"]["Wk"] == 896 * 2 * 64
    assert numbers.example(11).groups["outputs"]["group"] == [1, 7, 14]
    twelfth = numbers.example(12).groups
    assert twelfth["intermediates"]["flops_per_pair"] == 4 * 64 * 14 * 24
    assert twelfth["outputs"]["decode_weight_flops"] == [1e9] * 4


def test_example_6_follows_another_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lesson, "causal_mask_scores", lambda *_: np.array([[3.0, 9.0], [math.log(3.0), 0.0]]))
    assert numbers.example(6).printed_lines[-2:] == ("    1.000    0.000", "    0.750    0.250")


def test_example_13_follows_another_sharpness(monkeypatch: pytest.MonkeyPatch) -> None:
    built = lesson.previous_token_inputs
    monkeypatch.setattr(lesson, "previous_token_inputs", lambda slots, _: built(slots, 2.0 * math.log(4.0)))
    assert numbers.example(13).printed_lines[2] == "   0.800   0.200   0.000   0.000"
