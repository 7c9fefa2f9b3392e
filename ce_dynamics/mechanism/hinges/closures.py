"""Closures of loops that are no hinges: distances, guides, and joints between two frames."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array
from ce_dynamics.compiler.free_numbers import decide
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import across, finite_number, finite_vector, magnitude, unit_axis
from ce_dynamics.mechanism.hinges.conditions import (
    Angle,
    AtOnePoint,
    Coincident,
    Condition,
    InPlane,
    Separation,
    on_line,
)


class Distance:
    """A point of the parent and a point of the child keep their distance.

    Not a hinge, for it has no coordinates: it closes loops.

    Parameters
    ----------
    at_a : sequence of 3 floats
        Point fixed on the parent (the first body), in the design pose [m].
    at_b : sequence of 3 floats
        Point fixed on the child (the second body), in the design pose [m].
    length : float, optional
        Distance to keep [m]; by default that of the design pose.
    """

    def __init__(self, at_a: ArrayLike, at_b: ArrayLike, length: float | None = None) -> None:
        self.at_a = finite_vector(at_a, "Distance", "at_a")
        self.at_b = finite_vector(at_b, "Distance", "at_b")
        design = magnitude(self.at_b - self.at_a)
        self.length = design if length is None else finite_number(length, "Distance", "length")
        if decide(self.length <= 0.0, "Distance: the two points coincide, or the length is not positive"):
            raise ModelError(
                f"Distance: length is {self.length!r} m between at_a {at_a!r} and at_b {at_b!r}; it must be"
                " positive (points that coincide are closed by Spherical)"
            )

    @property
    def at_parent(self) -> Array:
        """Design position of the point on the parent."""
        return self.at_a

    @property
    def at_child(self) -> Array:
        """Design position of the point on the child."""
        return self.at_b

    @property
    def constraints(self) -> tuple[Condition, ...]:
        """The one condition, on the two points."""
        return (Separation(self.length),)


class PointOnLine(AtOnePoint):
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


class PointOnPlane(AtOnePoint):
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


KINDS = ("revolute", "continuous", "prismatic", "planar", "spherical", "fixed")
ORTHOGONAL = 1e-9
"""Largest entry of RᵀR − 1 of axes that count as those of a frame."""


class BetweenFrames:
    """A joint between a frame on one body and a frame on another, which may be apart in the design pose.

    A hinge of the library is placed where the bodies meet in the design pose.  Where there is no such
    pose, each body gets a frame of its own; the loop is assembled from the design pose, with the independent
    coordinates held.

    Parameters
    ----------
    kind : str
        ``"revolute"``, ``"prismatic"``, ``"planar"``, ``"spherical"`` or ``"fixed"``.
    at_a, at_b : (3,) array_like
        Origins of the frames in the design pose [m].
    R_a, R_b : (3, 3) array_like
        Their axes as columns, in the design pose; the world's if not given.
    axis : (3,) array_like
        The joint's axis, or the normal of the plane, in either frame.

    Examples
    --------
    A triangle of a slider, a rod and the ground, whose rod ends nowhere near in the design pose:

    >>> import ce_dynamics as ce
    >>> s = ce.System()
    >>> slide = ce.Prismatic((1, 0, 0))
    >>> slider = s.add_body("slider", mass=1.0, parent="ground", hinge=slide)
    >>> rod = s.add_body("rod", mass=1.0, com=(0, 0, 0.5), inertia=(0.1, 0.1, 0.0), parent=slider,
    ...                  hinge=ce.Revolute((0, 1, 0)))
    >>> end, wall = (0, 0, 1), (0.6, 0, 0.5)
    >>> joint = ce.BetweenFrames("spherical", end, wall)
    >>> pin = s.add_body("pin", mass=0.1, com=wall, parent="ground", hinge=ce.Prismatic((0, 0, 1), at=wall))
    >>> loop = s.close_loop("tip", rod, pin, joint, independent=[slider])
    >>> found = ce.compile(s).assemble().coordinates
    >>> round(found["rod"], 6), round(found["pin"], 6)  # sin = 0.6, and cos − 0.5
    (0.643501, 0.3)
    """

    def __init__(
        self,
        kind: str,
        at_a: ArrayLike,
        at_b: ArrayLike,
        R_a: ArrayLike = ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        R_b: ArrayLike = ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
        axis: ArrayLike = (0.0, 0.0, 1.0),
    ) -> None:
        kind = checks.choice("BetweenFrames: kind", kind, KINDS)
        self.at_parent = finite_vector(at_a, "BetweenFrames", "at_a")
        self.at_child = finite_vector(at_b, "BetweenFrames", "at_b")
        R_a, R_b = axes_of(R_a, "R_a"), axes_of(R_b, "R_b")
        shared = unit_axis(axis, "BetweenFrames")
        self.constraints = conditions(kind, R_a, R_b, R_a @ shared, R_b @ shared)
        name = {"continuous": "Revolute"}.get(kind, kind.capitalize())
        self.kind = f"{name}, open in the design pose"


def conditions(kind: str, R_a: Array, R_b: Array, axis_a: Array, axis_b: Array) -> tuple[Condition, ...]:
    """Return the conditions of a joint between points and directions of two frames."""
    e1, e2 = across(axis_a)
    aligned = Angle(e1, axis_b), Angle(e2, axis_b)
    (x_a, y_a, z_a), (x_b, y_b, z_b) = R_a.T, R_b.T
    unturned = Angle(x_a, y_b), Angle(y_a, z_b), Angle(z_a, x_b)
    kept: dict[str, tuple[Condition, ...]] = {
        "revolute": (Coincident(), *aligned),
        "continuous": (Coincident(), *aligned),
        "prismatic": (InPlane(e1), InPlane(e2), *unturned),
        "planar": (InPlane(axis_a), *aligned),
        "spherical": (Coincident(),),
        "fixed": (Coincident(), *unturned),
    }
    return kept[kind]


def axes_of(value: ArrayLike, what: str) -> Array:
    """Return a user's axes of a frame, checked."""
    R = checks.numbers(f"BetweenFrames: {what}", value)
    if R.shape != (3, 3) or not np.all(np.isfinite(R)):
        raise ModelError(f"BetweenFrames: {what} {checks.show(value)} must be 3×3 finite numbers")
    if np.max(np.abs(R.T @ R - np.eye(3))) > ORTHOGONAL or np.linalg.det(R) < 0.0:
        raise ModelError(
            f"BetweenFrames: {what} {checks.show(value)} must have orthogonal unit vectors as columns, "
            f"right-handed"
        )
    return R
