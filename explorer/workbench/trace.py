"""The trace strip: how one number came about, in the digits that reproduce it, each operand a link upstream.

Built from what the ops say of a cell (`explorer.core.expression`), so it holds for every tab without being told. The
stages that share a place on the page are told together: a score, the scaled score, the masked one and the attention
weight are one story.
"""

from __future__ import annotations

import math
from collections import defaultdict
from typing import TYPE_CHECKING

from explorer.concepts import evaluation
from explorer.concepts.declaration import Mosaic, Place, views
from explorer.concepts.shown import quantities
from explorer.core import expression as terms
from explorer.core.checks import cell_name
from explorer.core.expression import Cell, Expression, Number, Operation, Result
from explorer.workbench import number_text, wording
from explorer.workbench.equation import Before, Equation, cut, operand
from explorer.workbench.tokens import Index, Line, Token, Trace

if TYPE_CHECKING:
    from collections.abc import Mapping

    from explorer.concepts.declaration import Concept, Role, Situation, Stage, Values
    from explorer.workbench.wording import Translate

__all__ = ["Line", "Token", "Trace", "trace"]


def trace(
    concept: Concept,
    situation: Situation,
    results: Values,
    name: str,
    index: Index,
    *,
    origins: Mapping[str, str] | None = None,
    lesson: Values | None = None,
    translate: Translate = str,
) -> Trace:
    """Tell how a cell came about.

    Parameters
    ----------
    concept, situation, results
        The tab, what it holds and what was computed from that.
    name : str
        The array, an input or a stage.
    index : tuple of int
        The cell.
    origins : Mapping, optional
        Where each input's numbers come from, as a `TabState` knows it.
    lesson : Mapping, optional
        The lesson's values at these sizes, where the caller has them at hand.
    translate : callable, optional
        Given every sentence's template.

    Returns
    -------
    Trace
    """
    index = tuple(int(i) for i in index)
    teller = _Teller(concept, situation, results, translate)
    title = wording.title(concept, situation, name, index, translate)
    if any(one.name == name for one in concept.inputs):
        values = {name: concept.input(name).default(situation.sizes)} if lesson is None else lesson
        lines = (teller.typed(name, index, None if origins is None else origins.get(name), values),)
        return Trace(title, lines, (name, index), {}, True)
    chain = _story(concept, name)
    for stage in chain:
        teller.tell(stage, index, last=stage.name == name)
    return Trace(title, teller.lines(), (name, index), teller.operands(), teller.exact)


def _story(concept: Concept, name: str) -> list[Stage]:
    """Return the stages to tell of: those on the way through the place that the array shares with others."""
    target = concept.stage(name)
    places = [leaf.arrays for leaf in views(concept.layout) if isinstance(leaf, Place | Mosaic)]
    place = next((arrays for arrays in places if name in arrays), ())
    upstream = _upstream(concept, name)
    shape = [axis.size for axis in target.axes]
    story: list[Stage] = []
    for stage in concept.stages:
        if stage.name == name:
            return [*story, stage]
        begun = stage.name in place or any(one.name in stage.inputs for one in story)
        if begun and stage.name in upstream and [axis.size for axis in stage.axes] == shape:
            story.append(stage)
    return story


def _upstream(concept: Concept, name: str) -> set[str]:
    reads = {stage.name: stage.inputs for stage in concept.stages}
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for one in reads.get(waiting.pop(), ()):
            if one not in found:
                found.add(one)
                waiting.append(one)
    return found


