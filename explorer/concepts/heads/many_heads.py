"""What the tabs of several heads have in common: axes of heads, the lesson's draws, the stages of one attention.

Not a tab. Projections are matrices of heads side by side; within the stages of attention heads are the leading axis.
"""

from __future__ import annotations

from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from explorer.concepts.declaration import KEY, QUERY, TOKENS, Axis, Groups, Input, Stage
from explorer.core import lesson
from explorer.core.checks import kv_head_choices
from explorer.core.ops import attention, heads

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from explorer.concepts.declaration import Role, Sizes
    from explorer.core.lesson import Floats

N = Axis("n")
D_MODEL = Axis("d_model")
D_HEAD = Axis("d_head")


def head_axis(size: str = "n_head", word: str = "head", shared: str = "") -> Axis:
    """Return the leading axis of arrays that have a table for each head."""
    return Axis(size, word, groups=Groups(size, word, shared))


def columns_of(heads_axis: Axis) -> Axis:
    """Return the axis of all heads' columns side by side."""
    return Axis(f"{heads_axis.size}*d_head", groups=heads_axis.groups)


@lru_cache(maxsize=8)  # of three tabs; the largest take half a megabyte
def _draws(n: int, d_model: int, n_head: int, n_head_kv: int, d_head: int) -> Mapping[str, Floats]:
    drawn = lesson.multi_head_inputs(n=n, d_model=d_model, n_head=n_head, n_head_kv=n_head_kv, d_head=d_head)
    for array in drawn.values():
        array.flags.writeable = False
    return MappingProxyType(drawn)


def draws(sizes: Sizes, n_head_kv: int | None = None) -> Mapping[str, Floats]:
    """Return the lesson's draws of x, Wq, Wk, Wv and Wo at these sizes; as many KV heads as query heads by default."""
    n_head = sizes["n_head"]
    return _draws(sizes["n"], sizes["d_model"], n_head, n_head if n_head_kv is None else n_head_kv, sizes["d_head"])


def drawn_input(
    name: str, axes: tuple[Axis, ...], role: Role, of: Callable[[Sizes], Mapping[str, Floats]] = draws
) -> Input:
    """Return an input that holds the lesson's seeded draw of that name."""
    return Input(name, axes, role, lambda sizes: of(sizes)[name], origin="random")


def x_input(of: Callable[[Sizes], Mapping[str, Floats]] = draws) -> Input:
    """Return the tokens' vectors."""
    return drawn_input("x", (TOKENS, D_MODEL), "input", of)


def divisors(sizes: Sizes) -> Sequence[int]:
    """Return every number of KV heads that the query heads can share."""
    return kv_head_choices(sizes["n_head"])


def split_queries(query: Axis, q: str = "q") -> Stage:
    """Return the stage that cuts the queries side by side into heads."""
    return Stage(f"{q}_heads", heads.split(), (q, query.size), (query, N, D_HEAD), "query", symbol="q")


def attention_stages(query: Axis, shared: Axis, *, suffix: str = "", q: str = "q") -> tuple[Stage, ...]:
    """Return the stages from queries in heads, and keys and values side by side, to the heads' outputs.

    Parameters
    ----------
    query, shared : Axis
        The axes of query heads and of KV heads; the latter's size is a name, or digits.
    suffix : str
        What the names of all stages end with, and those of the keys and values that they read.
    q : str
        The array of queries whose heads `split_queries` has cut.
    """
    table = (query, QUERY, KEY)
    q_heads = f"{q}_heads"
    which = suffix.strip("_").upper()

    def titled(title: str) -> str:
        return f"{which} {title}".strip()

    def named(name: str) -> str:
        return f"{name}{suffix}"

    def cut(name: str, role: Role) -> Stage:
        whole = heads.split(int(shared.size)) if shared.size.isdigit() else heads.split()
        read = (named(name),) if shared.size.isdigit() else (named(name), shared.size)
        return Stage(named(f"{name}_heads"), whole, read, (shared, N, D_HEAD), role, symbol=name)

    return (
        cut("k", "key"),
        cut("v", "value"),
        Stage(named("scores"), attention.scores(), (q_heads, named("k_heads")), table, "score", titled("scores q·k")),
        Stage(named("scaled"), attention.scale(), (named("scores"), q_heads), table, "score", titled("scaled scores")),
        Stage(
            named("masked"),
            lambda controls: attention.causal_mask(bool(controls["causal"])),
            (named("scaled"),),
            table,
            "score",
            titled("masked scores"),
        ),
        Stage(named("weights"), attention.softmax(), (named("masked"),), table, "weight", titled("attention weights")),
        Stage(
            named("heads"),
            attention.mix(),
            (named("weights"), named("v_heads")),
            (query, N, D_HEAD),
            "output",
            symbol="blend",
        ),
    )
