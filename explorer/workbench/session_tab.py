"""One tab's entry in a session file: its state and view as JSON text, and back, checked part by part.

Written one row of a matrix a line. Read strictly: sizes first, since they say what shape everything else must have, so
that nothing is built which the tab could not hold; every refusal names its place. The file around it is
`explorer.workbench.session`'s business.
"""

from __future__ import annotations

import dataclasses
import json
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from explorer.concepts import evaluation
from explorer.concepts.declaration import Edit
from explorer.core.checks import Choices, InputError, first_true
from explorer.workbench import strictjson
from explorer.workbench.bookmarks import Snapshot
from explorer.workbench.changes import LONGEST_TOKEN, Changes
from explorer.workbench.state import TabState, ViewState, frozen, looking
from explorer.workbench.strictjson import Node
from explorer.workbench.tab import Tab

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.concepts.declaration import Concept, Input
    from explorer.core.ops.base import Array

MINUS_INFINITY: Final = "-Infinity"
LONGEST_ORIGIN: Final = 200


# ------------------------------------------------------------------------------------------------------- writing


def text(value: object) -> str:
    """Return a value as JSON on one line, in plain UTF-8."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def json_object(members: Mapping[str, str], indent: int) -> str:
    """Return members that are JSON already as an object, one a line."""
    inner = " " * (indent + 2)
    lines = [f"{inner}{text(key)}: {member}" for key, member in members.items()]
    return "{\n" + ",\n".join(lines) + f"\n{' ' * indent}}}"


def _line(members: Mapping[str, Any]) -> str:
    return "{" + ", ".join(f"{text(key)}: {text(value)}" for key, value in members.items()) + "}"


def members_of(snapshot: Snapshot) -> dict[str, str]:
    """Return the members of a tab's entry, each as JSON."""
    state = snapshot.state
    arrays = {name: _array_text(array, 8) for name, array in state.inputs.items()}
    return {
        "sizes": _line(state.sizes),
        "tokens": text(list(state.tokens)),
        "controls": _line(state.controls),
        "inputs": json_object(arrays, 6) if arrays else "{}",
        "origins": _line(state.origins),
        "view": _line(_view_members(snapshot.view)),
    }


def _view_members(view: ViewState) -> dict[str, Any]:
    members = {one.name: getattr(view, one.name) for one in dataclasses.fields(view)}
    if view.pinned is not None:
        members["pinned"] = [view.pinned[0], *view.pinned[1]]
    return members


def _array_text(array: Array, indent: int) -> str:
    if array.ndim <= 1:
        return _row_text(array)
    inner = " " * (indent + 2)
    rows = [f"{inner}{_array_text(row, indent + 2)}" for row in array]
    return "[\n" + ",\n".join(rows) + f"\n{' ' * indent}]" if rows else "[]"


def _row_text(row: Array) -> str:
    values = row.tolist()
    if row.dtype.kind == "f" and not np.isfinite(row).all():
        values = np.where(np.isneginf(row), MINUS_INFINITY, row.astype(object)).tolist()
    return text(values)


# ------------------------------------------------------------------------------------------------------- reading


def read(node: Node, concept: Concept, *more: str) -> Snapshot:
    """Return the state and view of a tab from its entry, which must also have the members `more`.

    Raises
    ------
    FormatError
        With the place of what is wrong.
    """
    members = node.object((*more, "sizes", "inputs"), ("tokens", "controls", "origins", "view"))
    tab = Tab(concept)
    sizes = _sizes(members["sizes"], concept)
    base = tab.changes.with_edit(tab.state, Edit(sizes=sizes))
    declared = {one.name: one for one in concept.inputs}
    given = members["inputs"].object(tuple(declared))
    inputs = {name: _array(given[name], one, sizes) for name, one in declared.items()}
    tokens = _tokens(members["tokens"], len(base.tokens)) if "tokens" in members else base.tokens
    controls = _controls(members["controls"], tab.changes, base) if "controls" in members else base.controls
    origins = dict.fromkeys(declared, "typed")
    if "origins" in members:
        given = members["origins"].object((), tuple(declared))
        origins.update({name: origin.text(LONGEST_ORIGIN) for name, origin in given.items()})
    state = TabState(
        concept.slug,
        MappingProxyType(inputs),
        MappingProxyType(dict(controls)),
        MappingProxyType(sizes),
        tokens,
        MappingProxyType(origins),
    )
    if concept.validate is not None:
        try:
            concept.validate(state.situation)
        except ValueError as error:
            node.unfit(error)
    tab.state = state
    view = _view(members["view"], tab) if "view" in members else tab.unpinned_if_gone(tab.view)
    return Snapshot(state, view)


