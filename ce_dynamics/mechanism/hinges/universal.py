"""Universal hinge: rotation about an axis on the parent, then about an axis on the child."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, arctan2, array, cos, cross, sin, zeros
from ce_dynamics.algebra.rotation import rotate_about, rotation_about
from ce_dynamics.algebra.spatial import spatial
from ce_dynamics.compiler.free_numbers import decide, number
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE, finite_vector, magnitude, unit_axis
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Angle, Coincident, Condition
from ce_dynamics.mechanism.orientation import Orientation


class Universal(Hinge):
    """Rotation R_rel = Rot(axis1, q1) Rot(axis2, q2) about the design point ``at``.

    ``axis1`` is fixed on the parent, ``axis2`` on the child; they need not be perpendicular.

    Parameters
    ----------
    axis1, axis2 : sequences of 3 floats
        Directions of the axes in the design pose; need not be normalised.
    at : sequence of 3 floats
        The point where the axes meet, in the design pose [m].

    Raises
    ------
    ModelError
        If the axes are parallel (the hinge would turn about one axis only).
    """

    n_q = 2
    n_v = 2
    coordinate_names = ("1", "2")
    velocity_names = ("1", "2")
    coordinate_units = ("rad", "rad")
    velocity_units = ("rad/s", "rad/s")
    directions = ("axis1", "axis2")

    def __init__(self, axis1: ArrayLike, axis2: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.axis1 = unit_axis(axis1, "Universal", "axis1")
        self.axis2 = unit_axis(axis2, "Universal", "axis2")
        self.at = finite_vector(at, "Universal", "at")
        sine = magnitude(cross(self.axis1, self.axis2))
        if decide(sine < ANGULAR_TOLERANCE, "Universal: axis1 and axis2 become parallel"):
            raise ModelError(
                f"Universal: axis1 {axis1!r} and axis2 {axis2!r} are parallel; give two directions more than"
                f" {ANGULAR_TOLERANCE:g} rad apart, or use Revolute for a single axis"
            )

    def configuration(self, q: Array) -> Array:
        """Return c = (cos q1, sin q1, cos q2, sin q2)."""
        return array((cos(q[0]), sin(q[0]), cos(q[1]), sin(q[1])))

    def coordinates(self, c: Array) -> Array:
        return array((arctan2(c[1], c[0]), arctan2(c[3], c[2])))

    def pose(self, c: Array) -> tuple[Array, Array]:
        R1 = rotation_about(self.axis1, c[0], c[1])
        return R1 @ rotation_about(self.axis2, c[2], c[3]), zeros(3)

    def H(self, c: Array) -> Array:
        return array((spatial(self.axis1, zeros(3)), spatial(self._turned_axis2(c), zeros(3))))

    def bias(self, c: Array, v: Array) -> Array:
        """Return the second axis is carried round by the first: axis1 q̇1 × (Rot(axis1, q1) axis2) q̇2."""
        return spatial(cross(self.axis1, self._turned_axis2(c)) * (v[0] * v[1]), zeros(3))

    def axes(self, c: Array, carrier: Orientation, child: Orientation | None = None) -> tuple[Array, Array]:
        if child is None:
            return super().axes(c, carrier)
        return np.stack(self._axes_on(carrier, child), axis=1), zeros(3, 2)

    def rotate_bias(
        self, c: Array, v: Array, carrier: Orientation, child: Orientation | None = None
    ) -> tuple[Array, Array]:
        if child is None:
            return super().rotate_bias(c, v, carrier)
        return cross(*self._axes_on(carrier, child)) * (v[0] * v[1]), zeros(3)

    def _axes_on(self, carrier: Orientation, child: Orientation) -> tuple[Array, Array]:
        """Return axis1, which is fixed on the carrier, and axis2, fixed on the child."""
        return carrier.rotate(self.axis1), child.rotate(self.axis2)

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return Coincident(), Angle(self.axis1, self.axis2, number(self.axis1 @ self.axis2))

    def _turned_axis2(self, c: Array) -> Array:
        """Return axis2 in the parent's axes; the second rotation does not move it."""
        return rotate_about(self.axis1, c[0], c[1], self.axis2)
