"""Four characters that tell whether two screens hold the same numbers.

They cover what a tab computes from: its inputs and masks, controls and sizes. Names of tokens, steps, pins and where
numbers come from are left out, because they change no number. Not a protection against anybody: two different states
agree by chance once in 390,625.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

try:  # hashlib loads OpenSSL with it, at every start, for a digest that OpenSSL does not make
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b

if TYPE_CHECKING:
    from explorer.workbench.state import TabState

#: Nothing that is taken for something else when read aloud or from the back of a hall: no 0 O, 1 I L, 2 Z, 5 S, 8 B.
ALPHABET: Final = "ACDEFGHJKMNPQRTUVWXY34679"
LENGTH: Final = 4


def of_state(state: TabState) -> str:
    """Return the fingerprint of a tab's numbers.

    Equal numbers give equal characters on every machine and in every version that knows the tab; −0 counts as 0.
    """
    digest = blake2b(digest_size=8)

    def add(*words: object) -> None:
        for word in words:
            text = str(word).encode("utf-8", "surrogatepass")
            digest.update(len(text).to_bytes(4, "little") + text)

    add(state.slug)
    for name, size in sorted(state.sizes.items()):
        add("size", name, int(size))
    for name, value in sorted(state.controls.items()):
        # A slider that was dragged to 1.0 and one that opened on 1 hold the same number.
        add("control", name, repr(float(value)) if isinstance(value, (int, float)) else value)
    for name, array in sorted(state.inputs.items()):
        add("input", name, array.shape)
        digest.update((np.ascontiguousarray(array, dtype="<f8") + 0.0).tobytes())
    number = int.from_bytes(digest.digest(), "little")
    characters = []
    for _ in range(LENGTH):
        number, which = divmod(number, len(ALPHABET))
        characters.append(ALPHABET[which])
    return "".join(characters)
