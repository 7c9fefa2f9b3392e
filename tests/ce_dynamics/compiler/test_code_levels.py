"""Code that is made quickly, and full code that is made later."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ce_dynamics.compiler import TracedFunction, compile_function, machine, trace
from ce_dynamics.compiler.code_levels import FULL, QUICK, VARIABLE, first_soon, make_behind
from ce_dynamics.errors import ModelError


@pytest.fixture
def made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Levels at which code is made from now on, beginning with an empty cache."""
    levels: list[int] = []
    really = machine.object_code

    def noting(*arguments: Any) -> bytes:
        levels.append(arguments[-1])
        return really(*arguments)

    monkeypatch.setenv("CE_DYNAMICS_CACHE", str(tmp_path))
    monkeypatch.setattr(machine, "object_code", noting)
    return levels


def slope() -> TracedFunction:
    return trace("slope", lambda x: {"y": 3.0 * x / (1.0 + x)}, {"x": ()})


def test_first_soon_and_then_well(made: list[int]) -> None:
    with first_soon() as owed:
        first = compile_function(slope())
    assert made == [QUICK]
    make_behind(owed).join()
    assert made == [QUICK, FULL]
    with first_soon() as nothing:
        second = compile_function(slope())
    compile_function(slope())
    assert made == [QUICK, FULL]
    assert not nothing
    assert first(0.3)[0] == second(0.3)[0] == np.float64(3.0 * 0.3) / 1.3


def test_who_was_interrupted_still_owes(made: list[int]) -> None:
    with first_soon():
        compile_function(slope())
    with first_soon() as owed:
        compile_function(slope())
    assert made == [QUICK]
    assert len(owed) == 1
    compile_function(slope())
    assert made == [QUICK, FULL]


def test_without_a_cache_there_is_no_next_time(made: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CE_DYNAMICS_CACHE", "off")
    with first_soon() as owed:
        compile_function(slope())
    assert made == [QUICK]
    assert not owed


def test_whoever_asks_for_quick_code_owes_nothing(made: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "quick")
    with first_soon() as owed:
        compile_function(slope())
    assert made == [QUICK]
    assert not owed


def test_only_full_and_quick_code_is_made(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "fast")
    with pytest.raises(
        ModelError, match="CE_DYNAMICS_CODE = 'fast'; allowed are 'full', 'quick', 'portable'"
    ):
        compile_function(slope())
