"""Every way in which a tab's state can change, as functions from one state to the next.

A change is checked here as far as it can be without computing: names, shapes, kinds, ranges. Whether the stages
survive it is found out by `explorer.workbench.workbench`, which also keeps what was before.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.concepts import evaluation
from explorer.concepts.declaration import (
    Choice,
    Concept,
    Control,
    Controls,
    Edit,
    Input,
    Pick,
    Size,
    Sizes,
    Slider,
    Text,
    Toggle,
    Values,
    Whole,
)
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, cell_name, first_true, written
from explorer.core.javarandom import JavaRandom
from explorer.workbench import number_text, resizing, strictjson
from explorer.workbench.state import TabState, frozen, initial, same_array

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from explorer.core.ops.base import Array

Cells = Sequence[tuple[int, ...]]

LONGEST_TOKEN = 40
LONGEST_TEXT = 4096

NO_INPUT = QT_TRANSLATE_NOOP("workbench", "tab {tab} has no array {name} to edit; it has {known}")
NO_CONTROL = QT_TRANSLATE_NOOP("workbench", "tab {tab} has no control {name}; it has {known}")
NO_SIZE = QT_TRANSLATE_NOOP("workbench", "tab {tab} has no size {name}; it has {known}")
NO_ACTION = QT_TRANSLATE_NOOP("workbench", "tab {tab} has no action {name}; it has {known}")
NO_CELL = QT_TRANSLATE_NOOP("workbench", "there is no cell {cell}; the shape of {name} is {shape}")
NOT_AS_MANY = QT_TRANSLATE_NOOP(
    "workbench", "{found} values cannot fill {wanted} cells of {name}; give as many, or one"
)
WRONG_SHAPE = QT_TRANSLATE_NOOP("workbench", "{name} has the shape {wanted}; an array of shape {found} does not fit")
NOT_NUMBERS = QT_TRANSLATE_NOOP("workbench", "{name} holds numbers; {value} is none")
NOT_YES_OR_NO = QT_TRANSLATE_NOOP("workbench", "{cell} is yes or no (1 or 0); {value} is neither")
NOT_WHOLE = QT_TRANSLATE_NOOP("workbench", "{cell} holds a whole number; {value} is none")
OUT_OF_LIMITS = QT_TRANSLATE_NOOP("workbench", "{cell} cannot be {value}; a number from {low} to {high} is accepted")
UNKNOWN_FILL = QT_TRANSLATE_NOOP(
    "workbench", "there is no fill called {how}; known are zeros, identity, random and small integers"
)
NO_IDENTITY = QT_TRANSLATE_NOOP("workbench", "{name} has one axis only; an identity needs two")
NO_MASK_INTEGERS = QT_TRANSLATE_NOOP("workbench", "{name} is a mask of yes and no; small integers cannot fill it")
CONTROL_RANGE = QT_TRANSLATE_NOOP("workbench", "{label} cannot be {value}; a number from {low} to {high} is accepted")
CONTROL_WHOLE = QT_TRANSLATE_NOOP(
    "workbench", "{label} cannot be {value}; a whole number from {low} to {high} is accepted"
)
CONTROL_OPTION = QT_TRANSLATE_NOOP("workbench", "{label} cannot be {value}; the options are {known}")
CONTROL_TOGGLE = QT_TRANSLATE_NOOP("workbench", "{label} is on or off; {value} is neither")
NO_TEXT = QT_TRANSLATE_NOOP("workbench", "{label} holds a character that no file can keep")
CONTROL_TEXT = QT_TRANSLATE_NOOP("workbench", "{label} takes a line of text, not {value}")
TOO_LONG = QT_TRANSLATE_NOOP("workbench", "{label} may have at most {most} characters; this has {found}")
NO_TOKEN = QT_TRANSLATE_NOOP("workbench", "there is no token {at}; the tokens are 0 to {last}")
NO_TOKENS = QT_TRANSLATE_NOOP("workbench", "tab {tab} has no tokens to name")
EMPTY_TOKEN = QT_TRANSLATE_NOOP("workbench", "a token needs a name of at least one character")
TOKEN_COUNT = QT_TRANSLATE_NOOP("workbench", "there are {wanted} tokens to name, not {found}")


class Changes:
    """The changes of one tab: each method takes a state and returns the next, or raises `InputError`.

    Parameters
    ----------
    concept : Concept
        The tab's declaration.
    """

    def __init__(self, concept: Concept) -> None:
        self.concept = concept
        self.initial = initial(concept)
        self._lessons: dict[tuple[tuple[str, int], ...], Values] = {}

    def lesson(self, sizes: Sizes) -> Values:
        """Return the lesson's values of every input at these sizes, read-only."""
        key = tuple(sorted(sizes.items()))
        if key not in self._lessons:
            if key == tuple(sorted(self.initial.sizes.items())):
                self._lessons[key] = self.initial.inputs
            else:
                drawn = evaluation.default_inputs(self.concept, sizes)
                self._lessons[key] = {name: frozen(array) for name, array in drawn.items()}
        return self._lessons[key]

    def with_cells(
        self, state: TabState, name: str, cells: Cells, values: ArrayLike, origin: str = "typed"
    ) -> TabState:
        """Set some cells of an input; one value fills them all."""
        declared = self._input(name)
        array = state.inputs[name]
        at = self._cells(name, array, cells)
        if at.shape[0] == 0:
            return state
        given = self._typed(declared, values, cells)
        if given.shape not in ((), (1,), (at.shape[0],)):
            raise InputError(NOT_AS_MANY, found=given.size, wanted=at.shape[0], name=name)
        changed = array.copy()
        changed[tuple(at.T)] = given
        self._limited(declared, changed)
        return self._with(state, {name: (changed, origin)})

    def with_array(self, state: TabState, name: str, array: ArrayLike, origin: str = "typed") -> TabState:
        """Set a whole input."""
        return self._with(state, {name: (self._whole(state.inputs[name].shape, self._input(name), array), origin)})

    def filled(self, state: TabState, name: str, how: str, seed: int, cells: Cells | None = None) -> TabState:
        """Fill an input, or some of its cells, with zeros, an identity, random numbers or small integers.

        Random numbers are Java's Gaussians for that seed times 0.5, row by row, rounded to float32 as the lesson's
        draws are; small integers are Java's ``nextInt(7) - 3``.
        """
        declared = self._input(name)
        shape = state.inputs[name].shape
        if cells is None:
            origin = f"random seed {seed}" if how in ("random", "small integers") else "typed"
            return self._with(state, {name: (self._whole(shape, declared, _fill(declared, how, seed, shape)), origin)})
        at = self._cells(name, state.inputs[name], cells)
        # An identity keeps its place in the matrix; drawn numbers come in the order of the cells.
        if how in ("zeros", "identity"):
            values = _fill(declared, how, seed, shape)[tuple(at.T)]
        else:
            values = _fill(declared, how, seed, (at.shape[0],))
        return self.with_cells(state, name, cells, values)

    def with_control(self, state: TabState, name: str, value: object) -> TabState:
        """Set a control; others whose range depends on it are moved into their range."""
        return self._with_controls(state, {name: value})

    def with_size(self, state: TabState, name: str, value: object) -> TabState:
        """Set a size; inputs and token names follow, and cells that exist before and after keep their values."""
        return self._resized(state, {name: self._chosen(name, value)})

    def with_token(self, state: TabState, at: int, text: str) -> TabState:
        """Name a token."""
        if not state.tokens:
            raise InputError(NO_TOKENS, tab=self.concept.number)
        if not 0 <= at < len(state.tokens):
            raise InputError(NO_TOKEN, at=at, last=len(state.tokens) - 1)
        tokens = list(state.tokens)
        tokens[at] = _token(text)
        return replace(state, tokens=tuple(tokens))

    def acted(self, state: TabState, name: str) -> TabState:
        """Do what one of the tab's actions says."""
        action = next((one for one in self.concept.actions if one.name == name), None)
        if action is None:
            raise self._unknown(NO_ACTION, name, self.concept.actions)
        return self.with_edit(state, action.apply(state.situation))

    def with_edit(self, state: TabState, edit: Edit) -> TabState:
        """Change sizes, inputs, controls and token names at once."""
        state = self._resized(state, edit.sizes)
        inputs: dict[str, tuple[Array, str]] = {}
        for name, array in edit.inputs.items():
            whole = self._whole(state.inputs[name].shape if name in state.inputs else (), self._input(name), array)
            same = same_array(whole, state.inputs[name])
            inputs[name] = (whole, state.origins[name] if same else edit.origins.get(name, "typed"))
        state = self._with(state, inputs)
        state = self._with_controls(state, edit.controls)
        if edit.tokens is not None:
            if len(edit.tokens) != len(state.tokens):
                raise InputError(TOKEN_COUNT, wanted=len(state.tokens), found=len(edit.tokens))
            state = replace(state, tokens=tuple(_token(text) for text in edit.tokens))
        return state

    def reacted(self, before: TabState, after: TabState) -> TabState:
        """Return a state with what else the tab changes because the user went from one to the other."""
        if self.concept.react is None or after is before:
            return after
        return self.with_edit(after, self.concept.react(before.situation, after.situation))

    def restored(self, state: TabState, name: str | None = None, cells: Cells | None = None) -> TabState:
        """Return to the lesson's values: of some cells, of an input, or of everything."""
        if name is None:
            return self.initial
        lesson = self.lesson(state.sizes)[self._input(name).name]
        if cells is None:
            return self.with_array(state, name, lesson)
        at = self._cells(name, lesson, cells)
        return self.with_cells(state, name, cells, lesson[tuple(at.T)], state.origins[name])

    def checked(self, state: TabState) -> TabState:
        """Return a state from outside with everything in it checked against the declaration."""
        fresh = self._resized(self.initial, state.sizes)
        fresh = self.with_edit(fresh, Edit(state.inputs, state.controls, {}, state.tokens))
        lesson = self.lesson(fresh.sizes)
        told = {
            name: self._input(name).origin if same_array(array, lesson[name]) else state.origins.get(name, "typed")
            for name, array in fresh.inputs.items()
        }
        return replace(fresh, origins=MappingProxyType(told))

    def control(self, name: str) -> Control:
        """Return a control; InputError when there is none of that name."""
        found = next((one for one in self.concept.controls if one.name == name), None)
        if found is None:
            raise self._unknown(NO_CONTROL, name, self.concept.controls)
        return found

    def size(self, name: str) -> Size:
        """Return a size; InputError when there is none of that name."""
        found = next((one for one in self.concept.sizes if one.name == name), None)
        if found is None:
            raise self._unknown(NO_SIZE, name, self.concept.sizes)
        return found

    def _input(self, name: str) -> Input:
        found = next((one for one in self.concept.inputs if one.name == name), None)
        if found is None:
            raise self._unknown(NO_INPUT, name, self.concept.inputs)
        return found

    def _unknown(self, template: str, name: str, declared: Sequence[Any]) -> InputError:
        known = ", ".join(one.name for one in declared) or "none"
        return InputError(template, tab=self.concept.number, name=number_text.quoted(str(name)), known=known)

    def _cells(self, name: str, array: Array, cells: Cells) -> Array:
        for cell in cells:
            # Not even numpy's negative indices: a cell off the edge is somebody's mistake.
            if len(cell) != array.ndim or not all(0 <= i < length for i, length in zip(cell, array.shape, strict=True)):
                raise InputError(NO_CELL, cell=f"{name}[{', '.join(map(str, cell))}]", name=name, shape=array.shape)
        return np.array([tuple(map(int, cell)) for cell in cells], dtype=np.intp).reshape(len(cells), array.ndim)

    def _typed(self, declared: Input, values: ArrayLike, cells: Cells | None = None) -> Array:
        """Return values as bool or float64, whichever the input holds."""
        try:
            given = np.asarray(values)
        except ValueError:
            raise InputError(NOT_NUMBERS, name=declared.name, value="a ragged list") from None
        if given.dtype.kind not in "bifu":
            shown = number_text.quoted(repr(given.ravel().tolist()[0])) if given.size else str(given.dtype)
            raise InputError(NOT_NUMBERS, name=declared.name, value=shown)
        if declared.kind == "number":
            return given.astype(np.float64)
        wrong = (given != 0) & (given != 1)
        if wrong.any():
            at = first_true(wrong)
            named = cells[at[0] if at else 0] if cells is not None else at
            raise InputError(
                NOT_YES_OR_NO, cell=cell_name(declared.name, named), value=number_text.full(float(given[at]))
            )
        return given.astype(bool)

    def _whole(self, shape: tuple[int, ...], declared: Input, values: ArrayLike) -> Array:
        given = self._typed(declared, values)
        if given.shape != shape:
            raise InputError(WRONG_SHAPE, name=declared.name, wanted=shape, found=given.shape)
        self._limited(declared, given)
        return given

    def _limited(self, declared: Input, array: Array) -> None:
        if declared.kind == "mask" or not array.size:
            return
        # Where scores are typed an infinite lower limit lets −∞ in, which is how a bias masks; nowhere else is a cell
        # infinite, whatever the limits say.
        low, high = declared.limits
        least = low if declared.role == "score" else max(low, -sys.float_info.max)
        most = min(high, sys.float_info.max)
        # A comparison with NaN is false, so that one is refused with the rest.
        if least <= array.min() and array.max() <= most:
            self._all_whole(declared, array)
            return
        at = first_true(~((array >= least) & (array <= most)))
        raise InputError(
            OUT_OF_LIMITS,
            cell=cell_name(declared.name, at),
            value=number_text.brief(float(array[at])),
            low=number_text.brief(low),
            high=number_text.brief(high),
        )

    @staticmethod
    def _all_whole(declared: Input, array: Array) -> None:
        broken = array != np.round(array)
        if declared.whole and broken.any():
            at = first_true(broken)
            raise InputError(NOT_WHOLE, cell=cell_name(declared.name, at), value=number_text.brief(float(array[at])))

    def _with(self, state: TabState, inputs: Mapping[str, tuple[Array, str]]) -> TabState:
        lesson = self.lesson(state.sizes)
        arrays, origins = dict(state.inputs), dict(state.origins)
        for name, (array, origin) in inputs.items():
            back = same_array(array, lesson[name])
            # An equal array stays the object that it was, so that it is no change and nothing is computed again.
            if not same_array(array, arrays[name]):
                arrays[name] = lesson[name] if back else frozen(array)
                origins[name] = origin
            if back:
                origins[name] = self._input(name).origin
        return replace(state, inputs=MappingProxyType(arrays), origins=MappingProxyType(origins))

    def _with_controls(self, state: TabState, values: Controls) -> TabState:
        # Ranges may depend on other controls: each value is judged beside the others that are set with it, as far as
        # these are of the kind that whoever computes a range expects.
        alike = {name: value for name, value in values.items() if _alike(value, state.controls.get(name))}
        wanted = {**state.controls, **alike}
        accepted: dict[str, Any] = {
            name: _accepted(self.control(name), value, state.sizes, wanted) for name, value in values.items()
        }
        if all(accepted[name] == state.controls[name] for name in accepted):
            return state
        after = {**state.controls, **accepted}
        if self.concept.follow is not None:
            after.update(self.concept.follow(state.controls, after))
        return replace(state, controls=MappingProxyType(self._settled(state.sizes, after)))

    def _resized(self, state: TabState, wanted: Sizes) -> TabState:
        chosen = {name: self._chosen(name, value) for name, value in wanted.items()}
        sizes = resizing.sizes_with(self.concept, state.sizes, chosen)
        changed = {name for name in sizes if sizes[name] != state.sizes[name]}
        if not changed:
            return state
        inputs: dict[str, tuple[Array, str]] = {}
        for one in self.concept.inputs:
            held = state.inputs[one.name]
            if not changed.isdisjoint(resizing.factors(one.axes)):
                held = resizing.grown(one, held, self.lesson(sizes)[one.name], state.sizes, sizes)
            # Those that keep their shape too: what the lesson has at other sizes may be what they hold.
            inputs[one.name] = (held, state.origins[one.name])
        tokens = evaluation.default_tokens(self.concept, sizes)
        state = replace(
            state,
            sizes=MappingProxyType(sizes),
            tokens=(*state.tokens, *tokens[len(state.tokens) :])[: len(tokens)],
            controls=MappingProxyType(self._settled(sizes, state.controls)),
        )
        return self._with(state, inputs)

    def _chosen(self, name: str, value: object) -> int:
        size = self.size(name)
        return _whole_number(value, size.low, size.high, size.label or size.name)

    def _settled(self, sizes: Sizes, controls: Controls) -> dict[str, Any]:
        """Move the controls whose range depends on sizes or on other controls into their range."""
        settled = dict(controls)
        for control in self.concept.controls:
            value = settled[control.name]
            if isinstance(control, Pick):
                settled[control.name] = min(value, sizes[control.size] - 1)
            elif isinstance(control, Slider) and control.bounds is not None:
                low, high = _range(control, sizes, settled)
                settled[control.name] = type(value)(min(max(value, low), high))
        return settled


