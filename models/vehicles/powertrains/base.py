"""Data sections of powertrains, and the contract of every kind of powertrain."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import model_validator

from ce_dynamics.mechanism.body import Body
from ce_dynamics.mechanism.forces.base import ForceElement
from ce_dynamics.models.data.quantities import Fraction, Numbers, PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.differentials import DrivenWheel
from ce_dynamics.models.parts.drive_units.base import DriveUnit
from ce_dynamics.models.parts.engine import EngineParameters
from ce_dynamics.models.parts.geared_driveline import GearedDriveline, ShaftParameters
from ce_dynamics.models.vehicles.differentials import CentreData

Spins = Annotated[Numbers, Quantity("rad/s", curve=True)]
Torques = Annotated[Numbers, Quantity("N*m", curve=True)]
Ratios = Annotated[Numbers, Quantity("1", curve=True, above=0.0)]
Fractions = Annotated[Numbers, Quantity("1", curve=True, at_least=0.0)]
Spin = Annotated[float, Quantity("rad/s", above=0.0)]
Inertia = Annotated[float, Quantity("kg*m^2", above=0.0)]
Torque = Annotated[float, Quantity("N*m", above=0.0)]
TorsionStiffness = Annotated[float, Quantity("N*m/rad", above=0.0)]
TorsionDamping = Annotated[float, Quantity("N*m*s/rad", above=0.0)]
ShiftSpeeds = Annotated[Numbers, Quantity("rad/s", curve=True, above=0.0, fewest=1)]
ReverseRatio = Annotated[float, Quantity("1", below=0.0)]

Inputs = Mapping[str, tuple[float, float, float]]
SELECTOR: Inputs = {"selector": (-1.0, 1.0, 1.0)}
"""1 forwards, unless given; 0 neutral, −1 reverse."""


class TorqueCurve(Section):
    """Torque against speed, linear between the points, with rounded corners."""

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

    @model_validator(mode="after")
    def _pulls(self) -> EngineData:
        if max(self.full_throttle.torque) <= 0.0:
            raise ValueError(
                "full_throttle.torque is nowhere above 0, so that it never pulls; its drag belongs to "
                "closed_throttle"
            )
        return self

    def built(self, idle_speed: float | None = None, inertia: float = 0.0) -> EngineParameters:
        """Return the parameters of the engine."""
        full, closed = self.full_throttle, self.closed_throttle
        curves = full.speed, full.torque, closed.speed, closed.torque
        return EngineParameters(*curves, idle_speed, self.max_speed, inertia)


class IdlingEngineData(EngineData):
    """An engine with an idle speed."""

    idle_speed: Spin


class TurningEngineData(IdlingEngineData):
    """An engine with inertia, which turns by itself."""

    inertia: Inertia

    def built(self, idle_speed: float | None = None, inertia: float = 0.0) -> EngineParameters:
        """Return the parameters of the engine, with its own idle speed and inertia."""
        return super().built(self.idle_speed, self.inertia)


class GearboxData(Section):
    """Gear ratios are output speed over input speed."""

    gears: Ratios

    @model_validator(mode="after")
    def _in_order(self) -> GearboxData:
        if not all(a < b for a, b in zip(self.gears, self.gears[1:], strict=False)):
            raise ValueError("gears must increase from first to last (output speed over input speed)")
        return self


class ShaftsData(Section):
    """Inertia turning with the gearbox' output, and the wind-up of all half-shafts together, at the wheels.

    ``roll_reaction`` is the part of the propeller shaft's torque that rolls the chassis.  It is none
    unless given: the axle's reaction is that of engine and gearbox, on the same body.
    """

    inertia: Inertia
    stiffness: TorsionStiffness
    damping: TorsionDamping
    roll_reaction: Fraction | None = None


class PowertrainData(Section):
    """Common data of powertrains: the ratio of the axles (wheel speed over shaft speed), the torque split.

    ``torque_split`` are the parts of the torque for the driven axles, from front to rear; equal parts if
    not given.  ``axle_ratios`` are those of the driven axles where they differ, from front to rear; inertia
    and elasticity of the shafts are then those behind ``axle_ratio``.  ``centre`` hinders the driven axles
    from turning apart; else the differential between them is open.
    """

    axle_ratio: PositiveFraction
    axle_ratios: Ratios | None = None
    torque_split: Ratios | None = None
    centre: CentreData | None = None

    @property
    def inputs(self) -> Inputs:
        """Inputs it reads beside the throttle: least, default and largest value."""
        return {}

    def inputs_at(self, wheel_speed: float) -> Inputs:
        """`inputs` as a vehicle has them whose wheels turn at a speed [rad/s]."""
        return self.inputs

    turns: ClassVar[bool] = True
    """Whether engine or shafts have inertia, whose turning reacts on the chassis."""

    @abstractmethod
    def element(
        self,
        chassis: Body,
        wheels: Sequence[DrivenWheel],
        shares: Sequence[float],
        wheel_speed: float,
        axis: Sequence[float],
    ) -> ForceElement:
        """The force element ``driveline``, the wheels turning at a speed [rad/s], shafts about an axis."""


class GearedData(PowertrainData):
    """Common data of powertrains whose drive unit turns shafts with inertia."""

    shafts: ShaftsData

    @abstractmethod
    def unit(self) -> DriveUnit:
        """The drive unit."""

    def element(
        self,
        chassis: Body,
        wheels: Sequence[DrivenWheel],
        shares: Sequence[float],
        wheel_speed: float,
        axis: Sequence[float],
    ) -> ForceElement:
        """See `GearedDriveline`."""
        s = self.shafts
        rolling = s.roll_reaction or 0.0
        shafts = ShaftParameters(self.axle_ratio, s.inertia, s.stiffness, s.damping, rolling)
        return GearedDriveline("driveline", chassis, wheels, self.unit(), shafts, shares, wheel_speed, axis)
