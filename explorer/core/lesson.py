"""The numbers that the thirteen examples start from.

What lives here: inputs, sizes and token names of every example, as constants and as functions of their sizes and seeds.
What does not: what is computed from them, and how it is shown or printed. Tabs and the `numbers` command both take
their defaults from here, so that a tab opens on exactly the numbers that the command prints.

Random matrices are drawn as a Java program would that keeps them in 32 bits: each draw is half a gaussian, rounded to
float32. They are handed out as float64 arrays that hold those float32 values, because everything is computed in
float64. Numbers that are typed rather than drawn (0.9, 0.3, ...) are plain float64, so that a cell that shows 0.9
holds 0.9.
"""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from explorer.core.checks import QT_TRANSLATE_NOOP, InputError, as_floats, as_integer, check_axes, check_finite
from explorer.core.cost import check_sharing
from explorer.core.javarandom import JavaRandom

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

Floats: TypeAlias = NDArray[np.float64]

CONTENT_ROWS = QT_TRANSLATE_NOOP("core", "content has {found} rows; it must have one for each of the {slots} slots")


def _constant(values: ArrayLike) -> Floats:
    array = np.array(values, np.float64)
    array.flags.writeable = False
    return array


# Example 1: one vector per word; the three numbers mean, loosely, these properties.
PROPERTIES: Final = ("nature", "finance", "place")
EMBEDDINGS: Final[Mapping[str, Floats]] = MappingProxyType(
    {
        "river": _constant([0.9, 0.0, 0.3]),
        "money": _constant([0.0, 0.9, 0.1]),
        "bank": _constant([0.3, 0.3, 0.9]),
    }
)
AMBIGUOUS_WORD: Final = "bank"
NEIGHBOURS: Final = ("river", "money")
OWN_SHARE: Final = 0.5

# Examples 2, 3 and 13: four vectors of two numbers.
VECTORS: Final = _constant([[1.0, 0.0], [0.0, 1.0], [1.0, 1.0], [2.0, 0.0]])

# Examples 4, 7, 8 and 9: what a gaussian is multiplied by.
DRAW_SCALE: Final = 0.5
SINGLE_HEAD_SEED: Final = 1
MULTI_HEAD_SEED: Final = 3

# Example 12: the prompt and context lengths of its table.
COST_CONTEXTS: Final = (1024, 8192, 32768, 131072)

_WORDS: Final = tuple(
    "the cat sat down and then a small dog came over to play until it grew dark outside".split()  # noqa: SIM905
)


class ScalingSizes(NamedTuple):
    """Sizes of Example 5: how many dot products and how many rows of scores it draws for each head size."""

    seed: int = 5
    head_sizes: tuple[int, ...] = (4, 64, 1024)
    pairs: int = 2000
    trials: int = 500
    keys: int = 8


class ModelShape(NamedTuple):
    """A model as Examples 10 to 12 need it; its cache holds 16-bit numbers.

    Attributes
    ----------
    context : int
        The number of tokens that the example plans a cache for.
    params : int or None
        Parameters that every token is multiplied with, where an example counts them.
    """

    n_layer: int
    n_head: int
    n_head_kv: int
    d_head: int
    d_model: int
    context: int
    params: int | None = None
    cache_type: str = "f16"


SCALING: Final = ScalingSizes()
# Example 10 first shares 2 KV heads among 8 query heads; the tiny model has the same heads.
TINY_MODEL: Final = ModelShape(n_layer=4, n_head=8, n_head_kv=2, d_head=32, d_model=256, context=4096)
# Llama 3 8B; Example 12 rounds its parameters to 8 · 10⁹.
EIGHT_B_MODEL: Final = ModelShape(
    n_layer=32, n_head=32, n_head_kv=8, d_head=128, d_model=4096, context=8192, params=8_000_000_000
)
VARIANTS_CONTEXT: Final = 32768


