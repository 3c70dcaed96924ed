"""Tab 12: what the app itself shows of a model's cost, for the lesson's shape and for any other."""

from pathlib import Path

import numpy as np
import pytest

from explorer.concepts import evaluation
from explorer.concepts.costing import cost_plots, cost_study
from explorer.concepts.declaration import Tile
from explorer.core import cost_curves, cost_explain
from explorer.core.expression import evaluate
from explorer.models import catalogue, costing
from explorer.workbench import plot_data
from tests.concepts.lesson_tab import LessonTab, printed

VIEWS = ("flops", "generation", "cache", "bytes", "roofline")
MODELS = [entry.name for entry in catalogue.entries()]


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("cost")


def tiles(tab: LessonTab) -> dict[str, Tile]:
    return {tile.label: tile for tile in tab.model("heroes")}


def texts(tab: LessonTab) -> list[list[str]]:
    return [[entry.text for entry in row] for row in tab.model("table").rows]


# ------------------------------------------------------------------------------------------------- the lesson's shape


def test_the_two_crossings_are_what_is_read_first(tab: LessonTab) -> None:
    shown = tab.model("heroes")
    assert [(tile.label, tile.value) for tile in shown[:2]] == [
        ("prefill: attention = all matrices at", "61,034 tokens"),
        ("decode step: attention = matrices at", "30,518 tokens"),
    ]
    assert [point.label for point in tab.model("plot").crossings] == [
        "61,034 in prefill",
        "30,518 in decode",
    ]


def test_the_table_has_the_digits_of_the_lesson(tab: LessonTab) -> None:
    rows = texts(tab)
    for row, line in zip(rows, printed(12).printed_lines[1:], strict=True):
        words = line.split()
        n, figures = words[0], [f"{number} {unit}" for number, unit in zip(words[1::2], words[2::2], strict=True)]
        assert row[0].replace(",", "") == n
        assert [text.replace(",", "") for text in row[1:5]] == figures
    assert rows[1][:5] == ["8,192", "17.6 TFLOP", "131.1 TFLOP", "4.3 GFLOP", "16.0 GFLOP"]
    assert [row[5] for row in rows] == ["128 MiB", "1 GiB", "4 GiB", "16 GiB"]


def test_the_chosen_context_stands_once_in_its_place(tab: LessonTab) -> None:
    def contexts() -> tuple[list[str], int]:
        return [row[0] for row in texts(tab)], tab.model("table").strong

    assert contexts() == (["1,024", "8,192", "32,768", "131,072"], 1)
    tab.set("context", 20_000)
    assert contexts() == (["1,024", "8,192", "20,000", "32,768", "131,072"], 2)
    tab.set("context", 131_072)
    assert contexts() == (["1,024", "8,192", "32,768", "131,072"], 3)


def test_numbers_compute_and_the_screen_agree(tab: LessonTab, tmp_path: Path) -> None:
    told, arrays = printed(12).groups, tab.computed(tmp_path)
    assert arrays["contexts"] == told["inputs"]["n"]
    for name, value in told["outputs"].items():
        assert arrays[name] == value, name
    shown = [[entry.value for entry in row] for row in tab.model("table").rows]
    for column, name in enumerate(
        ("prefill_attention_flops", "prefill_weight_flops", "decode_attention_flops", "decode_weight_flops"), start=1
    ):
        assert [row[column] for row in shown] == told["outputs"][name]


def test_a_roofline_on_linear_axes_reaches_beyond_its_ridge(tab: LessonTab) -> None:
    tab.set("view", "roofline")
    tab.set("axes", "linear")
    plot = tab.model("plot")
    assert (plot.x.logarithmic, plot.y.logarithmic, plot.x.low, plot.y.low) == (False, False, 0, 0)
    (ridge,) = (line.at for line in plot.lines)
    assert plot.x.low < ridge < plot.x.high
    assert plot.series[0].y.max() < plot.y.high
    decode = next(point for point in plot.crossings if point.label.startswith("decode step"))
    assert 0 < plot.x.share(decode.x) < 0.1


def test_one_attention_curve_stands_for_all_three(tab: LessonTab) -> None:
    plot = tab.model("plot")
    assert [one.name for one in plot.series] == [
        "prefill matrices",
        "decode matrices",
        "prefill attention, all three",
        "decode attention, all three",
    ]
    shared = tiles(tab)["scores and mix, all three"]
    assert shared.value == "MHA = GQA = MQA"
    assert shared.detail == "P differs: MHA 8.81 B, GQA 8 B, MQA 7.77 B"


