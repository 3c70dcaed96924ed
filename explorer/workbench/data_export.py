r"""Arrays as text and files for other programs: CSV, NPY, NPZ, LaTeX, NumPy literals.

Every format keeps all digits and writes numbers with a dot; labels are escaped as each format needs it. −∞ is
``-Infinity`` in CSV (as in sessions), ``-np.inf`` in Python and ``-\infty`` in LaTeX. Which arrays are exported and
where files go is decided by whoever calls.
"""

from __future__ import annotations

import io
import keyword
import math
import re
import unicodedata
import zipfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from explorer.concepts import evaluation
from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, cell_name, first_true
from explorer.workbench import number_text

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping

    from explorer.concepts.declaration import Axis, Concept, Values
    from explorer.core.ops.base import Array
    from explorer.workbench.state import TabState

TEXT_FORMATS: Final = ("csv", "latex", "numpy")

NOT_COMPUTABLE = QT_TRANSLATE_NOOP("workbench", "tab {tab} cannot be computed from these values: {reason}")
NOT_FINITE = QT_TRANSLATE_NOOP(
    "workbench", "{cell} of tab {tab} overflows with these values; use numbers of smaller magnitude"
)
NO_FORMAT = QT_TRANSLATE_NOOP("workbench", "there is no text format {form}; there are {known}")


@dataclass(frozen=True, slots=True, eq=False)
class Labelled:
    """An array with what its axes' entries are called.

    Attributes
    ----------
    name : str
    array : ndarray
        Numbers or truth values, of any number of axes.
    labels : tuple of tuple of str
        One tuple per axis, as long as the axis.
    """

    name: str
    array: Array
    labels: tuple[tuple[str, ...], ...]

    def tables(self) -> Iterator[tuple[str, Array]]:
        """Give the array as tables of two axes, each with its name: ``weights[0]`` is head 0 of three axes."""
        leading = self.array.shape[:-2]
        for index in np.ndindex(*leading):
            where = f"[{', '.join(map(str, index))}]" if index else ""
            yield f"{self.name}{where}", np.atleast_2d(self.array[index])

    @property
    def row_labels(self) -> tuple[str, ...]:
        """What the rows are called; an array of fewer than two axes is one row without a name."""
        return self.labels[-2] if self.array.ndim > 1 else ("",)

    @property
    def column_labels(self) -> tuple[str, ...]:
        """What the columns are called."""
        return self.labels[-1] if self.array.ndim else ("",)


def labelled(concept: Concept, state: TabState, results: Values, name: str) -> Labelled:
    """Return one of a tab's arrays with the names of its tokens and of what else its axes count.

    Raises
    ------
    KeyError
        When the tab has no such array, or it is not computed.
    """
    array = results[name]
    axes = concept.array(name).axes
    return Labelled(name, array, tuple(_labels(axis, state, n) for axis, n in zip(axes, array.shape, strict=True)))


def _labels(axis: Axis, state: TabState, length: int) -> tuple[str, ...]:
    names = evaluation.names_along(axis, state.situation)
    return tuple(names[i] if i < len(names) else str(i) for i in range(length))


def all_labelled(concept: Concept, state: TabState, results: Values) -> list[Labelled]:
    """Return every array of a tab, inputs first, in the order of computation."""
    return [labelled(concept, state, results, name) for name in array_names(concept) if name in results]


def array_names(concept: Concept) -> list[str]:
    """Return the names of a tab's arrays, inputs first, in the order of computation."""
    return [*(one.name for one in concept.inputs), *(one.name for one in concept.stages)]


def results_of(concept: Concept, state: TabState, *, slow: bool = True) -> Values:
    """Compute every array of a tab; without `slow`, those that take long are absent.

    Raises
    ------
    InputError
        When an op refuses its inputs, or a number overflows.
    """
    try:
        with np.errstate(all="ignore"):
            results = evaluation.evaluate(concept, state.situation, slow=slow)
    except InputError:
        raise
    except Exception as error:
        # An op may fail in ways that its author did not think of; the user gets a sentence all the same.
        reason = number_text.quoted(str(error), 200)
        raise InputError(NOT_COMPUTABLE, tab=concept.number, reason=reason) from error
    for stage in concept.stages:
        array = results.get(stage.name)
        if array is not None and array.dtype.kind == "f":
            wrong = ~(np.isfinite(array) | (np.isneginf(array) & (stage.role == "score")))
            if wrong.any():
                raise InputError(NOT_FINITE, cell=cell_name(stage.name, first_true(wrong)), tab=concept.number)
    return results


def as_text(one: Labelled, form: str) -> str:
    """Return an array in one of the `TEXT_FORMATS`.

    Raises
    ------
    InputError
        When there is no such format.
    """
    if form == "csv":
        return as_csv([one])
    if form == "latex":
        return as_latex(one)
    if form == "numpy":
        return as_numpy(one)
    raise InputError(NO_FORMAT, form=repr(form), known=", ".join(TEXT_FORMATS))


# ----------------------------------------------------------------------------------------------------------- CSV


SEPARATORS: Final = frozenset('",;\t\r\n')


def as_csv(arrays: Iterable[Labelled]) -> str:
    """Write tables one below the other, an empty line between them (RFC 4180).

    A table's first cell is its name and the rest of its first row and column are labels, so that what is written here
    can be recognised when it is imported. Heads are tables of their own.
    """
    blocks = []
    for one in arrays:
        for name, table in one.tables():
            rows = [[name, *one.column_labels]]
            rows += [[label, *map(_csv_cell, row)] for label, row in zip(one.row_labels, table.tolist(), strict=True)]
            blocks.append("".join(",".join(map(_csv_field, row)) + "\r\n" for row in rows))
    return "\r\n".join(blocks)


