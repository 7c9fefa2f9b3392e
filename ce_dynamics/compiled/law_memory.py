"""Detects laws and elements with memory between calls, which compiling would freeze.

There are two checks.  The numbers that a law itself holds must be the same after a call: this names the
cause.  And a second call must return the same: this finds all else, as generators and random numbers.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from types import CodeType, FunctionType, MethodType
from typing import Any, TypeAlias

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler.fingerprint import slots_of
from ce_dynamics.compiler.tracing.traced import Traced
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.system import System

REMEDY = (
    "a law is compiled once, so that this would be frozen; declare what it remembers as states of a "
    "ce_dynamics.Controller, continuous or sampled, and give that to System.add_controller"
)
REMEDY_OF_ELEMENTS = (
    "it is compiled once, so that this would be frozen; declare what is remembered as a state of a force "
    "element (`states`, with its rate in the response) or of a Controller (`states`, `sampled`)"
)
ANOTHER_ANSWER = "evaluated twice at one state and time it differs (memory, a clock, random numbers?)"


def evaluate_law_twice(law: object, evaluate: Callable[[], Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return the inputs that a law returns; refuse a law that remembers calls."""
    label = f"input law {type(law).__name__}"
    first = _evaluate_watched(evaluate, [(label, law)], f"the law is evaluated: {REMEDY}")
    for name in _differing(first, evaluate()):
        raise ModelError(f"{label}: {name!r}: {ANOTHER_ANSWER}: {REMEDY}")
    return first


def reject_memory(
    system: System, function: Callable[..., Mapping[str, Array]], outputs: bool
) -> Callable[..., Mapping[str, Array]]:
    """Return a function for tracing that rejects force elements, controllers, outputs and drives with memory.

    It is evaluated twice where code of users is part of the system: equal values of one graph are one object,
    so that this adds nothing to the graph.
    """
    things = [*_elements(system), *(_outputs(system) if outputs else ())]
    foreign = [what for what, thing in things if is_of_users(thing)]

    def watch(**arguments: Array) -> Mapping[str, Array]:
        evaluate = functools.partial(function, **arguments)
        first = _evaluate_watched(evaluate, things, f"it is evaluated: {REMEDY_OF_ELEMENTS}")
        if foreign and _differing(first, evaluate()):
            raise ModelError(f"one of {', '.join(foreign)}: {ANOTHER_ANSWER}: {REMEDY_OF_ELEMENTS}")
        return first

    return watch


def _evaluate_watched(
    evaluate: Callable[[], Mapping[str, Any]], watched: Sequence[tuple[str, object]], when: str
) -> Mapping[str, Any]:
    """Return the answer of a call; reject things by label that hold other numbers after it."""
    before = [find_held(thing) for _, thing in watched]
    found = evaluate()
    for (label, thing), kept in zip(watched, before, strict=True):
        name = _first_changed(thing, kept)
        if name:
            raise ModelError(f"{label}: {name} changes when {when}")
    return found


def _differing(first: Mapping[str, Any], again: Mapping[str, Any]) -> list[str]:
    """Return the names under which two answers differ."""
    names = dict.fromkeys((*first, *again))
    return [n for n in names if n not in first or n not in again or not _are_equal(first[n], again[n])]


def _elements(system: System) -> Iterator[tuple[str, object]]:
    yield from ((f"force element {element.name!r}", element) for element in system.forces)
    yield from ((controller.label, controller) for controller in system.controllers)
    yield from ((f"prescribed motion of {name!r}", motion) for name, motion in system.prescribed.items())


def _outputs(system: System) -> Iterator[tuple[str, object]]:
    for outputs in (system.outputs, system.measurements):
        yield from ((f"output {name!r}", output.function) for name, output in outputs.items())


def _first_changed(thing: object, before: Held) -> str:
    """Name of something that holds another number, or a traced one that it did not hold."""
    for name, now in find_held(thing).items():
        old = before.get(name)
        if not _are_equal(now, old) if old else any(isinstance(x, Traced) for x in now):
            return name
    return ""


