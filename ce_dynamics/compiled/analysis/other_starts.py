"""Models of one system that start elsewhere, so that their loops are led from there.

A loop with several independent coordinates that is solved numerically is led to them in a straight line from
its start, and ends at the first dead centre on that way, though there may be ways round.  A model that starts
beyond finds one, once (`ce_dynamics.embedding.numeric.base_pose`), and then reaches what lies around there.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping

from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.embedding import starts
from ce_dynamics.embedding.numeric.linkage import led_straight
from ce_dynamics.errors import CeDynamicsError


def is_led_straight(model: CompiledSystem) -> bool:
    """Return True if there is a loop that another start would lead elsewhere."""
    return any(led_straight(S.linkages) for S in model.embedding.aggregates)


def can_start_at(model: CompiledSystem, y: Floats) -> bool:
    """Return True if a way leads every loop that is led straight to a state; costs no compiling."""
    start = start_of(model, y)
    return all(starts.can_start_at(S, start) for S in model.embedding.aggregates)


def start_of(model: CompiledSystem, y: Floats) -> dict[str, Floats]:
    """Independent coordinates of a state by body."""
    q, _, _ = model.layout.split(y)
    return {name: q[part] for name, part in model.embedding.q_of.items()}


def started_at(model: CompiledSystem, y: Floats) -> CompiledSystem | None:
    """The model of the same system that starts at a state; None if it cannot, or has other coordinates."""
    system = copy.copy(model.system)
    system.initial = start_of(model, y)
    try:
        found = type(model)(system)
    except CeDynamicsError:
        return None
    same = [entry.name for entry in found.layout.q] == [entry.name for entry in model.layout.q]
    return found if same else None


def with_coordinates(model: CompiledSystem, y: Floats, wanted: Mapping[str, float]) -> Floats:
    """A state with the independent ones of some coordinates, by name, as they are wanted."""
    moved = y.copy()
    for k, entry in enumerate(model.layout.q):
        moved[k] = wanted.get(entry.name, moved[k])
    return moved
