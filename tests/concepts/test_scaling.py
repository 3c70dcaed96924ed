"""Tab 5: the spread of scores, what softmax makes of it, and what is left to learn from."""

import math
from pathlib import Path

import numpy as np
import pytest

from explorer.concepts.shown.plots import Plot
from explorer.core.dot_distribution import dot_density
from explorer.core.scaling import VANISHING
from explorer.ui.number_style import cell_text, exact_text
from tests.concepts.lesson_tab import LessonTab, close, printed

NONE, ROOT, WHOLE, MODEL = range(4)


class MeasuredTab(LessonTab):
    """The tab, with what is slow computed at once."""

    def measure(self) -> "MeasuredTab":
        while waiting := self.workbench.pending(self.slug):
            for one in waiting:
                assert self.workbench.deliver(self.slug, one.stage, one.key, one.compute())
        return self


@pytest.fixture(scope="module")
def measured() -> MeasuredTab:
    """Return the tab as it opens, measured; not to be changed."""
    return MeasuredTab("scaling").measure()


@pytest.fixture
def tab() -> MeasuredTab:
    """Return a small measurement that may be changed."""
    small = MeasuredTab("scaling")
    small.workbench.set_size("scaling", "pairs", 400)
    small.workbench.set_size("scaling", "trials", 40)
    small.edit("head_sizes", [(2, 0)], [256.0])
    return small.measure()


def test_the_tab_opens_on_the_lessons_figures(measured: MeasuredTab) -> None:
    assert [exact_text(value)[:4] for value in measured["spread"][:, 0]] == ["2.00", "8.23", "31.6"]
    assert measured["spread"][:, 0].round(2).tolist() == [2.0, 8.23, 31.67]
    assert measured["spread"][:, 1].tolist() == [2.0, 8.0, 32.0]
    assert [cell_text(value, 3) for value in measured["largest"][:, NONE]] == ["0.576", "0.875", "0.965"]
    assert [cell_text(value, 3) for value in measured["largest"][:, ROOT]] == ["0.369", "0.359", "0.358"]


def test_they_are_what_the_command_prints(measured: MeasuredTab, tmp_path: Path) -> None:
    told, arrays = printed(5).groups, measured.computed(tmp_path)
    outputs, pairs = told["outputs"], told["inputs"]["pairs"]
    assert close(np.asarray(arrays["spread"])[:, 0], outputs["std"])
    assert close(np.asarray(arrays["spread"])[:, 1], outputs["sqrt_d"])
    assert close(np.asarray(arrays["largest"])[:, NONE], outputs["maxRaw"])
    assert close(np.asarray(arrays["largest"])[:, ROOT], outputs["maxScaled"])
    for row, d in enumerate(told["inputs"]["dims"]):
        details = told["intermediates"][f"d{d}"]
        assert np.array_equal(np.asarray(arrays["draws"])[row, :pairs], details["pair_dots"])
        assert np.array_equal(np.asarray(arrays["draws"])[row, pairs:], np.ravel(details["trial_scores"]))


def test_without_the_division_softmax_starves_and_with_it_it_does_not(measured: MeasuredTab) -> None:
    jacobian, starved = measured["jacobian"], measured["starved"]
    assert [exact_text(value) for value in jacobian[:, NONE]] == ["0.369", "0.056", "3e−6"]
    assert (np.abs(jacobian[:, ROOT] - 0.366) < 0.01).all()
    assert starved[:, NONE].tolist() == [0.0, 0.188, 0.694]
    assert not starved[:, ROOT].any()
    assert VANISHING == 1e-3


def test_the_wrong_divisors_leave_shares_nearly_even(measured: MeasuredTab) -> None:
    even = 1 / 8
    assert (measured["largest"][1:, WHOLE] < 0.15).all()
    assert measured["largest"][0, MODEL] == pytest.approx(even, abs=0.01)
    assert (measured["largest"][:, ROOT] > 0.35).all()


def test_nothing_that_is_slow_is_computed_by_itself(tab: MeasuredTab) -> None:
    fresh = MeasuredTab("scaling")
    assert [one.stage for one in fresh.workbench.pending("scaling")] == ["draws"]
    assert "spread" not in fresh.workbench.results("scaling")
    tab.set("shown", 2)
    tab.set("divisor", "d_head")
    assert tab.workbench.pending("scaling") == [], "what is shown decides nothing that is drawn"
    tab.set("d_model", 64)
    assert tab.workbench.pending("scaling") == [], "the Jacobians of 500 trials take no longer than a frame"
    tab.set("seed", 6)
    assert [one.stage for one in tab.workbench.pending("scaling")] == ["draws"]


def test_another_seed_draws_others_even_where_a_float_could_not_tell_them_apart(tab: MeasuredTab) -> None:
    tab.set("seed", 2**62)
    first = tab.measure()["draws"]
    tab.set("seed", 2**62 + 1)
    assert not np.array_equal(tab.measure()["draws"], first)


# --- the plots ---


def histogram(tab: LessonTab) -> Plot:
    found = tab.model("scores_histogram")
    assert isinstance(found, Plot)
    return found


