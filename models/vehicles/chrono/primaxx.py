"""``HendricksonPRIMAXX``: a housing on lower beams and torque rods, all about lines across the vehicle."""

from __future__ import annotations

import numpy as np

from ce_dynamics.algebra.arrays import cross
from ce_dynamics.models.vehicles.chrono.bodies import UNPHYSICAL, body, rod
from ce_dynamics.models.vehicles.chrono.force_laws import damper_law, spring_law
from ce_dynamics.models.vehicles.chrono.frames import moments, rotate_inertia, unit
from ce_dynamics.models.vehicles.chrono.generic import GEAR
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections, inertia, quantities, quantity

IN_THE_MIDDLE, MIRROR = np.array([1.0, 0.0, 1.0]), np.diag([1.0, -1.0, 1.0])
CHASSIS, HOUSING = "Chassis Attachment Point", "Axle Housing Attachment Point"


def primaxx(reading: Reading, part: JsonObject) -> Sections:
    """Links of both sides as one body each: with revolute joints on the chassis the housing only rises."""
    lower, upper, knuckle = part.part("Lower Beam"), part.part("Torque Rod"), part.part("Knuckle")
    if part.has("Transverse Beam"):
        block = part.part("Transverse Beam")
        block.read.update(block.data)
        reading.note("transverse beams, which Chrono leaves loose: left out")
    lower.has("Transverse Beam Attachment Point")
    tie = part.part("Tierod")
    gear: Sections = {"L": quantities(tie.vector("Location Chassis"), "m")}
    if tie.has("Mass"):
        gear["tie_rods"] = rod(reading, tie)
    sections: Sections = {
        GEAR: "tie-rods",
        "axle": body(part.part("Axle Housing")),
        "lower_links": both_sides(lower, upper),
        "upper_links": both_sides(upper, lower),
        "D": quantities(knuckle.vector("Lower Attachment Point"), "m"),
        "F": quantities(knuckle.vector("Upper Attachment Point"), "m"),
        "K": quantities(tie.vector("Location Knuckle"), "m"),
        "knuckle": body(knuckle),
        "steering_gear": gear,
    }
    for key, prefix, end in (
        ("Shock Axle Housing", "beam_", "Location Axle Housing"),
        ("Shock Lower Beam", "", "Location Lower Beam"),
    ):
        shock = part.part(key)
        prefix = "beam_" if reading.like_chrono else prefix
        ends: Sections = {
            "chassis": quantities(shock.vector("Location Chassis"), "m"),
            "arm": quantities(shock.vector(end), "m"),
        }
        if shock.number("Spring Coefficient", 0.0) or shock.has("Spring Curve Data"):
            law = spring_law(reading, shock)
            if reading.like_chrono:
                built = float(np.linalg.norm(shock.vector("Location Chassis") - shock.vector(end)))
                law["free_length"] = quantity(built, "m")
            sections[f"{prefix}spring"] = {**ends, **law}
        if shock.number("Damping Coefficient", 0.0) or shock.has("Damping Curve Data"):
            sections[f"{prefix}damper"] = {**ends, **damper_law(reading, shock)}
        shock.has("Free Length")
    kept = "as there" if reading.like_chrono else "they act on what they are named after, by 'Free Length'"
    reading.note(
        "shock absorbers of PRIMAXX axles, which Chrono puts between chassis and housing with the length as "
        f"built: {kept}"
    )
    return sections


def both_sides(link: JsonObject, other: JsonObject) -> Sections:
    """A link and its mirror image as one body.

    Its axes are those of Chrono: z from the housing to the chassis, y across the plane of both links.
    """
    C, A = link.vector(CHASSIS), link.vector(HOUSING)
    z = unit(link, CHASSIS, C - A)
    y = unit(link, CHASSIS, cross(A - other.vector(HOUSING), C - other.vector(HOUSING)))
    J = rotate_inertia(moments(link), np.column_stack((cross(y, z), y, z)))
    mass, com = link.number("Mass", least=0.0), link.vector("COM")
    aside = mass * com[1] ** 2 * np.diag([1.0, 0.0, 1.0])
    return {
        "pivot": quantities(IN_THE_MIDDLE * C, "m"),
        "joint": quantities(IN_THE_MIDDLE * A, "m"),
        "mass": quantity(2.0 * mass, "kg"),
        "com": quantities(IN_THE_MIDDLE * com, "m"),
        "inertia": inertia(J + MIRROR @ J @ MIRROR + 2.0 * aside, UNPHYSICAL),
    }