def test_decode_does_as_many_flops_per_byte_as_there_are_query_heads_per_kv_head(tab: LessonTab) -> None:
    tab.set("view", "roofline")
    shown = tiles(tab)["decode attention does"]
    assert (shown.value, shown.detail) == (
        "4 FLOPs per byte",
        "as many as query heads per KV head,\nat 16 bits: 32 ÷ 8",
    )
    labels = [point.label for point in tab.model("plot").crossings]
    assert labels[:3] == ["MHA 1", "decode attention, GQA: 4 FLOP/B", "decode step: 1.19"]
    assert "MQA 32" in labels
    tab.set("cache_k", "q8_0")
    assert tiles(tab)["decode attention does"].detail.endswith("32 ÷ 8 × 16 ÷ 8.5")


@pytest.mark.parametrize("model", ["Qwen3 Next 80B A3B", "DeepSeek V3.2", "Gemma 3 4B"])
def test_the_dot_of_decode_attention_is_the_number_of_its_tile(tab: LessonTab, model: str) -> None:
    tab.set("view", "roofline")
    tab.set("model", model)
    said = tiles(tab)["decode attention does"].value.removesuffix(" FLOPs per byte")
    dots = [point for point in tab.model("plot").crossings if point.label.startswith("decode attention, ")]
    assert [f"{dot.x:,.4g}" for dot in dots] == [said]


def test_a_decode_step_reads_as_much_cache_as_weights_from_here_on(tab: LessonTab) -> None:
    tab.set("view", "bytes")
    assert tiles(tab)["as many bytes of cache as of weights at"].value == "122,070 tokens"
    assert "16,000,000,000 ÷ 131,072 = 122070.3125" in tab.trace("crossover_n_bytes")
    assert "16,000,000,000 ÷ 131,072 = 122070.3125" in tab.trace("crossover_n_bytes")
    assert tiles(tab)["from memory at most"].value == "5.86 tokens/s"
    assert tab["decode_bytes"] == 16e9 + 2**30


def test_each_memory_says_until_where_it_lasts(tab: LessonTab) -> None:
    tab.set("view", "cache")
    rows = texts(tab)
    assert [row[0] for row in rows] == ["8 GiB", "16 GiB", "24 GiB", "80 GiB", "141 GB", "yours, 32 GiB"]
    assert [row[3] for row in rows] == ["no token", "9,001", "74,537", "533,289", "953,674", "140,073"]
    assert rows[0][1] == "6.90 GiB short"
    assert tiles(tab)["yours, 32 GiB: full at"].value == "140,073 tokens"
    assert "(25,769,803,776 − 16,000,000,000) ÷ 131,072 = 74537.687" in tab.trace("full_at", 2)


def test_a_generation_adds_its_decode_steps_to_its_prompt(tab: LessonTab) -> None:
    tab.set("view", "generation")
    tab.set("new_tokens", 1)
    assert float(tab["generation_attention"]) == float(tab["prefill_attention"])
    tab.set("new_tokens", 512)
    assert float(tab["generation_attention"]) == 524_288 * 8703 * 8704 // 2
    assert tiles(tab)["of it matrices"].value == "139.2 TFLOP"


def test_the_task_is_done_by_a_long_context_and_not_by_a_model_of_unknown_size(tab: LessonTab) -> None:
    assert not tab.task(0)
    tab.set("context", 122_071)
    assert tab.task(0)
    tab.set("model", "DeepSeek V4 Flash")
    assert not tab.task(0)


# ----------------------------------------------------------------------------------------------- formulas opened


def test_every_figure_opens_into_its_formula_term_by_term(tab: LessonTab) -> None:
    assert "32 × 2 × (128 + 128) × 32 × 8,192 × 8,193 ÷ 2 = 17,594,333,528,064" in tab.trace("prefill_attention")
    assert "17.59 TFLOP" in tab.trace("prefill_attention")
    assert "4 × 8,000,000,000 ÷ (32 × 2 × (128 + 128) × 32) − 1 = 61034.156" in tab.trace("crossover_n_prefill")
    tab.set("model", "Gemma 3 12B")
    tab.set("context", 32_768)
    assert tab.trace("cache_bytes").splitlines()[1:] == [
        "40 × window 1,024: 40 × 8 × (256 × 2 + 256 × 2) × 1,024 = 335,544,320",
        "8 × full attention: 8 × 8 × (256 × 2 + 256 × 2) × 32,768 = 2,147,483,648",
        "335,544,320 + 2,147,483,648 = 2,483,027,968   = 2.31 GiB",
    ]


def test_every_entry_of_the_table_and_every_tile_leads_to_a_cell_that_holds_it(tab: LessonTab) -> None:
    for view in VIEWS:
        tab.set("view", view)
        for row in tab.model("table").rows:
            for entry in row:
                if entry.cell is not None:
                    name, index = entry.cell
                    found = float(tab[name][index])
                    assert int(found) == int(entry.value or 0), (view, name)
        for tile in tab.model("heroes"):
            if tile.cell is not None:
                assert tab.trace(tile.cell[0], *tile.cell[1])


