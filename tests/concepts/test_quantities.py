"""Large counts as they are read: GiB are powers of two, GB powers of ten, and no digit claims more than there is."""

import pytest

from explorer.concepts.shown import quantities


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0 B"),
        (1023, "1,023 B"),
        (2**17, "128 KiB"),
        (2**30, "1 GiB"),
        (16e9, "14.90 GiB"),
        (1.5 * 2**40, "1.50 TiB"),
        (5000 * 2**40, "5,000 TiB"),
    ],
)
def test_bytes_are_written_in_powers_of_two(value: float, text: str) -> None:
    assert quantities.number_of_bytes(value) == text


def test_bytes_of_a_memory_or_a_link_are_written_in_powers_of_ten() -> None:
    assert quantities.decimal_bytes(16e9) == "16 GB"
    assert quantities.decimal_bytes(141e9) == "141 GB"


@pytest.mark.parametrize(
    ("value", "total", "step"),
    [
        (2.751463424e11, "0.3 TFLOP", "275.1 GFLOP"),
        (4.503633987108864e15, "4,503.6 TFLOP", "4,503.6 TFLOP"),
        (5.36870912e8, "0.5 GFLOP", "0.5 GFLOP"),
        (12.0, "12 FLOP", "12 FLOP"),
    ],
)
def test_flops_are_written_as_the_lessons_table_does(value: float, total: str, step: str) -> None:
    assert quantities.tera(value) == total
    assert quantities.giga(value) == step


def test_flops_are_written_in_the_largest_unit_that_they_fill() -> None:
    assert quantities.flops(17_594_333_528_064) == "17.59 TFLOP"
    assert quantities.flops(999_600_000_000) == "1.00 TFLOP"
    assert quantities.flops(2.62e19) == "26.20 EFLOP"


def test_parameters_are_written_as_models_are_named() -> None:
    assert quantities.short_parameters(8_030_261_248) == "8.03 B"
    assert quantities.short_parameters(494_032_768) == "494.0 M"
    assert quantities.parameters(8_000_000_000) == "8 billion"


def test_a_note_behind_full_digits_says_something_that_they_do_not() -> None:
    assert quantities.in_words(1_073_741_824, "B") == "1 GiB"
    assert quantities.in_words(8192, "B") == ""
    assert quantities.in_words(30_517.578, "tokens") == ""
    assert quantities.in_words(float("inf"), "B") == ""