def _fill(declared: Input, how: str, seed: int, shape: tuple[int, ...]) -> Array:
    count = math.prod(shape)
    if how == "zeros":
        return np.zeros(shape)
    if how == "identity":
        if len(shape) < 2:
            raise InputError(NO_IDENTITY, name=declared.name)
        return np.broadcast_to(np.eye(shape[-2], shape[-1]), shape)
    if how == "random":
        drawn = JavaRandom(seed)
        if declared.kind == "mask":
            return np.array([drawn.next_boolean() for _ in range(count)], dtype=bool).reshape(shape)
        return (drawn.gaussians(count) * 0.5).astype(np.float32).astype(np.float64).reshape(shape)
    if how == "small integers":
        if declared.kind == "mask":
            raise InputError(NO_MASK_INTEGERS, name=declared.name)
        drawn = JavaRandom(seed)
        return np.array([drawn.next_int(7) - 3.0 for _ in range(count)]).reshape(shape)
    raise InputError(UNKNOWN_FILL, how=number_text.quoted(str(how)))


def _number(value: object) -> int | float | None:
    """Return a real number as a Python one; None for anything else, True and False included."""
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, (int, np.integer)):
        return int(value)
    return float(value) if isinstance(value, (float, np.floating)) else None


def _is_float(number: float | None) -> bool:
    """Say whether a float can hold a number; NaN, infinities and whole numbers of 400 digits are none."""
    return number is not None and abs(number) <= sys.float_info.max


