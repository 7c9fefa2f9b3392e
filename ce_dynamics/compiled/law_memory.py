"""Laws and elements that remember: what they keep from call to call is frozen when they are compiled."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from contextlib import contextmanager
from types import FunctionType
from typing import Any

import numpy as np

from ce_dynamics.compiler.tracing.traced import Traced
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.system import System

_CONTAINERS = (list, dict, set, np.ndarray)
_NUMBERS = (int, float, complex, str, bool, np.generic)

REMEDY = (
    "a law is compiled once, so that this would be frozen; declare what it remembers as states of a "
    "ce_dynamics.Controller, continuous or sampled, and give that to System.add_controller"
)
REMEDY_OF_ELEMENTS = (
    "it is compiled once, so that this would be frozen; declare what is remembered as a state of a force "
    "element (`states`, with its rate in the response) or of a Controller (`states`, `sampled`)"
)


def memory(law: object) -> dict[str, Any]:
    """What a law could remember: its attributes and what its functions see, containers copied."""
    return {name: _kept(value) for name, value in _held(law)}


def refuse_memory(law: object, before: dict[str, Any]) -> None:
    """Refuse a law that has just changed what it holds.

    Raises
    ------
    ModelError
        Naming what has changed, and what to do instead.
    """
    name = _first_changed(law, before)
    if name:
        raise ModelError(f"input law {type(law).__name__}: {name} changes when the law is asked: {REMEDY}")


@contextmanager
def without_memory(system: System) -> Iterator[None]:
    """While a system is traced: refuse force elements, outputs and drives that change what they hold.

    Raises
    ------
    ModelError
        Naming what remembers, what has changed, and what to do instead.
    """
    asked = [
        *((f"force element {element.name!r}", element) for element in system.forces),
        *((controller.described, controller) for controller in system.controllers),
        *((f"output {name!r}", output.function) for name, output in system.outputs.items()),
        *((f"output {name!r}", output.function) for name, output in system.measurements.items()),
        *((f"prescribed motion of {name!r}", motion) for name, motion in system.prescribed.items()),
    ]
    before = [memory(thing) for _, thing in asked]
    yield
    for (what, thing), held in zip(asked, before, strict=True):
        name = _first_changed(thing, held)
        if name:
            raise ModelError(f"{what}: {name} changes when it is asked: {REMEDY_OF_ELEMENTS}")


def _first_changed(thing: object, before: dict[str, Any]) -> str:
    return next((name for name, value in _held(thing) if _changed(name, value, before)), "")


def _held(thing: object) -> Iterator[tuple[str, Any]]:
    own = getattr(thing, "__dict__", {})
    yield from own.items()
    asked = (getattr(thing, name, None) for name in ("inputs", "evaluate", "act", "rates", "update"))
    for function in (thing, *asked, *own.values()):
        yield from _seen_by(function)


def _seen_by(function: object) -> Iterator[tuple[str, Any]]:
    """Variables around a function that it reads or writes."""
    function = getattr(function, "__func__", function)
    if not isinstance(function, FunctionType):
        return
    code = function.__code__
    for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
        if name != "__class__":
            yield f"variable {name}", cell.cell_contents
    for name in code.co_names:
        value = function.__globals__.get(name)
        if isinstance(value, (*_CONTAINERS, *_NUMBERS, Traced)):
            yield f"global variable {name}", value


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
