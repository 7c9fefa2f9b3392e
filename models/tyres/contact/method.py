"""The contract of ways to find the plane that a wheel stands on."""

from __future__ import annotations

from abc import ABC, abstractmethod

from ce_dynamics.models.parts.roads.contract import Road
from ce_dynamics.models.tyres.contact.frame import GroundPlane, WheelPose


class ContactMethod(ABC):
    """Contract.

    1. On a plane road, `plane` is that plane, or as near to it as the method says.
    2. It is continuous in the wheel's pose and written on scalars and `where`.
    3. In the air the plane leaves the wheel no deflection.
    """

    @abstractmethod
    def plane(self, road: Road, wheel: WheelPose) -> GroundPlane:
        """The effective plane of a road under a wheel."""
