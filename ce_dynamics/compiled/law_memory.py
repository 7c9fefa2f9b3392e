"""Detects laws and elements with memory between calls, which compiling would freeze.

There are two checks.  The numbers that a law holds, wherever they lie, must be the same after a call: this
names the cause.  And a second call must return the same: this finds generators, clocks and random numbers.
"""

from __future__ import annotations

import contextlib
import functools
import sys
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import CodeType, FunctionType, MethodType, SimpleNamespace
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
    before = [find_reachable(thing) for _, thing in watched]
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
    for place, (name, value) in find_reachable(thing).items():
        old = before.get(place, (name, None))[1]
        if isinstance(value, Traced):
            if old is not value:
                return name
        elif old is not None and not isinstance(old, Traced) and value != old and value == value:
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


Place: TypeAlias = "tuple[object, ...]"
Held: TypeAlias = "dict[Place, tuple[str, Any]]"
"""By place: a name for people, and the number, text, traced scalar or length of a container that is there."""

DEEPEST = 8  # levels that are searched
LARGEST = 20_000  # places that are searched

_LEAVES = (int, float, complex, str, bool, np.generic, Traced)
_CONTAINERS = (list, tuple, deque, dict, set, frozenset, np.ndarray, SimpleNamespace, functools.partial)
_PACKAGE = "ce_dynamics"
_LIBRARIES = {
    *sys.stdlib_module_names,
    *(_PACKAGE, "numpy", "scipy", "sympy", "casadi", "numba", "llvmlite", "pandas", "xarray", "pydantic"),
    *("matplotlib", "torch", "jax", "gymnasium"),
} - {"__main__"}
"""Packages whose objects are not entered: what they change inside is no concern of a law."""


def find_reachable(thing: object) -> Held:
    """Return all objects reachable from a law or an element without entering objects of libraries."""
    walk = _NumberWalk()
    walk.record_numbers((), "", thing)
    return walk.found


def is_of_users(thing: object) -> bool:
    """Return True if an element, or a function that it holds, is code of users."""
    inside = (thing, *getattr(thing, "__dict__", {}).values())
    return any(_is_users(x if isinstance(x, FunctionType) else type(x)) for x in map(_plain, inside))


class _NumberWalk:
    def __init__(self) -> None:
        self.found: Held = {}
        self._entered: dict[int, object] = {}  # with the objects, so that no identity is given twice

    def record_numbers(self, place: Place, name: str, x: object) -> None:
        """Record the numbers that an object holds; visit every object once."""
        if id(x) in self._entered or len(place) > DEEPEST:
            return
        self._entered[id(x)] = x
        for key, label, value in _parts(name, x):
            part = _plain(value)
            if len(self.found) > LARGEST:
                return
            if isinstance(part, _LEAVES):
                self.found[(*place, key)] = (label, part)
            elif isinstance(part, (*_CONTAINERS, FunctionType)) or _is_users(
                part if isinstance(part, type) else type(part)
            ):
                self.record_numbers((*place, key), label, part)


def _plain(x: Any) -> Any:
    """Return the function of a method, property or the like, with the object it is bound to."""
    if isinstance(x, MethodType):
        return functools.partial(x.__func__, x.__self__)
    if isinstance(x, (staticmethod, classmethod)):
        return x.__func__
    return x.fget if isinstance(x, property) else x


def _is_users(x: object) -> bool:
    module = getattr(x, "__module__", None) or ""
    return module.partition(".")[0] not in _LIBRARIES


def _parts(name: str, x: Any) -> Iterator[tuple[object, str, Any]]:
    """Yield key, name for people, and value of everything that something holds."""
    if isinstance(x, np.ndarray):
        numbers = enumerate(x.ravel().tolist()) if x.dtype.hasobject else [("bytes", x.tobytes().hex())]
        yield from ((key, name, value) for key, value in numbers)
    elif isinstance(x, (list, tuple, deque)):
        yield len, name, len(x)
        yield from ((k, name, value) for k, value in enumerate(x))
    elif isinstance(x, dict):
        yield len, name, len(x)
        yield from ((repr(key), name, value) for key, value in x.items())
    elif isinstance(x, (set, frozenset)):
        yield set, name, " ".join(sorted(map(repr, x)))
    elif isinstance(x, functools.partial):
        yield from (("function", name, x.func), ("arguments", name, (x.args, x.keywords)))
    elif isinstance(x, FunctionType):
        yield from _seen_by(x)
    elif isinstance(x, type):
        yield from _attributes(name, vars(x))
    else:
        yield from _attributes(name, _own_attributes(x))
        yield from (((cls, "class"), name, cls) for cls in type(x).__mro__ if _is_users(cls))


def _attributes(name: str, values: Mapping[str, Any]) -> Iterator[tuple[object, str, Any]]:
    return (
        (key, f"{name}.{key}" if name else key, value)
        for key, value in values.items()
        if not key.startswith("__")
    )


def _own_attributes(x: object) -> dict[str, Any]:
    """Return the attributes of an object itself, including those in slots."""
    names = (name for cls in type(x).__mro__ for name in slots_of(cls))
    return {name: getattr(x, name) for name in names if hasattr(x, name)} | getattr(x, "__dict__", {})


def _seen_by(function: FunctionType) -> Iterator[tuple[object, str, Any]]:
    """Return variables around a function that it reads or writes, and its defaults."""
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        with contextlib.suppress(ValueError):  # not set yet
            yield ("cell", name), f"variable {name}", None if name == "__class__" else cell.cell_contents
    yield "defaults", f"default of {function.__name__}", function.__defaults__
    yield "named defaults", f"default of {function.__name__}", function.__kwdefaults__
    yield "own", function.__name__, function.__dict__
    if _is_users(function):
        for name in dict.fromkeys(_names(function.__code__)):
            if name in function.__globals__:
                yield ("global", name), f"global variable {name}", function.__globals__[name]


def _names(code: CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _names(constant)
