"""What the verbs ``new``, ``compute`` and ``export`` do, and what opening a file into a workbench does. No display.

``new`` takes a name for an input, a control, a size or ``tokens``, looked for in this order in the tab in front.
Sizes follow the arrays that are given: an ``x`` of six rows makes six tokens, and inputs that are not given grow as
they do in the window. What is given must agree; nothing is cut or padded in silence.
"""

from __future__ import annotations

import math
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from explorer.concepts import all_concepts, concept, evaluation
from explorer.concepts.declaration import Edit
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.workbench import atomic, data_export, number_text, script_export, session, session_tab, strictjson
from explorer.workbench.bookmarks import Snapshot
from explorer.workbench.data_export import array_names, results_of
from explorer.workbench.session import Session
from explorer.workbench.tab import Tab

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Mapping

    from explorer.concepts.declaration import Concept, Input
    from explorer.core.ops.base import Array
    from explorer.workbench.state import TabState
    from explorer.workbench.workbench import Workbench

TOKENS: Final = "tokens"
KINDS: Final = ("csv", "npz", "py")
DIGITS: Final = 4

NO_NAME = QT_TRANSLATE_NOOP(
    "workbench", "tab {tab} has nothing called {name}; it has the inputs {inputs}, controls {controls}, sizes {sizes}"
)
NOT_AN_ARRAY = QT_TRANSLATE_NOOP("workbench", "{name} must be {wanted}; {where} is {found}")
NOT_RECTANGULAR = QT_TRANSLATE_NOOP(
    "workbench", "{name} must be {wanted}; {where} has {found} entries and others have {others}"
)
FIXED_AXIS = QT_TRANSLATE_NOOP("workbench", "{name} has shape {shape}; it must be {wanted}")
DISAGREE = QT_TRANSLATE_NOOP("workbench", "{one} makes {size} {first}, but {other} makes it {second}; they must agree")
NO_TOKENS = QT_TRANSLATE_NOOP("workbench", 'tokens must be a list of names, such as ["the", "cat"]')
NO_KIND = QT_TRANSLATE_NOOP("workbench", "there is no export {kind} here; there are {known}")


def open_into(workbench: Workbench, path: str | os.PathLike[str]) -> Session:
    """Put a session file in place of what the workbench holds; return it, with its bookmarks.

    Raises
    ------
    InputError
        When it cannot be read or does not fit; the workbench is unchanged.
    """
    read = session.read(path, workbench.concepts)
    put_into(workbench, read, Path(path).name)
    return read


def put_into(workbench: Workbench, what: Session, name: str) -> None:
    """Put a session in place of what the workbench holds; `name` is what a refusal calls it.

    Raises
    ------
    InputError
        When a tab could not compute it; the workbench is unchanged.
    """
    states = {slug: one.state for slug, one in what.tabs.items()}
    views = {slug: one.view for slug, one in what.tabs.items()}
    try:
        workbench.replace_document(states, views, what.front)
    except ValueError as error:
        raise strictjson.FormatError(strictjson.UNFIT, name=name, where="$.tabs", reason=str(error)) from error


def session_of(workbench: Workbench) -> Session:
    """Return what the workbench holds as a session without bookmarks."""
    tabs = {one.slug: Snapshot(workbench.state(one.slug), workbench.view(one.slug)) for one in workbench.concepts}
    return Session(workbench.current, MappingProxyType(tabs))


# ----------------------------------------------------------------------------------------------------------- new


def write_new(out: str | os.PathLike[str], *, tab: str | None = None, values: Mapping[str, Any] | None = None) -> None:
    """Write a session with the lesson's values, one tab in front and some of its values replaced.

    Parameters
    ----------
    out : path
        The file.
    tab : str, optional
        The slug or number of the tab in front; the first where absent.
    values : mapping, optional
        Parsed JSON by name: an input, a control, a size, or ``tokens``.

    Raises
    ------
    InputError
        When a value does not fit, or the file cannot be written.
    """
    front = concept(tab) if tab is not None else all_concepts()[0]
    fresh = session.fresh()
    opened = fresh.tabs[front.slug]
    state = with_values(front, values or {})
    holder = Tab(front)
    holder.state = state
    snapshot = Snapshot(state, holder.unpinned_if_gone(opened.view))
    tabs = MappingProxyType({**fresh.tabs, front.slug: snapshot})
    session.write(out, Session(front.slug, tabs))


