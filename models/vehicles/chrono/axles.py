"""An axle of a vehicle's file: suspension by Chrono's name, wheels, brakes, anti-roll bar; trailers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ce_dynamics.models.vehicles.chrono import beams, generic, independent
from ce_dynamics.models.vehicles.chrono.bodies import (
    BUSHINGS,
    UNPHYSICAL,
    Matrix,
    brake,
    lean,
    rotor,
    wheel_files,
)
from ce_dynamics.models.vehicles.chrono.chassis import REAR, RearChassis, couple_chassis, middle
from ce_dynamics.models.vehicles.chrono.generic import RIGHT, joins_the_steering, on_chassis
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, inertia, quantities, quantity
from ce_dynamics.models.vehicles.chrono.pairing import find_companion, own_folder
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections
from ce_dynamics.models.vehicles.chrono.tyres import tyre
from ce_dynamics.models.vehicles.suspensions.template import GRAPH as LISTED, template_of

SUSPENSIONS: Mapping[str, tuple[str, Callable[[Reading, JsonObject], Sections]]] = {
    "DoubleWishbone": ("double-wishbone", independent.double_wishbone),
    "DoubleWishboneReduced": ("double-wishbone-reduced", independent.double_wishbone_reduced),
    "MacPhersonStrut": ("macpherson", independent.macpherson),
    "MultiLink": ("multi-link", independent.multi_link),
    "SemiTrailingArm": ("semi-trailing-arm", independent.semi_trailing_arm),
    "ThreeLinkIRS": ("three-link", independent.three_links),
    "SingleWishbone": ("single-wishbone", independent.single_wishbone),
    "RigidSuspension": ("rigid", independent.rigid),
    "LeafspringAxle": ("leaf-spring", beams.leaf_spring),
    "ToeBarLeafspringAxle": ("leaf-spring", beams.leaf_spring),
    "SAELeafspringAxle": ("shackled-leaf-spring", beams.sae_leaf_spring),
    "SAEToeBarLeafspringAxle": ("shackled-leaf-spring", beams.sae_leaf_spring),
    "PushPipeAxle": ("push-pipe", beams.push_pipe),
    "ToeBarPushPipeAxle": ("push-pipe", beams.push_pipe),
    "RigidPanhardAxle": ("panhard", beams.rigid_panhard),
    "ToeBarRigidPanhardAxle": ("panhard", beams.rigid_panhard),
    "DeDionAxle": ("de-dion", beams.de_dion),
    "ToeBarDeDionAxle": ("de-dion", beams.de_dion),
    "SolidThreeLinkAxle": ("three-link-axle", beams.three_links),
    "GenericWheeledSuspension": ("graph", generic.generic),
    "SolidBellcrankThreeLinkAxle": ("three-link-axle", beams.three_links),
    "SolidAxle": ("graph", generic.four_links_and_crank),
    "HendricksonPRIMAXX": ("parallel-links", beams.primaxx),
    "RigidPinnedAxle": ("pinned-axle", beams.read_pinned_axle),
}
"""Our names of suspensions by Chrono's, and functions that read their numbers."""


def anti_roll_bar(reading: Reading, axle: JsonObject, name: str, origin: Matrix) -> Sections:
    """Return the left half of a named axle's bar, from an origin in the coordinates of its chassis."""
    part = reading.section(f"{name}.anti_roll_bar", reading.file(axle, "Antirollbar Input File"))
    if part.template != "AntirollBarRSD":
        raise part.wrong_kind("anti-roll bar; known is AntirollBarRSD")
    at = axle.vector("Antirollbar Location") - origin
    arm, spring = part.part("Arm"), part.part("RSD")
    L, W, H = arm.positive("Length"), arm.number("Width"), part.part("Droplink").number("Height")
    end = at + (W, L, 0.0)
    return {
        "kind": "torsion",
        "source": "chrono",
        "mass": arm.mass(),
        "com": quantities(at + (0.0, 0.5 * L, 0.0), "m"),
        "inertia": inertia(arm.moments("Inertia")),
        "pivot": quantities(at + (0.0, 0.5 * L, 0.0), "m"),
        "end": quantities(end, "m"),
        "link": quantities(end + (0.0, 0.0, H), "m"),
        "stiffness": quantity(spring.positive("Spring Coefficient"), "N*m/rad"),
        "damping": quantity(spring.number("Damping Coefficient", least=0.0), "N*m*s/rad"),
    }