def _csv_field(text: str) -> str:
    """Quote a field that holds any sign that some program takes for a separator: a token may be called ``;``."""
    return '"' + text.replace('"', '""') + '"' if SEPARATORS.intersection(text) else text


def _csv_cell(value: float) -> str:
    if value == -math.inf:
        return "-Infinity"
    return number_text.full(value)


def csv_file(arrays: Iterable[Labelled]) -> bytes:
    """Return `as_csv` as a file, with a byte order mark: without it, spreadsheets garble names that are not Latin."""
    return as_csv(arrays).encode("utf-8-sig")


# --------------------------------------------------------------------------------------------------------- LaTeX

_LATEX: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "&": r"\&",
        "%": r"\%",
        "$": r"\$",
        "#": r"\#",
        "_": r"\_",
        "{": r"\{",
        "}": r"\}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
    }
)


def latex_text(text: str) -> str:
    """Return a text as LaTeX sets it: characters with a meaning escaped, line breaks and tabs as spaces.

    Control characters, which no engine reads, become U+FFFD, as in pictures.
    """
    plain = "".join("\ufffd" if unicodedata.category(sign) == "Cc" else sign for sign in " ".join(text.split()))
    return plain.translate(_LATEX)


def as_latex(one: Labelled) -> str:
    """Write an array for LaTeX's mathematics (with amsmath), all digits; names stand around it where axes have any.

    Names outside Latin script need a Unicode engine (XeLaTeX, LuaLaTeX), as always.
    """
    named = any(labels != tuple(map(str, range(len(labels)))) for labels in one.labels)
    return "\n".join(_latex_table(name, table, one, named) for name, table in one.tables()) + "\n"


def _latex_table(name: str, table: Array, one: Labelled, named: bool) -> str:
    rows = [" & ".join(map(latex_number, row)) for row in table.tolist()]
    if not named:
        body = " \\\\\n".join(f"  {row}" for row in rows)
        return f"% {name}\n\\begin{{bmatrix}}\n{body}\n\\end{{bmatrix}}"
    head = " & ".join(f"\\text{{{latex_text(label)}}}" for label in one.column_labels)
    labels = [f"\\text{{{latex_text(label)}}}" for label in one.row_labels]
    lines = [f"  {label} & {row}" for label, row in zip(labels, rows, strict=True)]
    body = " \\\\\n".join([f"   & {head} \\\\ \\hline", *lines]).replace("\\hline \\\\\n", "\\hline\n")
    return f"% {name}\n\\begin{{array}}{{l|{'r' * table.shape[1]}}}\n{body}\n\\end{{array}}"


def latex_number(value: float) -> str:
    r"""Write a number for LaTeX's mathematics, all digits: ``-1.5\times 10^{-7}``."""
    if math.isinf(value):
        return r"-\infty" if value < 0 else r"\infty"
    mantissa, _, power = number_text.full(value).partition("e")
    return rf"{mantissa}\times 10^{{{power}}}" if power else mantissa


# -------------------------------------------------------------------------------------------------------- Python


def as_numpy(one: Labelled) -> str:
    """Write an assignment of a NumPy array: ``weights = np.array([[1.0, 0.0], ...])``."""
    return f"{identifier(one.name)} = {numpy_literal(one.array)}\n"


def numpy_literal(array: Array) -> str:
    """Return a NumPy expression that gives the array, bit for bit: value, type and shape; a row is a line."""
    kind = {"f": "", "b": "", "i": "", "u": ""}[array.dtype.kind]
    if array.dtype not in (np.float64, np.bool_, np.int64):
        kind = f", dtype=np.{array.dtype.name}"
    if array.size == 0:
        return f"np.zeros({array.shape!r}, dtype=np.{array.dtype.name})"
    return f"np.array({_nested(array, 0)}{kind})"


def _nested(array: Array, depth: int) -> str:
    if array.ndim == 0:
        return _literal(array[()])
    if array.ndim == 1:
        return f"[{', '.join(map(_literal, array))}]"
    indent = "    " * (depth + 1)
    rows = ",\n".join(f"{indent}{_nested(row, depth + 1)}" for row in array)
    return f"[\n{rows},\n{'    ' * depth}]"


def _literal(value: Any) -> str:  # noqa: ANN401 - a scalar of any of NumPy's types
    plain = value.item()
    if not isinstance(plain, float):
        return repr(plain)
    if math.isinf(plain):
        return "np.inf" if plain > 0 else "-np.inf"
    if value.dtype.itemsize < 8:
        short = str(value)
        return short if value.dtype.type(float(short)) == value and "." in short else repr(plain)
    return repr(plain)


def identifier(name: str, taken: Collection[str] = ()) -> str:
    """Return the name as Python may have it; the same name stays the same unless something else has it."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII) or "_"
    if plain[0].isdigit():
        plain = f"_{plain}"
    while keyword.iskeyword(plain) or plain == "np" or plain in taken:
        plain += "_"
    return plain


# --------------------------------------------------------------------------------------------------------- files


def npy_file(array: Array) -> bytes:
    """Return an NPY file; nothing in it is pickled."""
    out = io.BytesIO()
    np.save(out, np.ascontiguousarray(array).reshape(array.shape), allow_pickle=False)
    return out.getvalue()


_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)


def npz_file(arrays: Mapping[str, Array]) -> bytes:
    """Return an NPZ file; nothing in it is pickled."""
    out = io.BytesIO()
    # np.savez cannot write arrays called "file", and puts the time into the file: equal sessions would differ.
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, array in arrays.items():
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _LONG_AGO), npy_file(array), zipfile.ZIP_DEFLATED)
    return out.getvalue()
