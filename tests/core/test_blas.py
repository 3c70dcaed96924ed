"""BLAS keeps to one thread while we compute, and gets the others back."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest

from explorer.core import blas
from explorer.core.attention import attend

if TYPE_CHECKING:
    from collections.abc import Iterator


class FakeBlas:
    """Two functions and a number, as OpenBLAS has them."""

    def __init__(self) -> None:
        self.threads = 4

    def get(self) -> int:
        return self.threads

    def put(self, threads: int) -> None:
        self.threads = threads


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeBlas]:
    fake = FakeBlas()
    monkeypatch.setattr(blas, "_controls", lambda: (fake.get, fake.put))
    yield fake
    assert fake.threads == 4


def test_one_thread_inside_and_the_former_number_after(fake: FakeBlas) -> None:
    with blas.one_thread() as obeys:
        assert obeys
        assert fake.threads == 1


def test_the_last_of_several_users_gives_the_threads_back(fake: FakeBlas) -> None:
    with blas.one_thread():
        with blas.one_thread():
            assert fake.threads == 1
        assert fake.threads == 1


def test_an_error_gives_them_back_too(fake: FakeBlas) -> None:
    with pytest.raises(ZeroDivisionError), blas.one_thread():
        raise ZeroDivisionError


def test_a_blas_that_cannot_be_asked_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blas, "_controls", lambda: None)
    with blas.one_thread() as obeys:
        assert not obeys
    assert attend(np.ones((1, 2, 2)), np.ones((1, 2, 2)), np.ones((1, 2, 2))).weights.sum() == 2


def test_the_real_one_obeys_where_its_symbols_can_be_found() -> None:
    controls = blas._controls()
    if controls is None:
        pytest.skip("this NumPy hides its BLAS")
    get, put = controls
    before = get()
    put(2)
    try:
        with blas.one_thread():
            assert get() == 1
        assert get() == 2
    finally:
        put(before)
