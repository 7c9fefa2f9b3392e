"""Positions and orientations of all bodies, and all coordinates, at one state."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import CompiledSystem
from ce_dynamics.compiled.state_arguments import StateArguments, Unpack, state_given, takes_state
from ce_dynamics.compiler import CompiledFunction


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
    bodies, ground = model.system.bodies, model.system.ground

    def poses(y: Array, u: Array) -> dict[str, Array]:
        places = [model.instant(y, u).outward.placement(body, ground) for body in bodies]
        return {"positions": array(at.r for at in places), "rotations": array(at.R for at in places)}

    return model.function("poses", poses, model.sizes_of("y", "u"))
