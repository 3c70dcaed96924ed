"""Ops that put a whole model's figures into arrays, and open each into its formula with the numbers put in.

The arithmetic is `explorer.core.cost_figures`' and the formulas are `explorer.core.cost_explain`'s; an op reads their
text into an expression, so that there is no second version of either. A model is not an array: an op is made for one
`Asked`, and the arrays that it reads only say at which contexts. A figure that a model has no value for has no op.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from explorer.core import cache_types, cost_explain, cost_figures
from explorer.core.cost_model import CacheOptions
from explorer.core.expression import Expression, Number, Operation, Result, total
from explorer.core.formula import product, read_formula, whole
from explorer.core.ops.base import Array, Arrays, Index, Names, Op, cell

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from explorer.core.cost_model import Architecture, Layer

#: Kinds of layer that get a line each; further ones share a line.
MOST_LINES: Final = 5
_HELPER: Final = """\
from fractions import Fraction as F


def whole(*counts):
    return np.array([float(count) for count in counts])
"""


@dataclass(frozen=True)
class Asked:
    """What is asked about a model: how its cache and its weights are kept, and what is counted."""

    architecture: Architecture
    options: CacheOptions = CacheOptions()  # noqa: RUF009 - frozen
    weight_type: cache_types.CacheType = cache_types.CACHE_TYPES["bf16"]
    pairs: cost_figures.Pairs = "causal"
    head: cost_figures.HeadTokens = "all"

    @cached_property
    def crossings(self) -> dict[str, cost_figures.Crossing]:
        """Return where attention meets the matrices and the cache meets the weights, by name."""
        found = cost_figures.crossings(
            self.architecture, self.options, self.weight_type, pairs=self.pairs, head=self.head
        )
        return {crossing.name: crossing for crossing in found}

    def value(self, figure: str, n: int) -> int | None:
        """Return one of `cost_explain.FIGURES` at a context of `n` tokens, None where it is not known."""
        one, batch = self.architecture, self.options.batch
        parameters = None if one.why_unknown("params") else one.parameters
        values: dict[str, Callable[[], int | None]] = {
            "params": lambda: None if parameters is None else parameters.total,
            "params_active": lambda: None if parameters is None else parameters.active,
            "kv_bytes_per_token": lambda: cost_figures.kv_bytes_per_token(one, self.options),
            "kv_bytes": lambda: cost_figures.kv_bytes(one, n, self.options),
            "state_bytes": lambda: cost_figures.state_bytes(one, n, self.options),
            "cache_bytes": lambda: cost_figures.cache_bytes(one, n, self.options),
            "prefill_attention_flops": lambda: cost_figures.prefill_attention_flops(
                one, n, pairs=self.pairs, batch=batch
            ),
            "decode_attention_flops": lambda: cost_figures.decode_attention_flops(
                one, n, pairs=self.pairs, batch=batch
            ),
            "prefill_weight_flops": lambda: cost_figures.prefill_weight_flops(one, n, head=self.head, batch=batch),
            "decode_weight_flops": lambda: cost_figures.decode_weight_flops(one, batch=batch),
        }
        return values[figure]()

    def why_unknown(self, figure: str) -> str:
        """Return the sentence that says why a figure has no value, empty where it has one."""
        if self.value(figure, 1) is not None:
            return ""
        return cost_explain.explain(self.architecture, figure, 1, self.options)[0].formula

    def lines(self, figure: str, n: int) -> list[cost_explain.Line]:
        """Return the terms of a figure, one for each kind of layer, without the total."""
        opened = cost_explain.explain(self.architecture, figure, n, self.options, pairs=self.pairs, head=self.head)
        return opened[:-1]


def _terms(lines: Sequence[cost_explain.Line]) -> Expression:
    """Return the sum of a figure's lines; where there are several, each is shown on a line of its own."""
    if not lines:
        return Number(0.0, "0")
    if len(lines) == 1:
        return read_formula(lines[0].formula)
    kept = lines if len(lines) <= MOST_LINES + 1 else lines[:MOST_LINES]
    parts: list[Expression] = [Result(read_formula(line.formula), shown=True, label=f"{line.label}: ") for line in kept]
    if rest := lines[len(kept) :]:
        values = total([whole(line.value or 0) for line in rest])
        parts.append(Result(values, shown=True, label=f"{len(rest)} more kinds: "))
    return Operation("sum", tuple(parts))


