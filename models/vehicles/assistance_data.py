"""Data of the controllers that assist the driver: one optional section each."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from ce_dynamics.models.data.quantities import PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.assistance.abs import AntiLockParameters
from ce_dynamics.models.parts.assistance.esc import StabilityParameters
from ce_dynamics.models.parts.assistance.shifting import ShiftingParameters
from ce_dynamics.models.parts.assistance.traction import TractionParameters

Spin = Annotated[float, Quantity("rad/s", above=0.0)]
Period = Annotated[float, Quantity("s", above=0.0)]
Gain = Annotated[float, Quantity("1/s", above=0.0)]
Speed = Annotated[float, Quantity("m/s", above=0.0)]


class AntiLockData(Section):
    """See `AntiLockParameters`."""

    period: Period
    slip: PositiveFraction
    gain: Annotated[float, Quantity("s/m", above=0.0)]
    reset_time: Annotated[float, Quantity("s", above=0.0)]
    least_speed: Speed

    def built(self) -> AntiLockParameters:
        """Return the parameters of the controller."""
        return AntiLockParameters(*(getattr(self, name) for name in type(self).model_fields))


class TractionData(Section):
    """See `TractionParameters`."""

    period: Period
    slip: PositiveFraction
    gain: Gain
    brake_gain: Gain

    def built(self) -> TractionParameters:
        """Return the parameters of the controller."""
        return TractionParameters(self.period, self.slip, self.gain, self.brake_gain)


class StabilityData(Section):
    """See `StabilityParameters`."""

    period: Period
    understeer: Annotated[float, Quantity("rad*s^2/m", at_least=0.0)]
    lateral_acceleration: Annotated[float, Quantity("m/s^2", above=0.0)]
    dead_band: Annotated[float, Quantity("rad/s", at_least=0.0)]
    gain: Annotated[float, Quantity("s/rad", above=0.0)]
    sideslip: Annotated[float, Quantity("rad", above=0.0)]
    sideslip_gain: Annotated[float, Quantity("1/s", at_least=0.0)]
    rate: Gain
    least_speed: Speed

    def built(self) -> StabilityParameters:
        """Return the parameters of the controller."""
        return StabilityParameters(*(getattr(self, name) for name in type(self).model_fields))


class ShiftingData(Section):
    """See `ShiftingParameters`."""

    period: Period
    upshift: Spin
    downshift: Spin
    time: Annotated[float, Quantity("s", above=0.0)]
    bite_speed: Spin

    @model_validator(mode="after")
    def _shifts_up_and_down(self) -> ShiftingData:
        if not self.downshift < self.upshift:
            raise ValueError(
                f"downshift {self.downshift:g} rad/s must be below upshift {self.upshift:g} rad/s"
            )
        return self

    def built(self) -> ShiftingParameters:
        """Return the parameters of the gear shifts."""
        return ShiftingParameters(*(getattr(self, name) for name in type(self).model_fields))


class AssistanceData(Section):
    """Data of anti-lock brakes, traction control, stability control and shifting."""

    abs: AntiLockData | None = None
    traction: TractionData | None = None
    esc: StabilityData | None = None
    shifting: ShiftingData | None = None
