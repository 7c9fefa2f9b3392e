"""An ideal gearbox: always the gear that pulls most, no inertia."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement
from ce_dynamics.models.parts.differentials import DrivenWheel
from ce_dynamics.models.parts.powertrain import Driveline, PowertrainParameters
from ce_dynamics.models.vehicles.powertrains.base import GearboxData, IdlingEngineData, PowertrainData


class EnvelopeData(PowertrainData):
    """An ideal gearbox: always the gear that pulls most, no inertia."""

    engine: IdlingEngineData
    transmission: GearboxData

    turns: ClassVar[bool] = False

    def element(
        self,
        chassis: Body,
        wheels: Sequence[DrivenWheel],
        shares: Sequence[float],
        wheel_speed: float,
        axis: Sequence[float],
    ) -> ForceElement:
        """Torque over the mean wheel speed."""
        engine = self.engine
        parameters = PowertrainParameters(
            full_speed=engine.full_throttle.speed,
            full_torque=engine.full_throttle.torque,
            zero_speed=engine.closed_throttle.speed,
            zero_torque=engine.closed_throttle.torque,
            max_speed=engine.max_speed,
            idle_speed=engine.idle_speed,
            gear_ratios=self.transmission.gears,
            axle_ratio=self.axle_ratio,
        )
        return Driveline("driveline", chassis, wheels, parameters, shares=shares, axis=axis)
