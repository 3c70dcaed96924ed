"""What every tab must keep, found and tested without naming one. A tab added later is tested without writing a test."""

import contextlib
import random

import numpy as np
import pytest

from explorer.concepts import all_concepts, declaration, evaluation
from explorer.core.expression import Result, cells, evaluate
from explorer.workbench import lessons, state
from explorer.workbench.session import dumps
from explorer.workbench.workbench import Workbench

CONCEPTS = all_concepts()
by_tab = pytest.mark.parametrize("concept", CONCEPTS, ids=[f"{one.number:02d}-{one.slug}" for one in CONCEPTS])


def results_of(concept: declaration.Concept) -> tuple[state.TabState, evaluation.Results]:
    tab = state.initial(concept)
    return tab, evaluation.evaluate(concept, tab.situation)


def some_indices(shape: tuple[int, ...], count: int = 12) -> list[tuple[int, ...]]:
    chosen = random.Random(7)
    total = int(np.prod(shape, initial=1))
    places = chosen.sample(range(total), min(count, total))
    return [tuple(int(i) for i in np.unravel_index(place, shape)) for place in places]


def test_numbers_and_slugs_are_each_used_once() -> None:
    assert len({one.number for one in CONCEPTS}) == len({one.slug for one in CONCEPTS}) == len(CONCEPTS)


@by_tab
def test_every_array_has_the_shape_that_its_axes_declare(concept: declaration.Concept) -> None:
    tab, results = results_of(concept)
    for one in (*concept.inputs, *concept.stages):
        if one.name in results:
            declared = tuple(evaluation.size_of(axis.size, tab.sizes) for axis in one.axes)
            assert results[one.name].shape == declared, one.name


@by_tab
def test_no_number_is_nan_and_only_scores_are_minus_infinity(concept: declaration.Concept) -> None:
    _, results = results_of(concept)
    for one in (*concept.inputs, *concept.stages):
        if one.name not in results:
            continue
        array = np.asarray(results[one.name], float)
        assert not np.isnan(array).any(), one.name
        assert not np.isposinf(array).any(), one.name
        if one.role != "score":
            assert np.isfinite(array).all(), one.name


@by_tab
def test_the_terms_of_every_cell_give_the_drawn_value(concept: declaration.Concept) -> None:
    tab, results = results_of(concept)
    for stage in concept.stages:
        if stage.name not in results:
            continue
        for index in some_indices(results[stage.name].shape):
            expression = evaluation.explain(concept, tab.situation, results, stage.name, index)
            drawn = float(results[stage.name][index])
            assert evaluate(expression) == pytest.approx(drawn, rel=1e-9, abs=1e-12), (stage.name, index)


@by_tab
def test_every_operand_is_a_cell_that_holds_that_value(concept: declaration.Concept) -> None:
    tab, results = results_of(concept)
    for stage in concept.stages:
        if stage.name not in results:
            continue
        for index in some_indices(results[stage.name].shape, 4):
            expression = evaluation.explain(concept, tab.situation, results, stage.name, index)
            inner = expression.expression if isinstance(expression, Result) else expression
            for cell in cells(inner):
                if cell.array in results:
                    assert float(results[cell.array][cell.index]) == cell.value, (stage.name, index, cell)
                else:
                    assert cell.array in tab.controls, (stage.name, cell)


@by_tab
def test_every_view_shows_an_array_that_exists(concept: declaration.Concept) -> None:
    names = {one.name for one in (*concept.inputs, *concept.stages)}
    assert set(declaration.shown_arrays(concept.layout)) <= names


@by_tab
def test_every_step_shows_stages_that_exist(concept: declaration.Concept) -> None:
    names = {stage.name for stage in concept.stages}
    for step in concept.steps:
        assert set(step.shows) <= names
        assert step.label


@by_tab
def test_the_lesson_text_exists_and_asks_and_sets_tasks(concept: declaration.Concept) -> None:
    lesson = lessons.load(concept.number, concept.slug)
    assert lesson.title == concept.title
    assert lesson.misconception
    assert lesson.idea
    assert len(lesson.questions) >= 2
    assert len(lesson.tasks) >= 1


@by_tab
def test_every_input_takes_an_edit_and_gives_it_back_bit_for_bit(concept: declaration.Concept) -> None:
    workbench = Workbench([concept])
    before = workbench.state(concept.slug)
    for one in concept.inputs:
        array = before.inputs[one.name]
        if not array.size:
            continue
        index = some_indices(array.shape, 1)[0]
        low, high = one.limits
        value = not array[index] if one.kind == "mask" else min(max(float(array[index]) / 2 + 0.125, low), high)
        if one.whole:  # a half, because whole numbers are often those that divide others
            value = array[index] // 2 if array[index] > 1 else array[index] + 1
        workbench.edit(concept.slug, one.name, [index], [value])
        assert workbench.edited(concept.slug)
        assert workbench.undo() == concept.slug
        assert workbench.state(concept.slug).same_as(before), one.name
    assert not workbench.edited(concept.slug)


@by_tab
def test_every_control_at_its_ends_leaves_a_tab_that_computes(concept: declaration.Concept) -> None:
    for control in concept.controls:
        ends: list[object]
        if isinstance(control, declaration.Slider):
            tab = state.initial(concept)
            ends = list(control.bounds(tab.sizes, tab.controls)) if control.bounds else [control.low, control.high]
        elif isinstance(control, declaration.Choice):
            ends = [key for key, _ in control.options]
        elif isinstance(control, declaration.Toggle):
            ends = [not control.default]
        else:
            continue
        for value in ends:
            workbench = Workbench([concept])
            workbench.set_control(concept.slug, control.name, value)
            results = workbench.results(concept.slug)
            assert all(not np.isnan(np.asarray(array, float)).any() for array in results.values())


@by_tab
def test_every_size_goes_to_its_ends_and_undo_brings_back_every_bit(concept: declaration.Concept) -> None:
    workbench = Workbench([concept])
    before = workbench.state(concept.slug)
    for size in concept.sizes:
        for value in (size.low, size.high):
            with contextlib.suppress(ValueError):  # some sizes do not fit together
                workbench.set_size(concept.slug, size.name, value)
            workbench.results(concept.slug)
            while workbench.undo():
                pass
            assert workbench.state(concept.slug).same_as(before), (size.name, value)


@by_tab
def test_every_action_is_one_undoable_step(concept: declaration.Concept) -> None:
    workbench = Workbench([concept])
    before = workbench.state(concept.slug)
    for action in concept.actions:
        with contextlib.suppress(ValueError):  # an action may have nothing to do
            workbench.act(concept.slug, action.name)
        if workbench.undo_label is not None:
            workbench.undo()
        assert workbench.state(concept.slug).same_as(before), action.name
        assert workbench.undo_label is None, action.name


@by_tab
def test_it_survives_as_a_session(concept: declaration.Concept) -> None:
    from explorer.workbench import documents

    workbench = Workbench([concept])
    workbench.state(concept.slug)
    assert dumps(documents.session_of(workbench))


@by_tab
def test_the_default_pin_is_a_cell_that_exists(concept: declaration.Concept) -> None:
    if concept.pinned is not None:
        name, index = concept.pinned
        _, results = results_of(concept)
        assert float(results[name][index]) == float(results[name][index])


@by_tab
def test_single_letter_keys_do_not_collide_with_those_of_the_window(concept: declaration.Concept) -> None:
    taken = set("NPERCVBT")
    keys = [one.key for one in (*concept.controls, *concept.actions) if getattr(one, "key", "")]
    assert len(keys) == len(set(keys))
    assert taken.isdisjoint(keys)