def with_values(tab: Concept, values: Mapping[str, Any]) -> TabState:
    """Return a tab's opening state with values from outside; see the module's docstring.

    Raises
    ------
    InputError
        With one sentence: which value, what is wrong with it, what would be accepted.
    """
    inputs = {one.name: one for one in tab.inputs}
    controls = [one.name for one in tab.controls]
    sizes = [one.name for one in tab.sizes]
    arrays: dict[str, Array] = {}
    chosen: dict[str, Any] = {}
    implied = _Implied()
    tokens: tuple[str, ...] | None = None
    for name, value in values.items():
        if name in inputs:
            arrays[name] = _array(inputs[name], value)
            implied.by_array(inputs[name], arrays[name])
        elif name in controls:
            chosen[name] = value
        elif name in sizes:
            implied.set(name, value, name)
        elif name == TOKENS and tab.tokens:
            tokens = _names(value)
            implied.set("n", len(tokens), TOKENS)
        else:
            raise InputError(
                NO_NAME,
                tab=tab.number,
                name=number_text.quoted(name),
                inputs=_listed(inputs),
                controls=_listed(controls),
                sizes=_listed([*sizes, *([TOKENS] if tab.tokens else [])]),
            )
    holder = Tab(tab)
    implied.by_products(holder.state.sizes)
    changes, state = holder.changes, holder.state
    if tab.react is not None:
        # What a control brings along comes first, so that it does not undo what is set beside it.
        state = changes.reacted(state, changes.with_edit(state, Edit(controls=chosen)))
    state = changes.reacted(state, changes.with_edit(state, Edit(arrays, chosen, implied.sizes, tokens)))
    holder.checked(state)
    return state


def _listed(names: Iterable[str]) -> str:
    return ", ".join(names) or "none"


class _Implied:
    """Sizes that follow from what is given, each with what it follows from."""

    def __init__(self) -> None:
        self.sizes: dict[str, Any] = {}
        self._because: dict[str, str] = {}
        self._products: list[tuple[str, int, str]] = []

    def set(self, size: str, value: object, because: str) -> None:
        known = self.sizes.setdefault(size, value)
        source = self._because.setdefault(size, because)
        if known != value:
            shown = [number_text.quoted(str(one)) for one in (known, value)]
            raise InputError(DISAGREE, one=source, size=size, first=shown[0], other=because, second=shown[1])

    def by_array(self, one: Input, array: Array) -> None:
        for axis, length in zip(one.axes, array.shape, strict=True):
            if axis.size.isdigit():
                if int(axis.size) != length:
                    raise InputError(FIXED_AXIS, name=one.name, shape=array.shape, wanted=_wanted(one))
            elif len(evaluation.factors_of(axis.size)) > 1:
                self._products.append((axis.size, length, one.name))
            else:
                self.set(axis.size, length, one.name)

    def by_products(self, otherwise: Mapping[str, int]) -> None:
        """Settle the sizes that only occur in products, once all others are known; the rest stay as they are."""
        for product, length, because in self._products:
            whole = {name: value for name, value in self.sizes.items() if type(value) is int and value > 0}
            found = evaluation.solved(product, length, whole, otherwise)
            if found is not None:
                self.set(*found, because)


def _wanted(one: Input) -> str:
    """Say what an input's JSON must be: ``rows of numbers, n × d_model``."""
    what = "true or false" if one.kind == "mask" else "numbers"
    words = " × ".join(axis.size for axis in one.axes)
    kinds = {0: "a number", 1: f"a list of {what}", 2: f"a list of rows of {what}"}
    return f"{kinds.get(len(one.axes), f'lists of rows of {what}')}{f', {words}' if words else ''}"


def _array(one: Input, value: object) -> Array:
    """Turn nested lists into an array whose axes are as many as the input's, or refuse them with their place."""
    shape: list[int] = []
    cells = _cells(one, value, one.name, len(one.axes), shape)
    return np.array(cells, dtype=bool if one.kind == "mask" else np.float64).reshape(shape)


def _cells(one: Input, value: object, where: str, axes: int, shape: list[int]) -> list[Any]:
    depth = len(one.axes) - axes
    if axes == 0:
        return [_cell(one, value, where)]
    if not isinstance(value, list) or not value:
        raise InputError(NOT_AN_ARRAY, name=one.name, wanted=_wanted(one), where=where, found=strictjson.shown(value))
    if depth == len(shape):
        shape.append(len(value))
    elif shape[depth] != len(value):
        raise InputError(
            NOT_RECTANGULAR, name=one.name, wanted=_wanted(one), where=where, found=len(value), others=shape[depth]
        )
    return [cell for at, member in enumerate(value) for cell in _cells(one, member, f"{where}[{at}]", axes - 1, shape)]


def _cell(one: Input, value: object, where: str) -> float:
    if one.kind == "mask" and value in (True, False):
        return bool(value)
    if one.kind == "number":
        if value == session_tab.MINUS_INFINITY and session_tab.may_be_minus_infinity(one):
            return -math.inf
        if type(value) in (int, float) and abs(value) <= 1e308:  # type: ignore[arg-type]
            return float(value)  # type: ignore[arg-type]
    raise InputError(NOT_AN_ARRAY, name=one.name, wanted=_wanted(one), where=where, found=strictjson.shown(value))


