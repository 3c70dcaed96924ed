"""Heads built by hand: the lesson's previous-token head at any size, and what can be done to such a head.

Presets and the lesson's own head share a tab, so everything here asks first which of them it has before it. No
arithmetic is shown from here; it prepares what the tab's inputs hold.
"""

from __future__ import annotations

import zlib
from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts.declaration import Edit, Situation, Sizes
from explorer.concepts.heads.head_presets import presets
from explorer.core import lesson
from explorer.core.javarandom import JavaRandom

if TYPE_CHECKING:
    from explorer.core.ops.base import Array

LESSON = "lesson"
SHARPNESS = 10.0
SHARPEST = 10_000.0
#: How the names of features begin that say where a token stands.
POSITIONS = ("pos", "mod=", "cos", "sin")
POSITION_NAMES = ("i", "j", "i^2")


# ------------------------------------------------------------------------------------------------ the lesson's numbers


def _slots_of(sizes: Sizes) -> int:
    """Return how many columns of x are slots."""
    return min(sizes["d_head"], sizes["d_model"])


def _contents(rows: int, columns: int) -> Array:
    """Return the lesson's vectors, repeated as often as needed in both directions."""
    vectors = lesson.VECTORS
    down, across = (np.arange(count) % length for count, length in zip((rows, columns), vectors.shape, strict=True))
    return np.asarray(vectors[down][:, across])


def lesson_x(sizes: Sizes) -> Array:
    """Return one-hot codes of the slots with contents beside them, (n, d_model)."""
    n, slots = sizes["n"], _slots_of(sizes)
    return np.hstack([np.eye(n, slots), _contents(n, sizes["d_model"] - slots)])


def lesson_wq(sizes: Sizes) -> Array:
    """Return the shift: the row of a slot asks for the slot before, that of slot 0 for itself; (d_model, d_head)."""
    shift = np.zeros((sizes["d_model"], sizes["d_head"]))
    for slot in range(_slots_of(sizes)):
        shift[slot, max(slot - 1, 0)] = SHARPNESS
    return shift


def lesson_wk(sizes: Sizes) -> Array:
    """Return the matrix that copies the slot into the key, (d_model, d_head)."""
    return np.eye(sizes["d_model"], sizes["d_head"])


def lesson_wv(sizes: Sizes) -> Array:
    """Return the matrix that hands over the content, (d_model, d_v)."""
    return np.eye(sizes["d_model"], sizes["d_v"], -_slots_of(sizes))


def hand_built_form(situation: Situation) -> bool:
    """Say whether the matrices have the lesson's form: one slot per token, keys of one number per slot."""
    sizes = situation.sizes
    return situation.controls["preset"] == LESSON and sizes["n"] == sizes["d_head"] <= sizes["d_model"]


def feature_names(situation: Situation) -> tuple[str, ...]:
    """Return what each number of x is called: slots s0, s1, … and contents c0, c1, …, or the preset's own names."""
    width = situation.sizes["d_model"]
    chosen = presets().get(str(situation.controls["preset"]))
    if chosen is not None:
        return (*chosen.features, *(f"f{i}" for i in range(len(chosen.features), width)))[:width]
    slots = _slots_of(situation.sizes)
    return (*(f"s{i}" for i in range(slots)), *(f"c{i}" for i in range(width - slots)))


def position_columns(situation: Situation) -> list[int]:
    """Return the columns of x that say where a token stands."""
    names = feature_names(situation)
    if situation.controls["preset"] == LESSON:
        return list(range(_slots_of(situation.sizes)))
    return [i for i, name in enumerate(names) if name.startswith(POSITIONS) or name in POSITION_NAMES]


# ----------------------------------------------------------------------------------------------------- what is changed


def sharpness_of(wq: Array) -> float:
    """Return the largest entry of Wq in magnitude, as far as the slider goes."""
    return float(min(np.abs(wq).max(initial=0.0), SHARPEST))