def _alike(value: object, held: object) -> bool:
    """Say whether a value is a number, a text or a truth value as the one that a control holds."""
    if _number(held) is None:
        return isinstance(value, type(held))
    return _is_float(_number(value))


def _written(value: object) -> str:
    number = _number(value)
    if number is None:
        return strictjson.shown(value.item() if isinstance(value, np.generic) else value)
    # A whole number just beyond a limit must not be rounded to the limit itself.
    return str(written(number)) if isinstance(number, int) else number_text.full(number)


def _whole_number(value: object, low: float, high: float, label: str) -> int:
    number = _number(value)
    if number is None or not low <= number <= high or number != int(number):
        raise InputError(CONTROL_WHOLE, label=label, value=_written(value), low=int(low), high=int(high))
    return int(number)


def _accepted(control: Control, value: object, sizes: Sizes, controls: Controls) -> object:
    """Return the value as the control holds it, or refuse it."""
    if isinstance(control, Toggle):
        if not isinstance(value, (bool, np.bool_)):
            raise InputError(CONTROL_TOGGLE, label=control.label, value=_written(value))
        return bool(value)
    if isinstance(control, Choice):
        known = [key for key, _ in control.options]
        if value not in known:
            raise InputError(CONTROL_OPTION, label=control.label, value=_written(value), known=", ".join(known))
        return value
    if isinstance(control, Whole):
        return _whole_number(value, control.low, control.high, control.label)
    if isinstance(control, Pick):
        return _whole_number(value, -1 if control.optional else 0, sizes[control.size] - 1, control.label)
    if isinstance(control, Text):
        return _line(control, value)
    low, high = _range(control, sizes, controls)
    number = _number(value)
    if number is None or not low <= number <= high:
        raise InputError(
            CONTROL_RANGE,
            label=control.label,
            value=_written(value),
            low=number_text.brief(low),
            high=number_text.brief(high),
        )
    # A slider that was declared with whole numbers keeps them, for ops that count with them.
    return int(number) if isinstance(control.default, int) and number == int(number) else float(number)


def _line(control: Text, value: object) -> str:
    if not isinstance(value, str) or "\n" in value:
        raise InputError(CONTROL_TEXT, label=control.label, value=_written(value))
    if not strictjson.can_be_kept(value):
        raise InputError(NO_TEXT, label=control.label)
    if len(value) > LONGEST_TEXT:
        raise InputError(TOO_LONG, label=control.label, most=LONGEST_TEXT, found=len(value))
    reason = None if control.check is None else control.check(value)
    if reason:
        raise InputError("{reason}", reason=reason)
    return value


def _range(control: Slider, sizes: Sizes, controls: Controls) -> tuple[float, float]:
    return (control.low, control.high) if control.bounds is None else control.bounds(sizes, controls)


def _token(text: str) -> str:
    plain = " ".join(text.split())
    if not plain:
        raise InputError(EMPTY_TOKEN)
    if len(plain) > LONGEST_TOKEN:
        raise InputError(TOO_LONG, label="a token's name", most=LONGEST_TOKEN, found=len(plain))
    if not strictjson.can_be_kept(plain):
        raise InputError(NO_TEXT, label="a token's name")
    return plain
