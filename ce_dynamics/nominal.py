"""Descriptions with free parameters in them, taken at the nominal values."""

from __future__ import annotations

import copy
from typing import Any, TypeVar, cast

import numpy as np

from ce_dynamics.formula import Formula, is_free, nominal

T = TypeVar("T")


def at_nominal(thing: T) -> T:
    """A hinge, linkage, loop or body with plain numbers for its free ones; itself if it has none.

    What it refers to is copied along where that has free numbers; what was one object stays one.
    """
    return cast("T", _replaced(thing, {}))


def _replaced(thing: Any, known: dict[int, tuple[Any, Any]]) -> Any:
    """The same as `at_nominal`; ``known`` holds what has been seen, and keeps it alive."""
    if isinstance(thing, Formula):
        return thing.value
    if isinstance(thing, np.ndarray):
        return nominal(thing) if is_free(thing) else thing
    if isinstance(thing, (tuple, list)):
        items = [_replaced(item, known) for item in thing]
        if all(new is old for new, old in zip(items, thing, strict=True)):
            return thing
        return type(thing)(*items) if hasattr(thing, "_fields") else type(thing)(items)
    if isinstance(thing, dict):
        values = {key: _replaced(value, known) for key, value in thing.items()}
        return values if any(values[key] is not thing[key] for key in values) else thing
    ours = any(kind.__module__.startswith("ce_dynamics.") for kind in type(thing).__mro__)
    if not ours or not hasattr(thing, "__dict__"):
        return thing
    if id(thing) not in known:
        known[id(thing)] = thing, thing  # meets itself only where it is part of itself
        state = {key: _replaced(value, known) for key, value in vars(thing).items()}
        if any(state[key] is not value for key, value in vars(thing).items()):
            twin = copy.copy(thing)
            vars(twin).update(state)
            known[id(thing)] = thing, twin
    return known[id(thing)][1]