def sharpened(situation: Situation, sharpness: float) -> Array:
    """Return Wq scaled so that its largest entry is `sharpness`; the lesson's shift where Wq is all 0.

    Raises
    ------
    ValueError
        When a preset's Wq is all 0, which says nothing about where to look.
    """
    wq = situation.inputs["Wq"]
    largest = np.abs(wq).max(initial=0.0)
    if largest > 0:
        return np.asarray(wq / largest * sharpness)
    if not hand_built_form(situation):
        raise ValueError("Wq is all 0, so there is nothing to sharpen; type a number into it first")
    return np.asarray(lesson_wq(situation.sizes) / SHARPNESS * sharpness)


def _moved(old: Array, fresh: Array, parts: tuple[tuple[int, int], tuple[int, int]]) -> Array:
    """Return fresh values with the old ones in their places: `parts` says how much of each axis was, and is, slots."""
    pairs = []
    for (was, now), old_length, new_length in zip(parts, old.shape, fresh.shape, strict=True):
        kept = min(was, now)
        rest = min(old_length - was, new_length - now)
        pairs.append(
            (
                np.r_[np.arange(kept), was + np.arange(rest)].astype(int),
                np.r_[np.arange(kept), now + np.arange(rest)].astype(int),
            )
        )
    result = fresh.copy()
    (old_rows, new_rows), (old_columns, new_columns) = pairs
    result[np.ix_(new_rows, new_columns)] = old[np.ix_(old_rows, old_columns)]
    return result


def merely_resized(before: Situation, after: Situation) -> bool:
    """Say whether x has been grown or cut and nothing else: nobody has put other numbers into it."""
    expected, old = lesson_x(after.sizes), before.inputs["x"]
    kept = min(len(old), len(expected))
    expected[:kept] = old[:kept]
    return bool(np.array_equal(after.inputs["x"], expected))


def with_slots(before: Situation, count: int) -> Edit:
    """Return the head with another number of slots: those that come continue the lesson's pattern at this sharpness."""
    was = before.sizes["n"]
    sizes = {**before.sizes, "n": count, "d_head": count, "d_model": before.sizes["d_model"] - was + count}
    inputs = before.inputs
    slots, none = (was, count), (0, 0)
    sharpness = sharpness_of(inputs["Wq"]) or SHARPNESS
    return Edit(
        sizes=sizes,
        inputs={
            "x": _moved(inputs["x"], lesson_x(sizes), (slots, slots)),
            "Wq": _moved(inputs["Wq"], lesson_wq(sizes) / SHARPNESS * sharpness, (slots, slots)),
            "Wk": _moved(inputs["Wk"], lesson_wk(sizes), (slots, slots)),
            "Wv": _moved(inputs["Wv"], lesson_wv(sizes), (slots, none)),
        },
    )


def remove_positions(situation: Situation) -> Edit:
    """Set every number of x to 0 that says where a token stands."""
    columns = position_columns(situation)
    if not columns:
        title = presets()[str(situation.controls["preset"])].title
        raise ValueError(f"the x of “{title}” says nothing about positions, so there is nothing to remove")
    x = situation.inputs["x"].copy()
    x[:, columns] = 0.0
    return Edit(inputs={"x": x})


def shuffle(situation: Situation) -> Edit:
    """Let the tokens change places: contents and names move, positions stay where they are.

    Each order leads to one next order, so that the same clicks give the same numbers.
    """
    n = situation.sizes["n"]
    if n < 2:
        raise ValueError("one token alone cannot change places; use 2 slots or more")
    x = situation.inputs["x"]
    seed = zlib.crc32(x.tobytes() + "\n".join(situation.tokens).encode())
    drawn, order = JavaRandom(seed), list(range(n))
    for i in range(n - 1, 0, -1):
        j = drawn.next_int(i + 1)
        order[i], order[j] = order[j], order[i]
    if order == list(range(n)):
        order = [*order[1:], order[0]]
    moving = np.setdiff1d(np.arange(x.shape[1]), position_columns(situation))
    mixed = x.copy()
    mixed[:, moving] = x[np.ix_(np.array(order), moving)]
    return Edit(inputs={"x": mixed}, tokens=tuple(situation.tokens[i] for i in order))
