"""What exported scripts need to draw and measure scores by themselves: plain NumPy, no part of this package.

The functions say the same as `explorer.core.javarandom`, `explorer.core.strictlog` and `explorer.core.scaling`, shorter
and slower; tests hold both to the same bits.
"""

from __future__ import annotations

from typing import Final

DRAWS: Final = '''\
def strict_log(x):
    """The logarithm of numbers between 0 and 1 as Java's StrictMath rounds it (fdlibm)."""
    bits = x.view(np.int64)
    high = (bits >> 32) & 0xFFFFF
    carry = (high + 0x95F64) & 0x100000
    k = ((bits >> 52) - 1023 + (carry >> 20)).astype(float)
    f = (((high | (carry ^ 0x3FF00000)) << 32) | (bits & 0xFFFFFFFF)).view(float) - 1.0
    s = f / (2.0 + f)
    z = s * s
    w = z * z
    odd = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01))
    even = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01
                + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)))
    rest, half = even + odd, 0.5 * f * f
    ln2_high, ln2_low = 6.93147180369123816490e-01, 1.90821492927058770002e-10
    banded = k * ln2_high - ((half - (s * (half + rest) + k * ln2_low)) - f)
    plain = k * ln2_high - ((s * (f - rest) - k * ln2_low) - f)
    tiny = k * ln2_high - ((f * f * (0.5 - 0.33333333333333333 * f) - k * ln2_low) - f)
    found = np.where(((high - 0x6147A) | (0x6B851 - high)) > 0, banded, plain)
    return np.where(((high + 2) & 0xFFFFF) < 3, tiny, found)


def java_gaussians(seed):
    """Yield what java.util.Random(seed).nextGaussian() returns, in arrays."""
    steps, mask = 4 * 16384, 2**64 - 1
    a, c = np.empty(steps, np.uint64), np.empty(steps, np.uint64)
    factor, added = 1, 0
    for step in range(steps):  # the state after so many steps is factor * state + added
        factor, added = factor * 0x5DEECE66D & mask, (added * 0x5DEECE66D + (0xB << 16)) & mask
        a[step], c[step] = factor, added
    state = np.uint64(((seed ^ 0x5DEECE66D) & (2**48 - 1)) << 16)  # 48 bits in the upper part of 64
    while True:
        words = (a * state + c).reshape(-1, 4)
        state = words[-1, 3]
        upper, lower = words[:, 0::2] >> np.uint64(38), words[:, 1::2] >> np.uint64(37)
        points = 2.0 * (((upper << np.uint64(27)) + lower).astype(float) * 2.0**-53) - 1.0
        radius = points[:, 0] * points[:, 0] + points[:, 1] * points[:, 1]
        points, radius = points[(radius < 1) & (radius != 0)], radius[(radius < 1) & (radius != 0)]
        yield (points * np.sqrt(-2.0 * strict_log(radius) / radius)[:, None]).ravel()


def draw_scores(head_sizes, pairs, trials, keys, seed):
    """Draw q.k of standard normal q and k, number by number, for each head size in turn."""
    blocks, left = java_gaussians(int(seed)), np.zeros(0)
    count, rows = int(pairs) + int(trials) * int(keys), []
    for width in head_sizes.ravel().astype(int):
        row = []
        at_once = max(1, 65536 // width)
        for first in range(0, count, at_once):
            wanted = 2 * width * min(at_once, count - first)
            parts = [left]
            while sum(part.size for part in parts) < wanted:
                parts.append(next(blocks))
            numbers = np.concatenate(parts)
            numbers, left = numbers[:wanted], numbers[wanted:]
            products = (numbers[0::2] * numbers[1::2]).reshape(-1, width)
            row.append(np.add.accumulate(products, axis=-1)[:, -1])
        rows.append(np.concatenate(row))
    return np.array(rows)
'''

POWERS: Final = '''\
def powers(draws, head_sizes, pairs, keys, d_model):
    """What softmax divides by its sum, of scores divided by 1, root of d, d, root of d_model; keys come first."""
    rows = draws[:, int(pairs):].reshape(draws.shape[0], -1, int(keys))
    d = head_sizes[:, 0]
    by = np.stack([np.ones_like(d), np.sqrt(d), d, np.full_like(d, np.sqrt(float(d_model)))], axis=-1)
    scores = np.ascontiguousarray(np.moveaxis(rows, -1, 0))[:, :, None, :] / by[:, :, None]
    return np.exp(scores - scores.max(axis=0))
'''

LARGEST: Final = """\
def largest_weights(draws, head_sizes, pairs, keys, d_model):
    tops = 1.0 / sum(powers(draws, head_sizes, pairs, keys, d_model))  # the largest power is 1
    return np.add.accumulate(tops, axis=-1)[..., -1] / tops.shape[-1]
"""

NORMS: Final = """\
def jacobian_norms(draws, head_sizes, pairs, keys, d_model):
    w = powers(draws, head_sizes, pairs, keys, d_model)
    w = w / sum(w)
    squares, diagonal = w * w, w * (1.0 - w)
    below = sum(squares[key] * sum(squares[:key]) for key in range(1, len(w)))
    return np.sqrt(sum(diagonal * diagonal) + 2.0 * below)
"""
