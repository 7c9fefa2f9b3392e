"""An electric motor with a fixed gear, and its battery."""

from __future__ import annotations

from typing import Annotated

from ce_dynamics.models.data.quantities import MomentOfInertia, PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.drive_units.base import DriveUnit
from ce_dynamics.models.parts.drive_units.electric import BatteryParameters, ElectricUnit, MotorParameters
from ce_dynamics.models.vehicles.powertrains.base import SELECTOR, GearedData, Inputs, TorqueCurve


class MotorData(Section):
    """The largest torque over speed, drag, losses c_T T² and c_ω ω², inertia of the rotor."""

    full_throttle: TorqueCurve
    drag: Annotated[float, Quantity("N*m", at_least=0.0)]
    copper_loss: Annotated[float, Quantity("W/N^2/m^2", at_least=0.0)]
    iron_loss: Annotated[float, Quantity("W*s^2/rad^2", at_least=0.0)]
    inertia: MomentOfInertia


class BatteryData(Section):
    """Open-circuit voltage behind a resistance."""

    voltage: Annotated[float, Quantity("V", above=0.0)]
    resistance: Annotated[float, Quantity("ohm", above=0.0)]


class FixedGearData(Section):
    """Output speed over motor speed."""

    ratio: PositiveFraction


class ElectricData(GearedData):
    """Motor with a fixed gear, battery, elastic half-shafts; a negative throttle charges."""

    motor: MotorData
    battery: BatteryData
    transmission: FixedGearData

    @property
    def inputs(self) -> Inputs:
        """The selector."""
        return SELECTOR

    def unit(self) -> DriveUnit:
        """See `ElectricUnit`."""
        m = self.motor
        motor = MotorParameters(
            m.full_throttle.speed, m.full_throttle.torque, m.drag, m.copper_loss, m.iron_loss, m.inertia
        )
        battery = BatteryParameters(self.battery.voltage, self.battery.resistance)
        return ElectricUnit(motor, battery, self.transmission.ratio)
