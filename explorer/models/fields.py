"""Sizes, flags and words of a config, asked for by every name they are published under.

A value is used only if it is what it should be: a word, a fraction, a truth value or Infinity where a size belongs is
refused, and so are two names of one size that disagree. A null counts as absent, because published configs write it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError
from explorer.models.jsonfile import describe, shown

if TYPE_CHECKING:
    from collections.abc import Mapping

LARGEST_SIZE = 2**40
MOST_LAYERS = 4_000
LONGEST_WORD = 20_000

NOT_A_SIZE = QT_TRANSLATE_NOOP(
    "models", "{where}: {key} is {found}; it must be a whole number from {least} to {most:,}"
)
NOT_A_LIST = QT_TRANSLATE_NOOP("models", "{where}: {key} is {found}; it must be a list")
NOT_A_FLAG = QT_TRANSLATE_NOOP("models", "{where}: {key} is {found}; it must be true or false")
NOT_A_WORD = QT_TRANSLATE_NOOP("models", "{where}: {key} is {found}; it must be a word")
NOT_AN_OBJECT = QT_TRANSLATE_NOOP("models", "{where}: {key} is {found}; it must be an object")
DISAGREE = QT_TRANSLATE_NOOP(
    "models", "{where}: {first_key} is {first} but {second_key} is {second}; both name the same size"
)
WRONG_LENGTH = QT_TRANSLATE_NOOP(
    "models", "{where}: {key} has {found} entries but the model has {expected} layers; there must be one a layer"
)


@dataclass(frozen=True, slots=True)
class Fields:
    """The fields of one block of a config; `where` is what a refusal calls the block."""

    values: Mapping[str, Any]
    where: str

    def has(self, *keys: str) -> bool:
        """Say whether one of the keys holds something other than null."""
        return any(self.values.get(key) is not None for key in keys)

    def size(self, *keys: str, least: int = 1, most: int = LARGEST_SIZE) -> int | None:
        """Return the size that the keys name, None if none of them is there.

        Raises
        ------
        InputError
            If a value is not a whole number from `least` to `most`, or two keys disagree.
        """
        found: tuple[str, int] | None = None
        for key in keys:
            value = self.values.get(key)
            if value is None:
                continue
            number = self.check(key, value, least=least, most=most)
            if found is not None and found[1] != number:
                raise InputError(
                    DISAGREE, where=self.where, first_key=found[0], first=found[1], second_key=key, second=number
                )
            found = found or (key, number)
        return found and found[1]

    def check(self, key: str, value: object, *, least: int = 1, most: int = LARGEST_SIZE) -> int:
        """Return `value` as a whole number.

        Raises
        ------
        InputError
            If it is not one from `least` to `most`.
        """
        if isinstance(value, float) and value.is_integer() and abs(value) <= LARGEST_SIZE:
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise InputError(NOT_A_SIZE, where=self.where, key=key, found=describe(value), least=least, most=most)
        return value

    def sizes(self, key: str, n_layer: int, *, least: int = 0) -> list[int] | None:
        """Return one size per layer, None if the key is absent.

        Raises
        ------
        InputError
            If the value is not a list of `n_layer` whole numbers.
        """
        entries = self.entries(key, n_layer)
        if entries is None:
            return None
        return [self.check(f"{key}[{i}]", entry, least=least) for i, entry in enumerate(entries)]

    def entries(self, key: str, n_layer: int, *, extra: int = 0) -> list[Any] | None:
        """Return one entry per layer, None if the key is absent; up to `extra` entries beyond them are left out.

        Raises
        ------
        InputError
            If the value is not a list, or has another length.
        """
        entries = self.items(key)
        if entries is None:
            return None
        if not n_layer <= len(entries) <= n_layer + extra:
            raise InputError(WRONG_LENGTH, where=self.where, key=key, found=len(entries), expected=n_layer)
        return entries[:n_layer]

    def items(self, key: str) -> list[Any] | None:
        """Return a list of any length, None if the key is absent.

        Raises
        ------
        InputError
            If the value is not a list, or longer than any list of layers.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, list) or len(value) > MOST_LAYERS:
            raise InputError(NOT_A_LIST, where=self.where, key=key, found=describe(value))
        return value

    def flag(self, key: str, *, default: bool = False) -> bool:
        """Return a truth value.

        Raises
        ------
        InputError
            If the value is something else; 0 and 1 are taken.
        """
        value = self.values.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or value in (0, 1):
            return bool(value)
        raise InputError(NOT_A_FLAG, where=self.where, key=key, found=describe(value))

    def word(self, key: str) -> str | None:
        """Return a word as it can be printed, None if the key is absent.

        Raises
        ------
        InputError
            If the value is something else.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, str):
            return shown(value, LONGEST_WORD)
        raise InputError(NOT_A_WORD, where=self.where, key=key, found=describe(value))

    def block(self, key: str) -> Fields | None:
        """Return a nested object, None if the key is absent.

        Raises
        ------
        InputError
            If the value is something else.
        """
        value = self.values.get(key)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise InputError(NOT_AN_OBJECT, where=self.where, key=key, found=describe(value))
        return Fields(value, f"{self.where}, {key}")

    def filled(self, missing: Mapping[str, Any]) -> Fields:
        """Return the fields with some that are absent filled in; nulls that are not among them stay."""
        return Fields({**self.values, **missing}, self.where)
