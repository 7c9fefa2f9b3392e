"""Spherical hinge: any rotation about one point."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, array, zeros
from ce_dynamics.algebra.rotation import normalise, quaternion_rate, rotation_from_quaternion
from ce_dynamics.algebra.spatial import IDENTITY, spatial
from ce_dynamics.mechanism.checked import finite_vector
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Coincident, Condition


class Spherical(Hinge):
    """Rotation by the unit quaternion q = (w, x, y, z) about the design point ``at``.

    v is the angular velocity of the child relative to the parent, in the parent's axes.  The quaternion keeps
    the sign it is given (q and −q are the same pose), so that it stays continuous in time.

    Parameters
    ----------
    at : sequence of 3 floats
        The common point in the design pose [m].
    """

    n_q = 4
    n_v = 3
    coordinate_names = ("qw", "qx", "qy", "qz")
    velocity_names = ("wx", "wy", "wz")
    coordinate_units = ("1", "1", "1", "1")
    velocity_units = ("rad/s", "rad/s", "rad/s")

    def __init__(self, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.at = finite_vector(at, "Spherical", "at")

    @property
    def neutral(self) -> Array:
        return array((1.0, 0.0, 0.0, 0.0))

    def configuration(self, q: Array) -> Array:
        """Return c = q / |q|: integration errors in the length of q do no harm."""
        return normalise(q)

    def coordinates(self, c: Array) -> Array:
        return c

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_from_quaternion(c), zeros(3)

    def H(self, c: Array) -> Array:
        return array(spatial(row, zeros(3)) for row in IDENTITY)

    def q_dot(self, q: Array, v: Array) -> Array:
        """Return q̇ = ½ (0, ω) ⊗ q, which keeps the length of q."""
        return quaternion_rate(q, v)

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return (Coincident(),)
