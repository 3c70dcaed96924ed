"""One BLAS thread while small matrices are multiplied.

OpenBLAS splits each product among its own threads, which spin while they wait. On matrices the size of one attention
head that costs far more than it brings (32 heads over 128 tokens on two cores: 5.6 ms against 1.6), and together with
threads of our own it is a disaster (24 ms). Starting the program with one thread avoids it only when nobody imported
NumPy before, so the computation asks for one thread itself and gives the others back.

Where NumPy was built with another library, or the platform hides its symbols, nothing happens and the caller is told.
"""

from __future__ import annotations

import ctypes
import threading
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PREFIXES = ("scipy_openblas", "openblas")
SUFFIXES = ("64_", "")


@cache
def _controls() -> tuple[Callable[[], int], Callable[[int], None]] | None:
    """Return OpenBLAS's functions that get and set its number of threads, or None."""
    try:
        # The symbols of a library that NumPy's own extension module was linked against are found through that module.
        library = ctypes.CDLL(np._core._multiarray_umath.__file__)  # type: ignore[attr-defined]
    except (AttributeError, OSError):
        return None
    for prefix in PREFIXES:
        for suffix in SUFFIXES:
            try:
                getter = library[f"{prefix}_get_num_threads{suffix}"]
                setter = library[f"{prefix}_set_num_threads{suffix}"]
            except AttributeError:
                continue
            getter.argtypes, getter.restype = [], ctypes.c_int
            setter.argtypes, setter.restype = [ctypes.c_int], None
            return getter, setter
    return None


class _Guard:
    """Count who needs one thread, because the setting belongs to the whole process."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.users = 0
        self.before = 1

    def enter(self, get: Callable[[], int], put: Callable[[int], None]) -> None:
        with self.lock:
            if self.users == 0:
                self.before = get()
                if self.before != 1:
                    put(1)
            self.users += 1

    def leave(self, put: Callable[[int], None]) -> None:
        with self.lock:
            self.users -= 1
            if self.users == 0 and self.before != 1:
                put(self.before)


_guard = _Guard()


@contextmanager
def one_thread() -> Iterator[bool]:
    """Hold BLAS to one thread; yield whether it obeys, so that threads of our own are welcome."""
    controls = _controls()
    if controls is None:
        yield False
        return
    get, put = controls
    _guard.enter(get, put)
    try:
        yield True
    finally:
        _guard.leave(put)
