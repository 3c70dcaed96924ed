"""A tab as a NumPy script that anybody can run, read and check.

The script needs NumPy alone. It holds the inputs, the steps as the stages' ops write them, and every number that the
app computed; it prints all arrays and then asserts each cell to the last bit. Two decisions may surprise:

- A stage is wrapped in ``np.ascontiguousarray`` where the app's copy of its result has another order in memory than
  the bare expression: BLAS may round differently along other strides.
- At its end the script compares the literals of its own file with what was exported, because a literal can be altered
  without altering a result: in its seventeenth digit, in a token's name, or in a branch that this tab does not take.
"""

from __future__ import annotations

import ast
import os
import re
import zlib
from typing import TYPE_CHECKING, Final

import numpy as np

from explorer import __version__
from explorer.concepts import evaluation
from explorer.workbench.data_export import array_names, identifier, numpy_literal, results_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from explorer.concepts.declaration import Axis, Concept, Stage
    from explorer.core.ops.base import Array, Op
    from explorer.workbench.state import TabState

_HEAD: Final = """\
# Tab {number} of Attention Explorer {version}: {title}.
# Needs Python and NumPy, nothing else. Prints every number of the tab, then asserts each of them to the last bit
# (with NumPy {numpy}; another version or kind of processor may round the last bit of exp or of a product differently).

import os
import re
import sys
import zlib

for threads in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS"):
    os.environ[threads] = "1"  # as in the app: more threads may add up in another order
{kernel}
import numpy as np
"""

#: A comment, which counts for nothing, or a literal with its sign: a text of three or one quotes of either kind, a
#: number, a word for a value. Python's own tokenizer takes ten times as long over the millions of a large tab.
_LITERAL: Final = (
    r"#[^\n]*"
    r"|(\"{3}(?:[^\"\\]|\\.|\"(?!\"\"))*\"{3}|'{3}(?:[^'\\]|\\.|'(?!''))*'{3}"
    r"|\"(?:[^\"\\\n]|\\.)*\"|'(?:[^'\\\n]|\\.)*'"
    r"|\b\d(?:[eE][+-]|[\w.])*|-|\b(?:True|False|None)\b)"
)

_CHECKS: Final = '''\
LITERAL = re.compile({pattern}, re.DOTALL)


def check(name, found, shown):
    """Raise AssertionError unless every cell is the one that the tab shows, to the last bit."""
    found = np.asarray(found)
    if found.shape != shown.shape or found.dtype != shown.dtype:
        raise AssertionError("%s is %s %s, in the tab %s %s"
                             % (name, found.dtype, found.shape, shown.dtype, shown.shape))
    bits = [np.frombuffer(array.tobytes(), np.uint8).reshape(array.size, -1) for array in (found, shown)]
    for cell in np.flatnonzero((bits[0] != bits[1]).any(axis=1)):
        index = [int(i) for i in np.unravel_index(cell, found.shape)]
        values = found.flat[cell].item(), shown.flat[cell].item()
        raise AssertionError("%s%s is %r, in the tab %r" % (name, index, *values))


def check_literals(digest):
    """Raise AssertionError unless what is written in this file, signs included, is what was exported."""
    try:
        file = open(__file__, "rb")
    except (NameError, OSError):  # pasted or piped: there is no file to look at
        return
    with file:
        literals = list(filter(None, LITERAL.findall(file.read().decode("utf-8", "replace").replace("\\r\\n", "\\n"))))
    if repr(digest) not in literals:  # the file of somebody who runs this text
        return
    literals.remove(repr(digest))
    if "%08x" % zlib.crc32(" ".join(literals).encode()) != digest:
        raise AssertionError("a number or a text in this file is not the one that was exported")


if hasattr(sys.stdout, "reconfigure"):
    sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not have every sign of the tokens' names
np.set_printoptions(floatmode="unique", linewidth=160, threshold=sys.maxsize)
if tokens:
    print("tokens:", *tokens)
for name in shown:
    print(name + ":")
    print(np.asarray(arrays[name]))
for name in shown:
    check(name, arrays[name], shown[name])
'''.replace("{pattern}", repr(_LITERAL))

_PLACE: Final = "'{digest}'"
_LITERALS: Final = f'check_literals({_PLACE})\nprint("every number is the tab\'s, to the last bit")\n'

_KERNEL: Final = "OPENBLAS_CORETYPE"

#: What the script calls its own things, so that no array may be called so.
_OWN: Final = frozenset(
    {"LITERAL", "arrays", "check", "check_literals", "name", "os", "re", "shown", "sys", "threads", "tokens", "zlib"}
    | {"print", "open", "int", "range", "len", "zip", "sum", "min", "max", "abs", "enumerate", "list", "tuple", "float"}
    | {"AssertionError", "NameError", "OSError"}
)


