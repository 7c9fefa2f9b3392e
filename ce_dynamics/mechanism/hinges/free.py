"""Free hinge: any relative motion, for example of a vehicle's chassis over the ground."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array, concatenate
from ce_dynamics.algebra.rotation import normalise, quaternion_rate, rotation_from_quaternion
from ce_dynamics.algebra.spatial import IDENTITY, blocks
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Condition


class Free(Hinge):
    """Displacement of the design point ``at`` and rotation by a unit quaternion.

    q = [x y z, qw qx qy qz] and v = [wx wy wz, vx vy vz]: angular velocity of the child and velocity of the
    child's hinge point relative to the parent, both in the parent's axes.  The quaternion keeps the sign it
    is given (it and its opposite are the same pose), so that it stays continuous in time.

    Parameters
    ----------
    at : sequence of 3 floats
        The child's point whose displacement is counted, in the design pose [m].
    """

    n_q = 7
    n_v = 6
    coordinate_names = ("x", "y", "z", "qw", "qx", "qy", "qz")
    velocity_names = ("wx", "wy", "wz", "vx", "vy", "vz")
    coordinate_units = ("m", "m", "m", "1", "1", "1", "1")
    velocity_units = ("rad/s", "rad/s", "rad/s", "m/s", "m/s", "m/s")

    def __init__(self, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.at = finite_vector(at, "Free", "at")

    @property
    def neutral(self) -> Array:
        return array((0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0))

    def configuration(self, q: Array) -> Array:
        """Return c = [x y z, quaternion of unit length]: integration errors in its length do no harm."""
        return concatenate((q[:3], normalise(q[3:])))

    def coordinates(self, c: Array) -> Array:
        return c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_from_quaternion(c[3:]), c[:3]

    def H(self, c: Array) -> Array:
        return blocks(IDENTITY, 0.0 * IDENTITY, IDENTITY)

    def q_dot(self, q: Array, v: Array) -> Array:
        """Return velocity of the point, then ½ (0, ω) ⊗ quaternion, which keeps the quaternion's length."""
        return concatenate((v[3:], quaternion_rate(q[3:], v[:3])))

    def velocity_of(self, k: int) -> int | None:
        """Return the velocity of a displacement; displacements come after the rotation."""
        return 3 + k if k in (0, 1, 2) else None

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return ()
