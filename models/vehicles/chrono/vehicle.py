"""A vehicle's file and all that it names, as one data file of ours."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.chrono.axles import (
    TRAILER,
    AxleReading,
    TyreChoice,
    axle,
    axle_names,
    carrier_of,
    order_axles,
    put_drive_on_chassis,
    read_trailer,
    ride_height,
)
from ce_dynamics.models.vehicles.chrono.bodies import DRIVER
from ce_dynamics.models.vehicles.chrono.chassis import (
    RearChassis,
    chassis,
    rear_chassis,
)
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, quantity
from ce_dynamics.models.vehicles.chrono.pairing import FileChoice, own_folder
from ce_dynamics.models.vehicles.chrono.power import power, shafts
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections, yaml_text
from ce_dynamics.models.vehicles.chrono.steering import set_locks, set_phases, steering
from ce_dynamics.models.vehicles.layout import MECHANISMS
from ce_dynamics.models.vehicles.trailers import FOLDING
from ce_dynamics.models.vehicles.tree import FORMAT

UNCHOSEN = FileChoice()


class Converted(NamedTuple):
    """A data file of ours, notes on what it leaves out, and whether it is a trailer by itself.

    ``origins`` are the names of the files that its sections come from, ``lock`` the part of their full lock
    that is taken.
    """

    text: str
    notes: tuple[str, ...]
    origins: Mapping[str, str]
    towed: bool = False
    lock: float = 1.0


def convert_vehicle(
    path: Path, choice: FileChoice = UNCHOSEN, like_chrono: bool = False, bushings: bool = False
) -> Converted:
    """Return a vehicle's JSON file (``"Type": "Vehicle"``, or one that names it with its tyres) as our YAML.

    ``like_chrono`` copies ways of Chrono that no vehicle has (docs/chrono-vehicles.md lists them); with
    ``bushings`` joints yield as the vehicle drives, not on the rig alone.
    """
    reading = Reading(path, like_chrono, bushings)
    part = reading.open(path)
    if part.has("Vehicle") and not part.has("Axles"):
        choice = choose_named_tyre(reading, part, choice)
        reading.path = reading.path_of(part.part("Vehicle"), "Input File")
        part = reading.open(reading.path)
    if part.template == TRAILER:
        sections = alone(reading, part, choice)
    elif part.template == "WheeledVehicle":
        sections = vehicle(reading, part, choice)
    else:
        raise part.wrong_kind("vehicle on wheels; give a file of one")
    unread = reading.unread_keys()
    if unread:
        reading.note("keys without effect: " + ", ".join(unread))
    if any(other.cosmetic() for other in reading.files.values()):
        reading.note("visualisation")
    notes = tuple(reading.notes)
    heading = f"Written from Project Chrono's {path.name}.\n"
    if notes:
        heading += "Chosen, or other than in those files:\n" + "".join(f"- {note}\n" for note in notes)
    text = yaml_text({"format": FORMAT, **sections}, heading)
    return Converted(text, notes, reading.origins, part.template == TRAILER, reading.lock)


def choose_named_tyre(reading: Reading, part: JsonObject, choice: FileChoice) -> FileChoice:
    """Return the tyre that a file names beside the vehicle."""
    if part.has("Powertrain"):
        reading.note("powertrains in one file, as of Chrono before version 9")
        part.part("Powertrain").has("Input File")
    if not choice.tyres and part.has("Tire"):
        return replace(choice, tyres=(reading.path_of(part.part("Tire"), "Input File"),))
    return choice


def vehicle(reading: Reading, part: JsonObject, choice: FileChoice) -> Sections:
    """Return all sections."""
    body_path = reading.path_of(part.part("Chassis"), "Input File")
    main = reading.section("chassis", reading.open(body_path))
    body = chassis(reading, main)
    rears = rear_chassis(reading, part, main) if part.has("Rear Chassis") else []
    folder = own_folder(reading, body_path)
    files = part.list_of_parts("Axles")
    if not files:
        raise part.key_error("Axles", "it is empty; describe one axle at least")
    mechanisms = Mechanisms(reading, part, rears)
    order = order_axles(files)
    driven, driveline = shafts(reading, part, order)
    read: dict[str, AxleReading] = {}
    for k, name in zip(order, axle_names(len(files)), strict=True):
        steered = mechanisms.of(files[k])
        tyres, carrier = TyreChoice(choice.tyre(k), folder), carrier_of(files[k], rears)
        read[name] = axle(reading, files[k], name, steered, k in driven, tyres, carrier)
    if choice.trailer is not None:
        kind = next(iter(read.values())).tyre_kind
        behind = read_trailer(reading, reading.open(choice.trailer), main, kind)
        rears, read = [*rears, behind.chassis], read | behind.axles
    kinds = sorted({one.tyre_kind for one in read.values()})
    if len(kinds) > 1:
        raise part.key_error(
            "Axles", f"tyres of the kinds {' and '.join(kinds)}; give all axles the same kind"
        )
    if not mechanisms.found and all(rear.section["hitch"]["kind"] not in FOLDING for rear in rears):
        raise part.key_error("Axles", "none has a 'Steering Index'; give one, and 'Steering Subsystems'")
    if all(one.section.get("braked") is False for one in read.values()):
        raise part.key_error(
            "Axles", "none has a 'Left Brake Input File' and a 'Right Brake Input File'; give one both"
        )
    for k, rear in enumerate(rears):
        if all(one.section.get("trailer") != rear.name for one in read.values()):
            raise part.key_error(f"Rear Chassis[{k}]", f"no axle is on it; give one 'Chassis Index': {k}")
    powertrain, engine = power(reading, part, choice, folder, driveline)
    width = max(2.0 * one.wheel[1] + one.width for one in read.values())
    if reading.like_chrono:  # whose final drives are all on the chassis
        for one in read.values():
            put_drive_on_chassis(one.section)
    sections: Sections = {
        "title": part.text("Name"),
        "sources": sources(reading),
        "vehicle": {
            "gravity": "9.81 m/s^2 [convention]",
            "ride_height": quantity(ride_height(body, rears, list(read.values())), "m", "derived"),
            "width": quantity(width, "m", "derived"),
        },
        "chassis": body,
        **axles_and_trailers(reading, read, rears),
        "powertrain": {"kind": powertrain, **engine},
        "tyre": {"kind": kinds[0]},
        "road": {"friction": "0.8 [convention]"},
        "driver": {"source": "assumed", **DRIVER},
    }
    if mechanisms.may_differ:
        set_phases(reading, sections, mechanisms.senses)
    set_locks(reading, sections, mechanisms.sections)
    keys = ("Wheelbase", "Maximum Steering Angle (deg)", "Minimum Turning Radius")
    there = [part.has(key) for key in keys]  # each of them counts as read
    if all(there) and not (rears and part.number(keys[1]) == 0.0):  # what folds turns no wheels
        sections["published"] = {
            "source": "chrono",
            "wheelbase": quantity(part.positive(keys[0]), "m"),
            "max_wheel_angle": quantity(part.positive(keys[1]), "deg"),
            "min_turning_radius": quantity(part.positive(keys[2]), "m"),
        }
    return sections


class Mechanisms:
    """The steering subsystems of a vehicle's file that axles name, in the order in which they do."""

    def __init__(self, reading: Reading, part: JsonObject, rears: Sequence[RearChassis]) -> None:
        self.reading, self.rears = reading, rears
        self.files = part.list_of_parts("Steering Subsystems") if part.has("Steering Subsystems") else []
        self.found: dict[int, tuple[str, Sections, int]] = {}
        self.geometries: set[tuple[object, ...]] = set()

    @property
    def sections(self) -> Sections:
        """Sections of the data file by name of the mechanism."""
        return {name: section for name, section, _ in self.found.values()}

    @property
    def senses(self) -> dict[str, int]:
        """Chrono's senses, by name; see `steering`."""
        return {name: sense for name, _, sense in self.found.values()}

    @property
    def may_differ(self) -> bool:
        """True if there are several mechanisms, and their geometries at the axles differ."""
        return len(self.found) > 1 and len(self.geometries) > 1

    def of(self, axle: JsonObject) -> Sections | None:
        """Return the steering of an axle, numbers under the first of several; none if the file names none."""
        index = axle.number("Steering Index", -1.0)
        if index == -1.0:
            return None
        if index not in range(len(self.files)):
            raise axle.key_error(
                "Steering Index", f"{index:g}: there are {len(self.files)} steering subsystems"
            )
        file = self.files[int(index)]
        carrier = carrier_of(file, self.rears)
        if carrier is not carrier_of(axle, self.rears):
            raise axle.key_error(
                "Steering Index",
                f"subsystem {index:g} is on another chassis than the axle; give both the same "
                "'Chassis Index'",
            )
        known = int(index) in self.found
        if not known:
            if len(self.found) == len(MECHANISMS):
                raise axle.key_error(
                    "Steering Index", f"more than {len(MECHANISMS)} mechanisms; leave some out"
                )
            origin = np.zeros(3) if carrier is None else carrier.front
            name = MECHANISMS[len(self.found)]
            section, sense = steering(self.reading, file, name, origin)
            if self.found:
                section["mechanism"] = name
            self.found[int(index)] = name, section, sense
        names = axle.text("Suspension Input File"), file.text("Input File"), *file.numbers("Orientation", 4)
        beside = file.vector("Location") - axle.vector("Suspension Location")
        self.geometries.add((*names, *beside.round(6).tolist()))
        _, section, _ = self.found[int(index)]
        return {key: section[key] for key in ("kind", "mechanism") if key in section} if known else section


