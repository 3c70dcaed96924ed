"""Java's random numbers: every bit of them, alone and in bulk, in any mixture of calls."""

from __future__ import annotations

import json
import math
import shutil
import struct
import subprocess
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.core.checks import InputError
from explorer.core.javarandom import JavaRandom
from explorer.core.strictlog import strict_log

GOLDENS = json.loads((Path(__file__).parents[1] / "goldens" / "java_random.json").read_text(encoding="utf-8"))
RECORDS = {record["seed_str"]: record for record in GOLDENS["seeds"]}

seeds = st.integers(-(2**63), 2**63 - 1)


@pytest.fixture(params=sorted(RECORDS))
def record(request: pytest.FixtureRequest) -> dict:
    return RECORDS[request.param]


@pytest.fixture
def java(record: dict) -> JavaRandom:
    return JavaRandom(int(record["seed_str"]))


def bits(values: np.ndarray) -> list[str]:
    return [f"{int(word):016x}" for word in np.asarray(values, np.float64).view(np.uint64)]


def golden_gaussian_bits(record: dict) -> list[str]:
    golden = record["nextGaussian_bits"]
    return golden.split() if isinstance(golden, str) else golden


def test_a_new_generator_scrambles_its_seed_as_java_does(record: dict, java: JavaRandom) -> None:
    assert java.state == record["initial_state"]
    assert java.steps == 0


def test_gaussians_drawn_at_once_have_java_s_bits(record: dict, java: JavaRandom) -> None:
    assert bits(java.gaussians(40)) == golden_gaussian_bits(record)
    assert java.state == record["nextGaussian_state"]


def test_gaussians_drawn_singly_have_java_s_bits(record: dict, java: JavaRandom) -> None:
    assert bits(np.array([java.next_gaussian() for _ in range(40)])) == golden_gaussian_bits(record)
    assert java.state == record["nextGaussian_state"]


def test_the_lesson_s_float32_draws(record: dict, java: JavaRandom) -> None:
    drawn = (java.gaussians(40) * 0.5).astype(np.float32)
    assert drawn.tolist() == np.array(record["gaussian_half_float"], np.float32).tolist()


@pytest.mark.parametrize(
    ("method", "key"),
    [
        ("next_int", "nextInt"),
        ("next_long", "nextLong"),
        ("next_double", "nextDouble"),
        ("next_boolean", "nextBoolean"),
    ],
)
def test_each_method_repeats_java(record: dict, java: JavaRandom, method: str, key: str) -> None:
    drawn = [getattr(java, method)() for _ in record[key]]
    assert drawn == record[key]
    assert {type(value) for value in drawn} == {type(value) for value in record[key]}


def test_floats_are_float32_values(record: dict, java: JavaRandom) -> None:
    assert [java.next_float() for _ in range(20)] == [float(np.float32(value)) for value in record["nextFloat"]]


def test_integers_leave_java_s_state(record: dict, java: JavaRandom) -> None:
    for _ in range(20):
        java.next_int()
    assert java.state == record["nextInt_state"]
    assert java.steps == 20


def test_bounded_integers_repeat_java_for_every_bound(record: dict) -> None:
    assert len(record["nextInt_bound"]) >= 13
    for bound, golden in record["nextInt_bound"].items():
        java = JavaRandom(int(record["seed_str"]))
        assert [java.next_int(int(bound)) for _ in golden] == golden
        assert java.state == record["nextInt_bound_state"][bound]


@pytest.mark.parametrize("vectorised", [False, True])
def test_calls_may_be_mixed_and_the_kept_gaussian_survives_them(
    record: dict, java: JavaRandom, vectorised: bool
) -> None:
    def gaussian() -> float:
        return float(java.gaussians(1)[0]) if vectorised else java.next_gaussian()

    golden = record["mixed"]
    drawn = [gaussian(), java.next_int(), gaussian(), java.next_int(), gaussian()]
    assert drawn == [golden[name] for name in ("g1", "i1", "g2", "i2", "g3")]
    java.set_seed(int(record["seed_str"]))
    assert gaussian() == golden["g4"]


def test_a_seed_above_2_to_the_53_is_not_rounded() -> None:
    assert JavaRandom(2**53 + 1).state == JavaRandom(1).state
    assert JavaRandom(2**53 + 1).state != JavaRandom(2**53).state


