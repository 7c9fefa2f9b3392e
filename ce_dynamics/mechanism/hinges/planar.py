"""Planar hinge: displacement in a plane of the parent and rotation about its normal."""

from __future__ import annotations

import copy
from collections.abc import Sequence

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, arctan2, array, cos, cross, sin, zeros
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.algebra.spatial import spatial
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import ANGULAR_TOLERANCE, across, finite_vector, magnitude, unit_axis
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Condition, InPlane, align_axes


class Planar(Hinge):
    """Displacements q[0] along e1 and q[1] along e2, both fixed on the parent, and rotation q[2] about e3.

    e3 is the normal and (e1, e2, e3) a right-handed frame.

    Parameters
    ----------
    normal : sequence of 3 floats
        Normal of the plane in the design pose; need not be normalised.
    at : sequence of 3 floats
        Hinge point in the design pose [m].
    x_axis : sequence of 3 floats, optional
        Direction e1, perpendicular to the normal.  By default the projection onto the plane of the coordinate
        axis least aligned with the normal, the first of equals: for the normal z, e1 = x and e2 = y.
    """

    n_q = 3
    n_v = 3
    coordinate_names = ("x", "y", "angle")
    velocity_names = ("x", "y", "angle")
    coordinate_units = ("m", "m", "rad")
    velocity_units = ("m/s", "m/s", "rad/s")
    directions = ("normal",)

    def __init__(
        self, normal: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0), x_axis: ArrayLike | None = None
    ) -> None:
        self.normal = unit_axis(normal, "Planar", "normal")
        self.at = finite_vector(at, "Planar", "at")
        self.e1, self.e2 = across(self.normal) if x_axis is None else self._frame(x_axis)

    def relocate(self, directions: Sequence[Array], at: Array) -> Planar:
        twin = copy.copy(self)
        (twin.normal,), twin.at = directions, at
        e2 = cross(twin.normal, self.e1)
        twin.e2 = e2 / magnitude(e2)
        twin.e1 = cross(twin.e2, twin.normal)
        return twin

    def configuration(self, q: Array) -> Array:
        """Return c = (x, y, cos angle, sin angle)."""
        return array((q[0], q[1], cos(q[2]), sin(q[2])))

    def coordinates(self, c: Array) -> Array:
        return array((c[0], c[1], arctan2(c[3], c[2])))

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_about(self.normal, c[2], c[3]), self.e1 * c[0] + self.e2 * c[1]

    def H(self, c: Array) -> Array:
        return array((spatial(zeros(3), self.e1), spatial(zeros(3), self.e2), spatial(self.normal, zeros(3))))

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return (InPlane(self.normal), *align_axes(self.normal))

    def _frame(self, x_axis: ArrayLike) -> tuple[Array, Array]:
        x = unit_axis(x_axis, "Planar", "x_axis")
        if decide(abs(x @ self.normal) > ANGULAR_TOLERANCE, "Planar: x_axis leaves the plane"):
            raise ModelError(
                f"Planar: x_axis {x_axis!r} is not perpendicular to the normal {tuple(self.normal.tolist())};"
                f" give a direction within {ANGULAR_TOLERANCE:g} rad of the plane, or leave it out"
            )
        e2 = cross(self.normal, x)
        e2 = e2 / magnitude(e2)
        return cross(e2, self.normal), e2
