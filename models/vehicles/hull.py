"""The hull of a vehicle, which may touch the road."""

from __future__ import annotations

import numpy as np

from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.system import System
from ce_dynamics.models.data.quantities import Point
from ce_dynamics.models.parts.body_contact import BodyContact, ContactData
from ce_dynamics.models.parts.roads.contract import Road

POINTS = ("low_front", "low_rear", "high_front", "high_rear", "roof_front", "roof_rear")


class HullData(ContactData):
    """Points of the left half that touch the road first, mirrored to the right, and how they give way.

    Tyres of a vehicle with a hull may lean any way (`LeaningTyre`).  Points of the
    roof may be left out.
    """

    low_front: Point
    low_rear: Point
    high_front: Point
    high_rear: Point
    roof_front: Point | None = None
    roof_rear: Point | None = None

    def add(self, system: System, body: Body, road: Road) -> None:
        """Add the element ``hull``."""
        left = [np.array(point) for point in (getattr(self, name) for name in POINTS) if point is not None]
        points = [np.array([1.0, side, 1.0]) * point for point in left for side in (1.0, -1.0)]
        system.add_force(BodyContact("hull", body, system.ground, points, self, road))
