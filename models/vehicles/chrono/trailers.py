"""Trailers with files of their own (``WheeledTrailer``): a rear chassis with a connector and axles."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ce_dynamics.models.vehicles.chrono.axles import AxleReading, axle, from_front_to_rear
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.pairing import own_folder
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.rear_chassis import REAR, RearChassis, couple_chassis, middle

TRAILER = "WheeledTrailer"
"""Template of a trailer's file."""
NAME = "trailer"


class Towed(NamedTuple):
    """A trailer as read: its chassis on its hitch, and its axles by name."""

    chassis: RearChassis
    axles: dict[str, AxleReading]


def read_trailer(
    reading: Reading, part: JsonObject, tower: JsonObject | None, kind: str | None, tyre: Path | None = None
) -> Towed:
    """A trailer behind a chassis, or by itself; with tyres of a kind, if one is asked for.

    Its axles roll freely: they are neither driven nor steered, and braked if they name brakes.
    """
    if part.template != TRAILER:
        raise part.is_no(f"trailer; known is {TRAILER}")
    body_path = reading.path_of(part.part("Chassis"), "Input File")
    body, connector = reading.open(body_path), reading.file(part.part("Connector"), "Input File")
    joint = None if tower is None else middle(tower, REAR)
    if tower is not None and not tower.has(REAR):
        reading.note(f"{REAR!r}, which {tower.path.name} does not say: the trailer is coupled at its origin")
    chassis = couple_chassis(reading, NAME, body, connector, joint, None)
    files = part.list_of_parts("Axles")
    if not files:
        raise part.wrong("Axles", "it is empty; describe one axle at least")
    folder = own_folder(reading, body_path)
    names = [f"{NAME}_axle_{k + 1}" for k in range(len(files))] if len(files) > 1 else [f"{NAME}_axle"]
    axles: dict[str, AxleReading] = {}
    for k, name in zip(from_front_to_rear(files), names, strict=True):
        file = files[k]
        if file.number("Chassis Index", -1.0) != -1.0:
            raise file.wrong("Chassis Index", "a trailer has one chassis; leave it out")
        if file.number("Steering Index", -1.0) != -1.0:
            raise file.wrong("Steering Index", "a trailer has no steering; leave it out")
        axles[name] = axle(reading, file, name, None, False, tyre, folder, [], kind, chassis)
    return Towed(chassis, axles)
