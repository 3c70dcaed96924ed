"""Example 5 in NumPy and in Java, side by side: `pytest tests/benchmarks --benchmark-enable` compares them.

Both draw the same 13,104,000 gaussians from the same stream and must come to the same figures.
"""

from __future__ import annotations

import math
import subprocess
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from explorer.core import lesson, scaling
from explorer.ui import bench_rivals

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

SIZES = lesson.SCALING


def in_numpy() -> list[tuple[float, float, float]]:
    measured = scaling.measure(SIZES.head_sizes, SIZES.pairs, SIZES.trials, SIZES.keys, SIZES.seed)
    return [
        (one.std, one.concentrations["none"].mean_largest, one.concentrations["sqrt_d_head"].mean_largest)
        for one in measured
    ]


@pytest.fixture
def java_command(tmp_path: Path) -> list[str]:
    sizes = [SIZES.seed, SIZES.pairs, SIZES.trials, SIZES.keys, *SIZES.head_sizes]
    command = bench_rivals.java_command(tmp_path, sizes)
    if command is None:
        pytest.skip("no JDK (java and javac) is installed: nothing to compare with")
    return command


@pytest.mark.benchmark(group="example 5")
def test_numpy(benchmark: BenchmarkFixture) -> None:
    figures = benchmark(in_numpy)
    assert [round(std, 2) for std, _, _ in figures] == [2.0, 8.23, 31.67]


@pytest.mark.slow
@pytest.mark.benchmark(group="example 5")
def test_java(benchmark: BenchmarkFixture, java_command: list[str]) -> None:
    run = benchmark(subprocess.run, java_command, check=True, capture_output=True, text=True)
    of_java = [tuple(map(float, line.split())) for line in run.stdout.splitlines()]
    for java, numpy in zip(of_java, in_numpy(), strict=True):
        assert java[0] == numpy[0]
        assert all(math.isclose(a, b, rel_tol=1e-12) for a, b in zip(java, numpy, strict=True))


@pytest.mark.slow
def test_it_never_holds_more_than_a_few_chunks() -> None:
    in_numpy()
    tracemalloc.start()
    in_numpy()
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 12 * 2**20
