"""How the numbers of a KV cache are stored: plain, or in blocks that share a scale.

Blocks are those of ggml, in which llama.cpp stores quantised caches. What a cache costs is in `explorer.core.cost`.
"""

from __future__ import annotations

from fractions import Fraction
from types import MappingProxyType
from typing import Final, NamedTuple

from explorer.core.checks import QT_TRANSLATE_NOOP, Choices, InputError

UNKNOWN_CACHE_TYPE = QT_TRANSLATE_NOOP("core", "cache type {name!r} is not known; it may be {choices}")


class CacheType(NamedTuple):
    """How numbers are stored in a cache: `block` numbers share `block_bytes` bytes, scales included."""

    name: str
    block: int
    block_bytes: int

    def row_bytes(self, n_elements: int) -> int:
        """Return the bytes of a row of `n_elements` numbers, the last block filled up."""
        return -(-n_elements // self.block) * self.block_bytes

    def fills_blocks(self, n_elements: int) -> bool:
        """Say whether a row of `n_elements` numbers is made of whole blocks."""
        return n_elements % self.block == 0

    @property
    def bytes_per_element(self) -> Fraction:
        """Return the bytes of one number with its share of the block's scale, exactly."""
        return Fraction(self.block_bytes, self.block)


# A block of 32 numbers carries a 16-bit scale (q8_0, q5_0, q4_0, iq4_nl), or a 16-bit scale and a 16-bit minimum
# (q5_1, q4_1). Counting q8_0 as 1 byte and q4_0 as a half would be 6 % and 12.5 % too low.
CACHE_TYPES: Final = MappingProxyType(
    {
        kind.name: kind
        for kind in (
            CacheType("f32", 1, 4),
            CacheType("f16", 1, 2),
            CacheType("bf16", 1, 2),
            CacheType("fp8", 1, 1),
            CacheType("q8_0", 32, 34),
            CacheType("q5_1", 32, 24),
            CacheType("q5_0", 32, 22),
            CacheType("q4_1", 32, 20),
            CacheType("q4_0", 32, 18),
            CacheType("iq4_nl", 32, 18),
        )
    }
)

_CACHE_TYPE_SPELLINGS: Final = MappingProxyType(
    {
        "float32": "f32",
        "fp32": "f32",
        "float16": "f16",
        "fp16": "f16",
        "half": "f16",
        "bfloat16": "bf16",
        "float8": "fp8",
        "f8": "fp8",
        "fp8_e4m3": "fp8",
        "fp8_e5m2": "fp8",
        "float8_e4m3fn": "fp8",
        "float8_e5m2": "fp8",
    }
)


def cache_type(name: str | CacheType) -> CacheType:
    """Return the cache type of that name.

    Parameters
    ----------
    name : str or CacheType
        Such as "f16"; other spellings, such as "float16" or "half", mean the same.

    Raises
    ------
    InputError
        If there is no cache type of that name.
    """
    if isinstance(name, CacheType):
        return name
    key = str(name).strip().lower()
    found = CACHE_TYPES.get(_CACHE_TYPE_SPELLINGS.get(key, key))
    if found is None:
        raise InputError(UNKNOWN_CACHE_TYPE, name=str(name), choices=Choices(CACHE_TYPES))
    return found
