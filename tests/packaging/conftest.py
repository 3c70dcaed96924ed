"""Checkouts in miniature, bare and prepared."""

import shutil
from pathlib import Path

import pytest

from tests.packaging.checkout import Checkout, make_checkout


@pytest.fixture
def bare(tmp_path: Path) -> Checkout:
    """Return a checkout in which nothing has been prepared yet."""
    return make_checkout(tmp_path / "a checkout", tmp_path / "wheels")


@pytest.fixture(scope="session")
def _prepared(tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    folder = tmp_path_factory.mktemp("prepared")
    checkout = make_checkout(folder / "checkout", folder / "wheels")
    checkout.prepare()
    return checkout


@pytest.fixture
def prepared(_prepared: Checkout, tmp_path: Path) -> Checkout:
    """Return a checkout of its own in which the environment for running has been prepared."""
    checkout = Checkout(tmp_path / "prepared", _prepared.wheels)
    shutil.copytree(_prepared.root, checkout.root, symlinks=True)
    checkout.prepare()
    return checkout
