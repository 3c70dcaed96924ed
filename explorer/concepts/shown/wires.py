"""What a "wires" view draws: many above that share fewer below, and which numbers below may be chosen."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Wires:
    """Two rows of heads, each above joined to the one below that it reads.

    Attributes
    ----------
    above, below : int
        How many there are; `below` divides `above`, and number h above reads ``h // (above // below)``.
    choices : tuple of int
        What `below` may become, in ascending order.
    size : str
        The size that a drag or a key sets.
    above_word, below_word : str
        What one of each is called.
    """

    above: int
    below: int
    choices: tuple[int, ...]
    size: str
    above_word: str = "query head"
    below_word: str = "KV head"

    def read_by(self, head: int, below: int | None = None) -> int:
        """Return which one below number `head` above reads, as things are or with another number of them."""
        return head * (self.below if below is None else below) // self.above

    def sentence(self) -> str:
        """Say what is joined to what."""
        each = self.above // self.below
        many, few = _counted(self.above, self.above_word), _counted(self.below, self.below_word)
        if each == 1:
            return f"{many}, {few}: one each"
        return f"{many} read {few}: {each} each"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"
