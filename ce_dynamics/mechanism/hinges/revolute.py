"""Revolute hinge: rotation about one axis fixed on both bodies."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, arctan2, array, cos, sin, zeros
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.algebra.spatial import spatial
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Coincident, Condition, align_axes
from ce_dynamics.mechanism.orientation import Directions


class Revolute(Hinge):
    """Rotation by q − q₀ about ``axis`` through the design point ``at``.

    Parameters
    ----------
    axis : sequence of 3 floats
        Direction of the axis in the design pose; need not be normalised.
    at : sequence of 3 floats
        A point of the axis in the design pose [m].
    q_design : float
        q₀, the coordinate in the design pose [rad].
    """

    n_q = 1
    n_v = 1
    coordinate_names = ("",)
    velocity_names = ("",)
    coordinate_units = ("rad",)
    velocity_units = ("rad/s",)
    directions = ("axis",)

    def __init__(self, axis: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0), *, q_design: float = 0.0) -> None:
        self.axis = unit_axis(axis, "Revolute")
        self.at = finite_vector(at, "Revolute", "at")
        self.q_design = finite_number(q_design, "Revolute", "q_design")

    @property
    def neutral(self) -> Array:
        return np.array((self.q_design,))

    def configuration(self, q: Array) -> Array:
        """Return c = (cos(q − q₀), sin(q − q₀))."""
        angle = q[0] - self.q_design if self.q_design else q[0]
        return array((cos(angle), sin(angle)))

    def coordinates(self, c: Array) -> Array:
        """Return the q in (q₀ − π, q₀ + π]."""
        angle = arctan2(c[1], c[0])
        return array((angle + self.q_design if self.q_design else angle,))

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_about(self.axis, c[0], c[1]), zeros(3)

    def H(self, c: Array) -> Array:
        return array((spatial(self.axis, zeros(3)),))

    def revolve(self, directions: Directions, c: Array) -> Directions | None:
        return directions.revolve(self.axis, c[0], c[1])

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return (Coincident(), *align_axes(self.axis))
