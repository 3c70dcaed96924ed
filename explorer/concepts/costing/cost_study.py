"""One question about a model's cost with everything that several views need of it, computed once.

Beside what is asked (`explorer.core.ops.figures.Asked`) it holds the model with other KV heads and the curves over many
contexts. Two states with the same counted controls share one study, so that moving a cursor computes no curve again.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np

from explorer.concepts.costing import cost_shape
from explorer.core import cost_curves, cost_figures, cost_variants

if TYPE_CHECKING:
    from collections.abc import Callable

    from explorer.concepts.declaration import Controls
    from explorer.core.cost_curves import Curves, Floats
    from explorer.core.cost_model import Architecture
    from explorer.core.ops.figures import Asked

#: How many contexts a curve is drawn from.
POINTS: Final = 512
LONGEST: Final = 10_000_000
#: A power of two, so that every cache takes its steps in so many tokens.
SEVERAL: Final = 512
#: Studies, and things made for one study, that are kept at a time; the curves of one take 200 kB.
MOST_KEPT: Final = 16

Made = TypeVar("Made")


@lru_cache(maxsize=MOST_KEPT)
def contexts(longest: int, *, logarithmic: bool) -> Floats:
    """Return the contexts that curves are drawn from, each once, read-only."""
    axis = cost_curves.context_axis(POINTS, longest=longest, logarithmic=logarithmic)
    # Not np.unique, which imports numpy.ma: that takes as long as half a tab.
    found: Floats = np.array(sorted(set(axis.tolist())), axis.dtype)
    found.flags.writeable = False
    return found


@dataclass(frozen=True, eq=False)
class Variant:
    """The model with other KV heads: `short` is MHA, GQA, MQA or MLA; `own` marks the model as it is."""

    short: str
    name: str
    n_head_kv: int | None
    asked: Asked
    own: bool

    @cached_property
    def label(self) -> str:
        """What a key calls it."""
        heads = "" if self.n_head_kv is None else f", {self.n_head_kv} KV {'head' if self.n_head_kv == 1 else 'heads'}"
        return f"{self.short}{heads}{' (this model)' if self.own else ''}"


_VARIANTS: dict[int, tuple[Architecture, list[cost_variants.Variant]]] = {}


def _variants(architecture: Architecture) -> list[cost_variants.Variant]:
    """Return a model's variants; the same objects for the same model, however it is counted."""
    found = _VARIANTS.get(id(architecture))
    if found is None or found[0] is not architecture:
        if len(_VARIANTS) > MOST_KEPT:
            _VARIANTS.clear()
        found = _VARIANTS[id(architecture)] = architecture, cost_variants.variants(architecture)
    return found[1]


class Study:
    """What is asked about one model, its variants, and their curves."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self._curves: dict[tuple[int, bool, int, int], Curves] = {}
        self._kept: dict[tuple[object, ...], Any] = {}

    def kept(self, key: tuple[object, ...], make: Callable[[], Made]) -> Made:
        """Return what was made under a key, made when it is first asked for."""
        if key not in self._kept:
            if len(self._kept) > MOST_KEPT:
                self._kept.clear()
            self._kept[key] = make()
        found: Made = self._kept[key]
        return found

    @cached_property
    def variants(self) -> tuple[Variant, ...]:
        """The model as MHA, GQA and MQA, where it attends; else alone."""
        found = tuple(
            Variant(
                one.name.rpartition("(")[2].rstrip(")"),
                one.name,
                one.n_head_kv,
                self.asked if one.own else replace(self.asked, architecture=one.architecture),
                one.own,
            )
            for one in _variants(self.asked.architecture)
        )
        return found or (Variant("cache", "this model", None, self.asked, True),)

    @cached_property
    def own(self) -> Variant:
        """The model as it is."""
        return next(one for one in self.variants if one.own)

    def curves(self, variant: Variant, longest: int = LONGEST, *, logarithmic: bool = True, later: int = 0) -> Curves:
        """Return a variant's curves over `contexts`, each context longer by `later` tokens."""
        key = (id(variant), logarithmic, longest, later)
        if key not in self._curves:
            if len(self._curves) > MOST_KEPT:
                self._curves.clear()
            asked = variant.asked
            self._curves[key] = cost_curves.curves(
                asked.architecture,
                contexts(longest, logarithmic=logarithmic) + later,
                asked.options,
                asked.weight_type,
                pairs=asked.pairs,
                head=asked.head,
            )
        return self._curves[key]

    @cached_property
    def attention_is_shared(self) -> bool:
        """Whether scores and mix cost the same in every variant."""
        found = {one.asked.value("decode_attention_flops", 1) for one in self.variants}
        return len(found) == 1 and None not in found

    def longest(self, budget: int, variant: Variant | None = None) -> cost_figures.Budget:
        """Return the longest context whose cache fits beside the weights into a memory of so many bytes."""
        asked = (variant or self.own).asked
        return self.kept(
            ("longest", budget, id(asked)),
            lambda: cost_figures.longest_context(asked.architecture, budget, asked.options, asked.weight_type),
        )

    @cached_property
    def weights(self) -> int | None:
        """Bytes of all stored weights."""
        return cost_figures.weight_bytes(self.asked.architecture, self.asked.weight_type)

    def roofline(self, variant: Variant, n: int, machine: cost_figures.Machine) -> list[cost_figures.RooflinePoint]:
        """Return a variant's dots on a roofline."""
        asked = variant.asked
        return cost_figures.roofline(asked.architecture, n, asked.options, asked.weight_type, machine)

    @property
    def cache_name(self) -> str:
        """Return what the cache is called: more than keys and values where layers keep other states too."""
        return "Whole cache" if any(layer.states for layer, _ in self.asked.architecture.groups) else "KV cache"

    def more_per_token(self, n: int) -> float:
        """Return the bytes that one more token adds to a cache of `n` tokens, whatever an engine rounds to."""
        options = replace(self.asked.options, rounding="none", unified=False)
        # Over several tokens, because some caches take a step every few.
        kept = [cost_figures.cache_bytes(self.asked.architecture, n + more, options) or 0 for more in (0, SEVERAL)]
        return (kept[1] - kept[0]) / SEVERAL

    def growth(self, n: int) -> dict[str, int]:
        """Return the cache split into what grows, saturates and stays constant."""
        return cost_figures.growth(self.asked.architecture, n, self.asked.options)


_LAST: dict[int, Study] = {}


def study(controls: Controls) -> Study:
    """Return the study of what the controls ask; the same object for the same question.

    Raises
    ------
    InputError
        If the controls describe no model.
    """
    asked = cost_shape.asked(controls)
    # `asked` is the same object for the same values; its hash would walk through every layer.
    found = _LAST.get(id(asked))
    if found is None or found.asked is not asked:
        if len(_LAST) > MOST_KEPT:
            _LAST.clear()
        found = _LAST[id(asked)] = Study(asked)
    return found
