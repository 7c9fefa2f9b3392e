"""Surfaces fixed on the ground that bodies touch."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol, TypeAlias

from numpy.typing import ArrayLike

from ce_dynamics.algebra import checks
from ce_dynamics.algebra.arrays import Array, Scalar, array, cross, dot, norm, where
from ce_dynamics.errors import ModelError
from ce_dynamics.mechanism.checked import across, finite_number, finite_vector
from ce_dynamics.mechanism.hinges.rolling import unit_normal

UNIT = 1e-9
"""Largest deviation of the length of a normal from one."""
NEWTON_STEPS = 8
"""To the nearest point of a road; each doubles the digits."""
SLOPE_STEP = 1e-6
"""Over which slopes are differenced [m]."""

Lever: TypeAlias = Callable[[Array], Array]


class SurfaceTouch(NamedTuple):
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

    def touch(self, r: Array) -> SurfaceTouch:
        """Return distance, frame and friction at a point in world axes."""
        ...


class RoadLike(Protocol):
    """Interface of a road; see `ce_dynamics.models.parts.roads`."""

    def height(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the height of the road at x, y [m]."""
        ...

    def normal(self, x: Scalar, y: Scalar) -> Array:
        """Return the upward unit normal."""
        ...

    def friction(self, x: Scalar, y: Scalar) -> Scalar:
        """Return the friction coefficient."""
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
        self.normal = unit_normal(normal, "plane", "normal", UNIT)
        self.point = finite_vector(point, "plane", "point")
        self.tangent_1, self.tangent_2 = across(self.normal)

    def touch(self, r: Array) -> SurfaceTouch:
        return SurfaceTouch(
            (r - self.point) @ self.normal, self.normal, self.tangent_1, self.tangent_2, self.mu
        )


class RoadSurface:
    """A road as a surface: distances are those of the nearest point of the road.

    The foot f = (x, y, height) of the shortest way satisfies (r − f) · ∂f/∂x = (r − f) · ∂f/∂y = 0, where r
    moves with the foot if it is the nearest point of a wheel.  It is found by Newton's method on differences
    of the slope, which decide how fast it converges but not whereto.  The distance of the foot is stationary,
    so that its rate is that of the material point at r.
    """

    def __init__(self, road: RoadLike) -> None:
        what = "a road: an object with height(x, y), normal(x, y) and friction(x, y)"
        self.road = checks.provides("RoadSurface: road", road, ("height", "normal", "friction"), what)

    def touch(self, r: Array) -> SurfaceTouch:
        return self.meet(r, lambda n: 0.0 * n)[1]

    def meet(self, centre: Array, lever: Lever) -> tuple[Array, SurfaceTouch]:
        """Return the nearest point of a wheel, and the road seen from it; see `meet`."""
        x, y = centre[0], centre[1]
        first = centre + lever(self.road.normal(x, y))
        x, y = first[0], first[1]
        for _ in range(NEWTON_STEPS):
            x, y = self._improved(centre, lever, x, y)
        n = self.road.normal(x, y)
        r = centre + lever(n)
        foot = array((x, y, self.road.height(x, y)))
        tangent_1 = array((n[2], 0.0, -n[0]))  # along x, in the surface
        tangent_1 = tangent_1 / norm(tangent_1)
        return r, SurfaceTouch(dot(n, r - foot), n, tangent_1, cross(n, tangent_1), self.road.friction(x, y))

    def _off(self, centre: Array, lever: Lever, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return (r − f) · ∂f/∂x and (r − f) · ∂f/∂y."""
        n = self.road.normal(x, y)
        r = centre + lever(n)
        up = r[2] - self.road.height(x, y)
        return r[0] - x - up * n[0] / n[2], r[1] - y - up * n[1] / n[2]

    def _improved(self, centre: Array, lever: Lever, x: Scalar, y: Scalar) -> tuple[Scalar, Scalar]:
        """Return a Newton step; where the distance is no minimum, a step to the foot on the tangent plane."""
        f, g = self._off(centre, lever, x, y)
        f_x, g_x = self._off(centre, lever, x + SLOPE_STEP, y)
        f_y, g_y = self._off(centre, lever, x, y + SLOPE_STEP)
        a, b = (f_x - f) / SLOPE_STEP, (f_y - f) / SLOPE_STEP
        c, d = (g_x - g) / SLOPE_STEP, (g_y - g) / SLOPE_STEP
        determinant = a * d - b * c
        regular = where(a + d < -0.2, where(determinant > 0.01, 1.0, 0.0), 0.0) > 0.5
        safe = where(regular, determinant, 1.0)
        n = self.road.normal(x, y)
        flat = n[2] * n[2]
        dx = where(regular, (b * g - d * f) / safe, flat * f)
        dy = where(regular, (c * f - a * g) / safe, flat * g)
        return x + dx, y + dy


def meet(surface: Surface, centre: Array, lever: Lever) -> tuple[Array, SurfaceTouch]:
    """Return the nearest point of a wheel, and the surface seen from it.

    The lever leads from the centre to the point nearest to a plane of a given normal.  A curved surface has a
    ``meet(centre, lever)`` of its own; of others the normal at the centre is taken.
    """
    if hasattr(surface, "meet"):
        curved: tuple[Array, SurfaceTouch] = surface.meet(centre, lever)
        return curved
    r = centre + lever(surface.touch(centre).normal)
    return r, surface.touch(r)