OWN = "Anti Roll Bar"
"""Block of an axle that has a bar of its own."""
HALF_ACROSS = np.array([1.0, 0.5, 1.0])
"""Factors from the pivot to an arm's mass centre: half way to the middle, on the axis."""
DROP = np.array([0.0, 0.0, -0.5])
"""[m] from an arm's end straight down to where it is hung: in Chrono it slides on the beam at its height."""


def own_bar(reading: Reading, suspension: JsonObject, origin: Matrix) -> Sections:
    """Return the left half of a beam's own bar: arms on a lateral axis of the chassis, ends on the beam."""
    arm = suspension.part(OWN)
    pivot, end = arm.vector("Location Chassis"), arm.vector("Location Axle")
    reading.note(
        "anti-roll bars that are part of an axle: on drop links of 0.5 m instead of guides on the beam"
    )
    return {
        "kind": "torsion",
        "source": "chrono",
        "mass": arm.mass(),
        "com": quantities(origin + HALF_ACROSS * pivot, "m"),
        "inertia": inertia(arm.moments("Inertia"), UNPHYSICAL),
        "pivot": quantities(origin + pivot, "m"),
        "end": quantities(origin + end, "m"),
        "link": quantities(origin + end + DROP, "m"),
        "stiffness": quantity(arm.positive("Rotational Stiffness"), "N*m/rad"),
        "damping": quantity(arm.number("Rotational Damping", least=0.0), "N*m*s/rad"),
    }


WHEEL_WIDTH = 0.25
"""[m] of a wheel whose tyre has none, for the width of the vehicle."""


class AxleReading(NamedTuple):
    """An axle as read: its section, where a wheel is, and of its tyre radius, stiffness, width and kind."""

    section: Sections
    wheel: Matrix
    radius: float
    stiffness: float
    width: float
    tyre_kind: str


def axle_names(count: int) -> list[str]:
    """Return front and rear, or numbers from the front."""
    return ["front", "rear"] if count == 2 else [f"axle_{k}" for k in range(1, count + 1)]


def order_axles(files: Sequence[JsonObject]) -> list[int]:
    """Return numbers of a vehicle's axles: those of the main chassis first, each chassis' from its front."""
    places = [file.vector("Suspension Location")[0] for file in files]
    units = [file.number("Chassis Index", -1.0) for file in files]
    return sorted(range(len(files)), key=lambda k: (units[k], -places[k]))


class TyreChoice(NamedTuple):
    """Tyre file that a user chooses, the folder in which to look for one, and the kind of other axles."""

    file: Path | None
    folder: Path
    kind: str | None = None


