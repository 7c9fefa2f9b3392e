"""Chooses the contact method for a road.

The plane through four points of the road under the contact patch (Rill).

Ahead of and behind the lowest point of the wheel, to its left and to its right: differences of heights are
the slopes of the plane and their mean its height, so that waves shorter than the patch are smoothed.

Equivalent deflection by the area of the wheel that the road covers: edges, steps, short bumps.

The road covers an area A of the unloaded wheel, seen from the side.  A tyre that resists being covered as on
a plane stores as much energy for the same A, so that its force is

    F = −∂W/∂r = F_n(δ) ∇A / c(δ),        A_segment(δ) = A,        c = dA_segment/dδ the chord,          (a)

with δ the deflection on a plane that covers as much.  ∇A is square to the line between the two ends of what
is covered, so its direction is that of the effective plane (equivalent volumes: Sui and Hirshey 2001); on a
plane F = F_n, and over whatever obstacle the tyre gives back what it has taken up.  Where a wheel bridges a
gap the forces of both edges add up as vectors: |∇A|/c, the `share`, is less than one.

Heights are read at nodes that stand equally along the chord; between two nodes road and circle are a straight
line and its circular arc.  Two rows side by side see the slope across.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod

from ce_dynamics.algebra.arrays import Array, Scalar, absolute, array, cross, dot, maximum, minimum, sqrt
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.tyres.contact.frame import GroundPlane, WheelPose, length


class ContactMethod(ABC):
    """Contract.

    1. On a plane road, `plane` is that plane, or as near to it as the method allows.
    2. It is continuous in the wheel's pose and written on scalars and `where`.
    3. In the air the plane leaves the wheel no deflection.
    """

    @abstractmethod
    def plane(self, road: Road, wheel: WheelPose) -> GroundPlane:
        """Return the effective plane of a road under a wheel."""


HALF = 12
"""Intervals ahead of the middle, and as many behind."""
REACH = 0.96
"""Reach of the nodes, in parts of the radius: 74° from the lowest point."""
APART = 1.0 / math.sqrt(3.0)
"""Distance of the two rows over the width: Gauss points."""

_TINY = 1e-12


class Covered(ContactMethod):
    """Fifty heights in two rows, no slopes; to 0.2 % of the deflection on planes."""

    def plane(self, road: Road, wheel: WheelPose) -> GroundPlane:
        r0, axis, up = wheel.r0, wheel.axis, wheel.up
        forward = cross(axis, up)
        rows = [self.row(road, wheel, forward, up, side * 0.5 * APART * wheel.width) for side in (1.0, -1.0)]
        area = 0.5 * (rows[0][0] + rows[1][0])
        # −∇A: by z the length that is covered, by x the difference of height of its ends
        by_up = 0.5 * (rows[0][1] + rows[1][1])
        by_forward = 0.5 * (rows[0][2] + rows[1][2])
        by_left = (rows[0][0] - rows[1][0]) / (APART * wheel.width)
        q = relative_deflection(area / (r0 * r0))
        chord = 2.0 * r0 * sqrt(2.0 * q - q * q + _TINY)
        # in the air the plane below the wheel
        normal = (by_up + _TINY) * up - by_forward * forward - by_left * axis
        size = length(normal)
        e_n = normal / size
        # the wheel plane meets the effective plane at the distance r0 − δ from the centre
        in_plane = e_n - dot(e_n, axis) * axis
        radial = in_plane / length(in_plane)
        point = wheel.r - (r0 - q * r0) * radial
        low = wheel.low
        return GroundPlane(point, e_n, size / (chord + _TINY), road.friction(low[0], low[1]))

    def row(
        self, road: Road, wheel: WheelPose, forward: Array, up: Array, aside: float
    ) -> tuple[Scalar, Scalar, Scalar]:
        """Return area, length and difference of height of the ends of one row of the contact."""
        r0 = wheel.r0
        step = REACH * r0 / HALF
        middle = wheel.r + aside * wheel.axis
        depths = []
        for k in range(-HALF, HALF + 1):
            xi = k * step
            at = middle + xi * forward - math.sqrt(r0 * r0 - xi * xi) * up
            depths.append((road.height(at[0], at[1]) - at[2]) / up[2])
        area: Scalar = 0.0
        along: Scalar = 0.0
        rise: Scalar = 0.0
        for k, (a, b) in enumerate(itertools.pairwise(depths), start=-HALF):
            deep = maximum(a, 0.0) + maximum(b, 0.0)
            part = deep / (absolute(a) + absolute(b) + _TINY)  # how much of the interval is covered
            arc, height = interval(r0, k * step, (k + 1) * step)
            area = area + 0.5 * step * part * deep + arc * part * part * (3.0 - 2.0 * part)
            along = along + step * part
            rise = rise + height * part
        return area, along, rise


def interval(r0: float, a: float, b: float) -> tuple[float, float]:
    """Return area between the circle and its chord from a to b, and by how much the circle rises there."""
    low, high = (-math.sqrt(r0 * r0 - x * x) for x in (a, b))

    def integral(x: float) -> float:
        return 0.5 * (x * math.sqrt(r0 * r0 - x * x) + r0 * r0 * math.asin(x / r0))

    return integral(b) - integral(a) + 0.5 * (low + high) * (b - a), high - low


C_1, C_2, C_3 = 1.0 / 10.0, 11.0 / 350.0, 823.0 / 63000.0
"""Coefficients of the inverted series; the next is 0.0062."""


def relative_deflection(area: Scalar) -> Scalar:
    """Return δ/r0 of a circular segment of an area over r0².

    A/r0² = (4√2/3) q^(3/2) (1 − 3q/20 − 3q²/224 − q³/384 − …), inverted in powers of
    k = (3 A/(4√2 r0²))^(2/3).
    """
    x = maximum(area, 0.0) * (3.0 / (4.0 * math.sqrt(2.0)))
    k = (x + 1e-18) ** (2.0 / 3.0)
    return minimum(k * (1.0 + k * (C_1 + k * (C_2 + k * C_3))), 1.0)


AHEAD = 0.2
"""Distance of the points ahead and behind from the middle, over the radius: half a usual contact patch."""
ASIDE = 0.3
"""Distance of the points aside from the middle, over the width."""


class FourPoints(ContactMethod):
    """Four heights, no slopes; exact on planes."""

    def plane(self, road: Road, wheel: WheelPose) -> GroundPlane:
        axis, low = wheel.axis, wheel.low
        forward = cross(axis, wheel.up)  # horizontal: square to the axis and to what is highest in the plane
        a, b = AHEAD * wheel.r0, ASIDE * wheel.width
        level = array((axis[0], axis[1], 0.0))
        left = level / length(level)

        def height(along: float, across: float) -> Scalar:
            at = low + along * forward + across * left
            return road.height(at[0], at[1])

        front, back = height(a, 0.0), height(-a, 0.0)
        port, starboard = height(0.0, b), height(0.0, -b)
        by_x, by_y = (front - back) / (2.0 * a), (port - starboard) / (2.0 * b)
        # e_n ∝ e_z − s_x forward − s_y left, for which the two directions are square to each other
        normal = array((0.0, 0.0, 1.0)) - by_x * forward - by_y * left
        mean = 0.25 * (front + back + port + starboard)
        return GroundPlane(
            array((low[0], low[1], mean)),
            normal / length(normal),
            1.0,
            road.friction(low[0], low[1]),
        )


class TangentPlane(ContactMethod):
    """One point; needs heights and slopes."""

    def plane(self, road: Road, wheel: WheelPose) -> GroundPlane:
        low = wheel.low
        e_n = road.normal(low[0], low[1])
        ground = array((low[0], low[1], road.height(low[0], low[1])))
        return GroundPlane(ground, e_n, 1.0, road.friction(low[0], low[1]))


METHODS: dict[str, ContactMethod] = {
    "tangent": TangentPlane(),
    "points": FourPoints(),
    "covered": Covered(),
}
"""By name."""

SHARP = 0.5
"""Curvature of a road times radius of a wheel from which on edges count as such."""


def method_for(road: Road, radius: float) -> ContactMethod:
    """Return the tangent plane on planes, four points on roads that a wheel can follow, areas over edges."""
    if road.sharpness == 0.0:
        return METHODS["tangent"]
    return METHODS["points" if road.sharpness * radius < SHARP else "covered"]
