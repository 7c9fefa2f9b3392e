"""Chooses the contact method for a road."""

from __future__ import annotations

from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.tyres.contact.covered import Covered
from ce_dynamics.models.tyres.contact.four_points import FourPoints
from ce_dynamics.models.tyres.contact.method import ContactMethod
from ce_dynamics.models.tyres.contact.tangent import TangentPlane

METHODS: dict[str, ContactMethod] = {
    "tangent": TangentPlane(),
    "points": FourPoints(),
    "covered": Covered(),
}
"""By name."""

SHARP = 0.5
"""Curvature of a road times radius of a wheel from which on edges count as such."""


def method_for(road: Road, radius: float) -> ContactMethod:
    """The tangent plane on planes, four points on roads that a wheel can follow, areas over edges."""
    if road.sharpness == 0.0:
        return METHODS["tangent"]
    return METHODS["points" if road.sharpness * radius < SHARP else "covered"]
