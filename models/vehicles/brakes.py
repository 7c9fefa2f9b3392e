"""Brakes: as written in data files."""

from __future__ import annotations

from typing import Annotated

from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.brake import BrakeParameters


class BrakeData(Section):
    """Brake of one wheel."""

    max_torque: Annotated[float, Quantity("N*m", above=0.0)]
    stiffness: Annotated[float, Quantity("N*m/rad", above=0.0)]
    damping: Annotated[float, Quantity("N*m*s/rad", above=0.0)]

    def built(self) -> BrakeParameters:
        """As built."""
        return BrakeParameters(self.max_torque, self.stiffness, self.damping)
