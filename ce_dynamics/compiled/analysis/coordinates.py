"""Coordinates of all hinges of a model, independent and dependent ones, and how they move together."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics.state import Entry, join_name
from ce_dynamics.embedding.aggregate import Aggregate
from ce_dynamics.embedding.closures.loop import parts_of
from ce_dynamics.embedding.whole_loop import chart_of
from ce_dynamics.mechanism.body import Body


def coordinate_entries(model: CompiledSystem) -> tuple[Entry, ...]:
    """Return names and units of the coordinates of all inboard hinges and of other coordinates of loops."""
    return tuple(
        Entry(join_name(body.name, suffix), unit)
        for body in coordinate_owners(model)
        for suffix, unit in zip(body.inboard.coordinate_names, body.inboard.coordinate_units, strict=True)
    )


def coordinate_owners(model: CompiledSystem) -> tuple[Body, ...]:
    """Return all bodies, then owners of independent coordinates that belong to no hinge."""
    bodies = model.system.bodies
    known = {join_name(body.name, suffix) for body in bodies for suffix in body.inboard.coordinate_names}
    leading = (edge.body_b for S in model.embedding.aggregates for edge in S.leading)
    return (*bodies, *(body for body in leading if body.name not in known))


def coordinate_function(model: CompiledSystem) -> CompiledFunction:
    """Return the compiled function of the coordinates of all inboard hinges at (y, u)."""

    def coordinates(y: Array, u: Array) -> dict[str, Array]:
        outward, owners = model.instant(y, u).outward, coordinate_owners(model)
        return {"coordinates": array(outward.coordinate(b, k) for b in owners for k in range(b.inboard.n_q))}

    return model.function("coordinates", coordinates, model.sizes_of("y", "u"))


def slope_of(model: CompiledSystem, y: Floats, u: Floats, places: Sequence[int]) -> Floats:
    """Return derivatives of coordinates along displacements of the independent ones."""
    if displaced_by_velocities(model):
        slope: Floats = gearing_function(model)(y, u)[0][places]
        return slope
    derivative = model.derivative(coordinate_function(model).traced, "coordinates", "y")
    differentiated: Floats = derivative(y, u)[places] @ tangent_columns(model, y)
    return differentiated


def displaced_by_velocities(model: CompiledSystem) -> bool:
    """Return True if displacement k of the coordinates is along velocity k, and both are equally many."""
    n_v = model.embedding.n_v
    known = model.tangent.velocity == tuple(range(n_v))
    return known and not any(chart_of(S) for S in model.embedding.aggregates)


def gearing_function(model: CompiledSystem) -> CompiledFunction:
    """Return the function of ∂q̇/∂v of all inboard hinges at (y, u): rows of X_S, without differentiation."""

    def gearing(y: Array, u: Array) -> dict[str, Array]:
        motions = model.instant(y, u).outward.motions
        rows: Array = np.full((len(coordinate_entries(model)), model.embedding.n_v), 0.0, dtype=object)
        for body, at, _ in parts_of(coordinate_owners(model)):
            S = owner_of(model, body)
            hinge, X = body.inboard, motions[S.name].hinge_motions[body.name].X
            q = motions[S.name].coordinates(body.name)
            for lead in S.independent:
                here, there = S.columns(lead), model.embedding.v_of[lead.name]
                for k, column in zip(
                    range(here.start, here.stop), range(there.start, there.stop), strict=True
                ):
                    rows[at, column] = hinge.q_dot(q, X[:, k])
        return {"gearing": rows}

    return model.function("gearing of coordinates", gearing, model.sizes_of("y", "u"))


def owner_of(model: CompiledSystem, body: Body) -> Aggregate:
    """Return the aggregated body of a hinge or of another coordinate of a loop."""
    for S in model.embedding.aggregates:
        if body in S.bodies or body in S.independent:
            return S
    raise KeyError(body.name)


def tangent_columns(model: CompiledSystem, y: Floats) -> Floats:
    """Return ∂y/∂δ."""
    q = model.layout.split(y)[0]
    columns = np.zeros((len(y), len(model.tangent)))
    columns[: len(q)] = model.tangent.columns(q)
    return columns
