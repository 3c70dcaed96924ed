"""Examples 4 and 6 to 8: one head, from its projections to the whole computation in two precisions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core import lesson
from explorer.core.attention import attend
from explorer.core.heads import multi_head
from explorer.core.ops import attention as ops
from explorer.workbench.javaformat import fixed
from explorer.workbench.numbers.report import Example, Group, build, exponentials, rows_of, single

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.core.attention import Trace

# Example 8 asks whether both precisions agree to this.
_AGREEMENT = 1e-6


def _drawn() -> tuple[Group, Group, dict[str, NDArray[np.float64]]]:
    """Return the reported inputs of Examples 4, 7 and 8, the reported matrices, and the matrices to compute with."""
    arrays = lesson.full_attention_inputs()
    (n, d_model), d_head = arrays["x"].shape, arrays["Wq"].shape[1]
    sizes = {"seed": lesson.SINGLE_HEAD_SEED, "n": n, "d_model": d_model, "d_head": d_head, "scale": lesson.DRAW_SCALE}
    return sizes, {name: single(array) for name, array in arrays.items()}, arrays


def query_key_value() -> Example:
    """Compute Example 4: queries, keys and values of four tokens, and two scores that differ."""
    sizes, reported, arrays = _drawn()
    q, k, v = (ops.project().apply(arrays["x"], arrays[name]) for name in ("Wq", "Wk", "Wv"))
    scores = single(ops.scores().apply(q, k))
    projections = {"q": single(q), "k": single(k), "v": single(v)}
    lines = [
        f"{name}{i} ={row}"
        for name, matrix in projections.items()
        for i, row in enumerate(rows_of(matrix, 2, 6, lead=" "))
    ]
    asked = [(2, 1), (1, 2)]
    lines.append(", ".join(f"score({i} asks {j}) = q{i}.k{j} = {fixed(scores[i, j].item(), 3)}" for i, j in asked))
    return build(
        4,
        sizes,
        {**reported, "raw_scores": scores},
        {**projections, **{f"score_{i}_asks_{j}": scores[i, j] for i, j in asked}},
        lines,
    )


def causal_mask() -> Example:
    """Compute Example 6: a table of scores, masked above the diagonal, and its softmax."""
    sizes = {"n": 4, "i_factor": 3, "j_factor": 5, "mod": 4}
    scores = lesson.causal_mask_scores(*sizes.values())
    masked = ops.causal_mask().apply(scores)
    weights = ops.softmax().apply(masked)
    powers, sums = exponentials(masked)
    lines = ["raw scores:", *rows_of(scores, 3, 9), "after the mask:", *rows_of(masked, 3, 9)]
    lines += ["weights (softmax per row):", *rows_of(weights, 3, 9)]
    return build(
        6,
        sizes,
        {"raw_scores": scores, "masked_scores": masked, "exp_scores": powers, "row_sums": sums},
        {"weights": weights},
        lines,
    )


def stages(trace: Trace, head: int = 0) -> Group:
    """Return the tables between q·k and the attention weights of one head, by the names of the reports."""
    powers, sums = exponentials(trace.masked[head])
    return {
        "raw_scores": trace.scores[head],
        "scaled_scores": trace.scaled[head],
        "masked_scores": trace.masked[head],
        "exp_scores": powers,
        "row_sums": sums,
    }


def _position_lines(output: NDArray[Any]) -> list[str]:
    return [f"position {i}:{row}" for i, row in enumerate(rows_of(output, 3, 7, lead=" "))]


def full_attention() -> Example:
    """Compute Example 7: one head from x to its output."""
    sizes, reported, arrays = _drawn()
    trace = multi_head(*arrays.values(), n_head=1).attention
    tables = stages(trace)
    weights, output = single(trace.weights[0]), single(trace.output[0])
    lines = ["attention weights (row = asking position, column = position looked at):", *rows_of(weights, 3, 8)]
    lines += ["outputs:", *_position_lines(output)]
    return build(
        7,
        sizes,
        {
            **reported,
            "q": single(trace.q[0]),
            "k": single(trace.k[0]),
            "v": single(trace.v[0]),
            "raw_scores": single(tables.pop("raw_scores")),
            "sqrt_d_head": math.sqrt(sizes["d_head"]),
            **tables,
            "weights_before_float_cast": trace.weights[0],
        },
        {"weights": weights, "outputs": output},
        lines,
    )


def matrix_form() -> Example:
    """Compute Example 8: the same head in float32 throughout, compared with float64."""
    sizes, reported, arrays = _drawn()
    trace = multi_head(*(array.astype(np.float32) for array in arrays.values()), n_head=1).attention
    q, k, v, output = trace.q[0], trace.k[0], trace.v[0], trace.output[0]
    row_max = trace.masked[0].max(axis=-1)
    powers, sums = exponentials(trace.masked[0] - row_max[:, None])

    wide = attend(*(array.astype(np.float64) for array in (trace.q, trace.k, trace.v)), causal=True)
    wide_powers, wide_sums = exponentials(wide.masked[0])
    difference = float(np.abs(wide.output[0] - output).max())
    agree = difference < _AGREEMENT
    lines = [*_position_lines(output), f"largest difference to the loop version below 1e-6: {str(agree).lower()}"]
    return build(
        8,
        sizes,
        {
            **reported,
            "q": q,
            "k": k,
            "v": v,
            "k_transposed": k.T,
            "raw_scores": trace.scores[0],
            "sqrt_d_head_float": single(math.sqrt(sizes["d_head"])),
            "scaled_scores": trace.scaled[0],
            "masked_scores": trace.masked[0],
            "row_max": row_max,
            "exp_scores": powers,
            "row_sums": sums,
            "loop_dots_lower": np.where(wide.visible[0], wide.scores[0], 0.0),
            "loop_exp_lower": wide_powers,
            "loop_row_sums": wide_sums,
            "loop_outputs": wide.output[0],
        },
        {
            "attention_matrix": trace.weights[0],
            "outputs": output,
            "max_diff_to_loop": difference,
            "below_1e-6": agree,
        },
        lines,
    )
