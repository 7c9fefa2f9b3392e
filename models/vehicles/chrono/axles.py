"""An axle of a vehicle's file: suspension, wheels, tyres, brakes, anti-roll bar."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.chrono.anti_roll_bar import OWN, anti_roll_bar, own_bar
from ce_dynamics.models.vehicles.chrono.bushings import BUSHINGS, on_chassis as bushed_on_chassis
from ce_dynamics.models.vehicles.chrono.frames import Matrix
from ce_dynamics.models.vehicles.chrono.generic import GEAR, GRAPH, held, joins_the_steering
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.pairing import companion
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.rear_chassis import RearChassis
from ce_dynamics.models.vehicles.chrono.suspensions import SUSPENSIONS
from ce_dynamics.models.vehicles.chrono.tyres import tyre
from ce_dynamics.models.vehicles.chrono.wheels import brake, lean, rotor, wheel_files
from ce_dynamics.models.vehicles.chrono.writing import Sections, quantities, quantity
from ce_dynamics.models.vehicles.layout import MECHANISMS
from ce_dynamics.models.vehicles.suspensions.template import GRAPH as LISTED, template_of

WHEEL_WIDTH = 0.25
"""[m] of a wheel whose tyre does not say it, for the width of the vehicle."""


class AxleReading(NamedTuple):
    """An axle as read: its place in ``axles``, its corners' section, where a wheel is."""

    words: Sections
    section: Sections
    wheel: Matrix
    radius: float
    stiffness: float
    width: float
    tyre_kind: str
    graph: Sections | None
    bushings: Sections


def axle_names(count: int) -> list[str]:
    """Front and rear, or numbers from the front."""
    return ["front", "rear"] if count == 2 else [f"axle_{k}" for k in range(1, count + 1)]


def from_front_to_rear(files: Sequence[JsonObject]) -> list[int]:
    """Numbers of a vehicle's axles: those of the main chassis first, each chassis' from its front."""
    places = [file.vector("Suspension Location")[0] for file in files]
    units = [file.number("Chassis Index", -1.0) for file in files]
    return sorted(range(len(files)), key=lambda k: (units[k], -places[k]))


def axle(
    reading: Reading,
    file: JsonObject,
    name: str,
    steered: tuple[str, str] | None,
    driven: bool,
    chosen: Path | None,
    folder: Path,
    rears: Sequence[RearChassis],
    kind: str | None = None,
    trailer: RearChassis | None = None,
) -> AxleReading:
    """One axle, with the kind and the name of the mechanism that steers it, its tyre's file, and its kind."""
    carrier = carrier_of(file, rears) if trailer is None else trailer
    if file.has("Subchassis Index"):
        reading.note("beams of a subchassis: they are left out, springs on them are fixed to the chassis")
    part = reading.section(name, reading.file(file, "Suspension Input File"))
    template = reading.by_template(part, "suspension", SUSPENSIONS)
    origin, spindle = file.vector("Suspension Location"), part.part("Spindle")
    if carrier is not None:
        origin = origin - carrier.front
    centre = spindle.vector("COM")
    if not centre[1] + origin[1] > 0.0:
        raise spindle.wrong("COM", f"y = {centre[1]:g} m is not on the left; give that of the left wheel")
    rim, spacing = wheel_files(reading, file)
    if file.has("Tire Input File"):
        tyre_path: Path | None = reading.path_of(file, "Tire Input File")
    else:
        tyre_path = chosen
    tyre_file = companion(reading, "tyre", tyre_path, folder, name, kind)
    for mine, one in ((".tyre", tyre_file), (".wheel.tyre", tyre_file), (".wheel.rim", rim)):
        reading.section(f"{name}{mine}", one)
    mounted = tyre(reading, tyre_file)
    words: Sections = {"suspension": template.name}
    if carrier is not None:
        words["trailer"] = carrier.name
        if driven:
            words["driven"] = "yes"
    if steered is not None:
        words["steering"], mechanism = steered
        if mechanism != MECHANISMS[0]:
            words["mechanism"] = mechanism
    own = template.read(reading, part)
    graph = own.pop(GRAPH, None)
    soft = own.pop(BUSHINGS, {})
    assert isinstance(soft, dict)
    if steered is None:
        soft = bushed_on_chassis(soft)
    if GEAR in own:
        words["steering_gear"] = own.pop(GEAR)
    if isinstance(graph, dict) and steered is None:
        graph = held(graph)
    elif isinstance(graph, dict) and not joins_the_steering(graph):
        raise file.wrong(
            "Steering Index",
            f"nothing of {part.path.name} is joined to 'Steering', or its 'Steerable' is not true; leave the "
            "index out, or join a rod to it",
        )
    section: Sections = {
        "source": "chrono",
        "origin": quantities(origin, "m"),
        "W": quantities(centre, "m"),
        **own,
        "wheel": {
            "hub": rotor(spindle),
            "rim": rotor(rim),
            "tyre": mounted.body,
            "axle_inertia": quantity(part.part("Axle").number("Inertia", least=0.0), "kg*m^2"),
            **({} if spacing is None else {"twin_spacing": quantity(spacing, "m")}),
            **lean(reading, part),
        },
        "tyre": mounted.section,
    }
    if file.has("Left Brake Input File") or file.has("Right Brake Input File"):
        section["brake"], inboard = brake(reading, file, name)
        if inboard:
            words["braked"] = "inboard"
    else:
        words["braked"] = "no"
    if part.template.endswith("RigidPanhardAxle") and part.has(OWN):
        words["anti_roll_bar"] = "torsion"
        section["anti_roll_bar"] = own_bar(reading, part, origin)
    elif file.has("Antirollbar Input File"):
        words["anti_roll_bar"] = "torsion"
        section["anti_roll_bar"] = anti_roll_bar(
            reading, file, name, np.zeros(3) if carrier is None else carrier.front
        )
    if not driven and carrier is None:
        words["driven"] = "no"
    width = WHEEL_WIDTH if mounted.width is None else mounted.width
    assert graph is None or isinstance(graph, dict)
    stiffness = mounted.stiffness if spacing is None else 2.0 * mounted.stiffness
    width += spacing or 0.0
    wheel = origin + centre if carrier is None else carrier.at + origin + centre
    return AxleReading(words, section, wheel, mounted.radius, stiffness, width, mounted.kind, graph, soft)


def carrier_of(file: JsonObject, rears: Sequence[RearChassis]) -> RearChassis | None:
    """The rear chassis that an axle or a steering mechanism is on; none if it is on the main one."""
    index = file.number("Chassis Index", -1.0)
    if index == -1.0:
        return None
    if index not in range(len(rears)):
        raise file.wrong(
            "Chassis Index", f"{index:g}: there are {len(rears)} rear chassis; -1 is the main one"
        )
    return rears[int(index)]


def on_chassis(words: Sections) -> Sections:
    """Return the words of an axle, with the final drive on the chassis for a driven beam."""
    name = str(words["suspension"])
    beam = name != LISTED and template_of(name).axle is not None
    driven = words.get("driven") != "no"
    return {**words, "final_drive": "chassis"} if driven and beam else words


def ride_height(body: Sections, rears: Sequence[RearChassis], axles: list[AxleReading]) -> float:
    """Height of the vehicle's origin with the wheels in their design positions and the tyres carrying it."""
    mass = float(str(body["mass"]).split()[0]) + sum(rear.mass for rear in rears)
    weight = 9.81 * mass / (2.0 * len(axles))
    heights = [one.radius - weight / one.stiffness - one.wheel[2] for one in axles]
    return round(float(np.mean(heights)), 4)
