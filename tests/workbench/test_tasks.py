"""Tasks of the lessons: undone at the lesson's values, done by what their hints say, whatever else the tab holds.

What a tab holds is made here from the core, under the names that the tab gives it. For tabs that exist, the same is
asked of the tab itself.
"""

import numpy as np
import pytest

from explorer import resources
from explorer.concepts import all_concepts, evaluation
from explorer.concepts.declaration import Situation
from explorer.core import lesson as values
from explorer.core.attention import attend
from explorer.core.blockwise import block_steps
from explorer.core.heads import multi_head
from explorer.core.softmax import softmax_rows
from explorer.workbench import lessons, predicates, proofreading
from explorer.workbench.workbench import Workbench

FILES = {name[:2]: name for name in resources.names("lessons", "en")}


def cosine(a, b):
    return a @ b / np.sqrt((a @ a) * (b @ b))


def why_context(share=50.0, bank=(0.3, 0.3, 0.9)):
    table = np.array([(0.9, 0, 0.3), (0, 0.9, 0.1), bank])
    mixed = [(1 - share / 100) * table[2] + share / 100 * table[i] for i in (0, 1)]
    cosines = np.array([[cosine(row, table[0]), cosine(row, table[1])] for row in mixed])
    return {"table": table, "share": share, "cosines": cosines, "mixed_river": mixed[:1], "mixed_money": mixed[1:]}


def running_average(x=((1, 0), (0, 1), (1, 1), (2, 0))):
    x = np.array(x, float)
    weights = np.tri(len(x)) / np.arange(1, len(x) + 1)[:, None]
    return {"x": x, "n": len(x), "weights": weights, "output": weights @ x}


def weighted_average(x=((1, 0), (0, 1), (1, 1), (2, 0)), asks=3, temperature=1.0):
    x = np.array(x, float)
    scores = x[asks][None] @ x[: asks + 1].T
    weights = softmax_rows(scores / temperature)
    uniform = x[: asks + 1].mean(axis=0, keepdims=True)
    return {
        "x": x,
        "n": len(x),
        "asks": asks,
        "temperature": temperature,
        "scores": scores,
        "weights": weights,
        "output": weights @ x[: asks + 1],
        "uniform": uniform,
    }


def one_head(change=lambda arrays: None, causal=True):
    arrays = {name: array.copy() for name, array in values.full_attention_inputs().items()}
    change(arrays)
    return traced(arrays, causal)


def traced(arrays, causal=True):
    q, k, v = (arrays["x"] @ arrays[name] for name in ("Wq", "Wk", "Wv"))
    trace = attend(q[None], k[None], v[None], causal=causal)
    parts = {name: getattr(trace, name)[0] for name in ("scores", "scaled", "masked", "weights", "output")}
    return {
        **arrays,
        **parts,
        "q": q,
        "k": k,
        "v": v,
        "n": len(arrays["x"]),
        "loop_output": parts["output"] + 1e-16,
        "M": arrays["Wq"] @ arrays["Wk"].T,
    }


def causal_mask(rule="before", scores=None, allowed=None):
    scores = values.causal_mask_scores() if scores is None else scores
    allowed = np.tri(len(scores), dtype=bool) if allowed is None else allowed
    if rule == "after":
        weights = softmax_rows(scores) * allowed
    else:
        weights = softmax_rows(np.where(allowed, scores, -np.inf if rule == "before" else 0))
    return {"scores": scores, "allowed": allowed, "rule": rule, "weights": weights, "n": len(scores)}


def heads(change=lambda arrays: None, n_head=2, d_head=4, n_head_kv=None):
    arrays = {name: array.copy() for name, array in values.multi_head_inputs().items()}
    change(arrays)
    trace = multi_head(
        arrays["x"], arrays["Wq"], arrays["Wk"], arrays["Wv"], arrays["Wo"], n_head=n_head, n_head_kv=n_head_kv
    )
    return {
        **arrays,
        "n": len(arrays["x"]),
        "d_model": arrays["x"].shape[1],
        "n_head": n_head,
        "n_head_kv": n_head_kv or n_head,
        "d_head": d_head,
        "weights": trace.attention.weights,
    }


def grouped(n_head_kv):
    rng = np.random.default_rng(4)
    q, k, v = rng.normal(size=(8, 4, 4)), *rng.normal(size=(2, n_head_kv, 4, 4))
    return {"n_head": 8, "n_head_kv": n_head_kv, "weights": attend(q, k, v, causal=True).weights}


def variants(scale=1.0):
    rng = np.random.default_rng(4)
    q, k = rng.normal(size=(8, 4, 4)) * scale, rng.normal(size=(8, 4, 4))
    return {
        "weights_mha": attend(q, k, k, causal=True).weights,
        "weights_mqa": attend(q, k[:1], k[:1], causal=True).weights,
    }


def shape(context):
    return {"params": 8e9, "weight_bytes": 16e9, "cache_bytes": 2.0 * 32 * 8 * (128 + 128) * context}


def built_head(change=lambda arrays: None, sharpness=10.0):
    arrays = {name: array.copy() for name, array in values.previous_token_inputs(sharpness=sharpness).items()}
    change(arrays)
    return {**traced(arrays), "sharpness": sharpness}