def _python(formula: str) -> str:
    """Write a formula as exact Python: whole numbers and fractions."""
    text = formula.replace(",", "").replace("×", "*").replace("−", "-")
    text = re.sub(r"\((\d+)/(\d+)\)", r"F(\1, \2)", text)
    return text.replace(" / 2", " * F(1, 2)")


# ----------------------------------------------------------------------------------------------------------- ops

_UNITS: Final = {"params": "parameters", "params_active": "parameters"}


def _at(array: Array) -> list[int]:
    return [int(n) for n in np.ravel(array)]


def figure(asked: Asked, name: str, contexts: Sequence[int]) -> Op | None:
    """Return the op of a figure of `cost_explain.FIGURES`: contexts of any shape give as many figures.

    Parameters
    ----------
    asked : Asked
        The model and how it is counted.
    name : str
        The figure.
    contexts : sequence of int
        What the op is going to read, for its source.

    Returns
    -------
    Op or None
        None where the model has no value for the figure.
    """
    if asked.value(name, 1) is None:
        return None

    def apply(read: Array) -> Array:
        return np.array([float(asked.value(name, n) or 0) for n in _at(read)]).reshape(np.shape(read))

    def terms(arrays: Arrays, _names: Names, index: Index) -> Expression:
        return _terms(asked.lines(name, int(arrays[0][index])))

    def source(_names: Names) -> str:
        counts = [" + ".join(_python(line.formula) for line in asked.lines(name, n)) or "0" for n in contexts]
        return f"whole({', '.join(counts)}).reshape(np.shape({_names[0]}))"

    unit = _UNITS.get(name) or ("FLOP" if name.endswith("flops") else "B")
    return Op(name, apply, terms, source, (_HELPER,), unit=unit)


def constant(values: Sequence[int], unit: str = "tokens") -> Op:
    """Return the op that gives fixed numbers, whatever it reads."""
    numbers = ", ".join(f"{value}.0" for value in values)
    return Op(
        "constant",
        lambda *_: np.array(values, dtype=float),
        lambda _arrays, _names, index: whole(values[index[0]]),
        lambda _names: f"np.array([{numbers}])",
        unit=unit,
    )


def _single(name: str, value: float, expression: Expression, exact: str, unit: str) -> Op:
    """Return the op of one number that depends on the model alone; it takes the shape of what it reads."""
    return Op(
        name,
        lambda read, *_: np.full(np.shape(read), value),
        lambda _arrays, _names, _index: expression,
        lambda names: f"np.full(np.shape({names[0]}), float({exact}))",
        (_HELPER,),
        unit=unit,
    )


def stored_bytes(asked: Asked, *, read: bool = False) -> Op | None:
    """Return the op of the weights' bytes: of all that are stored, or of those that one decode step reads."""
    one, kind = asked.architecture, asked.weight_type
    value = (cost_figures.decode_weight_bytes if read else cost_figures.weight_bytes)(one, kind)
    parameters = one.parameters
    if value is None:
        return None
    amount = 0 if parameters is None else parameters.multiplied if read else parameters.total
    expression: Expression = whole(value)
    if one.weight_bytes is None and kind.fills_blocks(amount):
        each = kind.bytes_per_element
        by = [whole(amount), whole(each.numerator)]
        expression = product(*by)
        if each.denominator > 1:
            expression = Operation("quotient", (expression, whole(each.denominator)))
    return _single("weight bytes", float(value), expression, str(value), "B")