# -------------------------------------------------------------------------------------------------- any other model


@pytest.mark.parametrize("name", MODELS)
def test_every_published_model_is_shown_in_every_view(name: str) -> None:
    tab = LessonTab("cost")
    tab.set("model", name)
    report = costing.report(name, context=8192)
    for figure, stage in (("cache_bytes", "cache_bytes"), ("prefill_attention_flops", "prefill_attention")):
        found = tab.workbench.results("cost").get(stage)
        assert report[figure] == (None if found is None else int(found)), figure
    for view in VIEWS:
        tab.set("view", view)
        for axes in ("log", "linear"):
            tab.set("axes", axes)
            plot = tab.model("plot")
            assert plot.empty == (not plot.series)
            assert plot.series or plot.note
            for one in plot.series:
                assert len(one.x) == len(one.y) >= 2
                assert not np.isnan(one.y).any()
            if plot.cursor is not None:
                assert plot.readings(plot.cursor)
        assert tab.model("heroes")
        assert tab.model("table").rows
    strip = tab.model("layers")
    assert sum(times for _, times in strip.runs) == report["n_layer"]


def test_a_figure_that_is_not_known_is_no_number_and_has_its_sentence(tab: LessonTab) -> None:
    tab.set("model", "DeepSeek V4 Flash")
    assert "prefill_weights" not in tab.workbench.results("cost")
    assert tiles(tab)["prefill: attention = all matrices at"].value == "not known"
    entry = tab.model("table").rows[0][2]
    assert (entry.text, entry.value) == ("—", None)
    assert entry.says.startswith("The parameters of deepseek_v4 are not known")
    assert tab.model("plot").empty
    assert "compressed keys" in tab.model("plot").note
    assert entry.says in tab.model("layers").notes


def test_layers_are_told_apart_by_what_their_caches_do(tab: LessonTab) -> None:
    expected = {
        "Gemma 3 12B": ["40 saturate at 1,024", "8 grow"],
        "Nemotron H 56B": ["54 stay constant", "54 keep nothing", "10 grow"],
        "DeepSeek V3": ["61 grow (latent)"],
        "Falcon Mamba 7B": ["64 stay constant"],
    }
    for name, labels in expected.items():
        tab.set("model", name)
        assert [kind.label for kind in tab.model("layers").kinds] == labels
    tab.set("model", "Gemma 3 12B")
    tab.set("view", "cache")
    assert [one.name for one in tab.model("plot").series if one.style == "dotted"] == [
        "this model: grows",
        "this model: saturates",
    ]


def test_a_token_adds_to_the_layers_whose_windows_are_not_full_alone(tab: LessonTab) -> None:
    tab.set("model", "Gemma 3 12B")
    tab.set("view", "cache")
    assert tiles(tab)["KV cache at 8,192 tokens"].detail == "64 KiB more with each token"
    tab.set("context", 100)
    assert tiles(tab)["KV cache at 100 tokens"].detail == "384 KiB more with each token"
    tab.set("model", "Falcon Mamba 7B")
    assert tiles(tab)["Whole cache at 100 tokens"].detail == "however long the text becomes"


def test_the_models_own_variant_is_marked(tab: LessonTab) -> None:
    tab.set("view", "cache")
    for name, own in (
        ("lesson", "GQA, 8 KV heads (this model)"),
        ("Llama 2 7B", "MHA, 32 KV heads (this model)"),
        ("StarCoder 15B", "MQA, 1 KV head (this model)"),
        ("DeepSeek V3", "MLA (this model)"),
    ):
        tab.set("model", name)
        series = {one.name: one for one in tab.model("plot").series}
        assert series[own].style == "line"
        assert sum(one.style == "line" for one in series.values()) == 1
        assert len(series) >= 3


@pytest.mark.parametrize("name", ["lesson", "Gemma 3 12B", "Jamba 1.5 Mini", "DeepSeek V3.2", "Llama 4 Scout"])
@pytest.mark.parametrize("view", ["flops", "generation", "cache", "bytes"])
def test_curves_pass_through_the_exact_figures_that_the_cursor_reads(name: str, view: str) -> None:
    tab = LessonTab("cost")
    tab.set("model", name)
    tab.set("view", view)
    for batch, pairs, head in ((1, "causal", "all"), (3, "square", "last")):
        tab.set("batch", batch)
        tab.set("pairs", pairs)
        tab.set("head", head)
        for one in tab.model("plot").series:
            for at in (0, 100, 300, -1):
                assert one.at is not None
                assert float(one.y[at]) == pytest.approx(one.at(float(one.x[at])), rel=1e-9), one.name


