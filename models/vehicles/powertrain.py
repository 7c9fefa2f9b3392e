"""Engine, transmission and driveline: as written in data files."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from ce_dynamics.models.data.quantities import MomentOfInertia, Numbers, PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.powertrain import PowertrainParameters

Spins = Annotated[Numbers, Quantity("rad/s", curve=True)]
Torques = Annotated[Numbers, Quantity("N*m", curve=True)]
Ratios = Annotated[Numbers, Quantity("1", curve=True, above=0.0)]
Spin = Annotated[float, Quantity("rad/s", above=0.0)]


class TorqueCurve(Section):
    """Torque against speed, linear between the points."""

    speed: Spins
    torque: Torques

    @model_validator(mode="after")
    def _is_a_function(self) -> TorqueCurve:
        if len(self.speed) != len(self.torque):
            raise ValueError(
                f"speed has {len(self.speed)} numbers and torque {len(self.torque)}; they must pair up"
            )
        if not all(a < b for a, b in zip(self.speed, self.speed[1:], strict=False)):
            raise ValueError("speed must increase from number to number")
        return self


class EngineData(Section):
    """Engine torque at full and at closed throttle."""

    full_throttle: TorqueCurve
    closed_throttle: TorqueCurve
    max_speed: Spin
    inertia: MomentOfInertia


class TransmissionData(Section):
    """Gear ratios are output speed over input speed; the automatic shifts at engine speeds."""

    gears: Ratios
    reverse: Annotated[float, Quantity("1", below=0.0)]
    upshift: Spin
    downshift: Spin

    @model_validator(mode="after")
    def _shifts_in_order(self) -> TransmissionData:
        if not self.downshift < self.upshift:
            raise ValueError("downshift must be at a lower speed than upshift")
        if not all(a < b for a, b in zip(self.gears, self.gears[1:], strict=False)):
            raise ValueError("gears must increase from first to last (output speed over input speed)")
        return self


class PowertrainData(Section):
    """Engine, transmission and the ratio of the conical gears (wheel speed over shaft speed).

    ``torque_split`` are the parts of the torque that the driven axles get, from front to rear; equal parts if
    not given.
    """

    engine: EngineData
    transmission: TransmissionData
    axle_ratio: PositiveFraction
    torque_split: Ratios | None = None

    def built(self) -> PowertrainParameters:
        """As built."""
        engine = self.engine
        return PowertrainParameters(
            full_speed=engine.full_throttle.speed,
            full_torque=engine.full_throttle.torque,
            zero_speed=engine.closed_throttle.speed,
            zero_torque=engine.closed_throttle.torque,
            max_speed=engine.max_speed,
            idle_speed=self.transmission.downshift,
            gear_ratios=self.transmission.gears,
            axle_ratio=self.axle_ratio,
        )
