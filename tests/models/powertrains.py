"""Powertrains of every kind from their parts, with shafts that do not matter unless given."""

from typing import Any

from ce_dynamics.models.parts.brake import ClutchData
from ce_dynamics.models.powertrain.automatic import AutomaticData, ConverterData
from ce_dynamics.models.powertrain.base import ShaftsData
from ce_dynamics.models.powertrain.cvt import CvtData, CvtGearboxData
from ce_dynamics.models.powertrain.electric import BatteryData, ElectricData, FixedGearData, MotorData
from ce_dynamics.models.powertrain.engine import EngineData, TiedEngineData, TurningEngineData
from ce_dynamics.models.powertrain.gear_choice import AutomaticGearboxData, ScheduledGearboxData
from ce_dynamics.models.powertrain.geared import GearedEngineData
from ce_dynamics.models.powertrain.manual import ManualData, ManualGearboxData

SHAFTS = ShaftsData(inertia=0.9, stiffness=3000.0, damping=40.0)
REACH: dict[str, Any] = {"axle_ratio": 0.25, "shafts": SHAFTS}


def automatic(
    engine: TurningEngineData, converter: ConverterData, gears: AutomaticGearboxData
) -> AutomaticData:
    return AutomaticData(engine=engine, converter=converter, transmission=gears, **REACH)


def geared(engine: TiedEngineData, gears: ScheduledGearboxData) -> GearedEngineData:
    return GearedEngineData(engine=engine, transmission=gears, **REACH)


def manual(engine: TurningEngineData, clutch: ClutchData, gears: ManualGearboxData) -> ManualData:
    return ManualData(engine=engine, clutch=clutch, transmission=gears, **REACH)


def cvt(engine: EngineData, gears: CvtGearboxData) -> CvtData:
    return CvtData(engine=engine, transmission=gears, **REACH)


def electric(motor: MotorData, battery: BatteryData, ratio: float) -> ElectricData:
    return ElectricData(motor=motor, battery=battery, transmission=FixedGearData(ratio=ratio), **REACH)
