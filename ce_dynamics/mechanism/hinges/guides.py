"""Guides: a point of one body that stays on a line or in a plane of another, as closures of loops."""

from __future__ import annotations

from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array
from ce_dynamics.mechanism.checked import finite_vector, unit_axis
from ce_dynamics.mechanism.hinges.conditions import Condition, InPlane, on_line


class _Guide:
    """A point in which parent and child meet in the design pose."""

    at: Array

    @property
    def at_parent(self) -> Array:
        """Design position of a point of the guide."""
        return self.at

    @property
    def at_child(self) -> Array:
        """Design position of the point on the child."""
        return self.at


class PointOnLine(_Guide):
    """A point of the child stays on a line of the parent; it may slide along it and the child may turn.

    Not a hinge, for it has no coordinates: it closes loops.

    Parameters
    ----------
    axis : sequence of 3 floats
        Direction of the line, fixed on the parent (the first body), in the design pose; need not be
        normalised.
    at : sequence of 3 floats
        The point, fixed on the child (the second body), in the design pose [m].
    """

    def __init__(self, axis: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.axis = unit_axis(axis, "PointOnLine")
        self.at = finite_vector(at, "PointOnLine", "at")

    @property
    def constraints(self) -> tuple[Condition, ...]:
        """The two conditions, on the point."""
        return on_line(self.axis)


class PointOnPlane(_Guide):
    """A point of the child stays in a plane of the parent.

    Not a hinge, for it has no coordinates: it closes loops.

    Parameters
    ----------
    normal : sequence of 3 floats
        Normal of the plane, fixed on the parent (the first body), in the design pose; need not be normalised.
    at : sequence of 3 floats
        The point, fixed on the child (the second body), in the design pose [m].
    """

    def __init__(self, normal: ArrayLike, at: ArrayLike = (0.0, 0.0, 0.0)) -> None:
        self.normal = unit_axis(normal, "PointOnPlane", "normal")
        self.at = finite_vector(at, "PointOnPlane", "at")

    @property
    def constraints(self) -> tuple[Condition, ...]:
        """The one condition, on the point."""
        return (InPlane(self.normal),)
