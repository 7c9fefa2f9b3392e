"""Detects laws and elements with memory between calls, which compiling would freeze.

There are two checks.  The numbers that a law holds must be the same after a call: this names the cause.  And
a second call must return the same: this finds generators, clocks and random numbers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiled.object_numbers import Held, find_reachable, is_of_users
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


def refuse_memory(law: object, before: Held) -> None:
    """Reject a law that has changed its numbers in a call.

    Raises
    ------
    ModelError
        The message names the change and a remedy.
    """
    name = _first_changed(law, before)
    if name:
        owner = f"input law {type(law).__name__}"
        raise ModelError(f"{owner}: {name} changes when the law is evaluated: {REMEDY}")


def refuse_another_answer(law: object, first: Mapping[str, Any], again: Mapping[str, Any]) -> None:
    """Reject a law whose second call returned another result.

    Raises
    ------
    ModelError
        Naming the law and the input.
    """
    for name in dict.fromkeys((*first, *again)):
        if name not in first or name not in again or not _are_equal(first[name], again[name]):
            raise ModelError(f"input law {type(law).__name__}: {name!r}: {ANOTHER_ANSWER}: {REMEDY}")


def reject_memory(
    system: System, function: Callable[..., Mapping[str, Array]], outputs: bool
) -> Callable[..., Mapping[str, Array]]:
    """Return a function for tracing that rejects force elements, controllers, outputs and drives with memory.

    It is evaluated twice where code of users is part of the system: equal values of one graph are one object,
    so that this adds nothing to the graph.

    Parameters
    ----------
    system : System
    function : callable
        Function to trace.
    outputs : bool
        Whether it evaluates outputs.

    Raises
    ------
    ModelError
        In a call; the message names the element, the change and a remedy.
    """
    things = [*_elements(system), *(_outputs(system) if outputs else ())]
    foreign = [what for what, thing in things if is_of_users(thing)]

    def watch(**arguments: Array) -> Mapping[str, Array]:
        before = [find_reachable(thing) for _, thing in things]
        first = function(**arguments)
        for (what, thing), kept in zip(things, before, strict=True):
            name = _first_changed(thing, kept)
            if name:
                raise ModelError(f"{what}: {name} changes when it is evaluated: {REMEDY_OF_ELEMENTS}")
        if foreign:
            again = function(**arguments)
            if not all(_are_equal(value, again[name]) for name, value in first.items()):
                raise ModelError(f"one of {', '.join(foreign)}: {ANOTHER_ANSWER}: {REMEDY_OF_ELEMENTS}")
        return first

    return watch


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
