"""Descriptions with free parameters in them, taken at the nominal values or on the way from there."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numpy as np

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler.free_numbers import Formula, evaluate, is_free, nominal, postorder
from ce_dynamics.compiler.tracing.operations import Op
from ce_dynamics.mechanism.body import Body

T = TypeVar("T")
Replace = Callable[[Formula], Any]


def at_nominal(thing: T, root: Body | None = None) -> T:
    """A hinge, linkage, loop or body with plain numbers for its free ones; itself if it has none.

    What it refers to is copied along where that has free numbers; what was one object stays one.

    Parameters
    ----------
    thing : object
    root : Body, optional
        What carries it does not matter and stays as it is: for a loop, which is known relative to its root,
        or else it would be as much work as there are bodies below.
    """
    return cast("T", _Copier(nominal, root).copy(thing))


def part_way(thing: T, s: float, root: Body | None = None) -> T:
    """Return ``thing`` with parameters at the fraction s of the way from nominal to their own values.

    Copies are made as by `at_nominal`; ``thing`` itself is returned for s = 1.
    """
    known: dict[int, tuple[Formula, Any]] = {}

    def replace(formula: Formula) -> Any:
        for part in postorder((formula,), known):
            if part.op == Op.INPUT:
                known[id(part)] = part, part.value + s * (cast("Any", part) - part.value)
        return evaluate((formula,), known)[0]

    if s == 0.0:
        return at_nominal(thing, root)
    return thing if s == 1.0 else cast("T", _Copier(replace, root).copy(thing))


def at_random(values: Array, number: int) -> list[Array]:
    """An array at nominal and at some more values of the free parameters in it, which differ by about 1 %."""
    inputs = [part for part in postorder((x for x in values if is_free(x)), {}) if part.op == Op.INPUT]
    factors = np.random.default_rng(0).uniform(-0.01, 0.01, (number, len(inputs)))
    found = [np.asarray(nominal(values), dtype=float)]
    for row in factors:
        known = {id(p): (p, p.value + f * max(abs(p.value), 0.1)) for p, f in zip(inputs, row, strict=True)}
        found.append(np.array(evaluate(values, known), dtype=float))
    return found


class _Copier:
    """Copies what has free numbers in it, with others in their place."""

    def __init__(self, replace: Replace, root: Body | None) -> None:
        self.replace = replace
        self.known: dict[int, tuple[Any, Any]] = {}
        """By id: what has been seen, which is kept alive, and its copy."""
        if root is not None and root.parent is not None:
            self.known[id(root.parent)] = root.parent, root.parent

    def copy(self, thing: Any) -> Any:
        if isinstance(thing, Formula):
            return self.replace(thing)
        if isinstance(thing, np.ndarray):
            return self._array(thing) if is_free(thing) else thing
        if isinstance(thing, (tuple, list)):
            items = [self.copy(item) for item in thing]
            if all(new is old for new, old in zip(items, thing, strict=True)):
                return thing
            return type(thing)(*items) if hasattr(thing, "_fields") else type(thing)(items)
        if isinstance(thing, dict):
            values = {key: self.copy(value) for key, value in thing.items()}
            return values if any(values[key] is not thing[key] for key in values) else thing
        ours = any(kind.__module__.startswith("ce_dynamics.") for kind in type(thing).__mro__)
        return self._object(thing) if ours and hasattr(thing, "__dict__") else thing

    def _array(self, thing: Any) -> Any:
        entries = [self.copy(entry) for entry in thing.flat]
        return np.array(entries, dtype=object if is_free(entries) else float).reshape(thing.shape)

    def _object(self, thing: Any) -> Any:
        if id(thing) not in self.known:
            self.known[id(thing)] = thing, thing  # meets itself only where it is part of itself
            state = {key: self.copy(value) for key, value in vars(thing).items()}
            if any(state[key] is not value for key, value in vars(thing).items()):
                twin = copy.copy(thing)
                vars(twin).update(state)
                self.known[id(thing)] = thing, twin
        return self.known[id(thing)][1]
