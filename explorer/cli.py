"""The command line: which room does the work of each verb, and what becomes of its errors.

Nothing is computed or drawn here; what the verbs accept is in ``arguments``. Each verb imports its room when it runs,
so that ``--help`` and ``--version`` answer before NumPy or Qt would even be found. ``main`` may be called again and
again in one process: it writes to whatever ``sys.stdout`` and ``sys.stderr`` are at that moment and returns the exit
status instead of ending anything.

Exit status: 0 done; 1 the input is at fault, told in one line on stderr; 2 wrong usage.
"""

import argparse
import contextlib
import gc
import json
import math
import os
import sys
from collections.abc import Iterable, Sequence
from pathlib import Path

from explorer.arguments import PICTURES, PROGRAM, VERBS, named_value, verb_of, verb_parser, window_parser

DEBUG_VARIABLE = "ATTENTION_EXPLORER_DEBUG"
DONE, AT_FAULT, INTERRUPTED = 0, 1, 130

#: What stands for signs that an output cannot write.
PLAIN_SIGNS = str.maketrans({"−": "-", "×": "x", "÷": "/", "·": "*", "∞": "inf", "√": "sqrt ", "…": "..."})

# Two threads make the small products of a lesson slower than one: the handing over costs more than the multiplying.
BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command line and return its exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments without the program's name; those of the process if omitted.

    Returns
    -------
    int
        0 done, 1 the input is at fault, 2 wrong usage.
    """
    with contextlib.ExitStack() as streams:
        # There is none in a program of windows, or where the caller has closed it; what writes need not know.
        for name, redirected in (("stdout", contextlib.redirect_stdout), ("stderr", contextlib.redirect_stderr)):
            if getattr(sys, name) is None:
                nowhere = streams.enter_context(Path(os.devnull).open("w", encoding="utf-8"))
                streams.enter_context(redirected(nowhere))
        return _run(list(sys.argv[1:] if argv is None else argv))


def _run(argv: list[str]) -> int:
    try:
        status = _status_of(argv)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:  # `| head` has read enough
        _discard_unwritten()
        return DONE
    except Exception as error:  # noqa: BLE001 - the last guard: whatever happened, the user reads a sentence
        _tell(error)
        _discard_unwritten()
        return AT_FAULT
    return status


def pictures_instead(argv: Sequence[str], folder: Path) -> list[str] | None:
    """Translate a call that opens a window into one that draws the same as pictures.

    Parameters
    ----------
    argv : sequence of str
        The arguments without the program's name.
    folder : Path
        Where the pictures go.

    Returns
    -------
    list of str or None
        The arguments of a ``render`` call, or None if ``argv`` needs no display.
    """
    needs_no_display = {"-h", "--help", "--version", "--smoke", "--exit-after-first-paint"}
    if verb_of(argv) is not None or needs_no_display.intersection(argv):
        return None
    asked = window_parser().parse_args(list(argv))
    arguments = ["render", "--tab", asked.tab or "all", "--out", str(folder)]
    arguments += ["--present"] if asked.present else []
    arguments += ["--session", asked.file] if asked.file else []
    return arguments


# The verbs ------------------------------------------------------------------------------------------------------------


def _numbers(arguments: argparse.Namespace) -> int:
    from explorer.workbench import numbers

    example = numbers.example(arguments.number)
    if arguments.json:
        _print_json(numbers.to_json(example))
    else:
        _print("\n".join(example.printed_lines))
    return DONE


def _render(arguments: argparse.Namespace) -> int:
    _draw_unseen()
    from explorer.ui import render

    paths = render.render(
        tab=arguments.tab,
        size=arguments.size,
        theme=arguments.theme,
        scale=arguments.scale,
        present=arguments.present,
        session=arguments.session,
        out=arguments.out,
    )
    for path in paths:
        _print(path)
    return DONE


def _cost(arguments: argparse.Namespace) -> int:
    from explorer.models import costing

    report = costing.report(arguments.shape, vars(arguments))
    if arguments.json:
        _print_json(report)
    else:
        _print(costing.describe(report))
    return DONE


def _new(arguments: argparse.Namespace) -> int:
    from explorer.workbench import documents

    values = dict(named_value(text) for text in arguments.set)
    documents.write_new(arguments.out, tab=arguments.tab, values=values)
    return DONE


def _compute(arguments: argparse.Namespace) -> int:
    from explorer.workbench import documents

    result = documents.compute(arguments.file)
    if arguments.json:
        _print_json(result)
    else:
        _print(documents.describe(result))
    return DONE


def _export(arguments: argparse.Namespace) -> int:
    if arguments.to in PICTURES:
        _draw_unseen()
        from explorer.ui import export

        paths = export.export(arguments.file, kind=arguments.to, out=arguments.out)
    else:
        from explorer.workbench import documents

        paths = documents.export(arguments.file, kind=arguments.to, out=arguments.out)
    for path in paths:
        _print(path)
    return DONE


def _bench(arguments: argparse.Namespace) -> int:
    _draw_unseen()
    from explorer.ui import bench, bench_parts

    result = bench.measure(arguments.only or bench_parts.PARTS)
    if arguments.json:
        _print_json(result)
    else:
        _print(bench.describe(result))
    return DONE


def _window(arguments: argparse.Namespace) -> int:
    if arguments.smoke:
        _draw_unseen()
        from explorer.ui import smoke

        return int(smoke.run())
    if not _has_display():
        if not arguments.exit_after_first_paint:
            raise ValueError(
                f"there is no display to open a window on; '{PROGRAM} render --tab all --out FOLDER' draws the tabs as"
                " pictures"
            )
        _draw_unseen()
    # Collecting garbage while nothing but the start has run finds none; from the first paint on a timer does it.
    gc.disable()
    try:
        from explorer import app

        return int(
            app.run_window(
                session=arguments.file,
                tab=arguments.tab,
                present=arguments.present,
                reset_settings=arguments.reset_settings,
                exit_after_first_paint=arguments.exit_after_first_paint,
            )
        )
    finally:
        gc.enable()


ROOMS = {
    "numbers": _numbers,
    "render": _render,
    "cost": _cost,
    "new": _new,
    "compute": _compute,
    "export": _export,
    "bench": _bench,
}


def _status_of(argv: list[str]) -> int:
    try:
        return _dispatch(argv)
    except SystemExit as end:  # how argparse ends after --help and after an error of usage
        return end.code if isinstance(end.code, int) else DONE


def _dispatch(argv: list[str]) -> int:
    name = verb_of(argv)
    if name is None:
        arguments = window_parser().parse_args(argv)
        _refuse_misspelt_verb(arguments.file)
    else:
        arguments = verb_parser(name).parse_args(argv[1:])
    _limit_blas_threads()
    return _window(arguments) if name is None else ROOMS[name](arguments)


def _refuse_misspelt_verb(file: str | None) -> None:
    """Treat a lone word that is no file but nearly a verb as wrong usage: 'cots' is not a session."""
    if file is None or os.sep in file or "." in file or Path(file).exists():
        return
    import difflib

    near = difflib.get_close_matches(file, VERBS, n=1)
    meant = f"did you mean '{near[0]}'?" if near else f"the verbs are {', '.join(VERBS)}"
    window_parser().error(f"{file!r} is neither a verb nor a file; {meant}")


# Talking to the outside -----------------------------------------------------------------------------------------------


def _print(text: object) -> None:
    """Print, also where the output's encoding lacks a sign: the minus of U+2212 becomes a hyphen, a name is escaped."""
    try:
        print(text)
    except UnicodeEncodeError as error:  # raised before anything is written
        print(str(text).translate(PLAIN_SIGNS).encode(error.encoding, "backslashreplace").decode(error.encoding))