def axle(
    reading: Reading,
    file: JsonObject,
    name: str,
    steered: Sections | None,
    driven: bool,
    tyres: TyreChoice,
    carrier: RearChassis | None,
) -> AxleReading:
    """Return one axle, with the section of the mechanism that steers it, and its chassis."""
    if file.has("Subchassis Index"):
        reading.note("beams of a subchassis: they are left out, springs on them are fixed to the chassis")
    part = reading.section(name, reading.file(file, "Suspension Input File"))
    suspension, read = reading.by_template(part, "suspension", SUSPENSIONS)
    origin, spindle = file.vector("Suspension Location"), part.part("Spindle")
    if carrier is not None:
        origin = origin - carrier.front
    centre = spindle.vector("COM")
    if not centre[1] + origin[1] > 0.0:
        raise spindle.key_error("COM", f"y = {centre[1]:g} m is not on the left; give that of the left wheel")
    rim, spacing = wheel_files(reading, file)
    if file.has("Tire Input File"):
        tyre_path: Path | None = reading.path_of(file, "Tire Input File")
    else:
        tyre_path = tyres.file
    tyre_file = find_companion(reading, "tyre", tyre_path, tyres.folder, name, tyres.kind)
    for mine, one in ((".tyre", tyre_file), (".wheel.tyre", tyre_file), (".wheel.rim", rim)):
        reading.section(f"{name}{mine}", one)
    mounted = tyre(reading, tyre_file)
    own = {
        "kind": suspension,
        "origin": quantities(origin, "m"),
        "W": quantities(centre, "m"),
        **read(reading, part),
    }
    soft, right = own.pop(BUSHINGS, {}), own.pop(RIGHT, {})
    if steered is None:
        own, soft = on_chassis(own), on_chassis(soft)
    elif suspension == LISTED and not joins_the_steering(own):
        raise file.key_error(
            "Steering Index",
            f"nothing of {part.path.name} is joined to 'Steering', or its 'Steerable' is not true; leave the "
            "index out, or join a rod to it",
        )
    section: Sections = {"source": "chrono", "suspension": own}
    if carrier is not None:
        section["trailer"] = carrier.name
    if driven == (carrier is not None):
        section["driven"] = driven
    section |= {
        "steering": steered,
        "bushings": soft,
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
            section["braked"] = "inboard"
    else:
        section["braked"] = False
    if part.template.endswith("RigidPanhardAxle") and part.has(OWN):
        section["anti_roll_bar"] = own_bar(reading, part, origin)
    elif file.has("Antirollbar Input File"):
        front = np.zeros(3) if carrier is None else carrier.front
        section["anti_roll_bar"] = anti_roll_bar(reading, file, name, front)
    if right:
        section["right"] = {"source": "chrono", "suspension": right}
    width = (WHEEL_WIDTH if mounted.width is None else mounted.width) + (spacing or 0.0)
    stiffness = mounted.stiffness if spacing is None else 2.0 * mounted.stiffness
    wheel = origin + centre if carrier is None else carrier.at + origin + centre
    given = {key: value for key, value in section.items() if value not in ({}, None)}
    return AxleReading(given, wheel, mounted.radius, stiffness, width, mounted.kind)


def carrier_of(file: JsonObject, rears: Sequence[RearChassis]) -> RearChassis | None:
    """Return the rear chassis that an axle or a steering mechanism is on; none if it is on the main one."""
    index = file.number("Chassis Index", -1.0)
    if index == -1.0:
        return None
    if index not in range(len(rears)):
        raise file.key_error(
            "Chassis Index", f"{index:g}: there are {len(rears)} rear chassis; -1 is the main one"
        )
    return rears[int(index)]


def put_drive_on_chassis(section: Sections) -> None:
    """Put the final drive of a driven beam on the chassis."""
    name = section["suspension"]["kind"]
    if section.get("driven") is not False and name != LISTED and template_of(name).axle is not None:
        section["final_drive"] = "chassis"


def ride_height(body: Sections, rears: Sequence[RearChassis], axles: list[AxleReading]) -> float:
    """Return the height of the origin with wheels in their design positions and tyres under load."""
    mass = float(str(body["mass"]).split()[0]) + sum(rear.mass for rear in rears)
    weight = 9.81 * mass / (2.0 * len(axles))
    heights = [one.radius - weight / one.stiffness - one.wheel[2] for one in axles]
    return round(float(np.mean(heights)), 4)


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
    """Return a trailer behind a chassis, or by itself; with tyres of a kind, if one is asked for.

    Its axles roll freely: they are neither driven nor steered, and braked if they name brakes.
    """
    if part.template != TRAILER:
        raise part.wrong_kind(f"trailer; known is {TRAILER}")
    body_path = reading.path_of(part.part("Chassis"), "Input File")
    body, connector = reading.open(body_path), reading.file(part.part("Connector"), "Input File")
    joint = None if tower is None else middle(tower, REAR)
    if tower is not None and not tower.has(REAR):
        reading.note(f"{REAR!r} is missing in {tower.path.name}: the trailer is coupled at its origin")
    chassis = couple_chassis(reading, NAME, body, connector, joint, None)
    files = part.list_of_parts("Axles")
    if not files:
        raise part.key_error("Axles", "it is empty; describe one axle at least")
    folder = own_folder(reading, body_path)
    names = [f"{NAME}_axle_{k + 1}" for k in range(len(files))] if len(files) > 1 else [f"{NAME}_axle"]
    axles: dict[str, AxleReading] = {}
    for k, name in zip(order_axles(files), names, strict=True):
        file = files[k]
        if file.number("Chassis Index", -1.0) != -1.0:
            raise file.key_error("Chassis Index", "a trailer has one chassis; leave it out")
        if file.number("Steering Index", -1.0) != -1.0:
            raise file.key_error("Steering Index", "a trailer has no steering; leave it out")
        axles[name] = axle(reading, file, name, None, False, TyreChoice(tyre, folder, kind), chassis)
    return Towed(chassis, axles)
