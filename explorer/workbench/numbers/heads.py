"""Examples 9 and 13: two heads side by side, and a head built by hand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from explorer.core import lesson
from explorer.core.heads import multi_head, parameter_count
from explorer.workbench.javaformat import fixed
from explorer.workbench.numbers.report import Example, Group, build, rows_of, single
from explorer.workbench.numbers.single_head import stages

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from explorer.core.heads import HeadsTrace

_N_HEAD = 2


def _side_by_side(heads: NDArray[Any]) -> NDArray[Any]:
    """Return (n_head, n, d) as (n, n_head · d), as before the split into heads."""
    return np.hstack(list(heads))


def _head(trace: HeadsTrace, head: int) -> Group:
    width = trace.q.shape[2]
    return {
        "columns": [head * width, (head + 1) * width],
        **stages(trace.attention, head),
        "weights": trace.attention.weights[head],
        "head_output": single(trace.attention.output[head]),
    }


def multi_head_attention() -> Example:
    """Compute Example 9: two heads, concatenated and projected."""
    arrays = lesson.multi_head_inputs(n_head=_N_HEAD)
    n, d_model = arrays["x"].shape
    trace = multi_head(*arrays.values(), n_head=_N_HEAD)
    concat, output = single(trace.concat), single(trace.output)
    last = trace.attention.weights[:, -1]
    parameters = parameter_count(d_model, _N_HEAD)
    lines = [
        f"head {head} weights of the last position: {' '.join(fixed(weight, 3) for weight in row)}"
        for head, row in enumerate(last.tolist())
    ]
    lines += [
        f"concatenated: {concat.shape[0]} x {concat.shape[1]}, after Wo: {output.shape[0]} x {output.shape[1]}",
        f"parameters in Wq, Wk, Wv, Wo: {parameters}",
    ]
    return build(
        9,
        {
            "seed": lesson.MULTI_HEAD_SEED,
            "n": n,
            "d_model": d_model,
            "n_head": _N_HEAD,
            "d_head": trace.q.shape[2],
            "scale": lesson.DRAW_SCALE,
        },
        {
            **{name: single(array) for name, array in arrays.items()},
            **{name: single(_side_by_side(getattr(trace, name))) for name in "qkv"},
            **{f"head{head}": _head(trace, head) for head in range(_N_HEAD)},
            "concat": concat,
        },
        {"last_row_weights": last, "concat": concat, "out": output, "parameters": parameters},
        lines,
    )


def previous_token_head() -> Example:
    """Compute Example 13: a head that looks at the token before, with matrices set by hand."""
    slots, sharpness = 4, 10.0
    arrays = lesson.previous_token_inputs(slots, sharpness)
    trace = multi_head(*arrays.values(), n_head=1).attention
    content = single(lesson.VECTORS)
    weights, output = single(trace.weights[0]), single(trace.output[0])
    lines = ["attention weights:", *rows_of(weights, 3, 8)]
    lines += [
        f"position {i}: own content ({', '.join(fixed(cell, 0) for cell in own)})"
        f" -> output ({', '.join(fixed(cell, 2) for cell in mixed)})"
        for i, (own, mixed) in enumerate(zip(content.tolist(), output.tolist(), strict=True))
    ]
    tables = stages(trace)
    return build(
        13,
        {"n": len(content), "slots": slots, "sharpness": single(sharpness), "content": content},
        {
            **{name: single(array) for name, array in arrays.items()},
            **{name: single(getattr(trace, name)[0]) for name in "qkv"},
            "raw_scores": tables.pop("raw_scores"),
            "sqrt_d_head": math.sqrt(slots),
            **tables,
            "weights_before_float_cast": trace.weights[0],
        },
        {"weights": weights, "outputs": output},
        lines,
    )
