"""Brakes: as written in data files."""

from __future__ import annotations

from typing import Annotated

from ce_dynamics.models.data.quantities import Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.brake import BrakeParameters


class BrakeData(Section):
    """Brake of one wheel.

    ``lag`` is the time in which the pressure follows the pedal, to first order; at once if not given.
    """

    max_torque: Annotated[float, Quantity("N*m", above=0.0)]
    stiffness: Annotated[float, Quantity("N*m/rad", above=0.0)]
    damping: Annotated[float, Quantity("N*m*s/rad", above=0.0)]
    lag: Annotated[float, Quantity("s", above=0.0)] | None = None

    def built(self) -> BrakeParameters:
        """Return the parameters of the brake."""
        return BrakeParameters(self.max_torque, self.stiffness, self.damping, self.lag)
