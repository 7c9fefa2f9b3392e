"""Cylindrical hinge and screw: rotation about an axis and sliding along it, free or coupled."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, arctan2, array, cos, sin, zeros
from ce_dynamics.algebra.rotation import rotation_about
from ce_dynamics.algebra.spatial import spatial
from ce_dynamics.mechanism.checked import finite_number, finite_vector, unit_axis
from ce_dynamics.mechanism.hinges.base import Hinge
from ce_dynamics.mechanism.hinges.conditions import Condition, InPlane, Screwed, align_axes, on_line


class Cylindrical(Hinge):
    """Rotation by q[0] about ``axis`` and displacement by q[1] along it.

    Parameters
    ----------
    axis : sequence of 3 floats
        Direction of the axis in the design pose; need not be normalised.
    at : sequence of 3 floats
        A point of the axis in the design pose [m].
    """

    n_q = 2
    n_v = 2
    coordinate_names = ("angle", "displacement")
    velocity_names = ("angle", "displacement")
    coordinate_units = ("rad", "m")
    velocity_units = ("rad/s", "m/s")
    directions = ("axis",)

    def __init__(self, axis: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.axis = unit_axis(axis, "Cylindrical")
        self.at = finite_vector(at, "Cylindrical", "at")

    def configuration(self, q: Array) -> Array:
        """Return c = (cos angle, sin angle, displacement)."""
        return array((cos(q[0]), sin(q[0]), q[1]))

    def coordinates(self, c: Array) -> Array:
        return array((arctan2(c[1], c[0]), c[2]))

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_about(self.axis, c[0], c[1]), self.axis * c[2]

    def H(self, c: Array) -> Array:
        return array((spatial(self.axis, zeros(3)), spatial(zeros(3), self.axis)))

    @property
    def constraints(self) -> tuple[Condition, ...]:
        return (*on_line(self.axis), *align_axes(self.axis))


class Screw(Hinge):
    """Rotation by q about ``axis`` with the displacement pitch × q along it.

    Parameters
    ----------
    axis : sequence of 3 floats
        Direction of the axis in the design pose; need not be normalised.
    pitch : float
        Displacement per angle [m/rad], not per turn; negative for a left-handed thread.
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

    def __init__(self, axis: ArrayLike, pitch: float, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.axis = unit_axis(axis, "Screw")
        self.pitch = finite_number(pitch, "Screw", "pitch")
        self.at = finite_vector(at, "Screw", "at")

    def configuration(self, q: Array) -> Array:
        """Return c = (cos q, sin q, q): the last distinguishes the turns."""
        return array((cos(q[0]), sin(q[0]), q[0]))

    def coordinates(self, c: Array) -> Array:
        return c[2:]

    def pose(self, c: Array) -> tuple[Array, Array]:
        return rotation_about(self.axis, c[0], c[1]), self.axis * (self.pitch * c[2])

    def H(self, c: Array) -> Array:
        return array((spatial(self.axis, self.pitch * self.axis),))

    @property
    def constraints(self) -> tuple[Condition, ...]:
        along = InPlane(self.axis) if self.pitch == 0.0 else Screwed(self.axis, self.pitch)
        return (*on_line(self.axis), *align_axes(self.axis), along)