def _growing(architecture: Architecture) -> list[tuple[Layer, int]]:
    return [(layer, count) for layer, count in architecture.groups if layer.attends]


def crossing(asked: Asked, name: str) -> Op | None:
    """Return the op of where two curves meet: ``prefill``, ``decode`` or ``bytes read in decode``.

    Where the meeting point has a closed form it is that, unrounded; else the first whole context beyond it.
    """
    found = asked.crossings.get(name)
    if found is None or found.at is None:
        return None
    parameters = asked.architecture.parameters
    if found.exact is None or found.exact < 0 or parameters is None:
        return _single(name, float(found.at), whole(found.at), str(found.at), "tokens")
    if name == "bytes read in decode":
        return _bytes_crossing(asked, found.exact)
    pair = total(
        [
            product(whole(count), whole(2), total([whole(layer.d_k), whole(layer.d_v)]), whole(layer.n_head))
            for layer, count in _growing(asked.architecture)
        ]
    )
    halved = name == "prefill" and asked.pairs == "causal"
    factor = 4 if halved else 2
    met: Expression = Operation("quotient", (product(whole(factor), whole(parameters.multiplied)), pair))
    per_pair = sum(count * layer.flops_per_pair for layer, count in _growing(asked.architecture))
    exact = f"F({factor * parameters.multiplied}, {per_pair})"
    if halved:
        met, exact = Operation("difference", (met, whole(1))), f"{exact} - 1"
    return _single(name, found.exact, met, exact, "tokens")


def _bytes_crossing(asked: Asked, exact: float) -> Op:
    """Return the op of where an evenly growing cache is as large as the weights that a step reads."""
    one, options = asked.architecture, asked.options
    weights = cost_figures.decode_weight_bytes(one, asked.weight_type) or 0
    states = cost_figures.state_bytes(one, 1, options) or 0
    each = cost_figures.kv_bytes_per_token(one, options) or 1
    above: Expression = whole(weights)
    if states:
        above = Operation("difference", (above, whole(states)))
    below = whole(each) if options.batch == 1 else product(whole(each), whole(options.batch))
    source = f"F({weights - states}, {each * options.batch})"
    return _single("bytes crossing", exact, Operation("quotient", (above, below)), source, "tokens")