def _print_json(value: object) -> None:
    print(value if isinstance(value, str) else json.dumps(_strict(value), allow_nan=False, indent=1))


def _strict(value: object) -> object:
    """Return the value with minus infinity as JSON can say it; NaN has no business in a result and is refused."""
    if isinstance(value, float):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, value)
    if isinstance(value, dict):
        return {str(key): _strict(member) for key, member in value.items()}
    if isinstance(value, list | tuple):
        return [_strict(member) for member in value]
    to_list = getattr(value, "tolist", None)  # arrays and scalars of NumPy, which is not imported here
    return value if to_list is None else _strict(to_list())


def _tell(error: Exception) -> None:
    """Say what happened in one line on stderr."""
    if os.environ.get(DEBUG_VARIABLE):
        import traceback

        traceback.print_exception(error)
    with contextlib.suppress(OSError, ValueError):  # stderr may be closed as well
        print(f"{PROGRAM}: {_sentence_of(error)}", file=sys.stderr)


def _sentence_of(error: Exception) -> str:
    said = " ".join(str(error).split())
    if isinstance(error, OSError) and error.strerror:
        # What is read or written by name carries its name; only the output has none.
        return f"{error.filename or 'the output'}: {error.strerror}"
    if isinstance(error, ImportError):
        return f"this installation is not complete ({said}); install it again"
    if isinstance(error, MemoryError):
        return "there is not enough memory for this"
    if isinstance(error, ValueError | OSError) and said:
        return said
    return (
        f"unexpected {type(error).__name__}{': ' if said else ''}{said} (a fault of the program, not yours;"
        f" {DEBUG_VARIABLE}=1 shows where)"
    )


def _discard_unwritten() -> None:
    """Send what stdout cannot write nowhere, or the interpreter would complain about it once more when it ends."""
    try:
        sys.stdout.flush()
    except (OSError, ValueError):
        with contextlib.suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)


# The process's surroundings -------------------------------------------------------------------------------------------


def _limit_blas_threads() -> None:
    if "numpy" not in sys.modules:  # it reads them once, when it is imported
        _set_unless_set(BLAS_THREADS, "1")


def _draw_unseen() -> None:
    """Let Qt draw into memory: the same pictures with and without a display, and no window flashing up.

    Only on Linux does that platform find the system's fonts.
    """
    if _is_linux():
        _set_unless_set(["QT_QPA_PLATFORM"], "offscreen")


def _has_display() -> bool:
    return not _is_linux() or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM"))


def _is_linux() -> bool:
    return os.name == "posix" and sys.platform != "darwin"


def _set_unless_set(names: Iterable[str], value: str) -> None:
    for name in names:
        os.environ.setdefault(name, value)