def alone(reading: Reading, part: JsonObject, choice: FileChoice) -> Sections:
    """Return a trailer without its towing vehicle, whose file has the coupling point."""
    one = read_trailer(reading, part, None, None, choice.tyre(0))
    reading.note("what tows it: write 'base: [VEHICLE, TRAILER]', and hitch.x and hitch.z of the trailer")
    return {
        "title": part.text("Name"),
        "sources": sources(reading),
        **axles_and_trailers(reading, one.axles, [one.chassis]),
    }


def axles_and_trailers(
    reading: Reading, axles: Mapping[str, AxleReading], rears: Sequence[RearChassis]
) -> Sections:
    """Return these tables, and the kind of bushings if any yield as the vehicle drives."""
    yields = reading.elastic and any("bushings" in one.section for one in axles.values())
    return {
        **({"trailers": {rear.name: rear.section for rear in rears}} if rears else {}),
        "axles": {name: one.section for name, one in axles.items()},
        **({"bushings": "dynamic"} if yields else {}),
    }


def sources(reading: Reading) -> Sections:
    """Return the meaning of each source of numbers."""
    return {
        "chrono": f"Project Chrono, {reading.path.name} and the files that it names, www.projectchrono.org",
        "assumed": "not in Chrono's files; a plausible value",
        "derived": "computed from other numbers of these files",
        "convention": "a definition",
    }
