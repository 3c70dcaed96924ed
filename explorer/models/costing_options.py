"""What the verb ``cost`` accepts beyond its shape, as argparse arguments.

Apart from `explorer.models.costing` so that a command line can say what it accepts without importing any arithmetic.
The names must be those that `costing.report` takes; a test holds the two together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable

CACHE_TYPES: Final = ("f32", "f16", "bf16", "fp8", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
PAIRS: Final = ("causal", "square")
ROUNDINGS: Final = ("none", "llama.cpp", "vllm")
HEADS: Final = ("all", "last")

SIZES: Final = {
    "n-layer": "layers",
    "n-head-kv": "KV heads",
    "head-dim": "size of a head",
    "n-head": "query heads",
    "d-model": "width of the model",
    "params": "parameters",
    "params-active": "parameters that one token uses",
    "head-dim-v": "size of a value head, if it differs",
    "window": "tokens that a window layer sees",
    "window-layers": "how many layers have the window (default: all)",
    "latent": "width of MLA's compressed vector",
    "rope": "width of MLA's rotated key",
}


def add_arguments(parser: argparse.ArgumentParser, count: Callable[[str], int] = int) -> None:
    """Add SHAPE and every option of the verb to a parser; `count` reads a number of tokens or heads."""
    parser.add_argument(
        "shape",
        metavar="SHAPE",
        help="a config.json, a .gguf, a name of the catalogue, or 'custom' with the sizes below",
    )
    parser.add_argument(
        "--context", metavar="N", type=count, help="tokens, the new one included (default: the model's)"
    )
    parser.add_argument("--cache-type", choices=CACHE_TYPES, default="f16", help="default: f16")
    parser.add_argument("--cache-type-v", choices=CACHE_TYPES, help="default: as --cache-type")
    parser.add_argument("--batch", metavar="B", type=count, default=1, help="sequences at a time (default: 1)")
    parser.add_argument("--pairs", choices=PAIRS, default="causal", help="pairs of tokens counted (default: causal)")
    parser.add_argument("--head", choices=HEADS, default="all", help="tokens that the head runs for in prefill")
    parser.add_argument("--rounding", choices=ROUNDINGS, default="none", help="whose allocation (default: none)")
    parser.add_argument("--ubatch", metavar="N", type=count, default=512, help="llama.cpp's micro-batch")
    parser.add_argument("--unified", action="store_true", help="llama.cpp: one cache for all sequences")
    parser.add_argument("--expand-latent", action="store_true", help="cache MLA's full keys and values, to compare")
    parser.add_argument("--json", action="store_true", help="every figure, with layers and notes")
    custom = parser.add_argument_group("sizes of 'custom'")
    for name, meaning in SIZES.items():
        custom.add_argument(f"--{name}", metavar="N", type=count, help=meaning)