class _Teller:
    """Gathers the equations of a story, and the cells that they read."""

    def __init__(self, concept: Concept, situation: Situation, results: Values, translate: Translate) -> None:
        self._concept = concept
        self._situation = situation
        self._results = results
        self._translate = translate
        self._equations: list[Equation | Line] = []
        self._operands: dict[str, set[Index]] = defaultdict(set)
        self.roles: dict[str, Role] = {one.name: one.role for one in concept.inputs}
        self.roles.update({one.name: one.role for one in concept.stages})
        self.spoken: dict[str, str] = {one.name: one.spoken for one in concept.inputs}
        self.spoken.update({one.name: one.spoken for one in concept.stages})

    # --- what came of it ---

    @property
    def exact(self) -> bool:
        return all(isinstance(one, Line) or one.digits is not None for one in self._equations)

    def operands(self) -> dict[str, frozenset[Index]]:
        return {name: frozenset(found) for name, found in self._operands.items()}

    def lines(self) -> tuple[Line, ...]:
        """Write the equations; a sub-result goes to the end of the line before."""
        lines: list[Line] = []
        for one in self._equations:
            line = one if isinstance(one, Line) else Line(tuple(one.tokens()), one.stage)
            if isinstance(one, Equation) and one.appended and lines:
                lines[-1] = lines[-1]._replace(tokens=(*lines[-1].tokens, Token("   "), *line.tokens))
            else:
                lines.append(line)
        return tuple(lines)

    # --- telling ---

    def typed(self, name: str, index: Index, origin: str | None, lesson: Values) -> Line:
        """Tell of a cell that nothing computed."""
        declared = self._concept.input(name)
        value = self._results[name][index]
        words = wording.where_from(declared, value, float(lesson[name][index]), origin, self._translate)
        lead = (Token(cell_name(declared.spoken, index), "name", role=declared.role), Token(" = "))
        if declared.kind == "mask":
            text = self._translate(wording.MASK_ON if value else wording.MASK_OFF)
        else:
            text = number_text.full(float(value)).replace("-", number_text.MINUS)
        result = Token(text, "result", (name, index), declared.role, number_text.full(float(value)))
        return Line((*lead, result, wording.note(words)), name)

    def tell(self, stage: Stage, index: Index, *, last: bool) -> None:
        """Add a stage's line."""
        missing = any(
            one not in self._results and evaluation.given(one, self._situation) is None for one in stage.inputs
        )
        if stage.name not in self._results or missing:
            self._equations.append(Line((Token(self._translate(wording.NOT_YET), "note"),), stage.name))
            return
        found = evaluation.explain(self._concept, self._situation, self._results, stage.name, index)
        if isinstance(found, Result):
            found = found.expression
        for cell in terms.cells(found):
            if cell.array in self.roles:
                self._operands[cell.array].add(cell.index)
        if isinstance(found, Cell) and stage.role == "score":
            if last:
                self._stays(stage, index, found)
        elif isinstance(found, Number):
            self._alone(stage, index, found)
        else:
            self._computed(stage, index, found)

    def _computed(self, stage: Stage, index: Index, found: Expression) -> None:
        more = self._translate(wording.MORE)
        unit = self._unit(stage)
        for result in _shown(found):
            self._equations.append(
                Equation(
                    cut(result.expression, more),
                    terms.evaluate(result.expression),
                    stage.name,
                    lead=(Token(result.label),) if result.label else (),
                    before=self._largest(stage, result.expression),
                    roles=self.roles,
                    unit=unit,
                )
            )
        pairs = _pairs(found)
        self._add(stage, index, cut(found, more), self._lead(stage, pairs), self._after(pairs))

    def _add(
        self, stage: Stage, index: Index, found: Expression, lead: tuple[Token, ...] = (), after: tuple[Token, ...] = ()
    ) -> None:
        value, unit = float(self._results[stage.name][index]), self._unit(stage)
        equal = quantities.in_words(value, unit)
        after = (*((wording.note(f"= {equal}"),) if equal else ()), *after)
        self._equations.append(
            Equation(found, value, stage.name, (stage.name, index), lead, after=after, roles=self.roles, unit=unit)
        )

    def _unit(self, stage: Stage) -> str:
        op = evaluation.op_of(stage, self._situation.controls)
        return "" if op is None else op.unit

    def _stays(self, stage: Stage, index: Index, found: Cell) -> None:
        after: tuple[Token, ...] = ()
        if wording.pairs_queries_with_keys(stage.axes):
            after = (wording.note(wording.may_look(stage, index, self._situation, self._translate)),)
        self._add(stage, index, found, after=(*after, *self._mask_cell(stage, index)))

    def _alone(self, stage: Stage, index: Index, found: Number) -> None:
        """Tell of a cell that is one number whatever was read: −∞ where masked, 0 where nothing is added."""
        read = stage.inputs[0]
        source = self._results.get(read)
        same_shape = source is not None and source.shape == self._results[stage.name].shape
        before: tuple[Token, ...] = ()
        after: tuple[Token, ...] = ()
        if stage.role == "score" and found.value == -math.inf and same_shape:
            before = (self._operand(read, index), Token(" → "))
            if wording.pairs_queries_with_keys(stage.axes):
                table = self._results[stage.name]
                why = wording.why_masked(stage, table, index, self._situation, self._translate)
                after = (wording.note(why), *self._mask_cell(stage, index))
        elif stage.role == "weight" and same_shape and self.roles.get(read) == "score":
            before = (Token("e"), self._operand(read, index)._replace(raised=True), Token(" = "))
            after = self._nowhere(read, index, -math.inf)
        elif self.roles.get(read) == "weight":
            after = self._nowhere(read, index, 0.0)
        value = float(self._results[stage.name][index])
        result = Token(found.text, "result", (stage.name, index), stage.role, number_text.full(value))
        self._equations.append(Line((*before, result, *after), stage.name))

    def _operand(self, array: str, index: Index) -> Token:
        self._operands[array].add(index)
        return operand(Cell(array, index, float(self._results[array][index])), self.roles)

    def _nowhere(self, array: str, index: Index, nothing: float) -> tuple[Token, ...]:
        """Return a note where a row of scores or attention weights holds nothing to look at."""
        row = self._results[array][index[:-1]]
        if not row.size or (row != nothing).any():
            return ()
        axis = self._concept.array(array).axes[-2]
        return (wording.note(wording.looks_nowhere(axis, index[-2], self._situation, self._translate)),)

    def _mask_cell(self, stage: Stage, index: Index) -> tuple[Token, ...]:
        """Return a link to the cell of the mask that decided, where the mask is an array of its own."""
        found: list[Token] = []
        for name in stage.inputs[1:]:
            if self.roles.get(name) == "mask":
                shape = self._results[name].shape
                own = index[len(index) - len(shape) :]
                at = tuple(0 if length == 1 else i for i, length in zip(own, shape, strict=True))
                found += [Token("   "), self._operand(name, at)._replace(text=cell_name(self.spoken[name], at))]
        return tuple(found)

    def _largest(self, stage: Stage, found: Expression) -> Before | None:
        """Return words about the row's maximum, which softmax takes away first."""
        if not isinstance(found, Operation) or found.kind != "exp" or stage.role != "weight":
            return None
        difference = found.operands[0]
        if not isinstance(difference, Operation) or difference.kind != "difference":
            return None
        own, top = difference.operands
        # The words must not know the teller, who knows them: results in such a circle would outlive many edits.
        words = Token(self._translate(wording.LARGEST if own == top else wording.IS_LARGEST), "note")
        return (lambda _: [words]) if own == top else (lambda write: [*write(top), words])

    def _after(self, pairs: list[tuple[Cell, Cell]]) -> tuple[Token, ...]:
        notes: list[Token] = []
        if pairs:
            first, second = pairs[0]
            read, shared = self._results[first.array], self._results[second.array]
            if read.ndim == shared.ndim == 3 and read.shape[0] != shared.shape[0]:
                text = self._translate(wording.SHARED_HEAD)
                notes.append(wording.note(text.format(head=first.index[0], shared=second.index[0])))
            if self.roles[first.array] == "weight" and len(pairs) < read.shape[-1]:
                text = self._translate(wording.LEFT_OUT)
                notes.append(wording.note(text.format(count=read.shape[-1] - len(pairs))))
        return tuple(notes)

    def _lead(self, stage: Stage, pairs: list[tuple[Cell, Cell]]) -> tuple[Token, ...]:
        """Return ``q₂ · k₁ =`` for a row times a row, ``x₂ · column 1 of Wq =`` for a row times a column."""
        if not pairs:
            return ()
        sides: list[tuple[Token, ...]] = []
        for side in (0, 1):
            indices = [pair[side].index for pair in pairs]
            array = pairs[0][side].array
            axis = _varying(indices)
            if axis is None and len(indices) == 1:
                columns = side == 1 and self._results[pairs[0][0].array].shape[-1] == 1 and stage.role != "score"
                axis = len(indices[0]) - (2 if columns else 1)
            name = Token(self.spoken[array], "name", role=self.roles[array])
            if axis == len(indices[0]) - 1 and axis:
                sides.append(self._row(name, indices[0][-2]))
            elif axis is not None and axis == len(indices[0]) - 2:
                sides.append((Token(self._translate(wording.COLUMN).format(at=indices[0][-1])), name))
            else:
                return ()
        return (*sides[0], Token(" · "), *sides[1], Token(" = "))

    def _row(self, name: Token, at: int) -> tuple[Token, ...]:
        """Return ``q₂`` for a row of what goes by a letter, ``row 2 of attention weights`` for others."""
        if len(name.text) <= wording.LETTERS:
            return (name._replace(text=f"{name.text}{wording.subscript(at)}"),)
        return Token(self._translate(wording.ROW).format(at=at)), name


def _shown(found: Expression) -> list[Result]:
    """Return the sub-results that get a line of their own, innermost first."""
    if isinstance(found, Result):
        return [*_shown(found.expression), *([found] if found.shown else [])]
    if isinstance(found, Operation):
        return [result for operand in found.operands for result in _shown(operand)]
    return []


def _pairs(found: Expression) -> list[tuple[Cell, Cell]]:
    """Return the factors of a sum of products of cells of two arrays, empty where it is something else."""
    products = found.operands if isinstance(found, Operation) and found.kind == "sum" else (found,)
    pairs: list[tuple[Cell, Cell]] = []
    for product in products:
        if not isinstance(product, Operation) or product.kind != "product" or len(product.operands) != 2:
            return []
        first, second = product.operands
        if not isinstance(first, Cell) or not isinstance(second, Cell):
            return []
        pairs.append((first, second))
    same = len({(first.array, second.array) for first, second in pairs}) == 1
    return pairs if same else []


def _varying(indices: list[Index]) -> int | None:
    """Return the only axis along which indices differ, None when there is none or several do."""
    axes = [axis for axis in range(len(indices[0])) if len({index[axis] for index in indices}) > 1]
    return axes[0] if len(axes) == 1 else None
