"""Fixtures of tests of embeddings."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import pytest


@contextmanager
def _by_newton() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ce_dynamics.embedding.complete.recognise", lambda part: None)
        for name in ("legs_of", "rods_of"):
            patch.setattr(f"ce_dynamics.embedding.closed_forms.without_legs.{name}", lambda *_: [])
        patch.setattr("ce_dynamics.embedding.closed_forms.without_legs.peel_of", lambda *_: None)
        yield


@pytest.fixture(scope="session")
def recognising_nothing() -> Callable[[], AbstractContextManager[None]]:
    """A context in which no part of a loop is recognised: all of it is solved by Newton's method."""
    return _by_newton


@pytest.fixture
def by_newton(recognising_nothing: Callable[[], AbstractContextManager[None]]) -> Iterator[None]:
    with recognising_nothing():
        yield
