"""Engine with inertia, friction clutch, gears that the driver chooses."""

from __future__ import annotations

from ce_dynamics.models.data.schema import Section
from ce_dynamics.models.parts.drive_units.base import DriveUnit
from ce_dynamics.models.parts.drive_units.manual import ClutchParameters, ManualUnit
from ce_dynamics.models.vehicles.powertrains.base import (
    GearboxData,
    GearedData,
    Inputs,
    ReverseRatio,
    Torque,
    TorsionDamping,
    TorsionStiffness,
    TurningEngineData,
)


class ClutchData(Section):
    """A dry clutch: what it holds when closed, and its torsion springs."""

    max_torque: Torque
    stiffness: TorsionStiffness
    damping: TorsionDamping


class ManualGearboxData(GearboxData):
    """Forward gears and a reverse gear."""

    reverse: ReverseRatio


class ManualData(GearedData):
    """Engine with inertia, clutch, gears by the driver, elastic half-shafts."""

    engine: TurningEngineData
    clutch: ClutchData
    transmission: ManualGearboxData

    @property
    def inputs(self) -> Inputs:
        """Clutch, 0 closed; gear, 1 unless given, 0 neutral, −1 reverse."""
        return {"clutch": (0.0, 0.0, 1.0), "gear": (-1.0, 1.0, float(len(self.transmission.gears)))}

    def unit(self) -> DriveUnit:
        """See `ManualUnit`."""
        clutch = ClutchParameters(**self.clutch.model_dump())
        return ManualUnit(self.engine.built(), clutch, self.transmission.gears, self.transmission.reverse)
