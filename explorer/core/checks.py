"""What the core accepts, and the one sentence that says why something is refused.

Every refusal of the core is an :class:`InputError`: a ValueError that keeps its English sentence apart from the values
in it, so that a translated interface can say the same in its own language. The sentences are marked for Qt's
extraction tool by name only; nothing here imports Qt.

Checks read their input once. The largest magnitude that they find on the way is kept by the callers, because it tells
cheaply whether a product of such numbers could overflow.
"""

from __future__ import annotations

import math
import numbers
import operator
import sys
from typing import TYPE_CHECKING, Any, SupportsFloat, SupportsIndex, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from explorer.core.arrays import BoolArray, FloatArray

Shape: TypeAlias = tuple[int, ...]


def QT_TRANSLATE_NOOP(context: str, text: str) -> str:  # noqa: ARG001 - lupdate reads the context, and this exact name
    """Return `text` unchanged; its name lets Qt's lupdate find the text."""
    return text


class InputError(ValueError):
    """Refuse an input with one sentence.

    Parameters
    ----------
    template : str
        The English sentence, with replacement fields as in :meth:`str.format`.
    **values
        What the fields stand for.

    Attributes
    ----------
    template : str
    values : dict
        ``str(error) == error.template.format(**error.values)``; a translation of the template takes the same values.
    """

    template: str
    values: dict[str, Any]

    def __init__(self, template: str, /, **values: Any) -> None:  # noqa: ANN401 - whatever a sentence may hold
        self.template = template
        self.values = values
        super().__init__(template.format(**values))

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), self.template, self.values)


def _rebuild(kind: type[InputError], template: str, values: dict[str, Any]) -> InputError:
    return kind(template, **values)


class Choices(tuple[Any, ...]):
    """Values of which one may be chosen; reads "1, 2, 5 or 10" in a sentence."""

    __slots__ = ()

    def __str__(self) -> str:
        words = [str(choice) for choice in self]
        return " or ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))

    def __format__(self, spec: str) -> str:
        return format(str(self), spec)


