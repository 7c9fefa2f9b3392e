"""Drivelines, by Chrono's name: which axles are driven, by what ratio, and what turns with the shaft."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading

LIGHT = 2.0
"""[kg m²] at the wheels for the shafts of drivelines that have none."""


BIASED = (
    "differentials that favour the slower wheel: they are open; 'differential: limited-slip' of an axle "
    "hinders its wheels from turning apart"
)


class DrivenAxle(NamedTuple):
    """Wheel speed over shaft speed; inertia at the shaft [kg m²]; parts of the torque by axle, if unequal.

    ``on_chassis``: whether the torque of the propeller shaft rolls Chrono's chassis.  ``ratios``: by axle, if
    they differ.  ``axles``: how many it drives, if not any number.
    """

    ratio: float
    inertia: float
    split: tuple[float, ...] | None = None
    on_chassis: bool = False
    ratios: tuple[float, ...] | None = None
    axles: int | None = None


def two_wheels(reading: Reading, part: JsonObject) -> DrivenAxle:
    """``ShaftsDriveline2WD``: driveshaft, conical gear, one differential."""
    inertia, ratio = part.part("Shaft Inertia"), part.part("Gear Ratio").positive("Conical Gear")
    box = inertia.number("Differential Box", least=0.0)
    _left_out(reading, part)
    turning = inertia.number("Driveshaft", least=0.0) + ratio**2 * box
    return DrivenAxle(ratio, turning, on_chassis=True, axles=1)


def four_wheels(reading: Reading, part: JsonObject) -> DrivenAxle:
    """``ShaftsDriveline4WD``: three differentials; all shafts at the speed of the first."""
    inertia, gears = part.part("Shaft Inertia"), part.part("Gear Ratio")
    front, rear = gears.positive("Front Conical Gear"), gears.positive("Rear Conical Gear")
    for key in gears.data:
        gears.has(key)
    shafts = (inertia.number(key, least=0.0) for key in ("Driveshaft", "Front Driveshaft", "Rear Driveshaft"))
    boxes = [inertia.number(f"{end} Differential Box", least=0.0) for end in ("Front", "Rear")]
    inertia.has("Central Differential Box")
    _left_out(reading, part)
    turning = sum(shafts) + sum(a**2 * box for a, box in zip((front, rear), boxes, strict=True))
    return DrivenAxle(front, turning, on_chassis=True, ratios=(front, rear), axles=2)


def simple(reading: Reading, part: JsonObject) -> DrivenAxle:
    """``SimpleDriveline``: a fixed split between two axles, without inertia."""
    front, rear = part.positive("Front Conical Gear Ratio"), part.positive("Rear Conical Gear Ratio")
    share = part.number("Front Torque Fraction", least=0.0)
    if share > 1.0:
        raise part.wrong("Front Torque Fraction", f"{share:g} is no part of the torque; give 0 to 1")
    for key in ("Front Differential Max Bias", "Rear Differential Max Bias"):
        if part.number(key, 1.0, least=1.0) > 1.0:
            reading.note(BIASED)
    return DrivenAxle(front, LIGHT * front**2, (share, 1.0 - share), ratios=(front, rear), axles=2)


def simple_many(reading: Reading, part: JsonObject) -> DrivenAxle:
    """``SimpleDrivelineXWD``: equal parts for all driven axles, no gears."""
    if part.number("Differential Max Bias", 1.0, least=1.0) > 1.0:
        reading.note(BIASED)
    return DrivenAxle(1.0, LIGHT)


def _left_out(reading: Reading, part: JsonObject) -> None:
    for key in ("Axle Differential Locking Limit", "Central Differential Locking Limit"):
        if part.has(key):
            reading.note(
                "locks of differentials: they are open, as in Chrono until a program locks them; "
                "'differential: locked' of an axle closes one, 'powertrain.centre' the one between axles"
            )
    directions = part.part("Shaft Direction") if part.has("Shaft Direction") else None
    if directions is not None:
        for key in ("Motor Block", "Axle"):
            directions.vector(key)
    if not reading.like_chrono:
        reading.note("the reaction of the propeller shaft, which rolls the chassis")


DRIVELINES: Mapping[str, Callable[[Reading, JsonObject], DrivenAxle]] = {
    "ShaftsDriveline2WD": two_wheels,
    "ShaftsDriveline4WD": four_wheels,
    "SimpleDriveline": simple,
    "SimpleDrivelineXWD": simple_many,
}
