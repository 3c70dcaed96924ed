"""Attention as a reader would write it down: one cell at a time, in Python floats. The tests' oracle."""

from __future__ import annotations

import math

import numpy as np


def plain_attention(
    q, k, v, *, causal=False, mask=None, bias=None, scale=None, softcap=None, window=None, q_offset=None
):
    """Return (masked scores, weights, output) as float64, computed without a single array operation."""
    n_head, n_q, d_k = q.shape
    n_head_kv, n_k, d_v = v.shape
    offset = n_k - n_q if q_offset is None else q_offset
    allowed = None if mask is None else np.broadcast_to(mask, (n_head, n_q, n_k))
    added = None if bias is None else np.broadcast_to(bias, (n_head, n_q, n_k))
    masked = np.full((n_head, n_q, n_k), -np.inf)
    weights = np.zeros((n_head, n_q, n_k))
    output = np.zeros((n_head, n_q, d_v))
    for h in range(n_head):
        g = h // (n_head // n_head_kv)
        for i in range(n_q):
            p = i + offset
            for j in range(n_k):
                if causal and j > p:
                    continue
                if window is not None and (p - j if causal else abs(p - j)) >= window:
                    continue
                if allowed is not None and not allowed[h, i, j]:
                    continue
                score = math.fsum(float(q[h, i, c]) * float(k[g, j, c]) for c in range(d_k))
                score *= 1 / math.sqrt(d_k) if scale is None else scale
                if softcap is not None:
                    score = softcap * math.tanh(score / softcap)
                if added is not None:
                    score += float(added[h, i, j])
                masked[h, i, j] = score
            peak = max(masked[h, i], default=-math.inf)
            if peak == -math.inf:
                continue
            exponentials = [math.exp(score - peak) for score in masked[h, i]]
            total = math.fsum(exponentials)
            weights[h, i] = [e / total for e in exponentials]
            for c in range(d_v):
                output[h, i, c] = math.fsum(float(w) * float(x) for w, x in zip(weights[h, i], v[g, :, c], strict=True))
    return masked, weights, output