def numpy_script(concept: Concept, state: TabState) -> str:
    """Return the script of a tab at one moment.

    Parameters
    ----------
    concept : Concept
        The tab.
    state : TabState
        What it holds.

    Returns
    -------
    str
        Python source in UTF-8; running it prints the tab's arrays and ends with status 0, or with an AssertionError
        that names the first cell which differs.

    Raises
    ------
    InputError
        When the tab cannot be computed with these values.
    """
    results = results_of(concept, state)
    found = {one.name: evaluation.op_of(one, state.controls) for one in concept.stages if one.name in results}
    ops = {name: op for name, op in found.items() if op is not None}
    helpers = dict.fromkeys(helper.strip("\n") for op in ops.values() for helper in op.helpers)
    names = _names(concept, helpers)
    parts = [
        _HEAD.format(
            number=concept.number,
            version=__version__,
            title=concept.title,
            numpy=np.__version__,
            kernel=_kernel(),
        ),
        _inputs(concept, state, names),
        *(f"\n{helper}\n" for helper in helpers),
        "\n".join(["", *_steps(concept, state, results, ops, names), ""]),
        _shown(concept, results, names),
        _CHECKS,
    ]
    text = "\n".join(parts)
    return text + _LITERALS.format(digest=_digest(text + _LITERALS))


def _kernel() -> str:
    """Return the line that chooses BLAS' kernels where the app was told to use others than the processor's own."""
    chosen = os.environ.get(_KERNEL)
    return (
        "" if chosen is None else f'os.environ["{_KERNEL}"] = {chosen!r}  # as in the app: kernels round differently\n'
    )


def _digest(text: str) -> str:
    """Return what `check_literals` in the script compares; the place of the digest itself is left out."""
    literals = list(filter(None, re.findall(_LITERAL, text, re.DOTALL)))
    literals.remove(_PLACE)
    return f"{zlib.crc32(' '.join(literals).encode()):08x}"


def _names(concept: Concept, helpers: Iterable[str]) -> dict[str, str]:
    """Return what every array, and every control that a stage reads, is called in the script."""
    taken = set(_OWN)
    for helper in helpers:
        taken.update(one.name for one in ast.parse(helper).body if isinstance(one, ast.FunctionDef))
        taken.update(
            target.id
            for one in ast.walk(ast.parse(helper))
            if isinstance(one, ast.Assign) and one.col_offset == 0
            for target in one.targets
            if isinstance(target, ast.Name)
        )
    read = [name for stage in concept.stages for name in stage.inputs]
    names: dict[str, str] = {}
    for name in dict.fromkeys((*array_names(concept), *read)):
        if name not in names:
            names[name] = identifier(name, taken)
            taken.add(names[name])
    return names


def _inputs(concept: Concept, state: TabState, names: Mapping[str, str]) -> str:
    lines = ["# What was typed."]
    if state.controls:
        controls = ", ".join(f"{name} = {value!r}" for name, value in state.controls.items())
        lines.append(f"# Controls: {controls}.")
    lines.append(f"tokens = {list(state.tokens)!r}")
    for one in concept.inputs:
        lines.append(_comment(names[one.name], one.axes))
        lines.append(f"{names[one.name]} = {numpy_literal(state.inputs[one.name])}")
    arrays = array_names(concept)
    for name in dict.fromkeys(name for stage in concept.stages for name in stage.inputs if name not in arrays):
        value = evaluation.given_array(name, state.situation).item()
        lines.append(f"{names[name]} = np.array({value!r})")
    return "\n".join(lines) + "\n"


def _comment(name: str, axes: tuple[Axis, ...]) -> str:
    words = [f"{axis.size} ({axis.words})" if axis.words else axis.size for axis in axes]
    return f"# {name}: {' × '.join(words) or 'a number'}"


def _steps(
    concept: Concept, state: TabState, results: Mapping[str, Array], ops: Mapping[str, Op], names: Mapping[str, str]
) -> list[str]:
    lines = ["# What is computed from it."]
    for stage in concept.stages:
        if stage.name not in ops:
            continue
        source = ops[stage.name].source([names[name] for name in stage.inputs])
        if _order_differs(stage, state, results, ops[stage.name]):
            source = f"np.ascontiguousarray({source})"
        title = f"  # {stage.title}" if stage.title and "\n" not in stage.title else ""
        lines.append(f"{names[stage.name]} = {source}{title}")
    return lines


def _order_differs(stage: Stage, state: TabState, results: Mapping[str, Array], op: Op) -> bool:
    """Say whether the op hands out a view in another order than the copy that the app computes on with."""
    read = [
        results[name] if name in results else evaluation.given_array(name, state.situation) for name in stage.inputs
    ]
    with np.errstate(all="ignore"):
        bare = np.asarray(op.apply(*read))
    return not bare.flags.owndata and not bare.flags.c_contiguous


def _shown(concept: Concept, results: Mapping[str, Array], names: Mapping[str, str]) -> str:
    order = [name for name in array_names(concept) if name in results]
    lines = ["", "# What the tab shows.", "shown = {}"]
    lines += [f"shown[{name!r}] = {numpy_literal(results[name])}" for name in order]
    pairs = "".join(f"    {name!r}: {names[name]},\n" for name in order)
    return "\n".join([*lines, f"arrays = {{\n{pairs}}}", "", ""])