def in_blocks(size=2, change=lambda arrays: None):
    tab = one_head(change)
    steps = list(block_steps(tab["masked"], tab["v"], size))
    return {**tab, "blocks": len(steps), "rescale": np.stack([step.rescale for step in steps], axis=-1)}


def edit(name, index, value):
    def change(arrays):
        arrays[name][index] = value

    return change


def same_matrix(arrays):
    arrays["Wq"] = arrays["Wk"].copy()


def first_head_blind(arrays):
    arrays["Wq"][:, :4] = 0


def two_back(arrays):
    arrays["Wq"] = np.zeros_like(arrays["Wq"])
    for position in range(4):
        arrays["Wq"][position, max(position - 2, 0)] = 10


#: For each file: the tab at the lesson's values, and one way to do each of its tasks.
WAYS = {
    "01": (why_context(), [why_context(16), why_context(0, bank=(0.3, 0.49, 0.9))]),
    "02": (running_average(), [running_average([(1, 0), (0, 1), (1, 1), (2, 0), (-4, -2)])]),
    "03": (
        weighted_average(),
        [
            weighted_average([(5, 0), (0, 1), (1, 1), (2, 0)]),
            weighted_average([(1, 0), (0, 1), (1, 1), (0, 0)]),
        ],
    ),
    "04": (one_head(causal=False), [one_head(same_matrix, causal=False)]),
    "05": (
        {"spread": np.array([[2.0, 2.0], [8.23, 8.0], [31.67, 32.0]])},
        [{"spread": np.array([[2.0, 2.0], [11.1, 11.0], [31.67, 32.0]])}],
    ),
    "06": (
        causal_mask(),
        [
            causal_mask(allowed=np.array([[1, 0, 0, 0], [1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 0, 0]], bool)),
            causal_mask("after", scores=np.where(np.arange(16).reshape(4, 4) == 6, 9.0, values.causal_mask_scores())),
        ],
    ),
    "07": (one_head(), [one_head(edit("Wq", (3, 1), -16)), one_head(edit("Wq", np.s_[:], 0))]),
    "08": (in_blocks(), [in_blocks(change=edit("Wq", (1, 1), -60)), in_blocks(size=1)]),
    "09": (
        {**heads(), "heads_on": np.array([1.0, 1.0])},
        [
            {**heads(first_head_blind), "heads_on": np.array([1.0, 1.0])},
            {**heads(), "heads_on": np.array([0.0, 1.0])},
            {**heads(), "n_head": 4, "d_head": 3, "heads_on": np.ones(4)},
        ],
    ),
    "10": (grouped(2), [grouped(1)]),
    "11": (variants(), [variants(0.0)]),
    "12": (shape(8192), [shape(131072)]),
    "13": (built_head(), [built_head(two_back), built_head(sharpness=11.5)]),
}


def lesson_of(number):
    return lessons.parse(resources.text("lessons", "en", FILES[number]), FILES[number])


def test_every_lesson_has_ways_for_its_tasks():
    assert WAYS.keys() == FILES.keys()


@pytest.mark.parametrize("number", WAYS)
def test_a_task_is_undone_at_first_and_can_be_done(number):
    start, ways = WAYS[number]
    tasks = lesson_of(number).tasks
    assert len(ways) == len(tasks)
    for task, way in zip(tasks, ways, strict=True):
        before, after = predicates.check(task.check, start), predicates.check(task.check, way)
        assert not before.done, task.check.text
        assert not before.note, before.note
        assert after.done, (task.check.text, after.note)


@pytest.mark.parametrize("number", WAYS)
@pytest.mark.parametrize("size", [0, 1, 2, 3])
def test_a_task_stays_undone_when_the_tab_shrinks(number, size):
    """Cells that are gone, rows that have become trivial: nothing ticks itself off, nothing raises."""
    start, _ = WAYS[number]
    small = {
        name: value[tuple(slice(size) for _ in value.shape)] if isinstance(value, np.ndarray) else value
        for name, value in start.items()
        if name != "n"
    }
    for task in lesson_of(number).tasks:
        assert not predicates.check(task.check, {**small, "n": size}).done


@pytest.mark.parametrize(
    ("model", "outweighs"), [("Mistral 7B v0.1", False), ("Mistral 7B v0.2", True), ("Nemotron H 8B", False)]
)
def test_a_cache_outweighs_the_parameters_only_where_the_tab_says_so(model, outweighs):
    """Windows and layers without a cache keep it small, however long the context."""
    concept = next(one for one in all_concepts() if one.slug == "cost")
    workbench = Workbench([concept])
    workbench.set_control("cost", "model", model)
    workbench.set_control("cost", "context", 131072)
    names = proofreading.names_of(workbench.state("cost").situation, workbench.results("cost"))
    assert predicates.check(lesson_of("12").tasks[0].check, names).done is outweighs


@pytest.mark.parametrize("concept", all_concepts(), ids=lambda one: one.slug)
def test_the_lesson_of_a_tab_holds_for_the_tab_itself(concept):
    """Its tasks read names that the tab has, and are undone; its questions are confirmed."""
    sizes = evaluation.default_sizes(concept)
    situation = Situation(
        evaluation.default_inputs(concept, sizes),
        evaluation.default_controls(concept),
        sizes,
        evaluation.default_tokens(concept, sizes),
    )
    names = proofreading.names_of(situation, evaluation.evaluate(concept, situation))
    assert proofreading.faults(lessons.load(concept.number, concept.slug), names) == []
