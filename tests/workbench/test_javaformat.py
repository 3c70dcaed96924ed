"""Java's formats: halves go up, digits are the shortest, powers of ten where Java writes them."""

from __future__ import annotations

import math
import shutil
import subprocess
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from explorer.workbench.javaformat import array_text, double_text, fixed, float_text, grouped

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    ("value", "digits", "width", "text"),
    [
        (0.125, 2, 0, "0.13"),
        (-0.125, 2, 0, "-0.13"),
        (0.15, 1, 0, "0.2"),  # the nearest float64 lies below 0.15; Java rounds the decimal
        (2.5, 0, 0, "3"),
        (0.5, 0, 0, "1"),
        (1.005, 2, 0, "1.01"),
        (-0.001, 2, 6, " -0.00"),
        (1e20, 2, 0, "100000000000000000000.00"),
        (5e-324, 3, 0, "0.000"),
        (1.0, 3, 9, "    1.000"),
        (-math.inf, 3, 9, "-Infinity"),
        (math.inf, 1, 10, "  Infinity"),
        (math.nan, 3, 5, "  NaN"),
        (123456.0, 1, 3, "123456.0"),
    ],
)
def test_fixed(value: float, digits: int, width: int, text: str) -> None:
    assert fixed(value, digits, width) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (100.0, "100.0"),
        (2 / 3, "0.6666667"),
        (0.1, "0.1"),
        (1e-3, "0.001"),
        (9.99e-4, "9.99E-4"),
        (1.2341887e-4, "1.2341887E-4"),
        (9999999.0, "9999999.0"),
        (1e7, "1.0E7"),
        (1.5e-45, "1.4E-45"),
        (-3.4028235e38, "-3.4028235E38"),
        (math.inf, "Infinity"),
        (-math.inf, "-Infinity"),
        (math.nan, "NaN"),
    ],
)
def test_float_text(value: float, text: str) -> None:
    assert float_text(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.0, "4.0"),
        (54.598150033144236, "54.598150033144236"),
        (1.234308366358794e-4, "1.234308366358794E-4"),
        (5e-324, "4.9E-324"),
        (1.7976931348623157e308, "1.7976931348623157E308"),
        (8e9, "8.0E9"),
    ],
)
def test_double_text(value: float, text: str) -> None:
    assert double_text(value) == text


@given(st.floats(allow_nan=False))
def test_double_text_reads_back_as_the_same_number(value: float) -> None:
    text = double_text(value)
    assert float(text.replace("Infinity", "inf")) == value
    assert "." in text or "Infinity" in text


@given(st.floats(width=32, allow_nan=False))
def test_float_text_reads_back_as_the_same_float32(value: float) -> None:
    assert np.float32(float_text(value).replace("Infinity", "inf")) == np.float32(value)


@given(st.floats(-1e12, 1e12), st.integers(0, 9))
def test_fixed_is_within_half_a_unit_of_its_last_digit(value: float, digits: int) -> None:
    text = fixed(value, digits)
    assert abs(float(text) - value) <= 0.5 * 10.0**-digits * (1 + 1e-9) + math.ulp(value)
    assert len(text.partition(".")[2]) == digits


def test_arrays_and_groups() -> None:
    assert array_text([1.0, 0.5]) == "[1.0, 0.5]"
    assert array_text([2.0, 1e-4], double_text) == "[2.0, 1.0E-4]"
    assert array_text([]) == "[]"
    assert [grouped(n) for n in (0, 999, 1000, -4194304)] == ["0", "999", "1,000", "-4,194,304"]


JAVA_SOURCE = """
import java.util.Locale;
import java.util.Random;
public class Formats {
    public static void main(String[] a) {
        Random r = new Random(77);
        for (int i = 0; i < 4000; i++) {
            double d = r.nextGaussian() * Math.pow(10, r.nextInt(12) - 5);
            float f = (float) d;
            System.out.println(String.format(Locale.ROOT, "%.3f|%9.2f|%12.0f|%.3f|%,d", d, d, d, f, (long) (d * 1e6)));
        }
        for (int i = -400; i < 400; i++)
            System.out.println(String.format(Locale.ROOT, "%.2f|%.1f|%.0f", i / 200.0, i / 20.0, i / 2.0));
    }
}
"""


@pytest.mark.slow
def test_a_real_jdk_formats_alike(tmp_path: Path) -> None:
    from explorer.core.javarandom import JavaRandom

    if shutil.which("javac") is None or shutil.which("java") is None:
        pytest.skip("no JDK (java and javac) is installed: formats were checked against known texts only")
    (tmp_path / "Formats.java").write_text(JAVA_SOURCE, encoding="utf-8")
    subprocess.run(["javac", "-d", str(tmp_path), str(tmp_path / "Formats.java")], check=True)
    run = subprocess.run(["java", "-cp", str(tmp_path), "Formats"], check=True, capture_output=True, text=True)
    lines = iter(run.stdout.splitlines())
    java = JavaRandom(77)
    for _ in range(4000):
        value = java.next_gaussian() * 10.0 ** (java.next_int(12) - 5)
        single = float(np.float32(value))
        expected = [fixed(value, 3), fixed(value, 2, 9), fixed(value, 0, 12), fixed(single, 3)]
        assert next(lines) == "|".join([*expected, grouped(math.trunc(value * 1e6))])
    for i in range(-400, 400):
        assert next(lines) == "|".join([fixed(i / 200, 2), fixed(i / 20, 1), fixed(i / 2, 0)])
