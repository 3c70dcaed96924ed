"""Running text of lessons: emphasis, code, words in the colour of their role, and numbers that are computed.

A text is Markdown as far as it goes: ``*emphasis*`` and ```code```. Two forms are added: ``[query]{query}`` is a
word of a role, and ``{= attend(q, k, v).weights[0, 1] : 2}`` is a number that is computed when the text is shown, with
that many decimals (3 where not said), so that no text can disagree with the core. How a text looks on the screen is
the ui's business.
"""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final, Literal, NamedTuple, get_args

import numpy as np

from explorer.concepts.declaration import Role
from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError
from explorer.workbench.number_text import MINUS, fixed
from explorer.workbench.predicates import Expression, parse
from explorer.workbench.values import Attended

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Style = Literal["plain", "emphasis", "code"]

ROLES: Final[tuple[str, ...]] = get_args(Role)
DECIMALS: Final = 3

NO_ROLE = QT_TRANSLATE_NOOP("workbench", "there is no role {name!r} for a word; it may be {known}")
NOT_CLOSED = QT_TRANSLATE_NOOP(
    "workbench", "a computed number begins with {{= and never ends; it needs a closing brace"
)


class Span(NamedTuple):
    """A piece of text in one style; `role` is empty for words of no role."""

    text: str
    style: Style = "plain"
    role: str = ""


class Computed(NamedTuple):
    """A number or an array that is computed when the text is shown."""

    expression: Expression
    decimals: int
    style: Style


class Prose(NamedTuple):
    """One paragraph or more; paragraphs are parted by an empty line."""

    pieces: tuple[Span | Computed, ...]

    def spans(self, names: Mapping[str, Any] | None = None) -> tuple[Span, ...]:
        """Return the text in pieces of one style each, its numbers computed from `names`.

        Raises
        ------
        ExpressionError
            When a number cannot be computed.
        """
        known = names or {}
        return tuple(
            piece
            if isinstance(piece, Span)
            else Span(written(piece.expression.value(known), piece.decimals), piece.style)
            for piece in self.pieces
        )

    def plain(self, names: Mapping[str, Any] | None = None) -> str:
        """Return the text without any styles, as a screen reader says it.

        Raises
        ------
        ExpressionError
            When a number cannot be computed.
        """
        return "".join(span.text for span in self.spans(names))

    def computed(self) -> tuple[Expression, ...]:
        """Return the expressions behind the numbers of the text, in reading order."""
        return tuple(piece.expression for piece in self.pieces if isinstance(piece, Computed))

    def __bool__(self) -> bool:
        return bool(self.pieces)


def written(value: object, decimals: int = DECIMALS) -> str:
    """Write a computed value for reading: whole numbers without decimals, thousands apart, a real minus sign."""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, Attended):
        value = value.part("output")
    return _array(np.asarray(value, dtype=np.float64), decimals)


def _array(array: np.ndarray[Any, Any], decimals: int) -> str:
    if array.ndim == 0:
        value = float(array)
        return _number(value, 0 if value.is_integer() else decimals)
    return f"({', '.join(_array(part, decimals) for part in array)})"


def _number(value: float, decimals: int) -> str:
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    whole, dot, fraction = fixed(value, decimals).partition(".")
    sign, digits = (MINUS, whole[1:]) if whole.startswith(MINUS) else ("", whole)
    return f"{sign}{int(digits):,}{dot}{fraction}"


_TOKENS: Final = re.compile(
    r"(?P<escape>\\[*`\[{\\])"
    r"|\{=\s*(?P<computed>[^{}]*?)(?:\s+:\s*(?P<decimals>\d))?\s*\}"
    r"|(?P<open>\{=)"
    r"|`(?P<code>[^`]+)`"
    r"|\[(?P<word>[^\[\]]+)\]\{(?P<role>[a-z]*)\}"
    r"|(?P<mark>\*)"
)


def read(source: str) -> Prose:
    """Read the text of a lesson.

    Raises
    ------
    InputError
        For a role that does not exist, or a number that cannot be read as an expression.
    """
    paragraphs = (" ".join(part.split()) for part in re.split(r"\n\s*\n", source.strip()))
    text = "\n\n".join(filter(None, paragraphs))
    return Prose(tuple(_merged(_pieces(text))))


def read_alone(source: str) -> Prose:
    """Read a text whose numbers are computed from nothing but itself.

    Raises
    ------
    InputError
        As :func:`read`, and when a number needs something that is not there.
    """
    prose = read(source)
    prose.plain()
    return prose


def _pieces(text: str) -> Iterator[Span | Computed]:
    style: Style = "plain"
    at = 0
    for token in _TOKENS.finditer(text):
        if token.start() > at:
            yield Span(text[at : token.start()], style)
        at = token.end()
        if token["escape"]:
            yield Span(token["escape"][1], style)
        elif token["computed"] is not None:
            decimals = DECIMALS if token["decimals"] is None else int(token["decimals"])
            yield Computed(parse(token["computed"]), decimals, style)
        elif token["open"]:
            raise InputError(NOT_CLOSED)
        elif token["code"]:
            yield Span(token["code"], "code")
        elif token["word"]:
            if token["role"] not in ROLES:
                raise InputError(NO_ROLE, name=token["role"], known=Choices(ROLES))
            yield Span(token["word"], style, token["role"])
        elif _is_marker(text, token.start(), style):
            style = "plain" if style == "emphasis" else "emphasis"
        else:
            yield Span("*", style)
    if at < len(text):
        yield Span(text[at:], style)


def _is_marker(text: str, at: int, style: Style) -> bool:
    """Tell the star of ``*emphasis*`` from the one of ``2 * 3``: a marker touches the word that it marks."""
    if style == "emphasis":
        return not text[at - 1].isspace()
    before, after = text[at - 1 : at], text[at + 1 : at + 2]
    return not before.isalnum() and after.strip() != "" and text.find("*", at + 1) >= 0


def _merged(pieces: Iterator[Span | Computed]) -> Iterator[Span | Computed]:
    last: Span | None = None
    for piece in pieces:
        if isinstance(piece, Span) and last and (piece.style, piece.role) == (last.style, last.role):
            last = Span(last.text + piece.text, last.style, last.role)
            continue
        if last:
            yield last
            last = None
        if isinstance(piece, Span):
            last = piece
        else:
            yield piece
    if last:
        yield last
