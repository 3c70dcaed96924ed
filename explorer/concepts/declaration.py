"""The words in which a tab is declared: inputs, controls, actions, stages, steps, views.

A tab is data plus a few pure functions; it holds no state and draws nothing. The page, the trace, the steps, the
exported script, `compute` and the contract test are all built from these declarations, so a tab says nothing twice.
Arithmetic lives in core's ops, state in the workbench, drawing in the ui.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from explorer.concepts.layout import (
    Arrow,
    Column,
    Custom,
    Marks,
    Matrix,
    Mosaic,
    Place,
    Row,
    Tile,
    View,
    shown_arrays,
    views,
)
from explorer.core.ops.base import Array, Op

if TYPE_CHECKING:
    from pathlib import Path

__all__ = [
    "KEY",
    "QUERY",
    "TOKENS",
    "Action",
    "Arrow",
    "Axis",
    "Choice",
    "Column",
    "Concept",
    "Control",
    "Controls",
    "Custom",
    "Drawer",
    "Edit",
    "Groups",
    "Input",
    "Marks",
    "Matrix",
    "Mosaic",
    "Pick",
    "Place",
    "Role",
    "Row",
    "Situation",
    "Size",
    "Sizes",
    "Slider",
    "Stage",
    "Step",
    "Suggestion",
    "Text",
    "Tile",
    "Toggle",
    "Values",
    "View",
    "Whole",
    "shown_arrays",
    "views",
]

Role = Literal["input", "query", "key", "value", "output", "score", "weight", "mask", "plain"]
Values = Mapping[str, Array]
Controls = Mapping[str, Any]
Sizes = Mapping[str, int]


class Groups(NamedTuple):
    """Equal groups in which the entries of an axis come, such as the columns of a projection that are one head's.

    Attributes
    ----------
    size : str
        Which size counts the groups.
    word : str
        What one group is called, such as ``"head"``; groups have a colour each and their number.
    shared : str
        Another size, where neighbouring groups share a colour: as many colours as it says.
    """

    size: str
    word: str
    shared: str = ""


class Axis(NamedTuple):
    """One axis of an array.

    Attributes
    ----------
    size : str
        Which size it has: the name of a `Size` (``"n"``, ``"d_model"``), a number in digits when it is fixed, or a
        product of these (``"n_head*d_head"``), whose entries are ordered by its first factor. Computed arrays may have
        sums of products, too (``"pairs+trials*keys"``).
    words : str
        What the axis means, such as ``"query: who looks"``; empty where the shape says enough.
    names : tuple of str, "tokens" or callable
        Labels of its entries; ``"tokens"`` takes the token names, ``names(situation)`` returns those of the moment;
        empty means indices.
    groups : Groups, optional
        The groups in which its entries come.
    """

    size: str
    words: str = ""
    names: tuple[str, ...] | Literal["tokens"] | Callable[[Situation], tuple[str, ...]] = ()
    groups: Groups | None = None


TOKENS = Axis("n", "", "tokens")
QUERY = Axis("n", "query: who looks", "tokens")
KEY = Axis("n", "key: who is looked at", "tokens")


class Size(NamedTuple):
    """A size that the user may change, such as the number of tokens.

    ``among(sizes)``, where given, returns which values it may have beside the other sizes, in ascending order; when
    these change it moves to the largest that is not above it. A size without a label follows from others, by `among`
    or by the tab's `react`, and has no place in the bar.
    """

    name: str
    label: str
    low: int
    high: int
    default: int
    among: Callable[[Sizes], Sequence[int]] | None = None


class Input(NamedTuple):
    """An array that the user edits.

    Attributes
    ----------
    name : str
        Its name everywhere: on screen, in sessions, in scripts.
    axes : tuple of Axis
        Its shape and the words of its axes.
    role : Role
        Which colour it carries.
    default : callable
        ``default(sizes)`` returns the lesson's values as a float64 ndarray (bool where `kind` is "mask") of the
        shape that `sizes` gives; beyond the lesson's own size it continues in the lesson's manner.
    kind : {"number", "mask"}
        Numbers are typed; a mask is clicked, True means that the query may look.
    origin : str
        What its values are before anybody edits them: ``"lesson"`` or ``"random"`` (random, no meaning).
    grow : callable, optional
        ``grow(sizes)`` gives the values of cells that appear when a size grows; `default` where absent.
    limits : tuple of float
        The least and the largest value that a cell accepts.
    whole : bool
        Whether cells hold whole numbers only, such as sizes.
    title : str
        Shown beside the name, where the name alone would not do.
    symbol : str
        What it is called on screen and in the trace, where its name is a program's.
    hint : str
        What can be done with it, where that is not typing alone; left out of printed pictures.
    """

    name: str
    axes: tuple[Axis, ...]
    role: Role
    default: Callable[[Sizes], Array]
    kind: Literal["number", "mask"] = "number"
    origin: Literal["lesson", "random"] = "lesson"
    grow: Callable[[Sizes], Array] | None = None
    limits: tuple[float, float] = (-1e9, 1e9)
    title: str = ""
    hint: str = ""
    whole: bool = False
    symbol: str = ""

    @property
    def spoken(self) -> str:
        """What it is called in front of people."""
        return self.symbol or self.name.replace("_", " ")


class Slider(NamedTuple):
    """A number on a line, between two ends."""

    name: str
    label: str
    low: float
    high: float
    step: float
    default: float
    unit: str = ""
    digits: int = 0
    logarithmic: bool = False
    #: Where an end depends on the sizes or other controls: ``bounds(sizes, controls) -> (low, high)``.
    bounds: Callable[[Sizes, Controls], tuple[float, float]] | None = None


class Choice(NamedTuple):
    """One of a few named options; the value is the option's key.

    `key` is a single-letter shortcut that goes to the next option, and from the last to the first.
    """

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    default: str
    key: str = ""

    def after(self, value: object) -> str:
        """Return the option that follows a value."""
        keys = [key for key, _ in self.options]
        return keys[(keys.index(str(value)) + 1) % len(keys)]


class Toggle(NamedTuple):
    """On or off. `key` is a single-letter shortcut that flips it while the stage has the focus."""

    name: str
    label: str
    default: bool = False
    key: str = ""


class Whole(NamedTuple):
    """A whole number that is typed, such as a seed.

    ``among(controls)``, where given, returns the values that one step up or down goes to, in ascending order; it says
    nothing about what may be typed.
    """

    name: str
    label: str
    low: int
    high: int
    default: int
    among: Callable[[Controls], Sequence[int]] | None = None


class Pick(NamedTuple):
    """One index along a size, such as the token that asks; -1 where none is chosen and `optional` holds.

    The entries go by ``names(situation)`` where it is given, along the tokens by the tokens' names, else by index.
    """

    name: str
    label: str
    size: str
    default: int
    optional: bool = False
    names: Callable[[Situation], tuple[str, ...]] | None = None


class Suggestion(NamedTuple):
    """One entry of a list to choose from: the text that it stands for, what it is called, and words beside that."""

    value: str
    label: str
    detail: str = ""


class Text(NamedTuple):
    """A line of text, such as the name of a model.

    Attributes
    ----------
    check : callable, optional
        ``check(text)`` returns a sentence when it refuses it.
    suggest : callable, optional
        ``suggest(typed)`` returns what may be chosen, best first; the text is then chosen from a list that can be
        searched.
    shown : callable, optional
        ``shown(controls)`` returns how the chosen text is written, where not as it is.
    read : callable, optional
        ``read(path)`` returns the text that stands for a file which is opened or dropped; ValueError with a sentence
        when it is of no use.
    files : tuple of str
        The endings of such files, such as ``".json"``.
    many : str
        What the entries of its list are called.
    """

    name: str
    label: str
    default: str
    check: Callable[[str], str | None] | None = None
    suggest: Callable[[str], Sequence[Suggestion]] | None = None
    shown: Callable[[Controls], str] | None = None
    read: Callable[[Path], str] | None = None
    files: tuple[str, ...] = ()
    many: str = "entries"

    def takes(self, name: str) -> bool:
        """Say whether the text can be read from a file of that name."""
        return self.read is not None and name.lower().endswith(self.files)


Control = Slider | Choice | Toggle | Whole | Pick | Text


class Drawer(NamedTuple):
    """Controls that are seldom wanted: they stand behind one button.

    ``says(controls)`` returns in a few words what they hold.
    """

    label: str
    controls: tuple[str, ...]
    says: Callable[[Controls], str] | None = None


class Situation(NamedTuple):
    """What an action or a view may read: the inputs, controls, sizes and token names of a tab, all read-only."""

    inputs: Values
    controls: Controls
    sizes: Sizes
    tokens: tuple[str, ...]


class Edit(NamedTuple):
    """What an action changes; whatever is absent stays. Arrays must have the shapes that the sizes give.

    `origins` says where an input's new numbers come from, such as ``"random seed 42"``; those it does not name count as
    typed.
    """

    inputs: Values = MappingProxyType({})
    controls: Controls = MappingProxyType({})
    sizes: Sizes = MappingProxyType({})
    tokens: tuple[str, ...] | None = None
    origins: Mapping[str, str] = MappingProxyType({})


class Action(NamedTuple):
    """A button that changes inputs in one undoable step. `apply` may raise ValueError with a sentence."""

    name: str
    label: str
    apply: Callable[[Situation], Edit]
    key: str = ""
    tip: str = ""


class Stage(NamedTuple):
    """One computed array.

    Attributes
    ----------
    name : str
        Its name everywhere, as for an `Input`.
    op : Op or callable
        The op, or ``op(controls)`` returning one where a control chooses it; None where it leaves nothing to compute,
        and the array does not exist.
    inputs : tuple of str
        The arrays that it reads: inputs, earlier stages, or controls and sizes (as 0-d arrays).
    axes : tuple of Axis
        Its shape and the words of its axes.
    role : Role
        Which colour it carries, and how it is painted: "weight" is 0…1 on the sequential map, others diverge at 0.
    title : str
        Shown in place of the name where given ("attention weights"; never "weights" alone for both meanings).
    symbol : str
        How the trace writes it, where neither its title nor its name would do: ``"q"`` for the queries cut into heads.
    """

    name: str
    op: Op | Callable[[Controls], Op | None]
    inputs: tuple[str, ...]
    axes: tuple[Axis, ...]
    role: Role
    title: str = ""
    symbol: str = ""

    @property
    def spoken(self) -> str:
        """What it is called in front of people."""
        return self.symbol or self.title or self.name.replace("_", " ")


class Step(NamedTuple):
    """One stop of the steps: `label` on its pill, the stages that appear with it, and a sentence about it.

    `times` names a size where the step is taken in parts: one stop for each, such as one for each block of keys. Views
    of its arrays are told which part has been reached.
    """

    label: str
    shows: tuple[str, ...]
    says: str = ""
    times: str = ""


class Concept(NamedTuple):
    """One tab.

    Attributes
    ----------
    number, slug, title
        Its place in the rail, its name on the command line and in sessions, its name on screen.
    inputs, controls, actions, stages, steps, sizes, tokens, layout
        What it declares. `tokens` are the names of the tokens at first, empty where it has none.
    marks : callable, optional
        ``marks(situation) -> {array: Marks}``.
    row_steps : bool
        Whether the steps can also go row by row.
    pinned : (array, index), optional
        The cell whose trace is shown when the tab is first opened.
    validate : callable, optional
        ``validate(situation)`` raises ValueError with a sentence when inputs that are fine each do not fit together.
    drawers : tuple of Drawer
        Controls that stand behind a button instead of in the bar.
    follow : callable, optional
        ``follow(before, after)`` returns the controls that change because others did, such as sizes when a model is
        chosen.
    react : callable, optional
        ``react(before, after)`` returns what else changes because the user changed something, in the same undoable
        step: a preset that is chosen brings its matrices, a number that stands for a matrix follows it. Undo, opening
        a session and going to a bookmark do not ask.
    """

    number: int
    slug: str
    title: str
    inputs: tuple[Input, ...]
    stages: tuple[Stage, ...]
    layout: View
    controls: tuple[Control, ...] = ()
    actions: tuple[Action, ...] = ()
    steps: tuple[Step, ...] = ()
    sizes: tuple[Size, ...] = ()
    tokens: tuple[str, ...] = ()
    marks: Callable[[Situation], Mapping[str, Marks]] | None = None
    row_steps: bool = False
    pinned: tuple[str, tuple[int, ...]] | None = None
    validate: Callable[[Situation], None] | None = None
    drawers: tuple[Drawer, ...] = ()
    follow: Callable[[Controls, Controls], Controls] | None = None
    react: Callable[[Situation, Situation], Edit] | None = None

    def input(self, name: str) -> Input:
        """Return the input of that name; KeyError when there is none."""
        for one in self.inputs:
            if one.name == name:
                return one
        raise _missing(name, "input", self)

    def stage(self, name: str) -> Stage:
        """Return the stage of that name; KeyError when there is none."""
        for one in self.stages:
            if one.name == name:
                return one
        raise _missing(name, "stage", self)

    def control(self, name: str) -> Control:
        """Return the control of that name; KeyError when there is none."""
        for one in self.controls:
            if one.name == name:
                return one
        raise _missing(name, "control", self)

    def array(self, name: str) -> Input | Stage:
        """Return the input or stage of that name; KeyError when there is none."""
        for one in self.inputs:
            if one.name == name:
                return one
        for stage in self.stages:
            if stage.name == name:
                return stage
        raise _missing(name, "array", self)


def _missing(name: str, what: str, concept: Concept) -> KeyError:
    return KeyError(f"tab {concept.number} ({concept.slug}) has no {what} called {name!r}")
