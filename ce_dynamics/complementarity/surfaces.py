"""Surfaces fixed on the ground that bodies touch."""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import ArrayLike

from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, norm
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import across, finite_number, finite_vector

UNIT = 1e-9
"""How far the length of a normal may be from one."""


class Touch(NamedTuple):
    """A surface seen from a point.

    Attributes
    ----------
    distance : scalar
        Of the point, negative inside [m].
    normal, tangent_1, tangent_2 : (3,) arrays
        Right-handed frame, the normal pointing outwards.
    mu : scalar
        Friction coefficient there.
    """

    distance: Scalar
    normal: Array
    tangent_1: Array
    tangent_2: Array
    mu: Scalar


class Surface(Protocol):
    """A surface on the ground."""

    def touch(self, r: Array) -> Touch:
        """Distance, frame and friction at a point in world axes."""
        ...


class Road(Protocol):
    """What of a road is needed, see `ce_dynamics.models.parts.road`."""

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Height of the road at x, y [m]."""
        ...

    def normal(self, x: Scalar, y: Scalar) -> Array:
        """Upward unit normal."""
        ...

    def friction(self, x: Scalar, y: Scalar) -> Scalar:
        """Friction coefficient."""
        ...


class Plane:
    """A plane on the ground.

    Parameters
    ----------
    friction : float
        μ, not negative.
    normal : sequence of 3 floats
        Unit vector away from the ground.
    point : sequence of 3 floats
        Any point of the plane [m].

    Raises
    ------
    ModelError
        If μ is negative or not finite, or the normal's length is not one.
    """

    def __init__(
        self,
        friction: float = 0.0,
        normal: ArrayLike = (0.0, 0.0, 1.0),
        point: ArrayLike = (0.0, 0.0, 0.0),
    ) -> None:
        self.mu = finite_number(friction, "plane", "friction")
        if self.mu < 0.0:
            raise ModelError(f"plane: friction {friction!r} must not be negative")
        self.normal = unit_normal(normal, "plane")
        self.point = finite_vector(point, "plane", "point")
        self.tangent_1, self.tangent_2 = across(self.normal)

    def touch(self, r: Array) -> Touch:
        return Touch((r - self.point) @ self.normal, self.normal, self.tangent_1, self.tangent_2, self.mu)


class RoadSurface:
    """A road as a surface: distances are measured along its normal above or below the point.

    That is exact for planes; above a curved road it is off by the curvature times the square of the height.
    """

    def __init__(self, road: Road) -> None:
        self.road = road

    def touch(self, r: Array) -> Touch:
        x, y = r[0], r[1]
        n = self.road.normal(x, y)
        forward = array((n[2], 0.0, -n[0]))  # along x, in the surface
        tangent_1 = forward / norm(forward)
        distance = (r[2] - self.road.height(x, y)) * n[2]
        return Touch(distance, n, tangent_1, cross(n, tangent_1), self.road.friction(x, y))


def unit_normal(normal: ArrayLike, owner: str) -> Array:
    """A user's unit vector; refuses any other length.

    Raises
    ------
    ModelError
        If its length is not one (to rounding).
    """
    n = finite_vector(normal, owner, "normal")
    length = float(np.linalg.norm(n))
    if abs(length - 1.0) > UNIT:
        raise ModelError(f"{owner}: normal {n.tolist()} has length {length:g}; it must be a unit vector")
    return n / length
