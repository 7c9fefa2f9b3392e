"""An engine behind a continuously variable gearbox."""

from __future__ import annotations

from typing import Annotated

from pydantic import model_validator

from ce_dynamics.models.data.quantities import PositiveFraction, Quantity
from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.drive_units.base import DriveUnit
from ce_dynamics.models.parts.drive_units.cvt import CvtParameters, CvtUnit
from ce_dynamics.models.vehicles.powertrains.base import SELECTOR, EngineData, GearedData, Inputs, Spin


class CvtGearboxData(Section):
    """A ratio (output over input speed) that grows linearly between two speeds of the output."""

    lowest: PositiveFraction
    highest: PositiveFraction
    begin: Spin
    end: Spin
    efficiency: Annotated[float, Quantity("1", above=0.0)]

    @model_validator(mode="after")
    def _in_order(self) -> CvtGearboxData:
        if not (self.lowest < self.highest and self.begin < self.end and self.efficiency <= 1.0):
            raise ValueError("lowest must be below highest, begin below end, efficiency at most 1")
        return self


class CvtData(GearedData):
    """Engine, continuously variable gearbox, elastic half-shafts."""

    engine: EngineData
    transmission: CvtGearboxData

    @property
    def inputs(self) -> Inputs:
        """The selector."""
        return SELECTOR

    def unit(self) -> DriveUnit:
        """See `CvtUnit`."""
        return CvtUnit(self.engine.built(), CvtParameters(**self.transmission.model_dump()))