def token_names(n: int) -> tuple[str, ...]:
    """Return distinct names for `n` tokens: the words of one sentence, then numbers.

    Parameters
    ----------
    n : int
        0 or more.

    Returns
    -------
    tuple of str
    """
    count = as_integer("n", n, least=0)
    return _WORDS[:count] + tuple(f"token {i}" for i in range(len(_WORDS), count))


def drawn_matrix(random: JavaRandom, rows: int, columns: int) -> Floats:
    """Draw a matrix row by row: half a gaussian per cell, rounded to float32.

    Parameters
    ----------
    random : JavaRandom
        Advanced by ``rows * columns`` gaussians.
    rows, columns : int
        0 or more.

    Returns
    -------
    ndarray of shape (rows, columns)
        float64 that holds float32 values.
    """
    rows, columns = as_integer("rows", rows, least=0), as_integer("columns", columns, least=0)
    drawn = random.gaussians(rows * columns) * DRAW_SCALE
    return drawn.astype(np.float32).astype(np.float64).reshape(rows, columns)


def resized(matrix: ArrayLike, rows: int, columns: int, seed: int) -> Floats:
    """Cut a matrix down, or continue it with draws of the lesson's kind.

    A cell that appears depends on its place and the seed alone: growing in two steps gives what growing at once gives,
    and cells that leave come back with the same numbers.

    Parameters
    ----------
    matrix : array_like of shape (m, k)
        What stays in place, as far as it fits.
    rows, columns : int
        The new shape; 0 or more.
    seed : int
        Any seed of :class:`JavaRandom`; different matrices of one example need different ones.

    Returns
    -------
    ndarray of shape (rows, columns)
        A new float64 array.

    Notes
    -----
    The draws are dealt out in square shells around cell (0, 0): shell s holds row s up to the diagonal, then column s.
    """
    given = np.asarray(as_floats("matrix", matrix), np.float64)
    check_axes("matrix", given, ("rows", "columns"))
    rows, columns = as_integer("rows", rows, least=0), as_integer("columns", columns, least=0)
    if rows <= given.shape[0] and columns <= given.shape[1]:
        return given[:rows, :columns].copy()
    side = max(rows, columns)
    i, j = np.ogrid[:rows, :columns]
    place = np.maximum(i, j) ** 2 + np.where(i >= j, j, j + 1 + i)
    result: Floats = drawn_matrix(JavaRandom(seed), 1, side * side)[0][place]
    kept = (slice(min(rows, given.shape[0])), slice(min(columns, given.shape[1])))
    result[kept] = given[kept]
    return result


def full_attention_inputs(
    seed: int = SINGLE_HEAD_SEED, n: int = 4, d_model: int = 4, d_head: int = 2
) -> dict[str, Floats]:
    """Draw the inputs of Examples 4, 7 and 8: x, Wq, Wk and Wv, in this order from one stream.

    Parameters
    ----------
    seed : int
        Any seed of :class:`JavaRandom`.
    n, d_model, d_head : int
        Tokens, width of a token's vector, width of a query, key and value.

    Returns
    -------
    dict of str to ndarray
        ``x`` (n, d_model); ``Wq``, ``Wk`` and ``Wv`` (d_model, d_head).
    """
    random = JavaRandom(seed)
    return {
        "x": drawn_matrix(random, n, d_model),
        "Wq": drawn_matrix(random, d_model, d_head),
        "Wk": drawn_matrix(random, d_model, d_head),
        "Wv": drawn_matrix(random, d_model, d_head),
    }


def causal_mask_scores(n: int = 4, i_factor: int = 3, j_factor: int = 5, modulus: int = 4) -> Floats:
    """Return the scores of Example 6: 1 + ((i_factor · i + j_factor · j) mod modulus) / 2.

    Parameters
    ----------
    n : int
        Tokens.
    i_factor, j_factor : int
        How the score changes with the query and with the key.
    modulus : int
        1 or more.

    Returns
    -------
    ndarray of shape (n, n)
    """
    modulus = as_integer("modulus", modulus, least=1)
    i, j = np.ogrid[:n, :n]
    return np.asarray(1.0 + 0.5 * ((i_factor * i + j_factor * j) % modulus), np.float64)