@given(seeds)
def test_an_unsigned_seed_is_the_other_spelling_of_a_negative_one(seed: int) -> None:
    assert JavaRandom(seed % 2**64).gaussians(3).tolist() == JavaRandom(seed).gaussians(3).tolist()


def test_numpy_integers_are_seeds_too() -> None:
    assert JavaRandom(np.int64(-7)).next_long() == JavaRandom(-7).next_long()


@given(seeds, st.lists(st.integers(0, 60), max_size=12))
def test_parts_and_single_draws_give_the_stream_that_one_call_gives(seed: int, parts: list[int]) -> None:
    whole = JavaRandom(seed)
    expected = whole.gaussians(sum(parts) + len(parts))
    java = JavaRandom(seed)
    pieces: list[float] = []
    for part in parts:
        pieces.extend(java.gaussians(part).tolist())
        pieces.append(java.next_gaussian())
    assert pieces == expected.tolist()
    assert (java.state, java.steps) == (whole.state, whole.steps)
    assert java.next_gaussian() == whole.next_gaussian()


def test_many_blocks_agree_with_draws_one_by_one() -> None:
    fast, slow = JavaRandom(2**61 + 9), JavaRandom(2**61 + 9)
    drawn = fast.gaussians(70_001)
    assert drawn.tolist() == [slow.next_gaussian() for _ in range(70_001)]
    assert (fast.state, fast.steps) == (slow.state, slow.steps)
    assert fast.next_gaussian() == slow.next_gaussian()


def test_no_attempt_is_made_beyond_the_last_pair_that_is_wanted() -> None:
    for seed in range(40):
        fast, slow = JavaRandom(seed), JavaRandom(seed)
        for n in range(1, 60, 2):
            drawn = [slow.next_gaussian() for _ in range(n)]
            assert fast.gaussians(n).tolist() == drawn
            assert (fast.state, fast.steps) == (slow.state, slow.steps)


def test_no_gaussians_leave_the_generator_alone() -> None:
    java = JavaRandom(1)
    first = java.next_gaussian()
    state = java.state
    assert java.gaussians(0).shape == (0,)
    assert java.state == state
    assert [first, java.next_gaussian()] == JavaRandom(1).gaussians(2).tolist()


@pytest.mark.slow
def test_the_13_million_gaussians_of_example_5_end_where_java_s_end() -> None:
    golden = GOLDENS["example05"]
    java = JavaRandom(golden["seed"])
    drawn = 0
    for cumulative, last, state, steps in zip(
        golden["gaussians_cumulative"],
        golden["last_gaussian_cumulative"],
        golden["lcg_state_cumulative"],
        golden["lcg_steps_cumulative"],
        strict=True,
    ):
        while drawn < cumulative:
            chunk = java.gaussians(min(100_000, cumulative - drawn))
            drawn += chunk.size
        assert chunk[-1] == last
        assert (java.state, java.steps) == (state, steps)
    assert bits(chunk[-2:]) == [golden["second_last_gaussian_bits"], golden["last_gaussian_bits"]]
    assert java.next_int() == golden["nextInt_after_the_end"]


@pytest.mark.parametrize("seed", [2**64, -(2**63) - 1, 10**30])
def test_a_seed_that_no_64_bits_hold_is_refused(seed: int) -> None:
    with pytest.raises(InputError, match=rf"seed is {seed}; it must fit into 64 bits"):
        JavaRandom(seed)


@pytest.mark.parametrize("seed", [1.0, "1", None, True, math.nan])
def test_a_seed_that_is_no_whole_number_is_refused(seed: object) -> None:
    with pytest.raises(InputError, match="seed must be an integer"):
        JavaRandom(seed)  # type: ignore[arg-type]


def test_a_refused_seed_leaves_the_stream_where_it_was() -> None:
    java = JavaRandom(9)
    java.next_gaussian()
    with pytest.raises(InputError):
        java.set_seed(2**70)
    assert java.next_gaussian() == JavaRandom(9).gaussians(2)[1]


@pytest.mark.parametrize("bound", [0, -1, 2**31])
def test_a_bound_outside_java_s_int_is_refused(bound: int) -> None:
    with pytest.raises(InputError, match=rf"bound is {bound}; it must lie between 1 and"):
        JavaRandom(1).next_int(bound)


