"""Labels that a translated interface can say in its own language.

A `Phrase` is its English text, and remembers the template and the values that made it; the template is what a
translation is looked up by. The refusals of `explorer.core.checks.InputError` are kept in the same way.
"""

from __future__ import annotations

from typing import Any, Self


class Phrase(str):
    """English text with the template and the values behind it; equal to the plain text."""

    __slots__ = ("template", "values")

    template: str
    values: dict[str, Any]

    def __new__(cls, template: str, /, **values: object) -> Self:
        """Fill the template's replacement fields with the values."""
        phrase = super().__new__(cls, template.format(**values))
        phrase.template = template
        phrase.values = values
        return phrase

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, Any]]:
        return (self.template,), self.values
