"""Pages with more tokens, heads and numbers than the lesson has: everything of a tab is seen at once all the same."""

import pytest

from explorer.concepts import all_concepts, declaration
from explorer.ui.matrix_view import MatrixView
from explorer.ui.window import MainWindow
from tests.ui.conftest import MakeWindow, settle
from tests.ui.layout import faults, unreadable

#: Sizes that make tables larger; those of tab 5 count trials.
GROWING = ("n", "n_head", "d_model", "d_head", "d_v")


def grown() -> list[tuple[str, dict[str, int]]]:
    """Return the tabs with sizes beyond the lesson's: more tokens, many, and the most of everything."""
    found = []
    for concept in all_concepts():
        most = {size.name: size.high for size in concept.sizes if size.name in GROWING and size.label}
        if "n" in most:
            heads = {"n_head": 8} if "n_head" in most else {}
            found += [(concept.slug, {"n": 16, **heads}), (concept.slug, {"n": most["n"]}), (concept.slug, most)]
    return found


@pytest.mark.parametrize(("slug", "sizes"), grown(), ids=str)
def test_everything_is_seen_at_once_at_any_size(make_window: MakeWindow, slug: str, sizes: dict[str, int]) -> None:
    window = make_window(slug)
    assert window.panels.isVisible()
    window.resize(1280, 720)
    for name, value in sizes.items():
        window.workbench.set_size(slug, name, value)
    settle(window)
    stage = window.page.stage
    assert (stage.horizontalScrollBar().maximum(), stage.verticalScrollBar().maximum()) == (0, 0)
    assert faults(window) == []


def between() -> list[tuple[str, str]]:
    """Return the tabs with each size that is a step or two beyond the lesson's."""
    return [
        (concept.slug, size.name)
        for concept in all_concepts()
        for size in concept.sizes
        if size.label and size.name in GROWING and any(one.name == "n" and one.label for one in concept.sizes)
    ]


@pytest.mark.parametrize(("slug", "name"), between(), ids=str)
def test_a_step_beyond_the_lesson_hides_nothing_beside_the_stage(make_window: MakeWindow, slug: str, name: str) -> None:
    window = make_window(slug)
    size = next(one for one in window.page.concept.sizes if one.name == name)
    for value in range(size.low, min(size.high, 9) + 1):
        window.workbench.set_size(slug, name, value)
        settle(window)
        stage = window.page.stage
        assert stage.horizontalScrollBar().maximum() == 0, f"{name} = {value}"
        # Digits that can be read are worth a little scrolling down.
        assert stage.verticalScrollBar().maximum() <= stage.height() // 4, f"{name} = {value}"
        assert faults(window) == [], f"{name} = {value}"
        assert unreadable(window) == [], f"{name} = {value}"


def test_numbers_lose_a_digit_before_anything_loses_all(make_window: MakeWindow) -> None:
    window = make_window("full-attention")
    weights = window.page.panels("weights")[0].view
    q = window.page.panels("q")[0].view
    assert (weights.written()[2][1], q.written()[2]) == ("0.383", ["−0.16", "0.59"])
    window.workbench.set_size("full-attention", "d_head", 3)
    settle(window)
    assert weights.look.with_text
    assert q.look.with_text
    assert (weights.written()[2][1], q.written()[2]) == ("0.38", ["−0.2", "0.6", "0.2"])
    window.undo()
    settle(window)
    assert (weights.written()[2][1], q.written()[2]) == ("0.383", ["−0.16", "0.59"])


def test_larger_letters_are_kept_where_the_stage_scrolls(make_window: MakeWindow) -> None:
    window = make_window("full-attention", percent=150)
    assert window.page.stage.verticalScrollBar().maximum() > 0
    assert window.page.panels("q")[0].view.written()[2] == ["−0.16", "0.59"]


def test_no_digit_is_lost_where_everything_fits_closer_together(make_window: MakeWindow) -> None:
    window = make_window("causal-mask")
    window.workbench.edit("causal-mask", "allowed", [(1, 0), (1, 1)], False)
    settle(window)
    # The sentence under the table does not push apart what stands beside it.
    assert not window.page.stage.canvas.unit.tight
    window.undo()
    window.resize(1175, 720)
    settle(window)
    assert window.page.stage.canvas.unit.tight
    assert window.page.panels("weights")[0].view.written()[2][:3] == ["0.331", "0.547", "0.122"]


def typed_into() -> list[tuple[str, str]]:
    """Return the tables of every tab that numbers with a sign and a fraction can be typed into."""
    return [
        (concept.slug, one.name)
        for concept in all_concepts()
        for one in concept.inputs
        if one.kind == "number" and not one.whole and one.limits[0] < 0
        if one.name in declaration.shown_arrays(concept.layout)
    ]


@pytest.mark.parametrize(("slug", "name"), typed_into(), ids=str)
def test_a_longer_number_hides_no_number_that_was_typed(make_window: MakeWindow, slug: str, name: str) -> None:
    window = make_window(slug)
    with_digits = {view.name for view in typed_views(window) if view.look.with_text}
    array = window.workbench.state(slug).inputs[name]
    for value in (-0.55, 12.34):
        window.workbench.edit(slug, name, [(0,) * array.ndim], value)
        settle(window)
        stage = window.page.stage
        assert (stage.horizontalScrollBar().maximum(), stage.verticalScrollBar().maximum()) == (0, 0), value
        assert with_digits <= {view.name for view in typed_views(window) if view.look.with_text}, value


def typed_views(window: MainWindow) -> list[MatrixView]:
    return [view for view in window.page.findChildren(MatrixView) if view.isVisible() and view.editable]


def test_the_sharpness_that_the_lesson_names_is_read_in_every_table(make_window: MakeWindow) -> None:
    window = make_window("previous-token-head")
    window.workbench.set_control("previous-token-head", "sharpness", 11.4)
    settle(window)
    written = {name: window.page.panels(name)[0].view.written() for name in ("Wq", "q", "weights")}
    assert (written["Wq"][0][0], written["q"][0][0], written["weights"][3][2]) == ("11.4", "11.4", "0.990")