def _sizes(node: Node, concept: Concept) -> dict[str, int]:
    members = node.object(tuple(one.name for one in concept.sizes))
    sizes = {one.name: members[one.name].whole(one.low, one.high) for one in concept.sizes}
    for one in concept.sizes:
        choices = evaluation.allowed(one, sizes)
        if sizes[one.name] not in choices:
            members[one.name].refuse(str(Choices(choices)))
    return sizes


def _tokens(node: Node, count: int) -> tuple[str, ...]:
    items = node.items(max(count, 1))
    if len(items) != count:
        node.refuse(f"a list of {count}")
    return tuple(_token(item) for item in items)


def _token(node: Node) -> str:
    text = node.text(LONGEST_TOKEN)
    if not text or text != " ".join(text.split()):
        node.refuse("a name without line breaks and needless spaces")
    return text


def _controls(node: Node, changes: Changes, state: TabState) -> Mapping[str, Any]:
    """Set the controls one by one; one whose range depends on another that comes later is tried again after it."""
    given = node.object((), tuple(state.controls))
    for member in given.values():
        if not isinstance(member.value, str | bool | int | float):
            member.refuse("a number, a text, true or false")
    values = {name: member.value for name, member in given.items()}
    waiting = [name for name in state.controls if name in given]
    while waiting:
        refused: dict[str, InputError] = {}
        for name in waiting:
            try:
                state = changes.with_control(state, name, values[name])
            except InputError as error:
                refused[name] = error
        if len(refused) == len(waiting):
            given[waiting[0]].unfit(refused[waiting[0]])
        waiting = list(refused)
    for name, member in given.items():
        # Setting another one may have moved it into a narrower range.
        if state.controls[name] != member.value:
            member.refuse("a value that the sizes and the other controls allow")
    return state.controls


def _array(node: Node, declared: Input, sizes: Mapping[str, int]) -> Array:
    shape = evaluation.lengths_of(declared.axes, sizes)
    words = tuple(axis.size if not axis.size.isdigit() else "" for axis in declared.axes)
    cells = _cells(node, declared, shape, words)
    array = np.array(cells, dtype=bool if declared.kind == "mask" else np.float64).reshape(shape)
    if declared.kind == "number" and array.size:
        low, high = declared.limits
        outside = ~((array >= low) & (array <= high) & (array < np.inf))
        if outside.any():
            at, place = first_true(outside), node
            for index in at:
                place = Node(place.value[index], node.name, strictjson.step_into(place.where, index))
            place.refuse(strictjson.number_between(low, high))
    return frozen(array)


def _cells(node: Node, declared: Input, shape: tuple[int, ...], words: tuple[str, ...]) -> list[Any]:
    """Return the cells of an array in C order, each of them a number (or a truth value, in a mask)."""
    mask = declared.kind == "mask"
    if not shape:
        return [node.truth() if mask else _number(node, declared)]
    what = "rows" if len(shape) > 1 else "truth values" if mask else "numbers"
    accepted = f"a list of {shape[0]} {what}{f' ({words[0]})' if words[0] else ''}"
    if not isinstance(node.value, list) or len(node.value) != shape[0]:
        node.refuse(accepted)
    if len(shape) == 1:
        if set(map(type, node.value)) <= ({bool} if mask else {float, int}):
            return [float(value) for value in node.value] if not mask else node.value
        return [one.truth() if mask else _number(one, declared) for one in node.items(shape[0])]
    return [cell for one in node.items(shape[0]) for cell in _cells(one, declared, shape[1:], words[1:])]


def may_be_minus_infinity(declared: Input) -> bool:
    """Say whether cells of an input may hold −∞, which masks a score."""
    return declared.role == "score" and declared.limits[0] == -np.inf


def _number(node: Node, declared: Input) -> float:
    if node.value == MINUS_INFINITY and may_be_minus_infinity(declared):
        return -np.inf
    return node.number()


def _view(node: Node, tab: Tab) -> ViewState:
    view = tab.view
    fields = tuple(one.name for one in dataclasses.fields(ViewState))
    for name, member in node.object((), fields).items():
        if name == "pinned":
            view = dataclasses.replace(view, pinned=_pinned(member, tab))
            continue
        truth = isinstance(getattr(view, name), bool)
        if not isinstance(member.value, bool | int | float) or isinstance(member.value, bool) != truth:
            member.refuse("true or false" if truth else "a number")
        try:
            view = looking(view, {name: member.value})
        except InputError as error:
            member.unfit(error)
        if getattr(view, name) != member.value:
            member.refuse("a number that the view can hold")
    return view


def _pinned(node: Node, tab: Tab) -> tuple[str, tuple[int, ...]] | None:
    if node.value is None:
        return None
    name, *index = node.items(9) or [node]
    pinned = name.text(200), tuple(one.whole(0, 1_000_000) for one in index)
    if not tab.exists(pinned):
        node.refuse("null, or the name of an array and the indices of one of its cells")
    return pinned
