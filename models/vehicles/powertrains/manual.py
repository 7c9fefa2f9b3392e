"""Engine with inertia, friction clutch, gears that the driver chooses."""

from __future__ import annotations

from ce_dynamics.models.data.schema import Section
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
        """Clutch, 0 closed; gear, 0 neutral, −1 reverse; 1 at rest unless given."""
        return {"clutch": (0.0, 0.0, 1.0), "gear": (-1.0, 1.0, float(len(self.transmission.gears)))}

    def inputs_at(self, wheel_speed: float) -> Inputs:
        """In the gear in which a vehicle rolls at this speed."""
        least, _, most = self.inputs["gear"]
        gear = self.unit().gear_at(wheel_speed / self.axle_ratio)
        return {**self.inputs, "gear": (least, float(gear), most)}

    def unit(self) -> ManualUnit:
        """See `ManualUnit`."""
        clutch = ClutchParameters(**self.clutch.model_dump())
        return ManualUnit(self.engine.built(), clutch, self.transmission.gears, self.transmission.reverse)
