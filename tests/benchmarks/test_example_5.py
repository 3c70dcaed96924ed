"""Example 5 in NumPy and in Java, side by side: `pytest tests/benchmarks --benchmark-enable` compares them.

Both draw the same 13,104,000 gaussians from the same stream and must come to the same figures.
"""

from __future__ import annotations

import math
import shutil
import subprocess
import tracemalloc
from typing import TYPE_CHECKING

import pytest

from explorer.core import lesson, scaling

if TYPE_CHECKING:
    from pathlib import Path

    from pytest_benchmark.fixture import BenchmarkFixture

SIZES = lesson.SCALING
JAVA_SOURCE = """
import java.util.Random;
public class Spread {
    private final Random stream;
    private final int width;

    private Spread(Random stream, int width) {
        this.stream = stream;
        this.width = width;
    }

    private double score() {
        double total = 0;
        for (int left = width; left > 0; left--) total += stream.nextGaussian() * stream.nextGaussian();
        return total;
    }

    private double rootMeanSquare(int count) {
        double squares = 0;
        for (int left = count; left > 0; left--) {
            double one = score();
            squares += one * one;
        }
        return Math.sqrt(squares / count);
    }

    private double[] meanLargest(int rounds, int keys) {
        double plain = 0, divided = 0;
        double[] row = new double[keys];
        for (int left = rounds; left > 0; left--) {
            for (int key = 0; key < keys; key++) row[key] = score();
            plain += largest(row, 1);
            divided += largest(row, Math.sqrt(width));
        }
        return new double[] {plain / rounds, divided / rounds};
    }

    private static double largest(double[] row, double by) {
        double top = row[0], powers = 0;
        for (double one : row) top = Math.max(top, one);
        for (double one : row) powers += Math.exp((one - top) / by);
        return 1 / powers;
    }

    public static void main(String[] sizes) {
        Random stream = new Random(Long.parseLong(sizes[0]));
        int pairs = Integer.parseInt(sizes[1]), trials = Integer.parseInt(sizes[2]), keys = Integer.parseInt(sizes[3]);
        for (int i = 4; i < sizes.length; i++) {
            Spread spread = new Spread(stream, Integer.parseInt(sizes[i]));
            double root = spread.rootMeanSquare(pairs);
            double[] means = spread.meanLargest(trials, keys);
            System.out.println(root + " " + means[0] + " " + means[1]);
        }
    }
}
"""


def in_numpy() -> list[tuple[float, float, float]]:
    measured = scaling.measure(SIZES.head_sizes, SIZES.pairs, SIZES.trials, SIZES.keys, SIZES.seed)
    return [
        (one.std, one.concentrations["none"].mean_largest, one.concentrations["sqrt_d_head"].mean_largest)
        for one in measured
    ]


@pytest.fixture
def java_command(tmp_path: Path) -> list[str]:
    if shutil.which("javac") is None or shutil.which("java") is None:
        pytest.skip("no JDK (java and javac) is installed: nothing to compare with")
    source = tmp_path / "Spread.java"
    source.write_text(JAVA_SOURCE, encoding="utf-8")
    subprocess.run(["javac", "-d", str(tmp_path), str(source)], check=True)
    sizes = [SIZES.seed, SIZES.pairs, SIZES.trials, SIZES.keys, *SIZES.head_sizes]
    return ["java", "-cp", str(tmp_path), "Spread", *map(str, sizes)]


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
