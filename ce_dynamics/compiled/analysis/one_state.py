"""Coordinates and poses of all bodies at one state, on floats where compiling would take longer."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.coordinates import coordinate_function, coordinate_owners
from ce_dynamics.compiled.analysis.poses import Poses, body_poses, poses
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.embedding.on_numbers import on_numbers

FEW = 20
"""States for which floats are faster than to trace, and perhaps compile, two functions of a whole system."""


def placed_at(model: CompiledSystem, y: Floats, u: Floats) -> tuple[Floats, Poses]:
    """Coordinates in the order of `coordinate_entries`, and poses.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there.
    """
    compiled = {"coordinates", "poses"} <= set(model.functions)
    asked = model.once("states asked for on floats", list[int])
    if compiled or model.layout.parameters or len(asked) >= FEW:
        values = coordinate_function(model)(y, u)[0]
        model.refuse_not_finite(y, u, values)
        return values, poses(model, y, u)
    asked.append(0)
    q, v, x = model.layout.split(y)
    with np.errstate(all="ignore"):
        outward = Instant(on_numbers(model.embedding, q), model.layout, q, v, x, u).outward
        values = floats(
            array(outward.coordinate(b, k) for b in coordinate_owners(model) for k in range(b.inboard.n_q))
        )
        found = {name: floats(part) for name, part in body_poses(model, outward).items()}
    model.refuse_not_finite(y, u, values, *found.values())
    return values, Poses(tuple(body.name for body in model.system.bodies), **found)


def floats(values: Array) -> Floats:
    """An array that holds nothing but numbers, as one of floats."""
    return np.asarray(values, dtype=np.float64)
