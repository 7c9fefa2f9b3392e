"""Positions and orientations of all bodies, and all coordinates, at one state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.analysis.coordinates import all_coordinates, coordinate_function
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiler import CompiledFunction
from ce_dynamics.dynamics.instant import Instant
from ce_dynamics.dynamics.outward import Outward, axes
from ce_dynamics.embedding.linkage import Linkage
from ce_dynamics.embedding.numeric.linkage import find_continued_linkages
from ce_dynamics.embedding.numeric_positions import continue_linkages, with_placed


class Poses(NamedTuple):
    """Positions and orientations of all bodies, in the world.

    A point of body k that is at ``at`` in the design pose is at positions[k] + rotations[k] @ (at − com).

    Attributes
    ----------
    bodies : tuple of str
    positions : (n, 3) array
        Centres of mass [m].
    rotations : (n, 3, 3) array
        Body axes to world axes; all are the identity in the design pose.
    """

    bodies: tuple[str, ...]
    positions: Floats
    rotations: Floats


@takes_state("y", "u")
def poses(model: CompiledSystem, *here: ArrayLike | None, **named: Unpack[StateArguments]) -> Poses:
    """Return positions and orientations of all bodies at a state (see `Model`); velocities have no effect.

    Raises
    ------
    AssemblyError
        If a loop cannot be assembled there.

    Examples
    --------
    >>> import ce_dynamics as ce
    >>> system = ce.System()
    >>> arm = system.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1),
    ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0)))
    >>> ce.compile(system).poses([1.5707963267948966, 0.0]).positions.round(9) + 0.0
    array([[ 0. ,  0. , -0.5]])
    """
    state, given = state_given(model, *here, moving=False, **named)
    positions, rotations = pose_function(model)(state, given)
    model.refuse_not_finite(state, given, positions, rotations)
    return Poses(tuple(body.name for body in model.system.bodies), positions, rotations)


def pose_function(model: CompiledSystem) -> CompiledFunction:
    """Return the compiled function of positions and rotations of all bodies at (y, u)."""

    def poses(y: Array, u: Array) -> dict[str, Array]:
        return body_poses(model, model.instant(y, u).outward)

    return model.function("poses", poses, model.sizes_of("y", "u"))


def body_poses(model: CompiledSystem, outward: Outward) -> dict[str, Array]:
    """Return positions and rotations of all bodies in the world."""
    bodies, ground = model.system.bodies, model.system.ground
    return {
        "positions": array(outward.placement(b, ground).r for b in bodies),
        "rotations": array(axes(outward, b) for b in bodies),
    }


ASKED = "coordinates and poses where loops are led"


def place_bodies(model: CompiledSystem, y: Floats, u: Floats) -> tuple[Floats, Poses]:
    """Return coordinates in the order of `coordinate_entries`, and poses, by compiled functions."""
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
    if asked[0] > 1 and not find_continued(model) - set(found):
        values, positions, rotations = placing(model, found)(
            y, u, np.concatenate([np.zeros(0), *found.values()])
        )
    else:
        with np.errstate(all="ignore"):
            parts = parts_at(model, y, u, found).values()
            values, positions, rotations = (np.asarray(part, dtype=float) for part in parts)
    if not all(np.isfinite(each).all() for each in (values, positions, rotations)):
        return None
    return values, Poses(tuple(body.name for body in model.system.bodies), positions, rotations)


def find_continued(model: CompiledSystem) -> set[Linkage]:
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
    return {"values": all_coordinates(model, outward), **body_poses(model, outward)}