def multi_head_inputs(
    seed: int = MULTI_HEAD_SEED,
    n: int = 4,
    d_model: int = 8,
    *,
    n_head: int = 2,
    n_head_kv: int | None = None,
    d_head: int | None = None,
) -> dict[str, Floats]:
    """Draw the inputs of Example 9: x, Wq, Wk, Wv and Wo, in this order from one stream.

    Parameters
    ----------
    seed : int
        Any seed of :class:`JavaRandom`.
    n, d_model : int
        Tokens, width of a token's vector.
    n_head : int
        Query heads.
    n_head_kv : int, optional
        KV heads; as many as query heads unless given.
    d_head : int, optional
        Width of one head; d_model / n_head, rounded down, unless given.

    Returns
    -------
    dict of str to ndarray
        ``x`` (n, d_model); ``Wq`` (d_model, n_head · d_head); ``Wk`` and ``Wv`` (d_model, n_head_kv · d_head);
        ``Wo`` (n_head · d_head, d_model).

    Raises
    ------
    InputError
        If the query heads cannot share the KV heads evenly.
    """
    n_head = as_integer("n_head", n_head, least=1)
    n_head_kv = n_head if n_head_kv is None else as_integer("n_head_kv", n_head_kv)
    check_sharing(n_head, n_head_kv)
    d_head = d_model // n_head if d_head is None else d_head
    random = JavaRandom(seed)
    return {
        "x": drawn_matrix(random, n, d_model),
        "Wq": drawn_matrix(random, d_model, n_head * d_head),
        "Wk": drawn_matrix(random, d_model, n_head_kv * d_head),
        "Wv": drawn_matrix(random, d_model, n_head_kv * d_head),
        "Wo": drawn_matrix(random, n_head * d_head, d_model),
    }


def previous_token_inputs(
    slots: int = 4, sharpness: float = 10.0, content: ArrayLike | None = None
) -> dict[str, Floats]:
    """Build the head of Example 13, in which every token looks at the one before it.

    A token's vector is a one-hot code of its position followed by its content. The key is the position code, the query
    is `sharpness` times the code of the position before (the first position asks for itself), the value is the content.

    Parameters
    ----------
    slots : int
        Positions, which is also the number of tokens and d_head; 1 or more.
    sharpness : float
        The query's one entry that is not 0.
    content : array_like of shape (slots, n_content), optional
        The lesson's four vectors, repeated as often as needed, unless given.

    Returns
    -------
    dict of str to ndarray
        ``x`` (slots, slots + n_content); ``Wq`` and ``Wk`` (slots + n_content, slots);
        ``Wv`` (slots + n_content, n_content).

    Raises
    ------
    InputError
        If the content does not have one row of finite numbers per slot.
    """
    slots = as_integer("slots", slots, least=1)
    if content is None:
        contents = VECTORS[np.arange(slots) % len(VECTORS)]
    else:
        contents = np.asarray(as_floats("content", content), np.float64)
        check_axes("content", contents, ("slots", "n_content"))
        check_finite("content", contents)
        if len(contents) != slots:
            raise InputError(CONTENT_ROWS, found=len(contents), slots=slots)
    n_content = contents.shape[1]
    code = np.eye(slots)
    below = np.zeros((n_content, slots))
    asked = code[np.maximum(np.arange(slots) - 1, 0)]
    return {
        "x": np.hstack([code, contents]),
        "Wq": np.vstack([sharpness * asked, below]),
        "Wk": np.vstack([code, below]),
        "Wv": np.vstack([np.zeros((slots, n_content)), np.eye(n_content)]),
    }


def example_tokens(example: int) -> Sequence[str]:
    """Return the token names that an example opens with.

    Parameters
    ----------
    example : int
        1 to 13.

    Returns
    -------
    sequence of str
    """
    return (*NEIGHBOURS, AMBIGUOUS_WORD) if example == 1 else token_names(4)
