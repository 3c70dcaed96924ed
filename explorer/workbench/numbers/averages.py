"""Examples 1 to 3: mixing vectors by fixed, by equal and by computed attention weights."""

from __future__ import annotations

import numpy as np

from explorer.core import lesson
from explorer.core.ops import attention as ops
from explorer.core.similarity import Cosine, cosine
from explorer.workbench.javaformat import array_text, double_text, fixed
from explorer.workbench.numbers.report import Example, Floats, Group, build, exponentials, held_single, single


def context() -> Example:
    """Compute Example 1: one word, mixed half and half with either of two neighbours."""
    words = {word: held_single(vector) for word, vector in lesson.EMBEDDINGS.items()}
    own, neighbours = words[lesson.AMBIGUOUS_WORD], lesson.NEIGHBOURS
    share = lesson.OWN_SHARE
    letters = dict(zip("AB", neighbours, strict=True))
    mixed = {
        letter: ops.mix().apply(np.array([[share, 1.0 - share]]), np.stack([own, words[word]]))[0]
        for letter, word in letters.items()
    }
    cosines = {
        f"{left}_{right}": cosine(mixed[left], words[word]) for left in letters for right, word in letters.items()
    }
    lines = [f"{lesson.AMBIGUOUS_WORD} in '{word} {lesson.AMBIGUOUS_WORD}' : {array_text(own)}" for word in neighbours]
    lines += [f"after mixing with {word}: {array_text(mixed[letter])}" for letter, word in letters.items()]
    lines += [
        ", ".join(
            f"cosine({left_word}-{lesson.AMBIGUOUS_WORD}, {right_word}) = "
            f"{fixed(single(cosines[f'{left}_{right}'].value).item(), 2)}"
            for right, right_word in letters.items()
        )
        for left, left_word in letters.items()
    ]
    return build(
        1,
        {"embeddings": {word: single(vector) for word, vector in words.items()}},
        {"half_a": single(share), "cosine_parts": {pair: _parts(found) for pair, found in cosines.items()}},
        {
            **{f"with_{letter}": single(vector) for letter, vector in mixed.items()},
            **{f"cosine_{pair}": single(found.value) for pair, found in cosines.items()},
        },
        lines,
    )


def _parts(found: Cosine) -> Group:
    return {
        "dot": single(found.dot),
        "norm2_a": single(found.squared_norm_a),
        "norm2_b": single(found.squared_norm_b),
        "norm2_product": single(found.product),
        "sqrt": found.root,
        "sqrt_float": single(found.root),
    }


def _equal_weights(n: int) -> Floats:
    """Return attention weights of equal scores: 1 / (i + 1) for the tokens that query i may look at."""
    return np.asarray(ops.softmax().apply(ops.causal_mask().apply(np.zeros((n, n)))), np.float64)


def uniform_average() -> Example:
    """Compute Example 2: the average of every vector with those before it."""
    x = held_single(lesson.VECTORS)
    weights = _equal_weights(len(x))
    averages = ops.mix().apply(weights, x)
    terms = [single(weights[i, : i + 1, None] * x[: i + 1]) for i in range(len(x))]
    lines = [
        f"position {i}: average of {i + 1} vector(s) = {array_text(average)}"
        for i, average in enumerate(averages.tolist())
    ]
    return build(2, {"x": single(x)}, {"terms": terms}, {"averages": single(averages)}, lines)


def weighted_average() -> Example:
    """Compute Example 3: the last vector mixed with all, by the softmax of its dot products with them."""
    x = held_single(lesson.VECTORS)
    i = len(x) - 1
    scores = ops.scores().apply(x[i:], x)
    masked = ops.causal_mask().apply(scores)
    weights = ops.softmax().apply(masked)
    mixed = ops.mix().apply(weights, x)[0]
    powers, sums = exponentials(masked)
    uniform = ops.mix().apply(_equal_weights(len(x)), x)[i]
    lines = [
        f"scores  = {array_text(scores[0].tolist(), double_text)}",
        f"weights = {' '.join(fixed(weight, 3) for weight in weights[0].tolist())}",
        f"mixed   = {array_text(mixed)}   (uniform average was {array_text(uniform)})",
    ]
    return build(
        3,
        {"x": single(x), "i": i},
        {
            "raw_scores": scores[0],
            "exp_scores": powers[0],
            "exp_sum": sums[0],
            "terms": single(weights[0, :, None] * x),
        },
        {"scores": masked[0], "weights": weights[0], "mixed": single(mixed)},
        lines,
    )
