"""Hub, rim and brake of an axle."""

from __future__ import annotations

import math

import numpy as np

from ce_dynamics.models.vehicles.bodies import wheel_axes
from ce_dynamics.models.vehicles.chrono.bodies import Matrix
from ce_dynamics.models.vehicles.chrono.json_file import JsonObject, inertia, quantity
from ce_dynamics.models.vehicles.chrono.reading import Reading, Sections

WIND_UP = 0.1
"""[rad] of a brake at its full torque: its elasticity, of which Chrono's brakes have none."""
WIND_UP_TIME = 0.005
"""[s], damping over stiffness."""
BRAKES = ("BrakeSimple", "BrakeShafts")


def rotor(part: JsonObject) -> Sections:
    """Return mass and inertia of what turns about the wheel's axis."""
    return {
        "mass": part.mass(),
        "inertia": inertia(part.moments("Inertia")),
    }


UNTURNED = ("RigidSuspension", "RigidPinnedAxle", "HendricksonPRIMAXX")
"""Templates whose files' camber and toe Chrono does not read."""


def lean(reading: Reading, suspension: JsonObject) -> Sections:
    """Return camber (top outwards) and toe (front inwards) of an axle's wheels, where they are not 0."""
    found: Sections = {}
    for ours, key in (("camber", "Camber Angle (deg)"), ("toe", "Toe Angle (deg)")):
        angle = suspension.number(key, 0.0)
        if not abs(angle) < STEEPEST:
            raise suspension.key_error(
                key, f"{angle:g} is no angle of a wheel; give less than {STEEPEST:g} degrees"
            )
        if angle and suspension.template in UNTURNED:
            reading.note(f"{key!r} of {suspension.template}, which Chrono does not read: 0")
        elif angle:
            found[ours] = quantity(angle, "deg")
    if found and reading.like_chrono:
        reading.note(
            "spindles of some beams, which Chrono lets wobble where camber or toe are given: they do not"
        )
    return found


def lean_axes(suspension: JsonObject) -> Matrix:
    """Return axes of the left knuckle of most steered beams, which are those of its wheel."""
    camber, toe = (math.radians(suspension.number(f"{name} Angle (deg)", 0.0)) for name in ("Camber", "Toe"))
    return np.eye(3) if suspension.template.startswith("SAE") else wheel_axes(camber, toe)


STEEPEST = 30.0
"""Camber or toe [deg] from which a file is mistaken."""


def wheel_files(reading: Reading, axle: JsonObject) -> tuple[JsonObject, float | None]:
    """Return the file of an axle's wheels, and how far apart they are where there are two on a side [m]."""
    spacing: float | None = None
    if axle.has("Wheel Separation"):
        spacing = axle.positive("Wheel Separation")
        keys = [
            f"{side} {place} Wheel Input File"
            for side in ("Left", "Right")
            for place in ("Inside", "Outside")
        ]
    else:
        keys = [f"{side} Wheel Input File" for side in ("Left", "Right")]
    files = [reading.path_of(axle, key) for key in keys]
    if len(set(files)) > 1:
        reading.note(f"wheels that differ within an axle: that of {files[0].name} is taken for all of them")
    return reading.open(files[0]), spacing


def brake(reading: Reading, axle: JsonObject, name: str) -> tuple[Sections, bool]:
    """Return the brake of each wheel of a named axle, and whether it reacts on the chassis."""
    if not axle.has("Left Brake Input File"):
        raise axle.key_error("Left Brake Input File", "it is missing; expected the name of a brake's file")
    files = [reading.path_of(axle, f"{side} Brake Input File") for side in ("Left", "Right")]
    part = reading.section(f"{name}.brake", reading.open(files[0]))
    if files[0] != files[1]:
        reading.note(f"brakes that differ within an axle: that of {files[0].name} is taken for both")
    if part.template not in BRAKES:
        raise part.wrong_kind(f"brake that can be read; known are {', '.join(BRAKES)}")
    on_shafts = part.template == "BrakeShafts"
    if on_shafts:
        part.has("Shaft Inertia")
        if not reading.like_chrono:
            reading.note("brakes on shafts, which react on the chassis: here on the carrier of the wheel")
    torque = part.positive("Maximum Torque")
    section: Sections = {
        "source": "chrono",
        "max_torque": quantity(torque, "N*m"),
        "stiffness": f"{quantity(torque / WIND_UP, 'N*m/rad')} [assumed]",
        "damping": f"{quantity(torque / WIND_UP * WIND_UP_TIME, 'N*m*s/rad')} [assumed]",
    }
    return section, on_shafts and reading.like_chrono