@pytest.mark.parametrize("n", [-1, 1.5])
def test_a_count_below_zero_or_broken_is_refused(n: float) -> None:
    with pytest.raises(InputError, match="n "):
        JavaRandom(1).gaussians(n)  # type: ignore[arg-type]


JAVA_SOURCE = """
import java.util.Random;
public class Oracle {
    static long h;
    static void mix(long x) { h = h * 1000003L + x; }
    public static void main(String[] a) {
        for (String seed : a) {
            Random r = new Random(Long.parseLong(seed));
            StringBuilder out = new StringBuilder();
            for (int i = 0; i < 3000; i++) {
                switch (Math.floorMod(i * 7 + i / 5, 7)) {
                    case 0: out.append(r.nextInt()); break;
                    case 1: out.append(r.nextInt(i % 1000 + 1)); break;
                    case 2: out.append(r.nextLong()); break;
                    case 3: out.append(Long.toHexString(Double.doubleToRawLongBits(r.nextDouble()))); break;
                    case 4: out.append(Integer.toHexString(Float.floatToRawIntBits(r.nextFloat()))); break;
                    case 5: out.append(r.nextBoolean()); break;
                    default:
                        for (int g = 0; g < i % 17; g++)
                            out.append(Long.toHexString(Double.doubleToRawLongBits(r.nextGaussian()))).append(' ');
                }
                out.append(' ');
            }
            h = 17;
            Random bulk = new Random(Long.parseLong(seed));
            for (int i = 0; i < 300001; i++) mix(Double.doubleToRawLongBits(bulk.nextGaussian()));
            System.out.println(out + Long.toHexString(h));
        }
        for (int i = 0; i < 200000; i++) {
            long pattern = i * 0x9E3779B97F4A7C15L >>> 1;
            mix(Double.doubleToLongBits(StrictMath.log(Double.longBitsToDouble(pattern))));
        }
        System.out.println(Long.toHexString(h));
    }
}
"""


def float_hex(value: float, code: str, word: str) -> str:
    return f"{struct.unpack(word, struct.pack(code, value))[0]:x}"


def mixed_calls(seed: int) -> str:
    """Do what the loop of ``Oracle`` does, its runs of gaussians drawn at once."""
    java = JavaRandom(seed)
    words: list[str] = []
    for i in range(3000):
        match (i * 7 + i // 5) % 7:
            case 0:
                words.append(str(java.next_int()))
            case 1:
                words.append(str(java.next_int(i % 1000 + 1)))
            case 2:
                words.append(str(java.next_long()))
            case 3:
                words.append(float_hex(java.next_double(), "<d", "<Q"))
            case 4:
                words.append(float_hex(java.next_float(), "<f", "<I"))
            case 5:
                words.append(str(java.next_boolean()).lower())
            case _:
                words.append("".join(f"{float_hex(g, '<d', '<Q')} " for g in java.gaussians(i % 17)))
    return " ".join(words)


def digest(start: int, words: np.ndarray) -> int:
    value = start
    for word in words.view(np.int64).tolist():
        value = (value * 1000003 + word) % 2**64
    return value


def logarithm_digest(start: int) -> int:
    """Digest strict_log over floats of every size, subnormals, infinities and NaNs included."""
    patterns = (np.arange(200_000, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(1)
    logs = np.array([strict_log(x) for x in patterns.view(np.float64).tolist()])
    return digest(start, logs)


@pytest.mark.slow
def test_a_real_jdk_agrees_on_seeds_that_no_golden_holds(tmp_path: Path) -> None:
    if shutil.which("javac") is None or shutil.which("java") is None:
        pytest.skip("no JDK (java and javac) is installed: the generator was checked against recorded streams only")
    (tmp_path / "Oracle.java").write_text(JAVA_SOURCE, encoding="utf-8")
    subprocess.run(["javac", "-d", str(tmp_path), str(tmp_path / "Oracle.java")], check=True)
    chosen = [7, -(2**63), 2**63 - 1, -123456789123456789, 2**48 + 11]
    run = subprocess.run(
        ["java", "-cp", str(tmp_path), "Oracle", *map(str, chosen)], check=True, capture_output=True, text=True
    )
    *streams, logarithms = run.stdout.splitlines()
    last = 0
    for seed, stream in zip(chosen, streams, strict=True):
        last = digest(17, JavaRandom(seed).gaussians(300_001))
        assert stream == f"{mixed_calls(seed)} {last:x}"
    assert logarithms == f"{logarithm_digest(last):x}"
