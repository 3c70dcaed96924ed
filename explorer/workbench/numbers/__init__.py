"""The thirteen examples as numbers: what `attention-explorer numbers N` prints, and the same as JSON.

What lives here: which results an example reports, under which names, and the lines it prints. What does not: the inputs
(`explorer.core.lesson`) and the arithmetic (the rest of `explorer.core`), so that this command, the tabs and the tests
all stand on the same computation.

Everything is computed in float64 from inputs that hold float32 values where the lesson draws or types float32, and is
cast to float32 where the lesson's own results are float32, before it is printed or reported.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, as_integer
from explorer.workbench.numbers import averages, costs, heads, single_head, spread
from explorer.workbench.numbers.report import Example, to_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import SupportsIndex

NO_SUCH_EXAMPLE = QT_TRANSLATE_NOOP("workbench", "there is no example {number}; it may be 1 to {last}")

_BUILDERS: Final[Mapping[int, Callable[[], Example]]] = MappingProxyType(
    {
        1: averages.context,
        2: averages.uniform_average,
        3: averages.weighted_average,
        4: single_head.query_key_value,
        5: spread.scaling,
        6: single_head.causal_mask,
        7: single_head.full_attention,
        8: single_head.matrix_form,
        9: heads.multi_head_attention,
        10: costs.grouped_query,
        11: costs.multi_query,
        12: costs.sequence_length,
        13: heads.previous_token_head,
    }
)


def example(number: SupportsIndex) -> Example:
    """Compute one example.

    Parameters
    ----------
    number : int
        1 to 13.

    Returns
    -------
    Example

    Raises
    ------
    InputError
        If there is no example of that number.
    """
    chosen = as_integer("example", number)
    if chosen not in _BUILDERS:
        raise InputError(NO_SUCH_EXAMPLE, number=chosen, last=max(_BUILDERS))
    return _BUILDERS[chosen]()


__all__ = ["Example", "example", "to_json"]