def _names(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not value or not all(isinstance(name, str) for name in value):
        raise InputError(NO_TOKENS)
    return tuple(value)


# ------------------------------------------------------------------------------------------------------- compute


def compute(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Compute the front tab of a session file.

    Returns
    -------
    dict
        ``{"arrays": {name: nested lists}}``, inputs first; strict JSON: −∞ is ``"-Infinity"``.

    Raises
    ------
    InputError
        When the file cannot be read, or its numbers not be computed with.
    """
    tab, state = _front(path)
    results = results_of(tab, state)
    return {"arrays": {name: _plain(results[name]) for name in array_names(tab) if name in results}}


def describe(result: Mapping[str, Any]) -> str:
    """Return what `compute` found as a page of text: each array's name, shape and rows, to four decimals."""
    return "\n\n".join(_described(name, array) for name, array in result["arrays"].items())


def _front(path: str | os.PathLike[str]) -> tuple[Concept, TabState]:
    read = session.read(path)
    return concept(read.front), read.tabs[read.front].state


def _plain(array: Array) -> Any:  # noqa: ANN401 - nested lists, or one cell
    if array.dtype.kind == "f" and np.isneginf(array).any():
        return np.where(np.isneginf(array), session_tab.MINUS_INFINITY, array.astype(object)).tolist()
    return array.tolist()


def _described(name: str, array: Any) -> str:  # noqa: ANN401 - as `_plain` returns it
    rows: list[list[str]] = []
    shape: list[int] = []

    def walk(value: Any, depth: int) -> None:  # noqa: ANN401
        if not isinstance(value, list):
            rows.append([_shown(value)])
            return
        if depth == len(shape):
            shape.append(len(value))
        if value and isinstance(value[0], list):
            for member in value:
                walk(member, depth + 1)
        else:
            rows.append([_shown(member) for member in value])

    walk(array, 0)
    width = max((len(cell) for row in rows for cell in row), default=0)
    head = f"{name} ({' × '.join(map(str, shape))})" if shape else name
    block = shape[-2] if len(shape) > 2 else len(rows) or 1
    lines = [head]
    for at, row in enumerate(rows):
        if at and at % block == 0:
            lines.append("")
        lines.append("  " + "  ".join(cell.rjust(width) for cell in row))
    return "\n".join(lines)


def _shown(value: object) -> str:
    if isinstance(value, bool):
        return "1" if value else "0"
    if value == session_tab.MINUS_INFINITY:
        return f"{number_text.MINUS}∞"
    return number_text.shown(float(value), DIGITS) if isinstance(value, int | float) else str(value)


# -------------------------------------------------------------------------------------------------------- export


def export(path: str | os.PathLike[str], *, kind: str, out: str | os.PathLike[str]) -> list[Path]:
    """Write a session file as data: its front tab as CSV or as a NumPy script, the whole session as NPZ.

    Parameters
    ----------
    path : path
        The session file.
    kind : {"csv", "npz", "py"}
        CSV is one file with the arrays one below the other, or one file per array where `out` is a folder. An NPZ
        holds the front tab's arrays under their names, and those of every tab as ``slug/name``.
    out : path
        The file; a folder gets a file named after the tab. For CSV, a new name without a suffix is a folder, too.

    Returns
    -------
    list of Path
        The files written.

    Raises
    ------
    InputError
        When the session cannot be read or computed, or a file cannot be written.
    """
    target = Path(out)
    if kind not in KINDS:
        raise InputError(NO_KIND, kind=number_text.quoted(kind), known=", ".join(KINDS))
    if kind == "npz":
        read = session.read(path)
        front = concept(read.front)
        return _write_all({_file(target, front, kind): session_npz(read)})
    front, state = _front(path)
    if kind == "py":
        return _write_all({_file(target, front, kind): script_export.numpy_script(front, state).encode()})
    arrays = data_export.all_labelled(front, state, results_of(front, state))
    if not target.is_dir() and (target.suffix or target.exists()):
        return _write_all({target: data_export.csv_file(arrays)})
    return _write_all({target / f"{one.name}.csv": data_export.csv_file([one]) for one in arrays})


def session_npz(what: Session) -> bytes:
    """Return every array of every tab as an NPZ file, the front tab's also under their bare names.

    Raises
    ------
    InputError
        When a tab cannot be computed.
    """
    arrays: dict[str, Array] = {}
    for slug, snapshot in what.tabs.items():
        tab = concept(slug)
        results = results_of(tab, snapshot.state)
        held = {name: results[name] for name in array_names(tab) if name in results}
        if snapshot.state.tokens:
            held[TOKENS] = np.array(snapshot.state.tokens)
        arrays.update({f"{slug}/{name}": array for name, array in held.items()})
        if slug == what.front:
            arrays = {**held, **arrays}
    return data_export.npz_file(arrays)


def _file(target: Path, tab: Concept, kind: str) -> Path:
    return target / f"{tab.number:02d}-{tab.slug}.{kind}" if target.is_dir() else target


def _write_all(files: Mapping[Path, bytes]) -> list[Path]:
    for path, data in files.items():
        atomic.make_folder(path.parent)
        atomic.write(path, data)
    return list(files)
