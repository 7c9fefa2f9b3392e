"""Coordinates and poses of all bodies at one state: compiled, or on floats if nothing else is compiled."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.coordinates import coordinate_function, coordinate_owners
from ce_dynamics.compiled.analysis.poses import Poses, body_poses, poses
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.numeric.linkage import find_continued_linkages
from ce_dynamics.embedding.numeric_positions import continue_linkages, with_placed

ASKED = "coordinates and poses where loops are led"


def place_bodies(model: CompiledSystem, y: Floats, u: Floats) -> tuple[Floats, Poses]:
    """Return coordinates in the order of `coordinate_entries`, and poses, by compiled functions.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there.
    """
    values = coordinate_function(model)(y, u)[0]
    model.refuse_not_finite(y, u, values)
    return values, poses(model, y, u=u)


def placed_on_floats(model: CompiledSystem, y: Floats, u: Floats) -> tuple[Floats, Poses] | None:
    """Compute coordinates and poses on floats, for a model without free parameters, in milliseconds.

    The result is None if a loop cannot be assembled.  In a further call, if formulas find all other hinges,
    they are compiled.  This costs as much as ten evaluations, and each then takes a tenth of the time.
    """
    found = continue_linkages(model.embedding, model.layout.split(y)[0])
    asked = model.get_or_make(ASKED, lambda: [0])
    asked[0] += 1
    if asked[0] > 1 and not straight(model) - set(found):
        values, positions, rotations = placing(model, found)(
            y, u, np.concatenate([np.zeros(0), *found.values()])
        )
    else:
        with np.errstate(all="ignore"):
            values, positions, rotations = (floats(part) for part in parts_at(model, y, u, found).values())
    if not all(np.isfinite(each).all() for each in (values, positions, rotations)):
        return None
    return values, Poses(tuple(body.name for body in model.system.bodies), positions, rotations)


def straight(model: CompiledSystem) -> set[Linkage]:
    """Return the loops solved by continuation."""
    return {linkage for S in model.embedding.aggregates for linkage in find_continued_linkages(S.linkages)}


def placing(model: CompiledSystem, found: Mapping[Linkage, Array]) -> CompiledFunction:
    """Return `parts_at` compiled; z are the dependent coordinates of continued loops, one after the other."""
    ends = np.cumsum([len(q) for q in found.values()], dtype=int)

    def parts(y: Array, u: Array, z: Array) -> dict[str, Array]:
        return parts_at(model, y, u, dict(zip(found, np.split(z, ends)[:-1], strict=True)))

    return model.function(ASKED, parts, {**model.sizes_of("y", "u"), "z": sum(map(len, found.values()))})


def parts_at(model: CompiledSystem, y: Array, u: Array, found: Mapping[Linkage, Array]) -> dict[str, Array]:
    """Return coordinates, positions and rotations, given the dependent coordinates of some loops."""
    q, v, x = model.layout.split(y)
    outward = Instant(with_placed(model.embedding, found), model.layout, q, v, x, u).outward
    values = array(outward.coordinate(b, k) for b in coordinate_owners(model) for k in range(b.inboard.n_q))
    return {"values": values, **body_poses(model, outward)}


def floats(values: Array) -> Floats:
    """Return an array of numbers as one of floats."""
    return np.asarray(values, dtype=np.float64)
