"""Where all bodies are."""

from __future__ import annotations

from typing import NamedTuple

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array
from ce_dynamics.algebra.checks import Floats
from ce_dynamics.compiled.compiled_system import Answers
from ce_dynamics.dynamics.outward import axes


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


class Placing(Answers):
    """Poses of bodies."""

    def poses(self, y: ArrayLike | None = None, u: ArrayLike | None = None) -> Poses:
        """Positions and orientations of all bodies at a state, NaN where loops cannot be assembled.

        Examples
        --------
        >>> import ce_dynamics as ce
        >>> system = ce.System()
        >>> arm = system.add_body("arm", mass=1.0, com=(0.5, 0, 0), inertia=(0, 0.1, 0.1),
        ...                       parent=system.ground, hinge=ce.Revolute(axis=(0, 1, 0)))
        >>> ce.compile(system).poses([1.5707963267948966, 0.0]).positions.round(9) + 0.0
        array([[ 0. ,  0. , -0.5]])
        """

        def poses(y: Array, u: Array) -> dict[str, Array]:
            outward = self.instant(y, u).outward
            bodies = self.system.bodies
            return {
                "positions": array(outward.placement(b, self.system.ground).r for b in bodies),
                "rotations": array(axes(outward, b) for b in bodies),
            }

        function = self._function("poses", poses, self._sizes_of("y", "u"))
        positions, rotations = function(self._state(y), self._inputs(u))
        return Poses(tuple(body.name for body in self.system.bodies), positions, rotations)