def test_crossings_lie_on_both_curves(tab: LessonTab) -> None:
    for name in ("lesson", "Gemma 3 12B", "DeepSeek V3", "gpt-oss 20B"):
        tab.set("model", name)
        for per_token in (False, True):
            tab.set("per_token", per_token)
            for pairs in ("causal", "square"):
                tab.set("pairs", pairs)
                plot = tab.model("plot")
                series = {one.name.partition(",")[0]: one for one in plot.series}
                for point in plot.crossings:
                    phase = point.label.rpartition(" ")[2]
                    for part in ("attention", "matrices"):
                        found = series[f"{phase} {part}"].read(point.x, plot.x, plot.y)
                        assert found == pytest.approx(point.y, rel=2e-4), (name, point.label, part)


def test_512_contexts_go_from_1_to_10_million() -> None:
    for logarithmic in (True, False):
        axis = cost_study.contexts(cost_study.LONGEST, logarithmic=logarithmic)
        assert (axis[0], axis[-1]) == (1, 10_000_000)
        assert len(axis) <= 512
        assert set(axis) == set(cost_curves.context_axis(512, logarithmic=logarithmic))


def test_a_linear_axis_reaches_what_matters_and_the_chosen_context(tab: LessonTab) -> None:
    tab.set("axes", "linear")
    assert tab.model("plot").x.high == 100_000
    tab.set("context", 9_000_000)
    assert tab.model("plot").x.high == 10_000_000


# ----------------------------------------------------------------------------------------------------------- export


def test_what_a_plot_draws_can_be_written_as_numbers(tab: LessonTab) -> None:
    plot = tab.model("plot")
    curves, points = plot_data.tables(plot)
    assert curves.headings == ("context, tokens", *(one.name for one in plot.series))
    assert len(curves.rows) == len(plot.series[0].x)
    assert float(curves.rows[-1][3]) == plot.series[2].y[-1]
    assert [row[2] for row in points.rows] == ["61,034 in prefill", "30,518 in decode"]
    assert float(points.rows[0][0]) == 61034.15625
    text = plot_data.csv_text(plot)
    names = 'prefill matrices,decode matrices,"prefill attention, all three","decode attention, all three"'
    assert text.splitlines()[0] == f'"context, tokens",{names}'
    assert plot_data.clipboard_text(plot).splitlines()[1].split("\t") == list(curves.rows[0])


def test_terms_of_every_stage_hold_for_a_model_of_every_kind_of_layer() -> None:
    for name in ("Gemma 3 12B", "Nemotron H 56B", "DeepSeek V3.2", "OpenELM 1.1B", "Llama 4 Scout", "T5 Base"):
        tab = LessonTab("cost")
        tab.set("model", name)
        situation, results = tab.workbench.state("cost").situation, tab.workbench.results("cost")
        for stage in tab.concept.stages:
            if stage.name not in results:
                continue
            for index in np.ndindex(*results[stage.name].shape):
                found = evaluate(evaluation.explain(tab.concept, situation, results, stage.name, index))
                assert found == pytest.approx(float(results[stage.name][index]), rel=1e-9), (name, stage.name)


def test_figures_of_the_tab_are_those_of_the_core_by_name() -> None:
    known = set(cost_explain.FIGURES)
    names = {"params", "kv_bytes", "cache_bytes", "prefill_attention_flops", "decode_weight_flops"}
    assert names <= known
    assert cost_plots.context_text(10_000_000) == "10 M"
    assert [cost_plots.context_text(n) for n in (1, 999, 8192, 10_000, 30_518, 131_072)] == [
        "1",
        "999",
        "8,192",
        "10 k",
        "30,518",
        "131,072",
    ]


def test_a_tile_claims_a_quotient_only_where_the_crossing_is_one(tab: LessonTab) -> None:
    tab.set("view", "bytes")
    label = "as many bytes of cache as of weights at"
    assert tiles(tab)[label].detail == "14.90 GiB ÷ 128 KiB a token"
    tab.set("batch", 4)
    assert (tiles(tab)[label].value, tiles(tab)[label].detail) == ("30,518 tokens", "14.90 GiB ÷ 512 KiB a token")
    tab.set("model", "Llama 4 Scout")
    assert tiles(tab)[label].detail == "the first context where it is so"
    tab.set("view", "flops")
    assert tiles(tab)["prefill: attention = all matrices at"].detail == "the first context where it does"


def test_a_cache_that_is_more_than_keys_and_values_is_not_called_kv_cache(tab: LessonTab) -> None:
    tab.set("view", "cache")
    assert "KV cache at 8,192 tokens" in tiles(tab)
    assert tab.model("plot").title == "KV cache against context"
    tab.set("model", "Qwen3 Next 80B A3B")
    assert tiles(tab)["Whole cache at 8,192 tokens"].value == "266.2 MiB"
    assert tab.model("plot").title == "Whole cache against context"
