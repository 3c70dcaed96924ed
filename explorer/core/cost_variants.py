"""The same model with other KV heads: what multi-head, grouped-query and multi-query attention would cost.

Query heads, widths, windows and layers stay what they are; only the KV heads differ, as in the lesson's comparison.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from explorer.core import cost
from explorer.core.checks import kv_head_choices

if TYPE_CHECKING:
    from explorer.core.cost_model import Architecture, Layer


@dataclass(frozen=True, slots=True)
class Variant:
    """A model with other KV heads, for comparison; `own` marks the model as published."""

    name: str
    n_head_kv: int | None
    architecture: Architecture
    own: bool


def with_kv_heads(architecture: Architecture, choose: Literal["all", "one"] | int) -> Architecture:
    """Return the model with as many KV heads as query heads (``all``), with one, or with a given number.

    A latent layer (MLA) becomes a plain one with its un-absorbed widths. Wk and Wv change with the KV heads, and so do
    the parameters, when they are known.
    """
    layers, added = [], 0
    for layer in architecture.layers:
        if not layer.attends:
            layers.append(layer)
            continue
        chosen = layer.n_head if choose == "all" else 1 if choose == "one" else choose
        cost.check_sharing(layer.n_head, chosen)
        if layer.kind == "latent":
            layers.append(replace(layer, kind="full", latent=0, rope=0, n_head_kv=chosen))
            continue
        if layer.kind != "shared":
            added += (chosen - layer.n_head_kv) * (layer.d_k + layer.d_v)
        layers.append(replace(layer, n_head_kv=chosen))
    parameters = architecture.parameters
    if parameters is not None and architecture.d_model is not None and not architecture.count("latent"):
        parameters = replace(parameters, projections=parameters.projections + added * architecture.d_model)
    return replace(architecture, layers=tuple(layers), parameters=parameters, weight_bytes=None)


def variants(architecture: Architecture) -> list[Variant]:
    """Return the model as MHA, GQA and MQA, its own marked; a latent model (MLA) stands in place of GQA.

    A model that is MHA or MQA itself gets the GQA in between that is closest to a quarter of its query heads. A model
    without attention over the text has no variants.
    """
    attending = [layer for layer in architecture.layers if layer.attends]
    if not attending:
        return []
    heads = {layer.n_head for layer in attending}
    shared = {layer.n_head_kv for layer in attending}
    mha = Variant("multi-head (MHA)", max(heads) if len(heads) == 1 else None, architecture, False)
    mqa = Variant("multi-query (MQA)", 1, architecture, False)
    if architecture.count("latent"):
        own = Variant("latent (MLA)", None, architecture, True)
        return [_vary(mha, "all"), own, _vary(mqa, "one")]
    if all(layer.n_head_kv == layer.n_head for layer in attending) and heads != {1}:
        return [replace(mha, own=True), *_grouped(architecture, attending), _vary(mqa, "one")]
    if shared == {1}:
        between = _grouped(architecture, attending) if heads != {1} else []
        return [*([_vary(mha, "all")] if heads != {1} else []), *between, replace(mqa, own=True)]
    own = Variant("grouped-query (GQA)", min(shared) if len(shared) == 1 else None, architecture, True)
    return [_vary(mha, "all"), own, _vary(mqa, "one")]


def _vary(variant: Variant, choose: Literal["all", "one"] | int) -> Variant:
    return replace(variant, architecture=with_kv_heads(variant.architecture, choose))


def _grouped(architecture: Architecture, attending: list[Layer]) -> list[Variant]:
    heads = attending[0].n_head
    common = [n for n in kv_head_choices(heads) if all(layer.n_head % n == 0 for layer in attending)]
    between = [n for n in common if 1 < n < heads]
    if not between:
        return []
    chosen = min(between, key=lambda n: (abs(n * 4 - heads), n))
    return [Variant("grouped-query (GQA)", chosen, with_kv_heads(architecture, chosen), False)]
