"""What the command line accepts: the verbs, their options, and how a size or a count is written.

argparse alone, no NumPy and no Qt: this much must answer at once. What the verbs do is in ``cli``.
"""

import argparse
import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

from explorer import __version__

PROGRAM = "attention-explorer"
WRONG_USAGE = 2

THEMES = ("light", "dark", "contrast")
PICTURES = ("png", "svg")
EXPORTS = (*PICTURES, "csv", "npz", "py")


class Verb(NamedTuple):
    """One line of the help, and what declares the options."""

    summary: str
    declare: Callable[[argparse.ArgumentParser], None]


def verb_of(argv: Sequence[str]) -> str | None:
    """Return the verb of a command line, None if it opens the window."""
    return argv[0] if argv and argv[0] in VERBS else None


def verb_parser(name: str) -> argparse.ArgumentParser:
    """Return the parser of one verb's arguments."""
    verb = VERBS[name]
    description = f"{verb.summary[0].upper()}{verb.summary[1:]}."
    parser = _Parser(prog=f"{PROGRAM} {name}", description=description, allow_abbrev=False)
    verb.declare(parser)
    return parser


def window_parser() -> argparse.ArgumentParser:
    """Return the parser of a command line without a verb."""
    verbs = "\n".join(f"  {name:<9} {verb.summary}" for name, verb in VERBS.items())
    parser = _Parser(
        prog=PROGRAM,
        usage=f"{PROGRAM} [FILE] [--tab NAME] [--present] [OPTIONS]\n       {PROGRAM} VERB [OPTIONS]",
        description="See self-attention compute. Without a verb: open the window.",
        epilog=f"verbs (each explains itself with --help, and none needs a display):\n{verbs}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE", nargs="?", help="a session to open")
    parser.add_argument("--tab", metavar="NAME", help="the tab in front: its name or number")
    parser.add_argument("--present", action="store_true", help="start in presentation mode")
    parser.add_argument("--reset-settings", action="store_true", help="forget what the window remembered")
    parser.add_argument("--smoke", action="store_true", help="try everything once, without a display, and say so")
    parser.add_argument("--exit-after-first-paint", action="store_true", help="start, show the front tab, end")
    parser.add_argument("--version", action="version", version=f"{PROGRAM} {__version__}")
    return parser


def named_value(text: str) -> tuple[str, Any]:
    """Split NAME=JSON.

    Raises
    ------
    ValueError
        If there is no "=", no name before it or no JSON after it.
    """
    name, equals, value = text.partition("=")
    if not equals or not name:
        lacks = "name before its '='" if equals else "'='"
        raise ValueError(f"--set {text!r} has no {lacks}; write it like --set x=[[1,2],[3,4]]")
    try:
        return name, json.loads(value, parse_constant=_no_json, parse_int=_whole)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"--set {name}: {value[:60]!r} is not JSON ({error}); write it like [[1,2],[3,4]]") from None


def _whole(digits: str) -> int | float:
    # Python refuses to read thousands of digits as a whole number; as a float they are infinite, which no cell takes.
    return int(digits) if len(digits) <= 400 else float(digits)


def _no_json(word: str) -> NoReturn:
    raise ValueError(f'{word} is not JSON; minus infinity is written "-Infinity"')


def _size(text: str) -> tuple[int, int]:
    width, cross, height = text.lower().replace("×", "x").partition("x")
    if not cross or not (width.isdecimal() and height.isdecimal()):
        raise argparse.ArgumentTypeError(f"{text!r} is not a size; write it like 1280x720")
    if not (320 <= int(width) <= 16384 and 200 <= int(height) <= 16384):
        raise argparse.ArgumentTypeError(f"{text} is out of range; 320x200 to 16384x16384 can be drawn")
    return int(width), int(height)


def _percent(text: str) -> int:
    digits = text.removesuffix("%").strip()
    if not digits.isdecimal() or not 80 <= int(digits) <= 300:
        raise argparse.ArgumentTypeError(f"{text!r} is not a scale; whole percents from 80 to 300 are")
    return int(digits)


def _count(text: str) -> int:
    """Read a whole number ≥ 1; 4096, 4_096 and 8e9 are the same to a person, so they are here."""
    try:
        number = int(text)
    except ValueError:
        try:
            approximate = float(text)
        except ValueError:
            approximate = math.nan
        if not approximate.is_integer():
            raise argparse.ArgumentTypeError(f"{text!r} is not a whole number") from None
        number = int(approximate)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is less than 1")
    return number


def _declare_numbers(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("number", metavar="N", type=int, help="the example, 1 to 13")
    parser.add_argument("--json", action="store_true", help="every intermediate at full precision")


def _declare_render(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--tab", metavar="NAME|all", help="a tab's name or number (default: all, or a session's front tab)"
    )
    parser.add_argument("--size", metavar="WxH", type=_size, default=(1280, 720), help="in pixels (default: 1280x720)")
    parser.add_argument("--theme", choices=THEMES, default=THEMES[0], help="default: light")
    parser.add_argument("--scale", metavar="PERCENT", type=_percent, default=100, help="80 to 300 (default: 100)")
    parser.add_argument("--present", action="store_true", help="as in presentation mode")
    parser.add_argument("--session", metavar="FILE", type=Path, help="draw this session, not the lesson's values")
    parser.add_argument("--out", metavar="DIR", type=Path, required=True, help="the folder for NN-name.png")


def _declare_cost(parser: argparse.ArgumentParser) -> None:
    from explorer.models import costing_options

    costing_options.add_arguments(parser, _count)


def _declare_new(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--tab", metavar="NAME", help="the tab in front (default: the first)")
    parser.add_argument(
        "--set", metavar="NAME=JSON", action="append", default=[], help="replace an input or a control; may be repeated"
    )
    parser.add_argument("--out", metavar="FILE", type=Path, required=True, help="the session to write, an .attn file")


def _declare_compute(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a session")
    parser.add_argument("--json", action="store_true", help='{"arrays": {name: nested lists}} at full precision')


def _declare_export(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", metavar="FILE", type=Path, help="a session")
    parser.add_argument(
        "--to", choices=EXPORTS, required=True, help="pictures: png, svg; numbers: csv, npz; a script: py"
    )
    parser.add_argument("--out", metavar="PATH", type=Path, required=True)


def _declare_bench(parser: argparse.ArgumentParser) -> None:
    from explorer.ui.bench_parts import PARTS

    parser.add_argument("--json", action="store_true", help="medians and ratios of this machine")
    parts = ", ".join(PARTS)
    parser.add_argument("--only", metavar="PART", action="append", choices=PARTS, help=f"of {parts}; repeatable")


VERBS = {
    "numbers": Verb("print the numbers of one of the lesson's examples", _declare_numbers),
    "render": Verb("draw tabs as PNG pictures", _declare_render),
    "cost": Verb("say what a model's attention costs in bytes and FLOPs", _declare_cost),
    "new": Verb("write a session with values of your own", _declare_new),
    "compute": Verb("compute a session's front tab", _declare_compute),
    "export": Verb("write a session's front tab as pictures, numbers or a script", _declare_export),
    "bench": Verb("measure the application on this machine", _declare_bench),
}


class _Parser(argparse.ArgumentParser):
    """An argparse parser whose errors name the way to the help."""

    def error(self, message: str) -> NoReturn:
        self.exit(WRONG_USAGE, f"{self.prog}: {message}; see '{self.prog} --help'\n")