def _are_equal(a: Any, b: Any) -> bool:
    """Return True if two results are the same nodes of a graph, or the same numbers."""
    first, second = np.asarray(a, dtype=object).ravel(), np.asarray(b, dtype=object).ravel()
    return len(first) == len(second) and all(map(_same_scalar, first, second))


def _same_scalar(a: Any, b: Any) -> bool:
    if isinstance(a, Traced) or isinstance(b, Traced):
        return isinstance(a, Traced) and isinstance(b, Traced) and a.node == b.node
    return bool(a == b or (a != a and b != b))


Held: TypeAlias = "dict[str, list[Any]]"
"""By name for people: numbers, texts and traced scalars; of a container also how many objects it has."""

_LEAVES = (int, float, complex, str, bool, np.generic, Traced)
_LIBRARIES = {
    *sys.stdlib_module_names,
    *("ce_dynamics", "numpy", "scipy", "sympy", "casadi", "numba", "llvmlite", "pandas", "xarray"),
    *("pydantic", "matplotlib", "torch", "jax", "gymnasium"),
} - {"__main__"}
"""Packages whose functions and classes are not those of users."""


def find_held(thing: object) -> Held:
    """Return the numbers that a law or an element holds, itself or in a container."""
    return {name: list(_numbers(value)) for name, value in _parts(thing)}


def is_of_users(thing: object) -> bool:
    """Return True if an element, or a function that it holds, is code of users."""
    inside = [x for _, value in _parts(thing) for x in (value, *_entries(value))]
    return any(map(_is_users, (thing, *inside)))


def _is_users(x: Any) -> bool:
    if isinstance(x, MethodType):
        return _is_users(x.__func__) or _is_users(x.__self__)
    if isinstance(x, functools.partial):
        return _is_users(x.func)
    module = getattr(x if isinstance(x, FunctionType) else type(x), "__module__", None) or ""
    return module.partition(".")[0] not in _LIBRARIES


def _numbers(value: Any) -> Iterator[Any]:
    """Yield the numbers of an object; those of a plain array as bytes."""
    if isinstance(value, np.ndarray) and not value.dtype.hasobject:
        yield value.tobytes()
    elif isinstance(value, _LEAVES):
        yield value
    elif isinstance(value, (Mapping, Sequence, Set, np.ndarray)):
        entries = _entries(value)
        yield len(entries)
        yield from (x for x in entries if isinstance(x, _LEAVES))


def _entries(value: Any) -> list[Any]:
    """Return the entries of a container of objects; none of anything else."""
    if isinstance(value, Mapping):
        return list(value.values())
    if isinstance(value, np.ndarray):
        return value.ravel().tolist() if value.dtype.hasobject else []
    return list(value) if isinstance(value, (Sequence, Set)) and not isinstance(value, str) else []


def _parts(x: Any) -> Iterator[tuple[str, Any]]:
    """Yield name and value of everything that an object, or what is around a function, holds."""
    if isinstance(x, MethodType):
        yield from _parts(x.__self__)
    elif isinstance(x, functools.partial):
        yield from (("argument", value) for value in (x.func, *x.args, *x.keywords.values()))
    elif isinstance(x, FunctionType):
        yield from _seen_by(x)
    else:
        slots = (name for cls in type(x).__mro__ for name in slots_of(cls))
        yield from ((name, getattr(x, name)) for name in slots if hasattr(x, name))
        yield from getattr(x, "__dict__", {}).items()


def _seen_by(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """Return variables around a function that it reads or writes, and its defaults."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not set yet
            yield f"variable {name}", cell.cell_contents
    yield f"default of {function.__name__}", function.__defaults__
    yield f"named default of {function.__name__}", function.__kwdefaults__
    yield from function.__dict__.items()
    if _is_users(function):
        for name in dict.fromkeys(_names(function.__code__)):
            if name in function.__globals__:
                yield f"global variable {name}", function.__globals__[name]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
