"""Heads that were built by hand and can be started from: their matrices, masks, tokens and what their features mean.

They lie in ``resources/presets/heads.json`` in the order in which they are offered. A head that comes after another one
states that head and its Wo instead of x: it reads what the first head has added to its input, as a second layer does,
and each is offered on its own because this tab shows one head at a time.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from explorer import resources
from explorer.core.ops import attention, hand_built

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.core.ops.base import Array

MATRICES: Final = ("Wq", "Wk", "Wv")


@dataclass(frozen=True, slots=True, eq=False)
class HeadPreset:
    """A head built by hand.

    Attributes
    ----------
    key : str
        Its name in sessions and on the command line.
    title, says : str
        What it is called, and one line about it.
    see : str
        Where it was described; empty where it is common knowledge.
    tokens : tuple of str
        The tokens that it is shown on.
    features : tuple of str
        What each number of x means.
    mask : str
        One of `explorer.core.ops.hand_built.RULES`.
    rope_base : float or None
        The base by which q and k are rotated, where they are.
    arrays : mapping
        ``x`` (n, d_model), ``Wq`` and ``Wk`` (d_model, d_head), ``Wv`` (d_model, d_v); read-only.
    """

    key: str
    title: str
    says: str
    see: str
    tokens: tuple[str, ...]
    features: tuple[str, ...]
    mask: str
    rope_base: float | None
    arrays: Mapping[str, Array]

    @property
    def sizes(self) -> dict[str, int]:
        """The sizes that its arrays have."""
        (n, d_model), (_, d_head), (_, d_v) = (self.arrays[name].shape for name in ("x", "Wq", "Wv"))
        return {"n": n, "d_model": d_model, "d_head": d_head, "d_v": d_v}

    def output(self) -> Array:
        """Return what the head makes of its x, (n, d_v)."""
        x = self.arrays["x"]
        project = attention.project() if self.rope_base is None else hand_built.project_rotated(self.rope_base)
        q, k = project.apply(x, self.arrays["Wq"]), project.apply(x, self.arrays["Wk"])
        scaled = attention.scale().apply(attention.scores().apply(q, k), q)
        weights = attention.softmax().apply(hand_built.look(self.mask).apply(scaled))
        return attention.mix().apply(weights, x @ self.arrays["Wv"])


@cache
def presets() -> Mapping[str, HeadPreset]:
    """Return every preset by its key, in the order in which they are offered."""
    found: dict[str, HeadPreset] = {}
    for entry in json.loads(resources.text("presets", "heads.json"))["heads"]:
        arrays = {"x": _input(entry, found), **{name: np.array(entry[name], np.float64) for name in MATRICES}}
        for array in arrays.values():
            array.flags.writeable = False
        found[entry["key"]] = HeadPreset(
            entry["key"],
            entry["title"],
            entry["says"],
            entry.get("see", ""),
            tuple(entry["tokens"]),
            tuple(entry["features"]),
            entry["mask"],
            entry.get("rope_base"),
            arrays,
        )
    return found


def _input(entry: Mapping[str, Any], earlier: Mapping[str, HeadPreset]) -> Array:
    """Return a head's x; that of a second layer is the first one's with what its head has added."""
    if "before" not in entry:
        return np.array(entry["x"], np.float64)
    first = earlier[entry["before"]["head"]]
    return np.asarray(first.arrays["x"] + first.output() @ np.array(entry["before"]["Wo"], np.float64))
