"""Tab 8: three ways to compute one head that agree, what each stores, and a product drawn in three ways."""

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from explorer.concepts import matrix_form
from explorer.concepts.shown.parts import Cut, Parts
from explorer.core.blockwise import attend_blockwise
from explorer.workbench.state import part_reached, stops
from tests.concepts.lesson_tab import LessonTab, close, printed

PICTURES = [(product, drawn) for product in ("scores", "output") for drawn in ("dots", "outer", "blocks")]


@pytest.fixture
def tab() -> LessonTab:
    return LessonTab("matrix-form")


def shown_tiles(tab: LessonTab) -> dict[str, tuple[str, str]]:
    return {tile.label: (tile.value, tile.detail) for tile in tab.model("compared")}


def cuts(parts: Parts) -> list[Cut]:
    """Return every table of a picture, those that meet others too."""
    found = [item for part in parts.parts for item in part.items if isinstance(item, Cut)]
    found += [item for item in parts.result if isinstance(item, Cut)]
    return [*found, *(other for one in found for other in (one.above, one.before) if other is not None)]


def pictured(tab: LessonTab, product: str, drawn: str) -> Parts:
    tab.set("product", product)
    tab.set("drawn", drawn)
    model = tab.model("picture")
    assert isinstance(model, Parts)
    return model


def test_the_tab_opens_on_the_lessons_numbers(tab: LessonTab, tmp_path: Path) -> None:
    told, arrays = printed(8).groups, tab.computed(tmp_path)
    between, out = told["intermediates"], told["outputs"]
    for name in ("x", "Wq", "Wk", "Wv", "q", "k", "v"):
        assert close(arrays[name], between[name]), name
    assert close(arrays["kT"], between["k_transposed"])
    assert close(arrays["scores"], between["raw_scores"])
    assert close(arrays["scaled"], between["scaled_scores"])
    assert close(arrays["loop_output"], between["loop_outputs"])
    assert close(arrays["weights"], out["attention_matrix"])
    assert close(arrays["output"], out["outputs"])
    assert np.array_equal(np.isneginf(tab["masked"]), np.isneginf(between["masked_scores"]))


def test_the_largest_difference_in_32_bits_is_the_lessons_to_the_last_bit(tab: LessonTab) -> None:
    out = printed(8).groups["outputs"]
    assert tab["agreement"][1] == out["max_diff_to_loop"]
    assert out["below_1e-6"]
    assert shown_tiles(tab)["largest difference"] == ("3.4 · 10⁻¹⁸", "in 32 bits 7.2 · 10⁻⁸")
    assert next(tile.tone for tile in tab.model("compared")) == "good"


def test_whole_loop_and_blocks_agree_up_to_rounding(tab: LessonTab) -> None:
    assert np.abs(tab["output"] - tab["loop_output"]).max() < 1e-15
    assert np.abs(tab["output"] - tab["block_output"]).max() < 1e-15
    picture = tab.model("picture")
    assert picture.result_says == f"error {matrix_form.scientific(float(tab['agreement'][2]))}"
    told = tab.trace("agreement", 2)
    assert told.startswith("largest differences · blocks and whole")


