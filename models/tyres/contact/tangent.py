"""The road's tangent plane below the lowest point of the wheel: exact on planes, good on gentle roads."""

from __future__ import annotations

from ce_dynamics.algebra.arrays import array
from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.tyres.contact.frame import GroundPlane, WheelPose
from ce_dynamics.models.tyres.contact.method import ContactMethod


class TangentPlane(ContactMethod):
    """One point; needs heights and slopes."""

    def plane(self, road: Road, wheel: WheelPose) -> GroundPlane:
        low = wheel.low
        e_n = road.normal(low[0], low[1])
        ground = array((low[0], low[1], road.height(low[0], low[1])))
        return GroundPlane(ground, e_n, 1.0, road.friction(low[0], low[1]))
