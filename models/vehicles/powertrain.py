"""Engine, gearbox and driveline: as written in data files, and the element they make."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated

from pydantic import model_validator

from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement
from ce_dynamics.models.data.quantities import Numbers, PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.automatic import AutomaticDriveline, AutomaticParameters
from ce_dynamics.models.parts.differentials import DrivenWheel
from ce_dynamics.models.parts.engine import EngineParameters
from ce_dynamics.models.parts.gear_choice import GearParameters
from ce_dynamics.models.parts.powertrain import Driveline, PowertrainParameters
from ce_dynamics.models.parts.torque_converter import ConverterParameters

Spins = Annotated[Numbers, Quantity("rad/s", curve=True)]
Torques = Annotated[Numbers, Quantity("N*m", curve=True)]
Ratios = Annotated[Numbers, Quantity("1", curve=True, above=0.0)]
Fractions = Annotated[Numbers, Quantity("1", curve=True, at_least=0.0)]
Capacities = Annotated[Numbers, Quantity("N*m*s^2/rad^2", curve=True, above=0.0)]
Spin = Annotated[float, Quantity("rad/s", above=0.0)]
Inertia = Annotated[float, Quantity("kg*m^2", above=0.0)]


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
    idle_speed: Spin
    max_speed: Spin


class TurningEngineData(EngineData):
    """An engine with inertia."""

    inertia: Inertia


class GearboxData(Section):
    """Gear ratios are output speed over input speed."""

    gears: Ratios

    @model_validator(mode="after")
    def _in_order(self) -> GearboxData:
        if not all(a < b for a, b in zip(self.gears, self.gears[1:], strict=False)):
            raise ValueError("gears must increase from first to last (output speed over input speed)")
        return self


class AutomaticGearboxData(GearboxData):
    """A gearbox that shifts at speeds of its input, and has a reverse gear."""

    reverse: Annotated[float, Quantity("1", below=0.0)]
    upshift: Spin
    downshift: Spin
    shift_time: Annotated[float, Quantity("s", above=0.0)]

    @model_validator(mode="after")
    def _shifts_in_order(self) -> AutomaticGearboxData:
        if not self.downshift < self.upshift:
            raise ValueError("downshift must be at a lower speed than upshift")
        return self


class ConverterData(Section):
    """A torque converter over the ratio of turbine to impeller speed, from 0 to 1."""

    speed_ratio: Fractions
    capacity: Capacities
    torque_ratio: Ratios


class ShaftsData(Section):
    """What turns with the gearbox' output, and the wind-up of all half-shafts together, at the wheels."""

    inertia: Inertia
    stiffness: Annotated[float, Quantity("N*m/rad", above=0.0)]
    damping: Annotated[float, Quantity("N*m*s/rad", above=0.0)]


class PowertrainData(Section):
    """What every powertrain has: the ratio of the axles (wheel speed over shaft speed), the split of torque.

    ``torque_split`` are the parts of the torque that the driven axles get, from front to rear; equal parts if
    not given.
    """

    axle_ratio: PositiveFraction
    torque_split: Ratios | None = None

    @property
    def inputs(self) -> Mapping[str, tuple[float, float, float]]:
        """Inputs it reads beside the throttle: least, default and largest value."""
        return {}

    @abstractmethod
    def element(
        self, chassis: Body, wheels: Sequence[DrivenWheel], shares: Sequence[float], wheel_speed: float
    ) -> ForceElement:
        """The force element ``driveline``, the wheels turning at a speed [rad/s]."""


class EnvelopeData(PowertrainData):
    """An ideal gearbox: always the gear that pulls most, no inertia."""

    engine: EngineData
    transmission: GearboxData

    def element(
        self, chassis: Body, wheels: Sequence[DrivenWheel], shares: Sequence[float], wheel_speed: float
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
        return Driveline("driveline", chassis, wheels, parameters, shares=shares)


class AutomaticData(PowertrainData):
    """Engine with inertia, torque converter, automatic gearbox, elastic half-shafts."""

    engine: TurningEngineData
    converter: ConverterData
    transmission: AutomaticGearboxData
    shafts: ShaftsData

    @property
    def inputs(self) -> Mapping[str, tuple[float, float, float]]:
        """The selector: 1 forwards, 0 neutral, −1 reverse."""
        return {"selector": (-1.0, 1.0, 1.0)}

    def element(
        self, chassis: Body, wheels: Sequence[DrivenWheel], shares: Sequence[float], wheel_speed: float
    ) -> ForceElement:
        """See `AutomaticDriveline`."""
        engine, gears, shafts = self.engine, self.transmission, self.shafts
        parameters = AutomaticParameters(
            EngineParameters(
                engine.full_throttle.speed,
                engine.full_throttle.torque,
                engine.closed_throttle.speed,
                engine.closed_throttle.torque,
                engine.idle_speed,
                engine.max_speed,
                engine.inertia,
            ),
            ConverterParameters(**self.converter.model_dump()),
            GearParameters(gears.gears, gears.reverse, gears.upshift, gears.downshift, gears.shift_time),
            self.axle_ratio,
            shafts.inertia,
            shafts.stiffness,
            shafts.damping,
        )
        return AutomaticDriveline("driveline", chassis, wheels, parameters, shares, wheel_speed)


POWERTRAINS: Mapping[str, type[PowertrainData]] = {"envelope": EnvelopeData, "automatic": AutomaticData}
"""Powertrains by the name that data files use."""