@settings(max_examples=25, deadline=None)
@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 5),
    st.integers(1, 5),
    st.booleans(),
    st.integers(0, 2**31),
    st.sampled_from([0.1, 1.0, 20.0]),
)
def test_they_agree_for_any_numbers_shape_block_and_mask(
    n: int, block: int, d_model: int, d_head: int, causal: bool, seed: int, size: float
) -> None:
    tab = LessonTab("matrix-form")
    for name, value in (("n", n), ("d_model", d_model), ("d_head", d_head), ("block", min(block, n))):
        tab.workbench.set_size(tab.slug, name, value)
    tab.set("causal", causal)
    rng = np.random.default_rng(seed)
    for name in ("x", "Wq", "Wk", "Wv"):
        array = rng.standard_normal(tab[name].shape) * size
        tab.workbench.replace(tab.slug, name, array, label="typed")
    largest = 1 + np.abs(tab["v"]).max()
    assert np.abs(tab["output"] - tab["loop_output"]).max() <= 1e-9 * largest
    assert np.abs(tab["output"] - tab["block_output"]).max() <= 1e-12 * largest
    blocks = tab.workbench.state(tab.slug).sizes["blocks"]
    assert blocks == -(-n // min(block, n)) == tab["running_max"].shape[1]
    assert np.array_equal(tab["block_output"], attend_blockwise(tab["masked"], tab["v"], min(block, n)))
    for product, drawn in PICTURES:
        assert pictured(tab, product, drawn).count == tab.workbench.state(tab.slug).sizes["parts"]


def test_the_cells_stored_here_and_at_8192(tab: LessonTab) -> None:
    label = "cells stored: whole | blocks"
    assert shown_tiles(tab)[label] == ("16 | 16", "at 8,192: 67,108,864 | 32,768")
    tab.workbench.set_size(tab.slug, "n", 64)
    assert shown_tiles(tab)[label] == ("4,096 | 256", "at 8,192: 67,108,864 | 32,768")
    tab.workbench.set_size(tab.slug, "block", 16)
    assert shown_tiles(tab)[label] == ("4,096 | 1,152", "at 8,192: 67,108,864 | 147,456")


def test_blocks_save_no_multiplication(tab: LessonTab) -> None:
    assert shown_tiles(tab)["multiplications"] == ("64", "in blocks + 12")
    tab.workbench.set_size(tab.slug, "block", 4)
    assert shown_tiles(tab)["multiplications"] == ("64", "in blocks + 0")


@pytest.mark.parametrize(("product", "drawn"), PICTURES)
def test_every_cell_of_every_picture_is_a_cell_of_its_array(tab: LessonTab, product: str, drawn: str) -> None:
    for n, block in ((4, 2), (5, 2), (3, 3), (1, 1)):
        tab.workbench.set_size(tab.slug, "n", n)
        tab.workbench.set_size(tab.slug, "block", block)
        for one in cuts(pictured(tab, product, drawn)):
            array = tab[one.array]
            for cell in np.ndindex(one.values.shape):
                index = one.index(*cell)
                assert array[index] == one.values[cell], (one.array, index)
                assert one.cell(index) == cell


@pytest.mark.parametrize("product", ["scores", "output"])
def test_the_outer_products_add_up_to_the_product_that_is_drawn_after_them(tab: LessonTab, product: str) -> None:
    picture = pictured(tab, product, "outer")
    terms = [part.items[0] for part in picture.parts]
    whole = picture.result[1]
    assert isinstance(whole, Cut)
    assert picture.joint == "+"
    assert picture.result[0] == "="
    assert sum(one.values for one in terms if isinstance(one, Cut)) == pytest.approx(whole.values, abs=1e-15)
    for one in terms:
        assert isinstance(one, Cut)
        assert one.before is not None
        assert one.above is not None
        assert np.array_equal(one.values, one.before.values * one.above.values)


def test_a_block_takes_its_keys_columns_and_its_values_rows(tab: LessonTab) -> None:
    blocks = pictured(tab, "output", "blocks").parts
    assert [part.title for part in blocks] == ["block 0", "block 1"]
    for b, part in enumerate(blocks):
        tables = [item for item in part.items if isinstance(item, Cut)]
        assert [one.title for one in tables] == ["scores", "m", *(["r"] if b else []), "ℓ", "o"]
        assert tables[0].columns == (2 * b, 2 * b + 1)
        assert tables[-1].above is not None
        assert tables[-1].above.rows == (2 * b, 2 * b + 1)
        assert tables[-1].above.title == f"V, keys {2 * b}–{2 * b + 1}"


def test_the_rescale_is_pointed_out_where_it_happens(tab: LessonTab) -> None:
    def said() -> list[str]:
        return [part.says for part in pictured(tab, "output", "blocks").parts]

    assert said() == ["nothing is carried yet", "m stays in every row: r is 1"]
    tab.workbench.set_size(tab.slug, "block", 1)
    assert said()[1] == "m rises in rows 2, 3: ℓ, o × r"
    factors = [item for item in tab.model("picture").parts[1].items if isinstance(item, Cut) and item.title == "r"]
    assert factors[0].pointed == {2, 3}
    assert [f"{float(value):.2f}" for value in factors[0].values[:, 0]] == ["1.00", "1.00", "0.74", "0.88"]
    assert tab.trace("running_sum", 2, 1).endswith("0.738 × 1.000 + 1.000 = 1.738")


def test_a_row_that_first_sees_a_key_in_a_later_block_has_nothing_to_rescale(tab: LessonTab) -> None:
    tab.set("causal", False)
    tab.workbench.set_size(tab.slug, "block", 1)
    assert (tab["rescale"][:, 0] == 0).all()
    assert matrix_form.rescaled_rows(tab.workbench.results(tab.slug), 0) == frozenset()


def test_the_last_step_has_a_stop_for_each_part_of_the_picture(tab: LessonTab) -> None:
    def last_stops() -> list[int]:
        sizes = tab.workbench.state(tab.slug).sizes
        return [part for step, part in stops(tab.concept, sizes) if step == len(tab.concept.steps) - 1]

    assert last_stops() == [0, 1]
    tab.set("drawn", "dots")
    assert last_stops() == [0, 1, 2, 3]
    tab.set("product", "scores")
    tab.set("drawn", "outer")
    assert last_stops() == [0, 1]
    tab.workbench.set_size(tab.slug, "d_head", 5)
    assert last_stops() == [0, 1, 2, 3, 4]
    tab.workbench.undo()
    assert last_stops() == [0, 1]
    view = tab.workbench.view(tab.slug)
    assert part_reached(tab.concept, tab.workbench.state(tab.slug).sizes, view) is None


def test_the_number_of_parts_cannot_be_set_to_what_it_is_not(tab: LessonTab) -> None:
    tab.workbench.set_size(tab.slug, "parts", 9)
    assert tab.workbench.state(tab.slug).sizes["parts"] == 2
    assert tab.workbench.undo_label is None
    with pytest.raises(ValueError, match="it may be 2"):
        tab.workbench.set_size(tab.slug, "blocks", 3)


def test_the_tasks_are_done_by_what_their_hints_say(tab: LessonTab) -> None:
    assert [tab.task(0), tab.task(1)] == [False, False]
    tab.edit("Wq", [(2, 1)], [60.0])
    assert tab["scaled"].max() > 20
    assert tab.task(0)
    tab.workbench.restore(tab.slug)
    tab.workbench.set_size(tab.slug, "block", 1)
    assert tab.task(1)
    tab.workbench.set_size(tab.slug, "block", 4)
    assert not tab.task(1)


@pytest.mark.parametrize(
    ("value", "written"),
    [(0.0, "0"), (7.167e-08, "7.2 · 10⁻⁸"), (1e-16, "1.0 · 10⁻¹⁶"), (0.25, "2.5 · 10⁻¹"), (123.0, "1.2 · 10²")],
)
def test_differences_are_written_with_a_power_of_ten(value: float, written: str) -> None:
    assert matrix_form.scientific(value) == written
