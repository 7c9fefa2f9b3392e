"""Engine with inertia, torque converter, automatic gearbox, elastic half-shafts."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from ce_dynamics.models.data.quantities import Numbers, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.drive_units.base import DriveUnit
from ce_dynamics.models.parts.drive_units.converter import ConverterUnit
from ce_dynamics.models.parts.gear_choice import GearParameters
from ce_dynamics.models.parts.torque_converter import ConverterParameters
from ce_dynamics.models.vehicles.powertrains.base import (
    SELECTOR,
    Fractions,
    GearboxData,
    GearedData,
    Inputs,
    Ratios,
    ReverseRatio,
    ShiftSpeeds,
    Spin,
    TurningEngineData,
)

Capacities = Annotated[Numbers, Quantity("N*m*s^2/rad^2", curve=True, above=0.0)]


class AutomaticGearboxData(GearboxData):
    """A gearbox that shifts at speeds of its input, and has a reverse gear.

    ``downshifts`` are the speeds of all gears but the first where they differ.
    """

    reverse: ReverseRatio
    upshift: Spin
    downshift: Spin
    downshifts: ShiftSpeeds | None = None
    shift_time: Annotated[float, Quantity("s", above=0.0)]

    @model_validator(mode="after")
    def _shifts_in_order(self) -> AutomaticGearboxData:
        if not self.downshift < self.upshift:
            raise ValueError("downshift must be at a lower speed than upshift")
        return self

    def built(self) -> GearParameters:
        """Return the gears as built."""
        downshift = self.downshift if self.downshifts is None else self.downshifts
        return GearParameters(self.gears, self.reverse, self.upshift, downshift, self.shift_time)


class ConverterData(Section):
    """A torque converter over the ratio of turbine to impeller speed, from 0 to 1."""

    speed_ratio: Fractions
    capacity: Capacities
    torque_ratio: Ratios


class AutomaticData(GearedData):
    """Engine with inertia, torque converter, automatic gearbox, elastic half-shafts."""

    engine: TurningEngineData
    converter: ConverterData
    transmission: AutomaticGearboxData

    @property
    def inputs(self) -> Inputs:
        """The selector."""
        return SELECTOR

    def unit(self) -> DriveUnit:
        """See `ConverterUnit`."""
        converter = ConverterParameters(**self.converter.model_dump())
        return ConverterUnit(self.engine.built(), converter, self.transmission.built())
