"""Revolute hinge: rotation about one axis fixed on both bodies."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, arctan2, array, cos, sin, zeros
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.algebra.spatial import spatial
from ce_dynamics.mechanism.checked import finite_vector, unit_axis
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Coincident, Condition, aligned
from ce_dynamics.mechanism.orientation import Directions


class Revolute(Hinge):
    """Rotation by q about ``axis`` through the design point ``at``.

    Parameters
    ----------
    axis : sequence of 3 floats
        Direction of the axis in the design pose; need not be normalised.
    at : sequence of 3 floats
        A point of the axis in the design pose [m].
    """

    n_q = 1
    n_v = 1
    coordinate_names = ("",)
    velocity_names = ("",)
    coordinate_units = ("rad",)
    velocity_units = ("rad/s",)
    directions = ("axis",)

    def __init__(self, axis: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.axis = unit_axis(axis, "Revolute")
        self.at = finite_vector(at, "Revolute", "at")

    def configuration(self, q: Array) -> Array:
        """c = (cos q, sin q)."""
        return array((cos(q[0]), sin(q[0])))

    def coordinates(self, c: Array) -> Array:
        return array((arctan2(c[1], c[0]),))

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_about(self.axis, c[0], c[1]), zeros(3)

    def H(self, c: Array) -> Array:
        return array((spatial(self.axis, zeros(3)),))

    def revolve(self, directions: Directions, c: Array) -> Directions | None:
        return directions.revolved(self.axis, c[0], c[1])

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return (Coincident(), *aligned(self.axis))
