"""The plane through four points of the road under the contact patch (Rill).

Ahead of and behind the lowest point of the wheel, to its left and to its right: differences of heights are
the slopes of the plane and their mean its height, so that waves shorter than the patch are smoothed.
"""

from __future__ import annotations

from ce_dynamics.algebra.arrays import Scalar, array, cross
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.tyres.contact.frame import GroundPlane, WheelPose, length
from ce_dynamics.models.tyres.contact.method import ContactMethod

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
