"""Random things that a user can do with any tab, sensible and not, drawn from its declaration."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from explorer.concepts.declaration import Choice, Pick, Slider, Text, Toggle, Whole

if TYPE_CHECKING:
    from explorer.workbench.state import TabState

FILLS = ("zeros", "identity", "random", "small integers")
#: What cells are given: mostly plain numbers, at times what must be refused.
NUMBERS = (0.0, -0.0, 1.0, 0.5, -2.25, 3.0, 1e-9, 1e8, 1e200, -1e300, np.inf, -np.inf, np.nan)


def held(state: TabState):
    """Return everything that a state holds as bytes and plain values."""
    return (
        state.slug,
        {name: (array.shape, array.dtype.str, array.tobytes()) for name, array in state.inputs.items()},
        dict(state.controls),
        dict(state.sizes),
        state.tokens,
        dict(state.origins),
    )


def document(bench):
    """Return what every tab holds."""
    return {concept.slug: held(bench.state(concept.slug)) for concept in bench.concepts}


class Actor:
    """Does random things to a workbench.

    Parameters
    ----------
    bench : Workbench
    rng : numpy.random.Generator
    """

    def __init__(self, bench, rng):
        self.bench = bench
        self.rng = rng
        #: What was said when something was refused.
        self.sentences = []

    def act(self):
        """Do one thing; returns whether it was accepted."""
        kinds = [self.edit, self.edit, self.edit, self.replace, self.fill, self.size, self.token, self.restore]
        kinds += [self.control, self.button, self.view]
        kind = kinds[self.rng.integers(len(kinds))]
        concept = self.pick(self.bench.concepts)
        try:
            kind(concept, self.bench.state(concept.slug))
        except ValueError as error:
            self.sentences.append(str(error))
            return False
        return True

    def pick(self, options):
        return options[self.rng.integers(len(options))]

    def cells(self, array, most=6):
        count = int(self.rng.integers(1, most))
        return [tuple(int(self.rng.integers(0, length)) for length in array.shape) for _ in range(count)]

    def edit(self, concept, state):
        one = self.pick(concept.inputs)
        cells = self.cells(state.inputs[one.name])
        if one.kind == "mask":
            values = self.rng.integers(0, 2, len(cells)).astype(bool)
        else:
            values = [self.pick(NUMBERS) if self.rng.random() < 0.5 else self.rng.standard_normal() for _ in cells]
        self.bench.edit(concept.slug, one.name, cells, values)

    def replace(self, concept, state):
        one = self.pick(concept.inputs)
        shape = state.inputs[one.name].shape
        array = self.rng.standard_normal(shape) if one.kind == "number" else self.rng.random(shape) < 0.5
        self.bench.replace(concept.slug, one.name, array, label=f"paste into {one.name}")

    def fill(self, concept, state):
        one = self.pick(concept.inputs)
        cells = self.cells(state.inputs[one.name]) if self.rng.random() < 0.5 else None
        seed = int(self.rng.integers(100)) if self.rng.random() < 0.5 else None
        self.bench.fill(concept.slug, one.name, self.pick(FILLS), seed=seed, cells=cells)

    def size(self, concept, _state):
        if concept.sizes:
            size = self.pick(concept.sizes)
            value = int(self.rng.integers(size.low - 1, min(size.high, size.low + 8) + 2))
            self.bench.set_size(concept.slug, size.name, value)

    def token(self, concept, state):
        self.bench.rename_token(
            concept.slug, int(self.rng.integers(-1, len(state.tokens) + 1)), self.pick(("dog", "", " a  b "))
        )

    def restore(self, concept, state):
        one = self.pick(concept.inputs)
        which = self.rng.integers(3)
        if which == 0:
            self.bench.restore(concept.slug)
        elif which == 1:
            self.bench.restore(concept.slug, one.name)
        else:
            self.bench.restore(concept.slug, one.name, self.cells(state.inputs[one.name]))

    def control(self, concept, state):
        if concept.controls:
            control = self.pick(concept.controls)
            self.bench.set_control(concept.slug, control.name, self.value(control, state))

    def value(self, control, state):
        if isinstance(control, Toggle):
            return bool(self.rng.integers(2))
        if isinstance(control, Choice):
            return self.pick([key for key, _ in control.options] + ["nonsense"])
        if isinstance(control, Slider):
            return float(self.rng.uniform(control.low, control.high + 0.1))
        if isinstance(control, Whole):
            return int(self.rng.integers(control.low - 1, control.high + 2))
        if isinstance(control, Pick):
            return int(self.rng.integers(-1, state.sizes[control.size] + 1))
        assert isinstance(control, Text)
        return self.pick((control.default, "none", "two\nlines"))

    def button(self, concept, _state):
        if concept.actions:
            self.bench.act(concept.slug, self.pick(concept.actions).name)

    def view(self, concept, _state):
        self.bench.set_view(concept.slug, step=int(self.rng.integers(-1, 5)), by_row=bool(self.rng.integers(2)))
