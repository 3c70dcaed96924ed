"""What the long run makes of the memory that it measured."""

import pytest

from tests.journeys.long_run import growth


def test_memory_that_grows_until_the_end_is_told_with_both_figures():
    memory = [200.0, 200, 205, 210, 220, 225, 230, 235, 240, 250]
    assert growth(memory) == "memory grows: 222.5 MB in the third fifth of the run, 245.0 MB in the last"


@pytest.mark.parametrize(
    "memory",
    [
        pytest.param([100.0, 150, 200, 200, 205, 198, 210, 202, 205, 206], id="it grows only while caches fill"),
        pytest.param([200.0] * 12 + [260.0] + [200.0] * 2, id="a single moment holds large tables"),
        pytest.param([100.0, 120, 140, 160], id="the run was too short to say"),
        pytest.param([0.0] * 10, id="the system does not say"),
    ],
)
def test_nothing_is_said_where(memory):
    assert growth(memory) == ""
