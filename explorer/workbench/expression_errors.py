"""Why an expression of a lesson is refused or has no value: the sentences, and the errors that carry them.

Every sentence names the character at which the trouble is, counted from 1.
"""

from __future__ import annotations

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError

NOT_READ = QT_TRANSLATE_NOOP(
    "workbench", "character {at} of {text!r}: this is no expression such as weights[2, 1] >= 0.9"
)
NOT_ALLOWED = QT_TRANSLATE_NOOP(
    "workbench",
    "character {at}: {what} has no place in an expression; it may hold numbers, names, + - * / // % ** @, comparisons, "
    "and, or, not, [lists], indices and function calls",
)
TOO_LONG = QT_TRANSLATE_NOOP("workbench", "character {at}: the expression is too long; at most {most} {what} are read")
NO_FUNCTION = QT_TRANSLATE_NOOP("workbench", "character {at}: there is no function {name!r}; there are {known}")
NO_NAME = QT_TRANSLATE_NOOP("workbench", "character {at}: there is no {name!r} here; there are {known}")
NO_PART = QT_TRANSLATE_NOOP("workbench", "character {at}: only what attend() returns has parts, and those are {known}")
NO_CELL = QT_TRANSLATE_NOOP("workbench", "character {at}: {name} is {shape}, so it has no [{index}]")
NO_INDEX = QT_TRANSLATE_NOOP("workbench", "character {at}: an index is a whole number or a slice such as 1:3")
NO_ARRAY = QT_TRANSLATE_NOOP("workbench", "character {at}: only arrays have cells that an index can pick")
RAGGED = QT_TRANSLATE_NOOP("workbench", "character {at}: a list holds numbers, or rows of numbers of equal length")
MANY_TRUTHS = QT_TRANSLATE_NOOP(
    "workbench", "character {at}: an array of shape {shape} is neither true nor false; say all(...) or any(...)"
)
NO_TRUTH = QT_TRANSLATE_NOOP("workbench", "character {at}: this is neither true nor false")
NO_VALUE = QT_TRANSLATE_NOOP("workbench", "character {at}: the result is not a finite number here")
DIVISION = QT_TRANSLATE_NOOP("workbench", "character {at}: this divides by 0")
TOO_MUCH = QT_TRANSLATE_NOOP("workbench", "character {at}: this is too much to compute for a lesson")
REFUSED = QT_TRANSLATE_NOOP("workbench", "character {at}: {reason}")
WRONG_CALL = QT_TRANSLATE_NOOP("workbench", "character {at}: {name} is called as {name}({parameters})")
STRANGE = QT_TRANSLATE_NOOP("workbench", "character {at}: {name} is neither a number, a word nor an array of numbers")


class ExpressionError(InputError):
    """Say in one sentence why an expression cannot be read or has no value; `at` counts characters from 1."""

    @property
    def at(self) -> int:
        """Return the position in the text, counted from 1."""
        return int(self.values["at"])


class MissingError(ExpressionError):
    """A cell, a whole array or a name is not there at the moment: the sizes changed, or it is not computed yet."""
