"""An engine that gears tie to the wheels, shifted at speeds of its own for every gear."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from ce_dynamics.models.data.quantities import MomentOfInertia, Numbers, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.drive_units.base import DriveUnit
from ce_dynamics.models.parts.drive_units.geared import GearedUnit
from ce_dynamics.models.parts.gear_choice import GearParameters
from ce_dynamics.models.vehicles.powertrains.base import (
    SELECTOR,
    EngineData,
    GearedData,
    Inputs,
    ReverseRatio,
    ShiftSpeeds,
)

ForwardRatios = Annotated[Numbers, Quantity("1", curve=True, above=0.0, fewest=1)]


class TiedEngineData(EngineData):
    """An engine that never turns by itself; its inertia may be left out."""

    inertia: MomentOfInertia | None = None


class ScheduledGearboxData(Section):
    """Gears with shift speeds of their own.

    ``upshift`` are those of all gears but the last, ``downshift`` of all but the first.
    """

    gears: ForwardRatios
    reverse: ReverseRatio
    upshift: ShiftSpeeds | None = None
    downshift: ShiftSpeeds | None = None
    shift_time: Annotated[float, Quantity("s", above=0.0)] | None = None

    @model_validator(mode="after")
    def _every_shift_has_speeds(self) -> ScheduledGearboxData:
        shifts = len(self.gears) - 1
        for name in ("upshift", "downshift"):
            speeds = getattr(self, name)
            if len(speeds or ()) != shifts:
                raise ValueError(
                    f"{name} has {len(speeds or ())} speeds for {len(self.gears)} gears; give {shifts}"
                    if shifts
                    else f"{name} has no effect with a single gear; leave it out"
                )
        if (self.shift_time is None) != (shifts == 0):
            raise ValueError("shift_time belongs to two gears or more, and is needed there")
        return self

    def built(self) -> GearParameters:
        """Return the parameters of the gears."""
        return GearParameters(
            self.gears, self.reverse, self.upshift or (), self.downshift or (), self.shift_time or 1.0
        )


class GearedEngineData(GearedData):
    """Engine tied to the wheels by gears, elastic half-shafts."""

    engine: TiedEngineData
    transmission: ScheduledGearboxData

    @property
    def inputs(self) -> Inputs:
        """The selector."""
        return SELECTOR

    def unit(self) -> DriveUnit:
        """See `GearedUnit`."""
        return GearedUnit(self.engine.built(inertia=self.engine.inertia or 0.0), self.transmission.built())
