"""Keeping a fault inside Python: what a Qt override raises must never reach Qt.

PySide ends the process when an exception that comes straight from C code (an IndexError of NumPy, say) leaves an
override such as `paintEvent` on Python 3.11. A guarded override hands it to `sys.excepthook` instead, where the app
says a sentence and the tests fail.
"""

from __future__ import annotations

import functools
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType

Override = TypeVar("Override", bound="Callable[..., Any]")
DEBUG_VARIABLE = "ATTENTION_EXPLORER_DEBUG"
SENTENCE = "Something went wrong inside the app ({what}). Your numbers are untouched; undo still works."


def guarded(override: Override) -> Override:
    """Decorate a Qt override so that what it raises goes to `sys.excepthook`."""

    @functools.wraps(override)
    def call(*arguments: Any) -> Any:
        try:
            return override(*arguments)
        except Exception as error:  # noqa: BLE001 - whatever it is, it must not reach Qt
            sys.excepthook(type(error), error, error.__traceback__)
            return None

    return call  # type: ignore[return-value]


def say_faults(say: Callable[[str], object]) -> None:
    """From now on, tell unexpected errors as a sentence; the traceback is for whoever sets the debug variable."""

    def hook(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        if issubclass(kind, KeyboardInterrupt) or os.environ.get(DEBUG_VARIABLE):
            traceback.print_exception(kind, error, where)
        say(SENTENCE.format(what=f"{kind.__name__}: {error}" if str(error) else kind.__name__))

    sys.excepthook = hook