def longest_contexts(asked: Asked, budgets: Sequence[int]) -> Op | None:
    """Return the op of how many tokens fit beside the weights into memories of so many bytes.

    Where the cache grows evenly that is room ÷ bytes of a token, unrounded; else the longest context that fits. None
    where the weights or the cache are not known, or a cache that stops growing fits whatever the context.
    """
    one, options = asked.architecture, asked.options
    weights = cost_figures.weight_bytes(one, asked.weight_type)
    found = [cost_figures.longest_context(one, budget, options, asked.weight_type) for budget in budgets]
    if weights is None or any(budget.fits in ("unknown", "always") for budget in found):
        return None
    states = cost_figures.state_bytes(one, 1, options) or 0
    per_token = (cost_figures.kv_bytes_per_token(one, options) or 0) * options.batch
    even = cost_figures.grows_evenly(one, options)

    def exact(at: int) -> Fraction:
        context = found[at].context
        if context is None:
            return Fraction(0)
        return Fraction(budgets[at] - weights - states, per_token) if even else Fraction(context)

    def terms(_arrays: Arrays, _names: Names, index: Index) -> Expression:
        context = found[index[0]].context
        if context is None or not even:
            return whole(context or 0)
        taken = (whole(weights), *((whole(states),) if states else ()))
        room = Operation("difference", (whole(budgets[index[0]]), *taken))
        each = whole(per_token // options.batch)
        return Operation("quotient", (room, product(each, whole(options.batch)) if options.batch > 1 else each))

    values = [exact(at) for at in range(len(budgets))]
    numbers = ", ".join(f"F({value.numerator}, {value.denominator})" for value in values)
    return Op(
        "longest contexts",
        lambda *_: np.array([float(value) for value in values]),
        terms,
        lambda _names: f"whole({numbers})",
        (_HELPER,),
        unit="tokens",
    )


def generation(asked: Asked, new: int, *, attention: bool, prompt: int) -> Op | None:
    """Return the op of a whole generation's FLOPs: of scores and mix, or of the matrices.

    The prompts are what it reads; `prompt` is the one that it is going to read, for its source. The new tokens but the
    last are fed back, so that attention is that of one prompt of prompt + new − 1 tokens.
    """
    one, batch = asked.architecture, asked.options.batch
    parameters = one.parameters

    def work(n: int) -> cost_figures.Work:
        return cost_figures.generation_work(one, n, new, head=asked.head, batch=batch)

    def value(n: int) -> int | None:
        done = work(n)
        if attention or done.total is None or done.attention is None:
            return done.attention if attention else None
        return done.total - done.attention

    if value(1) is None:
        return None

    def lines(n: int) -> list[cost_explain.Line]:
        fed = n + max(new - 1, 0)
        if attention:
            return cost_explain.explain(one, "prefill_attention_flops", fed, asked.options)[:-1]
        assert parameters is not None
        body, head = parameters.multiplied - parameters.head, parameters.head
        through_head = new if asked.head == "last" else fed
        parts = [("matrices", body, fed), ("head", head, through_head)]
        return [
            cost_explain.Line(words, f"2 × {amount:,} × {batch:,} × {times:,}", 2 * amount * batch * times)
            for words, amount, times in parts
            if amount
        ]

    def apply(read: Array) -> Array:
        return np.array([float(value(n) or 0) for n in _at(read)]).reshape(np.shape(read))

    def source(names: Names) -> str:
        count = " + ".join(_python(line.formula) for line in lines(prompt)) or "0"
        return f"whole({count}).reshape(np.shape({names[0]}))"

    return Op(
        "generation",
        apply,
        lambda arrays, _names, index: _terms(lines(int(arrays[0][index]))),
        source,
        (_HELPER,),
        unit="FLOP",
    )


def add(unit: str = "B") -> Op:
    """Add arrays of one shape, cell by cell."""
    return Op(
        "add",
        lambda *arrays: np.asarray(sum(arrays[1:], arrays[0])),
        lambda arrays, names, index: total([cell(arrays, names, which, *index) for which in range(len(names))]),
        lambda names: f"np.asarray({' + '.join(names)})",
        unit=unit,
    )


def ratio(above: int = 1, unit: str = "FLOP/B") -> Op:
    """Divide the sum of the first `above` arrays by the last one, cell by cell; 0 by nothing."""

    def apply(*arrays: Array) -> Array:
        top, bottom = sum(arrays[1:above], arrays[0]), arrays[-1]
        return np.asarray(np.divide(top, bottom, out=np.zeros(np.shape(top)), where=bottom != 0))

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        top = total([cell(arrays, names, which, *index) for which in range(above)])
        return Operation("quotient", (top, cell(arrays, names, len(names) - 1, *index)))

    def source(names: Names) -> str:
        top, bottom = " + ".join(names[:above]), names[-1]
        return f"np.divide({top}, {bottom}, out=np.zeros(np.shape({bottom})), where={bottom} != 0)"

    return Op("ratio", apply, terms, source, unit=unit)


def steps_per_second(bandwidth: float) -> Op:
    """Return how many decode steps a second a memory's bandwidth (bytes a second) allows at most."""

    def terms(arrays: Arrays, names: Names, index: Index) -> Expression:
        return Operation("quotient", (whole(int(bandwidth)), cell(arrays, names, 0, *index)))

    return Op(
        "steps per second",
        lambda read: np.asarray(bandwidth / read),
        terms,
        lambda names: f"np.asarray({bandwidth!r} / {names[0]})",
        unit="steps/s",
    )
