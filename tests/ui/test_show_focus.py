"""What a presentation shows where it has no room for everything, and how large its letters are."""

import pytest

from explorer.concepts import all_concepts
from explorer.concepts import declaration as d
from explorer.ui import theme as themes
from explorer.ui.show_focus import arrays_of
from tests.ui.conftest import MakeWindow, settle


def seen(window) -> set[str]:
    """Return the arrays whose views can be seen."""
    canvas = window.page.stage.canvas
    return {
        name
        for view in d.views(window.page.concept.layout)
        if canvas.leaf(view).isVisible()
        for name in arrays_of(view)
    }


STEPPED = [one for one in all_concepts() if one.steps]


@pytest.mark.parametrize("concept", STEPPED, ids=lambda one: one.slug)
def test_a_show_has_what_its_step_is_about_and_nothing_scrolls(make_window: MakeWindow, concept: d.Concept) -> None:
    window = make_window(concept.slug, present=True, size=(1280, 720))
    for step in range(len(concept.steps)):
        window.workbench.set_view(concept.slug, step=step)
        settle(window)
        shown = {name for view in d.views(concept.layout) for name in arrays_of(view)}
        about = shown.intersection(concept.steps[step].shows)
        assert about <= seen(window), concept.steps[step].label
        stage = window.page.stage
        assert (stage.horizontalScrollBar().maximum(), stage.verticalScrollBar().maximum()) == (0, 0)


def test_the_attention_weights_stay_in_sight_while_they_are_told_of(make_window: MakeWindow) -> None:
    for slug in ("full-attention", "causal-mask", "multi-head"):
        window = make_window(slug, present=True, size=(1280, 720))
        assert "weights" in seen(window), slug


def test_a_mask_can_be_clicked_while_masking_is_shown(make_window: MakeWindow) -> None:
    window = make_window("causal-mask", present=True, size=(1280, 720))
    window.workbench.set_view("causal-mask", step=0)
    settle(window)
    assert seen(window) == {"allowed", "masked"}


def test_what_names_the_rows_stays_beside_them(make_window: MakeWindow) -> None:
    window = make_window("scaling", present=True, size=(1280, 720))
    window.workbench.set_view("scaling", step=2)
    settle(window)
    assert {"head_sizes", "jacobian", "starved"} <= seen(window)


def test_a_smaller_room_shows_less_and_a_larger_one_more_again(make_window: MakeWindow) -> None:
    window = make_window("full-attention", present=True, size=(1920, 1080))
    everything = seen(window)
    window.resize(1280, 720)
    settle(window)
    assert seen(window) < everything
    window.resize(1920, 1080)
    settle(window)
    assert seen(window) == everything


def test_a_show_says_which_tab_it_is(make_window: MakeWindow) -> None:
    window = make_window("cost", present=True)
    assert window.topbar.title.isVisible()
    assert window.topbar.title.text() == "12  Cost"
    assert not make_window("cost").topbar.title.isVisible()


def test_letters_grow_with_the_pixels_of_the_screen(make_window: MakeWindow) -> None:
    show = themes.make("light", 100, True)
    assert show.on_screen(800, 600).text_px(12) == show.on_screen(1280, 720).text_px(12) == 24
    assert show.on_screen(1920, 1080).text_px(12) == 30
    assert show.on_screen(3840, 2160).text_px(12) > 40
    assert themes.make("light").on_screen(3840, 2160).text_px(12) == 12
    window = make_window("full-attention", present=True, size=(1920, 1080))
    assert window.theme.text_px(12) == 30


def test_a_short_trace_fills_its_strip_in_a_show(make_window: MakeWindow) -> None:
    window = make_window("queries-keys-values", present=True, size=(1280, 720))
    height = {text: rect.height() for rect, text in window.page.strip.placed_texts()}
    assert height["q₂"] > 1.5 * height["pinned"] if "pinned" in height else height["q₂"] > 50
    assert {rect.bottom() for rect, _ in window.page.strip.placed_texts()} <= set(range(window.page.strip.height()))


def test_words_beside_large_digits_are_larger_and_the_same_on_a_whole_page(make_window: MakeWindow) -> None:
    window = make_window("full-attention", size=(1280, 720))
    small = {panel._fonts()[1].pixelSize() for panel in window.page.stage.canvas.panels()}
    window.resize(1920, 1080)
    settle(window)
    large = {panel._fonts()[1].pixelSize() for panel in window.page.stage.canvas.panels()}
    assert small == {12}
    assert len(large) == 1
    assert large.pop() > 14


def seen_at(make_window: MakeWindow, slug: str, label: str) -> set[str]:
    window = make_window(slug, present=True, size=(1280, 720))
    step = next(i for i, one in enumerate(window.page.concept.steps) if one.label == label)
    window.workbench.set_view(slug, step=step)
    settle(window)
    return seen(window)


def test_a_step_whose_results_have_no_view_shows_what_they_are_made_of(make_window: MakeWindow) -> None:
    assert {"x", "Wq", "Wk", "Wv"} <= seen_at(make_window, "multi-query", "project")
    assert {"weights_mha", "weights_gqa", "weights_mqa"} <= seen_at(make_window, "multi-query", "· v")
    assert "weights" in seen_at(make_window, "grouped-query", "· v")


@pytest.mark.parametrize("concept", STEPPED, ids=lambda one: one.slug)
def test_no_query_is_shown_without_a_key_nor_half_of_what_belongs_together(
    make_window: MakeWindow, concept: d.Concept
) -> None:
    for step in concept.steps:
        names = seen_at(make_window, concept.slug, step.label)
        assert ("q" in names) == ("k" in names), step.label
        assert {"x", "Wk"} <= names or "Wq" not in names, step.label


def test_a_score_is_shown_with_the_query_and_the_key_that_make_it(make_window: MakeWindow) -> None:
    assert {"q", "k", "scores"} <= seen_at(make_window, "full-attention", "scores")


@pytest.mark.parametrize("concept", STEPPED, ids=lambda one: one.slug)
def test_a_trace_leads_to_cells_that_can_be_seen_down_to_typed_ones(
    make_window: MakeWindow, concept: d.Concept
) -> None:
    window = make_window(concept.slug, present=True, size=(1280, 720))
    for given in concept.inputs:
        if given.name not in d.shown_arrays(concept.layout):
            continue
        last = tuple(length - 1 for length in window.workbench.state(concept.slug).inputs[given.name].shape)
        window.workbench.set_view(concept.slug, pinned=(given.name, last))
        settle(window)
        assert given.name in seen(window)
        stage = window.page.stage
        assert (stage.horizontalScrollBar().maximum(), stage.verticalScrollBar().maximum()) == (0, 0), given.name