@pytest.mark.parametrize("row", range(3))
@pytest.mark.parametrize("divisor", ["none", "sqrt_d_head", "d_head", "sqrt_d_model"])
def test_bars_and_density_are_of_what_is_divided(tab: MeasuredTab, row: int, divisor: str) -> None:
    tab.set("shown", row)
    tab.set("divisor", divisor)
    plot = histogram(tab)
    d = int(tab["head_sizes"][row, 0])
    by = {"none": 1.0, "sqrt_d_head": math.sqrt(d), "d_head": d, "sqrt_d_model": 64.0}[divisor]
    (bars,) = plot.bars
    inside = np.abs(tab["draws"][row, :400]) <= 4 * math.sqrt(d)
    assert (bars.heights * np.diff(bars.edges)).sum() == pytest.approx(inside.sum() / 400)
    assert bars.edges[[0, -1]] == pytest.approx([-4 * math.sqrt(d) / by, 4 * math.sqrt(d) / by])
    exact = plot.series[0]
    assert exact.name == "exact density"
    for at in (0.3, 0.9):
        x = plot.x.value(at)
        assert exact.read(x, plot.x, plot.y) == pytest.approx(float(dot_density([x], d, by)[0]))
    assert np.trapezoid(exact.y, exact.x) == pytest.approx(1, abs=0.01)


def test_at_four_numbers_the_density_is_not_normal_and_at_1024_nearly(measured: MeasuredTab) -> None:
    assert [one.name for one in histogram(measured).series] == ["exact density", "normal"]
    apart = []
    for d in (4, 1024):
        deviation = math.sqrt(d)
        normal = 1 / (deviation * math.sqrt(2 * math.pi))
        apart.append(float(dot_density([0.0], d)[0]) / normal)
    assert apart[0] == pytest.approx(1.2533, abs=1e-3)
    assert apart[1] == pytest.approx(1, abs=1e-3)
    exact, bell = (one.read(1e-9, histogram(measured).x, histogram(measured).y) for one in histogram(measured).series)
    assert exact is not None
    assert bell is not None
    assert exact / bell == pytest.approx(apart[0], abs=1e-3)


def test_the_plots_stand_before_anything_is_drawn() -> None:
    fresh = MeasuredTab("scaling")
    plot, growth = histogram(fresh), fresh.model("spread_curve")
    assert not plot.bars[0].heights.any()
    assert plot.readings(0.0)[0] == ("drawn", "")
    assert len(plot.series) == 2
    assert "drawn" in plot.note
    assert [(one.name, len(one.x)) for one in growth.series] == [("√d_head", 2), ("measured", 0)]
    fresh.measure()
    assert [one[0] for one in histogram(fresh).readings(0.0)] == [one[0] for one in plot.readings(0.0)]


def test_few_draws_have_bars_as_high_as_they_are(tab: MeasuredTab) -> None:
    usual = histogram(tab).y.high
    tab.workbench.set_size("scaling", "pairs", 3)
    plot = histogram(tab.measure())
    assert plot.bars[0].heights.max() <= plot.y.high
    assert plot.y.high > usual


def test_measured_spreads_lie_on_the_root_and_divided_ones_at_one(tab: MeasuredTab) -> None:
    tab.set("divisor", "sqrt_d_head")
    growth = tab.model("spread_curve")
    root, raw, divided = growth.series
    assert root.read(64, growth.x, growth.y) == 8
    for d, spread in zip(raw.x, raw.y, strict=True):
        assert spread == pytest.approx(math.sqrt(d), rel=0.15)
    assert divided.y == pytest.approx(1, rel=0.15)


# --- what is typed ---


def test_a_head_size_that_spreads_between_ten_and_twelve_does_the_task(tab: MeasuredTab) -> None:
    assert not tab.task(0)
    tab.edit("head_sizes", [(0, 0)], [121.0])
    tab.measure()
    assert tab.task(0)


@pytest.mark.parametrize(
    ("value", "said"),
    [(4.5, "holds a whole number; 4.5 is none"), (0.0, "from 1 to 4096"), (5000.0, "from 1 to 4096")],
)
def test_a_head_size_that_no_head_has_is_refused(tab: MeasuredTab, value: float, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        tab.edit("head_sizes", [(0, 0)], [value])


def test_more_than_anybody_would_wait_for_is_refused_in_one_sentence(tab: MeasuredTab) -> None:
    tab.workbench.set_size("scaling", "trials", 20_000)
    with pytest.raises(ValueError, match=r"scores for each head size are more than 200,000"):
        tab.workbench.set_size("scaling", "keys", 64)
    with pytest.raises(ValueError, match=r"million random numbers; at most 200 million"):
        tab.edit("head_sizes", [(0, 0), (1, 0), (2, 0)], [4096.0] * 3)


def test_sizes_grow_with_the_lessons_first(tab: MeasuredTab) -> None:
    tab.workbench.set_size("scaling", "n_sizes", 5)
    assert tab["head_sizes"][:, 0].tolist() == [4, 64, 256, 16, 256]
    assert tab.measure()["largest"].shape == (5, 4)
    tab.workbench.set_size("scaling", "n_sizes", 1)
    tab.set("shown", 0)
    assert tab.measure()["spread"].shape == (1, 2)


def test_the_smallest_measurement_is_one(tab: MeasuredTab) -> None:
    for name in ("n_sizes", "pairs", "trials", "keys"):
        tab.workbench.set_size("scaling", name, 1)
    tab.edit("head_sizes", [(0, 0)], [1.0])
    tab.measure()
    assert tab["largest"].tolist() == [[1.0] * 4]
    assert tab["jacobian"].tolist() == [[0.0] * 4]
    assert tab["starved"].tolist() == [[1.0] * 4]
    plot = histogram(tab)
    assert np.isfinite(plot.series[0].y).all()


def test_the_trace_of_a_spread_tells_the_sum_of_squares(measured: MeasuredTab) -> None:
    told = measured.trace("spread", 2, 0)
    assert "more" in told
    assert "÷ 2000) = 31.673" in told.replace("\n", " ")
    assert "√(1024) = 32" in measured.trace("spread", 2, 1)
    assert "÷ 500 = 0.576" in measured.trace("largest", 0, 0)
    assert "94 ÷ 500 = 0.188" in measured.trace("starved", 1, 0)
