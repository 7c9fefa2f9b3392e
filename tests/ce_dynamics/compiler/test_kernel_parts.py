"""Kernels in kernels: what is compiled for whom, and that each may be called."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import pytest
from numba.core.caching import NullCache

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiler import loops
from ce_dynamics.compiler.kernel_parts import is_part
from ce_dynamics.compiler.loops import kernel


def made() -> tuple[Any, Any, Any]:
    """Three kernels, each of which calls the one before; nothing of them is kept on disk."""

    def roots(x):  # type: ignore[no-untyped-def]
        if x[0] < 0.0:
            raise ValueError("negative")
        return np.sqrt(x).sum()

    inner = kernel(roots)

    def doubled(x):  # type: ignore[no-untyped-def]
        return 2.0 * inner(x)

    middle = kernel(doubled)

    def both(x):  # type: ignore[no-untyped-def]
        return middle(x) + inner(x)

    top = kernel(both)
    for one in (inner, middle, top):
        one._cache = NullCache()
    return inner, middle, top


X: Floats = np.array((1.0, 4.0, 9.0))


def parts(compiled: Any) -> list[bool]:
    """Return True for every type of a compiled kernel that is a part."""
    return [is_part(result) for result in compiled.overloads.values()]


def test_only_called_parts_are_made_into_machine_code() -> None:
    inner, middle, top = made()
    assert top(X) == 18.0
    assert [parts(k) for k in (inner, middle, top)] == [[True], [True], [False]]
    assert middle(X) == 12.0  # Python calls it after all
    assert inner(X) == 6.0
    assert [parts(k) for k in (inner, middle, top)] == [[False], [False], [False]]
    assert top(X) == 18.0


def test_numba_is_one_whose_insides_are_known() -> None:
    """With another, see whether the tests here pass with it and set `KNOWN`: compiling is faster."""
    assert numba.version_info.short == loops.KNOWN


def test_another_numba_compiles_in_its_own_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loops, "KNOWN", (0, 1))
    inner, middle, top = made()
    assert top(X) == 18.0
    assert [parts(k) for k in (inner, middle, top)] == [[False], [False], [False]]


def test_errors_of_parts_reach_python() -> None:
    with pytest.raises(ValueError, match="negative"):
        made()[2](-X)


def test_threads_that_call_uncompiled_parts_get_numbers() -> None:
    kernels = made()
    with ThreadPoolExecutor(3) as pool:
        assert list(pool.map(lambda k: k(X), kernels)) == [6.0, 12.0, 18.0]
