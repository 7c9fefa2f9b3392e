from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from ce_dynamics.compiler import CompiledFunction, TracedFunction, compile_function, machine


@pytest.fixture(scope="session")
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a cache of code that only these tests make and load."""
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(scope="module", autouse=True)
def private_cache(own_cache: Path) -> Iterator[Path]:
    """Compiled code of the tests neither comes from nor goes to the user's cache; it is the one users run."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CE_DYNAMICS_CACHE", str(own_cache))
        patch.setenv("CE_DYNAMICS_CODE", "full")
        yield own_cache


@pytest.fixture
def in_pieces(monkeypatch: pytest.MonkeyPatch) -> Callable[..., CompiledFunction]:
    """Return what compiles a function in pieces, however short it is."""

    def compiled(traced: TracedFunction, lanes: int = 1) -> CompiledFunction:
        with monkeypatch.context() as patch:
            patch.setattr(machine, "LARGEST_STRAIGHT", -2)
            patch.setattr(machine, "LARGEST_UNLIKE", -2)
            return compile_function(traced, lanes)

    return compiled
