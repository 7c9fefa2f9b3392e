"""Coordinates and poses of all bodies at one state: compiled, or on floats where nothing else is compiled."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.coordinates import coordinate_function, coordinate_owners
from ce_dynamics.compiled.analysis.poses import Poses, body_poses, poses
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.embedding.on_numbers import on_numbers


def placed_at(model: CompiledSystem, y: Floats, u: Floats) -> tuple[Floats, Poses]:
    """Coordinates in the order of `coordinate_entries`, and poses, by compiled functions.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there.
    """
    values = coordinate_function(model)(y, u)[0]
    model.refuse_not_finite(y, u, values)
    return values, poses(model, y, u)


def placed_on_floats(model: CompiledSystem, y: Floats, u: Floats) -> tuple[Floats, Poses] | None:
    """The same but for rounding, of a model without free parameters: some milliseconds, and no compiling.

    None where a loop cannot be assembled.
    """
    q, v, x = model.layout.split(y)
    with np.errstate(all="ignore"):
        outward = Instant(on_numbers(model.embedding, q), model.layout, q, v, x, u).outward
        values = floats(
            array(outward.coordinate(b, k) for b in coordinate_owners(model) for k in range(b.inboard.n_q))
        )
        found = {name: floats(part) for name, part in body_poses(model, outward).items()}
    if not all(np.isfinite(each).all() for each in (values, *found.values())):
        return None
    return values, Poses(tuple(body.name for body in model.system.bodies), **found)


def floats(values: Array) -> Floats:
    """An array that holds nothing but numbers, as one of floats."""
    return np.asarray(values, dtype=np.float64)