def kv_head_choices(n_head: int) -> Choices:
    """Return the numbers of KV heads that `n_head` query heads can share evenly: its divisors, ascending."""
    low = [d for d in range(1, math.isqrt(n_head) + 1) if n_head % d == 0]
    return Choices(sorted({*low, *(n_head // d for d in low)}))


NOT_NUMBERS = QT_TRANSLATE_NOOP("core", "{name} must be a rectangular array of real numbers, not {found}")
NOT_BOOLEAN = QT_TRANSLATE_NOOP(
    "core", "{name} must be boolean (True = may look), not {found}; numbers to add to the scores go into bias"
)
WRONG_NDIM = QT_TRANSLATE_NOOP("core", "{name} has shape {shape}; it must have {ndim} axes: {axes}")
EMPTY_AXIS = QT_TRANSLATE_NOOP("core", "{name} has shape {shape}; its axis {axis} must hold at least 1")
NOT_FINITE = QT_TRANSLATE_NOOP("core", "{cell} is {value}; every number must be finite")
BOOLEAN_BIAS = QT_TRANSLATE_NOOP(
    "core", "{name} must hold numbers to add to the scores, not {found}; booleans (True = may look) go into mask"
)
NOT_FINITE_BIAS = QT_TRANSLATE_NOOP("core", "{cell} is {value}; a bias must be finite, or -inf for masked")
TOO_LARGE = QT_TRANSLATE_NOOP("core", "{cell} is {value}, which is too large for {dtype}")
OVERFLOW = QT_TRANSLATE_NOOP(
    "core", "{cell} would overflow {dtype}: its inputs are finite, but the result is too large; use smaller numbers"
)
NOT_AN_INTEGER = QT_TRANSLATE_NOOP("core", "{name} must be an integer, not {value}")
TOO_SMALL = QT_TRANSLATE_NOOP("core", "{name} is {value}; it must be at least {least}")
NOT_A_FLAG = QT_TRANSLATE_NOOP("core", "{name} must be True or False, not {value}")
NOT_A_NUMBER = QT_TRANSLATE_NOOP("core", "{name} must be a finite number, not {value}")
NOT_POSITIVE = QT_TRANSLATE_NOOP("core", "{name} is {value}; it must be greater than 0 and fit {dtype}")
CANNOT_SHARE = QT_TRANSLATE_NOOP(
    "core", "{n_head} query heads cannot share {n_head_kv} KV heads; n_head_kv may be {choices}"
)
NO_BROADCAST = QT_TRANSLATE_NOOP("core", "{name} has shape {shape}, which does not broadcast to {target} = {axes}")


def cell_name(name: str, index: Iterable[int]) -> str:
    """Return the name of one cell as a reader writes it: ``q[0, 2, 1]``; of an array without axes, its name."""
    at = ", ".join(str(int(i)) for i in index)
    return f"{name}[{at}]" if at else name


def first_true(condition: BoolArray) -> Shape:
    """Return the index of the first True of `condition`, which must hold one."""
    return tuple(int(i) for i in np.unravel_index(int(condition.argmax()), condition.shape))


def largest_magnitude(array: FloatArray) -> float:
    """Return max |array|, 0 for an empty array, NaN when one entry is NaN. Makes no temporary array."""
    if array.size == 0:
        return 0.0
    low, high = float(array.min()), float(array.max())
    return low if math.isnan(low) else max(-low, high)


def as_floats(name: str, value: ArrayLike, dtype: DTypeLike | None = None) -> FloatArray:
    """Return `value` as an array of float32 or float64; look at shapes and numbers not at all.

    Parameters
    ----------
    name : str
        What an error calls the argument.
    value : array_like
        float32 and float64 stay as they are, every other kind of real number becomes float64.
    dtype : dtype, optional
        Convert to this dtype instead.

    Raises
    ------
    InputError
        When `value` is ragged, complex, text, booleans or no numbers at all. Booleans are a mask in the wrong place.
    """
    try:
        array: NDArray[Any] = np.asarray(value)
        if _holds_numbers(array) and not _is_masked_array(value):
            if dtype is None:
                native = array.dtype.newbyteorder("=")
                dtype = native if native in (np.float32, np.float64) else np.float64
            with np.errstate(over="ignore", under="ignore"):
                return array.astype(dtype, copy=False)
    except (TypeError, ValueError, OverflowError):
        pass
    raise InputError(NOT_NUMBERS, name=name, found=_describe(value))


def _holds_numbers(array: NDArray[Any]) -> bool:
    """Return whether `array` holds real numbers alone; as a Python object None counts too, and becomes NaN."""
    if array.dtype.kind != "O":
        return array.dtype.kind in "iuf"
    # NumPy would read text as numbers in an array of objects, though it refuses an array of text.
    items: list[Any] = array.ravel().tolist()
    return array.ndim > 0 and all(item is None or _is_real(item) for item in items)


def _is_boolean(value: ArrayLike) -> bool:
    try:
        return bool(np.asarray(value).dtype == np.bool_)
    except ValueError:  # ragged: no array at all
        return False


def _is_real(value: object) -> bool:
    """Return whether `value` is one real number: no boolean, no text, nothing complex."""
    if isinstance(value, bool | np.ndarray):
        return False
    if isinstance(value, numbers.Complex | np.generic):
        return isinstance(value, numbers.Real)
    return hasattr(type(value), "__float__") or hasattr(type(value), "__index__")


def _is_masked_array(value: object) -> bool:
    # Nobody holds one unless numpy.ma is imported; importing it to ask would cost every start its time.
    return isinstance(value, getattr(sys.modules.get("numpy.ma"), "MaskedArray", ()))


def _describe(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"{type(value).__name__} of {value.dtype}"
    try:
        text = repr(value)
    except ValueError:  # Python does not write out integers of more than 4300 digits
        text = "a number too long to be written out"
    return text if len(text) <= 40 else f"{text[:37]}..."


def written(number: int) -> int | str:
    """Return `number` for a sentence: itself, or its first digits when it is longer than a reader can take in."""
    return number if abs(number) < 10**40 else _describe(number)


def as_flag(name: str, value: object) -> bool:
    """Return `value` as a bool: True, False, 1 or 0.

    Raises
    ------
    InputError
        For anything else: Python counts the text "False" as true.
    """
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, bool | np.bool_) or (isinstance(value, numbers.Integral) and value in (0, 1)):
        return bool(value)
    raise InputError(NOT_A_FLAG, name=name, value=_describe(value))


def as_mask(name: str, value: ArrayLike) -> BoolArray:
    """Return `value` as a boolean array. Integers are taken when they are all 0 or 1.

    Raises
    ------
    InputError
        For anything else: a float mask is usually an additive one, which would be read upside down.
    """
    try:
        array: NDArray[Any] = np.asarray(value)
    except ValueError:
        raise InputError(NOT_BOOLEAN, name=name, found=_describe(value)) from None
    if array.dtype.kind in "iu" and not ((array != 0) & (array != 1)).any():
        array = array.astype(np.bool_)
    if array.size == 0 and array.dtype.kind == "f":
        array = array.astype(np.bool_)
    if array.dtype != np.bool_ or _is_masked_array(value):
        raise InputError(NOT_BOOLEAN, name=name, found=_describe(value))
    return array


def check_axes(name: str, array: NDArray[Any], axes: tuple[str, ...], nonempty: tuple[str, ...] = ()) -> None:
    """Refuse `array` unless it has one axis per name in `axes`, those in `nonempty` of length 1 or more.

    Raises
    ------
    InputError
    """
    if array.ndim != len(axes):
        raise InputError(WRONG_NDIM, name=name, shape=array.shape, ndim=len(axes), axes=f"({', '.join(axes)})")
    for axis, length in zip(axes, array.shape, strict=True):
        if length == 0 and axis in nonempty:
            raise InputError(EMPTY_AXIS, name=name, shape=array.shape, axis=axis)


def row_norm_bound(name: str, array: FloatArray) -> float:
    """Refuse what is not finite, and return a bound on the Euclidean norm of every row, accurate to a factor of 100.

    One pass at the speed of BLAS, because it runs on every input of every attention. By Cauchy and Schwarz the product
    of two such bounds also bounds every dot product between the rows.

    Raises
    ------
    InputError
        For NaN, +inf and -inf, naming the first such cell.
    """
    flat = array.ravel(order="K")
    with np.errstate(over="ignore", under="ignore", invalid="ignore"):
        squares = float(np.dot(flat, flat))
    if squares < np.inf:
        return math.sqrt(squares) + lost_by_underflow(flat)
    return check_finite(name, array) * math.sqrt(array.shape[-1])


def lost_by_underflow(array: FloatArray) -> float:
    """Return the most that the norm of an array can have lost with squares that are too small to be numbers."""
    return math.sqrt(array.size * float(np.finfo(array.dtype).smallest_normal))


def check_finite(name: str, array: FloatArray) -> float:
    """Refuse NaN, +inf and -inf, naming the first such cell; return the largest magnitude.

    Raises
    ------
    InputError
    """
    largest = largest_magnitude(array)
    if not np.isfinite(largest):
        index = first_true(~np.isfinite(array))
        raise InputError(NOT_FINITE, cell=cell_name(name, index), value=str(array[index]))
    return largest


def check_bias(name: str, value: ArrayLike, dtype: np.dtype[Any]) -> tuple[FloatArray, float]:
    """Return `value` in `dtype` and its largest finite magnitude; -inf is allowed and means masked.

    Raises
    ------
    InputError
        For booleans, NaN, +inf, and for numbers that `dtype` cannot hold: rounded to -inf they would mask in silence.
    """
    if _is_boolean(value):
        raise InputError(BOOLEAN_BIAS, name=name, found=_describe(value))
    given = as_floats(name, value)
    wrong = np.isnan(given) | np.isposinf(given)
    if wrong.any():
        index = first_true(wrong)
        raise InputError(NOT_FINITE_BIAS, cell=cell_name(name, index), value=str(given[index]))
    bias = as_floats(name, given, dtype)
    finite = np.isfinite(given)
    lost = finite & ~np.isfinite(bias)
    if lost.any():
        index = first_true(lost)
        raise InputError(TOO_LARGE, cell=cell_name(name, index), value=str(given[index]), dtype=dtype.name)
    return bias, largest_magnitude(np.where(finite, bias, 0))


def check_result(name: str, array: FloatArray) -> None:
    """Refuse a computed array that left the finite numbers, naming its first such cell.

    Raises
    ------
    InputError
    """
    if not np.isfinite(largest_magnitude(array)):
        refuse_overflow(name, array, ~np.isfinite(array))


def refuse_overflow(name: str, array: FloatArray, where: BoolArray) -> None:
    """Raise for the first True of `where` in the computed `array`; return when there is none.

    Raises
    ------
    InputError
    """
    if where.any():
        raise InputError(OVERFLOW, cell=cell_name(name, first_true(where)), dtype=array.dtype.name)


def check_broadcast(name: str, array: NDArray[Any], target: Shape, axes: tuple[str, ...]) -> None:
    """Refuse `array` unless it broadcasts to exactly `target`.

    Raises
    ------
    InputError
    """
    try:
        fits = np.broadcast_shapes(array.shape, target) == target
    except ValueError:
        fits = False
    if not fits:
        raise InputError(NO_BROADCAST, name=name, shape=array.shape, target=f"({', '.join(axes)})", axes=target)


def as_integer(name: str, value: SupportsIndex, least: int | None = None) -> int:
    """Return `value` as an int, not below `least`.

    Raises
    ------
    InputError
        For booleans and fractions too: ``window=True`` is a slip, not a window of 1.
    """
    if isinstance(value, bool | np.bool_):
        raise InputError(NOT_AN_INTEGER, name=name, value=_describe(value))
    try:
        number = operator.index(value)
    except TypeError:
        raise InputError(NOT_AN_INTEGER, name=name, value=_describe(value)) from None
    if least is not None and number < least:
        raise InputError(TOO_SMALL, name=name, value=written(number), least=least)
    return number


def as_number(name: str, value: SupportsFloat, dtype: np.dtype[Any], *, positive: bool = False) -> float:
    """Return `value` as it is in `dtype`: a finite number, greater than 0 if `positive`.

    Raises
    ------
    InputError
    """
    single: Any = value[()] if isinstance(value, np.ndarray) and value.ndim == 0 else value
    if _is_masked_array(single) or not _is_real(single):
        raise InputError(NOT_A_NUMBER, name=name, value=_describe(value))
    try:
        with np.errstate(over="ignore", under="ignore"):
            number = float(dtype.type(float(single)))
    except (TypeError, ValueError, OverflowError):
        raise InputError(NOT_A_NUMBER, name=name, value=_describe(value)) from None
    if positive and not 0 < number < np.inf:
        raise InputError(NOT_POSITIVE, name=name, value=_describe(value), dtype=dtype.name)
    if not np.isfinite(number):
        raise InputError(NOT_A_NUMBER, name=name, value=_describe(value))
    return number


def freeze(array: NDArray[Any]) -> NDArray[Any]:
    """Return a read-only copy; the caller's array stays as it is, and nobody else can write into the copy.

    A copy in any case: an array that cannot be written to may have a view that can. Order "C" whatever came in: the
    strides decide how BLAS walks, and equal numbers must give equal bits.
    """
    copy = np.array(array, order="C")
    copy.flags.writeable = False
    return copy
