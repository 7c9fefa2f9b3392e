"""Bodies and rods of suspensions."""

from __future__ import annotations

import numpy as np

from ce_dynamics.models.vehicles.chrono.bushings import RIGID
from ce_dynamics.models.vehicles.chrono.frames import Matrix, moments, rotate_inertia
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject
from ce_dynamics.models.vehicles.chrono.reading import Reading
from ce_dynamics.models.vehicles.chrono.writing import Sections, inertia, quantities, quantity

RADIUS = 0.02
"""[m] of a rod whose file does not say it."""
UNPHYSICAL = "chrono; unphysical as published"
"""Acknowledges an inertia that no real body can have: many of Chrono's examples are such."""


def body(part: JsonObject, com: Matrix | None = None, R: Matrix | None = None) -> Sections:
    """Mass, centre of mass (the file's unless given) and inertia, which is in axes R if these are given."""
    J = moments(part)
    return {
        "mass": quantity(part.number("Mass", least=0.0), "kg"),
        "com": quantities(part.vector("COM") if com is None else com, "m"),
        "inertia": inertia(J if R is None else rotate_inertia(J, R), UNPHYSICAL),
    }


def rod(reading: Reading, part: JsonObject, yields: bool = False) -> Sections:
    """A link as a uniform bar between its ends; its bushings are named unless it `yields`."""
    for key in ("Inertia", "COM", "Universal Joint Axis", "Universal Joint Axis Link"):
        part.has(key)
    for key in part.data:
        if key.startswith("Universal Joint Axis"):
            part.has(key)
        if key.startswith("Bushing Data"):
            part.has(key)
            if not yields:
                reading.note(RIGID)
    reading.note("inertias and centres of mass of links between two joints: they are those of uniform bars")
    mass = part.number("Mass", least=0.0)
    return {"mass": quantity(mass, "kg"), "radius": quantity(part.positive("Radius", RADIUS), "m")}


def link(reading: Reading, part: JsonObject, outer: str, yields: bool = False) -> Sections:
    """A link from the chassis to a point that the file calls `outer`."""
    return {
        "chassis": quantities(part.vector("Location Chassis"), "m"),
        "upright": quantities(part.vector(outer), "m"),
        "rod": rod(reading, part, yields),
    }


def middle(a: Matrix, b: Matrix) -> Matrix:
    """Half way between two points."""
    return np.asarray(0.5 * (a + b))
