"""Input laws that remember: what they would keep from call to call is frozen when they are compiled."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import numpy as np

from ce_dynamics.compiler.tracing.traced import Traced
from ce_dynamics.errors import ModelError

_CONTAINERS = (list, dict, set, np.ndarray)
_NUMBERS = (int, float, complex, str, bool, np.generic)

REMEDY = (
    "a law is compiled once, so that this would be frozen; give what it remembers to a force element or "
    "actuator as a state, or step a Simulator and call the law between its steps"
)


def memory(law: object) -> dict[str, Any]:
    """What a law could remember: its attributes and what its function closes over, containers copied."""
    return {name: _kept(value) for name, value in _held(law)}


def refuse_memory(law: object, before: dict[str, Any]) -> None:
    """Refuse a law that has just changed what it holds.

    Raises
    ------
    ModelError
        Naming what has changed, and what to do instead.
    """
    for name, value in _held(law):
        if _changed(name, value, before):
            raise ModelError(
                f"input law {type(law).__name__}: {name} changes when the law is asked: {REMEDY}"
            )


def _held(law: object) -> Iterator[tuple[str, Any]]:
    yield from getattr(law, "__dict__", {}).items()
    function = getattr(getattr(law, "inputs", None), "__func__", getattr(law, "inputs", None))
    code, cells = getattr(function, "__code__", None), getattr(function, "__closure__", None) or ()
    for name, cell in zip(code.co_freevars if code is not None else (), cells, strict=True):
        if name != "__class__":
            yield f"variable {name}", cell.cell_contents


def _kept(value: Any) -> Any:
    return copy.copy(value) if isinstance(value, _CONTAINERS) else value


def _changed(name: str, value: Any, before: dict[str, Any]) -> bool:
    """Whether something holds another number, or a traced one that it did not hold."""
    old = before.get(name)
    if isinstance(value, Traced):
        return old is not value
    if isinstance(value, set) and isinstance(old, set):
        return value != old
    if isinstance(value, dict) and isinstance(old, dict):
        return list(value) != list(old) or any(
            a is not b for a, b in _flat([*value.values()], [*old.values()])
        )
    if isinstance(value, (list, np.ndarray)) and isinstance(old, (list, np.ndarray)):
        return len(value) != len(old) or any(a is not b for a, b in _flat(list(value), list(old)))
    if isinstance(value, _NUMBERS) and isinstance(old, _NUMBERS):
        return bool(value != old) and value == value
    return False


def _flat(ours: list[Any], theirs: list[Any]) -> Iterator[tuple[Any, Any]]:
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(a, (np.ndarray, np.generic)):
            yield bool(np.array_equal(a, b)), True
        elif isinstance(a, tuple) and isinstance(b, tuple):
            yield from zip(a, b, strict=True)
        else:
            yield a, b
